"""Commands on problems: create, list, describe, change, archive, delete."""

import asyncio
import contextlib
import gc
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from weitzman.errors import InvalidInputError
from weitzman.feedback import BOUNDED
from weitzman.learn.settings import bound_of
from weitzman.learn.storage.parameters import check_parameters
from weitzman.learn.storage.registry import LEARNERS, named_policy
from weitzman.ledger.bodies import Archived, Changed, Created, Deleted, Unarchived
from weitzman.ledger.state.problem import Problem
from weitzman.search.numbers import LIMIT
from weitzman.search.reservation import Sense
from weitzman.serve.engine.engine import Engine
from weitzman.serve.messages.refusal import Refusal, from_input_error
from weitzman.serve.messages.schema import ChangedProblem, NewProblem, ProblemList, ProblemView


async def warm_up(engine: Engine, ask: NewProblem) -> NewProblem:
    """Load what a new problem needs, on a thread, before it is there."""
    if not engine.warm_up.is_done(ask):
        # What cannot be warmed up is refused by the command, which says why
        with contextlib.suppress(InvalidInputError):
            await asyncio.to_thread(engine.warm_up.run, ask)
            # What was loaded stays: the collector need never look at it
            gc.freeze()
    return ask


def create_problem(engine: Engine, ask: NewProblem) -> ProblemView:
    """Create a problem, or return the one with this name and these settings."""
    return found_or_made(engine, ask, may_differ=())


def found_or_made(engine: Engine, ask: NewProblem, *, may_differ: Sequence[str]) -> ProblemView:
    """Return a problem, which is created if there is none with this name.

    Settings that ``may_differ`` need not be those of one that is there.
    """
    settings = _settings(engine, ask)
    _check_draws(settings)
    before = engine.state.problem(ask.name)
    if before is not None:
        fixed = (name for name in Created.__struct_fields__ if name not in may_differ)
        if any(getattr(before.settings, name) != getattr(settings, name) for name in fixed):
            text = f"There is a problem {ask.name!r} with other settings."
            raise Refusal("conflict", text, "name")
        return problem_view(before)
    there = len(engine.state.present())
    if there >= engine.settings.problems_limit:
        raise Refusal("too-many", f"There are {there} problems.")
    try:
        check_parameters(settings.policy or settings.learner, ask.parameters)
        Problem(name=ask.name, at=0, settings=settings)
    except InvalidInputError as error:
        raise from_input_error(error, _at_fault(ask)) from None
    engine.happen(ask.name, settings)
    return problem_view(engine.state.problems[ask.name])


def _at_fault(ask: NewProblem) -> str:
    """Return the field without which the settings would be taken."""
    if ask.parameters and (ask.policy is not None or ask.learner in LEARNERS):
        return "parameters"
    return "learner" if ask.policy is None else "policy"


def list_problems(engine: Engine, only: str | None) -> ProblemList:
    """Return all problems, by name, or the one that the caller may see."""
    shown = [p for p in engine.state.present() if only in (None, p.name)]
    return ProblemList(problems=[problem_view(problem) for problem in shown])


def archive_problem(engine: Engine, problem: Problem) -> ProblemView:
    """Let a problem take no more rounds."""
    if not problem.archived:
        engine.happen(problem.name, Archived())
    return problem_view(problem)


def unarchive_problem(engine: Engine, problem: Problem) -> ProblemView:
    """Let a problem take rounds again."""
    if problem.archived:
        engine.happen(problem.name, Unarchived())
    return problem_view(problem)


def delete_problem(engine: Engine, problem: Problem) -> ProblemView:
    """Forget a problem; return it as it was."""
    view = problem_view(problem)
    engine.happen(problem.name, Deleted())
    return view


def change_problem(engine: Engine, problem: Problem, ask: ChangedProblem) -> ProblemView:
    """Let settings of a problem become others; those that are left out stay."""
    settings = problem.settings
    _check_cost(ask.cost)
    if ask.explore is not UNSET:
        _check_draws(msgspec.structs.replace(settings, explore=ask.explore))
    least = settings.least if ask.least is UNSET else ask.least
    most = settings.most if ask.most is UNSET else ask.most
    _check_bound(least, most, settings.sense)
    changes: dict[str, Any] = {
        name: value
        for name, value in msgspec.structs.asdict(ask).items()
        if value is not UNSET and name != "waiting_time" and value != getattr(settings, name)
    }
    if ask.waiting_time is not UNSET and _microseconds(ask.waiting_time) != settings.waiting:
        changes["waiting"] = _microseconds(ask.waiting_time)
    if changes:
        engine.happen(problem.name, Changed(**changes))
    return problem_view(problem)


def problem_view(problem: Problem) -> ProblemView:
    """Return a problem as the caller sees it."""
    settings = msgspec.structs.asdict(problem.settings)
    # Which release the defaults are of is no setting that anybody chooses
    del settings["defaults"]
    if problem.settings.policy is not None:
        settings["learner"] = None
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
            text = "Give the dimension of a context, or the names of its features."
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
    _check_cost(ask.cost)
    _check_bound(ask.least, ask.most, ask.sense)
    given = msgspec.structs.asdict(ask)
    for other in ("name", "dimension", "features", "waiting_time"):
        del given[other]
    if ask.learner is None:
        del given["learner"]
    elif ask.policy is not None:
        raise Refusal("invalid", "Expected a policy or a learner, not both.", "policy")
    waiting = _microseconds(ask.waiting_time)
    return Created(**given, features=features, waiting=waiting, defaults=3)


def _microseconds(seconds: float) -> int:
    return max(1, round(seconds * 1e6))


def _check_cost(cost: float | UnsetType | None) -> None:
    if isinstance(cost, float) and not cost <= LIMIT:
        raise Refusal("invalid", f"Expected a number of at most {LIMIT:g}.", "cost")


def _check_draws(settings: Created) -> None:
    """Refuse draws where nobody decides by them, and for a policy that is not known."""
    if settings.explore is not None and (settings.shadow or settings.policy == "Exploring"):
        why = "where the caller decides" if settings.shadow else "by a policy that has draws"
        raise Refusal("invalid", f"Expected no exploration {why}.", "explore")
    if settings.feedback in BOUNDED:
        where = f"under feedback {settings.feedback!r}"
        if settings.explore is not None or settings.explore_for is not None:
            raise Refusal("invalid", f"Expected no exploration {where}.", "explore")
        if settings.shadow:
            text = f"Expected no shadow {where}: what is hidden depends on who decides."
            raise Refusal("invalid", text, "shadow")
    try:
        if settings.explore_for is not None:
            named_policy(settings.explore_for, shared=False)
    except InvalidInputError as error:
        raise from_input_error(error, "explore_for") from None


def _check_bound(least: float | None, most: float | None, sense: Sense) -> None:
    """Refuse a best possible value that is none under this sense."""
    try:
        bound_of(least, most, sense)
    except InvalidInputError as error:
        raise from_input_error(error, "least" if "least" in error.subject else "most") from None
