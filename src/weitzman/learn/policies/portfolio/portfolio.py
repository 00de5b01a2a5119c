"""A portfolio: the best of many rules, found while playing.

Under full information every candidate's total is known after the round, so a hedge over candidates
(:mod:`weitzman.learn.policies.portfolio.hedge`, with the guarantee) plays nearly as well as the best of them,
whichever that is. Where a candidate is to be drawn, it is drawn by a hash of (seed, t): a replay needs no
generator's state.

A round in which the total of some candidate is not known teaches the candidates but not the hedge. Under
feedback ``"opened"`` that would be nearly every round: see :mod:`weitzman.learn.policies.portfolio.opened`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from weitzman.errors import InvalidInputError
from weitzman.feedback import Feedback
from weitzman.learn.learners.ftrl import FTRL
from weitzman.learn.models.history import History
from weitzman.learn.policies.aware import Aware
from weitzman.learn.policies.family import Family, PlayerMembers
from weitzman.learn.policies.joint import Joint, Kind, Way, has_joint_law
from weitzman.learn.policies.portfolio.candidates import Candidates
from weitzman.learn.policies.portfolio.earlier import EarlierOpenedPlayer
from weitzman.learn.policies.portfolio.exploration import SHARE, checked_share
from weitzman.learn.policies.portfolio.hedge import Gate
from weitzman.learn.policies.portfolio.opened import CLARITY, OpenedPlayer
from weitzman.learn.policies.portfolio.player import PortfolioPlayer
from weitzman.learn.policies.simple import RULES, Simple
from weitzman.learn.policies.weitzman import Weitzman
from weitzman.learn.policy import Policy, as_policy
from weitzman.learn.preparation import Preparation, Prepare

LOOKS = 1024
"""How many of its last values a box remembers in the incumbent of ``default``: its memory is bounded."""

STEADY = 150.0
"""After how many rounds the bar for leaving the incumbent falls under full information."""

_CAUTIONS = (0.0, 1.0, 2.0)
_ADAPTIVE: tuple[Way, ...] = ("index", "greedy")


@dataclass(frozen=True, kw_only=True, repr=False)
class Portfolio:
    """A hedge over candidates.

    Parameters
    ----------
    candidates
        The policies; their names are distinct. Those of one kind share what they have learned.
    incumbent
        The candidate that is played until it is beaten clearly; None for no gate.
    clarity
        By how many standard errors (:class:`weitzman.learn.policies.portfolio.hedge.Gate`). ``"auto"`` is
        2.25 and less and less after 150 rounds; under feedback ``"opened"`` it is 2.
    exploration
        Under feedback ``"opened"``: the share of what looks cost that trials may cost beyond it, in which
        two candidates' boxes are opened (:mod:`weitzman.learn.policies.portfolio.opened`).
    shared
        Whether one model serves all boxes.
    prepare
        What is prepared, once for all candidates (:mod:`weitzman.learn.preparation`).
    name
        What tables call it.
    """

    candidates: Sequence[Policy]
    incumbent: str | None = None
    clarity: float | Literal["auto"] = "auto"
    exploration: float = SHARE
    shared: bool = False
    prepare: Prepare = "all"
    name: str = "portfolio"

    def start(
        self, *, boxes: int, dimension: int, feedback: Feedback = "full", seed: int = 0
    ) -> PortfolioPlayer:
        """Return a player that has seen nothing."""
        candidates = self.started(boxes=boxes, dimension=dimension, feedback=feedback, seed=seed)
        gate, share = self.gate(candidates.names, feedback), checked_share(self.exploration)
        if feedback == "full":
            return PortfolioPlayer(candidates, gate, seed)
        if self.prepare != "all" or self.incumbent is None or len(candidates.names) == 1:
            return EarlierOpenedPlayer(candidates, gate, seed, share)
        clarity = CLARITY if self.clarity == "auto" else self.clarity
        duel = Gate(2, incumbent=0, clarity=clarity, few=True)
        return OpenedPlayer(candidates, gate.leader, duel, seed, share)

    def started(
        self,
        *,
        boxes: int,
        dimension: int,
        feedback: Feedback,
        seed: int,
        families: Sequence[int] | None = None,
    ) -> Candidates:
        """Return the candidates, which have seen nothing; those of some families, by number."""
        history = History(
            boxes=boxes,
            dimension=dimension,
            shared=self.shared,
            prepare=self.prepare,
            feedback=feedback,
        )
        every = families_of(self.candidates)
        chosen = every if families is None else [every[k] for k in families]
        preparation = None
        if self.prepare == "all":
            preparation = Preparation(dimension, values=True, feedback=feedback)
        members = [family.start(history, seed=seed) for family in chosen]
        return Candidates(history, members, preparation)

    def gate(self, names: Sequence[str], feedback: Feedback) -> Gate:
        """Return the hedge over candidates of these names."""
        if not names or len(set(names)) < len(names):
            raise InvalidInputError("The candidates", "have distinct names, at least one", names)
        if self.incumbent is not None and self.incumbent not in names:
            raise InvalidInputError("The incumbent", f"be one of {names}", self.incumbent)
        return Gate(
            len(names),
            incumbent=None if self.incumbent is None else names.index(self.incumbent),
            clarity=self._clarity(feedback) if self.clarity == "auto" else self.clarity,
            few=feedback == "opened",
            falls_after=STEADY if self._falls(feedback) else math.inf,
        )

    def _falls(self, feedback: Feedback) -> bool:
        """Whether the bar for leaving the incumbent falls: where totals are known."""
        return self.clarity == "auto" and feedback == "full" and self.prepare == "all"

    def _clarity(self, feedback: Feedback) -> float:
        return 2.25 if feedback == "full" else 3.0

    def turned(self) -> "Portfolio":
        """Return the portfolio for a problem whose signs are turned."""
        return replace(self, candidates=tuple(turned(one) for one in self.candidates))

    def __repr__(self) -> str:
        return f"Portfolio({len(self.candidates)} candidates, incumbent {self.incumbent!r})"


def policy_name(policy: Policy) -> str:
    """Return the name of a policy in tables: its own, or that of its class.

    >>> policy_name(Simple("no-context"))
    'no-context'
    """
    return str(getattr(policy, "name", type(policy).__name__))


def turned(policy: Policy) -> Policy:
    """Return a policy for a problem whose signs are turned."""
    own: Any = getattr(policy, "turned", None)
    return policy if own is None else own()


def families_of(candidates: Sequence[Policy]) -> list[Family]:
    """Return the families of candidates, in the order of their first members."""
    families: dict[Any, Any] = {}
    for candidate in candidates:
        as_policy(candidate, "A candidate")
        family: Any = getattr(candidate, "family", lambda c=candidate: _Own(c))()
        key = getattr(family, "key", len(families))
        families[key] = families[key] + family if key in families else family
    return list(families.values())


@dataclass(frozen=True)
class _Own:
    """A policy that shares nothing with others."""

    policy: Policy

    @property
    def names(self) -> Sequence[str]:
        return (policy_name(self.policy),)

    def start(self, history: History, *, seed: int) -> PlayerMembers:
        player = self.policy.start(
            boxes=history.boxes, dimension=history.dimension, feedback=history.feedback, seed=seed
        )
        return PlayerMembers(policy_name(self.policy), player, "nothing", history)


def default_policy(
    *, shared: bool = False, trees: bool = True, prepare: Prepare = "all"
) -> Portfolio:
    """Return the policy for somebody who knows nothing of this.

    Parameters
    ----------
    shared
        Whether the boxes carry no history, and one model serves all of them.
    trees
        Whether candidates with trees take part; they need scikit-learn.
    prepare
        What is prepared (:mod:`weitzman.learn.preparation`).
    """
    paper: Any = Aware(FTRL(shared=shared, window=LOOKS), shared=shared)
    if prepare != "all":
        paper = Weitzman(FTRL(intercept=False, shared=shared), prepare=prepare)
    # `cheapest` is younger than portfolios of rounds that are not prepared
    rules = [rule for rule in RULES if prepare == "all" or rule != "cheapest"]
    candidates: list[Policy] = [Simple(rule, shared, prepare) for rule in rules]
    candidates.append(paper)
    kinds: dict[Kind, tuple[Way, ...]] = {"past": (), "linear": ("fixed",)}
    if trees:
        kinds["trees"] = ("fixed", "one-shot")
    if trees and not shared:
        kinds["stacked" if prepare == "all" else "trees+linear"] = ("one-shot",)
    for kind, plain in kinds.items():
        adaptive = (*_ADAPTIVE, "moving") if kind == "stacked" else _ADAPTIVE
        joint = has_joint_law(kind, shared)
        ways = [(way, z) for z in _CAUTIONS for way in adaptive if joint]
        ways += [(way, 1.0) for way in plain]
        candidates += [Joint(kind, way, z, shared, prepare) for way, z in ways]
    return Portfolio(
        candidates=tuple(candidates),
        incumbent=paper.name,
        shared=shared,
        prepare=prepare,
        name="default",
    )
