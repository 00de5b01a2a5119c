"""The report of a replay in plain words and tables: every number is computed from what was played."""

import numpy as np

from weitzman.amounts import minus
from weitzman.figures.page import Fold, PageTable
from weitzman.replays.diagnosis.residuals import CLEAR
from weitzman.replays.lineup import PAPER
from weitzman.replays.replay import Replay
from weitzman.replays.report.advice import ASSUMED
from weitzman.replays.report.findings import CHEAP, Findings
from weitzman.replays.table import share_sentence
from weitzman.replays.verdict import in_percent, saving


def total_table(replay: Replay) -> PageTable:
    """Return the rows of a replay, the best policy first."""
    rows, main = [], replay.main
    for row in sorted(replay.rows(), key=lambda r: replay.sign * float(r["mean_total"])):
        name = str(row["policy"])
        share = saving(replay, name)
        saved = minus(f"{row[f'{main}_saves']:.3g} ± {row[f'{main}_saves_se']:.2g}")
        relative = "" if np.isnan(share.share) else in_percent(share.share, share.share_error)
        rows.append(
            {
                "policy": name,
                "total": minus(f"{row['mean_total']:.4g} ± {row['se']:.2g}"),
                "opened": f"{row['boxes_opened']:.2f}",
                f"{main} saves": "" if name == main else saved,
                "of its total": "" if name == main else relative,
            }
        )
    sign = "plus" if replay.sense == "min" else "minus"
    unit = f", in {replay.unit}" if replay.unit else ""
    return PageTable(
        caption=f"{replay.feedback}, {ASSUMED[replay.feedback]}. Total: best value {sign} costs paid, mean "
        f"per round ± s.e.{unit}. {share_sentence(replay)}",
        rows=rows,
        words=("policy",),
    )


def scale_table(findings: Findings) -> PageTable | None:
    """Return the policy and its best rival at every cost scale; None if there is one only."""
    replays = findings.replays.played
    if len({r.cost_scale for r in replays}) < 2:
        return None
    rows = []
    for one in sorted(replays, key=lambda r: (r.feedback, r.cost_scale)):
        found = saving(one, one.best_simple)
        closed, error = one.share()
        rows.append(
            {
                "costs": f"× {one.cost_scale:g}",
                "feedback": one.feedback,
                "best other": one.best_simple,
                "its total": minus(f"{one.sign * one.of(one.best_simple).mean():.4g}"),
                one.main: minus(f"{one.sign * one.of(one.main).mean():.4g}"),
                f"{one.main} saves": minus(f"{found.saved:.3g} ± {found.error:.2g}"),
                "gap closed": "nothing" if closed < 0.0 else f"{closed:.3f} ± {error:.3f}",
            }
        )
    return PageTable(
        caption="Cheaper and more expensive looks: the best other rule of each row (simple rules and the "
        "paper's) is chosen afterwards. The last column is the share of the gap between it and hindsight "
        f"that {replays[0].main} closes.",
        rows=rows,
        words=("costs", "feedback", "best other"),
    )


def candidate_fold(replay: Replay) -> Fold:
    """Return what every candidate costs by itself, to be unfolded."""
    means = replay.sign * replay.totals.mean(axis=0)
    order = np.argsort(replay.sign * means, kind="stable")
    uses = np.bincount(replay.played, minlength=len(replay.candidates)) / len(replay.played)
    share = dict(zip(replay.candidates, uses.tolist(), strict=True))
    return Fold(
        summary=f"All that was played under {replay.feedback}",
        table=PageTable(
            caption="Mean total per round, boxes opened, and in how many rounds "
            f"{replay.main} followed it.",
            rows=[
                {
                    "policy": replay.names[k],
                    "total": minus(f"{means[k]:.4g}"),
                    "opened": f"{replay.opened[:, k].mean():.2f}",
                    "rounds": f"{100 * share.get(replay.names[k], 0.0):.0f} %" if k else "",
                }
                for k in order
            ],
            words=("policy",),
        ),
    )


def calibration_words(findings: Findings) -> tuple[str, ...]:
    """Return what the calibration says."""
    excess, side = ("(σ − v)⁺", "low") if findings.log.sense == "min" else ("(v − σ)⁺", "high")
    first = (
        f"A reservation value σ promises that the mean of {excess}, what a box is better than σ, is the cost "
        f"of looking. Found / promised is 1 where that holds; below 1, σ is too {side} and the box is opened "
        "too early and too often. Measured on the second half of the rounds, with all values known.",
    )
    wrong = [one.rule for one in findings.calibrations if not one.holds]
    if not wrong:
        said = "Every rule is within three standard errors of 1: nothing here speaks against its promise."
        return (*first, said)
    return (*first, f"More than three standard errors away from 1: {', '.join(wrong)}.")


