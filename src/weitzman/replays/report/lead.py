"""What frames the report of a replay: what was played, what the names stand for, how it was made."""

from importlib.metadata import version

import numpy as np

from weitzman.logs.log import Log
from weitzman.replays.lineup import PAPER
from weitzman.replays.replay import Replay
from weitzman.replays.report.findings import Findings

_NAMED = 12  # features that are given by name
_NAMES = {
    "stay": "open nothing",
    "all": "open everything",
    "single": "the box that was best so far",
    "fixed-set": "the best set so far",
    "one-shot": "the box with the least predicted value plus cost, or none",
    "mean": "predicted values in place of reservation values",
    "mean+cost": "predicted values plus costs in place of reservation values",
    "no-context": "reservation values without features",
    PAPER: "the paper's learner",
    "recorded": "what was actually done",
    "default": "a portfolio, which follows the candidate that does best",
    "hindsight": "the best possible in hindsight",
}


def lead(findings: Findings) -> tuple[str, ...]:
    """Return what stands above everything: the answer, and the log that it is about."""
    return (
        *findings.answer.sentences,
        f"Played, online and in their order: {log_words(findings.log)}.",
        *left_out(findings.main[0], findings.log.skipped),
    )


def log_words(log: Log) -> str:
    """Return how large a log is, and what of it was read as features."""
    present = ~np.isnan(log.costs)
    there = present.sum(axis=1)
    most, fewest = int(there.max()), int(there.min())
    boxes = f"{most} boxes" if most == fewest else f"{fewest} to {most} boxes"
    known, rows = int((present & ~np.isnan(log.values)).sum()), int(present.sum())
    values = "" if known == rows else f", {known:,} of {rows:,} values known"
    models = "one model for all of them" if log.shared else "a model for each"
    best = ""
    if log.least is not None:
        beyond = f"below {log.least:g}" if log.sense == "min" else f"above {-log.least + 0.0:g}"
        best = f", no value {beyond}"
    return f"{len(log):,} rounds of {boxes} ({models}){values}{best}, {_features(log)}"


def _features(log: Log) -> str:
    names = [feature.name for feature in log.encoding.features]
    listed = ", ".join(names[:_NAMED]) or "none"
    return f"features: {listed}" + (
        f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    )


def left_out(replay: Replay, skipped: int) -> tuple[str, ...]:
    """Return what of the log was not played, a sentence each."""
    lines = []
    if skipped:
        lines.append(f"{skipped:,} bad rows are left out.")
    if replay.empty:
        lines.append(f"{replay.empty:,} rounds without a value are left out.")
    return tuple(lines)


def glossary(findings: Findings) -> tuple[str, ...]:
    """Return what the policies do that the page shows."""
    main = findings.main[0]
    explained = [f"{name}: {does}." for name, does in _NAMES.items() if name in main.shown()]
    words = [" ".join(explained)]
    advised = findings.answer.verdict.advised
    if advised != main.main:
        words.append(
            f"The answer advises {advised}; savings and pictures are those of {main.main}."
        )
    words += [
        f"The best other rule is the best of the simple rules and {PAPER}.",
    ]
    if not main.has_outside:
        words.append(
            "stay, to open nothing, is not among them: not every round has an outside option to stay with."
        )
    return (" ".join(words),)


def made_words(findings: Findings) -> tuple[str, ...]:
    """Return what made the page: the version, the columns, the cost scales."""
    log = findings.log
    columns = ", ".join(f"{role} from {name}" for role, name in log.columns.items())
    scales = dict.fromkeys(f"{r.cost_scale:g}" for r in findings.replays.played)
    return (
        f"By weitzman {version('weitzman')} from {log.source}: {columns}; {_features(log)}. Costs are "
        f"multiplied by {', '.join(scales)}.",
        "Rounds are played online and in their order; nothing is known before its time, and learning costs "
        "count from the first round. Under full every value of a round is revealed when it closes, under "
        "opened only those of the boxes that the policy itself opened. Standard errors are by a block "
        "bootstrap over rounds; differences are paired.",
        "The same in numbers: rows.json and rows.parquet (policies), rounds.parquet (round by round), "
        "findings.json (the rest); pictures for print in figures.",
    )
