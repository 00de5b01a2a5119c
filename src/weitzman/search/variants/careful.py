"""Boxes that are worse than the unknown ones, with a stated confidence, from samples of them.

What was sampled is an ``Empirical`` law of a value, and a ``Counter`` of the signals that a stage showed;
everything else is known. Smaller values better, b the worst possible value.

*Values.* A law becomes one that is stochastically larger (:mod:`weitzman.search.laws.pessimistic`).

*Signals.* Of m looks k_s showed signal s. Its chance p_s is at least the quantile at δ_s of Beta(k_s, m − k_s
+ 1), but for a chance δ_s [Clopper 1934]. What these bounds leave of 1 goes to one more signal,
:data:`OTHER`, that leads through the largest costs to b. It leads to nothing where there is no b, or where
one of the signals does, which is worse than b. The signals are those that the counter has, also with
0: they have to be all that are possible.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.search.box import Box
from weitzman.search.contents import Draws, NormalDraws, Stage, Successes
from weitzman.search.laws.conversion import as_distribution
from weitzman.search.laws.discrete import Discrete, Empirical
from weitzman.search.laws.distribution import Distribution
from weitzman.search.laws.pessimistic import pessimistic
from weitzman.search.numbers import finite_number

Worst = float | Mapping[str, float] | Literal["sample"] | None
"""The worst possible value, of all boxes or by box; that of the sample; or None with an outside option."""

OTHER = "anything else"
"""The signal that stands for all chances that counts do not vouch for."""


def careful_boxes(
    boxes: Sequence[Box], *, worst: Worst, error: float, sign: float, outside: float | None
) -> list[Box]:
    """Return boxes that are worse than the true ones, all together but for a chance ``error``.

    ``sign`` is −1 where larger values are better.
    """
    sampled = [_Sampled(box) for box in boxes]
    count = sum(each.pieces > 0 for each in sampled)
    if count == 0:
        rule = "hold a sample: an Empirical law of a value, or a Counter of signals"
        raise InvalidInputError("The boxes", rule, [box.name for box in boxes])
    _check_parents(boxes, sampled)
    made = []
    for box, each in zip(boxes, sampled, strict=True):
        if each.pieces == 0:
            made.append(box)
            continue
        end = _worst(worst, each, sign=sign, outside=outside)
        ends = (worst is None and outside is not None) or each.may_end
        made.append(_Careful(each, end, ends, error / count / each.pieces, sign).box)
    return made


@dataclass(frozen=True, eq=False)
class _Sampled:
    """A box, and what in it is a sample."""

    box: Box

    @cached_property
    def laws(self) -> list[Any]:
        """All laws of its value."""
        shown: Any = self.box.stages[-1].shows if self.box.stages else self.box.value
        if isinstance(shown, Draws):
            shown = shown.value
        if isinstance(shown, Successes | NormalDraws):
            return []
        return list(shown.values()) if isinstance(shown, Mapping) else [shown]

    @cached_property
    def samples(self) -> list[Floats]:
        """The samples of its value."""
        return [_values(law, self.box.name) for law in self.laws if isinstance(law, Empirical)]

    @cached_property
    def counters(self) -> list[Counter[Any]]:
        """The counts of its signals."""
        return [counts for stage in self.box.stages[:-1] for counts in _counters(stage.shows)]

    @property
    def pieces(self) -> int:
        """How many laws are sampled."""
        return len(self.samples) + len(self.counters)

    @property
    def may_end(self) -> bool:
        """Whether some signal leads to nothing."""
        before: list[Any] = []
        for place, stage in enumerate(self.box.stages):
            last, shows = place == len(self.box.stages) - 1, stage.shows
            if _by_signal(shows, last=last) and not set(before) <= set(shows):  # type: ignore[arg-type]
                return True
            before = [] if last else _signals(shows)
        return False

    def furthest(self, sign: float) -> float:
        """Return the worst value that is in a sample, or possible where signals are counted."""
        ends = [float(np.max(sign * sample)) for sample in self.samples]
        if self.counters:
            known = [as_distribution(law) for law in self.laws if not isinstance(law, Empirical)]
            ends += [float(max(sign * end for end in law.support())) for law in known]
        return sign * max(ends)


def _counters(shows: Any) -> Iterator[Counter[Any]]:
    if isinstance(shows, Counter):
        yield shows
    elif isinstance(shows, Mapping):
        for inner in shows.values():
            yield from _counters(inner)


def _values(law: Empirical, box: str) -> Floats:
    """Return the sample that a law stands for."""
    counts = law.counts
    if counts is None:
        rule = "have no weights, or whole ones: how often each value was seen"
        raise InvalidInputError(f"The sample of box {box!r}", rule, law.probabilities.tolist())
    return np.repeat(law.values, counts)


def _check_parents(boxes: Sequence[Box], sampled: Sequence[_Sampled]) -> None:
    """Refuse a sampled value that the law of another box depends on."""
    unknown = {each.box.name for each in sampled if each.samples}
    for box in boxes:
        if isinstance(box.value, Mapping) and box.parent in unknown:
            rule = f"be of a law that is known, since that of box {box.name!r} depends on it"
            raise InvalidInputError(f"The value of box {box.parent!r}", rule, _SAMPLE)


class _Words(str):
    __slots__ = ()
    __repr__ = str.__str__


_SAMPLE = _Words("a sample")


def _worst(worst: Worst, sampled: _Sampled, *, sign: float, outside: float | None) -> float:
    """Return the worst possible value of a box."""
    name, seen = sampled.box.name, sampled.furthest(sign)
    if worst is None:
        if outside is None:
            rule = "be given, or be 'sample', where there is no outside option"
            raise InvalidInputError("The worst possible value", rule, worst)
        if not np.isfinite(seen):
            return outside
        # No total changes with what is worse than the outside option
        return sign * max(sign * seen, sign * float(outside))
    if worst == "sample":
        return finite_number(seen, f"The worst possible value of box {name!r}")
    if isinstance(worst, Mapping):
        if name not in worst:
            raise InvalidInputError("The worst possible values", f"have box {name!r}", list(worst))
        worst = worst[name]
    end = finite_number(worst, f"The worst possible value of box {name!r}")
    if sign * end < sign * seen:
        subject = f"The sample of box {name!r}"
        raise InvalidInputError(subject, f"have no value worse than {end!r}", seen)
    return end


@dataclass(frozen=True)
class _Careful:
    """A box made worse; ``ends`` says that other signals end it, ``error`` is that of one sample."""

    sampled: _Sampled
    worst: float
    ends: bool
    error: float
    sign: float

    @property
    def box(self) -> Box:
        """The box."""
        box = self.sampled.box
        if box.stages:
            return replace(box, stages=list(self._stages(box.stages)))
        value: Any = box.value
        if isinstance(value, Draws):
            return replace(box, value=Draws(self._law(value.value)))
        if isinstance(value, Mapping):
            return replace(box, value={before: self._law(law) for before, law in value.items()})
        return replace(box, value=self._law(value))

    def _law(self, law: Any) -> Any:
        """Return a law as it is known, or worse than the one that was sampled."""
        if not isinstance(law, Empirical):
            return law
        turned = self.sign * _values(law, self.sampled.box.name)
        careful = pessimistic(turned, worst=self.sign * self.worst, error=self.error)
        return careful.affine(scale=self.sign)

    def _stages(self, stages: Sequence[Stage]) -> Iterator[Stage]:
        """Yield the stages; once signals are counted, those that follow have what follows OTHER."""
        before: list[Any] = []
        other = False
        for place, stage in enumerate(stages):
            last = place == len(stages) - 1
            shows: Any = stage.shows
            change = self._law if last else self._chances
            if _by_signal(shows, last=last):
                content: Any = {signal: change(one) for signal, one in shows.items()}
            elif other:
                content = {signal: change(shows) for signal in before}
            else:
                content = change(shows)
            cost = stage.cost
            if other and not self.ends:
                content[OTHER] = Discrete([self.worst]) if last else {OTHER: 1.0}
                if isinstance(cost, Mapping):
                    cost = {**cost, OTHER: max(cost.values())}
            yield replace(stage, cost=cost, shows=content)
            if not last:
                before = _signals(shows)
                other = other or any(True for _ in _counters(shows))

    def _chances(self, shows: Any) -> Any:
        """Return the chances of signals as they are known, or lower bounds on them and the rest."""
        if not isinstance(shows, Counter):
            return shows
        from scipy.special import betaincinv

        looks, error = sum(shows.values()), self.error / len(shows)
        low = {
            signal: float(betaincinv(count, looks - count + 1.0, error)) if count else 0.0
            for signal, count in shows.items()
        }
        return {**low, OTHER: 1.0 - sum(low.values())}


def _signals(shows: Any) -> list[Any]:
    """Return the signals that a stage may show."""
    inner = shows.values() if _by_signal(shows, last=False) else [shows]
    return list(dict.fromkeys(signal for one in inner for signal in one))


def _by_signal(shows: Any, *, last: bool) -> bool:
    """Return whether what a stage shows depends on the signal before."""
    if not isinstance(shows, Mapping) or isinstance(shows, Distribution):
        return False
    return last or any(isinstance(inner, Mapping) for inner in shows.values())
