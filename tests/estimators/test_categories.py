"""Categorical features through the estimator: alone and beside numbers, missing, never seen."""

import warnings
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from gaussbayes import Columns, GaussianClassifier
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.data.categories import UnseenCategoryWarning
from tests.models import STRUCTURES, weather

pytestmark = pytest.mark.usefixtures("kernels")

RAIN = (
    np.array(["111112222233333", "SMMSSSMMLLLMMLL"]).view("U1").reshape(2, -1).T,
    np.array([-1, -1, 1, 1, -1, -1, 1, 1, 1, 1, 1, 1, 1, 1, -1]),
)
"""The course's days: humidity and wind, and whether it rained."""


def test_rain() -> None:
    model = GaussianClassifier(columns=Columns(categorical=[0, 1])).fit(*RAIN)
    query = np.array([["2", "S"]])
    np.testing.assert_allclose(
        np.exp(model.scores(query).log_joint), [[3 / 75, 2 / 75]], rtol=1e-14
    )
    np.testing.assert_allclose(model.predict_proba(query), [[0.6, 0.4]], rtol=1e-14)
    assert model.predict(query).tolist() == [-1]
    assert model.n_parameters_ == 1 + 2 * (2 + 2)
    assert model.means_.shape == (2, 0)


@pytest.mark.parametrize("covariance", ["full", "diagonal", "spherical"])
@pytest.mark.parametrize("shared", [False, True])
def test_categories_alone_are_discrete_naive_bayes(covariance: Any, shared: bool) -> None:
    random = np.random.default_rng(2)
    y = random.integers(0, 3, 300)
    X = (random.integers(0, 3, (300, 2)) + y[:, None]) % [3, 4]
    theirs = CategoricalNB(alpha=0.5).fit(X, y)
    ours = GaussianClassifier(
        covariance, shared=shared, columns=Columns(categorical=[0, 1]), smoothing=0.5
    ).fit(X, y)
    expected = theirs.predict_joint_log_proba(X)
    np.testing.assert_allclose(ours.scores(X).log_joint, expected, rtol=1e-12)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-11)
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()


def test_mixed_is_the_sum_of_both_parts() -> None:
    frame, y = weather()
    model = GaussianClassifier(smoothing=1).fit(frame, y)
    by_hand = np.empty((len(y), 3))
    for c, label in enumerate(["dry", "mild", "wet"]):
        own = frame[y == label]
        numbers = own[["pressure", "warmth"]].to_numpy()
        log_joint = np.log(len(own) / len(y)) + multivariate_normal(
            numbers.mean(axis=0), np.cov(numbers.T, ddof=0)
        ).logpdf(frame[["pressure", "warmth"]])
        for name in ("wind", "month"):
            m = frame[name].nunique()
            share = {
                value: ((own[name] == value).sum() + 1) / (own[name].notna().sum() + m)
                for value in frame[name].dropna().unique()
            }
            log_joint = log_joint + [np.log(share.get(value, 1.0)) for value in frame[name]]
        by_hand[:, c] = log_joint
    posterior = by_hand - logsumexp(by_hand, axis=1, keepdims=True)
    np.testing.assert_allclose(model.scores(frame).log_joint, by_hand, rtol=1e-11)
    np.testing.assert_allclose(model.predict_log_proba(frame), posterior, atol=1e-10)
    np.testing.assert_allclose(model.predict_proba(frame), np.exp(posterior), atol=1e-11)
    np.testing.assert_allclose(model.score_samples(frame), logsumexp(by_hand, axis=1), rtol=1e-11)
    np.testing.assert_allclose(
        model.log_odds(frame, "wet", "dry"), by_hand[:, 2] - by_hand[:, 0], atol=1e-9
    )
    assert model.predict(frame).tolist() == model.classes_[by_hand.argmax(axis=1)].tolist()


def test_numbers_alone_are_as_before() -> None:
    frame, y = weather()
    numbers = frame[["pressure", "warmth"]]
    told = GaussianClassifier("diagonal").fit(numbers, y).predict_proba(numbers)
    theirs = GaussianNB(var_smoothing=0).fit(numbers, y).predict_proba(numbers)
    np.testing.assert_allclose(told, theirs, atol=1e-10)


