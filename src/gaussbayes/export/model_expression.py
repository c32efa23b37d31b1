"""What a model calculates for a row, as one record that others than NumPy can work from.

    log p(x, c) = log prior_c + Σ_f log p_f(x_f | c)

with a record of `gaussbayes.families.expression` for each density, calibration of the posteriors,
and, of models that are averaged, the members and their weights. Prior, calibration and average are
written once, by whoever writes expressions; families say what theirs is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from gaussbayes.base.missing_marks import ColumnMarks
from gaussbayes.base.types import FloatArray, LabelArray
from gaussbayes.data.categories import kind as type_of
from gaussbayes.data.rows import Encoder
from gaussbayes.families.protocol import Expressible, require

InputKind: TypeAlias = Literal["number", "category", "date"]
"""What a column of a table holds; dates become days since an origin."""


@dataclass(frozen=True, slots=True)
class InputColumn:
    """A feature of the table that is scored, and what stands for missing values in it."""

    name: str
    kind: InputKind
    marks: ColumnMarks
    origin: float = 0.0  # of dates: the day of 1970 that is 0
    is_text: bool = False  # whether categories are strings


@dataclass(frozen=True, slots=True, eq=False)
class PartExpression:
    """The density of one family, and the features (by position) that are its columns."""

    columns: tuple[int, ...]
    density: Any  # a record of `gaussbayes.families.expression`


@dataclass(frozen=True, slots=True, eq=False)
class MemberExpression:
    """One model: prior, densities, and what is done to its posteriors.

    A calibration t, b, e (`gaussbayes.model.calibration`) makes of log-likelihoods l_c the
    posteriors ``(1 − e) softmax(log prior_c + t l_c + b_c) + e prior_c``.
    """

    log_prior: FloatArray  # (k,), −∞ for a prior of 0
    parts: tuple[PartExpression, ...]
    calibration: Any  # Calibration | None


@dataclass(frozen=True, slots=True, eq=False)
class ModelExpression:
    """Features, classes, and models whose posteriors and evidence are averaged; mostly one.

    If `recalibrated` is given, the average is divided by the prior of the members (`log_prior` of
    the first), then calibrated under its own prior.
    """

    inputs: tuple[InputColumn, ...]
    classes: LabelArray  # (k,)
    known_classes: LabelArray  # (K,) these, and those that were announced: their posteriors are 0
    members: tuple[MemberExpression, ...]
    weights: FloatArray  # (m,) above 0, summing to 1
    recalibrated: "Recalibration | None" = None


@dataclass(frozen=True, slots=True, eq=False)
class Recalibration:
    """A calibration of averaged posteriors, and the prior that they are to be under."""

    calibration: Any  # Calibration
    log_prior: FloatArray  # (k,)


def input_columns(encoder: Encoder) -> tuple[InputColumn, ...]:
    """The features that an encoder takes from a table; without names they are x0, x1, …."""
    names = encoder.names or tuple(f"x{j}" for j in range(encoder.n_features))
    columns = []
    for j, name in enumerate(names):
        marks, origin = encoder.missing.of(name), encoder.origins.get(name)
        kind: InputKind = "number" if origin is None else "date"
        text = False
        if j in encoder.categorical:
            place, kind = encoder.categorical.index(j), "category"
            text = encoder.categories is None or type_of(encoder.categories[place]) is str
        columns.append(InputColumn(name, kind, marks, origin or 0.0, text))
    return tuple(columns)


def member_expression(
    prior: FloatArray,
    components: Sequence[Any],
    densities: Sequence[Any],
    statistics: Sequence[Any] | None,
    calibration: Any,
    wanted_by: str,
) -> MemberExpression:
    """The expression of one model; a OptionError names a family that cannot be described."""
    known = [None] * len(densities) if statistics is None else statistics
    parts = []
    for component, density, part in zip(components, densities, known, strict=True):
        described = require(density, Expressible, component.family, wanted_by)
        parts.append(PartExpression(component.columns, described.expression(part)))
    with np.errstate(divide="ignore"):
        return MemberExpression(np.log(prior), tuple(parts), calibration)
