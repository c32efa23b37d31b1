"""Options and arguments that several subcommands have, and what their values mean."""

import csv
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias, get_args

import click

from gaussbayes.base.errors import ParameterError
from gaussbayes.base.types import TransformName
from gaussbayes.families import FAMILIES, family_type

Decorator: TypeAlias = Callable[[Any], Any]

FORMATS = ("csv", "tsv", "jsonl", "parquet", "arrow")  # formats of files of rows
STANDARD = "-"  # standard input or output, where a file is expected
FROM_DATA = "from-data"  # priors that are estimated from the rows to be predicted
LEAVE_ONE_OUT: Literal["loo"] = "loo"

HeldOut: TypeAlias = int | float | Path | Literal["loo"]
"""Folds, a proportion, a file, or one row at a time."""


class _SourcePath(click.Path):
    """A file, a folder, a pattern such as ``data/*.csv``, or ``-`` for standard input."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The name as it was given, if there is something of that name."""
        if any(sign in value for sign in "*?[") and not Path(value).exists():
            return value  # whether a pattern matches any file, its reader says
        return super().convert(value, param, ctx)


SOURCE = _SourcePath(exists=True, readable=True, allow_dash=True)
MODEL = click.Path(exists=True, dir_okay=False, readable=True, allow_dash=True)
"""A model file that exists, or ``-``."""

OUTPUT = click.Path(dir_okay=False, allow_dash=True)  # A file to write, or -
_DATA = click.Path(exists=True, dir_okay=False, readable=True, path_type=Path)
SEED = click.IntRange(0, 2**32 - 1)

