"""What the records of families with smoothing share: it, weights, and logs of probabilities."""

from typing import Annotated, Any

import numpy as np
from msgspec import Meta, Raw

from gaussbayes.base.records import Record, check_weights, floats, numbers, refuse
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.independent import ColumnSums, Smoothed, SumsT


class SmoothingRecord(Record, frozen=True):
    """The settings."""

    smoothing: Annotated[float, Meta(ge=0)]


def write_settings(family: Smoothed) -> SmoothingRecord:
    """The settings as a record."""
    return SmoothingRecord(family.smoothing)


def weights(array: Raw, place: str, shape: tuple[int, ...], each: str) -> FloatArray:
    """Numbers of this shape, one for `each`, not negative and with a finite sum."""
    values = floats(array, place, int(np.prod(shape)), f", one for each {each}")
    check_weights(values, place)
    return values.reshape(shape)


def logarithms(values: FloatArray, place: str) -> Raw:
    """Logarithms of probabilities as an array, in which null stands for −∞."""
    return numbers(np.where(np.isneginf(values), np.nan, values), place, missing=True)


def log_probabilities(array: Raw, place: str, shape: tuple[int, ...], each: str) -> FloatArray:
    """Logarithms of probabilities of this shape, none of them above 0; null is −∞."""
    count = int(np.prod(shape))
    values = floats(array, place, count, f", one for each {each}", missing=True)
    values[np.isnan(values)] = -np.inf
    wrong = values > 0
    if wrong.any():
        at = int(np.argmax(wrong))
        refuse(f"{place}[{at}]", "the logarithm of a probability, not above 0", values[at])
    return values.reshape(shape)


def check_total(log_probability: FloatArray, axis: int, place: str, column: str) -> None:
    """Raise unless probabilities sum to 1 along an axis, for each class and what else there is."""
    total = np.exp(log_probability).sum(axis=axis)
    if not np.allclose(total, 1.0, rtol=0.0, atol=1e-6):
        at = np.unravel_index(int(np.argmax(np.abs(total - 1.0))), total.shape)
        expected = f"logarithms of numbers that sum to 1 for class {at[0]} and column "
        refuse(place, expected + (column or str(at[1])), f"{total[at]:g}")


def write_sums(statistics: ColumnSums) -> dict[str, Raw]:
    """The weight of the classes, and each of the sums by its name."""
    named = zip(statistics.summed, statistics.sums, strict=True)
    sums = {name: numbers(values, name) for name, values in named}
    return {"weight": numbers(statistics.weight, "weight")} | sums


def read_sums(kind: type[SumsT], record: Any, names: Schema) -> SumsT:
    """The sums of the classes and columns that `names` has, from the members of a record."""
    shape, each = (names.classes.shape[0], names.n_features), "class and column"
    weight = weights(record.weight, "weight", shape[:1], "class")
    sums = [weights(getattr(record, name), name, shape, each) for name in kind.summed]
    statistics = kind(weight, np.stack(sums))
    check_weight(weight, statistics.missing + statistics.observed)
    return statistics


def check_weight(weight: FloatArray, total: FloatArray) -> None:
    """Raise unless each class weighs (k,) what its rows with and without a value do (k, d)."""
    # Of fractional weights, what is left when nearly all rows were removed is mostly rounding.
    wrong = ~np.isclose(total, weight[:, None], rtol=1e-3, atol=0.0)
    if wrong.any():
        c, j = np.argwhere(wrong)[0].tolist()
        expected = f"that of the rows with and without a value of column {j}, {total[c, j]:g}"
        refuse(f"weight[{c}]", expected, f"{weight[c]:g}")
