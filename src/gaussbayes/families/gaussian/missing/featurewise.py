"""Diagonal and spherical covariances: in closed form with labels, by EM without.

The likelihood of a row is a product over the features it has. With labels each mean is therefore
that of the rows that have the feature, and a variance pools the squares of the classes and features
that share it.
"""

from dataclasses import dataclass

import numpy as np

from gaussbayes.base.anderson import Step
from gaussbayes.base.schema import Schema
from gaussbayes.base.threads import for_each, ranges
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.factor import check_variances
from gaussbayes.families.gaussian.missing.available import Available, variances
from gaussbayes.families.gaussian.missing.full import COLLAPSED, Completed
from gaussbayes.families.gaussian.missing.penalty import Penalty
from gaussbayes.families.gaussian.missing.points import Frame
from gaussbayes.families.gaussian.missing.shares import packed_shares, unpacked_shares
from gaussbayes.families.gaussian.parameters import Structure
from gaussbayes.kernels.reference import log_sum_exp

_EPS = float(np.finfo(np.float64).eps)
_LOG_TWO_PI = float(np.log(2 * np.pi))
_MOST_ENTRIES = 1 << 17


def closed_form(found: Available, weight: FloatArray, structure: Structure) -> Completed:
    """What labelled rows are expected to be, in their own units; the means lack the anchors.

    The scatter is that of the rows which have the feature, and the variance for each row that has
    it not; divided by the `weight` (k,) of all rows it is the variance again.

    Examples
    --------
    >>> from gaussbayes.families.gaussian.missing.available import available
    >>> X = np.array([[1.0], [3.0], [np.nan], [np.nan]])
    >>> found = available(X, np.zeros(4, np.int32), None, 1)
    >>> closed_form(found, np.array([4.0]), Structure("diagonal")).scatter.tolist()
    [[4.0]]
    """
    variance = found.variance(structure)
    scatter = found.scatter + (weight[:, None] - found.weight) * variance
    return Completed(weight, found.offset, scatter, variance)


