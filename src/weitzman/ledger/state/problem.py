"""A problem: its settings, what it has learned, its open rounds and its tally.

Every method is one kind of event taken in. None looks at a clock: times come with the events.
"""

import math
from typing import Any

import msgspec
import numpy as np

from weitzman.arrays import Arrays, Floats
from weitzman.learn.models.costs import CostMeans
from weitzman.learn.policy import Player, Round, bounded, checked_round
from weitzman.learn.revealed import learn_round, sigma_of
from weitzman.learn.settings import bound_of, saved_settings
from weitzman.learn.storage.costs import restore_state, saved_state
from weitzman.learn.storage.earlier import is_earlier, upgraded_arrays
from weitzman.learn.storage.format import pack as pack_searcher
from weitzman.learn.storage.format import unpack as unpack_searcher
from weitzman.ledger.bodies import (
    LARGEST,
    Changed,
    Closed,
    Created,
    Imported,
    Opened,
    PastRound,
    Seen,
)
from weitzman.ledger.state.arrays import pack, unpack
from weitzman.ledger.state.deciding import needs_for, player_for, searcher_for
from weitzman.ledger.state.imported import ImportedRounds
from weitzman.ledger.state.open_round import OpenRound
from weitzman.ledger.state.record import ProblemRecord
from weitzman.ledger.state.tally import Tally
from weitzman.search.rule import Rule, WeitzmanRule


