# X is scikit-learn's name for the contexts
# ruff: noqa: N803
"""Reservation values as a scikit-learn regressor.

For rows of contexts x_i, values v_i and costs c_i, the coefficients w minimise

    Σ_i γ^{N−i} H_{c_i}(w·x_i + b − v_i) + ρ/2 (‖w‖² + b²/K²)   over   ‖w‖² + b²/K² ≤ M²,

with the linear-quadratic loss H of :mod:`weitzman.learn.loss`; σ = w·x + b. It is the problem of
:mod:`weitzman.learn.learners.ftrl` with one w for all rows and a constant feature K, and the same solver:
``fit`` hands over all rows and settles once, ``partial_fit`` goes on from there.

**Intercept.** A row below its value pulls up by its cost only, so N rows lift b to at most
Σ c_i K²/ρ. With K = 1 as in online learning, where a small σ is a wish to look, 200 rows of cost 1
could not reach values of 1000 at the usual ρ. K = 1024 leaves b free, as is the custom here.

**Score.** The least of H_c(z) over z is −c²/2, at z = c: the σ of a value that is known. The excess
over it, H_c(z) + c²/2 ≥ 0, is the deviance, and the score is the share of it that the context
explains,

    D² = 1 − Σ dev(σ(x_i) − v_i) / Σ dev(s − v_i),   s the reservation value of the v_i at the mean cost,

1 if every σ is v + c, 0 for the best constant s, negative for worse. R² would ask for the mean.
"""

from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.learn.learners.compiled_bank import CompiledBank
from weitzman.learn.learners.ftrl import FTRL
from weitzman.learn.loss import loss
from weitzman.search.laws.discrete import Empirical
from weitzman.search.reservation import reservation_value

# K, a power of two so that multiplying by it is exact
_LARGE = 1024.0


class ReservationValueRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Linear reservation values, as a scikit-learn regressor.

    Parameters
    ----------
    cost
        c, for rows that come without their own.
    eta
        η = 1/ρ, a number or ``"auto"``: ρ is a quarter of the mean of 1 + ‖x‖² over the rows of
        ``fit``, or of the first ``partial_fit``.
    fit_intercept
        Whether a constant is learned too.
    radius
        M, the radius of the ball that the coefficients stay in; no ball if None.
    forget
        γ, the discount per row; the last row counts fully.
    window
        How many of the last rows are remembered; all if None.

    Attributes
    ----------
    coef_, intercept_
        w, and the constant: 0.0 if there is none.
    n_features_in_, feature_names_in_
        The number of features, and their names if the first X has them.

    Notes
    -----
    Smaller values are better; where larger ones are, fit −y and turn the sign of the prediction.

    Features are taken as they are, since rows that come later must not change the meaning of those
    learned. One η holds all coefficients, so put a ``StandardScaler`` before it unless the features
    have similar sizes.

    All rows are kept, in pickles too, for an exact ``partial_fit``; ``window`` bounds them. The
    regret bound of the paper is one for predictions made round by round, and says nothing about
    ``fit``.

    Examples
    --------
    >>> X, y = [[0.0], [0.0], [1.0], [1.0]], [1.0, 3.0, 4.0, 6.0]
    >>> model = ReservationValueRegressor(cost=1.0, eta=1e6).fit(X, y)
    >>> model.predict([[0.0], [1.0]]).round(3)
    array([3., 6.])
    """

    coef_: Floats
    intercept_: float
    n_features_in_: int
    _learner: FTRL
    _bank: CompiledBank
    _constant: float

    def __init__(
        self,
        *,
        cost: float = 1.0,
        eta: Any = "auto",
        fit_intercept: bool = True,
        radius: float | None = None,
        forget: float = 1.0,
        window: int | None = None,
    ) -> None:
        self.cost = cost
        self.eta = eta
        self.fit_intercept = fit_intercept
        self.radius = radius
        self.forget = forget
        self.window = window

    def fit(self, X: ArrayLike, y: ArrayLike, cost: ArrayLike | None = None) -> Self:
        """Learn from these rows alone; ``cost`` is one number or one per row."""
        return self._learn(X, y, cost, afresh=True)

    def partial_fit(self, X: ArrayLike, y: ArrayLike, cost: ArrayLike | None = None) -> Self:
        """Learn from further rows; all parameters but the cost are those of the first call."""
        return self._learn(X, y, cost, afresh=not hasattr(self, "_bank"))

    def _learn(self, X: ArrayLike, y: ArrayLike, cost: ArrayLike | None, *, afresh: bool) -> Self:
        rows, values = validate_data(self, X, y, reset=afresh, dtype=np.float64, y_numeric=True)
        count, features = rows.shape
        costs = self._costs(cost, count)
        # Parameters may be set to something else while the bank goes on: it keeps its own
        learner = self._new_learner(rows) if afresh else self._learner
        bank = learner.start(boxes=1, dimension=features + 1) if afresh else self._bank
        constant = _LARGE * self.fit_intercept if afresh else self._constant
        # Copies, since an array that cannot be written to would compile the solver once more
        contexts = np.column_stack([rows, np.full(count, constant)])
        bank.update(np.zeros(count, dtype=np.int64), contexts, np.array(values), costs)
        self._learner, self._bank, self._constant = learner, bank, constant
        (weights,) = cast("Floats", bank.weights())
        self.coef_ = weights[:-1]
        self.intercept_ = float(constant * weights[-1])
        return self

    def _new_learner(self, rows: Floats) -> FTRL:
        eta = self.eta
        if eta == "theorem":
            raise InvalidInputError("eta", "be a finite number > 0 or 'auto'", eta)
        if eta == "auto":
            eta = 4.0 / (1.0 + float(np.mean(np.einsum("ij,ij->i", rows, rows))))
        return FTRL(
            eta=eta, radius=self.radius, forget=self.forget, window=self.window, shared=True
        )

    def _costs(self, cost: ArrayLike | None, count: int) -> Floats:
        given = np.array(self.cost if cost is None else cost, dtype=np.float64)
        if given.shape not in {(), (count,)}:
            rule = f"be one number or have the shape ({count},)"
            raise InvalidInputError("cost", rule, given.shape)
        return np.full(count, given) if given.ndim == 0 else given

    def predict(self, X: ArrayLike) -> Floats:
        """Return one reservation value per row."""
        check_is_fitted(self)
        rows: Floats = validate_data(self, X, reset=False, dtype=np.float64)
        return np.asarray(rows @ self.coef_ + self.intercept_)

    def score(self, X: ArrayLike, y: ArrayLike, cost: ArrayLike | None = None) -> float:
        """Return D², the explained share of the deviance of the linear-quadratic loss."""
        values = np.asarray(y, dtype=np.float64)
        costs = self._costs(cost, len(values))
        constant = reservation_value(Empirical(values), costs.mean())
        least = -np.sum(costs**2) / 2.0
        left = np.sum(loss(self.predict(X) - values, costs)) - least
        whole = np.sum(loss(constant - values, costs)) - least
        if whole > 0.0:
            return float(1.0 - left / whole)
        return 1.0 if left <= 0.0 else 0.0

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_bank" in state:
            state["_bank"] = state["_bank"].state()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "_bank" in state:
            self._bank = self._learner.start(boxes=1, dimension=self.n_features_in_ + 1)
            self._bank.restore(state["_bank"])
