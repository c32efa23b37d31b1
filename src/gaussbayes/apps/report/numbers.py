"""Numbers as the page writes them: enough digits, the same in a column, a true minus sign."""

from collections.abc import Iterable
from math import floor, isfinite, isnan, log10

_POWERS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_MOST_PLACES = 6
_LARGEST_WRITTEN_OUT = 1e12


def fixed(value: float, places: int) -> str:
    """A number with so many decimal places; what is not a number is a dash.

    Examples
    --------
    >>> fixed(-1.25, 3), fixed(float("inf"), 2), fixed(float("nan"), 2)
    ('−1.250', '∞', '–')
    """
    if not isfinite(value):
        return "–" if isnan(value) else "∞" if value > 0 else "−∞"
    rounded = f"{value:.{places}f}"
    # What rounds to zero has no sign.
    return rounded.replace("-", "−" if float(rounded) else "")


def scientific(value: float, digits: int = 4) -> str:
    """A number with a power of ten.

    Examples
    --------
    >>> scientific(-4.8921e-26, 2)
    '−4.9 × 10⁻²⁶'
    """
    if value == 0 or not isfinite(value):
        return fixed(value, 0)
    digits_written, power = f"{value:.{digits - 1}e}".split("e")
    return f"{digits_written} × 10{str(int(power)).translate(_POWERS)}".replace("-", "−")


def places_for(size: float, digits: int) -> int | None:
    """Decimal places that show so many digits of a number of this size; None: a power is needed.

    Examples
    --------
    >>> places_for(5.1, 4), places_for(1234.5, 3), places_for(0.02, 3), places_for(1e-20, 3)
    (3, 0, 4, None)
    """
    if size == 0 or not isfinite(size):
        return 0
    places = digits - 1 - floor(log10(abs(size)))
    return None if places > _MOST_PLACES else max(places, 0)


def aligned(values: Iterable[float], *, digits: int = 4, size: float | None = None) -> list[str]:
    """Numbers that belong together, with the same decimal places.

    As many as show `digits` digits of `size`, by default the largest of the numbers. Values that
    lie far from zero need more digits than their own size tells; their spread is the size then.

    Examples
    --------
    >>> aligned([5.0056, 12.75, -0.02])
    ['5.01', '12.75', '−0.02']
    >>> aligned([1000000.25, 1000001.5], digits=3, size=0.5)
    ['1000000.250', '1000001.500']
    """
    numbers = [float(value) for value in values]
    finite = [abs(number) for number in numbers if isfinite(number)]
    largest = max(finite, default=0.0)
    places = places_for(largest if size is None else size, digits)
    if places is None or largest >= _LARGEST_WRITTEN_OUT:
        return [scientific(number, digits) for number in numbers]
    return [fixed(number, places) for number in numbers]


def share(value: float) -> str:
    """A share as a percentage; a dash if it is a share of nothing.

    Examples
    --------
    >>> share(0.02), share(0.00012), share(1.0)
    ('2.0\\xa0%', '0.012\\xa0%', '100.0\\xa0%')
    """
    if isnan(value):
        return "–"
    percent = 100.0 * value
    written = f"{percent:.2g}" if 0 < percent < 0.1 else fixed(percent, 1)
    return f"{written}\u00a0%"


def small(value: float) -> str:
    """A probability or a score: four decimals, or a power of ten if it is very small.

    Examples
    --------
    >>> small(0.25), small(4.9e-26), small(0.0)
    ('0.2500', '4.9 × 10⁻²⁶', '0')
    """
    return scientific(value, 2) if value < 1e-3 else fixed(value, 4)


def count(value: int) -> str:
    """A whole number, in groups of three digits.

    Examples
    --------
    >>> count(1234567)
    '1,234,567'
    """
    return f"{value:,}"


def counted(n: int, thing: str, things: str | None = None) -> str:
    """So many things.

    Examples
    --------
    >>> counted(1, "row"), counted(3, "class", "classes")
    ('1 row', '3 classes')
    """
    return f"{count(n)} {thing if n == 1 else things or thing + 's'}"
