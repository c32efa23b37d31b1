"""The examples of the page, each to show one thing; the course's have its handouts' numbers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gaussbayes.apps.lab import model_views
from gaussbayes.apps.lab.training_data import Table, TrueGaussians, number_table
from gaussbayes.apps.lab.wire_format import MessageError
from gaussbayes.base.spelling import meant
from gaussbayes.data.rows import number_rows
from gaussbayes.datasets import load_iris
from gaussbayes.lessons import handouts
from gaussbayes.lessons.handouts import OPTIMAL_REGIONS, THREE_GAUSSIANS, TWO_GAUSSIANS

_OUTLIER = (30.0, -16.0)
"""Far from everything, and said to be of the first class."""

_CORNERS = ((-2.0, -2.0), (2.0, 2.0), (-2.0, 2.0), (2.0, -2.0))
"""The first two are of one class, the others of the other."""


@dataclass(frozen=True, slots=True)
class Example:
    """What an example is called, what it shows, and how its rows are made."""

    name: str
    title: str
    about: str  # one line
    n: int  # rows, if the page does not say how many
    n_classes: int
    make: Callable[[str, int, int], Table]  # of title, seed and number of rows
    is_drawn: bool = True  # whether seed and number matter

    @property
    def record(self) -> dict[str, Any]:
        """What the page is told of it."""
        names = {"name": self.name, "title": self.title, "about": self.about}
        return names | {"classes": self.n_classes, "n": self.n, "drawn": self.is_drawn}


def example_table(name: str, seed: int, n: int | None) -> Table:
    """The rows of an example.

    Examples
    --------
    >>> example_table("unequal", seed=0, n=50).X.shape
    (50, 2)
    """
    if name not in EXAMPLES:
        close = meant(name, EXAMPLES)
        msg = f"there is no example {name!r:.80}{close}; there are {', '.join(EXAMPLES)}"
        raise MessageError(msg)
    example = EXAMPLES[name]
    return example.make(example.title, seed, example.n if n is None else n)


def turned(wide: float, narrow: float, degrees: float) -> list[list[float]]:
    """A covariance of these standard deviations along its axes, the first at this angle.

    Examples
    --------
    >>> np.round(turned(2, 1, 90), 12).tolist()
    [[1.0, 0.0], [0.0, 4.0]]
    """
    angle = np.radians(degrees)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    covariance: list[list[float]] = (turn @ np.diag([wide**2, narrow**2]) @ turn.T).tolist()
    return covariance


def _gaussians(
    means: ArrayLike,
    covariances: ArrayLike,
    priors: Sequence[float] | str = "uniform",
    classes: Sequence[object] = "ABCDEFGHIJKL",
    features: tuple[str, ...] | None = None,
) -> TrueGaussians:
    k, d = np.shape(means)
    names = features or tuple(f"x{j + 1}" for j in range(d))
    return TrueGaussians(priors, means, covariances, tuple(classes[:k]), names)


def _five() -> TrueGaussians:
    angles = np.radians(90.0 + 72.0 * np.arange(5))
    means = 3.0 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return _gaussians(means, [turned(1.5, 0.7, 36.0 * code) for code in range(5)])


def _few_rows() -> TrueGaussians:
    """Two classes of correlated features, which differ in their means; more than rows in each."""
    d = 12
    apart = np.subtract.outer(np.arange(d), np.arange(d))
    means = np.zeros((2, d))
    means[1] = np.linspace(1.6, 0.2, d)
    return _gaussians(means, 0.6 ** np.abs(apart))


def _drawn_table(truth: TrueGaussians, title: str, seed: int, n: int) -> Table:
    """Rows from true parameters, classes by their priors."""
    rows, codes = model_views.draw(truth, n, np.random.default_rng(seed))
    labels = np.array(truth.classes)
    return number_table(title, rows, codes, labels, truth.features, truth=truth)


def _outlier(title: str, seed: int, n: int) -> Table:
    """The example with one covariance, and one row far away, the last."""
    table = _drawn_table(_SHARED, title, seed, max(n - 1, 1))
    rows, codes = np.vstack([table.X, _OUTLIER]), np.append(table.codes, 0).astype(np.int32)
    return replace(table, rows=number_rows(rows), codes=codes)


def _xor(title: str, seed: int, n: int) -> Table:
    """Two classes in opposite corners: none of them is a Gaussian."""
    generator = np.random.default_rng(seed)
    corner = generator.integers(4, size=n).astype(np.int32)
    corners = _gaussians(_CORNERS, 0.6 * np.eye(2))
    rows = model_views.draw_of_classes(corners, corner, generator)
    codes, labels = (corner // 2).astype(np.int32), np.array(["A", "B"])
    return number_table(title, rows, codes, labels, ("x1", "x2"))


def _with_missing_values(title: str, seed: int, n: int) -> Table:
    """Patients whose glucose was not measured where the count is above 48.

    What is missing depends on what is there, so that nothing is lost but precision.
    """
    table = _drawn_table(_DIABETES, title, seed, n)
    rows = table.X.copy()
    rows[rows[:, 0] > handouts.COUNT, 1] = np.nan
    return replace(table, rows=number_rows(rows))


def _listed_table(handout: handouts.Table, target: str, title: str, *_: int) -> Table:
    """The rows that a handout lists."""
    labels, codes = np.unique(handout.labels, return_inverse=True)
    rows = np.asarray(handout.rows, np.float64)
    return number_table(title, rows, codes.astype(np.int32), labels, handout.features, target)


def _irises(title: str, *_: int) -> Table:
    """Fisher's irises, their species mixed: those that come first are of all three."""
    irises = load_iris()
    order = np.random.default_rng(0).permutation(irises.labels.size)
    labels, codes = np.unique(irises.labels[order], return_inverse=True)
    rows, features = irises.rows[order], irises.feature_names
    return number_table(title, rows, codes.astype(np.int32), labels, features, "species")


