"""What the tests of figures share: no window, no figure left open, models to draw.

Figures are compared by their numbers (vertices, mesh values, texts), never by their pixels.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest

from gaussbayes import GaussianClassifier
from gaussbayes.datasets import load_iris

mpl.use("Agg")


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A fitted model with the rows and labels it was fitted to."""

    model: GaussianClassifier
    X: Any  # (n, d), a frame where the model knows names
    y: Any  # (n,)


@pytest.fixture(autouse=True)
def _figures_are_closed() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture
def iris() -> Case:
    """Fisher's irises: four named features, three species, own full covariances."""
    data = load_iris()
    X = pd.DataFrame(data.rows, columns=list(data.feature_names))
    return Case(GaussianClassifier().fit(X, data.labels), X, data.labels)


@pytest.fixture
def three_classes() -> Case:
    """Three species in the plane of two named features, own full covariances."""
    data = load_iris()
    X = pd.DataFrame(data.rows[:, [1, 2]], columns=[data.feature_names[i] for i in (1, 2)])
    return Case(GaussianClassifier().fit(X, data.labels), X, data.labels)


@pytest.fixture
def two_classes() -> Case:
    """Two species that overlap, in the plane of two features without names."""
    data = load_iris()
    overlapping = data.labels != "setosa"
    X, y = data.rows[overlapping][:, [0, 1]], data.labels[overlapping]
    return Case(GaussianClassifier().fit(X, y), X, y)


@pytest.fixture
def one_feature() -> Case:
    """Three species by one named feature."""
    data = load_iris()
    X = pd.DataFrame(data.rows[:, [2]], columns=[data.feature_names[2]])
    return Case(GaussianClassifier().fit(X, data.labels), X, data.labels)