class Problem:
    """One decision problem and everything that has happened to it.

    It was created at ``at``, in microseconds, by its event ``first``, and has taken in ``events`` events: the
    ones before ``first`` are of a problem with this name that was ``deleted``. ``rounds`` are the open
    ones by id, ``tally`` is what the closed ones came to. ``bound`` is the best value that a box can hold,
    where smaller is better; −∞ if nobody said it. A round of one that ``may_take_long`` may take longer than
    others may be kept waiting: of any but a learner with Weitzman's rule, by whichever name it was asked for.
    """

    def __init__(
        self, *, name: str, at: int, settings: Created, first: int = 1, deleted: bool = False
    ) -> None:
        self.name = name
        self.settings = settings
        self.at = at
        self.first = first
        self.deleted = deleted
        self.events = 0
        self.archived = False
        self.rounds: dict[str, OpenRound] = {}
        self.tally = Tally.blank(len(settings.boxes))
        self.sign = 1.0 if settings.sense == "min" else -1.0
        self.bound = bound_of(settings.least, settings.most, settings.sense)
        self.place = {box: i for i, box in enumerate(settings.boxes)}
        self._player: Player = player_for(settings)
        # The policy whose boxes draws open, where they do not open all
        self._needs = needs_for(settings)
        self.may_take_long = settings.policy not in (None, "Weitzman") or self._needs is not None
        self._uploaded: dict[str, Any] | None = None  # the policy of a state that was uploaded
        self._checks = not getattr(self._player, "refuses", False)
        self._every = np.arange(len(settings.boxes))
        self._costs = CostMeans(len(settings.boxes))
        self._lived = 0  # rounds of logs that the policy has lived through
        self._decided: tuple[Any, Rule] | None = None
        # Reservation values that were just given out, the round that they are for, and its rule
        self._fresh: tuple[list[float], Round, Rule | None] | None = None

    def propose(
        self, places: list[int] | None, contexts: Floats, costs: list[float], outside: float | None
    ) -> list[float]:
        """Return one reservation value per row, in the problem's direction; nothing changes.

        There are none if the rule looks again after every box.
        """
        shown = self._round(places, contexts, costs, self._turned(outside))
        sigma = sigma_of(self._rule(shown))
        if sigma is None:
            return []
        # Without the sign of a turned zero
        sigma = 0.0 + sigma if self.sign > 0.0 else 0.0 - sigma
        given: list[float] = sigma.tolist()
        rule = None
        if max(given) < LARGEST and min(given) > -LARGEST:
            # The very bits that are made of what is given out
            rule = WeitzmanRule(sigma if self.sign > 0.0 else -sigma)
        else:
            given = [min(max(number, -LARGEST), LARGEST) for number in given]
        self._fresh = (given, shown, rule)
        return given

    def expected_costs(self, places: list[int] | None) -> list[float]:
        """Return what looks at boxes are expected to cost, by what they really cost so far."""
        rows = self._every if places is None else np.array(places, dtype=np.int64)
        return [float(cost) for cost in self._costs.expected(rows)]

    def _rule(self, shown: Round) -> Rule:
        """Return the rule of a round; that of a policy is kept until the round is opened."""
        asked = None
        if self.settings.policy is not None:
            arrays = shown.places, shown.contexts, shown.costs
            asked = (self.events, *(array.tobytes() for array in arrays), shown.outside)
            if self._decided is not None and self._decided[0] == asked:
                return self._decided[1]
        if self._checks:
            shown = checked_round(shown)
        rule = bounded(self._player.rule(shown), shown)
        self._decided = None if asked is None else (asked, rule)
        return rule

    def open(self, name: str, at: int, body: Opened) -> OpenRound:
        rule: Rule | None = None
        if self._fresh is not None and self._fresh[0] is body.reservation_values:
            _, given, rule = self._fresh
        else:
            given = self.round_of(body)
        if not body.reservation_values:
            rule = self._rule(given)
        waiting = self.settings.waiting
        opened = OpenRound.begin(
            body, given=given, at=at, waiting=waiting, sign=self.sign, rule=rule
        )
        if body.draw is not None:
            needs = self._needs
            opened.explore(None if needs is None else bounded(needs.rule(given), given))
        self.rounds[name] = opened
        self.tally.open(body)
        return opened

    def round_of(self, begun: Opened | PastRound) -> Round:
        """Return a round as the player sees it."""
        contexts = np.array(begun.contexts, dtype=np.float64)
        return self._round(begun.places, contexts, begun.costs, self._turned(begun.outside))

    def see(self, name: str, at: int, body: Seen) -> None:
        """Take in looks of an open round, or count those that came after its end."""
        if body.late:
            self.tally.late += len(body.looks)
            return
        opened = self.rounds[name]
        for row, value in body.looks:
            opened.see(row, None if value is None else self.sign * value)
            if value is not None:
                self.tally.last_value_at = at
        for row, cost in body.costs:
            opened.state.spend(row, cost)

    def close(self, name: str, at: int, body: Closed) -> None:
        """End a round and learn it, once."""
        ended = self.rounds.pop(name)
        values = ended.known([(row, self.sign * v) for row, v in body.shown])
        self.tally.waited += body.waited
        if self.settings.shadow:
            self.tally.compare(ended.state, ended.would(values))
        self.tally.close(name, at, ended, values)
        if body.chances:
            self.tally.explore(ended, body.chances)
        # The best possible value of now: a round that was restored has no other
        given = ended.given
        if given.least != self.bound:
            given = given._replace(least=self.bound)
        for row, cost in ended.state.spent.items():
            self._costs.add(int(given.places[row]), cost)
        if ended.guessed and not given.costs.any():
            # Nothing was known of costs: the round is learned with what it has shown of them
            given = given._replace(costs=self._costs.expected(given.places))
        self._learn(given, *ended.remains(values, self.settings.feedback))

    def change(self, body: Changed) -> None:
        """Let settings become others."""
        said = msgspec.structs.asdict(body).items()
        changes = {name: value for name, value in said if value is not msgspec.UNSET}
        self.settings = settings = msgspec.structs.replace(self.settings, **changes)
        self.bound = bound_of(settings.least, settings.most, settings.sense)
        self._decided = None

    def take_log(self, body: Imported) -> None:
        """Learn rounds of a log: live through them, or as it was before, learn all values."""
        if body.lived:
            self._live_through(body.rounds)
        for past in body.rounds if not body.lived else ():
            values = [math.nan if v is None else self.sign * v for v in past.values]
            self._learn(self.round_of(past), values)
        self.tally.imported += len(body.rounds)

    def _live_through(self, rounds: list[PastRound]) -> None:
        past = ImportedRounds([(self.round_of(past), past) for past in rounds], self.sign)
        searcher = searcher_for(self.settings, self._uploaded)
        had = past.live_on(searcher, self._player, self._costs, self._number)
        self._lived, full = had - self.tally.opened, self.settings.feedback == "full"
        for shown, seen in past.revealed(self.place, full=full):
            for place in shown.places[~np.isnan(seen)].tolist():
                self.tally.learned[place] += 1
            if self._needs is not None:
                self._needs.learn(shown, seen)

    @property
    def _number(self) -> int:
        """How many rounds the player has had."""
        return self.tally.opened + self._lived

    def learned(self) -> Arrays:
        """Return what was learned, as arrays."""
        return self._player.state()

    def saved(self) -> bytes:
        """Return what was learned as a saved searcher, for :func:`weitzman.load`."""
        settings = saved_settings(searcher_for(self.settings, self._uploaded))
        learned = saved_state(self._player, self._costs)
        return pack_searcher({**settings, "rounds": self._number}, learned)

    def replace_learned(self, content: bytes) -> None:
        """Go on from what a saved searcher has learned."""
        settings, arrays = unpack_searcher(content, subject="The state")
        described: Any = settings.get("policy")
        if is_earlier(described):
            arrays = upgraded_arrays(described, arrays)
            if self.settings.policy == "default":
                # The default was another portfolio then, and goes on as that
                self._go_by(described)
        restore_state(self._player, self._costs, arrays)

    def _go_by(self, uploaded: dict[str, Any] | None) -> None:
        """Let the policy of an uploaded state decide, if there is one."""
        if uploaded is not None:
            self._uploaded, self._player = uploaded, player_for(self.settings, uploaded)

    def record(self) -> bytes:
        """Return everything, as bytes; equal problems give equal bytes."""
        return pack(
            ProblemRecord(
                self.name,
                self.events,
                self.at,
                self.archived,
                msgspec.to_builtins(self.settings),
                self.tally,
                {name: opened.record() for name, opened in self.rounds.items()},
                dict(sorted(self.learned().items())),
                self._uploaded,
                self._costs.state() if self._costs.is_known else None,
                self.first,
                self.deleted,
                None if self._needs is None else dict(sorted(self._needs.state().items())),
                self._lived,
            )
        )

    @classmethod
    def from_record(cls, content: bytes | memoryview) -> "Problem":
        """Return the problem that :meth:`record` was asked of."""
        record = unpack(content, ProblemRecord)
        same = {name: getattr(record, name) for name in ("name", "at", "first", "deleted")}
        problem = cls(settings=msgspec.convert(record.settings, Created), **same)
        problem.events, problem.archived = record.events, record.archived
        problem.tally, problem._lived = record.tally, record.lived
        for key, r in record.rounds.items():
            given = problem._round(r.places, r.contexts, r.costs, r.outside)
            problem.rounds[key] = OpenRound.from_record(r, given)
        problem._go_by(record.uploaded)
        problem._player.restore(record.learned)
        if problem._needs is not None and record.needs is not None:
            problem._needs.restore(record.needs)
        if record.costs is not None:
            problem._costs.restore(record.costs)
        return problem

    def _learn(self, shown: Round, values: list[float], bounds: Floats | None = None) -> None:
        learned, anything = self.tally.learned, False
        for row, value in enumerate(values):
            if value == value:  # noqa: PLR0124  NaN is not itself
                learned[shown.places[row]] += 1
                anything = True
        # A round that ended with nothing is none
        if anything or bounds is not None or shown.outside != math.inf:
            for player in (self._player, self._needs):
                if player is not None:
                    learn_round(player, shown, np.array(values), bounds)

    def _turned(self, outside: float | None) -> float | None:
        return None if outside is None else self.sign * outside

    def _round(
        self, places: list[int] | None, contexts: Floats, costs: list[float], outside: float | None
    ) -> Round:
        """Return a round as the player sees it; smaller values are better."""
        in_hand = math.inf if outside is None else outside
        rows = self._every if places is None else np.array(places, dtype=np.int64)
        return Round(contexts, np.array(costs), in_hand, rows, self._number, least=self.bound)
