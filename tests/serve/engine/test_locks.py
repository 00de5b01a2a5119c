"""Who waits for a problem has it in the order of coming, and waits once."""

import asyncio
import random
from typing import Any

from weitzman.serve.engine.background import ProblemLocks


def test_a_lock_is_held_by_one_at_a_time_in_the_order_of_coming() -> None:
    async def play() -> tuple[list[int], int]:
        locks, had, inside = ProblemLocks(), list[int](), 0
        most = 0

        async def work(number: int) -> None:
            nonlocal inside, most
            async with locks.lock("p"):
                inside += 1
                most = max(most, inside)
                await asyncio.sleep(0.0)
                had.append(number)
                inside -= 1

        await asyncio.gather(*(work(number) for number in range(50)))
        assert not locks
        return had, most

    assert asyncio.run(play()) == (list(range(50)), 1)


def test_who_gives_up_waiting_does_not_hold_up_the_others() -> None:
    async def play(seed: int) -> None:
        rng, locks, done = random.Random(seed), ProblemLocks(), set[int]()

        async def work(number: int) -> None:
            for _ in range(rng.randrange(4)):
                await asyncio.sleep(0.0)
            if number % 3:
                async with locks.lock("p"):
                    await asyncio.sleep(0.0)
            else:
                await locks.wait_until_free("p")
                assert "p" not in locks
            done.add(number)

        tasks = [asyncio.ensure_future(work(number)) for number in range(60)]
        given_up = set(rng.sample(range(60), 20))
        for number in given_up:
            for _ in range(rng.randrange(3)):
                await asyncio.sleep(0.0)
            tasks[number].cancel()
        async with asyncio.timeout(10.0):
            await asyncio.gather(*tasks, return_exceptions=True)
        assert set(range(60)) - given_up <= done
        await locks.wait_until_free()
        await locks.wait_until_free("p")

    for seed in range(200):
        asyncio.run(play(seed))


class Counting(asyncio.SelectorEventLoop):
    """An event loop that counts what is waited for."""

    futures = 0

    def create_future(self) -> "asyncio.Future[Any]":
        self.futures += 1
        return super().create_future()


def test_nobody_is_woken_to_wait_again() -> None:
    async def play() -> int:
        loop, locks = asyncio.get_running_loop(), ProblemLocks()
        assert isinstance(loop, Counting)

        async def work() -> None:
            async with locks.lock("p"):
                await asyncio.sleep(0.0)

        before = loop.futures
        await asyncio.gather(*(work() for _ in range(200)))
        return loop.futures - before

    with asyncio.Runner(loop_factory=Counting) as runner:
        assert runner.run(play()) <= 400
