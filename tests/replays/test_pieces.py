"""A replay that was stopped goes on: what is finished is not played again, and no bit is another."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.replays.logs import normal_log
from weitzman.logs.log import Log
from weitzman.replays import cases
from weitzman.replays.cases import Case, Replays, play_cases

CASES = [Case(), Case(feedback="opened")]
TASKS = 3 + 5 + 1  # parts under full and under opened, and the reservation values


class Counted:
    """The work of a replay, counted, that is interrupted at some task."""

    def __init__(self, stop: int | None = None) -> None:
        self.count = 0
        self._stop = stop
        self._perform = cases._perform

    def __call__(self, *arguments: Any) -> Any:
        if self.count == self._stop:
            raise KeyboardInterrupt
        self.count += 1
        return self._perform(*arguments)


def played(
    monkeypatch: pytest.MonkeyPatch, log: Log, kept: Path | None, stop: int | None = None
) -> tuple[int, Replays | None]:
    with monkeypatch.context() as patch:
        work = Counted(stop)
        patch.setattr(cases, "_perform", work)
        try:
            found = play_cases(
                log, CASES, promises=1.0, trees=False, workers=1, kept=kept, progress=False
            )
        except KeyboardInterrupt:
            return work.count, None
        return work.count, found


def assert_same(one: Replays | None, two: Replays | None) -> None:
    assert one is not None
    assert two is not None
    for case in CASES:
        first, second = (dataclasses.asdict(found.cases[case]) for found in (one, two))
        for name, value in first.items():
            np.testing.assert_array_equal(value, second[name], err_msg=name)
    for p, q in zip(one.promises, two.promises, strict=True):
        assert p.rule == q.rule
        for name in ("sigma", "values", "costs"):
            np.testing.assert_array_equal(getattr(p, name), getattr(q, name))


def test_a_stopped_replay_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    log, kept = normal_log(0.5, rounds=30, boxes=3), tmp_path / "parts"
    whole = played(monkeypatch, log, None)
    assert whole[0] == TASKS
    assert played(monkeypatch, log, kept, stop=3) == (3, None)
    assert len(list(kept.glob("*.npz"))) == 3
    rest = played(monkeypatch, log, kept)
    assert rest[0] == TASKS - 3
    assert_same(whole[1], rest[1])
    again = played(monkeypatch, log, kept)
    assert again[0] == 0
    assert_same(whole[1], again[1])


def test_damaged_pieces_are_played_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    log = normal_log(0.5, rounds=30, boxes=3)
    whole = played(monkeypatch, log, tmp_path)
    files = sorted(tmp_path.glob("*.npz"))
    files[0].write_bytes(files[0].read_bytes()[:-100])
    files[1].write_bytes(b"")
    content = bytearray(files[2].read_bytes())
    content[len(content) // 2] ^= 1
    files[2].write_bytes(bytes(content))
    rest = played(monkeypatch, log, tmp_path)
    assert rest[0] == 3
    assert_same(whole[1], rest[1])


def test_another_log_is_another_replay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    log = normal_log(0.5, rounds=30, boxes=3)
    played(monkeypatch, log, tmp_path)
    values = log.values.copy()
    values[7, 1] += 1e-9
    for other in (
        dataclasses.replace(log, values=values),
        dataclasses.replace(log, shared=not log.shared),
    ):
        assert played(monkeypatch, other, tmp_path)[0] == TASKS
