"""What options hold, read once for all verbs; what cannot be read is a usage error."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

import click

Function = TypeVar("Function", bound=Callable[..., Any])

DATA = click.Path(exists=True, dir_okay=False, readable=True, path_type=Path)
"""A file that is there."""

_LARGEST_SEED = 2**32 - 1
"""That scikit-learn takes."""


class RememberingCommand(click.Command):
    """A command that knows the arguments it was called with, as ``ctx.meta["arguments"]``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As in click."""
        ctx.meta["arguments"] = list(args)
        return super().parse_args(ctx, args)


def seed_option(what: str) -> Callable[[Function], Function]:
    """The option ``--seed``; `what` says what is random."""
    return click.option(
        "--seed", type=int, default=0, show_default=True, metavar="N", callback=_seed, help=what
    )


def names(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """Names separated by commas; quotes go around one that holds a comma itself.

    Examples
    --------
    >>> names(None, None, 'length,"width, inner"')
    ('length', 'width, inner')
    """
    if value is None:
        return None
    found = tuple(name.strip() for name in next(csv.reader([value]), []))
    if not found or "" in found or len(set(found)) < len(found):
        msg = f"expected different names separated by commas, got {value!r}"
        raise click.BadParameter(msg)
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


def shrinkage(_: click.Context, __: click.Parameter, value: str) -> float | Literal["oas"] | None:
    """``none``, ``oas`` or a number between 0 and 1, as `GaussianClassifier` takes it.

    Examples
    --------
    >>> shrinkage(None, None, "0.5")
    0.5
    """
    if value == "none":
        return None
    if value == "oas":
        return "oas"
    intensity = _number(value)
    if intensity is None or not 0.0 <= intensity <= 1.0:
        msg = f"expected 'none', 'oas' or a number between 0 and 1, got {value!r}"
        raise click.BadParameter(msg)
    return intensity


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


def _seed(_: click.Context, __: click.Parameter, value: int) -> int:
    if not 0 <= value <= _LARGEST_SEED:
        msg = f"expected a whole number from 0 to {_LARGEST_SEED}, got {value}"
        raise click.BadParameter(msg)
    return value


def _number(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None
