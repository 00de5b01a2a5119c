"""What an answer is worth: graders give it a grade from 0, wrong, to 1, right.

A grader sees the question and all answers so far: a new one may say something of those before it
(:class:`Agreement`). A grade of None is not known, or not yet.
"""

import inspect
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from weitzman.errors import InvalidInputError
from weitzman.integrations.pool import Question
from weitzman.search.extras import need

Call = Callable[[str], Awaitable["ModelReply"]]


@dataclass(frozen=True, kw_only=True)
class ModelReply:
    """What came back from a model.

    ``text`` is what it says, ``reply`` what came as the tool has it, ``cost`` what it really cost, ``error``
    why there is no answer, if there is none. ``calls_tool``: it is a turn that calls a tool, no answer yet.
    """

    text: str = ""
    reply: Any = None
    cost: float = 0.0
    seconds: float = 0.0
    error: str | None = None
    calls_tool: bool = False


@dataclass(frozen=True, kw_only=True)
class Grades:
    """One grade for each answer, and what they cost."""

    marks: Sequence[float | None]
    cost: float = 0.0


class GradingError(Exception):
    """A grader that failed, after it had cost something perhaps: the answer has no grade."""

    def __init__(self, reason: str, cost: float = 0.0) -> None:
        super().__init__(reason)
        self.cost = cost


class Grader(Protocol):
    """Grades answers; one that ``waits`` has no grade before somebody says it.

    ``least`` is how many answers it needs before it can grade one.
    """

    waits: bool

    @property
    def least(self) -> int:
        """How many answers it needs."""

    async def grade(self, question: Question, answers: Sequence[ModelReply]) -> Grades:
        """Return the grades of all answers so far; the last one is new."""


def checked_grade(grade: Any) -> float | None:
    """Return a grade as a number; a truth value is 1 or 0."""
    if grade is None:
        return None
    if not isinstance(grade, bool | int | float) or not 0.0 <= grade <= 1.0:
        raise GradingError(f"Expected a grade from 0 to 1, True, False or None; got {grade!r}.")
    return float(grade)


def _last(answers: Sequence[ModelReply], grade: float | None, cost: float = 0.0) -> Grades:
    return Grades(marks=[*[None] * (len(answers) - 1), grade], cost=cost)


@dataclass(frozen=True, kw_only=True)
class ByFunction:
    """Grades by ``function(question, text)``, which may be asynchronous."""

    function: Callable[[Question, str], Any]
    waits = False
    least = 1

    async def grade(self, question: Question, answers: Sequence[ModelReply]) -> Grades:
        """Return the grade of the last answer."""
        try:
            found = self.function(question, answers[-1].text)
            if inspect.isawaitable(found):
                found = await found
        except GradingError:
            raise
        except Exception as error:
            raise GradingError(f"the grader failed with {error!r}") from error
        return _last(answers, checked_grade(found))


@dataclass(frozen=True, kw_only=True)
class ByPattern:
    """An answer is right if a regular expression is found in it."""

    pattern: str
    waits = False
    least = 1

    async def grade(self, question: Question, answers: Sequence[ModelReply]) -> Grades:
        """Return the grade of the last answer."""
        return _last(answers, float(re.search(self.pattern, answers[-1].text) is not None))


class BySchema:
    """An answer is right if it is JSON of a schema."""

    waits = False
    least = 1

    def __init__(self, schema: Mapping[str, Any]) -> None:
        validators = need("Grading by a schema needs jsonschema-rs", "gateway", "jsonschema_rs")
        try:
            self._validator = validators.validator_for(dict(schema))
        except ValueError as error:
            raise InvalidInputError("The schema", "be a JSON schema", str(error)) from None

    async def grade(self, question: Question, answers: Sequence[ModelReply]) -> Grades:
        """Return the grade of the last answer."""
        try:
            found = json.loads(answers[-1].text)
        except ValueError:
            return _last(answers, 0.0)
        return _last(answers, float(self._validator.is_valid(found)))


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """An answer is right if ``count`` models say the same; the others are wrong then.

    What is compared is what ``pattern`` finds in an answer, its first group if it has one, without regard to
    white space and case; all of it without a pattern. Before enough agree, no grade is known. So many models
    are asked at least: a rule that stops after one answer would never know what any is worth.
    """

    count: int = 2
    pattern: str | None = None
    waits = False

    @property
    def least(self) -> int:
        """How many answers it needs."""
        return self.count

    def said(self, text: str) -> str | None:
        """Return what is compared of an answer; None if there is nothing."""
        if self.pattern is not None:
            found = re.search(self.pattern, text)
            if found is None:
                return None
            text = found.group(1 if found.re.groups else 0) or ""
        return " ".join(text.split()).casefold()

    async def grade(self, question: Question, answers: Sequence[ModelReply]) -> Grades:
        """Return the grades of all answers, once enough of them agree."""
        said = [self.said(answer.text) for answer in answers]
        last = said[-1]
        if last is None or said.count(last) < self.count:
            return Grades(marks=[None] * len(answers))
        return Grades(marks=[float(text == last) for text in said])


@dataclass(frozen=True, kw_only=True)
class Later:
    """The grade is reported afterwards: one model is asked, and its round waits."""

    waits = True
    least = 1

    async def grade(self, question: Question, answers: Sequence[ModelReply]) -> Grades:
        """Return no grade."""
        return Grades(marks=[None] * len(answers))


@dataclass(frozen=True, kw_only=True)
class ByModel:
    """A model grades: ``call`` asks it a text, in which ``{question}`` and ``{answer}`` are filled in.

    The answer is right if ``right`` is found in what it says; what it costs is part of the look.
    """

    call: Call
    prompt: str = (
        "Question:\n{question}\n\nAnswer:\n{answer}\n\n"
        "Is the answer right? Reply with one word, RIGHT or WRONG."
    )
    right: str = r"\bRIGHT\b"
    waits = False
    least = 1

    async def grade(self, question: Question, answers: Sequence[ModelReply]) -> Grades:
        """Return the grade of the last answer."""
        # Not format: an answer may hold braces
        parts = re.split(r"(\{question\}|\{answer\})", self.prompt)
        filled = {"{question}": question.text, "{answer}": answers[-1].text}
        said = await self.call("".join(filled.get(part, part) for part in parts))
        if said.error is not None:
            raise GradingError(said.error, said.cost)
        return _last(answers, float(re.search(self.right, said.text) is not None), said.cost)
