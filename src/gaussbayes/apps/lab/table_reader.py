"""Tables of files and of the command line → rows: which columns are used, and which are not.

Numbers and categories are features; values and labels may be missing. What cannot be used is never
dropped in silence: the note of a `Table` says which columns are left out and why.
"""

import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.apps.lab.message_limits import (
    LONGEST_NAME,
    MOST_CATEGORIES,
    MOST_CLASSES,
    MOST_FEATURES,
    MOST_ROWS,
)
from gaussbayes.apps.lab.training_data import Table
from gaussbayes.apps.lab.wire_format import MessageError
from gaussbayes.base.errors import DataError
from gaussbayes.base.types import CodeArray, FloatArray, LabelArray
from gaussbayes.data.roles import Request, check_types, choose_roles
from gaussbayes.data.rows import UNLABELLED
from gaussbayes.data.selection import listed
from gaussbayes.data.tables import (
    dictionary_parts,
    is_category,
    is_dictionary,
    is_label,
    is_missing,
    is_number,
    is_string,
    value_type,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from gaussbayes.data.files import Block

_MOST_BYTES = 256 << 20
"""Of a file as a table in memory."""

_MOST_COLUMNS = 2_000

_DATE = r"^\s*(\d{4}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{2,4}|\d\d?:\d\d)([^0-9]|$)"
"""How dates and times begin: 2024-05-31, 31.5.2024, 5/31/24, 12:30."""


@dataclass(frozen=True, slots=True, eq=False)
class NamedTable:
    """All columns of a file; which of them are features, the page asks for."""

    name: str  # for the page
    table: "pa.Table"
    target: str | None = None  # the column of the classes, if it was named
    categorical: frozenset[str] = frozenset()  # columns of numbers that the file says are codes

    @property
    def record(self) -> dict[str, Any]:
        """What the page is told of it."""
        return {
            "name": self.name,
            "columns": self.table.column_names,
            "rows": self.table.num_rows,
            "target": self.target or likely_target(self.table),
        }


@dataclass(frozen=True, slots=True, eq=False)
class _Sampled:
    table: "pa.Table"
    keys: FloatArray  # (m,) the random numbers of its rows


def sampled_table(
    tables: "Iterable[pa.Table]",
    name: str,
    target: str | None,
    *,
    seed: int,
    most: int = MOST_ROWS,
    categorical: Collection[str] = (),
) -> NamedTable | None:
    """The rows of all tables, or a sample of at most so many; None if there are no rows.

    Every row draws a number, and those with the smallest numbers are kept, in the order they came:
    each is as probable as any other, and memory is bounded. The name says that it is a sample.

    Examples
    --------
    >>> import pyarrow as pa
    >>> parts = [pa.table({"x": range(start, start + 10)}) for start in range(0, 100, 10)]
    >>> sample = sampled_table(parts, "x.csv", None, most=20, seed=0)
    >>> sample.table.num_rows, sample.name
    (20, 'x.csv (20 of its 100 rows, drawn with seed 0)')
    """
    import pyarrow as pa

    generator = np.random.default_rng(seed)
    kept: list[_Sampled] = []
    n_seen = n_kept = 0
    for table in tables:
        kept.append(_Sampled(table, generator.random(table.num_rows)))
        n_seen += table.num_rows
        n_kept += table.num_rows
        if n_kept > 2 * most:  # not after every few rows
            kept = _smallest(kept, most)
            n_kept = most
    if n_seen == 0:
        return None
    if n_seen > most:
        kept = _smallest(kept, most)
        name = f"{name} ({most:,} of its {n_seen:,} rows, drawn with seed {seed})"
    whole = pa.concat_tables([part.table for part in kept])
    return NamedTable(name, whole, target, frozenset(categorical))


def _smallest(parts: list[_Sampled], most: int) -> list[_Sampled]:
    """The rows with the smallest numbers."""
    keys = np.concatenate([part.keys for part in parts])
    limit = np.partition(keys, most - 1)[most - 1]
    return [
        _Sampled(part.table.filter(part.keys <= limit), part.keys[part.keys <= limit])
        for part in parts
    ]


def read_file(name: str, body: bytes) -> NamedTable:
    """All columns of a file that was sent, in memory.

    Parameters
    ----------
    name : what the client calls it. Only its ending is looked at, and only if it is a known one:
        the file is written under a name of our own, read, and taken away again.
    """
    import pyarrow as pa

    from gaussbayes.data.bad_rows import HOW_TO_SKIP
    from gaussbayes.data.files import open_source
    from gaussbayes.data.source_files import format_by_name

    if not body:
        msg = f"{name} is empty"
        raise MessageError(msg)
    if name.lower().endswith(".json") and body.lstrip()[:1] == b"[":
        msg = f"{name} is a JSON array; write it as JSON lines, one object in each line"
        raise MessageError(msg)
    file_format, _ = format_by_name(name)
    with tempfile.TemporaryDirectory(prefix="gaussbayes-lab-") as folder:
        path = Path(folder, "table")
        path.write_bytes(body)
        try:
            source = open_source(path, format=file_format)
            _check_columns(name, len(source.schema.names))
            categorical = source.inferred.categorical
            numbers = [
                field.name
                for field in source.schema
                if is_number(field.type) and field.name not in categorical
            ]
            parts = _limited(name, source.blocks(numbers=numbers, as_held=numbers))
        except MessageError:
            raise
        except DataError as error:
            # How to leave rows out by an option of the command helps nobody on the page.
            text = str(error).replace(str(path), name).removesuffix(HOW_TO_SKIP)
            raise MessageError(text) from None
    if not parts:
        msg = f"{name} has no rows"
        raise MessageError(msg)
    return NamedTable(name, pa.concat_tables(parts), categorical=categorical)


def _check_columns(name: str, n_columns: int) -> None:
    if n_columns > _MOST_COLUMNS:
        msg = (
            f"{name} has {n_columns:,} columns, and the lab takes {_MOST_COLUMNS:,}: leave out "
            "those that do not matter"
        )
        raise MessageError(msg)


def _limited(name: str, blocks: Iterator["Block"]) -> "list[pa.Table]":
    """The tables of all blocks; what is compressed may turn out to be more than can be kept."""
    parts, rows, size = [], 0, 0
    with closing(blocks) as every_block:  # type: ignore[type-var]
        for block in every_block:
            parts.append(block.table)
            rows += block.table.num_rows
            size += block.table.nbytes
            if rows > MOST_ROWS or size > _MOST_BYTES:
                msg = (
                    f"{name} has more than the {MOST_ROWS:,} rows or {_MOST_BYTES >> 20} MB that "
                    "the lab takes; give larger files to the command, `gaussbayes lab FILE`, "
                    "which takes a sample"
                )
                raise MessageError(msg)
    return parts


def likely_target(table: "pa.Table") -> str:
    """The column that probably holds the classes.

    It is the last one of strings, or else of integers or booleans, whose values make a few classes
    of some rows each. If there is none, it is the last one of strings, or the last of all.

    Examples
    --------
    >>> import pyarrow as pa
    >>> likely_target(pa.table({"kind": [0, 1, 0, 1], "x": [1.0, 2.5, 1.5, 3.0]}))
    'kind'
    """
    from pyarrow import types

    fields = list(reversed(table.schema))
    strings: list[str] = [
        field.name for field in fields if is_label(field.type) and not is_number(field.type)
    ]
    discrete: list[str] = [
        field.name
        for field in fields
        if types.is_integer(field.type) or types.is_boolean(field.type)
    ]
    for name in (*strings, *discrete):
        k = _n_different(table.column(name))
        if 2 <= k <= min(MOST_CLASSES, table.num_rows // 2):
            return name
    names: list[str] = table.column_names
    return strings[0] if strings else names[-1]


@dataclass(frozen=True, slots=True)
class ColumnRoles:
    """What the columns of a table other than the target are good for."""

    numbers: tuple[str, ...]
    categories: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]  # other columns, and why they are no features


def column_roles(source: NamedTable, target: str) -> ColumnRoles:
    """What each column is good for, by its type and its values.

    Examples
    --------
    >>> import pyarrow as pa
    >>> towns, names = ["u", "v", "u", "v"], ["Ann", "Bob", "Cid", "Dee"]
    >>> table = pa.table({"x": range(4), "town": towns, "name": names, "kind": ["a", "b"] * 2})
    >>> column_roles(NamedTable("four", table), "kind")
    ColumnRoles(numbers=('x',), categories=('town',), left_out=(('name', 'free text'),))
    """
    numbers, categories, left_out = [], [], []
    for field, column in zip(source.table.schema, source.table.columns, strict=True):
        if field.name == target:
            continue
        reason = _why_no_feature(column)
        if reason is not None:
            left_out.append((field.name, reason))
        elif is_number(field.type) and field.name not in source.categorical:
            numbers.append(field.name)
        else:
            categories.append(field.name)
    return ColumnRoles(tuple(numbers), tuple(categories), tuple(left_out))


def _why_no_feature(column: "pa.ChunkedArray") -> str | None:
    """Why a column cannot be learnt from; None if it can."""
    from pyarrow import types

    n_known = int(_is_known(column).sum())
    if n_known == 0:
        return "no values"
    if is_number(column.type):
        return None
    if types.is_temporal(value_type(column.type)) or _are_dates(column):
        return "dates or times"
    if not is_category(column.type):
        return "neither numbers nor categories"
    if is_string(column.type):
        return "free text" if _is_free_text(column, n_known) else None
    return "too many categories" if _n_different(column) > MOST_CATEGORIES else None


def _is_free_text(column: "pa.ChunkedArray", n_known: int) -> bool:
    """Whether strings are too different, or too long, to be categories."""
    import pyarrow.compute as pc

    most = min(MOST_CATEGORIES, max(2, n_known / 2))  # two are few, however few rows there are
    longest = pc.max(pc.utf8_length(column)).as_py()
    return bool(_n_different(column) > most or longest > LONGEST_NAME)


def _are_dates(column: "pa.ChunkedArray") -> bool:
    """Whether all values are strings that write a date or a time, as text files have them."""
    import pyarrow.compute as pc

    if not is_string(column.type):
        return False
    values = column.filter(_is_known(column))
    return bool(pc.all(pc.match_substring_regex(values, _DATE)).as_py())


def _n_different(column: "pa.ChunkedArray") -> int:
    """How many different values there are."""
    import pyarrow.compute as pc

    if is_dictionary(column.type):
        codes, _ = dictionary_parts(column)
        return int(np.unique(codes[_is_known(column)]).size)
    return int(pc.count_distinct(column.filter(_is_known(column))).as_py())


def _is_known(column: "pa.ChunkedArray") -> NDArray[np.bool_]:
    """Which values (n,) are there; an empty string is none."""
    import pyarrow.compute as pc

    if is_dictionary(column.type):  # its values are looked at once each: they may be long
        codes, values = dictionary_parts(column)
        blank = [is_missing(value) or value == "" for value in values.tolist()]
        return ~np.array([*blank, True])[codes]  # −1, which is null, is the last entry
    known = pc.invert(pc.is_null(column, nan_is_null=True))
    if is_string(column.type):
        known = pc.and_(known, pc.not_equal(pc.fill_null(column, ""), ""))
    mask: NDArray[np.bool_] = known.to_numpy()
    return mask


def labelled_rows(
    source: NamedTable, target: str | None = None, features: Sequence[str] | None = None
) -> Table:
    """The rows of a table; its note says which columns are left out, and how many labels miss.

    Parameters
    ----------
    target : the column of the classes; the one that the source names or the likely one if None
    features : the columns to learn from; if None all others that hold numbers or categories, the
        first of them if they are too many

    Examples
    --------
    >>> import pyarrow as pa
    >>> day = pa.array([1, 2, 3, 4, 5], pa.date32())
    >>> columns = {"x": [1, None, 3, 4, 5], "town": ["u", "v", "u", None, "v"], "day": day}
    >>> table = pa.table({**columns, "kind": ["b", "a", None, "b", "a"]})
    >>> rows = labelled_rows(NamedTable("five", table))
    >>> rows.X.ravel().tolist(), rows.features, rows.codes.tolist(), rows.labels.tolist()
    ([1.0, nan, 3.0, 4.0, 5.0], ('x',), [1, 0, -1, 1, 0], ['a', 'b'])
    >>> rows.rows.codes.ravel().tolist(), rows.categories, rows.categorical
    ([0, 1, 0, -2, 1], (('u', 'v'),), ('town',))
    >>> rows.note
    "left out: 'day' (dates or times); 1 row has no label in 'kind', and the model learns from it
    too"
    """
    name, table = source.name, source.table
    chosen_target = target or source.target or likely_target(table)
    roles = column_roles(source, chosen_target)
    notes: list[str] = []
    if features is None and chosen_target in table.column_names:
        features, notes = _usable(name, table, chosen_target, roles)
    categorical = [
        column
        for column in features or ()
        if column in roles.categories or (column, "free text") in roles.left_out
    ]
    try:
        chosen = choose_roles(
            table.column_names,
            Request(chosen_target, features, categorical_features=categorical),
        )
        check_types(table.schema, chosen.kinds, name, chosen_target)
        codes, labels = _class_codes(table, chosen_target)
        rows = chosen.encoder.encode_block(table)
    except DataError as error:
        raise MessageError(str(error)) from None
    n_unlabelled = int(np.count_nonzero(codes == UNLABELLED))
    if n_unlabelled:
        rows_have, them = f"{n_unlabelled:,} rows have", "them"
        if n_unlabelled == 1:
            rows_have, them = "1 row has", "it"
        missing = f"{rows_have} no label in {chosen_target!r}"
        notes.append(f"{missing}, and the model learns from {them} too")
    numbers = np.ascontiguousarray(rows.matrix, dtype=np.float64)
    _check_rows(name, numbers, chosen.numeric, len(chosen.features))
    for column, values in zip(categorical, rows.categories, strict=True):
        _check_categories(column, values)
    return Table(
        name,
        replace(rows, numbers=numbers),
        codes,
        labels,
        chosen.encoder.with_categories(rows.categories),
        chosen_target,
        tuple(table.column_names),
        "; ".join(notes) or None,
    )


def _usable(
    name: str, table: "pa.Table", target: str, roles: ColumnRoles
) -> tuple[tuple[str, ...], list[str]]:
    """The columns that can be learnt from, and what is to be said of the others."""
    usable = {*roles.numbers, *roles.categories}
    features = tuple(column for column in table.column_names if column in usable)
    reasons: dict[str, list[str]] = {}
    for column, reason in roles.left_out:
        reasons.setdefault(reason, []).append(column)
    left_out = [f"{listed(columns)} ({reason})" for reason, columns in reasons.items()]
    if not features:
        others = f": {', '.join(left_out)}" if left_out else ""
        msg = (
            f"there is no column to learn from: {name} has neither numbers nor categories beside "
            f"{target!r}{others}"
        )
        raise MessageError(msg)
    notes = [f"left out: {', '.join(left_out)}"] if left_out else []
    if len(features) > MOST_FEATURES:
        notes.append(f"of {len(features)} features the first {MOST_FEATURES} are taken")
    return features[:MOST_FEATURES], notes


def _class_codes(table: "pa.Table", target: str) -> tuple[CodeArray, LabelArray]:
    """Class codes (n,), −1 for rows without label, and classes (k,), which are not too many."""
    from gaussbayes.data.bad_rows import BadRowError
    from gaussbayes.data.labels import read_label_column

    column = table.column(target)
    if not _is_known(column).any():
        msg = f"no row has a label in the column {target!r}"
        raise MessageError(msg)
    try:
        codes, labels, _ = read_label_column(column, target)
    except BadRowError:
        msg = (
            f"the column {target!r} holds numbers with fractions; classes must be strings, "
            "integers or booleans: choose another column to predict"
        )
        raise MessageError(msg) from None
    if labels.shape[0] > MOST_CLASSES:
        msg = (
            f"the column {target!r} holds {labels.shape[0]:,} different values, such as "
            f"{labels[:1].tolist()[0]!r:.80}, and the lab shows {MOST_CLASSES} classes: choose "
            "another column to predict"
        )
        raise MessageError(msg)
    return codes, labels


def _check_rows(name: str, rows: FloatArray, numeric: Sequence[str], n_features: int) -> None:
    if n_features > MOST_FEATURES:
        msg = (
            f"there are {n_features} columns to learn from, and the lab takes {MOST_FEATURES} "
            "features; choose some of them"
        )
        raise MessageError(msg)
    if np.isinf(rows).any():
        row, column = np.argwhere(np.isinf(rows))[0].tolist()
        msg = f"{name}: row {row + 1} of column {numeric[column]!r} is infinite: correct it"
        raise MessageError(msg)


def _check_categories(column: str, values: Sequence[object]) -> None:
    if len(values) > MOST_CATEGORIES:
        msg = (
            f"the column {column!r} holds {len(values):,} different values, such as "
            f"{values[0]!r:.80}, and the lab takes {MOST_CATEGORIES} categories: leave it out"
        )
        raise MessageError(msg)
