"""An open round: the state of the round, and the rule that decides in it.

The rule is that of the moment the round was opened. The caller may look at boxes in any order; the rule
goes on with the closed ones. Inside, smaller values are better.
"""

import math
from collections.abc import Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Floats
from weitzman.feedback import BOUNDED, Feedback
from weitzman.learn.policies.exploring import ExploringRule
from weitzman.learn.policy import Round
from weitzman.learn.revealed import bounds_of, revealed
from weitzman.ledger.bodies import LARGEST, Closed, Opened
from weitzman.search.rule import Open, Rule, WeitzmanRule, follow
from weitzman.search.state import RoundState


class RoundRecord(msgspec.Struct):
    """An open round as it is saved; ``course`` is a rule without reservation values, as arrays.

    ``spent`` and ``guessed`` are left out where they say nothing: such rounds are the bytes that they were.
    """

    at: int
    until: int
    places: list[int] | None
    contexts: Floats
    costs: list[float]
    sigma: list[float]
    order: list[int]
    outside: float | None
    looks: dict[int, float | None]
    course: dict[str, NDArray[Any]] | None = None
    spent: dict[int, float] | msgspec.UnsetType = msgspec.UNSET
    guessed: bool | msgspec.UnsetType = msgspec.UNSET
    draw: tuple[float, bool] | msgspec.UnsetType = msgspec.UNSET


