"""The verdict of a replay: which policy to switch on, if it is clear, and what that saves.

A policy *saves* or *costs* if the mean difference of the totals exceeds two standard errors (block bootstrap
over rounds that are paired). It is *the same* as another if the whole interval, ± two standard errors, is
within a tenth of what could be saved at all: the gap between the other's mean total and hindsight. Anything
else is *open*: more rounds may decide it. Fewer than :data:`FEW` rounds decide nothing.

The policy is compared with the best other rule first (of the simple rules and the paper's), which is chosen
afterwards: nobody knows it beforehand, so the comparison leans against the policy. If that rule is the same
and simpler, or better beyond what the best of so many may be by chance, it is advised in the policy's place.
What is advised is then compared with what was actually done, if the log says.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.special import ndtr, ndtri

from weitzman.amounts import amount, minus
from weitzman.replays.bootstrap import block_means, standard_errors

if TYPE_CHECKING:
    from weitzman.replays.replay import Replay

Kind = Literal["saves", "costs", "same", "open"]
VerdictKind = Literal["switch on", "same", "worse", "open"]

FEW = 30
"""Fewer rounds than this decide nothing: the standard error itself is a guess."""

SAME = 0.1
"""The share of the gap to hindsight within which two policies are the same."""

CLEAR = 2.0


@dataclass(frozen=True, kw_only=True)
class Saving:
    """What a policy saves per round against another, with its standard error.

    ``share`` is the same as a share of the other's mean total; NaN where totals have no natural zero, or the
    mean is not clearly beyond it. ``gap`` is how far the other is from hindsight.
    """

    policy: str
    against: str
    saved: float
    error: float
    share: float
    share_error: float
    gap: float
    rounds: int
    unit: str = ""

    @property
    def interval(self) -> tuple[float, float]:
        """What is saved, ± two standard errors."""
        return self.saved - CLEAR * self.error, self.saved + CLEAR * self.error

    @property
    def kind(self) -> Kind:
        """Whether it is clear."""
        low, high = self.interval
        if self.rounds < FEW:
            return "open"
        if low > 0.0:
            return "saves"
        if high < 0.0:
            return "costs"
        return "same" if max(-low, high) <= SAME * self.gap else "open"

    @property
    def amount(self) -> str:
        """How much, without its sign: ``12 % ± 3 %``."""
        if np.isnan(self.share):
            size = f"{abs(self.saved):.3g} ± {self.error:.2g}"
            return amount(abs(self.saved), self.unit, size)
        return in_percent(abs(self.share), self.share_error)

    @property
    def range(self) -> str:
        """What is saved, ± two standard errors: ``between −1.0 % and +2.0 %``."""
        low, high = self.interval
        if np.isnan(self.share):
            # As many digits as the error has two of
            digits = max(0, 1 - math.floor(math.log10(self.error))) if self.error else 2
            texts = [minus(f"{x:+,.{digits}f}") for x in (low, high)]
            return f"between {texts[0]} and {amount(high, self.unit, texts[1])} a round"
        # The same ends as a share of the other's total
        unit = self.share / self.saved if self.saved else 0.0
        ends = [minus(f"{100 * unit * x:+.1f} %") for x in (low, high)]
        return f"between {ends[0]} and {ends[1]}"


def in_percent(share: float, error: float) -> str:
    """Return a share and its error in words.

    >>> in_percent(0.1234, 0.031), in_percent(-0.0123, 0.0042), in_percent(0.5, 0.0)
    ('12 % ± 3 %', '−1.2 % ± 0.4 %', '50.0 % ± 0.0 %')
    """
    digits = 0 if error >= 0.01 else 1
    digits = 2 if 0.0 < error < 0.0005 else digits
    return minus(f"{100 * share:.{digits}f} % ± {100 * error:.{digits}f} %")


def saving(replay: "Replay", against: str, policy: str | None = None) -> Saving:
    """Return what a policy, the first if None, saves against another."""
    policy = replay.main if policy is None else policy
    shown = replay.shown()
    series = np.column_stack([shown[against][0], shown[policy][0]])
    drawn, (other, mine) = block_means(series), series.mean(axis=0)
    apart = drawn[:, 0] - drawn[:, 1]
    # In the user's sense, with a natural zero and clearly beyond it
    whole = replay.sign * drawn[:, 0]
    known = replay.ratios and replay.sign * other > 0.0 and bool((whole > 0.0).all())
    return Saving(
        policy=policy,
        against=against,
        saved=float(other - mine),
        error=float(standard_errors(apart, drawn[:, 0])),
        share=float((other - mine) / (replay.sign * other)) if known else float("nan"),
        share_error=float((apart / whole).std()) if known else float("nan"),
        gap=float(other - replay.hindsight.mean()),
        rounds=len(series),
        unit=replay.unit,
    )


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What to switch on.

    Attributes
    ----------
    kind
        ``"switch on"``: the advised policy is clearly better than what it is compared with. ``"same"``: it
        makes no difference. ``"worse"``: what was done is clearly better. ``"open"``: too few rounds to say.
    advised
        The policy whose course a report describes, and that is saved.
    saving
        What the advised policy saves against what was done, or else against the best other policy.
    best
        What the policy of the replay saves against the best other rule.
    sentence
        The same in words.
    """

    kind: VerdictKind
    advised: str
    saving: Saving
    best: Saving
    sentence: str

    @property
    def purpose(self) -> str:
        """What the advised policy is saved for."""
        if self.kind == "open":
            return "to try it, as it is not settled whether it is better"
        if self.kind == "worse" or (self.kind == "same" and self.saving.against == "recorded"):
            return "to try it, although the verdict is to leave things as they are"
        return "to switch it on"


