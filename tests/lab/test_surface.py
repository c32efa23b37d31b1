"""Heights over the plane, against SciPy."""

import numpy as np
from scipy.stats import multivariate_normal

from tests.lab.page import FITTED, Page

VIEW = {"x": [-6, 6], "y": [-5, 5], "width": 25, "height": 21}


def test_the_evidence_is_a_density(page: Page) -> None:
    hand = {
        "from": "hand",
        "priors": [0.25, 0.75],
        "means": [[-1, 0], [1, 0.5]],
        "covariances": [[[1, 0.3], [0.3, 0.5]], [[0.6, 0], [0, 0.8]]],
    }
    found = page.ask("surface", data=page.data("unequal"), pair=[0, 1], model=hand, view=VIEW)
    arrays = found.arrays
    places = np.stack(np.meshgrid(arrays["x"], arrays["y"]), axis=-1).astype(float)
    joint = np.stack(
        [
            prior * multivariate_normal(mean, covariance).pdf(places)
            for prior, mean, covariance in zip(
                hand["priors"], hand["means"], hand["covariances"], strict=True
            )
        ]
    )
    np.testing.assert_allclose(arrays["joint"], joint, rtol=1e-5, atol=1e-30)
    np.testing.assert_allclose(arrays["evidence"], joint.sum(axis=0), rtol=1e-5, atol=1e-30)
    cell = (12 / 24) * (10 / 20)
    assert abs(arrays["evidence"].sum() * cell - 1) < 1e-3


def test_what_has_no_surface(page: Page) -> None:
    votes = {"from": "neighbours", "k": 3}
    for preset, pair, model, complaint in (
        ("unequal", [0, 1], votes, "nearest neighbours have no densities"),
        ("petals", [0, 0], FITTED, "a surface needs two features"),
        ("few_rows", [0, 1], FITTED, "class 'A'"),
    ):
        found = page.ask("surface", data=page.data(preset), pair=pair, model=model)
        assert complaint in found.head["problem"]
        assert found.arrays == {}
