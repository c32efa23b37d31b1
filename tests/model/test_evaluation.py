"""Error, log loss, Brier score and calibration are those of scikit-learn, and of definitions."""

import json
from typing import Any

import numpy as np
import pytest
from scipy.special import log_softmax
from scipy.stats import binomtest
from sklearn import metrics
from sklearn.calibration import calibration_curve
from sklearn.metrics import (
    accuracy_score,
    brier_score_loss,
    confusion_matrix,
    log_loss,
    precision_recall_fscore_support,
)

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.data.labels import read_targets
from gaussbayes.model.evaluation import (
    Evaluation,
    accuracy,
    calibrate,
    confident_errors,
    evaluate,
)

CLASSES = np.array(["ash", "elm", "oak"])


def told(n: int = 200, k: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Random log posteriors, and true classes that agree with them more often than not."""
    rng = np.random.default_rng(seed)
    log_posterior = log_softmax(rng.normal(size=(n, k)) * 2, axis=1)
    codes = np.where(rng.random(n) < 0.6, log_posterior.argmax(axis=1), rng.integers(k, size=n))
    return log_posterior, codes


@pytest.mark.parametrize("k", [2, 3, 7])
def test_scores_are_those_of_scikit_learn(k: int) -> None:
    log_posterior, codes = told(k=k)
    seen = evaluate(log_posterior, codes, np.arange(k))
    posterior, guesses = np.exp(log_posterior), log_posterior.argmax(axis=1)
    every = list(range(k))
    assert seen.confusion.tolist() == confusion_matrix(codes, guesses, labels=every).tolist()
    assert seen.error == pytest.approx(1 - accuracy_score(codes, guesses), rel=1e-14)
    assert seen.log_loss == pytest.approx(log_loss(codes, posterior, labels=every), rel=1e-14)
    theirs = brier_score_loss(codes, posterior, labels=every, scale_by_half=False)
    assert seen.brier == pytest.approx(theirs, rel=1e-14)
    proportions = confusion_matrix(codes, guesses, labels=every, normalize="true")
    np.testing.assert_allclose(seen.proportions, proportions, rtol=1e-15)


def test_the_log_loss_is_exact_where_posteriors_underflow() -> None:
    # p = (1, e^−1000): −log p of the second class is 1000, though exp(−1000) is 0.0 in floats.
    seen = evaluate(np.array([[0.0, -1000.0]]), np.array([1]), CLASSES[:2])
    assert seen.log_loss == 1000.0
    assert seen.brier == 2.0  # (1 − 0)² + (0 − 1)²


def test_what_was_called_impossible_costs_infinitely_much() -> None:
    seen = evaluate(np.array([[0.0, -np.inf], [0.0, -np.inf]]), np.array([0, 1]), CLASSES[:2])
    assert seen.log_loss == np.inf
    assert (seen.n_rows, seen.n_errors, seen.error) == (2, 1, 0.5)


def test_a_perfect_model_loses_nothing() -> None:
    seen = evaluate(np.array([[0.0, -np.inf]]), np.array([0]), CLASSES[:2])
    assert (seen.error, seen.log_loss, seen.brier) == (0.0, 0.0, 0.0)
    assert not np.signbit(seen.log_loss)


def test_a_class_without_rows_has_no_shares() -> None:
    log_posterior, codes = told()
    present = codes != 1
    seen = evaluate(log_posterior[present], codes[present], CLASSES)
    assert np.isnan(seen.proportions[1]).all()
    assert np.isfinite(seen.proportions[[0, 2]]).all()
    assert seen.confusion[1].tolist() == [0, 0, 0]


def test_no_rows_is_an_error() -> None:
    with pytest.raises(DataError, match="no rows to evaluate"):
        evaluate(np.empty((0, 3)), np.empty(0, np.intp), CLASSES)


def test_single_precision_is_summed_in_double() -> None:
    log_posterior, codes = told(n=20_000)
    single = log_posterior.astype(np.float32)
    in_double = evaluate(single.astype(np.float64), codes, CLASSES)
    assert evaluate(single, codes, CLASSES).log_loss == pytest.approx(in_double.log_loss, rel=1e-12)


@pytest.mark.parametrize("n_groups", [1, 5, 10])
def test_groups_are_those_of_scikit_learn(n_groups: int) -> None:
    log_posterior, codes = told(n=500)
    stated, true = np.exp(log_posterior[:, 0]), codes == 0
    groups = calibrate(stated, true, n_groups)
    observed, mean = calibration_curve(true, stated, n_bins=n_groups)
    np.testing.assert_allclose(groups.stated, mean, rtol=1e-13)
    np.testing.assert_allclose(groups.observed, observed, rtol=1e-13)
    assert groups.count.sum() == 500


def test_the_expected_calibration_error_is_a_mean_over_rows() -> None:
    # Three rows in [0, ½): stated 0.2, one came true; one row in [½, 1]: stated 0.9, and true.
    # |0.2 − 1/3| · 3/4 + |0.9 − 1| · 1/4 = 0.1 + 0.025.
    groups = calibrate(np.array([0.1, 0.2, 0.3, 0.9]), np.array([1, 0, 0, 1], bool), 2)
    assert groups.count.tolist() == [3, 1]
    assert groups.error == pytest.approx(0.125, rel=1e-14)


def test_certainties_belong_to_the_outermost_groups() -> None:
    groups = calibrate(np.array([0.0, 1.0, 1.0]), np.array([0, 1, 0], bool), 10)
    assert groups.stated.tolist() == [0.0, 1.0]
    assert groups.count.tolist() == [1, 2]


def test_no_groups_is_an_error() -> None:
    with pytest.raises(OptionError, match="at least one group, got 0"):
        calibrate(np.array([0.5]), np.array([True]), 0)


def test_confident_errors_come_surest_first() -> None:
    log_posterior, codes = told()
    found = confident_errors(log_posterior, codes, 12)
    guesses = log_posterior.argmax(axis=1)
    assert (guesses[found] != codes[found]).all()
    sure = log_posterior.max(axis=1)
    assert (np.diff(sure[found]) <= 0).all()
    left = np.setdiff1d(np.flatnonzero(guesses != codes), found)
    assert sure[left].max() <= sure[found].min()


def test_equally_sure_errors_are_told_apart_by_the_true_class() -> None:
    # Both posteriors of the guess round to 1; the second calls the truth less probable.
    log_posterior = np.array([[0.0, -800.0], [0.0, -900.0]])
    assert confident_errors(log_posterior, np.array([1, 1]), 2).tolist() == [1, 0]


def test_there_may_be_no_errors() -> None:
    assert confident_errors(np.array([[0.0, -5.0]]), np.array([0]), 3).size == 0


def test_recall_and_precision_are_scikit_learns() -> None:
    generator = np.random.default_rng(3)
    log_posterior = np.log(generator.dirichlet(np.ones(4), size=60))
    log_posterior[:, 3] = -np.inf  # never predicted
    codes = generator.integers(0, 3, 60)
    codes[codes == 2] = 3  # class 2 has no rows
    told = evaluate(log_posterior, codes, np.arange(4))
    precision, recall, _, _ = precision_recall_fscore_support(
        codes, log_posterior.argmax(axis=1), labels=np.arange(4), zero_division=np.nan
    )
    np.testing.assert_array_equal(told.recall, recall)
    np.testing.assert_array_equal(told.precision, precision)


@pytest.mark.parametrize("cuts", [[50], [1, 2, 199], [13, 13 + 64, 180]])
def test_parts_add_up_to_the_whole(cuts: list[int]) -> None:
    log_posterior, codes = told()
    whole = evaluate(log_posterior, codes, CLASSES)
    parts = zip(np.split(log_posterior, cuts), np.split(codes, cuts), strict=True)
    first, *rest = [evaluate(rows, own, CLASSES) for rows, own in parts]
    summed = sum(rest, start=first)
    assert summed.confusion.tolist() == whole.confusion.tolist()
    assert summed.classes.tolist() == CLASSES.tolist()
    assert summed.log_loss == pytest.approx(whole.log_loss, rel=1e-14)
    assert summed.brier == pytest.approx(whole.brier, rel=1e-14)
    assert summed.calibration_error == pytest.approx(whole.calibration_error, rel=1e-13)


def test_one_impossible_row_is_not_forgotten_in_the_sum() -> None:
    sure = evaluate(np.array([[0.0, -np.inf]] * 3), np.array([0, 0, 0]), CLASSES[:2])
    wrong = evaluate(np.array([[0.0, -np.inf]]), np.array([1]), CLASSES[:2])
    assert (sure + sure).log_loss == 0.0
    assert (sure + wrong).log_loss == np.inf
    assert (wrong + sure).brier == 0.5  # 2 of one row, 0 of three


def test_only_what_is_of_the_same_kind_can_be_added() -> None:
    log_posterior, codes = told()
    seen = evaluate(log_posterior, codes, CLASSES)
    with pytest.raises(DataError, match="the same classes to be added.*'oak'.*'yew'"):
        seen + evaluate(log_posterior, codes, np.array(["ash", "elm", "yew"]))
    few, many = (calibrate(np.array([0.5]), np.array([True]), n) for n in (5, 10))
    with pytest.raises(OptionError, match="5 and 10 groups cannot be added"):
        few + many
    bare = Evaluation(CLASSES, seen.confusion, seen.log_loss, seen.brier)
    assert np.isnan(bare.calibration_error)
    assert (bare + seen).calibration is None


def test_the_calibration_error_is_that_of_the_predicted_classes() -> None:
    log_posterior, codes = told(n=500)
    seen = evaluate(log_posterior, codes, CLASSES)
    sure, right = np.exp(log_posterior.max(axis=1)), log_posterior.argmax(axis=1) == codes
    observed, stated = calibration_curve(right, sure, n_bins=10)
    rows, _ = np.histogram(sure, bins=np.linspace(0, 1, 11))
    expected = np.average(np.abs(observed - stated), weights=rows[rows > 0])
    assert seen.calibration_error == pytest.approx(expected, rel=1e-12)
    assert seen.accuracy == pytest.approx(accuracy_score(codes, log_posterior.argmax(axis=1)))


def test_rows_without_label_do_not_count() -> None:
    log_posterior, codes = told(60)
    some = np.where(np.arange(60) % 3 == 0, -1, codes)
    seen, expected = (
        evaluate(log_posterior, some, CLASSES),
        evaluate(log_posterior[some >= 0], codes[some >= 0], CLASSES),
    )
    assert seen.confusion.tolist() == expected.confusion.tolist()
    assert (seen.log_loss, seen.brier) == (expected.log_loss, expected.brier)
    assert not set(confident_errors(log_posterior, some, 60)) & set(np.flatnonzero(some < 0))
    with pytest.raises(DataError, match="no rows to evaluate"):
        evaluate(log_posterior, np.full(60, -1), CLASSES)


def test_accuracy_is_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    y, weights = rng.choice(CLASSES, 50), rng.random(50)
    predicted = rng.integers(0, 2, 50)
    known = CLASSES[:2]  # oak is not known, and never predicted
    expected = accuracy_score(y, known[predicted], sample_weight=weights)
    assert accuracy(predicted, known, *read_targets(y, 50, weights)) == pytest.approx(expected)
    some = np.where(np.arange(50) < 20, None, y)
    expected = accuracy_score(y[20:], known[predicted][20:], sample_weight=weights[20:])
    assert accuracy(predicted, known, *read_targets(some, 50, weights)) == pytest.approx(expected)
    soft = rng.dirichlet(np.ones(3), size=50)
    expected = float(np.mean([soft[i, predicted[i]] for i in range(50)]))
    assert accuracy(predicted, np.arange(2), *read_targets(soft)) == pytest.approx(expected)
    with pytest.raises(DataError, match="no rows to evaluate"):
        accuracy(predicted, known, *read_targets([None] * 50))


# Figures, standard errors, baseline.


def noisy(n: int = 400, k: int = 3) -> tuple[Any, Any]:
    generator = np.random.default_rng(11)
    codes = generator.choice(k, n, p=[0.6, 0.3, 0.1][:k])
    scores = generator.normal(size=(n, k)) + 1.2 * np.eye(k)[codes]
    return scores - np.logaddexp.reduce(scores, axis=1, keepdims=True), codes


COSTS = np.array([[0.0, 2.0, 1.0], [4.0, -0.5, 1.0], [3.0, 3.0, 0.0]])


def figures_of(log_posterior: Any, codes: Any) -> dict[str, float]:
    """By scikit-learn."""
    posterior, guesses = np.exp(log_posterior), log_posterior.argmax(axis=1)
    paid = COSTS[codes, (posterior @ COSTS).argmin(axis=1)]
    return {
        "error": 1 - metrics.accuracy_score(codes, guesses),
        "accuracy": metrics.accuracy_score(codes, guesses),
        "balanced_accuracy": metrics.balanced_accuracy_score(codes, guesses),
        "f1": metrics.f1_score(codes, guesses, average="macro"),
        "auc": metrics.roc_auc_score(codes, posterior, multi_class="ovr"),
        "log_loss": metrics.log_loss(codes, posterior),
        "brier": metrics.brier_score_loss(codes, posterior, scale_by_half=False),
        "cost": paid.mean(),
    }


def test_figures_are_those_of_scikit_learn() -> None:
    log_posterior, codes = noisy()
    seen = evaluate(log_posterior, codes, CLASSES, costs=COSTS, ranked=True)
    for name, expected in figures_of(log_posterior, codes).items():
        assert getattr(seen, name) == pytest.approx(expected, rel=1e-10), name
    guesses = log_posterior.argmax(axis=1)
    expected = metrics.f1_score(codes, guesses, average=None)
    np.testing.assert_allclose(seen.class_f1, expected, rtol=1e-12)
    halves = [
        evaluate(log_posterior[part], codes[part], CLASSES, costs=COSTS, ranked=True)
        for part in (slice(0, 150), slice(150, None))
    ]
    both = halves[0] + halves[1]
    for name, error in seen.standard_errors.items():
        assert getattr(both, name) == pytest.approx(getattr(seen, name), rel=1e-12)
        assert both.standard_errors[name] == pytest.approx(error, rel=1e-10), name


def test_standard_errors_are_those_of_the_jackknife() -> None:
    """Of smooth figures the delta method is the jackknife's limit: 1/n apart."""
    log_posterior, codes = noisy()
    n = codes.size
    seen = evaluate(log_posterior, codes, CLASSES, costs=COSTS, ranked=True)
    kept = [np.delete(np.arange(n), row) for row in range(n)]
    names = ("error", "balanced_accuracy", "f1", "log_loss", "brier", "cost")
    left = [evaluate(log_posterior[rows], codes[rows], CLASSES, costs=COSTS) for rows in kept]
    for name in names:
        values = np.array([getattr(each, name) for each in left])
        jackknife = np.sqrt((n - 1) / n * np.square(values - values.mean()).sum())
        assert seen.standard_errors[name] == pytest.approx(jackknife, rel=0.03), name
    gaps = np.array([each.calibration_error for each in left])
    jackknife = np.sqrt((n - 1) / n * np.square(gaps - gaps.mean()).sum())
    # A gap near 0 may change its sign without a row.
    assert seen.standard_errors["calibration_error"] == pytest.approx(jackknife, rel=0.06)
    # Binomial; the mean of the areas' errors is at least the error of their mean.
    binomial = np.sqrt(seen.error * (1 - seen.error) / n)
    assert seen.standard_errors["accuracy"] == pytest.approx(binomial, rel=1e-12)
    areas = np.array(
        [evaluate(log_posterior[rows], codes[rows], CLASSES, ranked=True).auc for rows in kept]
    )
    jackknife = np.sqrt((n - 1) / n * np.square(areas - areas.mean()).sum())
    assert jackknife < seen.standard_errors["auc"] < 2 * jackknife


def test_interval_of_the_error() -> None:
    for wrong, n in ((0, 30), (3, 150), (7, 7)):
        seen = Evaluation(np.arange(2), np.array([[n - wrong, wrong], [0, 0]]), 0.5, 0.25)
        expected = binomtest(wrong, n).proportion_ci(method="wilson")
        assert seen.error_interval == pytest.approx((expected.low, expected.high), abs=1e-6)


def test_the_baseline_states_the_class_frequencies() -> None:
    log_posterior, codes = noisy()
    frequencies = np.array([0.5, 0.3, 0.2])
    seen = evaluate(log_posterior, codes, CLASSES, frequencies=frequencies, costs=COSTS)
    constant = np.broadcast_to(np.log(frequencies), log_posterior.shape)
    expected = evaluate(constant, codes, CLASSES, costs=COSTS, ranked=True)
    assert seen.baseline is not None
    for name, error in expected.standard_errors.items():
        assert getattr(seen.baseline, name) == pytest.approx(getattr(expected, name), rel=1e-12)
        if name not in ("auc", "calibration_error"):
            assert seen.baseline.standard_errors[name] == pytest.approx(error, rel=1e-10)
    assert seen.baseline.auc == 0.5
    assert seen.warnings == []
    assert evaluate(log_posterior, codes, CLASSES).baseline is None


def test_a_model_worse_than_the_baseline_is_warned_of() -> None:
    log_posterior, codes = noisy()
    wrong = evaluate(
        10 * log_posterior[:, ::-1], codes, CLASSES, frequencies=np.array([0.6, 0.3, 0.1])
    )
    loss, error = sorted(wrong.warnings, reverse=True)
    assert loss.endswith("the class frequencies alone give better probabilities")
    assert error.endswith("always predicting the most frequent class makes fewer errors")
    assert "Warning: the log loss is" in str(wrong)
    assert wrong.record()["warnings"] == wrong.warnings
    # A class that the training rows lack is impossible to the baseline.
    lacking = evaluate(log_posterior, codes, CLASSES, frequencies=np.array([0.7, 0.3, 0.0]))
    assert lacking.baseline is not None
    assert lacking.baseline.log_loss == np.inf
    assert lacking.warnings == []
    assert json.loads(json.dumps(lacking.record(), allow_nan=False))["baseline"]["log_loss"] is None


def test_figures_are_printed() -> None:
    log_posterior, codes = noisy()
    names = np.array(["<i>", "b", "c"])
    seen = evaluate(log_posterior, codes, names, frequencies=np.full(3, 1 / 3), ranked=True)
    text = str(seen)
    assert max(map(len, text.splitlines())) <= 80
    (line,) = (line.split() for line in text.splitlines() if line.startswith("log loss"))
    loss, error = seen.log_loss, seen.standard_errors["log_loss"]
    assert line[2:5] == [f"{loss:.4f}", f"{error:.4f}", f"{np.log(3):.4f}"]
    assert "<i>" not in seen._repr_html_()
    assert "&lt;i&gt;" in seen._repr_html_()
    # A class that is neither true nor predicted has no F1, and no say in the mean.
    part = codes < 2
    only = evaluate(log_posterior[part, :2], codes[part], names[:2], ranked=True)
    never = np.full((part.sum(), 1), -np.inf)
    padded = evaluate(np.c_[log_posterior[part, :2], never], codes[part], names, ranked=True)
    for name in ("f1", "auc", "balanced_accuracy"):
        assert getattr(padded, name) == pytest.approx(getattr(only, name), rel=1e-12)
        assert padded.standard_errors[name] == pytest.approx(only.standard_errors[name], rel=1e-12)
