"""Laws of a round: a weighted sample of what its values may be, jointly.

The boxes of a real round are correlated: a bad value in one says something about the others. A *law* is
at most 512 vectors of values with weights, made from past rounds, and after every look it is reweighted
towards the vectors that agree with what was seen (:mod:`weitzman.learn.models.sample_steps`). No shape is
assumed.

=============  ===================================================================================
past           the value vectors of the last rounds, with equal weights
linear         ridge means of this round + leave-one-out residual vectors of the last rounds, equal weights
trees          value vectors of past rounds, with the weights of :mod:`weitzman.learn.models.forest`
trees+linear   ridge means of this round + leave-one-out residual vectors, with the weights of the trees
=============  ===================================================================================

A value that is missing counts as the box's mean. On a law there are these rules:

- ``index z`` and ``greedy z``: after each look, the choice of :mod:`weitzman.learn.models.sample_steps` at
  caution z;
- ``fixed``: Weitzman's rule at the σ of the law before any look;
- ``one-shot``: open the box with the least expected total, or keep the outside option.

Boxes without history have no joint law by trees: only ``fixed`` and ``one-shot`` are there for them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from weitzman.errors import InvalidInputError
from weitzman.learn.models.forest import GROWTH as TREE_GROWTH
from weitzman.learn.models.forest import Trees, filled
from weitzman.learn.models.history import Past, Refits
from weitzman.learn.models.means import GROWTH, Means
from weitzman.learn.models.sample import Sample, sorted_rows
from weitzman.learn.models.sample_steps import (
    GREEDY,
    INDEX,
    choose,
    judge,
    reweigh,
    walk_rules,
)
from weitzman.learn.policies.panel import index_totals
from weitzman.learn.policies.simple import best_or_stay, stay
from weitzman.learn.policy import Course, Floats, IndexCourse, Ints, Round, State

__all__ = ["CAP", "Law", "LawCourse"]

CAP = 512
"""The most vectors of a law."""

Kind = Literal["past", "linear", "trees", "trees+linear"]
_KINDS = ("past", "linear", "trees", "trees+linear")
_PLAIN = ("fixed", "one-shot")
_CODES = {"index": INDEX, "greedy": GREEDY}


class LawCourse:
    """The choice on a law that is reweighted after every look."""

    def __init__(self, law: Sample, costs: Floats, rule: int, caution: float) -> None:
        self._law = law
        self._costs = costs
        self._rule = rule
        self._caution = caution
        self._weights = [law.weights]

    def next(self, opened: Sequence[int], found: Sequence[float], best: float) -> int:
        """Return the row to open next, or STOP."""
        law, boxes = self._law, len(self._costs)
        for look in range(len(self._weights) - 1, len(opened)):
            after, row = np.empty(len(law.weights)), law.rows[opened[look]]
            seen = float(found[look]) - float(law.shift[opened[look]])
            reweigh(law.ranked[row], law.order[row], seen, self._weights[look], after)
            self._weights.append(after)
        weights = self._weights[len(opened)]
        marks = np.zeros(boxes, dtype=np.bool_)
        marks[list(opened)] = True
        gains, errors = np.empty(boxes), np.empty(boxes)
        judge(law.ranked, law.order, law.rows, law.shift, weights, marks, best, gains, errors)
        return int(
            choose(
                law.ranked, law.order, law.rows, law.shift, weights, self._costs, marks, best,
                self._rule, self._caution, gains, errors,
            )
        )  # fmt: skip

    def state(self) -> State:
        """Return the law before any look, and the rule; later weights follow from what was found."""
        law = self._law
        return {
            "ranked": law.ranked[law.rows],
            "order": law.order[law.rows],
            "shift": law.shift,
            "weights": law.weights,
            "costs": self._costs,
            "rule": np.array([self._rule]),
            "caution": np.array([self._caution]),
        }

    @classmethod
    def restored(cls, state: Mapping[str, NDArray[np.generic]]) -> "LawCourse":
        """Return the course whose :meth:`state` this is."""

        def floats(name: str) -> Floats:
            return np.array(state[name], dtype=np.float64)

        rule, caution = int(state["rule"].astype(np.int64)[0]), float(floats("caution")[0])
        if "values" in state:
            # A search that was kept before laws were sorted
            return cls(
                Sample.of(floats("values"), floats("weights")), floats("costs"), rule, caution
            )
        law = Sample(
            ranked=floats("ranked"),
            order=np.array(state["order"], dtype=np.int64),
            rows=np.arange(len(floats("shift"))),
            shift=floats("shift"),
            weights=floats("weights"),
        )
        return cls(law, floats("costs"), rule, caution)


@dataclass(frozen=True, kw_only=True)
class Law:
    """The rules on one law, as a panel; they are called as ``trees index 1``.

    Parameters
    ----------
    kind
        ``"past"``, ``"linear"``, ``"trees"`` or ``"trees+linear"``.
    cautions
        The cautions z of the rules ``index`` and ``greedy``.
    plain
        Which of ``"fixed"`` and ``"one-shot"`` are there too.
    """

    kind: Kind
    cautions: Sequence[float] = (0.0, 1.0, 2.0)
    plain: Sequence[Literal["fixed", "one-shot"]] = ()

    def start(self, past: Past) -> "LawMembers":
        """Return the rules, over a past without rounds."""
        if self.kind not in _KINDS:
            raise InvalidInputError("The kind of a law", f"be one of {list(_KINDS)}", self.kind)
        if any(rule not in _PLAIN for rule in self.plain):
            raise InvalidInputError("The plain rules", f"be of {list(_PLAIN)}", self.plain)
        if any(not 0.0 <= z < np.inf for z in self.cautions):
            raise InvalidInputError("The cautions", "be finite numbers >= 0", self.cautions)
        return LawMembers(past, self)


class LawMembers:
    """The rules on one law, running."""

    def __init__(self, past: Past, panel: Law) -> None:
        self._past = past
        self._kind = panel.kind
        self._refits = Refits(TREE_GROWTH if panel.kind == "trees" else GROWTH)
        self._made_at = 0
        self._kept: tuple[Floats, Ints] | None = None
        self._room = np.empty((0, 0))
        self._equal = np.empty(0)
        self._joint = not (past.shared and "trees" in panel.kind)
        cautions = panel.cautions if self._joint else ()
        pairs = [(name, float(z)) for z in cautions for name in _CODES]
        self._rules = np.array([_CODES[name] for name, _ in pairs], dtype=np.int64)
        self._cautions = np.array([z for _, z in pairs], dtype=np.float64)
        self._plain = tuple(panel.plain)
        adaptive = tuple(f"{panel.kind} {name} {z:g}" for name, z in pairs)
        self.names = (*adaptive, *(f"{panel.kind} {rule}" for rule in self._plain))
        if "trees" in panel.kind:
            past.model(Trees)
        self._asked: tuple[Round | None, int, Sample | None] = (None, 0, None)

    def course(self, round: Round, rule: int) -> Course:  # noqa: A002
        """Return what one rule does in a round."""
        law = self._law(round)
        if rule >= len(self._rules):
            return IndexCourse(self._sigma(round, law)[rule - len(self._rules)])
        if law is None:
            return IndexCourse(stay(round))
        return LawCourse(law, round.costs, int(self._rules[rule]), float(self._cautions[rule]))

    def totals(self, round: Round, values: Floats) -> tuple[Floats, Ints]:  # noqa: A002
        """Return what every rule comes to in a round, and how many boxes it opens."""
        law = self._law(round)
        first, looks = np.empty(len(self._rules)), np.empty(len(self._rules), dtype=np.int64)
        if law is None:
            alone, opened = index_totals(stay(round)[np.newaxis], round, values)
            first[:], looks[:] = alone[0], opened[0]
        else:
            nodes = len(self._rules) * len(round.costs) + 1
            if len(self._room) < nodes or self._room.shape[1] < len(law.weights):
                self._room = np.empty((nodes, CAP))
            walk_rules(
                law.ranked, law.order, law.rows, law.shift, law.weights, round.costs, values,
                round.outside, self._rules, self._cautions, self._room, first, looks,
            )  # fmt: skip
        if not self._plain:
            return first, looks
        totals, counts = index_totals(self._sigma(round, law), round, values)
        return np.concatenate([first, totals]), np.concatenate([looks, counts])

    def learn(self, round: Round, values: Floats) -> None:  # noqa: A002
        """Learn nothing beside the past."""

    def state(self) -> State:
        """Return nothing: all is in the past."""
        return {}

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from the past alone."""
        self._asked = (None, 0, None)
        self._made_at, self._kept = 0, None

    def _sigma(self, round: Round, law: Sample | None) -> Floats:  # noqa: A002
        """Return the σ of the plain rules, one row each."""
        sigma = np.empty((len(self._plain), len(round.costs)))
        if not self._plain:
            return sigma
        if law is None and self._joint:
            sigma[:] = stay(round)
            return sigma
        if law is None:
            means, values = self._past.model(Trees).rows(round)
        else:
            unused = np.empty(0)
            means = law.means() if "one-shot" in self._plain else unused
            values = law.reservation_values(round.costs) if "fixed" in self._plain else unused
        for row, rule in enumerate(self._plain):
            sigma[row] = values if rule == "fixed" else best_or_stay(means + round.costs, round)
        return sigma

    def _law(self, round: Round) -> Sample | None:  # noqa: A002
        asked, count, law = self._asked
        if asked is not round or count != self._past.count:
            law = self._made(round) if self._joint else None
            self._asked = (round, self._past.count, law)
        return law

    def _made(self, round: Round) -> Sample | None:  # noqa: A002
        """Return the law of a round; None if nothing was seen yet."""
        kept, places = self._vectors(), round.places
        if kept is None:
            return None
        means = self._past.model(Means).predict(round) if "linear" in self._kind else None
        if "trees" in self._kind:
            values, _ = kept
            first, weights = self._past.model(Trees).rounds(round)
            weights = weights[: values.shape[1] - first]
            held = _strongest(weights)
            if not len(held):
                return None
            return Sample.of(values[np.ix_(places, first + held)], weights[held], means)
        ranked, order = kept
        shift = np.zeros(len(places)) if means is None else means
        if len(self._equal) != ranked.shape[1]:
            self._equal = np.ones(ranked.shape[1])
        return Sample(ranked=ranked, order=order, rows=places, shift=shift, weights=self._equal)

    def _vectors(self) -> tuple[Floats, Ints] | None:
        """Return the values or residuals of the past rounds in use, one row per box.

        Without trees the rows are in increasing order, with that order; with trees they are not.
        """
        past = self._past
        fit = past.model(Means).fit() if "linear" in self._kind else None
        due = self._refits.last(past.count) if fit is None else len(fit.residuals)
        if due != self._made_at:
            self._made_at = due
            rows = filled(past.values[:due]) if fit is None else np.nan_to_num(fit.residuals)
            if "trees" not in self._kind:
                rows = rows[-CAP:]
            values = np.ascontiguousarray(rows.T)
            seen = "linear" not in self._kind and bool((past.seen > 0.0).any())
            self._kept = None
            if seen or fit is not None:
                plain = "trees" in self._kind
                self._kept = (values, np.empty((0, 0), np.int64)) if plain else sorted_rows(values)
        return self._kept


def _strongest(weights: Floats) -> Ints:
    """Return the places of the positive weights, of the largest 512 if there are more."""
    held = np.flatnonzero(weights > 0.0)
    if len(held) > CAP:
        held = held[np.argsort(-weights[held], kind="stable")[:CAP]]
    return held
