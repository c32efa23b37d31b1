"""The rows that the lab looks at, and tables of files and of the command line as such rows.

Numbers and categories are features; values and labels may be missing. What cannot be used is never
dropped in silence: the note of a `LabTable` says which columns are left out and why.
"""

import json
import re
import secrets
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.apps.lab import messages as limits
from gaussbayes.apps.lab.wire_format import MessageError
from gaussbayes.base.errors import DataError, SchemaError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray, LabelArray, RealArray
from gaussbayes.data import tables as arrow
from gaussbayes.data.categories import Categories
from gaussbayes.data.column_roles import SampledColumn, decide_roles, settled
from gaussbayes.data.roles import Request, check_present, check_types, choose_roles
from gaussbayes.data.rows import UNLABELLED, Encoder, LabelledRows, Rows, Targets, number_rows
from gaussbayes.model.model import Model
from gaussbayes.model.settings import cut_rows

if TYPE_CHECKING:
    import pyarrow as pa

    from gaussbayes.data.files import Source

_MOST_BYTES = 256 << 20  # of a file as a table in memory
_MOST_COLUMNS = 2_000
_BEGINNING = 4096  # bytes by which a JSON array is known
GIVEN = "given"  # the key of the command's table
_KEY_BYTES = 16
_KEY = rf"{GIVEN}|[0-9a-f]{{{2 * _KEY_BYTES}}}"
_KEPT = ".arrow"
_ABOUT = b"lab"
_MOST_KEPT = 1 << 30  # bytes of files that were sent, as tables


