"""Live searches: several at once, values that come late or never, and closes that fail."""

import itertools
import math
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import weitzman as wz
from tests.learn.test_searcher import LEARNERS, bank_of, every_feedback, every_learner, make, record

Array = NDArray[np.float64]
NAMES = ["a", "b", "c", "d"]


def bank(learner: wz.Learner | None = None) -> wz.Bank:
    return (learner or wz.FTRL(intercept=False)).start(boxes=4, dimension=3)


def explored() -> wz.Bank:
    """Return the bank of a searcher that sees what it opens, on rounds as they are."""
    return bank(wz.FTRL(intercept=False, explore="own", prior="agreed"))


def same_state(searcher: wz.Searcher, other: wz.Bank) -> bool:
    return searcher.digest().partition("-")[2] == other.digest()


def run(search: wz.LiveSearch[Hashable], values: Array) -> list[int]:
    """See all values that the search asks for; return the places opened."""
    opened = []
    for box in search:
        place = NAMES.index(str(box))
        opened.append(place)
        search.see(values[place])
    return opened


def taught() -> tuple[wz.Searcher, Array, Array, Array]:
    """A searcher under full information that has seen 30 rounds, and one more round."""
    contexts, costs, values = record(31, gaps=False)
    searcher = make("full", boxes=NAMES)
    searcher.play(contexts[:30], costs[:30], values[:30])
    return searcher, contexts[30], costs[30], values[30]


@every_learner
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_searches_open_at_once_are_learned_when_closed(
    learner: wz.Learner, order: tuple[int, ...]
) -> None:
    """Each round is learned once, as a bank learns them that is told in the order of closing."""
    contexts, costs, values = record(3, gaps=False)
    searcher, other = make("full", boxes=NAMES, learner=learner), bank(learner)
    searches = [searcher.open(contexts[t], costs[t]) for t in range(3)]
    for search, found in zip(searches, values, strict=True):
        run(search, found)
    blank = other.digest()
    assert same_state(searcher, other)
    for t in order:
        searches[t].close(values[t])
        other.update(np.arange(4), contexts[t], values[t], costs[t])
        assert same_state(searcher, other)
    assert other.digest() != blank
    for search in searches:
        with pytest.raises(wz.SearchStateError, match="closed"):
            search.close(values[0])
    assert same_state(searcher, other)


def test_an_open_search_keeps_the_reservation_values_it_was_opened_with() -> None:
    searcher, x, c, v = taught()
    order = [b.box for b in searcher.explain(x, c).boxes]
    waiting = searcher.open(x, c, outside=1e6)
    for t in range(20):
        search = searcher.open(x, c)
        run(search, v + 10.0 * ((t + np.arange(4)) % 3))
        search.close(100.0 * v)
    opened = []
    for box in waiting:
        opened.append(box)
        waiting.miss()
    assert opened == order


def test_values_are_learned_under_opened_whatever_order_they_are_seen_in() -> None:
    contexts, costs, values = record(1, gaps=False)
    searcher, other = make(boxes=NAMES), explored()
    search = searcher.open(contexts[0], costs[0], outside=1e6)
    opened = []
    for box in search:
        opened.append(NAMES.index(str(box)))
        search.miss()
    for place in reversed(opened):
        search.see(values[0, place], box=NAMES[place])
    search.close()
    rows = np.sort(opened)
    other.update(rows, contexts[0][rows], values[0][rows], costs[0][rows])
    assert same_state(searcher, other)


def test_a_value_that_never_comes_is_not_learned() -> None:
    contexts, costs, _ = record(1, gaps=False)
    searcher, other = make(boxes=NAMES), explored()
    search = searcher.open(contexts[0], costs[0], outside=5.0)
    opened = 0
    for _ in search:
        search.miss()
        opened += 1
    outcome = search.close()
    assert opened == 4
    assert (outcome.chosen, outcome.value) == (None, 5.0)
    assert outcome.paid == pytest.approx(costs[0].sum())
    assert same_state(searcher, other)


