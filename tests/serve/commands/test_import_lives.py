"""What was replayed is what runs: a problem that imported a log decides as ``Searcher.from_log(log)`` does.

The same log is imported by a service and lived through by a searcher. What both have learned has one digest,
and rounds that come later are decided by the same reservation values and looks, to the last bit.
"""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import weitzman as wz
from tests.contracts.live import InProcess
from weitzman.feedback import Feedback
from weitzman.ledger.bodies import Created, Imported, PastRound, encode
from weitzman.ledger.event import Draft
from weitzman.ledger.sqlite.journal import SqliteJournal
from weitzman.ledger.state.fold import digest, replay
from weitzman.logs.log import Log, read_log
from weitzman.serve.commands.exchange import import_rounds
from weitzman.serve.commands.log_input import read_log as read_rounds
from weitzman.serve.messages.refusal import Refusal

LEARNERS: dict[str, dict[str, Any]] = {
    "default": {"policy": "default"},
    "Ridge": {"learner": "Ridge"},
    "FTRL": {"learner": "FTRL"},
    "Aware": {"policy": "Aware"},
}
ROUNDS = 45


def table(seed: int = 1, *, paid: bool = False) -> pa.Table:
    """A log with absent boxes, unknown values, outside options now and then, text and gaps."""
    rng = np.random.default_rng(seed)
    t, b = (a.ravel() for a in np.indices((ROUNDS, 4)))
    size = rng.normal(size=t.size)
    cost = rng.uniform(0.05, 0.4, t.size)
    columns = {
        "round": t,
        "box": np.array([f"b{k}" for k in b]),
        "cost": cost,
        "value": np.where(rng.uniform(size=t.size) < 0.1, np.nan, 3.0 + 0.3 * b + size),
        "outside": np.where(rng.uniform(size=ROUNDS) < 0.5, 3.0, np.nan)[t],
        "x_size": np.where(rng.uniform(size=t.size) < 0.1, np.nan, size),
        "x_colour": rng.choice(["red", "blue"], t.size),
    }
    if paid:
        columns["paid"] = np.where(rng.uniform(size=t.size) < 0.5, np.nan, 2.0 * cost)
    there = rng.uniform(size=t.size) < 0.9
    return pa.table({n: pa.array(c[there], from_pandas=True) for n, c in columns.items()})


def content_of(log: pa.Table) -> bytes:
    sink = io.BytesIO()
    parquet.write_table(log, sink)
    return sink.getvalue()


def begin(service: InProcess, log: Log, feedback: Feedback, **decides: Any) -> None:
    """Create a problem with the boxes and features of a log."""
    features = [column.removeprefix("x_") for column in log.features]
    problem = {"name": "it", "boxes": log.boxes, "features": features, "feedback": feedback}
    service.send("/v1/problems", {**problem, "sense": log.sense, **decides})


def take(service: InProcess, content: bytes) -> None:
    problem = service.engine.state.problems["it"]
    import_rounds(service.engine, problem, read_rounds(problem, content))


def searcher_of(
    log: Log, feedback: Feedback, policy: Any = None, learner: Any = None
) -> wz.Searcher:
    policies: dict[Any, Any] = {None: None, "default": "default", "Aware": wz.Aware()}
    learners: dict[Any, Any] = {"Ridge": wz.Ridge(), "FTRL": wz.FTRL()}
    chosen = policies[policy] if learner is None else wz.Weitzman(learners[learner])
    return wz.Searcher.from_log(log, chosen, feedback=feedback)


def later_rounds(seed: int = 9) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    return [
        {
            "contexts": [
                [float(x), 0.0, *([1.0, 0.0] if rng.uniform() < 0.5 else [0.0, 1.0])]
                for x in rng.normal(size=4)
            ],
            "costs": rng.uniform(0.05, 0.4, 4).tolist(),
            "outside": 3.0 if rng.uniform() < 0.5 else None,
            "values": rng.normal(3.0, 1.0, 4).tolist(),
        }
        for _ in range(15)
    ]


def live(searcher: wz.Searcher, log: Log, width: int) -> list[Any]:
    """Return looks and totals of later rounds."""
    found = []
    for asked in later_rounds():
        contexts = np.array(asked["contexts"])[:, :width]
        values: Any = dict(zip(log.boxes, asked["values"], strict=True))
        search = searcher.open(contexts, np.array(asked["costs"]), outside=asked["outside"])
        for box in search:
            search.see(values[str(box)])
        outcome = search.close(values if searcher.feedback == "full" else None)
        found.append((list(outcome.opened), outcome.total))
    return found


def served(service: InProcess, log: Log, feedback: Feedback, width: int) -> list[Any]:
    """Return the same of a service."""
    found = []
    for asked in later_rounds():
        values = dict(zip(log.boxes, asked.pop("values"), strict=True))
        asked["contexts"] = [row[:width] for row in asked["contexts"]]
        reply = service.send("/v1/problems/it/rounds", asked)
        path = f"/v1/problems/it/rounds/{reply['round']}"
        while reply["next"] is not None:
            box = reply["next"]
            reply = service.send(f"{path}/values", {"values": {box: values[box]}})
        closed = service.send(f"{path}/close", {"values": values} if feedback == "full" else {})
        found.append((closed["opened"], closed["total"]))
    return found


