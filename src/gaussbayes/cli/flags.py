"""Options of the commands: values as shell text, the tables of options, and shared options."""

import csv
import io
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeAlias

import click
from click.shell_completion import CompletionItem

from gaussbayes import OptionError
from gaussbayes.model.options import COLUMN_OPTIONS, OPTIONS, READ_OPTIONS, Option

Decorator: TypeAlias = Callable[[Any], Any]
Values: TypeAlias = dict[str, Any]
"""Options of the estimator, of `Columns` and of `read`, by their Python names."""

STANDARD = "-"  # standard input or output in place of a file
FORMATS = ("csv", "tsv", "jsonl", "parquet", "arrow")  # files of rows
MODELS: Mapping[str, Values] = {
    "auto": {},
    "lda": {"covariance": "full", "shared": True},
    "qda": {"covariance": "full", "shared": False},
    "naive-bayes": {"covariance": "diagonal", "shared": False},
}
"""Models by name; "auto" is `AutoClassifier`, the others are options of `GaussianClassifier`."""

_IN_PYTHON = {"columns", "client"}  # objects without a form in a shell
FIT_OPTIONS = tuple(
    entry for entry in (*OPTIONS, *COLUMN_OPTIONS, *READ_OPTIONS) if entry.name not in _IN_PYTHON
)
READ_NAMES = frozenset(entry.name for entry in READ_OPTIONS)
COLUMN_NAMES = frozenset(entry.name for entry in COLUMN_OPTIONS)
_MODEL = Option("model", None, "Model by name.", (None, *MODELS))
TABLE = {entry.name: entry for entry in (_MODEL, *FIT_OPTIONS)}
_NEGATED = {
    "header": "Text files begin with rows, not with the names of the columns.",
    "keep_default_na": "Do not treat NA, N/A, NaN, null, None, ? … as missing values.",
}
_WORDS = {"none": None, "true": True, "yes": True, "false": False, "no": False}


# Values as shell text.


def items(text: str) -> list[str]:
    """Split a list at commas; an item that contains a comma is in double quotes.

    >>> items('wind,"a, b"')
    ['wind', 'a, b']
    """
    return [item.strip() for item in next(csv.reader([text], skipinitialspace=True), []) if item]


def joined(values: Iterable[object], delimiter: str = ",") -> str:
    """Write a list in the form that `items` reads.

    >>> joined(["wind", "a, b"])
    'wind,"a, b"'
    """
    line = io.StringIO()
    csv.writer(line, delimiter=delimiter, lineterminator="").writerow(values)
    return line.getvalue()


def scalar(text: str) -> Any:
    """Return a number if the text is one, otherwise the text.

    >>> scalar("3"), scalar("0.5"), scalar("a")
    (3, 0.5, 'a')
    """
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def numbers(text: str) -> list[float]:
    """Read a list of numbers."""
    values = [scalar(item) for item in items(text)]
    if not values or not all(isinstance(value, int | float) for value in values):
        msg = f"must be numbers separated by commas, got {text!r}"
        raise click.BadParameter(msg)
    return values


def parse(entry: Option, texts: Sequence[str]) -> Any:
    """Read the value of an option; several texts add up to one list or mapping.

    >>> parse(TABLE["shared"], ["0.5"]), parse(TABLE["exclude"], ["id,date", "name"])
    (0.5, ['id', 'date', 'name'])
    >>> parse(TABLE["na_values"], ["age=-1,unknown", "size=?"])
    {'age': ['-1', 'unknown'], 'size': ['?']}
    """
    last = texts[-1]
    word = _WORDS.get(last.lower(), last)
    value: Any = word
    if not any(word is choice or word == choice for choice in entry.choices):
        if entry.name == "na_values":
            value = _marks(texts)
        elif entry.form and all("=" in text for text in texts):
            pairs = (item.rpartition("=") for text in texts for item in items(text))
            value = {scalar(key): scalar(each) for key, _, each in pairs}
        elif "names" in entry.kinds:
            value = [item for text in texts for item in items(text)]
        elif list in entry.types:
            value = [scalar(item) for item in items(last)]
        elif entry.range is not None or object in entry.types:
            value = scalar(last)
    entry.check(value)
    return value


