"""How far rules are from the optimum over many random problems, as one line of a table."""

import sys
from collections.abc import Sequence

import numpy as np


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
