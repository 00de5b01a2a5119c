"""Ten million rounds of exact FTRL in bounded memory: are its weights the minimiser over all points?

``python benchmarks/bench_far.py play WORLD [--rounds T] [--memory M] [--output DIR]`` plays a world
under ``opened`` with ``FTRL(intercept=False, memory=M)``, keeps the weights at a hundred checkpoints and
which boxes were opened, and prints the time and the most memory that the process ever had.

``python benchmarks/bench_far.py check DIR`` draws the same rounds in another process, takes all points of
the boxes that were opened into plain arrays, and solves each checkpoint from the beginning: Newton steps on
the sum over all points, halved until it falls. It shares no code with the learner.
"""

import argparse
import json
import resource
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import weitzman as wz
from weitzman.lab.worlds import WORLDS

Array = NDArray[np.float64]
AT_ONCE = 20_000
CHECKPOINTS = 100


def play(name: str, rounds: int, memory: int | None, folder: Path) -> None:
    """Play a world, and keep what is needed to check it."""
    world = WORLDS[name]()
    searcher = wz.Searcher(
        boxes=world.boxes,
        dimension=world.dimension,
        learner=wz.FTRL(intercept=False, memory=memory),
        feedback="opened",
    )
    bank = searcher._player.bank
    folder.mkdir(parents=True, exist_ok=True)
    every = rounds // CHECKPOINTS
    kept: list[tuple[Array, Array, Array]] = []
    began, learning = time.process_time(), 0.0
    with (folder / "opened").open("wb") as file:
        for start in range(0, rounds, min(AT_ONCE, every)):
            drawn = world.draw(min(AT_ONCE, every), 0, start=start)
            then = time.process_time()
            played = searcher.play(drawn.contexts, drawn.costs, drawn.values, predictions=True)
            learning += time.process_time() - then
            # Boxes are opened by increasing reservation value, equal ones by position
            order = np.argsort(
                np.asarray(played.reservation_values), axis=1, kind="stable"
            ).argsort(axis=1)
            file.write(np.packbits(order < played.opened_count[:, np.newaxis], axis=1).tobytes())
            if (start + min(AT_ONCE, every)) % every == 0:
                state = bank.arrays
                kept.append((state.weights.copy(), state.prior.copy(), state.reals[:, 1].copy()))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000.0
    np.savez(folder / "weights.npz", *(np.column_stack([w, p, r]) for w, p, r in kept))
    points = int(bank.looks().sum())
    line = {"world": name, "rounds": rounds, "memory": memory, "points": points}
    (folder / "what.json").write_text(json.dumps(line))
    held = int(bank.arrays.counts[:, 1].sum())
    total = time.process_time() - began
    print(f"{line}: {held} points held, {learning:.0f} s of {total:.0f} s, at most {most:.0f} MB")


def objective(points: Array, w: Array, prior: Array, ridge: float, cost: float) -> float:
    """Return the objective over all points (x, v)."""
    z = points[:, :-1] @ w - points[:, -1]
    over = np.maximum(z, 0.0)
    return float(0.5 * over @ over - cost * z.sum() + 0.5 * ridge * ((w - prior) ** 2).sum())


def minimiser(points: Array, start: Array, prior: Array, ridge: float, cost: float) -> Array:
    """Return the weights that minimise the objective."""
    x, v = points[:, :-1], points[:, -1]
    w, best = start.copy(), objective(points, start, prior, ridge, cost)
    pull = cost * x.sum(axis=0) + ridge * prior
    for _ in range(200):
        active = x @ w > v
        near = x[active]
        hessian = near.T @ near + ridge * np.eye(len(w))
        step = np.linalg.solve(hessian, pull + near.T @ v[active]) - w
        if np.abs(step).max() < 1e-13:
            break
        # Rounding may let the objective rise where it is flat
        most, size = best + 1e-12 * abs(best), 1.0
        while (
            new := objective(points, w + size * step, prior, ridge, cost)
        ) > most and size > 1e-9:
            size *= 0.5
        w, best = w + size * step, min(new, best)
    return w


def check(folder: Path) -> None:
    """Compare the weights of every checkpoint with those of a solve over all points."""
    what = json.loads((folder / "what.json").read_text())
    world, every = WORLDS[what["world"]](), what["rounds"] // CHECKPOINTS
    n, d = world.boxes, world.dimension
    opened = np.fromfile(folder / "opened", dtype=np.uint8).reshape(what["rounds"], -1)
    saved = np.load(folder / "weights.npz")
    points = [np.empty((0, d + 1)) for _ in range(n)]
    count = [0] * n
    found = np.zeros((n, d))
    worst = 0.0
    for k, name in enumerate(saved.files):
        for start in range(k * every, (k + 1) * every, min(AT_ONCE, every)):
            drawn = world.draw(min(AT_ONCE, every), 0, start=start)
            marks = np.unpackbits(opened[start : start + len(drawn.values)], axis=1)[:, :n] > 0
            for box in range(n):
                rows = marks[:, box]
                new = np.column_stack([drawn.contexts[rows, box], drawn.values[rows, box]])
                end = count[box] + len(new)
                if end > len(points[box]):
                    room = np.empty((max(end, 2 * len(points[box])), d + 1))
                    room[: count[box]] = points[box][: count[box]]
                    points[box] = room
                points[box][count[box] : end] = new
                count[box] = end
        cost = float(np.unique(drawn.costs).item())
        apart = 0.0
        for box, row in enumerate(saved[name]):
            w, prior, ridge = row[:d], row[d:-1], row[-1]
            found[box] = minimiser(points[box][: count[box]], found[box], prior, ridge, cost)
            apart = max(apart, float(np.abs(found[box] - w).max()))
        worst = max(worst, apart)
        print(f"{(k + 1) * every} rounds, {sum(count)} points: {apart:.1e}", flush=True)
    print(f"{what}: at most {worst:.1e} apart at {len(saved.files)} checkpoints")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["play", "check"])
    parser.add_argument("name", help="a world, or the folder of one that was played")
    parser.add_argument("--rounds", type=int, default=10_000_000)
    parser.add_argument("--memory", type=int, default=4096)
    parser.add_argument("--output", type=Path, default=Path("memory"))
    given = parser.parse_args()
    if given.part == "check":
        check(Path(given.name))
    else:
        play(given.name, given.rounds, given.memory or None, given.output)
