"""What a peer is, and the loop shared by peers that are n separate model objects."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from peers.rounds import Feedback, Floats, Rounds, search


class Player(Protocol):
    """n models that learn; ``play`` may be called again and goes on where it stopped."""

    def prepare(self, rounds: Rounds) -> Any:
        """Turn recorded rounds into the player's own input. Never timed."""

    def play(self, prepared: Any, feedback: Feedback) -> Floats:
        """Play the rounds: predict, search, learn. Timed. Returns the total of each round."""


@dataclass(frozen=True)
class Peer:
    """One way of playing the rounds.

    ``inputs`` is "rows" when ``play`` starts from numpy rows, as a live program must, and
    "prepared" when the conversion to the library's own format was made beforehand, for free.
    ``kind`` is "library", "reference" (a few lines of numpy of our own) or "ours".
    ``block`` limits how many rounds are prepared at once (memory); None is no limit.
    """

    name: str
    order: Literal["first", "second"]
    make: Callable[[int, int], Player]
    inputs: Literal["rows", "prepared"] = "rows"
    kind: Literal["library", "reference", "ours"] = "library"
    block: int | None = None

    @property
    def label(self) -> str:
        """Name and input format, unique among the peers."""
        return f"{self.name} ({self.inputs})"


@dataclass(frozen=True)
class Bank:
    """Prepared rounds of a bank of models: per round, the inputs and the values of the boxes."""

    inputs: Iterable[Sequence[Any]]
    values: list[list[float]]
    costs: list[float]


def play_bank(
    predict: Sequence[Callable[[Any], float]],
    learn: Sequence[Callable[[Any, float], Any]],
    bank: Bank,
    feedback: Feedback,
) -> Floats:
    """Play rounds with one bound ``predict`` and one bound ``learn`` per box."""
    totals = []
    full, costs = feedback == "full", bank.costs
    for inputs, values in zip(bank.inputs, bank.values, strict=True):
        scores = [ask(x) for ask, x in zip(predict, inputs, strict=True)]
        opened, total = search(scores, values, costs)
        totals.append(total)
        if full:
            for teach, x, value in zip(learn, inputs, values, strict=True):
                teach(x, value)
        else:
            for box in opened:
                learn[box](inputs[box], values[box])
    return np.array(totals)
