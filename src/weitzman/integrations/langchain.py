"""LangChain: a middleware of an agent that runs a live search over chat models for every call of a model.

::

    agent = create_agent(models["small"], tools=[…], middleware=[SearchMiddleware(models, search)])

A turn that calls a tool is no answer yet: it is returned without a grade, and no other model is asked.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from weitzman.errors import InvalidInputError
from weitzman.integrations.asking import Asked, run_at_once
from weitzman.integrations.pool import Question
from weitzman.integrations.searching import Heard, ModelSearch
from weitzman.search.extras import need

_AgentMiddleware: Any = need(
    "The middleware needs LangChain", "langchain", "langchain.agents.middleware"
).AgentMiddleware
_ROLES = {"human": "user", "ai": "assistant"}


class SearchMiddleware(_AgentMiddleware):  # type: ignore[misc]
    """Answers every call of a model by a search over ``models``, chat models by their names in the pool.

    ``task`` returns the tag of a request's task. What was asked is in the ``response_metadata`` of the
    answer, as ``weitzman``.
    """

    def __init__(
        self,
        models: Mapping[str, Any],
        search: ModelSearch,
        *,
        task: Callable[[Any], str | None] | None = None,
    ) -> None:
        super().__init__()
        if set(models) != set(search.pool.names):
            rule = f"be those of the pool, {search.pool.names}"
            raise InvalidInputError("The models of the middleware", rule, sorted(models))
        self.models, self.search, self.task = models, search, task

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Answer a call of a model."""

        async def call(model: str, seconds: float) -> Any:
            return handler(request.override(model=self.models[model]))

        return _finished(run_at_once(self.search.answer(self._question(request), call, _heard)))

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Answer a call of a model, for asyncio."""

        async def call(model: str, seconds: float) -> Any:
            return await handler(request.override(model=self.models[model]))

        return _finished(await self.search.answer(self._question(request), call, _heard))

    def _question(self, request: Any) -> Question:
        system = [] if request.system_message is None else [request.system_message]
        messages = [
            {"role": _ROLES.get(message.type, message.type), "content": message.content}
            for message in [*system, *request.messages]
        ]
        task = None if self.task is None else self.task(request)
        return Question(messages=messages, task=task)


def _message(response: Any) -> Any:
    return response.result[0] if hasattr(response, "result") else response


def _heard(response: Any) -> Heard:
    message = _message(response)
    usage = getattr(message, "usage_metadata", None) or {}
    return Heard(
        text=message.text,
        prompt_tokens=usage.get("input_tokens"),
        answer_tokens=usage.get("output_tokens"),
        calls_tool=bool(getattr(message, "tool_calls", None)),
    )


def _finished(asked: Asked) -> Any:
    assert asked.answer is not None
    response = asked.answer.reply
    _message(response).response_metadata["weitzman"] = asked.report()
    return response
