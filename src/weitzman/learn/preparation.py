"""Preparation: from rounds as they are given to the numbers that a model sees. This is the one place.

**Contexts.** Columns are brought to mean 0 and deviation 1, with the mean and deviation of all contexts up
to and including those of the round at hand, and cut off at ±4. Contexts are known before anything is
opened, so nothing is looked up in the future, and values never enter. A column without deviation becomes
0, and so does a feature that is missing. The figures are Welford's (number, mean, sum of squares), box
after box and round after round: live rounds, recorded ones and those of the service give the same bits.

**Values and costs.** They are counted from an origin, in a unit (:mod:`weitzman.learn.units`): the mean of
the values that the first round reveals, and the largest cost of that round. Until then nothing is known of
values, not even their size, and there is nothing to predict: the cheapest box is opened.

**The least value.** Where no one says what the best possible value is, the smallest value seen is taken for
it once it was seen :data:`~weitzman.learn.units.PILE` times. Continuous values do not repeat, and values that
pile up at an end (right or wrong, sold out, timed out) have one. A smaller value that comes later takes its
place. Where values stay hidden, two boxes or more must have shown it, and larger ones too: a box with a fixed
price repeats as well, and so do values that are cut off at the worst end. Neither says that nothing better
exists, and whoever believes it never looks again.

So a round in other units is the same round. What a policy asks for is one of

- ``"all"``: contexts, values and costs are prepared;
- ``"contexts"``: contexts alone, as earlier releases did;
- ``"nothing"``: the round is taken as it is given, as the paper has it.
"""

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from weitzman.compiled.decorators import checked
from weitzman.errors import InvalidInputError
from weitzman.feedback import Feedback
from weitzman.learn.policy import Floats, Round, State
from weitzman.learn.units import LeastValue, Units, rounded

Prepare = Literal["all", "contexts", "nothing"]

_PREPARE: dict[str, Prepare] = {"all": "all", "contexts": "contexts", "nothing": "nothing"}

CLIP = 4.0
"""How many deviations a prepared number is at most away from the mean."""

WIDE = 2.0
"""The constant that a linear model is given where values are prepared: its weight is held to the origin
WIDE² times less than another one to 0, because the origin is only a guess."""

_ROUNDING = 1e-12  # a deviation below this share of the mean is what rounding leaves


def checked_prepare(prepare: Any) -> Prepare:
    """Return what is to be prepared, if it is a way to prepare."""
    found = _PREPARE.get(prepare) if isinstance(prepare, str) else None
    if found is None:
        raise InvalidInputError("The setting 'prepare'", f"be one of {list(_PREPARE)}", prepare)
    return found


@checked
def prepare_rows(scale: Floats, rows: Floats, clip: float, out: Floats) -> None:
    """Take rows into (number, mean, squares) of each column, and set out to them prepared."""
    for row in range(rows.shape[0]):
        for k in range(rows.shape[1]):
            if not np.isnan(rows[row, k]):
                scale[0, k] += 1.0
                apart = rows[row, k] - scale[1, k]
                scale[1, k] += apart / scale[0, k]
                scale[2, k] += apart * (rows[row, k] - scale[1, k])
    for k in range(rows.shape[1]):
        deviation = math.sqrt(scale[2, k] / max(scale[0, k], 1.0))
        flat = deviation <= _ROUNDING * abs(scale[1, k])
        for row in range(rows.shape[0]):
            known = not flat and not np.isnan(rows[row, k])
            z = (rows[row, k] - scale[1, k]) / deviation if known else 0.0
            out[row, k] = min(max(z, -clip), clip)


@checked
def round_rows(rows: Floats) -> None:
    """Bring prepared contexts to the grid of units: rounding depends on the units that were given."""
    for row in range(rows.shape[0]):
        for k in range(rows.shape[1]):
            rows[row, k] = rounded(rows[row, k])