def _drawn(name: str, title: str, about: str, n: int, truth: TrueGaussians) -> Example:
    return Example(name, title, about, n, len(truth.classes), partial(_drawn_table, truth))


_fixed = partial(Example, is_drawn=False)


_SHARED = _gaussians([[-1.2, 0.0], [1.2, 0.8]], turned(1.6, 0.8, 30.0))
_DIABETES = _gaussians(
    handouts.DIABETES.means,
    handouts.DIABETES.covariances,
    list(handouts.DOCTOR.values()),
    ("healthy", "ill"),
    handouts.DIABETES.features,
)
_UNEQUAL = _gaussians([[-1.0, -0.4], [1.6, 1.0]], [turned(0.8, 0.5, 60.0), turned(2.2, 1.2, -20.0)])
_IMBALANCED = _gaussians(
    [[0.0, 0.0], [2.0, 1.5]],
    [turned(1.3, 0.9, 20.0), turned(0.8, 0.7, -30.0)],
    [0.9, 0.1],
    ("common", "rare"),
)
_THREE = _gaussians(
    [[-2.0, -0.8], [2.0, -0.8], [0.0, 2.0]],
    [turned(1.4, 0.8, 45.0), turned(1.3, 0.9, -40.0), turned(1.8, 0.7, 0.0)],
)
_ONE = _gaussians([[0.0], [2.5]], [[[0.6]], [[3.0]]], features=("x",))
_TWO = _gaussians(TWO_GAUSSIANS.means, TWO_GAUSSIANS.covariances, classes=(1, 2))
_THREE_OF_COURSE = _gaussians(THREE_GAUSSIANS.means, THREE_GAUSSIANS.covariances, classes=(0, 1, 2))
_REGIONS = _gaussians(
    OPTIMAL_REGIONS.means,
    OPTIMAL_REGIONS.covariances,
    OPTIMAL_REGIONS.priors or "uniform",
    classes=(0, 1, 2),
)

EXAMPLES: dict[str, Example] = {
    example.name: example
    for example in (
        _drawn(
            "unequal",
            "Unequal covariances",
            "A narrow class beside a wide one: the boundary is a curve, and may close.",
            200,
            _UNEQUAL,
        ),
        _drawn(
            "shared",
            "Shared covariance",
            "Two classes of one shape: the best boundary is a straight line.",
            200,
            _SHARED,
        ),
        _drawn(
            "imbalanced",
            "Imbalanced classes",
            "Nine common rows for a rare one: priors move the boundary.",
            300,
            _IMBALANCED,
        ),
        _drawn("three", "Three classes", "Three classes that overlap.", 300, _THREE),
        _drawn("five", "Five classes", "Five classes around a circle.", 400, _five()),
        Example(
            "xor",
            "Exclusive or",
            "Each class lies in two opposite corners: one Gaussian a class is not enough.",
            200,
            2,
            _xor,
        ),
        Example(
            "outlier",
            "An outlier",
            "One row far away turns and widens its class.",
            100,
            2,
            _outlier,
        ),
        _drawn(
            "few_rows",
            "Fewer rows than features",
            "Twelve features and about eight rows a class: full covariances are singular.",
            16,
            _few_rows(),
        ),
        _drawn("one", "One feature", "Two bell curves of different widths cross twice.", 120, _ONE),
        _fixed(
            "petals",
            "Petals",
            "The course's eight petals of two species, by their length.",
            8,
            2,
            partial(_listed_table, handouts.PETALS, "species"),
        ),
        _drawn(
            "two_gaussians",
            "Two Gaussians",
            "The course's two classes in the plane; no rule errs less than 7.2 %.",
            200,
            _TWO,
        ),
        _drawn(
            "three_gaussians",
            "Three Gaussians",
            "The course's three classes, which hardly overlap.",
            600,
            _THREE_OF_COURSE,
        ),
        _fixed(
            "naive_bayes",
            "Naive Bayes by hand",
            "The course's six rows, small enough for pencil and paper.",
            6,
            2,
            partial(_listed_table, handouts.SIX_ROWS, "class"),
        ),
        _drawn(
            "optimal_regions",
            "Optimal regions",
            "The course's three classes of one covariance: parallel lines.",
            300,
            _REGIONS,
        ),
        _fixed(
            "clouds",
            "Three clouds",
            "Four points each: falling, level, rising; all else is equal.",
            12,
            3,
            partial(_listed_table, handouts.CLOUDS, "cloud"),
        ),
        _drawn(
            "diabetes",
            "Diabetes",
            "Patients by blood count and glucose, with a doctor's prior.",
            250,
            _DIABETES,
        ),
        Example(
            "gaps",
            "Diabetes with missing values",
            "The same patients; glucose is missing where the count is high.",
            250,
            2,
            _with_missing_values,
        ),
        _fixed(
            "irises",
            "Fisher's irises",
            "150 flowers of three species, four lengths: any two can be shown.",
            150,
            3,
            _irises,
        ),
    )
}
"""By name, in the order in which the page lists them."""
