"""Options and arguments that several subcommands have, and what their values mean."""

import csv
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias, TypeVar

import click

from gaussbayes.base.errors import ParameterError
from gaussbayes.families.registry import FAMILIES, family_type

Function = TypeVar("Function", bound=Callable[..., Any])
Decorator: TypeAlias = Callable[[Function], Function]

FORMATS = ("csv", "tsv", "jsonl", "parquet", "arrow")
"""Formats of files of rows."""

STANDARD = "-"
"""Standard input or output, where a file is expected."""

FROM_DATA = "from-data"
"""Priors that are estimated from the rows to be predicted."""

LEAVE_ONE_OUT: Literal["loo"] = "loo"

HeldOut: TypeAlias = int | float | Path | Literal["loo"]
"""Folds, a proportion, a file, or one row at a time."""

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


_SHAPES = click.Choice(["full", "diagonal", "spherical", "auto"])
_CRITERIA = click.Choice(["leave-one-out", "bic"])

_HELP = {
    "--bad-rows": "Stop at a row that cannot be used, or leave it out, count it and name it.",
    "--categorical": "The features that hold categories; it may be given several times.  [default: "
    "those of a dictionary type in Parquet and Arrow files]",
    "--covariance": "What a class's covariance may look like; auto chooses, shared or not or in "
    "part.",
    "--cv": "The same as --held-out N.",
    "--divisor": "Divide the scatter by N, or by N - 1.",
    "--escape": "Put ' before strings that a spreadsheet would take for a formula (CSV, TSV).",
    "--family": f"The family of features, one of {', '.join(FAMILIES)}; it may be given several "
    "times. With gaussian the features named together are a block of their own.",
    "--features": "The columns to learn from.  [default: all but the target]",
    "--format": "The format of the data files.  [default: by their names]",
    "--held-out": "What errors are counted on: folds of cross-validation, a proportion of the "
    "rows, the rows of another file, or one row at a time.  [default: 10]",
    "--labelled-only": "Leave out rows whose label is missing, which are used otherwise.",
    "--loo": "The same as --held-out loo: leave one out.",
    "--output": "The file to write, its format told by its name.  [default: standard output]",
    "--output-format": "The format of the file to write.  [default: by its name, or csv]",
    "--priors": "The classes' priors; numbers are in the order of the sorted classes.",
    "--selection": "What auto chooses by: the log loss of every row under the model without it, "
    "for which the rows must fit into memory, or BIC.",
    "--shared": "All classes share one covariance.",
    "--sharing": "How far each class's covariance is shrunk towards the pooled one, from 0 to 1.",
    "--shrinkage": "How far covariances are shrunk towards the spherical one; auto chooses.",
    "--smoothing": "What is added to the weight of each category, and to counts, in every class.",
    "--target": "The column that holds the classes.",
    "--test": "The same as --held-out FILE.",
    "--unlabelled": "A label that stands for a missing one, such as -1 or ?.",
    "--unlabelled-weight": "How much a row without label counts beside a labelled one.",
    "--weights": "The column that says how much each row counts.",
}
"""What the help says of options that several subcommands have."""


def option(*declarations: str, what: str | None = None, **settings: Any) -> Decorator[Any]:
    """An option; a default that is given is shown.

    Parameters
    ----------
    declarations : its names, as click takes them; behind one of them, what its value is called
    what : what the help says; None is what it says of every option of this name
    settings : as click takes them

    Examples
    --------
    >>> command = option("-n", "--rows N", what="How many rows.")(click.Command("sample"))
    """
    names = [declaration.partition(" ")[0] for declaration in declarations]
    called = [declaration.partition(" ")[2] for declaration in declarations]
    flag = next(name for name in reversed(names) if name.startswith("-"))
    shown = "default" in settings and "flag_value" not in settings
    settings = {"metavar": "".join(called) or None, "show_default": shown} | settings
    return click.option(*names, help=_HELP[flag] if what is None else what, **settings)


def together(*options: Decorator[Any]) -> Decorator[Any]:
    """Several decorators as one; the help lists them in this order."""

    def decorate(function: Function) -> Function:
        for each in reversed(options):
            function = each(function)
        return function

    return decorate


def data_argument(metavar: str = "DATA...") -> Decorator[Any]:
    """Files of rows; with another name in the usage they are the argument ``arguments``."""
    name = "data" if metavar == "DATA..." else "arguments"
    return click.argument(name, metavar=metavar, nargs=-1, required=True, type=SOURCE)


# Values: a converter takes what was typed, and is a callback of click by `_by`.


def _by(convert: Callable[[Any], Any]) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """A callback that converts what was typed; None stays None."""
    return lambda _, __, value: None if value is None else convert(value)


def as_names(value: str, hint: str | None = None) -> tuple[str, ...]:
    """Names separated by commas; quotes go around one that holds a comma itself.

    Examples
    --------
    >>> as_names('length,"width, inner"')
    ('length', 'width, inner')
    """
    names = tuple(name.strip() for name in next(csv.reader([value]), []))
    if not names or "" in names or len(set(names)) < len(names):
        msg = f"expected different names separated by commas, got {value!r}"
        raise click.BadParameter(msg, param_hint=hint)
    return names


