"""The examples of the page, each to show one thing; the course's have its handouts' numbers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gaussbayes.analysis import synthesis
from gaussbayes.apps.lab.lab_tables import LabTable, number_table
from gaussbayes.apps.lab.wire_format import MessageError
from gaussbayes.base.spelling import meant
from gaussbayes.data.rows import Encoder, number_rows
from gaussbayes.datasets import load_iris
from gaussbayes.lessons import handouts
from gaussbayes.lessons.handouts import CLOUDS, DIABETES, PETALS, SIX_ROWS
from gaussbayes.model.construction import given_model
from gaussbayes.model.model import Model

_DOTS = 48  # of a thumbnail
_OUTLIER = (30.0, -16.0)  # far from everything, and said to be of the first class
_CORNERS = ((-2.0, -2.0), (2.0, 2.0), (-2.0, 2.0), (2.0, -2.0))  # two of each class


@dataclass(frozen=True, slots=True)
class Example:
    """What an example is called, what it shows, and how its rows are made."""

    title: str
    about: str  # one line
    n: int  # rows, if the page does not say how many
    make: Callable[[str, int, int], LabTable]  # of title, seed and number of rows
    n_classes: int = 2
    is_drawn: bool = True  # whether seed and number matter

    @property
    def record(self) -> dict[str, Any]:
        """What the page is told of it, beside its name."""
        numbers = {"classes": self.n_classes, "n": self.n, "drawn": self.is_drawn}
        return {"title": self.title, "about": self.about} | numbers


def thumbnail(name: str) -> list[list[int]]:
    """A few dozen points of an example: x and y from 0 to 100, upwards, and the class code.

    Of categories points of the same cell lie side by side; of a single feature y is the class.
    """
    table = example_table(name, 0, None)
    noise = np.random.default_rng(0).random((table.codes.size, 2))
    rows = table.X[:, :2] if table.features else table.rows.codes[:, :2] + 0.6 * noise
    if rows.shape[1] == 1:
        rows = np.hstack([rows, table.codes[:, None] + 0.6 * noise[:, :1]])
    complete = np.flatnonzero(~np.isnan(rows).any(axis=1))
    some = complete[np.linspace(0, complete.size - 1, min(_DOTS, complete.size)).astype(np.intp)]
    low, high = rows[some].min(axis=0), rows[some].max(axis=0)
    places = np.rint(100 * (rows[some] - low) / (high - low)).astype(np.intp)
    listed: list[list[int]] = np.column_stack([places, table.codes[some]]).tolist()
    return listed


def example_table(name: str, seed: int, n: int | None) -> LabTable:
    if name not in EXAMPLES:
        close = meant(name, EXAMPLES)
        msg = f"there is no example {name!r:.80}{close}; there are {', '.join(EXAMPLES)}"
        raise MessageError(msg)
    example = EXAMPLES[name]
    return example.make(example.title, seed, example.n if n is None else n)


def _turned(wide: float, narrow: float, degrees: float) -> list[list[float]]:
    """A covariance of these standard deviations along its axes, the first at this angle."""
    angle = np.radians(degrees)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    covariance: list[list[float]] = (turn @ np.diag([wide**2, narrow**2]) @ turn.T).tolist()
    return covariance


def _gaussians(
    means: ArrayLike,
    covariances: ArrayLike,
    priors: Sequence[float] | str = "uniform",
    classes: Sequence[object] = tuple("ABCDE"),
    features: tuple[str, ...] | None = None,
) -> Model:
    """The model of these parameters; covariances are those of all classes, or one (d, d)."""
    k, d = np.shape(means)
    return given_model(
        priors,
        means,
        covariances,
        np.array(classes[:k]),
        covariance="full",
        shared=np.ndim(covariances) == 2,
        feature_names=features or [f"x{j + 1}" for j in range(d)],
    )


def _five() -> Model:
    angles = np.radians(90.0 + 72.0 * np.arange(5))
    means = 3.0 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return _gaussians(means, [_turned(1.5, 0.7, 36.0 * code) for code in range(5)])


def _few_rows() -> Model:
    """Two classes of correlated features, which differ in their means; more than rows in each."""
    d = 12
    apart = np.subtract.outer(np.arange(d), np.arange(d))
    means = np.zeros((2, d))
    means[1] = np.linspace(1.6, 0.2, d)
    return _gaussians(means, 0.6 ** np.abs(apart))


def _drawn_table(truth: Model, title: str, seed: int, n: int) -> LabTable:
    """Rows from true parameters, classes by their priors."""
    rows, codes = synthesis.draw(truth, n, np.random.default_rng(seed))
    names = truth.schema.titles
    return number_table(title, rows.matrix, codes, truth.classes, names, truth=truth)


def _outlier(title: str, seed: int, n: int) -> LabTable:
    """The example with one covariance, and one row far away, the last."""
    table = _drawn_table(_SHARED, title, seed, max(n - 1, 1))
    rows, codes = np.vstack([table.X, _OUTLIER]), np.append(table.codes, 0).astype(np.int32)
    return replace(table, rows=number_rows(rows), codes=codes)


def _xor(title: str, seed: int, n: int) -> LabTable:
    """Two classes in opposite corners: none of them is a Gaussian."""
    generator = np.random.default_rng(seed)
    corner = generator.integers(4, size=n).astype(np.int32)
    corners = _gaussians(_CORNERS, 0.6 * np.eye(2))
    matrix = synthesis.draw_rows(corners, corner, generator).matrix
    return number_table(title, matrix, corner // 2, np.array(["A", "B"]), corners.schema.titles)


def _with_missing_values(title: str, seed: int, n: int) -> LabTable:
    """Patients whose glucose was not measured where the count is above 48.

    What is missing depends on what is there, so that nothing is lost but precision.
    """
    table = _drawn_table(_DIABETES, title, seed, n)
    rows = table.X.copy()
    rows[rows[:, 0] > handouts.COUNT, 1] = np.nan
    return replace(table, rows=number_rows(rows))


def _listed_table(handout: handouts.Table, target: str, title: str, *_: int) -> LabTable:
    labels, codes = np.unique(handout.labels, return_inverse=True)
    rows = np.asarray(handout.rows, np.float64)
    return number_table(title, rows, codes, labels, handout.features, target)


def _categories_table(
    title: str, handout: handouts.Table, target: str, classes: Sequence[str]
) -> LabTable:
    """Rows (n, d) of categories; labels are sorted as the classes are listed."""
    features = handout.features
    encoder = Encoder(len(features), features, tuple(range(len(features))))
    rows = encoder.encode(handout.rows)
    codes = np.unique(handout.labels, return_inverse=True)[1].astype(np.int32)
    encoder = encoder.with_categories(rows.categories)
    return LabTable(title, rows, codes, np.array(classes), encoder, target)


def _days(title: str, *_: int) -> LabTable:
    return _categories_table(title, handouts.DAYS, "weather", ("no rain", "rain"))


def _people(title: str, seed: int, n: int) -> LabTable:
    """People who took two independent tests; the first two have either gene and all results."""
    generator = np.random.default_rng(seed)
    defect = generator.random(n) < handouts.DEFECT_PRIOR[1]
    defect[:2] = False, True
    likely = np.where(defect, *reversed(handouts.POSITIVE))[:, None]
    results = generator.random((n, 2)) < likely
    results[:2] = [[False], [True]]
    words = np.where(results, "positive", "negative").astype(object)
    people = handouts.Table("people", words, defect, ("test 1", "test 2"))
    return _categories_table(title, people, "gene", ("no defect", "defect"))


def _irises() -> handouts.Table:
    """Fisher's irises, their species mixed: those that come first are of all three."""
    irises = load_iris()
    order = np.random.default_rng(0).permutation(irises.labels.size)
    return handouts.Table("irises", irises.rows[order], irises.labels[order], irises.feature_names)


