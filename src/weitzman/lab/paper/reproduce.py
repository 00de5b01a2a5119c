"""The paper's appendix experiment, and how regret grows beyond it.

The experiment: n = 10 boxes, d = 5 features, c = 1, M = 4, T = 300 rounds and 20 repetitions, in the three
completions ``signed``, ``orthant`` and ``shifted``, under ``full``, ``opened`` and ``probe``.

Growth: the same worlds up to T = 10,000. Searchers that know no horizon run once, and are read at
every checkpoint; the theorem's η depends on T, so it runs again for each horizon. Under ``probe`` the
theorem's k does too.

A directory that holds a part of the runs is completed: nothing is run twice.
"""

import json
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weitzman.jobs.files import check_own
from weitzman.lab.paper.proved import applicable
from weitzman.lab.paper.report import write_report
from weitzman.lab.paper.words import Material
from weitzman.lab.study.contender import CONTENDERS
from weitzman.lab.study.rows import join_files, read_rows
from weitzman.lab.study.runner import run
from weitzman.lab.study.study import Study
from weitzman.lab.study.summary import finals
from weitzman.lab.worlds import WORLDS

PAPER = ("signed", "orthant", "shifted")
_SEARCHERS = ("cpb", "cpb-theorem", "cpb-tuned", "linear-regression")


@dataclass(frozen=True, kw_only=True)
class Extent:
    """How much to run: the experiment with seeds 0, 1, …, and the long runs to each horizon."""

    rounds: int = 300
    seeds: int = 20
    horizons: tuple[int, ...] = (1_000, 3_000, 10_000)
    long_seeds: int = 10

    def studies(self) -> dict[str, Study]:
        """Return the experiment and the two studies of growth, by name."""
        worlds = {name: WORLDS[name]() for name in PAPER}
        anytime = {n: CONTENDERS[n] for n in ("cpb", "linear-regression")}
        return {
            "experiment": Study(
                worlds=worlds,
                contenders={n: CONTENDERS[n] for n in _SEARCHERS},
                feedbacks=("full", "opened", "probe"),
                seeds=tuple(range(self.seeds)),
                rounds=(self.rounds,),
            ),
            "growth": Study(
                worlds=worlds,
                contenders=anytime,
                feedbacks=("full", "opened"),
                seeds=tuple(range(self.long_seeds)),
                rounds=(max(self.horizons),),
            ),
            "growth-theorem": Study(
                worlds=worlds,
                contenders={"cpb-theorem": CONTENDERS["cpb-theorem"]},
                feedbacks=("full", "opened", "probe"),
                seeds=tuple(range(self.long_seeds)),
                rounds=self.horizons,
            ),
        }


QUICK = Extent(rounds=100, seeds=4, horizons=(100, 200, 400), long_seeds=2)
"""Enough to see what a report looks like; too little to conclude anything."""


def reproduce(
    directory: str | os.PathLike[str],
    *,
    extent: Extent = Extent(),  # noqa: B008 - frozen
    workers: int | None = None,
    progress: bool = True,
) -> list[dict[str, Any]]:
    """Run the experiment, write the report into a directory, and return the table of final regrets.

    See :mod:`weitzman.lab.paper.report`; the runs are kept in ``studies``. ``workers`` and
    ``progress`` are those of :func:`weitzman.lab.study.runner.run`.
    """
    place, begun = Path(directory), time.perf_counter()
    check_own(place, "studies")
    studies = extent.studies()
    for name, study in studies.items():
        run(study, place / "studies" / name, workers=workers, progress=progress)
    for name in ("rows.parquet", "study.json"):
        shutil.copyfile(place / "studies" / "experiment" / name, place / name)
    parts = [place / "studies" / name / "rows.parquet" for name in ("growth", "growth-theorem")]
    join_files(parts, place / "growth.parquet")
    experiment = read_rows(place / "rows.parquet")
    worlds = studies["experiment"].worlds
    seeds, one = studies["experiment"].seeds, next(iter(worlds.values()))
    taken = f"{time.perf_counter() - begun:.0f} s for runs that were not there before"
    write_report(
        place,
        Material(
            experiment=experiment,
            growth=read_rows(place / "growth.parquet"),
            known={n: applicable(world, extent.rounds, seeds) for n, world in worlds.items()},
            low=min(extent.horizons),
            high=max(extent.horizons),
            setting=f"{one.boxes} boxes, {one.dimension} features, cost {one.cost:g}",
            made={**_made(place / "study.json", extent), "Time": taken},
        ),
    )
    return finals(experiment)


def _made(file: Path, extent: Extent) -> dict[str, str]:
    """Return the versions, the machine and the seeds, in words."""
    known = json.loads(file.read_text(encoding="utf-8"))
    machine = known["machine"]
    return {
        "Versions": ", ".join(f"{name} {number}" for name, number in known["versions"].items()),
        "Machine": f"{machine['system']}, {machine['cores']} cores",
        "Seeds": f"0 to {extent.seeds - 1} for the experiment, 0 to {extent.long_seeds - 1} for growth",
        "Again": f"weitzman reproduce{' --quick' if extent == QUICK else ''} --output DIR makes this "
        "page from nothing",
        "The experiment, as it was run": json.dumps(known["study"], indent=2, ensure_ascii=False),
    }
