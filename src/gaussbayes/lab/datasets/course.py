"""The course's examples as datasets of the lab; their numbers are those of `gaussbayes.lessons`.

The lessons bring scikit-learn with them, so that they are imported when one is asked for.
"""

import numpy as np

from gaussbayes.lab.datasets.dataset import Table
from gaussbayes.lab.datasets.drawn import drawn, gaussians
from gaussbayes.labels import encode
from gaussbayes.types import FloatArray, LabelArray


def listed(
    name: str, rows: FloatArray, labels: LabelArray, features: tuple[str, ...], target: str
) -> Table:
    """Rows that a sheet or a paper lists."""
    codes, classes = encode(labels)
    return Table(name, np.asarray(rows, np.float64), codes, classes, features, target)


def petals() -> Table:
    """Eight petals of two species."""
    from gaussbayes.lessons.petals import table

    found = table()
    return listed("Petals", found.rows, found.labels, found.features, "species")


def naive_bayes() -> Table:
    """The six rows of the sheet on naive Bayes."""
    from gaussbayes.lessons.naive_bayes import lesson

    (found,) = lesson().data
    return listed("Naive Bayes by hand", found.rows, found.labels, found.features, "class")


def clouds() -> Table:
    """Three clouds of four points, which differ in their correlation only."""
    from gaussbayes.lessons.covariance_pictures import table

    found = table()
    return listed("Three clouds", found.rows, found.labels, found.features, "cloud")


def irises() -> Table:
    """Fisher's irises."""
    from gaussbayes.datasets import load_iris

    found = load_iris()
    return listed("Fisher's irises", found.rows, found.labels, found.feature_names, "species")


def two_gaussians(seed: int, n: int) -> Table:
    """The two classes of the laboratory sheet."""
    from gaussbayes.lessons.two_gaussians import COVARIANCES, MEANS

    truth = gaussians("uniform", MEANS, COVARIANCES, (1, 2))
    return drawn("Two Gaussians", truth, seed, n)


def three_gaussians(seed: int, n: int) -> Table:
    """The three classes of the laboratory slides."""
    from gaussbayes.lessons.three_gaussians import COVARIANCES, MEANS

    truth = gaussians("uniform", MEANS, COVARIANCES, (0, 1, 2))
    return drawn("Three Gaussians", truth, seed, n)


def optimal_regions(seed: int, n: int) -> Table:
    """Rows of the three classes whose parameters are given."""
    from gaussbayes.lessons.optimal_regions import COVARIANCE, MEANS, PRIORS

    truth = gaussians(PRIORS, MEANS, COVARIANCE, (0, 1, 2))
    return drawn("Optimal regions", truth, seed, n)


def diabetes(seed: int, n: int) -> Table:
    """Patients with and without diabetes, by two features."""
    from gaussbayes.lessons.diabetes import COVARIANCES, DOCTOR, FEATURES, MEANS

    priors = list(DOCTOR.values())
    truth = gaussians(priors, MEANS, COVARIANCES, ("healthy", "ill"), FEATURES)
    return drawn("Diabetes", truth, seed, n)


def gaps(seed: int, n: int) -> Table:
    """The same patients; the glucose was not measured where the count is above 48.

    What is missing depends on what is there, so that nothing is lost but precision.
    """
    from gaussbayes.lessons.diabetes import COUNT

    whole = diabetes(seed, n)
    rows = whole.X.copy()
    rows[rows[:, 0] > COUNT, 1] = np.nan
    return Table(
        "Diabetes with gaps",
        rows,
        whole.codes,
        whole.labels,
        whole.features,
        whole.target,
        truth=whole.truth,
    )
