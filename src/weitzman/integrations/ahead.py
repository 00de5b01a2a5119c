"""Asking ahead: where waiting has a price, the next model is asked before the answer of this one is there.

While model A works, it is known which model B the rule would ask if A were wrong. Asking B now saves A's
seconds s if A is wrong, which has the chance w, and throws away the price c of B if A is right. It is done if

    w · s · t > (1 − w) · c,    t the price of a second.

w and s are means over the calls of this process, w with one imagined right answer and one wrong one; nothing
is asked ahead of a model that was never timed. What is decided stays the same: answers are looked at in the
order of the rule, and one that is not needed any more is only paid.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Coroutine
from typing import Any


class Ahead:
    """Whether to ask ahead, by what calls have shown so far; and the calls that nobody waits for."""

    def __init__(self, second: float) -> None:
        self.second = second
        self._timed: Counter[str] = Counter()
        self._graded: Counter[str] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._wrong: defaultdict[str, float] = defaultdict(float)
        self._left: set[asyncio.Task[Any]] = set()

    def timed(self, model: str, seconds: float) -> None:
        """Take in how long a call took."""
        self._timed[model] += 1
        self._seconds[model] += seconds

    def graded(self, model: str, wrong: float) -> None:
        """Take in how wrong an answer was, from 0 to 1."""
        self._graded[model] += 1
        self._wrong[model] += wrong

    def is_worth_it(self, model: str, cost: float) -> bool:
        """Return whether to ask another model at this cost before this one has answered.

        >>> ahead = Ahead(0.01)
        >>> ahead.is_worth_it("small", 0.001)
        False
        >>> ahead.timed("small", 2.0)
        >>> ahead.is_worth_it("small", 0.019), ahead.is_worth_it("small", 0.021)
        (True, False)
        """
        if not self._timed[model]:
            return False
        seconds = self._seconds[model] / self._timed[model]
        wrong = (1.0 + self._wrong[model]) / (2.0 + self._graded[model])
        return wrong * seconds * self.second > (1.0 - wrong) * cost

    def leave(self, work: Coroutine[Any, Any, None]) -> None:
        """Let work go on to its end that nobody waits for."""
        task = asyncio.get_running_loop().create_task(work)
        self._left.add(task)
        task.add_done_callback(self._left.discard)
