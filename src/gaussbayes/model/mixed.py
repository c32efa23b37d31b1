"""Gaussian and categorical features together: their log likelihoods are added.

Given the class, categorical features are independent of each other and of the Gaussian ones. A
model without Gaussian features is discrete naive Bayes.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray, RealArray
from gaussbayes.data.coding import CodedColumns
from gaussbayes.families import categorical
from gaussbayes.families.categorical import ClassCounts
from gaussbayes.families.categorical.likelihood import log_likelihood as of_categories
from gaussbayes.families.categorical.likelihood import refuse_impossible, refuse_no_odds
from gaussbayes.families.categorical.parameters import CategoricalParameters
from gaussbayes.families.gaussian import scores
from gaussbayes.families.gaussian.parameters import Parameters
from gaussbayes.kernels.reference import log_sum_exp
from gaussbayes.model.settings import Settings


@dataclass(frozen=True, slots=True, eq=False)
class MixedRows:
    """Some rows: their numbers, and their categories."""

    X: RealArray  # (n, g)
    columns: CodedColumns  # q of them


@dataclass(frozen=True, slots=True, eq=False)
class MixedParameters:
    """Priors and Gaussians, and the probabilities of the categories."""

    gaussian: Parameters
    categorical: CategoricalParameters

    @property
    def prior(self) -> FloatArray:
        """Priors (k,)."""
        return self.gaussian.prior

    @property
    def n_parameters(self) -> int:
        """Free parameters of both kinds of features, and of the priors."""
        return self.gaussian.n_parameters + self.categorical.n_parameters

    def with_prior(self, prior: FloatArray) -> "MixedParameters":
        """The same under other priors."""
        return replace(self, gaussian=self.gaussian.with_prior(prior))


def estimate(
    settings: Settings, gaussian: Parameters, counts: ClassCounts, schema: Schema
) -> MixedParameters:
    """The parameters of both kinds of features, from those of the numbers."""
    of_categories = categorical.estimate(counts, schema.of_categories, settings.smoothing)
    return MixedParameters(gaussian, of_categories)


def log_joint(parameters: MixedParameters, rows: MixedRows, n_jobs: int | None = 1) -> RealArray:
    """``log p(x, c)`` (n, k).

    Examples
    --------
    >>> from gaussbayes.families.categorical import code_columns
    >>> from gaussbayes.families.gaussian.parameters import Structure, given
    >>> from gaussbayes.base.schema import Schema
    >>> schema = Schema(np.array(["no", "yes"]), 1)
    >>> numbers = given(schema, Structure(shared=True), [0.5, 0.5], [[0], [2]], [[1]])
    >>> letters = CategoricalParameters((("a", "b"),), np.log([[0.5, 0.5], [0.2, 0.8]]))
    >>> columns = code_columns([np.array(["b"])], ["'letter'"], letters.categories)
    >>> rows = MixedRows(np.array([[1.0]]), columns)
    >>> posterior(MixedParameters(numbers, letters), rows).round(4).tolist()
    [[0.3846, 0.6154]]
    """
    return _added(scores.log_joint(parameters.gaussian, rows.X, n_jobs), parameters, rows)


def log_likelihood(
    parameters: MixedParameters, rows: MixedRows, n_jobs: int | None = 1
) -> RealArray:
    """``log p(x | c)`` (n, k)."""
    return _added(scores.log_likelihood(parameters.gaussian, rows.X, n_jobs), parameters, rows)


def log_posterior(
    parameters: MixedParameters, rows: MixedRows, n_jobs: int | None = 1
) -> RealArray:
    """``log p(c | x)`` (n, k).

    Raises
    ------
    DataError
        If a row has probability 0 in every class, as can be without smoothing.
    """
    joint = log_joint(parameters, rows, n_jobs)
    total = log_sum_exp(joint)
    if np.isneginf(total).any():
        refuse_impossible(int(np.argmax(np.isneginf(total))))
    joint -= total[:, None]
    return joint


def posterior(parameters: MixedParameters, rows: MixedRows, n_jobs: int | None = 1) -> RealArray:
    """``p(c | x)`` (n, k)."""
    return scores.exponential(log_posterior(parameters, rows, n_jobs))


def labels(
    parameters: MixedParameters, rows: MixedRows, n_jobs: int | None = 1
) -> NDArray[np.intp]:
    """The class number with the largest posterior, for each row (n,)."""
    return np.asarray(log_posterior(parameters, rows, n_jobs).argmax(axis=1))


def log_evidence(parameters: MixedParameters, rows: MixedRows, n_jobs: int | None = 1) -> RealArray:
    """``log p(x)`` (n,)."""
    return log_sum_exp(log_joint(parameters, rows, n_jobs))


def joint(parameters: MixedParameters, rows: MixedRows, n_jobs: int | None = 1) -> RealArray:
    """``p(x, c)`` (n, k)."""
    return scores.exponential(log_joint(parameters, rows, n_jobs))


def likelihood(parameters: MixedParameters, rows: MixedRows, n_jobs: int | None = 1) -> RealArray:
    """``p(x | c)`` (n, k)."""
    return scores.exponential(log_likelihood(parameters, rows, n_jobs))


def evidence(parameters: MixedParameters, rows: MixedRows, n_jobs: int | None = 1) -> RealArray:
    """``p(x)`` (n,)."""
    return scores.exponential(log_evidence(parameters, rows, n_jobs))


def log_odds(
    parameters: MixedParameters, rows: MixedRows, a: int, b: int, n_jobs: int | None = 1
) -> RealArray:
    """``log p(a | x) − log p(b | x)`` (n,) of two classes given by number."""
    two = log_joint(parameters, rows, n_jobs)[:, [a, b]]
    with np.errstate(invalid="ignore"):
        odds: RealArray = two[:, 0] - two[:, 1]
    if np.isnan(odds).any():
        scores.refuse_no_odds(parameters.prior, a, b)
        refuse_no_odds(a, b, int(np.argmax(np.isnan(odds))))
    return odds


def negative_log_likelihood(
    parameters: MixedParameters,
    rows: MixedRows,
    codes: CodeArray,
    weights: FloatArray | None = None,
    n_jobs: int | None = 1,
) -> scores.NegativeLogLikelihood:
    """``−Σ log p(x, y)`` over labelled rows; ∞ if a row cannot be of its class."""
    numbers = scores.negative_log_likelihood(parameters.gaussian, rows.X, codes, weights, n_jobs)
    each = of_categories(parameters.categorical, rows.columns)[np.arange(codes.size), codes]
    if weights is not None:
        there = weights > 0  # a row that does not count may be impossible
        each = weights[there] * each[there]
    return replace(numbers, features=numbers.features - float(each.sum()))


Scorer: TypeAlias = Callable[..., Any]

_TWINS: dict[Scorer, Scorer] = {
    scores.labels: labels,
    scores.posterior: posterior,
    scores.log_posterior: log_posterior,
    scores.log_joint: log_joint,
    scores.log_likelihood: log_likelihood,
    scores.log_evidence: log_evidence,
    scores.likelihood: likelihood,
    scores.joint: joint,
    scores.evidence: evidence,
    scores.log_odds: log_odds,
    scores.negative_log_likelihood: negative_log_likelihood,
}


def twin(function: Scorer) -> Scorer:
    """What does for mixed rows what a function of `scores` does for numbers.

    Examples
    --------
    >>> twin(scores.posterior) is posterior
    True
    """
    if function not in _TWINS:
        msg = f"{function.__name__} is of numbers only, and this model has categorical features"
        raise DataError(msg)
    return _TWINS[function]


def _added(gaussian: RealArray, parameters: MixedParameters, rows: MixedRows) -> RealArray:
    gaussian += of_categories(parameters.categorical, rows.columns).astype(gaussian.dtype)
    return gaussian
