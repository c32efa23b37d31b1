"""Weights of several models whose posteriors are averaged, by what they say of rows left out."""

import numpy as np

from gaussbayes.base.types import FloatArray

LEAST_WEIGHT = 0.02
"""Members with less weight are left out."""

MOST_MEMBERS = 8
"""More members are left out, those with least weight first."""

_ITERATIONS = 200
"""Steps of EM: at the very maximum weights are concentrated on what suited these rows by chance."""

_FLOOR = -34.0  # log probability below which a model is as wrong as can be


def averaging_weights(log_posterior: FloatArray, weights: FloatArray) -> FloatArray:
    """The weights w (m,) that maximise ``Σ_i r_i log Σ_m w_m p_m(true class | x_i)``.

    `log_posterior` (n, m) are the log posteriors of the true class of each row left out, under each
    model; `weights` (n,) those of the rows. The maximum is found by EM over the weights, which
    never lowers the score: ``w_m ← mean of w_m p_m / Σ w p``. It has no other maxima: the score is
    concave. Members below 2 % are left out, and the rest is weighted anew.

    Examples
    --------
    >>> often, seldom = np.log([0.9, 0.2, 0.8]), np.log([0.1, 0.8, 0.1])
    >>> averaging_weights(np.stack([often, seldom], axis=1), np.ones(3)).round(3).tolist()
    [0.844, 0.156]
    """
    probability = np.exp(np.maximum(log_posterior, _FLOOR))
    kept = np.arange(probability.shape[1])
    rows = weights / weights.sum()
    while True:
        mixture = _near_maximum(probability[:, kept], rows)
        enough = np.sort(mixture)[-MOST_MEMBERS] if mixture.size > MOST_MEMBERS else 0.0
        large = mixture >= min(max(LEAST_WEIGHT, float(enough)), float(mixture.max()))
        if large.all():
            result = np.zeros(probability.shape[1])
            result[kept] = mixture
            return result
        kept = kept[large]


def _near_maximum(probability: FloatArray, weights: FloatArray) -> FloatArray:
    mixture = np.full(probability.shape[1], 1.0 / probability.shape[1])
    for _ in range(_ITERATIONS):
        mixture = mixture * ((weights / (probability @ mixture)) @ probability)
    return np.asarray(mixture / mixture.sum())