class Preparation:
    """Running figures of the columns of contexts, and the units of values and costs.

    Parameters
    ----------
    dimension
        The length d of a context.
    values
        Whether values and costs are prepared too.
    feedback
        What rounds reveal.

    Examples
    --------
    >>> preparation, places = Preparation(1), np.arange(2)
    >>> one = Round(contexts=np.array([[1.0], [5.0]]), costs=np.ones(2), outside=9.0, places=places)
    >>> preparation.add(one).ravel().tolist()
    [-1.0, 1.0]
    """

    def __init__(
        self, dimension: int, *, values: bool = False, feedback: Feedback = "full"
    ) -> None:
        self._scale = np.zeros((3, dimension))
        self._values = values
        self.units: Units | None = None
        self._least = LeastValue(hidden=feedback != "full")
        self._forget()

    def _forget(self) -> None:
        """Let go what was made for a round: the next one is prepared by what is known then."""
        # The round, its prepared contexts, and the figures with them
        self._last: tuple[Round, Floats, Floats] | None = None
        self._ready: Round | None = None

    def rows(self, shown: Round) -> Floats:
        """Return the contexts of a round as they are prepared now, (m, d); nothing changes."""
        return self._prepared(shown)[1]

    def _prepared(self, shown: Round) -> tuple[Round, Floats, Floats]:
        if self._last is None or self._last[0] is not shown:
            scale = self._scale.copy()
            self._forget()
            self._last = (shown, self._rows(shown, scale), scale)
        return self._last

    def add(self, shown: Round) -> Floats:
        """Take in a round that is over; return its contexts as they were prepared for it."""
        _, rows, self._scale = self._prepared(shown)
        self._forget()
        return rows

    def _rows(self, shown: Round, scale: Floats) -> Floats:
        rows = np.empty(shown.contexts.shape)
        prepare_rows(scale, shown.contexts, CLIP, rows)
        if self._values:
            round_rows(rows)
        return rows

    @property
    def pile(self) -> tuple[float, int] | None:
        """The smallest value so far and how often it was seen, if values pile up there."""
        return self._least.pile

    @property
    def least(self) -> float:
        """The smallest value so far if values pile up there, −∞ if they do not."""
        return -math.inf if self.pile is None else self.pile[0]

    def ready(self, shown: Round) -> Round:
        """Return a round as a model sees it now; it has no units if nothing was seen yet.

        The same round gives the same object until one is taken in: whoever has made something for it may keep
        that.
        """
        rows = self.rows(shown)
        if self._ready is None:
            self._ready = self._counted(shown, rows)
        return self._ready

    def take(self, shown: Round, values: Floats) -> tuple[Round, Floats]:
        """Take in a round that is over, and what it revealed; return both as a model sees them."""
        known = values[~np.isnan(values)]
        before, ready = (self.units, self.least), self.ready(shown)
        if self.units is None and len(known):
            # One after the other: numpy sums in an order that depends on the machine
            mean = math.fsum(known) / len(known)
            self.units = Units(mean, float(shown.costs.max()) or 1.0)
        for place, value in zip(shown.places.tolist(), values.tolist(), strict=True):
            if not math.isnan(value):
                self._least.note(place, value)
        found = values if self.units is None else self.units.values(values)
        rows = self.add(shown)
        # What was made for the round before it was over still holds, unless it says more of values
        return ready if before == (self.units, self.least) else self._counted(shown, rows), found

    def figures(self) -> tuple[Floats, LeastValue]:
        """Return the figures of the columns and the smallest value, for one who takes in rounds with them."""
        self._forget()
        return self._scale, self._least

    def _counted(self, shown: Round, rows: Floats) -> Round:
        units = self.units
        if units is None:
            return shown._replace(contexts=rows, gaps=False, given=shown)
        return Round(
            contexts=rows,
            costs=units.costs(shown.costs),
            outside=units.value(shown.outside),
            places=shown.places,
            number=shown.number,
            least=units.value(self.least if shown.least == -math.inf else shown.least),
            units=units,
            given=shown,
        )

    def state(self) -> State:
        """Return everything as arrays."""
        state: State = {"scale": self._scale.copy()}
        if self._values:
            units = self.units or (math.nan, math.nan)
            least = self._least
            state["units"] = np.array([*units, least.smallest, float(least.times)])
            state["low"] = np.array(sorted(least.low), dtype=np.int64)
            state["high"] = np.array(sorted(least.high), dtype=np.int64)
        return state

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned, bit for bit."""
        shapes = {name: array.shape for name, array in self.state().items()}
        got = {name: array.shape for name, array in state.items()}
        for name in ("low", "high"):
            # As many boxes as there were; none in earlier states
            shapes.pop(name, None)
            got.pop(name, None)
        if got != shapes:
            raise InvalidInputError("The state of a preparation", f"have the shapes {shapes}", got)
        self._scale = np.array(state["scale"], dtype=np.float64)
        if self._values:
            origin, scale, smallest, times = np.array(state["units"], dtype=np.float64).tolist()
            self.units = None if math.isnan(origin) else Units(origin, scale)
            low, high = state.get("low"), state.get("high")
            hidden = self._least.hidden
            self._least = LeastValue(smallest, int(times), low, high, hidden=hidden)
        self._forget()


def prepared(contexts: Floats, present: NDArray[np.bool_]) -> Floats:
    """Return recorded contexts, (T, n, d), each round prepared in its turn.

    ``present`` says which boxes are there, (T, n); the others are NaN.
    """
    preparation = np.zeros((3, contexts.shape[2]))
    out = np.full(contexts.shape, np.nan)
    for t in range(len(contexts)):
        there = np.flatnonzero(present[t])
        rows = np.empty((len(there), contexts.shape[2]))
        prepare_rows(preparation, contexts[t, there], CLIP, rows)
        out[t, there] = rows
    return out


def with_constant(rows: Floats, constant: float = 1.0) -> Floats:
    """Return [constant, z] for prepared rows z: what a linear learner without an intercept is given.

    >>> with_constant(np.array([[0.5, -4.0]]))
    array([[ 1. ,  0.5, -4. ]])
    """
    ready = np.empty((*rows.shape[:-1], rows.shape[-1] + 1))
    ready[..., 0] = constant
    ready[..., 1:] = rows
    return ready
