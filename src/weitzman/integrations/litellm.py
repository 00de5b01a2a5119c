"""LiteLLM: models named ``weitzman/…`` that run a whole search, and a logger that writes logs of calls.

::

    search = ModelSearch(pool=pool, grader=is_right)
    litellm.custom_provider_map = [
        {"provider": "weitzman", "custom_handler": SearchProvider({"answers": search})}
    ]
    litellm.completion("weitzman/answers", messages=[…])

The models of the pool bear the names that LiteLLM knows them by, such as ``openai/gpt-5-nano``, or are given
what LiteLLM needs for them. LiteLLM repeats no call by itself here: what fails is the search's to decide.
"""

import csv
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from math import isinf
from pathlib import Path
from typing import Any

from weitzman.errors import InvalidInputError
from weitzman.integrations.asking import Asked, run_at_once
from weitzman.integrations.grading import ByFunction, GradingError, checked_grade
from weitzman.integrations.pool import Features, Question
from weitzman.integrations.searching import Heard, ModelSearch
from weitzman.search.extras import need

litellm: Any = need("The provider needs LiteLLM", "litellm", "litellm")
_CustomLLM: Any = need("The provider needs LiteLLM", "litellm", "litellm.llms.custom_llm").CustomLLM
_CustomLogger: Any = need(
    "The logger needs LiteLLM", "litellm", "litellm.integrations.custom_logger"
).CustomLogger

_OWN = frozenset({"stream", "stream_options", "max_retries", "num_retries", "timeout"})
"""What is not passed on to the models."""


