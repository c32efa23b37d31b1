"""The parameters of a model: a prior, and a density from every family; and scores by Bayes' rule.

    log p(x, c) = log prior_c + Σ_f log p_f(x_f | c)

Every score follows from this log joint by one normaliser. If a family's density can be scored by a
kernel, the others are added inside it, before anything is normalised.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, reduce
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.result import Result, plain
from gaussbayes.base.text_tables import Block
from gaussbayes.base.threads import BLOCK_ROWS, CACHED, for_each, n_threads, ranges
from gaussbayes.base.types import FloatArray, RealArray, Task
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.families.protocol import AnyDensity, Convergence, Distant, Fused
from gaussbayes.kernels import check_possible, normalise
from gaussbayes.kernels.reference import log_sum_exp
from gaussbayes.model.calibration import Calibration, mean_posterior


@dataclass(frozen=True, eq=False)
class Solution:
    """Priors and class-conditional densities, and the record of EM.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier().fit([[1.0], [2.0], [5.0], [7.0]], list("aabb"))
    >>> model.model_.parameters.prior.tolist(), model.model_.parameters.densities[0].mean.tolist()
    ([0.5, 0.5], [[1.5], [6.0]])
    """

    prior: FloatArray  # (k,)
    densities: tuple[AnyDensity, ...]  # one for each component, except for a second member
    weight: FloatArray | None = None
    """(k,) weights of the classes, including expected ones of unlabelled rows; None if the
    parameters were
        given."""
    convergence: Convergence | None = None
    calibration: Calibration | None = None  # of posteriors
    second: AnyDensity | None = None  # of the second member of a pool
    alone: Solution | None = None
    """The parameters by the labelled rows alone, if posteriors are averaged with theirs."""
    maximal: tuple[AnyDensity, ...] = ()
    """Densities without regularisation, from which EM continues; kept if it ended early."""

    @cached_property
    def log_prior(self) -> FloatArray:
        """The logarithms of the priors (k,), computed once; −∞ for a prior of 0."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.prior))

    @property
    def n_parameters(self) -> int:
        """Free parameters: k − 1 priors, and those of the densities."""
        densities = sum(density.n_parameters for density in self.densities)
        return int(self.prior.shape[0] - 1 + densities)

    def selected(self, codes: Sequence[int]) -> Solution:
        """Only some classes, with unchanged priors."""
        which = np.asarray(codes, dtype=np.intp)
        weight = None if self.weight is None else self.weight[which]
        densities = tuple(density.selected(codes) for density in self.densities)
        calibration = None if self.calibration is None else self.calibration.selected(codes)
        second = None if self.second is None else self.second.selected(codes)
        return replace(
            self,
            prior=self.prior[which],
            densities=densities,
            weight=weight,
            calibration=calibration,
            second=second,
            alone=None if self.alone is None else self.alone.selected(codes),
            maximal=(),
        )

    @property
    def averaged(self) -> tuple[Solution, ...]:
        """The parameters of the models whose posteriors are averaged, or these."""
        return (self,) if self.alone is None else (self, self.alone)

    def with_priors(self, of_weight: Callable[[FloatArray], FloatArray]) -> Solution:
        """The same under priors that may depend on how much the rows of each class weigh."""
        weight = np.ones(self.prior.shape[0]) if self.weight is None else self.weight
        alone = None if self.alone is None else self.alone.with_priors(of_weight)
        return replace(self, prior=of_weight(weight), alone=alone)

    def marginal(
        self, marginals: Callable[[Sequence[AnyDensity]], Sequence[AnyDensity]]
    ) -> Solution:
        """The same solution with the densities that the function `marginals` returns.

        It receives all densities, the last of which is that of a second member if there is one, and
        may omit some.
        """
        second = () if self.second is None else (self.second,)
        densities = marginals((*self.densities, *second))
        return replace(
            self,
            densities=tuple(densities[:-1] if second else densities),
            second=densities[-1] if second else None,
            alone=None if self.alone is None else self.alone.marginal(marginals),
            maximal=(),
        )


