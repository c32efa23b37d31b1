"""Options and arguments that several subcommands have, and what their values mean."""

import ast
import csv
import io
import math
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias, get_args

import click

from gaussbayes.base.errors import OptionError
from gaussbayes.base.missing_marks import MissingMarks
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


class _Words(click.Choice[str]):
    """Words that Python spells with underscores; either is understood."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The word as Python has it."""
        word: str = super().convert(str(value).replace("_", "-"), param, ctx)
        return word.replace("-", "_")


SOURCE = _SourcePath(exists=True, readable=True, allow_dash=True)
MODEL = click.Path(exists=True, dir_okay=False, readable=True, allow_dash=True)
"""A model file that exists, or ``-``."""

OUTPUT = click.Path(dir_okay=False, allow_dash=True)  # A file to write, or -
_DATA = click.Path(exists=True, dir_okay=False, readable=True, path_type=Path)
SEED = click.IntRange(0, 2**32 - 1)

MODEL_NAMES = ("auto", "average", "qda", "lda", "rda", "naive-bayes")
_MODEL_NAMES = "|".join(MODEL_NAMES)

_HELP = {
    "--all": "Replay all, in the course's order.",
    "--auto/--no-auto": "Compare the automatic model, too.",
    "--average/--no-average": "Compare the automatic average, too.",
    "--bad-rows": "Stop at a row that cannot be used, or leave it out, count it and name it.",
    "--bayes-error": "How often the best rule would be wrong if the model were right: simulated, "
    "with its standard error, and an upper bound.",
    "--calibration": "Make posteriors as sure as rows left out say they may be.",
    "--candidates": "List everything that it chose from, best first.",
    "--categorical": "Features that hold categories; it may be given several times.  [default: "
    "strings, booleans and what is of a categorical type]",
    "--classes": "The two classes to compare.  [default: the most probable one and the next]",
    "--coded": "Whether categories and missing values are coded as numbers that are Gaussian "
    "together with the others.",
    "--decay": "Let all rows seen before count so many times as much: above 0, at most 1.",
    "--min-p": "End with exit code 4 if the p-value of everything together is below this.",
    "--dtype": "What ONNX calculates in, and the type of its numbers.",
    "--columns": "The columns to write, in this order.  [default: all]",
    "--covariance": "What a class's covariance may look like; auto chooses, shared or not or in "
    "part.",
    "--costs": "Decide for the class of least expected cost: the cost of deciding B where A is "
    "true, for each pair, or a CSV file with a line for each true class.",
    "--cv": "The same as --held-out N.",
    "--data": "Rows to draw, as DATA.",
    "--dialect": "The SQL of which database.",
    "--divisor": "Divide the scatter by N, or by N - 1.",
    "--dpi": "Dots an inch.",
    "--engine": "Who reads the files: the cores of this machine, or Spark.",
    "--errors": "What becomes of a row without a score, such as one with missing values in a "
    "pattern that is not written out: NULL, or an error when the statement is run.",
    "--escape": "Put ' before strings that a spreadsheet would take for a formula (CSV, TSV).",
    "--estimate": "Gaussians with estimated covariances, or covariances integrated out.",
    "--evidence": "The density of the row, p(x).",
    "--exclude": "Columns not to learn from, also patterns such as 'temp_*'; it may be given "
    "several times.",
    "--family": f"The family of features, one of {', '.join(FAMILIES)}; it may be given several "
    "times. With gaussian the features named together are a block of their own.",
    "--features": "The columns to learn from, also patterns such as 'temp_*'.  [default: all that "
    "something can be learnt from]",
    "--features A,B": "The features to show, the others integrated out.  [default: all]",
    "--format": "The format of the data files.  [default: by their names]",
    "--held-out": "What errors are counted on: folds of cross-validation, a proportion of the "
    "rows, the rows of another file, or one row at a time.  [default: 10]",
    "--held-out FOLDS|PROPORTION": "How rows are held out for comparison and neighbors.",
    "--joint": "The density of row and class, p(x, c).",
    "--keep": "Which columns of the data to pass on: those that are no features, all, none, or "
    "these.",
    "--keep-identifiers": "Learn also from columns that seem to identify rows.",
    "--keep-unlabelled": "Write rows without label into the model file, up to 64 MB, so that it "
    "can be updated and merged, and forget.",
    "--learn-from": "The columns to fit a model to.  [default: all that something can be learnt "
    "from]",
    "--list": "List the kinds of figures and what they need, and exit.",
    "--log-evidence": "Its logarithm, for many features.",
    "--log-joint": "Its logarithm, for many features.",
    "--log-proba": "Its logarithm, exact however small.",
    "--loo": "The same as --held-out loo: leave one out.",
    "--mahalanobis": "The Mahalanobis distance to each class's mean.",
    f"--model {_MODEL_NAMES}": "The kind of model. auto: transform, sharing and shrinkage chosen, "
    "and posteriors calibrated, by rows left out; average: the candidates averaged with the "
    "weights that predict rows left out best; rda: sharing and shrinkage alone chosen; the others "
    "are the textbook's. Options below that are given are not chosen; the defaults shown are those "
    "of plain models.  [default: auto, or qda with the options given if one of --covariance, "
    "--shared, --sharing, --estimate, --divisor, --shrinkage, --transform, --selection or "
    "--calibration is given]",
    "--model": "Write the JSON Schema of model files instead.",
    "--na-values": "What stands for a missing value beside an empty one, NA, N/A, NaN, null, None, "
    "? and ., in all columns or in one, also the target; it may be given several times.",
    "--neighbors": "How many nearest neighbours vote; '' for none.",
    "--no-default-na": "Let only empty values, and what --na-values names, be missing: NA, None, ? "
    "and the like are categories and labels.",
    "--no-header": "The first line of CSV and TSV files is a row, and the columns are x1, x2, ...",
    "--no-label": "Leave out the column of predicted classes.",
    "--no-open": "Write the page, but do not open the browser.",
    "--novelty": "Leave open rows that are like no class: less than this proportion of the rows of "
    "every class lie so far out.",
    "--numeric": "Features that hold numbers, whatever they look like; it may be given several "
    "times.",
    "--output": "The file to write, its format told by its name.  [default: standard output]",
    "--output FIGURE": "The figure to write, a .png, .svg or .pdf file; - is standard output, as "
    "PNG.",
    "--output MODEL": "The model file to write; - is standard output.",
    "--output NEW": "The model file to write; - is standard output.  [default: MODEL itself]",
    "--output REPORT": "The report to write; it is one file that needs nothing else.",
    "--output PAGE": "The page to write; it is one file that needs nothing else.",
    "--output-format": "The format of the file to write.  [default: by its name, or csv]",
    "--p-values": "How probable a row of the class is at least so far out.",
    "--plot": "Plot it as well, as a .png, .svg or .pdf file.",
    "--priors": "The classes' priors; numbers are in the order of the sorted classes.",
    "--priors P,Q,...|own|estimated|uniform": "Other priors than the model's; numbers are in the "
    "order of the sorted classes.",
    "--priors P,Q,...|own|estimated|uniform|from-data": "Other priors than the model's: the "
    "proportions of the rows learnt from (estimated), those that make DATA most probable "
    "(from-data, which reads DATA twice), or numbers in the order of the sorted classes.",
    "--output EXPORT": "The file to write, .sql or .onnx; - is standard output, for SQL.",
    "--patterns": "For full covariances, which patterns of missing values are written out: those "
    "of the training rows, or all, of at most seven features.",
    "--proba": "The probability of each class, p(c | x).",
    "--reference": "What the row is compared with: the mean of all classes, that of B, or a point, "
    "with a number for each Gaussian feature.",
    "--row-names": "The column that says who a row is, to be named beside its number.  [default: a "
    "column that identifies rows, if there is one]",
    "--reject": "Leave open, in regions, where no class is as probable as this.",
    "--reject-below": "Leave open rows whose most probable class is less probable than this.",
    "--reject-cost": "Leave open rows of which even the best decision is expected to cost more.",
    "--row": "The row to explain, counted from 1, the header not counted.",
    "--rows": "How many rows to draw.",
    "--sample": "Compare on at most so many rows, drawn at random.  [default: 20000, with --loo "
    "300]",
    "--selection": "What --covariance auto and --shrinkage auto choose by: the log loss of every "
    "row under the model without it, or BIC.",
    "--set": "The classes that the row may be of, so many that the true one is among them with "
    "this probability, parted by |.",
    "--set-by-class": "The same probability within each class, not over all rows.",
    "--settings-of": "Whose settings the result has, if they differ: those of the first model, or "
    "of this one.",
    "--shared": "All classes share one covariance.",
    "--sharing": "How far each class's covariance is shrunk towards the pooled one, from 0 to 1.",
    "--shrinkage": "How far covariances are shrunk towards their target; auto chooses.",
    "--shrinkage-target": "What covariances are shrunk towards: no correlations, or one variance "
    "for all features.",
    "--size": "Width and height in inches.  [default: fitting]",
    "--smoothing": "What is added to the weight of each category, and to counts, in every class.  "
    "[default: 1; of plain models 0]",
    "--surface": "Draw the evidence as a surface.",
    "--target": "The column that holds the classes.",
    "--test": "The same as --held-out FILE.",
    "--title": "The heading of the report.",
    "--table": "The table: a name, or schema.name.",
    "--transform": "What Gaussian features are transformed by, all of them or some: standardised, "
    "yeo-johnson, log or rank-normal; it may be given several times.",
    "--unlabelled": "Whether rows whose label is missing are learnt from, by EM, or left out.",
    "--unlabelled-weight": "How much a row without label counts beside a labelled one; auto is 1, "
    "or 0 where the model is chosen, unless 0.1 or 1 predicts labelled rows clearly better.",
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
    what = what or _HELP.get(declared) or _HELP[flag]
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
        except OptionError as error:
            raise click.BadParameter(str(error)) from None
        names = as_names(features)
        for others, other in blocks.items():
            for name in set(names) & set(others):
                msg = f"{name!r} must have one family, but is given two: {other!r} and {family!r}"
                raise click.BadParameter(msg)
        blocks[names] = family
    return blocks or None


def as_na_values(values: Sequence[str]) -> tuple[Any, ...]:
    """What stands for missing values, in all columns or in one: ``-999``, ``age=-1,unknown``."""
    given: list[Any] = []
    for value in values:
        column, _, marks = value.rpartition("=")
        each = [mark.strip() for mark in next(csv.reader([marks]), [])]
        given += [{column: each}] if column else each
    return tuple(given)


def as_transform(values: Sequence[str]) -> str | dict[tuple[str, ...], str] | None:
    """Transforms, of all Gaussian features or of some: ``log``, or ``income,area=log``."""
    if not values:
        return None
    from gaussbayes.base.types import TransformName

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
    """``none``, which is None, ``oas``, ``ledoit-wolf``, ``auto`` or a number from 0 to 1."""
    if value in {"none", "oas", "ledoit-wolf", "auto"}:
        return None if value == "none" else value
    return number_from_0(1.0, "'auto', 'none', 'oas', 'ledoit-wolf' or ")(value)


def as_unlabelled_weight(value: str) -> float | str:
    """``auto`` or a number from 0 on."""
    return value if value == "auto" else number_from_0(words="'auto' or ")(value)


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


_PLAIN = (
    *("covariance", "shared", "estimate", "divisor", "shrinkage", "shrinkage_target", "transforms"),
    *("selection", "calibration"),
)
"""Options that ask for a plain model: without any of them it is chosen."""

_FIXED = {
    "auto": ("covariance", "estimate", "selection"),
    "average": ("covariance", "estimate", "selection"),
}
"""What else than covariance and sharing the models of some names say themselves."""


def check_settings(settings: dict[str, Any]) -> Any:
    """The `Options` of a model; a usage error where options contradict one another."""
    from gaussbayes.model.options import NAMED_MODELS

    settings = dict(settings)
    name = settings.pop("model_name")
    if name is None and option_given(*_PLAIN) is None:
        name = "auto"
    named = dict(NAMED_MODELS.get(name, {}))
    if given := name and option_given(*_FIXED.get(name, ("covariance", "shared"))):
        msg = f"--model {name} says by itself what {given} is about: leave out one of them"
        raise click.UsageError(msg)
    if "target" in named:
        named["shrinkage_target"] = named.pop("target")
    settings |= {key: value for key, value in named.items() if not option_given(key)}
    chosen = settings["covariance"] == "auto" and option_given("covariance")
    if chosen and settings["shared"] not in (False, "auto"):
        msg = (
            "--covariance auto chooses whether covariances are shared, too: leave out --shared "
            "and --sharing"
        )
        raise click.UsageError(msg)
    if "auto" not in {settings["covariance"], settings["shrinkage"], settings["shared"]}:
        check_no_selection("give --covariance auto or --shrinkage auto")
    return plain_options(settings)


def plain_options(settings: dict[str, Any]) -> Any:
    """The `Options` of settings whose target of shrinkage is not called as the column is."""
    from gaussbayes.model.options import check_options

    settings = dict(settings)
    target = settings.pop("shrinkage_target")
    return check_options(**settings, target=target)


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
    features: tuple[str, ...] | None = None  # None is what something can be learnt from
    exclude: tuple[str, ...] | None = None
    categorical: tuple[str, ...] | None = None  # beside strings and booleans
    numeric: tuple[str, ...] | None = None
    keep_identifiers: bool = False
    weights: str | None = None
    unlabelled: Literal["use", "drop"] = "use"  # whether rows without label are learnt from
    na_values: tuple[Any, ...] = ()  # strings, or a column and a string
    keep_default_na: bool = True
    file_format: str | None = None
    header: bool = True
    bad_rows: Literal["error", "skip"] = "error"

    @classmethod
    def taken(cls, arguments: dict[str, Any]) -> Self:
        """Take them out of the arguments of a command."""
        names = [field.name for field in fields(cls) if field.name in arguments]
        return cls(**{name: arguments.pop(name) for name in names})

    @property
    def labelled_only(self) -> bool:
        """Whether rows without label are left out."""
        return self.unlabelled == "drop"

    def missing(self, model: Any = None) -> MissingMarks:
        """What stands for missing values; with a model also what did when it was fitted."""
        if model is None:
            return MissingMarks.given(self.na_values, keep_default_na=self.keep_default_na)
        marks: MissingMarks = model.schema.missing
        return marks.plus(MissingMarks.given(self.na_values, keep_default_na=False))


FITTED_ROWS = ("features", "exclude", "categorical", "numeric", "keep_identifiers", "unlabelled")
"""Those of them that mean something only where a model is fitted."""


HELD_OUT = ("held_out", "cv", "loo", "test")
_FOLDS = 10


def take_held_out(arguments: dict[str, Any]) -> HeldOut:
    """Take the one of these options that was given out of the arguments; two are a usage error.

    If none was, rows are held out in ten folds.
    """
    taken = {name: arguments.pop(name) for name in HELD_OUT}
    given = {name: value for name, value in taken.items() if value is not None}
    if len(given) > 1:
        flags = " and ".join(f"--{name.replace('_', '-')}" for name in given)
        msg = f"{flags} say different things: give one of them"
        raise click.UsageError(msg)
    return next(iter(given.values()), _FOLDS)


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
    "model_name": (
        option(f"--model {_MODEL_NAMES}", "model_name", type=click.Choice(MODEL_NAMES)),
    ),
    "estimation": (
        option("--estimate", type=_Words(["plug-in", "predictive"]), default="plug-in"),
        option("--divisor", type=click.Choice(["mle", "unbiased"]), default="mle"),
        option(
            "--shrinkage NUMBER|none|oas|ledoit-wolf|auto", default="none", convert=as_shrinkage
        ),
        option(
            "--shrinkage-target", type=click.Choice(["diagonal", "spherical"]), default="diagonal"
        ),
        option("--transform [A,B=]TRANSFORM", "transforms", multiple=True, convert=as_transform),
        option(
            "--coded",
            type=click.Choice(["no", "yes", "auto"]),
            default="no",
            convert=lambda value: {"no": False, "yes": True}.get(value, value),
        ),
        option("--priors P,Q,...|estimated|uniform", default="estimated", convert=as_priors),
        option(
            "--smoothing ALPHA",
            default="0",
            show_default=False,
            convert=number_from_0(),
        ),
        option("--family A,B=FAMILY", "families", multiple=True, convert=as_families),
        option("--unlabelled-weight NUMBER|auto", default="auto", convert=as_unlabelled_weight),
        option("--selection", type=_Words(["leave-one-out", "bic"]), default="leave-one-out"),
        option(
            "--calibration",
            type=_Words(["leave-one-out", "none"]),
            default="none",
            convert=lambda value: None if value == "none" else value,
        ),
    ),
    # Rows.
    "target": (option("-y", "--target TARGET"),),
    "features": (option("--features A,B,...", convert=as_names),),
    "categorical": (
        option("--exclude A,B,...", multiple=True, convert=_all_names),
        option("--categorical A,B,...", multiple=True, convert=_all_names),
        option("--numeric A,B,...", multiple=True, convert=_all_names),
        option("--keep-identifiers", is_flag=True),
    ),
    "weights": (option("--weights COLUMN"),),
    "labels": (
        option("--unlabelled", type=click.Choice(["use", "drop"]), default="use"),
        option("--na-values [COLUMN=]A,B,...", multiple=True, convert=as_na_values),
        option("--no-default-na", "keep_default_na", flag_value=False, default=True),
    ),
    "format": (_FORMAT,),
    "reading": (
        _FORMAT,
        option("--no-header", "header", flag_value=False, default=True, show_default=False),
        option("--bad-rows", type=click.Choice(["error", "skip"]), default="error"),
    ),
    "row_names": (option("--row-names COLUMN"),),
    # Rows held out, also in words that people know.
    "held_out": (
        option("--held-out FOLDS|PROPORTION|FILE|loo", convert=as_held_out),
        option("--cv N", type=click.IntRange(2)),
        option("--loo", flag_value=LEAVE_ONE_OUT),
        option("--test FILE", type=_DATA),
    ),
    # Output.
    "output": (option("-o", "--output FILE", type=OUTPUT, default=STANDARD, show_default=False),),
    "output_format": (
        option("--output-format", type=click.Choice(FORMATS)),
        option("--escape", is_flag=True),
    ),
}


