"""Whether another trial is worth its cost: index, rule, surface and configurations, without any tool."""

from collections.abc import Callable
from math import exp, log, pi, sqrt
from typing import Any

import numpy as np
import pytest
import scipy.stats
from scipy.integrate import quad
from scipy.optimize import approx_fprime, brentq
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Matern

from weitzman.errors import InvalidInputError
from weitzman.integrations.tuning.attempts import Attempt, Choice, Numeric, Parameter, values_of
from weitzman.integrations.tuning.chart import outlook_chart
from weitzman.integrations.tuning.space import Space
from weitzman.integrations.tuning.surface import (
    Surface,
    _against_prior,
    fit_parameters,
    fit_surface,
    thinned,
)
from weitzman.integrations.tuning.worth import Configurations, Outlook, Outlooks, index

X = Numeric(0.0, 1.0)
MOST = 400
Z = 4.753  # a false alarm in a million


def attempt(x: float, value: float | None, cost: float | None = 1.0) -> Attempt:
    return Attempt(parameters={"x": X}, settings={"x": x}, value=value, cost=cost)


def surface_through(x: np.ndarray, values: np.ndarray) -> Surface:
    """Return the posterior of a process whose law is known: Matérn of length 0.2 and variance 1."""
    kernel = Matern(0.2, nu=2.5)
    process = GaussianProcessRegressor(kernel, optimizer=None, alpha=1e-10).fit(x, values)
    return Surface(process, 0.0, 1.0, 0.0)


def test_the_index_of_a_curve_is_the_root_of_the_expected_improvement_by_quadrature() -> None:
    """1,001 points of a posterior, with a cost that changes along them."""
    x = np.linspace(0.0, 1.0, 1001)
    rng = np.random.default_rng(3)
    seen = rng.random((7, 1))
    mean, spread = surface_through(seen, rng.normal(size=7)).at(x[:, None])
    spread = np.maximum(spread, 1e-3)
    price = 0.05 * np.exp(2.0 * x)
    found = index(mean, spread, price)

    def improvement(g: float, m: float, s: float) -> float:
        def part(t: float) -> float:
            return (g - m - s * t) * exp(-0.5 * t * t) / sqrt(2.0 * pi)

        top = (g - m) / s
        low = min(-9.0, top - 1.0)
        return float(quad(part, low, min(top, 9.0), epsabs=1e-13, epsrel=1e-11)[0])

    for m, s, c, g in zip(mean, spread, price, found, strict=True):
        root = brentq(
            lambda at, m=m, s=s, c=c: improvement(at, m, s) - c, m - 8.0 * s, m + 8.0 * s + c,
            xtol=1e-13, rtol=1e-13,
        )  # fmt: skip
        assert g == pytest.approx(root, abs=1e-9 + 1e-9 * abs(root))


def test_a_cutoff_below_the_best_value_says_what_improvement_for_the_cost_says() -> None:
    rng = np.random.default_rng(5)
    mean, spread = rng.normal(size=5000), rng.exponential(size=5000) + 1e-6
    price, best = rng.exponential(0.2, size=5000), rng.normal(size=5000)
    z = (best - mean) / spread
    gain = spread * (z * scipy.stats.norm.cdf(z) + scipy.stats.norm.pdf(z))
    assert ((index(mean, spread, price) < best) == (gain > price)).all()


GRID = np.linspace(0.0, 1.0, 60)[:, None]


def play(rng: np.random.Generator, price: float, most: int) -> tuple[list[float], int]:
    """Return the totals of stopping after each trial on one draw of a process, and where the rule stops."""
    spread = np.linalg.cholesky(Matern(0.2, nu=2.5)(GRID) + 1e-9 * np.eye(len(GRID)))
    truth = spread @ rng.normal(size=len(GRID))
    costs = 0.5 + GRID[:, 0]
    space = Space([attempt(float(x), 0.0) for x in GRID[:, 0]])
    logs = Surface(_Known(np.log(costs)), 0.0, 1.0, 0.0)
    tried, paid, totals, stop = [int(rng.integers(60))], 0.0, [], most
    for n in range(1, most + 1):
        paid += price * costs[tried[-1]]
        best = float(truth[tried].min())
        totals.append(best + paid)
        surface = surface_through(GRID[tried], truth[tried])
        configurations = Configurations(space, surface, logs, price, None, False)
        cutoffs, gains, expected = configurations.weigh(space.points, best)
        assert expected == pytest.approx(costs)
        cutoffs[tried] = np.inf
        if cutoffs.min() >= best:
            assert (gains <= price * costs + 1e-9)[np.isfinite(cutoffs)].all()
            stop = min(stop, n)
        tried.append(int(cutoffs.argmin()))
    return totals, stop


