"""Files that commands read and write: models and rows, or ``-`` for standard input and output."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import pyarrow as pa

from gaussbayes.base import atomic
from gaussbayes.base.errors import DataError, GaussBayesError, OptionError
from gaussbayes.base.missing_marks import MissingMarks
from gaussbayes.base.numerals import counted
from gaussbayes.base.progress import count_rows
from gaussbayes.base.schema import ColumnRoles
from gaussbayes.base.spelling import closest
from gaussbayes.cli.command_options import (
    FITTED_ROWS,
    STANDARD,
    RowOptions,
    in_options,
    option_given,
    pasted,
)
from gaussbayes.cli.console import tell
from gaussbayes.data.categories import Unseen, kind, unite_unseen, unseen_message
from gaussbayes.data.files import Source, open_source
from gaussbayes.data.output import open_output
from gaussbayes.data.roles import (
    BadRows,
    bad_row_error,
    check_types,
    describe,
    select_columns,
)
from gaussbayes.data.rows import Encoder, Rows
from gaussbayes.data.tables import listed
from gaussbayes.model import file
from gaussbayes.model.model import Model
from gaussbayes.model.statistics import Unlabelled

LEARNT_FROM = "learnt from by EM; --unlabelled drop leaves such rows out"
NO_HELP = "not used, since they do not help to predict the rows left out"
NOT_JUDGED = "no predictions are judged by them"

_MOST_NAMED = 10  # missing columns that are named


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Let errors begin with what they are about, as only the command line can call it."""
    try:
        yield
    except GaussBayesError as error:
        msg = f"{what}: {error}"
        raise type(error)(msg) from None


# Models.


def read_model(name: str) -> Model:
    """The model in a file, or on standard input."""
    if name != STANDARD:
        return file.load(Path(name))
    with naming("the model on standard input"):
        return file.loads(sys.stdin.buffer.read(file.LARGEST_FILE + 1))


def read_solved(name: str) -> Model:
    """The model in a file, with its parameters; one that cannot predict yet is an error."""
    model = read_model(name)
    with naming(f"the model {name} cannot predict yet"):
        return model.solved()


def unlabelled_rows(model: Model) -> Unlabelled | None:
    """The unlabelled rows that a model has learnt from, if there were any."""
    return None if model.learnt is None else model.learnt.unlabelled


def read_learnt(name: str, step: str) -> Model:
    """The model in a file, which must have kept what the step of this name needs of its rows."""
    model = read_model(name)
    with naming(f"the model {name}"):
        model.learnt_for(step)
    return model


def write_model(model: Model, name: str, *, keep_unlabelled: bool = False) -> None:
    """Write a model to a file, whole or not at all, or to standard output.

    Unlabelled rows are written, too, if they are to be kept and the model has kept them.
    """
    keep_unlabelled &= has_unlabelled_rows(model)
    if name == STANDARD:
        sys.stdout.buffer.write(file.dumps(model, unlabelled_rows=keep_unlabelled))
        sys.stdout.buffer.flush()
    else:
        file.save(model, Path(name), unlabelled_rows=keep_unlabelled)


def has_unlabelled_rows(model: Model) -> bool:
    """Whether unlabelled rows are kept, so that they can be written to its file."""
    unlabelled = unlabelled_rows(model)
    return unlabelled is not None and unlabelled.rows is not None


def class_names(model: Model) -> list[str]:
    """The classes as strings, which differ, as labels are all of one type."""
    return [str(label) for label in model.schema.classes.tolist()]


def named_features(model: Model, name: str) -> tuple[str, ...]:
    """The names by which a model finds its features in files; it must have some."""
    features = model.schema.features
    if features is None:
        msg = (
            f"the features of the model {name} have no names to find columns by, because it was "
            "fitted to rows without; name them in Python with with_feature_names and save it again"
        )
        raise DataError(msg)
    return features


def settings_record(model: Model) -> dict[str, Any]:
    """What the user chose, as plain values."""
    from gaussbayes.model.options import options_of

    record = options_of(model.settings, model.schema)
    chosen: Any = record["priors"]
    if hasattr(chosen, "tolist"):
        chosen = chosen.tolist()
    elif hasattr(chosen, "items"):
        chosen = {str(label): value for label, value in chosen.items()}
    record["priors"] = chosen
    record["families"] = [
        {"family": part.distribution, "features": [model.schema.titles[j] for j in part.columns]}
        for part in model.components
    ]
    return record


