"""Gaussians under a prior, and their scores as plain functions: what the laws of scores ask for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gaussbayes.base.types import FloatArray, RealArray, Task
from gaussbayes.data.rows import number_rows
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian.density import GaussianDensity
from gaussbayes.families.gaussian.density import given as given_density
from gaussbayes.families.gaussian.family import Gaussian
from gaussbayes.families.gaussian.statistics import ClassMoments, GaussianStatistics
from gaussbayes.families.gaussian.structure import Structure
from gaussbayes.kernels.reference import log_sum_exp


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """A density and a prior."""

    density: GaussianDensity
    prior: FloatArray

    @property
    def log_prior(self) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.log(self.prior)

    @property
    def mean(self) -> FloatArray:
        return self.density.mean

    @property
    def matrices(self) -> FloatArray:
        """The covariances of the classes (k, d, d)."""
        k, d = self.density.offset.shape
        return np.broadcast_to(self.density.covariance.dense(), (k, d, d))


def given(
    names: Schema, structure: Structure, prior: Any, means: ArrayLike, covariances: ArrayLike
) -> Scored:
    """Parameters set directly; a prior of None is a uniform one."""
    density = given_density(names, structure, means, covariances)
    k = density.n_classes
    return Scored(density, np.full(k, 1.0 / k) if prior is None else np.asarray(prior, float))


def estimate(
    moments: ClassMoments,
    names: Schema,
    structure: Structure,
    prior: Any = None,
    divisor: Any = "mle",
    shrinkage: Any = None,
    target: Any = "diagonal",
) -> Scored:
    """Parameters that fit the moments; a prior of None is that of the weights."""
    family = Gaussian(structure, divisor, shrinkage, target=target)
    density = family.estimate(family.adapted(GaussianStatistics(moments)), names).density
    weights = moments.weight / moments.weight.sum()
    return Scored(density, weights if prior is None else np.asarray(prior, dtype=float))


def _score(model: Scored, X: Any, task: Task, threads: int = 1) -> Any:
    return model.density.score(number_rows(X), model.log_prior, None, task, threads)


def labels(model: Scored, X: RealArray, threads: int = 1) -> NDArray[np.intp]:
    return np.asarray(_score(model, X, "label", threads))


def posterior(model: Scored, X: RealArray, threads: int = 1) -> RealArray:
    return np.asarray(_score(model, X, "posterior", threads))


def log_posterior(model: Scored, X: RealArray, threads: int = 1) -> RealArray:
    return np.asarray(_score(model, X, "log_posterior", threads))


def log_joint(model: Scored, X: RealArray, threads: int = 1) -> RealArray:
    return np.asarray(_score(model, X, "log_joint", threads))


def log_evidence(model: Scored, X: RealArray, threads: int = 1) -> RealArray:
    return log_sum_exp(log_joint(model, X, threads))


def log_likelihood(model: Scored, X: RealArray, threads: int = 1) -> RealArray:
    return model.density.log_density(number_rows(X), threads)


def mahalanobis(model: Scored, X: RealArray, threads: int = 1) -> RealArray:
    return np.sqrt(model.density.squared_distance(number_rows(X), threads)[0])


def log_odds(model: Scored, X: RealArray, a: int, b: int) -> RealArray:
    """``log p(a | x) − log p(b | x)``, as a model of these two classes has it."""
    codes: Sequence[int] = [a, b]
    pair = Scored(model.density.selected(codes), model.prior[list(codes)])
    ratio = _score(pair, X, "log_ratio")
    return np.asarray(ratio[:, 0] - ratio[:, 1])
