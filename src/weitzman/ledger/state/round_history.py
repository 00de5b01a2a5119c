"""The history of a round, from its events: what was known, what was looked at, why it stopped."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from weitzman.ledger.bodies import Closed, Opened, Seen, decode
from weitzman.ledger.event import Draft, Event
from weitzman.ledger.state.open_round import OpenRound
from weitzman.ledger.state.problem import Problem


@dataclass
class RoundHistory:
    """A round, open or ended, as its events tell it; smaller values are better in ``round``.

    ``times`` says when each look was reported and ``late`` has the values that came after the end, both by
    row.
    """

    body: Opened
    round: OpenRound
    times: dict[int, int] = field(default_factory=dict)
    late: dict[int, float | None] = field(default_factory=dict)
    closed: Closed | None = None
    closed_at: int | None = None


def round_history(problem: Problem, events: Sequence[Draft | Event]) -> RoundHistory | None:
    """Return the history that the events with the key of a round give; None if there is no such round."""
    sign = problem.sign
    history: RoundHistory | None = None
    for event in events:
        if event.kind not in ("opened", "seen", "closed"):
            continue  # an idempotency key may be the same text
        body = decode(event.kind, event.body)
        if isinstance(body, Opened):
            opened = OpenRound.begin(
                body,
                given=problem.round_of(body),
                at=event.at,
                waiting=problem.settings.waiting,
                sign=sign,
            )
            history = RoundHistory(body, opened)
        elif history is not None and isinstance(body, Seen):
            for row, value in body.looks:
                turned = None if value is None else sign * value
                if body.late:
                    history.late[row] = turned
                else:
                    history.round.see(row, turned)
                    history.times[row] = event.at
            for row, cost in body.costs:
                history.round.state.spend(row, cost)
        elif history is not None and isinstance(body, Closed):
            history.closed, history.closed_at = body, event.at
    return history