def _all_names(values: Sequence[str]) -> tuple[str, ...] | None:
    """Names of an option that may be given several times."""
    names = tuple(name for value in values for name in as_names(value))
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        msg = f"{twice[0]!r} is given twice"
        raise click.BadParameter(msg)
    return names or None


def as_families(values: Sequence[str]) -> dict[tuple[str, ...], str] | None:
    """Families of features: a name, or several separated by commas, each time.

    Examples
    --------
    >>> as_families(["visits=poisson", "height,weight=gaussian"])
    {('visits',): 'poisson', ('height', 'weight'): 'gaussian'}
    """
    blocks: dict[tuple[str, ...], str] = {}
    for value in values:
        features, _, family = value.rpartition("=")
        if not features:
            msg = f"expected features and a family, such as visits=poisson, got {value!r}"
            raise click.BadParameter(msg)
        try:
            family_type(family)
        except ParameterError as error:
            raise click.BadParameter(str(error)) from None
        names = as_names(features)
        for others, other in blocks.items():
            for name in set(names) & set(others):
                msg = f"{name!r} must have one family, but is given two: {other!r} and {family!r}"
                raise click.BadParameter(msg)
        blocks[names] = family
    return blocks or None


def as_priors(value: str) -> list[float] | str | None:
    """``estimated``, ``uniform``, or a number for each class.

    Examples
    --------
    >>> as_priors("0.2,0.8")
    [0.2, 0.8]
    """
    if value in {"estimated", "uniform"}:
        return None if value == "estimated" else value
    try:
        return [float(number) for number in value.split(",")]
    except ValueError:
        msg = f"expected 'estimated', 'uniform' or numbers such as 0.2,0.8, got {value!r}"
        raise click.BadParameter(msg) from None


def _as_number(value: str, expected: str, most: float, hint: str | None = None) -> float:
    """A number from 0 to `most`, which must be finite."""
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not (0.0 <= number <= most and math.isfinite(number)):
        msg = f"expected {expected}, got {value!r}"
        raise click.BadParameter(msg, param_hint=hint)
    return number


def as_shrinkage(value: str) -> float | str | None:
    """``none``, ``oas``, ``auto`` or a number from 0 to 1.

    Examples
    --------
    >>> as_shrinkage("0.5"), as_shrinkage("none")
    (0.5, None)
    """
    if value in {"none", "oas", "auto"}:
        return None if value == "none" else value
    return _as_number(value, "'auto', 'none', 'oas' or a number between 0 and 1", 1.0)


def as_sharing(value: str) -> bool | float:
    """How far covariances are shrunk towards the pooled one; 1 is True, 0 is False.

    Examples
    --------
    >>> as_sharing("0.5"), as_sharing("1")
    (0.5, True)
    """
    number = _as_number(value, "a number between 0 and 1", 1.0, "'--sharing'")
    return number if 0.0 < number < 1.0 else bool(number)


def _underscored(value: str) -> str:
    return value.replace("-", "_")


def _not_negative(value: str) -> float:
    return _as_number(value, "a number, 0 or more", math.inf)


def as_held_out(value: str) -> HeldOut:
    """A number of folds, a proportion of the rows, a file with other rows, or ``loo``.

    Examples
    --------
    >>> as_held_out("10"), as_held_out("0.3"), as_held_out("loo")
    (10, 0.3, 'loo')
    """
    if value == LEAVE_ONE_OUT:
        return LEAVE_ONE_OUT
    try:
        number = float(value)
    except ValueError:
        path: Path = _DATA.convert(value, None, None)
        return path
    if number.is_integer() and number >= 2:
        return int(number)
    if not 0.0 < number < 1.0:
        what = "expected folds (2 or more), a proportion between 0 and 1, or a file"
        msg = f"{what}, got {value!r}"
        raise click.BadParameter(msg)
    return number


def _as_seed(value: int) -> int:
    if not 0 <= value <= _LARGEST_SEED:
        msg = f"expected an integer from 0 to {_LARGEST_SEED}, got {value}"
        raise click.BadParameter(msg)
    return value


# The settings of a model: their names are those of `gaussbayes.model.options.check_options`.

estimation_options = together(
    option("--divisor", type=click.Choice(["mle", "unbiased"]), default="mle"),
    option("--shrinkage NUMBER|none|oas|auto", default="none", callback=_by(as_shrinkage)),
    option("--priors P,Q,...|estimated|uniform", default="estimated", callback=_by(as_priors)),
    option("--smoothing ALPHA", default="0", callback=_by(_not_negative)),
    option("--family A,B=FAMILY", "families", multiple=True, callback=_by(as_families)),
    option("--unlabelled-weight NUMBER", default="1", callback=_by(_not_negative)),
    option("--selection", type=_CRITERIA, default="leave-one-out", callback=_by(_underscored)),
)
"""The settings that have nothing to do with the shape of covariances."""

