"""Tables of files and of the command line → labelled rows: which columns are used, and which not.

What cannot be used is never dropped in silence: the note of a `Table` says which columns and how
many rows are left out, and the page shows it.
"""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.apps.lab.message_limits import MOST_CLASSES, MOST_FEATURES, MOST_ROWS
from gaussbayes.apps.lab.training_data import Table
from gaussbayes.apps.lab.wire_format import MessageError
from gaussbayes.base.errors import DataError
from gaussbayes.base.types import CodeArray, FloatArray, LabelArray

if TYPE_CHECKING:
    import pyarrow as pa

    from gaussbayes.data.sources.opening import Block

_MOST_BYTES = 256 << 20
"""Of a file as a table in memory."""

_UNLABELLED = -1
"""The class code of a row without label."""


@dataclass(frozen=True, slots=True, eq=False)
class NamedTable:
    """All columns of a file; which of them are features, the page asks for."""

    name: str  # for the page
    table: "pa.Table"
    target: str | None = None  # the column of the classes, if it was named

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
    tables: "Iterable[pa.Table]", name: str, target: str | None, *, most: int = MOST_ROWS, seed: int
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
    return NamedTable(name, pa.concat_tables([part.table for part in kept]), target)


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

    from gaussbayes.data.sources.bad_rows import HOW_TO_SKIP
    from gaussbayes.data.sources.kinds import is_number
    from gaussbayes.data.sources.listing import format_by_name
    from gaussbayes.data.sources.opening import open_source

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
            numbers = [field.name for field in source.schema if is_number(field.type)]
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
    return NamedTable(name, pa.concat_tables(parts))


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

    from gaussbayes.data.sources.kinds import is_label, is_number

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
        k = len(table.column(name).drop_null().unique())
        if 2 <= k <= min(MOST_CLASSES, table.num_rows // 2):
            return name
    names: list[str] = table.column_names
    return strings[0] if strings else names[-1]


@dataclass(frozen=True, slots=True)
class ColumnRoles:
    """What the columns of a table other than the target are good for, by their types."""

    numbers: tuple[str, ...]
    categories: tuple[str, ...]
    empty: tuple[str, ...]  # no value in any row
    others: tuple[str, ...]  # dates and the like


def column_roles(table: "pa.Table", target: str) -> ColumnRoles:
    """What each column is good for.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"x": [1, 2], "town": ["u", "v"], "y": [None, None], "kind": ["a", "b"]})
    >>> column_roles(table, "kind")
    ColumnRoles(numbers=('x',), categories=('town',), empty=('y',), others=())
    """
    from gaussbayes.data.sources.kinds import is_category, is_number

    roles: dict[str, list[str]] = {"numbers": [], "categories": [], "empty": [], "others": []}
    for field in table.schema:
        if field.name == target:
            continue
        if not _is_known(table.column(field.name)).any():
            roles["empty"].append(field.name)
        elif is_number(field.type):
            roles["numbers"].append(field.name)
        elif is_category(field.type):
            roles["categories"].append(field.name)
        else:
            roles["others"].append(field.name)
    return ColumnRoles(**{role: tuple(names) for role, names in roles.items()})


def _is_known(column: "pa.ChunkedArray") -> NDArray[np.bool_]:
    """Which values (n,) are there; an empty string is none."""
    import pyarrow.compute as pc

    from gaussbayes.data.sources.kinds import is_text

    known = pc.invert(pc.is_null(column, nan_is_null=True))
    if is_text(column.type):
        known = pc.and_(known, pc.not_equal(pc.fill_null(column, ""), ""))
    values: NDArray[np.bool_] = known.to_numpy()
    return values


def labelled_rows(
    source: NamedTable, target: str | None = None, features: Sequence[str] | None = None
) -> Table:
    """The rows of a table whose class is known; its note says what is left out.

    Parameters
    ----------
    target : the column of the classes; the one that the source names or the likely one if None
    features : the columns to learn from; if None all others that hold numbers, the first of them
        if they are too many

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"x": [1, None, 3], "town": ["u", "v", "u"], "kind": ["b", "a", None]})
    >>> rows = labelled_rows(NamedTable("two", table))
    >>> rows.X.tolist(), rows.codes.tolist(), rows.labels.tolist(), rows.features
    ([[1.0], [nan]], [1, 0], ['a', 'b'], ('x',))
    >>> rows.note
    "left out: 'town' (not numbers), 1 row without a label in 'kind'"
    """
    from gaussbayes.data.sources.choice import choose
    from gaussbayes.data.sources.columns import as_rows
    from gaussbayes.data.sources.roles import refuse_not_labels, refuse_not_numbers

    name, table = source.name, source.table
    chosen_target = target or source.target or likely_target(table)
    left_out: list[str] = []
    note: str | None = None
    if features is None and chosen_target in table.column_names:
        features, left_out, note = _usable(name, table, chosen_target)
    try:
        chosen = choose(table.column_names, chosen_target, features, None)
        refuse_not_labels(table.schema, chosen.target, name)
        refuse_not_numbers(table.schema, chosen.features, (), name)
        codes, labels = _class_codes(table, chosen.target)
        rows = as_rows(table, chosen.features).astype(np.float64)
    except DataError as error:
        raise MessageError(str(error)) from None
    _check_rows(name, rows, chosen.features)
    labelled = codes != _UNLABELLED
    n = int((~labelled).sum())
    if n:
        left_out.append(f"{n:,} row{'s' if n > 1 else ''} without a label in {chosen.target!r}")
    notes = (f"left out: {', '.join(left_out)}" if left_out else None, note)
    return Table(
        name,
        rows[labelled],
        codes[labelled],
        labels,
        chosen.features,
        chosen.target,
        tuple(table.column_names),
        "; ".join(filter(None, notes)) or None,
    )


def _usable(
    name: str, table: "pa.Table", target: str
) -> tuple[tuple[str, ...], list[str], str | None]:
    """The columns that can be learnt from, which others there are, and whether there are more."""
    from gaussbayes.data.sources.matching import listed

    roles = column_roles(table, target)
    if not roles.numbers:
        msg = f"there is no column to learn from: {name} has no numbers beside {target!r}"
        raise MessageError(msg)
    reasons = {"not numbers": (*roles.categories, *roles.others), "no values": roles.empty}
    left_out = [f"{listed(names)} ({reason})" for reason, names in reasons.items() if names]
    d = len(roles.numbers)
    more = f"of {d} columns of numbers the first {MOST_FEATURES} are taken"
    return roles.numbers[:MOST_FEATURES], left_out, more if d > MOST_FEATURES else None


def _class_codes(table: "pa.Table", target: str) -> tuple[CodeArray, LabelArray]:
    """Class codes (n,), −1 for rows without label, and classes (k,), which are not too many."""
    from gaussbayes.data.sources.bad_rows import UnfitError
    from gaussbayes.data.sources.columns import as_codes

    labelled = _is_known(table.column(target))
    if not labelled.any():
        msg = f"no row has a label in the column {target!r}"
        raise MessageError(msg)
    codes = np.full(table.num_rows, _UNLABELLED, np.int32)
    try:
        codes[labelled], labels = as_codes(table.select([target]).filter(labelled), target)
    except UnfitError:
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


def _check_rows(name: str, rows: FloatArray, features: Sequence[str]) -> None:
    if len(features) > MOST_FEATURES:
        msg = (
            f"there are {len(features)} columns of numbers, and the lab takes {MOST_FEATURES} "
            "features; choose some of them"
        )
        raise MessageError(msg)
    if np.isinf(rows).any():
        row, column = np.argwhere(np.isinf(rows))[0].tolist()
        msg = f"{name}: row {row + 1} of column {features[column]!r} is infinite: correct it"
        raise MessageError(msg)
