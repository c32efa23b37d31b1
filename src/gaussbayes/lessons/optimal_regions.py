"""Decision regions of a classifier whose parameters are set, not fitted."""

from typing import TYPE_CHECKING

import numpy as np

from gaussbayes.analysis.boundary import boundaries
from gaussbayes.base.types import FloatArray
from gaussbayes.lessons import standard_errors
from gaussbayes.lessons.lesson import Figure, Lesson, Result

if TYPE_CHECKING:
    from gaussbayes.classifier import GaussianClassifier

PRIORS = (0.25, 0.25, 0.5)
MEANS = ((0.0, 0.0), (2.0, 2.0), (-2.0, -2.0))
COVARIANCE = ((4.0, -3.0), (-3.0, 4.0))

SOURCE = "B. Biggio, The Gaussian Classifier, laboratory slides, University of Cagliari: exercise 2"

N_DRAWS = 200_000
ERROR = 9.38827
"""In per cent, from the normal distribution of x1 + x2 between the boundaries."""


def model() -> "GaussianClassifier":
    """The classifier with the handout's parameters."""
    from gaussbayes.classifier import GaussianClassifier

    return GaussianClassifier.from_parameters(PRIORS, MEANS, (COVARIANCE,) * 3)


def along_the_diagonal() -> "GaussianClassifier":
    """The same classes seen through ``s = x1 + x2`` alone.

    All differences of means lie along (1, 1), an eigenvector of the covariance, so `s` holds
    everything that tells the classes apart: mean ``1ᵀ mean_c``, variance ``1ᵀ Σ 1 = 2``.
    """
    from gaussbayes.classifier import GaussianClassifier

    sums = np.asarray(MEANS).sum(axis=1, keepdims=True)
    variance = np.full((3, 1, 1), np.asarray(COVARIANCE).sum())
    return GaussianClassifier.from_parameters(PRIORS, sums, variance)


def slope(a: int, b: int) -> FloatArray:
    """Coefficients of x in the linear log-odds of two classes."""
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    odds = model().log_odds(points, a, b)
    steps: FloatArray = odds[1:] - odds[0]
    return steps


def lesson(seed: int = 0) -> Lesson:
    """The lesson; the seed is that of the draws behind the error."""

    def error() -> float:
        X, y = model().sample(N_DRAWS, random_state=seed)
        return 100.0 * float(np.mean(model().predict(X) != y))

    def line(a: int, b: int) -> FloatArray:
        return boundaries(along_the_diagonal().model_, a, b)

    return Lesson(
        name="optimal_regions",
        title="Optimal regions from given parameters",
        source=SOURCE,
        text=(
            "With the parameters known there is nothing to fit: the regions follow from Bayes' "
            "rule. The three covariances are equal, so the squares cancel in the log-odds and "
            "every boundary is a straight line; here they are parallel, x1 + x2 = 2 between "
            "classes 0 and 1, and x1 + x2 = −2 + ½ log 2 between classes 0 and 2. The larger prior "
            "of class 2 pushes the second line away from its mean, by ½ log 2, and makes its peak "
            "in the evidence the highest. Classes 1 and 2 are equally probable on a third line, "
            "but class 0 beats both there, so it bounds nothing."
        ),
        data=(),
        results=(
            Result(
                "slope of the log-odds of classes 0 and 1",
                lambda: slope(0, 1),
                right=(-2.0, -2.0),
                decimals=12,
            ),
            Result(
                "slope of the log-odds of classes 0 and 2",
                lambda: slope(0, 2),
                right=(2.0, 2.0),
                decimals=12,
            ),
            Result(
                "x1 + x2 between classes 0 and 1", lambda: line(0, 1), right=(2.0,), decimals=12
            ),
            Result(
                "x1 + x2 between classes 0 and 2",
                lambda: line(0, 2),
                right=(-1.6534264,),
                decimals=7,
            ),
            Result(
                "x1 + x2 where classes 1 and 2 are equal",
                lambda: line(1, 2),
                right=(0.1732868,),
                decimals=7,
            ),
            Result(
                "evidence at the three means",
                lambda: np.exp(model().score_samples(MEANS)),
                right=(0.0158651, 0.0153142, 0.0303529),
                decimals=7,
            ),
            standard_errors.percentage(
                f"error of the optimal rule over {N_DRAWS:,} draws",
                error,
                right=ERROR,
                n=N_DRAWS,
                decimals=5,
            ),
        ),
        figures=_figures(model().with_feature_names(("x1", "x2"))),
    )


def _figures(model: "GaussianClassifier") -> tuple[Figure, ...]:
    """The figures, in the order of the lesson's text."""
    from gaussbayes import plots
    from gaussbayes.lessons.figure_parts import figure_of

    return (
        Figure(
            "regions",
            "The optimal regions: three strips, bounded by the parallel lines x1 + x2 = 2 and "
            "x1 + x2 = −1.65.",
            lambda: figure_of(plots.regions(model)),
        ),
        Figure(
            "posteriors",
            "p(c | x) for each class: near 1 in its own strip, ½ on the boundaries.",
            lambda: figure_of(plots.posteriors(model).flat[0]),
        ),
        Figure(
            "joints",
            "p(x, c) for each class, on one scale: the same ellipse three times, that of class 2 "
            "twice as strong.",
            lambda: figure_of(plots.joints(model).flat[0]),
        ),
        Figure(
            "evidence",
            "p(x), the sum of the joint densities, from above.",
            lambda: figure_of(plots.evidence(model)),
        ),
        Figure(
            "evidence_surface",
            "p(x) as a surface: three ridges that overlap, the one of class 2 the highest.",
            lambda: figure_of(plots.evidence_surface(model)),
        ),
    )
