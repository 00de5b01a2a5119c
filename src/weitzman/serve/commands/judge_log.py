"""What judges the log of a problem, in a process of low priority: run as a module.

It reads a line of JSON and a log in Parquet from standard input, and writes a line of JSON.
"""

import io
import os
import sys
from typing import Any

import msgspec

from weitzman.errors import WeitzmanError

_NICE = 10


class Asked(msgspec.Struct, frozen=True):
    """What is to be judged, and how the log is to be read."""

    policies: list[str]
    against: str | None
    learn: float | None
    explored_for: list[str]
    features: list[str]
    least: float | None


class Told(msgspec.Struct):
    """The rows of a judgement, or why there is none."""

    refused: str | None = None
    rounds: int = 0
    recorded: float | None = None
    against: str | None = None
    rows: list[dict[str, Any]] = []


def told(asked: Asked, content: bytes) -> Told:
    """Return what a log says."""
    from pyarrow import parquet

    from weitzman.logs.log import read_log
    from weitzman.replays.judgement.judge import judge

    table = parquet.read_table(io.BytesIO(content))
    if not table.num_rows:
        return Told(refused="No round has ended yet.")
    try:
        log = read_log(table, features=asked.features, least=asked.least, shared=False)
        found = judge(
            log,
            asked.policies,
            against=asked.against,
            explored_for=asked.explored_for,
            learn=asked.learn,
        )
    except WeitzmanError as error:
        return Told(refused=str(error))
    return Told(
        rounds=found.rounds,
        recorded=None if found.recorded is None else float(found.recorded.mean()),
        against=found.against,
        rows=found.rows(),
    )


def main() -> None:
    """Answer standard input."""
    from weitzman.compiled.beside import wait_from_now_on

    os.nice(_NICE)
    wait_from_now_on()
    line, _, content = sys.stdin.buffer.read().partition(b"\n")
    answer = told(msgspec.json.decode(line, type=Asked), content)
    sys.stdout.buffer.write(msgspec.json.encode(answer))
    sys.stdout.buffer.flush()
    # At once: threads of Arrow that are still beginning would abort a process that ends in the usual way
    os._exit(0)


if __name__ == "__main__":
    main()
