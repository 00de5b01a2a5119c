"""Ray Tune: a stopper that ends an experiment when no further trial is worth its cost.

::

    worth = WorthATrial(space, metric="loss", mode="min", value_of_a_unit=3600.0)
    RunConfig(stop=worth, callbacks=[worth])

It goes by the trials that have ended (:mod:`weitzman.integrations.tuning.worth`), whatever chose them.
"""

import logging
from collections.abc import Mapping
from math import isnan
from typing import Any

from weitzman.errors import InvalidInputError
from weitzman.integrations.tuning.attempts import Attempt, Choice, Numeric, Parameter
from weitzman.integrations.tuning.stopping import SHORTEST, StoppingRule
from weitzman.integrations.tuning.worth import Outlook
from weitzman.search.extras import need

tune: Any = need("The stopper needs Ray Tune", "ray", "ray.tune")
sample: Any = need("The stopper needs Ray Tune", "ray", "ray.tune.search.sample")

_SECONDS = "time_total_s"


class WorthATrial(tune.Stopper, tune.Callback):  # type: ignore[misc]
    """Stops an experiment when no configuration is expected to gain what its trial costs.

    It is given twice, as ``stop=`` and as one of ``callbacks=``: a stopper alone is not told which trials
    have ended. One that a scheduler ended counts with its last value.

    Parameters
    ----------
    space
        The ``param_space`` of the tuner, or what the search algorithm was given.
    metric, mode
        What is reported, and whether it is to be small, ``"min"``, or large, ``"max"``.
    value_of_a_unit
        What an improvement of the metric by 1 is worth, in units of the cost: by default, seconds.
    cost
        What a trial costs: the name of a number that it reports, or a number, the same for all.
    least
        How many trials have to be complete before the experiment may stop.
    noisy
        Whether the same configuration gives another value every time.

    Attributes
    ----------
    outlook
        What one more trial promises, smaller values better; None while trials are few.
    reason
        Why the experiment has stopped; None if it has not.
    """

    def __init__(
        self,
        space: Mapping[str, Any],
        *,
        metric: str,
        mode: str,
        value_of_a_unit: float,
        cost: str | float = _SECONDS,
        least: int = 10,
        noisy: bool = False,
    ) -> None:
        if mode not in ("min", "max"):
            raise InvalidInputError("The mode", "be 'min' or 'max'", mode)
        self.metric = metric
        self._sign = 1.0 if mode == "min" else -1.0
        self._rule = StoppingRule(
            value_of_a_unit=value_of_a_unit,
            cost=cost,
            least=least,
            noisy=noisy,
            seconds=(_SECONDS,),
        )
        self._space = _described(space)
        self._attempts: list[Attempt] = []
        self.outlook: Outlook | None = None
        self.reason: str | None = None

    def __call__(self, trial_id: str, result: dict[str, Any]) -> bool:
        """Return False: no single trial is stopped."""
        return False

    def stop_all(self) -> bool:
        """Return whether no further trial is worth its cost."""
        return self.reason is not None

    def on_trial_complete(self, iteration: int, trials: Any, trial: Any, **info: Any) -> None:
        """Take in a trial that has ended."""
        value = trial.last_result.get(self.metric)
        if value is None:
            raise InvalidInputError(f"Trial {trial.trial_id}", f"report {self.metric!r}", None)
        self._take(trial, None if isnan(value) else self._sign * float(value))

    def on_trial_error(self, iteration: int, trials: Any, trial: Any, **info: Any) -> None:
        """Take in a trial that has failed."""
        self._take(trial, None)

    def get_state(self) -> dict[str, Any]:
        """Return what has to be kept with an experiment."""
        return {"attempts": self._attempts, "outlook": self.outlook, "reason": self.reason}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on with an experiment that was kept."""
        self._attempts = list(state["attempts"])
        self.outlook, self.reason = state["outlook"], state["reason"]

    def history(self) -> list[Outlook]:
        """Return the outlook after every trial, in the order in which they ended."""
        return self._rule.history(self._attempts)

    def _take(self, trial: Any, value: float | None) -> None:
        if self.reason is not None:
            return  # those that were running when it stopped
        found = trial.last_result.get(self._rule.cost)
        if found is not None and self._rule.cost == _SECONDS:
            found = max(found, SHORTEST)
        is_known = found is not None or not isinstance(self._rule.cost, str)
        settings = _settings(self._space, trial.config)
        attempt = Attempt(
            parameters={name: self._space[name][0] for name in settings},
            settings=settings,
            value=value,
            cost=self._rule.cost_of(trial.trial_id, found)
            if is_known or value is not None
            else None,
        )
        self._attempts.append(attempt)
        self.outlook = self._rule.after(self._attempts)
        if self.outlook is not None and self.outlook.stops:
            self.reason = self._rule.why(self.outlook)
            logging.getLogger("ray.tune.weitzman").info(self.reason)


_Space = dict[str, tuple[Parameter, list[Any]]]
"""Parameters by their path, those of nested ones with a ``/``; with each, the things to choose from."""


def _described(space: Mapping[str, Any], path: str = "") -> _Space:
    found: _Space = {}
    for key, entry in space.items():
        name = f"{path}{key}"
        if isinstance(entry, Mapping) and set(entry) == {"grid_search"}:
            choices = list(entry["grid_search"])
            found[name] = Choice(len(choices)), choices
        elif isinstance(entry, Mapping):
            found |= _described(entry, f"{name}/")
        elif isinstance(entry, sample.Categorical):
            found[name] = Choice(len(entry.categories)), list(entry.categories)
        elif isinstance(entry, sample.Domain):
            found[name] = _numeric(name, entry), []
    return found


def _numeric(name: str, domain: Any) -> Numeric:
    low, high = getattr(domain, "lower", -float("inf")), getattr(domain, "upper", float("inf"))
    if not -float("inf") < low <= high < float("inf"):
        rule = "lie between two numbers or be one of several things"
        raise InvalidInputError(f"The parameter {name!r}", rule, domain)
    sampler, step = domain.get_sampler(), None
    if isinstance(sampler, sample.Quantized):
        sampler, step = sampler.get_sampler(), float(sampler.q)
    elif isinstance(domain, sample.Integer):
        step, high = 1.0, high - 1  # its end is not in it
    return Numeric(float(low), float(high), isinstance(sampler, sample.LogUniform), step)


def _settings(space: _Space, config: Mapping[str, Any]) -> dict[str, float]:
    found = {}
    for name, (parameter, choices) in space.items():
        at: Any = config
        for key in name.split("/"):
            at = at.get(key) if isinstance(at, Mapping) else None
        if at is not None or None in choices:
            is_choice = isinstance(parameter, Choice)
            found[name] = float(choices.index(at)) if is_choice else float(at)
    return found
