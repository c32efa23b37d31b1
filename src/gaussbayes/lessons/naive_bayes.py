"""Naive Bayes by hand.

The targets are a matrix with a column for each class and a single 1 in each row; a sum weighted by
a column is a sum over the class. Naive Bayes takes the features as independent within a class: it
keeps the variances and sets the covariances to zero. The new point (3, 4) is far from both classes,
14 standard deviations from class 1 and 9 from class 2, so both densities are tiny and only their
ratio matters: class 2 is e^58 times as probable. The handout finds the same label but a much weaker
0.964, by a slip in the exponent.
"""

from typing import Any

import numpy as np

from gaussbayes import plots
from gaussbayes.base.types import CovarianceName, FloatArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons import figure_parts as parts
from gaussbayes.lessons.handouts import SIX_ROWS
from gaussbayes.lessons.lesson import Erratum, Lesson, Result
from gaussbayes.plots import style

ONE_HOT = ((0, 1), (0, 1), (0, 1), (1, 0), (1, 0), (1, 0))
"""The handout's z: column 0 is its class 1, column 1 its class 2."""
QUERY = (3.0, 4.0)
SOURCE = "R. Borela, Gaussian Naïve Bayes, CS4641B Machine Learning, Georgia Tech"

HANDOUT_MEANS = ((8.5, 1.83), (1.83, 6.84))
HANDOUT_VARIANCES = ((0.21, 0.40), (0.39, 0.17))


def fit(covariance: CovarianceName = "diagonal") -> GaussianClassifier:
    """The classifier, fitted to the rows and the one-hot matrix."""
    return GaussianClassifier(covariance).fit(SIX_ROWS.rows, np.array(ONE_HOT))


def slipped_densities() -> FloatArray:
    """What the handout computes: the exponent with Σ in place of Σ⁻¹, from its own parameters (2,).

    ``exp(−½ (x − mean)ᵀ Σ (x − mean)) / (2π √|Σ|)``, which is not a density.
    """
    variance = np.array(HANDOUT_VARIANCES)
    deviation = np.array(QUERY) - np.array(HANDOUT_MEANS)
    exponent = -0.5 * (deviation * variance * deviation).sum(axis=1)
    slipped: FloatArray = np.exp(exponent) / (2.0 * np.pi * np.sqrt(variance.prod(axis=1)))
    return slipped


