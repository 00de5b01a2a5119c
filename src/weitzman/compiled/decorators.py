"""How functions are compiled: everything else that is compiled goes through these decorators.

Floating point is strict in all of them (no ``fastmath``, so no reordered sum): a number is the same on every
machine and for every number of threads.

**Inside the loops of a learner** nothing is allocated, so no references are counted, and a division by zero
gives ±∞ or NaN.

- ``@compiled``: the usual one. The function becomes part of its callers: a state of twenty arrays is two
  hundred arguments, and passing them takes longer than the arithmetic of a small learner. It is also for
  plain functions that are compiled elsewhere: ``compiled(next_box)``.
- ``@merged``: for a large function with a single caller, which would only be optimised once more by itself.
- ``@rare``: for what is seldom called, or large, and may stay a call.
- ``@entry``: for what Python calls. The machine code is kept on disk.

**Everywhere else** functions may allocate, are called by Python and by each other, and each is kept on disk.

- ``@kernel``: a division by zero gives ±∞ or NaN.
- ``@checked``: a division by zero raises ``ZeroDivisionError``, as in Python, where none is expected.
- ``@whole``, above one of these: for a function whose single call may be long work.

What is kept on disk is named by its sources (:mod:`weitzman.compiled.sources`), so that it is never stale.

A *generic* function is a name with one body per state class, as ``predict_row`` in
:mod:`weitzman.learn.learners.parts.kernels`. Numba picks the body while it types the caller, so a loop such
as that of :mod:`weitzman.learn.learners.parts.loop` is written once and cached once per state class.
Passing the bodies as arguments, or closing over them, would compile again in every process: the identity of
a dispatcher would be part of the key.

**Before it is compiled** a function that Python calls runs in plain Python, with the same bits, while
another process compiles it (:mod:`weitzman.compiled.beside`); one that is ``@whole`` is waited for.

**Without the compiler.** With the environment variable ``NUMBA_DISABLE_JIT=1`` all of it is plain Python, to
debug and to test by mutation: about a hundred times slower, and the same bits. Numbers that come from arrays
are numpy's there, so where ``@checked`` raises for them they warn; and ``math`` raises where machine code
gives NaN.
"""

import inspect
from collections.abc import Callable
from functools import singledispatch
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

import numpy as np
from numba import config, njit, typeof, types
from numba.extending import overload

from weitzman.compiled.beside import BODIES, code_for, in_plain
from weitzman.compiled.notices import Notice
from weitzman.compiled.sources import digest_of

F = TypeVar("F", bound=Callable[..., Any])

_njit: Any = njit
_PLAIN: bool = cast("Any", config).DISABLE_JIT
_LOOP: dict[str, Any] = {"error_model": "numpy", "no_cfunc_wrapper": True, "_nrt": False}
_INLINE: dict[str, Any] = {"forceinline": True, **_LOOP}


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


_load_without_blas()
Notice(
    "weitzman compiles its loops. This takes about half a minute, and happens once.\n",
    terminal=True,
    package="weitzman.",
).listen()


def compiled(function: F) -> F:
    """Compile a function into its callers, which are compiled."""
    return cast("F", _njit(no_cpython_wrapper=True, **_INLINE)(function))


def merged(function: F) -> F:
    """Compile a large function with a single caller as a part of it: it is not optimised twice."""
    return cast("F", _njit(no_cpython_wrapper=True, inline="always", **_LOOP)(function))


def rare(function: F) -> F:
    """Compile a function that is seldom called, or large, apart from its callers."""
    # Said in so many words: what is not said is taken from the caller
    return cast("F", _njit(no_cpython_wrapper=True, forceinline=False, **_LOOP)(function))


def entry(function: F) -> F:
    """Compile a function that Python calls and that allocates nothing."""
    return _kept(function, **_LOOP)


def kernel(function: F) -> F:
    """Compile a function that Python or other kernels call; a division by zero gives ±∞ or NaN."""
    return _kept(function, error_model="numpy")


