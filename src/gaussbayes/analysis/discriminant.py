"""Linear discriminants of Gaussian classes with a shared covariance, and Fisher's axes.

``log p(c | x) = w_cᵀ x + w_c0 + …`` with ``w_c = Σ⁻¹ μ_c``: the classes differ on at most k − 1
axes, Fisher's linear discriminants.
"""

from dataclasses import dataclass

import numpy as np

from gaussbayes.analysis.class_moments import class_covariances
from gaussbayes.base.checks import check_finite
from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.data.rows import Rows
from gaussbayes.families.protocol import Whitened
from gaussbayes.model.model import Model


def linear_discriminants(
    model: Model, *, centred: bool = False
) -> tuple[FloatArray, FloatArray] | None:
    """Coefficients (k, d) and intercepts (k,): ``log p(c | x) = w_cᵀ x + w_c0 + constant of x``.

    ``w_c = Σ⁻¹ μ_c``, ``w_c0 = log π_c − ½ μ_cᵀ Σ⁻¹ μ_c``; for two classes those of the second
    minus those of the first, (1, d) and (1,), as in scikit-learn. If `centred`, the prior-weighted
    mean of the classes' means replaces 0: ``Σ⁻¹ (μ_c − x̄)``. None for class-specific covariances,
    or if features are not Gaussian.
    """
    density = _shared_gaussian(model)
    if density is None:
        return None
    anchor, middle, offset = _means(model, density)
    center = anchor + middle
    pair = offset.shape[0] == 2
    if not (centred or pair):  # common terms of two classes cancel
        center, offset = np.zeros_like(center), center + offset
    coefficients = density.times_precision(offset)
    squares = np.einsum("kd,kd->k", coefficients, offset)
    with np.errstate(divide="ignore"):
        intercepts = model.parameters.log_prior - 0.5 * squares - coefficients @ center
    if pair:
        return np.diff(coefficients, axis=0), np.diff(intercepts)
    return coefficients, intercepts


@dataclass(frozen=True, slots=True, eq=False)
class DiscriminantAxes:
    """Fisher's linear discriminants.

    Axes along which the variance within classes is 1 and that between them is as large as possible,
    in decreasing order. Distances between the projections of the means are their Mahalanobis
    distances.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> from gaussbayes.datasets import load_iris
    >>> iris = load_iris()
    >>> model = GaussianClassifier(shared=True).fit(iris.rows, iris.labels)
    >>> axes = discriminant_axes(model.model_)
    >>> axes.ratio.round(4).tolist(), axes.project(iris.rows).shape
    ([0.9912, 0.0088], (150, 2))
    """

    anchor: FloatArray  # (d,) near the mean of the classes' means, weighted by their priors
    offset: FloatArray  # (d,) of that mean from it, so that rows far from 0 lose no digits
    scalings: FloatArray  # (d, r) projections of rows on the axes
    ratio: FloatArray  # (min(k − 1, d),) the proportion of the variance between classes on each

    @property
    def center(self) -> FloatArray:
        """The mean of the classes' means (d,), weighted by their priors: 0 on all axes."""
        return np.asarray(self.anchor + self.offset)

    def project(self, X: RealArray, *, centred: bool = True) -> RealArray:
        """Rows (n, d) on the axes (n, r), in their float type; NaN for rows with missing values.

        If not `centred`, the origin of the features is 0 on all axes.
        """
        check_finite(X, allow_nan=True)
        if not centred:
            return np.asarray(X @ self.scalings, dtype=X.dtype)
        places = (X - self.anchor) @ self.scalings - self.offset @ self.scalings
        return np.asarray(places, dtype=X.dtype)


def discriminant_axes(model: Model, tolerance: float = 1e-10) -> DiscriminantAxes | None:
    """Return the axes that separate the classes of a model with a shared covariance; else None.

    With the whitener W of Σ and means μ_c about their mean x̄, the singular vectors of the matrix
    with the rows ``√π_c W (μ_c − x̄)`` are the axes; those whose singular value is at most the
    tolerance times the largest are omitted. It needs the merged moments alone, no row.
    """
    density = _shared_gaussian(model)
    if density is None:
        return None
    anchor, middle, offset = _means(model, density)
    weighted = np.sqrt(model.prior)[:, None] * offset
    left, spread, _ = np.linalg.svd(density.whiten(weighted), full_matrices=False)
    most = min(offset.shape[0] - 1, offset.shape[1])
    kept = int(np.count_nonzero(spread[:most] > tolerance * spread[:1].max(initial=0.0)))
    # Wᵀ v of a singular vector v, by Wᵀ W alone; so that its largest part is positive.
    scalings = density.times_precision(left[:, :kept].T @ weighted).T / spread[:kept]
    largest = np.abs(scalings * np.sqrt(_variances(model))[:, None]).argmax(axis=0)
    scalings *= np.sign(scalings[largest, np.arange(kept)])
    total = float(np.square(spread).sum())
    ratio = np.square(spread[:most]) / total if total > 0 else np.zeros(most)
    return DiscriminantAxes(anchor, middle, scalings, ratio)


def linear_scores(
    model: Model, rows: Rows, *, centred: bool = False, n_jobs: int | None = None
) -> RealArray:
    """``w_cᵀ x + w_c0`` (n, k): log posteriors up to a common term of all classes.

    For three classes or more; see `linear_discriminants`. For rows with missing values they are
    the log posteriors.
    """
    linear = linear_discriminants(model, centred=centred)
    assert linear is not None
    scores = rows.matrix.astype(np.float64, copy=False) @ linear[0].T + linear[1]
    incomplete = np.flatnonzero(np.isnan(rows.matrix).any(axis=1))
    if incomplete.size:
        scores[incomplete] = model.log_posterior(rows[incomplete], n_jobs)
    return scores.astype(rows.dtype, copy=False)


def quadratic_scores(model: Model, rows: Rows, n_jobs: int | None = None) -> RealArray:
    """``log π_c − ½ (log |Σ_c| + (x − μ_c)ᵀ Σ_c⁻¹ (x − μ_c))`` (n, k), by the observed features.

    That is the log joint density without the powers of 2π.
    """
    n_observed = np.count_nonzero(~np.isnan(rows.matrix), axis=1)
    constant = 0.5 * np.log(2.0 * np.pi) * n_observed[:, None]
    return np.asarray(model.log_joint(rows, n_jobs) + constant, dtype=rows.dtype)


def _variances(model: Model) -> FloatArray:
    """The variances of the features (d,) within classes, in which parts are comparable."""
    variance = np.einsum("...ii->...i", class_covariances(model)).reshape(
        -1, model.schema.n_features
    )
    return np.asarray(np.where(variance[0] > 0, variance[0], 1.0))


def _shared_gaussian(model: Model) -> Whitened | None:
    """The density of all features, if it is one Gaussian whose classes share a covariance."""
    density, *others = model.densities
    if others or not isinstance(density, Whitened):
        return None
    return density if density.shared or model.classes.shape[0] == 1 else None


def _means(model: Model, density: Whitened) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mean of the means, weighted by the priors, as a sum of two (d,); offsets from it (k, d)."""
    center, offset = density.located
    middle = model.prior @ offset
    return center, middle, offset - middle
