"""The process that compiles beside a program (:mod:`weitzman.compiled.beside`), and puts it on disk.

It is sent pairs: a number with what to compile, or a number with the seconds that plain Python has taken for
it. It answers the number of everything that is done, or that cannot be done, and begins with None.
"""

import contextlib
import os
import pickle
import queue
import signal
import threading
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from numba.core.dispatcher import Dispatcher

_IDLE = 5.0  # seconds without work after which it ends


def work(at: int) -> None:
    """Compile what is asked for over the connection with this file descriptor, until nothing is left."""
    # The program ends by Ctrl-C; this process when it has done its work
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(5)
    line, asked = Connection(at), queue.SimpleQueue[tuple[int, Any] | None]()
    threading.Thread(target=_read, args=(line, asked), daemon=True).start()
    # Whoever asked may be gone: what is left is done all the same, for the next
    with contextlib.suppress(OSError):
        line.send(None)
    missing: dict[int, bytes] = {}
    missed: dict[int, float] = {}
    gone = False
    while True:
        try:
            while not (missing and asked.empty()):
                message = asked.get(timeout=None if missing else 0.0 if gone else _IDLE)
                if message is None:
                    gone = True
                elif isinstance(message[1], bytes):
                    missing[message[0]] = message[1]
                else:
                    missed[message[0]] = missed.get(message[0], 0.0) + message[1]
        except queue.Empty:
            return
        number = max(missing, key=lambda one: missed.get(one, 0.0))
        _compile(missing.pop(number))
        with contextlib.suppress(OSError):
            line.send(number)


def _read(line: Connection, asked: "queue.SimpleQueue[tuple[int, Any] | None]") -> None:
    """Take messages at once: nobody who sends one waits for what is being compiled."""
    try:
        while True:
            asked.put(line.recv())
    except (EOFError, OSError):
        asked.put(None)


def _compile(text: bytes) -> None:
    """Compile a function; what cannot be compiled here is compiled where it is asked for, which says why."""
    with contextlib.suppress(Exception):
        module, name, signature, bodies = pickle.loads(text)
        for one in bodies:
            import_module(one)
        for function in vars(import_module(module)).values():
            if isinstance(function, Dispatcher) and function.py_func.__qualname__ == name:
                function.compile(signature)
