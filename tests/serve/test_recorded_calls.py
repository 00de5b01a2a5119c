"""Recorded model calls through the service: where an answer is right, nothing more is asked."""

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

import weitzman as wz
from tests.contracts.live import first_rounds
from tests.serve.running import Running
from weitzman.learn.record import play_known_round
from weitzman.logs.log import Log
from weitzman.logs.rounds import LogRounds

CALLS = Path(__file__).parents[3] / "shared/data/llm_calls.parquet"
IMPORTED, LIVE = 500, 300


def _content(log: Log, rounds: int) -> bytes:
    """Return the first rounds as the service imports them."""
    kept = first_rounds(log, rounds)
    t, b = np.nonzero(~np.isnan(kept.values))
    columns: dict[str, Any] = {
        "round": t.astype(str),
        "box": np.array(kept.boxes)[b],
        "cost": kept.costs[t, b],
        "value": kept.values[t, b],
        **{name: kept.contexts[t, b, k] for k, name in enumerate(kept.features)},
    }
    sink = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), sink)
    return sink.getvalue()


def _total_of_a_player(log: Log) -> float:
    """Return what the live rounds cost by the policy itself, which has lived through the imported ones."""
    known = LogRounds(log, 1.0)
    player = wz.default_policy().start(
        boxes=len(log.boxes), dimension=known.dimension, feedback="opened"
    )
    total = 0.0
    for number, (shown, values) in enumerate(known):
        if number < IMPORTED + LIVE:
            paid = play_known_round(player, shown, values, "opened")[1].total
            total += paid if number >= IMPORTED else 0.0
    return total


@pytest.mark.slow
@pytest.mark.skipif(not CALLS.exists(), reason="the recorded rounds are not at hand")
@pytest.mark.parametrize("least", [0.0, None])
def test_nothing_is_asked_after_a_right_answer(
    service: Running, least: float | None, figure: Callable[[str], None]
) -> None:
    log = wz.read_log(CALLS)
    path = service.problem(
        f"calls-{least}",
        boxes=log.boxes,
        dimension=None,
        features=log.features,
        policy="default",
        least=least,
        cost=None,
    )
    kind = "application/vnd.apache.parquet"
    imported = service.http.post(
        f"{path}/log",
        content=_content(log, IMPORTED),
        headers={"content-type": kind},
        timeout=600.0,
    )
    assert imported.status_code == 200, imported.text
    looks = needless = 0
    total = 0.0
    for shown, values in list(LogRounds(log, 1.0))[IMPORTED : IMPORTED + LIVE]:
        names = [log.boxes[place] for place in shown.places]
        found = dict(zip(names, values.tolist(), strict=True))
        asked = {"contexts": shown.contexts.tolist(), "costs": shown.costs.tolist(), "boxes": names}
        reply = service.post(f"{path}/rounds", asked).json()
        url, seen = f"{path}/rounds/{reply['round']}", []
        while reply["next"] is not None:
            looks, needless = looks + 1, needless + (0.0 in seen)
            seen.append(found[reply["next"]])
            reply = service.post(f"{url}/values", {"values": {reply["next"]: seen[-1]}}).json()
        total += service.post(f"{url}/close").json()["total"]
    alone = _total_of_a_player(replace(log, least=least))
    figure(
        f"least {least}: {needless} of {looks} looks came after a 0; {total / LIVE:.3f} a round, "
        f"{alone / LIVE:.3f} by the same policy without the service"
    )
    assert needless <= (0 if least == 0.0 else 0.05 * looks)
    assert total == pytest.approx(alone, rel=1e-9)
