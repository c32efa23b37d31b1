"""Covariance, correlation and Mahalanobis distance, on clouds small enough to check by hand."""

import numpy as np

from gaussbayes.estimator import GaussianClassifier
from gaussbayes.lessons.lesson import Erratum, Figure, Lesson, Table
from gaussbayes.types import CovarianceName, RealArray

FALLING = ((-2.0, 1.0), (-1.0, 2.0), (1.0, -2.0), (2.0, -1.0))
LEVEL = ((-2.0, -1.0), (-1.0, 2.0), (1.0, -2.0), (2.0, 1.0))
RISING = ((-2.0, -1.0), (-1.0, -2.0), (1.0, 2.0), (2.0, 1.0))
POINTS = ((2.0, 2.0), (2.0, -2.0))
SOURCE = "H. Xue, Generative Models for Classification, ITCS 6156/8156, UNC Charlotte, 2024"

_SHAPES: tuple[CovarianceName, ...] = ("full", "diagonal", "spherical")


def table() -> Table:
    """Three clouds of four points with mean (0, 0) and variances 2.5."""
    labels = np.repeat(["falling", "level", "rising"], 4)
    source = "made for this lesson: the sheet shows pictures and no numbers"
    return Table("clouds", np.array(FALLING + LEVEL + RISING), labels, ("x1", "x2"), source)


def fit(covariance: CovarianceName = "full", shared: bool = False) -> GaussianClassifier:
    """One Gaussian a cloud."""
    clouds = table()
    return GaussianClassifier(covariance, shared=shared).fit(clouds.rows, clouds.labels)


def n_parameters() -> list[int]:
    """Free parameters of full, diagonal and spherical: own covariances first, then shared."""
    return [
        fit(shape, shared).parameters_.n_parameters for shared in (False, True) for shape in _SHAPES
    ]


def lesson(seed: int = 0) -> Lesson:
    """The lesson."""

    def rising_distance() -> RealArray:
        return fit().mahalanobis(np.array(POINTS))[:, 2]

    return Lesson(
        name="covariance_pictures",
        title="Covariance, correlation and distance in pictures",
        source=SOURCE,
        text=(
            "A covariance tells whether two features rise together, and is never larger than the "
            "product of their standard deviations; divided by that product it is the correlation, "
            "between −1 and 1. The three clouds differ in nothing else: −0.8, 0 and 0.8. The "
            "Mahalanobis distance measures in standard deviations of the cloud: (2, 2) and "
            "(2, −2) are equally far from the mean with a ruler, but for the rising cloud the one "
            "is 4/3 away and the other 4. A full covariance has d (d + 1) / 2 free parameters; "
            "sharing it, or leaving out correlations as naive Bayes does, saves many of them."
        ),
        data=(table(),),
        figures=(
            Figure(
                "covariances of the three clouds",
                lambda: fit().covariances_[:, 0, 1],
                right=(-2.0, 0.0, 2.0),
                decimals=12,
            ),
            Figure(
                "variances of the rising cloud",
                lambda: np.diagonal(fit().covariances_[2]),
                right=(2.5, 2.5),
                decimals=12,
            ),
            Figure(
                "correlations of the three clouds",
                lambda: fit().correlations_[:, 0, 1],
                right=(-0.8, 0.0, 0.8),
                decimals=12,
            ),
            Figure(
                "Mahalanobis distances of (2, 2) and (2, −2) from the rising cloud",
                rising_distance,
                right=(4 / 3, 4.0),
                decimals=12,
            ),
            Figure(
                "density of the rising cloud at its mean, 1 / (3π)",
                lambda: np.exp(fit().log_likelihood(np.zeros((1, 2)))[0, 2]),
                right=0.1061033,
                decimals=7,
            ),
            Figure(
                "free parameters: full, diagonal, spherical, then each shared",
                n_parameters,
                right=(17, 14, 11, 11, 10, 9),
                decimals=12,
            ),
        ),
        errata=(
            Erratum(
                where="multivariate Gaussian distribution, density",
                printed="exp(−(x − μ)ᵀ Σ⁻¹ (x − μ))",
                right="exp(−½ (x − μ)ᵀ Σ⁻¹ (x − μ))",
                why=(
                    "Without ½ it integrates to 2^(−d/2), which is ½ in the plane; a density "
                    "integrates to 1."
                ),
            ),
            Erratum(
                where="multivariate parameters, covariance",
                printed="E[(x − μ)ᵀ (x − μ)]",
                right="E[(x − μ) (x − μ)ᵀ]",
                why=(
                    "For a column x the printed product is a number, the sum of the variances; "
                    "the matrix is the product the other way round."
                ),
            ),
            Erratum(
                where="Mahalanobis distance",
                printed="(x − μ)ᵀ Σ⁻¹ (x − μ) is called the distance",
                right="the distance is its square root",
                why=(
                    "The root doubles when x is twice as far from the mean, as a distance does; "
                    "the printed form is the square of the distance."
                ),
            ),
        ),
    )
