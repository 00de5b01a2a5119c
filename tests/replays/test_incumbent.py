"""A replay of a portfolio whose incumbent has the name of a policy that it is compared with."""

import numpy as np
import pyarrow as pa

import weitzman as wz


def test_a_portfolio_is_hedged_by_the_names_of_its_own_candidates() -> None:
    rng = np.random.default_rng(0)
    rounds, boxes = (place.ravel() for place in np.indices((40, 3)))
    x = rng.normal(size=rounds.size)
    columns = {
        "round": rounds,
        "box": [f"b{box}" for box in boxes],
        "cost": np.full(rounds.size, 0.1),
        "value": x + rng.normal(size=rounds.size),
        "x_0": x,
    }
    log = wz.read_log(pa.table(columns), shared=False)
    short = wz.Weitzman(wz.FTRL(window=7))
    name = short.name
    portfolio = wz.Portfolio(candidates=(short, wz.Simple("single")), incumbent=name)
    replay = wz.replay(log, policies=[portfolio])
    assert {name, f"{name} in portfolio"} <= set(replay.names)
    alone = wz.replay(log, policies=[short])
    np.testing.assert_array_equal(replay.of(f"{name} in portfolio"), alone.of(name))