def test_a_value_left_out_of_full_information_is_not_learned() -> None:
    searcher, x, c, v = taught()
    other = bank()
    other.restore(bank_of(searcher).state())
    search = searcher.open(x, c, outside=-1e6)
    assert run(search, v) == []
    search.close({"a": v[0], "c": math.nan, "d": v[3]})
    other.update([0, 3], x[[0, 3]], v[[0, 3]], c[[0, 3]])
    assert same_state(searcher, other)
    assert bank_of(searcher).looks().tolist() == [31, 30, 30, 31]


def test_what_was_seen_counts_before_what_is_said_at_the_close() -> None:
    searcher, x, c, v = taught()
    other = bank()
    other.restore(bank_of(searcher).state())
    search = searcher.open(x, c)
    opened = run(search, v)
    search.close(v + 100.0)
    said = np.where(np.isin(np.arange(4), opened), v, v + 100.0)
    other.update(np.arange(4), x, said, c)
    assert same_state(searcher, other)


def test_a_close_without_values_learns_what_was_seen() -> None:
    searcher, x, c, v = taught()
    other = bank()
    other.restore(bank_of(searcher).state())
    search = searcher.open(x, c)
    rows = np.sort(run(search, v))
    before = searcher.digest()
    with pytest.warns(UserWarning, match="only what was seen is learned"):
        search.close()
    assert searcher.digest() != before
    other.update(rows, x[rows], v[rows], c[rows])
    assert same_state(searcher, other)


@pytest.mark.parametrize("feedback", ["full", "opened", "opened+probe"])
@pytest.mark.parametrize("sense", ["min", "max"])
def test_a_late_value_is_learned_once_and_changes_no_outcome(feedback: str, sense: str) -> None:
    contexts, costs, values = record(1, gaps=False)
    searcher = make(feedback, boxes=NAMES, sense=sense, optimism=0.0)
    other = bank()
    sign = 1.0 if sense == "min" else -1.0
    search = searcher.open(contexts[0], costs[0], outside=1e6 * sign)
    first = next(search)
    search.miss()
    outcome = search.close({} if feedback == "full" else None)
    assert outcome.opened == (first,)
    place = NAMES.index(str(first))
    search.late(first, values[0, place])
    other.update([place], contexts[0][[place]], [sign * values[0, place]], costs[0][[place]])
    assert same_state(searcher, other)
    with pytest.raises(wz.SearchStateError, match="learned already"):
        search.late(first, values[0, place])
    with pytest.raises(wz.SearchStateError):
        search.late(first, values[0, place] + 1.0)
    assert same_state(searcher, other)


def test_a_late_value_of_a_box_that_was_not_opened_is_learned_under_full_only() -> None:
    contexts, costs, values = record(1, gaps=False)
    for feedback in ("full", "opened"):
        searcher = make(feedback, boxes=NAMES)
        search = searcher.open(contexts[0], costs[0], outside=1e6)
        opened = next(search)
        search.see(0.0)
        search.close({} if feedback == "full" else None)
        other = next(name for name in NAMES if name != opened)
        before = searcher.digest()
        if feedback == "full":
            search.late(other, values[0, 0])
            assert searcher.digest() != before
        else:
            with pytest.raises(wz.SearchStateError, match="not part of the feedback"):
                search.late(other, values[0, 0])
            assert searcher.digest() == before


def test_under_probe_only_a_bought_look_is_learned_late() -> None:
    contexts, costs, values = record(1, gaps=False)
    searcher = make("probe", boxes=NAMES, block=3)
    search = searcher.open(contexts[0], costs[0], outside=-1e6)
    bought = list(_missed(search))
    search.close()
    blank = searcher.digest()
    assert 0 < len(bought) < 4
    for place, box in enumerate(NAMES):
        if box in bought:
            search.late(box, values[0, place])
        else:
            before = searcher.digest()
            with pytest.raises(wz.SearchStateError, match="not part of the feedback"):
                search.late(box, values[0, place])
            assert searcher.digest() == before
    assert searcher.digest() != blank


def _missed(search: wz.LiveSearch[Hashable]) -> list[Hashable]:
    found = []
    for box in search:
        found.append(box)
        search.miss()
    return found