@pytest.mark.parametrize("sense", ["min", "max"])
@pytest.mark.parametrize("feedback", ["opened", "full"])
@pytest.mark.parametrize("name", LEARNERS)
def test_a_problem_that_imported_a_log_decides_as_its_searcher(
    name: str, feedback: Feedback, sense: Any, tmp_path: Path
) -> None:
    told = table()
    log = replace(read_log(told, shared=False), sense=sense)
    width = len(log.features)
    searcher = searcher_of(log, feedback, **LEARNERS[name])
    with InProcess.running(tmp_path / "events.db") as service:
        begin(service, log, feedback, **LEARNERS[name])
        take(service, content_of(told))
        problem = service.engine.state.problems["it"]
        assert wz.load(problem.saved()).digest() == searcher.digest()
        assert problem.tally.imported == searcher.rounds > 30
        assert served(service, log, feedback, width) == live(searcher, log, width)
        assert wz.load(problem.saved()).digest() == searcher.digest()
        state = digest(service.engine.state)
    # The journal alone gives the same state, and so does a restart from a snapshot of it
    journal = SqliteJournal(tmp_path / "events.db")
    again = replay(journal.read())
    journal.close()
    assert digest(again) == state
    record = again.problems["it"].record()
    assert type(problem).from_record(record).record() == record


def test_real_costs_of_a_log_are_those_of_its_searcher(tmp_path: Path) -> None:
    told = table(paid=True)
    log = read_log(told, shared=False)
    searcher = searcher_of(log, "opened", learner="Ridge")
    with InProcess.running(tmp_path / "events.db") as service:
        begin(service, log, "opened", learner="Ridge")
        take(service, content_of(told))
        problem = service.engine.state.problems["it"]
        assert wz.load(problem.saved()).digest() == searcher.digest()
        every = list(range(4))
        assert problem.expected_costs(every) == searcher._costs.expected(np.arange(4)).tolist()


def test_values_that_the_policy_would_not_have_seen_are_not_learned(tmp_path: Path) -> None:
    told = table()
    with InProcess.running(tmp_path / "events.db") as service:
        log = read_log(told, shared=False)
        begin(service, log, "opened", learner="Ridge")
        take(service, content_of(told))
        tally = service.engine.state.problems["it"].tally
        known = int((~np.isnan(log.values)).sum())
        assert 0 < sum(tally.learned) < known


def test_an_import_of_before_is_learned_as_it_was() -> None:
    rng = np.random.default_rng(0)
    rounds = [
        PastRound(rng.normal(size=(2, 1)).tolist(), [0.5, 0.5], [1.0, None]) for _ in range(5)
    ]
    kind, content = encode(Imported(rounds))
    assert b"lived" not in content
    assert b"paid" not in content
    state = replay([created_event(), Draft("p", 2, kind, 2, "", content)])
    assert state.problems["p"].tally.learned == [5, 0]
    assert b"lived" not in state.problems["p"].record()
    kind, content = encode(Imported(rounds, lived=True))
    assert b'"lived":true' in content


def created_event() -> Draft:
    body = Created(["a", "b"], ["x"], "min", "opened", 10**9, learner="Ridge", defaults=3)
    kind, content = encode(body)
    return Draft("p", 1, kind, 1, "", content)


def test_features_are_found_by_name_and_levels(tmp_path: Path) -> None:
    told = table()
    log = read_log(told, shared=False)
    with InProcess.running(tmp_path / "events.db") as service:
        begin(service, log, "opened", learner="Ridge")
        problem = service.engine.state.problems["it"]
        plain = read_rounds(problem, content_of(told))
        # As the service exports them: a column for each level
        colour = np.array(told["x_colour"].to_pylist())
        split = told.drop_columns(["x_colour"])
        for level in ("blue", "red"):
            split = split.append_column(f"x_colour={level}", pa.array((colour == level) * 1.0))
        assert read_rounds(problem, content_of(split)) == plain
        # A level that the problem does not know is none of its own
        green = told.set_column(
            told.column_names.index("x_colour"), "x_colour", pa.array(["green"] * len(told))
        )
        rows = [
            row for past in read_rounds(problem, content_of(green)).rounds for row in past.contexts
        ]
        assert all(sum(x or 0.0 for x in row[2:]) == 0.0 for row in rows)
        for wrong, column in (
            (told.drop_columns(["x_colour"]), "x_colour=blue"),
            (green.set_column(0, "round", told["round"]).drop_columns(["x_size"]), "x_size"),
        ):
            with pytest.raises(Refusal, match="has no column") as refused:
                read_rounds(problem, content_of(wrong))
            assert column in str(refused.value) or "x_size" in str(refused.value)


def test_a_value_beyond_the_bound_is_refused_and_nothing_learned(tmp_path: Path) -> None:
    told = table()
    log = read_log(told, shared=False)
    with InProcess.running(tmp_path / "events.db") as service:
        begin(service, log, "opened", learner="Ridge", least=2.0)
        problem = service.engine.state.problems["it"]
        before = digest(service.engine.state)
        with pytest.raises(Refusal, match="must be >= 2"):
            take(service, content_of(told))
        assert digest(service.engine.state) == before
        assert problem.tally.imported == 0
