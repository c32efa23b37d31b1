"""The landscape of p(x): its heights are the evidence, its colours the predictions."""

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from gaussbayes.plots import evidence, regions
from tests.plots.conftest import Case
from tests.plots.layout import assert_readable, legend_texts


def corners(ax: Any) -> np.ndarray:
    """The corners (n, 3) of the surface's faces, each once."""
    (surface,) = ax.collections
    faces = surface._faces if hasattr(surface, "_faces") else surface._vec[:3].T  # Matplotlib 3.10
    return np.unique(np.asarray(faces).reshape(-1, 3), axis=0)


def test_heights_are_the_evidence(three_classes: Case) -> None:
    ax = evidence(three_classes.model, surface=True, resolution=20)
    found = corners(ax)
    assert len(found) == 400
    model = three_classes.model.with_feature_names(None)
    np.testing.assert_allclose(found[:, 2], model.evidence(found[:, :2]), rtol=1e-9, atol=1e-300)


def test_axes_are_named(iris: Case) -> None:
    pair = ["petal length (cm)", "petal width (cm)"]
    ax = evidence(iris.model, surface=True, features=pair, resolution=20)
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_zlabel()) == (*pair, "p(x)")
    assert legend_texts(ax) == ["setosa", "versicolor", "virginica"]
    assert_readable(ax.figure)


def test_long_names_are_in_the_legend(three_classes: Case) -> None:
    model = three_classes.model.with_feature_names(["width", "the length of the petals in cm"])
    ax = evidence(model, surface=True, resolution=20)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("width", "x₂")
    assert legend_texts(ax)[-1] == "x₂: the length of the\npetals in cm"


def test_axes_may_be_given(three_classes: Case) -> None:
    ax = Figure().add_subplot(projection="3d")
    assert evidence(three_classes.model, surface=True, resolution=20, ax=ax) is ax
    with pytest.raises(ValueError, match="projection='3d', got 'rectilinear' axes"):
        evidence(three_classes.model, surface=True, ax=regions(three_classes.model, resolution=20))


def test_a_surface_shows_no_rows(three_classes: Case) -> None:
    with pytest.raises(ValueError, match="shows no rows: leave out X and y"):
        evidence(three_classes.model, three_classes.X, surface=True)
