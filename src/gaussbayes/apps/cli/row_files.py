"""Files of rows: opened, columns found by name, read block by block, written."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gaussbayes.apps.cli.command_options import RowOptions, in_options
from gaussbayes.apps.cli.console import counted, naming, tell
from gaussbayes.base.errors import DataError, SchemaError

if TYPE_CHECKING:
    import pyarrow as pa

    from gaussbayes.base.types import LabelArray
    from gaussbayes.data.bad_rows import BadRows
    from gaussbayes.data.categories import Unseen
    from gaussbayes.data.encoder import Encoder
    from gaussbayes.data.file_rows import FileRows
    from gaussbayes.data.files import Source
    from gaussbayes.data.rows import LabelledRows, Rows
    from gaussbayes.model.model import Model
    from gaussbayes.model.options import Options

Answer = TypeVar("Answer")

_MOST_NAMED = 10
"""Missing columns that are named."""


# Opening files and finding columns.


def open_files(data: Sequence[str], file_format: str | None = None, bad_rows: Any = "error") -> Any:
    """The source that the arguments of a command name: files, folders, patterns, ``-``."""
    import_arrow()
    from gaussbayes.data.files import open_source

    names = data[0] if len(data) == 1 else list(data)
    return open_source(names, format=file_format, bad_rows=bad_rows)


def import_arrow() -> None:
    """Load pyarrow without pandas.

    pyarrow looks for pandas at its first conversion, remembers whether it is there, and loads it if
    so, which takes as long as all the rest of predicting a hundred rows. Whoever asks pyarrow for a
    pandas frame later still gets one: it then looks again.
    """
    if "pandas" in sys.modules:
        return
    finder = _WithoutPandas()
    sys.meta_path.insert(0, finder)
    try:
        import pyarrow as pa

        pa.array([0])
    except ImportError:
        pass  # whoever needs it says so
    finally:
        sys.meta_path.remove(finder)


class _WithoutPandas:
    """Tells Python's importer that there is no pandas."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        """None, so that others are asked, for every name but one."""
        if name == "pandas":
            msg = "pandas is not needed here"
            raise ImportError(msg)


def check_columns(source: "Source", wanted: Sequence[str], what: str) -> None:
    """Raise unless every wanted column is there; the message lists those that are not.

    Parameters
    ----------
    what : what they are, for the message
    """
    from gaussbayes.base.spelling import closest
    from gaussbayes.data.tables import listed

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


def check_features(source: "Source", features: Sequence[str]) -> None:
    """Raise unless every feature of a model is there."""
    check_columns(source, features, f"the model's {counted(len(features), 'feature')}")


def target_column(source: "Source", target: str | None) -> str:
    """The column of the classes; without one, those to choose from are named."""
    if target is None:
        from gaussbayes.data.tables import listed

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
    kinds: Any = options.kinds
    check_columns(source, chosen.features or (), "the features asked for")
    check_columns(source, chosen.categorical or (), "the features that hold categories")
    check_columns(source, list(kinds), "the features that are given a family")
    twice = [name for name in chosen.categorical or () if name in kinds]
    if twice:
        msg = f"{twice[0]!r} is named by --categorical and by --family: leave it out of one"
        raise click.UsageError(msg)
    categorical = chosen.categorical or "from_dtype"
    request = Request(
        target, chosen.features, chosen.weights, categorical, kinds=kinds, mark=chosen.unlabelled
    )
    return FileRows.open(source, request)


def rows_of_model(
    source: "Source", model: "Model", features: Sequence[str], chosen: RowOptions
) -> "FileRows":
    """Labelled rows with the features of a model, which have these names."""
    from gaussbayes.model.sources import open_more

    target = target_column(source, chosen.target or model.target)
    check_features(source, features)
    rows: Any = open_more(model, source, target, weights=chosen.weights, mark=chosen.unlabelled)
    return rows  # type: ignore[no-any-return]


def no_rows(source: "Source", what: str = "rows") -> DataError:
    """The error that a source has no rows, or none of some kind."""
    bad = source.bad_rows.count
    rest = f" but {counted(bad, 'row')} that cannot be used" if bad else ""
    return DataError(f"{source.shown} has no {what}{rest}")


# Reading block by block.


def plain_blocks(source: "Source", what: str, selection: Any = None) -> Iterator[Any]:
    """The columns of a source block by block, with a progress bar where somebody is watching.

    Parameters
    ----------
    what : what is being done with them, for the bar
    selection : which columns, and what they must hold; None is all of them, as they are
    """
    from gaussbayes.data.roles import select_columns

    if selection is None:
        selection = select_columns(source.inferred, None, {}, source.handling)
    blocks = source.selected_blocks(selection)
    return _with_progress(blocks, what, source, lambda block: int(block.table.num_rows))


