"""Compiled functions as plain Python: the same bits, without waiting for the compiler.

What a compiled function calls stands in its globals, as other compiled functions. Its plain form is the same
code with globals in which each of these is plain too. So that Python counts as machine code does,

- all floats are numpy's, constants and arguments included: a division by zero gives ±∞ or NaN, also for two
  of them that come from no array, and a constant makes a number in single precision a double;
- functions of ``math`` give ±∞ or NaN where Python's raise;
- nothing warns; and what comes out is of Python's own types, as from machine code.

Arrays are the caller's own, and are changed in place.
"""

import math
import threading
from collections.abc import Callable
from types import CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import Any, cast

import numpy as np
from numba.core.dispatcher import Dispatcher

from weitzman.arrays import Floats

_made: dict[Any, Any] = {}
_making = threading.RLock()


def instead(thing: Any) -> Callable[[Any], Any]:
    """Let another function stand for a compiled one, or for what only machine code has, in plain Python."""

    def note(other: Any) -> Any:
        _made[thing] = other
        return other

    return note


def added(rows: Floats, first: float | Floats = 0.0) -> Floats:
    """Return the sum of what comes first and of rows, one after the other as a loop adds them."""
    steps = np.empty((len(rows) + 1, *rows.shape[1:]))
    steps[0], steps[1:] = first, rows
    return np.asarray(np.add.accumulate(steps, axis=0)[-1])


def plain(function: Any) -> Callable[..., Any]:
    """Return the plain form of a compiled function, to be called by Python."""
    with _making:
        inner = _plain(function)

    def call(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):
            return _returned(inner(*map(_given, arguments)))

    return call


def _plain(thing: Any) -> Any:
    """Return what stands for something in the globals of plain code."""
    if thing is math:
        return _MATH
    if not callable(thing) or isinstance(thing, type | ModuleType):
        return thing
    if thing in _made:
        return _made[thing]
    if isinstance(thing, Dispatcher):
        _made[thing] = _copied(thing.py_func)
    elif _is_generic(thing):
        _made[thing] = _chosen(thing)
    else:
        return thing
    return _made[thing]


def _copied(function: FunctionType) -> FunctionType:
    """Return a function with plain globals; they are looked up here, when all modules are complete."""
    if function in _made:
        return cast("FunctionType", _made[function])
    code, around = _with_numbers(function.__code__), function.__globals__
    names: dict[str, Any] = {"__builtins__": around["__builtins__"], "float": np.float64}
    made = FunctionType(code, names, function.__name__, function.__defaults__, function.__closure__)
    # Before its globals: a function may call itself
    _made[function] = made
    for name in _names(code):
        if name in around:
            names[name] = _plain(around[name])
    return made


def _chosen(generic: Any) -> Callable[..., Any]:
    """Return a generic function whose bodies are plain."""
    bodies: dict[type, Callable[..., Any]] = {}

    def call(state: Any, *rest: Any) -> Any:
        kind = type(state)
        body = bodies.get(kind)
        if body is None:
            with _making:
                body = bodies[kind] = _copied(generic.dispatch(kind))
        return body(state, *rest)

    return call


def _with_numbers(code: CodeType) -> CodeType:
    return code.replace(co_consts=tuple(_constant(one) for one in code.co_consts))


def _constant(thing: Any) -> Any:
    if isinstance(thing, float):
        return np.float64(thing)
    if isinstance(thing, CodeType):
        return _with_numbers(thing)
    return tuple(map(_constant, thing)) if type(thing) is tuple else thing


def _names(code: CodeType) -> set[str]:
    inside = [_names(one) for one in code.co_consts if isinstance(one, CodeType)]
    return set(code.co_names).union(*inside)


def _given(thing: Any) -> Any:
    if type(thing) is float:
        return np.float64(thing)
    if isinstance(thing, tuple) and any(isinstance(one, float | tuple) for one in thing):
        return _tuple_like(thing, [_given(one) for one in thing])
    return thing


def length_of(function: Any, state_class: type) -> int:
    """Return the length of the code of a compiled function and of all that it calls, in bytes."""
    found: dict[Any, int] = {}
    ahead = [function.py_func]
    while ahead:
        here = ahead.pop()
        if here in found:
            continue
        found[here] = len(here.__code__.co_code)
        for name in _names(here.__code__):
            thing = here.__globals__.get(name)
            if isinstance(thing, Dispatcher):
                ahead.append(thing.py_func)
            elif _is_generic(thing):
                ahead.append(thing.dispatch(state_class))
    return sum(found.values())


def _is_generic(thing: Any) -> bool:
    return hasattr(thing, "registry") and hasattr(thing, "dispatch")


def _returned(thing: Any) -> Any:
    if isinstance(thing, np.generic):
        return thing.item()
    if isinstance(thing, tuple):
        return _tuple_like(thing, [_returned(one) for one in thing])
    return thing


def _tuple_like(thing: Any, items: list[Any]) -> Any:
    kind = type(thing)
    return kind(*items) if hasattr(kind, "_fields") else kind(items)


def _total(function: Callable[..., Any], *, pole: float | None = None) -> Callable[..., Any]:
    """Return a function of ``math`` that never raises; it is −∞ at its pole, if it has one."""

    def call(*x: Any) -> Any:
        try:
            return np.float64(function(*x))
        except ValueError:
            return np.float64(-math.inf if x[0] == pole else math.nan)
        except OverflowError:
            return np.float64(math.copysign(math.inf, x[0]) if function is math.ldexp else math.inf)

    return call


_MATH: Any = SimpleNamespace(
    **{name: _constant(value) for name, value in vars(math).items() if name[0] != "_"}
)
for _name in ("sqrt", "exp", "hypot", "ldexp", "fabs"):
    setattr(_MATH, _name, _total(getattr(math, _name)))
for _name, _pole in (("log", 0.0), ("log2", 0.0), ("log1p", -1.0)):
    setattr(_MATH, _name, _total(getattr(math, _name), pole=_pole))
