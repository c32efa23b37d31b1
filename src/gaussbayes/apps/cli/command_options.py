"""Options and arguments that several subcommands have, and what their values mean."""

import csv
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias, TypeVar

import click

from gaussbayes.families.registry import FAMILIES

Function = TypeVar("Function", bound=Callable[..., Any])

FORMATS = ("csv", "tsv", "jsonl", "parquet", "arrow")
"""Formats of files of rows."""

STANDARD = "-"
"""Standard input or output, where a file is expected."""

FROM_DATA = "from-data"
"""Priors that are estimated from the rows to be predicted."""

LEAVE_ONE_OUT: Literal["loo"] = "loo"

HeldOut: TypeAlias = int | float | Path | Literal["loo"]
"""Folds, a proportion, a file, or one row at a time."""

_SHAPES = ("full", "diagonal", "spherical")
_LARGEST_SEED = 2**32 - 1
"""That scikit-learn takes."""


class Source(click.Path):
    """A file, a folder, a pattern such as ``data/*.csv``, or ``-`` for standard input."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The name as it was given, if there is something of that name."""
        if any(sign in value for sign in "*?[") and not Path(value).exists():
            return value  # whether a pattern matches any file, its reader says
        return super().convert(value, param, ctx)


SOURCE = Source(exists=True, readable=True, allow_dash=True)
MODEL = click.Path(exists=True, dir_okay=False, readable=True, allow_dash=True)
"""A model file that exists, or ``-``."""

OUTPUT = click.Path(dir_okay=False, allow_dash=True)
"""A file to write, or ``-``."""

_DATA = click.Path(exists=True, dir_okay=False, readable=True, path_type=Path)


