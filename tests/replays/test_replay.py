"""Replay: totals are those of rounds played one by one, and shares are what they say."""

import itertools
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import weitzman as wz
from weitzman.lab.exact.clairvoyant import clairvoyant
from weitzman.lab.worlds import WORLDS
from weitzman.learn.policies.joint import Joint
from weitzman.learn.policies.portfolio.portfolio import Portfolio, default_policy
from weitzman.learn.policies.simple import RULES, Simple
from weitzman.learn.policies.weitzman import Weitzman
from weitzman.learn.policy import Round, walk
from weitzman.learn.preparation import prepared, with_constant
from weitzman.logs.log import Log, read_log
from weitzman.logs.rounds import LogRounds
from weitzman.replays.bootstrap import block_means, block_variances
from weitzman.replays.replay import replay

DATA = Path(__file__).parents[3] / "shared/data"
PAPER = Weitzman()
PAST = [Joint("past", way, z) for z in (0.0, 1.0, 2.0) for way in ("index", "greedy")]
SMALL = Portfolio(
    candidates=(*(Simple(rule) for rule in RULES), PAPER, *PAST), incumbent=PAPER.name
)


def a_log(rounds: int = 60, boxes: int = 3, outside: bool = True) -> Log:
    rng = np.random.default_rng(0)
    t, b = (a.ravel() for a in np.indices((rounds, boxes)))
    kept = rng.uniform(size=t.size) < 0.9
    kept[5] = True
    x = rng.normal(size=t.size)
    value = 3.0 + b + x + 0.5 * rng.normal(size=rounds)[t] + 0.2 * rng.normal(size=t.size)
    value[5] = np.nan
    columns = {
        "round": t,
        "box": np.array([f"b{k}" for k in b]),
        "cost": rng.uniform(0.1, 0.3, t.size),
    }
    columns |= {"value": value, "x_a": x}
    if outside:
        columns["outside"] = np.full(t.size, 3.5)
    table = pa.table({name: column[kept] for name, column in columns.items()})
    return read_log(table, shared=False)


@pytest.mark.parametrize("outside", [True, False])
def test_totals_are_those_of_rounds_played_live(outside: bool) -> None:
    log = a_log(outside=outside)
    found = replay(log, [SMALL])
    player = SMALL.start(boxes=3, dimension=1)
    assert found.main == "portfolio"
    for t, (shown, values) in enumerate(LogRounds(log)):
        walked = walk(player.rule(shown), shown, values)
        assert walked.total == found.of("portfolio")[t]
        assert len(walked.opened) == found.opened[t, 0]
        player.learn(shown, values)


@pytest.mark.parametrize("feedback", ["full", "opened"])
def test_a_searcher_that_is_handed_the_rounds_one_by_one_does_the_same(feedback: Any) -> None:
    """Features are encoded and prepared as they come; everything is the same bits."""
    rng = np.random.default_rng(3)
    t, b = (a.ravel() for a in np.indices((70, 3)))
    x, colour = rng.normal(size=t.size), rng.choice(["red", "blue"], t.size)
    value = 3.0 + b + x + (colour == "red") + 0.4 * rng.normal(size=70)[t]
    rows = {
        "round": t,
        "box": np.array([f"b{k}" for k in b]),
        "cost": rng.uniform(0.1, 0.3, t.size),
    }
    rows |= {"value": value, "outside": np.full(t.size, 3.5), "x_size": x, "x_colour": colour}
    there = rng.uniform(size=t.size) < 0.9
    log = read_log(pa.table({k: v[there] for k, v in rows.items()}), shared=False)
    found = replay(log, feedback=feedback)
    searcher = wz.Searcher(
        boxes=log.boxes, dimension=len(log.features), policy="default", feedback=feedback
    )
    totals = []
    for number in range(70):
        mine = np.flatnonzero((t == number) & there).tolist()
        names = [f"b{b[i]}" for i in mine]
        contexts = log.encoding.rows([{"x_size": x[i], "x_colour": colour[i]} for i in mine])
        order = np.argsort([log.boxes.index(name) for name in names])
        search = searcher.open(
            contexts[order],
            rows["cost"][mine][order],
            outside=3.5,
            boxes=[names[k] for k in order],
        )
        values: dict[Any, float] = {n: value[i] for n, i in zip(names, mine, strict=True)}
        for box in search:
            search.see(values[box])
        outcome = search.close(values) if feedback == "full" else search.close()
        totals.append(outcome.total)
    assert totals == found.of("default").tolist()


def test_the_paper_is_what_a_searcher_plays() -> None:
    log = a_log()
    known = ~np.isnan(log.values)
    found = replay(log, [SMALL]).of(PAPER.name)
    costs, outside = np.nan_to_num(log.costs), log.outside
    contexts = np.where(known[:, :, np.newaxis], log.contexts, np.nan)
    searcher = wz.Searcher(boxes=3, dimension=1, policy=PAPER, feedback="full")
    played = searcher.play(contexts, costs, log.values, outside=outside)
    np.testing.assert_array_equal(found, played.totals[known.any(axis=1)])
    # With prepared contexts alone: the same as the learner itself on contexts that are prepared beforehand
    paper = wz.FTRL(intercept=False)
    earlier = wz.Weitzman(paper, prepare="contexts")
    searcher = wz.Searcher(boxes=3, dimension=1, policy=earlier, feedback="full")
    found = searcher.play(contexts, costs, log.values, outside=outside).totals[known.any(axis=1)]
    ready = with_constant(prepared(log.contexts, known))
    ready[~known] = np.nan
    searcher = wz.Searcher(boxes=3, dimension=2, learner=paper, feedback="full")
    played = searcher.play(ready, costs, log.values, outside=outside)
    np.testing.assert_allclose(found, played.totals[known.any(axis=1)], rtol=1e-12)


