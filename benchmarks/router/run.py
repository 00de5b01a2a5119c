"""Cascade, router or search: the command ``python -m router.run LLM_CALLS`` from the folder ``benchmarks``.

LLM_CALLS is the file of recorded calls (docs/reference/recorded-problems.md). Every rule plays all questions
in their order, by one path (:mod:`router.play`). Totals are in dollars for 1,000 questions: a wrong answer is
20 milli-dollars. Standard errors are those of the block bootstrap over questions.
"""

import os

for _name in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{_name}_NUM_THREADS", "1")

import argparse  # noqa: E402
import json  # noqa: E402
import time  # noqa: E402
from dataclasses import replace  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402

import weitzman as wz  # noqa: E402
from router.hindsight import THRESHOLDS, best_cascade, best_pairs, chances_of  # noqa: E402
from router.play import Course, averaged, errors_of, graded, play, telling  # noqa: E402
from router.rivals import WRONG, Cascade, Router, Thompson, TwoModels  # noqa: E402
from weitzman.feedback import Feedback  # noqa: E402
from weitzman.learn.policy import Policy  # noqa: E402
from weitzman.learn.storage.registry import named_policy  # noqa: E402

SEEDS = 5
HAND = ("gemini-1.5-flash", "gpt-4o-mini-2024-07-18", "gpt-4o-2024-08-06")
"""The chain of somebody who knows the price lists: the cheapest model, a middling one, a large one."""
UNTILS = (0.001, 0.5, 0.7, 0.8, 0.9, 0.97)
GRADES = (None, 1.0, 0.5, 0.0)
"""How sharp a judge is; None for grades that are exact."""
Row = tuple[str, Course]


def fixed_single(log: wz.Log, scale: float = 1.0) -> Policy:
    """Return the rule that always asks the model that is best in hindsight."""
    best = int(np.argmin((log.values + scale * log.costs).mean(axis=0)))
    return Cascade(models=(best,), name="best single")


def names_of(log: wz.Log, models: tuple[int, ...]) -> str:
    """Return the names of models from the cheapest to the most expensive."""
    return " → ".join(log.boxes[k] for k in sorted(models, key=log.costs.mean(axis=0).item))


def drawn(log: wz.Log, policy: Policy, feedback: Feedback, **more: Any) -> Course:
    """Return the mean of several seeds of a rule that draws."""
    return averaged([play(log, policy, feedback, seed=seed, **more) for seed in range(SEEDS)])


def main_table(log: wz.Log, feedback: Feedback) -> list[Row]:
    """Play every rule, all grades exact."""
    types = tuple(log.features.index(name) for name in ("x_task_crux", "x_task_math"))
    right = 1.0 - log.values / WRONG
    rows: list[Row] = []

    def add(name: str, policy: Policy) -> None:
        rows.append((name, play(log, policy, feedback)))

    def add_best(name: str, policies: list[Policy], of: Any) -> None:
        found = [(policy, play(log, policy, feedback)) for policy in policies]
        policy, course = min(found, key=lambda each: each[1].mean)
        rows.append((name.format(of(policy)), course))

    add("the cheapest model", Cascade(models=(int(np.argmin(log.costs.mean(axis=0))),)))
    add("best single model, in hindsight", fixed_single(log))
    add("best single model so far", named_policy("single", shared=False))
    pairs = best_pairs(chances_of(log.contexts[:, 0], right), log.costs, log.values, 20)
    add_best(
        "two models and a threshold (RouteLLM), the best in hindsight: {}",
        list(pairs),
        lambda p: f"{log.boxes[p.weak]} below {p.threshold:g}, {log.boxes[p.strong]} above",
    )
    chain = tuple(map(log.boxes.index, HAND))
    add("hand-written cascade of three, until right", Cascade(models=chain))
    for threshold in (0.5, 0.75, 0.85):
        add(f"the same, models predicted at ≥ {threshold:g}", Cascade(threshold, chain))
    add("cascade of all models by price, until right", Cascade())
    for threshold in (0.5, 0.75, 0.85):
        add(f"the same, models predicted at ≥ {threshold:g}", Cascade(threshold))
    best = best_cascade(log.costs, log.values, log.values)
    add_best(
        "cascade, the best chain and threshold in hindsight: {}",
        [best, *(replace(best, threshold=t) for t in THRESHOLDS)],
        lambda p: f"{names_of(log, p.models)}, predicted at ≥ {p.threshold:g}",
    )
    rows.append(
        (f"Thompson, by money ({SEEDS} seeds)", drawn(log, Thompson(types), feedback)),
    )
    name = f"Thompson, LiteLLM's weights .7 and .3 ({SEEDS} seeds)"
    rows.append((name, drawn(log, Thompson(types, 0.7), feedback)))
    weighted = [(q, drawn(log, Thompson(types, q), feedback)) for q in (0.5, 0.8, 0.9, 0.95, 0.99)]
    quality, course = min(weighted, key=lambda each: each[1].mean)
    rows.append((f"the same, the best weight in hindsight: {quality:g}", course))
    add(
        "router that picks before asking, ridge (`one-shot`)",
        named_policy("one-shot", shared=False),
    )
    add("router that picks before asking, logistic", Router())
    add("`no-context`", named_policy("no-context", shared=False))
    add("`FTRL`, the paper's", named_policy("FTRL", shared=False))
    name = f"**`default`** ({SEEDS} seeds)"
    rows.append((name, drawn(log, named_policy("default", shared=False), feedback)))
    return rows


