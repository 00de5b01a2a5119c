"""Amounts in the user's unit, as people write them."""

import math

_BEFORE = ("$", "€", "£", "¥", "₹", "CHF ", "US$")


def number_text(number: float, error: float = math.inf) -> str:
    """Return a number with three digits, or all of them before the point, or as many as an error leaves sure.

    >>> [number_text(x) for x in (2.4, 25.42, 1234.5, 0.0220, -0.5, 0.0)]
    ['2.40', '25.4', '1,234', '0.0220', '−0.500', '0']
    >>> number_text(29.9731, error=0.015), number_text(29.9731, error=3.0)
    ('29.97', '30.0')
    """
    if number == 0.0:
        return "0"
    size = abs(number)
    # Where rounding leads to the next power of ten, a digit less is behind the point
    digits = 2 - math.floor(math.log10(float(f"{size:.2e}")))
    if 0.0 < error < size:
        digits = max(digits, math.ceil(-math.log10(error)))
    text = f"{size:,.{digits}f}" if 0 <= digits <= 8 else f"{size:.3g}"
    if digits < 0:
        text = f"{size:,.0f}" if size < 1e9 else f"{size:.3g}"
    return ("−" if number < 0.0 else "") + text


def minus(text: str) -> str:
    """Return the text of a number with the minus sign that people write.

    >>> minus(f"{-1.5:.2f}")
    '−1.50'
    """
    return text.replace("-", "−")


def amount(number: float, unit: str = "", text: str | None = None) -> str:
    """Return a number with its unit: a currency before it, anything else behind.

    >>> amount(2.4, "$"), amount(-2.4, "$"), amount(25.42, "s"), amount(0.5)
    ('$2.40', '−$2.40', '25.4 s', '0.500')
    """
    text = number_text(number) if text is None else text
    if unit.strip() in [mark.strip() for mark in _BEFORE]:
        return f"{text[0]}{unit}{text[1:]}" if text.startswith(("−", "-")) else f"{unit}{text}"
    return f"{text} {unit}" if unit else text