def test_frames_and_arrays_say_the_same() -> None:
    frame, y = weather()
    model = GaussianClassifier(smoothing=1).fit(frame, y)
    for rows in (
        pl.from_pandas(frame.assign(month=frame["month"].astype(int))),
        frame.astype(object).to_numpy(),
        frame.astype(object).to_numpy().tolist(),
    ):
        names = ["wind", "month"] if isinstance(rows, pl.DataFrame) else [1, 3]
        columns = Columns(categorical=names)
        other = GaussianClassifier(smoothing=1, columns=columns).fit(rows, y)
        np.testing.assert_array_equal(other.predict_proba(rows), model.predict_proba(frame))


def test_a_category_never_seen_is_integrated_out_and_counted() -> None:
    frame, y = weather()
    model = GaussianClassifier(smoothing=1).fit(frame, y)
    new, missing = frame[:3].copy(), frame[:3].copy()
    new["wind"] = pd.Categorical(["gale", "gale", "storm"])
    missing["wind"] = None
    with pytest.warns(
        UnseenCategoryWarning, match=r"3 values of 'wind' \('gale', 'storm'\)"
    ) as seen:
        told = model.predict_proba(new)
    assert len(seen) == 1
    assert seen[0].filename == __file__
    np.testing.assert_array_equal(told, model.predict_proba(missing))


def test_missing_categories_equal_the_model_without_the_feature() -> None:
    frame, y = weather()
    rest = frame.drop(columns="wind")
    model = GaussianClassifier(smoothing=1).fit(frame, y)
    gone = frame.assign(wind=None)
    without = clone(model).fit(rest, y)
    np.testing.assert_allclose(model.predict_proba(gone), without.predict_proba(rest), atol=1e-14)


def test_no_class_is_possible() -> None:
    X, y = np.array([["a", "x"], ["b", "y"]]), [0, 1]
    model = GaussianClassifier(columns=Columns(categorical=[0, 1])).fit(X, y)
    assert model.predict_proba(X).tolist() == [[1, 0], [0, 1]]
    assert model.score_samples([["a", "y"]]).tolist() == [-np.inf]
    with pytest.raises(DataError, match="row 1 has probability 0 in every class.*smoothing"):
        model.predict([["a", "x"], ["a", "y"]])


def test_other_priors() -> None:
    model = GaussianClassifier(columns=Columns(categorical=[0, 1])).fit(*RAIN)
    told = model.with_priors([0.5, 0.5]).predict_proba([["2", "S"]])
    np.testing.assert_allclose(told, [[0.12 / 0.16, 0.04 / 0.16]], rtol=1e-12)
    assert model.decide([["2", "S"]], reject_below=0.7).labels.tolist() == [None]


def test_what_the_fitted_model_tells() -> None:
    frame = pd.DataFrame(RAIN[0], columns=["humidity", "wind"])
    model = GaussianClassifier(columns=Columns(categorical=["humidity", "wind"])).fit(
        frame, RAIN[1]
    )
    assert model.model_.categories == (("1", "2", "3"), ("L", "M", "S"))
    assert [(column.name, column.kind) for column in model.columns_] == [
        ("humidity", "category"),
        ("wind", "category"),
    ]
    probability = model.category_probabilities_["humidity"]
    assert list(probability) == ["1", "2", "3"]
    expected = [[0.6, 0.2], [0.2, 0.4], [0.2, 0.4]]
    np.testing.assert_allclose(list(probability.values()), expected, rtol=1e-14)
    assert model.n_features_in_ == 2


