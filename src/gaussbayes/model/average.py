"""Several models whose posteriors are averaged: one model to whoever asks for predictions.

    p(c | x) = Σ_m w_m p_m(c | x)

The weights are those that make the classes of rows left out most probable. What is asked of
densities (means, distances, rows to be drawn) is answered by the member with the largest weight;
the evidence is that of all members. Nothing can be learnt any more: statistics of several models do
not merge.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.data.rows import Rows
from gaussbayes.kernels import normalise
from gaussbayes.model.calibration import Calibration
from gaussbayes.model.model import Model
from gaussbayes.model.settings import Priors, class_priors
from gaussbayes.model.solution import odds_of

Real = TypeVar("Real", bound=RealArray)

NOT_LEARNT = "it averages several models, whose statistics do not merge"


@dataclass(frozen=True, slots=True, eq=False)
class AveragedModel(Model):
    """Models of the same classes and features, and how much each counts.

    The settings and the parameters are those of the first member, which weighs most.
    """

    members: tuple[Model, ...] = ()
    weights: FloatArray | None = None  # (m,), summing to 1, the largest first
    of_average: Calibration | None = None  # the calibration of the average
    given_prior: FloatArray | None = None  # (k,) if it was changed since

    @property
    def calibration(self) -> Calibration | None:
        return self.of_average

    @property
    def weighted_members(self) -> Sequence[tuple[float, Model]]:
        assert self.weights is not None
        return list(zip(self.weights.tolist(), self.members, strict=True))

    @property
    def prior(self) -> FloatArray:
        return self.members[0].prior if self.given_prior is None else self.given_prior

    def labels(self, rows: Rows, n_jobs: int | None = None) -> NDArray[np.intp]:
        return np.asarray(self.log_posterior(rows, n_jobs).argmax(axis=1))

    def posterior(self, rows: Rows, n_jobs: int | None = None) -> RealArray:
        log_posterior = self.log_posterior(rows, n_jobs)
        posterior = np.empty_like(log_posterior)
        normalise(log_posterior, "posterior", posterior)
        return posterior

    def log_odds(self, rows: Rows, a: int, b: int, n_jobs: int | None = None) -> RealArray:
        log_posterior = self.log_posterior(rows, n_jobs)
        return odds_of(log_posterior[:, a], log_posterior[:, b], a, b)

    def log_evidence(self, rows: Rows, n_jobs: int | None = None) -> RealArray:
        return self._average([member.log_evidence(rows, n_jobs) for member in self.members])

    def log_joint(self, rows: Rows, n_jobs: int | None = None) -> RealArray:
        """``log p(c | x) + log p(x)`` (n, k)."""
        return self.log_posterior(rows, n_jobs) + self.log_evidence(rows, n_jobs)[:, None]

    def log_likelihood(self, rows: Rows, n_jobs: int | None = None) -> RealArray:
        """``log p(x, c) − log p(c)`` (n, k)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.log_joint(rows, n_jobs) - np.log(self.prior))

    def with_priors(self, priors: Priors) -> "AveragedModel":
        """The same under other priors; None are those estimated from the rows."""
        weight = self.members[0].with_priors(None).prior
        prior = class_priors(priors, self.schema, weight)
        settings = replace(self.settings, priors=priors)
        solution = replace(self.parameters, prior=prior)
        return replace(self, settings=settings, solution=solution, given_prior=prior)

    def marginal(self, features: Sequence[int | str]) -> "AveragedModel":
        """The classes as seen through some features, by name or number, others integrated out."""
        assert self.weights is not None
        members = [member.marginal(features) for member in self.members]
        return averaged(members, self.weights, self.of_average, given_prior=self.given_prior)

    def log_posterior(self, rows: Rows, n_jobs: int | None = None) -> RealArray:
        """``log p(c | x)`` (n, k): averaged, then calibrated, under the priors of now."""
        average = self._average([member.log_posterior(rows, n_jobs) for member in self.members])
        if self.calibration is None and self.given_prior is None:
            return average
        with np.errstate(divide="ignore"):
            before, after = np.log(self.members[0].prior), np.log(self.prior)
        # A prior of 0 leaves nothing to be known of the class.
        density = np.where(np.isneginf(before), 0.0, average - np.maximum(before, -1e300))
        calibration = self.calibration or Calibration(1.0, np.zeros(before.size))
        return calibration.log_posterior(density.astype(average.dtype), after)

    def _average(self, logarithms: Sequence[RealArray]) -> RealArray:
        assert self.weights is not None
        return log_average(logarithms, self.weights)


def log_average(logarithms: Sequence[Real], weights: FloatArray) -> Real:
    """``log Σ_m w_m exp(l_m)`` of equal arrays; members without weight are left out."""
    some = np.flatnonzero(weights)
    logarithms, weights = [logarithms[number] for number in some.tolist()], weights[some]
    shape = (-1, *[1] * logarithms[0].ndim)
    stacked = np.stack(logarithms) + np.log(weights / weights.sum()).reshape(shape)
    average: Real = np.logaddexp.reduce(stacked, axis=0).astype(logarithms[0].dtype)
    return average


def averaged(
    members: Sequence[Model],
    weights: FloatArray,
    calibration: Calibration | None = None,
    given_prior: FloatArray | None = None,
) -> AveragedModel:
    """The average of models of the same classes and features, with these weights (m,)."""
    order = np.argsort(-weights, kind="stable")
    first = members[int(order[0])]
    common: dict[str, Any] = {
        "settings": first.settings,
        "schema": first.schema,
        "learnt": None,
        "solution": first.parameters,
        "target": first.target,
        "not_learnt": NOT_LEARNT,
        "notices": first.notices,
    }
    return AveragedModel(
        **common,
        members=tuple(members[int(number)] for number in order),
        weights=weights[order] / weights.sum(),
        of_average=calibration,
        given_prior=given_prior,
    )
