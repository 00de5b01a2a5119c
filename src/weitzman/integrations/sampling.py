"""How many answers to draw from a model, and when to draw from another one instead.

::

    answers = RightAnswers(costs={"small": 0.3, "large": 4.0}, wrong_answer=20.0)
    draws = answers.search()
    for model in draws:
        draws.see(is_right(ask(model)))
    outcome = draws.close()

:class:`RightAnswers` is for a verifier, which says whether an answer is right: the first right one is taken.
:class:`BestAnswers` is for a reward model: the answer with the largest reward is taken. What is believed
of a model before its first answer comes from questions of before, by :func:`fit_chances` and
:func:`fit_rewards`: the numbers under which what was seen then is most likely.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.search.numbers import finite_array, finite_number, positive_number, whole_number
from weitzman.search.round import Search
from weitzman.search.state import RoundState
from weitzman.search.variants.believed.alike import AlikeRule
from weitzman.search.variants.believed.rule import (
    BelievedRule,
    Cycle,
    NormalBelief,
    SuccessBelief,
)
from weitzman.search.variants.normal_draws import Belief

if TYPE_CHECKING:
    from weitzman.search.rule import Rule


class RightSearch(Search[str]):
    """A live search that is given whether an answer is right."""

    def see(self, value: Any, *, box: str | None = None, cost: float | None = None) -> None:
        """Say whether the answer is right."""
        if not isinstance(value, bool | np.bool_):
            raise InvalidInputError("Whether an answer is right", "be True or False", value)
        if value:
            super().see(0.0, box=box, cost=cost)
        else:
            self.miss(box=box, cost=cost)


@dataclass(frozen=True, kw_only=True)
class RightAnswers:
    """Draws until an answer is right, or none is worth its cost.

    ``costs`` are what one answer of each model costs, and ``wrong_answer`` what it costs to give up.
    ``beliefs`` are a and b by model: its chance of being right on a question is Beta(a, b), whatever the
    others do; left out they are 1 and 1. Models that fail on the same questions have ``before`` instead: the
    answers to questions of before, and how many were right, by model.

    >>> draws = RightAnswers(costs={"small": 0.3, "large": 4.0}, wrong_answer=20.0).search()
    >>> for model in draws:
    ...     draws.see(model == "large")
    >>> draws.close().opened[-2:]
    ('small', 'large')
    """

    costs: Mapping[str, float]
    wrong_answer: float
    beliefs: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    before: "PastAnswers | None" = None
    most: int = 1000

    def search(self) -> RightSearch:
        """Begin a search for an answer to one question."""
        costs = _costs(self.costs)
        worst = finite_number(self.wrong_answer, "What a wrong answer costs")
        most = whole_number(self.most, "The largest number of draws", least=1)
        rule: Rule
        if self.before is None:
            rule = BelievedRule([self._belief(name) for name in self.costs], costs, most)
        else:
            rule = AlikeRule(*self.before.counts(tuple(self.costs)), costs, most)
        state = RoundState(Cycle(costs), worst)
        return RightSearch(boxes=Cycle(tuple(self.costs)), rule=rule, state=state)

    def _belief(self, name: str) -> SuccessBelief:
        a, b = self.beliefs.get(name, (1.0, 1.0))
        for number in (a, b):
            positive_number(number, f"The belief of {name!r}")
        return SuccessBelief(float(a), float(b))


@dataclass(frozen=True, kw_only=True)
class PastAnswers:
    """Questions of before: how many of each model's ``answers`` to them were ``right``, in the same order."""

    right: Mapping[str, ArrayLike]
    answers: Mapping[str, ArrayLike]

    def counts(self, models: tuple[str, ...]) -> tuple[Floats, Floats]:
        """Return right and wrong answers, questions × models, each model's own belief added."""
        return self._counts[0][:, self._places(models)], self._counts[1][:, self._places(models)]

    def _places(self, models: tuple[str, ...]) -> list[int]:
        names = list(self.right)
        if set(names) != set(models) or set(self.answers) != set(models):
            raise InvalidInputError(
                "The answers of before", f"be of the models, {list(models)}", names
            )
        return [names.index(name) for name in models]

    @cached_property
    def _counts(self) -> tuple[Floats, Floats]:
        good, bad = [], []
        for name, right in self.right.items():
            a, b = fit_chances(right, self.answers[name])
            k = finite_array(right, "The numbers of right answers")
            good.append(a + k)
            bad.append(b + np.broadcast_to(np.asarray(self.answers[name]), k.shape) - k)
        if len({part.size for part in good}) != 1:
            rule = "be to the same questions for every model"
            raise InvalidInputError("The answers of before", rule, [part.size for part in good])
        return np.column_stack(good), np.column_stack(bad)