def test_bad_rows() -> None:
    frame, y = weather()
    model = GaussianClassifier(smoothing=1).fit(frame, y)
    hole = frame.copy()
    hole.loc[3, "warmth"] = np.nan
    infinite = hole.fillna({"warmth": np.inf})
    with pytest.warns(UserWarning, match="infinite values are treated as missing in warmth"):
        clone(model).fit(infinite, y)
    with pytest.raises(DataError, match="infinity in row 3, column 'warmth'"):
        model.predict(infinite)
    unnamed = GaussianClassifier(smoothing=1, columns=Columns(categorical=[1, 3]))
    rows = infinite.astype(object).to_numpy()
    with pytest.raises(DataError, match="row 3, column 2"):
        unnamed.fit(rows, y)
    with pytest.raises(DataError, match="'wind' has categories of different types"):
        model.partial_fit(frame.assign(wind=7), y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"wind": "gusts"}))
    numbers = frame.assign(wind=np.arange(200) % 7, month=np.arange(200) % 11)
    with pytest.raises(DataError, match="different features"):
        model.merge(GaussianClassifier().fit(numbers, y))
    with pytest.raises(OptionError, match="smoothing must be .*, got -1"):
        GaussianClassifier(smoothing=-1).fit(frame, y)


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_numbers_may_be_missing_beside_categories(covariance: str) -> None:
    """Given the class the two kinds are independent, so each part is what it is alone."""
    frame, y = weather()
    kept = np.random.default_rng(5).random((200, 2)) > 0.3
    hole = frame.copy()
    numbers = ["pressure", "warmth"]
    hole[numbers] = frame[numbers].where(kept)
    model = GaussianClassifier(covariance, smoothing=1).fit(hole, y)
    alone = GaussianClassifier(covariance).fit(hole[numbers], y)
    np.testing.assert_allclose(model.means_, alone.means_, rtol=1e-12)
    np.testing.assert_allclose(model.covariances_, alone.covariances_, rtol=1e-12)
    of_categories = GaussianClassifier(smoothing=1).fit(frame[["wind", "month"]], y)
    together = (
        alone.scores(hole[numbers]).log_likelihood
        + of_categories.scores(hole[["wind", "month"]]).log_likelihood
    )
    np.testing.assert_allclose(model.scores(hole).log_likelihood, together, rtol=1e-12)
    half = GaussianClassifier(covariance, smoothing=1).fit(hole[:100], y[:100])
    np.testing.assert_allclose(
        half.partial_fit(hole[100:], y[100:]).predict_proba(hole),
        model.predict_proba(hole),
        rtol=1e-8,
    )


def test_labels_may_be_missing_beside_categories() -> None:
    """The three ways to say so give one model, which is in the matrix against an oracle."""
    frame, y = weather()
    gone = np.arange(200) % 5 == 2
    none = np.where(gone, None, y)
    model = GaussianClassifier(smoothing=1).fit(frame, none)
    assert model.model_.convergence.converged
    marked = GaussianClassifier(columns=Columns(unlabelled="?"), smoothing=1).fit(
        frame, np.where(gone, "?", y)
    )
    np.testing.assert_array_equal(marked.predict_proba(frame), model.predict_proba(frame))


def test_tags() -> None:
    tags = GaussianClassifier().__sklearn_tags__().input_tags
    assert (tags.allow_nan, tags.categorical, tags.string) == (True, False, False)
    tags = GaussianClassifier(columns=Columns(categorical=[0])).__sklearn_tags__().input_tags
    assert (tags.categorical, tags.string) == (True, True)


def test_float32() -> None:
    frame, y = weather()
    short = frame.astype({"pressure": np.float32, "warmth": np.float32})
    model = GaussianClassifier(smoothing=1).fit(short, y)
    told = model.predict_proba(short)
    assert told.dtype == np.float32
    np.testing.assert_allclose(told, model.predict_proba(short.astype(frame.dtypes)), atol=1e-4)


def test_no_warning_for_what_is_known() -> None:
    frame, y = weather()
    with warnings.catch_warnings(action="error"):
        GaussianClassifier(smoothing=1).fit(frame, y).predict(frame)


# Some features only, and scores of numbers alone.

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
            expected = model.scores(without_rows(some, names)).log_joint
            np.testing.assert_allclose(seen.scores(some[names]).log_joint, expected, rtol=1e-11)


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


