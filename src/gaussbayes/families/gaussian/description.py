"""Gaussian and Student-t densities as records: see `gaussbayes.families.expression`."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import FloatArray
from gaussbayes.families.expression import (
    LOG_2_PI,
    DiagonalForm,
    QuadraticForm,
    SpannedForm,
    student_constant,
)
from gaussbayes.families.gaussian.low_rank import LowRank, in_coordinates

if TYPE_CHECKING:
    from gaussbayes.families.gaussian.density import GaussianDensity


def describe(
    density: "GaussianDensity", statistics: Any
) -> DiagonalForm | QuadraticForm | SpannedForm:
    """The record of Gaussian or Student-t densities."""
    shape, where = density.covariance, (density.center, density.offset)
    if not shape.correlated:
        log_constant = np.log(shape.whitener) - 0.5 * LOG_2_PI
        return DiagonalForm(*where, shape.whitener, np.broadcast_to(log_constant, where[1].shape))
    half_log_det = np.broadcast_to(0.5 * shape.log_det, density.n_classes)
    constant = _constant(density.degrees, density.n_columns) - half_log_det
    if isinstance(shape, LowRank):
        inner = describe(in_coordinates(density, shape).centred, None)
        assert isinstance(inner, QuadraticForm)  # the covariances in a span are full
        span, outside = shape.span, np.broadcast_to(shape.outside, density.n_classes)
        location = density.center, span.unit, span.basis
        return SpannedForm(*location, inner, outside, constant, density.degrees)
    patterns = _patterns(statistics, density.n_columns)
    return QuadraticForm(*where, shape.whitener, constant, density.degrees, patterns)


def _constant(degrees: FloatArray | None, n_columns: int) -> FloatArray | float:
    if degrees is None:
        return -0.5 * n_columns * LOG_2_PI
    return student_constant(degrees, n_columns)


def _patterns(statistics: Any, n_columns: int) -> NDArray[np.bool_]:
    """Which columns rows of training had (p, d), where not all and not none; the heaviest first."""
    if statistics is None or statistics.cells is None:
        return np.empty((0, n_columns), dtype=bool)
    cells = statistics.cells
    patterns, number = np.unique(cells.observed, axis=0, return_inverse=True)
    order = np.argsort(-np.bincount(number.ravel(), cells.weight), kind="stable")
    return np.asarray(patterns[order][patterns[order].any(axis=1)])
