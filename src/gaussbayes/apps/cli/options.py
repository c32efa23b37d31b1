"""Options and arguments that several verbs have."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from gaussbayes.apps.cli import values

Function = TypeVar("Function", bound=Callable[..., Any])

FORMATS = ("csv", "tsv", "jsonl", "parquet", "arrow")
"""Kinds of files of rows."""

SHAPES = ("full", "diagonal", "spherical")
"""What a covariance may look like."""


class Source(click.Path):
    """A file, a folder, a pattern such as ``data/*.csv``, or ``-`` for standard input."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The name as it was given, if there is something of that name."""
        if any(sign in value for sign in "*?[") and not Path(value).exists():
            return value  # whether any file is meant by a pattern, its reader says
        return super().convert(value, param, ctx)


SOURCE = Source(exists=True, readable=True, allow_dash=True)
MODEL = click.Path(exists=True, dir_okay=False, readable=True, allow_dash=True)
"""A model file that is there, or ``-``."""

OUTPUT = click.Path(dir_okay=False, allow_dash=True)
"""A file to write, or ``-``."""


class RememberingCommand(click.Command):
    """A command that knows the arguments it was called with, as ``ctx.meta["arguments"]``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As in click."""
        ctx.meta["arguments"] = list(args)
        return super().parse_args(ctx, args)


def seed_option(what: str) -> Callable[[Function], Function]:
    """The option ``--seed``; `what` says what is random."""
    return click.option(
        "--seed",
        type=int,
        default=0,
        show_default=True,
        metavar="N",
        callback=values.seed,
        help=what,
    )


def model_options(function: Function) -> Function:
    """The settings of a model, as `GaussianClassifier` takes them."""
    return together(
        function,
        click.option(
            "--covariance",
            type=click.Choice(SHAPES),
            default="full",
            show_default=True,
            help="What a class's covariance may look like.",
        ),
        _shared_option,
        _divisor_option,
        click.option(
            "--shrinkage",
            callback=values.shrinkage,
            default="none",
            show_default=True,
            metavar="none|oas|NUMBER",
            help="How far covariances move towards the spherical one.",
        ),
        _priors_option,
    )


def choosing_options(function: Function) -> Function:
    """The settings of a model, some of which may be left to be chosen; see `choosing`."""
    return together(
        function,
        click.option(
            "--covariance",
            type=click.Choice([*SHAPES, "auto"]),
            default="full",
            show_default=True,
            help="What a class's covariance may look like; auto chooses, shared or not or in part.",
        ),
        _shared_option,
        estimation_options,
        selection_option,
        smoothing_option,
    )


def estimation_options(function: Function) -> Function:
    """Those settings that have nothing to do with the shape of covariances."""
    return together(
        function,
        _divisor_option,
        click.option(
            "--shrinkage",
            callback=values.any_shrinkage,
            default="none",
            show_default=True,
            metavar="none|oas|auto|NUMBER",
            help="How far covariances move towards the spherical one; auto chooses.",
        ),
        _priors_option,
    )


def selection_option(function: Function) -> Function:
    """The option ``--selection``."""
    return click.option(
        "--selection",
        type=click.Choice(["leave-one-out", "bic"]),
        callback=values.criterion,
        default="leave-one-out",
        show_default=True,
        help="What auto chooses by: the log loss of every row under the model without it, for "
        "which the rows must fit into memory, or BIC.",
    )(function)


def smoothing_option(function: Function) -> Function:
    """The option ``--smoothing``."""
    return click.option(
        "--smoothing",
        callback=values.smoothing,
        default="0",
        show_default=True,
        metavar="ALPHA",
        help="What is added to the weight of every category in every class.",
    )(function)


def _shared_option(function: Function) -> Function:
    """Two options for one setting, of which the last counts: ``--shared`` is ``--sharing 1``."""
    alike: dict[str, Any] = {"default": "0", "callback": values.sharing}
    return together(
        function,
        click.option(
            "--shared", flag_value="1", help="All classes have the same covariance.", **alike
        ),
        click.option(
            "--sharing",
            "shared",
            metavar="NUMBER",
            help="How far the classes' covariances are drawn towards the shared one, from 0 to 1.",
            **alike,
        ),
    )


def _divisor_option(function: Function) -> Function:
    return click.option(
        "--divisor",
        type=click.Choice(["mle", "unbiased"]),
        default="mle",
        show_default=True,
        help="Divide the scatter by N, or by N - 1.",
    )(function)


def _priors_option(function: Function) -> Function:
    return click.option(
        "--priors",
        callback=values.priors,
        default="estimated",
        show_default=True,
        metavar="estimated|uniform|P,Q,...",
        help="The classes' priors; numbers are in the order of the sorted classes.",
    )(function)


def reading_options(function: Function) -> Function:
    """How files of rows are read."""
    return together(
        function,
        click.option(
            "--format",
            "file_format",
            type=click.Choice(FORMATS),
            help="The kind of the data files.  [default: by their names]",
        ),
        click.option(
            "--bad-rows",
            type=click.Choice(["error", "skip"]),
            default="error",
            show_default=True,
            help="Stop at a row that cannot be used, or leave it out, count it and name it.",
        ),
    )


def writing_options(function: Function) -> Function:
    """Where rows are written, and how."""
    return together(
        function,
        click.option(
            "-o",
            "--output",
            type=OUTPUT,
            default="-",
            metavar="FILE",
            help="The file to write, its kind told by its name.  [default: standard output]",
        ),
        click.option(
            "--output-format",
            type=click.Choice(FORMATS),
            help="The kind of the file to write.  [default: by its name, or csv]",
        ),
        escape_option,
    )


def escape_option(function: Function) -> Function:
    """The option ``--escape``."""
    return click.option(
        "--escape",
        is_flag=True,
        help="Put ' before text that a spreadsheet would take for a formula (CSV, TSV).",
    )(function)


def target_option(function: Function) -> Function:
    """The option ``-y``."""
    return click.option(
        "-y", "--target", metavar="TARGET", help="The column that holds the classes."
    )(function)


def features_option(function: Function) -> Function:
    """The option ``--features``."""
    return click.option(
        "--features",
        callback=values.names,
        metavar="A,B,...",
        help="The columns to learn from.  [default: all but the target]",
    )(function)


def categorical_option(function: Function) -> Function:
    """The option ``--categorical``."""
    return click.option(
        "--categorical",
        callback=values.every_name,
        multiple=True,
        metavar="A,B,...",
        help="The features that hold categories; it may be given several times.  [default: those "
        "of a dictionary type in Parquet and Arrow files]",
    )(function)


def weights_option(function: Function) -> Function:
    """The option ``--weights``."""
    return click.option(
        "--weights", metavar="COLUMN", help="The column that says how much each row counts."
    )(function)


def json_option(what: str) -> Callable[[Function], Function]:
    """The option ``--json``; `what` says what it writes."""
    return click.option("--json", "as_json", is_flag=True, help=what)


def together(function: Function, *options: Callable[[Function], Function]) -> Function:
    """Apply decorators so that the help lists them in this order."""
    for option in reversed(options):
        function = option(function)
    return function
