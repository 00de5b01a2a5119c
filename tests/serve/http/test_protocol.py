"""Bytes that are no HTTP: their refusal, and what they do to a request before them."""

import json
import socket
import time
from pathlib import Path

from tests.reliability.mutants import request, whole
from tests.serve.running import CONTEXTS, Running, running


def _exchange(service: Running, content: bytes) -> list[tuple[int, bytes]]:
    """Send bytes; return status and body of every answer until the connection ends."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=30.0) as wire:
        wire.sendall(content)
        told = b""
        while got := wire.recv(65_536):
            told += got
    answers = []
    while told:
        head, _, rest = told.partition(b"\r\n\r\n")
        length = next(
            int(line.split(b":")[1])
            for line in head.lower().split(b"\r\n")
            if line.startswith(b"content-length")
        )
        answers.append((int(head.split(b" ")[1]), rest[:length]))
        told = rest[length:]
    return answers


def _opening(name: str, *, last: bool) -> bytes:
    body = {"id": name, "contexts": CONTEXTS}
    head, content = request("POST", "/v1/problems/p/rounds", body)
    return whole(head if last else head.replace(b"Connection: close\r\n", b""), content)


def test_what_is_no_http_is_refused_in_the_one_shape(tmp_path: Path) -> None:
    with running(tmp_path / "events.db") as service:
        for content in (b"hello\r\n\r\n", b"GET /healthz HTTP/1.1\r\nHost 127\r\n\r\n"):
            ((status, body),) = _exchange(service, content)
            assert status == 400
            assert json.loads(body)["type"] == "urn:weitzman:no-http"
        lines = service.log.read_text(encoding="utf-8").splitlines()
        assert all(line.startswith("{") for line in lines)
        assert sum(line["event"] == "server" for line in service.logged()) == 2


def test_a_whole_request_is_answered_whatever_follows_it(tmp_path: Path) -> None:
    with running(tmp_path / "events.db") as service:
        service.problem("p")
        garbage = b"\x00\x01 no request\r\n\r\n"
        for number in range(20):
            ((status, body),) = _exchange(service, _opening(f"r{number}", last=False) + garbage)
            assert status == 201, body
            assert json.loads(body)["round"] == f"r{number}"


def test_requests_may_follow_each_other_without_waiting(tmp_path: Path) -> None:
    with running(tmp_path / "events.db") as service:
        service.problem("p")
        content = b"".join(_opening(f"r{k}", last=k == 4) for k in range(5))
        answers = _exchange(service, content)
        assert [json.loads(body)["round"] for _, body in answers] == [f"r{k}" for k in range(5)]


def test_a_body_that_breaks_on_the_way_changes_nothing(tmp_path: Path) -> None:
    with running(tmp_path / "events.db") as service:
        service.problem("p")
        head, body = request("POST", "/v1/problems/p/rounds", {"contexts": CONTEXTS})
        chunked = b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(body) + body + b"\r\nbroken\r\n"
        ((status, _),) = _exchange(service, head + chunked)
        assert status == 400
        assert service.get("/v1/problems/p").json()["rounds_open"] == 0


def _raw(service: Running, parts: list[bytes]) -> bytes:
    """Send parts one after the other; return all that comes back."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=30.0) as wire:
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for part in parts:
            wire.sendall(part)
            time.sleep(0.02)
        told = b""
        while got := wire.recv(65_536):
            told += got
    return told


def _shape(told: bytes) -> tuple[bytes, set[bytes], bytes]:
    """Return status line, headers and body of an answer."""
    head, _, body = told.partition(b"\r\n\r\n")
    first, *lines = head.split(b"\r\n")
    return first, set(lines), body