def _drawn(title: str, about: str, n: int, truth: Model | handouts.Gaussians) -> Example:
    if isinstance(truth, handouts.Gaussians):
        classes = range(truth.first, truth.first + len(truth.means))
        priors = truth.priors or "uniform"
        truth = _gaussians(truth.means, truth.covariances, priors, classes, truth.features)
    return Example(title, about, n, partial(_drawn_table, truth), truth.classes.size)


def _listed(title: str, about: str, handout: handouts.Table, target: str) -> Example:
    n, k = len(handout.labels), len(np.unique(handout.labels))
    return Example(title, about, n, partial(_listed_table, handout, target), k, is_drawn=False)


_SHARED = _gaussians([[-1.2, 0.0], [1.2, 0.8]], _turned(1.6, 0.8, 30.0))
_DOCTOR, _PATIENTS = list(handouts.DOCTOR.values()), ("healthy", "ill")
_DIABETES = _gaussians(DIABETES.means, DIABETES.covariances, _DOCTOR, _PATIENTS, DIABETES.features)

# By name, in the order in which the page lists them.
EXAMPLES: dict[str, Example] = {
    "unequal": _drawn(
        "Unequal covariances",
        "A narrow class beside a wide one: the boundary is a curve, and may close.",
        200,
        _gaussians([[-1.0, -0.4], [1.6, 1.0]], [_turned(0.8, 0.5, 60.0), _turned(2.2, 1.2, -20.0)]),
    ),
    "shared": _drawn(
        "Shared covariance",
        "Two classes of one shape: the best boundary is a straight line.",
        200,
        _SHARED,
    ),
    "imbalanced": _drawn(
        "Imbalanced classes",
        "Nine common rows for a rare one: priors move the boundary.",
        300,
        _gaussians(
            [[0.0, 0.0], [2.0, 1.5]],
            [_turned(1.3, 0.9, 20.0), _turned(0.8, 0.7, -30.0)],
            [0.9, 0.1],
            ("common", "rare"),
        ),
    ),
    "three": _drawn(
        "Three classes",
        "Three classes that overlap.",
        300,
        _gaussians(
            [[-2.0, -0.8], [2.0, -0.8], [0.0, 2.0]],
            [_turned(1.4, 0.8, 45.0), _turned(1.3, 0.9, -40.0), _turned(1.8, 0.7, 0.0)],
        ),
    ),
    "five": _drawn("Five classes", "Five classes around a circle.", 400, _five()),
    "xor": Example(
        "Exclusive or",
        "Each class lies in two opposite corners: one Gaussian a class is not enough.",
        200,
        _xor,
    ),
    "outlier": Example("An outlier", "One row far away turns and widens its class.", 100, _outlier),
    "few_rows": _drawn(
        "Fewer rows than features",
        "Twelve features and about eight rows a class: full covariances are singular.",
        16,
        _few_rows(),
    ),
    "one": _drawn(
        "One feature",
        "Two bell curves of different widths cross twice.",
        120,
        _gaussians([[0.0], [2.5]], [[[0.6]], [[3.0]]], features=("x",)),
    ),
    "petals": _listed(
        "Petals", "The course's eight petals of two species, by their length.", PETALS, "species"
    ),
    "two_gaussians": _drawn(
        "Two Gaussians",
        "The course's two classes in the plane; no rule errs less than 7.2 %.",
        200,
        handouts.TWO_GAUSSIANS,
    ),
    "three_gaussians": _drawn(
        "Three Gaussians",
        "The course's three classes, which hardly overlap.",
        600,
        handouts.THREE_GAUSSIANS,
    ),
    "naive_bayes": _listed(
        "Naive Bayes by hand",
        "The course's six rows, small enough for pencil and paper.",
        SIX_ROWS,
        "class",
    ),
    "optimal_regions": _drawn(
        "Optimal regions",
        "The course's three classes of one covariance: parallel lines.",
        300,
        handouts.OPTIMAL_REGIONS,
    ),
    "clouds": _listed(
        "Three clouds",
        "Four points each: falling, level, rising; all else is equal.",
        CLOUDS,
        "cloud",
    ),
    "diabetes": _drawn(
        "Diabetes", "Patients by blood count and glucose, with a doctor's prior.", 250, _DIABETES
    ),
    "gaps": Example(
        "Diabetes with missing values",
        "The same patients; glucose is missing where the count is high.",
        250,
        _with_missing_values,
    ),
    "rain": Example(
        "Rain",
        "The course's fifteen days: humidity and wind are categories.",
        15,
        _days,
        is_drawn=False,
    ),
    "genetic_test": Example(
        "A genetic test",
        "One person in a hundred has the defect; both tests are right for nine in ten.",
        1000,
        _people,
    ),
    "irises": _listed(
        "Fisher's irises",
        "150 flowers of three species, four lengths: any two can be shown.",
        _irises(),
        "species",
    ),
}
