"""What a gateway does with a request: a question is asked, a grade is taken in, models are listed."""

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import msgspec

from weitzman.errors import InvalidInputError
from weitzman.integrations.ahead import Ahead
from weitzman.integrations.asking import Asked, find_answer
from weitzman.integrations.gateway.completion import as_events, headers_of, with_report
from weitzman.integrations.gateway.config import Config
from weitzman.integrations.gateway.connections import Connections
from weitzman.integrations.gateway.embeddings import Embeddings
from weitzman.integrations.gateway.graders import make_grader
from weitzman.integrations.gateway.rounds import JournalRounds
from weitzman.integrations.gateway.upstream import Upstream
from weitzman.integrations.grading import ModelReply
from weitzman.integrations.pool import Question
from weitzman.integrations.spending import DAY_SPENT, REQUEST_SPENT, Purse
from weitzman.ledger.bodies import Answered, Seen, decode
from weitzman.ledger.state.problem import Problem
from weitzman.serve.commands.first import problem_of
from weitzman.serve.commands.problems import create_problem, warm_up
from weitzman.serve.commands.rounds import box_name, close_round, known_history, see_values
from weitzman.serve.engine.engine import Engine, checked_key
from weitzman.serve.http.request import Request
from weitzman.serve.http.route import JSON, Call, Route
from weitzman.serve.messages.refusal import Refusal, from_input_error, unreadable
from weitzman.serve.messages.response import Response, media_headers
from weitzman.serve.messages.schema import CloseRequest, SeeRequest, Wire

_JSON: Final = media_headers(JSON)
_EVENTS: Final = media_headers("text/event-stream")
Finished = tuple[bytes, Mapping[str, Any]]
"""A completion, and the report in it."""

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


class Feedback(Wire):
    """A grade of an answer that came later: of a ``model``, or of the last answer that has none."""

    round: str
    grade: bool | float
    model: str | None = None


class FeedbackReply(Wire):
    """What became of a grade; ``late``: the round had ended, so it is stored but not learned."""

    round: str
    model: str
    value: float
    late: bool


