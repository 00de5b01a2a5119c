"""All linear learners in all worlds: who loses how much, where.

Every learner with a compiled bank plays the same draws in each world; those beyond linear take minutes, and a
study names them. Worlds differ by orders of magnitude in what can be lost, so
each has its own panel and its own row.
"""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weitzman.figures.chart_matplotlib import save_pictures
from weitzman.figures.page import PageTable, Section, render, write_page
from weitzman.jobs.files import check_own
from weitzman.lab.paper.proved import study_bounds
from weitzman.lab.study.charts import PAGE, curve_charts, curve_sheet
from weitzman.lab.study.contender import CONTENDERS
from weitzman.lab.study.rows import read_rows
from weitzman.lab.study.runner import run
from weitzman.lab.study.study import Study
from weitzman.lab.study.summary import finals, mean_in_words, summarise
from weitzman.lab.worlds import WORLDS

if TYPE_CHECKING:
    from weitzman.feedback import Feedback

# The theorem's η needs a radius, which the impossibility example has none of. A policy is no learner.
LEARNERS = tuple(n for n in CONTENDERS if n not in ("cpb-theorem", "cpb-tuned", "default"))


def comparison(
    *, feedback: "Feedback" = "opened", rounds: int = 1000, seeds: int = 10, default: bool = False
) -> Study:
    """Return the study of all learners in all worlds, with the policy ``default`` if it is wanted."""
    names = (*LEARNERS, "default") if default else LEARNERS
    return Study(
        worlds={name: kind() for name, kind in WORLDS.items()},
        contenders={name: CONTENDERS[name] for name in names},
        feedbacks=(feedback,),
        seeds=tuple(range(seeds)),
        rounds=(rounds,),
    )


def compare(
    directory: str | os.PathLike[str],
    *,
    study: Study,
    workers: int | None = None,
    progress: bool = True,
) -> list[dict[str, Any]]:
    """Run a comparison, write page, picture and rows into a directory, and return the final table.

    ``index.html``, ``compare.png``, ``compare.pdf`` and ``rows.parquet`` go there; the runs are
    kept in ``study``. The study is what :func:`comparison` returns, or another; ``workers`` and
    ``progress`` are those of :func:`weitzman.lab.study.runner.run`.
    """
    place = Path(directory)
    check_own(place, "study")
    run(study, place / "study", workers=workers, progress=progress)
    for name in ("rows.parquet", "study.json"):
        shutil.copyfile(place / "study" / name, place / name)
    table = read_rows(place / "rows.parquet")
    curves = summarise(table)
    bounds = study_bounds(study.worlds, curves)
    sheet = curve_sheet(curves, file="compare", bounds=bounds, width=PAGE)
    save_pictures(place, [sheet], ".png", ".pdf")
    rows = finals(table)
    page = render(
        title="All learners in all worlds",
        lead=(
            f"Regret after {max(study.rounds):,} rounds, {len(study.seeds)} seeds: what a searcher "
            "pays more than the clairvoyant, who knows the true reservation values, on the same "
            "draws. Smaller is better.",
        ),
        sections=(
            Section(heading="Final regrets", tables=(_page_table(rows),)),
            Section(
                heading="Round by round", charts=curve_charts(curves, bounds=bounds), small=True
            ),
        ),
    )
    write_page(place / "index.html", page)
    return rows


def best_of(rows: Sequence[dict[str, Any]]) -> dict[tuple[str, str, int], str]:
    """Return who loses least, by world, feedback and horizon."""
    best: dict[tuple[str, str, int], dict[str, Any]] = {}
    for row in rows:
        key = (row["world"], row["feedback"], row["rounds"])
        if key not in best or row["regret_mean"] < best[key]["regret_mean"]:
            best[key] = row
    return {key: row["searcher"] for key, row in best.items()}


def _page_table(rows: list[dict[str, Any]]) -> PageTable:
    cells: dict[tuple[str, str, int], dict[str, str]] = {}
    best = best_of(rows)
    for row in rows:
        key = (row["world"], row["feedback"], row["rounds"])
        mark = " ★" if best[key] == row["searcher"] else ""
        text = mean_in_words(row["regret_mean"], row["regret_se"])
        start = {"world": key[0], "feedback": key[1], "rounds": f"{key[2]:,}"}
        cells.setdefault(key, start)[row["searcher"]] = text + mark
    searchers = dict.fromkeys(row["searcher"] for row in rows)
    return PageTable(
        caption="Mean ± standard error over seeds; ★ marks the least of a row.",
        # A searcher that did not play a world has no number there
        rows=[
            {name: found.get(name, "") for name in ("world", "feedback", "rounds", *searchers)}
            for found in cells.values()
        ],
        words=("world", "feedback"),
    )
