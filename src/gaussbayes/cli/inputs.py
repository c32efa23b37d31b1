"""Models and rows that commands work with: made from options, read from files, written back."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from gaussbayes import (
    AutoClassifier,
    Columns,
    DataError,
    FileError,
    GaussianClassifier,
    compare,
    load,
    read,
)
from gaussbayes.cli import console
from gaussbayes.cli.flags import COLUMN_NAMES, MODELS, READ_NAMES, STANDARD, Values, pasted

if TYPE_CHECKING:
    import pyarrow as pa

    from gaussbayes.data.read import Source

Classifier: TypeAlias = AutoClassifier | GaussianClassifier
Rows: TypeAlias = "Source"
"""What `read` returns."""
_COMMON = frozenset(signature(AutoClassifier).parameters)  # options that both estimators have


def make_classifier(values: Values) -> Classifier:
    """Return the estimator of some options: automatic unless one of them says otherwise."""
    options = {key: value for key, value in values.items() if key not in COLUMN_NAMES | READ_NAMES}
    name = options.pop("model", None)
    columns = {key: value for key, value in values.items() if key in COLUMN_NAMES}
    if columns:
        options["columns"] = Columns(**columns)
    named = MODELS[name or "auto"]
    gaussian = [key for key in options if key not in _COMMON]
    for key in named if name != "auto" else gaussian:
        if key in options:
            msg = f"--model {name} decides about {key}: omit one of them"
            raise click.UsageError(msg)
    if name == "auto" or (name is None and not gaussian):
        return AutoClassifier(**options)
    return GaussianClassifier(**(named | options))


def open_rows(files: Sequence[str], values: Values) -> "Source":
    """Return the rows of the files that a command names."""
    model = next(filter(holds_model, files), None)
    if model is not None:
        msg = f"{model} is a model file, and files of rows are needed here"
        raise click.UsageError(msg)
    how = {key: value for key, value in values.items() if key in READ_NAMES}
    rows = read(files[0] if len(files) == 1 else list(files), **how)
    return rows.named(values["names"]) if "names" in values else rows


def check_inputs(*names: str) -> None:
    """Raise if standard input is to be read twice."""
    if names.count(STANDARD) > 1:
        msg = "standard input (-) can be read once only: give a file in the other place"
        raise click.UsageError(msg)


def required_target(target: str | None, rows: "Source") -> str:
    """Return the column of the classes, which must be given."""
    if target is None:
        msg = f"which column holds the classes? Give -y with one of {', '.join(rows.names)}"
        raise click.UsageError(msg)
    return target


def fitted_target(model: Classifier, target: str | None, name: str) -> str:
    """Return the column of the classes: as given, or that which the model was fitted to."""
    known = target or model.columns_.target
    if known is None:
        msg = f"the model {name} does not know its target column: give -y COLUMN"
        raise click.UsageError(msg)
    return known


def read_or_make(
    files: tuple[str, ...], target: str | None, values: Values
) -> "tuple[Classifier, Source, str, str | None]":
    """Return the model, the rows, the target and the model file, if any, of ``[MODEL] FILE...``."""
    name, data = split_model(files)
    check_inputs(*files)
    if name is None:
        rows = open_rows(data, values)
        return make_classifier(values), rows, required_target(target, rows), None
    check_only_reading(values)
    if not data:
        msg = f"on which rows? Give FILE after {name}"
        raise click.UsageError(msg)
    model = load_model(name)
    return model, open_rows(data, values), fitted_target(model, target, name), name


def in_memory(model: Classifier, rows: "Source", y: str) -> "pa.Table":
    """Return all rows, with the types that they have to the model or would have to its fit."""
    return rows.table(getattr(model, "columns_", None) or rows.columns(y, model.columns))


def compared(X: "Source | pa.Table", y: str, values: Values, **how: Any) -> Any:
    """Compare models on the rows, with the options about columns."""
    if not set(values) <= READ_NAMES | COLUMN_NAMES:
        msg = "--compare fits its own models: --set-option may only be about columns and files"
        raise click.UsageError(msg)
    return compare(X, y, columns=make_classifier(values).columns, **how)


def fitted_with_rows(
    files: tuple[str, ...], target: str | None, values: Values
) -> "tuple[Classifier, Source | pa.Table, str]":
    """Return a model that was read or is fitted to the rows, the rows and their target."""
    model, rows, y, name = read_or_make(files, target, values)
    X = in_memory(model, rows, y) if STANDARD in files else rows  # which can be read once only
    if name is None:
        with console.warnings_as_notices(fitting=True):
            model.fit(X, y)
        console.tell_notices(model.notices_)
    return model, X, y


def used_columns(model: Classifier, table: "pa.Table") -> "pa.Table":
    """Return the columns of a table that a model uses, which must be there."""
    used, present = [column.name for column in model.columns_.used], table.column_names
    missing = [name for name in used if name not in present]
    if missing:
        near = get_close_matches(missing[0], present, n=1)
        close = f" (did you mean {near[0]!r}?)" if near else ""
        listed = f"missing: {', '.join(missing)}{close}; columns: {', '.join(present)}"
        msg = f"{len(missing)} of {counted(len(used), 'feature')} of the model {listed}"
        raise DataError(msg)
    return table.select(used)


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun.

    >>> counted(1, "class", "classes"), counted(1500, "row")
    ('1 class', '1,500 rows')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


# Model files.


def holds_model(name: str) -> bool:
    """Whether a file begins like a model file."""
    if not name.lower().endswith(".json") or not Path(name).is_file():
        return False
    with Path(name).open("rb") as file:
        start = file.read(256)
    return start.lstrip().startswith(b"{") and b"gaussbayes" in start


def split_model(files: tuple[str, ...]) -> tuple[str | None, tuple[str, ...]]:
    """Split ``[MODEL] FILE...``: a first file that ends in .json must hold a model."""
    first, *others = files
    if holds_model(first) or (first == STANDARD and others):
        return first, tuple(others)
    if first.lower().endswith(".json") and Path(first).is_file():
        msg = f"{first} is not a model file of gaussbayes; name rows in JSON lines .jsonl"
        raise FileError(msg)
    return None, files


def check_only_reading(values: Values) -> None:
    """Raise for options of a fit where a fitted model is given."""
    for name, value in values.items():
        if name not in READ_NAMES | {"names"}:
            msg = f"{pasted(name, value)} is for fitting, but the model is given: omit it"
            raise click.UsageError(msg)


def load_model(name: str) -> Classifier:
    """Return the model in a file, or on standard input."""
    if name != STANDARD:
        return load(name)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "standard input"
        path.write_bytes(sys.stdin.buffer.read())
        return load(path)


@contextmanager
def unchanged(name: str, content: bytes | None) -> Iterator[None]:
    """Hold the lock of a model file, and raise if it no longer has this content.

    Two commands that change one model cannot both write it: the later one would undo the earlier.
    """
    if content is None:
        yield
        return
    with Path(name).open("rb") as file:
        try:
            from fcntl import LOCK_EX, flock
        except ImportError:  # where a file that is open cannot be replaced
            pass
        else:
            flock(file, LOCK_EX)  # until it is closed
        if Path(name).read_bytes() != content:
            msg = f"{name} has changed since this command read it: run the command again"
            raise FileError(msg)
        yield
