"""Checks of numbers that the user gives, with one message each.

Kernels detect NaN and infinity in rows by sums or scores that are not finite, and only then does a
check here search for the first place. A search beforehand would read all rows once more.
"""

from collections.abc import Sequence

import numpy as np

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.types import FloatArray, RealArray

TOLERANCE = 1e-8
"""Relative tolerance for numbers that were given or stored."""


def as_numbers(what: str, values: object) -> FloatArray:
    """The user's values as a new array of floats; the caller may change the original."""
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        msg = f"{what} must be an array of numbers with rows of equal length, got {values!r:.200}"
        raise OptionError(msg) from None


def finite_number(what: str, value: object, least: float = -np.inf, most: float = np.inf) -> float:
    """The value, if it is a finite number between two others, which are allowed."""
    number = _number(value)
    if not (least <= number <= most and abs(number) < np.inf):
        limits = f", at least {least:g}" if most == np.inf else f" from {least:g} to {most:g}"
        limits = "" if least == -np.inf else limits
        msg = f"{what} must be a finite number{limits}, got {value!r:.200}"
        raise OptionError(msg)
    return number


def positive_number(what: str, value: object) -> float:
    """The value, if it is a finite number above 0."""
    number = _number(value)
    if not 0.0 < number < np.inf:
        msg = f"{what} must be a finite number above 0, got {value!r:.200}"
        raise OptionError(msg)
    return number


def integer(what: str, value: object, least: int) -> int:
    """The value, if it is an integer of at least `least`."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        msg = f"{what} must be an integer, at least {least}, got {value!r:.200}"
        raise OptionError(msg)
    return int(value)


def _number(value: object) -> float:
    """The value as a float; NaN, which every check rejects, for other types."""
    if type(value) is float:  # the usual types; building the union below takes longer
        return value
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        return float(value)
    return np.nan


def check_finite(
    X: RealArray,
    start: int = 0,
    names: Sequence[str | int] | None = None,
    *,
    allow_nan: bool = False,
) -> None:
    """Raise if there is NaN or infinity in the rows, naming the first place.

    With `allow_nan`, NaN is a missing value, and only infinity is an error.
    """
    wrong = np.isinf(X) if allow_nan else ~np.isfinite(X)
    if wrong.any():
        places = np.argwhere(wrong)
        row, column = (int(place) for place in places[0])
        value = "NaN" if np.isnan(X[row, column]) else "infinity"
        name, n = column if names is None else repr(names[column]), len(places)
        msg = (
            f"Input X contains {value} in row {row + start}, column {name} "
            f"({n} such value{'s' if n > 1 else ''}); remove or fill such rows first"
        )
        raise DataError(msg)


def overflow_error(X: RealArray) -> DataError:
    """The error for finite rows whose sums are not finite."""
    return DataError(
        f"values up to {np.abs(X).max():g} are too large: their sums of squares overflow; "
        "give the features in larger units"
    )
