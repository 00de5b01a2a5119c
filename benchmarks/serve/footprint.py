"""What a service needs: memory when idle and by problem, bytes of journal by round: `make bench-memory`.

Every shape and policy has a service of its own. Its memory (resident set) is taken when it is ready, with one
problem, with many, and after rounds of the first: the differences are what a first problem, a further
one, and learning add. A round is opened, one value is reported, and it is closed.
"""

import argparse
import http.client
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from .server import Server

_SHAPES = {"3 × 2": (3, 2), "10 × 5": (10, 5), "15 × 64": (15, 64)}
_DECIDES: dict[str, dict[str, Any]] = {
    "default": {"policy": "default"},
    "FTRL": {"learner": "FTRL"},
}


def _journal_bytes(data: Path) -> int:
    return sum(data.with_name(data.name + end).stat().st_size for end in ("", "-wal"))


def _play(server: Server, boxes: int, dimension: int, rounds: int) -> None:
    rng = np.random.default_rng(7)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60.0)

    def post(path: str, body: dict[str, Any]) -> Any:
        kind = {"Content-Type": "application/json"}
        connection.request("POST", f"/v1/problems/p0/rounds{path}", json.dumps(body), kind)
        answer = connection.getresponse()
        reply = json.loads(answer.read())
        if answer.status >= 300:
            raise RuntimeError(reply)
        return reply

    for number in range(rounds):
        contexts = rng.normal(size=(boxes, dimension)).tolist()
        opened = post("", {"id": f"r{number}", "contexts": contexts})
        value = float(rng.normal())
        post(f"/r{number}/values", {"values": {opened["next"]: value}})
        post(f"/r{number}/close", {})
    connection.close()


def footprint(
    folder: Path, decides: str, shape: str, *, problems: int, rounds: int
) -> dict[str, Any]:
    """Return the figures of one policy and shape."""
    boxes, dimension = _SHAPES[shape]
    data = folder / f"{decides}-{boxes}-{dimension}.db"
    server = Server(data=data, snapshot_every=10**9)
    try:
        empty = server.memory()
        asked: dict[str, Any] = {"boxes": [f"b{k}" for k in range(boxes)], "dimension": dimension}
        asked |= {"cost": 0.5, **_DECIDES[decides]}
        server.create({"name": "p0", **asked})
        one = server.memory()
        for number in range(1, problems):
            server.create({"name": f"p{number}", **asked})
        many = server.memory()
        before = _journal_bytes(data)
        _play(server, boxes, dimension, rounds)
        return {
            "decided by": decides,
            "boxes × features": shape,
            "empty, MB": empty,
            "first problem, MB": one - empty,
            "further one, MB": (many - one) / (problems - 1),
            f"{rounds} rounds, MB": server.memory() - many,
            "journal, bytes a round": (_journal_bytes(data) - before) / rounds,
        }
    finally:
        server.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--problems", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=2_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for decides in _DECIDES:
            for shape in _SHAPES:
                sizes = {"problems": options.problems, "rounds": options.rounds}
                rows.append(footprint(Path(folder), decides, shape, **sizes))
                if not options.json:
                    if len(rows) == 1:
                        print("| " + " | ".join(rows[0]) + " |")
                        print("|" + "---|" * len(rows[0]))
                    print("| " + " | ".join(map(_cell, rows[-1].values())) + " |", flush=True)
    if options.json:
        print(json.dumps(rows, indent=2))


def _cell(thing: Any) -> str:
    return thing if isinstance(thing, str) else f"{thing:,.3g}" if thing < 100 else f"{thing:,.0f}"


if __name__ == "__main__":
    main()