# Messages of the library name arguments of Python: here they are options.

AUTOMATIC_MODEL = "--model auto"
"""How the automatic choice is asked for."""

# A string, and a list of strings, as Python writes them.
_STRING = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_LIST = rf"(\[(?:{_STRING}(?:, )?)*\])"


def pasted(names: Sequence[str]) -> str:
    """Names to be pasted into a shell, as `as_names` takes them.

    >>> print(pasted(["wind", "sea state", "a,b"]))
    'wind,sea state,"a,b"'
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return shlex.quote(line.getvalue())


def _pasted(option: str, names: str) -> str:
    """An option with names that are written as Python's list."""
    return f"{option} {pasted(ast.literal_eval(names))}"


def _pasted_marks(marks: str) -> str:
    """What stands for missing values of a column, written as Python's mapping, as an option."""
    ((column, values),) = ast.literal_eval(marks).items()
    return f"--na-values {shlex.quote(column + '=' + ','.join(values))}"


_ARGUMENTS: tuple[tuple[str, Any], ...] = (
    (r'\w+="?\w+"? \((--[\w -]+?) on the command line\)', r"\1"),
    (r"give format \((--[\w-]+) on the command line\)", r"give \1"),
    (rf"(?<=\]), (?=categorical_features={_LIST})", " "),
    (rf"\bcategorical_features={_LIST}", lambda found: _pasted("--categorical", found[1])),
    (rf"\bfeatures={_LIST}", lambda found: _pasted("--features", found[1])),
    (rf"\bexclude={_LIST}", lambda found: _pasted("--exclude", found[1])),
    (rf"\bna_values=(\{{{_STRING}: {_LIST}\}})", lambda found: _pasted_marks(found[1])),
    (r"AutoClassifier\(\)", AUTOMATIC_MODEL),
    (
        r"""\b(covariance|divisor|estimate|shrinkage|smoothing)=["']?([\w.]+)["']?""",
        lambda found: f"--{found[1]} {found[2].replace('_', '-')}",
    ),
    (r"""\bselection=["']?bic["']?""", "--selection bic"),
    (r"""\bcalibration=["']leave_one_out["']""", "--calibration leave-one-out"),
    (r"\bshared=True\b", "--shared"),
    (r"\bshared=([\d.]+)", r"--sharing \1"),
    (r"\(shared=False\)", "(without --shared)"),
    (r"\bcoded=False\b", "--coded no"),
    (r"\bgive shrinkage\b", "give --shrinkage"),
    (r"\bset smoothing\b", "set --smoothing"),
    (r"""\btransforms=["'](\S+?)["']""", r"--transform \1"),
    (r"add rows to one model with partial_fit, or give .*\(transforms=.*\)", "or update one model"),
    (r"\btransforms? names\b", "--transform names"),
    (r"\bunlabelled_weight=0", "--unlabelled drop"),
    (r"\bcategorical_features\b", "--categorical"),
    (r"\bgive other labels \(y\)", "take another column as the target (-y)"),
    (r"\bnamed by (exclude|features)\b", r"named by --\1"),
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
    >>> print(in_options("they hold categories (categorical_features=['sex', 'home, sweet'])"))
    they hold categories (--categorical 'sex,"home, sweet"')
    """
    for pattern, replacement in _ARGUMENTS:
        message = re.sub(pattern, replacement, message)
    return message