class _Known:
    """Costs that are known: a process without a spread."""

    def __init__(self, logs: np.ndarray) -> None:
        self.logs = logs

    def predict(self, columns: np.ndarray, *, return_std: bool) -> tuple[np.ndarray, np.ndarray]:
        assert return_std
        return np.interp(columns[:, 0], GRID[:, 0], self.logs), np.zeros(len(columns))


@pytest.mark.parametrize("price", [0.03, 0.15])
def test_stopping_by_the_rule_is_on_average_no_worse_than_stopping_at_once(price: float) -> None:
    """The theorem, on 150 draws of a process; the control shows that the test can fail."""
    rng = np.random.default_rng(11)
    played = [play(rng, price, 25) for _ in range(150)]
    stops = np.array([stop for _, stop in played])
    totals = np.array([total for total, _ in played])
    gain = totals[np.arange(150), stops - 1] - totals[:, 0]
    assert gain.mean() <= Z * gain.std(ddof=1) / sqrt(150.0)
    # ... nor worse than at any fixed time, as far as the draws can say
    at_stop = totals[np.arange(150), stops - 1]
    over = at_stop[:, None] - totals
    assert (over.mean(axis=0) <= Z * over.std(axis=0, ddof=1) / sqrt(150.0)).all()
    control = totals[:, -1] - at_stop
    assert control.mean() > Z * control.std(ddof=1) / sqrt(150.0)
    assert stops.max() < 25


def drawn(rng: np.random.Generator, dimension: int) -> Callable[[np.ndarray], float]:
    """Return a draw of a process, Matérn(5/2) of length 0.4 and variance 1, by 400 random waves."""
    # Its spectrum is a t law with 5 degrees of freedom
    spread = np.sqrt(5.0 / rng.chisquare(5.0, size=400))
    waves = rng.normal(size=(400, dimension)) * spread[:, None] / 0.4
    turns, sizes = rng.uniform(0.0, 2.0 * pi, 400), rng.normal(size=400) * sqrt(2.0 / 400.0)
    return lambda x: float(sizes @ np.cos(waves @ x + turns))


@pytest.mark.slow
@pytest.mark.parametrize("price", [0.002, 0.02, 0.1])
@pytest.mark.parametrize("dimension", [1, 2, 4])
def test_every_study_of_a_draw_of_a_process_stops(
    figure: Callable[[str], None], dimension: int, price: float
) -> None:
    """Trials at random, and a surface that is fitted to them: nothing of the process is said.

    While a study goes on, its last ten trials promised more than they cost. What all trials gain is no more
    than what the first ten leave to be gained, so that a study of right beliefs ends on average after no more
    than 20 trials and that gain over the price of one.
    """
    rng, names = np.random.default_rng(dimension), [f"x{k}" for k in range(dimension)]
    counts, left, gains = list[int](), list[float](), list[float]()
    for _ in range(8):
        value, outlooks = drawn(rng, dimension), Outlooks(price=price, constant=1.0)
        attempts: list[Attempt] = []
        outlook = None
        while len(attempts) < MOST and not (outlook is not None and outlook.stops):
            x = rng.random(dimension)
            attempts.append(
                Attempt(
                    parameters=dict.fromkeys(names, X),
                    settings=dict(zip(names, x.tolist(), strict=True)),
                    value=value(x),
                    cost=1.0,
                )
            )
            outlook = outlooks.after(attempts)
        counts.append(len(attempts))
        found = np.array([a.value for a in attempts], dtype=np.float64)
        more = np.array([value(x) for x in rng.random((4000, dimension))])
        left.append(found[:10].min() - more.min())
        gains.append(np.maximum(found.min() - more, 0.0).mean())
    bound = 20.0 + float(np.mean(left)) / price
    figure(
        f"{dimension} parameters, a trial costs {price}: stops after {np.mean(counts):.0f} trials "
        f"on average, {max(counts)} at most; the bound is {bound:.0f}; another one would gain "
        f"{np.mean(gains):.4f}"
    )
    assert max(counts) < MOST
    assert np.mean(counts) <= bound


