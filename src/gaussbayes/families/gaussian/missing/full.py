"""EM for full covariances, own or shared: rows with missing features, and rows without labels."""

from dataclasses import dataclass

import numpy as np

from gaussbayes.base.anderson import Step
from gaussbayes.base.errors import SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.triangular import invert_lower
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.factor import check_variances, factor
from gaussbayes.families.gaussian.missing.expectation import Gaussians, Sums, expect
from gaussbayes.families.gaussian.missing.penalty import Penalty
from gaussbayes.families.gaussian.missing.points import Block, Frame
from gaussbayes.families.gaussian.missing.shares import packed_shares, unpacked_shares

_EPS = float(np.finfo(np.float64).eps)

_WELL = 1e3
"""Amplification of rounding up to which the quick way is as good as the careful one."""

COLLAPSED = 1e-24
"""A variance so much smaller than where it started is on its way to 0."""

LEAST_UNEXPLAINED = 1e-10
"""The least share of a variance that other features may leave unexplained.

What is missing is worked out from the others, with errors that grow as this falls; and a
likelihood without a maximum is found out by it.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Completed:
    """Weights, means and scatters that are expected, in the units of a frame.

    The weights are of rows with at least one feature.
    """

    weight: FloatArray  # (k,)
    mean: FloatArray  # (k, d)
    scatter: FloatArray  # (m, d, d) about these means; for uncorrelated features (k, d)
    covariance: FloatArray  # (m, d, d), or (m, d)


@dataclass(frozen=True, slots=True, eq=False)
class FullProblem:
    """Points of which the likelihood is to be made as large as possible.

    A vector x holds the logarithms of the priors if these are to be found, the means, and the
    covariances' Cholesky factors with logarithms in the diagonals: every x is a model.
    """

    blocks: tuple[Block, ...]
    frame: Frame
    schema: Schema
    prior: FloatArray | None  # (k,) held; None: to be found
    blank: FloatArray  # (k,) weight of labelled rows that have no feature
    rows: FloatArray  # how many rows each covariance of the schema has, for messages
    alone: int | None  # the class of the schema that this is about; None: all of them
    penalty: Penalty
    threads: int

    def step(self, x: FloatArray) -> Step[Completed]:
        """One step of EM, and the log-likelihood where it begins.

        Raises
        ------
        SingularCovarianceError
            If a covariance is singular; names the class and the features.
        """
        k, d = self.frame.anchor.shape
        prior, rest = unpacked_shares(x, self.prior, k)
        mean, lower = rest[: k * d].reshape(k, d), _unpacked(rest[k * d :], d)
        covariance = lower @ lower.mT
        self._refuse_singular(covariance)
        log_det = 2.0 * np.log(np.einsum("mii->mi", lower)).sum(axis=1)
        whitener = lower  # inverted in place: its digits are those of the factor, not of a product
        invert_lower(whitener)
        precision = np.einsum("mij,mij->mj", whitener, whitener)
        # The less the other features leave unexplained of one, the more rounding is amplified.
        worst = float((precision * np.einsum("mii->mi", covariance)).max())
        with np.errstate(divide="ignore"):
            model = Gaussians(np.log(prior), mean, whitener, log_det, worst > _WELL)
        sums = expect(self.blocks, model, self.frame, self.threads)
        objective = sums.log_likelihood + float(self.blank[prior > 0] @ model.log_prior[prior > 0])
        objective += self.penalty.added(log_det, precision)
        found = self._maximise(sums, mean)
        image = self.packed(self._shares(sums), found.mean, found.covariance)
        return Step(image, objective, 4 * d * _EPS * worst, found)

    def packed(self, prior: FloatArray, mean: FloatArray, covariance: FloatArray) -> FloatArray:
        """The vector of these parameters: priors (k,), means (k, d), covariances (m, d, d)."""
        try:
            lower = np.linalg.cholesky(covariance)
        except np.linalg.LinAlgError:
            self._refuse_singular(covariance)  # which says of which class
            raise
        d = covariance.shape[-1]
        diagonal = np.einsum("mii->mi", lower)
        diagonal[...] = np.log(diagonal)
        below = lower[:, *np.tril_indices(d)]
        shares = packed_shares(prior) if self.prior is None else np.empty(0)
        return np.concatenate([shares, mean.ravel(), below.ravel()])

    def _refuse_singular(self, covariance: FloatArray) -> None:
        """Raise for covariances (m, d, d) that are singular, or nearly so."""
        if self.alone is None:
            _refuse_singular(covariance, self.schema, self.rows)
            return
        one = slice(self.alone, self.alone + 1)
        schema = Schema(self.schema.classes[one], self.schema.n_features, self.schema.features)
        try:
            _refuse_singular(covariance, schema, self.rows[one])
        except SingularCovarianceError:
            # Among all classes there are more ways out.
            every = np.tile(np.eye(covariance.shape[-1]), (self.rows.size, 1, 1))
            every[one] = covariance
            _refuse_singular(every, self.schema, self.rows)
            raise

    def _shares(self, sums: Sums) -> FloatArray:
        weight = sums.weight + self.blank
        shares: FloatArray = weight / weight.sum()
        return shares

    def _maximise(self, sums: Sums, mean: FloatArray) -> Completed:
        shift = sums.shift / sums.weight[:, None]
        between = sums.weight[:, None, None] * shift[:, :, None] * shift[:, None, :]
        shared = sums.scatter.shape[0] < between.shape[0]
        scatter = sums.scatter - (between.sum(axis=0, keepdims=True) if shared else between)
        scatter = (scatter + scatter.mT) / 2
        weight = sums.weight.sum(keepdims=True) if shared else sums.weight
        target = self.penalty.target[:, :, None] * np.eye(mean.shape[1])
        strength = self.penalty.weight[:, None, None]
        covariance = (scatter + strength * target) / (weight[:, None, None] + strength)
        return Completed(sums.weight, mean + shift, scatter, covariance)


def _refuse_singular(covariance: FloatArray, schema: Schema, rows: FloatArray) -> None:
    variance = np.einsum("mii->mi", covariance)
    check_variances(np.where(variance > COLLAPSED, variance, 0.0), schema, rows)
    unexplained = LEAST_UNEXPLAINED * variance[:, :, None] * np.eye(variance.shape[1])
    factor(covariance - unexplained, schema, rows)


def _unpacked(packed: FloatArray, d: int) -> FloatArray:
    """Lower triangles (m, d, d) from their entries, logarithms in the diagonal."""
    rows, columns = np.tril_indices(d)
    entries = packed.reshape(-1, rows.size)
    lower = np.zeros((entries.shape[0], d, d))
    lower[:, rows, columns] = entries
    diagonal = np.einsum("mii->mi", lower)
    diagonal[...] = np.exp(diagonal)
    return lower
