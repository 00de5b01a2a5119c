"""A full file system: 503, nothing acknowledged that is not stored, and on it goes when there is room.

The journal lies on a small tmpfs of its own. It is filled up, under load, and emptied again.
"""

import contextlib
import random
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.reliability.calls import Caller, truth_of
from tests.reliability.scale import scaled
from tests.serve.running import CONTEXTS, Running

SIZE = 16 << 20


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of a few megabytes."""
    place = tmp_path / "small"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(place)]
    try:
        made = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("NO FULL DISK WAS TESTED: there is no mount command")
    if made.returncode:
        pytest.skip(f"NO FULL DISK WAS TESTED: only root can mount a tmpfs: {made.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


class Opener(threading.Thread):
    """Opens and closes rounds without a pause, whatever it is told."""

    def __init__(self, number: int, port: Callable[[], int], stop: threading.Event) -> None:
        super().__init__()
        self._number, self._stop_asked = number, stop
        self._caller = Caller(port)
        self._random = random.Random(number)
        self.acknowledged: list[tuple[str, str]] = []
        self.unavailable = 0
        self.others: list[object] = []

    def run(self) -> None:
        count = 0
        while not self._stop_asked.is_set():
            count += 1
            name = f"o{self._number}-{count}"
            rows = [[x + self._random.gauss(0.0, 1.0) for x in row] for row in CONTEXTS]
            path = "/v1/problems/p/rounds"
            if self._call(path, {"id": name, "contexts": rows}):
                self.acknowledged.append(("opened", name))
                if self._call(f"{path}/{name}/close", {}):
                    self.acknowledged.append(("closed", name))
        self._caller.close()

    def _call(self, path: str, body: object) -> bool:
        answer = self._caller.call("POST", path, body)
        if answer is not None and answer.status in (200, 201):
            return True
        if answer is not None and answer.status == 503:
            self.unavailable += 1
            time.sleep(0.01)
        else:
            self.others.append(answer)
        return False


def _fill(place: Path) -> None:
    """Write until nothing more goes."""
    with (place / "filler").open("ab", buffering=0) as file:
        for block in (1 << 20, 1 << 12, 1):
            with contextlib.suppress(OSError):
                while file.write(b"\0" * block):
                    pass


def _until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@scaled(2, 20)
def test_a_full_disk_is_told_and_forgotten_when_there_is_room(
    count: int, small: Path, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    data = small / "events.db"
    service = Running(data, "--snapshot-every", "200", log=tmp_path / "service.log")
    stop = threading.Event()
    openers = [Opener(number, lambda: service.port, stop) for number in range(4)]

    def refusal_response() -> int:
        return sum(opener.unavailable for opener in openers)

    def done() -> int:
        return sum(len(opener.acknowledged) for opener in openers)

    waits = []
    try:
        service.wait_until_ready()
        service.problem("p")
        for opener in openers:
            opener.start()
        for _ in range(count):
            before = done()
            _until(lambda goal=before + 40: done() >= goal)  # type: ignore[misc]
            _fill(small)
            told = refusal_response()
            _until(lambda goal=told + 20: refusal_response() >= goal)  # type: ignore[misc]
            assert service.get("/healthz").status_code == 200
            before = done()
            (small / "filler").unlink()
            began = time.monotonic()
            _until(lambda goal=before + 1: done() >= goal)  # type: ignore[misc]
            waits.append(time.monotonic() - began)
        stop.set()
        for opener in openers:
            opener.join(60.0)
        caller = Caller(lambda: service.port)
        live = caller.digest()
        caller.close()
    finally:
        stop.set()
        service.kill()
    assert [told for opener in openers for told in opener.others] == []
    truth = truth_of(data)
    stored = {(event.kind, event.key) for event in truth.events}
    rounds = [e for e in truth.events if e.kind in ("opened", "closed")]
    lost = [w for opener in openers for w in opener.acknowledged if w not in stored]
    figure(
        f"disk filled {count} times under load: {refusal_response()} calls told 503, {len(lost)} of {done()} "
        f"acknowledged events not stored; first answer at most {max(waits):.2f} s after there was room"
    )
    assert lost == []
    assert len({(e.kind, e.key) for e in rounds}) == len(rounds)
    assert live == (truth.events[-1].seq, truth.folded)
    assert truth.resumed == truth.folded
    assert data.stat().st_size < SIZE


def test_a_service_on_a_full_disk_starts_when_there_is_room(small: Path, tmp_path: Path) -> None:
    _fill(small)
    refused = Running(small / "events.db", log=tmp_path / "service.log")
    assert refused.process.wait(60.0) != 0
    refused.http.close()
    text = (tmp_path / "service.log").read_text(encoding="utf-8")
    assert "Traceback" not in text
    assert "full" in text or "disk" in text or "space" in text
    (small / "filler").unlink()
    service = Running(small / "events.db", log=tmp_path / "service.log")
    service.wait_until_ready()
    service.problem("p")
    service.stop()
