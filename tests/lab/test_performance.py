"""Parameters and errors of all features, against scikit-learn and by leaving out row by row."""

from typing import Any

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import confusion_matrix, log_loss
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from gaussbayes import GaussianClassifier
from tests.lab.page import FITTED, Page


def test_the_irises(page: Page) -> None:
    data = page.data("irises", split={"test": 0.3})
    head = page.ask("numbers", data=data, pair=[0, 1], model=FITTED | {"shared": True}).head
    dataset = page.store.dataset(data)
    X, codes, test = dataset.table.X, dataset.table.codes, dataset.test
    peer = LinearDiscriminantAnalysis(solver="lsqr").fit(X[~test], codes[~test])
    for part, rows in (("train", ~test), ("test", test)):
        told = peer.predict_proba(X[rows])
        found = head[part]
        assert found["n"] == rows.sum()
        assert found["error"] == pytest.approx(1 - peer.score(X[rows], codes[rows]))
        assert found["log_loss"] == pytest.approx(log_loss(codes[rows], told), rel=1e-6)
        brier = np.square(told - np.eye(3)[codes[rows]]).sum(axis=1).mean()
        assert found["brier"] == pytest.approx(brier, rel=1e-6)
        confusion = confusion_matrix(codes[rows], told.argmax(axis=1))
        np.testing.assert_array_equal(found["confusion"], confusion)
        assert sum(group["n"] for group in found["calibration"]) == rows.sum()
    alone = cross_val_predict(
        LinearDiscriminantAnalysis(solver="lsqr"), X[~test], codes[~test], cv=LeaveOneOut()
    )
    assert head["leave_one_out"]["error"] == pytest.approx(np.mean(alone != codes[~test]))
    assert head["leave_one_out"]["folds"] is None
    assert (head["iterations"], head["categories"]) == (None, [])
    parameters = head["parameters"]
    np.testing.assert_allclose(parameters["means"], peer.means_)
    np.testing.assert_allclose(parameters["covariances"][0], peer.covariance_)
    deviation = np.sqrt(np.diagonal(peer.covariance_))
    np.testing.assert_allclose(
        parameters["correlations"][2], peer.covariance_ / np.multiply.outer(deviation, deviation)
    )
    assert head["count"] == 2 + 12 + 10
    assert head["features"] == list(dataset.table.features)


def test_by_hand_the_features_are_those_of_the_pair(page: Page) -> None:
    hand: dict[str, Any] = {
        "from": "hand",
        "priors": [0.5, 0.25, 0.25],
        "means": [[1.4, 0.2], [4.3, 1.3], [5.5, 2.0]],
        "covariances": [[[0.1, 0], [0, 0.1]]] * 3,
    }
    head = page.ask("numbers", data=page.data("irises"), pair=[2, 3], model=hand).head
    assert head["features"] == ["petal length (cm)", "petal width (cm)"]
    assert head["train"]["n"] == 150
    assert head["train"]["error"] < 0.1
    assert head["test"] is None
    assert head["leave_one_out"] is None
    alone = {"priors": [1], "means": [[0, 0]], "covariances": [[[1, 0], [0, 1]]]}
    head = page.ask("numbers", data=page.data("irises"), pair=[2, 3], model=hand | alone).head
    assert head["train"]["error"] == pytest.approx(2 / 3)
    assert head["train"]["log_loss"] is None  # infinite
    np.testing.assert_array_equal(head["train"]["confusion"], [[50, 0, 0]] * 3)


def test_neighbours(page: Page) -> None:
    data = page.data("two_gaussians", n=60)
    head = page.ask("numbers", data=data, pair=[0, 1], model={"from": "neighbours", "k": 3}).head
    table = page.store.dataset(data).table
    alone = cross_val_predict(KNeighborsClassifier(3), table.X, table.codes, cv=LeaveOneOut())
    assert head["leave_one_out"]["error"] == pytest.approx(np.mean(alone != table.codes))
    assert head["parameters"] is None
    assert head["count"] is None


def test_rows_with_missing_values_are_left_out_in_folds(page: Page) -> None:
    data = page.data("gaps")
    head = page.ask("numbers", data=data, pair=[0, 1], model=FITTED).head
    assert head["train"]["n"] == 250
    assert head["iterations"] > 0
    table = page.store.dataset(data).table
    fold = np.empty(250, int)
    fold[np.argsort(table.codes, kind="stable")] = np.arange(250) % 10
    wrong = np.empty(250, bool)
    for number in range(10):
        rest, test = fold != number, fold == number
        peer = GaussianClassifier().fit(table.X[rest], table.codes[rest])
        wrong[test] = peer.predict(table.X[test]) != table.codes[test]
    assert (head["leave_one_out"]["folds"], head["leave_one_out"]["n"]) == (10, 250)
    assert head["leave_one_out"]["error"] == pytest.approx(wrong.mean())


def test_a_row_without_which_there_is_no_model(page: Page) -> None:
    head = page.ask("numbers", data=page.data("naive_bayes"), pair=[0, 1], model=FITTED).head
    assert head["leave_one_out"] is None
    assert head["train"]["error"] == 0


def test_classes_without_rows(page: Page) -> None:
    data = page.data("three", n=60)
    codes = page.store.dataset(data).table.codes
    points = [[float(i % 5), float(i % 7), int(c)] for i, c in enumerate(codes) if c != 1]
    painted = page.points(points, ["p", "q", "r"])
    head = page.ask("numbers", data=painted, pair=[0, 1], model=FITTED).head
    assert head["parameters"]["correlations"][1] is None
    assert np.shape(head["train"]["confusion"]) == (3, 3)
    assert np.shape(head["leave_one_out"]["confusion"]) == (3, 3)


def test_a_problem(page: Page) -> None:
    head = page.ask("numbers", data=page.data("few_rows"), pair=[0, 1], model=FITTED).head
    assert "class 'A'" in head["problem"]
    assert head["train"] is None