def verdict(replay: "Replay") -> Verdict:
    """Return what to switch on."""
    main, best = replay.main, saving(replay, replay.best_simple)
    simpler = best.against != main and best.against in replay.simpler
    beaten = is_beaten(best, len(replay.simple))
    gives_way = beaten or (best.kind == "same" and simpler)
    advised = best.against if gives_way else main
    if replay.recorded is None:
        found = best if advised == main else saving(replay, main, advised)
        kind, sentence = _alone(best, found, len(replay.simple))
        if best.kind == "same" and not simpler:
            sentence = f"the same as {best.against}: use either ({main} saves {best.range})."
        return Verdict(kind=kind, advised=advised, saving=found, best=best, sentence=sentence)
    found = saving(replay, "recorded", advised)
    kind, sentence = _beside_the_record(found, best, gives_way=gives_way)
    return Verdict(kind=kind, advised=advised, saving=found, best=best, sentence=sentence)


def is_beaten(found: Saving, count: int) -> bool:
    """Return whether a policy is worse than the best of some rules, by more than chance would have it."""
    return found.kind == "costs" and -found.saved > _bar(count) * found.error


def _bar(count: int) -> float:
    """Return by how many standard errors the best of some rules is better, if that is no chance.

    >>> round(_bar(1), 2), round(_bar(9), 2)
    (2.0, 2.8)
    """
    return float(-ndtri(ndtr(-CLEAR) / count))


def _alone(best: Saving, found: Saving, count: int) -> tuple[VerdictKind, str]:
    main, rival = best.policy, best.against
    match best.kind:
        case "saves":
            return "switch on", f"switch {main} on."
        case "costs" if is_beaten(best, count):
            # A share of what is paid with the policy, as in the numbers beside it
            return (
                "switch on",
                f"use {rival}, which is clearly better than {main} ({found.amount}).",
            )
        case "same":
            same = f"the same as {rival}, which is simpler: use that ({main} saves {best.range})."
            return "same", same
    if best.rounds < FEW:
        return "open", f"too few rounds to say: {_rounds(best.rounds)}, and {FEW} are the least."
    words = f"too few rounds to say whether {main} or {rival} is better: {main} saves {best.range}"
    if best.kind == "costs":
        words += f", and the best of {count} rules may be that much better by chance"
    return "open", f"{words}."


def _beside_the_record(found: Saving, best: Saving, *, gives_way: bool) -> tuple[VerdictKind, str]:
    why = ""
    if gives_way:
        other = "clearly better than" if best.kind == "costs" else "simpler than, and the same as,"
        why = f" It is {other} {best.policy} ({best.policy} saves {best.range})."
    name = found.policy
    match found.kind:
        case "saves":
            return "switch on", f"switch {name} on.{why}"
        case "costs":
            return "worse", f"leave it as it is: {name} is clearly worse than what was done."
        case "same":
            return "same", f"leave it as it is: {name} is the same (it saves {found.range})."
    if found.rounds < FEW:
        return "open", f"too few rounds to say: {_rounds(found.rounds)}, and {FEW} are the least."
    return (
        "open",
        f"too few rounds to say whether {name} is better than what was done: it saves {found.range}.",
    )


def _rounds(count: int) -> str:
    return "one round" if count == 1 else f"{count} rounds"