def score(
    solution: Solution,
    parts: Sequence[Rows],
    task: Task,
    n_jobs: int | None = 1,
    log_prior: FloatArray | None = None,
) -> NDArray[Any]:
    """The output of `task` for the rows of each component: labels (n,), or (n, k).

    Rows of the second member of a pool are the last; only posteriors need them. A row of
    probability 0 in every class raises a DataError. `log_prior` replaces that of the solution.
    """
    combined = solution.calibration is not None or solution.alone is not None
    if combined and task != "log_joint":
        return _score_combined(solution, parts, task, n_jobs)
    if log_prior is None:
        log_prior = solution.log_prior
    pairs = list(zip(solution.densities, parts, strict=False))
    fused = [number for number, (density, _) in enumerate(pairs) if _is_fused(density.__class__)]
    size = parts[0].n_rows * sum(part.n_columns for part in parts)
    threads = n_threads(n_jobs) if size > CACHED else 1
    if not fused:
        return _score_plain(pairs, task, threads, log_prior)
    widest = max(fused, key=lambda number: parts[number].n_columns)
    density, part = pairs.pop(widest)
    bias = _bias(pairs, part.dtype) if pairs else None
    result: NDArray[Any] = cast("Fused", density).score(part, log_prior, bias, task, threads)
    return result


def log_likelihood(solution: Solution, parts: Sequence[Rows], n_jobs: int | None = 1) -> RealArray:
    """``log p(x | c)`` (n, k)."""
    return score(solution, parts, "log_joint", n_jobs, np.zeros(solution.prior.shape))


def log_evidence(solution: Solution, parts: Sequence[Rows], n_jobs: int | None = 1) -> RealArray:
    """``log p(x) = log Σ_c p(x, c)`` (n,)."""
    n = parts[0].n_rows
    evidence = np.empty(n, dtype=_dtype(parts))
    for block in ranges(n, 1 << 18):
        some = [part[block] for part in parts]
        evidence[block] = log_sum_exp(score(solution, some, "log_joint", n_jobs))
    return evidence


def log_odds(
    solution: Solution, parts: Sequence[Rows], a: int, b: int, n_jobs: int | None = 1
) -> RealArray:
    """``log p(a | x) − log p(b | x)`` (n,) of two classes given by code."""
    if a == b:
        return np.zeros(parts[0].n_rows, dtype=_dtype(parts))
    pair, places = solution.selected([a, b]), (0, 1)
    if not pair.prior.any():
        msg = f"classes {a} and {b} both have prior 0: their odds are not defined"
        raise OptionError(msg)
    if solution.calibration is not None or solution.alone is not None:  # other classes matter
        pair, places = solution, (a, b)
    # Not the difference of log posteriors, which loses digits near 0.
    scores = score(pair, parts, "log_ratio", n_jobs)
    return odds_of(scores[:, places[0]], scores[:, places[1]], a, b)


def odds_of(first: RealArray, second: RealArray, a: int, b: int) -> RealArray:
    """The difference (n,) of log probabilities of classes a and b, which must not both be −∞."""
    with np.errstate(invalid="ignore"):
        odds: RealArray = first - second
    if np.isnan(odds).any():
        row = int(np.argmax(np.isnan(odds)))
        msg = (
            f"classes {a} and {b} both have probability 0 in row {row}: their odds are not "
            "defined. Smoothing above 0 leaves nothing impossible"
        )
        raise DataError(msg)
    return odds


def squared_distance(
    solution: Solution, parts: Sequence[Rows], n_jobs: int | None = 1
) -> tuple[FloatArray, FloatArray]:
    """Squared Mahalanobis distances (n, k), and the numbers of their columns (n,).

    They are sums over the families with distances, which are independent given the class.
    """
    distances = [
        density.squared_distance(part, n_threads(n_jobs))
        for density, part in zip(solution.densities, parts, strict=False)
        if isinstance(density, Distant)
    ]
    if not distances:
        msg = (
            "distances are those of Gaussian features, and this model has none: its evidence "
            "(score_samples) shows how typical a row is"
        )
        raise OptionError(msg)
    return reduce(lambda a, b: (a[0] + b[0], a[1] + b[1]), distances)


@dataclass(frozen=True, slots=True)
class NegativeLogLikelihood(Result):
    """``−Σ log p(x, y)`` over labelled rows, in its two parts."""

    labels: float  #: −Σ log p(y)
    features: float  #: −Σ log p(x | y)

    @property
    def total(self) -> float:
        """``−Σ log p(x, y)``."""
        return self.labels + self.features

    def to_dict(self) -> dict[str, object]:
        """Return both parts and their sum; an infinite one is None."""
        parts = {"labels": self.labels, "features": self.features, "total": self.total}
        return {name: plain(value) for name, value in parts.items()}

    def tables(self) -> Sequence[Block]:
        """Return one sentence."""
        parts = f"labels {self.labels:.7g} + features {self.features:.7g}"
        return [f"negative log-likelihood: {parts} = {self.total:.7g}"]


