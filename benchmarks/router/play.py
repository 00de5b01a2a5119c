"""One way to play every rule: round by round, as a replay does."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

import weitzman as wz
from router.rivals import WRONG, Router, TwoModels
from weitzman.feedback import Feedback
from weitzman.learn.policy import Policy, bounded, walk
from weitzman.learn.revealed import revealed
from weitzman.logs.rounds import LogRounds
from weitzman.replays.bootstrap import block_means, standard_errors

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Course:
    """What a rule came to in each round: its total, whether the answer was right, how many it asked."""

    totals: Floats
    right: Floats
    asked: Floats

    @property
    def mean(self) -> float:
        return float(self.totals.mean())


def play(
    log: wz.Log,
    policy: Policy,
    feedback: Feedback,
    *,
    scale: float = 1.0,
    seed: int = 0,
    seen: Floats | None = None,
) -> Course:
    """Play a log. Where answers are graded with errors, ``seen`` are the values by their grades.

    A rule goes by what is seen; what it keeps is worth what it is. Rules that pick before they ask are
    trained on who was right in truth.
    """
    rounds = LogRounds(log, scale)
    player = policy.start(
        boxes=rounds.boxes, dimension=rounds.dimension, feedback=feedback, seed=seed
    )
    course = np.empty((3, len(rounds)))
    is_taught = isinstance(policy, Router | TwoModels)
    for t, (shown, values) in enumerate(rounds):
        graded = values if seen is None else seen[t]
        rule = bounded(player.rule(shown), shown)
        done = walk(rule, shown, graded)
        player.learn(shown, revealed(rule, done, values if is_taught else graded, feedback))
        worth = shown.outside if done.kept is None else float(values[done.kept])
        course[:, t] = worth + done.paid, worth < WRONG, len(done.opened)
    return Course(totals=course[0], right=course[1], asked=course[2])


def averaged(courses: list[Course]) -> Course:
    """Return the mean of several runs, round by round."""
    return Course(
        totals=np.mean([c.totals for c in courses], axis=0),
        right=np.mean([c.right for c in courses], axis=0),
        asked=np.mean([c.asked for c in courses], axis=0),
    )


def errors_of(courses: list[Course], against: Course) -> Floats:
    """Return standard errors, (3, k): of totals, of shares right, of totals less those of another rule."""
    series = (
        [c.totals for c in courses],
        [c.right for c in courses],
        [c.totals - against.totals for c in courses],
    )
    return np.array([standard_errors(block_means(np.column_stack(each))) for each in series])


def telling(log: wz.Log, sharpness: float = 1.0, rng: int = 1) -> wz.Log:
    """Return a log of questions that say who will be right: one more feature a model, N(±a, 1)."""
    right = log.values < WRONG
    signal = np.random.default_rng([rng, 5]).normal(size=right.shape)
    signal += np.where(right, sharpness, -sharpness)
    more = np.repeat(signal[:, np.newaxis, :], len(log.boxes), axis=1)
    return replace(
        log,
        contexts=np.concatenate([log.contexts, more], axis=2),
        features=[*log.features, *(f"x_says_{box}" for box in log.boxes)],
    )


def graded(values: Floats, sharpness: float, rng: int = 0) -> Floats:
    """Return values by a grade that is a calibrated chance of being right, of a judge that is not sure.

    The judge draws z ~ N(±a, 1) for a right or wrong answer, a the sharpness, and says what Bayes' rule makes
    of it and of the share of right answers of the model: σ(logit p + 2 a z).
    """
    right = values < WRONG
    p = right.mean(axis=0)
    z = np.random.default_rng([rng, 5]).normal(size=values.shape) + np.where(
        right, sharpness, -sharpness
    )
    wrong = 1.0 / (1.0 + np.exp(np.log(p / (1.0 - p)) + 2.0 * sharpness * z))
    return np.asarray(WRONG * wrong)
