"""Curves over one feature, against SciPy and the course."""

import numpy as np
import pytest
from scipy.stats import norm

from gaussbayes.apps.lab.wire_format import MessageError
from tests.lab.page import FITTED, Page

HAND = {
    "from": "hand",
    "priors": [0.5, 0.5],
    "means": [[0, 0], [4, 9]],
    "covariances": [[[1, 0.5], [0.5, 4]], [[1, 0.2], [0.2, 4]]],
}


def test_the_petals_of_the_course(page: Page) -> None:
    data = page.data("petals")
    found = page.ask("line", data=data, pair=[0, 0], model=FITTED, x=[0, 18], points=73)
    np.testing.assert_allclose(found.head["boundaries"], [4.944434, 15.3158], atol=1e-5)
    assert found.head["sides"] == [[0, 1], [1, 0]]
    assert found.head["name"] == "petal length (cm)"
    assert found.head["parameters"]["priors"] == [5 / 8, 3 / 8]
    np.testing.assert_allclose(found.head["parameters"]["means"], [[2.68], [6.5]])
    np.testing.assert_allclose(found.head["parameters"]["covariances"], [[[0.5336]], [[0.26]]])
    of = "of the only feature"
    errors = {"train": 0, "test": None, "bayes": None, "of": of, "all": None}
    assert found.head["errors"] == errors
    place = np.linspace(0, 18, 73)
    density = np.stack([norm(2.68, 0.5336**0.5).pdf(place), norm(6.5, 0.26**0.5).pdf(place)])
    joint = density * np.array([[5 / 8], [3 / 8]])
    arrays = found.arrays
    np.testing.assert_allclose(arrays["place"], place, rtol=1e-14)
    np.testing.assert_allclose(arrays["density"], density, rtol=2e-5, atol=1e-30)
    np.testing.assert_allclose(arrays["joint"], joint, rtol=2e-5, atol=1e-30)
    np.testing.assert_allclose(arrays["evidence"], joint.sum(axis=0), rtol=2e-5, atol=1e-30)
    np.testing.assert_allclose(
        arrays["posterior"], joint / joint.sum(axis=0), rtol=2e-5, atol=1e-30
    )
    assert arrays.pop("place").dtype.name == "float64"
    assert {array.dtype.name for array in arrays.values()} == {"float32"}


def test_a_single_feature_by_hand(page: Page) -> None:
    """The second coordinate says nothing: the curves are those of the fitted model."""
    data = page.data("petals")
    fitted = page.ask("line", data=data, pair=[0, 0], model=FITTED)
    hand = {
        "from": "hand",
        "priors": [5 / 8, 3 / 8],
        "means": [[2.68, 0], [6.5, 0]],
        "covariances": [[[0.5336, 0], [0, 1]], [[0.26, 0], [0, 1]]],
    }
    found = page.ask("line", data=data, pair=[0, 0], model=hand)
    for name, values in fitted.arrays.items():
        np.testing.assert_allclose(found.arrays[name], values, rtol=1e-5, atol=1e-30)
    np.testing.assert_allclose(found.head["boundaries"], fitted.head["boundaries"])
    numbers = page.ask("numbers", data=data, pair=[0, 0], model=hand).head
    assert numbers["count"] == 5  # two means, two variances, one prior
    assert numbers["features"] == ["petal length (cm)"]
    told = page.ask("point", data=data, pair=[0, 0], model=hand, at=[4.9, 0]).head
    joint = np.array([5, 3]) / 8 * norm([2.68, 6.5], np.sqrt([0.5336, 0.26])).pdf(4.9)
    np.testing.assert_allclose(told["posterior"], joint / joint.sum())


@pytest.mark.parametrize(("feature", "middle"), [(0, 2.0), (1, 4.5)])
def test_by_hand_either_feature_of_the_pair(page: Page, feature: int, middle: float) -> None:
    data = page.data("unequal")
    found = page.ask("line", data=data, pair=[0, 1], model=HAND, feature=feature)
    np.testing.assert_allclose(found.head["boundaries"], [middle])
    assert found.arrays["place"].shape == (400,)


def test_by_hand_there_are_no_other_features(page: Page) -> None:
    with pytest.raises(MessageError, match="has the features 0 and 1, not 3"):
        page.ask("line", data=page.data("irises"), pair=[0, 1], model=HAND, feature=3)


def test_any_feature_of_a_fitted_model(page: Page) -> None:
    data = page.data("irises")
    found = page.ask("line", data=data, pair=[0, 1], model=FITTED, feature=3)
    assert found.head["name"] == "petal width (cm)"
    low, high = found.head["x"]
    values = page.store.dataset(data).table.X[:, 3]
    assert low < values.min() < values.max() < high


def test_neighbours_have_no_densities(page: Page) -> None:
    data = page.data("one")
    found = page.ask("line", data=data, pair=[0, 0], model={"from": "neighbours", "k": 5})
    assert set(found.arrays) == {"place", "posterior"}
    assert found.head["parameters"] is None
    assert found.head["errors"]["train"] is not None
    np.testing.assert_allclose(found.arrays["posterior"].sum(axis=0), 1)


def test_problems_and_single_classes(page: Page) -> None:
    found = page.ask("line", data=page.data("few_rows"), pair=[0, 1], model=FITTED)
    assert "class 'A'" in found.head["problem"]
    assert found.arrays == {}
    alone = HAND | {"priors": [1], "means": [[0, 0]], "covariances": [[[1, 0], [0, 1]]]}
    found = page.ask("line", data=page.data("unequal"), pair=[0, 1], model=alone)
    assert found.head["boundaries"] == []


def test_features_that_are_not_there(page: Page) -> None:
    with pytest.raises(MessageError, match="there is no feature 4"):
        page.ask("line", data=page.data("xor"), pair=[0, 1], model=FITTED, feature=4)
