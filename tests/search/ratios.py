"""How far rules are from the optimum over many random problems: the comparison, and a line of a table."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from tests.search.brute import ExactBox, Sense
from tests.search.variants.programmes import Limits, as_boxes, optimum, play_all


def report(*cells: object) -> None:
    """Write a row of a table; ``pytest -s`` shows it."""
    sys.stdout.write("| " + " | ".join(str(cell) for cell in cells) + " |\n")


def report_ratios(name: str, ratios: Sequence[float], *, worst: str) -> None:
    """Write mean, 1 % and worst of the ratios; ``worst`` says whether "low" or "high" ones are bad."""
    sign = 1.0 if worst == "low" else -1.0
    far = sign * np.quantile(sign * np.array(ratios), 0.01)
    exact = float(np.mean(np.abs(np.array(ratios) - 1.0) < 1e-9))
    edge = min(ratios) if worst == "low" else max(ratios)
    report(name, len(ratios), f"{np.mean(ratios):.4f}", f"{far:.4f}", f"{edge:.4f}", f"{exact:.1%}")


@dataclass
class Ratios:
    """The ratios of plans and of their bounds to the optimum, over problems."""

    sense: Sense
    plans: list[float] = field(default_factory=list)
    bounds: list[float] = field(default_factory=list)

    def compare(
        self,
        asked: Mapping[str, Any],
        boxes: Sequence[ExactBox],
        outside: Fraction | None,
        limits: Limits,
        *,
        needs: Sequence[Sequence[int]] | None = None,
        keeps: Callable[[list[int]], bool] = lambda opened: True,
    ) -> None:
        """Compare plan and optimum with the plain programme, and their rules played on everything.

        ``asked`` are the settings of the plan, ``needs`` the rows before each box, and ``keeps`` says
        whether an order of opening keeps the limits.
        """
        sign, given = 1.0 if self.sense == "min" else -1.0, outside
        best = float(optimum(boxes, self.sense, given, limits))
        start = None if outside is None else float(outside)
        made, exact = (
            wz.plan(as_boxes(boxes, needs), sense=self.sense, outside=start, method=method, **asked)
            for method in (None, "exact")
        )
        assert exact.expected_total == pytest.approx(best, abs=1e-12)
        for each in (made, exact):
            total, opened, kept, ends = play_all(each.rule, boxes, self.sense, given)
            costs = sum(q * float(box.cost) for q, box in zip(opened, boxes, strict=True))
            # What is paid on top is for batches
            extra = each.expected_paid - costs
            assert limits.price or extra == pytest.approx(0.0, abs=1e-12)
            assert each.expected_total == pytest.approx(total + sign * extra, abs=1e-12)
            assert list(each.open_probabilities.values()) == pytest.approx(opened, abs=1e-12)
            assert list(each.keep_probabilities.values()) == pytest.approx(kept, abs=1e-12)
            assert all(keeps(end.opened) for end in ends)
        assert sign * made.bound <= sign * best + 1e-9
        assert sign * made.expected_total >= sign * best - 1e-12
        assert made.most_lost >= sign * (made.expected_total - best) - 1e-9
        if best > 0.0:
            self.plans.append(made.expected_total / best)
            self.bounds.append(made.bound / best)

    def report(self, name: str) -> None:
        """Write the two rows of a problem."""
        bad, good = ("low", "high") if self.sense == "max" else ("high", "low")
        report_ratios(f"{name} {self.sense}", self.plans, worst=bad)
        report_ratios(f"{name} {self.sense}, bound", self.bounds, worst=good)
