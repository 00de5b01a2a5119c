"""The clients against a real service: the face of a searcher, retries, refusals."""

import asyncio
import math
import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest

import weitzman as wz
from tests.serve.running import CONTEXTS, Running, running
from weitzman.errors import InvalidInputError, SearchStateError
from weitzman.serve.client.aio import AsyncClient
from weitzman.serve.client.common import RefusedError, UnreachableError
from weitzman.serve.client.sync import Client

VALUES = {"a": 1.5, "b": 0.25, "c": 3.0}


def _settings(name: str, **more: object) -> dict[str, object]:
    return {"name": name, "boxes": ["a", "b", "c"], "dimension": 2, "cost": 0.5, **more}


def _url(service: Running) -> str:
    return f"http://127.0.0.1:{service.port}"


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("sense", ["min", "max"])
def test_a_remote_search_goes_as_a_local_one(service: Running, alone: bool, sense: str) -> None:
    # A client cannot go on alone by the policy default, which decides again after every look
    decides = {"learner": "FTRL"} if alone else {}
    searcher = wz.Searcher(
        boxes=["a", "b", "c"],
        dimension=2,
        sense=sense,  # type: ignore[arg-type]
        learner=wz.FTRL() if alone else None,
    )
    with Client(_url(service)) as client:
        settings = _settings(f"client-{alone}-{sense}", sense=sense, **decides)
        problem = client.create_problem(**settings)
        for number in range(10):
            contexts = np.array(CONTEXTS) * (1.0 + 0.1 * number)
            here = searcher.open(contexts, 0.5, outside=1.0)
            there = problem.open(contexts, outside=1.0, alone=alone)
            boxes = []
            for box in there:
                there.see(VALUES[box])
                boxes.append(box)
            for own in here:
                here.see(VALUES[str(own)])
            mine, theirs = here.close(), there.close()
            assert tuple(theirs.opened) == mine.opened == tuple(boxes)
            assert theirs.total == pytest.approx(mine.total)
        assert problem.report().rounds_closed == 10
        assert problem.describe().rounds_open == 0
        assert problem.round(there.round_id).closed
        assert problem.diagnostics().late == 0
        assert problem.name in [p.name for p in client.problems()]


def test_an_async_search_does_the_same(service: Running) -> None:
    async def play() -> tuple[float | None, int]:
        async with AsyncClient(_url(service)) as client:
            problem = await client.create_problem(**_settings("async"))
            search = await problem.open(CONTEXTS, outside=2.0)
            seen = 0
            async for box in search:
                await search.see(VALUES[box])
                seen += 1
            outcome = await search.close()
            assert (await problem.report()).rounds_closed == 1
            with pytest.raises(RefusedError, match="no round"):
                await problem.round("nothing")
            await problem.archive()
            assert (await problem.describe()).archived
            return outcome.total, seen

    total, seen = asyncio.run(play())
    assert seen >= 1
    assert total == pytest.approx(min(VALUES["a"], VALUES["b"]) + 0.5 * seen, abs=3.0)


def test_both_clients_look_back(service: Running) -> None:
    with Client(_url(service)) as client:
        problem = client.create_problem(**_settings("back", learner="Ridge", unit="$"))
        assert problem.describe().unit == "$"
        for number in range(7):
            search = problem.open(CONTEXTS, outside=1.0, round_id=f"r{number}")
            for box in search:
                search.see(VALUES[box])
            search.close()
        few, every = problem.window(rounds=3), problem.window()
        assert (few.rounds, every.rounds, every.share_read) == (3, 7, 1.0)
        assert every.report.paid == pytest.approx(sum(o.paid for o in every.options) * 7)
        page = problem.closed(most=5)
        assert [found.round for found in page.rounds] == ["r6", "r5", "r4", "r3", "r2"]
        rest = problem.closed(most=5, before=page.before)
        assert [found.round for found in rest.rounds] == ["r1", "r0"]
        with pytest.raises(RefusedError, match="no box 'z'"):
            problem.closed(kept="z")

    async def look() -> tuple[object, object]:
        async with AsyncClient(_url(service)) as others:
            other = others.problem("back")
            return await other.window(rounds=3), await other.closed(most=5)

    assert asyncio.run(look()) == (few, page)


