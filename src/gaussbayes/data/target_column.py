"""Whether a column can be the target: it holds classes, not measurements or names of rows."""

from typing import Any

import numpy as np

from gaussbayes.base.errors import DataError
from gaussbayes.base.schema import ColumnKind
from gaussbayes.base.types import CodeArray, LabelArray
from gaussbayes.data.sampled_column import FEW, SampledColumn

CONTINUOUS = 50
"""Different integers of a target that are rather a measurement."""


def check_target(target: SampledColumn, *, whole: bool = True) -> None:
    """Raise if a column cannot hold classes."""
    name, n, m = target.name, target.n_known, target.n_values
    values = target.values

    def shown(value: Any) -> str:
        return f"{str(value)!r:.40}" if target.is_text else f"{value!s:.40}"

    if target.kind == "number" and values.dtype.kind == "f":
        fractions = values[np.isfinite(values) & (np.rint(values) != values)]
        if fractions.size > 1:
            raise _continuous(name, fractions[0], m, n)
    if n < FEW // 2:
        return
    if target.kind in {"number", "date"} and n > m > max(CONTINUOUS, n / 4):
        raise _continuous(name, values[0], m, n)
    if m == n or m > max(CONTINUOUS, n / 2):
        differs = f"is different in each of {n:,} rows"
        if m < n:
            differs = f"has {m:,} different values in {n:,} rows"
        msg = (
            f"the target {name!r} {differs}, such as {shown(values[0])} and "
            f"{shown(values[-1])}: it names rows, not classes. Choose a column of classes"
        )
        raise DataError(msg)
    if m == 1 and whole:
        msg = (
            f"the target {name!r} is {shown(values[0])} in all {n:,} rows: a classifier needs at "
            "least two classes. Choose a column of classes, or add rows of another class"
        )
        raise DataError(msg)


def check_labels(labels: CodeArray, classes: LabelArray) -> None:
    """Raise if class codes (n,) of a table in memory cannot be classes."""
    number = classes.dtype.kind in "biuf"
    kind: ColumnKind = "number" if number else "category"
    dtype = str(classes.dtype)
    check_target(SampledColumn("y", kind, labels, classes, dtype, is_text=not number))


def _continuous(name: str, example: object, n_values: int, n_rows: int) -> DataError:
    return DataError(
        f"the target {name!r} is continuous: it holds {n_values:,} different numbers in {n_rows:,} "
        f"rows, such as {example}. Predicting a number is regression, which this does not do; "
        "choose a column of classes, or cut the numbers into a few intervals"
    )
