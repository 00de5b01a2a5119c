"""A live search over models: which one is asked next, what its answer is worth, and when to stop.

A round asks models in the order of its rule. An answer with the grade g from 0 (wrong) to 1 (right) has
the value (1 − g) · (the price of a wrong answer), and its look costs what the call and its grading cost. A
call that fails is a value at its worst, paid or not. The best answer is returned.

The gateway, LiteLLM's provider and LangChain's middleware all ask by :func:`find_answer`; they differ in
where rounds are decided (:class:`Rounds`) and in how a model is asked. The code is written once, for asyncio;
with functions that never wait :func:`run_at_once` runs it without a loop.
"""

from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from weitzman.errors import WeitzmanError
from weitzman.integrations.ahead import Ahead
from weitzman.integrations.calls import Ask, Calls, OpenRound
from weitzman.integrations.grading import Grader, GradingError, ModelReply
from weitzman.integrations.pool import Pool, Question
from weitzman.integrations.spending import NO_LIMITS, Limits, Purse

T = TypeVar("T")

BY_RULE: Final = "no other model is worth asking"
WAITS: Final = "the grade comes later"
NO_ANSWER_YET: Final = "the answer could not be graded: it calls a tool"


class Look(NamedTuple):
    """A model that was asked: what that cost, the value of its answer if it is known, how it failed."""

    model: str
    cost: float
    value: float | None
    seconds: float
    error: str | None


@dataclass(frozen=True, kw_only=True)
class Asked:
    """How a question was answered.

    ``answer`` is the best one, of ``model``; None if there is none. ``looks`` are the models asked, in order,
    ``why`` is why no other was. ``round`` is the name of the round, if it has one. ``under_way`` were asked
    ahead and are not needed any more: what they cost is counted when they have answered.
    """

    round: str
    model: str | None
    answer: ModelReply | None
    looks: tuple[Look, ...]
    why: str
    under_way: tuple[str, ...] = ()

    @property
    def paid(self) -> float:
        """What all looks cost."""
        return sum(look.cost for look in self.looks)

    @property
    def value(self) -> float | None:
        """The value of the answer; None if it is not known."""
        return next((look.value for look in self.looks if look.model == self.model), None)

    def report(self) -> dict[str, Any]:
        """Return what a caller sees of it, as JSON has it."""
        return {
            "round": self.round,
            "model": self.model,
            "asked": [look._asdict() for look in self.looks],
            "paid": self.paid,
            "value": self.value,
            "why": self.why,
            **({"under_way": self.under_way} if self.under_way else {}),
        }


class Rounds(Protocol):
    """Where rounds are decided: a searcher in this process, or a problem of the service."""

    async def open(self, question: Question) -> OpenRound:
        """Begin a round."""


@dataclass(kw_only=True, eq=False)
class _Course:
    """What a round has shown so far, by model."""

    answers: dict[str, ModelReply] = field(default_factory=dict)
    costs: dict[str, float] = field(default_factory=dict)
    values: dict[str, float] = field(default_factory=dict)

    @property
    def paid(self) -> float:
        return sum(self.costs.values())

    def next(self, opened: OpenRound, least: int) -> str | None:
        """Return the model to be asked next; None to stop."""
        model = opened.next()
        if model is None and self.answers and not self.values and len(self.answers) < least:
            return opened.cheapest()
        return model

    def result(self, name: str, why: str, worst: float, under_way: tuple[str, ...]) -> Asked:
        answered = [model for model, answer in self.answers.items() if answer.error is None]

        def rank(model: str) -> tuple[float, bool]:
            # An answer without a grade may be right; one that is as bad as can be is not
            return self.values.get(model, worst), model in self.values

        best = min(answered, key=rank, default=None)
        looks = [
            Look(model, self.costs[model], self.values.get(model), answer.seconds, answer.error)
            for model, answer in self.answers.items()
        ]
        return Asked(
            round=name,
            model=best,
            answer=None if best is None else self.answers[best],
            looks=tuple(looks),
            why=why,
            under_way=under_way,
        )


async def find_answer(
    pool: Pool,
    rounds: Rounds,
    question: Question,
    *,
    ask: Ask,
    grader: Grader,
    limits: Limits = NO_LIMITS,
    purse: Purse | None = None,
    ahead: Ahead | None = None,
) -> Asked:
    """Ask models in the order of the rule until none is worth it, and return the best answer."""
    opened = await rounds.open(question)
    calls = Calls(
        question,
        ask,
        opened,
        limits,
        Purse() if purse is None else purse,
        None if grader.waits else ahead,
    )
    course, waits, why = _Course(), False, BY_RULE
    try:
        while (model := course.next(opened, grader.least)) is not None:
            refused = calls.begin(model, course.paid)
            if refused is not None:
                why = refused
                break
            cost = 0.0
            try:
                answer = await calls.answer(model, pool.wrong_answer, course.paid)
                cost = answer.cost
                course.answers[model], course.costs[model] = answer, cost
                known, graded_for, why = await _graded(question, course.answers, grader, pool)
                cost = course.costs[model] = cost + graded_for
            finally:
                calls.settle(model, cost)
            new = {m: v for m, v in known.items() if course.values.get(m) != v}
            course.values.update(new)
            await opened.see(model, cost, new)
            if ahead is not None and model in known:
                ahead.graded(model, known[model] / pool.wrong_answer)
            if why != BY_RULE:
                waits = why == WAITS
                break
    finally:
        left = calls.under_way
        if left and ahead is not None:
            ahead.leave(calls.pay())
        elif not waits:
            await opened.close()
    return course.result(opened.name, why, pool.wrong_answer, left)


async def _graded(
    question: Question, answers: Mapping[str, ModelReply], grader: Grader, pool: Pool
) -> tuple[dict[str, float], float, str]:
    """Return the values that are known now, what grading cost, and why the search stops, if it does."""
    worst = pool.wrong_answer
    values = {model: worst for model, answer in answers.items() if answer.error is not None}
    whole = [model for model in answers if model not in values]
    if not whole or list(answers)[-1] in values:
        return values, 0.0, BY_RULE
    if answers[whole[-1]].calls_tool:
        return values, 0.0, NO_ANSWER_YET
    if grader.waits:
        return values, 0.0, WAITS
    try:
        grades = await grader.grade(question, [answers[model] for model in whole])
    except GradingError as error:
        return values, error.cost, f"the answer could not be graded: {error}"
    for model, grade in zip(whole, grades.marks, strict=True):
        if grade is not None:
            values[model] = worst * (1.0 - grade)
    return values, grades.cost, BY_RULE


def run_at_once(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine that has nothing to wait for."""
    try:
        work.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    work.close()
    raise WeitzmanError("A grader that waits for something needs the asynchronous call.")