def _with_progress(
    blocks: Iterable[Any], what: str, source: "Source", size: Callable[[Any], int]
) -> Iterator[Any]:
    from gaussbayes.base.progress import count_rows

    return count_rows(blocks, what, source.n_rows, size, source.proportion_read)


@dataclass(slots=True, eq=False)
class LabelledBlocks:
    """Labelled rows of files part by part; what they hold is counted on the way."""

    rows: "FileRows"
    encoder: "Encoder"  # how features become numbers and codes
    classes: "LabelArray | None" = None  # those that labels must be among; None takes all
    n_unlabelled: int = 0
    unseen: "UnseenCategories" = field(init=False)

    def __post_init__(self) -> None:
        self.unseen = UnseenCategories(self.encoder)

    def __iter__(self) -> Iterator["LabelledRows"]:
        from gaussbayes.data.labels import codes_among

        blocks = self.rows.blocks(self.encoder)
        source, classes = self.rows.source, self.classes
        for placed in _with_progress(
            blocks, "reading rows", source, lambda placed: int(placed.block.rows.n_rows)
        ):
            block = placed.block
            if classes is not None:
                with naming(placed.place):
                    same_type = _of_type(block.classes, classes)
                    targets = codes_among(classes, block.targets, same_type)
                block = replace(block, targets=targets, classes=classes)
            self.n_unlabelled += block.targets.n_unlabelled
            self.unseen.add(block.rows)
            yield block


def _of_type(classes: "LabelArray", like: "LabelArray") -> "LabelArray":
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
        """The columns to read, and what they must hold; refused if they cannot."""
        from gaussbayes.data.categories import kind
        from gaussbayes.data.roles import check_types, select_columns

        source, contents = self.source, self.model.contents
        names = self.model.schema.titles
        categorical = [names[column] for column in self.model.schema.categorical]
        known = zip(categorical, self.model.categories, strict=True)
        kinds: Any = {name: contents[name] for name in names}
        selection = select_columns(
            source.inferred,
            [*self.kept, *(name for name in names if name not in set(self.kept))],
            kinds,
            source.handling,
            as_held=self.kept,
            strings=[name for name, categories in known if kind(categories) is str],
        )
        check_types(selection.schema, kinds, source.shown, None, source.inferred.examples)
        return selection

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


# Writing.


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


# What is said of rows.


@dataclass(slots=True, eq=False)
class UnseenCategories:
    """Categories that training has not seen: counted, to be told of once, at the end."""

    encoder: "Encoder"
    by_column: dict[int, "Unseen"] = field(default_factory=dict)

    def add(self, rows: "Rows") -> None:
        """See more rows."""
        for new in rows.unseen:
            from gaussbayes.data.categories import unite_unseen

            before = self.by_column.get(new.column)
            self.by_column[new.column] = new if before is None else unite_unseen(before, new)

    def tell(self) -> None:
        """Say how many values have categories that are not known, if there are any."""
        if self.by_column:
            from gaussbayes.data.categories import unseen_message

            tell(unseen_message(self._in_order(), self._names()))

    def record(self) -> list[dict[str, Any]]:
        """The same as plain values."""
        titles = self._names().titles
        return [
            {"feature": titles[new.column], "values": new.n_values, "examples": list(new.examples)}
            for new in self._in_order()
        ]

    def _in_order(self) -> "list[Unseen]":
        return [self.by_column[column] for column in sorted(self.by_column)]

    def _names(self) -> Any:
        import numpy as np

        return self.encoder.schema(np.empty(0)).of_categories


def tell_unlabelled(n_unlabelled: int, chosen: RowOptions, use: str) -> None:
    """Say how many rows have no label, and what is done with them.

    Parameters
    ----------
    use : what is done with them unless they are left out; nothing is said if it is empty
    """
    if not n_unlabelled:
        return
    count = f"{n_unlabelled:,} {'row has' if n_unlabelled == 1 else 'rows have'} no label"
    if chosen.labelled_only:
        tell(f"{count}: left out")
    elif use:
        tell(f"{count}: {use}")


LEARNT_FROM = "learnt from by EM; --labelled-only leaves such rows out"
NOT_JUDGED = "no predictions are judged by them"


def tell_bad_rows(bad: "BadRows") -> None:
    """Say how many rows were left out, and name the first of them."""
    if bad.count == 0:
        return
    from gaussbayes.data.bad_rows import describe

    tell(f"{'1 row was' if bad.count == 1 else f'{bad.count} rows were'} left out:")
    for row in bad.first:
        tell(f"  {describe(row)}")
    if bad.count > len(bad.first):
        tell(f"  and {bad.count - len(bad.first)} more")


def bad_rows_record(bad: "BadRows") -> dict[str, Any]:
    """The same as plain values."""
    return {"count": bad.count, "first": [asdict(row) for row in bad.first]}


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True
