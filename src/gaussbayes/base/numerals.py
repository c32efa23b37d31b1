"""Numbers as text: enough digits, the same number within a column, a true minus sign."""

from collections.abc import Sequence
from math import isfinite, isnan

_POWERS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

grouped = "{:,}".format  # an integer in groups of three digits


def fixed(value: float, places: int) -> str:
    """A number with this many decimal places; NaN is a dash.

    >>> fixed(-1.25, 3), fixed(-0.0001, 3), fixed(float("inf"), 2), fixed(float("nan"), 2)
    ('−1.250', '0.000', '∞', '–')
    """
    if isnan(value):
        return "–"
    rounded = f"{value:.{places}f}"
    return _with_minus(rounded) if float(rounded) else rounded.removeprefix("-")


def five_digits(value: float, sign: str = "") -> str:
    """A number to five digits; with ``sign="+"`` positive numbers have a sign as well.

    >>> five_digits(-1234567.0), five_digits(0.25, sign="+"), five_digits(float("-inf"))
    ('−1234600', '+0.25', '−∞')
    """
    written = f"{value + 0.0:{sign}.5g}"  # no minus before a zero
    if "e+0" in written:  # below 10¹⁰ the places are still easy to count
        written = f"{float(written):{sign}.0f}"
    return _with_minus(written)


def _with_minus(number: str) -> str:
    """A true minus, and a sign for infinity."""
    return ("−" + number[1:] if number.startswith("-") else number).replace("inf", "∞")


def scientific(value: float, digits: int = 4) -> str:
    """A number with a power of ten.

    >>> scientific(-4.8921e-26, 2)
    '−4.9 × 10⁻²⁶'
    """
    if value == 0 or not isfinite(value):
        return fixed(value, 0)
    mantissa, power = f"{value:.{digits - 1}e}".split("e")
    return f"{mantissa} × 10{str(int(power)).translate(_POWERS)}".replace("-", "−")


def percent(proportion: float, places: int = 1) -> str:
    """A proportion as a percentage; a dash for NaN, a proportion of nothing.

    >>> percent(0.02), percent(0.00012), percent(1.0), percent(0.0213, 2)
    ('2.0\\xa0%', '0.012\\xa0%', '100.0\\xa0%', '2.13\\xa0%')
    """
    value = 100.0 * proportion
    written = f"{value:.2g}" if 0 < value < 10.0**-places else fixed(value, places)
    return written if isnan(value) else f"{written}\u00a0%"


def score(value: float) -> str:
    """A probability or a loss: four decimals, or a power of ten if it is very small.

    >>> score(0.25), score(4.9e-26), score(0.0)
    ('0.2500', '4.9 × 10⁻²⁶', '0')
    """
    return scientific(value, 2) if value < 1e-3 else fixed(value, 4)


def counted(n: int, singular: str, plural: str | None = None) -> str:
    """A number with its noun.

    >>> counted(1, "row"), counted(3, "class", "classes")
    ('1 row', '3 classes')
    """
    return f"{n:,} {singular if n == 1 else plural or singular + 's'}"


def quoted(names: Sequence[str]) -> str:
    """Names in a sentence, in quotation marks.

    >>> quoted(["a"]), quoted(["a", "b", "c"])
    ('“a”', '“a”, “b” and “c”')
    """
    *others, last = (f"“{name}”" for name in names)
    return f"{', '.join(others)} and {last}" if others else last


def shortened(name: str, most: int) -> str:
    """A long name without its middle; numbered names differ at their ends.

    >>> shortened("mean of a measurement, number 17", 12)
    'mean …ber 17'
    """
    half = most // 2
    return name if len(name) <= most else f"{name[: half - 1]}…{name[-half:]}"
