"""A recommendation in words: whether a policy is worth turning on, from replays of a log.

It is compared with what was actually done, if the log says, else with the best other rule, that is, of the
simple rules and the paper's. That one is chosen afterwards: nobody knows it beforehand, so the comparison
leans against the policy. It *saves* or *costs* if the mean difference of the totals exceeds two standard
errors (block bootstrap over rounds that are paired), and otherwise costs *the same*.

The first sentence goes by the feedback that asks least: ``opened``, if it was played. The other one follows.
Where more than one value in twenty is missing it speaks of what the log shows only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from weitzman.replays.bootstrap import block_means
from weitzman.replays.replay import Replay

Verdict = Literal["saves", "same", "costs"]

ASSUMED = {
    "full": "if the values of all boxes become known after every round",
    "opened": "if only the values of opened boxes become known",
}
"""What a feedback takes for granted, in words."""

_CLEAR = 2.0
_FEW = 100
_MANY = 0.05  # missing values, as a share


@dataclass(frozen=True, kw_only=True)
class Saving:
    """What the policy of a replay saves per round against another, with its standard error.

    ``share`` is the same as a share of the other's mean total; NaN if that is not positive.
    """

    against: str
    saved: float
    error: float
    share: float
    share_error: float

    @property
    def verdict(self) -> Verdict:
        """Whether it is clear."""
        if abs(self.saved) <= _CLEAR * self.error:
            return "same"
        return "saves" if self.saved > 0.0 else "costs"

    @property
    def amount(self) -> str:
        """How much, without its sign: ``12 % ± 3 %``."""
        if np.isnan(self.share):
            return f"{abs(self.saved):.3g} ± {self.error:.2g} a round"
        return in_percent(abs(self.share), self.share_error)

    @property
    def range(self) -> str:
        """What is saved, ± two standard errors: ``between −1.0 % and +2.0 %``."""
        ends = [self.saved - _CLEAR * self.error, self.saved + _CLEAR * self.error]
        if np.isnan(self.share):
            low, high = (f"{x:+.2g}".replace("-", "−") for x in ends)
            return f"between {low} and {high} a round"
        # The same ends as a share of the other's total
        unit = self.share / self.saved if self.saved else 0.0
        low, high = (f"{100 * unit * x:+.1f} %".replace("-", "−") for x in ends)
        return f"between {low} and {high}"


@dataclass(frozen=True, kw_only=True)
class Advice:
    """A recommendation: what to do and what it would have saved, in one sentence with its verdict.

    Lines say what the log does not show, and compare with all other rules, the other feedback and
    other cost scales; cautions say what all this rests on.
    """

    verdict: Verdict
    headline: str
    lines: tuple[str, ...]
    cautions: tuple[str, ...]


def saving(replay: Replay, against: str) -> Saving:
    """Return what the policy of a replay saves against another."""
    shown = replay.shown()
    series = np.column_stack([shown[against][0], shown[replay.main][0]])
    drawn, (other, mine) = block_means(series), series.mean(axis=0)
    apart = drawn[:, 0] - drawn[:, 1]
    known = other > 0.0 and bool((drawn[:, 0] > 0.0).all())
    return Saving(
        against=against,
        saved=float(other - mine),
        error=float(apart.std()),
        share=float((other - mine) / other) if known else float("nan"),
        share_error=float((apart / drawn[:, 0]).std()) if known else float("nan"),
    )


def in_percent(share: float, error: float) -> str:
    """Return a share and its error in words.

    >>> in_percent(0.1234, 0.031), in_percent(0.0123, 0.0042), in_percent(0.5, 0.0)
    ('12 % ± 3 %', '1.2 % ± 0.4 %', '50.0 % ± 0.0 %')
    """
    digits = 0 if error >= 0.01 else 1
    return f"{100 * share:.{digits}f} % ± {100 * error:.{digits}f} %"


def advice(replays: Sequence[Replay], *, rows: int) -> Advice:
    """Return what to do, from replays of one log; that at cost scale 1 comes first, or the first.

    Missing values are counted beside the ``rows`` of the log.
    """
    scale = 1.0 if any(r.cost_scale == 1.0 for r in replays) else replays[0].cost_scale
    here = sorted((r for r in replays if r.cost_scale == scale), key=lambda r: r.feedback == "full")
    main = here[0]
    found = saving(main, _rival(main))
    lines = [*_missing(main, rows), _among(main), *(_also(r, _rival(r)) for r in here[1:])]
    if main.recorded is not None:
        lines.append(_also(main, main.best_simple))
    lines += [_also(r, _rival(r)) for r in replays if r.cost_scale != scale]
    headline = _headline(main, found)
    if main.unknown > _MANY * rows:
        headline = f"As far as the log shows, {headline[0].lower()}{headline[1:]}"
    return Advice(
        verdict=found.verdict,
        headline=headline,
        lines=tuple(lines),
        cautions=tuple(_cautions(main)),
    )


def _rival(replay: Replay) -> str:
    return "recorded" if replay.recorded is not None else replay.best_simple


def _named(against: str) -> str:
    return "what was done" if against == "recorded" else f"the best other rule, {against}"


def _headline(main: Replay, found: Saving) -> str:
    name, rival, assumed = main.main, _named(found.against), ASSUMED[main.feedback]
    match found.verdict, found.against:
        case "saves", _:
            return (
                f"Turn on {name}: it would have saved {found.amount} against {rival}, "
                f"{assumed}.{_cheaper_still(main)}"
            )
        case "same", "recorded":
            return (
                f"Do not bother: {name} costs the same as what was done (it saves {found.range}), "
                f"{assumed}.{_cheaper_still(main)}"
            )
        case "same", _:
            return (
                f"Turn on {name} if you do not know which rule is best: it costs the same as "
                f"{found.against}, the best other rule here (it saves {found.range}), {assumed}. Whoever "
                f"follows {found.against} already need not bother."
            )
        case _, "recorded":
            return (
                f"Do not turn on {name}: it would have cost {found.amount} more than what was done, "
                f"{assumed}."
            )
    return (
        f"Do not bother with {name}: it would have cost {found.amount} more than {found.against}, "
        f"the best other rule here, {assumed}."
    )


def _cheaper_still(main: Replay) -> str:
    """Return that the best other rule is clearly cheaper, if it is, beside what was done."""
    best = saving(main, main.best_simple)
    if best.verdict != "costs":
        return ""
    return (
        f" But {best.against} alone is clearly cheaper still: {main.main} costs {best.amount} more."
    )


def _also(replay: Replay, against: str) -> str:
    found = saving(replay, against)
    where = ASSUMED[replay.feedback]
    if replay.cost_scale != 1.0:
        where = f"{replay.feedback}, costs × {replay.cost_scale:g}"
    rival, name = _named(against), replay.main
    begin = where[0].upper() + where[1:]
    match found.verdict:
        case "saves":
            return f"{begin}, {name} saves {found.amount} against {rival}."
        case "costs":
            return f"{begin}, {name} costs {found.amount} more than {rival}."
    return f"{begin}, {name} costs the same as {rival} (it saves {found.range})."


def _among(replay: Replay) -> str:
    """Return where the policy stands among the simple rules and the paper's, in words."""
    verdicts = {name: saving(replay, name).verdict for name in replay.simple}
    cheaper = sum(verdict == "saves" for verdict in verdicts.values())
    better = [name for name, verdict in verdicts.items() if verdict == "costs"]
    more = (
        f"clearly more expensive than {', '.join(better)}" if better else "more expensive than none"
    )
    return f"It is clearly cheaper than {cheaper} of {len(verdicts)} other rules, and {more}."


