"""What the values of options mean, read once for all verbs; others are usage errors."""

import csv
import math
from pathlib import Path
from typing import Literal

import click

DATA = click.Path(exists=True, dir_okay=False, readable=True, path_type=Path)
"""A file that is there."""

FROM_DATA = "from-data"
"""Priors that are estimated from the rows to be predicted."""

_LARGEST_SEED = 2**32 - 1
"""That scikit-learn takes."""


def names(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """Names separated by commas; quotes go around one that holds a comma itself.

    Examples
    --------
    >>> names(None, None, 'length,"width, inner"')
    ('length', 'width, inner')
    """
    return None if value is None else as_names(value)


def every_name(
    _: click.Context, __: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...] | None:
    """Names of an option that may be given several times, each with one or more of them.

    Examples
    --------
    >>> every_name(None, None, ("wind,rain", "month"))
    ('wind', 'rain', 'month')
    """
    found = tuple(name for part in value for name in as_names(part))
    if len(set(found)) < len(found):
        twice = next(name for name in found if found.count(name) > 1)
        msg = f"{twice!r} is given twice"
        raise click.BadParameter(msg)
    return found or None


def as_names(value: str, option: str | None = None) -> tuple[str, ...]:
    """The same for a text that is known to hold names; `option` is where it came from."""
    found = tuple(name.strip() for name in next(csv.reader([value]), []))
    if not found or "" in found or len(set(found)) < len(found):
        msg = f"expected different names separated by commas, got {value!r}"
        raise click.BadParameter(msg, param_hint=option)
    return found


def priors(_: click.Context, __: click.Parameter, value: str) -> list[float] | str | None:
    """``estimated``, ``uniform``, or a number for each class, as `GaussianClassifier` takes them.

    Examples
    --------
    >>> priors(None, None, "0.2,0.8")
    [0.2, 0.8]
    """
    if value in {"estimated", "uniform"}:
        return None if value == "estimated" else value
    try:
        return [float(number) for number in value.split(",")]
    except ValueError:
        msg = f"expected 'estimated', 'uniform' or numbers such as 0.2,0.8, got {value!r}"
        raise click.BadParameter(msg) from None


def other_priors(
    ctx: click.Context, param: click.Parameter, value: str
) -> list[float] | str | None:
    """As `priors`, or ``own`` for those that the model has."""
    return value if value == "own" else priors(ctx, param, value)


def priors_of_rows(
    ctx: click.Context, param: click.Parameter, value: str
) -> list[float] | str | None:
    """As `other_priors`, or ``from-data`` for those of rows whose classes are not known."""
    return value if value == FROM_DATA else other_priors(ctx, param, value)


def shrinkage(_: click.Context, __: click.Parameter, value: str) -> float | Literal["oas"] | None:
    """``none``, ``oas`` or a number between 0 and 1, as `GaussianClassifier` takes it.

    Examples
    --------
    >>> shrinkage(None, None, "0.5")
    0.5
    """
    return _shrinkage(value, "'none', 'oas'")


def any_shrinkage(
    _: click.Context, __: click.Parameter, value: str
) -> float | Literal["oas", "auto"] | None:
    """As `shrinkage`, or ``auto`` where it is to be chosen."""
    return "auto" if value == "auto" else _shrinkage(value, "'auto', 'none', 'oas'")


def _shrinkage(value: str, words: str) -> float | Literal["oas"] | None:
    if value == "none":
        return None
    if value == "oas":
        return "oas"
    intensity = _number(value)
    if intensity is None or not 0.0 <= intensity <= 1.0:
        msg = f"expected {words} or a number between 0 and 1, got {value!r}"
        raise click.BadParameter(msg)
    return intensity


def sharing(_: click.Context, __: click.Parameter, value: str) -> bool | float:
    """How far covariances are drawn towards the shared one; all the way is True, not at all False.

    Examples
    --------
    >>> sharing(None, None, "0.5"), sharing(None, None, "1")
    (0.5, True)
    """
    share = _number(value)
    if share is None or not 0.0 <= share <= 1.0:
        msg = f"expected a number between 0 and 1, got {value!r}"
        raise click.BadParameter(msg, param_hint="'--sharing'")
    return share if 0.0 < share < 1.0 else bool(share)


def criterion(_: click.Context, __: click.Parameter, value: str) -> str:
    """What ``auto`` chooses by, as `GaussianClassifier` writes it.

    Examples
    --------
    >>> criterion(None, None, "leave-one-out")
    'leave_one_out'
    """
    return value.replace("-", "_")


def smoothing(_: click.Context, __: click.Parameter, value: str) -> float:
    """A finite number, 0 or more, as `GaussianClassifier` takes it.

    Examples
    --------
    >>> smoothing(None, None, "0.5")
    0.5
    """
    alpha = _number(value)
    if alpha is None or not 0.0 <= alpha < math.inf:
        msg = f"expected a number, 0 or more, got {value!r}"
        raise click.BadParameter(msg)
    return alpha


def held_out(ctx: click.Context, param: click.Parameter, value: str) -> int | float | Path:
    """A number of folds, a share of the rows, or a file with other rows.

    Examples
    --------
    >>> held_out(None, None, "10"), held_out(None, None, "0.3")
    (10, 0.3)
    """
    number = _number(value)
    if number is None:
        path: Path = DATA.convert(value, param, ctx)
        return path
    if number.is_integer() and number >= 2:
        return int(number)
    if not 0.0 < number < 1.0:
        what = "expected folds (2 or more), a share between 0 and 1, or a file"
        msg = f"{what}, got {value!r}"
        raise click.BadParameter(msg)
    return number


def seed(_: click.Context, __: click.Parameter, value: int) -> int:
    """A seed that every generator takes."""
    if not 0 <= value <= _LARGEST_SEED:
        msg = f"expected a whole number from 0 to {_LARGEST_SEED}, got {value}"
        raise click.BadParameter(msg)
    return value


def _number(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None