def test_a_marginal_of_categories_is_discrete_naive_bayes() -> None:
    random = np.random.default_rng(4)
    y = random.integers(0, 3, 200)
    codes = (random.integers(0, 3, (200, 3)) + y[:, None]) % [3, 4, 3]
    X = np.column_stack([random.normal(size=200), codes])
    model = GaussianClassifier(columns=Columns(categorical=[1, 2, 3]), smoothing=2).fit(X, y)
    seen = model.marginal([3, 1])
    theirs = CategoricalNB(alpha=2).fit(codes[:, [2, 0]], y)
    np.testing.assert_allclose(
        seen.predict_log_proba(codes[:, [2, 0]]),
        theirs.predict_log_proba(codes[:, [2, 0]]),
        rtol=1e-11,
    )
    assert seen.with_priors("uniform").priors_.tolist() == pytest.approx([1 / 3] * 3)


def test_a_marginal_of_numbers_is_a_model_of_numbers() -> None:
    seen = mixed().marginal(["warmth", 0])
    alone = GaussianClassifier().fit(FRAME[["warmth", "pressure"]], Y)
    rows = FRAME[["warmth", "pressure"]]
    assert not hasattr(seen, "category_probabilities_")
    np.testing.assert_allclose(seen.predict_proba(rows), alone.predict_proba(rows), atol=1e-12)
    assert seen.sample(3, 0)[0].shape == (3, 2)


def test_marginals_of_marginals_and_of_missing_values() -> None:
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


def test_a_marginal_goes_on_learning() -> None:
    names = ["wind", "warmth"]
    seen = mixed().marginal(names)
    seen.partial_fit(FRAME[names][:60], Y[:60])
    both = pd.concat([FRAME, FRAME[:60]], ignore_index=True).astype(FRAME.dtypes)
    fitted = clone(seen).fit(both[names], np.concatenate([Y, Y[:60]]))
    np.testing.assert_allclose(
        seen.predict_proba(FRAME[names]), fitted.predict_proba(FRAME[names]), rtol=1e-9
    )
    with pytest.raises(DataError, match="did you mean 'wind'"):
        seen.marginal(["winds"])


@each_structure
def test_the_negative_log_likelihood_by_definition(covariance: Any, shared: bool) -> None:
    model = mixed(covariance, shared)
    rows, labels = FRAME[:50].copy(), Y[:50]
    rows.loc[3, "warmth"] = np.nan
    weights = np.random.default_rng(0).integers(0, 4, 50)
    codes = np.searchsorted(model.classes_, labels)
    own = model.scores(rows).log_likelihood[np.arange(50), codes]
    found = model.negative_log_likelihood(rows, labels, weights)
    assert found.features == pytest.approx(-np.sum(weights * own), rel=1e-12)
    assert found.labels == pytest.approx(-np.sum(weights * np.log(model.priors_)[codes]), rel=1e-12)
    joint = model.scores(rows).log_joint[np.arange(50), codes]
    assert model.negative_log_likelihood(rows, labels).total == pytest.approx(
        -joint.sum(), rel=1e-12
    )


def test_the_negative_log_likelihood_of_what_cannot_be() -> None:
    X, y = [["a"], ["b"], ["b"]], [0, 1, 1]
    model = GaussianClassifier(columns=Columns(categorical=[0])).fit(X, y)
    assert model.negative_log_likelihood([["a"], ["b"]], [0, 0]).features == np.inf
    assert model.negative_log_likelihood([["a"], ["b"]], [0, 0], [1, 0]).features == 0.0
    with pytest.raises(DataError, match="X has 2 rows, but y has 1"):
        model.negative_log_likelihood([["a"], ["b"]], [0])


def test_novel_rows_are_novel_by_their_numbers() -> None:
    model = mixed()
    rows = FRAME[:3].copy()
    rows.loc[1, "pressure"] = 2000.0
    found = model.decide(rows, novelty=1e-4).labels
    assert [label is None for label in found] == [False, True, False]
    assert found[[0, 2]].tolist() == model.predict(rows)[[0, 2]].tolist()