def test_under_opened_the_simple_rules_are_told_beside_default() -> None:
    found = replay(a_log(), [SMALL], feedback="opened")
    assert found.feedback == "opened"
    assert found.names == ["portfolio", *RULES, "FTRL"]
    assert found.candidates[0] == "trial"
    assert {r["feedback"] for r in found.rows()} == {"opened"}
    assert (found.totals >= found.hindsight[:, np.newaxis] - 1e-12).all()
    with pytest.raises(wz.InvalidInputError, match="feedback"):
        replay(a_log(), [SMALL], feedback="probe")


def test_hindsight_is_below_everything_and_shares_are_relative_to_it() -> None:
    found = replay(a_log(), [SMALL])
    assert (found.totals >= found.hindsight[:, np.newaxis] - 1e-12).all()
    assert found.share(found.hindsight)[0] == pytest.approx(1.0)
    assert found.share(found.of(found.best_simple))[0] == pytest.approx(0.0)
    assert found.unknown == 1
    share, error = found.share()
    assert share <= 1.0
    assert 0.0 < error < 1.0


def test_rows_tell_the_simple_rules_default_and_hindsight() -> None:
    rows = replay(a_log(), [SMALL]).rows()
    assert [r["policy"] for r in rows] == [*RULES, "FTRL", "portfolio", "hindsight"]
    without = replay(a_log(outside=False), [SMALL]).rows()
    assert "stay" not in {r["policy"] for r in without}
    by_name = {str(r["policy"]): r for r in rows}
    assert by_name["stay"]["mean_total"] == pytest.approx(3.5)
    assert by_name["stay"]["boxes_opened"] == 0.0
    assert by_name["portfolio"]["portfolio_saves"] == 0.0
    assert all(r["feedback"] == "full" for r in rows)


def test_dearer_looks_cost_more() -> None:
    log = a_log()
    cheap, dear = (replay(log, [SMALL], cost_scale=x) for x in (0.25, 4.0))
    assert cheap.of("all").mean() < dear.of("all").mean()
    assert (cheap.hindsight <= dear.hindsight).all()
    with pytest.raises(wz.InvalidInputError, match="cost scale"):
        replay(log, [SMALL], cost_scale=0.0)


def test_block_means_see_that_neighbours_are_alike() -> None:
    rng = np.random.default_rng(0)
    noise = rng.normal(size=4096)
    alike = np.repeat(rng.normal(size=512), 8)
    spread = block_means(np.column_stack([noise, alike])).std(axis=0)
    assert spread[0] == pytest.approx(1 / 64, rel=0.15)
    assert spread[1] == pytest.approx(np.sqrt(8) / 64, rel=0.3)
    assert block_means(np.ones((5, 1))).tolist() == [[1.0]] * 1000


def test_block_variances_are_those_of_all_draws_that_there_are() -> None:
    series = [Fraction(x) for x in (3, -1, 4, 10, 7)]
    # Two blocks of four rounds in a row, from any of five places each
    sums = [sum(series[(k + j) % 5] for j in range(4)) for k in range(5)]
    means = [(a + b) / 8 for a, b in itertools.product(sums, sums)]
    middle = sum(means) / 25
    exact = float(sum((x - middle) ** 2 for x in means) / 25)
    columns = np.array([[float(x), 2.0 * float(x)] for x in series])
    assert block_variances(columns) == pytest.approx([exact, 4.0 * exact], rel=1e-14)


@pytest.mark.slow
@pytest.mark.skipif(not DATA.exists(), reason="the recorded rounds are not at hand")
@pytest.mark.parametrize("scale", [0.25, 1.0, 4.0])
@pytest.mark.parametrize(
    "name", ["llm_calls", "query_plans", "model_training", "reaction_yields", "kernel_tuning"]
)
def test_default_is_never_noticeably_worse_than_the_best_simple_rule(
    name: str, scale: float
) -> None:
    log = read_log(DATA / f"{name}.parquet")
    found = replay(log, cost_scale=scale)
    assert found.share(found.expected)[0] >= -0.03


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["agree", "spread", "signed", "orthant", "shifted", "non-contextual"]
)
def test_default_has_nearly_the_regret_of_the_paper_where_the_paper_is_right(name: str) -> None:
    world, mine, papers = WORLDS[name](), 0.0, 0.0
    for seed in range(31000, 31080):
        drawn = world.draw(300, seed)
        boxes, dimension = drawn.contexts.shape[1:]
        player = default_policy(prepare="nothing").start(boxes=boxes, dimension=dimension)
        least = float(clairvoyant(drawn).totals.sum())
        mine, papers = mine - least, papers - least
        for contexts, values in zip(drawn.contexts, drawn.values, strict=True):
            shown = Round(
                contexts=contexts, costs=drawn.costs, outside=np.inf, places=np.arange(boxes)
            )
            scores = player.score(shown, values)
            mine += float(player.weights() @ scores.totals)
            papers += float(scores.totals[player.names.index("paper")])
            player.learn(shown, values)
    assert mine <= 1.05 * papers


@pytest.mark.slow
@pytest.mark.skipif(not DATA.exists(), reason="the recorded rounds are not at hand")
@pytest.mark.parametrize(
    "name", ["llm_calls", "query_plans", "model_training", "reaction_yields", "kernel_tuning"]
)
def test_under_opened_default_is_within_a_twentieth_of_the_best_simple_rule(name: str) -> None:
    found = replay(read_log(DATA / f"{name}.parquet"), feedback="opened")
    assert found.of("default").mean() <= 1.05 * found.of(found.best_simple).mean()
    assert found.exploration.sum() <= 0.02 * found.of("default").sum()
