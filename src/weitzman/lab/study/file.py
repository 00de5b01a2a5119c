"""Study files: a :class:`weitzman.lab.study.study.Study` as TOML text, read and written.

The keys are in ``docs/reference/study-files.md``. A key that is not known is refused by its name, so
that a slip of the pen never leaves a default in force.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, cast

from weitzman.errors import InvalidInputError
from weitzman.lab.study.contender import CONTENDERS, Contender
from weitzman.lab.worlds import WORLDS, World
from weitzman.learn.policies.portfolio.portfolio import policy_name
from weitzman.learn.settings import plain_parameters
from weitzman.learn.storage.parameters import check_parameters
from weitzman.learn.storage.registry import LEARNERS, learner_name
from weitzman.search.numbers import whole_number

_TOP = ("rounds", "seeds", "feedbacks", "checkpoints", "expected", "world", "searcher")
_SEARCHER = ("optimism", "block")


def parts_of(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a study from what its file says."""
    _refuse_unknown("The keys of a study", content, _TOP)
    parts: dict[str, Any] = {
        "worlds": _named(content, "world", _world),
        "contenders": _named(content, "searcher", _contender),
    }
    if "seeds" in content:
        parts["seeds"] = _seeds(content["seeds"])
    for key in ("feedbacks", "rounds", "checkpoints"):
        if key in content:
            parts[key] = _several(content[key], f"The {key}")
    if "expected" in content:
        parts["expected"] = content["expected"]
    return parts


def text_of(parts: Mapping[str, Any]) -> str:
    """Return the TOML text of the parts of a study; the inverse of :func:`parts_of`."""
    lines = [
        f"{key} = {_value(list(parts[key]))}"
        for key in ("rounds", "seeds", "feedbacks", "checkpoints")
        if parts[key] is not None
    ]
    lines.append(f"expected = {_value(parts['expected'])}")
    for name, world in parts["worlds"].items():
        if WORLDS.get(world.name) is not type(world):
            raise InvalidInputError("A world of a study file", f"be one of {list(WORLDS)}", world)
        lines += _table("world", name, {"world": world.name, **asdict(cast("Any", world))})
    for name, contender in parts["contenders"].items():
        own = {key: getattr(contender, key) for key in _SEARCHER}
        lines += _table("searcher", name, {**_what(contender), **own})
    return "\n".join(lines) + "\n"


def _what(contender: Contender) -> dict[str, Any]:
    """Return the keys of a policy that has a name, or of a learner."""
    if contender.policy is None:
        learner: Any = contender.learner
        return {"learner": learner_name(learner), **plain_parameters(asdict(learner))}
    policy = contender.policy
    name = policy if isinstance(policy, str) else policy_name(policy)
    if Contender(policy=name).decides != contender.decides:
        rule = "be one that its name describes"
        raise InvalidInputError("The policy of a study file", rule, policy)
    return {"policy": name}


def _table(kind: str, name: str, table: dict[str, Any]) -> list[str]:
    pairs = {"name": name, **table}.items()
    return ["", f"[[{kind}]]", *(f"{k} = {_value(v)}" for k, v in pairs if v is not None)]


def _value(value: Any) -> str:
    """Return a value as TOML has it; JSON differs in infinite numbers alone."""
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _named(
    content: Mapping[str, Any], kind: str, make: Callable[[str, dict[str, Any]], Any]
) -> dict[str, Any]:
    """Return what the tables of a kind describe, by their names."""
    tables = content.get(kind)
    if not isinstance(tables, list) or not all(isinstance(t, dict) for t in tables) or not tables:
        raise InvalidInputError(f"[[{kind}]]", "be given at least once", tables)
    made: dict[str, Any] = {}
    for table in tables:
        name = table.get("name")
        if not isinstance(name, str) or not name or name in made:
            raise InvalidInputError(f"The name of a [[{kind}]]", "be a text of its own", name)
        made[name] = make(name, {k: v for k, v in table.items() if k != "name"})
    return made


def _world(name: str, table: dict[str, Any]) -> World:
    kind = table.pop("world", name)
    if kind not in WORLDS:
        rule = f"be one of {sorted(WORLDS)}, or come with a key 'world' that is"
        raise InvalidInputError("The name of a [[world]]", rule, kind)
    made: Any = WORLDS[kind]
    world: World = _made(made, table, f"world {name!r}")
    return world


def _contender(name: str, table: dict[str, Any]) -> Contender:
    kind = table.pop("learner", None)
    if "policy" in table and kind is None:
        if not isinstance(table["policy"], str):
            raise InvalidInputError(f"The policy of searcher {name!r}", "be text", table["policy"])
        _refuse_unknown(f"The keys of searcher {name!r}", table, ("policy", *_SEARCHER))
        contender = Contender(**table)
        _ = contender.decides  # A name that says nothing is refused while the file is read
        return contender
    if kind is None and name in CONTENDERS and not table:
        return CONTENDERS[name]
    if kind not in LEARNERS:
        rule = f"be one of {sorted(LEARNERS)}, or the name one of {list(CONTENDERS)} and alone"
        raise InvalidInputError(f"The learner of searcher {name!r}", rule, kind)
    own = {key: table.pop(key) for key in _SEARCHER if key in table}
    made: Any = LEARNERS[kind]
    learner = _made(made, table, f"searcher {name!r}", _SEARCHER)
    check_parameters(kind, table)
    return Contender(learner=learner, **own)


def _made(kind: Any, table: dict[str, Any], what: str, more: Sequence[str] = ()) -> Any:
    known = [*(f.name for f in fields(kind)), *more]
    _refuse_unknown(f"The keys of {what}", table, known)
    return kind(**table)


def _refuse_unknown(subject: str, table: Mapping[str, Any], known: Sequence[str]) -> None:
    for key in table:
        if key not in known:
            raise InvalidInputError(subject, f"be among {list(known)}", key)


def _several(given: Any, subject: str) -> tuple[Any, ...]:
    """Return a list as a tuple, and a single thing as a tuple of one."""
    if isinstance(given, dict):
        raise InvalidInputError(subject, "be one or a list", given)
    return tuple(given) if isinstance(given, list) else (given,)


def _seeds(given: Any) -> tuple[Any, ...]:
    if isinstance(given, list):
        return tuple(given)
    return tuple(range(whole_number(given, "The number of seeds", least=1)))
