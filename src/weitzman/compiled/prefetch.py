"""Prefetching: rows of a large array that are read soon are on their way from memory before.

Exact FTRL looks at points here and there among all that were ever seen; the processor cannot guess which is
next, and would wait for each. Nothing but the time depends on it.
"""

from typing import Any, cast

from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from weitzman.compiled.plain import instead

_LINE = 64  # bytes that come together

_cgutils: Any = cgutils
_BYTE, _NUMBER, _SIZE = ir.IntType(8).as_pointer(), ir.IntType(32), ir.IntType(64)


def _prefetch(typing_context: Any, array: Any, row: Any, place: Any) -> Any:
    """Have array[row, place], of an array with three axes, read into the cache."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        whole = context.make_array(kind)(context, builder, arguments[0])
        at = [*arguments[1:], _SIZE(0)]
        first = _cgutils.get_item_pointer(context, builder, kind, whole, at)
        read = builder.module.declare_intrinsic(
            "llvm.prefetch", [_BYTE], ir.FunctionType(ir.VoidType(), [_BYTE, *3 * [_NUMBER]])
        )
        start = builder.bitcast(first, _BYTE)
        length = builder.mul(
            _cgutils.unpack_tuple(builder, whole.shape)[2], _SIZE(kind.dtype.bitwidth // 8)
        )
        with _cgutils.for_range_slice(builder, _SIZE(0), length, _SIZE(_LINE)) as (line, _):
            # For reading, to be kept in all caches but the first, where many would wait in line; data
            builder.call(read, [builder.gep(start, [line]), _NUMBER(0), _NUMBER(2), _NUMBER(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp), generate


def _nothing(array: Any, row: Any, place: Any) -> None:
    """Stand for it in plain Python."""


prefetch: Any = _nothing if cast("Any", config).DISABLE_JIT else cast("Any", intrinsic)(_prefetch)
instead(prefetch)(_nothing)
