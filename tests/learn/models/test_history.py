"""The history keeps every round, however many there are, and comes back from its state."""

import math

import numpy as np
import pytest

import weitzman as wz
from weitzman.learn.models.history import History, Refits
from weitzman.learn.policy import Floats, Round
from weitzman.learn.preparation import CLIP

MANY = 150  # the first arrays hold 64 rounds, the next 128


def some(rng: np.random.Generator, number: int) -> tuple[Round, Floats]:
    """Return a round in which some of four boxes are there, and what was revealed."""
    places = np.sort(rng.permutation(4)[: 2 + number % 3]).astype(np.int64)
    values = rng.normal(size=len(places))
    values[rng.uniform(size=len(places)) < 0.3] = np.nan
    outside = math.inf if number % 4 == 0 else float(number)
    contexts = 5.0 + 3.0 * rng.normal(size=(len(places), 2))
    return Round(
        contexts=contexts, costs=rng.uniform(size=len(places)), outside=outside, places=places
    ), values


def rounds(count: int) -> list[tuple[Round, Floats]]:
    rng = np.random.default_rng(7)
    return [some(rng, number) for number in range(count)]


def spread(closed: list[tuple[Round, Floats]], name: str) -> Floats:
    """Return a field of all rounds as one array, NaN where a box was absent."""
    parts = []
    for round_, values in closed:
        given = values if name == "values" else getattr(round_, name)
        whole = np.full((4, *np.shape(given)[1:]), np.nan)
        whole[round_.places] = given
        parts.append(whole)
    return np.array(parts)


def standardised(closed: list[tuple[Round, Floats]]) -> Floats:
    """Each round by the mean and deviation of all contexts up to and including its own."""
    found = np.full((len(closed), 4, 2), np.nan)
    for t, (round_, _) in enumerate(closed):
        seen = np.concatenate([earlier.contexts for earlier, _ in closed[: t + 1]])
        z = (round_.contexts - seen.mean(axis=0)) / seen.std(axis=0)
        found[t, round_.places] = np.clip(z, -CLIP, CLIP)
    return found


def assert_holds(past: History, closed: list[tuple[Round, Floats]]) -> None:
    values = spread(closed, "values")
    assert past.count == len(closed)
    np.testing.assert_array_equal(past.costs, spread(closed, "costs"))
    np.testing.assert_array_equal(past.values, values)
    np.testing.assert_array_equal(past.outside, [r.outside for r, _ in closed])
    np.testing.assert_allclose(past.contexts, standardised(closed), atol=1e-9)
    np.testing.assert_array_equal(past.seen, (~np.isnan(values)).sum(axis=0))
    np.testing.assert_allclose(past.totals, np.nansum(values, axis=0), atol=1e-12)


@pytest.mark.parametrize("count", [1, 63, 64, 65, 128, 129, MANY])
def test_every_round_is_kept_when_the_arrays_grow(count: int) -> None:
    past, closed = History(boxes=4, dimension=2), rounds(count)
    for round_, values in closed:
        past.add(round_, values)
    assert_holds(past, closed)


def test_contexts_are_taken_as_they_are_if_wished() -> None:
    past, closed = History(boxes=4, dimension=2, prepare="nothing"), rounds(MANY)
    for round_, values in closed:
        past.add(round_, values)
        assert past.prepared(round_) is round_.contexts
    np.testing.assert_array_equal(past.contexts, spread(closed, "contexts"))


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 100, 127, 128])
def test_a_restored_past_goes_on_as_the_first(count: int) -> None:
    one, two, closed = History(boxes=4, dimension=2), History(boxes=4, dimension=2), rounds(MANY)
    for round_, values in closed[:count]:
        one.add(round_, values)
    for round_, values in closed[:5]:
        two.add(round_, values)  # what was there before is no part of what is restored
    two.restore(one.state())
    for round_, values in closed[count:]:
        assert one.prepared(round_).tobytes() == two.prepared(round_).tobytes()
        one.add(round_, values)
        two.add(round_, values)
    assert_holds(two, closed)
    for name, array in one.state().items():
        assert array.tobytes() == two.state()[name].tobytes()


def test_a_state_is_a_copy() -> None:
    past, closed = History(boxes=4, dimension=2), rounds(3)
    past.add(*closed[0])
    state = past.state()
    kept = {name: array.copy() for name, array in state.items()}
    other = History(boxes=4, dimension=2)
    other.restore(state)
    for one in (past, other):
        one.add(*closed[1])
    for name, array in state.items():
        np.testing.assert_array_equal(array, kept[name])


def test_what_is_standardised_follows_the_past() -> None:
    past, closed = History(boxes=4, dimension=2), rounds(9)
    asked = closed[8][0]
    for t in range(8):
        told = past.prepared(asked)
        assert past.prepared(asked) is told
        expected = standardised([*closed[:t], closed[8]])[t][asked.places]
        np.testing.assert_allclose(told, expected, atol=1e-9)
        past.add(*closed[t])


def test_a_column_that_never_changes_says_nothing() -> None:
    past = History(boxes=1, dimension=2)
    for number in range(5):
        contexts = np.array([[1e9, float(number)]])
        round_ = Round(
            contexts=contexts, costs=np.ones(1), outside=0.0, places=np.zeros(1, dtype=np.int64)
        )
        past.add(round_, np.ones(1))
    assert past.contexts[:, 0, 0].tolist() == [0.0] * 5
    assert (past.contexts[1:, 0, 1] != 0.0).all()


def test_models_are_shared_and_forget_with_the_past() -> None:
    class Model:
        forgotten = 0

        def __init__(self, past: History) -> None:
            self.past = past

        def forget(self) -> None:
            self.forgotten += 1

    past = History(boxes=4, dimension=2)
    model = past.model(Model)
    assert past.model(Model) is model
    assert model.past is past
    past.restore(History(boxes=4, dimension=2).state())
    assert model.forgotten == 1


@pytest.mark.parametrize("growth", [1.0, 1.25, 2.0])
def test_refits_grow_by_a_factor_and_start_again_with_a_shorter_past(growth: float) -> None:
    ends = [0]
    while ends[-1] < 200:
        ends.append(max(ends[-1] + 1, math.ceil(growth * ends[-1])))
    refits = Refits(growth)
    for count in (*range(200), 0, 17, 16, 199):
        assert refits.last(count) == max(end for end in ends if end <= count)


@pytest.mark.parametrize(
    ("arguments", "subject"),
    [
        ({"boxes": 0}, "boxes"),
        ({"dimension": 0}, "dimension"),
        ({"feedback": "probe"}, "feedback"),
    ],
)
def test_what_is_refused(arguments: dict[str, object], subject: str) -> None:
    with pytest.raises(wz.InvalidInputError, match=subject):
        History(**{"boxes": 4, "dimension": 2, **arguments})  # type: ignore[arg-type]
    with pytest.raises(wz.InvalidInputError, match="state"):
        History(boxes=4, dimension=2).restore(History(boxes=4, dimension=3).state())
