"""Vowpal Wabbit's decision-service JSON: a line per round, with the chances of all actions.

A line has ``_label_cost``, ``_label_probability``, ``_label_Action`` (from 1), ``a`` and ``p``, all actions
with their chances, the one that was taken first, and ``c``, the context: features of the round, and in
``_multi`` those of each action. Features of a namespace are objects of numbers, texts and lists of numbers.
What begins with ``_`` is none; the ``_tag`` of an action is the name of its box, or else its number is.
"""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from weitzman.errors import InvalidFileError
from weitzman.logs.formats.single import looks_of, looks_table
from weitzman.logs.log import Log


def read_dsjson(path: Path, *, cost: float = 0.0) -> Any:
    """Return the log of a file; all rounds have the same actions. A line without a label is left out."""
    events = list(_events(path))
    if not events:
        raise InvalidFileError(str(path), "hold a line with a label", "none")
    boxes = [name for name, _ in events[0][1]]
    chances = np.empty((len(events), len(boxes)))
    chosen, values = np.empty(len(events), dtype=np.int64), np.empty(len(events))
    rows: list[dict[str, Any]] = []
    for t, (line, actions, shared, number) in enumerate(events):
        here = f"{path}, line {number}"
        if [name for name, _ in actions] != boxes:
            raise InvalidFileError(f"{here}: the actions", f"be {boxes}", [n for n, _ in actions])
        try:
            order, shares = [int(a) - 1 for a in line["a"]], [float(p) for p in line["p"]]
            if sorted(order) != list(range(len(boxes))) or len(shares) != len(boxes):
                raise ValueError
            chances[t, order] = shares
            values[t] = float(line["_label_cost"])
            chosen[t] = int(line["_label_Action"]) - 1
            chances[t, chosen[t]] = float(line["_label_probability"])
        except (KeyError, TypeError, ValueError, IndexError):
            rule = "have every action once in 'a' with its chance in 'p', and a label of numbers"
            raise InvalidFileError(here, rule, line.get("a")) from None
        rows += [{**shared, **own} for _, own in actions]
    names = dict.fromkeys(name for row in rows for name in row)
    return looks_table(
        rounds=[line.get("EventId", t) for t, (line, *_) in enumerate(events)],
        boxes=boxes,
        chosen=chosen,
        values=values,
        chances=chances,
        features={name: [row.get(name) for row in rows] for name in names},
        cost=cost,
    )


def write_dsjson(log: Log, path: Path) -> None:
    """Write a log of single looks; the label's cost is what was paid, the value and the look."""
    looks, chances = looks_of(log), log.chances
    assert chances is not None
    with path.open("w", encoding="utf-8") as lines:
        for t, chosen in enumerate(looks.chosen.tolist()):
            there = np.flatnonzero(~np.isnan(log.costs[t])).tolist()
            unknown = [log.boxes[k] for k in there if np.isnan(chances[t, k])]
            if unknown:
                rule = "say the chance of every box, to be written with all of them"
                raise InvalidFileError(f"The log, round {log.rounds[t]}", rule, unknown)
            order = [chosen, *(k for k in there if k != chosen)]
            number = {box: k + 1 for k, box in enumerate(there)}
            event = {
                "_label_cost": float(looks.totals[t]),
                "_label_probability": float(looks.chances[t]),
                "_label_Action": number[chosen],
                "_labelIndex": number[chosen] - 1,
                "Version": "1",
                "EventId": str(log.rounds[t]),
                "a": [number[k] for k in order],
                "c": {"_multi": [_action(log, t, k) for k in there]},
                "p": [float(chances[t, k]) for k in order],
            }
            lines.write(json.dumps(event) + "\n")


def _action(log: Log, number: int, box: int) -> dict[str, Any]:
    cells = zip(log.features, log.contexts[number, box].tolist(), strict=True)
    return {"_tag": log.boxes[box], "x": {name: x for name, x in cells if not math.isnan(x)}}


_Actions = list[tuple[str, dict[str, Any]]]


def _events(path: Path) -> Iterator[tuple[dict[str, Any], _Actions, dict[str, Any], int]]:
    """Return the lines that have a label, with actions, features of the round, and their numbers."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InvalidFileError(str(path), "be readable", error.strerror) from None
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            line = json.loads(text)
            if "_label_cost" not in line:
                # A dangling reward, or a decision whose outcome never came
                continue
            actions = [
                (str(one.get("_tag", k)), dict(_flat(one)))
                for k, one in enumerate(line["c"]["_multi"], start=1)
            ]
            yield line, actions, dict(_flat(line["c"])), number
        except (ValueError, KeyError, TypeError, AttributeError):
            rule = "be a decision in JSON with a context 'c' and its actions '_multi'"
            raise InvalidFileError(f"{path}, line {number}", rule, text[:80]) from None


def _flat(thing: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Return the features of an object by their paths."""
    if isinstance(thing, dict):
        for name, inner in thing.items():
            if not name.startswith("_"):
                # Our own namespace keeps the names of our features
                yield from _flat(inner, path if name == "x" and not path else (*path, name))
    elif isinstance(thing, list):
        for k, inner in enumerate(thing):
            yield from _flat(inner, path if isinstance(inner, dict) else (*path, str(k)))
    elif thing is not None:
        yield "_".join(path), thing
