"""The formulas computed by NumPy: what engines are compared with."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gaussbayes.base.types import FloatArray, LabelArray
from gaussbayes.export.model_formulas import input_columns, model_scores
from gaussbayes.export.ops import InputColumn, Operand, Ops, Value
from gaussbayes.families.expression import QuadraticForm
from gaussbayes.model.model import Model


def numpy_scores(
    model: Model, table: Mapping[str, NDArray[Any]]
) -> tuple[LabelArray, FloatArray, FloatArray]:
    """Labels (n,), posteriors (n, k) and log evidence (n,) of a table of arrays by name.

    Dates are days since 1970; missing categories are None. A row without a score has NaN.
    """
    with np.errstate(all="ignore"):
        scores = model_scores(model, NumpyOps(input_columns(model), table))
        labels = model.classes[scores.decisive.data.argmax(axis=1)]
        return labels, scores.posteriors.data, scores.evidence.data[:, 0]


def _choose(*arguments: Any) -> Any:
    *cases, result = arguments
    for condition, value in zip(cases[-2::-2], cases[::-2], strict=True):
        result = np.where(condition, value, result)
    return result


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": np.divide,
    "Less": np.less,
    "LessOrEqual": np.less_equal,
    "Equal": np.equal,
    "And": np.logical_and,
    "Log": np.log,
    "Exp": np.exp,
    "Abs": np.abs,
    "Floor": np.floor,
    "IsNaN": np.isnan,
    "otherwise": lambda x, other: np.where(np.isnan(x), other, x),
    "choose": _choose,
}


@dataclass(frozen=True, slots=True)
class NumpyOps(Ops):
    """Columns as arrays; a block is an array (n, width)."""

    inputs: Sequence[InputColumn]
    table: Mapping[str, NDArray[Any]]

    def numbers(self, columns: Sequence[int]) -> Value:
        blocks = []
        for column in (self.inputs[j] for j in columns):
            x = np.asarray(self.table[column.name], dtype=np.float64)
            x = np.where(np.isin(x, list(column.marks.numbers)), np.nan, x)
            blocks.append(x - column.origin)
        return Value(self, np.stack(blocks, axis=1), len(blocks))

    def codes(self, column: int, values: Sequence[Any], *, missing: bool) -> Value:
        places = {value: float(place) for place, value in enumerate(values)}
        marks, behind = self.inputs[column].marks, float(len(values)) if missing else np.nan
        codes = [
            places.get(x, behind if pd.isna(x) or marks.include(x) else np.nan)
            for x in self.table[self.inputs[column].name].tolist()
        ]
        return Value(self, np.array(codes)[:, None], 1)

    def elementwise(self, operation: str, operands: Sequence[Operand]) -> Any:
        plain = [each.data if isinstance(each, Value) else each for each in operands]
        return _FUNCTIONS[operation](*plain)

    def reduced(self, operation: str, block: Value) -> Any:
        function = np.sum if operation == "ReduceSum" else np.max
        return function(block.data, axis=1, keepdims=True)

    def product(self, block: Value, matrix: FloatArray) -> Any:
        return block.data @ matrix

    def taken(self, block: Value, places: list[int]) -> Any:
        return block.data[:, places]

    def joined(self, blocks: Sequence[Value]) -> Any:
        return np.concatenate([block.data for block in blocks], axis=1)

    def looked_up(self, places: Value, table: FloatArray, otherwise: float) -> Any:
        padded = np.concatenate([table, np.full((1, *table.shape[1:]), otherwise)])
        index = np.where(np.isnan(places.data), len(table), places.data).astype(np.intp)
        return padded[index] if table.ndim == 1 else padded[index[:, 0]]

    def patterns(self, form: QuadraticForm, deviations: Value) -> NDArray[np.bool_]:
        del form
        observed = np.unique(~np.isnan(deviations.data), axis=0)
        return np.asarray(observed[observed.any(axis=1) & ~observed.all(axis=1)])