def _marks(texts: Sequence[str]) -> list[str] | dict[str, list[str]]:
    """Marks of missing values: for all columns, or by column."""
    named = [text.partition("=") for text in texts if "=" in text]
    if not named:
        return [item for text in texts for item in items(text)]
    if len(named) < len(texts):
        msg = "na_values must be given for all columns or per column (COLUMN=VALUE), not both"
        raise OptionError(msg)
    marks: dict[str, list[str]] = {}
    for column, _, values in named:
        marks.setdefault(column, []).extend(items(values))
    return marks


def pasted(name: str, value: Any) -> str:
    """Write an option of the current command with its value, for pasting into the shell."""
    context = click.get_current_context(silent=True)
    params = [] if context is None else context.command.params
    native = any(param.name == name for param in params if isinstance(param, click.Option))
    flag = f"--{name.replace('_', '-')}"
    if native and isinstance(value, bool):
        return flag if value else flag.replace("--", "--no-", 1)
    texts = ["none" if value is None else str(value).lower() if value is True else str(value)]
    if name == "na_values" and isinstance(value, Mapping):
        texts = [f"{column}={joined(marks)}" for column, marks in value.items()]
    elif isinstance(value, Mapping):
        texts = [joined(f"{key}={each}" for key, each in value.items())]
    elif isinstance(value, list | tuple):
        texts = [joined(value)]
    if not native:
        flag, texts = "--set-option", [f"{name}={text}" for text in texts]
    return " ".join(f"{flag} {shlex.quote(text)}" for text in texts)


# Options of the tables.


def table_options(entries: Iterable[Option]) -> Decorator:
    """Derive the command-line options of a table, in its order."""

    def decorate(function: Any) -> Any:
        for entry in reversed(tuple(entries)):
            function = _table_option(entry)(function)
        return function

    return decorate


class _TableValue(click.ParamType):  # type: ignore[type-arg]
    name = "value"

    def __init__(self, entry: Option) -> None:
        self.entry = entry

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            parse(self.entry, [value])
        except OptionError as error:
            self.fail(str(error), param, ctx)
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        del ctx, param
        words = [choice for choice in self.entry.choices if isinstance(choice, str)]
        return [CompletionItem(word) for word in words if word.startswith(incomplete)]


def _table_option(entry: Option) -> Decorator:
    flag = f"--{entry.name.replace('_', '-')}"
    if entry.kinds == ("bool",):
        text = _NEGATED[entry.name] if entry.default else entry.help
        flag = flag.replace("--", "--no-", 1) if entry.default else flag
        return click.option(flag, entry.name, flag_value=str(not entry.default), help=text)
    words = "|".join(str(choice) for choice in entry.choices if isinstance(choice, str))
    form = "|".join(filter(None, [entry.metavar, words])) if entry.range else entry.metavar or words
    form += ",..." if "names" in entry.kinds or entry.is_list else ""
    more: Values = {"type": _TableValue(entry), "name": entry.name}
    if "bool" in entry.kinds:  # the value may be omitted
        form, more = f"[{form}]", more | {"is_flag": False, "flag_value": "true"}
    default = "" if entry.default in (None, False, 0.0) else f"  [default: {entry.default}]"
    repeatable = entry.is_list or entry.name == "transforms"
    return option(f"{flag} {form}", entry.help + default, multiple=repeatable, **more)


def given_values(arguments: Values) -> Values:
    """Remove the options of the tables from a command's arguments, and return the given ones."""
    texts: dict[str, list[str]] = {}
    for name in TABLE:
        text = arguments.pop(name, None)
        if text not in (None, ()):
            texts[name] = list(text) if isinstance(text, tuple) else [text]
    for setting in arguments.pop("set_option", ()):
        name, equals, text = setting.partition("=")
        name = name.replace("-", "_")
        if not equals or name not in TABLE:
            near = get_close_matches(name, TABLE, n=1)
            close = f" (did you mean {near[0]!r}?)" if near else ""
            wrong = f"there is no option {name!r}{close}" if equals else f"{setting!r} has no '='"
            msg = f"{wrong}; write NAME=VALUE with one of {', '.join(TABLE)}"
            raise click.BadParameter(msg, param_hint="'--set-option'")
        texts.setdefault(name, []).append(text)
    return {name: parse(TABLE[name], given) for name, given in texts.items()}


