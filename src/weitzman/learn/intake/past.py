"""Learning from a log by living through it: its rounds are opened, looked at and closed one after the other.

This is what a replay counts, and what happens live, so the searcher that comes out of it goes on exactly
where the replay of its policy ended.
"""

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from weitzman.learn.features import Encoding
from weitzman.learn.models.costs import CostMeans
from weitzman.learn.policy import Floats, Player, Policy, Round, bounded, decided
from weitzman.search.reservation import Sense
from weitzman.search.round import Outcome
from weitzman.search.rule import Rule

if TYPE_CHECKING:
    from weitzman.learn.searcher import Searcher

Watch = Callable[[Round, Outcome[Hashable]], None]


class PastRounds(Protocol):
    """The rounds of a log, one after the other, with their values; smaller is better.

    All that is asked of a round is its contexts, costs, outside option and places.
    """

    def real_costs(self, number: int, shown: Round) -> list[float] | None:
        """Return what looks at the boxes of a round really cost; None if the log does not say."""

    def __iter__(self) -> Iterator[tuple[Round, Floats]]: ...


class PastLog(Protocol):
    """A log, as far as a searcher needs to know it: :class:`weitzman.Log`."""

    @property
    def boxes(self) -> Sequence[str]:
        """The names of the boxes."""

    @property
    def shared(self) -> bool:
        """Whether one model serves all boxes."""

    @property
    def encoding(self) -> Encoding:
        """What makes the contexts."""

    @property
    def sense(self) -> Sense:
        """Whether smaller or larger values are better in the units of the user."""

    @property
    def least(self) -> float | None:
        """The best possible value, where smaller is better."""

    @property
    def unit(self) -> str:
        """What values and costs are counted in, for people."""

    def past(self, cost_scale: float = 1.0) -> PastRounds:
        """Return its rounds, with costs multiplied."""


def log_settings(log: PastLog, policy: Policy | str) -> dict[str, Any]:
    """Return the settings of a searcher that a log fits; the policy may be named."""
    if isinstance(policy, str):
        # All learners and policies: loaded where one is named
        from weitzman.learn.storage.registry import named_policy

        policy = named_policy(policy, shared=log.shared)
    best, sign = ("least", 1.0) if log.sense == "min" else ("most", -1.0)
    return {
        "boxes": log.boxes,
        "features": log.encoding,
        "policy": policy,
        "sense": log.sense,
        best: None if log.least is None else sign * log.least,
        "unit": log.unit,
    }


def rule_now(searcher: "Searcher", shown: Round) -> tuple[Round, Rule]:
    """Return a round as the next one of a searcher, and what decides in it; a trial is left out."""
    player: Any = searcher._player
    shown = shown._replace(number=searcher.rounds)
    if hasattr(player, "favourite"):
        return shown, bounded(player.favourite(shown), shown)
    return decided(player, shown)


def live_through(
    searcher: "Searcher", rounds: PastRounds, watch: Watch | None = None
) -> "Searcher":
    """Let a searcher open, look at and close rounds; ``watch`` hears how each went."""
    sign = 1.0 if searcher.sense == "min" else -1.0
    for number, (shown, values) in enumerate(rounds):
        boxes = [searcher.names[place] for place in shown.places]
        found = dict(zip(boxes, (sign * values).tolist(), strict=True))
        real = rounds.real_costs(number, shown)
        costs = {} if real is None else dict(zip(boxes, real, strict=True))
        search = searcher.open(
            shown.contexts,
            shown.costs,
            outside=None if math.isinf(shown.outside) else sign * shown.outside,
            boxes=boxes,
        )
        for box in search:
            search.see(found[box], cost=costs.get(box))
        outcome = search.close(found if searcher.feedback == "full" else None)
        if watch is not None:
            watch(shown, outcome)
    return searcher


def live_on(
    searcher: "Searcher",
    rounds: PastRounds,
    *,
    player: Player,
    costs: CostMeans,
    before: int,
    watch: Watch | None = None,
) -> int:
    """Let a player that runs elsewhere, and has had so many rounds before, live through more of them.

    ``searcher`` has the settings that the player was started with, and nothing of its own. Returns how many
    rounds the player has had then.
    """
    searcher._player, searcher._costs, searcher.rounds = player, costs, before
    return live_through(searcher, rounds, watch).rounds
