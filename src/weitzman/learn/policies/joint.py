"""Laws of a round: a weighted sample of what its values may be, jointly.

The boxes of a real round are correlated: a bad value in one says something about the others. A *law* is
at most 512 vectors of values with weights, made from past rounds (:mod:`weitzman.learn.models.laws`), and
after every look it is reweighted towards the vectors that agree with what was seen
(:mod:`weitzman.learn.models.sample_steps`). No shape is assumed.

=============  ===================================================================================
past           the value vectors of the last rounds, with equal weights
linear         ridge means of this round + leave-one-out residual vectors of the last rounds, equal weights
trees          value vectors of past rounds, with the weights of :mod:`weitzman.learn.models.trees`
trees+linear   ridge means of this round + leave-one-out residual vectors, with the weights of the trees
stacked        means of :mod:`weitzman.learn.models.stacked` + their residual vectors, weights of the trees
=============  ===================================================================================

A value that is missing counts as the box's mean. On a law there are these rules:

- ``index z`` and ``greedy z``: after each look, the choice of :mod:`weitzman.learn.models.sample_steps` at
  caution z;
- ``moving z``: as ``greedy z``, but after a look vectors are moved, not reweighted
  (:mod:`weitzman.learn.models.sample_moves`);
- ``fixed``: Weitzman's rule at the σ of the law before any look;
- ``one-shot``: open the box with the least expected total, or keep the outside option.

Boxes without history have no joint law by trees: only ``fixed`` and ``one-shot`` are there for them, and
the same by each of these kinds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from weitzman.errors import InvalidInputError
from weitzman.feedback import Feedback
from weitzman.learn.models.history import History
from weitzman.learn.models.laws import CAP, Laws
from weitzman.learn.models.sample import Sample
from weitzman.learn.models.sample_moves import MOVING, laid_out, walk_moving
from weitzman.learn.models.sample_steps import GREEDY, INDEX
from weitzman.learn.models.trees import Trees
from weitzman.learn.policies.family import Indices, alone
from weitzman.learn.policies.joint_rule import JointRule
from weitzman.learn.policies.joint_walk import Nodes, walk_rules
from weitzman.learn.policies.simple import best_or_stay, stay
from weitzman.learn.policy import Floats, Ints, Player, Round, State, cheapest
from weitzman.learn.preparation import Prepare
from weitzman.search.numbers import finite_number
from weitzman.search.rule import Rule, WeitzmanRule

Kind = Literal["past", "linear", "trees", "trees+linear", "stacked"]
Way = Literal["index", "greedy", "moving", "fixed", "one-shot"]
_KINDS = ("past", "linear", "trees", "trees+linear", "stacked")
_PLAIN = ("fixed", "one-shot")
_CODES = {"index": INDEX, "greedy": GREEDY, "moving": MOVING}


@dataclass(frozen=True)
class Joint:
    """A way to play a joint law of the round, as a policy.

    Parameters
    ----------
    kind
        ``"past"``, ``"linear"``, ``"trees"``, ``"trees+linear"`` or ``"stacked"``.
    way
        ``"index"``, ``"greedy"``, ``"moving"``, ``"fixed"`` or ``"one-shot"``.
    caution
        z, for ``"index"``, ``"greedy"`` and ``"moving"``.
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

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise InvalidInputError("The kind of a law", f"be one of {list(_KINDS)}", self.kind)
        if self.way not in (*_CODES, *_PLAIN):
            rule = f"be one of {[*_CODES, *_PLAIN]}"
            raise InvalidInputError("The way to play a law", rule, self.way)
        rule = "be a finite number >= 0"
        if finite_number(self.caution, "The caution", rule) < 0.0:
            raise InvalidInputError("The caution", rule, self.caution)

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
    return not (shared and by_trees(kind))


def by_trees(kind: str) -> bool:
    """Whether trees say how much the vectors of a law weigh."""
    return kind in ("trees", "trees+linear", "stacked")


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
        adaptive = [way for way, _ in self.ways if way in _CODES]
        if adaptive and not has_joint_law(self.kind, history.shared):
            rule = f"be one of {list(_PLAIN)} by trees for boxes without history"
            raise InvalidInputError("The way to play a law", rule, adaptive[0])
        return JointMembers(history, self)


