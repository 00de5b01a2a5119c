"""How fast exact FTRL learns where no weights fit, beside where they do: `make bench-fit`.

Worlds `shifted` and `signed` with 10 boxes and 5 features, values as they are and 4 higher, which weights
without an intercept cannot reach. A figure is values learned by the time of ``Searcher.play``, compilation
not counted; each repeat plays both in turn. At least a quarter: processes differ by a tenth.
"""

import statistics
import sys
import time

import weitzman as wz
from weitzman.feedback import Feedback
from weitzman.lab.worlds import WORLDS
from weitzman.lab.worlds.instance import Instance

ROUNDS, REPEATS, HIGHER, LEAST = 20_000, 5, 4.0, 0.25


def learned_per_second(instance: Instance, higher: float, feedback: Feedback) -> float:
    """Return the values learned in a second of CPU time."""
    boxes, dimension = instance.contexts.shape[1:]
    searcher = wz.Searcher(
        boxes=boxes, dimension=dimension, learner=wz.FTRL(), feedback=feedback, rng=0
    )
    values = instance.values + higher
    begin = time.process_time()
    played = searcher.play(instance.contexts, instance.costs, values)
    seconds = time.process_time() - begin
    looks = values.size if feedback == "full" else int(played.opened_count.sum())
    return looks / seconds


def main() -> int:
    """Print the figures; return 1 if a ratio is below a quarter."""
    failed = 0
    feedbacks: tuple[Feedback, ...] = ("full", "opened")
    for world in ("shifted", "signed"):
        instance = WORLDS[world]().draw(ROUNDS, 0)
        for feedback in feedbacks:
            learned_per_second(instance.part(0, 300), HIGHER, feedback)
            pairs = [
                [learned_per_second(instance, higher, feedback) for higher in (0.0, HIGHER)]
                for _ in range(REPEATS)
            ]
            fits, fails = (statistics.median(column) for column in zip(*pairs, strict=True))
            ratio = statistics.median(unfit / fit for fit, unfit in pairs)
            print(f"{world} {feedback}: {fits:,.0f} and {fails:,.0f} looks/s, ratio {ratio:.2f}")
            failed += ratio < LEAST
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
