"""The pictures of a replay, as charts."""

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from weitzman.arrays import Floats, Ints
from weitzman.figures.charts import Chart, Series
from weitzman.replays.diagnosis.features import Telling
from weitzman.replays.lineup import PAPER
from weitzman.replays.replay import Replay
from weitzman.replays.report.findings import CHEAP, Findings

_SHOWN = 7  # policies whose numbers set the limits
_MOST = 24  # rows of dots
_BLOCKS = 40
_CANDIDATES = 6


def totals_chart(findings: Findings) -> Chart:
    """Return the mean total of every policy, the best on top."""
    names, series = _policies(findings, "mean_total", "se")
    return Chart(
        file="totals", title="Mean total per round", across="total per round ± s.e.", kind="dots",
        names=names, series=series, limits=_best(series, findings.main[0].sign),
    )  # fmt: skip


def saved_chart(findings: Findings) -> Chart:
    """Return what the policy saves against every other, round by round paired."""
    main = findings.main[0].main
    names, series = _policies(findings, f"{main}_saves", f"{main}_saves_se", but=main)
    return Chart(
        file="saved", title=f"What {main} saves against each", kind="dots", names=names,
        across="saved per round ± s.e. of the paired difference", series=series, reference=0.0,
        limits=_best(series),
    )  # fmt: skip


def opened_chart(findings: Findings) -> Chart:
    """Return how many boxes every policy opens."""
    names, series = _policies(findings, "boxes_opened", None)
    return Chart(
        file="opened", title="Boxes opened", across="boxes opened per round", kind="dots",
        names=names, series=series,
    )  # fmt: skip


def _policies(
    findings: Findings, measure: str, error: str | None, *, but: str = ""
) -> tuple[tuple[str, ...], tuple[Series, ...]]:
    """Return the names of the policies, the best first, and a measure of them under each feedback."""
    rows = [r for r in findings.rows if r["cost_scale"] == findings.scale]
    sign = findings.main[0].sign
    first = {str(r["policy"]): sign * float(r["mean_total"]) for r in reversed(rows)}
    names = tuple(name for name in sorted(first, key=lambda name: first[name]) if name != but)
    series = []
    for feedback in dict.fromkeys(str(r["feedback"]) for r in rows):
        own = {str(r["policy"]): r for r in rows if r["feedback"] == feedback}
        series.append(_series(feedback, [own[name] for name in names], measure, error))
    return names, tuple(series)


def _series(
    name: str, rows: list[dict[str, str | float]], measure: str, error: str | None
) -> Series:
    x = np.array([float(row[measure]) for row in rows])
    errors = None if error is None else np.array([float(row[error]) for row in rows])
    return Series(name=name, x=x, error=errors)


def _best(series: Sequence[Series], sign: float = 1.0) -> tuple[float, float]:
    """Return limits that are made for the better policies, those with the least values times the sign."""
    if sign < 0.0:
        low, high = _best([replace(s, x=-s.x) for s in series])
        return -high, -low
    errors = [0.0 if s.error is None else s.error for s in series]
    low = float(np.min([s.x - error for s, error in zip(series, errors, strict=True)]))
    ends = np.max([s.x + error for s, error in zip(series, errors, strict=True)], axis=0)
    return _roomy(low, float(np.sort(ends)[:_SHOWN].max()))


def _roomy(low: float, high: float) -> tuple[float, float]:
    room = 0.06 * ((high - low) or abs(high) or 1.0)
    return low - room, high + room


def saving_chart(replay: Replay) -> Chart:
    """Return what the policy has saved against each other by every round."""
    shown = replay.shown()
    mine = shown[replay.main][0]
    saved = {
        n: np.cumsum(t - mine) for n, (t, _) in shown.items() if n not in (replay.main, "hindsight")
    }
    order = sorted(saved, key=lambda name: (name != "recorded", float(saved[name][-1])))
    # The axis is made for the closest rivals: what is far worse leaves it at the top
    near = np.concatenate([saved[name] for name in order[:5]])
    at = np.arange(1, len(mine) + 1, dtype=np.float64)
    return Chart(
        file=f"savings-{replay.feedback}",
        title=f"What {replay.main} has saved, {replay.feedback}",
        across="round",
        up="saved so far, against",
        kind="lines",
        series=tuple(Series(name=name, x=at, y=saved[name]) for name in order),
        reference=0.0,
        limits=_roomy(float(near.min()), float(near.max())),
    )