def holds_model(name: str) -> bool:
    """Whether a name ends in .json and is that of a file which begins like a model."""
    if not name.lower().endswith(".json") or not Path(name).is_file():
        return False
    with Path(name).open("rb") as start:
        text = start.read(256)
    return text.lstrip().startswith(b"{") and b"gaussbayes" in text


def split_arguments(
    arguments: tuple[str, ...], chosen: RowOptions, fitting: Iterable[str], *, piped: bool = False
) -> tuple[str | None, tuple[str, ...]]:
    """The model file, if there is one, and the data of ``[MODEL] DATA...``.

    Options for fitting may not be given with a model. If it may be `piped`, ``-`` with data after
    it is a model unless something is to be fitted. A file that ends in .json and holds no model is
    an error, unless its format was given.
    """
    check_one_input(*arguments)
    first, *others = arguments
    given = option_given(*fitting, *FITTED_ROWS)
    is_model = piped and first == STANDARD and others and given is None
    if not is_model and (not first.lower().endswith(".json") or not Path(first).is_file()):
        return None, arguments
    is_model = is_model or holds_model(first)
    if is_model and given is not None:
        msg = f"{given} is for fitting, but the model is given: leave it out"
        raise click.UsageError(msg)
    if is_model:
        return first, tuple(others)
    if chosen.file_format is not None:
        return None, arguments
    msg = (
        f"{first} ends in .json but is no model file of gaussbayes; if it holds rows as "
        "JSON lines, one object a line, rename it to .jsonl or give --format jsonl"
    )
    raise DataError(msg)


# Places.


def check_writable(name: str, what: str = "the model") -> None:
    """Raise if no file can be written there: before the work, not after it."""
    if name != STANDARD:
        atomic.check_writable(Path(name), what)


def check_no_overwriting(output: str, *read: str) -> None:
    """Raise if what is to be written is one of the files that are read."""
    place = Path(output)
    if output == STANDARD or not place.is_file():  # a terminal may be both
        return
    if any(Path(name).exists() and place.samefile(name) for name in read):
        msg = f"{output} is read, so that it cannot be written as well: give another name"
        raise click.UsageError(msg)


def check_one_input(*names: str) -> None:
    """Raise if standard input is to be read twice."""
    if names.count(STANDARD) > 1:
        msg = "standard input (-) can be read once only: give a file in the other place"
        raise click.UsageError(msg)


def shown(name: str) -> str:
    """What a message calls a file that is written."""
    return "standard output" if name == STANDARD else name


# Rows: opened, and columns found by name.


def open_files(data: Sequence[str], chosen: RowOptions, model: Model | None = None) -> Any:
    """The source that the arguments of a command name: files, folders, patterns, ``-``.

    With a model, missing values are written as they were when it was fitted.
    """
    import_arrow()
    names = data[0] if len(data) == 1 else list(data)
    how: dict[str, Any] = {"bad_rows": chosen.bad_rows, "header": chosen.header}
    how["missing"] = chosen.missing(model)
    return open_source(names, format=chosen.file_format, **how)


def import_arrow() -> None:
    """Keep pyarrow from loading pandas, which takes as long as all the rest of a prediction.

    It looks for pandas at its first conversion; whoever asks it for a frame later gets one.
    """
    if "pandas" in sys.modules:
        return
    sys.meta_path.insert(0, _WithoutPandas)
    try:
        pa.array([0])
    finally:
        sys.meta_path.remove(_WithoutPandas)


