"""``weitzman plot``: pictures of the rows of a study."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weitzman.errors import InvalidInputError

if TYPE_CHECKING:
    from weitzman.lab.study.charts import Bounds
    from weitzman.lab.study.summary import Curve

_PICTURES = (".png", ".pdf", ".svg", ".html")


def plot_command(
    results: Annotated[
        Path,
        typer.Argument(
            metavar="RESULTS", help="The directory of a study or report, or a file of rows."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The picture, .png, .pdf, .svg or .html, or a directory for .png and .html; "
            "the directory of RESULTS if not given.",
        ),
    ] = None,
    measure: Annotated[
        str, typer.Option(metavar="COLUMN", help="What is drawn: a column of the rows.")
    ] = "regret",
    log: Annotated[bool, typer.Option("--log", help="Draw on logarithmic axes.")] = False,
) -> None:
    """Draw the mean of a measure over seeds, round by round: a panel per world and feedback."""
    from weitzman.figures.chart_matplotlib import draw_chart, save_figure
    from weitzman.lab.paper.proved import study_bounds
    from weitzman.lab.study.charts import MEASURES, curve_sheet
    from weitzman.lab.study.rows import read_rows
    from weitzman.lab.study.runner import kept_worlds
    from weitzman.lab.study.summary import summarise

    if measure not in MEASURES:
        raise InvalidInputError("The measure", f"be one of {list(MEASURES)}", measure)
    place = results if results.is_dir() else results.parent
    files = _files(place, output, measure)
    curves = summarise(read_rows(results), measure)
    bounded = measure in ("regret", "expected_regret")
    bounds = study_bounds(kept_worlds(place), curves) if bounded else {}
    for file in files:
        if file.suffix.lower() == ".html":
            _write_page(file, curves, bounds, measure, log)
        else:
            sheet = curve_sheet(curves, bounds=bounds, measure=measure, log=log)
            save_figure(draw_chart(sheet), [file])
        typer.echo(file)


def _files(place: Path, output: Path | None, measure: str) -> list[Path]:
    """Return the files to write; a directory gets a picture and a page, named by the measure."""
    if output is not None and output.suffix and not output.is_dir():
        if output.suffix.lower() not in _PICTURES:
            rule = f"end in {', '.join(_PICTURES)}, or be a directory"
            raise InvalidInputError("The name of the picture", rule, output.name)
        return [output]
    if output is not None:
        try:
            output.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            rule, got = "be a directory, or writable", error.strerror or str(error)
            raise InvalidInputError(f"The output {str(output)!r}", rule, got) from None
    return [(output or place) / f"{measure}{end}" for end in (".png", ".html")]


def _write_page(
    file: Path, curves: "list[Curve]", bounds: "Bounds", measure: str, log: bool
) -> None:
    from weitzman.figures.page import Section, render, write_page
    from weitzman.lab.study.charts import MEASURES, curve_charts

    charts = curve_charts(curves, bounds=bounds, measure=measure, log=log)
    lead = ("Means over seeds, with a band of ± one standard error.",)
    section = Section(heading="By world", charts=charts, small=True)
    write_page(file, render(title=MEASURES[measure], lead=lead, sections=(section,)))
