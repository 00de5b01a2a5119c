"""A portfolio: the best of many rules, found while playing.

Under full information every candidate's total is known after the round, so a hedge over candidates
(:mod:`weitzman.learn.hedge`, with the guarantee) plays nearly as well as the best of them, whichever that
is. Where a candidate is to be drawn, it is drawn by a hash of (seed, t): a replay needs no generator's state.

A round in which the total of some candidate is not known, as under feedback ``"opened"``, teaches the
candidates but not the hedge.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weitzman.errors import InvalidInputError
from weitzman.learn.hedge import Gate
from weitzman.learn.index import paper
from weitzman.learn.law import Law
from weitzman.learn.panel import Chosen, Members, Panel, joined, parted
from weitzman.learn.past import Past, Revealed
from weitzman.learn.policy import Course, Floats, Ints, Round, State
from weitzman.learn.probing import mix
from weitzman.learn.simple import Simple

__all__ = ["Portfolio", "PortfolioPlayer", "Scores", "default"]


@dataclass(frozen=True, kw_only=True)
class Portfolio:
    """A hedge over the rules of panels.

    Parameters
    ----------
    panels
        Where the candidates are; their names are distinct.
    incumbent
        The candidate that is played until it is beaten clearly; None for no gate.
    clarity
        By how many standard errors; see :class:`weitzman.learn.hedge.Gate`.
    seed
        The seed of the draws.
    shared
        Whether one model serves all boxes.
    standardise
        Whether contexts are to be standardised for the models that need it.
    feedback
        What rounds reveal: ``"full"`` or ``"opened"``.
    """

    panels: Sequence[Panel]
    incumbent: str | None = "paper"
    clarity: float = 2.25
    seed: int = 0
    shared: bool = False
    standardise: bool = True
    feedback: Revealed = "full"

    def start(self, *, boxes: int, dimension: int) -> "PortfolioPlayer":
        """Return a player that has seen nothing."""
        past = Past(
            boxes=boxes,
            dimension=dimension,
            shared=self.shared,
            standardise=self.standardise,
            feedback=self.feedback,
        )
        members = [panel.start(past) for panel in self.panels]
        names = [name for group in members for name in group.names]
        if not names or len(set(names)) < len(names):
            raise InvalidInputError("The candidates", "have distinct names, at least one", names)
        if self.incumbent is not None and self.incumbent not in names:
            raise InvalidInputError("The incumbent", f"be one of {names}", self.incumbent)
        gate = Gate(
            len(names),
            incumbent=None if self.incumbent is None else names.index(self.incumbent),
            clarity=self.clarity,
        )
        return PortfolioPlayer(past, members, gate, self.seed)

    def alone(self) -> dict[str, Chosen]:
        """Return each candidate as a policy of its own."""
        past = Past(boxes=1, dimension=1, shared=self.shared)
        return {
            name: Chosen(
                panel=panel,
                rule=name,
                shared=self.shared,
                standardise=self.standardise,
                feedback=self.feedback,
            )
            for panel in self.panels
            for name in panel.start(past).names
        }


def default(
    *,
    shared: bool = False,
    trees: bool = True,
    standardise: bool = True,
    feedback: Revealed = "full",
) -> Portfolio:
    """Return the policy for somebody who knows nothing of this.

    Parameters
    ----------
    shared
        Whether the boxes carry no history, and one model serves all of them.
    trees
        Whether candidates with trees take part; they need scikit-learn.
    standardise
        Whether contexts are to be standardised; not if they are already.
    feedback
        What rounds reveal: ``"full"`` or ``"opened"``.
    """
    panels: list[Panel] = [Simple(), paper(shared=shared), Law(kind="past")]
    if standardise:
        # Contexts as they are suit the rule of the paper in some problems, standardised ones in others
        panels.append(paper(shared=shared, standardise=True))
    panels.append(Law(kind="linear", plain=("fixed",)))
    if trees:
        panels.append(Law(kind="trees", plain=("fixed", "one-shot")))
    if trees and not shared:
        panels.append(Law(kind="trees+linear", plain=("one-shot",)))
    return Portfolio(
        panels=tuple(panels), shared=shared, standardise=standardise, feedback=feedback
    )


class Scores(NamedTuple):
    """What every candidate comes to in a round, NaN if it is not known, and how many boxes it opens."""

    totals: Floats
    counts: Ints


class PortfolioPlayer:
    """A portfolio, running.

    Attributes
    ----------
    names
        The names of the candidates.
    """

    def __init__(self, past: Past, members: list[Members], gate: Gate, seed: int) -> None:
        self.names = [name for group in members for name in group.names]
        self._past = past
        self._members = members
        self._gate = gate
        self._seed = seed

    @property
    def played(self) -> int:
        """The number of the candidate that the next round is played by."""
        if self._gate.is_trusted:
            return self._gate.leader
        with np.errstate(over="ignore"):
            drawn = mix(mix(np.uint64(self._seed)) + np.uint64(self._past.count))
        place = np.cumsum(self._gate.weights()).searchsorted(float(drawn) / 2.0**64, side="right")
        # Rounding may leave the last sum a little below 1
        return min(int(place), len(self.names) - 1)

    def weights(self) -> Floats:
        """Return the chances of the candidates in the next round."""
        return self._gate.weights()

    def propose(self, round: Round) -> Course:  # noqa: A002
        """Return what to do in a round."""
        rule = self.played
        for group in self._members:
            if rule < len(group.names):
                return group.course(round, rule)
            rule -= len(group.names)
        raise AssertionError

    def score(self, round: Round, values: Floats) -> Scores:  # noqa: A002
        """Return what every candidate comes to in a round that is not learned yet."""
        each = [group.totals(round, values) for group in self._members]
        return Scores(np.concatenate([t for t, _ in each]), np.concatenate([c for _, c in each]))

    def learn(self, round: Round, values: Floats) -> None:  # noqa: A002
        """Learn the values of a round, and who was good at it."""
        self.learn_scored(round, values, self.score(round, values))

    def learn_scored(self, round: Round, values: Floats, scores: Scores) -> None:  # noqa: A002
        """Learn a round whose scores are known already."""
        if np.isfinite(scores.totals).all():
            self._gate.add(scores.totals)
        for group in self._members:
            group.learn(round, values)
        self._past.add(round, values)

    def state(self) -> State:
        """Return a copy of everything that later answers depend on."""
        groups = {f"panel{k}": group.state() for k, group in enumerate(self._members)}
        return joined({"past": self._past.state(), "gate": self._gate.state(), **groups})

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""
        self._past.restore(parted(state, "past"))
        self._gate.restore(parted(state, "gate"))
        for k, group in enumerate(self._members):
            group.restore(parted(state, f"panel{k}"))
