"""When a feature map is settled: with the 64th context that is learned, of whichever box."""

import numpy as np

import weitzman as wz


def test_a_map_is_settled_by_the_first_sixty_four_contexts() -> None:
    rng = np.random.default_rng(2)
    bank = wz.Fourier(features=8, intercept=False).start(boxes=3, dimension=2)
    learned = 0
    while learned < 70:
        # Rounds of one to three boxes; what did not come is not learned and does not count
        rows = np.flatnonzero(rng.random(3) < 0.6)
        values = np.where(rng.random(len(rows)) < 0.8, rng.normal(size=len(rows)), np.nan)
        left = 64 - learned
        if learned < 64 and np.count_nonzero(~np.isnan(values)) > left:
            continue
        bank.update(rows, rng.normal(size=(len(rows), 2)), values, np.ones(len(rows)))
        learned += int(np.count_nonzero(~np.isnan(values)))
        state = bank.state()
        assert (state["model.settled"].size > 0) == (learned >= 64)
        assert len(state["model.early"]) == (learned if learned < 64 else 0)
