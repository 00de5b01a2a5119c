"""What stands beside the answer of a replay: what the log does not show, and other comparisons.

The policy is compared with what was actually done, if the log says, else with the best other rule, that is,
of the simple rules and the paper's (:mod:`weitzman.replays.verdict`). Where values are missing that is said
first.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from weitzman.amounts import amount
from weitzman.replays.replay import Replay
from weitzman.replays.verdict import is_beaten, saving

ASSUMED = {
    "full": "if the values of all boxes become known after every round",
    "opened": "if only the values of opened boxes become known",
}
"""What a feedback takes for granted, in words."""

_FEW = 100


@dataclass(frozen=True, kw_only=True)
class Advice:
    """What stands beside the answer.

    Lines say what the log does not show, and compare with all other rules, the other feedback and other
    cost scales; cautions say what all this rests on.
    """

    lines: tuple[str, ...]
    cautions: tuple[str, ...]


def main_first(replays: Sequence[Replay]) -> list[Replay]:
    """Return the replays at cost scale 1, or the first, that which asks least on top: the answer's."""
    scale = 1.0 if any(r.cost_scale == 1.0 for r in replays) else replays[0].cost_scale
    here = [r for r in replays if r.cost_scale == scale]
    return sorted(here, key=lambda r: r.feedback == "full")


def advice(replays: Sequence[Replay], *, rows: int) -> Advice:
    """Return what stands beside the answer, from replays of one log.

    Missing values are counted beside the ``rows`` of the log.
    """
    main, *others = main_first(replays)
    lines = [*_missing(main, rows), _assumed(main), _among(main)]
    lines += [_also(r, _rival(r)) for r in others]
    if main.recorded is not None:
        lines.append(_also(main, main.best_simple))
    lines += [_also(r, _rival(r)) for r in replays if r.cost_scale != main.cost_scale]
    return Advice(lines=tuple(lines), cautions=tuple(_cautions(main)))


def _rival(replay: Replay) -> str:
    return "recorded" if replay.recorded is not None else replay.best_simple


def _named(against: str) -> str:
    return "what was done" if against == "recorded" else f"the best other rule, {against}"


def _assumed(main: Replay) -> str:
    scale = "" if main.cost_scale == 1.0 else f" and costs are × {main.cost_scale:g}"
    return f"This holds {ASSUMED[main.feedback]}{scale}."


def _also(replay: Replay, against: str) -> str:
    found = saving(replay, against)
    where = ASSUMED[replay.feedback]
    if replay.cost_scale != 1.0:
        where = f"{replay.feedback}, costs × {replay.cost_scale:g}"
    rival, name = _named(against), replay.main
    begin = where[0].upper() + where[1:]
    match found.kind:
        case "saves":
            return f"{begin}, {name} saves {found.amount} against {rival}."
        case "costs":
            return f"{begin}, {name} costs {found.amount} more than {rival}."
        case "same":
            return f"{begin}, {name} costs the same as {rival} (it saves {found.range})."
    return (
        f"{begin}, {name} is neither clearly better nor worse than {rival}: it saves {found.range}."
    )


def _among(replay: Replay) -> str:
    """Return where the policy stands among the simple rules and the paper's, in words."""
    found = [saving(replay, name) for name in replay.simple]
    cheaper = sum(one.kind == "saves" for one in found)
    better = [one.against for one in found if is_beaten(one, len(found))]
    more = f"clearly worse than {', '.join(better)}" if better else "not clearly worse than any"
    return (
        f"{replay.main} is clearly better than {cheaper} of {len(found)} other rules, and {more}."
    )


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
        "Errors are one standard error (block bootstrap). A difference is clear if it is beyond two of them; "
        "“between … and …” is ± two of them. Two policies are called the same only if that whole range is "
        "within a tenth of the gap to hindsight. Learning is included from the first round on; the next "
        "rounds may be different ones."
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
        part = f" ({100 * share:.1f} % of its total)" if main.ratios else ""
        lines.append(
            f"Of what {main.main} pays, {amount(spent, main.unit)} a round{part} is the price of trials, "
            "which compare candidates."
        )
    return lines
