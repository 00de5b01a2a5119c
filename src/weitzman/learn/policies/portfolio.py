"""A portfolio: the best of many rules, found while playing.

Under full information every candidate's total is known after the round, so a hedge over candidates
(:mod:`weitzman.learn.policies.hedge`, with the guarantee) plays nearly as well as the best of them,
whichever that is. Where a candidate is to be drawn, it is drawn by a hash of (seed, t): a replay needs no
generator's state.

A round in which the total of some candidate is not known teaches the candidates but not the hedge. Under
feedback ``"opened"`` that would be nearly every round: see :mod:`weitzman.learn.policies.portfolio_opened`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from weitzman.errors import InvalidInputError
from weitzman.learn.models.history import Past, Revealed
from weitzman.learn.policies.candidates import Candidates
from weitzman.learn.policies.exploration import SHARE, checked_share
from weitzman.learn.policies.hedge import Gate
from weitzman.learn.policies.joint import Law
from weitzman.learn.policies.panel import Chosen, Panel
from weitzman.learn.policies.portfolio_opened import OpenedPlayer
from weitzman.learn.policies.portfolio_player import PortfolioPlayer
from weitzman.learn.policies.simple import Simple
from weitzman.learn.policies.weitzman import paper

__all__ = ["Portfolio", "default"]

_CLARITY = {"full": 2.25, "opened": 3.0}


@dataclass(frozen=True, kw_only=True, repr=False)
class Portfolio:
    """A hedge over the rules of panels.

    Parameters
    ----------
    panels
        Where the candidates are; their names are distinct.
    incumbent
        The candidate that is played until it is beaten clearly; None for no gate.
    clarity
        By how many standard errors; see :class:`weitzman.learn.policies.hedge.Gate`. ``"auto"`` is 2.25,
        and 3 under feedback ``"opened"``, where totals are estimates.
    exploration
        Under feedback ``"opened"``: the share of what looks cost that goes into rounds in which everything
        is opened to learn; see :mod:`weitzman.learn.policies.exploration`.
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
    clarity: float | Literal["auto"] = "auto"
    exploration: float = SHARE
    seed: int = 0
    shared: bool = False
    standardise: bool = True
    feedback: Revealed = "full"

    def start(self, *, boxes: int, dimension: int) -> PortfolioPlayer:
        """Return a player that has seen nothing."""
        candidates = self.candidates(boxes=boxes, dimension=dimension)
        gate, share = self.gate(candidates.names), checked_share(self.exploration)
        if self.feedback == "full":
            return PortfolioPlayer(candidates, gate, self.seed)
        return OpenedPlayer(candidates, gate, self.seed, share)

    def candidates(self, *, boxes: int, dimension: int) -> Candidates:
        """Return the candidates, which have seen nothing."""
        past = Past(
            boxes=boxes,
            dimension=dimension,
            shared=self.shared,
            standardise=self.standardise,
            feedback=self.feedback,
        )
        return Candidates(past, [panel.start(past) for panel in self.panels])

    def gate(self, names: Sequence[str]) -> Gate:
        """Return the hedge over candidates of these names."""
        if not names or len(set(names)) < len(names):
            raise InvalidInputError("The candidates", "have distinct names, at least one", names)
        if self.incumbent is not None and self.incumbent not in names:
            raise InvalidInputError("The incumbent", f"be one of {names}", self.incumbent)
        return Gate(
            len(names),
            incumbent=None if self.incumbent is None else names.index(self.incumbent),
            clarity=_CLARITY[self.feedback] if self.clarity == "auto" else self.clarity,
            few=self.feedback == "opened",
        )

    def __repr__(self) -> str:
        # Counting candidates would start them, and load what their models need
        return f"Portfolio({len(self.panels)} panels of candidates)"

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