def test_a_late_value_for_an_open_search_is_sent_to_see() -> None:
    searcher, x, c, _ = taught()
    before = searcher.digest()
    search = searcher.open(x, c)
    box = next(search)
    with pytest.raises(wz.SearchStateError, match="see"):
        search.late(box, 1.0)
    search.miss()
    search.see(1.0, box=box)
    with pytest.raises(wz.SearchStateError, match="cannot see"):
        search.see(2.0, box=box)
    assert searcher.digest().partition("-")[2] == before.partition("-")[2]
    assert search.close({}).value == 1.0


def test_late_refuses_what_see_refuses() -> None:
    searcher, x, c, v = taught()
    search = searcher.open(x, c)
    opened = run(search, v)
    search.close({})
    box = NAMES[next(i for i in range(4) if i not in opened)]
    before = searcher.digest()
    for wrong in (math.nan, math.inf, "3", True, None, 1e60):
        with pytest.raises(wz.InvalidInputError):
            search.late(box, wrong)  # type: ignore[arg-type]
    with pytest.raises(wz.InvalidInputError, match="one of the round's"):
        search.late("z", 1.0)
    assert searcher.digest() == before
    search.late(box, v[NAMES.index(box)])
    assert searcher.digest() != before


WRONG_VALUES: dict[str, Any] = {
    "infinite": {"a": math.inf},
    "minus infinite": [1.0, -math.inf, 1.0, 1.0],
    "string": {"a": "3"},
    "strings": ["1", "2", "3", "4"],
    "boolean": {"b": True},
    "booleans": [True, False, True, False],
    "nothing": {"a": None},
    "nothings": [None, 1.0, 1.0, 1.0],
    "complex": [1j, 1.0, 1.0, 1.0],
    "unknown box": {"a": 1.0, "z": 1.0},
    "unknown box without a value": {"z": math.nan},
    "too few": [1.0, 2.0, 3.0],
    "too many": [1.0, 2.0, 3.0, 4.0, 5.0],
    "one number": 1.0,
    "ragged": [1.0, [2.0], 3.0, 4.0],
    "too deep": [[1.0, 2.0, 3.0, 4.0]],
    "too large": dict.fromkeys(NAMES, 1e60),
    "too large in a list": [1e60] * 4,
    "an integer beyond floats": {"a": 10**400},
    "an array for a number": {"a": np.array([1.0])},
}


@pytest.mark.parametrize("wrong", WRONG_VALUES.values(), ids=WRONG_VALUES)
def test_a_close_that_fails_changes_nothing_and_can_be_made_good(wrong: Any) -> None:
    searcher, x, c, v = taught()
    untouched, *_ = taught()
    search = searcher.open(x, c, outside=-1e6)
    assert run(search, v) == []
    before = searcher.digest()
    with pytest.raises(wz.InvalidInputError) as caught:
        search.close(wrong)
    assert "must" in str(caught.value)
    assert "Got" in str(caught.value)
    assert searcher.digest() == before
    outcome = search.close(v)
    twin = untouched.open(x, c, outside=-1e6)
    assert twin.close(v) == outcome
    assert untouched.digest() == searcher.digest()


@pytest.mark.parametrize("feedback", ["opened", "probe", "opened+probe"])
@pytest.mark.parametrize("values", [{}, {"a": 1.0}, [1.0, 2.0, 3.0, 4.0]], ids=str)
def test_values_that_the_feedback_does_not_show_are_refused(feedback: str, values: Any) -> None:
    contexts, costs, found = record(1, gaps=False)
    searcher = make(feedback, boxes=NAMES)
    search = searcher.open(contexts[0], costs[0])
    run(search, found[0])
    before = searcher.digest()
    with pytest.raises(wz.InvalidInputError, match="only under feedback 'full'"):
        search.close(values)
    assert searcher.digest() == before
    search.close()
    if feedback != "probe":
        assert searcher.digest() != before


WAITING: dict[str, Callable[[wz.LiveSearch[Hashable]], object]] = {
    "close": lambda s: s.close(),
    "close with values": lambda s: s.close([1.0, 2.0, 3.0, 4.0]),
    "next": next,
    "another box": lambda s: s.see(1.0, box="z"),
    "miss another box": lambda s: s.miss(box="z"),
}


