"""The pictures of a replay, as charts."""

import itertools

import numpy as np
from numpy.typing import NDArray

from weitzman.figures.charts import Chart, Series, limits_of
from weitzman.replays.diagnosis.calibration import Calibration
from weitzman.replays.diagnosis.features import Telling
from weitzman.replays.replay import Replay
from weitzman.replays.report.findings import CHEAP, Findings

__all__ = [
    "calibration_charts",
    "correlation_chart",
    "cost_chart",
    "opened_chart",
    "saved_chart",
    "saving_charts",
    "telling_chart",
    "totals_chart",
    "twin_chart",
    "went_by_charts",
]

_SHOWN = 7  # policies whose numbers set the limits
_MOST = 24  # rows of dots
_BLOCKS = 40
_CANDIDATES = 6

Floats = NDArray[np.float64]


def totals_chart(findings: Findings) -> Chart:
    """Return the mean total of every policy, the best on top."""
    return _policies(
        findings, file="totals", title="Mean total per round", across="total per round ± s.e.",
        measure="mean_total", error="se",
    )  # fmt: skip


def saved_chart(findings: Findings) -> Chart:
    """Return what default saves against every policy, round by round paired."""
    return _policies(
        findings, file="saved", title="What default saves against each", reference=0.0,
        across="saved per round ± s.e. of the paired difference",
        measure="default_saves", error="default_saves_se",
    )  # fmt: skip


def opened_chart(findings: Findings) -> Chart:
    """Return how many boxes every policy opens."""
    return _policies(
        findings, file="opened", title="Boxes opened", across="boxes opened per round",
        measure="boxes_opened", error=None,
    )  # fmt: skip


def _policies(
    findings: Findings,
    *,
    file: str,
    title: str,
    across: str,
    measure: str,
    error: str | None,
    reference: float | None = None,
) -> Chart:
    """Return a measure of the policies; with errors, the axis is made for the better ones."""
    rows = [r for r in findings.rows if r["cost_scale"] == findings.scale]
    first = {str(r["policy"]): float(r["mean_total"]) for r in reversed(rows)}
    names = sorted(first, key=lambda name: first[name])
    if reference is not None:
        names.remove("default")
    series, ends = [], np.full(len(names), -np.inf)
    for feedback in dict.fromkeys(str(r["feedback"]) for r in rows):
        own = {str(r["policy"]): r for r in rows if r["feedback"] == feedback}
        x = np.array([float(own[n][measure]) for n in names])
        errors = None if error is None else np.array([float(own[n][error]) for n in names])
        ends = np.maximum(ends, x if errors is None else x + errors)
        y = np.arange(len(names), dtype=np.float64)
        series.append(Series(name=feedback, x=x, y=y, error=errors))
    limits = None
    if error is not None:
        low = min(float((s.x - s.error).min()) for s in series if s.error is not None)
        limits = limits_of(np.array([low, *np.sort(ends)[:_SHOWN]]), _SHOWN + 1, room=0.06)
    return Chart(
        file=file, title=title, across=across, kind="dots", series=tuple(series),
        names=tuple(names), limits=limits, reference=reference,
    )  # fmt: skip


def saving_charts(findings: Findings) -> tuple[Chart, ...]:
    """Return what default has saved against each policy by every round, one chart per feedback."""
    return tuple(_savings(replay) for replay in findings.main)


def _savings(replay: Replay) -> Chart:
    shown = replay.shown()
    mine = shown["default"][0]
    saved = {
        n: np.cumsum(t - mine) for n, (t, _) in shown.items() if n not in ("default", "hindsight")
    }
    order = sorted(saved, key=lambda name: (name != "recorded", float(saved[name][-1])))
    # The axis is made for the closest rivals: what is far worse leaves it at the top
    near = np.concatenate([saved[name] for name in order[:5]])
    low, high = float(near.min()), float(near.max())
    room = 0.06 * ((high - low) or 1.0)
    at = np.arange(1, len(mine) + 1, dtype=np.float64)
    return Chart(
        file=f"savings-{replay.feedback}",
        title=f"What default has saved, {replay.feedback}",
        across="round",
        up="saved so far, against",
        kind="lines",
        series=tuple(Series(name=name, x=at, y=saved[name]) for name in order),
        reference=0.0,
        limits=(low - room, high + room),
    )


def went_by_charts(findings: Findings) -> tuple[Chart, ...]:
    """Return which candidates default went by, over time, one chart per feedback."""
    return tuple(_went_by(replay) for replay in findings.main)


def _went_by(replay: Replay) -> Chart:
    count = len(replay.played)
    edges = np.unique(np.linspace(0, count, min(_BLOCKS, count) + 1).astype(np.int64))
    uses = np.bincount(replay.played, minlength=len(replay.candidates))
    top = [int(k) for k in np.argsort(-uses, kind="stable")[:_CANDIDATES] if uses[k]]
    middle = (edges[:-1] + edges[1:] + 1) / 2.0
    shares = {
        replay.candidates[k]: np.array(
            [float((replay.played[a:b] == k).mean()) for a, b in itertools.pairwise(edges)]
        )
        for k in top
    }
    rest = 1.0 - np.sum(list(shares.values()), axis=0)
    if rest.max() > 1e-9:
        shares["others"] = np.maximum(rest, 0.0)
    return Chart(
        file=f"went-by-{replay.feedback}",
        title=f"Which candidates default went by, {replay.feedback}",
        across="round",
        up="share of rounds",
        kind="areas",
        series=tuple(Series(name=name, x=middle, y=y) for name, y in shares.items()),
    )


