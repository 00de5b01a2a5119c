"""Machine code that is made beside the program: until it is there, plain Python gives the same bits.

On a machine that has compiled nothing, a function runs in plain Python (:mod:`weitzman.compiled.plain`), and
another process compiles it (:mod:`weitzman.compiled.worker`) and puts the machine code on disk, from where
it is loaded at the next call. A process and not a thread: a thread would share the interpreter, slow down
all that goes on, and could not be left while it compiles; and what compiling takes of memory goes with the
process.

What is most missed, by the seconds that plain Python has taken for the length of its code, is compiled first.
The process ends when nothing has been asked for in a while; when the program ends before, it goes on until
all is on disk.

Whoever has long work to do waits instead, inside :func:`waiting`, or by the environment variable
``WEITZMAN_COMPILE=first``: functions are then compiled here, before their first call. So they are where there
can be no such process, or where it fails.
"""

import atexit
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import Pipe
from typing import TYPE_CHECKING, Any

from numba.core import event

from weitzman.compiled.plain import plain

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_PROGRAM = """import sys
_, at, *sys.path = sys.argv
from weitzman.compiled.worker import work
work(int(at))"""
_BEGINNING = 60.0  # seconds in which a process has to say its first word
_WORTH = 0.01  # seconds in plain Python that are worth a message

BODIES: set[str] = set()
"""The modules with bodies of generic functions: the process that compiles has to know them too."""


class _NotOnDiskError(Exception):
    """There is no machine code on disk, and it is not to be made here."""


class _OnlyLoading(event.Listener):
    """Stops numba where it begins to compile, in the threads that only want to load."""

    def __init__(self) -> None:
        self.here = threading.local()

    def on_start(self, event: Any) -> None:
        """Hear that numba begins to compile something."""
        if getattr(self.here, "loading", False):
            raise _NotOnDiskError

    def on_end(self, event: Any) -> None:
        """Hear that it is done."""

    def load(self, function: Any, signature: Any) -> Any:
        """Return the machine code of a function, from memory or disk."""
        self.here.loading = True
        try:
            return function.compile(signature)
        finally:
            self.here.loading = False


@dataclass(eq=False)
class _Order:
    """Machine code that was asked for: what to make, and whether it is still being made."""

    number: int
    text: bytes
    open: bool = True


