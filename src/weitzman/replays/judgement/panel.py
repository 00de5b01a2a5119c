"""Simple rules on a log with gaps: over one history, which they share, many rounds at a time.

All learn what the log shows, whoever would have opened it, so they have one history; and each decides as it
does over its own. Until anything was seen there are no units, and rounds are taken one by one
(:mod:`weitzman.learn.preparation`); from then on in one compiled call from one fit of a model to the next
(:mod:`weitzman.learn.policies.simple_rounds`).
"""

from collections.abc import Sequence

import numpy as np

from weitzman.arrays import Floats
from weitzman.jobs.processes import Tick
from weitzman.learn.models.history import History
from weitzman.learn.policies.simple import Simple, SimpleFamily
from weitzman.learn.policies.simple_rounds import SimpleRounds
from weitzman.learn.preparation import Preparation
from weitzman.replays.judgement.seen import Seen
from weitzman.replays.judgement.walk import COLUMNS, frame_of, walk_many, walk_rounds

SEED = 0
"""The seed of all that is judged."""


def panel_traces(
    policies: Sequence[Simple], seen: Seen, *, learned: int | None, tick: Tick, sigmas: bool = False
) -> tuple[Floats, Floats | None]:
    """Return what a log shows of simple rules, (k, 8, T), as ``traces`` says it of any policy; and σ."""
    boxes, dimension = seen.contexts.shape[1:]
    shared, names = policies[0].shared, tuple(one.rule for one in policies)
    history = History(
        boxes=boxes, dimension=dimension, shared=shared, prepare="all", feedback="opened"
    )
    preparation = Preparation(dimension, values=True, feedback="opened")
    members = SimpleFamily(names).start(history, seed=SEED)
    first, end = learned or 0, len(seen) if learned is None else learned
    found = np.empty((len(names), len(COLUMNS), len(seen) - first))
    kept = np.full((len(names), len(seen) - first, boxes), np.inf) if sigmas else None
    done = 0
    for t, (shown, places) in enumerate(seen.rounds()):
        if preparation.units is not None:
            break
        if t >= first:
            sigma = np.maximum(members.sigma(preparation.ready(shown)), shown.floor)
            found[:, :, t - first] = walk_many(sigma, shown, frame_of(seen, t, places))
            if kept is not None:
                kept[:, t - first, places] = sigma
        if t < end and seen.teaches[t]:
            ready, values = preparation.take(shown, seen.values[t, places])
            if ready.units is not None:
                history.add(ready, values)
        done = t + 1
        tick(1)
    rules = SimpleRounds(names, history, preparation)
    while (t := done) < len(seen):
        until = min(end if t < end else len(seen), first if t < first else len(seen))
        closed = seen.teaches[t:until] & (t < end)
        # A rule is asked only where it is judged
        count = rules.ahead(closed) if t >= first else len(closed)
        here, closed = slice(t, t + count), closed[:count]
        given = seen.contexts[here], seen.costs[here], seen.values[here], seen.outside[here]
        if t < first:
            rules.learn(*given, seen.least, closed)
        else:
            sigma, there = (
                rules.play(*given, seen.least, closed),
                slice(t - first, t - first + count),
            )
            walk_rounds(
                sigma, seen.outside[here], seen.prices[here], seen.values[here],
                seen.plain_values[here], seen.known[here], seen.plain[here], seen.chances[here],
                seen.together, seen.floor, seen.ceiling, found[:, :, there],
            )  # fmt: skip
            if kept is not None:
                kept[:, there] = sigma.transpose(1, 0, 2)
        done = t + count
        tick(count)
    return found, kept