@pytest.mark.parametrize("act", WAITING.values(), ids=WAITING)
def test_a_call_that_the_search_does_not_wait_for_changes_nothing(
    act: Callable[[wz.LiveSearch[Hashable]], object],
) -> None:
    searcher, x, c, v = taught()
    search = searcher.open(x, c)
    box = next(search)
    before = searcher.digest()
    with pytest.raises(wz.SearchStateError):
        act(search)
    assert searcher.digest() == before
    search.see(v[NAMES.index(str(box))], box=box)
    run(search, v)
    assert search.close(v).opened[0] == box


@pytest.mark.parametrize(
    "wrong",
    [math.nan, math.inf, "3", b"3", True, np.True_, None, 1j, 10**400, 1e60, [1.0, 2.0]],
    ids=lambda w: repr(w)[:20],
)
def test_a_wrong_value_is_refused_when_it_is_seen(wrong: Any) -> None:
    """And not later, when the search could no longer be closed."""
    searcher, x, c, _ = taught()
    search = searcher.open(x, c)
    next(search)
    before = searcher.digest()
    with pytest.raises(wz.InvalidInputError, match="value of box"):
        search.see(wrong)
    assert searcher.digest() == before
    search.see(-1e6)
    assert search.close({}).value == -1e6


def test_a_round_that_opens_can_be_closed() -> None:
    """Whatever contexts are let in can be learned from."""
    searcher = make("full", boxes=NAMES)
    for size in (1e-300, 1e10, 1e49, 1e51, 1e100, 1e300):
        try:
            search = searcher.open(np.full((4, 3), size), 1.0)
        except wz.InvalidInputError:
            continue
        run(search, np.arange(4.0))
        search.close(np.arange(4.0))


def test_the_callers_arrays_may_be_used_again() -> None:
    """What is learned is what the round was opened with, as for callers that fill one buffer."""
    contexts, costs, values = record(20, gaps=False)
    kept, reused = make("full", boxes=NAMES), make("full", boxes=NAMES)
    x, c, v = np.empty((4, 3)), np.empty(4), np.empty(4)
    for t in range(20):
        x[:], c[:], v[:] = contexts[t], costs[t], values[t]
        search, twin = reused.open(x, c), kept.open(contexts[t].copy(), costs[t].copy())
        x[:], c[:] = 9.0, 7.0
        run(search, v)
        run(twin, v)
        assert search.close(v) == twin.close(v)
        v[:] = 1.0
    assert reused.digest() == kept.digest()


@pytest.mark.parametrize("values", [{}, [1.0, 2.0, 3.0, 4.0], {"a": 1.0}], ids=str)
def test_boxes_may_join_while_a_search_is_open(values: Any) -> None:
    searcher, x, c, v = taught()
    twin, *_ = taught()
    search, other = searcher.open(x, c), twin.open(x, c)
    searcher.add_boxes(["e"])
    run(search, v)
    run(other, v)
    assert search.close(values) == other.close(values)
    twin.add_boxes(["e"])
    assert searcher.digest() == twin.digest()


def test_a_box_that_joined_later_is_none_of_the_rounds() -> None:
    searcher, x, c, v = taught()
    search = searcher.open(x, c)
    run(search, v)
    search.close({})
    searcher.add_boxes(["e"])
    with pytest.raises(wz.InvalidInputError, match="one of the round's"):
        search.late("e", 1.0)


@every_feedback
def test_closing_early_learns_what_was_seen(feedback: str) -> None:
    contexts, costs, values = record(1, gaps=False)
    searcher = make(feedback, boxes=NAMES)
    search = searcher.open(contexts[0], costs[0], outside=1e6)
    box = next(search)
    search.see(values[0, NAMES.index(str(box))])
    outcome = search.close({} if feedback == "full" else None)
    assert outcome.opened == (box,)
    assert bank_of(searcher).looks().sum() <= 1
    with pytest.raises(wz.SearchStateError, match="closed"):
        next(search)


def test_the_learners_of_these_tests_are_all_that_can_be_saved() -> None:
    from weitzman.learn.storage.registry import LEARNERS as SAVED

    assert {type(learner).__name__ for learner in LEARNERS.values()} == set(SAVED)