def test_a_search_waits_for_one_thing_at_a_time(service: Running) -> None:
    with Client(_url(service)) as client:
        problem = client.create_problem(**_settings("strict", feedback="full"))
        search = problem.open(CONTEXTS, round_id="r1")
        with pytest.raises(
            SearchStateError, match=r"waits for no value: call next\(search\), or iterate"
        ):
            search.see(1.0)
        first = next(search)
        with pytest.raises(SearchStateError, match=f"waits for the value of box '{first}'"):
            next(search)
        with pytest.raises(SearchStateError, match="cannot close"):
            search.close()
        search.miss()
        outcome = search.close(values=VALUES)
        assert outcome.value is None
        assert outcome.learned == 3
        with pytest.raises(SearchStateError, match="closed"):
            next(search)


def test_a_refusal_tells_status_and_field(service: Running) -> None:
    with Client(_url(service)) as client:
        with pytest.raises(RefusedError, match="no problem 'nobody'") as caught:
            client.problem("nobody").describe()
        assert (caught.value.status, caught.value.field) == (404, "problem")
        again = pickle.loads(pickle.dumps(caught.value))
        assert (str(again), again.status) == (str(caught.value), 404)


def test_a_number_that_is_none_is_refused_by_its_place(service: Running) -> None:
    with Client(_url(service)) as client:
        problem = client.create_problem(name="finite", boxes=["a", "b"], dimension=1, cost=0.1)
        with pytest.raises(InvalidInputError, match=r"contexts\[1\]\[0\] must be a finite number"):
            problem.open([[1.0], [math.nan]])
        search = problem.open([[1.0], [2.0]])
        assert next(search) == "a"
        with pytest.raises(InvalidInputError, match=r"values\.a must be a finite number"):
            search.see(float("inf"))
        with pytest.raises(RefusedError, match=r"^learner: ") as caught:
            client.create_problem(name="x", boxes=["a"], dimension=1, learner="Nobody")
        assert caught.value.field == "learner"


def test_a_service_that_is_not_there_is_told(tmp_path: Path) -> None:
    with Client("http://127.0.0.1:9", retries=1) as client, pytest.raises(UnreachableError):
        client.problems()


def test_a_restart_is_ridden_out_and_nothing_happens_twice(tmp_path: Path) -> None:
    data = tmp_path / "events.db"
    with running(data) as service:
        port = service.port
        with Client(_url(service), retries=40) as client:
            problem = client.create_problem(**_settings("p"))
            done: list[str] = []

            def play() -> None:
                for _ in range(60):
                    search = problem.open(CONTEXTS)
                    for box in search:
                        search.see(VALUES[box])
                    search.close()
                    done.append(search.round_id)

            worker = threading.Thread(target=play)
            worker.start()
            while len(done) < 10:
                worker.join(0.01)
            service.kill()
            with running(data, port=port) as again:
                worker.join(60.0)
                report = again.get("/v1/problems/p/report").json()
                assert len(done) == len(set(done)) == 60
                assert (report["rounds_closed"], report["rounds_open"]) == (60, 0)
                assert sum(b["learned"] for b in report["boxes"]) == report["looks"]


NAMED = [
    {"size": 3.0, "kind": "shop", "new": True},
    {"size": None, "kind": "dealer", "new": False},
    {"size": 1.0, "kind": "shop", "new": True},
]
TABLES: dict[str, Any] = {
    "pandas by index": lambda order: pd.DataFrame(NAMED, index=list("abc")).iloc[order],
    "pandas with a column": lambda order: (
        pd.DataFrame(NAMED, index=list("abc")).iloc[order].reset_index(names="box")
    ),
    "with other columns": lambda order: (
        pd.DataFrame(NAMED, index=list("abc")).iloc[order].assign(colour="red")
    ),
    "with gaps of pandas": lambda order: (
        pd.DataFrame(NAMED, index=list("abc")).convert_dtypes().iloc[order]
    ),
    "polars": lambda order: pl.DataFrame(NAMED).with_columns(box=pl.Series(list("abc")))[order],
    "arrow": lambda order: (
        pl.DataFrame(NAMED).with_columns(box=pl.Series(list("abc")))[order].to_arrow()
    ),
}