def test_a_surface_is_the_posterior_of_its_kernel() -> None:
    rng = np.random.default_rng(2)
    columns, values = rng.random((12, 2)), 5.0 + 3.0 * rng.normal(size=12)
    theta = np.array([0.3, -0.5, 0.4, -3.0])
    surface = fit_surface(columns, values, theta)
    new = rng.random((5, 2))
    a2, nugget = np.exp(theta[0]), np.exp(theta[-1])

    def kernel(p: np.ndarray, q: np.ndarray) -> np.ndarray:
        r = sqrt(5.0) * np.linalg.norm((p[:, None] - q[None]) / np.exp(theta[1:3]), axis=2)
        return np.asarray(a2 * (1.0 + r + r * r / 3.0) * np.exp(-r))

    standard = (values - values.mean()) / values.std()
    inner = np.linalg.inv(kernel(columns, columns) + nugget * np.eye(12))
    cross = kernel(new, columns)
    mean = values.mean() + values.std() * (cross @ inner @ standard)
    spread = values.std() * np.sqrt(a2 + nugget - np.einsum("ij,jk,ik->i", cross, inner, cross))
    got = surface.at(new)
    assert got[0] == pytest.approx(mean, rel=1e-6)
    assert got[1] == pytest.approx(spread, rel=1e-6)
    assert surface.nugget == pytest.approx(nugget * values.var())


def test_the_slope_of_the_prior_is_its_slope() -> None:
    theta = np.array([0.3, -0.5, 1.4, -3.0])
    middle = sqrt(2.0) + 0.5 * log(2.0)

    def density(at: Any) -> float:
        return _against_prior(at, middle)[0]

    slope = approx_fprime(theta, density, 1e-7)
    assert _against_prior(theta, middle)[1] == pytest.approx(slope, abs=1e-5)


def test_parameters_tell_columns_that_matter_from_those_that_do_not() -> None:
    rng = np.random.default_rng(4)
    columns = rng.random((60, 2))
    theta = fit_parameters(columns, np.sin(9.0 * columns[:, 0]))
    assert theta[1] + 1.0 < theta[2]
    assert theta[-1] < -5.0


def test_many_points_are_thinned_to_the_best_and_the_latest() -> None:
    values = np.random.default_rng(1).normal(size=1000)
    columns, kept = thinned(np.arange(1000.0)[:, None], values)
    assert len(kept) == 300
    assert set(np.sort(values)[:100]) <= set(kept)
    assert set(range(850, 1000)) <= set(columns[:, 0])


def test_values_end_at_a_ceiling_that_hides_no_improvement() -> None:
    values = [1.0, 2.0, 3.0, 4.0, 1e6, np.inf]
    attempts = [attempt(0.1, v) for v in values] + [attempt(0.2, None)]
    seen = values_of(attempts)
    assert seen.tolist() == [1.0, 2.0, 3.0, 3.0, 3.0, 3.0, 3.0]
    for best in (1.0, 0.5, -2.0):  # no improvement on the best or on anything below it changes
        assert (
            np.maximum(best - seen[:5], 0.0) == np.maximum(best - np.array(values[:5]), 0.0)
        ).all()
    pruned = Attempt(parameters={"x": X}, settings={"x": 0.3}, value=0.5, cost=1.0, pruned=True)
    assert values_of([*attempts, pruned])[-1] == 3.0
    ties = [attempt(0.1, v) for v in (1.0, 1.0, 1.0, 4.0)]
    assert values_of(ties).tolist() == [1.0, 1.0, 1.0, 4.0]


def conditional(rng: np.random.Generator) -> Attempt:
    """Return an attempt with layers: their number says which units there are."""
    layers = int(rng.integers(1, 4))
    parameters: dict[str, Parameter] = {"layers": Numeric(1.0, 3.0, step=1.0), "kind": Choice(3)}
    kind = int(rng.integers(3))
    settings: dict[str, float] = {"layers": float(layers), "kind": float(kind)}
    for k in range(layers):
        parameters[f"units {k}"] = Numeric(4.0, 64.0, log=True, step=1.0)
        settings[f"units {k}"] = float(rng.integers(4, 65))
    if kind == 2:
        parameters["rate"] = Numeric(1e-4, 1.0, log=True)
        settings["rate"] = float(np.exp(rng.uniform(np.log(1e-4), 0.0)))
    value = float(rng.normal())
    return Attempt(parameters=parameters, settings=settings, value=value, cost=1.0)


