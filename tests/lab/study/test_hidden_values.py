"""Feedback ``chosen`` and ``total`` in the laboratory: studies, and the bound of explore then commit."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from weitzman.lab.study.contender import CONTENDERS, Contender
from weitzman.lab.study.study import Study

_WORLD: Any = wz.WORLDS["non-contextual"]()
WORLD = replace(_WORLD, boxes=5)
TOTAL = Contender(policy="explore-then-commit", feedback="total")


def test_explore_then_commit_stays_below_its_bound_and_grows_like_two_thirds() -> None:
    """K n N + n T R √(π/(2N)), with R the range of the values and K = R + n c; four seeds."""
    means = []
    for rounds in (300, 3000):
        contender = replace(TOTAL, policy=wz.ExploreThenCommit(horizon=rounds))
        regrets = []
        for seed in range(4):
            drawn = WORLD.draw(rounds, seed)
            spread = float(drawn.upper.max() - drawn.lower.min())
            each = math.ceil(5 ** (-1 / 3) * rounds ** (2 / 3))
            most = spread + 5 * WORLD.cost
            error = spread * math.sqrt(math.pi / (2 * each))
            bound = most * 5 * each + 5 * rounds * error
            regret = wz.evaluate({"etc": contender}, WORLD, rounds, seed, expected=False)[-1].regret
            assert 0.0 < regret < bound
            regrets.append(regret)
        means.append(float(np.mean(regrets)))
    exponent = math.log10(means[1] / means[0])
    assert 0.4 < exponent < 0.85


def test_a_study_plays_the_feedbacks_and_refuses_what_cannot_learn() -> None:
    study = Study(
        worlds={"w": WORLD},
        contenders={"ftrl": CONTENDERS["ftrl-given"], "law": CONTENDERS["optimistic-law"]},
        rounds=[60],
        seeds=[0, 1],
        feedbacks=["opened", "chosen"],
    )
    assert len(study.runs()) == 8
    rows = [
        wz.evaluate({"law": replace(study.contenders["law"], feedback=f)}, WORLD, 60, 0)[-1]
        for f in ("opened", "chosen")
    ]
    assert rows[0].feedback == "opened"
    assert rows[1].feedback == "chosen"
    assert rows[1].expected_regret > 0.0
    with pytest.raises(wz.InvalidInputError, match="The feedback must be"):
        replace(study, feedbacks=["total"]).runs()


@pytest.mark.parametrize("name", ["chosen", "total"])
def test_the_examples_can_be_read(name: str, request: pytest.FixtureRequest) -> None:
    study = Study.from_toml(request.config.rootpath / f"examples/{name}.toml")
    assert name in study.feedbacks
