"""Closed rounds as columns: any stretch of them has the tally that a problem with these rounds alone has."""

import math
from dataclasses import dataclass

import msgspec
import numpy as np
import pytest

from tests.ledger.happenings import Happenings
from weitzman.ledger.bodies import Changed, Closed, Opened, Seen
from weitzman.ledger.event import Draft, Event
from weitzman.ledger.state.closed_rounds import NOTHING, OUTSIDE, ClosedRounds
from weitzman.ledger.state.problem import Problem
from weitzman.ledger.state.tally import Tally
from weitzman.ledger.state.window import option_table, tally_of

WORLDS = {
    "opened": {},
    "full": {"feedback": "full", "boxes": 4},
    "larger is better": {"sense": "max", "feedback": "full"},
    "no reservation values": {"policy": "Aware", "learner": "FTRL", "defaults": 3},
}


@dataclass
class World:
    """A problem, its events, and its state."""

    problem: Problem
    drafts: list[Draft]

    def rounds(self, most: int = 10**9) -> ClosedRounds:
        found = ClosedRounds(first=1, most=most)
        for seq, draft in enumerate(self.drafts, 1):
            found.take(stored(seq, draft))
        return found


def stored(seq: int, draft: Draft) -> Event:
    d = draft
    return Event(seq, d.problem, d.number, d.kind, d.at, d.key, d.body, b"")


def world(seed: int = 0, events: int = 400, **settings: object) -> World:
    made = Happenings(seed)
    made.create("p", **settings)  # type: ignore[arg-type]
    made.go_on(events)
    return World(made.state.problems["p"], [d for d in made.drafts if d.problem == "p"])


def numbers(tally: Tally) -> dict[str, object]:
    """Everything of a tally that a window has too, as plain values."""
    left_out = {
        # Rounds that are open; logs; values that came late; the best single box; when the last value came
        "opened", "imported", "late", "fixed", "fixed_rounds", "fixed_total", "last_value_at",
        "absent", "shadow", "stride", "marks", "recent", "spreads", "hindsight", "learned", "explored",
    }  # fmt: skip
    told = msgspec.to_builtins(tally)
    return {name: value for name, value in told.items() if name not in left_out}


@pytest.mark.parametrize("name", WORLDS)
def test_all_rounds_have_the_tally_of_the_state(name: str) -> None:
    made = world(**WORLDS[name])  # type: ignore[arg-type]
    tally = made.problem.tally
    assert tally.closed > 60
    rounds = made.rounds()
    found = tally_of(rounds, 0, len(made.problem.settings.boxes))
    wanted = numbers(tally)
    assert numbers(found).keys() == wanted.keys()
    for key, value in numbers(found).items():
        for mine, theirs in zip(np.ravel(value), np.ravel(wanted[key]), strict=True):  # type: ignore[call-overload]
            assert mine == pytest.approx(theirs, rel=1e-12, abs=1e-12), key
    for field in msgspec.structs.fields(type(tally.spreads)):
        mine, theirs = getattr(found.spreads, field.name), getattr(tally.spreads, field.name)
        assert mine.count == theirs.count, field.name
        assert mine.mean == pytest.approx(theirs.mean, rel=1e-12, abs=1e-12), field.name
        assert mine.squares == pytest.approx(theirs.squares, rel=1e-9, abs=1e-12), field.name
    last, own = found.marks[-1], tally.marks[-1]
    assert last.closed == own.closed
    for field in msgspec.structs.fields(type(last)):
        if field.name != "saved_against_fixed":
            mine = getattr(last, field.name)
            assert mine == pytest.approx(getattr(own, field.name), rel=1e-12, abs=1e-12), field.name
    assert rounds.names[-100:] == [ended.name for ended in tally.recent]


@pytest.mark.parametrize("name", WORLDS)
def test_a_stretch_of_rounds_is_counted_as_if_there_were_no_others(name: str) -> None:
    made = world(seed=1, **WORLDS[name])  # type: ignore[arg-type]
    whole = made.rounds()
    boxes = len(made.problem.settings.boxes)
    begin = whole.since(rounds=25)
    assert len(whole) - begin == 25
    kept = set(whole.names[begin:])
    alone = ClosedRounds(first=1, most=10**9)
    for seq, draft in enumerate(made.drafts, 1):
        if draft.kind not in ("opened", "seen", "closed") or draft.key in kept:
            alone.take(stored(seq, draft))
    assert numbers(tally_of(whole, begin, boxes)) == numbers(tally_of(alone, 0, boxes))
    tables = [
        option_table(r, b, boxes=made.problem.settings.boxes, sign=made.problem.sign)
        for r, b in ((whole, begin), (alone, 0))
    ]
    assert str(tables[0]) == str(tables[1])  # NaN is not itself