def negative_log_likelihood(
    solution: Solution, parts: Sequence[Rows], targets: Targets, n_jobs: int | None = 1
) -> NegativeLogLikelihood:
    """The negative log-likelihood of labelled rows; ∞ if a row cannot be of its class.

    Soft labels contribute in proportion; unlabelled rows are ignored.
    """
    log_prior = solution.log_prior
    of_labels = of_features = 0.0
    for block in ranges(parts[0].n_rows, 1 << 18):
        log_density = log_likelihood(solution, [part[block] for part in parts], n_jobs)
        # Terms of weight 0 may be impossible.
        rows, codes, weight = targets[block].weighted_codes()
        of_labels -= float(weight @ log_prior[codes])
        of_features -= float(weight @ log_density[rows, codes].astype(np.float64))
    return NegativeLogLikelihood(of_labels, of_features)


def _dtype(parts: Sequence[Rows]) -> np.dtype[Any]:
    """The float type of scores: that of the numbers, if there are any."""
    with_numbers = [part for part in parts if part.numbers.shape[1]]
    return (with_numbers or list(parts))[0].dtype


@cache
def _is_fused(density: type) -> bool:
    """Whether densities of a type have a kernel; cached, because every row checks it."""
    return issubclass(density, Fused)


def _bias(pairs: Sequence[tuple[Any, Rows]], dtype: np.dtype[Any]) -> Callable[[slice], RealArray]:
    """The sum of some families in the log joint of a block of rows (n, k)."""

    def bias(block: slice) -> RealArray:
        density, part = pairs[0]
        total: RealArray = density.log_density(part[block]).astype(dtype, copy=False)
        for density, part in pairs[1:]:
            total = total + density.log_density(part[block]).astype(dtype, copy=False)
        return total

    return bias


def _score_combined(
    solution: Solution, parts: Sequence[Rows], task: Task, n_jobs: int | None
) -> NDArray[Any]:
    """The output of a task from posteriors that are calibrated, or averaged over two models."""
    (n, k), dtype = (parts[0].n_rows, solution.prior.shape[0]), _dtype(parts)
    out = np.empty(n, np.intp) if task == "label" else np.empty((n, k), dtype)
    for block in ranges(n, BLOCK_ROWS):
        some = [part[block] for part in parts]
        logs = [log_posterior(each, some, n_jobs, block.start) for each in solution.averaged]
        normalise(mean_posterior(logs), task, out[block])
    return out


def log_posterior(
    solution: Solution, parts: Sequence[Rows], n_jobs: int | None = 1, start: int = 0
) -> RealArray:
    """``log p(c | x)`` (n, k) by these parameters alone, calibrated if they are.

    They are not averaged with those of the labelled rows alone; `start` is the number of the first
    row.
    """
    if solution.calibration is None:
        return score(replace(solution, alone=None), parts, "log_posterior", n_jobs)
    densities, second = log_likelihood(solution, parts, n_jobs), None
    if solution.second is not None:
        second = solution.second.log_density(parts[-1], n_threads(n_jobs))
    check_possible(densities + solution.log_prior, start)
    return solution.calibration.log_posterior(densities, solution.log_prior, second)


def _score_plain(
    pairs: Sequence[tuple[Any, Rows]], task: Task, threads: int, log_prior: FloatArray
) -> NDArray[Any]:
    """The output without a kernel, for models whose families have none."""
    parts = [part for _, part in pairs]
    n, k, dtype = parts[0].n_rows, log_prior.shape[0], _dtype(parts)
    out = np.empty(n, np.intp) if task == "label" else np.empty((n, k), dtype)
    add = _bias(pairs, dtype)

    def score_block(block: slice) -> None:
        log_joint = add(block) + log_prior.astype(dtype)
        if normalise(log_joint, task, out[block]):
            check_possible(log_joint, block.start)

    for_each(score_block, ranges(n, BLOCK_ROWS), threads if n > BLOCK_ROWS else 1)
    return out
