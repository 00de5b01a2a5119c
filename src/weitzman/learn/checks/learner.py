"""The contract of learners, as checks that anyone can run on their own.

``check_learner(spec)`` starts the learner on small problems and raises an ``AssertionError`` that
names the first promise it breaks:

- shapes and the first prediction; the same calls give the same bits;
- ``predict`` changes nothing, and a call that raises changes nothing;
- a missing box is not touched, a missing value is not learned, and the order of the rows of a round
  does not matter;
- boxes that join later do not change the others, and learn as if they had been there;
- a restored state goes on bit for bit, and ``play`` is the same rounds one by one, bit for bit;
- values and costs in another unit give the reservation values in that unit (up to rounding, for
  units that are powers of two exactly);
- what is kept grows at most linearly with what was learned;
- features of sizes from 1e-6 to 1e6 give finite reservation values.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weitzman.errors import InvalidInputError
from weitzman.learn.learner import Bank, Learner
from weitzman.learn.policies.weitzman import Weitzman
from weitzman.learn.record import checked_record

__all__ = ["CHECKS", "check_learner"]

Array = NDArray[np.float64]
Data = tuple[Array, Array, Array]

BOXES, DIMENSION = 3, 4


def _data(rounds: int, seed: int = 0) -> Data:
    rng = np.random.default_rng(seed)
    contexts = rng.normal(size=(rounds, BOXES, DIMENSION))
    values = contexts.sum(axis=2) + rng.exponential(size=(rounds, BOXES))
    return contexts, values, rng.uniform(0.1, 2.0, size=(rounds, BOXES))


def _start(spec: Learner, boxes: int = BOXES) -> Bank:
    bank = spec.start(boxes=boxes, dimension=DIMENSION)
    assert isinstance(bank, Bank), "start returns a bank"
    return bank


def _teach(bank: Bank, data: Data) -> Bank:
    for contexts, values, costs in zip(*data, strict=True):
        bank.update(np.arange(BOXES), contexts, values, costs)
    return bank


def check_shapes(spec: Learner) -> None:
    """Check that predictions are one finite number per row, before anything is seen and after."""
    bank, data = _start(spec), _data(20)
    for _ in range(2):
        found = bank.predict(data[0][0], data[2][0])
        assert found.shape == (BOXES,), "predict returns one number per box"
        assert np.isfinite(found).all(), "reservation values are finite"
        some = bank.predict(data[0][0][[2, 0]], data[2][0][[2, 0]], [2, 0])
        assert np.array_equal(some, found[[2, 0]]), "predict can be asked about some boxes"
        _teach(bank, data)
    assert bank.scale().shape == (BOXES,), "scale returns one number per box"


def check_determinism(spec: Learner) -> None:
    """Check that the same calls give the same bits, and that looking changes nothing."""
    one, other = _teach(_start(spec), _data(50)), _start(spec)
    for contexts, values, costs in zip(*_data(50), strict=True):
        other.predict(contexts, costs)
        other.update(np.arange(BOXES), contexts, values, costs)
    assert one.digest() == other.digest(), "the same calls give the same bits"


def check_failed_update(spec: Learner) -> None:
    """Check that an update that raises changes nothing."""
    bank, (contexts, values, costs) = _teach(_start(spec), _data(20)), _data(1, seed=1)
    before = bank.digest()
    broken = np.where(np.arange(BOXES) == BOXES - 1, np.inf, 1.0)
    for rows, x, v, c in (
        (np.arange(BOXES), contexts[0] * broken[:, None], values[0], costs[0]),
        (np.arange(BOXES), contexts[0], values[0] * broken, costs[0]),
        (np.arange(BOXES), contexts[0], values[0], -costs[0]),
        (np.arange(BOXES) + 1, contexts[0], values[0], costs[0]),
        (np.arange(BOXES), contexts[0][:, 1:], values[0], costs[0]),
    ):
        try:
            bank.update(rows, x, v, c)
        except InvalidInputError:
            assert bank.digest() == before, "an update that raises changes nothing"
        else:
            raise AssertionError("an update with a wrong input raises InvalidInputError")


def check_missing(spec: Learner) -> None:
    """Check that what is missing is not touched, and that the order of rows does not matter."""
    (contexts, values, costs), one, other = _data(40), _start(spec), _start(spec)
    for t in range(40):
        rows = np.flatnonzero((t + np.arange(BOXES)) % 3 > 0)
        one.update(rows, contexts[t, rows], values[t, rows], costs[t, rows])
        missing = np.where(np.isin(np.arange(BOXES), rows), values[t], np.nan)
        back = np.arange(BOXES)[::-1]
        other.update(back, contexts[t, back], missing[back], costs[t, back])
    assert one.digest() == other.digest(), "a missing value is the same as a missing row"


def check_joining(spec: Learner) -> None:
    """Check that boxes that join later are as if they had been there."""
    (contexts, values, costs), late, early = _data(20), _start(spec, BOXES - 1), _start(spec)
    for t in range(20):
        rows = np.arange(BOXES if t >= 10 else BOXES - 1)
        if t == 10:
            late.add_boxes(1)
        for bank in (late, early):
            bank.update(rows, contexts[t, rows], values[t, rows], costs[t, rows])
    assert late.digest() == early.digest(), "a box that joins late is a box that was not seen"


def check_restore(spec: Learner) -> None:
    """Check that a restored bank goes on as if it had never stopped."""
    bank = _teach(_start(spec), _data(70))
    other = _start(spec, 1)
    other.restore(bank.state())
    assert other.digest() == bank.digest(), "restore brings the state back"
    more = _data(70, seed=1)
    assert _teach(other, more).digest() == _teach(bank, more).digest(), "a restored bank goes on"


def check_play(spec: Learner) -> None:
    """Check that a played sequence is its rounds one by one."""
    contexts, values, costs = _data(150)
    contexts[::7, 1] = np.nan
    values[::5, 2] = np.nan
    size: Any = {"boxes": BOXES, "dimension": DIMENSION}
    player, single = (
        Weitzman(spec, prepare="nothing").player(**size, feedback="full", seed=0),
        _start(spec),
    )
    record = checked_record(
        *size.values(), contexts=contexts, costs=costs, values=values, outside=np.inf
    )
    player.play(record, first=0, predictions=False)
    for t in range(150):
        rows = np.flatnonzero(~np.isnan(contexts[t]).any(axis=1))
        single.update(rows, contexts[t, rows], values[t, rows], costs[t, rows])
    assert player.bank.digest() == single.digest(), (
        "play learns the same bits as the rounds one by one"
    )


def check_units(spec: Learner) -> None:
    """Check that values and costs in another unit give reservation values in that unit."""
    contexts, values, costs = _data(60)
    one = _teach(_start(spec), (contexts, values, costs))
    other = _teach(_start(spec), (contexts, 1024.0 * values, 1024.0 * costs))
    found = one.predict(contexts[0], costs[0]) * 1024.0
    same = np.allclose(found, other.predict(contexts[0], 1024.0 * costs[0]), rtol=1e-9)
    assert same, "the unit of values and costs does not matter"


def check_memory(spec: Learner) -> None:
    """Check that what is kept grows at most linearly with what was learned."""
    bank, sizes = _start(spec), []
    for _ in range(3):
        _teach(bank, _data(200))
        sizes.append(sum(array.nbytes for array in bank.state().values()))
    assert sizes[2] - sizes[1] <= 1.1 * (sizes[1] - sizes[0]) + 64, "memory grows linearly"


def check_scales(spec: Learner) -> None:
    """Check that features of very different sizes give finite reservation values."""
    contexts, values, costs = _data(200)
    data = (contexts * 10.0 ** np.array([-6, -2, 2, 6]), values, costs)
    bank = _teach(_start(spec), data)
    assert np.isfinite(bank.predict(data[0][0], costs[0])).all(), "reservation values stay finite"


CHECKS: tuple[Callable[[Learner], None], ...] = (
    check_shapes,
    check_determinism,
    check_failed_update,
    check_missing,
    check_joining,
    check_restore,
    check_play,
    check_units,
    check_memory,
    check_scales,
)


def check_learner(spec: Learner) -> None:
    """Run all checks on a learner; the first broken promise raises an ``AssertionError``."""
    for check in CHECKS:
        check(spec)