class _Beside:
    """The process that compiles, if there is one, and what was asked of it."""

    def __init__(self) -> None:
        self.waiting = 0
        self._begin_anew()

    def _begin_anew(self) -> None:
        self.lock = threading.Lock()
        self._orders: dict[Any, _Order] = {}
        self._numbered: list[_Order] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._line: Connection | None = None
        self._silent_until: float | None = None

    def is_making(self, function: Any, signature: Any) -> bool:
        """Have machine code made, if that was not asked before; return whether it is not there yet."""
        order = self._orders.get((function, signature))
        if order is None:
            order = self._orders[function, signature] = self._ordered(function, signature)
        if order.open:
            self._listen()
        return order.open

    def is_open(self, function: Any) -> bool:
        """Return whether some machine code of a function is not there yet."""
        self._listen()
        return any(order.open for (one, _), order in self._orders.items() if one is function)

    def miss(self, function: Any, signature: Any, seconds: float) -> None:
        """Say how long plain Python took."""
        order = self._orders.get((function, signature))
        if order is not None and order.open:
            self._say((order.number, seconds))

    def _ordered(self, function: Any, signature: Any) -> _Order:
        where = function.py_func
        try:
            text = pickle.dumps((where.__module__, where.__qualname__, signature, sorted(BODIES)))
        except (pickle.PicklingError, AttributeError, TypeError):
            return _Order(-1, b"", open=False)
        order = _Order(len(self._numbered), text)
        self._numbered.append(order)
        if self._line is None:
            self._begin()
        else:
            self._say((order.number, order.text))
        return order

    def _begin(self) -> None:
        """Start a process, and ask it for all that is not there."""
        able = os.name == "posix" and sys.executable and not getattr(sys, "frozen", False)
        if not able:
            self._give_up()
            return
        self._line, other = Pipe()
        flags = ["-B"] if sys.dont_write_bytecode else []
        command = [sys.executable, *flags, "-c", _PROGRAM, str(other.fileno()), *sys.path]
        nothing = subprocess.DEVNULL
        try:
            self._process = subprocess.Popen(
                command,
                stdin=nothing,
                stdout=nothing,
                stderr=nothing,
                pass_fds=[other.fileno()],
                # Away from Ctrl-C, and not in a session of its own, whose share of a core others would miss
                process_group=0,
            )
        except OSError:
            self._give_up()
            return
        finally:
            other.close()
        self._silent_until = time.monotonic() + _BEGINNING
        for order in self._numbered:
            if order.open:
                self._say((order.number, order.text))

    def _say(self, message: tuple[int, bytes | float]) -> None:
        if self._line is not None:
            try:
                self._line.send(message)
            except OSError:
                self._end()

    def _listen(self) -> None:
        """Take in what is done by now."""
        try:
            while self._line is not None and self._line.poll():
                number = self._line.recv()
                self._silent_until = None
                if number is not None:
                    self._numbered[number].open = False
        except (EOFError, OSError):
            self._end()
        if self._silent_until is not None and time.monotonic() > self._silent_until:
            self._give_up()

    def _end(self) -> None:
        """Take leave of a process that ended; begin another if it had nothing to do when it did."""
        done = self._process is not None and self._process.wait() == 0
        self._leave()
        if not done:
            self._give_up()
        elif any(order.open for order in self._numbered):
            self._begin()

    def _leave(self) -> None:
        if self._line is not None:
            self._line.close()
        self._line = self._process = self._silent_until = None

    def _give_up(self) -> None:
        """Have all that is not there compiled here, when it is called next."""
        for order in self._numbered:
            order.open = False
        self.let_go()
        self._leave()

    def forget(self) -> None:
        """Begin with nothing in a process that was forked: the line is that of its parent."""
        self.let_go()
        self._begin_anew()

    def let_go(self) -> None:
        """Leave the process alone: it ends by itself, and nobody waits for it."""
        if self._process is not None:
            self._process.returncode = 0


_loader = _OnlyLoading()
_registered: Any = event.register
_registered("numba:compile", _loader)
_beside = _Beside()

atexit.register(_beside.let_go)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_beside.forget)


@contextmanager
def waiting() -> Iterator[None]:
    """Inside, what is not compiled yet is compiled before it is called: for work that takes long."""
    wait_from_now_on()
    try:
        yield
    finally:
        _beside.waiting -= 1


def wait_from_now_on() -> None:
    """Do as inside :func:`waiting` for as long as the process runs."""
    _beside.waiting += 1


def code_for(function: Any, signature: Any) -> Callable[..., Any] | None:
    """Return the machine code of a function for types of arguments; None as long as it is being made."""
    if not _beside.waiting and os.environ.get("WEITZMAN_COMPILE") != "first":
        with _beside.lock:
            try:
                return _loader.load(function, signature)  # type: ignore[no-any-return]
            except _NotOnDiskError:
                if _beside.is_making(function, signature):
                    return None
    return function.compile(signature)  # type: ignore[no-any-return]


def is_being_made(function: Any) -> bool:
    """Return whether machine code of a function was asked for and is not there yet."""
    with _beside.lock:
        return _beside.is_open(function)


def in_plain(function: Any, signature: Any) -> Callable[..., Any]:
    """Return the plain form of a function, to be called as long as its machine code is being made."""
    called = plain(function)

    def call(*arguments: Any) -> Any:
        begin = time.perf_counter()
        try:
            return called(*arguments)
        finally:
            seconds = time.perf_counter() - begin
            if seconds > _WORTH:
                with _beside.lock:
                    _beside.miss(function, signature, seconds)

    return call
