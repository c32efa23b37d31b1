"""Two Gaussian classes, and the same rows given to nearest neighbours."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.synthesis import make_gaussian_dataset
from gaussbayes.base.progress import track
from gaussbayes.base.types import FloatArray, LabelArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons import sampling
from gaussbayes.lessons.lesson import Erratum, Figure, Lesson, Spread, Table
from gaussbayes.lessons.pictures.two_gaussians import pictures
from gaussbayes.lessons.sheets.two_gaussians import COVARIANCES, MEANS

N_TRAINING = 100
N_TEST = 50
N_SPREAD = 1000
SOURCE = (
    "A. C. Kapourani, Classification with Gaussians, laboratory sheet, 2018 (after H. Shimodaira)"
)

N_DRAWS = 1_000_000
ACCURACY = 92.811
"""Of the optimal rule in per cent, by integrating max_c p(x, c) on a grid."""
CONFUSION = ((46.358, 3.642), (3.548, 46.452))
"""Expected counts of the optimal rule for 50 test rows of each class, by the same integral."""
NEIGHBOURS_ACCURACY = 91.360
"""Of 3 nearest neighbours with endless training rows, in per cent.

With η = p(1 | x), the error is the average of η (1 − η) (1 + 4 η (1 − η)): three independent votes,
and the row itself, each of class 1 with probability η (Cover and Hart 1967).
"""
NEIGHBOURS_CONFUSION = ((45.652, 4.348), (4.292, 45.708))
"""Expected counts of the same for 50 test rows of each class."""


def tables(seed: int) -> tuple[Table, Table]:
    """100 training rows and 50 test rows of each class; classes are called 1 and 2."""
    generator = np.random.default_rng(seed)
    source = f"drawn from the sheet's parameters with seed {seed}"

    def one(name: str, n: int) -> Table:
        X, y = make_gaussian_dataset(n, MEANS, COVARIANCES, random_state=generator)
        return Table(name, X, y + 1, ("x1", "x2"), source)

    return one("training", N_TRAINING), one("test", N_TEST)


def fit(table: Table) -> GaussianClassifier:
    """The sheet's classifier: a full covariance for each class, divided by N."""
    return GaussianClassifier().fit(table.rows, table.labels)


def neighbours(training: Table, test: Table, n_neighbors: int = 3) -> LabelArray:
    """Labels of the test rows by a vote of the nearest training rows, an odd number of them.

    The tree alone takes a seventh of the time that scikit-learn's classifier around it does.
    """
    from sklearn.neighbors import KDTree

    nearest = KDTree(training.rows).query(test.rows, n_neighbors, return_distance=False)
    votes: FloatArray = np.mean(training.labels[nearest] == 2, axis=1)
    return np.where(votes > 0.5, 2, 1)


def confusion(test: Table, predicted: LabelArray) -> NDArray[np.int64]:
    """Counts (2, 2): true class by row, predicted class by column."""
    counts = np.zeros((2, 2), dtype=np.int64)
    np.add.at(counts, (test.labels - 1, predicted - 1), 1)
    return counts


def accuracy(test: Table, predicted: LabelArray) -> float:
    """Share of right labels, in per cent."""
    return 100.0 * float(np.mean(predicted == test.labels))


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """What many draws give: accuracies in per cent, and the estimates."""

    gaussian: FloatArray  # (draws,)
    neighbours: FloatArray  # (draws,)
    means: FloatArray  # (draws, 2, 2)
    covariances: FloatArray  # (draws, 2, 2, 2)


@lru_cache(maxsize=1)
def draws(n_draws: int, seed: int = 0) -> Draws:
    """Both classifiers on as many draws of training and test rows; kept, for it takes seconds."""
    gaussian, voted = np.empty(n_draws), np.empty(n_draws)
    means, covariances = np.empty((n_draws, 2, 2)), np.empty((n_draws, 2, 2, 2))
    seeds = np.random.SeedSequence(seed).generate_state(n_draws).tolist()
    for i, own in enumerate(track(seeds, "drawing two Gaussians")):
        training, test = tables(own)
        model = fit(training)
        means[i], covariances[i] = model.means_, model.covariances_
        gaussian[i] = accuracy(test, model.predict(test.rows))
        voted[i] = accuracy(test, neighbours(training, test))
    return Draws(gaussian, voted, means, covariances)


