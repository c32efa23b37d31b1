"""Numbers that the user gives: checked in one place, with one message each."""

import numpy as np

from gaussbayes.base.errors import OptionError
from gaussbayes.base.types import FloatArray

TOLERANCE = 1e-8
"""By which numbers that were given or stored may miss what they must be, in proportion."""


def as_numbers(what: str, values: object) -> FloatArray:
    """What the user wrote, as an array of floats of our own: the caller may change theirs."""
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        msg = f"{what} must be an array of numbers with rows of equal length, got {values!r:.200}"
        raise OptionError(msg) from None


def finite_number(what: str, value: object) -> float:
    """The value, if it is a finite number."""
    number = _number(value)
    return _checked(what, value, number, bool(np.isfinite(number)), "a finite number")


def not_negative(what: str, value: object) -> float:
    """The value, if it is 0 or a finite number above it."""
    number = _number(value)
    return _checked(what, value, number, 0.0 <= number < np.inf, "0 or a finite number above it")


def positive_number(what: str, value: object) -> float:
    """The value, if it is a finite number above 0."""
    number = _number(value)
    return _checked(what, value, number, 0.0 < number < np.inf, "a finite number above 0")


def probability(what: str, value: object) -> float:
    """The value, if it is a number from 0 to 1."""
    number = _number(value)
    return _checked(what, value, number, 0.0 <= number <= 1.0, "a probability from 0 to 1")


def integer(what: str, value: object, least: int) -> int:
    """The value, if it is an integer that is not too small."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        msg = f"{what} must be an integer, at least {least}, got {value!r:.200}"
        raise OptionError(msg)
    return int(value)


def _number(value: object) -> float:
    """The value as a float; NaN, which no check lets pass, for what is not a number."""
    if type(value) is float:  # nearly always, and building the union below takes longer
        return value
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        return float(value)
    return np.nan


def _checked(what: str, value: object, number: float, good: bool, expected: str) -> float:
    if not good:
        msg = f"{what} must be {expected}, got {value!r:.200}"
        raise OptionError(msg)
    return number
