"""The one entry: any container of rows → `Rows`, numbers and category codes for families.

An `Encoder` has the features of a table: their number, names and kinds, and the categories if they
are known. Only the encoder handles types of columns, missing marks, unseen categories and column
roles. `Targets` are the labels and weights of rows.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.notices import Remedy
from gaussbayes.base.spelling import meant
from gaussbayes.base.types import (
    CodeArray,
    FloatArray,
    LabelArray,
    RealArray,
)
from gaussbayes.data.categories import (
    Categories,
    Unseen,
    factorise,
    recode,
    spelled_numbers,
    unite,
)
from gaussbayes.data.column_rules import SampledColumn
from gaussbayes.data.schema import STANDARD_MARKS, ColumnKind, ColumnTable, MissingMarks, Schema
from gaussbayes.data.tables import (
    FLOATS,
    StringError,
    as_array,
    as_frame,
    as_matrix,
    as_numpy,
    check_not_empty,
    day_number,
    frame_numbers,
    is_frame,
    listed,
)
from gaussbayes.kernels import arrays as kernel_columns
from gaussbayes.kernels.arrays import Columns

Which: TypeAlias = slice | NDArray[np.intp] | NDArray[np.bool_]
"""Some rows: a slice, row numbers, or a mask."""

UNLABELLED = -1
"""The class code of a row without label."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The number features (n, g) and the category features (n, q) of some rows.

    Either may have no columns. Missing numbers are NaN. A category code is an index into
    `categories`, `UNSEEN` (−1) or `MISSING` (−2); see `gaussbayes.data.categories`.

    Examples
    --------
    >>> rows = number_rows(np.array([[1.5, 2.0], [0.5, np.nan]]))
    >>> rows.n_rows, rows[:1].matrix.tolist()
    (2, [[1.5, 2.0]])
    """

    numbers: RealArray | Columns  # (n, g) float32 or float64
    codes: CodeArray  # (n, q)
    categories: tuple[Categories, ...] = ()  # q times m_j
    unseen: tuple[Unseen, ...] = ()  # of the category features that have any

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.numbers.shape[0])

    @property
    def n_columns(self) -> int:
        """The number of features."""
        return int(self.numbers.shape[1] + self.codes.shape[1])

    @property
    def matrix(self) -> RealArray:
        """The numbers in one array (n, g)."""
        return kernel_columns.as_matrix(self.numbers)

    @property
    def dtype(self) -> "np.dtype[Any]":
        """The float type of the scores of these rows: that of the numbers."""
        if isinstance(self.numbers, Columns):
            return self.numbers.columns[0].dtype if self.numbers.columns else np.dtype(np.float64)
        return self.numbers.dtype

    def __getitem__(self, which: Which) -> "Rows":
        if isinstance(which, slice):
            return replace(self, numbers=self.numbers[which], codes=self.codes[which])
        return replace(self, numbers=self.matrix[which], codes=self.codes[which])

    def with_categories(self, categories: tuple[Categories, ...]) -> "Rows":
        """The same rows coded by other categories; all others are unseen."""
        if categories == self.categories:
            return replace(self, categories=categories, unseen=())
        codes, _, unseen = recode(zip(self.codes.T, self.categories, strict=True), categories)
        return replace(self, codes=codes, categories=categories, unseen=unseen)

    def joined(self, other: "Rows", names: Schema) -> "Rows":
        """Append rows with the same features; `names` are those of the category features."""
        pairs = zip(self.categories, other.categories, strict=True)
        both = tuple(unite(a, b, names.feature_name(j)) for j, (a, b) in enumerate(pairs))
        first, second = self.with_categories(both), other.with_categories(both)
        return Rows(
            np.concatenate([first.matrix, second.matrix]),
            np.concatenate([first.codes, second.codes]),
            both,
        )


def number_rows(numbers: RealArray | Columns) -> Rows:
    """Rows that have no categories."""
    return Rows(numbers, np.empty((numbers.shape[0], 0), np.int32))


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """The labels and weights of rows."""

    labels: CodeArray | FloatArray
    """(n,) class codes, −1 for a row without label; or (n, k) soft labels, NaN for such a row."""
    n_classes: int
    weights: FloatArray | None = None  # (n,), None for ones
    n_unlabelled: int = 0  # rows without label

    @property
    def is_soft(self) -> bool:
        """Whether the labels are soft."""
        return self.labels.ndim == 2

    @property
    def codes(self) -> CodeArray:
        """The class codes (n,); for soft labels, those of the largest entries."""
        if self.is_soft:
            largest = np.nan_to_num(self.labels).argmax(axis=1)
            return np.where(self.labelled, largest, UNLABELLED).astype(np.int32)
        return self.labels.astype(np.int32, copy=False)

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Which rows have a label (n,)."""
        if self.is_soft:
            return np.asarray(~np.isnan(self.labels[:, 0]))
        return np.asarray(self.labels != UNLABELLED)

    def __getitem__(self, which: Which) -> "Targets":
        weights = None if self.weights is None else self.weights[which]
        some = Targets(self.labels[which], self.n_classes, weights)
        if not self.n_unlabelled:
            return some
        return replace(some, n_unlabelled=int(np.count_nonzero(~some.labelled)))

    def weighted_codes(self) -> tuple[NDArray[np.intp], NDArray[np.intp], FloatArray]:
        """Row numbers, class codes and weights of all labels with a weight above 0."""
        weights = self.total_weights()
        if self.is_soft:
            soft = np.where(self.labelled[:, None], self.labels, 0.0) * weights[:, None]
            rows, codes = np.nonzero(soft)
            return rows, codes, soft[rows, codes]
        rows = np.flatnonzero(self.labelled & (weights > 0))
        return rows, self.labels[rows].astype(np.intp), weights[rows].astype(np.float64)

    def proportions(self) -> FloatArray:
        """The labels as distributions over the classes (n, k)."""
        return np.asarray(self.labels if self.is_soft else np.eye(self.n_classes)[self.codes])

    def total_weights(self) -> FloatArray:
        """The sample weights (n,), as an array."""
        return np.ones(self.labels.shape[0]) if self.weights is None else self.weights


