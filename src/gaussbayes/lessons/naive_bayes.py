"""Gaussian naive Bayes by hand, on six rows with a one-hot target matrix."""

from typing import TYPE_CHECKING

import numpy as np

from gaussbayes.base.types import CovarianceName, FloatArray
from gaussbayes.lessons.lesson import Erratum, Figure, Lesson, Result, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure

    from gaussbayes.classifier import GaussianClassifier
    from gaussbayes.lessons.figure_parts import RuleStep

ROWS = ((1.0, 8.0), (2.5, 7.5), (2.0, 7.0), (8.5, 2.5), (9.0, 2.0), (8.0, 1.0))
ONE_HOT = ((0, 1), (0, 1), (0, 1), (1, 0), (1, 0), (1, 0))
"""The handout's z: column 0 is its class 1, column 1 its class 2."""
QUERY = (3.0, 4.0)
SOURCE = "R. Borela, Gaussian Naïve Bayes, CS4641B Machine Learning, Georgia Tech"

HANDOUT_MEANS = ((8.5, 1.83), (1.83, 6.84))
HANDOUT_VARIANCES = ((0.21, 0.40), (0.39, 0.17))


def table() -> Table:
    """The rows with the handout's names of the classes, 1 and 2."""
    labels = np.where(np.array(ONE_HOT)[:, 0] == 1, 1, 2)
    return Table(
        "rows", np.array(ROWS), labels, ("feature 1", "feature 2"), "listed by the handout"
    )


def fit(covariance: CovarianceName = "diagonal") -> "GaussianClassifier":
    """The classifier, fitted to the rows and the one-hot matrix."""
    from gaussbayes.classifier import GaussianClassifier

    return GaussianClassifier(covariance).fit(np.array(ROWS), np.array(ONE_HOT))


def labelled(table: Table, covariance: CovarianceName) -> "GaussianClassifier":
    """The same classifier, fitted to the labels: its classes have the handout's names, 1 and 2."""
    from gaussbayes.classifier import GaussianClassifier

    return GaussianClassifier(covariance).fit(table.rows, table.labels)


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
    rows = table()
    query = np.array([QUERY])
    return Lesson(
        name="naive_bayes",
        title="Naive Bayes by hand",
        source=SOURCE,
        text=(
            "The targets are a matrix with a column for each class and a single 1 in each row; a "
            "sum weighted by a column is a sum over the class. Naive Bayes takes the features as "
            "independent within a class: it keeps the variances and sets the covariances to zero. "
            "The new point (3, 4) is far from both classes, 14 standard deviations from class 1 "
            "and 9 from class 2, so both densities are tiny and only their ratio matters: class 2 "
            "is e^58 times as probable. The handout finds the same label but a much weaker 0.964, "
            "by a slip in the exponent."
        ),
        data=(rows,),
        results=(
            Result("priors", lambda: fit().priors_, (0.5, 0.5), decimals=12, handout=(0.5, 0.5)),
            Result(
                "means",
                lambda: fit().means_,
                right=((8.5, 1.8333), (1.8333, 7.5)),
                decimals=4,
                handout=HANDOUT_MEANS,
            ),
            Result(
                "covariance of class 1",
                lambda: fit("full").covariances_[0],
                right=((0.1667, 0.1667), (0.1667, 0.3889)),
                decimals=4,
                handout=((0.21, 0.14), (0.14, 0.40)),
            ),
            Result(
                "covariance of class 2",
                lambda: fit("full").covariances_[1],
                right=((0.3889, -0.1667), (-0.1667, 0.1667)),
                decimals=4,
                handout=((0.39, 0.0), (0.0, 0.17)),
            ),
            Result(
                "log-likelihoods of the query",
                lambda: fit().log_likelihood(query)[0],
                right=(-97.25548, -38.96977),
                decimals=5,
            ),
            Result(
                "densities at the query",
                lambda: np.exp(fit().log_likelihood(query)[0]),
                right=(5.787e-43, 1.1903e-17),
                decimals=21,
                handout=(8.95e-3, 0.238),
            ),
            Result(
                "log-odds of class 2",
                lambda: fit().log_odds(query, 1, 0)[0],
                right=58.285714,
                decimals=6,
            ),
            Result(
                "posterior of class 1",
                lambda: fit().predict_proba(query)[0, 0],
                right=4.9e-26,
                decimals=27,
                handout=0.036,
            ),
            Result(
                "label of the query, as the handout counts classes",
                lambda: float(fit().predict(query)[0]) + 1.0,
                right=2.0,
                decimals=12,
                handout=2.0,
            ),
        ),
        errata=(
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
                    "The exponent was multiplied by Σ where the formula has Σ⁻¹. With Σ, the "
                    "printed parameters give 8.94e-3 and 0.238, and 0.036 and 0.964; the third "
                    "digit of the first is lost in their rounding. The label is the same."
                ),
            ),
        ),
        figures=_figures(rows, labelled(rows, "diagonal"), labelled(rows, "full")),
    )


