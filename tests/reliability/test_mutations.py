"""Spoiled requests as raw bytes: no answer is 500 or more, and none that is refused changes anything.

Whether bytes are a whole request is judged by h11, another reader than the service's: what is not whole is
sent and dropped, as by a caller who goes away; what is whole, or broken, is answered.
"""

import random
import socket
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import h11

from tests.reliability.calls import Caller, truth_of
from tests.reliability.mutants import CONTEXTS, PROBLEM, mutated, request
from tests.reliability.scale import scaled
from tests.serve.running import Running, running

EACH = 10_000  # requests to one service, so that its state stays small


def is_unfinished(content: bytes) -> bool:
    """Return whether more bytes could make this a request."""
    content = content.lstrip(b"\r\n")  # empty lines before a request are no part of it
    if not content:
        return True
    reader = h11.Connection(h11.SERVER)
    try:
        reader.receive_data(content)
        while True:
            event = reader.next_event()
            if event is h11.NEED_DATA:
                return True
            if isinstance(event, h11.EndOfMessage) or event is h11.PAUSED:
                return False
    except h11.RemoteProtocolError:
        return False


def exchange(port: int, content: bytes) -> int | None:
    """Send bytes and return the status of the answer; None if there is none."""
    with socket.create_connection(("127.0.0.1", port), timeout=20.0) as wire:
        try:
            wire.sendall(content)
            # The two readers may disagree on what is broken: the service may wait for more
            wire.settimeout(0.002 if is_unfinished(content) else 3.0)
            answer = b""
            while b"\r\n" not in answer:
                got = wire.recv(65_536)
                if not got:
                    return None
                answer += got
        except (ConnectionError, TimeoutError):
            return None
    return int(answer.split(b" ", 2)[1])


def _prepare(service: Running) -> list[tuple[bytes, bytes]]:
    """Make what the requests speak of; return uploads that the service would take."""
    service.problem("target")
    for name in ("known", "ended"):
        service.post(f"{PROBLEM}/rounds", {"id": name, "contexts": CONTEXTS})
    service.post(f"{PROBLEM}/rounds/ended/values", {"values": {"a": 1.0}})
    service.post(f"{PROBLEM}/rounds/ended/close")
    log, state = service.get(f"{PROBLEM}/log").content, service.get(f"{PROBLEM}/state").content
    return [
        request("POST", f"{PROBLEM}/log", log, "application/vnd.apache.parquet"),
        request("PUT", f"{PROBLEM}/state", state, "application/octet-stream"),
    ]


def _settled(caller: Caller) -> tuple[int, str]:
    """Return the digest when nothing that was sent is under way any more."""
    known = caller.digest()
    while True:
        time.sleep(0.02)
        again = caller.digest()
        if again == known:
            return known
        known = again


@scaled(1_500, 100_000)
def test_spoiled_requests_are_refused_and_change_nothing(
    count: int, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    rng = random.Random(count)
    found: Counter[int | None] = Counter()
    faults: list[bytes] = []
    changed: list[tuple[int, bytes]] = []
    for part, begin in enumerate(range(0, count, EACH)):
        data = tmp_path / f"{part}.db"
        with running(data) as service:
            uploads = _prepare(service)
            caller = Caller(lambda port=service.port: port)  # type: ignore[misc]
            known = caller.digest()
            for _ in range(min(EACH, count - begin)):
                content = mutated(rng, uploads)
                status = exchange(service.port, content)
                found[status] += 1
                if status is not None and status >= 500:
                    faults.append(content)
                if status is None or status < 400:
                    known = _settled(caller) if status is None else caller.digest()
                elif (now := caller.digest()) != known:
                    changed.append((status, content))
                    known = now
            caller.close()
            events, live = known
            service.kill()
        truth = truth_of(data)
        assert (truth.events[-1].seq, truth.folded, truth.resumed) == (events, live, live)
    told = {("none" if s is None else s): n for s, n in sorted(found.items(), key=str)}
    figure(
        f"{count} mutated requests: {len(faults)} answers ≥ 500, {len(changed)} refused ones changed the "
        f"digest; answers {told}"
    )
    assert faults == []
    assert changed == []
    assert {200, 201, 400, 404, 405, 422} <= found.keys()
