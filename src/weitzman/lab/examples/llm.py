"""A simulated log of language models that answer questions. Nothing in it was asked of a real model.

Question t has a topic, a number of words and a difficulty d_t ~ N(0, 1), which nobody sees beforehand. Model
k has an ability a_k, a talent b_{k,topic} ~ N(0, 1/2) for each topic, and prices for words of input and of
output. It is right with probability

    P(right) = 1 / (1 + exp(d_t − a_k − b_{k,topic}))

independently given the question: because d_t is common to all models they fail together, as real ones do. An
answer has 225 words. All amounts are milli-dollars: a wrong answer costs 20, a right one nothing, and giving
up, the outside option, costs 20 as well.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

TOPICS = ("code", "law", "maths", "travel")
WRONG = 20.0
"""What a wrong answer costs, and giving up, in milli-dollars."""


@dataclass(frozen=True)
class SimulatedModel:
    """A model that does not exist: its ability, and its list prices in dollars per million words."""

    name: str
    ability: float
    reading: float
    writing: float


MODELS = (
    SimulatedModel("sparrow-s", -0.3, 0.1, 0.4),
    SimulatedModel("sparrow-m", 0.6, 0.4, 1.6),
    SimulatedModel("finch-s", 0.2, 0.2, 0.8),
    SimulatedModel("finch-l", 1.2, 2.0, 8.0),
    SimulatedModel("heron-m", 0.9, 0.8, 3.0),
    SimulatedModel("heron-l", 1.8, 4.0, 16.0),
    SimulatedModel("eagle", 2.6, 15.0, 60.0),
    SimulatedModel("wren", -1.0, 0.05, 0.2),
)


def chances(difficulty: Any, ability: Any) -> Any:
    """Return how likely answers are right.

    >>> float(chances(1.0, 1.0))
    0.5
    """
    return 1.0 / (1.0 + np.exp(np.asarray(difficulty) - np.asarray(ability)))


def llm_columns(rounds: int = 1500, *, seed: int = 0) -> dict[str, Any]:
    """Return the columns of the log, a row per question and model."""
    rng = np.random.default_rng(seed)
    count = len(MODELS)
    talent = rng.normal(scale=np.sqrt(0.5), size=(count, len(TOPICS)))
    topic = rng.integers(len(TOPICS), size=rounds)
    words = np.rint(np.exp(rng.normal(5.0, 0.8, size=rounds))) + 5.0
    difficulty = rng.normal(size=rounds)
    ability = np.array([model.ability for model in MODELS]) + talent[:, topic].T
    right = rng.uniform(size=(rounds, count)) < chances(difficulty[:, np.newaxis], ability)
    reading, writing = (np.array([getattr(m, n) for m in MODELS]) for n in ("reading", "writing"))
    # Dollars per million words are milli-dollars per thousand
    price = (words[:, np.newaxis] * reading + 225.0 * writing) / 1000.0
    return {
        "round": np.repeat(np.arange(rounds), count),
        "box": [model.name for model in MODELS] * rounds,
        "cost": np.round(price, 5).ravel(),
        "value": np.where(right, 0.0, WRONG).ravel(),
        "outside": np.full(rounds * count, WRONG),
        "x_words": np.repeat(words, count),
        "x_topic": [TOPICS[k] for k in np.repeat(topic, count)],
    }
