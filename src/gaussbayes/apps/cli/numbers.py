"""Numbers as the terminal shows them: five digits, a true minus sign."""

import math


def five_digits(value: float, sign: str = "") -> str:
    """A number to five digits; with ``sign="+"`` also what is positive has one.

    Examples
    --------
    >>> five_digits(-1234567.0), five_digits(0.25, sign="+"), five_digits(-math.inf)
    ('−1.2346e+06', '+0.25', '−∞')
    """
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return with_minus(f"{value + 0.0:{sign}.5g}")  # + 0.0: no minus before a zero


def fixed(value: float, decimals: int) -> str:
    """A number with so many decimals.

    Examples
    --------
    >>> fixed(-0.66667, 3), fixed(-0.0001, 3)
    ('−0.667', '0.000')
    """
    return with_minus(f"{round(value, decimals) + 0.0:.{decimals}f}")


def with_minus(text: str) -> str:
    """A number that is written already, with a minus for the hyphen before it.

    Examples
    --------
    >>> with_minus("-5e-07")
    '−5e-07'
    """
    return "−" + text[1:] if text.startswith("-") else text
