"""What a notebook, another process and a curious user ask of the objects of the top package."""

import copy
import pickle
from html.parser import HTMLParser
from importlib.metadata import version

import numpy as np
import pytest

import weitzman as wz
from tests.contracts.live import named_log


class Cells(HTMLParser):
    """The cells of the tables of some HTML, row by row; tags that are not closed are an error."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.open: list[str] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def test_a_plan_is_a_table_and_names_are_no_markup() -> None:
    plan = wz.plan([wz.Box("<b>", cost=1.0, value=[3.0, 9.0]), wz.Box("c", cost=2.0, value=5.0)])
    rows = Cells(plan._repr_html_()).rows
    assert rows[0][:2] == ["box", "cost"]
    assert [row[0] for row in rows[1:]] == list(plan.order)


def test_an_explanation_and_a_replay_are_tables_below_their_words() -> None:
    log = named_log()
    searcher = wz.Searcher.from_log(log, "FTRL")
    explanation = searcher.explain(np.ones((4, log.contexts.shape[2])), 1.0)
    assert explanation._repr_html_().startswith("<p>Open &#x27;")
    assert [r[0] for r in Cells(explanation._repr_html_()).rows[1:]] == [
        b.box for b in explanation.boxes
    ]
    replay = wz.replay(log, "FTRL", feedback="opened")
    rows = Cells(replay._repr_html_()).rows
    assert [row[0] for row in rows[1:]] == [row["policy"] for row in replay.rows()]
    # It has values that nobody looked for
    assert replay._repr_html_().startswith(f"<p>Nobody looked for {replay.gaps} values")
    assert repr(replay).splitlines()[0] in replay._repr_html_().replace("&#x27;", "'")


@pytest.mark.parametrize("policy", ["default", "FTRL", "no-context"])
def test_a_searcher_is_pickled_and_copied_bit_for_bit(policy: str) -> None:
    searcher = wz.Searcher.from_log(named_log(), policy)
    for other in (pickle.loads(pickle.dumps(searcher)), copy.deepcopy(searcher)):
        assert other.digest() == searcher.digest()
        assert other.encoding == searcher.encoding
        assert other.to_bytes() == searcher.to_bytes()


def test_an_open_search_says_how_it_is_kept() -> None:
    search = wz.Searcher(boxes=["a"], dimension=1).open([[1.0]], 1.0)
    with pytest.raises(wz.SearchStateError, match="keep it with to_bytes"):
        pickle.dumps(search)


def test_a_list_is_a_sample() -> None:
    sample = [3.0, 1.0, 2.0, 2.0]
    for given in (sample, tuple(sample), np.array(sample)):
        assert wz.Box("a", cost=0.1, value=given).law.mean() == wz.Empirical(sample).mean()
        assert wz.plan([wz.Box("a", cost=0.1, value=given)]).expected_total == pytest.approx(2.1)
    for wrong in ([], [[1.0, 2.0]], ["1"], [float("nan")]):
        with pytest.raises(wz.InvalidInputError, match="The value of box 'a' must be"):
            wz.Box("a", cost=0.1, value=wrong)


def test_the_version() -> None:
    assert wz.__version__ == version("weitzman")