def lesson(seed: int = 0) -> Lesson:
    """The lesson, its rows drawn with this seed."""
    training, test = tables(seed)
    n_test = 2 * N_TEST
    share = np.asarray(CONFUSION) / N_TEST
    voted_share = np.asarray(NEIGHBOURS_CONFUSION) / N_TEST
    spreads = (
        Spread(
            f"accuracy of the Gaussians over {N_SPREAD:,} draws",
            lambda: draws(N_SPREAD, seed).gaussian,
            sheet=90.0,
            unit="%",
        ),
        Spread(
            f"accuracy of 3 nearest neighbours over {N_SPREAD:,} draws",
            lambda: draws(N_SPREAD, seed).neighbours,
            sheet=85.0,
            unit="%",
        ),
    )

    def optimal_accuracy() -> float:
        rule = GaussianClassifier.from_parameters("uniform", MEANS, COVARIANCES)
        X, y = rule.sample(N_DRAWS, random_state=seed)
        return 100.0 * float(np.mean(rule.predict(X) == y))

    return Lesson(
        name="two_gaussians",
        title="Two Gaussians against nearest neighbours",
        source=SOURCE,
        text=(
            "The Bayes decision rule takes the class whose log-odds are positive. Fitted to 100 "
            "rows of each class it labels about 93 of 100 test rows correctly, nearly as many as "
            "the rule that knows the true parameters; a vote of the three nearest rows does a "
            "little worse on average, for it assumes nothing about the shape of the classes. The "
            "sheet's own rows cannot be drawn again with another generator, so neither its "
            "estimates nor its 90 % and 85 % can be repeated digit by digit: they are shown to lie "
            "inside the spread over 1,000 draws. One test set of 100 rows leaves the accuracy open "
            "by ± 5 points, so that the two may well come out equal in a single draw."
        ),
        data=(training, test),
        figures=(
            Figure(
                "means",
                lambda: fit(training).means_,
                right=MEANS,
                decimals=4,
                sheet=((0.1600, -0.0031), (1.9633, 2.0848)),
                standard_error=sampling.of_means(COVARIANCES, N_TRAINING),
            ),
            Figure(
                "covariances, divided by N",
                lambda: fit(training).covariances_,
                right=COVARIANCES,
                decimals=4,
                sheet=(
                    ((1.9749, -1.0334), (-1.0334, 2.1867)),
                    ((0.8095, 0.0047), (0.0047, 0.9766)),
                ),
                standard_error=sampling.of_covariances(COVARIANCES, N_TRAINING),
            ),
            Figure(
                "confusion matrix, true class by row",
                lambda: confusion(test, fit(training).predict(test.rows)),
                right=CONFUSION,
                decimals=3,
                sheet=((47, 3), (7, 43)),
                standard_error=np.sqrt(N_TEST * share * (1.0 - share)).tolist(),
            ),
            sampling.percentage(
                "accuracy",
                lambda: accuracy(test, fit(training).predict(test.rows)),
                right=ACCURACY,
                n=n_test,
                sheet=90.0,
            ),
            Figure(
                "confusion matrix of 3 nearest neighbours",
                lambda: confusion(test, neighbours(training, test)),
                right=NEIGHBOURS_CONFUSION,
                decimals=3,
                sheet=((46, 4), (11, 39)),
                standard_error=np.sqrt(N_TEST * voted_share * (1.0 - voted_share)).tolist(),
            ),
            sampling.percentage(
                "accuracy of 3 nearest neighbours",
                lambda: accuracy(test, neighbours(training, test)),
                right=NEIGHBOURS_ACCURACY,
                n=n_test,
                sheet=85.0,
            ),
            sampling.percentage(
                f"accuracy of the optimal rule over {N_DRAWS:,} draws",
                optimal_accuracy,
                right=ACCURACY,
                n=N_DRAWS,
            ),
        ),
        spreads=spreads,
        errata=(
            Erratum(
                where="contour function, range of the plot",
                printed="±2 standard deviations, from a variable maxsd",
                right="±2 times the root of the larger variance: ±2.83 for class 1, not ±4",
                why="maxsd is set to the larger variance; its square root was forgotten.",
            ),
        ),
        pictures=pictures(
            fit(training), training, test, lambda: neighbours(training, test), spreads
        ),
    )
