"""Files of rows: opened, columns found by name, read block by block, whole, or as a sample."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gaussbayes.apps.cli.console import counted, naming, tell
from gaussbayes.apps.cli.options import RowOptions, in_options
from gaussbayes.base.errors import DataError, SchemaError

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from gaussbayes.base.types import LabelArray
    from gaussbayes.data.bad_rows import BadRows
    from gaussbayes.data.categories import Unseen
    from gaussbayes.data.encoder import Encoder
    from gaussbayes.data.file_rows import FileRows
    from gaussbayes.data.files import Source
    from gaussbayes.data.reduction import Reduced
    from gaussbayes.data.rows import LabelledRows, Rows, Targets
    from gaussbayes.model.model import Model
    from gaussbayes.model.options import Options

Answer = TypeVar("Answer")

_MOST_NAMED = 10
"""Missing columns that are named."""

_LEAST = 20
"""Rows of every class that a sample keeps, so that each can be fitted and cross-validated."""


# Opening files and finding columns.


def open_files(data: Sequence[str], file_format: str | None = None, bad_rows: Any = "error") -> Any:
    """The source that the arguments of a command name: files, folders, patterns, ``-``."""
    import_arrow()
    from gaussbayes.data.files import open_source

    names = data[0] if len(data) == 1 else list(data)
    return open_source(names, format=file_format, bad_rows=bad_rows)


def check_columns(source: "Source", wanted: Sequence[str], what: str) -> None:
    """Raise unless every wanted column is there; the message lists those that are not.

    Parameters
    ----------
    what : what they are, for the message
    """
    from gaussbayes.base.spelling import closest
    from gaussbayes.data.selection import listed

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
    if any(map(_is_number, columns)):
        msg += ". Does its first line name the columns?"
    raise SchemaError(msg)


def target_column(source: "Source", target: str | None) -> str:
    """The column of the classes; without one, those to choose from are named."""
    if target is None:
        from gaussbayes.data.selection import listed

        columns = listed(list(source.schema.names))
        msg = f"which column of {source.shown} holds the classes? Give -y with one of: {columns}"
        raise click.UsageError(msg)
    check_columns(source, [target], "the target")
    return target


def training_rows(source: "Source", chosen: RowOptions, options: "Options") -> "FileRows":
    """The rows of a source that a model is to be fitted to."""
    from gaussbayes.data.file_rows import FileRows
    from gaussbayes.data.roles import Request

    target = target_column(source, chosen.target)
    for names, what in (
        (chosen.features, "features"),
        (chosen.categorical, "categorical features"),
    ):
        check_columns(source, names or (), f"the {what} asked for")
    kinds = options.kinds
    check_columns(source, [str(name) for name in kinds], "the features that are given a family")
    twice = [name for name in chosen.categorical or () if name in kinds]
    if twice:
        msg = f"{twice[0]!r} is named by --categorical and by --family: leave it out of one"
        raise click.UsageError(msg)
    request = Request(
        target,
        chosen.features,
        chosen.weights,
        chosen.categorical or "from_dtype",
        kinds=kinds,  # type: ignore[arg-type]
        mark=chosen.unlabelled,
    )
    return FileRows.open(source, request)


def rows_of_model(
    source: "Source", model: "Model", features: Sequence[str], chosen: RowOptions
) -> "FileRows":
    """Labelled rows with the features of a model."""
    from gaussbayes.model.sources import open_more

    target = target_column(source, chosen.target or model.target)
    check_columns(source, features, f"the model's {counted(len(features), 'feature')}")
    rows: Any = open_more(model, source, target, weights=chosen.weights, mark=chosen.unlabelled)
    return rows  # type: ignore[no-any-return]


def no_rows(source: "Source", what: str = "") -> DataError:
    """The error that a source has no rows, or none of some kind."""
    bad = source.bad_rows.count
    rest = f" but {counted(bad, 'row')} that cannot be used" if bad else ""
    return DataError(f"{source.shown} has no rows {what}{rest}".replace("  ", " ").rstrip())


def plain_blocks(source: "Source", what: str, selection: Any = None) -> Iterator[Any]:
    """The columns of a source block by block, with a progress bar where somebody is watching.

    Parameters
    ----------
    what : what is being done with them, for the bar
    selection : which columns, and what they must hold; None is all of them, as they are
    """
    from gaussbayes.base.progress import count_rows
    from gaussbayes.data.selection import select_columns

    if selection is None:
        selection = select_columns(source.inferred, None, (), source.handling)
    return count_rows(
        source.selected_blocks(selection),
        what,
        source.n_rows,
        lambda block: block.table.num_rows,
        source.proportion_read,
    )


# Rows to be predicted.


@dataclass(frozen=True, slots=True, eq=False)
class FeatureRows:
    """The features of a model in files, and other columns beside them."""

    source: "Source"
    model: "Model"  # its features have names
    kept: Sequence[str] = ()  # columns that are passed on as they are
    unseen: "UnseenCategories" = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "unseen", UnseenCategories(self.model.encoder))

    @property
    def selection(self) -> Any:
        """The columns to read, and what they must hold."""
        from gaussbayes.data.categories import kind
        from gaussbayes.data.selection import select_columns

        schema, names = self.model.schema, self.model.schema.features or ()
        categorical = [names[column] for column in schema.categorical]
        numbers = [name for name in names if name not in categorical]
        known = zip(categorical, self.model.categories, strict=True)
        return select_columns(
            self.source.inferred,
            [*self.kept, *(name for name in names if name not in set(self.kept))],
            numbers,
            self.source.handling,
            as_held=self.kept,
            categorical=categorical,
            strings=[name for name, categories in known if kind(categories) is str],
        )

    @property
    def schema(self) -> "pa.Schema":
        """The types of the columns as they are read; refused if they are not what they must be."""
        from gaussbayes.data.roles import check_categories, check_numbers

        selection = self.selection
        shown = self.source.shown
        check_numbers(selection.schema, selection.numbers, shown, self.source.inferred.examples)
        check_categories(selection.schema, selection.categorical, shown)
        schema: pa.Schema = selection.schema
        return schema

    def answered(
        self, what: str, answer: "Callable[[Rows], Answer]"
    ) -> "Iterator[tuple[pa.Table, Answer]]":
        """The rows part by part: all columns, and an answer for the features.

        Parameters
        ----------
        what : what is being done, for the progress bar
        answer : a function of the features as the model takes them; its errors get a place
        """
        for block in plain_blocks(self.source, what, self.selection):
            last = block.first_row + block.table.num_rows - 1
            with naming(f"{block.file}, rows {block.first_row} … {last}"):
                result = answer(self.encode(block.table))
            yield block.table, result

    def find_row(self, number: int) -> "Rows":
        """One row, counted from 1; what is wrong with others does not matter."""
        from gaussbayes.data.bad_rows import bad_row_error

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
                        return self.encode(usable.table.slice(place - left_out, 1))
        if first == 1:
            raise no_rows(self.source)
        n_rows = counted(first - 1, "row")
        msg = f"{self.source.shown} has {n_rows}: there is no row {number}"
        raise DataError(msg)

    def encode(self, table: "pa.Table") -> "Rows":
        """The features in a table; categories that are new are counted."""
        rows = self.model.encoder.encode_block(table, spelled=self.source.is_text)
        self.unseen.add(rows)
        return rows


def write_tables(
    tables: "Iterator[pa.Table]",
    schema: "pa.Schema",
    output: str,
    file_format: str | None,
    *,
    escape: bool,
) -> None:
    """Write tables of rows one after the other.

    Parameters
    ----------
    schema : the columns of all of them, so that there is a header even without rows
    output : a file or ``-``
    file_format : None is told by the name
    """
    from gaussbayes.base.errors import ParameterError
    from gaussbayes.data.output import open_output

    try:
        opened = open_output(output, schema, format=file_format, escape=escape)
    except ParameterError as error:  # no format, or one that cannot be escaped
        raise click.UsageError(in_options(str(error))) from None
    with opened as writer:
        for table in tables:
            writer.write(table)


# Labelled rows block by block.


def labelled_blocks(
    rows: "FileRows", encoder: "Encoder", like: "LabelArray | None" = None
) -> Iterator["LabelledRows"]:
    """The rows of files part by part, with a progress bar where somebody is watching.

    Parameters
    ----------
    encoder : how features become numbers and codes
    like : the classes that labels must be among; None takes all
    """
    from gaussbayes.base.progress import count_rows
    from gaussbayes.data.labels import codes_among

    source = rows.source
    blocks = count_rows(
        rows.blocks(encoder),
        "reading rows",
        source.n_rows,
        lambda placed: placed.block.rows.n_rows,
        source.proportion_read,
    )
    for placed in blocks:
        block = placed.block
        if like is not None:
            with naming(placed.place):
                classes = _classes_of_type(block.classes, like)
                targets = codes_among(like, block.targets, classes)
            block = replace(block, targets=targets, classes=like)
        yield block


def _classes_of_type(classes: "LabelArray", like: "LabelArray") -> "LabelArray":
    """Classes as strings where others are strings, as numbers where they are numbers."""
    import numpy as np
    import pyarrow as pa

    if classes.dtype.kind == like.dtype.kind or not classes.size:
        return classes
    wanted = pa.array(like[:1].tolist()).type
    try:
        cast = pa.array(classes.tolist()).cast(wanted)
    except pa.ArrowException:
        msg = (
            f"the classes are such as {classes.tolist()[0]!r}, but expected are {wanted} such as "
            f"{like.tolist()[0]!r}"
        )
        raise SchemaError(msg) from None
    return np.array(cast.to_pylist())


# Rows in memory, as Arrow tables: what the library takes as X and y.


MOST_BYTES = 1 << 30
"""Of rows in memory; what is done with them takes about three times as much."""


@dataclass(frozen=True, slots=True, eq=False)
class TablePart:
    """Rows of a source in memory; those of blocks are added in the order of the files."""

    table: "LabelledRows"
    encoder: "Encoder"

    @property
    def is_complete(self) -> None:
        """Not known: the rows are looked at."""
        return None

    def __add__(self, other: "TablePart") -> "TablePart":
        import numpy as np

        from gaussbayes.data.labels import unite
        from gaussbayes.data.rows import LabelledRows, Targets

        first, second = self.table, other.table
        classes, *places = unite(first.classes, second.classes)
        rows = first.rows.joined(second.rows, self.encoder.schema(classes).of_categories)
        if rows.matrix.nbytes + rows.codes.nbytes > MOST_BYTES:
            msg = (
                f"there are too many rows for this: more than {MOST_BYTES >> 20} MiB after "
                f"{rows.n_rows:,} of them. Give fewer rows, or for auto choose by --selection bic, "
                "which reads files of any size"
            )
            raise DataError(msg)
        parts = [first.targets, second.targets]
        # −1, the code of a row without label, is the last entry.
        codes = [
            np.append(where, -1)[part.codes] for where, part in zip(places, parts, strict=True)
        ]
        weights = [part.weights for part in parts if part.weights is not None]
        targets = Targets(
            np.concatenate(codes).astype(np.int32),
            classes.shape[0],
            np.concatenate(weights) if weights else None,
            sum(part.n_unlabelled for part in parts),
        )
        return TablePart(LabelledRows(rows, targets, classes), self.encoder)


@dataclass(frozen=True, slots=True)
class TableFold:
    """What keeps the rows of a source in memory; see `RowSource.reduce`."""

    encoder: "Encoder"
    labelled_only: bool = False

    def __call__(self, block: "LabelledRows", _: int, /) -> TablePart:
        """The rows of a block, or those that have a label."""
        if self.labelled_only and block.targets.n_unlabelled:
            labelled = block.targets.labelled
            block = replace(block, rows=block.rows[labelled], targets=block.targets[labelled])
        return TablePart(block, self.encoder)


def load_rows(
    rows: "FileRows", encoder: "Encoder | None" = None, *, labelled_only: bool = False
) -> "Reduced[TablePart]":
    """All rows of files in memory, and what was read.

    Parameters
    ----------
    encoder : that of a model, whose categories are known; None is that of the files
    """
    encoder = encoder or rows.encoder
    return rows.reduce(TableFold(encoder, labelled_only), encoder=encoder)


@dataclass(frozen=True, slots=True, eq=False)
class MemoryRows:
    """Labelled rows as the library takes them, X and y."""

    X: "pa.Table"
    y: "NDArray[Any]"  # (n,) labels, None where there is none
    encoder: "Encoder"  # knows the categories
    n_unlabelled: int  # rows without label, among these or left out
    bad_rows: "BadRows"

    @property
    def categorical(self) -> list[str]:
        """The features that hold categories."""
        names = self.encoder.names or ()
        return [names[column] for column in self.encoder.categorical]


def in_memory(
    table: "LabelledRows", encoder: "Encoder", n_unlabelled: int, bad_rows: "BadRows"
) -> MemoryRows:
    """Rows that were loaded, as the library takes them."""
    encoder = encoder.with_categories(table.rows.categories)
    X = as_table(encoder.decode(table.rows), encoder)
    return MemoryRows(X, _labels(table.targets, table.classes), encoder, n_unlabelled, bad_rows)


def all_rows(rows: "FileRows", *, labelled_only: bool = False) -> MemoryRows:
    """All rows of files."""
    reduced = load_rows(rows, labelled_only=labelled_only)
    table = reduced.total.table
    return in_memory(table, rows.encoder, reduced.n_unlabelled, reduced.bad_rows)


def sampled_rows(
    blocks: "Iterable[LabelledRows]",
    source: "Source",
    encoder: "Encoder",
    most: int,
    seed: int,
    *,
    labelled_only: bool = False,
) -> MemoryRows:
    """At most so many rows, each as probable as any other, but some of every class.

    Parameters
    ----------
    blocks : all rows, part by part
    source : where they come from
    encoder : that made rows of them
    """
    import numpy as np

    from gaussbayes.apps.report.samples import StreamSample

    sample = StreamSample(most, least=min(most, _LEAST), seed=seed)
    numbers: dict[Any, int] = {}  # of labels, None among them
    n_unlabelled = 0
    unseen = UnseenCategories(encoder)
    for block in blocks:
        n_unlabelled += block.targets.n_unlabelled
        unseen.add(block.rows)
        kept = block.targets.labelled if labelled_only else slice(None)
        labels = [*block.classes.tolist(), None]
        of_labels = np.array([numbers.setdefault(label, len(numbers)) for label in labels])
        decoded: Any = _Decoded(encoder, block.rows[kept])
        sample.add(decoded, block.targets[kept].codes, of_labels)
    if not sample.n_seen:
        raise no_rows(source)
    array, drawn = sample.rows()
    if drawn.size < sample.n_seen:
        some = f"{drawn.size:,} of {sample.n_seen:,} rows"
        tell(f"{some} of {source.shown} are used, drawn at random")
    unseen.tell()
    label_of = np.fromiter(numbers, object)
    X = as_table(array, encoder)
    return MemoryRows(X, label_of[drawn], encoder, n_unlabelled, source.bad_rows)


def held_out_rows(given: Any, learnt: MemoryRows, chosen: RowOptions) -> Any:
    """Folds or a proportion as they are; a file as rows with the columns and classes of others."""
    if not isinstance(given, Path):
        return given
    from gaussbayes.data.file_rows import FileRows
    from gaussbayes.data.labels import read_targets
    from gaussbayes.data.roles import Request

    source = open_files([str(given)], None, chosen.bad_rows)
    names, target = learnt.X.column_names, str(chosen.target)
    check_columns(source, [target, *names], "the columns of the other rows")
    known = learnt.encoder.encode(learnt.X).categories
    strings = [
        name
        for name, categories in zip(learnt.categorical, known, strict=True)
        if categories and isinstance(categories[0], str)
    ]
    categorical = learnt.categorical or None
    request = Request(
        target, names, None, categorical, string_features=strings, mark=chosen.unlabelled
    )
    classes = read_targets(learnt.y)[1]
    encoder = learnt.encoder.with_categories(known)
    blocks = labelled_blocks(FileRows.open(source, request), encoder, classes)
    test = sampled_rows(blocks, source, encoder, MOST_BYTES, 0, labelled_only=True)
    tell_bad_rows(source.bad_rows)
    return test.X, test.y


def as_table(array: "NDArray[Any]", encoder: "Encoder") -> "pa.Table":
    """Rows that an encoder has decoded (n, d) as an Arrow table."""
    import pyarrow as pa

    names = encoder.names or tuple(f"feature {j}" for j in range(encoder.n_features))
    columns = [pa.array(column, arrow_type(encoder, j)) for j, column in enumerate(array.T)]
    return pa.table(columns, names=list(names))


def arrow_type(encoder: "Encoder", column: int) -> Any:
    """The type of a decoded feature; None where Arrow infers it from the values."""
    import pyarrow as pa

    if column not in encoder.categorical:
        # Among categories numbers are objects, which have no type if all are missing.
        return pa.float64() if encoder.categorical else None
    if encoder.categories is None:
        return None
    return pa.array(encoder.categories[encoder.categorical.index(column)]).type


@dataclass(frozen=True, slots=True, eq=False)
class _Decoded:
    """Rows that are decoded only as far as they are wanted."""

    encoder: "Encoder"
    rows: "Rows"

    def __getitem__(self, which: Any) -> "NDArray[Any]":
        return self.encoder.decode(self.rows[which])


def _labels(targets: "Targets", classes: "LabelArray") -> "NDArray[Any]":
    """The labels (n,), None where there is none."""
    import numpy as np

    names = np.fromiter([*classes.tolist(), None], object)
    labels: NDArray[Any] = names[targets.codes]  # −1 is the last one
    return labels


# What is said of rows.


@dataclass(slots=True, eq=False)
class UnseenCategories:
    """Categories that training has not seen: counted, to be told of once, at the end."""

    encoder: "Encoder"
    by_column: dict[int, "Unseen"] = field(default_factory=dict)

    def add(self, rows: "Rows") -> None:
        """See more rows."""
        if not rows.unseen:
            return
        from gaussbayes.data.categories import unite_unseen

        for new in rows.unseen:
            before = self.by_column.get(new.column)
            self.by_column[new.column] = new if before is None else unite_unseen(before, new)

    def tell(self) -> None:
        """Say how many values have categories that are not known, if there are any."""
        if not self.by_column:
            return
        import numpy as np

        from gaussbayes.data.categories import unseen_message

        tell(unseen_message(self._in_order(), self.encoder.schema(np.empty(0)).of_categories))

    def record(self) -> list[dict[str, Any]]:
        """The same as plain values."""
        import numpy as np

        titles = self.encoder.schema(np.empty(0)).of_categories.titles
        return [
            {
                "feature": titles[new.column],
                "values": new.n_values,
                "examples": list(new.examples),
            }
            for new in self._in_order()
        ]

    def _in_order(self) -> "list[Unseen]":
        return [self.by_column[column] for column in sorted(self.by_column)]


def tell_unlabelled(n_unlabelled: int, chosen: RowOptions, *, done: str = "learnt from") -> None:
    """Say how many rows have no label, what is done with them, and how to leave them out."""
    if not n_unlabelled:
        return
    has = "row has" if n_unlabelled == 1 else "rows have"
    count = f"{n_unlabelled:,} {has} no label"
    if chosen.labelled_only:
        tell(f"{count} and {'is' if n_unlabelled == 1 else 'are'} left out")
    else:
        each = "it is" if n_unlabelled == 1 else "they are"
        tell(f"{count}: {each} {done} too, by EM; --labelled-only leaves them out")


def tell_bad_rows(bad: "BadRows") -> None:
    """Say how many rows were left out, and name the first of them."""
    if bad.count == 0:
        return
    from gaussbayes.data.bad_rows import describe

    rows = "1 row was" if bad.count == 1 else f"{bad.count} rows were"
    tell(f"{rows} left out:")
    for row in bad.first:
        tell(f"  {describe(row)}")
    if bad.count > len(bad.first):
        tell(f"  and {bad.count - len(bad.first)} more")


def bad_rows_record(bad: "BadRows") -> dict[str, Any]:
    """The same as plain values."""
    from dataclasses import asdict

    return {"count": bad.count, "first": [asdict(row) for row in bad.first]}


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


# Arrow without pandas.


class _WithoutPandas:
    """Tells Python's importer that there is no pandas."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        """None, so that others are asked, for every name but one."""
        if name == "pandas":
            msg = "pandas is not needed here"
            raise ImportError(msg)


def import_arrow() -> None:
    """Load pyarrow without pandas.

    pyarrow looks for pandas at its first conversion, remembers whether it is there, and loads it if
    so, which takes as long as all the rest of predicting a hundred rows. Whoever asks pyarrow for a
    pandas frame later still gets one: it then looks again.
    """
    import sys

    if "pandas" in sys.modules:
        return
    finder = _WithoutPandas()
    sys.meta_path.insert(0, finder)
    try:
        import pyarrow as pa

        pa.array([0])
    except ImportError:
        pass  # the reader says that it is missing
    finally:
        sys.meta_path.remove(finder)