def lesson(seed: int = 0) -> Lesson:
    """The lesson."""
    query = np.array([QUERY])
    naive, full = fit(), fit("full")
    right_1 = ((0.1667, 0.1667), (0.1667, 0.3889))
    right_2 = ((0.3889, -0.1667), (-0.1667, 0.1667))
    handout_1, handout_2 = ((0.21, 0.14), (0.14, 0.40)), ((0.39, 0.0), (0.0, 0.17))
    right_means = ((8.5, 1.8333), (1.8333, 7.5))
    right, printed = (5.787e-43, 1.1903e-17), (8.95e-3, 0.238)
    density, posterior = naive.log_likelihood, naive.predict_proba
    label = "label of the query, as the handout counts classes"
    likelihoods = (-97.25548, -38.96977)
    results = (
        Result("priors", lambda: naive.priors_, (0.5, 0.5), handout=(0.5, 0.5)),
        Result("means", lambda: naive.means_, right_means, 4, HANDOUT_MEANS),
        Result("covariance of class 1", lambda: full.covariances_[0], right_1, 4, handout_1),
        Result("covariance of class 2", lambda: full.covariances_[1], right_2, 4, handout_2),
        Result("log-likelihoods of the query", lambda: density(query)[0], likelihoods, 5),
        Result("densities at the query", lambda: naive.likelihood(query)[0], right, 21, printed),
        Result("log-odds of class 2", lambda: naive.log_odds(query, 1, 0)[0], 58.285714, 6),
        Result("posterior of class 1", lambda: posterior(query)[0, 0], 4.9e-26, 27, 0.036),
        Result(label, lambda: naive.predict(query)[0] + 1, 2.0, handout=2.0),
    )
    errata = (
        Erratum(
            where="training, mean of class 2",
            printed="(1.83, 6.84)",
            right="(1.8333, 7.5)",
            why="The second features are 8, 7.5 and 7; their average is 7.5.",
        ),
        Erratum(
            where="training, covariance of class 1",
            printed="[[0.21, 0.14], [0.14, 0.40]]",
            right="[[0.1667, 0.1667], [0.1667, 0.3889]]",
            why=(
                "The handout's own formula gives sixths and eighteenths: 1/6, 1/6 and 7/18. "
                "Neither of the divisors 3 and 2 gives the printed numbers."
            ),
        ),
        Erratum(
            where="training, covariance of class 2",
            printed="[[0.39, 0], [0, 0.17]] already before independence is assumed",
            right="[[0.3889, −0.1667], [−0.1667, 0.1667]]",
            why="The features of class 2 fall together: their covariance is −1/6, not 0.",
        ),
        Erratum(
            where="inference, densities and posteriors",
            printed="8.95e-3 and 0.238, hence 0.036 and 0.964",
            right="5.8e-43 and 1.2e-17, hence 4.9e-26 and 1 − 4.9e-26",
            why=(
                "The exponent was multiplied by Σ where the formula has Σ⁻¹. With Σ, the printed "
                "parameters give 8.94e-3 and 0.238, and 0.036 and 0.964; the third digit of the "
                "first is lost in their rounding. The label is the same."
            ),
        ),
    )
    figures = (rows, regions, naive_and_full, steps)
    return Lesson.of(__name__, __doc__, SOURCE, [SIX_ROWS], results, figures, errata=errata)


def _draw(ax: Any, covariance: CovarianceName) -> None:
    """The rows, the query, the ellipses and the regions of a model of classes called 1 and 2."""
    model = SIX_ROWS.fit(covariance).with_feature_names(SIX_ROWS.features)
    plots.regions(model, ax=ax)
    styles = style.class_styles(model.classes_)
    plots.row_plots.draw_points(ax, SIX_ROWS.rows, SIX_ROWS.labels - 1, styles)
    plots.ellipses(model, ax=ax)
    parts.mark_point(ax, *QUERY, "(3, 4)")


def rows() -> Any:
    """The six rows and the point to be labelled, (3, 4)."""
    ax = parts.draw_rows(SIX_ROWS)
    parts.mark_point(ax, *QUERY, "(3, 4)")
    return ax


def regions() -> Any:
    """Naive Bayes: ellipses of 1, 2 and 3 standard deviations with their axes along the features,
    and the regions that follow."""
    ax = style.axes_for(None)
    _draw(ax, "diagonal")
    return ax


def naive_and_full() -> Any:
    """The same rows without and with correlations. Three rows a class are few: the boundary changes
    much, the label of the point does not."""
    naive, full = axes = parts.panels(1, 2, (10.0, 4.2), "xy")
    _draw(naive, "diagonal")
    _draw(full, "full")
    parts.title(naive, "naive: no correlation")
    parts.title(full, "full covariance")
    parts.one_legend(axes)
    return axes


def steps() -> Any:
    """Bayes' rule for (3, 4), in logarithms, all steps on one scale: products become sums.
    The log joint of class 2 is the larger by 58, so almost nothing is left for class 1."""
    model = fit()
    terms = {
        "log prior": model.parameters_.log_prior,
        "+ log density\nof feature 1": model.marginal([0]).log_likelihood([QUERY[:1]])[0],
        "+ log density\nof feature 2": model.marginal([1]).log_likelihood([QUERY[1:]])[0],
        "= log joint": model.predict_joint_log_proba([QUERY])[0],
        "− log evidence =\n log posterior": model.predict_log_proba([QUERY])[0],
    }
    return parts.bayes_rule_bars(
        ["class 1", "class 2"],
        {
            name: (values, [parts.number(value, ".4g") for value in values])
            for name, values in terms.items()
        },
    )
