"""Bayes' rule for one row, with every number: prior × likelihood ÷ evidence = posterior.

Each number is there twice, plain and as its logarithm. A logarithm is exact however small; a plain
number is 0 or ∞ where floats end, as densities of many features soon are.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian import scores
from gaussbayes.families.gaussian.parameters import Parameters
from gaussbayes.kernels.reference import log_sum_exp


@dataclass(frozen=True, slots=True)
class BayesTerms:
    """Bayes' rule for one class: ``posterior = prior · likelihood / evidence``."""

    label: Any
    prior: float
    likelihood: float  # p(x | c)
    joint: float  # p(x, c)
    posterior: float  # p(c | x)
    log_prior: float
    log_likelihood: float
    log_joint: float
    log_posterior: float
    squared_distance: float  # of Mahalanobis, to the mean; NaN if no feature holds numbers


@dataclass(frozen=True, slots=True)
class BayesRule:
    """Bayes' rule for every class, in their order, and what they have in common."""

    classes: tuple[BayesTerms, ...]
    evidence: float  # p(x) = Σ p(x, c)
    log_evidence: float


def bayes_rule(
    parameters: Parameters, schema: Schema, row: FloatArray, beside: FloatArray | None = None
) -> BayesRule:
    """Bayes' rule for one row (d,) of finite numbers.

    A row of no features at all is allowed: its density is 1, and the posteriors are the priors.

    Parameters
    ----------
    schema : what the classes are called
    beside : (k,) the log likelihood of other features of the row, which are independent of these
        given the class; −∞ rules a class out

    Raises
    ------
    DataError
        If every class is ruled out.

    Examples
    --------
    >>> from gaussbayes.families.gaussian.parameters import Structure, given
    >>> schema = Schema(np.array(["no", "yes"]), 1)
    >>> model = given(schema, Structure(shared=True), [0.8, 0.2], [[0], [2]], [[1]])
    >>> told = bayes_rule(model, schema, np.array([2.0]))
    >>> [round(terms.likelihood, 4) for terms in told.classes]
    [0.054, 0.3989]
    >>> round(told.evidence, 4), [round(terms.posterior, 4) for terms in told.classes]
    (0.123, [0.3512, 0.6488])
    """
    rows, log_prior = row[None], parameters.log_prior
    if row.size:
        log_likelihood = scores.log_likelihood(parameters, rows)[0]
        log_joint = scores.log_joint(parameters, rows)[0]
        log_posterior = scores.log_posterior(parameters, rows)[0]
        log_evidence = scores.log_evidence(parameters, rows)[0]
        square = scores.mahalanobis(parameters, rows)[0] ** 2
    else:
        log_likelihood = np.zeros(log_prior.shape)
        square = np.full(log_prior.shape, 0.0 if parameters.offset.size else np.nan)
        log_evidence = log_sum_exp(log_prior[None])[0]
        log_joint, log_posterior = log_prior, log_prior - log_evidence
    if beside is not None:
        log_likelihood, log_joint = log_likelihood + beside, log_joint + beside
        log_evidence, log_posterior = _with_more(log_evidence, log_posterior + beside)
    logarithms = (log_likelihood, log_joint, log_posterior)
    with np.errstate(over="ignore", under="ignore"):
        plain = [np.exp(each) for each in logarithms]
        evidence = float(np.exp(log_evidence))
    columns = (schema.classes, parameters.prior, *plain, log_prior, *logarithms, square)
    terms = tuple(map(BayesTerms, *(column.tolist() for column in columns)))
    return BayesRule(terms, evidence, float(log_evidence))


def _with_more(log_evidence: float, log_weight: FloatArray) -> tuple[float, FloatArray]:
    """The log evidence and posteriors (k,) when posteriors have been multiplied by likelihoods."""
    total = log_sum_exp(log_weight[None])[0]
    if np.isneginf(total):
        from gaussbayes.families.categorical.likelihood import refuse_impossible

        refuse_impossible(0)
    return float(log_evidence + total), log_weight - total
