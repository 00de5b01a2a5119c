"""An upstream in a process of its own: it answers OpenAI's interface from recorded rounds, and may fail.

``python -m tests.integrations.upstream TABLE [FAULTS [DELAY]]`` prints its port. TABLE is an .npz with the
boxes, costs and values of rounds; question k of model m is answered ``right`` or ``wrong`` as its value is 0
or not, and the reply says what it cost. FAULTS is the share of calls that fail in one of several ways, drawn
by question and model; DELAY is how many seconds an answer takes. The embedding of a question is what is known
of it. A model named ``judge`` says whether an answer is RIGHT, for :data:`JUDGING`; a verifier, which is sent
an ``answer``, says so too. ``GET /asked`` returns how often each was asked, and what was billed.
"""

import asyncio
import hashlib
import json
import re
import socket
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

FAULTS = ("late", "429", "500", "cut", "nonsense", "no-choice", "gone")
LATE = 2.0
JUDGING = 0.25


def fault_of(question: int, model: str, share: float) -> str | None:
    """Return how a call fails; None if it does not."""
    drawn = hashlib.sha256(f"{question} {model}".encode()).digest()
    if int.from_bytes(drawn[:4]) >= share * 2**32:
        return None
    return FAULTS[drawn[4] % len(FAULTS)]


def question_of(messages: list[dict[str, Any]]) -> int:
    """Return the number of a question by its text."""
    found = re.search(r"Question (\d+)", messages[-1]["content"])
    assert found is not None
    return int(found.group(1))


def completion_of(said: str | None, question: int, model: str, cost: float) -> bytes:
    """Return a completion; without a choice if nothing is said."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": said},
        "finish_reason": "stop",
    }
    usage = {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11, "cost": cost}
    completion = {
        "id": f"chatcmpl-{question}-{model}",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [] if said is None else [choice],
        "usage": usage,
    }
    return json.dumps(completion).encode()


class Recorded:
    """The answers, and an account of who asked for them."""

    def __init__(self, table: Path, share: float) -> None:
        with np.load(table) as arrays:
            self.place = {str(name): k for k, name in enumerate(arrays["boxes"])}
            self.costs, self.values = arrays["costs"].tolist(), arrays["values"].tolist()
            self.contexts = arrays["contexts"].tolist() if "contexts" in arrays else []
        self.share = share
        self.asked: Counter[str] = Counter()
        self.billed = 0.0
        self.keys: list[str] = []

    def reply(self, body: dict[str, Any]) -> tuple[int, bytes, str | None]:
        """Return the status and the content of a reply, and how it fails on its way."""
        if "input" in body:
            known = self.contexts[question_of([{"content": body["input"]}])]
            return 200, json.dumps({"data": [{"index": 0, "embedding": known}]}).encode(), None
        if "answer" in body:
            return 200, json.dumps({"grade": body["answer"] == "right"}).encode(), None
        question, model = question_of(body["messages"]), body["model"]
        self.asked[f"{question} {model}"] += 1
        if model == "judge":
            self.billed += JUDGING
            right = "Answer:\nright\n" in body["messages"][-1]["content"]
            return 200, completion_of("RIGHT" if right else "WRONG", question, model, JUDGING), None
        fault = fault_of(question, model, self.share)
        if fault in ("429", "500"):
            return int(fault), b'{"error": {"message": "not now"}}', None
        cost = self.costs[question][self.place[model]]
        right = self.values[question][self.place[model]] == 0.0
        said = "right" if right else "wrong"
        if body.get("response_format") == {"type": "json_object"}:
            said = json.dumps({"said": said})
        content = completion_of(None if fault == "no-choice" else said, question, model, cost)
        if fault == "nonsense":
            return 200, b'{"choices": [{"message": {"content": nonsense', None
        if fault is None or fault == "no-choice":
            self.billed += cost
        return 200, content, fault


class Connection(asyncio.Protocol):
    """Reads requests one after the other."""

    def __init__(self, recorded: Recorded, delay: float) -> None:
        self.delay = delay
        self.recorded, self.transport, self.data = recorded, asyncio.Transport(), b""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.data += data
        while True:
            head, end, rest = self.data.partition(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
            size = int(length.group(1)) if length else 0
            if not end or len(rest) < size:
                return
            content, self.data = rest[:size], rest[size:]
            self.answer(head, content)

    def answer(self, head: bytes, content: bytes) -> None:
        if head.startswith(b"GET"):
            told = {name: getattr(self.recorded, name) for name in ("asked", "billed", "keys")}
            self.write(200, json.dumps(told).encode())
            return
        key = re.search(rb"authorization: (.*)\r\n", head)
        self.recorded.keys.append("" if key is None else key.group(1).decode())
        status, reply, fault = self.recorded.reply(json.loads(content))
        if fault == "late":
            asyncio.get_running_loop().call_later(LATE, self.write, status, reply)
        elif fault == "gone":
            self.transport.abort()
        elif fault == "cut":
            self.write(status, reply[: len(reply) // 2], announced=len(reply))
            self.transport.close()
        elif self.delay:
            asyncio.get_running_loop().call_later(self.delay, self.write, status, reply)
        else:
            self.write(status, reply)

    def write(self, status: int, content: bytes, announced: int | None = None) -> None:
        length = len(content) if announced is None else announced
        lines = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {length}"
        self.transport.write(lines.encode() + b"\r\n\r\n" + content)


async def serve(table: Path, share: float, delay: float) -> None:
    recorded, listener = Recorded(table, share), socket.create_server(("127.0.0.1", 0))
    server = await asyncio.get_running_loop().create_server(
        lambda: Connection(recorded, delay), sock=listener
    )
    sys.stdout.write(f"{listener.getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    given = [float(text) for text in sys.argv[2:]]
    asyncio.run(serve(Path(sys.argv[1]), *given, *[0.0] * (2 - len(given))))
