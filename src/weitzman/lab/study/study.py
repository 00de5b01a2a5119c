"""A study: searchers × feedbacks × worlds × seeds × horizons, as a value or a small TOML file.

A run is one of each. Its key is a hash of everything that its rows depend on: the world and the
searcher with all their parameters, seed, horizon, checkpoints, the version and the code of the
package, and the version of the columns. Equal keys have equal rows. The file is that of
:mod:`weitzman.lab.study.file`.
"""

import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from weitzman.errors import InvalidFileError, InvalidInputError
from weitzman.feedback import FEEDBACKS, Feedback
from weitzman.lab.study.contender import Contender
from weitzman.lab.study.evaluate import checked_checkpoints, started
from weitzman.lab.study.file import parts_of, text_of
from weitzman.lab.study.rows import FORMAT
from weitzman.lab.worlds import World
from weitzman.learn.settings import plain_parameters
from weitzman.learn.storage.registry import described_policy
from weitzman.search.numbers import whole_number


@dataclass(frozen=True, kw_only=True)
class Run:
    """One world × searcher × feedback × seed × horizon."""

    world_name: str
    world: World
    name: str
    contender: Contender
    seed: int
    rounds: int
    checkpoints: tuple[int, ...]
    expected: bool

    def description(self) -> dict[str, Any]:
        """Return everything that the rows of the run depend on, as JSON has it."""
        return {
            "format": FORMAT,
            "version": _version(),
            "world": {"label": self.world_name, **_described(self.world)},
            "searcher": {"label": self.name, **_described_contender(self.contender)},
            "feedback": self.contender.feedback,
            "seed": self.seed,
            "rounds": self.rounds,
            "checkpoints": list(self.checkpoints),
            "expected": self.expected,
        }

    @property
    def key(self) -> str:
        """A hash of the description: the name of the run's file."""
        text = json.dumps(self.description(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclass(frozen=True, kw_only=True)
class Study:
    """What is to be run: all combinations.

    Parameters
    ----------
    worlds, contenders
        By the names that rows give them.
    feedbacks
        Each takes the place of the contenders' own.
    seeds, rounds
        The seeds of the draws, and the horizons.
    checkpoints
        As for :func:`weitzman.lab.study.evaluate.evaluate`; those beyond a horizon are left out.
    expected
        Whether exact expectations are computed.

    Examples
    --------
    >>> study = Study.from_text('''
    ... rounds = 300
    ... seeds = 20
    ... feedbacks = ["full", "opened"]
    ... world = [{name = "signed"}, {name = "orthant"}]
    ... searcher = [{name = "cpb"}, {name = "own", learner = "FTRL", eta = 3.0, optimism = 0.0}]
    ... ''')
    >>> len(study.runs())
    160
    """

    worlds: Mapping[str, World]
    contenders: Mapping[str, Contender]
    feedbacks: Sequence[Feedback] = ("full", "opened")
    seeds: Sequence[int] = (0,)
    rounds: Sequence[int] = (300,)
    checkpoints: Sequence[int] | None = None
    expected: bool = True

    def runs(self) -> list[Run]:
        """Return the runs in the order of the rows: worlds, feedbacks, searchers, horizons, seeds."""
        _check(self)
        return [
            Run(
                world_name=label,
                world=world,
                name=name,
                contender=replace(contender, feedback=feedback),
                seed=seed,
                rounds=rounds,
                checkpoints=checked_checkpoints(self.checkpoints, rounds),
                expected=self.expected,
            )
            for label, world in self.worlds.items()
            for feedback in self.feedbacks
            for name, contender in self.contenders.items()
            for rounds in self.rounds
            for seed in self.seeds
        ]

    def description(self) -> dict[str, Any]:
        """Return the study as JSON has it; two studies are the same if their descriptions are."""
        return {
            "worlds": {label: _described(world) for label, world in self.worlds.items()},
            "searchers": {n: _described_contender(c) for n, c in self.contenders.items()},
            "feedbacks": list(self.feedbacks),
            "seeds": list(self.seeds),
            "rounds": list(self.rounds),
            "checkpoints": None if self.checkpoints is None else list(self.checkpoints),
            "expected": self.expected,
        }

    def to_toml(self) -> str:
        """Return the study as the text of a file, with all parameters written out."""
        return text_of({field.name: getattr(self, field.name) for field in fields(self)})

    @classmethod
    def from_toml(cls, path: str | Path) -> "Study":
        """Return the study of a file."""
        subject = f"The file {str(path)!r}"
        try:
            text = Path(path).read_text(encoding="utf-8")
        except OSError as error:
            raise InvalidFileError(subject, "be readable", error.strerror or str(error)) from None
        except UnicodeDecodeError as error:
            raise InvalidFileError(subject, "be UTF-8 text", str(error)) from None
        return cls.from_text(text, name=str(path))

    @classmethod
    def from_text(cls, text: str, *, name: str = "study.toml") -> "Study":
        """Return the study of a text; ``name`` is what messages call it."""
        try:
            content = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InvalidFileError(f"The file {name!r}", "be TOML", str(error)) from None
        try:
            study = cls(**parts_of(content))
            study.runs()
        except InvalidInputError as error:
            raise InvalidFileError(f"{name}: {error.subject}", error.rule, error.got) from None
        return study


@cache
def _version() -> str:
    """Return the version, and a hash of the code: one version has many while it is being written."""
    room = Path(__file__).parents[2]
    code = hashlib.sha256()
    for part in ("compiled", "search", "learn", "lab"):
        for source in sorted((room / part).rglob("*.py")):
            code.update(source.read_bytes())
    return f"{version('weitzman')}+{code.hexdigest()[:12]}"


def _check(study: Study) -> None:
    """Refuse a study that has no runs, two equal ones, or one that cannot begin."""
    lists = (("feedback", study.feedbacks), ("seed", study.seeds), ("horizon", study.rounds))
    for what, things in lists:
        if not things or len(set(things)) < len(things):
            raise InvalidInputError(f"Each {what}", "be given once, at least one", things)
    for feedback in study.feedbacks:
        if feedback not in FEEDBACKS:
            raise InvalidInputError("A feedback", f"be one of {list(FEEDBACKS)}", feedback)
    for seed in study.seeds:
        whole_number(seed, "A seed", least=0)
    for rounds in study.rounds:
        checked_checkpoints(study.checkpoints, rounds)
    if not isinstance(study.expected, bool):
        raise InvalidInputError("expected", "be true or false", study.expected)
    if not study.worlds or not study.contenders:
        raise InvalidInputError("A study", "have a world and a searcher", study)
    for world in study.worlds.values():
        world.draw(1, 0, start=max(study.rounds) - 1)
        for contender in study.contenders.values():
            for feedback in study.feedbacks:
                started(replace(contender, feedback=feedback), world, study.rounds[0], 0)


def _described(thing: Any) -> dict[str, Any]:
    """Return the class of a frozen dataclass and its parameters."""
    if not is_dataclass(thing) or isinstance(thing, type):
        raise InvalidInputError("A world or learner of a study", "be a dataclass", thing)
    kind = type(thing)
    return {"class": f"{kind.__module__}.{kind.__qualname__}", **plain_parameters(asdict(thing))}


def _described_contender(contender: Contender) -> dict[str, Any]:
    settings = plain_parameters({"optimism": contender.optimism, "block": contender.block})
    policy = contender.decides
    if policy is not None:
        return {"policy": described_policy(policy), **settings}
    return {"learner": _described(contender.learner), **settings}
