"""One Gaussian by itself: the family of a classifier with a single class.

p(x) = exp(−½ (x − mean)ᵀ Σ⁻¹ (x − mean)) / √|2π Σ|
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from gaussbayes.analysis.class_moments import class_outlines
from gaussbayes.analysis.synthesis import RandomState, as_generator, draw
from gaussbayes.base.checks import as_numbers, finite_number, positive_number
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.types import (
    CovarianceName,
    Divisor,
    FloatArray,
    RealArray,
    TableLike,
    WeightsLike,
)
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.data.tables import as_array, is_frame
from gaussbayes.model.construction import given_model
from gaussbayes.model.model import Model, unsolved_model
from gaussbayes.model.options import internal_options
from gaussbayes.model.statistics import observe

_NAME = "Gaussian"  # of the only class, in messages


class Gaussian:
    """A Gaussian distribution of d features, given by its parameters or fitted to rows.

    It uses the same code as the densities of `GaussianClassifier`: missing values (NaN) are
    integrated out, and rows far from zero lose no digits. Functions of `gaussbayes.plots` that draw
    densities accept it like a classifier: `plots.densities` for one feature, `plots.evidence` and
    `plots.ellipses` for two.

    Parameters
    ----------
    mean : (d,), or a number for one feature
    covariance : (d, d) symmetric and positive definite, or the variance of one feature
    feature_names : d names, which may replace numbers

    Raises
    ------
    OptionError
        If shapes do not agree, or a number is not finite, or the covariance is not symmetric.
    SingularCovarianceError
        If the covariance is not positive definite; the message names the features.

    Examples
    --------
    >>> height_weight = Gaussian([170, 65], [[100, 40], [40, 64]])
    >>> height_weight.pdf([[170, 65], [180, 60]]).round(5).tolist()
    [0.0023, 0.0006]
    >>> height_weight.conditional({0: 180})
    Gaussian(mean=[69.0], covariance=[[48.0]])
    """

    model_: Model  # of a single class

    def __init__(
        self,
        mean: ArrayLike,
        covariance: ArrayLike,
        *,
        feature_names: Sequence[str] | None = None,
    ) -> None:
        center, values = as_numbers("mean", mean), as_numbers("covariance", covariance)
        center = center[None] if center.ndim == 0 else center
        values = values[None, None] if values.ndim == 0 else values
        d = center.size
        if center.ndim != 1 or d == 0:
            msg = f"mean must have shape (features,), got {np.shape(mean)}"
            raise OptionError(msg)
        if values.shape != (d, d):
            msg = (
                f"covariance must have shape {(d, d)}, as the mean has {d} "
                f"feature{'s'[: d > 1]}, got {np.shape(covariance)}"
            )
            raise OptionError(msg)
        kind: dict[str, Any] = {"covariance": "full", "shared": False, "fewest_classes": 1}
        self.model_ = given_model(
            None, [center], [values], [_NAME], feature_names=feature_names, **kind
        )

    @classmethod
    def fit(
        cls,
        X: TableLike | Sequence[float],
        sample_weight: WeightsLike = None,
        *,
        covariance: CovarianceName = "full",
        divisor: Divisor = "mle",
        shrinkage: float | Literal["oas"] | None = None,
    ) -> Self:
        """The most likely Gaussian of rows (n, d), or of numbers (n,); NaN is a missing value.

        ``mean = Σ x / n`` and ``Σ = Σ (x − mean)(x − mean)ᵀ / n``; settings as in
        `GaussianClassifier`, ``divisor="unbiased"`` divides by n − 1.

        Examples
        --------
        >>> Gaussian.fit([[1.0, 2.0], [3.0, 8.0], [5.0, 5.0]])
        Gaussian(mean=[3.0, 5.0], covariance=[[2.6667, 2.0], [2.0, 6.0]])
        """
        settings: dict[str, Any] = {"covariance": covariance, "shrinkage": shrinkage}
        options = internal_options(divisor=divisor, fewest_classes=1, **settings)
        rows: Any = X
        if not is_frame(X) and np.ndim(rows) == 1:  # numbers of one feature
            rows = np.reshape(rows, (-1, 1))
        table, schema = options.table(rows, np.full(len(rows), _NAME), sample_weight)
        chosen = options.settings(schema)
        model = unsolved_model(chosen, schema, observe(table, chosen, schema))
        return cls._of(model.solved())

    @classmethod
    def _of(cls, model: Model) -> Self:
        """The only class of a model."""
        gaussian = cls.__new__(cls)
        gaussian.model_ = model
        return gaussian

    def __repr__(self) -> str:
        mean, covariance = self.mean.round(4).tolist(), self.covariance.round(4).tolist()
        return f"{type(self).__name__}({mean=}, {covariance=})"

    @property
    def mean(self) -> FloatArray:
        """The mean (d,)."""
        mean: FloatArray = self.model_.densities[0].mean[0]
        return mean

    @property
    def covariance(self) -> FloatArray:
        """The covariance (d, d)."""
        covariance: FloatArray = self.model_.densities[0].dense_covariance()[0]
        return covariance

    @property
    def n_features(self) -> int:
        """The number of features d."""
        return self.model_.schema.n_features

    def pdf(self, X: TableLike) -> RealArray:
        """The density p(x) of points (…, d), or of numbers of any shape for one feature.

        Examples
        --------
        >>> Gaussian(0, 1).pdf([0.0, 1.0, 2.0]).round(4).tolist()
        [0.3989, 0.242, 0.054]
        """
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(np.exp(self.log_pdf(X)))

    def log_pdf(self, X: TableLike) -> RealArray:
        """The log density of points, as `pdf`; exact also if the density underflows to 0.

        Examples
        --------
        >>> float(Gaussian(0, 1).log_pdf(100.0).round(4))
        -5000.9189
        """
        return self._scored(self.model_.log_likelihood, X)

    def mahalanobis(self, X: TableLike) -> RealArray:
        """Distances ``√((x − mean)ᵀ Σ⁻¹ (x − mean))`` of points as in `pdf`.

        Examples
        --------
        >>> Gaussian([0, 0], [[4, 0], [0, 1]]).mahalanobis([[2, 0], [0, 2]]).tolist()
        [1.0, 2.0]
        """

        def distance(rows: Rows) -> RealArray:
            squares, _ = self.model_.squared_distance(rows)
            return np.sqrt(squares).astype(rows.dtype, copy=False)

        return self._scored(distance, X)

    def sample(self, n_samples: int = 1, random_state: RandomState = None) -> FloatArray:
        """Draw rows (n, d).

        Examples
        --------
        >>> Gaussian([0, 5], [[1, 0], [0, 1]]).sample(2, random_state=0).shape
        (2, 2)
        """
        rows, _ = draw(self.model_, n_samples, as_generator(random_state))
        return np.asarray(rows.matrix, dtype=np.float64)

    def marginal(self, features: Sequence[int | str]) -> Self:
        """The distribution of some features, by name or number: their entries of mean and Σ.

        Examples
        --------
        >>> Gaussian([1, 2, 3], [[4, 1, 0], [1, 9, 0], [0, 0, 1]]).marginal([2, 0])
        Gaussian(mean=[3.0, 1.0], covariance=[[1.0, 0.0], [0.0, 4.0]])
        """
        return self._of(self.model_.marginal(features))

    def conditional(self, given: Mapping[int | str, float]) -> Self:
        """The distribution of the other features, given some by name or number.

        With a the others and b the given ones, the mean is ``mean_a + Σ_ab Σ_bb⁻¹ (x_b − mean_b)``
        and the covariance ``Σ_aa − Σ_ab Σ_bb⁻¹ Σ_ba``, as in the E-step of EM for a row without a.

        Examples
        --------
        >>> Gaussian([0, 0], [[1, 0.8], [0.8, 1]]).conditional({1: 2})
        Gaussian(mean=[1.6], covariance=[[0.36]])
        """
        schema, row = self.model_.schema, np.full((1, self.n_features), np.nan)
        columns = schema.find_columns(list(given)) if given else ()
        for column, (name, value) in zip(columns, given.items(), strict=True):
            row[0, column] = finite_number(f"the given value of {name!r}", value)
        others = np.flatnonzero(np.isnan(row[0]))
        if not 0 < others.size < self.n_features:
            what = f"some of the {self.n_features} features, and not all of them"
            msg = f"conditional must be given {what}, got {dict(given)!r:.200}"
            raise OptionError(msg)
        density = self.model_.densities[0]
        moments = density.expect(number_rows(row), np.ones((1, 1))).moments
        part = schema.marginal(others.tolist())
        # The expected scatter of a row of weight 1 is the covariance of its missing features.
        scatter = moments.scatter[0]
        values = scatter if scatter.ndim == 2 else np.diag(scatter)
        where = (moments.anchor + moments.offset)[0, others]
        return type(self)(where, values[np.ix_(others, others)], feature_names=part.features)

    def ellipse(self, radius: float = 1.0) -> FloatArray:
        """Points (n, 2), once around, at this Mahalanobis distance from the mean of two features.

        Examples
        --------
        >>> points = Gaussian([0, 0], [[4, 0], [0, 1]]).ellipse(2.0)
        >>> points.max(axis=0).round(6).tolist()
        [4.0, 2.0]
        """
        if self.n_features != 2:
            msg = f"an ellipse is that of two features, and this Gaussian has {self.n_features}"
            raise DataError(msg)
        return np.asarray(class_outlines(self.model_, positive_number("radius", radius))[0])

    def _scored(self, score: Callable[[Rows], RealArray], X: Any) -> RealArray:
        """Scores of points, in the shape of the points."""
        if is_frame(X):
            return score(self.model_.rows(X))[:, 0]
        points, d = as_array(X) if np.ndim(X) == 2 else as_numbers("points", X), self.n_features
        single = d == 1 and points.shape[-1:] != (1,)
        shape = points.shape if single or points.ndim < 1 else points.shape[:-1]
        if not single and points.shape[-1:] != (d,):
            msg = f"points must have shape (…, {d}), a number for each feature, got {points.shape}"
            raise DataError(msg)
        return score(self.model_.rows(points.reshape(-1, d)))[:, 0].reshape(shape)
