"""Optimal regions from given parameters.

With the parameters known there is nothing to fit: the regions follow from Bayes' rule. The three
covariances are equal, so the squares cancel in the log-odds and every boundary is a straight line;
here they are parallel, x1 + x2 = 2 between classes 0 and 1, and x1 + x2 = −2 + ½ log 2 between
classes 0 and 2. The larger prior of class 2 pushes the second line away from its mean, by ½ log 2,
and makes its peak in the evidence the highest. Classes 1 and 2 are equally probable on a third
line, but class 0 beats both there, so it bounds nothing.
"""

from typing import Any

import numpy as np

from gaussbayes import plots
from gaussbayes.analysis.boundary import boundaries
from gaussbayes.base.types import FloatArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons.handouts import OPTIMAL_REGIONS as TRUTH
from gaussbayes.lessons.lesson import BIGGIO, Lesson, Result

N_DRAWS = 200_000
ERROR = 9.38827
"""In per cent, from the normal distribution of x1 + x2 between the boundaries."""


def along_the_diagonal() -> GaussianClassifier:
    """The same classes seen through ``s = x1 + x2`` alone.

    All differences of means lie along (1, 1), an eigenvector of the covariance, so `s` holds
    everything that tells the classes apart: mean ``1ᵀ mean_c``, variance ``1ᵀ Σ 1 = 2``.
    """
    sums = np.asarray(TRUTH.means).sum(axis=1, keepdims=True)
    variance = np.full((3, 1, 1), np.asarray(TRUTH.covariances).sum())
    return GaussianClassifier.from_parameters(TRUTH.priors, sums, variance)


def slope(a: int, b: int) -> FloatArray:
    """Coefficients of x in the linear log-odds of two classes."""
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    odds = TRUTH.best_rule().log_odds(points, a, b)
    steps: FloatArray = odds[1:] - odds[0]
    return steps


def lesson(seed: int = 0) -> Lesson:
    """The lesson; the seed is that of the draws behind the error."""

    def line(a: int, b: int) -> FloatArray:
        return boundaries(along_the_diagonal().model_, a, b)

    rule, peaks = TRUTH.best_rule(), (0.0158651, 0.0153142, 0.0303529)
    least = f"error of the optimal rule over {N_DRAWS:,} draws"
    results = (
        Result("slope of the log-odds of classes 0 and 1", lambda: slope(0, 1), (-2.0, -2.0)),
        Result("slope of the log-odds of classes 0 and 2", lambda: slope(0, 2), (2.0, 2.0)),
        Result("x1 + x2 between classes 0 and 1", lambda: line(0, 1), (2.0,)),
        Result("x1 + x2 between classes 0 and 2", lambda: line(0, 2), (-1.6534264,), 7),
        Result("x1 + x2 where classes 1 and 2 are equal", lambda: line(1, 2), (0.1732868,), 7),
        Result("evidence at the three means", lambda: rule.evidence(TRUTH.means), peaks, 7),
        Result.percentage(
            least, lambda: TRUTH.least_error(N_DRAWS, seed), ERROR, N_DRAWS, decimals=5
        ),
    )
    figures = (regions, posteriors, joints, evidence, evidence_surface)
    return Lesson.of(__name__, __doc__, f"{BIGGIO}: exercise 2", (), results, figures)


def _named() -> GaussianClassifier:
    return TRUTH.best_rule().with_feature_names(TRUTH.features)


def regions() -> Any:
    """The optimal regions: three strips, bounded by the parallel lines x1 + x2 = 2 and
    x1 + x2 = −1.65."""
    return plots.regions(_named())


def posteriors() -> Any:
    """p(c | x) for each class: near 1 in its own strip, ½ on the boundaries."""
    return plots.posteriors(_named())


def joints() -> Any:
    """p(x, c) for each class, on one scale: the same ellipse three times, that of class 2 twice as
    strong."""
    return plots.joints(_named())


def evidence() -> Any:
    """p(x), the sum of the joint densities, from above."""
    return plots.evidence(_named())


def evidence_surface() -> Any:
    """p(x) as a surface: three ridges that overlap, the one of class 2 the highest."""
    return plots.evidence_surface(_named())
