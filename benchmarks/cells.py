"""The tables that are timed: how many rows, features and classes, and how they are drawn."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Cell:
    """One size of table."""

    name: str
    n_rows: int
    n_features: int
    n_classes: int

    def __str__(self) -> str:
        return f"{self.n_rows:,} × {self.n_features}, {self.n_classes} classes"


CELLS = (
    Cell("A", 1_000_000, 10, 3),
    Cell("B", 200_000, 50, 10),
    Cell("C", 100_000, 100, 10),
    Cell("D", 20_000, 500, 5),
    Cell("E", 1_000, 4, 3),
)


def draw(
    cell: Cell, *, alike: bool = False, seed: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Rows in random order and their labels.

    Each class has a mean drawn from N(0, 1) a feature and a covariance of its own with random
    axes and variances between 0.1 and 10 along them. With `alike` all classes are the same
    Gaussian: nothing can be told apart and nothing pruned, the worst case for predictions.
    """
    generator = np.random.default_rng(seed)
    d, k = cell.n_features, cell.n_classes
    y = generator.integers(k, size=cell.n_rows)
    X = generator.standard_normal((cell.n_rows, d))
    for c in range(k):
        if not alike or c == 0:
            axes = np.linalg.qr(generator.standard_normal((d, d)))[0]
            stretch = np.exp(generator.uniform(np.log(0.1), np.log(10), d) / 2)
            mean = generator.standard_normal(d)
        X[y == c] = X[y == c] @ (stretch[:, None] * axes) + mean
    return X, y
