"""Which rows are held out: one option, and the other spellings of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

import click

from gaussbayes.apps.cli import values

Function = TypeVar("Function", bound=Callable[..., Any])

HeldOut: TypeAlias = int | float | Path | Literal["loo"]
"""Folds, a share, a file, or one row at a time."""

LEAVE_ONE_OUT: Literal["loo"] = "loo"


held_out_option = click.option(
    "--held-out",
    callback=values.held_out,
    default="10",
    show_default=True,
    metavar="FOLDS|SHARE|FILE",
    help="What errors are counted on: folds of cross-validation, a share of the rows, or the rows "
    "of another file.",
)


def held_out_options(function: Function) -> Function:
    """``--held-out`` and, in words that people know, ``--cv``, ``--loo`` and ``--test``."""
    every = (
        click.option(
            "--held-out",
            callback=_held_out,
            metavar="FOLDS|SHARE|FILE|loo",
            help="What errors are counted on: folds of cross-validation, a share of the rows, the "
            "rows of another file, or one row at a time.  [default: 10]",
        ),
        click.option("--cv", type=click.IntRange(2), metavar="N", help="The same as --held-out N."),
        click.option("--loo", is_flag=True, help="The same as --held-out loo: leave one out."),
        click.option(
            "--test", type=values.DATA, metavar="FILE", help="The same as --held-out FILE."
        ),
    )
    for option in reversed(every):
        function = option(function)
    return function


def chosen(
    held_out: HeldOut | None, cv: int | None, loo: bool, test: Path | None
) -> HeldOut | None:
    """The one that was given, or None; two are a usage error.

    Examples
    --------
    >>> chosen(None, 5, False, None)
    5
    """
    given: dict[str, HeldOut] = {}
    if held_out is not None:
        given["--held-out"] = held_out
    if cv is not None:
        given["--cv"] = cv
    if loo:
        given["--loo"] = LEAVE_ONE_OUT
    if test is not None:
        given["--test"] = test
    if len(given) > 1:
        msg = f"{' and '.join(given)} say different things: give one of them"
        raise click.UsageError(msg)
    return next(iter(given.values()), None)


def _held_out(ctx: click.Context, param: click.Parameter, value: str | None) -> HeldOut | None:
    if value is None or value == LEAVE_ONE_OUT:
        return LEAVE_ONE_OUT if value else None
    return values.held_out(ctx, param, value)
