"""A search over models in this process: what is asked, what is graded, and what is returned."""

from collections.abc import Mapping
from typing import Any

import pytest

from weitzman.errors import InvalidInputError
from weitzman.integrations.asking import Asked, run_at_once
from weitzman.integrations.grading import ByModel, Grades, GradingError, Later, ModelReply
from weitzman.integrations.pool import Model, Pool, Question
from weitzman.integrations.searching import Heard, ModelSearch
from weitzman.integrations.spending import REQUEST_SPENT, Limits

WRONG = 20.0
QUESTION = Question.of("What is right?")


def pool(count: int = 3, **more: Any) -> Pool:
    models = [Model(name=f"m{k}", output=1000.0 * (k + 1)) for k in range(count)]
    return Pool(models=models, wrong_answer=WRONG, give_up=WRONG, **more)


def asked(search: ModelSearch, replies: Mapping[str, Heard]) -> Asked:
    async def call(model: str, seconds: float) -> Heard:
        return replies[model]

    return run_at_once(search.answer(QUESTION, call, lambda reply: reply))


def test_a_turn_that_calls_a_tool_is_returned_though_a_wrong_answer_came_before_it() -> None:
    search = ModelSearch(pool=pool(), grader=lambda question, text: text == "right", policy="all")
    replies = {
        "m0": Heard(text="wrong"),
        "m1": Heard(text="", calls_tool=True),
        "m2": Heard(text="right"),
    }
    found = asked(search, replies)
    assert [look.model for look in found.looks] == ["m0", "m1"]
    assert [look.value for look in found.looks] == [WRONG, None]
    assert (found.model, found.value) == ("m1", None)
    assert found.why == "the answer could not be graded: it calls a tool"


def test_an_answer_without_a_grade_is_better_than_a_wrong_one_and_worse_than_a_good_one() -> None:
    def grade(question: Question, text: str) -> float:
        if text == "?":
            raise GradingError("no grade")
        return float(text)

    for first, best in (("0.0", "m1"), ("0.5", "m0")):
        search = ModelSearch(pool=pool(2), grader=grade, policy="all")
        assert asked(search, {"m0": Heard(text=first), "m1": Heard(text="?")}).model == best


def test_grades_that_come_later_are_refused_where_nobody_waits_for_them() -> None:
    with pytest.raises(InvalidInputError, match=r"The grader must grade one answer at once"):
        ModelSearch(pool=pool(), grader=Later())


def test_the_price_of_a_judge_is_part_of_every_look() -> None:
    judge = Model(name="judge", input=8.0, output=100.0, answer_tokens=10.0)
    plain, judged = pool().expected_costs(QUESTION), pool(judge=judge).expected_costs(QUESTION)
    assert plain is not None
    assert judged is not None
    each = (8.0 * (QUESTION.tokens + 300.0) + 100.0 * 10.0) / 1e6
    assert [b - a for a, b in zip(plain, judged, strict=True)] == pytest.approx([each] * 3)


def test_a_judge_is_asked_for_one_word_of_the_two_that_are_read() -> None:
    prompts = []

    async def call(text: str) -> ModelReply:
        prompts.append(text)
        return ModelReply(text="RIGHT", cost=0.5)

    answers = [ModelReply(text="forty-two {answer}")]
    assert run_at_once(ByModel(call=call).grade(QUESTION, answers)) == Grades(marks=[1.0], cost=0.5)
    assert prompts == [
        "Question:\nWhat is right?\n\nAnswer:\nforty-two {answer}\n\n"
        "Is the answer right? Reply with one word, RIGHT or WRONG."
    ]


def test_limits_hold_where_costs_are_learned_once_a_model_was_paid() -> None:
    search = ModelSearch(
        pool=pool(costs="learned"),
        grader=lambda question, text: False,
        policy="all",
        limits=Limits(request=2.5),
        price=lambda reply: 2.0,
    )
    replies = {name: Heard(text="wrong") for name in search.pool.names}
    found = [asked(search, replies) for _ in range(8)]
    # Each model is a surprise once, and then nobody is asked beyond the limit
    assert all(len(each.looks) == 1 for each in found[3:])
    assert {each.why for each in found[3:]} == {REQUEST_SPENT}
