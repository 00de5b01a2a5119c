"""The story of a round, from its events: what was known, what was looked at, why it stopped."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from weitzman.ledger.bodies import Closed, Opened, Seen, decode
from weitzman.ledger.event import Draft, Event
from weitzman.ledger.state.open_round import OpenRound, Result

__all__ = ["Story", "told"]


@dataclass
class Story:
    """A round, open or ended, as its events tell it; smaller values are better in ``round``.

    Attributes
    ----------
    body
        What it was opened with.
    round
        The round with all its looks that came in time.
    times
        When each look was told, by row.
    late
        Values that came after the end, by row.
    closed, closed_at
        How and when it ended; None if it is open.
    """

    body: Opened
    round: OpenRound
    times: dict[int, int] = field(default_factory=dict)
    late: dict[int, float | None] = field(default_factory=dict)
    closed: Closed | None = None
    closed_at: int | None = None

    def result(self) -> Result:
        """Return what the round came to, or comes to if it ends now."""
        return self.round.result()


def told(events: Sequence[Draft | Event], *, sign: float, waiting: int) -> Story | None:
    """Return the story that the events with the key of a round tell; None if there is no such round."""
    story: Story | None = None
    for event in events:
        if event.kind not in ("opened", "seen", "closed"):
            continue  # an idempotency key may be the same text
        body = decode(event.kind, event.body)
        if isinstance(body, Opened):
            opened = OpenRound.begin(body, at=event.at, waiting=waiting, sign=sign)
            story = Story(body, opened)
        elif story is not None and isinstance(body, Seen):
            for row, value in body.looks:
                turned = None if value is None else sign * value
                if body.late:
                    story.late[row] = turned
                else:
                    story.round.see(row, turned)
                    story.times[row] = event.at
        elif story is not None and isinstance(body, Closed):
            story.closed, story.closed_at = body, event.at
    return story
