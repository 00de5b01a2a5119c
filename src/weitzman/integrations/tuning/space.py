"""The settings that a study may try, as far as its finished trials show them.

A study whose parameters depend on each other says so only by its trials: trials with the same names
of parameters are a *branch*. A point is a row with one entry for every name: from 0 to 1 for a number,
the place of a choice, NaN for a parameter that its branch lacks. New points stay in the branches seen.
Where there is more than one, choices and steps stay within what the branch has shown, since a value
outside may belong to another branch: three layers have no place where there are units of two.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from weitzman.arrays import Flags, Floats
from weitzman.integrations.tuning.attempts import Attempt, Choice, Numeric, Parameter


@dataclass(frozen=True, eq=False)
class Branch:
    """Parameters that occur together, by their places, and what each may be.

    ``allowed`` has for a number its two ends from 0 to 1, for a choice all places that it may have.
    """

    names: tuple[int, ...]
    allowed: tuple[Floats, ...]


class Space:
    """The parameters and branches of finished trials."""

    def __init__(self, attempts: Sequence[Attempt]) -> None:
        found: dict[str, Parameter] = {}
        for attempt in attempts:
            for name, parameter in attempt.parameters.items():
                found[name] = _joined(found.get(name, parameter), parameter)
        self.names = tuple(sorted(found))
        self.parameters = tuple(found[name] for name in self.names)
        self.points = np.array([self._point(a) for a in attempts]).reshape(-1, len(self.names))

    def _point(self, attempt: Attempt) -> list[float]:
        pairs = zip(self.names, self.parameters, strict=True)
        known = attempt.settings
        return [float(_unit(np.array(known[n]), p)) if n in known else np.nan for n, p in pairs]

    @cached_property
    def branches(self) -> tuple[Branch, ...]:
        """The sets of parameters that occur together, in order of their first trial."""
        there = ~np.isnan(self.points)
        patterns = list(dict.fromkeys(map(tuple, there.tolist())))
        return tuple(self._branch(np.array(p), there, len(patterns) == 1) for p in patterns)

    def _branch(self, pattern: Flags, there: Flags, alone: bool) -> Branch:
        rows = self.points[(there == pattern).all(axis=1)]
        names = tuple(np.flatnonzero(pattern).tolist())
        return Branch(names, tuple(self._allowed(k, rows[:, k], alone) for k in names))

    def _allowed(self, name: int, seen: Floats, alone: bool) -> Floats:
        parameter = self.parameters[name]
        if isinstance(parameter, Choice):
            return np.arange(float(parameter.count)) if alone else np.unique(seen)
        if alone or parameter.step is None:
            return np.array([0.0, 1.0])
        return np.array([seen.min(), seen.max()])

    def spread(self, branch: Branch, units: Floats) -> Floats:
        """Return points of a branch, from rows of numbers between 0 and 1."""
        points = np.full((len(units), len(self.names)), np.nan)
        for column, (name, allowed) in enumerate(zip(branch.names, branch.allowed, strict=True)):
            at = units[:, column]
            if isinstance(self.parameters[name], Choice):
                places = np.minimum((at * allowed.size).astype(np.int64), allowed.size - 1)
                points[:, name] = allowed[places]
            else:
                points[:, name] = allowed[0] + at * (allowed[1] - allowed[0])
        return self._snapped(points)

    def near(self, points: Floats, width: float, rng: np.random.Generator) -> Floats:
        """Return a point near each, in the same branch: numbers move by so much, choices now and then."""
        moved = points.copy()
        moves = rng.random(points.shape) < max(0.3, 2.0 / max(points.shape[1], 1))
        steps, switch = rng.normal(0.0, width, points.shape), rng.random(points.shape)
        there = ~np.isnan(points)
        for branch in self.branches:
            pattern = np.zeros(len(self.names), dtype=np.bool_)
            pattern[list(branch.names)] = True
            rows = (there == pattern).all(axis=1)
            for name, allowed in zip(branch.names, branch.allowed, strict=True):
                if isinstance(self.parameters[name], Choice):
                    change = rows & (switch[:, name] < 0.5 * width + 0.05)
                    moved[change, name] = rng.choice(allowed, int(change.sum()))
                    continue
                change = rows & moves[:, name]
                step = points[change, name] + steps[change, name]
                moved[change, name] = np.clip(step, allowed[0], allowed[1])
        return self._snapped(moved)

    def _snapped(self, points: Floats) -> Floats:
        for name, parameter in enumerate(self.parameters):
            if isinstance(parameter, Numeric) and parameter.step is not None:
                numbers = _number(points[:, name], parameter)
                points[:, name] = _unit(numbers, parameter)
        return points

    def columns(self, points: Floats) -> Floats:
        """Return what a model of the points sees: numbers, choices as one of several, what is there."""
        made, patterns = [], set()
        for name, parameter in enumerate(self.parameters):
            there = ~np.isnan(self.points[:, name])
            here = ~np.isnan(points[:, name])
            if isinstance(parameter, Choice):
                # Two choices are as far from each other as the two ends of a number
                places = np.arange(parameter.count)
                made.extend((points[:, name, None] == places).T * np.sqrt(0.5))
            else:
                made.append(np.where(here, points[:, name], 0.5))
            pattern = there.tobytes()
            if not there.all() and pattern not in patterns:
                patterns.add(pattern)
                made.append(here.astype(np.float64))
        return np.column_stack(made) if made else np.zeros((len(points), 1))

    def settings(self, point: Floats) -> dict[str, float]:
        """Return the settings of a point: numbers, and places of choices."""
        found = {}
        for name, parameter, at in zip(self.names, self.parameters, point.tolist(), strict=True):
            if not np.isnan(at):
                is_choice = isinstance(parameter, Choice)
                found[name] = at if is_choice else float(_number(np.array(at), parameter))
        return found


def _joined(one: Parameter, other: Parameter) -> Parameter:
    """Return the parameter that has the values of both."""
    if isinstance(one, Choice) or isinstance(other, Choice):
        return other
    low, high = min(one.low, other.low), max(one.high, other.high)
    return Numeric(low, high, other.log and low > 0.0, other.step)


def _ends(parameter: Numeric) -> tuple[float, float]:
    low, high = parameter.low, parameter.high
    return (float(np.log(low)), float(np.log(high))) if parameter.log else (low, high)


def _unit(number: Floats, parameter: Parameter) -> Floats:
    """Return where a number lies, from 0 to 1; the place of a choice as it is."""
    if isinstance(parameter, Choice):
        return number
    low, high = _ends(parameter)
    at = np.log(number) if parameter.log else number
    return np.asarray((at - low) / (high - low) if high > low else 0.0 * at)


def _number(unit: Floats, parameter: Parameter) -> Floats:
    assert isinstance(parameter, Numeric)
    low, high = _ends(parameter)
    at = low + unit * (high - low)
    number = np.exp(at) if parameter.log else at
    if parameter.step is not None:
        steps = np.round((number - parameter.low) / parameter.step)
        number = parameter.low + parameter.step * steps
    return np.clip(number, parameter.low, parameter.high)