class SearchProvider(_CustomLLM):  # type: ignore[misc]
    """Answers for models named ``weitzman/NAME``, by searches of these names.

    ``calls`` are the arguments of ``litellm.completion`` by name of model in the pool; a model that is not in
    it is called by its name.
    """

    def __init__(
        self,
        searches: Mapping[str, ModelSearch],
        calls: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        super().__init__()
        self.searches = searches
        self.calls = calls or {}

    def completion(self, *args: Any, **given: Any) -> Any:
        """Answer a question."""

        async def call(model: str, seconds: float) -> Any:
            return litellm.completion(**self._call(model, given, seconds))

        search, question = self._asked(given)
        return _finished(run_at_once(search.answer(question, call, _heard)))

    async def acompletion(self, *args: Any, **given: Any) -> Any:
        """Answer a question, for asyncio."""

        async def call(model: str, seconds: float) -> Any:
            return await litellm.acompletion(**self._call(model, given, seconds))

        search, question = self._asked(given)
        return _finished(await search.answer(question, call, _heard))

    def streaming(self, *args: Any, **given: Any) -> Iterator[dict[str, Any]]:
        """Answer a question; its text is one piece, once it is chosen, and so is each call of a tool."""
        yield from _pieces(self.completion(*args, **given))

    async def astreaming(self, *args: Any, **given: Any) -> AsyncIterator[dict[str, Any]]:
        """Answer a question, for asyncio; its text is one piece, and so is each call of a tool."""
        for piece in _pieces(await self.acompletion(*args, **given)):
            yield piece

    def _asked(self, given: Mapping[str, Any]) -> tuple[ModelSearch, Question]:
        name = given["model"]
        if name not in self.searches:
            rule = f"be one of {list(self.searches)}"
            raise InvalidInputError("The name behind 'weitzman/'", rule, name)
        about = (given.get("litellm_params") or {}).get("metadata") or {}
        question = Question(
            messages=given["messages"],
            task=about.get("task"),
            request=given.get("optional_params") or {},
        )
        return self.searches[name], question

    def _call(self, model: str, given: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        options = {k: v for k, v in (given.get("optional_params") or {}).items() if k not in _OWN}
        limits = {} if isinf(seconds) else {"timeout": seconds}
        named = {"model": model, "messages": given["messages"], "max_retries": 0}
        return {**named, **limits, **options, **self.calls.get(model, {})}


def _heard(reply: Any) -> Heard:
    usage = getattr(reply, "usage", None)
    message = reply.choices[0].message
    return Heard(
        text=message.content or "",
        prompt_tokens=getattr(usage, "prompt_tokens", None),
        answer_tokens=getattr(usage, "completion_tokens", None),
        calls_tool=bool(getattr(message, "tool_calls", None)),
    )


def _finished(asked: Asked) -> Any:
    """Return the reply with what was asked, as ``reply.weitzman``, and what all of it cost."""
    assert asked.answer is not None
    reply = asked.answer.reply
    reply.weitzman = asked.report()
    reply._hidden_params["response_cost"] = asked.paid
    return reply


def _pieces(reply: Any) -> Iterator[dict[str, Any]]:
    choice, usage = reply.choices[0], getattr(reply, "usage", None)
    open_end = {"text": "", "is_finished": False, "finish_reason": "", "index": 0, "usage": None}
    for place, call in enumerate(getattr(choice.message, "tool_calls", None) or ()):
        function = {"name": call.function.name, "arguments": call.function.arguments}
        called = {"id": call.id, "type": "function", "function": function, "index": place}
        yield {**open_end, "tool_use": called}
    yield {
        "text": choice.message.content or "",
        "is_finished": True,
        "finish_reason": choice.finish_reason or "stop",
        "index": 0,
        "tool_use": None,
        "usage": None if usage is None else usage.model_dump(),
    }


class LogWriter(_CustomLogger):  # type: ignore[misc]
    """Writes every call as a row of a log, as :func:`weitzman.read_log` reads it: a look at a model.

    Rounds are named by ``metadata={"round": …}`` of a call, or by its trace. A call costs what LiteLLM says,
    and a wrong answer, or none, ``wrong_answer``. ``grader`` is a function of the question and the text.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        grader: Callable[[Question, str], Any],
        wrong_answer: float,
        features: Features | None = None,
    ) -> None:
        super().__init__()
        self.path = Path(path)
        self.grader = ByFunction(function=grader)
        self.wrong_answer = wrong_answer
        self.features = Features() if features is None else features
        self._lock = threading.Lock()

    def log_success_event(
        self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any
    ) -> None:
        """Write a call that was answered."""
        question = _question(kwargs)
        try:
            grade = checked_grade(self.grader.function(question, _heard(response_obj).text))
        except GradingError:
            grade = None
        value = None if grade is None else self.wrong_answer * (1.0 - grade)
        self._write(kwargs, question, kwargs.get("response_cost") or 0.0, value)

    def log_failure_event(
        self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any
    ) -> None:
        """Write a call that failed."""
        self._write(kwargs, _question(kwargs), 0.0, self.wrong_answer)

    async def async_log_success_event(
        self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any
    ) -> None:
        """Write a call that was answered."""
        self.log_success_event(kwargs, response_obj, start_time, end_time)

    async def async_log_failure_event(
        self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any
    ) -> None:
        """Write a call that failed."""
        self.log_failure_event(kwargs, response_obj, start_time, end_time)

    def _write(self, kwargs: Any, question: Question, cost: float, value: float | None) -> None:
        about = kwargs.get("litellm_params") or {}
        if about.get("custom_llm_provider") == "weitzman":
            return  # a search: its calls have rows of their own
        named = (_metadata(kwargs).get("round"), kwargs.get("litellm_trace_id"))
        row = {
            "round": next((n for n in named if n is not None), kwargs.get("litellm_call_id")),
            "box": kwargs["model"],
            "cost": cost,
            "value": value,
            "opened": True,
        }
        columns = [f"x_{column}" for column in self.features.columns]
        row |= dict(zip(columns, self.features.row(question), strict=True))
        with self._lock, self.path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(row))
            if file.tell() == 0:
                writer.writeheader()
            writer.writerow(row)


def _metadata(kwargs: Any) -> Mapping[str, Any]:
    found: Mapping[str, Any] = (kwargs.get("litellm_params") or {}).get("metadata") or {}
    return found


def _question(kwargs: Any) -> Question:
    return Question(messages=kwargs["messages"], task=_metadata(kwargs).get("task"))