def check_conditional(settings: dict[str, float]) -> None:
    layers = settings["layers"]
    assert layers in (1.0, 2.0, 3.0)
    names = {"layers", "kind"} | {f"units {k}" for k in range(int(layers))}
    assert set(settings) == names | ({"rate"} if settings["kind"] == 2.0 else set())
    for k in range(int(layers)):
        units = settings[f"units {k}"]
        assert units == round(units)
        assert 4.0 <= units <= 64.0
    assert 1e-4 <= settings.get("rate", 0.5) <= 1.0 + 1e-12


def test_configurations_of_a_conditional_space_can_be_tried() -> None:
    rng = np.random.default_rng(8)
    attempts = [conditional(rng) for _ in range(60)]
    space = Space(attempts)
    assert len(space.branches) == 6
    found = set()
    for branch in space.branches:
        points = space.spread(branch, rng.random((200, len(branch.names))))
        for again in (points, space.near(points, 0.3, rng)):
            for point in again:
                settings = space.settings(point)
                check_conditional(settings)
                found.add((settings["layers"], settings["kind"]))
    assert len(found) == 9
    # A point of a trial is the trial
    for point, one in zip(space.points, attempts, strict=True):
        assert space.settings(point) == pytest.approx(one.settings)


def test_a_plain_space_is_covered_by_quasi_random_points() -> None:
    parameters: dict[str, Parameter] = {"c": Choice(4), "n": Numeric(1.0, 8.0, step=1.0), "x": X}
    one = Attempt(parameters=parameters, settings={"c": 0, "n": 1, "x": 0.2}, value=0.0, cost=1.0)
    space = Space([one])
    (branch,) = space.branches
    units = scipy.stats.qmc.Sobol(3, rng=1).random(256)
    all_found = [space.settings(point) for point in space.spread(branch, units)]
    assert {(s["c"], s["n"]) for s in all_found} == {(c, n) for c in range(4) for n in range(1, 9)}
    assert np.histogram([s["x"] for s in all_found], 16, (0.0, 1.0))[0].tolist() == [16] * 16


def test_ranges_that_change_between_trials_are_joined() -> None:
    early = Attempt(parameters={"x": Numeric(0, 1)}, settings={"x": 1.0}, value=0.0, cost=1.0)
    later = Attempt(parameters={"x": Numeric(1, 5)}, settings={"x": 3.0}, value=0.0, cost=1.0)
    assert Space([early, later]).points[:, 0].tolist() == [0.2, 0.6]


def test_the_search_for_a_configuration_finds_what_a_fine_grid_finds() -> None:
    rng = np.random.default_rng(6)
    for _ in range(5):
        x = rng.random(12)
        attempts = [attempt(float(at), float(np.sin(7.0 * at) + at)) for at in x]
        values, space = values_of(attempts), Space(attempts)
        columns = space.columns(space.points)
        surface = fit_surface(columns, values, fit_parameters(columns, values))
        configurations = Configurations(space, surface, None, 1.0, 0.01, False)
        point = configurations.find(float(values.min()), values)
        assert point is not None
        best = configurations.weigh(point[None], float(values.min()))[0][0]
        grid = configurations.weigh(np.linspace(0.0, 1.0, 5001)[:, None], float(values.min()))[
            0
        ].min()
        assert best <= grid + 1e-3 * values.std()


def test_costs_that_grow_with_a_parameter_are_foreseen() -> None:
    rng = np.random.default_rng(9)
    attempts = []
    for x in rng.random(40):
        cost = float(np.exp(3.0 * x + 0.1 * rng.normal()))
        attempts.append(attempt(float(x), float((x - 0.9) ** 2), cost))
    outlook = Outlooks(price=1e-9).after(attempts)
    assert outlook is not None
    expected = np.exp(3.0 * outlook.settings["x"] + 0.005)
    assert outlook.cost == pytest.approx(expected, rel=0.15)


def test_the_same_trials_give_the_same_bits_whoever_asked_before() -> None:
    rng = np.random.default_rng(10)
    attempts = [conditional(rng) for _ in range(30)]
    once, asked = Outlooks(price=0.1), Outlooks(price=0.1)
    for n in (12, 19, 25):
        asked.after(attempts[:n])
    assert once.after(attempts) == asked.after(attempts)


def test_few_trials_have_no_outlook_and_tried_out_spaces_nothing_ahead() -> None:
    outlooks = Outlooks(price=1e-6, least=4)
    steps = Numeric(0.0, 4.0, step=1.0)
    attempts = [
        Attempt(parameters={"n": steps}, settings={"n": float(n)}, value=float(n % 3), cost=1.0)
        for n in range(5)
    ]
    assert outlooks.after(attempts[:3]) is None
    ahead = outlooks.after(attempts[:4])
    assert ahead is not None
    assert ahead.settings == {"n": 4.0}
    over = outlooks.after(attempts)
    assert over is not None
    assert over.stops
    assert over.cutoff == np.inf


