"""Covariance, correlation and Mahalanobis distance, on clouds small enough to check by hand."""

import numpy as np

from gaussbayes.analysis.synthesis import make_gaussian_dataset
from gaussbayes.base.types import CovarianceName, RealArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.families.gaussian.shrinkage import Shrinkage
from gaussbayes.lessons.lesson import Erratum, Figure, Lesson, Table
from gaussbayes.lessons.pictures.covariance_pictures import pictures
from gaussbayes.lessons.sheets.covariance_pictures import table

POINTS = ((2.0, 2.0), (2.0, -2.0))
SOURCE = "H. Xue, Generative Models for Classification, ITCS 6156/8156, UNC Charlotte, 2024"

_SHAPES: tuple[CovarianceName, ...] = ("full", "diagonal", "spherical")

_APART = ((0.0, 0.0), (6.0, -1.0), (2.5, 5.0))
_N_FEATURES = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50)
_SHRINKAGES = (0.0, 0.25, 0.5, 1.0)


def made(seed: int) -> Table:
    """80 rows from the Gaussian of each cloud, moved apart: enough to see regions on."""
    clouds = fit()
    X, y = make_gaussian_dataset(80, _APART, clouds.covariances_, random_state=seed)
    source = f"made for this lesson with seed {seed}"
    return Table("clouds apart", X, clouds.classes_[y], ("x1", "x2"), source)


def fit(
    covariance: CovarianceName = "full", shared: bool = False, shrinkage: Shrinkage = None
) -> GaussianClassifier:
    """One Gaussian a cloud."""
    clouds = table()
    model = GaussianClassifier(covariance, shared=shared, shrinkage=shrinkage)
    return model.fit(clouds.rows, clouds.labels)


def n_parameters(n_features: int) -> dict[str, int]:
    """Free parameters of three classes, for each of the six structures: own first, then shared."""
    d = n_features
    one = {"full": np.eye(d), "diagonal": np.ones(d), "spherical": np.ones(())}
    return {
        f"{shape}, {'shared' if shared else 'own'}": GaussianClassifier.from_parameters(
            None,
            np.zeros((3, d)),
            one[shape] if shared else np.stack([one[shape]] * 3),
            covariance=shape,
            shared=shared,
        ).n_parameters_
        for shared in (False, True)
        for shape in _SHAPES
    }


def lesson(seed: int = 0) -> Lesson:
    """The lesson."""

    rows = made(seed)

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
            "is 4/3 away and the other 4. A full covariance is symmetric, has no negative "
            "eigenvalue and d (d + 1) / 2 free parameters. Sharing it, or leaving out correlations "
            "as naive Bayes does, saves many of them; shrinking it towards a circle makes the "
            "estimate steadier without giving any up."
        ),
        data=(table(), rows),
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
                "eigenvalues of the rising cloud's covariance, none negative",
                lambda: np.linalg.eigvalsh(fit().covariances_[2]),
                right=(0.5, 4.5),
                decimals=12,
            ),
            Figure(
                "covariance of the rising cloud, half way to the circle",
                lambda: fit(shrinkage=0.5).covariances_[2],
                right=((2.5, 1.0), (1.0, 2.5)),
                decimals=12,
            ),
            Figure(
                "free parameters with 2 features: full, diagonal, spherical, then each shared",
                lambda: list(n_parameters(2).values()),
                right=(17, 14, 11, 11, 10, 9),
                decimals=12,
            ),
            Figure(
                "the same with 50 features",
                lambda: list(n_parameters(50).values()),
                right=(3977, 302, 155, 1427, 202, 153),
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
        pictures=pictures(
            table(),
            rows,
            fit(),
            {f"shrinkage {share:g}": fit(shrinkage=share) for share in _SHRINKAGES},
            POINTS,
            {d: n_parameters(d) for d in _N_FEATURES},
        ),
    )
