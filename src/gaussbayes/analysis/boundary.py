"""Where two classes are equally probable, in one dimension.

The log-odds of two classes are those of the priors and of the densities of the one feature; their
roots, which its family knows (of two Gaussians, those of a quadratic), are the decision boundaries.
Of integers, between which there is nothing, a boundary stands halfway between two of them;
categories, which have no order, have none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import OptionError
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import number_rows
from gaussbayes.families.protocol import Crossing, Discrete, Tabulated, Warped, require
from gaussbayes.model.model import Model

_HALVINGS = 60
_FARTHEST = 1e150  # beyond it squares overflow; tails that are nearly equal cross out there


@dataclass(frozen=True, slots=True)
class Boundary:
    """A point at which the most probable class changes."""

    position: float  #: where the decision changes
    left: int  #: the code of the class decided below the position
    right: int  #: the code of the class decided above it


def decision_boundaries(model: Any) -> tuple[Boundary, ...]:
    """Where the most probable class of a model of one feature changes, from left to right.

    The log-odds of two Gaussian classes are a quadratic in x; its roots are candidates. Between
    neighbouring roots of all pairs the order of the classes does not change, so that one
    prediction for each interval tells which roots are boundaries.

    Parameters
    ----------
    model : a fitted `GaussianClassifier` of one feature, or its `Model`

    Returns
    -------
    boundaries : each with its position, and the codes of the classes to its left and right

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]])
    >>> decision_boundaries(model)
    (Boundary(position=2.0, left=0, right=1),)
    """
    model = getattr(model, "model_", model)
    _check_single(model)
    density = model.densities[0]
    if isinstance(density, Tabulated):
        return ()
    if isinstance(density, Discrete):
        return _between_integers(model, *density.integers)
    if isinstance(density, Warped):
        solution = replace(model.parameters, densities=(density.straight,))
        found = decision_boundaries(replace(model, solution=solution))
        points = density.warp(np.array([[boundary.position] for boundary in found]).reshape(-1, 1))
        pairs = zip(found, points[:, 0].tolist(), strict=True)
        return tuple(replace(boundary, position=position) for boundary, position in pairs)
    roots = _all_roots(model)
    if not roots.size:
        return ()
    # Beyond the last root any point will do that is not the root itself.
    reach = 1.0 + np.ptp(roots) + 4.0 * np.spacing(np.abs(roots).max())
    inside = [left + (right - left) / 2 for left, right in pairwise(roots)]
    points = np.array([roots[0] - reach, *inside, roots[-1] + reach])
    codes = model.labels(number_rows(points[:, None]), 1)
    if model.calibration is not None:
        roots = _closed_in(model, points, codes)
    return tuple(
        Boundary(float(root), left, right)
        for root, (left, right) in zip(roots, pairwise(codes.tolist()), strict=True)
        if left != right
    )


def _closed_in(model: Model, points: FloatArray, codes: NDArray[np.intp]) -> FloatArray:
    """Where the class changes between neighbouring points, by bisection.

    A calibrated posterior is the prior in a small part, so that its odds have no closed roots.
    """
    low, high = points[:-1].copy(), points[1:].copy()
    for _ in range(_HALVINGS):
        middle = low + (high - low) / 2
        same = model.labels(number_rows(middle[:, None]), 1) == codes[:-1]
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return low + (high - low) / 2


def _all_roots(model: Model) -> FloatArray:
    """The roots of the log-odds of all pairs of classes, sorted."""
    pairs = combinations(range(model.prior.shape[0]), 2)
    roots = np.concatenate([np.empty(0), *(boundaries(model, *pair) for pair in pairs)])
    return np.unique(roots[np.abs(roots) < _FARTHEST])


def _between_integers(model: Model, least: float, largest: float) -> tuple[Boundary, ...]:
    """The same for integers: the class can only change next to a root, or beside the least one.

    At the least one it may because a rate of 0 makes all others impossible.
    """
    near = np.array([least])
    if largest > least + 1.0:
        near = np.append(np.floor(_all_roots(model)), near)
    integers = np.unique(np.clip(near[:, None] + np.arange(-1.0, 3.0), least, largest))
    possible = np.isfinite(model.log_evidence(number_rows(integers[:, None]), 1))
    codes = np.full(integers.shape, -1)
    codes[possible] = model.labels(number_rows(integers[possible, None]), 1)
    return tuple(
        Boundary(float(before) + 0.5, left, right)
        for before, (left, right) in zip(integers, pairwise(codes.tolist()), strict=False)
        if left != right and min(left, right) >= 0
    )


def boundaries(model: Model, a: int, b: int) -> FloatArray:
    """The points x, sorted, at which ``log p(a | x) = log p(b | x)``, for classes given by code."""
    _check_single(model)
    k = model.prior.shape[0]
    if a == b or not (0 <= a < k and 0 <= b < k):
        msg = f"a and b must be two different class codes from 0 to {k - 1}, got {a} and {b}"
        raise OptionError(msg)
    log_prior = model.parameters.log_prior
    if np.isneginf(log_prior[[a, b]]).any():
        return np.empty(0)  # a class that never occurs is nowhere as probable as another
    family = model.components[0].family
    density = require(model.densities[0], Crossing, family, "a decision boundary")
    constant, calibration = float(log_prior[a] - log_prior[b]), model.calibration
    if calibration is not None:
        constant = (
            constant + calibration.offsets[a] - calibration.offsets[b]
        ) / calibration.temperature
    return density.crossings((a, b), constant)


def _check_single(model: Model) -> None:
    d = model.schema.n_features
    if d != 1:
        msg = f"boundaries are single points only with 1 feature; this model has {d}"
        raise OptionError(msg)
