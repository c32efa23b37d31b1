"""Labelled rows of files in memory, all of them or a sample, as the library takes them."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
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
        """The features as an Arrow table."""
        rows = self.table.rows
        encoder = self.encoder.with_categories(rows.categories)
        return as_table(encoder.decode(rows), encoder)

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
    blocks: "Iterable[LabelledRows]",
    encoder: "Encoder",
    shown: str,
    most: int,
    seed: int,
    *,
    labelled_only: bool = False,
) -> MemoryRows | None:
    """At most so many rows, each as probable as any other, but some of every class.

    Parameters
    ----------
    blocks : all rows, part by part
    encoder : that made rows of them
    shown : what a message calls them
    labelled_only : whether rows without label are left out

    Returns
    -------
    None if there are no rows.
    """
    sample = _Sample(most, seed)
    for block in blocks:
        rows = MemoryRows(block, encoder)
        sample.add(rows.labelled if labelled_only else rows)
    kept = sample.rows()
    n_kept = 0 if kept is None else kept.table.rows.n_rows
    if n_kept < sample.n_seen:
        tell(f"{n_kept:,} of {sample.n_seen:,} rows of {shown} are used, drawn at random")
    return kept


@dataclass(slots=True, eq=False)
class _Sample:
    """Every row draws a random key; the rows with the smallest keys are kept, and of each class."""

    most: int
    seed: int
    n_seen: int = 0
    _kept: MemoryRows | None = None
    _keys: "FloatArray" = field(init=False)
    _generator: Any = field(init=False)

    def __post_init__(self) -> None:
        import numpy as np

        self._keys = np.empty(0)
        self._generator = np.random.default_rng(self.seed)

    def add(self, rows: MemoryRows) -> None:
        """See more rows."""
        import numpy as np

        n = rows.table.rows.n_rows
        keys = self._generator.random(n)
        self.n_seen += n
        near = self._smallest(rows, keys)
        self._keys = np.concatenate([self._keys, keys[near]])
        self._kept = rows[near] if self._kept is None else self._kept + rows[near]
        if self._keys.size > self.most + self.most // 2:  # not after every few rows
            self._trim()

    def rows(self) -> MemoryRows | None:
        """The rows kept, in the order they came."""
        self._trim()
        return self._kept if self.n_seen else None

    def _trim(self) -> None:
        if self._kept is not None:
            near = self._smallest(self._kept, self._keys)
            self._kept, self._keys = self._kept[near], self._keys[near]

    def _smallest(self, rows: MemoryRows, keys: "FloatArray") -> "NDArray[Any]":
        """Which rows have the smallest keys of all, or of their class."""
        import numpy as np

        n = keys.size
        if n <= self.most:
            return np.arange(n)
        codes = rows.table.targets.codes
        order = np.lexsort((keys, codes))
        rank = np.arange(n) - np.searchsorted(codes[order], codes[order])
        keep = np.zeros(n, dtype=bool)
        keep[np.argpartition(keys, self.most - 1)[: self.most]] = True
        keep[order[rank < min(self.most, _LEAST)]] = True
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
    test = sampled_rows(blocks, encoder, source.shown, MOST_BYTES, 0, labelled_only=True)
    if test is None:
        raise row_files.no_rows(source)
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
