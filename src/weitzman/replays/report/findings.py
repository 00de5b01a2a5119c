"""What a replay of a log finds: the answer, totals, calibration, correlation, telling features."""

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.logs.log import Log
from weitzman.logs.rounds import gaps_of
from weitzman.replays.cases import Case, Replays
from weitzman.replays.diagnosis.calibration import Calibration, calibration
from weitzman.replays.diagnosis.features import Telling, telling
from weitzman.replays.diagnosis.residuals import Correlation, correlation, residuals_of
from weitzman.replays.diagnosis.twin import TWINS
from weitzman.replays.replay import Replay
from weitzman.replays.report.advice import Advice, advice, main_first
from weitzman.replays.report.answer import Answer, answer
from weitzman.search.numbers import json_ready

CHEAP = 0.05
"""Below this share of the spread a look is called cheap."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Findings:
    """All that a report tells: it is about the cost scale 1, if that was played.

    ``cost_shares`` are the mean costs of the boxes as shares of their spread, (n,). ``telling`` is
    None where there is nothing to say about features.
    """

    log: Log
    replays: Replays
    scale: float
    answer: Answer
    advice: Advice
    correlation: Correlation
    cost_shares: Floats
    calibrations: list[Calibration]
    telling: Telling | None

    @property
    def main(self) -> list[Replay]:
        """The replays of the log at the scale that the report is about, ``opened`` last."""
        here = [r for r in self.replays.played if r.cost_scale == self.scale]
        return sorted(here, key=lambda r: r.feedback == "opened")

    @property
    def versions(self) -> dict[str, Replay]:
        """The log and its twins, by name, as far as they were played under the first feedback."""
        first = self.main[0].feedback
        found = {"the log": self.main[0]}
        for kind in TWINS:
            case = Case(feedback=first, cost_scale=self.scale, twin=kind)
            if case in self.replays.cases:
                found[kind] = self.replays.cases[case]
        return found

    @cached_property
    def rows(self) -> list[dict[str, str | float]]:
        """The rows of all replays of the log."""
        return [row for one in self.replays.played for row in one.rows()]

    def as_json(self) -> dict[str, Any]:
        """Return everything but the rows, as JSON has it; null for what is not known."""
        boxes = self.log.boxes
        found: dict[str, Any] = {
            "log": {
                "source": self.log.source,
                "rounds": len(self.log),
                "boxes": len(boxes),
                "features": len(self.log.encoding.features),
                "shared": self.log.shared,
                "skipped_rows": self.log.skipped,
            },
            "answer": self.answer.as_json(),
            "recommendation": asdict(self.advice),
            "correlation": {
                "mean": self.correlation.mean,
                "se": self.correlation.error,
                "moves_together": self.correlation.moves_together,
            },
            "cost_share_of_spread": dict(zip(boxes, self.cost_shares.tolist(), strict=True)),
            "calibration": [_told(one, self.log) for one in self.calibrations],
            "features": None,
        }
        if self.telling is not None:
            t = self.telling
            names = zip(t.names, t.shares.tolist(), t.errors.tolist(), strict=True)
            found["features"] = {
                "explained": t.explained,
                "explained_se": t.explained_error,
                "tell": [{"feature": n, "share": s, "se": e} for n, s, e in names],
            }
        return {name: json_ready(part) for name, part in found.items()}


def find(log: Log, replays: Replays) -> Findings:
    """Return what replays of a log without gaps show."""
    hidden = int(gaps_of(log).sum())
    if hidden:
        rule = "hold the values of all boxes to be answered by a replay; wz.judge is for logs with gaps"
        raise InvalidInputError("The log", rule, f"{hidden:,} values that nobody looked for")
    main = main_first(replays.played)[0]
    scale = main.cost_scale
    residuals = residuals_of(log)
    costs = np.where(np.isnan(log.values), np.nan, scale * log.costs)
    known = np.maximum((~np.isnan(costs)).sum(axis=0), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.nansum(costs, axis=0) / known / residuals.spread
    return Findings(
        log=log,
        replays=replays,
        scale=scale,
        answer=answer(log, main, replays.lineup),
        advice=advice(replays.played, rows=int((~np.isnan(log.costs)).sum())),
        correlation=correlation(residuals),
        cost_shares=shares,
        calibrations=[calibration(promise) for promise in replays.promises],
        telling=telling(log),
    )


def _told(one: Calibration, log: Log) -> dict[str, Any]:
    return {
        "rule": one.rule,
        "found_over_promised": one.ratio,
        "se": one.error,
        "too_high_by": one.shift if log.sense == "min" else -one.shift,
        "holds": one.holds,
        "boxes_off": [] if log.shared else [log.boxes[k] for k in one.off],
    }
