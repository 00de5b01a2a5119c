"""Plans with partial and full looks (:mod:`~weitzman.search.variants.hard.partial_look` has the theory)."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from weitzman.search.reservation import Sense, in_hand
from weitzman.search.state import RoundState
from weitzman.search.variants.face import EXACT, HEURISTIC, Draw, Game, Step
from weitzman.search.variants.hard.bounded import BoundedPlan, Figures
from weitzman.search.variants.hard.partial_look import PartialBox, best_commitment, checked_looks
from weitzman.search.variants.hard.partial_rules import (
    Decide,
    IndexRule,
    LookRule,
    PartialProblem,
    SingleRule,
    WhittleRule,
)


def plan_partial(
    boxes: Sequence[PartialBox], sense: Sense, outside: float | None, method: str
) -> BoundedPlan:
    """Return a plan for boxes that may be looked at partially before a full look, or at once.

    Row 2i of a round is the partial look at box i, row 2i + 1 the full one.

    >>> from weitzman import Discrete, plan
    >>> signals = {"good": (0.5, Discrete([0.0, 4.0])), "bad": (0.5, 12.0)}
    >>> made = plan([PartialBox(n, 1.0, 0.25, signals) for n in "ab"], outside=8.0)
    >>> made.expected_total, made.bound
    (4.5625, 4.5625)
    """
    looks = checked_looks(boxes, sense)
    start = in_hand(outside, sense)
    problem = PartialProblem(looks, start)
    decide: Decide
    if method == "exact":
        decide = problem.optimal
    elif method == "committing":
        decide = IndexRule(looks, commitment=best_commitment(looks, start)).decide
    elif method == "whittle":
        decide = WhittleRule(problem).decide
    elif method == "single":
        decide = SingleRule(looks).decide
    else:
        decide = IndexRule(looks, commitment=None, turning=method == "turning").decide
    count = 2 * len(boxes)
    costs = [problem.cost(row) for row in range(count)]

    def figures() -> Figures:
        looked = problem.follow(decide)
        paid = float(looked.looks @ np.array(costs))
        total = looked.value + paid
        bound = total if method == "exact" else problem.bound
        return Figures(total, bound, paid, looked.looks, looked.kept)

    game = Game(
        boxes=tuple(box.name for box in boxes),
        rows=tuple(Step(box.name, stage) for box in boxes for stage in ("partial", "full")),
        rule=LookRule(looks, decide),
        sense=sense,
        begin=lambda: RoundState(costs, start, signals=range(0, count, 2)),
        draws=partial(_drawn, problem),
        labels={2 * i: list(box.signals) for i, box in enumerate(boxes)},
    )
    kind = EXACT if method == "exact" else HEURISTIC
    return BoundedPlan({box.name: box.cost for box in boxes}, outside, kind, game, figures)


def _drawn(problem: PartialProblem, rng: np.random.Generator) -> Draw:
    """Return what looks show: the signal of a box is drawn once."""
    boxes = [look.box for look in problem.looks]
    signals = [int(rng.choice(box.chances.size, p=box.chances)) for box in boxes]

    def draw(row: int, rng: np.random.Generator) -> float:
        signal = signals[row // 2]
        if row % 2 == 0:
            return float(signal)
        return float(problem.looks[row // 2].laws[signal].sample(rng, 1)[0])

    return draw
