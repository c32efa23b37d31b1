"""Examples that are drawn from Gaussians, or nearly so, each to show one thing."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from gaussbayes.analysis.synthesis import draw, draw_rows
from gaussbayes.apps.lab.datasets.dataset import Table
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.families.gaussian.parameters import Parameters, Structure, given

N_MANY_FEATURES = 12
"""Of the example that has fewer rows than features in each class."""

_OUTLIER = (30.0, -16.0)
"""Far from everything, and said to be of the first class."""

_CORNERS = ((-2.0, -2.0), (2.0, 2.0), (-2.0, 2.0), (2.0, -2.0))
"""The first two are of one class, the others of the other."""


def letters(k: int) -> tuple[str, ...]:
    """Classes called A, B, C …

    Examples
    --------
    >>> letters(3)
    ('A', 'B', 'C')
    """
    return tuple("ABCDEFGHIJKL"[:k])


def gaussians(
    priors: Sequence[float] | str,
    means: ArrayLike,
    covariances: ArrayLike,
    classes: Sequence[object] | None = None,
    features: tuple[str, ...] | None = None,
) -> tuple[Parameters, Schema]:
    """True parameters and what they are called; one covariance (d, d) is all classes'."""
    mean = np.asarray(means, dtype=np.float64)
    k, d = mean.shape
    labels = np.array(letters(k) if classes is None else classes)
    schema = Schema(labels, d, features or tuple(f"x{j + 1}" for j in range(d)))
    covariance = np.asarray(covariances, dtype=np.float64)
    structure = Structure("full", shared=covariance.ndim == 2)
    return given(schema, structure, priors, mean, covariance), schema


def table(
    name: str, truth: Parameters | None, schema: Schema, rows: FloatArray, codes: CodeArray
) -> Table:
    """Drawn rows as a table."""
    features = schema.titles
    return Table(name, rows, codes, schema.classes, features, truth=truth)


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


@lru_cache
def shared() -> tuple[Parameters, Schema]:
    """Two classes with one covariance."""
    return gaussians("uniform", [[-1.2, 0.0], [1.2, 0.8]], turned(1.6, 0.8, 30.0))


@lru_cache
def unequal() -> tuple[Parameters, Schema]:
    """A narrow class within reach of a wide one."""
    return gaussians(
        "uniform", [[-1.0, -0.4], [1.6, 1.0]], [turned(0.8, 0.5, 60.0), turned(2.2, 1.2, -20.0)]
    )


@lru_cache
def imbalanced() -> tuple[Parameters, Schema]:
    """Nine rows of one class for one of the other."""
    return gaussians(
        [0.9, 0.1],
        [[0.0, 0.0], [2.0, 1.5]],
        [turned(1.3, 0.9, 20.0), turned(0.8, 0.7, -30.0)],
        ("common", "rare"),
    )


@lru_cache
def three() -> tuple[Parameters, Schema]:
    """Three classes that overlap."""
    return gaussians(
        "uniform",
        [[-2.0, -0.8], [2.0, -0.8], [0.0, 2.0]],
        [turned(1.4, 0.8, 45.0), turned(1.3, 0.9, -40.0), turned(1.8, 0.7, 0.0)],
    )


@lru_cache
def five() -> tuple[Parameters, Schema]:
    """Five classes around a circle."""
    angles = np.radians(90.0 + 72.0 * np.arange(5))
    means = 3.0 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    shapes = [turned(1.5, 0.7, 36.0 * code) for code in range(5)]
    return gaussians("uniform", means, shapes)


@lru_cache
def one() -> tuple[Parameters, Schema]:
    """Two classes of different widths along one feature."""
    return gaussians("uniform", [[0.0], [2.5]], [[[0.6]], [[3.0]]], features=("x",))


@lru_cache
def few_rows() -> tuple[Parameters, Schema]:
    """Two classes of twelve correlated features, which differ in their means."""
    d = N_MANY_FEATURES
    apart = np.subtract.outer(np.arange(d), np.arange(d))
    means = np.zeros((2, d))
    means[1] = np.linspace(1.6, 0.2, d)
    return gaussians("uniform", means, 0.6 ** np.abs(apart))


def drawn(name: str, truth: tuple[Parameters, Schema], seed: int, n: int) -> Table:
    """Rows from true parameters, classes by their priors."""
    parameters, schema = truth
    rows, codes = draw(parameters, n, np.random.default_rng(seed))
    return table(name, parameters, schema, rows, codes)


def outlier(seed: int, n: int) -> Table:
    """The example with one covariance, and one row far away, the last."""
    parameters, schema = shared()
    rows, codes = draw(parameters, max(n - 1, 1), np.random.default_rng(seed))
    return table(
        "An outlier",
        parameters,
        schema,
        np.vstack([rows, _OUTLIER]),
        np.append(codes, 0).astype(np.int32),
    )


def xor(seed: int, n: int) -> Table:
    """Two classes in opposite corners: none of them is a Gaussian."""
    corners, _ = gaussians("uniform", _CORNERS, 0.6 * np.eye(2))
    generator = np.random.default_rng(seed)
    corner = generator.integers(4, size=n).astype(np.int32)
    rows = draw_rows(corners, corner, generator)
    schema = Schema(np.array(letters(2)), 2, ("x1", "x2"))
    return table("Exclusive or", None, schema, rows, (corner // 2).astype(np.int32))