def log_likelihood_of(found: Available, variance: FloatArray) -> float:
    """``Σ w log p(x | c)`` of labelled rows at their means; ∞ if a variance (m, d) is 0.

    Examples
    --------
    >>> from gaussbayes.families.gaussian.missing.available import available
    >>> found = available(np.array([[-1.0], [1.0]]), np.zeros(2, np.int32), None, 1)
    >>> round(log_likelihood_of(found, np.array([[1.0]])), 4)
    -2.8379
    """
    if not (variance > 0).all():
        return np.inf
    volume = found.weight * (np.log(variance) + _LOG_TWO_PI)
    return -0.5 * float((volume + found.scatter / variance).sum())


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Sums over rows about the means of a model."""

    weight: FloatArray  # (k,)
    there: FloatArray  # (k, d) weight of the rows that have the feature
    shift: FloatArray  # (k, d)
    squares: FloatArray  # (k, d)
    log_likelihood: float

    def __add__(self, other: "_Sums") -> "_Sums":
        return _Sums(
            self.weight + other.weight,
            self.there + other.there,
            self.shift + other.shift,
            self.squares + other.squares,
            self.log_likelihood + other.log_likelihood,
        )


@dataclass(frozen=True, slots=True, eq=False)
class FeaturewiseProblem:
    """Labelled rows by their moments, and unlabelled ones.

    A vector x holds the logarithms of the priors if these are to be found, the means, and the
    logarithms of the variances, in the units of the frame.
    """

    found: Available  # of the labelled rows
    weight: FloatArray  # (k,) of the labelled rows that have some feature
    rows: FloatArray  # (n, d) unlabelled, NaN where missing
    row_weight: FloatArray  # (n,)
    frame: Frame
    structure: Structure
    schema: Schema
    prior: FloatArray | None  # (k,) held; None: to be found
    blank: FloatArray  # (k,) weight of labelled rows that have no feature
    penalty: Penalty
    threads: int

    def step(self, x: FloatArray) -> Step[Completed]:
        """One step of EM, and the log-likelihood where it begins.

        Raises
        ------
        SingularCovarianceError
            If a variance is 0; names the class and the features.
        """
        k, d = self.frame.anchor.shape
        prior, rest = unpacked_shares(x, self.prior, k)
        mean, variance = rest[: k * d].reshape(k, d), np.exp(rest[k * d :]).reshape(-1, d)
        with np.errstate(divide="ignore"):
            log_prior = np.log(prior)
        sums = self._labelled(mean, variance, log_prior)
        parts = ranges(self.rows.shape[0], max(1, _MOST_ENTRIES // d))
        results: list[_Sums] = [sums] * len(parts)

        def one(number: int) -> None:
            results[number] = self._unlabelled(parts[number], mean, variance, log_prior)

        for_each(one, range(len(parts)), self.threads)
        for part in results:
            sums += part
        objective = sums.log_likelihood + self.penalty.added(
            np.log(variance).sum(axis=1), 1.0 / variance
        )
        found = self._maximise(sums, mean)
        weight = sums.weight + self.blank
        image = self.packed(weight / weight.sum(), found.mean, found.covariance)
        return Step(image, objective, 8 * _EPS, found)

    def packed(self, prior: FloatArray, mean: FloatArray, variance: FloatArray) -> FloatArray:
        """The vector of these parameters: priors (k,), means (k, d), variances (m, d)."""
        shared = variance.shape[0] < mean.shape[0]
        rows = self.weight.sum(keepdims=True) if shared else self.weight
        check_variances(np.where(variance > COLLAPSED, variance, 0.0), self.schema, rows)
        shares = packed_shares(prior) if self.prior is None else np.empty(0)
        return np.concatenate([shares, mean.ravel(), np.log(variance).ravel()])

    def _labelled(self, mean: FloatArray, variance: FloatArray, log_prior: FloatArray) -> _Sums:
        found, unit = self.found, self.frame.unit
        apart = found.offset / unit - mean
        squares = found.scatter / np.square(unit) + found.weight * np.square(apart)
        volume = found.weight * (np.log(variance) + 2.0 * np.log(unit) + _LOG_TWO_PI)
        labels = self.weight + self.blank
        possible = np.isfinite(log_prior)
        likelihood = float(labels[possible] @ log_prior[possible])
        likelihood -= 0.5 * float((volume + squares / variance).sum())
        return _Sums(self.weight, found.weight, found.weight * apart, squares, likelihood)

    def _unlabelled(
        self, some: slice, mean: FloatArray, variance: FloatArray, log_prior: FloatArray
    ) -> _Sums:
        k, d = mean.shape
        rows, weight = self.rows[some], self.row_weight[some]
        there = ~np.isnan(rows)
        deviations, log_joint = np.empty((k, *rows.shape)), np.empty((rows.shape[0], k))
        for c in range(k):
            m = min(c, variance.shape[0] - 1)
            unit = self.frame.units_of(c)
            deviation = (rows - self.frame.anchor[c]) / unit - mean[c]
            deviation[~there] = 0.0
            volume = there @ (np.log(variance[m]) + 2.0 * np.log(unit) + _LOG_TWO_PI)
            squares = np.square(deviation) @ (1.0 / variance[m])
            log_joint[:, c] = log_prior[c] - 0.5 * (volume + squares)
            deviations[c] = deviation
        evidence = log_sum_exp(log_joint)
        membership = np.exp(log_joint - evidence[:, None]) * weight[:, None]
        shift, squares = np.empty((2, k, d))
        for c in range(k):
            shift[c] = membership[:, c] @ deviations[c]
            squares[c] = membership[:, c] @ np.square(deviations[c])
        return _Sums(
            membership.sum(axis=0), membership.T @ there, shift, squares, float(weight @ evidence)
        )

    def _maximise(self, sums: _Sums, mean: FloatArray) -> Completed:
        shift = sums.shift / sums.there
        scatter = np.maximum(sums.squares - sums.there * np.square(shift), 0.0)
        strength = self.penalty.weight[:, None]
        k = mean.shape[0]
        # The penalty's rows are those of one covariance, spread over the classes that share it.
        share = strength / (k if self.structure.shared else 1) * np.ones((k, 1))
        covariance = variances(
            scatter + share * self.penalty.target, sums.there + share, self.structure
        )
        missing = sums.weight[:, None] - sums.there
        completed = scatter + missing * covariance
        return Completed(sums.weight, mean + shift, completed, covariance)
