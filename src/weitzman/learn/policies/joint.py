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
from weitzman.learn.models.history import History, Refits
from weitzman.learn.models.means import GROWTH, Means
from weitzman.learn.models.sample import Sample, sorted_rows
from weitzman.learn.models.sample_steps import GREEDY, INDEX, walk_rules
from weitzman.learn.policies.family import alone, index_totals
from weitzman.learn.policies.joint_rule import JointRule
from weitzman.learn.policies.simple import best_or_stay, stay
from weitzman.learn.policy import Feedback, Floats, Ints, Player, Round, State, cheapest
from weitzman.learn.preparation import Prepare
from weitzman.search.rule import Rule, WeitzmanRule

__all__ = ["CAP", "Joint", "JointFamily", "Kind", "Way", "has_joint_law"]

CAP = 512
"""The most vectors of a law."""

Kind = Literal["past", "linear", "trees", "trees+linear"]
Way = Literal["index", "greedy", "fixed", "one-shot"]
_KINDS = ("past", "linear", "trees", "trees+linear")
_PLAIN = ("fixed", "one-shot")
_CODES = {"index": INDEX, "greedy": GREEDY}


@dataclass(frozen=True)
class Joint:
    """A way to play a joint law of the round, as a policy.

    Parameters
    ----------
    kind
        ``"past"``, ``"linear"``, ``"trees"`` or ``"trees+linear"``.
    way
        ``"index"``, ``"greedy"``, ``"fixed"`` or ``"one-shot"``.
    caution
        z, for ``"index"`` and ``"greedy"``.
    shared
        Whether the boxes carry no history, and one model serves all of them.
    prepare
        What is prepared (:mod:`weitzman.learn.preparation`).

    Examples
    --------
    >>> Joint("trees", "index", caution=1.0).name
    'trees index 1'
    """

    kind: Kind
    way: Way = "index"
    caution: float = 1.0
    shared: bool = False
    prepare: Prepare = "all"

    @property
    def name(self) -> str:
        """The kind of the law and the way to play it."""
        return _name(self.kind, self.way, self.caution)

    def start(
        self, *, boxes: int, dimension: int, feedback: Feedback = "full", seed: int = 0
    ) -> Player:
        """Return a player that has seen nothing."""
        return alone(self, boxes=boxes, dimension=dimension, feedback=feedback, seed=seed)

    def family(self) -> "JointFamily":
        """Return the family of one."""
        return JointFamily(self.kind, ((self.way, self.caution),))


def has_joint_law(kind: str, shared: bool) -> bool:
    """Whether boxes have a joint law of this kind: by trees only if they carry a history."""
    return not (shared and "trees" in kind)


def _name(kind: str, way: str, caution: float) -> str:
    return f"{kind} {way}" if way in _PLAIN else f"{kind} {way} {caution:g}"


@dataclass(frozen=True)
class JointFamily:
    """Ways to play one joint law; each is a way and a caution."""

    kind: Kind
    ways: Sequence[tuple[Way, float]]

    @property
    def names(self) -> Sequence[str]:
        """The names of the ways."""
        return [_name(self.kind, *way) for way in self.ways]

    @property
    def key(self) -> tuple[str, str]:
        """What families that can be one have in common."""
        return ("joint", self.kind)

    def __add__(self, other: "JointFamily") -> "JointFamily":
        """Return the family of both."""
        return JointFamily(self.kind, (*self.ways, *other.ways))

    def start(self, history: History, *, seed: int) -> "JointMembers":
        """Return the ways, over a history without rounds."""
        if self.kind not in _KINDS:
            raise InvalidInputError("The kind of a law", f"be one of {list(_KINDS)}", self.kind)
        for way, caution in self.ways:
            if way not in (*_CODES, *_PLAIN):
                rule = f"be one of {[*_CODES, *_PLAIN]}"
                raise InvalidInputError("The way to play a law", rule, way)
            if way in _CODES and not has_joint_law(self.kind, history.shared):
                rule = f"be one of {list(_PLAIN)} by trees for boxes without history"
                raise InvalidInputError("The way to play a law", rule, way)
            if not 0.0 <= caution < np.inf:
                raise InvalidInputError("The caution", "be a finite number >= 0", caution)
        return JointMembers(history, self)


