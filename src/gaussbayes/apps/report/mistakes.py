"""The errors a model was surest of, with every number of Bayes' rule behind them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.evaluation import confident_errors
from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.classifier import GaussianClassifier


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """What Bayes' rule says of one row and one class.

    ``log_prior + log_likelihood = log_joint`` and ``log_joint − log evidence = log_posterior``.
    """

    code: int
    prior: float
    log_prior: float
    log_likelihood: float
    log_joint: float
    log_posterior: float
    posterior: float
    mahalanobis: float


@dataclass(frozen=True, slots=True, eq=False)
class Mistake:
    """A row that was given the wrong class."""

    row: int  # its number, from 0
    values: FloatArray  # (d,)
    log_evidence: float
    true: Side
    predicted: Side


def confident_mistakes(
    model: GaussianClassifier,
    rows: RealArray,
    codes: NDArray[np.intp],
    log_posterior: RealArray,
    most: int = 10,
) -> tuple[Mistake, ...]:
    """Up to so many wrongly predicted rows, the surest first.

    Examples
    --------
    >>> model = GaussianClassifier.from_parameters([0.5, 0.5], [[0], [2]], [[[1]], [[1]]])
    >>> rows, codes = np.array([[0.0], [3.0]]), np.array([0, 0])
    >>> (wrong,) = confident_mistakes(model, rows, codes, model.predict_log_proba(rows))
    >>> wrong.row, wrong.predicted.code, round(wrong.predicted.posterior, 4)
    (1, 1, 0.982)
    """
    numbers = confident_errors(log_posterior, codes, most)
    if not numbers.size:
        return ()
    chosen = rows[numbers].astype(np.float64)
    log_prior = model.parameters_.log_prior
    likelihood = model.log_likelihood(chosen)
    joint = model.predict_joint_log_proba(chosen)
    evidence = model.score_samples(chosen)
    log_probability = model.predict_log_proba(chosen)
    probability = model.predict_proba(chosen)
    distance = model.mahalanobis(chosen)

    def side(i: int, code: int) -> Side:
        return Side(
            code=code,
            prior=float(model.priors_[code]),
            log_prior=float(log_prior[code]),
            log_likelihood=float(likelihood[i, code]),
            log_joint=float(joint[i, code]),
            log_posterior=float(log_probability[i, code]),
            posterior=float(probability[i, code]),
            mahalanobis=float(distance[i, code]),
        )

    return tuple(
        Mistake(
            row=int(number),
            values=chosen[i],
            log_evidence=float(evidence[i]),
            true=side(i, int(codes[number])),
            predicted=side(i, int(log_posterior[number].argmax())),
        )
        for i, number in enumerate(numbers)
    )