def checked(function: F) -> F:
    """Compile a function that Python or other kernels call; a division by zero raises."""
    return _kept(function)


def _kept(function: F, **options: Any) -> F:
    """Compile a function on its first call, and keep the machine code on disk."""
    if _PLAIN:
        # Numbers of numpy warn where machine code is silent; hashes overflow on purpose
        silent: Any = np.errstate(over="ignore")
        if options:
            silent = np.errstate(over="ignore", divide="ignore", invalid="ignore")
        return cast("F", silent(function))
    function.__qualname__ += f"_{digest_of(Path(function.__code__.co_filename))}"
    kept = _njit(cache=True, **options)(function)
    compile_now = kept._compile_for_args

    def first_call(*arguments: Any, **named: Any) -> Callable[..., Any]:
        """Return what numba calls for types of arguments that it has no machine code for."""
        try:
            signature = tuple(cast("Any", typeof)(argument) for argument in arguments)
        except ValueError:
            # No types that machine code can have: numba says so
            return cast("Callable[..., Any]", compile_now(*arguments, **named))
        return code_for(kept, signature) or in_plain(kept, signature)

    kept._compile_for_args = first_call
    return cast("F", kept)


def whole(function: F) -> F:
    """Have a function compiled before its first call, however long that takes."""
    if not _PLAIN:
        del cast("Any", function)._compile_for_args
    return function


class Native:
    """An entry whose argument types are looked at in its first call only.

    Numba finds out the type of every argument in every call, which takes longer than a round of a
    small learner. ``call`` is for callers whose arguments keep their types: other types are not
    refused, they give wrong numbers. To find the types of twenty arrays, and the machine code for
    them, takes half a millisecond: much for a service that holds a thousand problems. So what one has
    found serves all whose arguments are of the same kinds.
    """

    _found: ClassVar[dict[Any, Callable[..., Any]]] = {}

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function: Any = function
        self.call: Callable[..., Any] = function if _PLAIN else self._first_call

    def _first_call(self, *arguments: Any) -> Any:
        kind = self._function, kind_of(arguments)
        if kind not in self._found:
            signature = tuple(cast("Any", typeof)(argument) for argument in arguments)
            code = code_for(self._function, signature)
            if code is None:
                return in_plain(self._function, signature)(*arguments)
            self._found[kind] = code
        self.call = self._found[kind]
        return self.call(*arguments)


def kind_of(thing: Any) -> Any:
    """Return what the machine code for an argument depends on.

    >>> kind_of((np.zeros(2), 1)) == kind_of((np.ones(5), 7))
    True
    >>> kind_of(np.zeros(2)) == kind_of(np.zeros((2, 2)))
    False
    """
    if isinstance(thing, np.ndarray):
        flags = thing.flags
        order = flags.c_contiguous, flags.f_contiguous, flags.writeable, flags.aligned
        return thing.dtype, thing.ndim, order
    if isinstance(thing, tuple):
        return type(thing), tuple(map(kind_of, thing))
    return type(thing)


def generic(function: F) -> F:
    """Mark a function that has one body per state class, which is its first argument."""
    return cast("F", singledispatch(function))


def implements(function: Callable[..., Any], state_class: type) -> Callable[[F], F]:
    """Give a generic function its body for one state class; the parameters have the same names."""

    def register(body: F) -> F:
        def choose(state: Any, *_: Any) -> F | None:
            named = isinstance(state, types.BaseNamedTuple)
            return body if named and state.instance_class is state_class else None

        # Numba compares the signatures of the chooser and the body
        choose.__signature__ = inspect.signature(body)  # type: ignore[attr-defined]
        BODIES.add(body.__module__)
        overload(function, jit_options=cast("Any", _INLINE))(choose)
        # For plain Python
        cast("Any", function).register(state_class, body)
        return body

    return register
