"""An independent solver of the FTRL problem: from scratch, by QR, refined in extended precision."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Extended = NDArray[np.longdouble]


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Σ q (½ (z⁺)² − c z) + ρ/2 ‖w − w₀‖² over ‖w‖ ≤ M, z = w·x − v."""

    contexts: Array
    values: Array
    costs: Array
    weights: Array
    ridge: float
    prior: Array
    radius: float = np.inf

    def objective(self, w: Array) -> float:
        z = self.residuals(w)
        loss = np.maximum(z, 0.0) ** 2 / 2 - self.costs * z
        held = self.ridge * np.sum((w.astype(np.longdouble) - self.prior) ** 2) / 2
        return float(np.sum(self.weights * loss) + held)

    def residuals(self, w: Array) -> Extended:
        x, v = self.contexts.astype(np.longdouble), self.values
        return np.asarray(x @ w.astype(np.longdouble) - v, dtype=np.longdouble)

    def gradient(self, w: Array) -> Extended:
        z = self.residuals(w)
        slopes = self.weights * (np.maximum(z, 0.0) - self.costs)
        held = self.ridge * (w.astype(np.longdouble) - self.prior)
        return np.asarray(slopes @ self.contexts.astype(np.longdouble) + held)

    def spread(self) -> float:
        """A bound on the sum of the sizes of all terms of the objective at its minimiser."""
        return float(np.sum(self.weights * (self.values**2 + self.costs**2)))

    def _newton_step(self, w: Array, gradient: Extended, penalty: float) -> Array:
        on = np.asarray(self.residuals(w) > 0.0)
        rows = self.contexts[on] * np.sqrt(self.weights[on])[:, None]
        root = np.sqrt(self.ridge + penalty) * np.eye(w.size)
        # Columns of length one: the solution does not depend on the units of the features
        stacked = np.vstack([rows, root])
        scales = np.linalg.norm(stacked, axis=0)
        r = np.asarray(np.linalg.qr(stacked / scales, mode="r"), dtype=np.float64)
        right = np.asarray(gradient, dtype=np.float64) / scales
        return np.asarray(-np.linalg.solve(r, np.linalg.solve(r.T, right)) / scales)

    def solve(self, start: Array, penalty: float = 0.0) -> Array:
        """Newton with an exact line search, until the step is nothing."""
        w = start.copy()
        least, idle = np.inf, 0
        for _ in range(100):
            gradient = self.gradient(w) + penalty * w
            step = self._newton_step(w, gradient, penalty)
            size = self._step_size(w, step, penalty)
            w = w + size * step
            decrement = -float(gradient @ step.astype(np.longdouble))
            if decrement <= 1e-32 * self.spread():
                break
            # Steps that gain nothing more: rounding is reached
            idle = idle + 1 if decrement > least / 4 else 0
            least = min(least, decrement)
            if idle == 8:
                break
        return w

    def _step_size(self, w: Array, step: Array, penalty: float) -> float:
        """Where the objective stops to fall on the way, by bisection."""

        def rises(size: float) -> bool:
            at = w + size * step
            return float((self.gradient(at) + penalty * at) @ step.astype(np.longdouble)) > 0.0

        if not rises(1.0):
            return 1.0
        high = 0.5
        while high > 1e-30 and rises(high):
            high /= 2
        low, high = high, 2 * high
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if rises(middle) else (middle, high)
        # A rise by rounding only is at the far end
        return 1.0 if low < 1e-29 else low

    def solve_in_ball(self, start: Array) -> tuple[Array, float]:
        """The minimiser over the ball and its multiplier, by bisection."""
        free = self.solve(start)
        if np.linalg.norm(free) <= self.radius:
            return free, 0.0
        low, high = 0.0, 1.0
        while np.linalg.norm(self.solve(start, high)) > self.radius:
            low, high = high, 4 * high
        while high - low > 1e-15 * high:
            middle = (low + high) / 2
            if not low < middle < high:
                break
            outside = np.linalg.norm(self.solve(start, middle)) > self.radius
            low, high = (middle, high) if outside else (low, middle)
        return self.solve(start, high), high
