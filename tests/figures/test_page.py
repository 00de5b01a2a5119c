"""A page stands alone: nothing is loaded, nothing breaks out of its place, and a browser draws it."""

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.replays.synthetic import roots, table
from weitzman.errors import InvalidInputError
from weitzman.figures.page import Fold, PageTable, Section, render, write_page
from weitzman.lab.study.charts import curve_charts
from weitzman.lab.study.summary import summarise

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")


class _Tags(HTMLParser):
    """The tags of a page with their attributes, and the text outside scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] not in ("script", "style"):
            self.text += data


def page(searcher: str = "cpb") -> str:
    curves = summarise(table(roots, searchers=(searcher, "linear-regression")))
    shown = PageTable(
        caption="Some <numbers>", words=("name",),
        rows=[{"name": searcher, "regret": "1.5"}, {"name": "x", "regret": "holds"}],
    )  # fmt: skip
    section = Section(
        heading="One & only", text=("A text.",), charts=curve_charts(curves), tables=(shown,),
        folds=(Fold(summary="More", text="a < b"),),
    )  # fmt: skip
    return render(title="A title", lead=("A lead.",), sections=(section,))


def parsed(text: str) -> _Tags:
    tags = _Tags()
    tags.feed(text)
    return tags


def test_nothing_is_loaded_from_elsewhere() -> None:
    found = parsed(page())
    for tag, attributes in found.tags:
        assert not {"src", "href", "srcset", "action", "data"} & set(attributes), tag
        assert tag not in ("link", "iframe", "img", "base")
    style = re.search(r"<style>(.*?)</style>", page(), re.DOTALL)
    assert style is not None
    assert "url(" not in style[1]
    assert "@import" not in style[1]


def test_it_has_light_and_dark_and_fits_a_telephone() -> None:
    text = page()
    assert "prefers-color-scheme: dark" in text
    assert '<meta name="viewport" content="width=device-width' in text
    assert '<html lang="en">' in text


def test_names_cannot_break_out() -> None:
    found = parsed(page("</script><b id=evil>"))
    assert not any(attributes.get("id") == "evil" for _, attributes in found.tags)
    assert "</script><b id=evil>" in found.text


def test_numbers_stand_to_the_right_and_verdicts_are_marked() -> None:
    found = parsed(page())
    classes = [attributes.get("class") for tag, attributes in found.tags if tag == "td"]
    assert classes == [None, "number", None, "number"]
    row = {"claim": "c", "verdict": "in part"}
    shown = PageTable(caption="", rows=[row], words=("claim", "verdict"))
    text = render(title="t", lead=(), sections=(Section(heading="h", tables=(shown,)),))
    assert '<b class="part">in part</b>' in text
    # Without plots there is no need for the library
    assert len(text) < 20_000


def test_a_table_without_rows_is_its_caption() -> None:
    shown = PageTable(caption="Nothing was found.", rows=[], words=("name",))
    text = render(title="t", lead=(), sections=(Section(heading="h", tables=(shown,)),))
    assert "Nothing was found." in text
    assert "<td" not in text


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="must be writable"):
        write_page(tmp_path / "absent" / "index.html", "text")


@pytest.mark.skipif(BROWSER is None, reason="no browser at hand")
def test_a_browser_draws_every_plot_without_a_network(tmp_path: Path) -> None:
    file = tmp_path / "index.html"
    write_page(file, page())
    assert BROWSER is not None
    done = subprocess.run(
        [
            BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", f"--user-data-dir={tmp_path / 'profile'}",
            "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=5000",
            "--dump-dom", file.as_uri(),
        ],
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    assert len(re.findall(r'class="plot[^"]*js-plotly-plot', done.stdout)) == 2
    # A line for each of two searchers, beside a band for each
    assert len(re.findall(r'<g class="trace scatter', done.stdout)) == 8