_HELP = {
    "--all": "Replay all, in the course's order.",
    "--auto": "Whether the automatic choice of structure and shrinkage is compared, too.",
    "--bad-rows": "Stop at a row that cannot be used, or leave it out, count it and name it.",
    "--bayes-error": "How often the best rule would be wrong if the model were right: simulated, "
    "with its standard error, and an upper bound.",
    "--candidates": "List everything that it chose from, best first.",
    "--categorical": "The features that hold categories; it may be given several times.  [default: "
    "those of a dictionary type in Parquet and Arrow files]",
    "--classes": "The two classes to compare.  [default: the most probable one and the next]",
    "--columns": "The columns to write, in this order.  [default: all]",
    "--covariance": "What a class's covariance may look like; auto chooses, shared or not or in "
    "part.",
    "--costs": "Decide for the class of least expected cost: the cost of deciding B where A is "
    "true, for each pair, or a CSV file with a line for each true class.",
    "--cv": "The same as --held-out N.",
    "--data": "Rows to draw, as DATA.",
    "--divisor": "Divide the scatter by N, or by N - 1.",
    "--dpi": "Dots an inch.",
    "--escape": "Put ' before strings that a spreadsheet would take for a formula (CSV, TSV).",
    "--evidence": "The density of the row, p(x).",
    "--family": f"The family of features, one of {', '.join(FAMILIES)}; it may be given several "
    "times. With gaussian the features named together are a block of their own.",
    "--features": "The columns to learn from.  [default: all but the target]",
    "--features A,B": "The features to show, the others integrated out.  [default: all]",
    "--format": "The format of the data files.  [default: by their names]",
    "--held-out": "What errors are counted on: folds of cross-validation, a proportion of the "
    "rows, the rows of another file, or one row at a time.  [default: 10]",
    "--held-out FOLDS|PROPORTION": "How rows are held out for comparison and neighbors.",
    "--held-out FOLDS|PROPORTION|FILE": "What errors are counted on: folds of cross-validation, a "
    "proportion of the rows, or the rows of another file.",
    "--joint": "The density of row and class, p(x, c).",
    "--keep": "Which columns of the data to pass on: those that are no features, all, none, or "
    "these.",
    "--keep-unlabelled": "Write rows without label into the model file, up to 64 MB, so that it "
    "can be updated and merged, and forget.",
    "--labelled-only": "Leave out rows whose label is missing, which are used otherwise.",
    "--learn-from": "The columns to fit a model to.  [default: all but the target]",
    "--list": "List the kinds of figures and what they need, and exit.",
    "--log-evidence": "Its logarithm, for many features.",
    "--log-joint": "Its logarithm, for many features.",
    "--log-proba": "Its logarithm, exact however small.",
    "--loo": "The same as --held-out loo: leave one out.",
    "--mahalanobis": "The Mahalanobis distance to each class's mean.",
    "--model": "Write the JSON Schema of model files instead.",
    "--neighbors": "How many nearest neighbours vote; '' for none.",
    "--no-browser": "Print the address, but do not open it.",
    "--no-label": "Leave out the column of predicted classes.",
    "--novelty": "Leave open rows that are like no class: less than this proportion of the rows of "
    "every class lie so far out.",
    "--output": "The file to write, its format told by its name.  [default: standard output]",
    "--output FIGURE": "The figure to write, a .png, .svg or .pdf file; - is standard output, as "
    "PNG.",
    "--output MODEL": "The model file to write; - is standard output.",
    "--output NEW": "The model file to write; - is standard output.  [default: MODEL itself]",
    "--output REPORT": "The report to write; it is one file that needs nothing else.",
    "--output-format": "The format of the file to write.  [default: by its name, or csv]",
    "--p-values": "How probable a row of the class is at least so far out.",
    "--plot": "Plot it as well, as a .png, .svg or .pdf file.",
    "--port": "The port of this machine to listen on.  [default: one that is free]",
    "--priors": "The classes' priors; numbers are in the order of the sorted classes.",
    "--priors P,Q,...|own|estimated|uniform": "Other priors than the model's; numbers are in the "
    "order of the sorted classes.",
    "--priors P,Q,...|own|estimated|uniform|from-data": "Other priors than the model's: the "
    "proportions of the rows learnt from (estimated), those that make DATA most probable "
    "(from-data, which reads DATA twice), or numbers in the order of the sorted classes.",
    "--proba": "The probability of each class, p(c | x).",
    "--reference": "What the row is compared with: the mean of all classes, that of B, or a point, "
    "with a number for each Gaussian feature.",
    "--reject": "Leave open, in regions, where no class is as probable as this.",
    "--reject-below": "Leave open rows whose most probable class is less probable than this.",
    "--reject-cost": "Leave open rows of which even the best decision is expected to cost more.",
    "--row": "The row to explain, counted from 1, the header not counted.",
    "--rows": "How many rows to draw.",
    "--sample": "Compare on at most so many rows, drawn at random.",
    "--save": "Save the figures there as PNG files; the directory is made if it is missing.",
    "--selection": "What auto chooses by: the log loss of every row under the model without it, "
    "for which the rows must fit into memory, or BIC.",
    "--settings-of": "Whose settings the result has, if they differ: those of the first model, or "
    "of this one.",
    "--shared": "All classes share one covariance.",
    "--sharing": "How far each class's covariance is shrunk towards the pooled one, from 0 to 1.",
    "--shrinkage": "How far covariances are shrunk towards the spherical one; auto chooses.",
    "--size": "Width and height in inches.  [default: fitting]",
    "--smoothing": "What is added to the weight of each category, and to counts, in every class.",
    "--target": "The column that holds the classes.",
    "--test": "The same as --held-out FILE.",
    "--title": "The heading of the report.",
    "--transform": "What Gaussian features are transformed by, all of them or some: standardised, "
    "yeo-johnson, log or rank-normal; it may be given several times.",
    "--unlabelled": "A label that stands for a missing one, such as -1 or ?.",
    "--unlabelled-weight": "How much a row without label counts beside a labelled one.",
    "--weights": "The column that says how much each row counts.",
}
"""What the help says of options, if need be with what their values are called."""


def option(
    *declarations: str,
    what: str | None = None,
    convert: Callable[[Any], Any] | None = None,
    **settings: Any,
) -> Decorator:
    """An option; a default that is given is shown.

    Parameters
    ----------
    declarations : its names, as click takes them; behind one of them, what its value is called
    what : what the help says; None is what the table says of the option as it is declared
    convert : a function of what was typed; None stays None
    """
    names = [declaration.partition(" ")[0] for declaration in declarations]
    declared = next(each for each in reversed(declarations) if each.startswith("-"))
    flag, _, called = declared.partition(" ")
    what = what or _HELP.get(declared) or _HELP[flag.partition("/")[0]]
    shown = "default" in settings and "flag_value" not in settings
    settings = {"metavar": called or None, "show_default": shown} | settings
    if convert is not None:
        settings["callback"] = lambda _, __, value: None if value is None else convert(value)
    return click.option(*names, help=what, **settings)


# Values: what converts what was typed.


def expect(holds: bool, expected: str, value: str, hint: str | None = None) -> None:
    """Raise unless what is expected of a value holds."""
    if not holds:
        msg = f"expected {expected}, got {value!r}"
        raise click.BadParameter(msg, param_hint=hint)