@dataclass(frozen=True, slots=True)
class ShownFeatures:
    """The features that a model is seen through, numbered among numbers and among categories."""

    numbers: tuple[int, ...]
    axes: tuple[int, ...]  # which coordinate of the pair each of the numbers is
    categories: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class LabTable:
    """Rows before any are held out, with a label or without.

    Figures show features that hold numbers, which are called `features` here; the others hold
    categories.
    """

    name: str  # for the page
    rows: Rows  # n
    codes: CodeArray  # (n,), −1 for a row without label
    labels: LabelArray  # (k,) the classes as they came: strings, integers or booleans
    encoder: Encoder  # which features there are, and what they hold
    target: str = "class"  # what the column of the classes is called
    columns: tuple[str, ...] = ()  # of the file, if there is one
    note: str | None = None  # what the page should say of how the file was read
    truth: Model | None = None  # what the rows were drawn from

    @property
    def X(self) -> FloatArray:  # noqa: N802
        """The numbers (n, g), NaN where one is missing."""
        matrix: FloatArray = self.rows.matrix.astype(np.float64, copy=False)
        return matrix

    @property
    def names(self) -> tuple[str, ...]:
        return self.encoder.names or ()

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features that hold numbers (g)."""
        return tuple(self.names[column] for column in self.encoder.numeric)

    @property
    def categorical(self) -> tuple[str, ...]:
        """The names of the features that hold categories (q)."""
        return tuple(self.names[column] for column in self.encoder.categorical)

    @property
    def categories(self) -> tuple[Categories, ...]:
        return self.rows.categories

    @property
    def has_label(self) -> NDArray[np.bool_]:
        """Which rows (n,) have a label."""
        return np.not_equal(self.codes, UNLABELLED)

    @property
    def order(self) -> NDArray[np.intp]:
        """The class codes (k,) in the order in which models have the classes: sorted by label."""
        return np.argsort(self.labels, kind="stable")

    @property
    def schema(self) -> Schema:
        """Classes, sorted, and features, as models know them."""
        return self.encoder.schema(self.labels[self.order])

    def labelled(self, numbers: NDArray[np.intp]) -> LabelledRows:
        """Some of the rows, as models learn from them."""
        rank = np.append(np.argsort(self.order), UNLABELLED).astype(np.int32)
        n_unlabelled = int(np.count_nonzero(~self.has_label[numbers]))
        targets = Targets(rank[self.codes[numbers]], self.labels.shape[0], None, n_unlabelled)
        return LabelledRows(self.rows[numbers], targets, self.labels[self.order])

    def part(self, shown: ShownFeatures) -> Rows:
        """All rows, by some of the features."""
        return cut_rows(self.rows, self.schema, self.columns_of(shown))

    def agree(self, known: tuple[int | None, ...] | None) -> NDArray[np.bool_]:
        """Which rows (n,) have the categories that are known; None of a feature takes all."""
        columns = [j for j, code in enumerate(known or ()) if code is not None]
        wanted = [code for code in known or () if code is not None]
        agree: NDArray[np.bool_] = (self.rows.codes[:, columns] == wanted).all(axis=1)
        return agree

    def columns_of(self, shown: ShownFeatures) -> list[int]:
        """Where some features are among all: numbers as the figure has them, then categories."""
        numbers = [self.encoder.numeric[j] for j in shown.numbers]
        return numbers + [self.encoder.categorical[j] for j in shown.categories]


def number_table(
    name: str,
    X: RealArray,
    codes: NDArray[np.signedinteger],
    labels: LabelArray,
    features: Sequence[str],
    target: str = "class",
    truth: Model | None = None,
) -> LabTable:
    encoder = Encoder(len(features), tuple(features))
    rows = number_rows(X.astype(np.float64, copy=False))
    return LabTable(name, rows, codes.astype(np.int32), labels, encoder, target, truth=truth)


@dataclass(frozen=True, slots=True, eq=False)
class NamedTable:
    """All columns of a file; which of them are features, the page asks for."""

    name: str  # for the page
    table: "pa.Table"
    target: str | None = None  # the column of the classes, if it was named
    categorical: frozenset[str] = frozenset()  # columns of numbers that the file says are codes

    @property
    def record(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "columns": self.table.column_names,
            "rows": self.table.num_rows,
            "target": self.target or likely_target(self.table),
        }


def sampled_table(
    tables: "Iterable[pa.Table]",
    name: str,
    target: str | None,
    *,
    seed: int,
    most: int = limits.MOST_ROWS,
    categorical: Collection[str] = (),
) -> NamedTable | None:
    """The rows of all tables, or a sample of at most so many; None if there are no rows.

    Every row draws a number, and those with the smallest numbers are kept, in the order they came:
    each is as probable as any other, and memory is bounded. The name says that it is a sample.
    """
    import pyarrow as pa

    generator, n_seen = np.random.default_rng(seed), 0
    kept: list[pa.Table] = []
    keys = np.empty(0)
    for table in tables:
        kept.append(table)
        keys = np.append(keys, generator.random(table.num_rows))
        n_seen += table.num_rows
        if keys.size > 2 * most:  # not after every few rows
            kept, keys = _smallest(kept, keys, most)
    if n_seen == 0:
        return None
    if n_seen > most:
        kept, keys = _smallest(kept, keys, most)
        name = f"{name} ({most:,} of its {n_seen:,} rows, drawn with seed {seed})"
    return NamedTable(name, pa.concat_tables(kept), target, frozenset(categorical))


def _smallest(
    tables: "list[pa.Table]", keys: FloatArray, most: int
) -> "tuple[list[pa.Table], FloatArray]":
    """The rows with the smallest keys, and these."""
    import pyarrow as pa

    near = keys <= np.partition(keys, most - 1)[most - 1]
    return [pa.concat_tables(tables).filter(near)], keys[near]


def read_file(name: str, path: Path) -> NamedTable:
    """All columns of a file that was sent, in memory.

    Of the client's name only the ending is looked at, and only if it is a known one: the file lies
    under a name of our own.
    """
    from gaussbayes.data.files import format_by_name, open_source
    from gaussbayes.data.roles import HOW_TO_SKIP, WITHOUT_HEADER

    with path.open("rb") as file:
        beginning = file.read(_BEGINNING)
    if not beginning:
        msg = f"{name} is empty"
        raise MessageError(msg)
    if name.lower().endswith(".json") and beginning.lstrip()[:1] == b"[":
        msg = f"{name} is a JSON array; write it as JSON lines, one object in each line"
        raise MessageError(msg)
    how: dict[str, Any] = {"format": format_by_name(name)[0], "most_columns": _MOST_COLUMNS}
    try:
        try:
            source = open_source(path, **how)
        except SchemaError as error:
            if not str(error).endswith(WITHOUT_HEADER):
                raise
            source = open_source(path, header=False, **how)
            name = f"{name} (its first line names no columns: they are called x1, x2, …)"
        table = _whole_table(name, source)
    except DataError as error:
        # How to leave rows out by an option of the command helps nobody on the page.
        text = str(error).replace(str(path), name).removesuffix(HOW_TO_SKIP)
        raise MessageError(text) from None
    return NamedTable(name, table, categorical=source.inferred.categorical)


def keep_table(folder: Path, named: NamedTable, key: str | None = None) -> dict[str, Any]:
    """Keep a table in a folder as an Arrow file, by its key; what the page is told of it.

    As many older ones go as are too much.
    """
    import pyarrow as pa

    key = secrets.token_hex(_KEY_BYTES) if key is None else key
    about = [named.name, named.target, sorted(named.categorical)]
    table = named.table.replace_schema_metadata({_ABOUT: json.dumps(about)})
    path = str(folder / f"{key}{_KEPT}")
    with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    older = [each for each in folder.glob(f"*{_KEPT}") if each.stem not in {GIVEN, key}]
    older.sort(key=lambda each: each.stat().st_mtime_ns)
    sizes = {each: each.stat().st_size for each in (*older, Path(path))}
    while len(sizes) > 1 and sum(sizes.values()) > _MOST_KEPT:
        oldest = next(iter(sizes))
        oldest.unlink(missing_ok=True)
        del sizes[oldest]
    return {"upload": key, **named.record}


def kept_table(folder: Path, key: str) -> NamedTable | None:
    """The table that was kept with this key; None if there is none. It is not copied to memory."""
    import pyarrow as pa

    path = folder / f"{key}{_KEPT}"
    if not re.fullmatch(_KEY, key) or not path.exists():
        return None
    with pa.memory_map(str(path)) as file:
        table = pa.ipc.open_file(file).read_all()
    name, target, categorical = json.loads(table.schema.metadata[_ABOUT])
    table = table.replace_schema_metadata(None)
    return NamedTable(name, table, target, frozenset(categorical))


def _whole_table(name: str, source: "Source") -> "pa.Table":
    """All rows of a file; what is compressed may turn out to be more than can be kept."""
    import pyarrow as pa

    parts, n_rows, n_bytes = [], 0, 0
    with closing(source.blocks()) as blocks:  # type: ignore[type-var]
        for block in blocks:
            parts.append(block.table)
            n_rows += block.table.num_rows
            n_bytes += block.table.nbytes
            if n_rows > limits.MOST_ROWS or n_bytes > _MOST_BYTES:
                msg = (
                    f"{name} has more than the {limits.MOST_ROWS:,} rows or {_MOST_BYTES >> 20} MB "
                    "that the lab takes; give larger files to the command, `gaussbayes lab FILE`, "
                    "which takes a sample"
                )
                raise MessageError(msg)
    if not parts:
        msg = f"{name} has no rows"
        raise MessageError(msg)
    return pa.concat_tables(parts)


def likely_target(table: "pa.Table") -> str:
    """The column that probably holds the classes.

    It is the last one of strings, or else of integers or booleans, whose values make a few classes
    of some rows each. If there is none, it is the last one of strings, or the last of all.
    """
    from pyarrow import types

    kinds: dict[str, Any] = {field.name: field.type for field in reversed(table.schema)}
    labels = [name for name, kind in kinds.items() if arrow.is_label(kind)]
    strings = [name for name in labels if not arrow.is_number(kinds[name])]
    discrete = [name for name in labels if not types.is_floating(kinds[name])]
    frame = arrow.as_frame(table)
    for name in dict.fromkeys((*strings, *discrete)):
        k = SampledColumn.of(frame[name]).n_kinds
        if 2 <= k <= min(limits.MOST_CLASSES, table.num_rows // 2):
            return name
    return next(iter(strings or kinds))


def labelled_rows(
    source: NamedTable, target: str | None = None, features: Sequence[str] | None = None
) -> LabTable:
    """The rows of a table; its note says which columns are left out, and how many labels miss.

    Parameters
    ----------
    target : the column of the classes; the one that the source names or the likely one if None
    features : the columns to learn from; if None all that something can be learnt from, the first
        of them if they are too many
    """
    name, table = source.name, source.table
    target = target or source.target or likely_target(table)
    notes: list[str] = []
    asked = Request(target, "auto" if features is None else features, None, "auto")
    how: dict[str, Any] = {"typed": source.categorical, "most_kinds": limits.MOST_CATEGORIES}
    # Features are named as soon as one of all is taken away; rows are numbered as in the file.
    how |= {"infinite": True, "first_row": 1}
    try:
        check_present(table.column_names, [target])
        check_types(table.schema, {}, name, target)
        codes, labels = _class_codes(table, target)
        roles = decide_roles(table, asked, **how)
        if features is None:
            roles = roles.shortened(limits.MOST_FEATURES)
        chosen = choose_roles(table.column_names, settled(asked, roles), (), roles)
        check_types(table.schema, chosen.kinds, name, target)
        rows = chosen.encoder.encode_block(table)
    except DataError as error:
        raise MessageError(error.problem or str(error)) from None
    left_out = roles.reasons
    if left_out:
        notes.append(f"left out: {left_out}")
    notes += chosen.missing.infinite
    n_unlabelled = int(np.count_nonzero(codes < 0))
    if n_unlabelled:
        rows_have = "1 row has" if n_unlabelled == 1 else f"{n_unlabelled:,} rows have"
        them = "it" if n_unlabelled == 1 else "them"
        notes.append(f"{rows_have} no label in {target!r}, and the model learns from {them} too")
    if len(chosen.features) > limits.MOST_FEATURES:
        msg = (
            f"there are {len(chosen.features)} columns to learn from, and the lab takes "
            f"{limits.MOST_FEATURES} features; choose some of them"
        )
        raise MessageError(msg)
    numbers = np.ascontiguousarray(rows.matrix, dtype=np.float64)
    for row, place in np.argwhere(np.abs(numbers) > limits.LARGEST).tolist():
        column, value = chosen.numeric[place], numbers[row, place]
        msg = (
            f"{name}: row {row + 1} of column {column!r} is {value:g}; the lab takes numbers "
            f"up to {limits.LARGEST:g}: correct it, or leave the cell empty"
        )
        raise MessageError(msg)
    for column, values in zip(chosen.categorical, rows.categories, strict=True):
        _check_few(column, values, limits.MOST_CATEGORIES, "takes {} categories: leave it out")
    encoder = chosen.encoder.with_categories(rows.categories)
    rows, columns = replace(rows, numbers=numbers), tuple(table.column_names)
    return LabTable(name, rows, codes, labels, encoder, target, columns, "; ".join(notes) or None)


def _class_codes(table: "pa.Table", target: str) -> tuple[CodeArray, LabelArray]:
    """Class codes (n,), −1 for rows without label, and classes (k,), which are not too many."""
    from gaussbayes.data.labels import read_label_column
    from gaussbayes.data.roles import BadRowError

    try:
        codes, labels, _ = read_label_column(table.column(target), target)
    except BadRowError:
        msg = (
            f"the column {target!r} holds numbers with fractions; classes must be strings, "
            "integers or booleans: choose another column to predict"
        )
        raise MessageError(msg) from None
    if not labels.size:
        msg = f"no row has a label in the column {target!r}"
        raise MessageError(msg)
    remedy = "shows {} classes: choose another column to predict"
    _check_few(target, labels.tolist(), limits.MOST_CLASSES, remedy)
    return codes, labels


def _check_few(column: str, values: Sequence[object], most: int, remedy: str) -> None:
    if len(values) > most:
        msg = (
            f"the column {column!r} holds {len(values):,} different values, such as "
            f"{values[0]!r:.80}, and the lab {remedy.format(most)}"
        )
        raise MessageError(msg)
