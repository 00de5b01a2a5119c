"""The report of a replay: one page, its pictures, its rows.

::

    DIR/
      index.html          the page, self-contained
      figures/*.png       the pictures for print
      rows.json           a row per policy, feedback and cost scale
      rows.parquet        the same
      rounds.parquet      totals and boxes opened, round by round
      findings.json       the answer, calibration, correlation, cost shares and features
      parts/              finished parts of the replay, until the report is written
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from weitzman.errors import InvalidInputError
from weitzman.figures.chart_matplotlib import save_pictures
from weitzman.figures.page import Section, render, write_page
from weitzman.jobs.files import check_own, write_table
from weitzman.replays.cases import finished_parts
from weitzman.replays.report.charts import (
    calibration_charts,
    correlation_chart,
    cost_chart,
    followed_chart,
    opened_chart,
    saved_chart,
    saving_chart,
    telling_chart,
    totals_chart,
    twin_chart,
)
from weitzman.replays.report.findings import Findings
from weitzman.replays.report.lead import glossary, lead, made_words
from weitzman.replays.report.options import COURSE_WORDS, course_flows, option_table
from weitzman.replays.report.words import (
    calibration_table,
    calibration_words,
    candidate_fold,
    correlation_words,
    cost_words,
    scale_table,
    telling_words,
    total_table,
    twin_table,
)

PARTS = "parts"
_FIGURES = "figures"
_POLICIES = (totals_chart, saved_chart, opened_chart)

Thing = TypeVar("Thing")


def check_place(directory: Path) -> None:
    """Make the directory of a report; refuse one that holds something else, before the work begins."""
    check_own(directory, _FIGURES)
    try:
        (directory / _FIGURES).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        rule, got = "be writable", error.strerror or str(error)
        raise InvalidInputError(f"The directory {str(directory)!r}", rule, got) from None


@contextmanager
def placed(directory: Path | None) -> Iterator[None]:
    """Make the directory of a report for work to come; if that ends badly, finished parts stay."""
    if directory is None:
        yield
        return
    made = [p for p in (directory / _FIGURES, directory) if not p.exists()]
    check_place(directory)
    with finished_parts(directory / PARTS) as parts:
        try:
            yield
        except BaseException:
            # Where parts are finished the work goes on another time
            if not parts.keys():
                parts.clear()
                for place in made:
                    # Something in it by now is not ours to take away
                    with suppress(OSError):
                        place.rmdir()
            raise


def write_replay_report(directory: Path, findings: Findings) -> None:
    """Write the page, the pictures and the rows into a directory."""
    import pyarrow

    check_place(directory)
    pictures = [chart for section in _sections(findings) for chart in section.charts]
    save_pictures(directory / _FIGURES, pictures, ".png")
    rows = findings.rows
    write_page(directory / "rows.json", json.dumps(rows, indent=2, allow_nan=False) + "\n")
    write_table(directory / "rows.parquet", pyarrow.Table.from_pylist(rows))
    write_table(directory / "rounds.parquet", _rounds(findings))
    text = json.dumps(findings.as_json(), indent=2, ensure_ascii=False, allow_nan=False)
    write_page(directory / "findings.json", text + "\n")
    write_page(directory / "index.html", replay_page(findings))
    finished_parts(directory / PARTS).clear()


def replay_page(findings: Findings) -> str:
    """Return the page."""
    title = f"What would it have saved? {Path(findings.log.source).name}"
    return render(title=title, lead=lead(findings), sections=_sections(findings))


def _sections(findings: Findings) -> tuple[Section, ...]:
    return (
        *_option_sections(findings),
        Section(
            heading="How sure is this?",
            text=(*findings.advice.lines, *findings.advice.cautions),
        ),
        Section(
            heading="What every policy would have paid",
            text=glossary(findings),
            charts=tuple(draw(findings) for draw in _POLICIES),
            tables=(
                *(total_table(replay) for replay in findings.main),
                *_there(scale_table(findings)),
            ),
        ),
        Section(
            heading="Savings over time",
            text=(
                f"The sum of what {findings.main[0].main} has saved by each round; below 0 it was behind. "
                "The axis is made for the closest rivals, and far worse rules leave it at the top.",
            ),
            charts=tuple(map(saving_chart, findings.main)),
        ),
        *_followed(findings),
        Section(
            heading="Do the reservation values keep their promise?",
            text=calibration_words(findings),
            charts=calibration_charts(findings),
            tables=(calibration_table(findings),) if findings.calibrations else (),
        ),
        Section(
            heading="Do the boxes of a round move together?",
            text=correlation_words(findings),
            charts=_there(correlation_chart(findings), twin_chart(findings)),
            tables=_there(twin_table(findings)),
        ),
        Section(
            heading="Is a look cheap or expensive?",
            text=cost_words(findings),
            charts=_there(cost_chart(findings)),
        ),
        Section(
            heading="Which features help?",
            text=telling_words(findings),
            charts=() if findings.telling is None else (telling_chart(findings.telling),),
        ),
        Section(heading="How this was made", text=made_words(findings)),
    )


def _option_sections(findings: Findings) -> tuple[Section, ...]:
    """Return what is done with each option, and what is done in typical rounds."""
    found, flows = findings.answer, course_flows(findings.answer)
    sections = []
    if found.options:
        table = option_table(found, findings.main[-1].feedback)
        sections.append(Section(heading="Option by option", tables=(table,)))
    if flows:
        heading = "What it does in a typical round"
        sections.append(Section(heading=heading, text=(COURSE_WORDS,), flows=flows))
    return tuple(sections)


def _followed(findings: Findings) -> tuple[Section, ...]:
    """Return what a portfolio followed; nothing of a policy without candidates."""
    main = findings.main[0]
    if len(main.candidates) < 2:
        return ()
    return (
        Section(
            heading=f"What {main.main} followed",
            text=(
                f"{main.main} is a portfolio: it plays the paper's rule until another candidate is clearly "
                "better, and then hedges over all of them. past, linear and trees say what a candidate "
                "predicts from; index and greedy weigh again after every look what the round has shown, "
                "fixed and one-shot do not. The number behind index or greedy is its caution: by how many "
                "standard errors the expected gain of a look must exceed its cost. trial is a round in "
                "which more was opened to compare two candidates.",
            ),
            charts=tuple(map(followed_chart, findings.main)),
            folds=tuple(map(candidate_fold, findings.main)),
        ),
    )


def _there(*things: Thing | None) -> tuple[Thing, ...]:
    return tuple(thing for thing in things if thing is not None)


def _rounds(findings: Findings) -> Any:
    """Return totals and boxes opened of every shown policy, round by round, as a table of Arrow."""
    import pyarrow

    known = ~np.isnan(findings.log.values).all(axis=1)
    labels = pyarrow.array([str(label) for label in findings.log.rounds[known]])
    parts = []
    for replay in findings.replays.played:
        for name, (totals, opened) in replay.shown().items():
            count = len(totals)
            parts.append(
                pyarrow.table(
                    {
                        "round": labels,
                        "policy": pyarrow.repeat(name, count).dictionary_encode(),
                        "feedback": pyarrow.repeat(replay.feedback, count).dictionary_encode(),
                        "cost_scale": np.full(count, replay.cost_scale),
                        "total": replay.sign * totals,
                        "opened": opened,
                    }
                )
            )
    return pyarrow.concat_tables(parts).unify_dictionaries()