# Arguments and options that several commands have.


def option(names: str, text: str, *, name: str = "", **more: Any) -> Decorator:
    """Declare an option by its flags, the form of its value, its help and its Python name.

    ``option("-o --output FILE", "File to write.", default="-")``; without a form it is a flag.
    """
    *flags, form = names.split()
    if form.startswith("-"):
        return click.option(*flags, form, *filter(None, [name]), is_flag=True, help=text, **more)
    more["show_default"] = more.get("default") not in (None, STANDARD)
    return click.option(*flags, *filter(None, [name]), metavar=form, help=text, **more)


class _SourcePath(click.Path):
    """A file, a folder, a pattern such as ``data/*.csv``, or ``-`` for standard input."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        is_pattern = any(sign in value for sign in "*?[") and not Path(value).exists()
        return value if is_pattern else super().convert(value, param, ctx)


SOURCE = _SourcePath(exists=True, readable=True, allow_dash=True)
MODEL = click.Path(exists=True, dir_okay=False, readable=True, allow_dash=True)
OUTPUT = click.Path(dir_okay=False, allow_dash=True)
PROBABILITY = click.FloatRange(0, 1)

model = click.argument("model", type=MODEL)
files = click.argument("files", metavar="FILE...", nargs=-1, required=True, type=SOURCE)
model_and_files = click.argument(
    "files", metavar="[MODEL] FILE...", nargs=-1, required=True, type=SOURCE
)
target = option("-y --target COLUMN", "Column of the classes.")
weights = option("--weights COLUMN", "Column of sample weights.")
as_json = option("--json", "Write the result as JSON.", name="as_json")
row = option("--row N", "Row of the file, from 1.", type=click.IntRange(1), default=1)
settings = option(
    "--set-option NAME=VALUE",
    "Set an option of fit by its Python name, such as exclude=id; repeatable.",
    multiple=True,
)
cv = option(
    "--cv FOLDS|FRACTION|loo",
    "Held-out rows: a number of folds, a fraction of the rows, or leave-one-out.",
    callback=lambda _, __, text: None if text is None else _held_out(text),
)
costs = option(
    "--costs TRUE:DECIDED=COST,...|FILE",
    "Cost of each error, as pairs or as a CSV file with a line for each true class.",
    callback=lambda _, __, text: None if text is None else _costs(text),
)


def _held_out(text: str) -> int | float | str:
    value = scalar(text)
    folds = isinstance(value, int) and value >= 2
    if not (folds or text == "loo" or (isinstance(value, float) and 0 < value < 1)):
        msg = f"must be 'loo', at least 2 folds or a fraction between 0 and 1, got {text!r}"
        raise click.BadParameter(msg)
    return value  # type: ignore[no-any-return]


def _costs(text: str) -> dict[tuple[object, object], float]:
    """Costs by true and decided class; a correct decision costs 0 unless given."""
    costs: dict[tuple[object, object], float] = {}
    for true, decided, cost in _cost_triples(text):
        pair, number = (scalar(true), scalar(decided)), scalar(cost)
        if not (true and decided and isinstance(number, int | float)) or pair in costs:
            msg = f"must be pairs such as 'ill:well=50,well:ill=1' or a CSV file, got {text!r}"
            raise click.BadParameter(msg)
        costs[pair] = float(number)
    return costs


def _cost_triples(text: str) -> Iterable[tuple[str, str, str]]:
    path = Path(text)
    if not path.is_file():
        for item in items(text):
            pair, _, cost = item.rpartition("=")
            yield *pair.partition(":")[::2], cost
        return
    text = path.read_text("utf-8-sig")
    (_, *decided), *lines = [line for line in csv.reader(text.splitlines()) if line] or [[""]]
    for true, *cells in lines:
        for other, cost in zip(decided, cells, strict=False):
            if cost or other != true:
                yield true, other, cost
