"""The process that compiles beside a program (:mod:`weitzman.compiled.beside`), and puts it on disk.

It is sent pairs: a number with what to compile, or a number with the seconds that plain Python has taken for
it. It answers the number of everything that is done, or that cannot be done, and begins with None. The next
is what has taken most in plain Python for the length of its code, which says how long it takes to compile.
"""

import contextlib
import os
import pickle
import queue
import signal
import threading
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from numba.core.dispatcher import Dispatcher

from weitzman.compiled.plain import length_of

_IDLE = 5.0  # seconds without work after which it ends
_LEAST = 0.02  # seconds of plain Python that anything is taken to have needed


@dataclass(frozen=True)
class _Work:
    """A function to compile for a signature, and how long its code is."""

    function: Any
    signature: Any
    length: int

    @classmethod
    def read(cls, text: bytes) -> "_Work":
        module, name, signature, bodies = pickle.loads(text)
        for one in bodies:
            import_module(one)
        (function,) = (
            one
            for one in vars(import_module(module)).values()
            if isinstance(one, Dispatcher) and one.py_func.__qualname__ == name
        )
        states = (getattr(one, "instance_class", None) for one in signature)
        return cls(function, signature, length_of(function, next(filter(None, states), object)))

    def do(self) -> None:
        """Compile it; numba puts it on disk."""
        self.function.compile(self.signature)


def work(at: int) -> None:
    """Compile what is asked for over the connection with this file descriptor, until nothing is left."""
    # The program ends by Ctrl-C; this process when it has done its work
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    line, asked = Connection(at), queue.SimpleQueue[tuple[int, Any] | None]()
    threading.Thread(target=_read, args=(line, asked), daemon=True).start()
    _answer(line, None)
    missing: dict[int, _Work] = {}
    missed: dict[int, float] = {}
    gone = False
    while True:
        try:
            while not (missing and asked.empty()):
                message = asked.get(timeout=None if missing else 0.0 if gone else _IDLE)
                if message is None:
                    gone = True
                elif isinstance(message[1], bytes):
                    with contextlib.suppress(Exception):
                        missing[message[0]] = _Work.read(message[1])
                    if message[0] not in missing:
                        # Compiled where it is asked for, which says why
                        _answer(line, message[0])
                else:
                    missed[message[0]] = missed.get(message[0], 0.0) + message[1]
        except queue.Empty:
            # At once, without what Python does at its end: the program may wait for it
            os._exit(0)
        number = max(missing, key=lambda one: missed.get(one, _LEAST) / missing[one].length)
        # What cannot be compiled here is compiled where it is asked for
        with contextlib.suppress(Exception):
            missing.pop(number).do()
        _answer(line, number)


def _read(line: Connection, asked: "queue.SimpleQueue[tuple[int, Any] | None]") -> None:
    """Take messages at once: nobody who sends one waits for what is being compiled."""
    try:
        while True:
            asked.put(line.recv())
    except (EOFError, OSError):
        asked.put(None)


def _answer(line: Connection, number: int | None) -> None:
    # Whoever asked may be gone: what is left is done all the same, for the next
    with contextlib.suppress(OSError):
        line.send(number)