def _figures(
    table: Table, naive: "GaussianClassifier", full: "GaussianClassifier"
) -> tuple[Figure, ...]:
    """The figures, in the order of the lesson's text."""
    from gaussbayes.lessons.figure_parts import (
        bayes_rule_bars,
        draw_over_regions,
        draw_rows,
        mark_point,
        one_legend,
        panels,
        title,
    )

    naive, full = (model.with_feature_names(table.features) for model in (naive, full))
    where = f"({QUERY[0]:g}, {QUERY[1]:g})"

    def rows() -> "MatplotlibFigure":
        figure = draw_rows(table)
        mark_point(figure.axes[0], *QUERY, where)
        return figure

    def regions() -> "MatplotlibFigure":
        figure, axes = panels()
        draw_over_regions(naive, table, axes[0, 0])
        mark_point(axes[0, 0], *QUERY, where)
        return figure

    def naive_and_full() -> "MatplotlibFigure":
        figure, axes = panels(1, 2, (10.0, 4.2), share_x=True, share_y=True)
        for ax, model, words in (
            (axes[0, 0], naive, "naive: no correlation"),
            (axes[0, 1], full, "full covariance"),
        ):
            draw_over_regions(model, table, ax)
            mark_point(ax, *QUERY, where)
            title(ax, words)
        one_legend(axes[0])
        return figure

    return (
        Figure("rows", f"The six rows and the point to be labelled, {where}.", rows),
        Figure(
            "regions",
            "Naive Bayes: ellipses of 1, 2 and 3 standard deviations with their axes along the "
            "features, and the regions that follow.",
            regions,
        ),
        Figure(
            "naive_and_full",
            "The same rows without and with correlations. Three rows a class are few: the "
            "boundary changes much, the label of the point does not.",
            naive_and_full,
        ),
        Figure(
            "steps",
            f"Bayes' rule for {where}, in logarithms, each step on a scale of its own: products "
            "become sums. The log joint of class 2 is the larger by 58, so almost nothing is left "
            "for class 1.",
            lambda: bayes_rule_bars([f"class {label}" for label in naive.classes_], _steps(naive)),
        ),
    )


def _steps(naive: "GaussianClassifier") -> "list[RuleStep]":
    """Log prior, the log density of each feature, their sum, and what is left of it."""
    from gaussbayes.lessons.figure_parts import RuleStep, number

    nameless = naive.with_feature_names(None)

    def step(name: str, values: FloatArray, operator: str = "") -> RuleStep:
        texts = tuple(number(value, ".4g") for value in values.tolist())
        return RuleStep(name, values, texts, operator)

    each = [nameless.marginal([j]).log_likelihood([[value]])[0] for j, value in enumerate(QUERY)]
    return [
        step("log prior", nameless.parameters_.log_prior),
        *(step(f"log density\nof feature {j + 1}", values, "+") for j, values in enumerate(each)),
        step("log joint", nameless.predict_joint_log_proba([QUERY])[0], "="),
        step("log posterior", nameless.predict_log_proba([QUERY])[0], "− log evidence =\n"),
    ]
