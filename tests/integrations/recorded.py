"""Recorded rounds as questions: real ones if they are at hand, simulated ones otherwise."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import numpy as np
import pyarrow as pa

import weitzman as wz
from tests.contracts.live import first_rounds
from tests.integrations.known import TABLE
from tests.serve.running import Running
from weitzman.lab.examples.llm import llm_columns
from weitzman.logs.log import Log, read_log

CALLS = Path(__file__).parents[3] / "shared/data/llm_calls.parquet"
ROOT = Path(__file__).parents[2]
ROUNDS = 120
WRONG = 20.0
RIGHT = 'by = "pattern"\npattern = "^right"\n'
POLICY = "no-context"
"""A policy that starts at once."""


def recorded_log(rounds: int | None = None) -> Log:
    """Return the real rounds, or the first ones."""
    log = read_log(CALLS, least=0.0)
    return log if rounds is None else first_rounds(log, rounds)


def simulated_log(rounds: int) -> Log:
    return read_log(pa.table(llm_columns(rounds)), least=0.0)


def write_table(log: Log, place: Path) -> None:
    """Write what an upstream and the features of questions need of a log."""
    assert not np.isnan(log.values).any()
    assert (log.contexts == log.contexts[:, :1]).all(), "all models have the same features"
    np.savez(
        place,
        boxes=np.array(log.boxes),
        features=np.array(log.features),
        contexts=log.contexts[:, 0],
        costs=log.costs,
        values=log.values,
    )


class Upstream(NamedTuple):
    """A running upstream."""

    url: str

    def account(self) -> dict[str, Any]:
        """Return how often each question was put to each model, and what was billed."""
        told: dict[str, Any] = httpx.get(f"{self.url}/asked").json()
        return told


@contextlib.contextmanager
def upstream(table: Path, faults: float = 0.0, delay: float = 0.0) -> Iterator[Upstream]:
    which = "tests.integrations.upstream"
    command = [sys.executable, "-m", which, str(table), str(faults), str(delay)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        try:
            yield Upstream(f"http://127.0.0.1:{int(process.stdout.readline())}")
        finally:
            process.kill()


def write_config(log: Log, place: Path, url: str, more: str = "", **models: Any) -> Path:
    """Write the file of a gateway over a log; ``more`` is added to its end."""
    texts = [
        "[gateway]",
        f"wrong_answer = {WRONG}",
        f"give_up = {WRONG}",
        'costs = "tests.integrations.known:costs"',
        "[features]",
        "length = false",
        'function = "tests.integrations.known:features"',
        f"names = {json.dumps(log.features)}",
        "[grade]",
        'by = "pattern"',
        'pattern = "^right"',
        more,
    ]
    for box in log.boxes:
        described = {
            "name": box,
            "url": f"{url}/v1",
            "cost": "usage.cost",
            "timeout": 5.0,
            **models,
        }
        texts += ["[[models]]", *(f"{key} = {json.dumps(v)}" for key, v in described.items())]
    place.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return place


@contextlib.contextmanager
def gateway(config: Path, table: Path, data: Path, *options: str) -> Iterator[Running]:
    """Run a gateway in a process of its own."""
    started = start_gateway(config, table, data, *options)
    try:
        yield started
    finally:
        if started.process.poll() is None:
            started.stop()


def start_gateway(
    config: Path, table: Path, data: Path, *options: str, port: int | None = None
) -> Running:
    os.environ[TABLE] = str(table)
    started = Running(data, *options, command=("gateway", str(config)), port=port)
    started.wait_until_ready()
    return started


def question(number: int, **more: Any) -> dict[str, Any]:
    """Return the body of a request."""
    messages = [{"role": "user", "content": f"Question {number}: what is right?"}]
    return {"model": "weitzman", "messages": messages, **more}


def ask(service: Running, number: int = 0, **more: Any) -> httpx.Response:
    headers = more.pop("headers", {})
    return service.post("/v1/chat/completions", question(number, **more), **headers)


def of_one(
    tmp_path: Path, log: Any, table: Path, url: str, grade: str, more: str = ""
) -> contextlib.AbstractContextManager[Running]:
    """Run a gateway with another grader, under :data:`POLICY`."""
    config = write_config(log, tmp_path / "gateway.toml", url)
    text = config.read_text(encoding="utf-8")
    text = text.replace(RIGHT, grade + more)
    text = text.replace("[gateway]\n", f'[gateway]\npolicy = "{POLICY}"\n')
    config.write_text(text, encoding="utf-8")
    return gateway(config, table, tmp_path / "a.db")


class Reference(NamedTuple):
    """What the policy does on a log without any gateway."""

    opened: list[tuple[str, ...]]
    totals: list[float]


def reference(log: Log, policy: str = "default") -> Reference:
    """Play a log live, round by round."""
    searcher = wz.Searcher(boxes=log.boxes, features=log.features, policy=policy, least=0.0)
    opened, totals = [], []
    for row, costs, values in zip(log.contexts, log.costs, log.values, strict=True):
        search = searcher.open(row, costs, outside=WRONG)
        for box in search:
            search.see(values[log.boxes.index(str(box))])
        outcome = search.close()
        opened.append(tuple(map(str, outcome.opened)))
        totals.append(outcome.total)
    return Reference(opened, totals)
