"""Optuna: a callback that ends a study when no further trial is worth its cost.

::

    worth = WorthATrial(value_of_a_unit=3600.0)     # a point of the score is worth an hour
    study.optimize(objective, callbacks=[worth])

It goes by finished trials alone (:mod:`weitzman.integrations.tuning.worth`), whoever ran them and whatever
sampler chose them.
"""

import threading
from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from weitzman.errors import InvalidInputError
from weitzman.figures.charts import Chart
from weitzman.integrations.tuning.attempts import Attempt, Choice, Numeric, Parameter
from weitzman.integrations.tuning.chart import outlook_chart
from weitzman.integrations.tuning.stopping import SHORTEST, StoppingRule
from weitzman.integrations.tuning.worth import Outlook
from weitzman.search.extras import need

if TYPE_CHECKING:
    from matplotlib.figure import Figure

optuna: Any = need("The callback needs Optuna", "optuna", "optuna")

_ENDED = (
    optuna.trial.TrialState.COMPLETE,
    optuna.trial.TrialState.PRUNED,
    optuna.trial.TrialState.FAIL,
)


class WorthATrial:
    """Stops a study when no configuration is expected to gain what its trial costs.

    Parameters
    ----------
    value_of_a_unit
        What an improvement of the objective by 1 is worth, in units of the cost: for durations, seconds.
    cost
        What a trial costs: its ``"duration"`` in seconds, the name of a user attribute that every complete
        trial sets, or a number, the same for all.
    least
        How many trials have to be complete before the study may stop.
    noisy
        Whether the same parameters give another value every time. Then a trial counts with the mean that
        is believed of it, not with its luck.
    propose
        Whether the most promising configuration is put into the study's queue and so tried next, whatever the
        sampler. Then the study costs on average no more than one that stops at once, if what is believed
        is right; and a sampler that would never try what is promising cannot keep the study alive.

    The reason is logged by Optuna's logger, and stays in ``study.user_attrs["worth_a_trial"]``.
    """

    def __init__(
        self,
        *,
        value_of_a_unit: float,
        cost: str | float = "duration",
        least: int = 10,
        noisy: bool = False,
        propose: bool = False,
    ) -> None:
        self._rule = StoppingRule(
            value_of_a_unit=value_of_a_unit,
            cost=cost,
            least=least,
            noisy=noisy,
            proposed=propose,
            seconds=("duration",),
        )
        self.propose = propose
        self._lock = threading.Lock()

    def __call__(self, study: Any, trial: Any) -> None:
        """Stop the study if no further trial is worth its cost: Optuna calls this after every trial."""
        outlook = self.outlook(study)
        if outlook is None:
            return
        if outlook.stops:
            reason = self.why(outlook)
            optuna.logging.get_logger("optuna.weitzman").info(reason)
            study.set_user_attr("worth_a_trial", reason)
            study.stop()
        elif self.propose:
            study.enqueue_trial(self.configuration(study, outlook), skip_if_exists=True)

    def configuration(self, study: Any, outlook: Outlook) -> dict[str, Any]:
        """Return the parameters of the configuration that an outlook is about, as the study knows them."""
        known: dict[str, Any] = {}
        for trial in study.get_trials(deepcopy=False, states=_ENDED):
            known.update(trial.distributions)
        return {name: known[name].to_external_repr(at) for name, at in outlook.settings.items()}

    def outlook(self, study: Any) -> Outlook | None:
        """Return what one more trial promises, smaller values better; None while trials are few."""
        attempts = self._attempts(study)
        with self._lock:
            return self._rule.after(attempts)

    def history(self, study: Any) -> list[Outlook]:
        """Return the outlook after every finished trial, in the order in which they ended."""
        attempts = self._attempts(study)
        with self._lock:
            return self._rule.history(attempts)

    def chart(self, study: Any) -> Chart:
        """Return a chart of what was expected of every trial and what came."""
        return outlook_chart(self.history(study), sign=_sign(study))

    def plot(self, study: Any) -> "Figure":
        """Return the chart as a matplotlib figure."""
        from weitzman.figures.chart_matplotlib import draw_chart

        return draw_chart(self.chart(study))

    def why(self, outlook: Outlook) -> str:
        """Return an outlook in one sentence."""
        return self._rule.why(outlook)

    def _attempts(self, study: Any) -> Sequence[Attempt]:
        sign = _sign(study)
        trials = study.get_trials(deepcopy=False, states=_ENDED)
        trials.sort(key=lambda trial: (trial.datetime_complete, trial.number))
        return [self._attempt(trial, sign) for trial in trials]

    def _attempt(self, trial: Any, sign: float) -> Attempt:
        parameters: dict[str, Parameter] = {}
        settings: dict[str, float] = {}
        for name, distribution in trial.distributions.items():
            parameters[name] = _parameter(distribution)
            settings[name] = float(distribution.to_internal_repr(trial.params[name]))
        pruned = trial.state == optuna.trial.TrialState.PRUNED
        value = trial.value
        return Attempt(
            parameters=parameters,
            settings=settings,
            value=None if value is None or isnan(value) else sign * value,
            cost=self._cost(trial),
            pruned=pruned,
        )

    def _cost(self, trial: Any) -> float | None:
        cost = self._rule.cost
        if cost == "duration":
            return None if trial.duration is None else max(trial.duration.total_seconds(), SHORTEST)
        found = trial.user_attrs.get(cost)
        if (
            isinstance(cost, str)
            and found is None
            and trial.state != optuna.trial.TrialState.COMPLETE
        ):
            return None
        return self._rule.cost_of(trial.number, found)


def _sign(study: Any) -> float:
    if len(study.directions) > 1:
        raise InvalidInputError("The study", "have one objective", study.directions)
    return -1.0 if study.direction == optuna.study.StudyDirection.MAXIMIZE else 1.0


def _parameter(distribution: Any) -> Parameter:
    if isinstance(distribution, optuna.distributions.CategoricalDistribution):
        return Choice(len(distribution.choices))
    step = distribution.step
    return Numeric(
        float(distribution.low),
        float(distribution.high),
        distribution.log,
        None if step is None else float(step),
    )
