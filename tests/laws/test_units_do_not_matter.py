"""Labels and posteriors do not depend on the units that features come in.

Every default is free of units: structures that have correlations or variances of their own,
shrinkage in units of the pooled deviations, and the automatic choice. A
spherical covariance, and the spherical target, are for features of one unit, and for those who ask.
"""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_wine

from gaussbayes import AutoClassifier, GaussianClassifier
from gaussbayes.base.types import FloatArray

SETTINGS: list[dict[str, Any]] = [
    *({"shrinkage": s} for s in (None, 0.1, 1.0, "oas")),
    *({"shared": True, "shrinkage": s} for s in (0.1, 1.0, "oas")),
    *({"shared": 0.3, "shrinkage": s} for s in (0.1, "oas")),
    *({"covariance": "diagonal", "shrinkage": s} for s in (0.1, "oas")),
    {"covariance": "diagonal", "shared": 0.3, "shrinkage": 0.5},
]


def table() -> tuple[FloatArray, Any, FloatArray]:
    """Rows of correlated features, their classes, and others."""
    rng = np.random.default_rng(4)
    codes = np.repeat([0, 1, 2], [20, 12, 9])
    mix = rng.normal(size=(4, 4))
    X = rng.normal(size=(41, 4)) @ mix + rng.normal(size=(3, 4))[codes]
    return X, codes, rng.normal(size=(50, 4)) @ mix


@pytest.mark.parametrize("chosen", SETTINGS, ids=str)
@settings(max_examples=5, suppress_health_check=[HealthCheck.too_slow])
@given(exponents=st.lists(st.integers(-40, 40), min_size=4, max_size=4))
def test_any_scaling_of_features(chosen: dict[str, Any], exponents: list[int]) -> None:
    X, codes, new = table()
    units = 2.0 ** np.array(exponents)
    plain = GaussianClassifier(**chosen).fit(X, codes)
    scaled = GaussianClassifier(**chosen).fit(X * units, codes)
    np.testing.assert_allclose(
        scaled.predict_log_proba(new * units), plain.predict_log_proba(new), rtol=1e-9, atol=1e-9
    )
    np.testing.assert_array_equal(scaled.predict(new * units), plain.predict(new))


CALIBRATED: list[dict[str, Any]] = [
    {},
    {"calibrate": True},
    *({"transforms": t, "shrinkage": 0.1} for t in ("standardised", "range", "yeo-johnson")),
    {"transforms": "yeo-johnson", "shared": True, "shrinkage": "oas"},
]


@pytest.mark.parametrize(
    "make",
    [*(partial(GaussianClassifier, **chosen) for chosen in CALIBRATED), AutoClassifier],
    ids=str,
)
@pytest.mark.parametrize("categories", [False, True])
def test_transformed_calibrated_and_automatic_classifiers(make: Any, categories: bool) -> None:
    """Beside categories, too; in units that are no powers of 2, so that everything rounds."""
    X, codes, new = table()
    units = np.array([1e-9, 1.0, 37.3, 2.54e12])

    def framed(values: FloatArray) -> Any:
        frame = pd.DataFrame(values, columns=list("abcd"))
        letters = np.array(["u", "v", "w"])[np.arange(len(values)) % 3]
        return frame.assign(letter=letters) if categories else frame

    plain, scaled = make().fit(framed(X), codes), make().fit(framed(X * units), codes)
    expected = plain.predict_proba(framed(new))
    np.testing.assert_allclose(scaled.predict_proba(framed(new * units)), expected, atol=1e-6)
    np.testing.assert_array_equal(scaled.predict(framed(new * units)), plain.predict(framed(new)))


def test_wine_in_its_units() -> None:
    """Milligrams beside proportions: one row is wrong when left out, as in any other units."""
    X, y = load_wine(return_X_y=True)
    model = GaussianClassifier(shared=True, shrinkage=0.1)
    assert model.fit(X, y).leave_one_out(X, y).evaluation.error * y.size == pytest.approx(1)
    scaled = X / X.std(axis=0)
    np.testing.assert_array_equal(
        GaussianClassifier(shared=True, shrinkage=0.1).fit(scaled, y).predict(scaled),
        model.predict(X),
    )


@pytest.mark.parametrize("shrinkage", [0.1, "oas"])
def test_grams_or_kilograms(shrinkage: Any) -> None:
    """Penguins: millimetres of bills and flippers, and a mass."""
    rng = np.random.default_rng(8)
    codes = np.arange(150) % 3
    mean = np.array([[39, 18, 190, 3700], [49, 18, 196, 3700], [47, 15, 217, 5000]], float)
    deviation = np.array([2.8, 1.1, 6.5, 430])
    X = mean[codes] + rng.normal(size=(150, 4)) * deviation
    kilograms = X * [1, 1, 1, 1e-3]
    one, two = (GaussianClassifier(shrinkage=shrinkage).fit(Z, codes) for Z in (X, kilograms))
    np.testing.assert_array_equal(one.predict(X), two.predict(kilograms))
    errors = one.leave_one_out(X, codes).evaluation.error
    spherical = GaussianClassifier(shrinkage=shrinkage, shrinkage_target="spherical").fit(X, codes)
    assert errors <= spherical.leave_one_out(X, codes).evaluation.error