def as_names(value: str, hint: str | None = None) -> tuple[str, ...]:
    """Names separated by commas; quotes go around one that holds a comma itself."""
    names = tuple(name.strip() for name in next(csv.reader([value]), []))
    different = len(names) > 0 and "" not in names and len(set(names)) == len(names)
    expect(different, "different names separated by commas", value, hint)
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
    """Families of features, given as ``visits=poisson`` or ``height,weight=gaussian``."""
    blocks: dict[tuple[str, ...], str] = {}
    for value in values:
        features, _, family = value.rpartition("=")
        expect(bool(features), "features and a family, such as visits=poisson", value)
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


def as_transform(values: Sequence[str]) -> str | dict[tuple[str, ...], str] | None:
    """Transforms, of all Gaussian features or of some: ``log``, or ``income,area=log``."""
    some: dict[tuple[str, ...], str] = {}
    for value in values:
        features, _, transform = value.rpartition("=")
        known = get_args(TransformName)
        expect(transform in known, f"a transform, one of {', '.join(known)}", transform)
        if not features:
            expect(len(values) == 1, "features and a transform, such as income=log", value)
            return transform
        names = as_names(features)
        for name in names:
            if any(name in others for others in some):
                msg = f"{name!r} must have one transform, but is given two"
                raise click.BadParameter(msg)
        some[names] = transform
    return some or None


def as_numbers(value: str, expected: str, separator: str = ",") -> list[float]:
    """Finite numbers; `expected` says what the message asks for instead."""
    try:
        numbers = [float(number) for number in value.split(separator)]
    except ValueError:
        numbers = [math.nan]
    expect(all(map(math.isfinite, numbers)), expected, value)
    return numbers


def as_priors(value: str) -> list[float] | str | None:
    """``estimated``, which is None, ``uniform``, or a number for each class."""
    if value in {"estimated", "uniform"}:
        return None if value == "estimated" else value
    return as_numbers(value, "'estimated', 'uniform' or numbers such as 0.2,0.8")


def number_from_0(most: float = math.inf, words: str = "") -> Callable[[str], float]:
    """What converts to a finite number from 0 to `most`; `words` may stand in its place."""
    top = " on" if math.isinf(most) else f" to {most:g}"

    def convert(value: str) -> float:
        expected = f"{words}a number from 0{top}"
        (number,) = as_numbers(value, expected, "\n")
        expect(0.0 <= number <= most, expected, value)
        return number

    return convert


def as_shrinkage(value: str) -> float | str | None:
    """``none``, which is None, ``oas``, ``auto`` or a number from 0 to 1."""
    if value in {"none", "oas", "auto"}:
        return None if value == "none" else value
    return number_from_0(1.0, "'auto', 'none', 'oas' or ")(value)


def as_sharing(value: str) -> bool | float:
    """How far covariances are shrunk towards the pooled one; 1 is True, 0 is False."""
    number = number_from_0(1.0)(value)
    return number if 0.0 < number < 1.0 else bool(number)


def as_held_out(value: str) -> HeldOut:
    """A number of folds, a proportion of the rows, a file with other rows, or ``loo``."""
    try:
        number = float(value)
    except ValueError:
        return LEAVE_ONE_OUT if value == LEAVE_ONE_OUT else Path(_DATA.convert(value, None, None))
    if number.is_integer() and number >= 2:
        return int(number)
    wanted = "folds (2 or more), a proportion between 0 and 1, or a file"
    expect(0.0 < number < 1.0, wanted, value)
    return number


# Options that belong together.


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
        """Take them out of the arguments of a command."""
        names = [field.name for field in fields(cls) if field.name in arguments]
        return cls(**{name: arguments.pop(name) for name in names})


FITTED_ROWS = ("features", "categorical", "labelled_only")
"""Those of them that mean something only where a model is fitted."""


HELD_OUT = ("held_out", "cv", "loo", "test")


def take_held_out(arguments: dict[str, Any]) -> HeldOut | None:
    """Take the one of these options that was given out of the arguments; two are a usage error."""
    taken = {name: arguments.pop(name) for name in HELD_OUT}
    given = {name: value for name, value in taken.items() if value is not None}
    if len(given) > 1:
        flags = " and ".join(f"--{name.replace('_', '-')}" for name in given)
        msg = f"{flags} say different things: give one of them"
        raise click.UsageError(msg)
    return next(iter(given.values()), None)


