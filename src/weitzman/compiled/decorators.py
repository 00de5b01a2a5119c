"""Compilation: one decorator, and functions that are chosen by the type of the learner's state.

``@compiled`` is numba's ``njit`` with strict floating point (no ``fastmath``, so no reordered sum):
a number is the same on every machine and for every number of threads. Its functions become part of
their callers: a state of twenty arrays is two hundred arguments, and handing them over takes longer
than the arithmetic of a small learner. ``@rare`` is for what is seldom called or large, and may stay a
call; ``@merged`` for what has one caller and would only be optimised once more by itself. No function
allocates, so none counts references. ``@entry`` is for the few that Python calls, with numba's
on-disk cache.

Numba recompiles a cached function when its own file changes, but not when a file that it calls into
changes. The digest of all compiled sources is therefore part of every cached name.

A *generic* function is a name with one body per state class, as ``predict_row`` in
:mod:`weitzman.learn.learners.parts.kernels`. Numba picks the body while it types the caller, so a loop such
as that of :mod:`weitzman.learn.learners.parts.loop` is written once and cached once per state class.
Passing the bodies as arguments, or closing over them, would compile again in every process: the identity of
a dispatcher would be part of the key.
"""

import hashlib
import inspect
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit, typeof, types
from numba.core import event
from numba.extending import overload

__all__ = ["Native", "compiled", "entry", "generic", "implements", "merged", "rare"]

F = TypeVar("F", bound=Callable[..., Any])


_FILES = (
    "compiled/decorators compiled/linalg compiled/prefetch search/rule"
    " learn/learners/ftrl learn/learners/linearised learn/learners/newton"
    " learn/learners/residual learn/learners/ridge"
    " learn/learners/exact/heap learn/learners/exact/minimiser learn/learners/exact/near"
    " learn/learners/exact/points learn/learners/exact/steps"
    " learn/learners/parts/gram learn/learners/parts/kernels learn/learners/parts/loop"
    " learn/learners/parts/optimism learn/learners/parts/regulariser"
)


def _digest_of_sources() -> str:
    house = Path(__file__).parents[1]
    sources = [house / f"{name}.py" for name in _FILES.split()]
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:8]


_SOURCES = _digest_of_sources()
_njit: Any = njit
_OPTIONS: dict[str, Any] = {"error_model": "numpy", "no_cfunc_wrapper": True, "_nrt": False}
_INLINE: dict[str, Any] = {"forceinline": True, **_OPTIONS}


def _load_without_blas() -> None:
    """Load the part of numba that looks for scipy's BLAS, without the looking.

    It would take a fifth of the start of a process. Nothing here calls BLAS, and whatever does
    makes numba look again.
    """
    linalg: Any = import_module("numba.np.linalg")
    look, linalg.ensure_blas = linalg.ensure_blas, lambda: None
    try:
        import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = look


class _Notice(event.Listener):
    """Says, once and to a person only, why the first call takes long."""

    said = False

    def on_start(self, event: Any) -> None:
        """Hear that numba begins to compile something."""
        ours = event.data["dispatcher"].py_func.__module__.startswith("weitzman.")
        if ours and not self.said and sys.stderr.isatty():
            self.said = True
            text = (
                "weitzman compiles its loops. This takes about half a minute, and happens once.\n"
            )
            sys.stderr.write(text)

    def on_end(self, event: Any) -> None:
        """Hear that it is done."""


_load_without_blas()
cast("Any", event).register("numba:compile", _Notice())


def compiled(function: F) -> F:
    """Compile a function into its callers, which are compiled."""
    return cast("F", _njit(no_cpython_wrapper=True, **_INLINE)(function))


def merged(function: F) -> F:
    """Compile a large function with a single caller as a part of it: it is not optimised twice."""
    return cast("F", _njit(no_cpython_wrapper=True, inline="always", **_OPTIONS)(function))


def rare(function: F) -> F:
    """Compile a function that is seldom called, or large, apart from its callers."""
    return cast("F", _njit(no_cpython_wrapper=True, **_OPTIONS)(function))


def entry(function: F) -> F:
    """Compile a function on its first call from Python, and keep the machine code on disk."""
    function.__qualname__ = f"{function.__qualname__}_{_SOURCES}"
    return cast("F", _njit(cache=True, **_OPTIONS)(function))


class Native:
    """An entry whose argument types are looked at in its first call only.

    Numba finds out the type of every argument in every call, which takes longer than a round of a
    small learner. ``call`` is for callers whose arguments keep their types: other types are not
    refused, they give wrong numbers.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.call: Callable[..., Any] = self._first_call

    def _first_call(self, *arguments: Any) -> Any:
        of: Callable[[Any], Any] = cast("Any", typeof)
        self.call = cast("Any", self._function).compile(tuple(map(of, arguments)))
        return self.call(*arguments)


def generic(function: F) -> F:
    """Mark a function that has one compiled body per state class."""
    return function


def implements(function: Callable[..., Any], state_class: type) -> Callable[[F], F]:
    """Give a generic function its body for one state class; the parameters have the same names."""

    def register(body: F) -> F:
        def choose(state: Any, *_: Any) -> F | None:
            named = isinstance(state, types.BaseNamedTuple)
            return body if named and state.instance_class is state_class else None

        # Numba compares the signatures of the chooser and the body
        choose.__signature__ = inspect.signature(body)  # type: ignore[attr-defined]
        overload(function, jit_options=cast("Any", _INLINE))(choose)
        return body

    return register
