"""Models with categories seen through some features, and scores that look at the numbers alone."""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2
from sklearn.base import clone
from sklearn.naive_bayes import CategoricalNB

from gaussbayes import GaussianClassifier
from gaussbayes.base.errors import DataError, NonFiniteError, SchemaError
from tests.models import STRUCTURES, weather

pytestmark = pytest.mark.usefixtures("kernels")

FRAME, Y = weather()
NAMES = ["pressure", "wind", "warmth", "month"]
each_structure = pytest.mark.parametrize(("covariance", "shared"), STRUCTURES)


def mixed(covariance: Any = "full", shared: bool = False, **settings: Any) -> GaussianClassifier:
    model = GaussianClassifier(covariance, shared=shared, smoothing=0.5, **settings)
    return model.fit(FRAME, Y)


def without_rows(frame: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    """The same rows with nothing known but these features."""
    gone = frame.copy()
    for name in set(NAMES) - set(names):
        gone[name] = np.nan if gone[name].dtype == float else None
    return gone


@each_structure
def test_a_marginal_is_the_model_of_rows_that_lack_the_rest(covariance: Any, shared: bool) -> None:
    model = mixed(covariance, shared)
    some = FRAME[:20]
    for size in (1, 2, 3, 4):
        for names in map(list, combinations(NAMES[::-1], size)):
            seen = model.marginal(names)
            assert seen.feature_names_in_.tolist() == names
            expected = model.predict_joint_log_proba(without_rows(some, names))
            np.testing.assert_allclose(
                seen.predict_joint_log_proba(some[names]), expected, rtol=1e-11
            )


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_a_marginal_is_the_model_fitted_to_these_features(covariance: Any) -> None:
    model = mixed(covariance)
    for names in (["month", "pressure"], ["wind"], ["warmth", "pressure"], ["wind", "month"]):
        seen, fitted = model.marginal(names), clone(model).fit(FRAME[names], Y)
        np.testing.assert_allclose(
            seen.predict_proba(FRAME[names]), fitted.predict_proba(FRAME[names]), atol=1e-12
        )
        np.testing.assert_allclose(seen.means_, fitted.means_, rtol=1e-12)
        assert seen.n_parameters_ == fitted.n_parameters_
        assert getattr(seen, "categories_", {}) == getattr(fitted, "categories_", {})


def test_categories_alone_are_discrete_naive_bayes() -> None:
    random = np.random.default_rng(4)
    y = random.integers(0, 3, 200)
    codes = (random.integers(0, 3, (200, 3)) + y[:, None]) % [3, 4, 3]
    X = np.column_stack([random.normal(size=200), codes])
    model = GaussianClassifier(categorical_features=[1, 2, 3], smoothing=2).fit(X, y)
    seen = model.marginal([3, 1])
    theirs = CategoricalNB(alpha=2).fit(codes[:, [2, 0]], y)
    np.testing.assert_allclose(
        seen.predict_log_proba(codes[:, [2, 0]]),
        theirs.predict_log_proba(codes[:, [2, 0]]),
        rtol=1e-11,
    )
    assert not hasattr(seen, "moments_")
    assert seen.with_priors("uniform").priors_.tolist() == pytest.approx([1 / 3] * 3)


def test_a_marginal_of_numbers_is_a_model_of_numbers() -> None:
    seen = mixed().marginal(["warmth", 0])
    alone = GaussianClassifier().fit(FRAME[["warmth", "pressure"]], Y)
    rows = FRAME[["warmth", "pressure"]].to_numpy()
    assert not hasattr(seen, "categories_")
    np.testing.assert_allclose(
        seen.with_feature_names(None).predict_proba(rows),
        alone.with_feature_names(None).predict_proba(rows),
        atol=1e-12,
    )
    assert seen.sample(3, 0)[0].shape == (3, 2)


def test_marginals_of_marginals_and_of_rows_with_gaps() -> None:
    hole = FRAME.copy()
    hole.loc[::7, "pressure"] = np.nan
    hole.loc[::5, "wind"] = None
    model = GaussianClassifier(smoothing=0.5).fit(hole, Y)
    names = ["month", "warmth"]
    twice = model.marginal(["warmth", "wind", "month"]).marginal(names)
    np.testing.assert_array_equal(
        twice.predict_log_proba(FRAME[names]), model.marginal(names).predict_log_proba(FRAME[names])
    )
    expected = model.predict_log_proba(without_rows(FRAME, names))
    np.testing.assert_allclose(twice.predict_log_proba(FRAME[names]), expected, atol=1e-11)


def test_a_marginal_cannot_learn() -> None:
    seen = mixed().marginal(["wind", "warmth"])
    with pytest.raises(DataError, match="needs the moments of the rows seen before"):
        seen.partial_fit(FRAME[["wind", "warmth"]], Y)
    with pytest.raises(SchemaError, match="did you mean 'wind'"):
        seen.marginal(["winds"])


@each_structure
def test_the_negative_log_likelihood_by_definition(covariance: Any, shared: bool) -> None:
    model = mixed(covariance, shared)
    rows, labels = FRAME[:50].copy(), Y[:50]
    rows.loc[3, "warmth"] = np.nan
    weights = np.random.default_rng(0).integers(0, 4, 50)
    codes = np.searchsorted(model.classes_, labels)
    own = model.log_likelihood(rows)[np.arange(50), codes]
    found = model.negative_log_likelihood(rows, labels, weights)
    assert found.features == pytest.approx(-np.sum(weights * own), rel=1e-12)
    assert found.labels == pytest.approx(-np.sum(weights * np.log(model.priors_)[codes]), rel=1e-12)
    joint = model.predict_joint_log_proba(rows)[np.arange(50), codes]
    assert model.negative_log_likelihood(rows, labels).total == pytest.approx(
        -joint.sum(), rel=1e-12
    )


def test_the_negative_log_likelihood_of_what_cannot_be() -> None:
    X, y = [["a"], ["b"], ["b"]], [0, 1, 1]
    model = GaussianClassifier(categorical_features=[0]).fit(X, y)
    assert model.negative_log_likelihood([["a"], ["b"]], [0, 0]).features == np.inf
    assert model.negative_log_likelihood([["a"], ["b"]], [0, 0], [1, 0]).features == 0.0
    with pytest.raises(DataError, match="X has 2 rows, but y has 1"):
        model.negative_log_likelihood([["a"], ["b"]], [0])


def test_distances_are_those_of_the_numbers() -> None:
    model, numbers = mixed(), ["pressure", "warmth"]
    rows = FRAME[:30].copy()
    rows.loc[4, "warmth"] = np.nan
    rows["wind"] = "gale"  # never seen, and not looked at: no warning
    alone = GaussianClassifier().fit(FRAME[numbers], Y)
    distance = alone.mahalanobis(rows[numbers])
    np.testing.assert_allclose(model.mahalanobis(rows), distance, rtol=1e-12)
    degrees = rows[numbers].notna().sum(axis=1).to_numpy()[:, None]
    np.testing.assert_allclose(model.p_values(rows), chi2.sf(distance**2, degrees), rtol=1e-9)
    with pytest.raises(NonFiniteError, match="infinity in row 2, column 'warmth'"):
        model.mahalanobis(rows.assign(warmth=[1.0, 2.0, np.inf, *[3.0] * 27]))


def test_novel_rows_are_novel_by_their_numbers() -> None:
    model = mixed()
    rows = FRAME[:3].copy()
    rows.loc[1, "pressure"] = 2000.0
    found = model.decide(rows, novelty_level=1e-4).labels
    assert [label is None for label in found] == [False, True, False]
    assert found[[0, 2]].tolist() == model.predict(rows)[[0, 2]].tolist()


def test_without_numbers_there_are_no_distances() -> None:
    model = mixed().marginal(["wind", "month"])
    rows = FRAME[["wind", "month"]]
    for step in (
        model.mahalanobis,
        model.p_values,
        lambda rows: model.decide(rows, novelty_level=0.1),
    ):
        with pytest.raises(DataError, match="distances are those of numbers.*categories only"):
            step(rows)
