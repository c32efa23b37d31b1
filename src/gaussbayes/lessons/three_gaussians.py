"""Three Gaussians, fitted and tested.

Training a Gaussian classifier is counting and averaging: the prior of a class is its proportion of
the rows, its mean is their average, and its covariance is the average of the products of their
deviations; the figures show it as ellipses of 1, 2 and 3 standard deviations. A new row goes to the
class with the largest posterior. Each class is learnt by itself, so that a third one may come later
and change nothing in the others. The handout's rows came from a random generator that cannot be
repeated here, so its estimates and its 4 errors in 1500 are compared with the spread of many draws.
Even the rule that knows the true parameters is wrong for 0.166 % of the rows: the classes overlap a
little, and no classifier can do better.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from gaussbayes import plots
from gaussbayes.base.types import FloatArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons import figure_parts as parts
from gaussbayes.lessons.handouts import THREE_GAUSSIANS as TRUTH
from gaussbayes.lessons.handouts import Table
from gaussbayes.lessons.lesson import BIGGIO, Erratum, Lesson, Result, Spread, seeds

N_PER_CLASS = 500
N_SPREAD = 1000
N_DRAWS = 600_000
ERROR = 0.1660
"""Error of the optimal rule in per cent, by integrating 1 − max_c p(x, c) on a grid."""


def tables(seed: int) -> tuple[Table, Table]:
    """500 training rows and 500 test rows of each class."""
    return TRUTH.training_and_test(N_PER_CLASS, N_PER_CLASS, seed)


def fit(table: Table) -> GaussianClassifier:
    """The handout's classifier: a full covariance for each class, divided by N − 1."""
    return table.fit(divisor="unbiased")


def learnt_late(table: Table, label: int) -> GaussianClassifier:
    """The same classifier, to which one class became known after the others were fitted."""
    model = GaussianClassifier(divisor="unbiased")
    late = table.labels == label
    model.partial_fit(table.rows[~late], table.labels[~late])
    return model.partial_fit(table.rows[late], table.labels[late])


@lru_cache(maxsize=1)
def draws(n_draws: int, seed: int = 0) -> FloatArray:
    """The test error in per cent over as many draws of training and test rows; kept."""
    pairs = (tables(drawn) for drawn in seeds(n_draws, seed, "drawing three Gaussians"))
    return np.array([test.error(fit(training)) for training, test in pairs])


def lesson(seed: int = 0) -> Lesson:
    """The lesson, its rows drawn with this seed."""
    training, test = tables(seed)
    model, n = fit(training), N_PER_CLASS
    spread = Spread(
        f"test error over {N_SPREAD:,} draws", lambda: draws(N_SPREAD, seed), 0.267, "%"
    )
    handout_means = (
        (-5.02818576, -5.07365035),
        (4.95564731, -5.04938789),
        (-0.03591899, 4.87763586),
    )
    handout_covariances = (
        ((2.89255506, -1.05314784), (-1.05314784, 2.77306075)),
        ((2.88868113, -0.46682182), (-0.46682182, 3.04256309)),
        ((1.04041627, -1.09369177), (-1.09369177, 3.26337424)),
    )
    least = f"error of the optimal rule over {N_DRAWS:,} draws"

    def change() -> Any:
        return abs(model.covariances_ - learnt_late(training, 2).covariances_).max()

    results = (
        Result("priors", lambda: model.priors_, (1 / 3,) * 3, 8, (0.33333333,) * 3),
        *Result.estimates(model, TRUTH, n, "N − 1", 8, handout_means, handout_covariances),
        Result.percentage("test error", lambda: test.error(model), ERROR, 3 * n, handout=0.267),
        Result.percentage(least, lambda: TRUTH.least_error(N_DRAWS, seed), ERROR, N_DRAWS),
        Result("largest change of a covariance if class 2 is learnt after the others", change, 0.0),
    )
    erratum = Erratum(
        where="training, formula of the covariance",
        printed="the covariance divided by n − 1 is called the maximum-likelihood estimate",
        right="maximum likelihood divides by n; dividing by n − 1 makes it unbiased",
        why=(
            "The likelihood of the rows is largest at 1/n. The estimate with 1/(n − 1) is larger "
            "by n / (n − 1), which takes away its bias; for 500 rows that is 0.2 %."
        ),
    )
    figures = _figures(model.with_feature_names(training.features), training, test, spread)
    data = (training, test)
    source = f"{BIGGIO}: exercise 1"
    return Lesson.of(__name__, __doc__, source, data, results, figures, [spread], [erratum])


def _figures(
    model: GaussianClassifier, training: Table, test: Table, spread: Spread
) -> tuple[Callable[[], Any], ...]:
    def rows() -> Any:
        """The training rows (filled) and the test rows (hollow)."""
        return parts.draw_rows(training, test)

    def ellipses() -> Any:
        """The training rows and the Gaussians fitted to them, as ellipses of 1, 2 and 3 standard
        deviations."""
        return parts.draw_contours(model, training)

    def regions() -> Any:
        """The region of each class and the test rows; those in a wrong region are ringed."""
        return plots.regions(model, test.rows, test.labels)

    def confusion() -> Any:
        """The test rows, counted by true class and predicted class."""
        return plots.confusion(model, test.rows, test.labels)

    def draws() -> Any:
        """The test error over many draws of training and test rows. The handout's 4 of 1500 is
        nothing unusual."""
        return parts.histograms([spread], 100.0 / test.labels.size, "test error in %")

    return rows, ellipses, regions, confusion, draws
