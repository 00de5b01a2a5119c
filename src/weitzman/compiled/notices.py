"""A line on standard error that says why something takes long: numba compiles."""

import sys
from contextlib import AbstractContextManager
from typing import Any, cast

from numba.core import event

_events: Any = event


class Notice(event.Listener):
    """Writes a text once, on a terminal or on anything else, when numba first compiles something.

    The module of what is compiled begins with ``package``.
    """

    def __init__(self, text: str, *, terminal: bool, package: str = "") -> None:
        self._text = text
        self._terminal = terminal
        self._package = package
        self._said = False

    def on_start(self, event: Any) -> None:
        """Hear that numba begins to compile something."""
        ours = event.data["dispatcher"].py_func.__module__.startswith(self._package)
        if ours and not self._said and sys.stderr.isatty() == self._terminal:
            self._said = True
            sys.stderr.write(self._text)
            sys.stderr.flush()

    def on_end(self, event: Any) -> None:
        """Hear that it is done."""

    def listen(self) -> None:
        """Listen for as long as the process runs."""
        _events.register("numba:compile", self)

    def listening(self) -> AbstractContextManager[None]:
        """Listen inside a ``with``."""
        return cast("AbstractContextManager[None]", _events.install_listener("numba:compile", self))
