"""Random Fourier features: exact FTRL on smooth functions of the context.

By Bochner's theorem the Gaussian kernel is an average of waves: for ω with independent normal entries,

    k(x, x′) = exp(−½ ‖(x − x′)/s‖²) = E cos(ω·(x − x′)/s),

so with D/2 draws of ω the D features √(2/D) (cos ω·x/s, sin ω·x/s) have scalar products k̂ that are means of
D/2 numbers in [−1, 1] with mean k [Rahimi 2007]. By Hoeffding's inequality, for any two contexts,

    P(|k̂ − k| ≥ ε) ≤ 2 exp(−D ε²/4).                                                              (1)

The learner is exact FTRL on φ(x) = (x, A·these features): the sum of a linear function and a smooth one.

**Scales**, from the first 64 contexts that are learned, of whichever box, each a power of two: u_j near the
deviation of feature j; s_j = ℓ u_j with ℓ near the median of ‖(x − x′)/u‖ over all pairs; A² near the mean of
‖x‖², so that both parts are held to 0 alike. A feature that was always the same has no part in the waves.
They never change afterwards: nothing is looked at before it is past. Until then the waves are 0, so the
learner is the linear one; when they are settled, the observations so far are learned again with them, as if
they had been known from the start.

The draws are kept in the state. Waves are computed by operations that are the same on every machine.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Arrays, Floats, Ints
from weitzman.compiled.decorators import compiled, entry
from weitzman.compiled.linalg import dot
from weitzman.errors import InvalidInputError
from weitzman.learn.learners.ftrl import FTRL
from weitzman.learn.learners.parts.regulariser import Eta
from weitzman.learn.learners.plain_bank import PlainBank
from weitzman.learn.policy import joined, parted
from weitzman.search.numbers import whole_number

FIRST = 64
"""How many contexts the waves take their scales from."""
_MOST = 4096  # weights take memory of the square of this for every box
_TERMS = 13
_TAYLOR = tuple(
    (-1.0) ** k * (2.0 * math.pi) ** (2 * k) / math.factorial(2 * k) for k in range(_TERMS)
)


@dataclass(frozen=True, kw_only=True)
class Fourier:
    """Exact FTRL on a linear and a smooth function of the context.

    Parameters
    ----------
    features
        D, the even number of Fourier features.
    seed
        The seed of their frequencies.
    eta, intercept, forget, window, shared
        As for :class:`weitzman.FTRL`.
    """

    features: int = 64
    seed: int = 0
    eta: Eta = "auto"
    intercept: bool | None = None
    forget: float = 1.0
    window: int | None = None
    shared: bool = False

    def start(self, *, boxes: int, dimension: int) -> PlainBank:
        """Return a bank that has seen nothing."""
        features = whole_number(self.features, "The number of features", least=2, most=_MOST)
        if features % 2:
            raise InvalidInputError("The number of features", "be even", self.features)
        waves = Waves(features=features, seed=whole_number(self.seed, "The seed", least=0))
        linear = FTRL(
            eta=self.eta,
            intercept=self.intercept,
            forget=self.forget,
            window=self.window,
            shared=self.shared,
        )
        model = _Model(waves, linear, 1 if self.shared else boxes, dimension)
        return PlainBank(model=model, boxes=boxes, dimension=dimension, shared=self.shared)


class _Model:
    """Exact FTRL on a context and its waves, which are 0 until their scales are settled."""

    def __init__(self, waves: "Waves", linear: FTRL, rows: int, dimension: int) -> None:
        self._waves = waves
        self._linear = linear
        self._dimension = dimension
        self._size = waves.features
        self._bank = linear.start(boxes=rows, dimension=dimension + self._size)
        self._settled: Floats | None = None
        # What was learned before: (row, end of round, value, cost, context)
        self._early = np.empty((0, dimension + 4))

    def _features(self, contexts: Floats) -> Floats:
        rows = np.zeros((len(contexts), self._dimension + self._size))
        rows[:, : self._dimension] = contexts
        if self._settled is not None:
            rows[:, self._dimension :] = self._waves.apply(self._settled, contexts)
        return rows

    def predict(self, rows: Ints, contexts: Floats, costs: Floats) -> Floats:
        return self._bank.predict_arrays(
            contexts=self._features(contexts), costs=costs, boxes=rows, optimism=0.0
        )

    def widths(self, rows: Ints, contexts: Floats) -> Floats:
        return self._bank.widths(self._features(contexts), rows)

    def learn(self, rows: Ints, contexts: Floats, values: Floats, costs: Floats) -> None:
        features = self._features(contexts)
        self._bank.update_arrays(boxes=rows, contexts=features, values=values, costs=costs)
        if self._settled is not None:
            return
        ends = np.zeros(len(rows))
        ends[-1] = 1.0
        new = np.column_stack([rows.astype(np.float64), ends, values, costs, contexts])
        self._early = np.concatenate([self._early, new])
        if len(self._early) >= FIRST:
            early = self._early
            self._settled = self._waves.settle(np.ascontiguousarray(early[:, 4:]))
            self._bank = self._linear.start(boxes=self._bank.boxes, dimension=self._bank.dimension)
            begin = 0
            for end in (np.flatnonzero(early[:, 1]) + 1).tolist():
                part = early[begin:end]
                places, found = part[:, 0].astype(np.int64), part[:, 2].copy()
                features = self._features(np.ascontiguousarray(part[:, 4:]))
                self._bank.update_arrays(
                    boxes=places, contexts=features, values=found, costs=part[:, 3].copy()
                )
                begin = end
            self._early = np.empty((0, early.shape[1]))

    def resize(self, rows: int) -> None:
        self._bank.add_boxes(rows - self._bank.boxes)

    def state(self) -> Arrays:
        settled = np.empty((0, 0)) if self._settled is None else self._settled.copy()
        own: Arrays = {"settled": settled, "early": self._early.copy()}
        return own | joined({"linear": self._bank.state()})

    def restore(self, rows: int, state: Mapping[str, NDArray[np.generic]]) -> None:
        own = {n: a for n, a in state.items() if not n.startswith("linear.")}
        fits = own.keys() == {"settled", "early"}
        fits = fits and own["early"].shape[1:] == (self._dimension + 4,)
        if not fits or own["settled"].shape[:1] not in {(0,), (self._size,)}:
            raise InvalidInputError("The state", "be that of the same learner", sorted(state))
        bank = self._linear.start(boxes=rows, dimension=self._dimension + self._size)
        bank.restore(parted(state, "linear"))
        self._bank = bank
        settled = np.array(own["settled"], dtype=np.float64)
        self._settled = settled if settled.size else None
        self._early = np.array(own["early"], dtype=np.float64)


def power_of_two(x: float) -> float:
    """Return the power of two nearest to x > 0 in ratio; 1 for 0.

    >>> power_of_two(3.0), power_of_two(0.3), power_of_two(0.0)
    (4.0, 0.25, 1.0)
    """
    if not x > 0.0:
        return 1.0
    mantissa, exponent = math.frexp(x)
    # ½ ≤ mantissa < 1
    return math.ldexp(1.0, exponent if mantissa * mantissa >= 0.5 else exponent - 1)


@dataclass(frozen=True, kw_only=True)
class Waves:
    """The map to random Fourier features.

    What it settles is one row per feature: its frequencies in turns, its phase in turns, its amplitude.
    """

    features: int
    seed: int

    def settle(self, contexts: Floats) -> Floats:
        """Return frequencies, phases and amplitudes for these first contexts."""
        count, dimension = contexts.shape
        deviations = contexts.std(axis=0)
        flat = deviations <= 1e-12 * np.abs(contexts).max(axis=0)
        units = np.array([power_of_two(float(deviation)) for deviation in deviations])
        scaled = np.where(flat, 0.0, contexts / units)
        apart = scaled[:, np.newaxis] - scaled[np.newaxis]
        distances = np.sqrt((apart * apart).sum(axis=2))[np.triu_indices(count, 1)]
        length = power_of_two(float(np.median(distances)))
        amplitude = math.sqrt(power_of_two(float((contexts * contexts).sum(axis=1).mean())))
        rng = np.random.default_rng(self.seed)
        drawn = rng.standard_normal((self.features // 2, dimension)) / (2.0 * math.pi)
        settled = np.zeros((self.features, dimension + 2))
        settled[:, :dimension] = np.repeat(np.where(flat, 0.0, drawn / (length * units)), 2, axis=0)
        # sin is cos a quarter turn later
        settled[1::2, dimension] = -0.25
        settled[:, dimension + 1] = amplitude * math.sqrt(2.0 / self.features)
        return settled

    def apply(self, settled: Floats, contexts: Floats) -> Floats:
        """Return the waves at contexts."""
        out = np.empty((len(contexts), len(settled)))
        _apply(settled, contexts, out)
        return out


@compiled
def _wave(turns: float) -> float:
    """Return cos(2π · turns), by its series on a quarter turn."""
    u = abs(turns - math.floor(turns + 0.5))
    sign = 1.0
    if u > 0.25:
        u, sign = 0.5 - u, -1.0
    square, total = u * u, 0.0
    for k in range(_TERMS - 1, -1, -1):
        total = total * square + _TAYLOR[k]
    return sign * total


@entry
def _apply(settled: Floats, contexts: Floats, out: Floats) -> None:
    size = contexts.shape[1]
    for k in range(contexts.shape[0]):
        for j in range(settled.shape[0]):
            turns = dot(settled[j], contexts[k], size) + settled[j, size]
            # Beyond 2⁵² turns a number has no part of a turn left
            out[k, j] = settled[j, size + 1] * _wave(turns) if abs(turns) < 2.0**52 else 0.0
