"""Scores of the rows of lazy frames, worked out by the engine of the frame.

The formulas of `gaussbayes.export.scalar_scores` become expressions of narwhals: for Polars, and
whatever else it has lazy frames of. A relation of DuckDB gets SQL: the same in fewer steps.
Nothing is read but which patterns of missing values there are, if the model has full covariances:
these are written out, so that every row has scores.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import count
from operator import and_, eq, le, lt, or_, sub, truediv
from typing import Any, Protocol

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.data.engines import (
    category_column,
    collected,
    day_column,
    floats,
    number_column,
)
from gaussbayes.export.model_expression import InputColumn, ModelExpression
from gaussbayes.export.scalar import Scalar
from gaussbayes.export.scalar_densities import MASKED, MOST_PATTERNS
from gaussbayes.export.scalar_scores import Scores, write_scores


def score_frame(model: ModelExpression, frame: Any, wanted: Sequence[str]) -> Any:
    """A lazy frame of narwhals with more columns: those of these names of `Scores.outputs`.

    None if there are too many patterns of missing values to be written out.
    """
    engine = _Relation if frame.implementation.is_duckdb() else _Columns
    scores = write_scores(model, [])
    if any(n_columns > 1 for n_columns, _ in scores.masks):
        patterns = _occurring_patterns(engine(model, frame, scores), scores)
        if max(map(len, patterns)) > MOST_PATTERNS:
            return None
        scores = write_scores(model, patterns)
    results = scores.results(wanted, scores.is_valid)
    return engine(model, frame, scores).with_columns(results, frame.collect_schema().names())


def check_features(inputs: Sequence[InputColumn], names: Sequence[str]) -> None:
    """Raise unless a table has the features of a model."""
    absent = [each.name for each in inputs if each.name not in set(names)]
    if absent:
        msg = f"the table has no column {absent[0]!r}, which is a feature: it has {names!r:.400}"
        raise DataError(msg)


def check_results(wanted: Sequence[str], names: Sequence[str]) -> None:
    """Raise if a table has a column that is called as a result is."""
    taken = [name for name in wanted if name in set(names)]
    if taken:
        msg = f"the table has a column {taken[0]!r} already, which a result is called: rename it"
        raise DataError(msg)


def _occurring_patterns(engine: "_Engine", scores: Scores) -> list[NDArray[np.bool_]]:
    """For each full covariance, which columns rows have (p, d), where not all and not none."""
    patterns = []
    for n_columns, masks in scores.masks:
        named = {f"m{number}": mask for number, mask in enumerate(masks)}
        frame = engine.with_columns(named, ())
        distinct = collected(frame.unique().head(MOST_PATTERNS + 3))
        numbers = np.stack([floats(distinct, name) for name in distinct.columns], axis=1)
        bits = numbers.astype(np.int64)[:, :, None] >> np.arange(MASKED) & 1
        observed = bits.reshape(len(numbers), -1)[:, :n_columns] == 0
        patterns.append(observed[observed.any(axis=1) & ~observed.all(axis=1)])
    return patterns


class _Engine(Protocol):
    """A table, and formulas about its rows."""

    def with_columns(self, results: Mapping[str, Scalar], keep: Sequence[str]) -> Any:
        """A lazy frame of narwhals with some columns of the table, and these formulas."""


_NUMBERS = count()


@dataclass(frozen=True, slots=True)
class _Relation:
    """A relation of DuckDB, to which a SELECT is added."""

    model: ModelExpression
    frame: Any
    scores: Scores

    def with_columns(self, results: Mapping[str, Scalar], keep: Sequence[str]) -> Any:
        from gaussbayes.export.sql import Statement, find_dialect, quoted_table

        # A view of the relation, which stays: a relation of an earlier view must not find this one.
        schema, table = self.frame.collect_schema(), f"rows_{next(_NUMBERS)}"
        inputs = [
            replace(each, kind="number")
            if each.kind == "date" and schema[each.name].is_numeric()
            else each
            for each in self.model.inputs
        ]
        statement = Statement(find_dialect("duckdb"), self.scores, inputs, quoted_table(table))
        text = statement.text(results, dict(enumerate(keep)))
        return nw.from_native(self.frame.to_native().query(table, text))


@dataclass(frozen=True, slots=True)
class _Columns:
    """A lazy frame, to which expressions are added under names that it does not have."""

    model: ModelExpression
    frame: Any
    scores: Scores

    @property
    def prefix(self) -> str:
        """What names begin with."""
        prefix = "_"
        while any(name.startswith(prefix) for name in self.frame.collect_schema().names()):
            prefix += "_"
        return prefix

    def with_columns(self, results: Mapping[str, Scalar], keep: Sequence[str]) -> Any:
        writer = _Expressions(self.prefix)
        made = [writer.expression(each).alias(name) for name, each in results.items()]
        return self._calculated(writer).select(*keep, *made)

    def _calculated(self, writer: "_Expressions") -> Any:
        """The frame with the columns of the program."""
        schema, prefix = self.frame.collect_schema(), writer.prefix
        pairs = zip(self.scores.inputs, self.model.inputs, strict=True)
        frame = self.frame.with_columns(
            *(_input(each, schema).alias(prefix + name) for name, each in pairs)
        )
        for stage in self.scores.program.stages[1:]:
            named = stage.items()
            made = (writer.expression(formula).alias(prefix + name) for name, formula in named)
            frame = frame.with_columns(*made)
        return frame


@dataclass(frozen=True, slots=True)
class _Expressions:
    """Formulas as expressions of narwhals."""

    prefix: str

    def expression(self, formula: Scalar) -> Any:
        """A formula as an expression of narwhals."""
        operation, arguments = formula.operation, formula.arguments
        if operation in _OPERATORS:
            result = reduce(_OPERATORS[operation], map(self.expression, arguments))
        elif operation in _METHODS:
            (inner,) = arguments
            result = getattr(self.expression(inner), _METHODS[operation])()
        elif operation in _FUNCTIONS:
            result = _FUNCTIONS[operation](*map(self.expression, arguments))
        else:
            result = getattr(self, f"_{operation}")(*arguments)
        return result

    def _column(self, name: str) -> Any:
        return nw.col(self.prefix + name)

    def _value(self, constant: Any) -> Any:
        return nw.lit(constant)

    def _not(self, condition: Scalar) -> Any:
        return ~self.expression(condition)

    def _among(self, column: Scalar, values: Sequence[Any]) -> Any:
        searched = self.expression(column)
        if isinstance(values[0], str):
            searched = searched.str.strip_chars()
        return searched.is_in(list(values))

    def _choose(self, *arguments: Scalar) -> Any:
        *flat, otherwise = map(self.expression, arguments)
        pairs = list(zip(flat[::2], flat[1::2], strict=True))
        chosen = nw.when(pairs[0][0]).then(pairs[0][1])
        for condition, result in pairs[1:]:
            chosen = chosen.when(condition).then(result)
        return chosen.otherwise(otherwise)


_OPERATORS: dict[str, Any] = {
    "sum": lambda a, b: a + b,
    "product": lambda a, b: a * b,
    "minus": sub,
    "over": truediv,
    "less": lt,
    "at_most": le,
    "equal": eq,
    "both": and_,
    "either": or_,
}
_METHODS = {"ln": "log", "exp": "exp", "abs": "abs", "floor": "floor", "is_missing": "is_null"}
_FUNCTIONS: dict[str, Any] = {"largest": nw.max_horizontal, "first_known": nw.coalesce}


def _input(column: InputColumn, schema: Any) -> Any:
    """A feature as the model takes it, missing where it is NULL or NaN."""
    kind = schema[column.name]
    if column.kind == "category":
        return category_column(column.name, kind, column.marks)
    if column.kind == "date":
        return day_column(column.name, kind, column.origin, column.marks)
    number = number_column(column.name, column.marks)
    return nw.when(~number.is_nan()).then(number)
