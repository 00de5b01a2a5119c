"""Lanes: the four partial sums of a scalar product as one vector of the processor.

The compiler leaves four sums in a loop as four numbers. Here each lane of a vector does what one of them
does, in the same order: the same bits, with a quarter of the instructions.
"""

from typing import Any, cast

from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from weitzman.arrays import Floats
from weitzman.compiled.plain import instead

LANES = 4

_cgutils: Any = cgutils
_types: Any = types
_SIZE, _PLACE, _REAL = ir.IntType(64), ir.IntType(32), ir.DoubleType()
_VECTOR = ir.VectorType(_REAL, LANES)


def _load(context: Any, builder: Any, kept: tuple[Any, Any], at: Any) -> Any:
    """Return four numbers of an array, from a place on."""
    kind, array = kept
    if kind.layout == "C":
        first = _cgutils.get_item_pointer(context, builder, kind, array, [at])
        return builder.load(builder.bitcast(first, _VECTOR.as_pointer()), align=8)
    found = ir.Constant(_VECTOR, ir.Undefined)
    for lane in range(LANES):
        place = [builder.add(at, _SIZE(lane))]
        number = builder.load(_cgutils.get_item_pointer(context, builder, kind, array, place))
        found = builder.insert_element(found, number, _PLACE(lane))
    return found


def _sum_of_lanes(typing_context: Any, x: Any, y: Any, whole: Any) -> Any:
    """Return (s0 + s1) + (s2 + s3), where s_k = Σ x_j y_j over j = k, k + 4, … below a multiple of 4."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pair = [
            (kind, context.make_array(kind)(context, builder, value))
            for kind, value in zip(signature.args[:2], arguments[:2], strict=True)
        ]
        none = ir.Constant(_VECTOR, [_REAL(0.0)] * LANES)
        sums = _cgutils.alloca_once_value(builder, none)
        with _cgutils.for_range_slice(builder, _SIZE(0), arguments[2], _SIZE(LANES)) as (at, _):
            one, other = (_load(context, builder, kept, at) for kept in pair)
            builder.store(builder.fadd(builder.load(sums), builder.fmul(one, other)), sums)
        s = [builder.extract_element(builder.load(sums), _PLACE(k)) for k in range(LANES)]
        return builder.fadd(builder.fadd(s[0], s[1]), builder.fadd(s[2], s[3]))

    return _types.float64(x, y, types.intp), generate


def _one_by_one(x: Floats, y: Floats, whole: int) -> float:
    """Do the same in plain Python."""
    s = [0.0] * LANES
    for j in range(whole):
        s[j % LANES] += x[j] * y[j]
    return (s[0] + s[1]) + (s[2] + s[3])


sum_of_lanes: Any = (
    _one_by_one if cast("Any", config).DISABLE_JIT else cast("Any", intrinsic)(_sum_of_lanes)
)
instead(sum_of_lanes)(_one_by_one)