def _named_problem(service: Running, client: Client, name: str) -> Any:
    features = ["size", "size?", "kind=shop", "kind=dealer", "new=false", "new=true"]
    settings = {"boxes": ["a", "b", "c"], "features": features, "feedback": "full"}
    return client.create_problem(name=name, learner="FTRL", **settings)


@pytest.mark.parametrize("table", TABLES)
def test_tables_and_series_go_by_label(service: Running, table: str) -> None:
    prices = pd.Series([1.0, 2.0, 3.0], index=list("abc"))
    with Client(_url(service)) as client:
        problem = _named_problem(service, client, f"tables-{table.replace(' ', '-')}")
        plain = problem.open(NAMED, [1.0, 2.0, 3.0], outside=9.0)
        expected = problem.round(plain.round_id).boxes
        for order in ([0, 1, 2], [2, 0, 1]):
            search = problem.open(TABLES[table](order), prices.iloc[order], outside=9.0)
            assert problem.round(search.round_id).boxes == expected
        some = problem.open(
            TABLES[table]([2, 0]), prices.iloc[[2, 0]], outside=9.0, boxes=["a", "c"]
        )
        boxes = {b.box: (b.cost, b.context) for b in problem.round(some.round_id).boxes}
        assert boxes == {b.box: (b.cost, b.context) for b in expected if b.box != "b"}
        for box in some:
            some.see(VALUES[box])
        ended = some.close(pd.Series([VALUES["c"], VALUES["a"]], index=["c", "a"]))
        assert ended.learned == 2


def test_tables_that_fit_nothing_are_refused(service: Running) -> None:
    frame = pd.DataFrame(NAMED, index=list("abx"))
    with Client(_url(service)) as client:
        problem = _named_problem(service, client, "tables-wrong")
        counted = client.create_problem(**_settings("tables-counted"))
        for contexts, costs, said in (
            (frame, 1.0, "The contexts by name of box must name boxes of the round"),
            (frame.drop(columns="kind"), 1.0, "The feature 'kind' must be given"),
            (NAMED, frame, "The costs must be a series or a mapping, not a table"),
            (NAMED, pd.Series([1.0], index=["z"]), "The costs must be labelled by the boxes"),
        ):
            with pytest.raises(InvalidInputError, match=said):
                problem.open(contexts, costs)
        with pytest.raises(InvalidInputError, match="to take columns by name"):
            counted.open(frame)
        search = problem.open(NAMED, 1.0, outside=9.0)
        with pytest.raises(InvalidInputError, match="must be a mapping, or a series whose labels"):
            search.close([1.0, 2.0, 3.0])
        assert problem.describe().rounds_open == 1


def test_an_unknown_level_is_warned_of(service: Running) -> None:
    strange = [*NAMED[:2], {"size": 1.0, "kind": "stall", "new": True}]
    with Client(_url(service)) as client:
        problem = _named_problem(service, client, "tables-unknown")
        with pytest.warns(wz.UnknownLevelWarning, match="'kind=stall' is unknown") as told:
            problem.open(strange, 1.0)
        assert [w.filename for w in told] == [__file__]
        assert problem.diagnostics().unknown_levels == ["kind=stall"]


async def _by_label(url: str) -> None:
    async with AsyncClient(url) as client:
        problem = client.problem("tables-pandas-by-index")
        plain = await problem.open(NAMED, [1.0, 2.0, 3.0], outside=9.0)
        table = TABLES["pandas by index"]([2, 1, 0])
        prices = pd.Series([3.0, 2.0, 1.0], index=list("cba"))
        search = await problem.open(table, prices, outside=9.0)
        first = (await problem.round(plain.round_id)).boxes
        assert (await problem.round(search.round_id)).boxes == first


def test_the_asynchronous_client_takes_tables_too(service: Running) -> None:
    with Client(_url(service)) as client:
        _named_problem(service, client, "tables-pandas-by-index")
    asyncio.run(_by_label(_url(service)))
