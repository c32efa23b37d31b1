"""Families that are given to features: counts, blocks of Gaussians."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal, poisson
from sklearn.base import clone

from gaussbayes import GaussianClassifier
from gaussbayes.base.errors import DataError, OptionError

FAMILIES: dict[Any, str] = {"visits": "poisson", "smokes": "poisson"}


def patients(n: int = 120) -> tuple[pd.DataFrame, np.ndarray]:
    """Counts between numbers."""
    rng = np.random.default_rng(6)
    y = np.arange(n) % 3
    frame = pd.DataFrame(
        {
            "height": rng.normal(170, 8, n) + 2 * y,
            "visits": rng.poisson(2 + 2 * y),
            "weight": rng.normal(70, 10, n) - 3 * y,
            "smokes": (rng.random(n) < 0.2 + 0.25 * y).astype(int),
            "age": rng.normal(50, 15, n),
        }
    )
    return frame, np.array(["a", "b", "c"])[y]


def test_counts_beside_numbers() -> None:
    X, y = patients()
    model = GaussianClassifier(families=FAMILIES).fit(X, y)
    numbers = ["height", "weight", "age"]
    for c, label in enumerate(model.classes_):
        own = X[y == label]
        expected = multivariate_normal(own[numbers].mean(), own[numbers].cov(ddof=0)).logpdf(
            X[numbers]
        )
        expected += poisson(own["visits"].mean()).logpmf(X["visits"])
        expected += poisson(own["smokes"].mean()).logpmf(X["smokes"])
        np.testing.assert_allclose(model.scores(X).log_likelihood[:, c], expected, rtol=1e-11)
        np.testing.assert_allclose(model.means_[c], own.mean(), rtol=1e-12)
        variance = np.diag(model.covariances_[c])
        assert variance[[1, 3]].tolist() == pytest.approx(own[["visits", "smokes"]].mean())
        assert model.covariances_[c][1, 0] == model.covariances_[c][3, 4] == 0.0
    assert model.n_parameters_ == 2 + 3 * (3 + 6) + 3 + 3


def test_a_block_of_its_own_is_independent_of_the_rest() -> None:
    X, y = patients()
    block: Any = ("weight", "height")
    model = GaussianClassifier(families={block: "gaussian", **FAMILIES}).fit(X, y)
    first = GaussianClassifier().fit(X[["height", "weight"]], y)
    second = GaussianClassifier().fit(X[["age"]], y)
    for pair, part in (([0, 2], first), ([4], second)):
        np.testing.assert_array_equal(model.means_[:, pair], part.means_)
        np.testing.assert_array_equal(model.covariances_[:, pair][:, :, pair], part.covariances_)
    assert not model.covariances_[:, [0, 2], 4].any()
    assert GaussianClassifier(shared=True, families={block: "gaussian"}).fit(
        X[["height", "weight", "age"]], y
    ).covariances_.shape == (3, 3)
    rest = GaussianClassifier(families=FAMILIES).fit(X[["visits", "smokes"]], y)
    expected = (
        first.scores(X[["height", "weight"]]).log_likelihood
        + second.scores(X[["age"]]).log_likelihood
        + rest.scores(X[["visits", "smokes"]]).log_likelihood
    )
    np.testing.assert_allclose(model.scores(X).log_likelihood, expected, rtol=1e-11)


def test_every_step_takes_such_models(tmp_path: Path) -> None:
    X, y = patients()
    whole = GaussianClassifier(families=FAMILIES, smoothing=0.5).fit(X, y)
    parts = clone(whole).partial_fit(X[:50], y[:50]).partial_fit(X[50:], y[50:])
    np.testing.assert_allclose(parts.predict_log_proba(X), whole.predict_log_proba(X), atol=1e-9)
    merged = clone(whole).partial_fit(X[:50], y[:50])
    merged.merge(clone(whole).partial_fit(X[50:], y[50:])).forget(X[:9], y[:9])
    expected = clone(whole).fit(X[9:], y[9:]).predict_log_proba(X)
    np.testing.assert_allclose(merged.predict_log_proba(X), expected, atol=1e-9)
    again = GaussianClassifier.load(whole.save(tmp_path / "model.json"))
    assert again.get_params() == whole.get_params()
    np.testing.assert_array_equal(again.predict_proba(X), whole.predict_proba(X))
    names = ["smokes", "age", "visits"]
    seen = whole.marginal(names)
    np.testing.assert_array_equal(seen.means_, whole.means_[:, [3, 4, 1]])
    seen.partial_fit(X[names], y)
    assert seen.model_.learnt.weight.sum() == 240
    assert whole.marginal(["age"]).partial_fit(X[["age"]], y).get_params()["families"] is None
    rows, labels = whole.sample(50, random_state=0)
    assert rows.shape == (50, 5)
    assert (rows[:, [1, 3]] % 1 == 0).all()
    assert set(labels) <= set("abc")
    some = X.astype(float).mask(np.random.default_rng(0).random(X.shape) < 0.2)
    unlabelled = np.where(np.arange(120) % 4 == 1, None, y)
    model = clone(whole).fit(some, unlabelled)
    assert model.model_.convergence.converged
    assert model.score(X, y) > 0.4
    assert model.leave_one_out(some[:28], unlabelled[:28]).log_posterior.shape == (21, 3)
    assert (model.scores(X[:3]).novelty_p_value > 0).all()


@pytest.mark.parametrize(
    ("families", "error", "message"),
    [
        ({"visits": "poison"}, OptionError, "a family must be one of .*did you mean 'poisson'"),
        (
            {"visit": "poisson"},
            DataError,
            r"families names 'visit' \(did you mean 'visits'\?\), but the col",
        ),
        ({7: "poisson"}, DataError, "families has column 7, but the columns of X are 0 to 4"),
        (
            {"age": "gaussian", ("age", "weight"): "gaussian"},
            OptionError,
            "'age' must have one family, but families gives it two",
        ),
        ("poisson", OptionError, "families must be None or a mapping such as"),
        ({"height": "poisson"}, DataError, "row 0 has .* in 'height', which must be an integer"),
    ],
)
def test_families_that_cannot_be(families: Any, error: type[Exception], message: str) -> None:
    X, y = patients()
    with pytest.raises(error, match=message):
        GaussianClassifier(families=families).fit(X, y)


def test_values_that_a_family_does_not_take() -> None:
    X, y = patients()
    for value in (-1.0, 2.5):
        bad = X.astype(float)
        bad.loc[17, "visits"] = value
        with pytest.raises(DataError, match="'visits'.*row 17|row 17.*'visits'"):
            GaussianClassifier(families=FAMILIES).fit(bad, y)
    words = X.astype({"visits": object})
    words.loc[3, "visits"] = "many"
    with pytest.raises(DataError, match=r"'visits' \('many', first in row 3\)"):
        GaussianClassifier(families=FAMILIES).fit(words, y)


def test_families_stay_what_they_were() -> None:
    X, y = patients()
    model = GaussianClassifier(families=FAMILIES).fit(X, y)
    before = model.predict_proba(X)
    with pytest.raises(DataError, match="models of different features cannot be merged"):
        GaussianClassifier().fit(X, y).merge(model)
    np.testing.assert_array_equal(model.predict_proba(X), before)