def check(log: wz.Log, feedback: Feedback) -> None:
    """Refuse to go on if a rule has another total here than in a replay."""
    rivals: list[Policy] = [Router(), Cascade(), TwoModels(1, 0, 0.5), Thompson((0, 1))]
    ours = [named_policy(name, shared=False) for name in ("FTRL", "no-context", "one-shot")]
    policies = [named_policy("default", shared=False), *ours, *rivals]
    found = wz.replay(log, policies, feedback=feedback)
    for name, policy in zip([found.main, *found.others], policies, strict=True):
        assert (found.of(name) == play(log, policy, feedback).totals).all(), (name, feedback)


def grades_table(
    log: wz.Log, feedback: Feedback, scale: float, sharpness: float | None
) -> list[Row]:
    """Play the rules that matter, with costs multiplied, under a judge that may not be sure."""
    seen = None if sharpness is None else graded(log.values, sharpness)
    values = log.values if seen is None else seen
    best = best_cascade(scale * log.costs, values, log.values, UNTILS, longest=3)
    chain = tuple(map(log.boxes.index, HAND))
    policies: list[tuple[str, Policy]] = [
        ("best single", fixed_single(log, scale)),
        ("router", Router()),
        *((f"cascade {u:g}", Cascade(models=chain, until=u)) for u in (0.5, 0.75, 0.85)),
        ("best cascade", best),
        *((name, named_policy(name, shared=False)) for name in ("no-context", "FTRL", "default")),
    ]
    given: dict[str, Any] = {"scale": scale, "seen": seen}
    return [(name, play(log, policy, feedback, **given)) for name, policy in policies]


def shown(rows: list[Row]) -> str:
    """Return rows as a table, differences to the last one."""
    errors = errors_of([course for _, course in rows], rows[-1][1])
    lines = [
        "| rule | $ per 1,000 | share right | models asked | more than `default` |",
        "|---|---|---|---|---|",
    ]
    for (name, course), (total, right, apart) in zip(rows, errors.T, strict=True):
        more = course.mean - rows[-1][1].mean
        last = "" if course is rows[-1][1] else f"{more:+.2f} ± {apart:.2f}"
        lines.append(
            f"| {name} | {course.mean:.2f} ± {total:.2f} | {course.right.mean():.3f} ± {right:.3f}"
            f" | {course.asked.mean():.2f} | {last} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("calls", type=Path)
    parser.add_argument("--only", choices=("main", "grades", "telling"))
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    log = wz.read_log(given.calls, least=0.0)
    begin = time.process_time()
    kept: dict[str, dict[str, list[float]]] = {}
    feedbacks: tuple[Feedback, ...] = ("full", "opened")
    for feedback in feedbacks:
        if given.only in (None, "main"):
            check(log, feedback)
            rows = main_table(log, feedback)
            print(
                f"\n## {feedback}: every total as in a replay, to the bit\n\n{shown(rows)}",
                flush=True,
            )
            kept[feedback] = {name: [c.mean, float(c.right.mean())] for name, c in rows}
        cases = [(log, "", 1.0, each) for each in GRADES]
        if feedback == "full":
            cases = [(log, "", scale, each) for scale in (0.25, 1.0, 4.0) for each in GRADES]
        if given.only in ("main", "telling"):
            cases = []
        if given.only in (None, "telling") and feedback == "full":
            cases += [(telling(log), "telling ", 1.0, each) for each in GRADES]
        for asked, kind, scale, sharpness in cases:
            rows = grades_table(asked, feedback, scale, sharpness)
            errors = errors_of([c for _, c in rows], rows[-1][1])
            cells = " | ".join(
                f"{n} {c.mean:.2f} ({e:.2f}, {a:.2f}; {c.right.mean():.2f})"
                for (n, c), e, a in zip(rows, errors[0], errors[2], strict=True)
            )
            print(f"{kind}{feedback} × {scale:g} sharpness {sharpness}: {cells}", flush=True)
            kept[f"{kind}{feedback} {scale} {sharpness}"] = {
                n: [c.mean, e, a] for (n, c), e, a in zip(rows, errors[0], errors[2], strict=True)
            }
    print(f"\n{time.process_time() - begin:.0f} s of one core")
    if given.json:
        given.json.write_text(json.dumps(kept, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
