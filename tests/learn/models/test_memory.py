"""A bounded memory and sliced fits: states stop growing, and live, replayed and restored rounds agree."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from tests.learn.models.test_refits import ends
from tests.learn.rounds import some_rounds
from weitzman.feedback import Feedback
from weitzman.learn.models import forest, means, trees
from weitzman.learn.models.history import MEMORY, History
from weitzman.learn.models.means import Means, fit_means
from weitzman.learn.models.refits import Refits
from weitzman.learn.models.trees import Trees
from weitzman.learn.policy import Round
from weitzman.learn.record import play_known_round

SMALL = 30


@pytest.fixture
def fine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A task for every box and every tree, however small."""
    monkeypatch.setattr(means, "SLICE", 1e-9)
    monkeypatch.setattr(forest, "SLICE", 1e-9)


def history(shared: bool = False, memory: int = SMALL) -> History:
    return History(boxes=4, dimension=2, prepare="all", shared=shared, memory=memory)


def size(past: History) -> int:
    return sum(array.nbytes for array in past.state().values())


def test_a_state_stops_growing() -> None:
    past, sizes, rounds = history(), [], some_rounds(200)
    for shown, values in rounds:
        past.add(shown, values)
        sizes.append(size(past))
    assert sizes[2 * SMALL - 1] > sizes[SMALL]
    assert len(set(sizes[2 * SMALL - 1 :])) == 1
    assert past.count == 200
    np.testing.assert_array_equal(past.outside, [r.outside for r, _ in rounds[-2 * SMALL :]])
    found = np.zeros(4)
    for shown, values in rounds:
        found[shown.places] += values
    np.testing.assert_allclose(past.totals, found)
    assert past.seen.sum() == sum(len(values) for _, values in rounds)


def test_columns_that_boxes_share_are_kept_once() -> None:
    past = History(boxes=10, dimension=20, prepare="all")
    alike = History(boxes=10, dimension=20, prepare="all")
    rng, places = np.random.default_rng(0), np.arange(10)
    for _ in range(100):
        rows = rng.normal(size=(10, 20))
        for one, contexts in ((past, rows), (alike, np.tile(rows[0], (10, 1)))):
            shown = Round(contexts=contexts, costs=np.ones(10), outside=1.0, places=places)
            one.add(shown, rng.normal(size=10))
    assert size(past) - size(alike) == 100 * 9 * 20 * 8


@pytest.mark.parametrize("prepare", ["contexts", "nothing"])
def test_elsewhere_every_round_is_kept(prepare: Any) -> None:
    past = History(boxes=4, dimension=2, prepare=prepare, memory=SMALL)
    for shown, values in some_rounds(100):
        past.add(shown, values)
    assert past.contexts.shape == (100, 4, 2)
    assert past.contexts.dtype == np.float64
    assert past.window(70).first == 0
    assert past.refits(1.5).last(300) == Refits(1.5).last(300)


def in_force(growth: float, tasks: int, count: int) -> int:
    every = ends(growth, SMALL, count + SMALL)
    pairs = itertools.pairwise(every)
    return max(e for e, after in pairs if e + min(tasks, after - e) - 1 <= count)


@pytest.mark.usefixtures("fine")
def test_means_are_those_of_the_last_rounds_before_they_came_into_force() -> None:
    past, rounds = history(), some_rounds(150)
    model = past.model(Means)
    late = 0
    for count, (shown, values) in enumerate(rounds, start=1):
        past.add(shown, values)
        fit = model.fit()
        end = in_force(means.GROWTH, 4, count)
        assert fit is not None
        assert (fit.first, fit.end) == (max(0, end - SMALL), end)
        late += fit.end < past.refits(means.GROWTH).last(count)
        contexts = np.full((end, 4, 2), np.nan)
        seen = np.full((end, 4), np.nan)
        for t, (earlier, found) in enumerate(rounds[:end]):
            contexts[t, earlier.places] = earlier.contexts.astype(np.float32)
            seen[t, earlier.places] = found
        direct = fit_means(contexts[-SMALL:], seen[-SMALL:], shared=False, pooled_level=True)
        np.testing.assert_array_equal(fit.slopes, direct.slopes)
        np.testing.assert_array_equal(fit.residuals, direct.residuals)
    assert late > 20


@pytest.mark.usefixtures("fine")
@pytest.mark.parametrize("shared", [False, True])
def test_a_restored_past_has_the_models_of_the_first(shared: bool) -> None:
    past, rounds, late = history(shared), some_rounds(130), 0
    for count, (shown, values) in enumerate(rounds[:-1], start=1):
        past.add(shown, values)
        other = history(shared)
        other.restore(past.state())
        asked = rounds[count][0]
        for one in (Means, Trees):
            past.model(one), other.model(one)
        late += past.model(Trees).grown().end < past.refits(trees.GROWTH).last(count)
        np.testing.assert_array_equal(
            past.model(Means).predict(asked), other.model(Means).predict(asked)
        )
        if shared:
            pairs: Any = (past.model(Trees).rows(asked), other.model(Trees).rows(asked))
        else:
            pairs = (past.model(Trees).rounds(asked), other.model(Trees).rounds(asked))
        for first, second in zip(*pairs, strict=True):
            np.testing.assert_array_equal(first, second)
        for name, array in past.state().items():
            assert array.tobytes() == other.state()[name].tobytes()
    assert late > 30


@pytest.mark.usefixtures("fine")
@pytest.mark.parametrize("feedback", ["full", "opened"])
def test_live_replayed_and_restored_rounds_agree_while_fits_are_pending(
    feedback: Feedback, monkeypatch: pytest.MonkeyPatch
) -> None:
    defaults: Any = History.__init__.__kwdefaults__
    monkeypatch.setitem(defaults, "memory", SMALL)
    rounds, policy = some_rounds(110, seed=5), wz.default_policy()
    start: Any = {"boxes": 4, "dimension": 2, "feedback": feedback, "seed": 3}
    searcher = wz.Searcher(boxes=4, dimension=2, policy=policy, feedback=feedback, rng=3)
    replayed = policy.start(**start)
    rng, restored = np.random.default_rng(1), replayed
    for number, (shown, values) in enumerate(rounds):
        if rng.uniform() < 0.3:
            data = searcher.to_bytes()
            searcher = wz.load(data)
            fresh = policy.start(**start)
            fresh.restore(restored.state())
            restored = fresh
        outside = None if math.isinf(shown.outside) else shown.outside
        places = shown.places.tolist()
        search = searcher.open(shown.contexts, shown.costs, outside=outside, boxes=places)
        for box in search:
            search.see(float(values[places.index(box)]))
        live = search.close(values=values if feedback == "full" else None)
        given = shown._replace(number=number)
        totals = {
            play_known_round(p, given, values, feedback)[1].total for p in {replayed, restored}
        }
        assert totals == {live.total}
    first, second = replayed.state(), searcher._player.state()
    assert {n: a.tobytes() for n, a in first.items()} == {n: a.tobytes() for n, a in second.items()}
    assert first["past.outside"].size == 2 * SMALL


def test_the_memory_is_a_whole_number() -> None:
    assert History(boxes=1, dimension=1, prepare="all").memory == MEMORY
    with pytest.raises(wz.InvalidInputError, match="memory"):
        history(memory=0)


def test_a_state_with_too_few_rounds_is_refused() -> None:
    past = history()
    for shown, values in some_rounds(100):
        past.add(shown, values)
    state = past.state()
    state["count"] = np.array([30])
    with pytest.raises(wz.InvalidInputError, match="keep 30 of 30"):
        history().restore(state)
