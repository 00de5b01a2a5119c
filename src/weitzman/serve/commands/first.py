"""Problems that a service is started with: each goes on from a saved searcher."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from weitzman.errors import InvalidFileError, InvalidInputError
from weitzman.learn.load import load
from weitzman.learn.policies.portfolio.portfolio import default_policy
from weitzman.learn.searcher import Searcher
from weitzman.learn.storage.registry import described_policy
from weitzman.serve.commands.exchange import feature_names, upload_state
from weitzman.serve.commands.problems import create_problem, warm_up
from weitzman.serve.engine.engine import Engine
from weitzman.serve.logs import log
from weitzman.serve.messages.refusal import Refusal
from weitzman.serve.messages.schema import NewProblem


def first_problems(texts: Sequence[str]) -> dict[str, Searcher]:
    """Return searchers by the name of their problem, from texts such as ``llm=searcher.wz``."""
    found: dict[str, Searcher] = {}
    for text in texts:
        name, _, place = text.partition("=")
        if not name or not place or name in found:
            rule = "be a name of its own and a file, NAME=FILE"
            raise InvalidInputError("A problem to begin with", rule, text)
        try:
            found[name] = load(Path(place))
        except OSError as error:
            got = error.strerror or str(error)
            raise InvalidFileError(place, "be a file that can be read", got) from None
    return found


def problem_of(name: str, searcher: Searcher) -> NewProblem:
    """Return the problem that a searcher decides; columns of features go by their names without ``x_``."""
    described = described_policy(searcher.policy)
    parameters = {key: value for key, value in described.items() if key != "class"}
    policy = described["class"]
    if searcher.policy == default_policy():
        policy, parameters = "default", {}
    settings = {
        "name": name,
        "boxes": [str(box) for box in searcher.names],
        "dimension": searcher.dimension,
        "features": feature_names(searcher),
        "sense": searcher.sense,
        "feedback": searcher.feedback,
        "policy": policy,
        "parameters": parameters,
        "least": searcher.least,
        "most": searcher.most,
    }
    try:
        return msgspec.convert(settings, NewProblem)
    except msgspec.ValidationError as error:
        raise Refusal("invalid", f"{error}.") from None


async def begin_with(engine: Engine, name: str, searcher: Searcher) -> None:
    """Make a problem that goes on from a searcher; one that is there already goes on from itself."""
    before = engine.state.problem(name)
    try:
        ask = await warm_up(engine, problem_of(name, searcher))
        create_problem(engine, ask)
        if before is None:
            upload_state(engine, engine.state.problems[name], searcher.to_bytes())
    except Refusal as refusal:
        subject, rule = f"The problem {name!r}", "be one that the service can take"
        raise InvalidInputError(subject, rule, str(refusal)) from None
    what = "begun" if before is None else "there already, and goes on from itself"
    log("problem", name=name, rounds=searcher.rounds, was=what)
