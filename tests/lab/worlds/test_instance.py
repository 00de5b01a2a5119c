"""Instances: their length and their parts."""

import numpy as np

from tests.lab.instances import instance_of


def test_a_part_holds_the_same_rounds() -> None:
    rng = np.random.default_rng(0)
    lower = rng.normal(size=(2, 9, 3))
    whole = instance_of(costs=[1.0, 2.0, 3.0], lower=lower, upper=lower + 1.0, shares=[0.25, 0.75])
    part = whole.part(2, 5)
    assert len(whole) == 9
    assert len(part) == 3
    for name in ("contexts", "values", "reservation_values"):
        assert (getattr(part, name) == getattr(whole, name)[2:5]).all()
    for name in ("lower", "upper"):
        assert (getattr(part, name) == getattr(whole, name)[:, 2:5]).all()
    assert part.costs is whole.costs
    assert part.shares is whole.shares
    assert repr(part) == "Instance(3 rounds, 3 boxes, dimension 1)"
