"""What drawing by the rule saves over the best fixed number of answers, on simulated questions.

``python benchmarks/bench_best_of_n.py`` (two minutes). Models are those of ``weitzman example llm``: right
with chance 1/(1 + exp(d − a)), of which the difficulty d = r·z + √(1 − r²)·e has a part z that a question has
for all models; spread s. Amounts are milli-dollars; a wrong answer costs 20.
"""

from itertools import product

import numpy as np

from weitzman.arrays import Floats
from weitzman.integrations.sampling import (
    BestAnswers,
    PastAnswers,
    RightAnswers,
    fit_chances,
    fit_rewards,
)
from weitzman.lab.examples.llm import MODELS, WRONG, chances

QUESTIONS, BEFORE, TRIES, MOST, SEEDS = 500, 300, 6, 40, 4
NAMES = [model.name for model in MODELS]
# 100 words are read and 225 written
COSTS = np.array([(100 * m.reading + 225 * m.writing) / 1000.0 for m in MODELS])


def drawn(rng: np.random.Generator, common: float, spread: float, count: int) -> Floats:
    """Return chances of being right, questions × models."""
    shared, own = rng.normal(size=(count, 1)), rng.normal(size=(count, len(MODELS)))
    difficulty = spread * (np.sqrt(common) * shared + np.sqrt(1.0 - common) * own)
    return np.asarray(chances(difficulty, np.array([m.ability for m in MODELS])))


def right(seed: int, common: float, spread: float) -> dict[str, Floats]:
    """Return the totals of rules on the same questions and answers."""
    rng = np.random.default_rng(seed)
    before = rng.binomial(TRIES, drawn(rng, common, spread, BEFORE))
    beliefs = {
        n: fit_chances(k, np.full(BEFORE, TRIES)) for n, k in zip(NAMES, before.T, strict=True)
    }
    chance = drawn(rng, common, spread, QUESTIONS)
    good = rng.random((QUESTIONS, len(MODELS), MOST)) < chance[:, :, None]
    first = np.where(good.any(axis=2), good.argmax(axis=2), MOST)
    fixed = {}
    for k, n in product(range(len(MODELS)), range(1, MOST + 1)):
        fixed[k, n] = np.where(first[:, k] < n, 0.0, WRONG) + n * COSTS[k]
    # Draws that end with the first right answer, at most n
    ending = {}
    for k, n in product(range(len(MODELS)), range(1, MOST + 1)):
        paid = COSTS[k] * np.minimum(first[:, k] + 1, n)
        ending[k, n] = np.where(first[:, k] < n, 0.0, WRONG) + paid
    answers = RightAnswers(
        costs=dict(zip(NAMES, COSTS.tolist(), strict=True)), wrong_answer=WRONG, beliefs=beliefs
    )
    alike = RightAnswers(
        costs=answers.costs,
        wrong_answer=WRONG,
        before=PastAnswers(
            right=dict(zip(NAMES, before.T, strict=True)),
            answers={name: np.full(BEFORE, TRIES) for name in NAMES},
        ),
    )
    ours = np.array([_play(answers, good[q]) for q in range(QUESTIONS)])
    together = np.array([_play(alike, good[q]) for q in range(QUESTIONS)])
    rows = {"best fixed n, all paid": min(fixed.values(), key=np.mean)}
    rows["one answer of the best model"] = min(
        (fixed[k, 1] for k in range(len(MODELS))), key=np.mean
    )
    rows["best n of one model, until right"] = min(ending.values(), key=np.mean)
    return rows | {"RightAnswers, beliefs": ours, "RightAnswers, before": together}


def _play(answers: RightAnswers, good: Floats) -> float:
    draws, count = answers.search(), dict.fromkeys(NAMES, 0)
    for model in draws:
        at = count[model]
        draws.see(bool(good[NAMES.index(model), min(at, MOST - 1)]))
        count[model] += 1
    return draws.close().total


def best(seed: int, cost: float, between: float) -> dict[str, Floats]:
    """Return best reward minus costs: means of questions N(0, between²), spreads from a gamma law."""
    rng = np.random.default_rng(seed)

    def questions(count: int) -> Floats:
        spread = 1.0 / np.sqrt(rng.gamma(4.0, 0.25, size=(count, 1)))
        return np.asarray(
            between * rng.normal(size=(count, 1)) + spread * rng.normal(size=(count, 200))
        )

    belief = fit_rewards(questions(BEFORE)[:, :TRIES])
    rewards = questions(QUESTIONS)
    top = np.maximum.accumulate(rewards, axis=1)
    fixed = min((cost * n - top[:, n - 1] for n in range(1, 200)), key=np.mean)
    answers = BestAnswers(costs={"m": cost}, beliefs={"m": belief}, most=200)
    ours = []
    for row in rewards:
        draws = answers.search()
        for at, _ in enumerate(draws):
            draws.see(float(row[at]))
        ours.append(-draws.close().total)
    return {"best fixed n": fixed, "BestAnswers": np.array(ours)}


def show(name: str, runs: list[dict[str, Floats]]) -> None:
    """Print means over all questions, and what ours saves over each with a standard error."""
    ours = np.concatenate([list(run.values())[-1] for run in runs])
    for rule in runs[0]:
        other = np.concatenate([run[rule] for run in runs])
        saved = other - ours
        error = saved.std(ddof=1) / np.sqrt(saved.size)
        share = f" ({100 * saved.mean() / abs(other.mean()):.0f} %)"
        said = "" if rule == list(runs[0])[-1] else f"{saved.mean():.3f} ± {error:.3f}{share}"
        print(f"| {name} | {rule} | {other.mean():.3f} | {said} |", flush=True)


def main() -> None:
    """Print both tables."""
    for spread, common in product((1.0, 3.0), (0.0, 0.5, 1.0)):
        runs = [right(seed, common, spread) for seed in range(SEEDS)]
        show(f"s = {spread:g}, r² = {common:g}", runs)
    for cost, between in product((0.1, 0.02), (0.0, 1.0)):
        show(f"c = {cost:g}, between {between:g}", [best(s, cost, between) for s in range(SEEDS)])


if __name__ == "__main__":
    main()
