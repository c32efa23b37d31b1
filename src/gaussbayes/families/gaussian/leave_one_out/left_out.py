"""Rows left out one at a time: block by block in closed form, then those that need a fit."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import GaussBayesError
from gaussbayes.base.schema import Schema
from gaussbayes.base.threads import for_each, n_threads, ranges
from gaussbayes.base.types import CodeArray, FloatArray, RealArray
from gaussbayes.families.gaussian.leave_one_out.refit import (
    log_posterior_without,
    moments_without,
    with_categories,
)
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.families.gaussian.shrinkage import Shrinkage
from gaussbayes.families.removal import Removal, remove
from gaussbayes.kernels.reference import log_sum_exp
from gaussbayes.model.prior import Priors, class_priors
from gaussbayes.model.settings import Settings

Densities: TypeAlias = Callable[
    [FloatArray, Removal, Sequence[Shrinkage]], tuple[FloatArray, NDArray[np.bool_]]
]
"""Rows (n, d) and their removal → log densities (s, n, k), and which are sound (s, n)."""

_BLOCK_BYTES = 1 << 22
_WORTH_A_THREAD = 1 << 16
"""Rows times features times classes below which starting a thread costs more than it saves."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelledRows:
    """Rows with their classes and weights, and the moments of all of them."""

    X: RealArray  # (n, d)
    codes: CodeArray  # (n,)
    weights: FloatArray | None  # (n,)
    moments: ClassMoments
    schema: Schema
    categories: FloatArray | None = None  # (n, k) their log likelihoods without each row, if any

    def removal(self, rows: slice) -> Removal:
        """What becomes of the weights without each of some rows."""
        codes = self.codes[rows].astype(np.intp)
        weights = np.ones(codes.size) if self.weights is None else self.weights[rows]
        return remove(codes, weights.astype(np.float64), self.moments.weight)


def held_out(
    data: LabelledRows,
    densities: Densities,
    settings: Settings,
    shrinkages: Sequence[Shrinkage],
    n_jobs: int | None,
) -> list[FloatArray | GaussBayesError]:
    """For each shrinkage the log posteriors (n, k) of the rows left out, or what prevents them."""
    n, d, k = *data.X.shape, data.moments.n_classes
    # Spherical is diagonal, shrunk as far as can be.
    spherical = settings.structure.covariance == "spherical"
    inner = [1.0 if spherical else shrinkage or None for shrinkage in shrinkages]
    told = np.empty((len(shrinkages), n, k))
    sound = np.empty((len(shrinkages), n), dtype=np.bool_)

    def predict(rows: slice) -> None:
        X, removal = data.X[rows].astype(np.float64), data.removal(rows)
        # What overflows or vanishes here is not sound, and is looked at again.
        with np.errstate(all="ignore"):
            joint, good = densities(X, removal, inner)
            joint += _log_prior(settings.priors, data, removal)
            if data.categories is not None:
                joint += data.categories[rows]
            # From the largest term: a log posterior near 0 keeps its digits.
            joint -= joint.max(axis=2, keepdims=True)
            joint -= log_sum_exp(joint.reshape(-1, k)).reshape(len(inner), -1, 1)
        told[:, rows] = joint
        sound[:, rows] = good & ~np.isnan(joint).any(axis=2)

    step = max(64, _BLOCK_BYTES // (8 * max(1, d) * k))
    threads = n_threads(n_jobs) if n * d * k > _WORTH_A_THREAD else 1
    for_each(predict, ranges(n, step), threads)
    found: list[FloatArray | GaussBayesError] = list(told)
    _fit_again(found, sound, data, settings, shrinkages)
    return found


def _fit_again(
    found: list[FloatArray | GaussBayesError],
    sound: NDArray[np.bool_],
    data: LabelledRows,
    settings: Settings,
    shrinkages: Sequence[Shrinkage],
) -> None:
    """Fit models without the rows whose numbers are not sound; the first that fails ends it."""
    n, k = data.codes.size, data.moments.n_classes
    layout = settings.structure.layout
    for row in np.flatnonzero(~sound.all(axis=0)).tolist():
        others: ClassMoments | None = None
        x = data.X[row].astype(np.float64)
        for place in np.flatnonzero(~sound[:, row]).tolist():
            told = found[place]
            if isinstance(told, GaussBayesError):
                continue
            if others is None:
                others = moments_without(data.X, data.codes, data.weights, row, k, layout)
            chosen = replace(settings, shrinkage=shrinkages[place])
            try:
                told[row] = log_posterior_without(others, x, row, n, data.schema, chosen)
                if data.categories is not None:
                    told[row] = with_categories(told[row], data.categories[row], row)
            except GaussBayesError as error:
                found[place] = error


def _log_prior(priors: Priors, data: LabelledRows, removal: Removal) -> FloatArray:
    """Log priors (n, k) without each row, up to a constant of the row."""
    weight = data.moments.weight
    if priors is not None:
        return np.log(class_priors(priors, data.schema, weight))[None]
    log_prior = np.repeat(np.log(weight)[None], removal.codes.size, axis=0)
    log_prior[np.arange(removal.codes.size), removal.codes] = np.log(removal.weight)
    return log_prior
