"""Refits: when models are fitted again, and fits that are spread over rounds."""

import itertools
import math
from collections.abc import Generator

import pytest

from weitzman.learn.models.refits import Fitting, Refits, Refitted, nothing, whole


def ends(growth: float, memory: int | None, count: int) -> list[int]:
    """All numbers of rounds up to one that a model is fitted to, one after the other."""
    found = [0]
    while found[-1] <= count:
        step = max(1, math.ceil(growth * found[-1]) - found[-1])
        if memory is not None:
            step = min(step, math.ceil((growth - 1.0) * memory))
        found.append(found[-1] + step)
    return found


@pytest.mark.parametrize("growth", [1.1, 1.41])
@pytest.mark.parametrize("memory", [1, 2, 3, 40, 2048])
def test_what_a_model_was_fitted_to_is_within_twice_the_memory(growth: float, memory: int) -> None:
    refits, every = Refits(growth, memory), ends(growth, memory, 6 * memory)
    for count in range(6 * memory):
        last = max(end for end in every if end <= count)
        assert refits.last(count) == last
        assert refits.before(count) == max((end for end in every if end < last), default=0)
        # The model before may still be in force
        assert count - (refits.before(count) - memory) <= 2 * memory


def sliced(tasks: int) -> tuple[Refitted[str], list[int]]:
    """A model that says what it was fitted to, and the ends at which tasks were done."""
    done: list[int] = []

    def begin(end: int) -> Fitting[str]:
        def work() -> Generator[None, None, str]:
            for task in range(tasks):
                if task:
                    yield
                done.append(end)
            return f"model of {end}"

        return Fitting(tasks, work())

    return Refitted(Refits(1.41, 100), begin, sliced=True), done


def in_force(tasks: int, count: int) -> int:
    """The number of rounds that the model in force was fitted to."""
    every = ends(1.41, 100, count + 100)
    held = [
        end
        for end, after in itertools.pairwise(every)
        if end + min(tasks, after - end) - 1 <= count
    ]
    return max(held)


@pytest.mark.parametrize("tasks", [1, 2, 7, 50, 1000])
def test_a_model_comes_into_force_with_its_last_task(tasks: int) -> None:
    model, done = sliced(tasks)
    every = ends(1.41, 100, 500)
    assert model.current(0) is None
    for count in range(1, 400):
        before = len(done)
        end = in_force(tasks, count)
        assert model.current(count) == (f"model of {end}" if end else None)
        assert model.end == end
        # No round does more than its share
        begun, after = next(p for p in itertools.pairwise(every) if p[0] <= count < p[1])
        assert len(done) - before <= math.ceil(tasks / min(tasks, after - begun))
        assert model.current(count) == (f"model of {end}" if end else None)


@pytest.mark.parametrize("step", [3, 17, 120])
def test_it_does_not_matter_how_often_a_model_is_asked_for(step: int) -> None:
    model, _ = sliced(7)
    for count in range(step, 400, step):
        fresh, _ = sliced(7)
        assert model.current(count) == fresh.current(count) == f"model of {in_force(7, count)}"
    model.forget()
    assert model.current(5) == f"model of {in_force(7, 5)}"


def test_nothing_to_do_is_done_at_once() -> None:
    assert whole(nothing("model")) == "model"
