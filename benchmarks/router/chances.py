"""The chance that each model is right, by logistic regressions on what is known of a question.

One regression a model, with a ridge penalty on the slopes of standardised features and next to none on the
level. The strength is one for all models: of STRENGTHS the one with the least log-loss on the last fifth of
the rounds, fitted to those before. Fitted again whenever the past has grown by a fifth.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STRENGTHS = (3.0, 30.0, 300.0, 3000.0)
FIRST = 20
GROWTH = 1.2
_LEVEL = 0.5  # about half an imagined look at each outcome: a chance is never 0 or 1
_STEPS = 12


def fitted(contexts: Floats, right: Floats, strength: float) -> Floats:
    """Return level and slopes by Newton's method, (1 + d,); steps are halved until they help."""
    design = np.column_stack([np.ones(len(contexts)), contexts])
    penalty = np.full(design.shape[1], strength)
    penalty[0] = _LEVEL

    def loss(at: Floats) -> float:
        logits = design @ at
        return float((np.logaddexp(0.0, logits) - right * logits).sum() + 0.5 * penalty @ at**2)

    weights = np.zeros(design.shape[1])
    now = loss(weights)
    for _ in range(_STEPS):
        chances = 1.0 / (1.0 + np.exp(-design @ weights))
        slope = design.T @ (chances - right) + penalty * weights
        curved = (design * (chances * (1.0 - chances))[:, None]).T @ design + np.diag(penalty)
        step, size = np.linalg.solve(curved, slope), 1.0
        while (then := loss(weights - size * step)) > now and size > 1e-4:
            size /= 2.0
        weights, before, now = weights - size * step, now, then
        if before - now < 1e-6 * max(1.0, before):
            break
    return weights


class Chances:
    """The regressions of all models, and the past that they are fitted to."""

    def __init__(self, models: int) -> None:
        self._models = models
        self._contexts: list[Floats] = []
        self._right: list[Floats] = []
        self._weights: list[Floats | None] = [None] * models
        self._centre = self._spread = np.empty(0)
        self._next = FIRST

    def learn(self, context: Floats, right: Floats) -> None:
        """Take in who was right, NaN for who was not asked."""
        self._contexts.append(np.array(context))
        self._right.append(right)
        if len(self._right) >= self._next:
            self._next = int(np.ceil(GROWTH * len(self._right)))
            self._fit()

    def predict(self, context: Floats) -> Floats:
        """Return the chance of each model; NaN for one that was never fitted."""
        found = np.full(self._models, np.nan)
        for model, weights in enumerate(self._weights):
            if weights is not None:
                z = (context - self._centre) / self._spread
                found[model] = 1.0 / (1.0 + np.exp(-(weights[0] + weights[1:] @ z)))
        return found

    def _fit(self) -> None:
        contexts, right = np.array(self._contexts), np.array(self._right)
        self._centre, self._spread = contexts.mean(axis=0), contexts.std(axis=0)
        self._spread[self._spread == 0.0] = 1.0
        z = (contexts - self._centre) / self._spread
        split = len(z) - len(z) // 5
        losses = [self._loss(z, right, split, strength) for strength in STRENGTHS]
        best = STRENGTHS[int(np.argmin(losses))]
        for model in range(self._models):
            known = ~np.isnan(right[:, model])
            if known.any():
                self._weights[model] = fitted(z[known], right[known, model], best)

    def _loss(self, z: Floats, right: Floats, split: int, strength: float) -> float:
        """Return the log-loss of the later rounds under what is fitted to the earlier ones."""
        total = 0.0
        for model in range(self._models):
            known: Any = ~np.isnan(right[:, model])
            early, late = known.copy(), known.copy()
            early[split:], late[:split] = False, False
            if early.any() and late.any():
                weights = fitted(z[early], right[early, model], strength)
                logits = weights[0] + z[late] @ weights[1:]
                total += float((np.logaddexp(0.0, logits) - right[late, model] * logits).sum())
        return total