def calibration_charts(findings: Findings) -> tuple[Chart, ...]:
    """Return found over promised by the size of σ, and box by box if boxes have names."""
    found = [one for one in findings.calibrations if one.at.size]
    if not found:
        return ()
    bins = Chart(
        file="calibration",
        title="Mean excess at σ over the cost",
        across="reservation value σ, in eighths of the rows",
        up="found / promised",
        kind="lines",
        series=tuple(Series(name=c.rule, x=c.at, y=c.bins, error=c.bin_errors) for c in found),
        reference=1.0,
        limits=_ratios(np.concatenate([c.bins for c in found])),
    )
    return (bins,) if findings.log.shared else (bins, _per_box(findings, found))


def _per_box(findings: Findings, found: list[Calibration]) -> Chart:
    paper = found[0]
    names, kept = _rows(findings.log.boxes, np.abs(np.nan_to_num(paper.boxes, nan=1.0) - 1.0))
    places = np.arange(len(kept), dtype=np.float64)
    return Chart(
        file="calibration-boxes",
        title="The same, box by box",
        across="found / promised ± s.e.",
        kind="dots",
        series=tuple(
            Series(name=c.rule, x=c.boxes[kept], y=places, error=c.box_errors[kept]) for c in found
        ),
        names=names,
        reference=1.0,
        limits=_ratios(np.concatenate([c.boxes for c in found])),
    )


def _ratios(ratios: Floats) -> tuple[float, float]:
    return 0.0, float(np.clip(1.15 * np.nanmax(ratios, initial=1.0), 1.6, 3.0))


def correlation_chart(findings: Findings) -> Chart | None:
    """Return how each box moves with the others of its round; None if boxes have no names."""
    found = findings.correlation
    if findings.log.shared or not np.isfinite(found.mean):
        return None
    names, kept = _rows(findings.log.boxes, np.abs(np.nan_to_num(found.boxes)))
    series = Series(
        name="correlation", x=found.boxes[kept], y=np.arange(len(kept), dtype=np.float64),
        error=found.box_errors[kept],
    )  # fmt: skip
    return Chart(
        file="correlation", title="Correlation with the other boxes of a round",
        across="mean correlation of residuals ± s.e.", kind="dots", series=(series,), names=names,
        reference=0.0,
    )  # fmt: skip


def cost_chart(findings: Findings) -> Chart | None:
    """Return the cost of a look beside the spread of each box; None if boxes have no names or spread."""
    if findings.log.shared or not np.isfinite(findings.cost_shares).any():
        return None
    names, kept = _rows(findings.log.boxes, np.nan_to_num(findings.cost_shares, posinf=0.0))
    places = np.arange(len(kept), dtype=np.float64)
    shares = 100.0 * findings.cost_shares[kept]
    finite = shares[np.isfinite(shares)]
    # One dear box does not flatten the others
    end = min(1.08 * float(finite.max()), 6.0 * float(np.median(finite)))
    return Chart(
        file="cost-shares", title="What a look costs",
        across="cost, % of what the features leave open (standard deviation)", kind="dots",
        series=(Series(name="cost", x=shares, y=places),), names=names, reference=100.0 * CHEAP,
        limits=(0.0, max(end, 200.0 * CHEAP)),
    )  # fmt: skip


def telling_chart(told: Telling) -> Chart:
    """Return the most telling features."""
    top = min(12, len(told.names))
    series = Series(
        name="tells", x=100.0 * told.shares[:top], y=np.arange(top, dtype=np.float64),
        error=100.0 * told.errors[:top],
    )  # fmt: skip
    return Chart(
        file="features", title="The most telling features",
        across="% of the squares lost without it ± s.e.", kind="dots", series=(series,),
        names=tuple(told.names[:top]), reference=0.0,
    )  # fmt: skip


def twin_chart(findings: Findings) -> Chart | None:
    """Return what the paper's rule saves against the others, on the log and its twins."""
    versions = findings.versions
    if len(versions) < 3:
        return None
    first = next(iter(versions.values())).shown()
    names = [n for n in first if n not in ("paper", "hindsight", "recorded")]
    series = []
    for name, replay in versions.items():
        rows = {str(r["policy"]): r for r in replay.rows(against="paper")}
        series.append(
            Series(
                name=name,
                x=np.array([float(rows[n]["paper_saves"]) for n in names]),
                y=np.arange(len(names), dtype=np.float64),
                error=np.array([float(rows[n]["paper_saves_se"]) for n in names]),
            )
        )
    far = np.array([max(abs(float(s.x[k])) for s in series) for k in range(len(names))])
    end = 1.25 * float(np.sort(far)[: max(3, len(names) - 3)].max()) or 1.0
    return Chart(
        file="twins", title="What the paper's rule saves against others",
        across="saved per round by paper ± s.e.", kind="dots", series=tuple(series),
        names=tuple(names), reference=0.0, limits=(-end, end),
    )  # fmt: skip


def _rows(names: list[str], weight: Floats) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Return the names of the rows of dots and their numbers: all, or those that weigh most."""
    kept = np.sort(np.argsort(-weight, kind="stable")[:_MOST])
    return tuple(names[k] for k in kept), kept