def test_a_request_in_pieces_gets_the_answer_of_a_whole_one(tmp_path: Path) -> None:
    bodies = [
        {"id": "same", "contexts": CONTEXTS, "outside": 3.0},
        {"id": "same", "contexts": CONTEXTS, "outside": 4.0},  # a conflict
        {"contexts": "none"},
    ]
    with running(tmp_path / "events.db") as service:
        service.problem("p")
        for body, status in zip(bodies, (b"201", b"409", b"422"), strict=True):
            head, content = request("POST", "/v1/problems/p/rounds", body)
            sent = whole(head, content)
            told = _raw(service, [sent])
            assert told.split(b" ")[1] == status
            large = whole(head, content + b" " * 100_000)
            for cut in (10, len(head) + 5, len(head) + 40, len(sent) - 1):
                assert _shape(_raw(service, [sent[:cut], sent[cut:]])) == _shape(told)
                assert _shape(_raw(service, [large[:cut], large[cut:]])) == _shape(told)
            chunks = head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(content) + content
            assert _shape(_raw(service, [chunks + b"\r\n0\r\n\r\n"])) == _shape(told)
            expects = head.replace(b"\r\n", b"\r\nExpect: 100-continue\r\n", 1)
            got = _raw(service, [whole(expects, content)])
            assert _shape(got.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n")) == _shape(told)
        assert service.get("/v1/problems/p").json()["rounds_open"] == 1


def test_a_request_of_http_1_0_gets_its_answer_and_the_end_of_the_connection(
    tmp_path: Path,
) -> None:
    with running(tmp_path / "events.db") as service:
        service.problem("p")
        head, _ = request("GET", "/v1/problems/p", None)
        plain = _shape(_raw(service, [whole(head, b"")]))
        before = head.replace(b"HTTP/1.1", b"HTTP/1.0").replace(b"Connection: close\r\n", b"")
        asks = before + b"Connection: keep-alive\r\n"
        # With a query the long way, without one directly
        for one in (before, asks):
            for path in (b"/v1/problems/p ", b"/v1/problems/p?a=1 "):
                sent = whole(one.replace(b"/v1/problems/p ", path, 1), b"")
                assert _shape(_raw(service, [sent])) == plain, sent


def test_a_query_and_escaped_letters_change_nothing_about_a_path(tmp_path: Path) -> None:
    with running(tmp_path / "events.db") as service:
        service.problem("p")
        head, _ = request("GET", "/v1/problems/p", None)
        plain = _shape(_raw(service, [whole(head, b"")]))
        assert plain[0].split(b" ")[1] == b"200"
        for other in (
            b"/v1/problems/p?a=1",
            b"/v1/problems/%70",
            b"/v1/problems/p?",
            b"/v1/p%72oblems/p",
        ):
            sent = whole(head.replace(b"/v1/problems/p", other, 1), b"")
            assert _shape(_raw(service, [sent])) == plain, other


def test_a_client_that_waits_to_be_asked_for_its_body_is_asked(tmp_path: Path) -> None:
    with running(tmp_path / "events.db") as service:
        service.problem("p")
        head, content = request("POST", "/v1/problems/p/rounds", {"contexts": CONTEXTS})
        sent = whole(head.replace(b"\r\n", b"\r\nExpect: 100-continue\r\n", 1), content)
        begin, body = sent[: -len(content)], sent[-len(content) :]
        with socket.create_connection(("127.0.0.1", service.port), timeout=30.0) as wire:
            wire.sendall(begin)
            assert wire.recv(65_536) == b"HTTP/1.1 100 Continue\r\n\r\n"
            wire.sendall(body)
            assert wire.recv(65_536).startswith(b"HTTP/1.1 201 ")


def test_a_connection_that_is_not_used_ends(tmp_path: Path) -> None:
    with running(tmp_path / "events.db") as service:
        service.problem("p")
        with socket.create_connection(("127.0.0.1", service.port), timeout=30.0) as wire:
            for number in range(2):
                wire.sendall(_opening(f"r{number}", last=False))
                assert wire.recv(65_536).startswith(b"HTTP/1.1 201")
                begin = time.monotonic()
                time.sleep(1.0)
            assert wire.recv(1) == b""
            assert 4.0 < time.monotonic() - begin < 9.0


def test_a_request_that_takes_its_time_is_not_cut_off(tmp_path: Path) -> None:
    with running(tmp_path / "events.db") as service:
        service.problem("p")
        with socket.create_connection(("127.0.0.1", service.port), timeout=30.0) as wire:
            wire.sendall(_opening("first", last=False))
            assert wire.recv(65_536).startswith(b"HTTP/1.1 201")
            sent = _opening("second", last=True)
            for begin, end in ((0, 30), (30, len(sent) - 10), (len(sent) - 10, len(sent))):
                time.sleep(3.0)
                wire.sendall(sent[begin:end])
            assert wire.recv(65_536).startswith(b"HTTP/1.1 201")