def _missing(main: Replay, rows: int) -> list[str]:
    if not main.unknown:
        return []
    return [
        f"{main.unknown:,} of {rows:,} values are missing ({100 * main.unknown / rows:.0f} %), and boxes "
        "without a value are left out of their rounds. If values are known because boxes were opened, the "
        "others may be different, and this replay does not see them."
    ]


def _cautions(main: Replay) -> list[str]:
    count = len(main.hindsight)
    lines = [
        "Errors are one standard error (block bootstrap). What is within two of them is called the same, "
        "what is beyond is clear; “between … and …” is ± two of them. Learning is included from the first "
        "round on; the next rounds may be different ones."
    ]
    if main.recorded is None:
        lines.append(
            "The log does not say what was opened when it happened, so the comparison is with the best "
            "other rule (simple rules and the paper's), chosen afterwards: nobody knows beforehand which."
        )
    if count < _FEW:
        lines.append(f"{count} rounds are few: the errors themselves are uncertain.")
    spent = float(main.exploration.mean())
    if spent > 0.0:
        share = spent / abs(float(main.of(main.main).mean()))
        lines.append(
            f"Of what {main.main} pays, {spent:.3g} a round ({100 * share:.1f} % of its total) is the price "
            "of trials, which compare candidates."
        )
    return lines
