"""Gaussian naive Bayes by hand, on six rows with a one-hot target matrix."""

import numpy as np

from gaussbayes.base.types import CovarianceName, FloatArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons.lesson import Erratum, Figure, Lesson, Table
from gaussbayes.lessons.pictures.naive_bayes import pictures
from gaussbayes.lessons.sheets.naive_bayes import MEMBERSHIP, ROWS, table

QUERY = (3.0, 4.0)
SOURCE = "R. Borela, Gaussian Naïve Bayes, CS4641B Machine Learning, Georgia Tech"

SHEET_MEANS = ((8.5, 1.83), (1.83, 6.84))
SHEET_VARIANCES = ((0.21, 0.40), (0.39, 0.17))


def fit(covariance: CovarianceName = "diagonal") -> GaussianClassifier:
    """The classifier, fitted to the rows and the membership matrix."""
    return GaussianClassifier(covariance).fit(np.array(ROWS), np.array(MEMBERSHIP))


def labelled(table: Table, covariance: CovarianceName) -> GaussianClassifier:
    """The same classifier, fitted to the labels: its classes have the sheet's names, 1 and 2."""
    return GaussianClassifier(covariance).fit(table.rows, table.labels)


def slipped_densities() -> FloatArray:
    """What the sheet computes: the exponent with Σ in place of Σ⁻¹, from its own parameters (2,).

    ``exp(−½ (x − mean)ᵀ Σ (x − mean)) / (2π √|Σ|)``, which is not a density.
    """
    variance = np.array(SHEET_VARIANCES)
    deviation = np.array(QUERY) - np.array(SHEET_MEANS)
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
            "is e^58 times as probable. The sheet finds the same label but a much weaker 0.964, "
            "by a slip in the exponent."
        ),
        data=(rows,),
        figures=(
            Figure("priors", lambda: fit().priors_, (0.5, 0.5), decimals=12, sheet=(0.5, 0.5)),
            Figure(
                "means",
                lambda: fit().means_,
                right=((8.5, 1.8333), (1.8333, 7.5)),
                decimals=4,
                sheet=SHEET_MEANS,
            ),
            Figure(
                "covariance of class 1",
                lambda: fit("full").covariances_[0],
                right=((0.1667, 0.1667), (0.1667, 0.3889)),
                decimals=4,
                sheet=((0.21, 0.14), (0.14, 0.40)),
            ),
            Figure(
                "covariance of class 2",
                lambda: fit("full").covariances_[1],
                right=((0.3889, -0.1667), (-0.1667, 0.1667)),
                decimals=4,
                sheet=((0.39, 0.0), (0.0, 0.17)),
            ),
            Figure(
                "log-likelihoods of the query",
                lambda: fit().log_likelihood(query)[0],
                right=(-97.25548, -38.96977),
                decimals=5,
            ),
            Figure(
                "densities at the query",
                lambda: np.exp(fit().log_likelihood(query)[0]),
                right=(5.787e-43, 1.1903e-17),
                decimals=21,
                sheet=(8.95e-3, 0.238),
            ),
            Figure(
                "log-odds of class 2",
                lambda: fit().log_odds(query, 1, 0)[0],
                right=58.285714,
                decimals=6,
            ),
            Figure(
                "posterior of class 1",
                lambda: fit().predict_proba(query)[0, 0],
                right=4.9e-26,
                decimals=27,
                sheet=0.036,
            ),
            Figure(
                "label of the query, as the sheet counts classes",
                lambda: float(fit().predict(query)[0]) + 1.0,
                right=2.0,
                decimals=12,
                sheet=2.0,
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
                    "The sheet's own formula gives sixths and eighteenths: 1/6, 1/6 and 7/18. "
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
        pictures=pictures(rows, labelled(rows, "diagonal"), labelled(rows, "full"), QUERY),
    )
