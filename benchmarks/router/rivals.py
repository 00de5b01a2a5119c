"""Rules that programs route questions by today, as policies like any other.

A value is 0 if a model is right and WRONG if it is not; p are predicted chances of being right
(:mod:`router.chances`), c the costs of a round.

===========  =========================================================================================
Router       asks the model with the least (1 − p) · WRONG + c, once: a contextual router that picks
             before it asks
TwoModels    RouteLLM: asks the strong one of two models if its predicted win rate is at or above a
             threshold, else the weak one. The win rate is that of Bradley and Terry, as in its matrix
             factorisation: σ(logit p_strong − logit p_weak)
Cascade      asks models from the cheapest to the most expensive until the grade of an answer is at or
             above a threshold. Passes over those with p below another; where p is below it everywhere,
             the model with the greatest p is asked
Thompson     draws a chance for each model from a Beta law of its own for every type of request, and asks
             the best once. By money: the least (1 − drawn) · WRONG + c. By LiteLLM's adaptive router:
             the greatest quality · drawn + (1 − quality) · (1 − c scaled to [0, 1]), laws that begin with
             ten imagined looks and take in no more than 200
===========  =========================================================================================

A model that was never seen has p = 1 under feedback ``opened``, so that it is tried.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from router.chances import Chances
from weitzman.feedback import Feedback
from weitzman.learn.policy import Player, Round, State, only
from weitzman.search.rule import WeitzmanRule

Floats = NDArray[np.float64]
WRONG = 20.0
_BEGINNING = 100  # rounds in which a rule over two models asks both, to be trained at all
_MASS, _CAP = 10.0, 200.0


class _Fresh:
    """A player that lives for one run: nothing of it is stored."""

    def state(self) -> State:
        raise NotImplementedError("A rival is played from its first round to its last.")

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        raise NotImplementedError("A rival is played from its first round to its last.")


def in_order(rows: Any, shown: Round, until: float) -> WeitzmanRule:
    """Return the rule that opens these rows one after the other until a grade is at least ``until``.

    A look at a model that costs more than could be won is left out, for all rules alike.
    """
    sigma = np.full(len(shown.costs), np.inf)
    sigma[rows] = WRONG * (1.0 - until) + 1e-9 * (1.0 + np.arange(len(rows)))
    return WeitzmanRule(sigma)


class _ByChances(_Fresh):
    """A player that goes by predicted chances."""

    def __init__(self, boxes: int) -> None:
        self.chances = Chances(boxes)
        self.count = 0

    def predicted(self, shown: Round) -> Floats:
        """Return p, 1 for what was never seen."""
        p = self.chances.predict(shown.contexts[0])
        return np.where(np.isnan(p), 1.0, p)

    def learn(self, shown: Round, values: Floats) -> None:
        """Learn who was right."""
        assert len(shown.places) == len(shown.costs)
        self.count += 1
        right = np.where(np.isnan(values), np.nan, 1.0 - values / WRONG)
        self.chances.learn(shown.contexts[0], right)


@dataclass(frozen=True)
class Router:
    """A router that picks before it asks."""

    name: str = "router, logistic"

    def start(self, *, boxes: int, dimension: int, feedback: Feedback, seed: int) -> Player:
        """Return a player that has seen nothing."""
        return _RouterPlayer(boxes)


class _RouterPlayer(_ByChances):
    def rule(self, shown: Round) -> WeitzmanRule:
        """Return what decides."""
        totals = (1.0 - self.predicted(shown)) * WRONG + shown.costs
        return WeitzmanRule(only((totals == totals.min()) & (totals < shown.outside), len(totals)))


@dataclass(frozen=True)
class TwoModels:
    """Two models and a threshold."""

    weak: int
    strong: int
    threshold: float
    name: str = "two models"

    def start(self, *, boxes: int, dimension: int, feedback: Feedback, seed: int) -> Player:
        """Return a player that has seen nothing."""
        return _TwoPlayer(self, boxes, trains=feedback != "full")


def win_rate(strong: Floats, weak: Floats) -> Floats:
    """Return the chance that the strong model wins, by Bradley and Terry."""
    above, below = strong * (1.0 - weak), weak * (1.0 - strong)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(above + below > 0.0, above / (above + below), 0.5))


class _TwoPlayer(_ByChances):
    def __init__(self, about: TwoModels, boxes: int, *, trains: bool) -> None:
        super().__init__(boxes)
        self.about, self.trains = about, trains

    def rule(self, shown: Round) -> WeitzmanRule:
        """Return what decides."""
        about, p, count = self.about, self.predicted(shown), len(shown.costs)
        if self.trains and self.count < _BEGINNING:
            return WeitzmanRule(only(np.array([about.weak, about.strong]), count))
        wins = float(win_rate(p[about.strong], p[about.weak]))
        return WeitzmanRule(only(about.strong if wins >= about.threshold else about.weak, count))


@dataclass(frozen=True)
class Cascade:
    """From cheap to expensive among some models, by default all, with a threshold on predicted chances."""

    threshold: float = 0.0
    models: tuple[int, ...] = ()
    until: float = 0.001
    name: str = "cascade"

    def start(self, *, boxes: int, dimension: int, feedback: Feedback, seed: int) -> Player:
        """Return a player that has seen nothing."""
        return _CascadePlayer(self, boxes)


class _CascadePlayer(_ByChances):
    def __init__(self, about: Cascade, boxes: int) -> None:
        super().__init__(boxes)
        self.about = about

    def rule(self, shown: Round) -> WeitzmanRule:
        """Return what decides."""
        about = self.about
        rows = np.array(about.models or range(len(shown.costs)))
        p = self.predicted(shown)[rows]
        asked = rows[p >= about.threshold]
        if not len(asked):
            asked = rows[[int(np.argmax(p))]]
        order = np.argsort(shown.costs[asked], kind="stable")
        return in_order(asked[order], shown, about.until)


@dataclass(frozen=True)
class Thompson:
    """A Beta law for each model and type of request; ``quality`` is None for money."""

    types: tuple[int, ...]
    quality: float | None = None
    name: str = "Thompson"

    def start(self, *, boxes: int, dimension: int, feedback: Feedback, seed: int) -> Player:
        """Return a player that has seen nothing."""
        return _ThompsonPlayer(self, boxes, seed)


class _ThompsonPlayer(_Fresh):
    def __init__(self, about: Thompson, boxes: int, seed: int) -> None:
        self.about = about
        self.rng = np.random.default_rng([seed, 11])
        self._drawn: tuple[int, Floats] = (-1, np.empty(0))
        begin = 1.0 if about.quality is None else _MASS / 2.0
        self.laws = np.full((2 ** len(about.types), 2, boxes), begin)
        self.cap = math.inf if about.quality is None else _CAP

    def _type(self, shown: Round) -> int:
        bits = shown.contexts[0, list(self.about.types)] > 0.0
        return int(bits @ (1 << np.arange(len(bits))))

    def rule(self, shown: Round) -> WeitzmanRule:
        """Return what decides; asked again in the same round, it says the same."""
        if self._drawn[0] != shown.number:
            wins, losses = self.laws[self._type(shown)]
            self._drawn = shown.number, self.rng.beta(wins, losses)
        drawn, costs, quality = self._drawn[1], shown.costs, self.about.quality
        if quality is None:
            return WeitzmanRule(only(int(np.argmin((1.0 - drawn) * WRONG + costs)), len(costs)))
        cheap = 1.0 - (costs - costs.min()) / (costs.max() - costs.min())
        return WeitzmanRule(
            only(int(np.argmax(quality * drawn + (1.0 - quality) * cheap)), len(costs))
        )

    def learn(self, shown: Round, values: Floats) -> None:
        """Learn who was right."""
        laws = self.laws[self._type(shown)]
        known = ~np.isnan(values) & (laws.sum(axis=0) + 1.0 <= self.cap)
        right = 1.0 - values[known] / WRONG
        laws[0, known] += right
        laws[1, known] += 1.0 - right