model_options = together(
    option("--covariance", type=_SHAPES, default="full"),
    option("--shared", flag_value="1", default="0", callback=_by(as_sharing)),
    option("--sharing NUMBER", "shared", default="0", callback=_by(as_sharing)),
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
    params, source = context.command.params, click.core.ParameterSource
    for name in (str(param.name) for param in params):
        given = context.get_parameter_source(name) in {source.COMMANDLINE, source.ENVIRONMENT}
        if name in names and given:
            # Two options may write to one setting; which of them was given is not kept.
            return " or ".join(param.opts[-1] for param in params if param.name == name)
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


def names_option(declaration: str, *names: str, what: str) -> Decorator[Any]:
    """An option whose value is names separated by commas."""
    return option(declaration, *names, callback=_by(as_names), what=what)


target_option = option("-y", "--target TARGET")
categorical_option = option("--categorical A,B,...", multiple=True, callback=_by(_all_names))
feature_options = together(option("--features A,B,...", callback=_by(as_names)), categorical_option)
weights_option = option("--weights COLUMN")
label_options = together(option("--labelled-only", is_flag=True), option("--unlabelled LABEL"))
format_option = option("--format", "file_format", type=click.Choice(FORMATS))
reading_options = together(
    format_option, option("--bad-rows", type=click.Choice(["error", "skip"]), default="error")
)


def other_priors_option(what: str, *words: str) -> Decorator[Any]:
    """The option ``--priors`` of a command that is given a model; some words stay as they are."""
    known = {"own", *words}
    declaration = "|".join(["--priors P,Q,...", "own", "estimated", "uniform", *words])
    convert = _by(lambda value: value if value in known else as_priors(value))
    return option(declaration, default="own", callback=convert, what=what)


# Rows held out.


def held_out_option(metavar: str, what: str) -> Decorator[Any]:
    """The option ``--held-out``, which is 10 folds by default."""
    return option(f"--held-out {metavar}", default="10", callback=_by(as_held_out), what=what)


compared_on_option = held_out_option(
    "FOLDS|PROPORTION|FILE",
    "What errors are counted on: folds of cross-validation, a proportion of the rows, or the rows "
    "of another file.",
)

held_out_options = together(
    option("--held-out FOLDS|PROPORTION|FILE|loo", callback=_by(as_held_out)),
    option("--cv N", type=click.IntRange(2)),
    option("--loo", is_flag=True),
    option("--test FILE", type=_DATA),
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
    single = LEAVE_ONE_OUT if loo else None
    values = {"--held-out": held_out, "--cv": cv, "--loo": single, "--test": test}
    given = {name: value for name, value in values.items() if value is not None}
    if len(given) > 1:
        msg = f"{' and '.join(given)} say different things: give one of them"
        raise click.UsageError(msg)
    return next(iter(given.values()), None)


def check_compared_on(held_out: HeldOut) -> None:
    """Raise if single rows were to be held out where models are compared."""
    if held_out == LEAVE_ONE_OUT:
        msg = "models are compared on folds, a proportion or another file: give --held-out one"
        raise click.UsageError(msg)


# Output.

escape_option = option("--escape", is_flag=True)
output_format_option = option("--output-format", type=click.Choice(FORMATS))
writing_options = together(
    option("-o", "--output FILE", type=OUTPUT, default=STANDARD, show_default=False),
    output_format_option,
    escape_option,
)


def json_option(what: str) -> Decorator[Any]:
    """The option ``--json``; `what` says what it writes."""
    return option("--json", "as_json", is_flag=True, what=what)


def seed_option(what: str) -> Decorator[Any]:
    """The option ``--seed``; `what` says what is random."""
    return option("--seed N", type=int, default=0, callback=_by(_as_seed), what=what)


# Messages of the library name arguments of Python: here they are options.

_ARGUMENTS = (
    (r'\w+="?\w+"? \((--[\w -]+?) on the command line\)', r"\1"),
    (r"as features \((--features) on the command line\)", r"with \1"),
    (r"give format \((--[\w-]+) on the command line\)", r"give \1"),
    (r"\(categorical_features; (--categorical) where a command has it\)", r"(\1)"),
    (r"""\bcovariance=["']?(\w+)["']?""", r"--covariance \1"),
    (r"""\bselection=["']?bic["']?""", "--selection bic"),
    (r"\bshared=True\b", "--shared"),
    (r"\(shared=False\)", "(without --shared)"),
    (r"\bgive shrinkage\b", "give --shrinkage"),
    (r"\bset smoothing\b", "set --smoothing"),
    (r"\bunlabelled_weight=0", "--labelled-only"),
    (r"\bcategorical_features\b", "--categorical"),
    (r"\bfamilies (names|has|gives)\b", r"--family \1"),
    (r"\bleave it out of features\b", "leave it out of --features"),
    (r" \(marginal\)", ""),
    (r" \(score_samples\)", " (--log-evidence)"),
)


def in_options(message: str) -> str:
    """A message of the library with options in place of Python's arguments.

    Examples
    --------
    >>> in_options("use covariance='diagonal', or share one (shared=True)")
    'use --covariance diagonal, or share one (--shared)'
    """
    for pattern, replacement in _ARGUMENTS:
        message = re.sub(pattern, replacement, message)
    return message
