"""The keys of a journal that others write too: none that a process has taken in is ever denied."""

import random
import threading
import time
from collections.abc import Callable

from weitzman.errors import JournalUnavailableError
from weitzman.ledger.event import Event
from weitzman.ledger.postgres.followed import FollowedKeys


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
    followed = FollowedKeys(keys)
    followed.reach(50_000)
    until(lambda: not followed.may_hold("p", "new"))
    assert all(followed.may_hold("p", f"k{seq}") for seq in range(1, 50_001, 77))
    followed.read(50_000, [event(50_001), event(50_002)])
    followed.appended([event(50_003)])
    assert all(followed.may_hold("p", f"k{seq}") for seq in (50_001, 50_002, 50_003))
    assert not followed.may_hold("p", "k50004")
    followed.close()


def test_own_events_among_those_of_others_make_nothing_doubtful() -> None:
    followed = FollowedKeys(keys)
    followed.read(0, [event(1)])
    followed.appended([event(5)])  # 2 to 4 are others', of other problems
    assert not followed.may_hold("p", "new")
    assert followed.may_hold("p", "k5")
    followed.read(1, [event(seq) for seq in range(2, 8)])
    assert not followed.may_hold("p", "new")
    assert followed.may_hold("p", "k7")
    followed.close()


def test_a_gap_makes_every_key_doubtful_until_it_is_filled() -> None:
    gate = threading.Event()

    def slow(after: int, until: int) -> list[tuple[str, str]]:
        gate.wait()
        return keys(after, until)

    followed = FollowedKeys(slow)
    followed.read(0, [event(1)])
    assert not followed.may_hold("p", "k2")
    followed.read(3, [event(4)])  # a snapshot held 2 and 3
    assert followed.may_hold("p", "k2")
    assert followed.may_hold("p", "new")
    gate.set()
    until(lambda: not followed.may_hold("p", "new"))
    assert all(followed.may_hold("p", f"k{seq}") for seq in (1, 2, 3, 4))
    followed.close()


def test_a_journal_that_cannot_be_read_leaves_every_key_doubtful_until_it_can() -> None:
    away = [True]

    def page(after: int, until: int) -> list[tuple[str, str]]:
        if away[0]:
            raise JournalUnavailableError("It does not answer.")
        return keys(after, until)

    followed = FollowedKeys(page)
    followed.reach(3)
    time.sleep(0.05)
    assert followed.may_hold("p", "new")
    away[0] = False
    followed.read(3, [event(4)])
    until(lambda: not followed.may_hold("p", "new"))
    assert all(followed.may_hold("p", f"k{seq}") for seq in (1, 2, 3, 4))
    followed.close()


def test_nothing_is_denied_in_any_order() -> None:
    chance = random.Random(1)
    for _ in range(50):
        followed, head = FollowedKeys(keys), 0
        own: set[int] = set()
        for _ in range(30):
            begin = head if chance.random() < 0.8 else head + chance.randrange(5)
            end = begin + chance.randrange(6)
            if chance.random() < 0.3 and end > begin:
                followed.appended([event(seq) for seq in range(begin + 1, end + 1)])
                own |= set(range(begin + 1, end + 1))
                head = end if begin == head else head
            else:
                followed.read(begin, [event(seq) for seq in range(begin + 1, end + 1)])
                head = end
            for seq in {*range(1, head + 1), *own}:
                assert followed.may_hold("p", f"k{seq}")
        followed.close()