@dataclass(frozen=True, kw_only=True)
class BestAnswers:
    """Draws while another answer is expected to raise the best reward by more than it costs.

    ``costs`` are what one answer of each model costs, in units of the reward. ``beliefs`` are those of
    :func:`fit_rewards` by model. ``no_answer`` is the reward of none; without it at least one is drawn.
    """

    costs: Mapping[str, float]
    beliefs: Mapping[str, Belief]
    no_answer: float | None = None
    most: int = 1000

    def search(self) -> Search[str]:
        """Begin a search for an answer to one question."""
        costs = _costs(self.costs)
        if set(self.beliefs) != set(self.costs):
            raise InvalidInputError(
                "The beliefs", f"be of the models, {list(self.costs)}", list(self.beliefs)
            )
        beliefs = [NormalBelief(_turned(self.beliefs[name])) for name in self.costs]
        worst = inf if self.no_answer is None else -finite_number(self.no_answer, "No answer")
        most = whole_number(self.most, "The largest number of draws", least=1)
        rule = BelievedRule(beliefs, costs, most)
        state = RoundState(Cycle(costs), worst)
        return Search(boxes=Cycle(tuple(self.costs)), rule=rule, state=state, sense="max")


def _costs(costs: Mapping[str, float]) -> list[float]:
    if not costs:
        raise InvalidInputError("The models", "be at least one", costs)
    return [positive_number(cost, f"The cost of {name!r}") for name, cost in costs.items()]


def _turned(belief: Belief) -> Belief:
    """Return a belief of values that are better the smaller they are."""
    return Belief(belief.weight, -belief.mean, belief.shape, belief.rate)


def fit_chances(right: ArrayLike, answers: ArrayLike) -> tuple[float, float]:
    """Return a and b of the Beta law of chances under which so many right answers are most likely.

    ``right`` has how many of a model's ``answers`` to each question of before were right. Two answers to
    each are the least that tell questions that are hard from luck; a and b stay between 1e-3 and 1e4.

    >>> a, b = fit_chances([0, 4, 4, 0, 3, 4], [4, 4, 4, 4, 4, 4])
    >>> a < 1.0, b < 1.0, round(a / (a + b), 2)
    (True, True, 0.6)
    """
    k = finite_array(right, "The numbers of right answers")
    n = np.broadcast_to(finite_array(answers, "The numbers of answers"), k.shape)
    if k.ndim != 1 or not k.size or (k < 0.0).any() or (k > n).any():
        rule = "be a number from 0 to the number of answers for each question"
        raise InvalidInputError("The numbers of right answers", rule, right)

    def unlikely(logs: Any) -> float:
        a, b = np.exp(logs)
        return -float((scipy.special.betaln(a + k, b + n - k) - scipy.special.betaln(a, b)).sum())

    share = (k.sum() + 0.5) / (n.sum() + 1.0)
    a, b = np.exp(_most_likely(unlikely, [np.log(share), np.log(1.0 - share)], [(-6.9, 9.2)] * 2))
    return float(a), float(b)


def fit_rewards(rewards: Iterable[ArrayLike]) -> Belief:
    """Return the normal-gamma belief under which the rewards of questions of before are most likely.

    ``rewards`` has the rewards of a model's answers to each question, at least two of some.

    >>> belief = fit_rewards([[1.0, 1.2, 0.7], [3.1, 2.6, 3.0], [0.2, 0.1, 0.6], [2.2, 2.0, 1.9]])
    >>> round(belief.mean, 1), belief.weight < 0.5
    (1.5, True)
    """
    each = [finite_array(row, "The rewards") for row in rewards]
    if len(each) < 2 or max((row.size for row in each), default=0) < 2:
        rule = "be of at least two questions, and of two answers to one of them"
        raise InvalidInputError("The rewards", rule, len(each))
    n = np.array([float(row.size) for row in each])
    means = np.array([row.mean() for row in each])
    squares = np.array([float(((row - row.mean()) ** 2).sum()) for row in each])
    pooled = max(float(squares.sum() / max((n - 1.0).sum(), 1.0)), 1e-12)
    middle = float(means.mean())

    def unlikely(at: Any) -> float:
        weight, shape, ratio = np.exp(at[:3])
        rate, gap = ratio * shape * pooled, means - middle - at[3] * np.sqrt(pooled)
        after = rate + 0.5 * squares + 0.5 * weight * n * gap * gap / (weight + n)
        terms = (
            scipy.special.gammaln(shape + 0.5 * n)
            - scipy.special.gammaln(shape)
            + shape * np.log(rate)
            - (shape + 0.5 * n) * np.log(after)
            + 0.5 * np.log(weight / (weight + n))
        )
        return -float(terms.sum())

    # Student's law of one value has a mean if the shape is above one half
    bounds = [(-9.2, 9.2), (np.log(0.6), 9.2), (-6.9, 6.9), (-50.0, 50.0)]
    weight, shape, ratio, shift = _most_likely(unlikely, [0.0, 0.7, 0.0, 0.0], bounds)
    shape = float(np.exp(shape))
    mean = middle + float(shift) * float(np.sqrt(pooled))
    return Belief(float(np.exp(weight)), mean, shape, float(np.exp(ratio)) * shape * pooled)


def _most_likely(unlikely: Any, start: list[float], bounds: list[tuple[float, float]]) -> Any:
    settings: Any = {"method": "L-BFGS-B", "bounds": bounds}
    return scipy.optimize.minimize(unlikely, np.array(start), **settings).x
