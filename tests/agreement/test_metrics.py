"""Metrics of a fitted model against scikit-learn, the jackknife and definitions."""

import json
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn import metrics

from gaussbayes import DataError, GaussianClassifier

CLASSES = np.array(["ash", "elm", "oak"])
COSTS = np.array([[0.0, 2.0, 1.0], [4.0, -0.5, 1.0], [3.0, 3.0, 0.0]])


def noisy(n: int = 200, k: int = 3) -> tuple[GaussianClassifier, Any, Any]:
    """A model that is wrong about many rows, the rows, and their labels."""
    generator = np.random.default_rng(11)
    codes = generator.choice(k, n, p=[0.6, 0.4] if k == 2 else [0.4, 0.35, 0.25])
    X = generator.normal(size=(n, 2)) + 1.3 * np.eye(3, 2)[codes]
    X[:5] = X[5:10]  # ties
    model = GaussianClassifier().fit(X[: n // 2], CLASSES[codes[: n // 2]])
    return model, X, CLASSES[codes]


def by_scikit_learn(posterior: Any, y: Any) -> dict[str, float]:
    k = posterior.shape[1]
    classes, costs = CLASSES[:k], COSTS[:k, :k]
    codes, guesses = np.searchsorted(classes, y), classes[posterior.argmax(axis=1)]
    scores = posterior if k > 2 else posterior[:, 1]
    return {
        "error": 1 - metrics.accuracy_score(y, guesses),
        "accuracy": metrics.accuracy_score(y, guesses),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, guesses),
        "f1": metrics.f1_score(y, guesses, average="macro"),
        "auc": metrics.roc_auc_score(y, scores, multi_class="ovr"),
        "log_loss": metrics.log_loss(y, posterior),
        "brier": metrics.brier_score_loss(y, posterior, labels=classes, scale_by_half=False),
        "cost": costs[codes, (posterior @ costs).argmin(axis=1)].mean(),
    }


@pytest.mark.parametrize("k", [2, 3])
def test_metrics_are_those_of_scikit_learn(k: int) -> None:
    model, X, y = noisy(k=k)
    posterior = model.predict_proba(X)
    seen = model.evaluate(X, y, costs=COSTS[:k, :k])
    for name, expected in by_scikit_learn(posterior, y).items():
        assert getattr(seen, name) == pytest.approx(expected, rel=1e-9), name
    guesses = model.predict(X)
    assert (seen.n_rows, seen.n_errors) == (200, (guesses != y).sum())
    np.testing.assert_array_equal(seen.confusion, metrics.confusion_matrix(y, guesses))
    for name, expected in zip(
        ("precision", "recall", "class_f1"),
        metrics.precision_recall_fscore_support(y, guesses),
        strict=False,
    ):
        np.testing.assert_allclose(getattr(seen, name), expected, rtol=1e-12)
    areas = [metrics.roc_auc_score(y == c, posterior[:, j]) for j, c in enumerate(CLASSES[:k])]
    np.testing.assert_allclose(seen.class_auc, areas, rtol=1e-9)
    interval = binomtest(seen.n_errors, 200).proportion_ci(method="wilson")
    assert seen.error_interval == pytest.approx((interval.low, interval.high), abs=1e-6)
    frequencies = np.broadcast_to(model.priors_, posterior.shape)
    expected = by_scikit_learn(frequencies, y)
    for name in ("error", "log_loss", "brier", "cost"):
        assert getattr(seen.baseline, name) == pytest.approx(expected[name], rel=1e-9), name
    assert seen.baseline.auc == 0.5


def test_standard_errors_are_those_of_the_jackknife() -> None:
    """Of smooth metrics the delta method is the jackknife's limit: 1/n apart."""
    model, X, y = noisy()
    n, seen = y.size, model.evaluate(X, y, costs=COSTS)
    posterior = model.predict_proba(X)
    kept = (np.delete(np.arange(n), row) for row in range(n))
    left = [by_scikit_learn(posterior[rows], y[rows]) for rows in kept]
    for name, error in seen.standard_errors.items():
        if name not in left[0]:
            continue
        values = np.array([each[name] for each in left])
        jackknife = np.sqrt((n - 1) / n * np.square(values - values.mean()).sum())
        if name == "auc":  # the mean of the areas' errors is at least the error of their mean
            assert jackknife < error < 2 * jackknife
        else:
            assert error == pytest.approx(jackknife, rel=0.03), name
    assert len(seen.standard_errors) >= 8


@pytest.mark.parametrize("ties", [False, True])
def test_curves_are_those_of_scikit_learn(ties: bool) -> None:
    model, X, y = noisy()
    X = X.round(0) if ties else X
    posterior, seen = model.predict_proba(X), model.evaluate(X, y)
    for j, label in enumerate(CLASSES):
        truth, score = y == label, posterior[:, j]
        curve, calibration = seen.curves[j], seen.class_calibration[j]
        assert (curve.label, calibration.label) == (label, label)
        assert curve.area == pytest.approx(metrics.roc_auc_score(truth, score), rel=1e-9)
        expected = metrics.average_precision_score(truth, score)
        assert curve.average_precision == pytest.approx(expected, rel=1e-9)
        false, true, _ = metrics.roc_curve(truth, score, drop_intermediate=False)
        points = set(zip(false.round(9), true.round(9), strict=True))
        ours = zip(curve.false_positive_rate, curve.true_positive_rate, strict=True)
        assert {(round(a, 9), round(b, 9)) for a, b in ours} <= points
        precision, recall, _ = metrics.precision_recall_curve(truth, score)
        points = set(zip(recall.round(9), precision.round(9), strict=True))
        ours = zip(curve.true_positive_rate, curve.precision, strict=True)
        assert {(round(a, 9), round(b, 9)) for a, b in ours} <= points
        group = np.minimum((score * 10).astype(int), 9)
        assert sum(calibration.count) == 200
        for place, number in enumerate(calibration.group):
            own = group == number
            assert calibration.count[place] == own.sum()
            assert calibration.stated[place] == pytest.approx(score[own].mean())
            assert calibration.observed[place] == pytest.approx(truth[own].mean())
            assert calibration.squares[place] == pytest.approx(np.square(score - truth)[own].mean())


def test_extreme_posteriors() -> None:
    """Losses are exact where posteriors underflow, and infinite where they are impossible."""
    model = GaussianClassifier.from_parameters([0.5, 0.5], [[0.0], [1.0]], [[1e-3]], ["a", "b"])
    far = model.evaluate([[-1.0], [2.0]], ["b", "a"])
    assert far.log_loss == pytest.approx(1500.0)
    assert (far.brier, far.error) == (2.0, 1.0)
    sure = model.evaluate([[-1.0], [2.0]], ["a", "b"])
    assert (sure.log_loss, sure.brier, sure.error) == (0.0, 0.0, 0.0)
    impossible = model.with_priors([1.0, 0.0]).evaluate([[0.0], [1.0]], ["a", "b"])
    assert impossible.log_loss == np.inf
    assert json.loads(json.dumps(impossible.to_dict(), allow_nan=False))["log_loss"] is None


def test_rows_without_label_do_not_count() -> None:
    model, X, y = noisy()
    labels = y.astype(object)
    labels[::3] = None
    known = np.arange(200) % 3 > 0
    assert model.evaluate(X, labels).log_loss == model.evaluate(X[known], y[known]).log_loss
    assert model.score(X, labels) == model.score(X[known], y[known])
    for refused in (lambda: model.evaluate(X, [None] * 200), lambda: model.evaluate(X[:0], [])):
        with pytest.raises(DataError, match="no rows to evaluate|at least|0 sample"):
            refused()


def test_a_model_worse_than_its_baseline_says_so() -> None:
    model, X, y = noisy()
    seen = model.evaluate(-9 * X, y)
    assert len(seen.warnings) == 2
    assert str(seen).count("Warning") == 2
    assert max(map(len, str(seen).splitlines())) <= 88
    assert not model.evaluate(X, y).warnings