@dataclass(frozen=True, slots=True, eq=False)
class LabelledRows:
    """A table: rows, targets and the classes of the class codes."""

    rows: Rows
    targets: Targets
    classes: LabelArray  # (k,), sorted


@dataclass(frozen=True, slots=True)
class Encoder:
    """The features of a table, and the conversion of its rows to numbers and category codes.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [30, 40], "wind": ["S", "M"]})
    >>> encoder = Encoder.learn(frame, {"wind": "category"})
    >>> encoder.names, encoder.categorical
    (('age', 'wind'), (1,))
    >>> rows = encoder.encode(frame)
    >>> rows.matrix.tolist(), rows.codes.tolist(), rows.categories
    ([[30.0], [40.0]], [[1], [0]], (('M', 'S'),))
    """

    n_features: int
    names: tuple[str, ...] | None = None
    categorical: tuple[int, ...] = ()  # the features that hold categories; all others hold numbers
    categories: tuple[Categories, ...] | None = None  # known ones; None takes those that occur
    missing: MissingMarks = STANDARD_MARKS  # marks of missing values
    roles: ColumnTable | None = None  # of all columns of a table, if some are not features

    @classmethod
    def learn(
        cls,
        X: Any,
        kinds: Mapping[str | int, ColumnKind] | None = None,
        missing: MissingMarks = STANDARD_MARKS,
        names: Sequence[str] | None = None,
    ) -> "Encoder":
        """The features of a table: all of its columns.

        Parameters
        ----------
        kinds : kinds of columns, by name or number; other columns are numbers, but in a frame
            without column names those of a categorical type, strings and booleans are categories
        missing : marks of missing values
        names : of the columns, if they have none
        """
        if type(X) is np.ndarray and X.ndim == 2 and not kinds and not names:
            return cls(X.shape[1], missing=missing)
        X = _as_table(X)
        frame = as_frame(X) if is_frame(X) else None
        n = as_array(X).shape[1] if frame is None else len(frame.columns)
        known = names if frame is None else frame.columns
        if names is not None and len(names) != n:
            msg = f"X has {n} columns, but {len(names)} names are given"
            raise DataError(msg)
        hold: set[int] = set()
        if known is None or not all(isinstance(name, str) for name in known):
            hold = set() if frame is None else _typed(frame, missing)
            known = None
        for place, kind in placed_kinds(kinds or {}, known, n).items():
            hold = hold | {place} if kind == "category" else hold - {place}
        return cls(n, None if known is None else tuple(known), tuple(sorted(hold)), missing=missing)

    @property
    def numeric(self) -> tuple[int, ...]:
        """The features that hold numbers."""
        return tuple(j for j in range(self.n_features) if j not in self.categorical)

    def schema(self, classes: LabelArray) -> Schema:
        """The names of these features and of classes in messages."""
        columns = (self.n_features, self.names, self.categorical)
        return Schema(classes, *columns, missing=self.missing, roles=self.roles)

    @property
    def origins(self) -> dict[str, float]:
        """The origins of the columns of dates, in days since 1970, by name."""
        dates = {} if self.roles is None else self.roles.origins
        return {name: day_number(origin) for name, origin in dates.items()}

    def with_categories(self, categories: Sequence[Categories]) -> "Encoder":
        """The same features, coded by these categories."""
        return replace(self, categories=tuple(categories))

    def encode(self, X: Any) -> Rows:
        """The rows of an array, list, frame, Arrow record batch or `Rows` with these features.

        If both have names, they must be the same in the same order; columns of the training table
        that are not features may be present as well. Numbers are not copied if the container holds
        them as contiguous floats. `Rows.unseen` counts unknown categories.
        """
        if not self.categorical and type(X) is np.ndarray and X.ndim == 2 and X.dtype in FLOATS:
            if X.shape[1] != self.n_features or not X.size:
                X = self._cut(X)
                self._check_shape(X.shape)
            return number_rows(as_matrix(X, self.names or range(self.n_features), self.missing))
        if isinstance(X, Rows):
            return self._encode_rows(X)
        X = _as_table(X)
        if is_frame(X):
            frame = as_frame(X)
            if self.roles is not None:
                frame = frame.select(*self._chosen(frame.columns))
            self.check_names(frame.columns)
            self._check_shape(frame.shape)
            numbers: RealArray | Columns = np.empty((len(frame), 0))  # a row has no numbers
            if self.numeric:
                chosen = _chosen_places(frame, self.numeric)
                numbers = frame_numbers(chosen, self.missing, self.origins)
            return self._joined(numbers, [frame[:, j] for j in self.categorical])
        array = self._cut(as_array(X))
        self._check_shape(array.shape)
        numeric = self.numeric
        names = numeric if self.names is None else [self.names[j] for j in numeric]
        part = array[:, numeric] if self.categorical else array
        try:
            matrix = as_matrix(part, names, self.missing) if numeric else np.empty((len(part), 0))
        except StringError as error:
            if self.categories is not None:
                raise
            # To be fitted.
            texts: list[Any] = [
                j if self.names is None else self.names[j]
                for j in numeric
                if any(isinstance(value, str) for value in array[:, j])
            ]
            category = Remedy("treat strings as categories", columns=(("categorical", texts),))
            raise StringError(str(error)).with_remedies([category]) from None
        return self._joined(matrix, [array[:, j] for j in self.categorical])

    def encode_row(self, row: Any) -> Rows:
        """One row, given as its values (d,) or as a table of one row."""
        row = as_numpy(row, "x")
        if not _is_table(row):
            row = [[row] if np.ndim(row) == 0 else list(row)]
            if len(row[0]) != self.n_features:
                msg = f"a row of {self.n_features} features is needed, got {len(row[0])} values"
                raise DataError(msg)
        rows = self.encode(row)
        if rows.n_rows != 1:
            msg = f"one row is needed, got {rows.n_rows}: choose one, as in X[3]"
            raise DataError(msg)
        return rows

    def decode(self, rows: Rows) -> NDArray[Any]:
        """Rows as one array (n, d): floats, or objects if there are categories.

        Missing and unknown categories are None.
        """
        if not self.categorical:
            return rows.matrix
        table = np.empty((rows.n_rows, self.n_features), dtype=object)
        table[:, self.numeric] = rows.matrix
        for j, column in enumerate(self.categorical):
            # The last two entries are for unseen and missing values, with codes −1 and −2.
            values = np.array([*rows.categories[j], None, None], dtype=object)
            table[:, column] = values[rows.codes[:, j]]
        return table

    def check_names(self, names: Iterable[object]) -> None:
        """Raise if named columns are not these features, in this order."""
        given = tuple(names)
        if self.names is None or given == self.names:
            return
        if not all(isinstance(name, str) for name in given):
            return  # numbers are not names
        others: dict[str, list[Any]] = {
            "missing": [name for name in self.names if name not in given],
            "unknown": [name for name in given if name not in self.names],
        }
        if any(others.values()):
            parts = [f"{what} are {listed(names)}" for what, names in others.items() if names]
            msg = f"the columns of X must be the features: {'; '.join(parts)}"
            raise DataError(msg)
        expected = f"{listed(self.names)}; got {listed(given)}"
        msg = f"the columns of X must be in the order of the features: {expected}"
        raise DataError(msg)

    def takes(self, X: Any) -> bool:
        """Whether a frame has these features; other columns must be known to be excluded."""
        return set(self._chosen(as_frame(X).columns)) == set(self.names or ())

    def _chosen(self, columns: Sequence[str]) -> list[str]:
        """The columns without excluded ones, in the order of the features if the table allows it.

        It does if its columns are in the order of the training table.
        """
        assert self.roles is not None
        others = {column.name for column in self.roles.excluded}
        given = [name for name in columns if name not in others]
        known = [name for name in self.roles.names if name not in others]
        return list(self.names or ()) if given == known else given

    def _cut(self, array: NDArray[Any]) -> NDArray[Any]:
        """The features (n, d) among the columns of an array that has all columns of the table."""
        if self.roles is None or self.names is None or array.shape[1] != len(self.roles.columns):
            return array
        names = self.roles.names
        return array if names == self.names else array[:, [names.index(x) for x in self.names]]

    def _check_shape(self, shape: tuple[int, ...]) -> None:
        if shape[1] != self.n_features and shape[1]:
            named = "" if self.names is None else f": {listed(self.names)}"
            msg = f"X has {shape[1]} features, but {self.n_features} are expected{named}"
            raise DataError(msg)
        check_not_empty(shape)

    def _encode_rows(self, rows: Rows) -> Rows:
        g, q = rows.numbers.shape[1], rows.codes.shape[1]
        if (g, q) != (self.n_features - len(self.categorical), len(self.categorical)):
            msg = f"rows have {g} numbers and {q} categories, but others are expected"
            raise DataError(msg)
        return rows if self.categories is None else rows.with_categories(self.categories)

    def _joined(self, numbers: RealArray | Columns, columns: Sequence[Any]) -> Rows:
        """Numbers (n, g), and columns of categories of any container."""
        if not columns:
            return number_rows(numbers)
        factors = []
        for j, (feature, column) in enumerate(zip(self.categorical, columns, strict=True)):
            name = f"feature {feature}" if self.names is None else repr(self.names[feature])
            marks = self.missing.of(None if self.names is None else self.names[feature])
            factor = factorise(column, name, marks, occurring=self.categories is None)
            if self.categories is not None:
                factor = spelled_numbers(*factor, self.categories[j])
            factors.append(factor)
        return Rows(numbers, *recode(factors, self.categories))


