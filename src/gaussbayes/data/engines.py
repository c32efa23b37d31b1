"""Tables of engines (DuckDB, lazy Polars, SQL): summed where the rows live, or read in batches.

`EngineTable` has the labelled rows under names of our own and runs aggregation queries on them,
each one narwhals expression of the form ``group_by(label, …).agg(…)``. A fold that has a method
``push_down(table)`` asks them instead of taking rows; what a family asks for is in its module
`pushdown`. One line for each group is all that leaves the engine. What cannot be pushed down, for
which the method gives None, is read in batches, and so are unlabelled rows.

An engine adds in an order of its own, which may change from run to run: the results agree with
those of files and arrays to rounding, not to the bit.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from gaussbayes.base.errors import DataError
from gaussbayes.base.finite import overflow_error
from gaussbayes.base.missing_marks import ColumnMarks
from gaussbayes.base.threads import n_threads, read_ahead
from gaussbayes.base.types import CodeArray, FloatArray, LabelArray
from gaussbayes.data.column_roles import (
    SAMPLE_ROWS,
    columns_asked_for,
    decide_source,
)
from gaussbayes.data.labels import encode
from gaussbayes.data.readers.batches import batch_rows, recut
from gaussbayes.data.reduction import BlockReader, Fold, Reduced, RowSource
from gaussbayes.data.roles import (
    ColumnSelection,
    ParsedTable,
    Request,
    Roles,
    choose_roles,
)
from gaussbayes.data.rows import Encoder
from gaussbayes.data.tables import LOOKED_AT, is_missing, sampled_rows
from gaussbayes.data.text_columns import check_no_others

MOST_CLASSES = 2000
"""A target with more values is rather a measurement or a key."""

_DAYS_BEFORE_1970 = date(1970, 1, 1).toordinal() - 1

LABEL, WEIGHT = "label", "weight"
"""The columns of an `EngineTable` beside its features."""


def feature_column(position: int) -> str:
    """The column of an `EngineTable` that holds a feature, by its position among all."""
    return f"f{position}"


class EngineRows(RowSource):
    """The rows of a table of an engine."""

    shown = "the table"

    def __init__(self, frame: Any, roles: Roles, request: Request) -> None:
        super().__init__(roles, request)
        self._frame = frame  # a narwhals LazyFrame

    @classmethod
    def open(cls, source: Any, request: Request) -> "EngineRows":
        """Choose the columns of a DuckDB relation, a Polars LazyFrame or another lazy frame."""
        frame = nw.from_native(source).lazy()
        schema = frame.collect_schema()
        decided = None
        if request.detect:
            columns = columns_asked_for(schema.names(), request)
            looked_at = frame.select(*columns).head(LOOKED_AT * SAMPLE_ROWS)
            tables = arrow_tables(looked_at, batch_rows(len(columns)))
            sample, are_all = sampled_rows(tables, SAMPLE_ROWS)
            how: dict[str, Any] = {"names": schema.names(), "spelled": False, "whole": are_all}
            request, decided = decide_source(sample, request, **how)
        roles = choose_roles(schema.names(), request, decided)
        others = ("category", "date")
        held = {name: schema[name] for name, kind in roles.kinds.items() if kind not in others}
        wrong = [item for item in held.items() if not item[1].is_numeric()]
        wrong = [(name, kind) for name, kind in wrong if kind != nw.Boolean]
        coded = [name for name, kind in wrong if kind == nw.String]
        check_no_others(wrong, coded, roles.kinds)
        rows = cls(frame, roles, request)
        rows._selected(named=True)  # raises for labels and categories that cannot be
        return rows

    @cached_property
    def table(self) -> "EngineTable":
        """The labelled rows, about which the first query has been asked."""
        return EngineTable.open(self._selected(named=False), self.roles)

    @property
    def without_label(self) -> "EngineRows":
        """The rows that have no label alone."""
        assert self.target is not None
        kind = self._frame.collect_schema()[self.target]
        label = _without_marks(nw.col(self.target), kind, self.request.label_marks)
        missing = ~_is_label(label, kind)
        return EngineRows(
            self._frame.filter(missing), replace(self.roles, target=None), self.request
        )

    def partial(self, fold: Fold[Any], encoder: Encoder, n_jobs: int | None) -> Reduced[Any]:
        # Sums can stand for the rows unless some are to be left out, which must be looked at.
        summed = self.target is not None and self.request.bad_rows == "error"
        if summed and hasattr(fold, "push_down") and encoder.categories is None:
            total = fold.push_down(self.table)
            if total is not None:
                n_rows, n_incomplete = int(self.table.n_rows.sum()), self.table.n_incomplete
                labelled: Reduced[Any] = Reduced(
                    total, n_rows, n_incomplete=n_incomplete, weighs=True
                )
                if not self.table.n_unlabelled:
                    return labelled
                return labelled + self.without_label.partial(fold, encoder, n_jobs)
        import pyarrow as pa

        selection = ColumnSelection(pa.schema([]), self.roles.kinds, self.request.bad_rows)
        reader = BlockReader(self.roles, self.request, encoder, selection)
        tables = read_ahead(self._parsed())
        reduced = reader.total(tables, fold, n_threads(n_jobs), self.shown)
        if reduced.stop is not None:
            raise reduced.stop.placed(self.shown, 1)
        return reduced

    def _parsed(self) -> Iterator[ParsedTable]:
        """The rows in tables of one length."""
        step = batch_rows(len(self.roles.columns))
        for table in recut(arrow_tables(self._selected(named=True), step), step):
            yield ParsedTable(table, table.num_rows)

    def _selected(self, *, named: bool) -> Any:
        """The columns with the types that sums need, under their names or under our own."""
        schema, roles = self._frame.collect_schema(), self.roles
        ours = {name: feature_column(position) for position, name in enumerate(roles.features)}
        ours |= {roles.weights: WEIGHT} if roles.weights is not None else {}
        marks = self.request.missing
        columns = {
            name: number_column(name, marks.of(name))
            for name in ours
            if name not in roles.categorical
        }
        origins = roles.encoder.origins
        for name in set(origins) & set(columns):
            columns[name] = day_column(name, schema[name], origins[name], marks.of(name))
        for name in roles.categorical:
            columns[name] = category_column(name, schema[name], marks.of(name))
        if roles.target is not None:
            name, ours[roles.target] = roles.target, LABEL
            label = _as_label(schema[name], name, "labels")
            columns[name] = _without_marks(label, schema[name], self.request.label_marks)
        return self._frame.select(
            *(column.alias(name if named else ours[name]) for name, column in columns.items())
        )


@dataclass(frozen=True, slots=True, eq=False)
class EngineTable:
    """Labelled rows of an engine: what is known of each class, and queries about the rest.

    The frame has the columns label, f0, f1, … and, if rows are weighted, weight. Labels are
    strings, numbers or booleans, and so are categories; everything else is float64.
    """

    frame: Any  # a narwhals LazyFrame
    roles: Roles
    classes: LabelArray  # (k,) sorted
    labels: tuple[Any, ...]  # k, the same as the engine gives them
    n_rows: FloatArray  # (k,)
    weight: FloatArray  # (k,)
    observed: FloatArray  # (k, d) how many rows have each feature; NaN counts as a value
    total: FloatArray  # (k, d) the weighted sum of each feature; NaN for those of categories
    n_unlabelled: int = 0  # rows of the whole table that have no label
    n_incomplete: int = 0  # rows among the labelled ones that lack a feature

    @classmethod
    def open(cls, frame: Any, roles: Roles) -> "EngineTable":
        """Ask which classes there are, and where."""
        d, weighted = len(roles.features), roles.weights is not None
        numeric = [j for j in range(d) if roles.features[j] not in roles.categorical]
        features = [feature_column(j) for j in range(d)]
        each = nw.col(WEIGHT) if weighted else 1
        made = [(nw.col(features[j]) * each).alias(f"s{j}") for j in numeric]
        sums = [nw.len().alias("n"), *(nw.col(name).count() for name in features)]
        sums += [nw.col(f"s{j}").sum() for j in numeric]
        if weighted:
            column = nw.col(WEIGHT)
            sums += [column.sum(), column.min().alias("least"), column.count().alias("weights")]
        groups = (frame.with_columns(*made) if made else frame).group_by(LABEL).agg(*sums)
        result = collected(groups.head(MOST_CLASSES + 3))

        n_rows = floats(result, "n")
        weight = floats(result, WEIGHT) if weighted else n_rows
        if not n_rows.size:
            msg = "the table has no rows: there is nothing to learn from"
            raise DataError(msg)
        if weighted and not (
            (floats(result, "weights") == n_rows).all()  # no NULL
            and (floats(result, "least") >= 0).all()
            and 0 < weight.sum() < np.inf
        ):
            _raise_for_weights(frame, roles, float(weight.sum()))
        labels = result[LABEL].to_list()
        unlabelled = [is_missing(each) for each in labels]
        kept = np.flatnonzero(~np.array(unlabelled, dtype=bool))
        n_unlabelled = int(n_rows.sum() - n_rows[kept].sum())
        _check_labels([labels[place] for place in kept], roles.target)
        codes, classes = encode([labels[place] for place in kept])
        order = kept[np.argsort(codes)]
        total = np.full((n_rows.size, d), np.nan)
        for j in numeric:
            total[:, j] = floats(result, f"s{j}")
        observed = np.stack([floats(result, name) for name in features], axis=1)
        if n_unlabelled:
            kind = frame.collect_schema()[LABEL]
            frame = frame.filter(_is_label(nw.col(LABEL), kind))
        of_classes = (n_rows[order], weight[order], observed[order], total[order])
        names = tuple(labels[place] for place in order)
        table = cls(frame, roles, classes, names, *of_classes, n_unlabelled)
        return table._with_incomplete(numeric)

    @property
    def weighted(self) -> bool:
        """Whether there is a column of weights."""
        return self.roles.weights is not None

    def grouped(
        self, keys: Sequence[str], sums: Iterable[Any], most: int | None = None, frame: Any = None
    ) -> tuple[Any, CodeArray, FloatArray]:
        """Sums for each class and value of some columns (`keys`), summed in the engine.

        At most `most` groups are asked for; `frame` has other columns of the same rows. Gives a
        frame of narwhals with the keys, the sums, ``n``, the number of rows, and ``weight``, how
        much they weigh; the class of each group (q,); and its number of rows (q,).
        """
        sizes = [nw.len().alias("n"), *([nw.col(WEIGHT).sum()] if self.weighted else [])]
        rows = self.frame if frame is None else frame
        groups = rows.group_by(LABEL, *keys).agg(*sizes, *sums)
        result = collected(groups if most is None else groups.head(most))
        code_of = {label: code for code, label in enumerate(self.labels)}
        codes = np.array([code_of.get(label, -1) for label in result[LABEL].to_list()], np.int32)
        n_rows = floats(result, "n")
        partial = most is not None and result.shape[0] >= most
        changed = (codes < 0).any() or (
            not partial and (np.bincount(codes, n_rows, len(self.labels)) != self.n_rows).any()
        )
        if changed:
            msg = "the table changed between two queries: read it in a transaction, or from a copy"
            raise DataError(msg)
        return result, codes, n_rows

    def raise_for_values(self, positions: Sequence[int]) -> None:
        """Raise because of sums that are not finite: there is infinity, or values too large."""
        columns = [nw.col(feature_column(j)) for j in positions]
        infinite = [~column.is_finite() & ~column.is_nan() for column in columns]
        counts = dict(zip(positions, _count_where(self.frame, infinite), strict=True))
        if any(counts.values()):
            named = (
                f"{self.roles.features[j]!r} ({_rows(counts[j])})" for j in counts if counts[j]
            )
            msg = f"infinity in column {', '.join(named)}; leave out or fill such rows first"
            raise DataError(msg)
        largest = collected(self.frame.select(*(column.abs().max() for column in columns)))
        raise overflow_error(np.concatenate([floats(largest, name) for name in largest.columns]))

    def _with_incomplete(self, numeric: Sequence[int]) -> "EngineTable":
        """With the number of rows with missing values."""
        suspects = np.asarray((self.observed != self.n_rows[:, None]).any(axis=0))
        suspects[list(numeric)] |= ~np.isfinite(self.total[:, list(numeric)]).all(axis=0)
        missing = [_is_missing(j, j in numeric) for j in np.flatnonzero(suspects).tolist()]
        if not missing:
            return self
        some = nw.any_horizontal(*missing, ignore_nulls=False)
        return replace(self, n_incomplete=_count_where(self.frame, [some])[0])


def collected(query: Any) -> Any:
    """Run a query; Polars does it in batches, so that memory does not grow with the rows."""
    return query.collect(**({"engine": "streaming"} if query.implementation.is_polars() else {}))


def floats(result: Any, name: str) -> FloatArray:
    """A column of a result as float64; a sum over nothing, which is NULL, as 0."""
    if result[name].dtype == nw.Float64:
        values: FloatArray = result[name].fill_null(0.0).to_numpy()
        return values
    numbers = (0.0 if value is None else float(value) for value in result[name].to_list())
    return np.fromiter(numbers, np.float64)


def arrow_tables(frame: Any, n_rows: int) -> Iterator[Any]:
    """The rows of a lazy frame as Arrow tables, the first of which may be empty.

    Memory is bounded where the engine can.
    """
    import pyarrow as pa

    native = frame.to_native()
    if frame.implementation.is_polars() and hasattr(native, "collect_batches"):
        yield native.head(0).collect().to_arrow()
        for part in native.collect_batches(chunk_size=n_rows, maintain_order=True):
            yield part.to_arrow()
        return
    if frame.implementation.is_duckdb():
        reader = native.to_arrow_reader(n_rows)
        yield reader.schema.empty_table()
        for batch in reader:
            yield pa.Table.from_batches([batch])
        return
    yield frame.collect(backend="pyarrow").to_native()


def number_column(name: str, marks: ColumnMarks) -> Any:
    """The expression of a column of numbers, as floats."""
    return _without_marks(nw.col(name).cast(nw.Float64), nw.Float64(), marks)


def day_column(name: str, kind: Any, origin: float, marks: ColumnMarks) -> Any:
    """The expression of the days from an origin, a day of 1970, to dates; numbers are such days."""
    if kind.is_numeric():
        return number_column(name, marks)
    moment = nw.col(name).cast(nw.Datetime).dt
    # By the calendar, and not as the duration from a start, whose length most versions of Narwhals
    # get wrong in DuckDB. Engines count hours and years in small integers.
    before = moment.year().cast(nw.Int64) - 1
    leap_days = before // 4 - before // 100 + before // 400
    days = 365 * before + leap_days + moment.ordinal_day() - 1 - _DAYS_BEFORE_1970
    minutes = 60 * moment.hour().cast(nw.Int64) + moment.minute()
    microseconds = 1_000_000 * (60 * minutes + moment.second()) + moment.microsecond()
    return (days.cast(nw.Float64) - origin) + microseconds.cast(nw.Float64) / 86_400e6


def category_column(name: str, kind: Any, marks: ColumnMarks) -> Any:
    """The expression of a column of categories."""
    return _without_marks(_as_label(kind, name, "categories"), kind, marks)


def _as_label(kind: Any, name: str, what: str) -> Any:
    """Labels or categories as an expression of a type that engines can group and hand over."""
    label = nw.col(name)
    if isinstance(kind, nw.Categorical | nw.Enum):
        return label.cast(nw.String)
    if kind in {nw.Int128, nw.UInt128}:
        return label.cast(nw.Int64)
    if kind.is_decimal():
        return label.cast(nw.Float64)
    if not (kind in {nw.String, nw.Boolean} or kind.is_numeric()):
        msg = (
            f"column {name!r} holds {kind} values, but {what} are strings, integers or booleans: "
            "cast it in the query"
        )
        raise DataError(msg)
    return label


def _without_marks(column: Any, kind: Any, marks: ColumnMarks) -> Any:
    """The expression of a column with NULL where a value stands for a missing one."""
    strings = isinstance(kind, nw.Categorical | nw.Enum) or kind == nw.String
    marked: list[Any] = sorted(marks.strings if strings else marks.numbers)
    if kind.is_integer():
        marked = [int(number) for number in marked if number.is_integer()]
    if not marked or kind == nw.Boolean:
        return column
    plain = column.cast(nw.String) if strings else column
    compared = plain.str.strip_chars() if strings else plain
    return nw.when(~compared.is_in(marked)).then(plain)


def _is_label(column: Any, kind: Any) -> Any:
    """The expression of whether a row has a label."""
    present = ~column.is_null()
    return present & ~column.is_nan() if kind.is_float() else present


def _is_missing(position: int, number: bool) -> Any:
    """The expression of whether a row lacks a feature."""
    column = nw.col(feature_column(position))
    if not number:
        return column.is_null()
    return nw.when(column.is_null()).then(nw.lit(True)).otherwise(column.is_nan())


def _check_labels(labels: list[Any], target: str | None) -> None:
    """Raise if labels cannot be classes."""
    if len(labels) > MOST_CLASSES:
        msg = (
            f"column {target!r} has more than {MOST_CLASSES} different values, such as "
            f"{labels[0]!r:.60}: is it the target? Choose a column of classes, or write the table "
            "to Parquet and fit the file"
        )
        raise DataError(msg)
    if not labels:
        msg = f"column {target!r} has no label in any row: there is nothing to learn from"
        raise DataError(msg)


def _raise_for_weights(frame: Any, roles: Roles, total: float) -> None:
    """Raise because of weights that cannot be, saying how many there are."""
    weight = nw.col(WEIGHT)
    bad = _count_where(frame, [~weight.is_finite() | weight.is_null() | (weight < 0)])[0]
    what = f"they are not in {_rows(bad)}" if bad else f"they sum to {total:g}"
    msg = f"weights must be finite, not negative, not all zero: in column {roles.weights!r} {what}"
    raise DataError(msg)


def _count_where(frame: Any, conditions: Iterable[Any]) -> list[int]:
    """In how many rows each condition holds."""
    sums = [each.cast(nw.Int64).sum().alias(f"n{i}") for i, each in enumerate(conditions)]
    result = collected(frame.select(*sums))
    return [int(floats(result, name)[0]) for name in result.columns]


def _rows(count: int) -> str:
    return f"{count} row{'s' if count > 1 else ''}"
