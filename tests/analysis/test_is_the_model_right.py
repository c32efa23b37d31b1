"""Tests of normality and of equal classes against R: MVN::mvn, heplots::boxM, summary(manova)."""

import numpy as np
import pytest
from scipy.stats import f_oneway, kurtosistest

from gaussbayes import AutoClassifier, GaussianClassifier
from gaussbayes.analysis.normality import mardia, normality
from gaussbayes.datasets import load_iris
from gaussbayes.model.summary import summarise

IRIS = load_iris()


def test_box_and_wilks_of_the_irises() -> None:
    model = GaussianClassifier().fit(IRIS.rows, IRIS.labels)
    box, wilks = summarise(model.model_).class_tests
    assert (box.distribution, wilks.distribution) == ("χ²(20)", "F(8, 288)")
    found = [box.statistic, box.value, box.p_value, wilks.statistic, wilks.value, wilks.p_value]
    expected = [146.663249213, 140.943049923, 3.35203417832e-20]
    expected += [0.0234386306509, 199.14534354, 1.36500583259e-112]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert "Box's M" in str(model)
    # Units do not matter, and updates are tested like one fit.
    halves = GaussianClassifier().fit(IRIS.rows[::2] * 1e-150, IRIS.labels[::2])
    halves.partial_fit(IRIS.rows[1::2] * 1e-150, IRIS.labels[1::2])
    again = summarise(halves.model_).class_tests
    np.testing.assert_allclose([test.value for test in again], [box.value, wilks.value], rtol=1e-6)


def test_of_one_feature_and_two_classes_they_are_analysis_of_variance() -> None:
    X, y = IRIS.rows[50:, :1], IRIS.labels[50:]
    _, wilks = summarise(GaussianClassifier().fit(X, y).model_).class_tests
    expected = f_oneway(X[:50, 0], X[50:, 0])
    np.testing.assert_allclose([wilks.value, wilks.p_value], expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("model", "X", "applies"),
    [
        (GaussianClassifier(shared=True), IRIS.rows, True),
        (AutoClassifier(families={0: "categorical"}), np.round(IRIS.rows), True),
        (GaussianClassifier(), np.where(IRIS.rows == 5.1, np.nan, IRIS.rows), False),
        (GaussianClassifier("diagonal"), IRIS.rows, False),
        (GaussianClassifier(shrinkage=0.1), np.c_[IRIS.rows, IRIS.rows[:, 0]], False),
    ],
)
def test_where_the_tests_apply(model: GaussianClassifier, X: np.ndarray, applies: bool) -> None:
    """Not to missing values, without correlations, nor to collinear features."""
    assert bool(summarise(model.fit(X, IRIS.labels).model_).class_tests) == applies


@pytest.mark.parametrize(
    ("species", "expected"),
    [
        (0, [3.079721342356, 0.177185884468, 26.537656161440, 0.195322907442]),
        (1, [3.022201384350, 0.194444483140, 22.879375375638, 0.567412516529]),
        (2, [3.152471781035, 0.157059707690, 24.299061483011, 0.878702546727]),
    ],
)
def test_mardia_of_the_irises(species: int, expected: list[float]) -> None:
    rows = IRIS.rows[50 * species :][:50]
    np.testing.assert_allclose(mardia(rows), expected, rtol=1e-9)
    np.testing.assert_allclose(mardia(rows @ np.diag([1, 1e6, 1e-6, 3]) + 5), expected, rtol=1e-5)


def test_transformed_features_are_tested_as_transformed() -> None:
    codes, found = np.repeat([0, 1, 2], 50), []
    for transforms, X in (("log", np.exp(IRIS.rows)), (None, IRIS.rows)):
        model = GaussianClassifier(transforms=transforms).fit(X, IRIS.labels).model_
        found.append(normality(model, model.rows(X), codes))
    assert found[0] == pytest.approx(found[1], rel=1e-6)
    assert found[1]["setosa"] == pytest.approx(2 * 0.177185884468, rel=1e-9)


def test_mardia_holds_its_level_and_finds_heavy_tails() -> None:
    rng = np.random.default_rng(0)
    normal = [mardia(rng.normal(size=(300, 3))) for _ in range(200)]
    p_values = np.array([(found[1], found[3]) for found in normal if found])
    assert ((p_values < 0.05).mean(axis=0) < 0.09).all()
    heavy = mardia(rng.standard_t(4, size=(300, 3)))
    assert heavy is not None
    assert heavy[3] < 1e-6
    assert kurtosistest(rng.standard_t(4, size=300)).pvalue < 1e-3
    assert mardia(np.ones((10, 2))) is None
    assert mardia(rng.normal(size=(3, 2))) is None
