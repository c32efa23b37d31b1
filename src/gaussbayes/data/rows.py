"""The one entry: any container of rows → `Rows`, numbers and category codes for families.

An `Encoder` reads a table by its `Schema`: the number of features, their names and kinds. It has
the categories of a fitted model. Only the encoder handles types of columns, missing marks, unseen
categories and column roles. `Targets` are the labels and weights of rows.
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
from gaussbayes.data.schema import STANDARD_MARKS, ColumnKind, MissingMarks, Schema
from gaussbayes.data.tables import (
    FLOATS,
    StringError,
    as_array,
    as_frame,
    as_matrix,
    as_numpy,
    check_not_empty,
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
    """The conversion of rows to numbers and category codes, by the schema of their features.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [30, 40], "wind": ["S", "M"]})
    >>> encoder = Encoder(schema_of(frame, {"wind": "category"}))
    >>> encoder.schema.features, encoder.schema.categorical
    (('age', 'wind'), (1,))
    >>> rows = encoder.encode(frame)
    >>> rows.matrix.tolist(), rows.codes.tolist(), rows.categories
    ([[30.0], [40.0]], [[1], [0]], (('M', 'S'),))
    """

    schema: Schema
    categories: tuple[Categories, ...] | None = None  # None takes those that occur

    def encode(self, X: Any) -> Rows:
        """The rows of an array, list, frame, Arrow record batch or `Rows` with these features.

        If both have names, they must be the same in the same order; columns of the training table
        that are not features may be present as well. Numbers are not copied if the container holds
        them as contiguous floats. `Rows.unseen` counts unknown categories.
        """
        schema = self.schema
        if not schema.categorical and type(X) is np.ndarray and X.ndim == 2 and X.dtype in FLOATS:
            if X.shape[1] != schema.n_features or not X.size:
                X = self._cut(X)
                self._check_shape(X.shape)
            names = schema.features or range(schema.n_features)
            return number_rows(as_matrix(X, names, schema.missing))
        if isinstance(X, Rows):
            return self._encode_rows(X)
        X = _as_table(X)
        if is_frame(X):
            frame = as_frame(X)
            if schema.roles is not None:
                frame = frame.select(*self._chosen(frame.columns))
            self.check_names(frame.columns)
            self._check_shape(frame.shape)
            numbers: RealArray | Columns = np.empty((len(frame), 0))  # a row has no numbers
            if schema.numeric:
                chosen = _chosen_places(frame, schema.numeric)
                numbers = frame_numbers(chosen, schema.missing, schema.origins)
            return self._joined(numbers, [frame[:, j] for j in schema.categorical])
        array = self._cut(as_array(X))
        self._check_shape(array.shape)
        return self._joined(self._matrix(array), [array[:, j] for j in schema.categorical])

    def encode_row(self, row: Any) -> Rows:
        """One row, given as its values (d,) or as a table of one row."""
        row = as_numpy(row, "x")
        if not _is_table(row):
            row = [[row] if np.ndim(row) == 0 else list(row)]
            d = self.schema.n_features
            if len(row[0]) != d:
                msg = f"a row of {d} features is needed, got {len(row[0])} values"
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
        schema = self.schema
        if not schema.categorical:
            return rows.matrix
        table = np.empty((rows.n_rows, schema.n_features), dtype=object)
        table[:, schema.numeric] = rows.matrix
        for j, column in enumerate(schema.categorical):
            # The last two entries are for unseen and missing values, with codes −1 and −2.
            values = np.array([*rows.categories[j], None, None], dtype=object)
            table[:, column] = values[rows.codes[:, j]]
        return table

    def check_names(self, names: Iterable[object]) -> None:
        """Raise if named columns are not these features, in this order."""
        given, features = tuple(names), self.schema.features
        if features is None or given == features:
            return
        if not all(isinstance(name, str) for name in given):
            return  # numbers are not names
        differences: dict[str, list[Any]] = {
            "missing": [name for name in features if name not in given],
            "unknown": [name for name in given if name not in features],
        }
        if any(differences.values()):
            found = [f"{what} are {listed(names)}" for what, names in differences.items() if names]
            msg = f"the columns of X must be the features: {'; '.join(found)}"
            raise DataError(msg)
        expected = f"{listed(features)}; got {listed(given)}"
        msg = f"the columns of X must be in the order of the features: {expected}"
        raise DataError(msg)

    def takes(self, X: Any) -> bool:
        """Whether a frame has these features; other columns must be known to be excluded."""
        return set(self._chosen(as_frame(X).columns)) == set(self.schema.features or ())

    def _chosen(self, columns: Sequence[str]) -> list[str]:
        """The columns without excluded ones, in the order of the features if the table allows it.

        It does if its columns are in the order of the training table.
        """
        assert self.schema.roles is not None
        excluded = {column.name for column in self.schema.roles.excluded}
        given = [name for name in columns if name not in excluded]
        expected = [column.name for column in self.schema.roles.used]
        return list(self.schema.features or ()) if given == expected else given

    def _cut(self, array: NDArray[Any]) -> NDArray[Any]:
        """The features (n, d) among the columns of an array that has all columns of the table."""
        roles, features = self.schema.roles, self.schema.features
        if roles is None or features is None or array.shape[1] != len(roles):
            return array
        return array if roles.names == features else array[:, [*map(roles.names.index, features)]]

    def _check_shape(self, shape: tuple[int, ...]) -> None:
        schema = self.schema
        if shape[1] != schema.n_features and shape[1]:
            named = "" if schema.features is None else f": {listed(schema.features)}"
            msg = f"X has {shape[1]} features, but {schema.n_features} are expected{named}"
            raise DataError(msg)
        check_not_empty(shape)

    def _encode_rows(self, rows: Rows) -> Rows:
        g, q = rows.numbers.shape[1], rows.codes.shape[1]
        if (g, q) != (len(self.schema.numeric), len(self.schema.categorical)):
            msg = f"rows have {g} numbers and {q} categories, but others are expected"
            raise DataError(msg)
        return rows if self.categories is None else rows.with_categories(self.categories)

    def _matrix(self, array: NDArray[Any]) -> RealArray:
        """The numbers (n, g) of an array (n, d)."""
        numeric, features = self.schema.numeric, self.schema.features
        if not numeric:
            return np.empty((len(array), 0))
        names = numeric if features is None else [features[j] for j in numeric]
        numbers = array[:, numeric] if self.schema.categorical else array
        try:
            return as_matrix(numbers, names, self.schema.missing)
        except StringError as error:
            if self.categories is not None:
                raise
            texts: list[Any] = [
                name
                for name, column in zip(names, numbers.T, strict=True)
                if any(isinstance(value, str) for value in column)
            ]
            category = Remedy("treat strings as categories", columns=(("categorical", texts),))
            raise StringError(str(error)).with_remedies([category]) from None

    def _joined(self, numbers: RealArray | Columns, columns: Sequence[Any]) -> Rows:
        """Numbers (n, g), and columns of categories of any container."""
        if not columns:
            return number_rows(numbers)
        coded, schema = [], self.schema
        for j, (feature, column) in enumerate(zip(schema.categorical, columns, strict=True)):
            marks = schema.missing.of(schema.features[feature] if schema.features else None)
            occurring = self.categories is None
            pair = factorise(column, schema.feature_name(feature), marks, occurring=occurring)
            if self.categories is not None:
                pair = spelled_numbers(*pair, self.categories[j])
            coded.append(pair)
        return Rows(numbers, *recode(coded, self.categories))


NO_CLASSES: LabelArray = np.empty(0)
"""The classes of a schema before labels are read."""


def schema_of(
    X: Any,
    kinds: Mapping[str | int, ColumnKind] | None = None,
    missing: MissingMarks = STANDARD_MARKS,
    names: Sequence[str] | None = None,
) -> Schema:
    """The features of a table in memory, all of its columns; there are no classes yet.

    Parameters
    ----------
    kinds : kinds of columns, by name or number; other columns are numbers, but in a frame without
        column names those of a categorical type, strings and booleans are categories
    missing : marks of missing values
    names : of the columns, if they have none
    """
    if type(X) is np.ndarray and X.ndim == 2 and not kinds and not names:
        return Schema(NO_CLASSES, X.shape[1], missing=missing)
    X = _as_table(X)
    frame = as_frame(X) if is_frame(X) else None
    n = as_array(X).shape[1] if frame is None else len(frame.columns)
    features = names if frame is None else frame.columns
    if names is not None and len(names) != n:
        msg = f"X has {n} columns, but {len(names)} names are given"
        raise DataError(msg)
    hold: set[int] = set()
    if features is None or not all(isinstance(name, str) for name in features):
        hold = set() if frame is None else _typed(frame, missing)
        features = None
    for place, kind in placed_kinds(kinds or {}, features, n).items():
        hold = hold | {place} if kind == "category" else hold - {place}
    features = None if features is None else tuple(features)
    return Schema(NO_CLASSES, n, features, tuple(sorted(hold)), missing=missing)


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