def followed_chart(replay: Replay) -> Chart:
    """Return which candidates the policy followed, over time."""
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
        file=f"followed-{replay.feedback}",
        title=f"Which candidates {replay.main} followed, {replay.feedback}",
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
    sign = findings.main[0].sign
    bins = Chart(
        file="calibration",
        title="Mean excess at σ over the cost",
        across="reservation value σ, in eighths of the rows",
        up="found / promised",
        kind="lines",
        series=tuple(
            Series(name=c.rule, x=sign * c.at, y=c.bins, error=c.bin_errors) for c in found
        ),
        reference=1.0,
        limits=_ratios(np.concatenate([c.bins for c in found])),
    )
    if findings.log.shared:
        return (bins,)
    names, kept = _rows(findings.log.boxes, np.abs(np.nan_to_num(found[0].boxes, nan=1.0) - 1.0))
    boxes = Chart(
        file="calibration-boxes", title="The same, box by box", across="found / promised ± s.e.",
        kind="dots", names=names, reference=1.0,
        series=tuple(
            Series(name=c.rule, x=c.boxes[kept], error=c.box_errors[kept]) for c in found
        ),
        limits=_ratios(np.concatenate([c.boxes for c in found])),
    )  # fmt: skip
    return bins, boxes


def _ratios(ratios: Floats) -> tuple[float, float]:
    return 0.0, float(np.clip(1.15 * np.nanmax(ratios, initial=1.0), 1.6, 3.0))


def correlation_chart(findings: Findings) -> Chart | None:
    """Return how each box moves with the others of its round; None if boxes have no names."""
    found = findings.correlation
    if findings.log.shared or not np.isfinite(found.mean):
        return None
    names, kept = _rows(findings.log.boxes, np.abs(np.nan_to_num(found.boxes)))
    series = Series(name="correlation", x=found.boxes[kept], error=found.box_errors[kept])
    return Chart(
        file="correlation", title="Correlation with the other boxes of a round",
        across="mean correlation of residuals ± s.e.", kind="dots", names=names, series=(series,),
        reference=0.0,
    )  # fmt: skip


def cost_chart(findings: Findings) -> Chart | None:
    """Return the cost of a look beside the spread of each box; None if boxes have no names or spread."""
    if findings.log.shared or not np.isfinite(findings.cost_shares).any():
        return None
    names, kept = _rows(findings.log.boxes, np.nan_to_num(findings.cost_shares, posinf=0.0))
    shares = 100.0 * findings.cost_shares[kept]
    finite = shares[np.isfinite(shares)]
    # One expensive box does not flatten the others
    end = min(1.08 * float(finite.max()), 6.0 * float(np.median(finite)))
    return Chart(
        file="cost-shares", title="What a look costs", kind="dots", names=names,
        across="cost, % of what the features leave open (standard deviation)",
        series=(Series(name="cost", x=shares),), reference=100.0 * CHEAP,
        limits=(0.0, max(end, 200.0 * CHEAP)),
    )  # fmt: skip


def telling_chart(telling: Telling) -> Chart:
    """Return the most telling features."""
    series = Series(name="tells", x=100.0 * telling.shares[:12], error=100.0 * telling.errors[:12])
    return Chart(
        file="features", title="The most telling features", kind="dots",
        across="% of the squares lost without it ± s.e.", names=tuple(telling.names[:12]),
        series=(series,), reference=0.0,
    )  # fmt: skip


def twin_chart(findings: Findings) -> Chart | None:
    """Return what the paper's rule saves against the others, on the log and its twins."""
    versions = findings.versions
    if len(versions) < 3:
        return None
    first = next(iter(versions.values())).shown()
    names = tuple(n for n in first if n not in (PAPER, "hindsight", "recorded"))
    series = []
    for version, replay in versions.items():
        own = {str(r["policy"]): r for r in replay.rows(against=PAPER)}
        rows = [own[name] for name in names]
        series.append(_series(version, rows, f"{PAPER}_saves", f"{PAPER}_saves_se"))
    far = np.max([np.abs(s.x) for s in series], axis=0)
    end = 1.25 * float(np.sort(far)[: max(3, len(names) - 3)].max()) or 1.0
    return Chart(
        file="twins", title="What the paper's rule saves against others", kind="dots", names=names,
        across=f"saved per round by {PAPER} ± s.e.", series=tuple(series), reference=0.0,
        limits=(-end, end),
    )  # fmt: skip


def _rows(names: list[str], weight: Floats) -> tuple[tuple[str, ...], Ints]:
    """Return the names of the rows of dots and their numbers: all, or those that weigh most."""
    kept = np.sort(np.argsort(-weight, kind="stable")[:_MOST])
    return tuple(names[k] for k in kept), kept
