"""What a stretch of closed rounds came to: its tally, and what was done with each option."""

import math

import numpy as np

from weitzman.arrays import Floats
from weitzman.ledger.state.closed_rounds import NOTHING, ClosedRounds
from weitzman.ledger.state.running_mean import Ratio, Spread
from weitzman.ledger.state.tally import Mark, Spreads, Tally
from weitzman.logs.options import Option, options_of

_MARKS = 256


def option_table(
    rounds: ClosedRounds, begin: int, *, boxes: list[str], sign: float
) -> list[Option]:
    """Return what was done with each option from a round on; ``sign`` is −1 where larger is better."""
    looks = rounds.whole("looks", begin)
    first = np.zeros(int(looks.sum()), dtype=np.bool_)
    first[(np.cumsum(looks) - looks)[looks > 0]] = True
    return options_of(
        boxes,
        places=rounds.places(begin),
        is_first=first,
        paid=rounds.look("spent", begin),
        values=sign * rounds.look("found", begin),
        kept=rounds.whole("kept", begin),
    )


def tally_of(rounds: ClosedRounds, begin: int, boxes: int) -> Tally:
    """Return the tally of the rounds from one on, as if there had been no others.

    It knows nothing of the best single box, of the rule beside the caller, and of draws.
    """
    looks, places = rounds.whole("looks", begin), rounds.places(begin)
    excess, price = rounds.look("excess", begin), rounds.look("price", begin)
    real = {
        name: rounds.real(name, begin)
        for name in (
            "value", "paid", "total", "spared", "outside", "everything", "regret", "shortfall",
        )
    }  # fmt: skip
    tally = Tally.blank(boxes)
    count = len(looks)

    def by_box(weights: Floats | None = None) -> list[float]:
        found: list[float] = np.bincount(places, weights=weights, minlength=boxes).tolist()
        return found

    tally.looks = np.bincount(places, minlength=boxes).tolist()
    tally.learned = np.bincount(rounds.known(begin), minlength=boxes).tolist()
    tally.excess, tally.price = by_box(excess), by_box(price)
    squares = (by_box(excess * excess), by_box(excess * price), by_box(price * price))
    tally.ratios = [Ratio(*three) for three in zip(*squares, strict=True)]
    last = np.zeros(boxes, dtype=np.int64)
    np.maximum.at(last, places, np.repeat(np.arange(1, count + 1), looks))
    tally.last_look = last.tolist()
    tally.depth = np.bincount(looks, minlength=boxes + 1).tolist()
    tally.opened = tally.closed = count
    tally.waited = int(rounds.whole("waited", begin).sum())
    tally.empty = int((rounds.whole("kept", begin) == NOTHING).sum())
    tally.missing = int(np.isnan(rounds.look("found", begin)).sum())
    tally.outside_rounds = int((~np.isnan(real["outside"])).sum())
    tally.known = int((~np.isnan(real["regret"])).sum())
    sums = {name: np.cumsum(np.where(np.isnan(x), 0.0, x)) for name, x in real.items()}
    if count:
        tally.value, tally.paid = float(sums["value"][-1]), float(sums["paid"][-1])
        tally.total, tally.saved_looks = float(sums["total"][-1]), float(sums["spared"][-1])
        tally.saved_outside = float(sums["outside"][-1])
        tally.saved_everything = float(sums["everything"][-1])
        tally.regret = float(sums["regret"][-1])
    tally.spreads = Spreads(
        looks=_spread(looks.astype(np.float64)),
        total=_spread(real["total"]),
        saved_looks=_spread(real["spared"]),
        saved_outside=_spread(real["outside"]),
        saved_everything=_spread(real["everything"]),
        regret=_spread(real["regret"]),
        shortfall=_spread(real["shortfall"]),
    )
    tally.marks = _marks(rounds, begin, sums, price - excess)
    return tally


def _spread(numbers: Floats) -> Spread:
    """Return how many numbers are known, their mean, and their squared distances from it."""
    known = numbers[~np.isnan(numbers)]
    if not known.size:
        return Spread()
    mean = math.fsum(known) / known.size
    return Spread(known.size, mean, float(((known - mean) ** 2).sum()))


def _marks(
    rounds: ClosedRounds, begin: int, sums: dict[str, Floats], shortfalls: Floats
) -> list[Mark]:
    """Return sums after some numbers of rounds, as far apart as leaves few of them."""
    looks = np.cumsum(rounds.whole("looks", begin))
    at, known = rounds.whole("at", begin), ~np.isnan(rounds.real("regret", begin))
    lost = np.concatenate([[0.0], np.cumsum(shortfalls)])[looks]
    stride = max(1, math.ceil(len(looks) / _MARKS))
    counted = np.cumsum(known)
    return [
        Mark(
            closed=k + 1,
            at=int(at[k]),
            total=float(sums["total"][k]),
            paid=float(sums["paid"][k]),
            looks=int(looks[k]),
            saved_against_all=float(sums["spared"][k]),
            saved_against_outside=float(sums["outside"][k]),
            regret=float(sums["regret"][k]),
            known=int(counted[k]),
            saved_against_everything=float(sums["everything"][k]),
            saved_against_fixed=0.0,
            shortfall=float(lost[k]),
        )
        for k in range(stride - 1, len(looks), stride)
    ]