class JointMembers:
    """Ways to play one joint law, running."""

    def __init__(self, history: History, family: JointFamily) -> None:
        self._history = history
        self._kind = family.kind
        self._laws = Laws(history, family.kind)
        self._joint = has_joint_law(family.kind, history.shared)
        ways = family.ways
        self.names = family.names
        adaptive = [k for k, (way, _) in enumerate(ways) if way in ("index", "greedy")]
        moving = [k for k, (way, _) in enumerate(ways) if way == "moving"]
        plain = [k for k, (way, _) in enumerate(ways) if way in _PLAIN]
        self._ways = ways
        self._choices = np.array([_CODES[ways[k][0]] for k in adaptive], dtype=np.int64)
        self._cautions = np.array([ways[k][1] for k in adaptive], dtype=np.float64)
        self._moving_cautions = np.array([ways[k][1] for k in moving], dtype=np.float64)
        self._plain_ways = [ways[k][0] for k in plain]
        # Where the ways of each kind stand among all
        self._adaptive, self._plain = np.array(adaptive, np.intp), np.array(plain, np.intp)
        self._moving = np.array(moving, np.intp)
        self._nodes = Nodes.blank(len(adaptive), history.boxes, CAP)
        self._forget()

    def _forget(self) -> None:
        # A round, how many were closed before it, and the law and the plain rules in it
        self._asked: tuple[Round, int, Sample | None] | None = None
        self._indices: tuple[Floats, Indices] | None = None
        self._nodes.number[0] = 0

    def rule(self, shown: Round, member: int) -> Rule:
        """Return what decides in a round for one way."""
        law = self._law(shown)
        if member in self._plain:
            sigma, _ = self._plain_rules(shown, law)
            return WeitzmanRule(sigma[int(self._plain.searchsorted(member))])
        if law is None:
            return WeitzmanRule(self._without_law(shown))
        way, caution = self._ways[member]
        return JointRule(law, shown.costs, _CODES[way], caution, shown.least)

    def totals(self, shown: Round, values: Floats) -> tuple[Floats, Ints]:
        """Return the total of every way in a round, and how many boxes it opens."""
        law = self._law(shown)
        totals, looks = np.empty(len(self.names)), np.empty(len(self.names), dtype=np.int64)
        if law is None:
            blind = self._without_law(shown)[np.newaxis]
            alone_total, alone_looks = Indices(blind, shown).totals(values)
            totals[:], looks[:] = alone_total[0], alone_looks[0]
        else:
            self._walk(law, shown, values, totals, looks)
        if len(self._plain):
            _, indices = self._plain_rules(shown, law)
            totals[self._plain], looks[self._plain] = indices.totals(values)
        return totals, looks

    def _walk(self, law: Sample, shown: Round, values: Floats, totals: Floats, looks: Ints) -> None:
        """Set the totals and looks of the ways that follow what the round has shown."""
        given = shown if shown.given is None else shown.given
        found = values if shown.units is None else shown.units.values(values)
        if len(self._adaptive):
            first, counts = np.empty(len(self._choices)), np.empty(len(self._choices), np.int64)
            walk_rules(
                law.ranked, law.order, law.rows, law.shift, law.weights, shown.costs, found,
                shown.outside, shown.least, given.costs, values, given.outside,
                self._choices, self._cautions, self._nodes, first, counts,
            )  # fmt: skip
            totals[self._adaptive], looks[self._adaptive] = first, counts
        if len(self._moving):
            first, counts = np.empty(len(self._moving)), np.empty(len(self._moving), np.int64)
            walk_moving(
                laid_out(law.ranked, law.order, law.rows, law.shift), law.weights, shown.costs, found,
                shown.outside, shown.least, given.costs, values, given.outside,
                self._moving_cautions, first, counts,
            )  # fmt: skip
            totals[self._moving], looks[self._moving] = first, counts

    def learn(self, shown: Round, values: Floats) -> None:
        """Learn nothing beside the history."""

    def state(self) -> State:
        """Return nothing: all is in the history."""
        return {}

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from the history alone."""
        self._forget()
        self._laws.forget()

    def _plain_rules(self, shown: Round, law: Sample | None) -> tuple[Floats, Indices]:
        """Return the σ of the plain rules and what plays them, after the law was asked for."""
        if self._indices is None:
            sigma = self._sigma(shown, law)
            self._indices = (sigma, Indices(sigma, shown))
        return self._indices

    def _sigma(self, shown: Round, law: Sample | None) -> Floats:
        """Return the σ of the plain rules, one row each."""
        sigma = np.empty((len(self._plain), len(shown.costs)))
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
        asked, count = self._asked, self._history.count
        if asked is None or asked[0] is not shown or asked[1] != count:
            law = self._laws.of(shown) if self._joint else None
            self._forget()
            self._asked = asked = (shown, count, law)
        return asked[2]