class Gateway:
    """Questions on the way through a pool of models; the problem is made when the service begins."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.name = config.gateway.name
        self.pool = config.pool()
        self._connections = Connections()
        self._models = {
            section.name: Upstream(section, model, self._connections)
            for section, model in zip(config.models, self.pool.models, strict=True)
        }
        self._grader = make_grader(config.grade, self._connections)
        about = config.features.embedding
        self._embeddings = None if about is None else Embeddings(about, self._connections)
        self._limits = config.limits.of_a_request
        day = config.limits.day
        self._purse = Purse() if day is None else Purse(day)
        second = config.gateway.second
        self._ahead = Ahead(second) if second else None
        # By idempotency key: what is asked at this moment
        self._under_way: dict[str, tuple[str, asyncio.Task[Finished]]] = {}

    @property
    def routes(self) -> tuple[Route, ...]:
        """The routes of the gateway."""
        made = partial(Route, problem=self.name, strange_keys=True)
        return (
            made(
                label="POST /v1/chat/completions",
                access="write",
                summary="Answer a question.",
                answer=self.complete,
                takes_type=JSON,
            ),
            made(
                label="POST /v1/feedback",
                access="write",
                summary="Take the grade of an answer.",
                answer=self.take_grade,
                takes=Feedback,
                gives=FeedbackReply,
            ),
            made(
                label="GET /v1/models",
                access="read",
                summary="List the name to ask for.",
                answer=self.list_models,
            ),
        )

    async def begin(self, engine: Engine) -> None:
        """Make the problem, unless it is there, and count what was spent today."""
        about = self.config.gateway
        # Whoever asks once has to pick as if that were all: the first model of a search is a cheap one
        policy = about.policy or ("one-shot" if self._grader.waits else "default")
        searcher = self.pool.searcher(policy, explore=about.explore)
        try:
            asked = problem_of(self.name, searcher)
            asked.waiting_time = about.waiting_time
            asked.description = "Which language model to ask, by the gateway."
            ask = await warm_up(engine, asked)
            create_problem(engine, ask)
        except Refusal as error:
            subject, rule = f"The problem {self.name!r}", "be one that the service can take"
            raise InvalidInputError(subject, rule, str(error)) from None
        if self.config.limits.day is not None:
            self._purse.add(await asyncio.to_thread(self._spent_today, engine))

    def _spent_today(self, engine: Engine) -> float:
        begin, spent = self._purse.begin * 1e6, 0.0
        for event in engine.journal.read(problem=self.name):
            if event.kind == "seen" and event.at >= begin:
                body = decode(event.kind, event.body)
                assert isinstance(body, Seen)
                spent += sum(cost for _, cost in body.costs)
        return spent

    async def complete(self, request: Request, call: Call) -> Response:
        """Answer a question."""
        try:
            body = _decode(call.body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise unreadable(error, call.body) from None
        question = self._question(body, request.headers)
        content, report = await self._once(request, call, question)
        headers = headers_of(report)
        if body.get("stream") is True:
            options = body.get("stream_options")
            with_usage = isinstance(options, Mapping) and options.get("include_usage") is True
            return Response(200, as_events(content, with_usage), (*_EVENTS, *headers))
        return Response(200, content, (*_JSON, *headers))

    def _question(self, body: Any, headers: Mapping[bytes, bytes]) -> Question:
        """Return what is asked, or refuse what is no question to this gateway."""
        if not isinstance(body, dict):
            raise Refusal("invalid", "Expected an object.")
        if body.get("model") != self.name:
            shown = str(body.get("model"))[:100]
            raise Refusal(
                "unknown", f"There is no model {shown!r}; ask for {self.name!r}.", "model"
            )
        messages = body.get("messages")
        if not isinstance(messages, list) or not all(isinstance(m, dict) for m in messages):
            raise Refusal("invalid", "Expected a list of messages.", "messages")
        task = headers.get(b"x-weitzman-task", b"").decode("latin-1") or None
        if task is None and isinstance(body.get("metadata"), dict):
            task = body["metadata"].get("task")
        return Question(messages=messages, task=task, request=body)

    async def _once(self, request: Request, call: Call, question: Question) -> Finished:
        """Return what answers a question; the same again if its key came before, also at this moment."""
        given = request.headers.get(b"idempotency-key")
        if given is None:
            return await self._answered(call.engine, question)
        key = checked_key(given)
        sha = hashlib.sha256(call.body).hexdigest()
        before = call.engine.answered(self.name, key=key, request=sha)
        if before is not None:
            return before[1], _decode(before[1])["weitzman"]
        under_way = self._under_way.get(key)
        if under_way is None:
            work = self._answered_for_good(call.engine, question, key, sha)
            task = asyncio.get_running_loop().create_task(work)
            self._under_way[key] = under_way = sha, task
            task.add_done_callback(lambda _: self._under_way.pop(key, None))
        if under_way[0] != sha:
            raise Refusal(
                "key-reused", f"The key {key!r} is of another request.", "Idempotency-Key"
            )
        # To its end, whatever becomes of those who wait: what is asked has to be paid
        return await asyncio.shield(under_way[1])

    async def _answered_for_good(
        self, engine: Engine, question: Question, key: str, sha: str
    ) -> Finished:
        content, report = await self._answered(engine, question)
        engine.happen(self.name, Answered(sha, 200, msgspec.Raw(content)), key)
        return content, report

    async def _answered(self, engine: Engine, question: Question) -> Finished:
        if self._embeddings is not None:
            known = await self._embeddings.numbers(question.text)
            question = replace(question, embedding=known)
        try:
            asked = await find_answer(
                self.pool,
                JournalRounds(self.pool, engine, self.name),
                question,
                ask=self._ask,
                grader=self._grader,
                limits=self._limits,
                purse=self._purse,
                ahead=self._ahead,
            )
        except InvalidInputError as error:
            raise from_input_error(error) from None
        report = asked.report()
        if asked.answer is None:
            raise _without_answer(asked)
        return with_report(asked.answer.reply, report), report

    async def _ask(self, model: str, question: Question, seconds: float) -> ModelReply:
        return await self._models[model].ask(question, seconds)

    async def take_grade(self, request: Request, call: Call) -> Response:
        """Take in a grade that came later; a round that waited for it ends and is learned."""
        ask: Feedback = call.body
        if not 0.0 <= ask.grade <= 1.0:
            raise Refusal("invalid", "Expected a grade from 0 to 1, or a truth value.", "grade")
        rounds = JournalRounds(self.pool, call.engine, self.name)
        value = self.pool.wrong_answer * (1.0 - ask.grade)

        def take(problem: Problem) -> FeedbackReply:
            opened = problem.rounds.get(ask.round)
            history = known_history(call.engine, problem, ask.round)
            known = history.round if opened is None else opened
            model = ask.model
            if model is None:
                open_ones = [row for row, v in {**known.looks, **history.late}.items() if v is None]
                if not open_ones:
                    text = f"Every answer of the round {ask.round!r} has its grade."
                    raise Refusal("conflict", text, "round")
                model = box_name(problem, known, open_ones[-1])
            if model not in problem.place or problem.place[model] not in known.looks:
                raise Refusal("invalid", f"The model {model!r} was not asked.", "model")
            seen = see_values(call.engine, problem, ask.round, SeeRequest({model: value}))
            if not seen.late and self._grader.waits:
                close_round(call.engine, problem, ask.round, CloseRequest())
            return FeedbackReply(round=ask.round, model=model, value=value, late=seen.late)

        return Response(200, _encode(await rounds.carry_out(take, True)), _JSON)

    async def list_models(self, request: Request, call: Call) -> Response:
        """List the one name that clients ask for."""
        listed = {"id": self.name, "object": "model", "created": 0, "owned_by": "weitzman"}
        return Response(200, _encode({"object": "list", "data": [listed]}), _JSON)


def _without_answer(asked: Asked) -> Refusal:
    """Return what a client is told where no model has answered."""
    if asked.why in (DAY_SPENT, REQUEST_SPENT) and not asked.looks:
        return Refusal("spent", f"No model was asked: {asked.why}.")
    failed = "; ".join(f"{look.model}: {look.error}" for look in asked.looks)
    return Refusal("no-answer", f"{failed or 'No model was asked'}: {asked.why}.")
