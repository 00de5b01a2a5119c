"""The grader that a file asks for; those that ask over HTTP have their way to it here."""

import json
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import Any

import msgspec

from weitzman.errors import InvalidFileError
from weitzman.integrations.gateway import config
from weitzman.integrations.gateway.config import loaded, secret
from weitzman.integrations.gateway.connections import Address, Connections, NoReplyError
from weitzman.integrations.gateway.upstream import Upstream
from weitzman.integrations.grading import (
    Agreement,
    ByFunction,
    ByModel,
    ByPattern,
    BySchema,
    Grader,
    Grades,
    GradingError,
    Later,
    ModelReply,
    checked_grade,
)
from weitzman.integrations.pool import Question


def make_grader(described: config.Grade, connections: Connections) -> Grader:
    """Return the grader that a file asks for."""
    grader: Grader
    match described:
        case config.ByFunctionSection():
            grader = ByFunction(function=loaded(described.function))
        case config.ByHttpSection():
            grader = ByHttp(described, connections)
        case config.ByPatternSection():
            grader = ByPattern(pattern=described.pattern)
        case config.BySchemaSection():
            grader = BySchema(_schema(described.schema))
        case config.AgreementSection():
            grader = Agreement(count=described.count, pattern=described.pattern)
        case config.ByModelSection():
            grader = _by_model(described, connections)
        case config.LaterSection():
            grader = Later()
    return grader


def _schema(given: dict[str, Any] | str) -> dict[str, Any]:
    if isinstance(given, dict):
        return given
    try:
        found: dict[str, Any] = json.loads(Path(given).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidFileError(given, "be a JSON schema", str(error)) from None
    return found


def _by_model(described: config.ByModelSection, connections: Connections) -> ByModel:
    about = described.model
    upstream = Upstream(about, about.priced, connections)

    async def call(text: str) -> ModelReply:
        return await upstream.ask(Question.of(text), inf)

    said = {"prompt": described.prompt, "right": described.right}
    return ByModel(call=call, **{name: text for name, text in said.items() if text is not None})


class ByHttp:
    """A verifier: a question and its last answer go there, and a ``grade`` comes back."""

    waits = False
    least = 1

    def __init__(self, described: config.ByHttpSection, connections: Connections) -> None:
        self._about, self._connections = described, connections
        self._address = Address.of(described.url)
        self._head = self._address.head("" if self._address.path else "/", secret(described.key))

    async def grade(self, question: Question, answers: Sequence[ModelReply]) -> Grades:
        """Return the grade of the last answer."""
        asked = {
            "messages": question.messages,
            "task": question.task,
            "answer": answers[-1].text,
        }
        body, within = msgspec.json.encode(asked), self._about.timeout
        try:
            reply = await self._connections.post(self._address, self._head, body, within)
            found: Any = msgspec.json.decode(reply.content) if reply.status == 200 else None
        except (NoReplyError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise GradingError(f"the verifier failed with {error}") from None
        if not isinstance(found, dict) or "grade" not in found:
            raise GradingError(f"the verifier gave no grade, with the status {reply.status}")
        return Grades(marks=[*[None] * (len(answers) - 1), checked_grade(found["grade"])])