@pytest.mark.parametrize("value", [1.0, -1e12, 0.0])
def test_values_that_never_differ_promise_nothing(value: float) -> None:
    outlook = Outlooks(price=1e-3).after([attempt(x, value) for x in np.linspace(0.0, 0.9, 12)])
    assert outlook is not None
    assert outlook.stops


def test_noise_counts_as_noise_only_if_it_is_said() -> None:
    """Values of pure noise: the best is luck, and what is believed of all of them is nearly the same."""
    rng = np.random.default_rng(12)
    attempts = [attempt(float(x), float(rng.normal())) for x in rng.random(80)]
    lucky = Outlooks(price=0.1).after(attempts)
    sober = Outlooks(price=0.1, noisy=True).after(attempts)
    assert lucky is not None
    assert sober is not None
    assert lucky.best < -2.0
    assert abs(sober.best) < 0.4
    # Against that mean a new value would promise 0.4 by noise alone
    assert sober.gain < 0.1
    assert sober.stops


def test_a_sampler_that_leaves_the_promising_alone_is_stopped() -> None:
    """It tries the left third only, while values fall towards the right end."""
    rng = np.random.default_rng(13)
    attempts = [attempt(float(x), float((x - 1.0) ** 2)) for x in rng.uniform(0.0, 0.3, size=30)]
    outlook = Outlooks(price=0.03).after(attempts)
    proposing = Outlooks(price=0.03, proposed=True).after(attempts)
    assert outlook is not None
    assert proposing is not None
    assert outlook.settings["x"] > 0.3
    assert (outlook.is_exhausted, outlook.stops) == (False, True)
    assert (proposing.is_exhausted, proposing.stops) == (False, False)
    # Nothing of the last ten trials was promising: no more than they could have gained
    assert outlook.usual_cost == 1.0
    assert outlook.usual_gain < 0.03
    few = Outlooks(price=0.03).after(attempts[:14])
    assert few is not None
    assert np.isnan(few.usual_gain)


def test_what_the_last_trials_promised_is_the_mean_of_their_expected_improvements() -> None:
    rng = np.random.default_rng(14)
    attempts = [attempt(float(x), float(np.sin(8.0 * x)), float(1.0 + x)) for x in rng.random(26)]
    outlooks = Outlooks(price=0.01)
    outlook = outlooks.after(attempts)
    assert outlook is not None
    theta, gains = outlooks._fitted["value"][1], []
    for n in range(16, 26):
        x = np.array([[a.settings["x"]] for a in attempts[: n + 1]])
        values = np.array([a.value for a in attempts[:n]], dtype=np.float64)
        cut = np.minimum(values, np.median(values))
        mean, spread = fit_surface(x[:n], cut, theta).at(x[n:])
        z = (cut.min() - mean) / spread
        gains.append(spread * (z * scipy.stats.norm.cdf(z) + scipy.stats.norm.pdf(z)))
    assert outlook.usual_gain == pytest.approx(float(np.mean(gains)), rel=1e-9)
    assert outlook.usual_cost == pytest.approx(np.mean([a.cost for a in attempts[16:]]))


def test_costs_have_to_be_known() -> None:
    attempts = [attempt(float(x), float(x), None) for x in np.linspace(0.0, 1.0, 12)]
    with pytest.raises(InvalidInputError, match="The cost must be known of at least two"):
        Outlooks(price=1.0).after(attempts)


def test_the_chart_has_the_cutoff_where_the_best_value_is_when_the_study_stops() -> None:
    def outlook(n: int, cutoff: float) -> Outlook:
        return Outlook(trials=n, best=1.0, cutoff=cutoff, gain=0.25, cost=1.0, price=0.1)

    chart = outlook_chart([outlook(10, 0.5), outlook(11, 1.5)], sign=-1.0)
    best, expected, cutoffs = chart.series
    assert best.y.tolist() == [-1.0, -1.0]
    assert (expected.x.tolist(), expected.y.tolist()) == ([11.0, 12.0], [-0.75, -0.75])
    assert cutoffs.y.tolist() == [-0.5, -1.0]
    assert chart.notes == ("stop after 11",)
    with pytest.raises(InvalidInputError, match="finished trials"):
        outlook_chart([], sign=1.0)
