"""Judging other policies by the journal of a problem, in a process of its own.

The process is given a line of JSON and the exported log, and answers in JSON
(:mod:`weitzman.serve.commands.judge_log`).
"""

import msgspec

from weitzman.errors import InvalidInputError
from weitzman.learn.policies.portfolio.portfolio import policy_name
from weitzman.learn.storage.registry import named_policy
from weitzman.ledger.state.problem import Problem
from weitzman.serve.commands.exchange import export_log
from weitzman.serve.commands.judge_log import Asked, Told
from weitzman.serve.engine.engine import Engine
from weitzman.serve.messages.judgements import JudgedPolicy, JudgementReport, JudgeQuestion
from weitzman.serve.messages.refusal import Refusal, from_input_error


async def judge_journal(engine: Engine, problem: Problem, query: JudgeQuestion) -> JudgementReport:
    """Return what the stored rounds of a problem say of policies, or that it is not known yet."""
    settings = problem.settings
    policies = [name.strip() for name in query.policy.split(",")]
    try:
        # What has no name is refused before a process begins
        known = [policy_name(named_policy(name, shared=False)) for name in policies]
    except InvalidInputError as error:
        raise from_input_error(error, "policy") from None
    bound = settings.least if problem.sign > 0.0 else settings.most
    asked = Asked(
        policies=policies,
        against=query.against,
        learn=query.learn,
        explored_for=[name for name in known if name == settings.explore_for],
        features=[f"x_{name}" for name in settings.features],
        least=None if bound is None else problem.sign * bound,
    )

    async def given() -> bytes:
        return msgspec.json.encode(asked) + b"\n" + await export_log(engine, problem)

    question = problem.name, problem.first, msgspec.json.encode(asked)
    content = await engine.apart.ask(question, "weitzman.serve.commands.judge_log", given)
    if content is None:
        return JudgementReport(problem=problem.name, done=False)
    told = msgspec.json.decode(content, type=Told)
    if told.refused is not None:
        raise Refusal("invalid", told.refused)
    recorded = None if told.recorded is None else problem.sign * told.recorded
    return JudgementReport(
        problem=problem.name,
        done=True,
        rounds=told.rounds,
        recorded=recorded,
        against=told.against,
        policies=[_judged(row, problem.sign) for row in told.rows],
    )


def judgement_report(content: JudgementReport) -> JudgementReport:
    """Return what was found."""
    return content


def _judged(row: dict[str, str | float | None], sign: float) -> JudgedPolicy:
    """Return a row of a judgement, in the problem's own direction."""

    def turned(*names: str) -> list[float | None]:
        found = [row[name] for name in (names if sign > 0.0 else names[::-1])]
        return [None if x is None else sign * float(x) for x in found]

    (total,), (naive,) = turned("doubly_robust"), turned("naive")
    low, high = turned("low", "high")
    difference_low, difference_high = turned("difference_low", "difference_high")
    given = {"total": total, "naive": naive, "low": low, "high": high}
    given |= {"difference_low": difference_low, "difference_high": difference_high}
    same = ("policy", "certain", "explored", "unidentified", "rounds_explored", "verdict")
    whole = {**{name: row[name] for name in same}, "total_error": row["doubly_robust_se"], **given}
    return msgspec.convert(whole, JudgedPolicy)