KIND_ARGUMENTS: Mapping[ColumnKind, str] = {
    "category": "categorical",
    "number": "numeric",
    "date": "dates",
}
"""The arguments of `Columns` that declare kinds of columns; families declare counts."""


def placed_kinds(
    kinds: Mapping[str | int, ColumnKind], names: Sequence[Any] | None, n_columns: int
) -> dict[int, ColumnKind]:
    """The kinds of columns, given by name or number, by position."""
    placed = {}
    for column, kind in kinds.items():
        if isinstance(column, str) and names is None:
            msg = (
                f"{column!r} names a column, but the columns of an array have no names: give "
                "column numbers, or a frame"
            )
            raise DataError(msg)
        known: Sequence[Any] = list(names or ()) if isinstance(column, str) else range(n_columns)
        if column not in known:
            close, given = "", f"0 to {n_columns - 1}"
            if isinstance(column, str):
                close, given = meant(column, map(str, known)), listed(known)
            where = "named by families, transforms or columns"
            msg = f"there is no column {column!r}{close}, {where}; the columns are {given}"
            raise DataError(msg)
        placed[known.index(column)] = kind
    return placed


def _typed(frame: Any, missing: MissingMarks) -> set[int]:
    """The columns of a frame of narwhals that are of a categorical type, strings or booleans."""
    others = [j for j, kind in enumerate(frame.schema.values()) if not kind.is_numeric()]
    columns = {j: SampledColumn.of(frame[:, j], missing.unnamed) for j in others}
    return {j for j, column in columns.items() if column.is_text or column.kind == "category"}


def _chosen_places(frame: Any, places: Sequence[int]) -> Any:
    """Some columns of a narwhals frame, in order: a view if possible."""
    if len(places) == len(frame.columns):
        return frame
    if places and places[-1] - places[0] + 1 == len(places):
        return frame[:, places[0] : places[-1] + 1]
    return frame[:, list(places)]


def _as_table(X: Any) -> Any:
    """A record batch of Arrow as a table; everything else unchanged."""
    if type(X).__module__.partition(".")[0] == "pyarrow":
        import pyarrow as pa

        if isinstance(X, pa.RecordBatch):
            return pa.Table.from_batches([X])
    return X


def _is_table(row: Any) -> bool:
    """Whether this is a table, and not the values of one row."""
    if isinstance(row, list | tuple):
        return bool(row) and isinstance(row[0], list | tuple | np.ndarray)
    return isinstance(row, Rows) or getattr(row, "ndim", 0) > 1 or is_frame(row)
