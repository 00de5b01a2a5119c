"""Commands on problems: create, list, describe, archive."""

import asyncio
import contextlib

import msgspec

from weitzman.errors import InvalidInputError
from weitzman.learn.storage.registry import LEARNERS
from weitzman.ledger.bodies import Archived, Created
from weitzman.ledger.state.problem import Problem
from weitzman.search.numbers import LIMIT
from weitzman.serve.engine.engine import Engine
from weitzman.serve.messages.refusal import Refusal, from_input_error
from weitzman.serve.messages.schema import NewProblem, ProblemList, ProblemView

__all__ = ["archive_problem", "create_problem", "list_problems", "problem_view", "warm_up"]


async def warm_up(engine: Engine, ask: NewProblem) -> NewProblem:
    """Compile what a new problem needs, on a thread, before it is there."""
    if not engine.warm_up.is_done(ask):
        # What cannot be warmed up is refused by the command, which says why
        with contextlib.suppress(InvalidInputError):
            await asyncio.to_thread(engine.warm_up.run, ask)
    return ask


def create_problem(engine: Engine, ask: NewProblem) -> ProblemView:
    """Create a problem, or tell again of the one with this name and these settings."""
    settings = _settings(engine, ask)
    before = engine.state.problems.get(ask.name)
    if before is not None:
        if before.settings != settings:
            text = f"There is a problem {ask.name!r} with other settings."
            raise Refusal("conflict", text, "name")
        return problem_view(before)
    if len(engine.state.problems) >= engine.settings.problems_limit:
        raise Refusal("too-many", f"There are {len(engine.state.problems)} problems.")
    try:
        Problem(name=ask.name, at=0, settings=settings)
    except InvalidInputError as error:
        raise from_input_error(error, _at_fault(ask)) from None
    engine.happen(ask.name, settings)
    return problem_view(engine.state.problems[ask.name])


def _at_fault(ask: NewProblem) -> str:
    """Return the field without which the settings would be taken."""
    if ask.policy is not None:
        return "parameters" if ask.parameters else "policy"
    return "parameters" if ask.learner in LEARNERS and ask.parameters else "learner"


def list_problems(engine: Engine) -> ProblemList:
    """Return all problems, by name."""
    problems = engine.state.problems
    return ProblemList(problems=[problem_view(problems[name]) for name in sorted(problems)])


def archive_problem(engine: Engine, problem: Problem) -> ProblemView:
    """Let a problem take no more rounds."""
    if not problem.archived:
        engine.happen(problem.name, Archived())
    return problem_view(problem)


def problem_view(problem: Problem) -> ProblemView:
    """Return a problem as the caller sees it."""
    settings = msgspec.structs.asdict(problem.settings)
    # Which release the defaults are of is no setting that anybody chooses
    del settings["defaults"]
    waiting = settings.pop("waiting")
    return ProblemView(
        **settings,
        name=problem.name,
        dimension=len(problem.settings.features),
        waiting_time=waiting * 1e-6,
        created=problem.at * 1e-6,
        archived=problem.archived,
        rounds_open=len(problem.rounds),
        rounds_closed=problem.tally.closed,
    )


def _settings(engine: Engine, ask: NewProblem) -> Created:
    limits = engine.settings
    features = ask.features
    if features is None:
        if ask.dimension is None:
            text = "Tell the dimension of a context, or the names of its features."
            raise Refusal("invalid", text, "dimension")
        if ask.dimension > limits.dimension_limit:
            raise Refusal("invalid", f"Expected at most {limits.dimension_limit}.", "dimension")
        features = [str(i) for i in range(ask.dimension)]
    elif ask.dimension is not None and ask.dimension != len(features):
        raise Refusal("invalid", f"Expected the number of features, {len(features)}.", "dimension")
    for field, names, most in (
        ("boxes", ask.boxes, limits.boxes_limit),
        ("features", features, limits.dimension_limit),
    ):
        if len(names) > most:
            raise Refusal("invalid", f"Expected at most {most}.", field)
        if len(set(names)) < len(names):
            raise Refusal("invalid", "Expected distinct names.", field)
    if ask.cost is not None and not ask.cost <= LIMIT:
        raise Refusal("invalid", f"Expected a number of at most {LIMIT:g}.", "cost")
    given = msgspec.structs.asdict(ask)
    for other in ("name", "dimension", "features", "waiting_time"):
        del given[other]
    waiting = max(1, round(ask.waiting_time * 1e6))
    return Created(**given, features=features, waiting=waiting, defaults=2)
