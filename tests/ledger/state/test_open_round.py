"""An open round: the order in which the rule looks at its boxes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weitzman.learn.policy import Round
from weitzman.ledger.bodies import Opened
from weitzman.ledger.state.open_round import OpenRound
from weitzman.search.rule import opening_order


@given(
    st.lists(st.floats(-3.0, 3.0) | st.sampled_from([0.0, -0.0, 1.0]), min_size=1, max_size=20),
    st.sampled_from([1.0, -1.0]),
)
def test_boxes_stand_in_the_order_of_the_rule(told: list[float], sign: float) -> None:
    body = Opened([[0.0]] * len(told), [0.5] * len(told), told)
    known = Round(np.zeros((len(told), 1)), np.full(len(told), 0.5), np.inf, np.arange(len(told)))
    opened = OpenRound.begin(body, given=known, at=0, waiting=1, sign=sign)
    assert opened.order == opening_order(sign * np.array(told)).tolist()