def together(*options: Callable[[Function], Function]) -> Callable[[Function], Function]:
    """Several decorators as one; the help lists them in this order."""

    def decorate(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


# Values.


def as_names(value: str, option: str | None = None) -> tuple[str, ...]:
    """Names separated by commas; quotes go around one that holds a comma itself.

    Examples
    --------
    >>> as_names('length,"width, inner"')
    ('length', 'width, inner')
    """
    names = tuple(name.strip() for name in next(csv.reader([value]), []))
    if not names or "" in names or len(set(names)) < len(names):
        msg = f"expected different names separated by commas, got {value!r}"
        raise click.BadParameter(msg, param_hint=option)
    return names


def _names(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    return None if value is None else as_names(value)


def _all_names(
    _: click.Context, __: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...] | None:
    """Names of an option that may be given several times."""
    names = tuple(name for part in value for name in as_names(part))
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        msg = f"{twice!r} is given twice"
        raise click.BadParameter(msg)
    return names or None


def families(
    ctx: click.Context | None, param: click.Parameter | None, value: tuple[str, ...]
) -> dict[tuple[str, ...], str] | None:
    """Families of features: a name, or several separated by commas, each time.

    Examples
    --------
    >>> families(None, None, ("visits=poisson", "height,weight=gaussian"))
    {('visits',): 'poisson', ('height', 'weight'): 'gaussian'}
    """
    del ctx, param
    from gaussbayes.base.errors import ParameterError
    from gaussbayes.families.registry import family_type

    blocks: dict[tuple[str, ...], str] = {}
    family_of: dict[str, str] = {}
    for text in value:
        features, _, family = text.rpartition("=")
        if not features:
            msg = f"expected features and a family, such as visits=poisson, got {text!r}"
            raise click.BadParameter(msg)
        try:
            family_type(family)
        except ParameterError as error:
            raise click.BadParameter(str(error)) from None
        names = as_names(features)
        for name in names:
            if name in family_of:
                both = f"{family_of[name]!r} and {family!r}"
                msg = f"{name!r} must have one family, but is given two: {both}"
                raise click.BadParameter(msg)
            family_of[name] = family
        blocks[names] = family
    return blocks or None


def priors(_: click.Context, __: click.Parameter, value: str) -> list[float] | str | None:
    """``estimated``, ``uniform``, or a number for each class.

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


def _other_priors(
    *words: str,
) -> Callable[[click.Context, click.Parameter, str], list[float] | str | None]:
    """As `priors`, or one of some words as it is."""

    def convert(ctx: click.Context, param: click.Parameter, value: str) -> list[float] | str | None:
        return value if value in words else priors(ctx, param, value)

    return convert


def shrinkage(_: click.Context, __: click.Parameter, value: str) -> float | str | None:
    """``none``, ``oas``, ``auto`` or a number from 0 to 1.

    Examples
    --------
    >>> shrinkage(None, None, "0.5"), shrinkage(None, None, "none")
    (0.5, None)
    """
    if value in {"none", "oas", "auto"}:
        return None if value == "none" else value
    intensity = _number(value)
    if intensity is None or not 0.0 <= intensity <= 1.0:
        msg = f"expected 'auto', 'none', 'oas' or a number between 0 and 1, got {value!r}"
        raise click.BadParameter(msg)
    return intensity


def sharing(_: click.Context, __: click.Parameter, value: str) -> bool | float:
    """How far covariances are shrunk towards the pooled one; 1 is True, 0 is False.

    Examples
    --------
    >>> sharing(None, None, "0.5"), sharing(None, None, "1")
    (0.5, True)
    """
    number = _number(value)
    if number is None or not 0.0 <= number <= 1.0:
        msg = f"expected a number between 0 and 1, got {value!r}"
        raise click.BadParameter(msg, param_hint="'--sharing'")
    return number if 0.0 < number < 1.0 else bool(number)


def _not_negative(_: click.Context, __: click.Parameter, value: str) -> float:
    number = _number(value)
    if number is None or not 0.0 <= number < math.inf:
        msg = f"expected a number, 0 or more, got {value!r}"
        raise click.BadParameter(msg)
    return number


def held_out(
    ctx: click.Context | None, param: click.Parameter | None, value: str | None
) -> HeldOut | None:
    """A number of folds, a proportion of the rows, a file with other rows, or ``loo``.

    Examples
    --------
    >>> held_out(None, None, "10"), held_out(None, None, "0.3"), held_out(None, None, "loo")
    (10, 0.3, 'loo')
    """
    if value is None or value == LEAVE_ONE_OUT:
        return LEAVE_ONE_OUT if value else None
    number = _number(value)
    if number is None:
        path: Path = _DATA.convert(value, param, ctx)
        return path
    if number.is_integer() and number >= 2:
        return int(number)
    if not 0.0 < number < 1.0:
        what = "expected folds (2 or more), a proportion between 0 and 1, or a file"
        msg = f"{what}, got {value!r}"
        raise click.BadParameter(msg)
    return number


def _seed(_: click.Context, __: click.Parameter, value: int) -> int:
    if not 0 <= value <= _LARGEST_SEED:
        msg = f"expected an integer from 0 to {_LARGEST_SEED}, got {value}"
        raise click.BadParameter(msg)
    return value


def _number(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


# The settings of a model: their names are those of `gaussbayes.model.options.check_options`.

_shared_option = together(
    click.option(
        "--shared",
        flag_value="1",
        default="0",
        callback=sharing,
        help="All classes share one covariance.",
    ),
    click.option(
        "--sharing",
        "shared",
        default="0",
        callback=sharing,
        metavar="NUMBER",
        help="How far each class's covariance is shrunk towards the pooled one, from 0 to 1.",
    ),
)

estimation_options = together(
    click.option(
        "--divisor",
        type=click.Choice(["mle", "unbiased"]),
        default="mle",
        show_default=True,
        help="Divide the scatter by N, or by N - 1.",
    ),
    click.option(
        "--shrinkage",
        callback=shrinkage,
        default="none",
        show_default=True,
        metavar="none|oas|auto|NUMBER",
        help="How far covariances are shrunk towards the spherical one; auto chooses.",
    ),
    click.option(
        "--priors",
        callback=priors,
        default="estimated",
        show_default=True,
        metavar="estimated|uniform|P,Q,...",
        help="The classes' priors; numbers are in the order of the sorted classes.",
    ),
    click.option(
        "--smoothing",
        callback=_not_negative,
        default="0",
        show_default=True,
        metavar="ALPHA",
        help="What is added to the weight of each category, and to counts, in every class.",
    ),
    click.option(
        "--family",
        "families",
        multiple=True,
        callback=families,
        metavar="A,B=FAMILY",
        help=f"The family of features, one of {', '.join(FAMILIES)}; may be given several times. "
        "With gaussian the features named together are a block of their own.",
    ),
    click.option(
        "--unlabelled-weight",
        callback=_not_negative,
        default="1",
        show_default=True,
        metavar="NUMBER",
        help="How much a row without label counts beside a labelled one.",
    ),
    click.option(
        "--selection",
        type=click.Choice(["leave-one-out", "bic"]),
        callback=lambda _, __, value: value.replace("-", "_"),
        default="leave-one-out",
        show_default=True,
        help="What auto chooses by: the log loss of every row under the model without it, for "
        "which the rows must fit into memory, or BIC.",
    ),
)
"""The settings that have nothing to do with the shape of covariances."""

model_options = together(
    click.option(
        "--covariance",
        type=click.Choice([*_SHAPES, "auto"]),
        default="full",
        show_default=True,
        help="What a class's covariance may look like; auto chooses, shared or not or in part.",
    ),
    _shared_option,
    estimation_options,
)
"""The settings of a model, some of which may be left to be chosen."""


def check_settings(settings: dict[str, Any]) -> Any:
    """The `Options` of a model; a usage error where options contradict one another."""
    from gaussbayes.model.options import check_options

    if settings.get("covariance") == "auto" and settings["shared"]:
        msg = (
            "--covariance auto chooses whether covariances are shared, too: leave out --shared "
            "and --sharing"
        )
        raise click.UsageError(msg)
    if "auto" not in {settings.get("covariance"), settings["shrinkage"]}:
        check_no_selection("give --covariance auto or --shrinkage auto")
    return check_options(**settings)


def check_no_selection(remedy: str) -> None:
    """Raise if it was said what to choose by where nothing is to be chosen."""
    if option_given("selection") is not None:
        msg = f"--selection says what auto chooses by: {remedy}"
        raise click.UsageError(msg)


def option_given(*names: str) -> str | None:
    """The first of some parameters of the command that the user has given, as it is written."""
    context = click.get_current_context()
    source = click.core.ParameterSource
    for param in context.command.params:
        name = param.name or ""
        given = context.get_parameter_source(name) in {source.COMMANDLINE, source.ENVIRONMENT}
        if name in names and given:
            # Two options may write to one setting; which of them was given is not kept.
            return " or ".join(
                each.opts[-1] for each in context.command.params if each.name == name
            )
    return None


# Rows.


@dataclass(frozen=True, slots=True)
class RowOptions:
    """Which columns of files are read as what, and how."""

    target: str | None = None
    features: tuple[str, ...] | None = None  # None is every other column
    categorical: tuple[str, ...] | None = None  # None are those of a categorical type
    weights: str | None = None
    unlabelled: str | None = None  # the label that stands for a missing one
    labelled_only: bool = False  # whether rows without label are left out
    file_format: str | None = None
    bad_rows: Literal["error", "skip"] = "error"

    @classmethod
    def taken(cls, arguments: dict[str, Any]) -> Self:
        """Take them out of the arguments of a command.

        Examples
        --------
        >>> arguments = {"target": "species", "seed": 3}
        >>> RowOptions.taken(arguments).target, arguments
        ('species', {'seed': 3})
        """
        names = [field.name for field in fields(cls) if field.name in arguments]
        return cls(**{name: arguments.pop(name) for name in names})


def target_option(default: str = "") -> Callable[[Function], Function]:
    """The option ``-y``; `default` says which column it is without."""
    return click.option(
        "-y",
        "--target",
        metavar="TARGET",
        help="The column that holds the classes." + (f"  [default: {default}]" if default else ""),
    )


categorical_option = click.option(
    "--categorical",
    callback=_all_names,
    multiple=True,
    metavar="A,B,...",
    help="The features that hold categories; it may be given several times.  [default: those "
    "of a dictionary type in Parquet and Arrow files]",
)

feature_options = together(
    click.option(
        "--features",
        callback=_names,
        metavar="A,B,...",
        help="The columns to learn from.  [default: all but the target]",
    ),
    categorical_option,
)

weights_option = click.option(
    "--weights", metavar="COLUMN", help="The column that says how much each row counts."
)

label_options = together(
    click.option(
        "--labelled-only",
        is_flag=True,
        help="Leave out rows whose label is missing, which are used otherwise.",
    ),
    click.option(
        "--unlabelled",
        metavar="LABEL",
        help="A label that stands for a missing one, such as -1 or ?.",
    ),
)

format_option = click.option(
    "--format",
    "file_format",
    type=click.Choice(FORMATS),
    help="The format of the data files.  [default: by their names]",
)

reading_options = together(
    format_option,
    click.option(
        "--bad-rows",
        type=click.Choice(["error", "skip"]),
        default="error",
        show_default=True,
        help="Stop at a row that cannot be used, or leave it out, count it and name it.",
    ),
)


def other_priors_option(what: str, *words: str) -> Callable[[Function], Function]:
    """The option ``--priors`` of a command that is given a model."""
    extra = "".join(f"|{word}" for word in words)
    return click.option(
        "--priors",
        callback=_other_priors("own", *words),
        default="own",
        show_default=True,
        metavar=f"own|estimated|uniform{extra}|P,Q,...",
        help=what,
    )


def names_option(*declarations: str, **settings: Any) -> Callable[[Function], Function]:
    """An option whose value is names separated by commas."""
    return click.option(*declarations, callback=_names, **settings)


# Rows held out.


def held_out_option(metavar: str, what: str) -> Callable[[Function], Function]:
    """The option ``--held-out``, which is 10 folds by default."""
    return click.option(
        "--held-out", callback=held_out, default="10", show_default=True, metavar=metavar, help=what
    )


held_out_options = together(
    click.option(
        "--held-out",
        callback=held_out,
        metavar="FOLDS|PROPORTION|FILE|loo",
        help="What errors are counted on: folds of cross-validation, a proportion of the rows, "
        "the rows of another file, or one row at a time.  [default: 10]",
    ),
    click.option("--cv", type=click.IntRange(2), metavar="N", help="The same as --held-out N."),
    click.option("--loo", is_flag=True, help="The same as --held-out loo: leave one out."),
    click.option("--test", type=_DATA, metavar="FILE", help="The same as --held-out FILE."),
)
"""``--held-out`` and, in words that people know, ``--cv``, ``--loo`` and ``--test``."""


def held_out_given(
    held_out: HeldOut | None, cv: int | None, loo: bool, test: Path | None
) -> HeldOut | None:
    """The one of these options that was given, or None; two are a usage error.

    Examples
    --------
    >>> held_out_given(None, 5, False, None)
    5
    """
    values: dict[str, HeldOut | None] = {
        "--held-out": held_out,
        "--cv": cv,
        "--loo": LEAVE_ONE_OUT if loo else None,
        "--test": test,
    }
    given = {option: value for option, value in values.items() if value is not None}
    if len(given) > 1:
        msg = f"{' and '.join(given)} say different things: give one of them"
        raise click.UsageError(msg)
    return next(iter(given.values()), None)


# Output.

escape_option = click.option(
    "--escape",
    is_flag=True,
    help="Put ' before strings that a spreadsheet would take for a formula (CSV, TSV).",
)

output_format_option = click.option(
    "--output-format",
    type=click.Choice(FORMATS),
    help="The format of the file to write.  [default: by its name, or csv]",
)

writing_options = together(
    click.option(
        "-o",
        "--output",
        type=OUTPUT,
        default=STANDARD,
        metavar="FILE",
        help="The file to write, its format told by its name.  [default: standard output]",
    ),
    output_format_option,
    escape_option,
)


def json_option(what: str) -> Callable[[Function], Function]:
    """The option ``--json``; `what` says what it writes."""
    return click.option("--json", "as_json", is_flag=True, help=what)


def seed_option(what: str) -> Callable[[Function], Function]:
    """The option ``--seed``; `what` says what is random."""
    return click.option(
        "--seed", type=int, default=0, show_default=True, metavar="N", callback=_seed, help=what
    )


# Messages of the library name arguments of Python: here they are options.

_ARGUMENTS: Sequence[tuple[str, str]] = (
    (r"""\w+="?\w+"? \((--[\w -]+?) on the command line\)""", r"\1"),
    (r"""as features \((--features) on the command line\)""", r"with \1"),
    (r"""give format \((--[\w-]+) on the command line\)""", r"give \1"),
    (r"""\(categorical_features; (--categorical) where a command has it\)""", r"(\1)"),
    (r"""\bcovariance=["']?(\w+)["']?""", r"--covariance \1"),
    (r"""\bselection=["']?bic["']?""", "--selection bic"),
    (r"""\bshared=True\b""", "--shared"),
    (r"""\(shared=False\)""", "(without --shared)"),
    (r"""\bgive shrinkage\b""", "give --shrinkage"),
    (r"""\bset smoothing\b""", "set --smoothing"),
    (r"""\bcategorical_features\b""", "--categorical"),
    (r"""\bfamilies (names|has|gives)\b""", r"--family \1"),
    (r"""\bleave it out of features\b""", "leave it out of --features"),
    (r""" \(marginal\)""", ""),
    (r""" \(score_samples\)""", " (--log-evidence)"),
)


def in_options(message: str) -> str:
    """A message of the library with options in place of Python's arguments.

    Examples
    --------
    >>> in_options("use covariance='diagonal', or share one (shared=True)")
    'use --covariance diagonal, or share one (--shared)'
    """
    for pattern, option in _ARGUMENTS:
        message = re.sub(pattern, option, message)
    return message