@dataclass(kw_only=True, eq=False, slots=True)
class OpenRound:
    """A round that has not ended.

    It was opened ``at`` one time and waits ``until`` another, in microseconds. ``places`` has the place of
    each row among all boxes, None if the rows are all boxes; ``given`` is the round as the player sees it;
    ``state`` what it has shown. The ``rule`` decides; it is None if that is not known from the events.
    ``guessed``: nobody said the costs, so that every look has to say what it cost. ``draw`` is the chance
    with which a draw opens more boxes, and whether it does; ``exploring`` is then the rule with what the draw
    opens, None where that is nothing. ``sigma`` are the reservation values by row, ``order`` the rows by
    increasing ones; without reservation values none, and the rows as they stand.

    A service holds many of them, and a request finds what it asks of one in memory, not in the cache of the
    processor: the fewer objects a round is made of, the less a request takes.
    """

    at: int
    until: int
    places: list[int] | None
    given: Round
    state: RoundState
    rule: Rule | None
    guessed: bool = False
    draw: tuple[float, bool] | None = None
    exploring: ExploringRule | None = None
    sigma: list[float] = field(init=False)
    order: list[int] = field(init=False)

    def __post_init__(self) -> None:
        if isinstance(self.rule, WeitzmanRule):
            self.order, self.sigma = self.rule.lists()
        else:
            self.order, self.sigma = list(range(len(self.state.costs))), []

    @classmethod
    def begin(
        cls,
        body: Opened,
        *,
        given: Round,
        at: int,
        waiting: int,
        sign: float,
        rule: Rule | None = None,
    ) -> "OpenRound":
        """Return a round that nothing was seen of.

        ``given`` is the round of the body as the player sees it; ``sign`` is −1 where larger values are
        better; ``rule`` decides, and is made of the reservation values if it is not at hand. Draws are not
        followed.
        """
        if rule is None and body.reservation_values:
            sigma = np.array(body.reservation_values)
            if sign < 0.0:
                sigma = -sigma
            # Of a list: that of a few numbers is quicker than numpy's
            if max(body.reservation_values) >= LARGEST or min(body.reservation_values) <= -LARGEST:
                sigma[sigma >= LARGEST], sigma[sigma <= -LARGEST] = math.inf, -math.inf
            rule = WeitzmanRule(sigma)
        return cls(
            at=at,
            until=at + waiting,
            places=body.places,
            given=given,
            state=RoundState(body.costs, given.outside),
            rule=rule,
            guessed=body.guessed,
            draw=body.draw,
        )

    def explore(self, needs: Rule | None) -> None:
        """Let the draw open more boxes, if there is one: what ``needs`` asks for, or all."""
        if self.draw is not None and (self.draw[1] or needs is not None):
            self.exploring = self._explored(needs)

    def _explored(self, needs: Rule | None = None) -> ExploringRule:
        """Return the rule with what the draw opens."""
        assert self.rule is not None
        assert self.draw is not None
        chance, drawn = self.draw
        return ExploringRule(self.rule, needs, chance=chance, drawn=drawn)

    @property
    def whole(self) -> Rule | None:
        """The rule with its draw, if there is one, also where that opens nothing."""
        if self.draw is None or self.rule is None:
            return self.rule
        return self.exploring or self._explored()

    def ended(self, shown: list[tuple[int, float]], *, waited: bool = False) -> Closed:
        """Return what is to be said of the end of the round."""
        return Closed(shown, waited, self._chances())

    def remains(self, values: list[float], feedback: Feedback) -> tuple[list[float], Floats | None]:
        """Return what feedback leaves to be learned of values at the end, and the bounds of hidden ones."""
        if feedback not in BOUNDED or self.state.best == math.inf:
            return values, None
        found = revealed(self.whole, self.state, np.array(values), feedback).tolist()
        return found, bounds_of(self.whole, self.state, feedback)

    def _chances(self) -> list[float | None]:
        """Return with what chance each row was opened, None where not known; nothing without draws."""
        if self.draw is None:
            return []
        return (self.exploring or self._explored()).logged(self.state)

    @property
    def costs(self) -> Sequence[float]:
        """What looking at each row was expected to cost."""
        return self.state.costs

    @property
    def outside(self) -> float | None:
        """The outside option; None if there is none."""
        return None if self.state.outside == math.inf else self.state.outside

    @property
    def looks(self) -> dict[int, float | None]:
        """What the rows looked at showed, in order; None where nothing came."""
        return {row: self.state.values.get(row) for row in self.state.opened}

    def see(self, row: int, value: float | None) -> None:
        """Take in a look and what it showed."""
        if row not in self.state.opened:
            self.state.open(row)
        if value is None:
            self.state.miss()
        else:
            self.state.see(row, value)

    def next(self) -> int | None:
        """Return the row to look at next; None to stop."""
        rule = self.rule if self.exploring is None else self.exploring
        if rule is None:
            return None
        action = rule.next(self.state)
        return action.box if isinstance(action, Open) else None

    def after(self, row: int, value: float) -> int | None:
        """Return the row to look at next if this one should show a value; nothing changes."""
        then = copy(self)
        then.state = deepcopy(self.state)
        then.see(row, value)
        return then.next()

    def known(self, shown: list[tuple[int, float]]) -> list[float]:
        """Return one value per row, of looks before what was shown at the end; NaN for unknown ones."""
        values = [math.nan] * len(self.costs)
        for row, value in shown:
            values[row] = value
        for row, value in self.state.values.items():
            values[row] = value
        return values

    def would(self, values: list[float]) -> RoundState | None:
        """Return what the rule alone would have seen; None if it asks for a value that is unknown."""
        if self.rule is None:
            return None
        done = follow(self.rule, RoundState(self.costs, self.state.outside), values)
        for row in done.opened:
            if row in self.state.spent:
                done.spend(row, self.state.spent[row])
        return None if len(done.values) < len(done.opened) else done

    def record(self) -> RoundRecord:
        """Return the round as it is saved."""
        course, rule = None, self.whole
        if rule is not None and (self.draw is not None or not self.sigma):
            from weitzman.learn.storage.rules import rule_state

            course = rule_state(rule)
        return RoundRecord(
            self.at,
            self.until,
            self.places,
            self.given.contexts,
            list(self.costs),
            self.sigma,
            self.order,
            self.outside,
            self.looks,
            course,
            self.state.spent or msgspec.UNSET,
            self.guessed or msgspec.UNSET,
            self.draw or msgspec.UNSET,
        )

    @classmethod
    def from_record(cls, record: RoundRecord, given: Round) -> "OpenRound":
        """Return the round that :meth:`record` was asked of; ``given`` is the round as the player sees it."""
        rule: Rule | None = WeitzmanRule(np.array(record.sigma)) if record.sigma else None
        needs: Rule | None = None
        if record.course is not None:
            from weitzman.learn.storage.rules import rule_from

            rule = whole = rule_from(record.course)
            if isinstance(whole, ExploringRule):
                rule, needs = whole.first, whole.needs
        made = cls(
            at=record.at,
            until=record.until,
            places=record.places,
            given=given,
            state=RoundState(record.costs, given.outside),
            rule=rule,
            guessed=record.guessed is True,
            draw=None if record.draw is msgspec.UNSET else record.draw,
        )
        made.explore(needs)
        for row, value in record.looks.items():
            made.see(row, value)
        if record.spent is not msgspec.UNSET:
            for row, cost in record.spent.items():
                made.state.spend(row, cost)
        return made
