"""EM for missing labels and missing values on tables of few rows: no false diagnosis."""

import numpy as np
import pytest

from gaussbayes import AutoClassifier, DataError, GaussBayesError, GaussianClassifier
from gaussbayes.model import fit


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", [3, 14, 30, 41])
def test_ordinary_values_are_not_said_to_be_too_large(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(0, 2, (17, 3)), rng.integers(0, 2, 17).astype(object)
    X[rng.random((17, 3)) < 0.2] = np.nan
    y[rng.random(17) < 0.3] = None
    try:
        model = GaussianClassifier().fit(X, y)
    except GaussBayesError as error:
        assert "too large" not in str(error)  # noqa: PT017 (a class may have too few rows)
    else:
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0, rtol=1e-12)


def test_rows_of_hardly_any_weight_do_not_count() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), np.arange(20) % 2
    model = GaussianClassifier().fit(X[2:], y[2:])
    weights = np.where(np.arange(20) < 2, 5e-324, 1.0)
    weighted = GaussianClassifier().fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(weighted.predict_proba(X), model.predict_proba(X), rtol=1e-12)


@pytest.mark.parametrize(("n_unlabelled", "most"), [(1, 5), (10, 9)])
def test_few_unlabelled_rows_take_few_iterations(n_unlabelled: int, most: int) -> None:
    """At the maximum the means are those of rows that belong to each class by their posteriors."""
    rng = np.random.default_rng(0)
    codes = np.arange(300) % 3
    X = rng.normal(size=(300, 4)) + codes[:, None]
    y = codes.astype(object)
    y[5 : 5 + n_unlabelled] = None
    known = np.array([label is not None for label in y])
    for options in ({}, {"shared": True}, {"covariance": "diagonal"}):
        model = GaussianClassifier(**options).fit(X, y)
        weights = np.eye(3)[codes]
        weights[~known] = model.predict_proba(X[~known])
        total = weights.sum(axis=0)
        np.testing.assert_allclose(model.priors_, total / 300, rtol=1e-10)
        np.testing.assert_allclose(model.means_, weights.T @ X / total[:, None], rtol=1e-9)
        assert model.model_.convergence.n_iterations <= most
    held_out = GaussianClassifier().leave_one_out(X, y)
    assert (held_out.n_folds, len(held_out.log_posterior)) == (50, 300 - n_unlabelled)


def test_rows_without_label_come_and_go_alone() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X, labels = rng.normal(size=(60, 2)) + 2.0 * y[:, None], y.astype(object)
    labels[40:] = None
    whole, labelled = GaussianClassifier().fit(X, labels), GaussianClassifier().fit(X[:40], y[:40])
    model = GaussianClassifier().fit(X[:40], y[:40]).partial_fit(X[40:], [None] * 20)
    np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X), rtol=1e-9)
    model.forget(X[40:], [None] * 20)
    np.testing.assert_allclose(model.predict_proba(X), labelled.predict_proba(X), rtol=1e-9)


def test_unlabelled_rows_that_decide_nothing() -> None:
    """Rows of no weight, and so few that they cannot matter, leave the automatic model as it is."""
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    X, labels = rng.normal(size=(300, 2)) + 2.0 * y[:, None], y.astype(object)
    labels[7] = None
    known = np.arange(300) != 7
    one, alone = AutoClassifier().fit(X, labels), AutoClassifier().fit(X[known], y[known])
    np.testing.assert_array_equal(one.predict_proba(X), alone.predict_proba(X))
    assert one.selection_.unlabelled is None
    assert "1 unlabelled row not used" in {notice.message for notice in one.notices_}
    labels[:200] = None
    weights = np.where(np.arange(300) < 200, 0.0, 1.0)
    heavy, alone = (
        AutoClassifier().fit(X, labels, sample_weight=weights),
        AutoClassifier().fit(X[200:], y[200:]),
    )
    np.testing.assert_allclose(heavy.predict_proba(X), alone.predict_proba(X), rtol=1e-12)
    with pytest.raises(DataError, match="at least two classes"):
        AutoClassifier().fit(X, [None] * 300)


def test_few_labels_among_many_rows_are_all_held_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit, "MOST_HELD_OUT", 100)
    rng = np.random.default_rng(0)
    y = np.arange(600) % 2
    X, labels = rng.normal(size=(600, 2)) + 2.0 * y[:, None], y.astype(object)
    X[rng.random(X.shape) < 0.02] = np.nan
    labels[40:] = None
    model = AutoClassifier().fit(X, labels)
    assert model.selection_.n_held_out == 40
    assert model.selection_.unlabelled is not None
    calibrated = GaussianClassifier(calibrate=True).fit(X, labels)
    assert sum(map(len, calibrated.model_.calibration.left_out)) == 40