def test_only_the_newest_rounds_are_kept() -> None:
    made = world(seed=2, events=600)
    whole, few = made.rounds(), made.rounds(most=40)
    assert 40 <= len(few) <= 45
    assert few.left_out + len(few) == len(whole)
    assert few.names == whole.names[-len(few) :]
    begin = whole.since(rounds=30)
    for rounds in (whole, few):
        assert rounds.names[rounds.since(rounds=30) :] == whole.names[begin:]
    boxes = len(made.problem.settings.boxes)
    first, second = (tally_of(r, r.since(rounds=30), boxes) for r in (whole, few))
    assert numbers(first) == numbers(second)


def test_rounds_since_a_time_are_those_that_ended_then_or_later() -> None:
    rounds = world(seed=3).rounds()
    times = rounds.whole("at")
    for k in (0, 1, len(times) // 2, len(times) - 1):
        assert rounds.since(at=int(times[k])) == k
        assert rounds.since(at=int(times[k]) + 1) == k + 1
    assert rounds.since(at=int(times[3]), rounds=2) == len(times) - 2


def test_looks_after_the_best_possible_value_are_counted() -> None:
    made = Happenings(0)
    made.create("p", boxes=3, dimension=1, least=0.0)
    costs, sigma = [0.1] * 3, [1.0, 2.0, 3.0]

    def play(key: str, found: list[float | None], outside: float | None = None) -> None:
        made.happen("p", Opened([[0.0]] * 3, costs, sigma, outside), key)
        for row, value in enumerate(found):
            made.happen("p", Seen([(row, value)]), key)
        made.happen("p", Closed(), key)

    play("a", [0.0, 1.0, None])  # two more looks with 0 in hand
    play("b", [3.0, 2.0, 0.0])
    play("c", [1.0], outside=0.0)
    made.happen("p", Changed(least=None))
    play("d", [0.0, 1.0])
    rounds = World(made.state.problems["p"], made.drafts).rounds()
    # Without a bound 0 is not the best possible value: it did not come five times
    assert rounds.whole("beyond").tolist() == [2, 0, 1, 0]
    for name in "efgh":
        play(name, [0.0, 0.0, 7.0])
    rounds = World(made.state.problems["p"], made.drafts).rounds()
    found = rounds.whole("beyond").tolist()
    assert found[:4] == [2, 0, 1, 0]
    assert found[-1] == 2
    assert rounds.best == 0.0


def test_columns_have_what_rounds_came_to() -> None:
    made = Happenings(0)
    made.create("p", boxes=2, dimension=1, sense="max")
    rounds_told: list[tuple[str, list[tuple[int, float | None]], float | None]] = [
        ("kept", [(1, 5.0), (0, 4.0)], None),
        ("outside", [(0, 1.0)], 3.0),
        ("nothing", [(0, None)], None),
    ]
    for key, looks, outside in rounds_told:
        made.happen("p", Opened([[0.0]] * 2, [0.5, 0.25], [9.0, 8.0], outside), key)
        made.happen("p", Seen(looks, costs=[(0, 0.75)]), key)
        made.happen("p", Closed(waited=key == "nothing"), key)
    rounds = World(made.state.problems["p"], made.drafts).rounds()
    assert rounds.names == ["kept", "outside", "nothing"]
    assert rounds.whole("kept").tolist() == [1, OUTSIDE, NOTHING]
    assert rounds.whole("waited").tolist() == [0, 0, 1]
    assert rounds.real("paid").tolist() == [1.0, 0.75, 0.75]
    assert rounds.real("total").tolist()[:2] == [-4.0, -2.25]
    assert math.isnan(rounds.real("total")[2])
    first, second = option_table(rounds, 0, boxes=["x", "y"], sign=-1.0)
    assert (first.name, first.first, first.checked, first.kept) == ("x", 2 / 3, 1.0, 0.0)
    assert (first.paid, first.value) == (0.75, 2.5)
    assert (second.name, second.first, second.kept, second.value) == ("y", 1 / 3, 1 / 3, 5.0)


def test_rounds_of_a_problem_with_the_name_before_are_left_out() -> None:
    made = world(seed=4)
    drafts = [msgspec.structs.replace(d, number=d.number + len(made.drafts)) for d in made.drafts]
    rounds = ClosedRounds(first=len(made.drafts) + 1, most=10**9)
    for seq, draft in enumerate([*made.drafts, *drafts], 1):
        rounds.take(stored(seq, draft))
    assert rounds.names == made.rounds().names
