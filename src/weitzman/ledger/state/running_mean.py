"""Means with their standard errors, one number at a time (Welford's recurrence).

With m_k the mean of the first k numbers and S_k the sum of their squared distances from it,

    m_k = m_{k−1} + (x_k − m_{k−1}) / k,   S_k = S_{k−1} + (x_k − m_{k−1})(x_k − m_k),

the standard error of the mean is √(S_k / (k (k − 1))), as if the numbers were independent. Nothing cancels,
however far from zero they are.

For a ratio r = Σe / Σc it is √Σ(e − r c)² / Σc, the linearised one; sums of products suffice.
"""

import math

import msgspec


class Spread(msgspec.Struct, array_like=True, gc=False):
    """How many numbers there were, their mean, and their squared distances from it.

    Examples
    --------
    >>> spread = Spread()
    >>> for number in (1.0, 2.0, 3.0):
    ...     spread.add(number)
    >>> spread.mean, round(spread.error(), 4)
    (2.0, 0.5774)
    """

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0

    def add(self, number: float) -> None:
        self.count += 1
        away = number - self.mean
        self.mean += away / self.count
        self.squares += away * (number - self.mean)

    def error(self) -> float | None:
        """Return the standard error of the mean; None below two numbers."""
        if self.count < 2:
            return None
        return math.sqrt(self.squares / (self.count * (self.count - 1)))


class Ratio(msgspec.Struct, array_like=True, gc=False):
    """Sums of squares and products of pairs (e, c), for the standard error of Σe / Σc.

    Examples
    --------
    >>> ratio = Ratio()
    >>> for excess, price in ((1.0, 1.0), (3.0, 1.0)):
    ...     ratio.add(excess, price)
    >>> round(ratio.error(4.0, 2.0), 4)
    0.7071
    """

    ee: float = 0.0
    ec: float = 0.0
    cc: float = 0.0

    def add(self, e: float, c: float) -> None:
        self.ee += e * e
        self.ec += e * c
        self.cc += c * c

    def error(self, es: float, cs: float) -> float | None:
        """Return the standard error of ``es / cs``, the sums of both; None without a price."""
        if cs <= 0.0:
            return None
        ratio = es / cs
        return math.sqrt(max(0.0, self.ee - 2.0 * ratio * self.ec + ratio * ratio * self.cc)) / cs
