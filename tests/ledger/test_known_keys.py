"""The keys of a journal that others write too: none that a process has taken in is ever denied."""

import random
import threading
import time
from collections.abc import Callable

from weitzman.errors import JournalUnavailableError
from weitzman.ledger.event import Event
from weitzman.ledger.key_filter import KnownKeys


def event(seq: int) -> Event:
    return Event(seq, "p", seq, "seen", 0, f"k{seq}", b"", b"")


def keys(after: int, until: int) -> list[tuple[str, str]]:
    return [("p", f"k{seq}") for seq in range(after + 1, until + 1)]


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10.0
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_what_was_there_is_read_and_what_comes_is_added() -> None:
    known = KnownKeys(keys)
    known.reach(50_000)
    until(lambda: not known.may_hold("p", "new"))
    assert all(known.may_hold("p", f"k{seq}") for seq in range(1, 50_001, 77))
    known.read(50_000, [event(50_001), event(50_002)])
    known.appended([event(50_003)])
    assert all(known.may_hold("p", f"k{seq}") for seq in (50_001, 50_002, 50_003))
    assert not known.may_hold("p", "k50004")
    known.close()


def test_own_events_among_those_of_others_make_nothing_doubtful() -> None:
    known = KnownKeys(keys)
    known.read(0, [event(1)])
    known.appended([event(5)])  # 2 to 4 are others', of other problems
    assert not known.may_hold("p", "new")
    assert known.may_hold("p", "k5")
    known.read(1, [event(seq) for seq in range(2, 8)])
    assert not known.may_hold("p", "new")
    assert known.may_hold("p", "k7")
    known.close()


def test_a_gap_makes_every_key_doubtful_until_it_is_filled() -> None:
    gate = threading.Event()

    def slow(after: int, until: int) -> list[tuple[str, str]]:
        gate.wait()
        return keys(after, until)

    known = KnownKeys(slow)
    known.read(0, [event(1)])
    assert not known.may_hold("p", "k2")
    known.read(3, [event(4)])  # a snapshot held 2 and 3
    assert known.may_hold("p", "k2")
    assert known.may_hold("p", "new")
    gate.set()
    until(lambda: not known.may_hold("p", "new"))
    assert all(known.may_hold("p", f"k{seq}") for seq in (1, 2, 3, 4))
    known.close()


def test_a_journal_that_cannot_be_read_leaves_every_key_doubtful_until_it_can() -> None:
    away = [True]

    def page(after: int, until: int) -> list[tuple[str, str]]:
        if away[0]:
            raise JournalUnavailableError("It does not answer.")
        return keys(after, until)

    known = KnownKeys(page)
    known.reach(3)
    time.sleep(0.05)
    assert known.may_hold("p", "new")
    away[0] = False
    known.read(3, [event(4)])
    until(lambda: not known.may_hold("p", "new"))
    assert all(known.may_hold("p", f"k{seq}") for seq in (1, 2, 3, 4))
    known.close()


def test_nothing_is_denied_in_any_order() -> None:
    chance = random.Random(1)
    for _ in range(50):
        known, head = KnownKeys(keys), 0
        own: set[int] = set()
        for _ in range(30):
            begin = head if chance.random() < 0.8 else head + chance.randrange(5)
            end = begin + chance.randrange(6)
            if chance.random() < 0.3 and end > begin:
                known.appended([event(seq) for seq in range(begin + 1, end + 1)])
                own |= set(range(begin + 1, end + 1))
                head = end if begin == head else head
            else:
                known.read(begin, [event(seq) for seq in range(begin + 1, end + 1)])
                head = end
            for seq in {*range(1, head + 1), *own}:
                assert known.may_hold("p", f"k{seq}")
        known.close()
