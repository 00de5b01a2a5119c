"""A replay as a table for people."""

from typing import TYPE_CHECKING, Any

import numpy as np

from weitzman.amounts import minus
from weitzman.figures.table import table_of

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

    from weitzman.replays.replay import Replay


def replay_table(replay: "Replay") -> "Group":
    """Return the verdict of a replay, its policies, and the share of the gap that is closed."""
    from rich.console import Group
    from rich.text import Text

    from weitzman.replays.verdict import verdict

    said = gap_sentence(replay) if replay.gaps else verdict(replay).sentence
    rounds = f"{len(replay.totals):,} rounds, feedback {heading(replay)}"
    said = f"{said[0].upper()}{said[1:]}"
    return Group(Text(said), Text(rounds), policy_table(replay), Text(share_sentence(replay)))


def gap_sentence(replay: "Replay") -> str:
    """Return why totals of a log with gaps are no answer, and what gives one."""
    return (
        f"nobody looked for {replay.gaps:,} values of these rounds, and boxes without a value are left out: "
        "totals are not what policies would have paid. wz.judge(log, policies) says what the log can say."
    )


def heading(replay: "Replay") -> str:
    """Return the feedback, and the cost scale if costs were multiplied."""
    scale = "" if replay.cost_scale == 1.0 else f", costs × {replay.cost_scale:g}"
    return f"{replay.feedback}{scale}"


def policy_table(replay: "Replay") -> "Table":
    """Return a row for each policy: its mean total, boxes opened, and what the first one saves."""
    numbers = ("total per round", "± s.e.", "opened", f"{replay.main} saves", "± s.e.")
    return table_of(["policy"], numbers, (_cells(row, replay.main) for row in replay.rows()))


def share_sentence(replay: "Replay") -> str:
    """Return the share of the gap between the best other rule and hindsight, in a sentence."""
    share, error = replay.share()
    if not np.isfinite([share, error]).all():
        return f"Nothing is between the best other rule, {replay.best_simple}, and hindsight."
    between = f"between the best other rule, {replay.best_simple}, and hindsight"
    if share < 0.0:
        return f"{replay.main} closes nothing of the gap {between}: that rule does better."
    return f"{replay.main} closes {share:.3f} ± {error:.3f} of the gap {between}."


def _cells(row: dict[str, Any], main: str) -> list[str]:
    cells = [row["policy"], minus(f"{row['mean_total']:.4g}"), f"{row['se']:.2g}"]
    cells.append(f"{row['boxes_opened']:.2f}")
    if row["policy"] != main:
        cells += [minus(f"{row[f'{main}_saves']:.3g}"), f"{row[f'{main}_saves_se']:.2g}"]
    return cells
