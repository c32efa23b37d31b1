"""The course's examples as datasets of the lab; their numbers are those of the handouts."""

import numpy as np

from gaussbayes.apps.lab.datasets.dataset import Table
from gaussbayes.apps.lab.datasets.drawn import drawn, gaussians
from gaussbayes.base.types import FloatArray, LabelArray
from gaussbayes.data.labels import encode
from gaussbayes.datasets import load_iris
from gaussbayes.lessons import covariance_pictures as clouds_lesson
from gaussbayes.lessons import diabetes as diabetes_lesson
from gaussbayes.lessons import naive_bayes as naive_bayes_lesson
from gaussbayes.lessons import optimal_regions as regions_lesson
from gaussbayes.lessons import petals as petals_lesson
from gaussbayes.lessons import three_gaussians as three_lesson
from gaussbayes.lessons import two_gaussians as two_lesson


def listed(
    name: str, rows: FloatArray, labels: LabelArray, features: tuple[str, ...], target: str
) -> Table:
    """Rows that a handout or a paper lists."""
    codes, classes = encode(labels)
    return Table(name, np.asarray(rows, np.float64), codes, classes, features, target)


def petals() -> Table:
    """Eight petals of two species."""
    found = petals_lesson.table()
    return listed("Petals", found.rows, found.labels, found.features, "species")


def naive_bayes() -> Table:
    """The six rows of the handout on naive Bayes."""
    found = naive_bayes_lesson.table()
    return listed("Naive Bayes by hand", found.rows, found.labels, found.features, "class")


def clouds() -> Table:
    """Three clouds of four points, which differ in their correlation only."""
    found = clouds_lesson.table()
    return listed("Three clouds", found.rows, found.labels, found.features, "cloud")


def irises() -> Table:
    """Fisher's irises, their species mixed: those that come first are of all three."""
    found = load_iris()
    order = np.random.default_rng(0).permutation(found.labels.size)
    rows, labels = found.rows[order], found.labels[order]
    return listed("Fisher's irises", rows, labels, found.feature_names, "species")


def two_gaussians(seed: int, n: int) -> Table:
    """The two classes of the laboratory sheet."""
    truth = gaussians("uniform", two_lesson.MEANS, two_lesson.COVARIANCES, (1, 2))
    return drawn("Two Gaussians", truth, seed, n)


def three_gaussians(seed: int, n: int) -> Table:
    """The three classes of the laboratory slides."""
    truth = gaussians("uniform", three_lesson.MEANS, three_lesson.COVARIANCES, (0, 1, 2))
    return drawn("Three Gaussians", truth, seed, n)


def optimal_regions(seed: int, n: int) -> Table:
    """Rows of the three classes whose parameters are given."""
    truth = gaussians(
        regions_lesson.PRIORS, regions_lesson.MEANS, regions_lesson.COVARIANCE, (0, 1, 2)
    )
    return drawn("Optimal regions", truth, seed, n)


def diabetes(seed: int, n: int) -> Table:
    """Patients with and without diabetes, by two features."""
    priors = list(diabetes_lesson.DOCTOR.values())
    truth = gaussians(
        priors,
        diabetes_lesson.MEANS,
        diabetes_lesson.COVARIANCES,
        ("healthy", "ill"),
        diabetes_lesson.FEATURES,
    )
    return drawn("Diabetes", truth, seed, n)


def gaps(seed: int, n: int) -> Table:
    """The same patients; the glucose was not measured where the count is above 48.

    What is missing depends on what is there, so that nothing is lost but precision.
    """
    whole = diabetes(seed, n)
    rows = whole.X.copy()
    rows[rows[:, 0] > diabetes_lesson.COUNT, 1] = np.nan
    return Table(
        "Diabetes with gaps",
        rows,
        whole.codes,
        whole.labels,
        whole.features,
        whole.target,
        truth=whole.truth,
    )
