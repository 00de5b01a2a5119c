"""Problems that a service is started with: each goes on from a saved searcher."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from weitzman.errors import InvalidFileError, InvalidInputError
from weitzman.learn.load import load
from weitzman.learn.policies.exploring import Exploring
from weitzman.learn.policies.portfolio.portfolio import default_policy
from weitzman.learn.policy import parted
from weitzman.learn.searcher import Searcher
from weitzman.learn.storage.format import pack, unpack
from weitzman.learn.storage.registry import described_policy, named_policy
from weitzman.ledger.bodies import Changed
from weitzman.serve.commands.exchange import feature_names, upload_state
from weitzman.serve.commands.problems import found_or_made, warm_up
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
    policy: Any = searcher.policy
    explore, needs = None, None
    if isinstance(policy, Exploring):
        explore, needs, policy = policy.share, policy.needs, policy.policy
    described = described_policy(policy)
    parameters = {key: value for key, value in described.items() if key != "class"}
    decides = described["class"]
    if policy == default_policy():
        decides, parameters = "default", {}
    settings = {
        "name": name,
        "boxes": [str(box) for box in searcher.names],
        "dimension": searcher.dimension,
        "features": feature_names(searcher),
        "sense": searcher.sense,
        "feedback": searcher.feedback,
        "policy": decides,
        "parameters": parameters,
        "least": searcher.least,
        "most": searcher.most,
        "unit": searcher.unit,
        "explore": explore,
        "explore_for": None if needs is None else _name_of(needs),
        "seed": searcher.rng,
    }
    try:
        return msgspec.convert(settings, NewProblem)
    except msgspec.ValidationError as error:
        raise Refusal("invalid", f"{error}.") from None


def _name_of(policy: Any) -> str:
    """Return the name by which the service knows a policy."""
    name = str(getattr(policy, "name", type(policy).__name__))
    if named_policy(name, shared=False) != policy:
        rule = "be one that its name says all of"
        raise InvalidInputError("The policy that draws are made for", rule, policy)
    return name


def _alone(searcher: Searcher) -> Searcher:
    """Return a searcher without its draws, which the problem makes."""
    if not isinstance(searcher.policy, Exploring):
        return searcher
    settings, arrays = unpack(searcher.to_bytes(), subject="The searcher")
    settings["policy"] = described_policy(searcher.policy.policy)
    inner = parted(arrays, "inner")
    costs = {k: a for k, a in arrays.items() if k.partition(".")[0] not in ("inner", "needs")}
    return load(pack(settings, {**inner, **costs}))


async def begin_with(engine: Engine, name: str, searcher: Searcher) -> None:
    """Make a problem that goes on from a searcher; one that is there already goes on from itself."""
    before = engine.state.problem(name)
    try:
        ask = await warm_up(engine, problem_of(name, searcher))
        # What was changed since then stays changed
        found_or_made(engine, ask, may_differ=Changed.__struct_fields__)
        if before is None:
            upload_state(engine, engine.state.problems[name], _alone(searcher).to_bytes())
    except Refusal as refusal:
        subject, rule = f"The problem {name!r}", "be one that the service can take"
        raise InvalidInputError(subject, rule, str(refusal)) from None
    what = "begun" if before is None else "there already, and goes on from itself"
    log("problem", name=name, rounds=searcher.rounds, was=what)
