"""The columns of a lazy table under names of our own, and what may be wrong with them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gaussbayes.base.errors import DataError, NonFiniteError
from gaussbayes.base.finite import refuse_overflow
from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.data.labels import encode, is_missing
from gaussbayes.data.sources.choice import Choice, refuse_not_numbers

MOST_CLASSES = 2000
"""A target with more values is rather a measurement or a key."""


@dataclass(frozen=True, slots=True, eq=False)
class LazyRows:
    """A lazy frame with the columns label, x0, x1, … and, if rows are weighted, weight.

    Labels are text, numbers or truth values, and so are categories, in columns c0, c1, …;
    everything else is float64.
    """

    frame: Any  # a narwhals LazyFrame
    chosen: Choice

    @property
    def n_features(self) -> int:
        """How many columns x0, x1, … there are."""
        return len(self.chosen.numeric)

    @property
    def weighted(self) -> bool:
        """Whether there is a column of weights."""
        return self.chosen.weights is not None

    def without_nan(self) -> "LazyRows":
        """The same with NULL for NaN, which engines add and count like any number.

        Examples
        --------
        >>> import narwhals.stable.v2 as nw
        >>> import polars as pl
        >>> lazy = nw.from_native(pl.LazyFrame({"label": ["a"], "x0": [float("nan")]}))
        >>> LazyRows(lazy, Choice("kind", ("age",), None)).without_nan().frame.collect()["x0"][0]
        """
        import narwhals.stable.v2 as nw

        names = [f"x{j}" for j in range(self.n_features)]
        there = [nw.when(~nw.col(name).is_nan()).then(nw.col(name)).alias(name) for name in names]
        return LazyRows(self.frame.with_columns(*there), self.chosen)


def lazy_rows(frame: Any, chosen: Choice) -> LazyRows:
    """Select the columns and give them the types that sums need.

    Examples
    --------
    >>> import narwhals.stable.v2 as nw
    >>> import polars as pl
    >>> lazy = nw.from_native(pl.LazyFrame({"age": [1, 2], "kind": ["a", "b"]}))
    >>> lazy_rows(lazy, Choice("kind", ("age",), None)).frame.collect_schema()
    Schema([('label', String), ('x0', Float64)])
    """
    import narwhals.stable.v2 as nw

    schema = frame.collect_schema()
    kinds = [(name, schema[name]) for name in chosen.numbers]
    refuse_not_numbers(
        [(name, kind) for name, kind in kinds if not (kind.is_numeric() or kind == nw.Boolean)]
    )
    columns = [_label(schema[chosen.target], chosen.target, "labels").alias("label")]
    for number, name in enumerate(chosen.categorical):
        columns.append(_label(schema[name], name, "categories").alias(f"c{number}"))
    for number, name in enumerate(chosen.numeric):
        columns.append(nw.col(name).cast(nw.Float64).alias(f"x{number}"))
    if chosen.weights is not None:
        columns.append(nw.col(chosen.weights).cast(nw.Float64).alias("weight"))
    return LazyRows(frame.select(*columns), chosen)


def _label(kind: Any, target: str, what: str) -> Any:
    """Labels or categories as an expression of a type that engines can group and hand over."""
    import narwhals.stable.v2 as nw

    label = nw.col(target)
    if kind in {nw.String, nw.Boolean}:
        return label
    if isinstance(kind, nw.Categorical | nw.Enum):
        return label.cast(nw.String)
    if kind in {nw.Int128, nw.UInt128}:
        return label.cast(nw.Int64)
    if kind.is_decimal():
        return label.cast(nw.Float64)
    if kind.is_numeric():
        return label
    msg = (
        f"column {target!r} holds {kind} values, but {what} are text, whole numbers or truth "
        "values: cast it in the query"
    )
    raise DataError(msg)


def collected(query: Any) -> Any:
    """Run a query; Polars does it in batches, so that memory does not grow with the rows."""
    return query.collect(**({"engine": "streaming"} if query.implementation.is_polars() else {}))


def floats(result: Any, name: str) -> FloatArray:
    """A column of a result as float64; a sum over nothing, which is NULL, as 0."""
    import narwhals.stable.v2 as nw

    if result[name].dtype == nw.Float64:
        found: FloatArray = result[name].fill_null(0.0).to_numpy()
        return found
    values = (0.0 if value is None else float(value) for value in result[name].to_list())
    return np.fromiter(values, np.float64)


def owners(found: Any, labels: list[Any], n_rows: FloatArray) -> tuple[CodeArray, FloatArray]:
    """The class number of each group and its rows (q,), if they are those of the first query."""
    code = {label: number for number, label in enumerate(labels)}
    codes = np.array([code.get(label, -1) for label in found["label"].to_list()], dtype=np.int32)
    own = floats(found, "n")
    if (codes < 0).any() or (np.bincount(codes, own, len(labels)) != n_rows).any():
        msg = "the table changed between two queries: read it in a transaction, or from a copy"
        raise DataError(msg)
    return codes, own


def refuse_labels(labels: Any, n_rows: FloatArray, target: str) -> None:
    """Raise if there are no rows, rows without a label, or labels that cannot be classes."""
    found = labels.to_list()
    if not found:
        msg = "the table has no rows: there is nothing to learn from"
        raise DataError(msg)
    missing = sum(int(n) for label, n in zip(found, n_rows, strict=True) if is_missing(label))
    if missing:
        msg = f"column {target!r} has no label in {_rows(missing)}: leave them out"
        raise DataError(msg)
    if len(found) > MOST_CLASSES:
        msg = (
            f"column {target!r} has more than {MOST_CLASSES} different values, such as "
            f"{found[0]!r:.60}: is it the target? Choose a column of classes, or write the table "
            "to Parquet and fit the file"
        )
        raise DataError(msg)
    encode(labels.to_native())  # refuses fractions


def refuse_weights(rows: LazyRows, total: float) -> None:
    """Raise because of weights that cannot be, saying how many there are."""
    import narwhals.stable.v2 as nw

    weight = nw.col("weight")
    bad = _counts(rows, [~weight.is_finite() | weight.is_null() | (weight < 0)])[0]
    what = f"they are not in {_rows(bad)}" if bad else f"they sum to {total:g}"
    msg = (
        f"weights must be finite, not negative and not all zero: in column {rows.chosen.weights!r} "
        f"{what}"
    )
    raise DataError(msg)


def refuse_values(rows: LazyRows, *, complete: bool = False) -> None:
    """Raise because of sums that are not finite: there is infinity, or values too large.

    If rows must be `complete`, NULL and NaN are named, too.
    """
    import narwhals.stable.v2 as nw

    columns = [nw.col(f"x{j}") for j in range(rows.n_features)]
    what, wrong = "infinity", [~column.is_finite() & ~column.is_nan() for column in columns]
    if complete:
        what = "NULL, NaN or infinity"
        wrong = [~column.is_finite() | column.is_null() for column in columns]
    counts = _counts(rows, wrong)
    if any(counts):
        bad = zip(rows.chosen.numeric, counts, strict=True)
        named = ", ".join(f"{name!r} ({_rows(count)})" for name, count in bad if count)
        msg = f"{what} in column {named}; leave out or fill such rows first"
        raise NonFiniteError(msg)
    largest = collected(rows.frame.select(*(column.abs().max() for column in columns)))
    refuse_overflow(np.concatenate([floats(largest, name) for name in largest.columns]))


def _counts(rows: LazyRows, conditions: Iterable[Any]) -> list[int]:
    """In how many rows each condition holds."""
    import narwhals.stable.v2 as nw

    sums = [each.cast(nw.Int64).sum().alias(f"n{i}") for i, each in enumerate(conditions)]
    found = collected(rows.frame.select(*sums))
    return [int(floats(found, name)[0]) for name in found.columns]


def _rows(count: int) -> str:
    return f"{count} row{'s' if count > 1 else ''}"
