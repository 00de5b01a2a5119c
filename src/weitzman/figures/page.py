"""A page of text, tables and interactive plots in one HTML file that needs no network.

The plotly library stands in the file itself. Colours follow the reader's light or dark setting, and the
columns fold to one on a telephone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from weitzman.errors import InvalidInputError
from weitzman.figures.chart_plotly import explore_chart
from weitzman.figures.charts import Chart
from weitzman.search.extras import need

_VERDICTS = {"holds": "holds", "fails": "fails", "in part": "part", "open": "open"}


@dataclass(frozen=True, kw_only=True)
class PageTable:
    """A table; a row has a text for each heading, and numbers stand to the right, ``words`` to the left."""

    caption: str
    rows: Sequence[Mapping[str, str]]
    words: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Fold:
    """Something that is shown when asked for: a table, a text, or both."""

    summary: str
    table: PageTable | None = None
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class Flow:
    """Steps one after the other, each a name and what is said of it, with arrows between them."""

    title: str
    steps: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Section:
    """A part of a page: paragraphs, then charts, tables and what is folded away.

    Charts stand two in a row, or three where they are ``small``, as far as there is room.
    """

    heading: str
    text: tuple[str, ...] = ()
    charts: tuple[Chart, ...] = ()
    small: bool = False
    tables: tuple[PageTable, ...] = ()
    flows: tuple[Flow, ...] = ()
    folds: tuple[Fold, ...] = ()


def render(*, title: str, lead: tuple[str, ...], sections: tuple[Section, ...]) -> str:
    """Return the page."""
    need("A page needs jinja2 and plotly", "lab", "jinja2", "plotly.offline")
    import jinja2
    from plotly.offline import get_plotlyjs

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("weitzman.figures", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )
    return environment.get_template("page.html").render(
        title=title,
        lead=lead,
        sections=sections,
        drawn=_drawn,
        verdicts=_VERDICTS,
        plotly=get_plotlyjs() if any(s.charts for s in sections) else "",
    )


def write_page(file: Path, page: str) -> None:
    """Write a page to a file."""
    try:
        file.write_text(page, encoding="utf-8")
    except OSError as error:
        rule, got = "be writable", error.strerror or str(error)
        raise InvalidInputError(f"The file {str(file)!r}", rule, got) from None


def _drawn(chart: Chart) -> str:
    # A closing tag inside a string would end the script that holds the figure
    return str(explore_chart(chart).to_json()).replace("</", "<\\/")
