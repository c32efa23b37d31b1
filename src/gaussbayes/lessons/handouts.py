"""What the handouts give: rows that they list, and Gaussians that rows are drawn from.

The classifier is imported where it is used, so that whoever needs these numbers alone does not wait
for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.synthesis import RandomState, make_gaussian_dataset
from gaussbayes.base.types import LabelArray

if TYPE_CHECKING:
    from gaussbayes.classifier import GaussianClassifier


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Labelled rows, and where they come from.

    Examples
    --------
    >>> from gaussbayes import lessons
    >>> lessons.get("petals").data[0].rows.shape
    (8, 1)
    """

    name: str
    rows: NDArray[Any]  # (n, d)
    labels: LabelArray  # (n,)
    features: tuple[str, ...] = ("x1", "x2")  # d of them
    source: str = "listed by the handout"  # or drawn from its parameters, or made for this lesson

    def fit(self, covariance: Any = "full", **settings: Any) -> GaussianClassifier:
        """A classifier of these rows, which does not know the names of the features."""
        from gaussbayes.classifier import GaussianClassifier

        return GaussianClassifier(covariance, **settings).fit(self.rows, self.labels)

    def error(self, model: GaussianClassifier) -> float:
        """How many of the rows a classifier labels wrongly, in per cent."""
        return 100.0 * float(np.mean(model.predict(self.rows) != self.labels))


@dataclass(frozen=True, slots=True)
class Gaussians:
    """One Gaussian a class, to draw rows from."""

    means: Any  # (k, d)
    covariances: Any  # (k, d, d), or (d, d) for all
    priors: tuple[float, ...] | None = None  # (k,) None if all are equal
    first: int = 0  # the label of the first class; the others are the next integers
    features: tuple[str, ...] = ("x1", "x2")

    def draw(self, name: str, n: int, random_state: RandomState, source: str = "") -> Table:
        """So many rows of each class."""
        X, y = make_gaussian_dataset(n, self.means, self.covariances, random_state=random_state)
        return Table(name, X, y + self.first, self.features, source)

    def training_and_test(self, n: int, n_test: int, seed: int) -> tuple[Table, Table]:
        """So many rows of each class to learn from, and so many to test on."""
        generator = np.random.default_rng(seed)
        source = f"drawn from the handout's parameters with seed {seed}"
        training = self.draw("training", n, generator, source)
        return training, self.draw("test", n_test, generator, source)

    def best_rule(self) -> GaussianClassifier:
        """The classifier that knows the parameters."""
        from gaussbayes.classifier import GaussianClassifier

        classes = range(self.first, self.first + len(self.means))
        return GaussianClassifier.from_parameters(
            self.priors, self.means, self.covariances, list(classes)
        )

    def least_error(self, n: int, seed: int) -> float:
        """How often that rule is wrong among so many rows drawn, in per cent."""
        rule = self.best_rule()
        return Table("", *rule.sample(n, random_state=seed)).error(rule)


THREE_GAUSSIANS = Gaussians(
    ((-5.0, -5.0), (5.0, -5.0), (0.0, 5.0)),
    (((3.0, -1.0), (-1.0, 3.0)), ((3.0, -0.5), (-0.5, 3.0)), ((1.0, -1.0), (-1.0, 3.0))),
)
OPTIMAL_REGIONS = Gaussians(
    ((0.0, 0.0), (2.0, 2.0), (-2.0, -2.0)), ((4.0, -3.0), (-3.0, 4.0)), (0.25, 0.25, 0.5)
)
TWO_GAUSSIANS = Gaussians(
    ((0.0, 0.0), (2.0, 2.0)), (((2.0, -1.0), (-1.0, 2.0)), ((1.0, 0.0), (0.0, 1.0))), first=1
)
DIABETES = Gaussians(
    ((40.0, 95.0), (52.0, 130.0)),
    (((36.0, 12.0), (12.0, 144.0)), ((64.0, 48.0), (48.0, 484.0))),
    features=("white blood cell count", "plasma glucose"),
)
"""Class 1 has diabetes. Made for the lesson: the handout shows a figure and no numbers."""
DOCTOR: dict[object, float] = {0: 0.8, 1: 0.2}
"""The prior of a doctor's patients."""
COUNT, GLUCOSE = 48.0, 125.0
"""Of the patient in question."""

SPECIES_A, SPECIES_B = (1.8, 2.1, 2.5, 3.2, 3.8), (5.8, 6.7, 7.0)
PETALS = Table(
    "petals",
    np.array(SPECIES_A + SPECIES_B)[:, None],
    np.repeat(["A", "B"], [len(SPECIES_A), len(SPECIES_B)]),
    ("petal length (cm)",),
)
SIX_ROWS = Table(
    "rows",
    np.array([(1.0, 8.0), (2.5, 7.5), (2.0, 7.0), (8.5, 2.5), (9.0, 2.0), (8.0, 1.0)]),
    np.repeat([2, 1], 3),
    ("feature 1", "feature 2"),
)
FALLING = ((-2.0, 1.0), (-1.0, 2.0), (1.0, -2.0), (2.0, -1.0))
LEVEL = ((-2.0, -1.0), (-1.0, 2.0), (1.0, -2.0), (2.0, 1.0))
RISING = ((-2.0, -1.0), (-1.0, -2.0), (1.0, 2.0), (2.0, 1.0))
CLOUDS = Table(
    "clouds",
    np.array(FALLING + LEVEL + RISING),
    np.repeat(["falling", "level", "rising"], 4),
    source="made for this lesson: the handout shows figures and no numbers",
)
"""Each has mean (0, 0) and variances 2.5."""
DAYS = Table(
    "days",
    np.array([*zip("111112222233333", "SMMSSSMMLLLMMLL", strict=True)]),
    np.array([-1, -1, 1, 1, -1, -1, 1, 1, 1, 1, 1, 1, 1, 1, -1]),
    ("humidity", "wind"),
)
"""Fifteen days: humidity 1 to 3, wind S(trong), M(edium) or L(ow), rain 1 or −1."""
DEFECT_PRIOR = (0.99, 0.01)
"""Of the people of the genetic test: without the defect, and with it."""
POSITIVE = (0.1, 0.9)
"""Of the people of either class, the proportion that tests positive."""
