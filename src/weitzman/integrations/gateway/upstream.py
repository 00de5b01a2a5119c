"""Upstream models: a question goes there as it came, but for the name of the model, and is not streamed.

A reply counts as an answer if it is a completion as of OpenAI's interface. All else is an error: a status, no
reply in time, a reply that is cut off or is no completion.
"""

import time
from collections.abc import Mapping
from typing import Any

import msgspec

from weitzman.integrations.gateway.config import ModelSection, secret
from weitzman.integrations.gateway.connections import Address, Connections, NoReplyError
from weitzman.integrations.grading import ModelReply
from weitzman.integrations.pool import Model, Question

_encode = msgspec.json.Encoder().encode


class _Part(msgspec.Struct):
    text: str = ""


class _Message(msgspec.Struct):
    content: str | list[_Part] | None = None
    tool_calls: list[Any] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "".join(part.text for part in self.content)
        return self.content or ""


class _Choice(msgspec.Struct):
    message: _Message


class _Usage(msgspec.Struct):
    prompt_tokens: float | None = None
    completion_tokens: float | None = None


class _Wanted(msgspec.Struct):
    """What is read of a completion; the rest is passed on as it is."""

    choices: list[_Choice]
    usage: _Usage | None = None


_decode = msgspec.json.Decoder(_Wanted).decode


class Upstream:
    """A model, and the way to it."""

    def __init__(self, described: ModelSection, model: Model, connections: Connections) -> None:
        self.model = model
        self._about = described
        self._connections = connections
        self._address = Address.of(described.url)
        self._head = self._address.head("/chat/completions", secret(described.key))
        self._called = described.model or described.name

    async def ask(self, question: Question, seconds: float) -> ModelReply:
        """Return the answer to a question, or why there is none."""
        body = {**question.request, "messages": question.messages, "model": self._called}
        body.pop("stream", None)
        body.pop("stream_options", None)
        begin = time.perf_counter()
        cost, text, error, content, calls_tool = 0.0, "", None, b"", False
        within = min(seconds, self._about.timeout)
        try:
            reply = await self._connections.post(self._address, self._head, _encode(body), within)
            content = reply.content
            if reply.status != 200:
                error = f"the status {reply.status}"
            else:
                found = _decode(content)
                if found.choices:
                    message = found.choices[0].message
                    text, calls_tool = message.text, bool(message.tool_calls)
                else:
                    error = "a completion without a choice"
                cost = self._cost(question, found, content)
        except NoReplyError as failure:
            error = str(failure)
            if failure.was_sent and self._about.pays_failures:
                cost = self.model.expected_price(question)
        except (msgspec.DecodeError, UnicodeDecodeError):
            error = "a reply that is no completion"
            if self._about.pays_failures:
                cost = self.model.expected_price(question)
        return ModelReply(
            text=text,
            reply=content,
            cost=cost,
            seconds=round(time.perf_counter() - begin, 6),
            error=error,
            calls_tool=calls_tool,
        )

    def _cost(self, question: Question, found: _Wanted, content: bytes) -> float:
        """Return what a reply cost: as it says itself, by its tokens, or else as was expected."""
        if self._about.cost is not None:
            said: Any = msgspec.json.decode(content)
            for part in self._about.cost.split("."):
                said = said.get(part) if isinstance(said, Mapping) else None
            if isinstance(said, int | float) and 0.0 <= said <= 1e12:
                return float(said)
        usage = found.usage or _Usage()
        prompt, tokens = usage.prompt_tokens, usage.completion_tokens
        if prompt is None or tokens is None or not (prompt >= 0.0 and tokens >= 0.0):
            return self.model.price(
                question.tokens, len(found.choices[0].message.text) / 4.0 if found.choices else 0.0
            )
        return self.model.price(prompt, tokens)