class _WithoutPandas:
    """Tells Python's importer that there is no pandas."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name == "pandas":
            msg = "pandas is not needed here"
            raise ImportError(msg)


def check_columns(source: Source, wanted: Sequence[str], what: str) -> None:
    """Raise unless every wanted column is there; the message says what is missing of what."""
    columns = list(source.schema.names)
    missing = [name for name in wanted if name not in columns]
    if not missing:
        return
    others = [name for name in columns if name not in wanted]
    close = ((name, closest(name, others)) for name in missing[:_MOST_NAMED])
    named = [f"{name!r} (is it {like!r}?)" if like else repr(name) for name, like in close]
    more = f" and {len(missing) - _MOST_NAMED} more" if len(missing) > _MOST_NAMED else ""
    some = "other " if len(others) < len(columns) else ""
    rest = f"its {some}columns are {listed(others)}" if others else "it has no other columns"
    count = f"{len(missing)} of " if len(wanted) > 1 else ""
    msg = f"{source.shown} lacks {count}{what}: {', '.join(named)}{more}; {rest}"
    if any(re.fullmatch(r"[-+]?\d*\.?\d+(e[-+]?\d+)?", name) for name in columns):
        msg += ". Does its first line name the columns?"
    raise DataError(msg)


def check_features(source: Source, features: Sequence[str]) -> None:
    """Raise unless every feature of a model is there."""
    number = len(features)
    check_columns(source, features, f"the model's {number:,} feature{'s'[: number > 1]}")


def target_column(source: Source, target: str | None) -> str:
    """The column of the classes; without one, those to choose from are named."""
    if target is None:
        columns = listed(list(source.schema.names))
        msg = f"which column of {source.shown} holds the classes? Give -y with one of: {columns}"
        raise click.UsageError(msg)
    check_columns(source, [target], "the target")
    return target


def no_rows(source: Source, what: str = "rows") -> DataError:
    """The error that a source has no rows, or none of some kind."""
    bad = source.bad_rows.count
    rest = f" but {counted(bad, 'row')} that cannot be used" if bad else ""
    return DataError(f"{source.shown} has no {what}{rest}")


def plain_blocks(source: Source, what: str, selection: Any = None) -> Iterator[Any]:
    """The columns of a source block by block, with a progress bar that says what is being done.

    A selection says which columns, and what they must hold; None is all of them, as they are.
    """
    if selection is None:
        selection = select_columns(source.inferred, None, {}, source.handling)
    blocks = source.selected_blocks(selection)
    if not sys.stderr.isatty():  # nobody is watching
        return blocks
    return count_rows(
        blocks, what, source.n_rows, lambda block: block.table.num_rows, source.proportion_read
    )


# Rows to be predicted.


class FeatureRows:
    """The features of a model of some name in files, and columns beside them that are kept."""

    def __init__(self, source: Source, model: Model, name: str, kept: Sequence[str] = ()) -> None:
        self.source, self.model, self.kept = source, model, kept
        self.unseen = UnseenCategories(model.encoder)
        names = named_features(model, name)
        check_features(source, names)
        categorical = [names[column] for column in model.schema.categorical]
        known = zip(categorical, model.categories, strict=True)
        kinds: Any = model.contents
        self.selection = select_columns(
            source.inferred,
            list(dict.fromkeys([*kept, *names])),
            kinds,
            source.handling,
            as_held=kept,
            strings=[name for name, categories in known if kind(categories) is str],
        )
        self.selection = replace(self.selection, missing=model.schema.missing)
        check_types(self.selection.schema, kinds, source.shown, None, source.inferred.examples)

    def answered(self, what: str, answer: Callable[[Rows], Any]) -> Iterator[tuple[pa.Table, Any]]:
        """The rows part by part: all columns, and an answer for the features, by a function."""
        for block in plain_blocks(self.source, what, self.selection):
            last = block.first_row + block.table.num_rows - 1
            with naming(f"{block.file}, rows {block.first_row} … {last}"):
                result = answer(self.encode(block.table))
            yield block.table, result

    def find_row(self, number: int) -> tuple[Rows, pa.Table]:
        """One row, counted from 1, and its columns; what is wrong with others does not matter."""
        selection, first = self.selection, 1
        for opened in self.source.opened():
            for piece in opened.pieces(selection, 1):
                for parsed in piece():
                    place = number - first
                    first += parsed.n_records
                    if number >= first:
                        continue
                    usable = parsed.sifted(selection, finite=True)
                    for problem in usable.problems:
                        if problem.row == place:
                            bad = problem.placed(self.source.shown, number - place)
                            raise bad_row_error(bad, skippable=False)
                    left_out = sum(problem.row < place for problem in usable.problems)
                    with naming(f"{self.source.shown}, row {number}"):
                        table = usable.table.slice(place - left_out, 1)
                        return self.encode(table), table
        if first == 1:
            raise no_rows(self.source)
        n_rows = counted(first - 1, "row")
        msg = f"{self.source.shown} has {n_rows}: there is no row {number}"
        raise DataError(msg)

    def encode(self, table: pa.Table) -> Rows:
        """The features in a table; categories that are new are counted."""
        rows = self.model.encoder.encode_block(table, spelled=self.source.is_text)
        self.unseen.add(rows)
        return rows


# Writing.


def write_tables(
    tables: Iterator[pa.Table],
    schema: pa.Schema,
    output: str,
    file_format: str | None,
    *,
    escape: bool,
) -> None:
    """Write tables of rows of this schema, if there are any; without format, the name tells it."""
    try:
        opened = open_output(output, schema, format=file_format, escape=escape)
    except OptionError as error:  # no format, or one that cannot be escaped
        raise click.UsageError(in_options(str(error))) from None
    with opened as writer:
        for table in tables:
            writer.write(table)


# What is said of rows.


@dataclass(slots=True, eq=False)
class UnseenCategories:
    """Categories that training has not seen: counted, to be told of once, at the end."""

    encoder: Encoder
    by_column: dict[int, "Unseen"] = field(default_factory=dict)

    def add(self, rows: Rows) -> None:
        """See more rows."""
        for new in rows.unseen:
            before = self.by_column.get(new.column)
            self.by_column[new.column] = new if before is None else unite_unseen(before, new)

    def tell(self) -> None:
        """Say how many values have categories that are not known, if there are any."""
        if self.by_column:
            unseen = [new for _, new in sorted(self.by_column.items())]
            tell(unseen_message(unseen, self._names()))

    def record(self) -> list[dict[str, Any]]:
        """The same as plain values."""
        titles = self._names().titles
        return [
            {"feature": titles[column], "values": new.n_values, "examples": list(new.examples)}
            for column, new in sorted(self.by_column.items())
        ]

    def _names(self) -> Any:
        return self.encoder.schema(np.empty(0)).of_categories


def tell_roles(roles: ColumnRoles | None) -> None:
    """Say which columns are used, as what, and why others are left out."""
    if roles is None:
        return
    tell(roles.sentence)
    for column in roles.doubts:
        excluded = f"--exclude {pasted([column.name])}"
        tell(
            f"{column.name} {column.reason}: if it is known only with the class, leave it out with "
            f"{excluded}"
        )


def tell_infinite(missing: MissingMarks) -> None:
    """Say in which columns infinite numbers are missing values."""
    for sentence in missing.infinite:
        tell(sentence)


def roles_record(roles: ColumnRoles | None) -> list[dict[str, Any]] | None:
    """The same as plain values."""
    return None if roles is None else [asdict(column) for column in roles.columns]


def tell_rows(n_rows: int, what: str) -> None:
    """Say of how many rows something holds, if it does of any."""
    if n_rows:
        tell(f"{n_rows:,} {'row has' if n_rows == 1 else 'rows have'} {what}")


def tell_unlabelled(n_unlabelled: int, chosen: RowOptions, use: str) -> None:
    """Say what is done with rows without label unless they are left out; nothing if it is empty."""
    use = "left out" if chosen.labelled_only else use
    tell_rows(n_unlabelled if use else 0, f"no label: {use}")


def identifier_column(model: Model, source: Source) -> str | None:
    """The column of a source that identifies rows, as the model found when it was fitted."""
    roles = getattr(model.schema, "roles", None)
    left_out = () if roles is None else roles.left_out
    names = [column.name for column in left_out if column.reason == "identifies rows"]
    return next((name for name in names if name in source.schema.names), None)


def identified(column: str, value: object) -> str:
    """Who a row is, behind its number: what a column says that identifies rows."""
    return "" if value is None else f" ({column or 'unnamed'}: {value})"


def bad_row_lines(bad: BadRows) -> list[str]:
    """How many rows were left out, and the first of them; nothing if there are none."""
    if bad.count == 0:
        return []
    more = [f"and {bad.count - len(bad.first)} more"] if bad.count > len(bad.first) else []
    many = "1 row was" if bad.count == 1 else f"{bad.count:,} rows were"
    return [f"{many} left out:", *map(describe, bad.first), *more]


def tell_bad_rows(bad: BadRows) -> None:
    """Say how many rows were left out, and name the first of them."""
    for number, line in enumerate(bad_row_lines(bad)):
        tell(f"  {line}" if number else line)


def bad_rows_record(bad: BadRows) -> dict[str, Any]:
    """The same as plain values."""
    return {"count": bad.count, "first": [asdict(row) for row in bad.first]}
