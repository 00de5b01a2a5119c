"""A small study for the tests of its runners, and the rows it must have."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import ClassVar

from weitzman.errors import InvalidInputError
from weitzman.lab.study.contender import Contender
from weitzman.lab.study.study import Study
from weitzman.lab.worlds.instance import Instance
from weitzman.lab.worlds.paper import Signed
from weitzman.lab.worlds.spread import Spread
from weitzman.learn.learners.ridge import Ridge


@dataclass(frozen=True, kw_only=True)
class Moody:
    """A world that refuses the seed 2."""

    name: ClassVar[str] = "moody"
    boxes: int = 3
    dimension: int = 2
    cost: float = 1.0

    def draw(self, rounds: int, rng: int, *, start: int = 0) -> Instance:
        if rng == 2:
            raise InvalidInputError("The seed of a moody world", "be another", rng)
        return Signed(boxes=3, dimension=2).draw(rounds, rng, start=start)


def small_study(*, rounds: int = 8000, seeds: int = 4) -> Study:
    return Study(
        worlds={"signed": Signed(boxes=4, dimension=2), "spread": Spread(boxes=4)},
        contenders={
            "cpb": Contender(block=5),
            "ridge": Contender(learner=Ridge(intercept=False), block=5),
        },
        feedbacks=("opened", "probe"),
        seeds=tuple(range(seeds)),
        rounds=(rounds, 50),
    )


def digest(directory: Path) -> str:
    """A hash of the rows of a directory."""
    return hashlib.sha256((directory / "rows.parquet").read_bytes()).hexdigest()


def parts(directory: Path) -> dict[str, int]:
    """The finished runs of a directory, and when each was written."""
    return {p.name: p.stat().st_mtime_ns for p in (directory / "runs").glob("*.parquet")}


def wait_for(happened: Callable[[], bool], seconds: float = 120.0) -> None:
    end = monotonic() + seconds
    while not happened():
        assert monotonic() < end, "it did not happen"
        sleep(0.01)