def check_compared_on(held_out: HeldOut) -> None:
    """Raise if single rows were to be held out where models are compared."""
    if held_out == LEAVE_ONE_OUT:
        msg = "models are compared on folds, a proportion or another file: give --held-out one"
        raise click.UsageError(msg)


# The table of arguments and options that several commands have, by name or name of their group.


def takes(*parts: Any, seed: str = "", json: str = "") -> Decorator:
    """Several arguments and options, by their names in the table or as they are, in this order.

    What the help says of ``--seed`` and ``--json``, which come last, depends on the command.
    """
    chosen = [each for part in parts for each in _TABLE.get(part, (part,))]
    if seed:
        chosen.append(option("--seed N", type=SEED, default=0, what=seed))
    if json:
        chosen.append(option("--json", "as_json", is_flag=True, what=json))

    def decorate(function: Any) -> Any:
        for each in reversed(chosen):
            function = each(function)
        return function

    return decorate


def other_priors_option(*words: str) -> Decorator:
    """The option ``--priors`` of a command that is given a model; some words stay as they are."""
    known = ("own", *words)
    return option(
        "|".join(["--priors P,Q,...", "own", "estimated", "uniform", *words]),
        default="own",
        convert=lambda value: value if value in known else as_priors(value),
    )


_FORMAT = option("--format", "file_format", type=click.Choice(FORMATS))
_TABLE: dict[Any, tuple[Decorator, ...]] = {
    "model": (click.argument("model", type=MODEL),),
    "data": (click.argument("data", metavar="DATA...", nargs=-1, required=True, type=SOURCE),),
    # The settings of a model, by the names of `gaussbayes.model.options.check_options`.
    "covariance": (
        option(
            "--covariance",
            type=click.Choice(["full", "diagonal", "spherical", "auto"]),
            default="full",
        ),
        option("--shared", flag_value="1", default="0", convert=as_sharing),
        option("--sharing NUMBER", "shared", default="0", convert=as_sharing),
    ),
    "estimation": (
        option("--divisor", type=click.Choice(["mle", "unbiased"]), default="mle"),
        option("--shrinkage NUMBER|none|oas|auto", default="none", convert=as_shrinkage),
        option("--transform [A,B=]TRANSFORM", "transforms", multiple=True, convert=as_transform),
        option("--priors P,Q,...|estimated|uniform", default="estimated", convert=as_priors),
        option("--smoothing ALPHA", default="0", convert=number_from_0()),
        option("--family A,B=FAMILY", "families", multiple=True, convert=as_families),
        option("--unlabelled-weight NUMBER", default="1", convert=number_from_0()),
        option(
            "--selection",
            type=click.Choice(["leave-one-out", "bic"]),
            default="leave-one-out",
            convert=lambda value: value.replace("-", "_"),
        ),
    ),
    # Rows.
    "target": (option("-y", "--target TARGET"),),
    "features": (option("--features A,B,...", convert=as_names),),
    "categorical": (option("--categorical A,B,...", multiple=True, convert=_all_names),),
    "weights": (option("--weights COLUMN"),),
    "labels": (option("--labelled-only", is_flag=True), option("--unlabelled LABEL")),
    "format": (_FORMAT,),
    "reading": (
        _FORMAT,
        option("--bad-rows", type=click.Choice(["error", "skip"]), default="error"),
    ),
    # Rows held out, also in words that people know.
    "held_out": (
        option("--held-out FOLDS|PROPORTION|FILE|loo", convert=as_held_out),
        option("--cv N", type=click.IntRange(2)),
        option("--loo", flag_value=LEAVE_ONE_OUT),
        option("--test FILE", type=_DATA),
    ),
    "compared_on": (option("--held-out FOLDS|PROPORTION|FILE", default="10", convert=as_held_out),),
    # Output.
    "output": (option("-o", "--output FILE", type=OUTPUT, default=STANDARD, show_default=False),),
    "output_format": (
        option("--output-format", type=click.Choice(FORMATS)),
        option("--escape", is_flag=True),
    ),
}


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
    (r"""\btransforms?=["'](\S+?)["']""", r"--transform \1"),
    (r"\btransforms? names\b", "--transform names"),
    (r"\bunlabelled_weight=0", "--labelled-only"),
    (r"\bcategorical_features\b", "--categorical"),
    (r"\bfamilies (names|has|gives)\b", r"--family \1"),
    (r"\bleave it out of features\b", "leave it out of --features"),
    (r"\bsave\(path, unlabelled_rows=True\)", "--keep-unlabelled"),
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
