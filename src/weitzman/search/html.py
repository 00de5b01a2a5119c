"""What rich prints, as HTML for a notebook: tables as tables, lines as paragraphs."""

from html import escape
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text


def as_html(*shown: Any) -> str:
    """Return tables, groups of them, and texts as HTML without styles of its own.

    Examples
    --------
    >>> as_html("a < b")
    '<p>a &lt; b</p>'
    """
    return "".join(map(_html, shown))


def _html(part: Any) -> str:
    if isinstance(part, Group):
        return as_html(*part.renderables)
    if not isinstance(part, Table):
        return "".join(f"<p>{escape(line)}</p>" for line in _plain(part).splitlines())
    head = "".join(f"<th>{escape(_plain(column.header))}</th>" for column in part.columns)
    rows = zip(*(column.cells for column in part.columns), strict=True)
    body = "".join(f"<tr>{''.join(f'<td>{_cell(x)}</td>' for x in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(cell: Any) -> str:
    return escape(_plain(cell))


def _plain(part: Any) -> str:
    return part.plain if isinstance(part, Text) else str(part)
