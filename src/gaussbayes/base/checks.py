"""Numbers that the user gives: checked in one place, with one message each."""

import numpy as np

from gaussbayes.base.errors import ParameterError
from gaussbayes.base.types import FloatArray


def as_numbers(what: str, values: object) -> FloatArray:
    """What the user wrote, as an array of floats of our own: the caller may change theirs.

    Examples
    --------
    >>> as_numbers("means", [[1, 2], [3, 4]]).shape
    (2, 2)
    """
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        msg = f"{what} must be an array of numbers with rows of equal length, got {values!r:.200}"
        raise ParameterError(msg) from None


def finite_number(what: str, value: object) -> float:
    """The value, if it is a finite number.

    Examples
    --------
    >>> finite_number("reject_cost", 2)
    2.0
    """
    number = _number(value)
    if not np.isfinite(number):
        msg = f"{what} must be a finite number, got {value!r:.200}"
        raise ParameterError(msg)
    return number


def not_negative(what: str, value: object) -> float:
    """The value, if it is 0 or a finite number above it.

    Examples
    --------
    >>> not_negative("smoothing", 1)
    1.0
    """
    number = _number(value)
    if not 0.0 <= number < np.inf:
        msg = f"{what} must be 0 or a finite number above it, got {value!r:.200}"
        raise ParameterError(msg)
    return number


def positive_number(what: str, value: object) -> float:
    """The value, if it is a finite number above 0.

    Examples
    --------
    >>> positive_number("tolerance", 1e-8)
    1e-08
    """
    number = _number(value)
    if not 0.0 < number < np.inf:
        msg = f"{what} must be a finite number above 0, got {value!r:.200}"
        raise ParameterError(msg)
    return number


def probability(what: str, value: object) -> float:
    """The value, if it is a number from 0 to 1.

    Examples
    --------
    >>> probability("level", 0.05)
    0.05
    """
    number = _number(value)
    if not 0.0 <= number <= 1.0:
        msg = f"{what} must be a probability from 0 to 1, got {value!r:.200}"
        raise ParameterError(msg)
    return number


def integer(what: str, value: object, least: int) -> int:
    """The value, if it is an integer that is not too small.

    Examples
    --------
    >>> integer("n_draws", np.int64(10), 2)
    10
    """
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        msg = f"{what} must be an integer, at least {least}, got {value!r:.200}"
        raise ParameterError(msg)
    return int(value)


def _number(value: object) -> float:
    """The value as a float; NaN, which no check lets pass, for what is not a number."""
    if type(value) is float:  # nearly always, and building the union below takes longer
        return value
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        return float(value)
    return np.nan
