"""A file of labelled rows → features and labels in memory, by pyarrow."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from gaussbayes.errors import DataError, SchemaError
from gaussbayes.types import LabelArray

_SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_PARQUET = {".parquet", ".pq"}


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Labelled rows of a file."""

    features: Any  # (n, d) Arrow table of numbers
    labels: LabelArray  # (n,)


def read_file(path: Path) -> Any:
    """The Arrow table in a CSV, TSV or Parquet file, whatever it holds."""
    import pyarrow as pa

    kind = path.suffix.lower()
    if kind not in _PARQUET | _SEPARATORS.keys():
        known = ", ".join(sorted([*_SEPARATORS, *_PARQUET]))
        msg = f"{path}: what kind of file this is cannot be told by its name; known are {known}"
        raise DataError(msg)
    if path.stat().st_size == 0:
        msg = f"{path} is empty"
        raise DataError(msg)
    try:
        table = _read_parquet(path) if kind in _PARQUET else _read_text(path, _SEPARATORS[kind])
        names = table.column_names
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the disk, not what is on it
        msg = f"{path} cannot be read: {error}"
        raise DataError(msg) from None
    _refuse_columns(path, names)
    if table.num_rows == 0:
        msg = f"{path} has columns ({listed(names)}) but no rows"
        raise DataError(msg)
    return table


def labelled(
    path: Path, table: Any, target: str, features: Sequence[str] | None = None, like: Any = None
) -> Rows:
    """Split a table into features and labels, and refuse what a Gaussian cannot use.

    Parameters
    ----------
    path : where the table comes from, for messages
    target : the column that holds the classes
    features : the columns to learn from; None for all others
    like : a table whose types the columns must have, for test data
    """
    for name in (target, *(features or ())):
        _refuse_unknown(path, name, table.column_names)
    if features is None:
        features = [name for name in table.column_names if name != target]
    if target in features or not features:
        msg = f"{path}: besides the target {target!r} at least one column must be a feature"
        raise SchemaError(msg)
    _refuse_not_numbers(path, table, features)
    for name in (target, *features):
        _refuse_missing(path, name, table[name])
    column = _classes(path, target, table[target])
    if like is not None:
        column = _cast(path, target, column, _classes(path, target, like[target]).type)
    return Rows(_floats(table.select(features)), column.to_numpy())


def _read_text(path: Path, separator: str) -> Any:
    from pyarrow import csv

    return csv.read_csv(
        path, parse_options=csv.ParseOptions(delimiter=separator, newlines_in_values=True)
    )


def _read_parquet(path: Path) -> Any:
    from pyarrow import parquet

    # One file, not a data set: the folders above it are no columns.
    return parquet.ParquetFile(path).read()


def _refuse_columns(path: Path, names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        msg = f"{path}: several columns are called {listed(twice)}; names must differ"
        raise SchemaError(msg)
    if "" in names:
        msg = (
            f"{path}: column {names.index('') + 1} has no name; is it a row number? Give it a name "
            "in the first line, and leave it out with --features if it is no feature"
        )
        raise SchemaError(msg)
    other = next((sign for sign in ";\t|" if sign in names[0]), None)
    if len(names) == 1 and other is not None:
        kind = "rename it to .tsv" if other == "\t" else "separate its values by commas"
        msg = f"{path} has one column, {names[0]!r}; it seems to be separated by {other!r}: {kind}"
        raise DataError(msg)


def _refuse_unknown(path: Path, name: str, names: list[str]) -> None:
    if name not in names:
        close = get_close_matches(name, names, n=1)
        meant = f" (did you mean {close[0]!r}?)" if close else ""
        msg = f"{path} has no column {name!r}{meant}; its columns are {listed(names)}"
        raise SchemaError(msg)


def _refuse_not_numbers(path: Path, table: Any, features: Sequence[str]) -> None:
    other = [name for name in features if not _is_number(table.schema.field(name).type)]
    if not other:
        return
    column = table[other[0]].drop_null()
    value = f", for example {str(column[0].as_py())!r:.60}" if len(column) else ""
    rest = [name for name in features if name not in other]
    way = f"--features {','.join(rest)!r}" if rest else "other --features"
    msg = (
        f"{path}: no numbers but {table.schema.field(other[0]).type} in column {other[0]!r}{value}"
        f"{' and in ' + listed(other[1:]) if other[1:] else ''}. Leave such columns out with "
        f"{way}, or encode them as numbers first"
    )
    raise DataError(msg)


def _refuse_missing(path: Path, name: str, column: Any) -> None:
    import pyarrow.compute as pc

    missing = pc.is_null(column, nan_is_null=True)
    if _is_text(column.type):
        missing = pc.or_(missing, pc.fill_null(pc.equal(column, ""), True))
    count = pc.sum(missing).as_py()
    if count:
        row = pc.index(missing, True).as_py() + 1
        values = "value is" if count == 1 else "values are"
        msg = (
            f"{path}: {count} {values} missing in column {name!r}, the first in row {row} of "
            f"{len(column)}; leave out or fill in such rows, or leave out the column"
        )
        raise DataError(msg)


def _classes(path: Path, target: str, column: Any) -> Any:
    """The column of labels without dictionary, if labels they can be."""
    import pyarrow.compute as pc
    from pyarrow import types

    if types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind = column.type
    strange = None
    if types.is_floating(kind):
        strange = next(iter(column.filter(pc.not_equal(pc.round(column), column))), None)
    elif not (_is_number(kind) or _is_text(kind)):
        strange = column[0]
    if strange is not None:
        msg = (
            f"{path}: the target {target!r} holds {kind} values such as {strange.as_py()}, but "
            "classes are expected: text, whole numbers or truth values"
        )
        raise DataError(msg)
    return column


def _is_number(kind: Any) -> bool:
    from pyarrow import types

    return bool(
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_decimal(kind)
        or types.is_boolean(kind)
    )


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind))


def _floats(table: Any) -> Any:
    import pyarrow as pa

    # Numbers beyond 2⁵³ are rounded, as they are in every table of floats.
    return table.cast(pa.schema([(name, pa.float64()) for name in table.column_names]), safe=False)


def _cast(path: Path, target: str, column: Any, kind: Any) -> Any:
    import pyarrow as pa

    try:
        return column.cast(kind)
    except pa.ArrowException:
        msg = f"{path}: the target {target!r} holds {column.type} values, but {kind} are expected"
        raise SchemaError(msg) from None


def listed(names: Sequence[str], most: int = 20) -> str:
    """Some of the names, for messages."""
    some = ", ".join(repr(name) for name in names[:most])
    return some if len(names) <= most else f"{some} and {len(names) - most} more"