class JointMembers:
    """Ways to play one joint law, running."""

    def __init__(self, history: History, family: JointFamily) -> None:
        self._history = history
        self._kind = family.kind
        self._refits = Refits(TREE_GROWTH if family.kind == "trees" else GROWTH)
        self._made_at = 0
        self._kept: tuple[Floats, Ints] | None = None
        self._room = np.empty((0, 0))
        self._equal = np.empty(0)
        self._joint = has_joint_law(family.kind, history.shared)
        ways = family.ways
        self.names = family.names
        adaptive = [k for k, (way, _) in enumerate(ways) if way in _CODES]
        plain = [k for k, (way, _) in enumerate(ways) if way in _PLAIN]
        self._choices = np.array([_CODES[ways[k][0]] for k in adaptive], dtype=np.int64)
        self._cautions = np.array([ways[k][1] for k in adaptive], dtype=np.float64)
        self._plain_ways = [ways[k][0] for k in plain]
        # Where the ways of each kind stand among all
        self._adaptive, self._plain = np.array(adaptive, np.intp), np.array(plain, np.intp)
        if "trees" in family.kind:
            history.model(Trees)
        self._asked: tuple[Round | None, int, Sample | None] = (None, 0, None)

    def rule(self, shown: Round, member: int) -> Rule:
        """Return what decides in a round for one way."""
        law = self._law(shown)
        if member in self._plain:
            return WeitzmanRule(self._sigma(shown, law)[int(self._plain.searchsorted(member))])
        if law is None:
            return WeitzmanRule(self._without_law(shown))
        at = int(self._adaptive.searchsorted(member))
        choice, caution = int(self._choices[at]), float(self._cautions[at])
        return JointRule(law, shown.costs, choice, caution, shown.least)

    def totals(self, shown: Round, values: Floats) -> tuple[Floats, Ints]:
        """Return the total of every way in a round, and how many boxes it opens."""
        law = self._law(shown)
        totals, looks = np.empty(len(self.names)), np.empty(len(self.names), dtype=np.int64)
        first, counts = np.empty(len(self._choices)), np.empty(len(self._choices), dtype=np.int64)
        if law is None:
            blind = self._without_law(shown)[np.newaxis]
            alone_total, alone_looks = index_totals(blind, shown, values)
            first[:], counts[:] = alone_total[0], alone_looks[0]
        else:
            nodes = len(self._choices) * len(shown.costs) + 1
            if len(self._room) < nodes or self._room.shape[1] < len(law.weights):
                self._room = np.empty((nodes, CAP))
            given = shown if shown.given is None else shown.given
            found = values if shown.units is None else shown.units.values(values)
            walk_rules(
                law.ranked, law.order, law.rows, law.shift, law.weights, shown.costs, found,
                shown.outside, shown.least, given.costs, values, given.outside,
                self._choices, self._cautions, self._room, first, counts,
            )  # fmt: skip
        totals[self._adaptive], looks[self._adaptive] = first, counts
        if len(self._plain):
            sigma = self._sigma(shown, law)
            totals[self._plain], looks[self._plain] = index_totals(sigma, shown, values)
        return totals, looks

    def learn(self, shown: Round, values: Floats) -> None:
        """Learn nothing beside the history."""

    def state(self) -> State:
        """Return nothing: all is in the history."""
        return {}

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from the history alone."""
        self._asked = (None, 0, None)
        self._made_at, self._kept = 0, None

    def _sigma(self, shown: Round, law: Sample | None) -> Floats:
        """Return the σ of the plain rules, one row each."""
        sigma = np.empty((len(self._plain), len(shown.costs)))
        if not len(self._plain):
            return sigma
        if self._history.is_cold or (law is None and self._joint):
            sigma[:] = self._without_law(shown)
            return sigma
        if law is None:
            means, values = self._history.model(Trees).rows(shown)
        else:
            unused = np.empty(0)
            means = law.means() if "one-shot" in self._plain_ways else unused
            values = law.reservation_values(shown.costs) if "fixed" in self._plain_ways else unused
        if shown.least > -np.inf and "fixed" in self._plain_ways:
            values = np.maximum(values, shown.floor)
        for row, way in enumerate(self._plain_ways):
            sigma[row] = values if way == "fixed" else best_or_stay(means + shown.costs, shown)
        return sigma

    def _without_law(self, shown: Round) -> Floats:
        """Return the σ for a round of which there is no law."""
        return cheapest(shown) if self._history.unit_free else stay(shown)

    def _law(self, shown: Round) -> Sample | None:
        asked, count, law = self._asked
        if asked is not shown or count != self._history.count:
            law = self._made(shown) if self._joint else None
            self._asked = (shown, self._history.count, law)
        return law

    def _made(self, shown: Round) -> Sample | None:
        """Return the law of a round; None if nothing was seen yet."""
        kept, places = self._vectors(), shown.places
        if kept is None:
            return None
        means = self._history.model(Means).predict(shown) if "linear" in self._kind else None
        if "trees" in self._kind:
            values, _ = kept
            first, weights = self._history.model(Trees).rounds(shown)
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
        history = self._history
        fit = history.model(Means).fit() if "linear" in self._kind else None
        due = self._refits.last(history.count) if fit is None else len(fit.residuals)
        if due != self._made_at:
            self._made_at = due
            rows = filled(history.values[:due]) if fit is None else np.nan_to_num(fit.residuals)
            if "trees" not in self._kind:
                rows = rows[-CAP:]
            values = np.ascontiguousarray(rows.T)
            seen = "linear" not in self._kind and bool((history.seen > 0.0).any())
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
