"""Ax: a global stopping strategy that ends an experiment when no further trial is worth its cost.

::

    OrchestratorOptions(global_stopping_strategy=WorthATrial(value_of_a_unit=3600.0))

It goes by finished trials alone (:mod:`weitzman.integrations.tuning.worth`), whatever generated them.
"""

from collections.abc import Mapping
from math import isnan
from typing import Any

from weitzman.errors import InvalidInputError
from weitzman.integrations.tuning.attempts import Attempt, Choice, Numeric, Parameter
from weitzman.integrations.tuning.stopping import SHORTEST, StoppingRule
from weitzman.integrations.tuning.worth import Outlook
from weitzman.search.extras import need

base: Any = need("The strategy needs Ax", "ax", "ax.global_stopping.strategies.base")
statuses: Any = need("The strategy needs Ax", "ax", "ax.core.trial_status").TrialStatus
kinds: Any = need("The strategy needs Ax", "ax", "ax.core.parameter")
Trial: Any = need("The strategy needs Ax", "ax", "ax.core.trial").Trial


class WorthATrial(base.BaseGlobalStoppingStrategy):  # type: ignore[misc]
    """Stops an experiment when no configuration is expected to gain what its trial costs.

    Parameters
    ----------
    value_of_a_unit
        What an improvement of the objective by 1 is worth, in units of the cost: for durations, seconds.
    cost
        What a trial costs: its ``"duration"`` in seconds, the name of a tracking metric, or a number, the
        same for all.
    min_trials
        How many trials have to be complete before the experiment may stop.
    noisy
        Whether the same parameters give another value every time.
    inactive_when_pending_trials
        Whether it says nothing while trials are running.
    """

    def __init__(
        self,
        *,
        value_of_a_unit: float,
        cost: str | float = "duration",
        min_trials: int = 10,
        noisy: bool = False,
        inactive_when_pending_trials: bool = False,
    ) -> None:
        super().__init__(
            min_trials=min_trials, inactive_when_pending_trials=inactive_when_pending_trials
        )
        self._rule = StoppingRule(
            value_of_a_unit=value_of_a_unit,
            cost=cost,
            least=min_trials,
            noisy=noisy,
            seconds=("duration",),
        )

    def outlook(self, experiment: Any) -> Outlook | None:
        """Return what one more trial promises, smaller values better; None while trials are few."""
        return self._rule.after(self._attempts(experiment))

    def history(self, experiment: Any) -> list[Outlook]:
        """Return the outlook after every finished trial, in the order in which they ended."""
        return self._rule.history(self._attempts(experiment))

    def _should_stop_optimization(self, experiment: Any) -> tuple[bool, str]:
        outlook = self.outlook(experiment)
        if outlook is None:
            return False, "Too few trials are complete."
        return outlook.stops, self._rule.why(outlook)

    def _attempts(self, experiment: Any) -> list[Attempt]:
        metric, sign = _objective(experiment)
        frame = experiment.lookup_data().df
        found: dict[str, dict[int, float]] = {}
        for index, name, mean in zip(
            frame["trial_index"], frame["metric_name"], frame["mean"], strict=True
        ):
            found.setdefault(name, {})[int(index)] = float(mean)
        ended = [trial for trial in experiment.trials.values() if trial.status.is_terminal]
        ended.sort(key=lambda trial: (trial.time_completed is None, trial.time_completed or 0))
        parameters = {
            name: described
            for name, parameter in experiment.search_space.parameters.items()
            if (described := _described(parameter)) is not None
        }
        return [
            self._attempt(trial, parameters, found, metric, sign)
            for trial in ended
            if trial.status not in (statuses.STALE, statuses.ABANDONED)
        ]

    def _attempt(
        self,
        trial: Any,
        parameters: Mapping[str, tuple[Parameter, list[Any]]],
        found: Mapping[str, Mapping[int, float]],
        metric: str,
        sign: float,
    ) -> Attempt:
        if not isinstance(trial, Trial):
            raise InvalidInputError(f"Trial {trial.index}", "have one arm", type(trial).__name__)
        settings = {}
        for name, given in trial.arm.parameters.items():
            if name in parameters:
                parameter, choices = parameters[name]
                is_choice = isinstance(parameter, Choice)
                settings[name] = float(choices.index(given)) if is_choice else float(given)
        value = found.get(metric, {}).get(trial.index)
        return Attempt(
            parameters={name: parameters[name][0] for name in settings},
            settings=settings,
            value=None if value is None or isnan(value) else sign * value,
            cost=self._cost(trial, found),
            pruned=trial.status == statuses.EARLY_STOPPED,
        )

    def _cost(self, trial: Any, found: Mapping[str, Mapping[int, float]]) -> float | None:
        cost = self._rule.cost
        if cost == "duration":
            begin, end = trial.time_run_started, trial.time_completed
            if begin is None or end is None:
                return None
            return max(float((end - begin).total_seconds()), SHORTEST)
        known = found.get(cost, {}).get(trial.index) if isinstance(cost, str) else None
        if isinstance(cost, str) and known is None and trial.status != statuses.COMPLETED:
            return None
        return self._rule.cost_of(trial.index, known)


def _objective(experiment: Any) -> tuple[str, float]:
    """Return the name of the metric, and a sign by which smaller values are better."""
    config = experiment.optimization_config
    if config is None or not config.objective.is_single_objective:
        raise InvalidInputError("The experiment", "have one objective", config)
    if config.all_constraints or experiment.search_space.parameter_constraints:
        rule = "have no constraints: what is promising may break them"
        raise InvalidInputError("The experiment", rule, experiment.name)
    objective = config.objective
    return objective.metric_names[0], 1.0 if objective.minimize else -1.0


def _described(parameter: Any) -> tuple[Parameter, list[Any]] | None:
    """Return a parameter, and the things to choose from; None if it is always the same."""
    if isinstance(parameter, kinds.ChoiceParameter):
        return Choice(len(parameter.values)), list(parameter.values)
    if isinstance(parameter, kinds.RangeParameter):
        step = 1.0 if parameter.parameter_type == kinds.ParameterType.INT else None
        low, high = float(parameter.lower), float(parameter.upper)
        return Numeric(low, high, parameter.log_scale, step), []
    return None
