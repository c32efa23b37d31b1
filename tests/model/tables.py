"""A table of numbers, a count and categories that the tests of models are about."""

from typing import Any

import numpy as np
import pandas as pd

from gaussbayes import GaussianClassifier

CLASSES = np.array(["dry", "mild", "wet"])
FAMILIES = {"storms": "poisson"}


def weather(
    n: int = 90, seed: int = 0, missing: float = 0.0, unlabelled: float = 0.0
) -> tuple[pd.DataFrame, Any]:
    """Rows of three classes in turn, and their labels."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = random.normal(size=(n, 2)) @ [[1.0, 0.5], [0.0, 1.0]] + np.outer(y, [1.0, -0.7])
    wind = np.array(["gale", "high", "low"])[(3 * random.beta(1.0 + y, 2.0)).astype(int)]
    month = np.where(random.random(n) < 0.3 + 0.2 * y, "may", "april")
    table = pd.DataFrame({
        "pressure": X[:, 0],
        "wind": pd.Categorical(wind),
        "warmth": X[:, 1],
        "storms": random.poisson(1.0 + y).astype(float),
        "month": pd.Categorical(month),
    })  # fmt: skip
    holes = random.random(table.shape) < missing
    labels = CLASSES[y].astype(object)
    labels[random.random(n) < unlabelled] = None
    return table.mask(holes), labels


def fitted(table: pd.DataFrame, labels: Any, *args: Any, **options: Any) -> GaussianClassifier:
    """The model of a table, smoothed so that any part of it has one."""
    return GaussianClassifier(families=FAMILIES, smoothing=0.5, **options).fit(table, labels, *args)