def calibration_table(findings: Findings) -> PageTable:
    """Return found over promised of each rule."""
    log = findings.log
    sign = 1.0 if log.sense == "min" else -1.0
    rows = []
    for one in findings.calibrations:
        off = [log.boxes[k] for k in one.off]
        listed = ", ".join(off[:4]) + (f" and {len(off) - 4} more" if len(off) > 4 else "")
        rows.append(
            {
                "σ of": one.rule,
                "found / promised": minus(f"{one.ratio:.3f} ± {one.error:.3f}"),
                "± three s.e.": minus(
                    f"{one.ratio - CLEAR * one.error:.2f} to {one.ratio + CLEAR * one.error:.2f}"
                ),
                "has 1": "yes" if one.holds else "no",
                "σ too high by": minus(f"{sign * one.shift + 0.0:+.3g}"),
                "boxes that are off": "" if log.shared else listed,
            }
        )
    return PageTable(
        caption="σ too high by: what would mend the average, in units of value. Boxes that are off by more "
        "than chance allows in one log in 100.",
        rows=rows,
        words=("σ of", "has 1", "boxes that are off"),
    )


def correlation_words(findings: Findings) -> tuple[str, ...]:
    """Return whether the paper's assumption holds, and what it costs if not."""
    found = findings.correlation
    if not np.isfinite(found.mean):
        return ("No round has two boxes with values: there is nothing to be correlated.",)
    number = minus(f"{found.mean:.2f} ± {found.error:.2f}")
    if found.moves_together:
        first = (
            f"Warning: the boxes of a round are not independent. After the features are accounted for "
            f"(linearly), two boxes of a round have the mean correlation {number}. The paper's rule assumes "
            "0: after a bad value it goes on as if the other boxes knew nothing of it."
        )
    else:
        first = (
            f"No sign against the paper's assumption: the mean correlation of two boxes of a round, after "
            f"the features are accounted for, is {number}."
        )
    return (first, *_twin_words(findings))


def _twin_words(findings: Findings) -> tuple[str, ...]:
    versions = findings.versions
    if len(versions) < 3:
        return ()
    standings = {name: _standing(replay) for name, replay in versions.items()}
    return (
        "Two twins of the log differ in the correlation alone: residuals are moved to other rounds together, "
        "so that the boxes of a round stay correlated, or apart, box by box, so that they do not. Beside the "
        f"best simple rule, the paper's rule {standings['together']} with residuals moved together and "
        f"{standings['apart']} with residuals moved apart.",
        f"On the log itself it {standings['the log']}. Do not compare that with a twin: in both twins the "
        "linear model is exact and the spread is constant, which they need not be in the log, so even "
        "together may rank policies in another way.",
    )


def _standing(replay: Replay) -> str:
    rows = {str(r["policy"]): r for r in replay.rows(against=PAPER)}
    rival = min(
        (n for n in replay.simple if n != PAPER), key=lambda n: float(rows[n]["mean_total"])
    )
    saved, error = float(rows[rival][f"{PAPER}_saves"]), float(rows[rival][f"{PAPER}_saves_se"])
    word = "saves" if saved >= 0.0 else "loses"
    return f"{word} {abs(saved):.3g} ± {error:.2g} a round ({rival})"


def twin_table(findings: Findings) -> PageTable | None:
    """Return policies on the log and its twins; None if twins were not played."""
    versions = findings.versions
    if len(versions) < 3:
        return None
    shown = {name: replay.shown() for name, replay in versions.items()}
    names = [n for n in shown["apart"] if all(n in other for other in shown.values())]
    return PageTable(
        caption=f"Mean total per round under {findings.main[0].feedback}, on the log and its twins. What "
        "correlation costs is between the twins; the log differs from both in more.",
        rows=[
            {
                "policy": name,
                **{
                    v: minus(f"{versions[v].sign * shown[v][name][0].mean():.4g}") for v in versions
                },
            }
            for name in names
        ],
        words=("policy",),
    )


def cost_words(findings: Findings) -> tuple[str, ...]:
    """Return how expensive a look is."""
    shares = findings.cost_shares[np.isfinite(findings.cost_shares)]
    if not shares.size:
        return ("The features leave nothing open: there is nothing to look for.",)
    middle = float(np.median(shares))
    spread = (
        ""
        if findings.log.shared
        else (f", from {100 * shares.min():.2g} % to {100 * shares.max():.3g} %")
    )
    return (
        f"A look costs {100 * middle:.2g} % of the standard deviation that the features leave of a box's "
        f"value (the median over boxes{spread}). In this project's recorded problems searching paid below "
        f"about {100 * CHEAP:.0f} %, and opening one box at most was hard to beat well above it. That "
        "describes those tables and promises nothing for this log, whose totals are above.",
    )


def telling_words(findings: Findings) -> tuple[str, ...]:
    """Return what features tell, and how that is measured."""
    telling = findings.telling
    if telling is None:
        return ("The log has no features, or too few rounds to say whether they help.",)
    share = in_percent(telling.explained, telling.explained_error)
    first = (
        f"Fitted to the first half of the rounds, a linear regression explains {share} of the variance of "
        "the values around the mean of their box in the second half."
    )
    if telling.explained <= 0.0:
        first = (
            "Fitted to the first half of the rounds, a linear regression on all features predicts the values "
            "of the second half no better than the mean of their box does."
        )
    return (
        first,
        "A feature helps as much as the error grows when it is taken from another round of the box, as a "
        "share of the same squares. This sees straight lines only: it misses bends, and what two features "
        "do together; and two features that say the same thing share the credit.",
    )
