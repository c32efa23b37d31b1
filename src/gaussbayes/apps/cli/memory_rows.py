"""Labelled rows of files in memory, all of them or a sample, as the library takes them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gaussbayes.apps.cli import row_files
from gaussbayes.apps.cli.command_options import RowOptions
from gaussbayes.apps.cli.console import tell
from gaussbayes.base.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from gaussbayes.base.types import FloatArray
    from gaussbayes.data.encoder import Encoder
    from gaussbayes.data.file_rows import FileRows
    from gaussbayes.data.reduction import Reduced
    from gaussbayes.data.rows import LabelledRows, Which

MOST_BYTES = 1 << 30
"""Of rows in memory; what is done with them takes about three times as much."""

_LEAST = 20
"""Rows of every class that a sample keeps, so that each can be fitted and cross-validated."""


@dataclass(frozen=True, slots=True, eq=False)
class MemoryRows:
    """Labelled rows, and the encoder that made them; those of several blocks are added."""

    table: "LabelledRows"
    encoder: "Encoder"

    def __add__(self, other: "MemoryRows") -> "MemoryRows":
        import numpy as np

        from gaussbayes.data.labels import unite
        from gaussbayes.data.rows import LabelledRows, Targets

        tables = [self.table, other.table]
        classes, *places = unite(self.table.classes, other.table.classes)
        rows = self.table.rows.joined(other.table.rows, self.encoder.schema(classes).of_categories)
        check_bytes(rows.matrix.nbytes + rows.codes.nbytes, rows.n_rows)
        # The code of a row without label, −1, is the last entry.
        codes = [
            np.append(place, -1)[table.targets.codes]
            for place, table in zip(places, tables, strict=True)
        ]
        weights = [table.targets.weights for table in tables]
        targets = Targets(
            np.concatenate(codes).astype(np.int32),
            classes.shape[0],
            None if weights[0] is None else np.concatenate(weights),  # type: ignore[arg-type]
            sum(table.targets.n_unlabelled for table in tables),
        )
        return MemoryRows(LabelledRows(rows, targets, classes), self.encoder)

    def __getitem__(self, which: "Which") -> "MemoryRows":
        """Some of the rows."""
        table = self.table
        part = replace(table, rows=table.rows[which], targets=table.targets[which])
        return MemoryRows(part, self.encoder)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self.table.rows.n_rows

    @property
    def labelled(self) -> "MemoryRows":
        """Those that have a label."""
        return self[self.table.targets.labelled] if self.table.targets.n_unlabelled else self

    @property
    def categorical(self) -> list[str]:
        """The features that hold categories."""
        names = self.encoder.names or ()
        return [names[column] for column in self.encoder.categorical]

    @property
    def features(self) -> "pa.Table":
        """The features as an Arrow table; those that hold categories are dictionaries."""
        rows = self.table.rows
        encoder = self.encoder.with_categories(rows.categories)
        table = as_table(encoder.decode(rows), encoder)
        for j in encoder.categorical:
            coded = table.column(j).dictionary_encode()
            table = table.set_column(j, table.column_names[j], coded)
        return table

    @property
    def labels(self) -> "NDArray[Any]":
        """The labels (n,), None where there is none."""
        import numpy as np

        names = np.fromiter([*self.table.classes.tolist(), None], object)
        labels: NDArray[Any] = names[self.table.targets.codes]  # −1 is the last one
        return labels


def check_bytes(n_bytes: int, n_rows: int) -> None:
    """Raise if rows, or what is kept of each, take more memory than they may."""
    if n_bytes > MOST_BYTES:
        msg = (
            f"there are too many rows for this: more than {MOST_BYTES >> 20} MiB are needed for "
            f"{n_rows:,} of them. Give fewer rows, or for auto choose by --selection bic, which "
            "reads files of any size"
        )
        raise DataError(msg)


@dataclass(frozen=True, slots=True)
class _Load:
    """A fold that keeps the rows; see `gaussbayes.data.reduction.RowSource.reduce`."""

    encoder: "Encoder"
    labelled_only: bool

    def __call__(self, block: "LabelledRows", _: int, /) -> MemoryRows:
        from gaussbayes.base.finite import check_finite

        check_finite(block.rows.matrix, allow_nan=True)  # the reader then names rows and columns
        rows = MemoryRows(block, self.encoder)
        return rows.labelled if self.labelled_only else rows


def load_rows(rows: "FileRows", *, labelled_only: bool = False) -> "Reduced[MemoryRows]":
    """All rows of files, or those that have a label, and what was read."""
    return rows.reduce(_Load(rows.encoder, labelled_only))


def sampled_rows(
    blocks: row_files.LabelledBlocks,
    most: int | None = None,
    seed: int = 0,
    *,
    labelled_only: bool = False,
    tables: "Iterable[LabelledRows] | None" = None,
) -> MemoryRows:
    """At most so many rows, each as probable as any other, but some of every class.

    Every row draws a random key; those with the smallest keys are kept, of all rows and of a class.

    Parameters
    ----------
    blocks : the rows of files
    most : None is all of them
    labelled_only : whether rows without label are left out
    tables : the rows of the blocks, if they have been read already
    """
    import numpy as np

    generator = np.random.default_rng(seed)
    kept, keys, n_seen = None, np.empty(0), 0
    for table in blocks if tables is None else tables:
        rows = MemoryRows(table, blocks.encoder)
        rows = rows.labelled if labelled_only else rows
        drawn = generator.random(rows.n_rows)
        n_seen += rows.n_rows
        near = _smallest(rows, drawn, most)
        kept = rows[near] if kept is None else kept + rows[near]
        keys = np.concatenate([keys, drawn[near]])
        if most is not None and keys.size > most + most // 2:  # not after every few rows
            near = _smallest(kept, keys, most)
            kept, keys = kept[near], keys[near]
    source = blocks.rows.source
    if kept is None or not n_seen:
        raise row_files.no_rows(source)
    kept = kept[_smallest(kept, keys, most)]
    if kept.n_rows < n_seen:
        tell(f"{kept.n_rows:,} of {n_seen:,} rows of {source.shown} are used, drawn at random")
    return kept


def _smallest(rows: MemoryRows, keys: "FloatArray", most: int | None) -> Any:
    """Which rows have the smallest keys of all, or of their class."""
    import numpy as np

    n, codes = keys.size, rows.table.targets.codes
    if most is None or n <= most:
        return np.arange(n)
    order = np.lexsort((keys, codes))
    rank = np.arange(n) - np.searchsorted(codes[order], codes[order])
    keep = np.zeros(n, dtype=bool)
    keep[np.argpartition(keys, most - 1)[:most]] = True
    keep[order[rank < min(most, _LEAST)]] = True
    return np.flatnonzero(keep)


def held_out_rows(given: Any, learnt: MemoryRows, chosen: RowOptions) -> Any:
    """Folds or a proportion as they are; a file as rows with the columns and classes of others."""
    if not isinstance(given, Path):
        return given
    from gaussbayes.data.categories import kind
    from gaussbayes.data.file_rows import FileRows
    from gaussbayes.data.roles import Request

    source = row_files.open_files([str(given)], None, chosen.bad_rows)
    names, target = learnt.encoder.names or (), str(chosen.target)
    row_files.check_columns(source, [target, *names], "the columns of the other rows")
    known = learnt.table.rows.categories
    strings = [
        name
        for name, categories in zip(learnt.categorical, known, strict=True)
        if kind(categories) is str
    ]
    categorical = learnt.categorical or None
    mark = chosen.unlabelled
    request = Request(target, names, None, categorical, string_features=strings, mark=mark)
    encoder = learnt.encoder.with_categories(known)
    rows = FileRows.open(source, request)
    blocks = row_files.LabelledBlocks(rows, encoder, learnt.table.classes)
    test = sampled_rows(blocks, labelled_only=True)
    row_files.tell_bad_rows(source.bad_rows)
    row_files.tell_unlabelled(blocks.n_unlabelled, chosen, row_files.NOT_JUDGED)
    blocks.unseen.tell()
    return test.features, test.labels


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
    assert encoder.categories is not None
    return pa.array(encoder.categories[encoder.categorical.index(column)]).type
