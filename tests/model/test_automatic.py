"""The automatic choice on tables that a classifier may well meet, and on random ones."""

import numpy as np
import pandas as pd
import pytest

from gaussbayes import AutoClassifier, GaussianClassifier
from tests.fuzz import automatic
from tests.models import automatic_classifier


def test_random_tables():
    outcome = automatic.run(3, seed=100)
    assert not outcome.failures


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("n_features", [2, 5])
def test_of_one_row_a_class_the_means_are_known(average, n_features):
    X, y = np.eye(3, n_features), ["a", "b", "c"]
    assert automatic_classifier(average=average).fit(X, y).predict(X).tolist() == y


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("what", ["constant", "two values", "far away", "one row", "wide"])
def test_difficult_tables(average, what):
    """They are fitted without a warning, and as well as the other features and rows allow."""
    generator = np.random.default_rng(0)
    y = np.arange(45) % 3
    X = generator.normal(size=(45, 60 if what == "wide" else 3)) + 2.0 * y[:, None]
    if what == "constant":
        X[:, 0] = 5.0
    elif what == "two values":
        X[:, 0] = y == 1
    elif what == "far away":
        X[7, 1] = 1e300
    elif what == "one row":
        y[0] = 3
    model = automatic_classifier(average=average).fit(X, y)
    posterior = model.predict_proba(X)
    np.testing.assert_allclose(posterior.sum(axis=1), 1.0, rtol=1e-12)
    assert (posterior > 0).all()
    assert model.score(X, y) > 0.75
    assert model.predict_set(X, by_class=True).members[np.arange(45), y].mean() > 0.8


@pytest.mark.parametrize("average", [False, True])
def test_a_feature_that_a_class_never_has(average):
    generator = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = generator.normal(size=(40, 2)) + 2.0 * y[:, None]
    X[y == 0, 1] = np.nan
    model = automatic_classifier(average=average).fit(X, y)
    assert (model.predict(X) == y).mean() > 0.7


def test_rows_without_any_value_say_nothing_when_they_are_left_out():
    """Without the row 19 of 39 rows are of its class, and nothing else is known of it."""
    y = np.arange(40) % 2
    X = np.random.default_rng(0).normal(size=(40, 1)) + 3.0 * y[:, None]
    X[:30] = np.nan
    model = automatic_classifier(coded=False).fit(X, y)
    losses = [candidate.log_loss for candidate in model.selection_.candidates]
    assert min(losses) > 30 / 40 * np.log(39 / 19)


def test_unlabelled_rows_are_looked_at_with_every_weight():
    generator = np.random.default_rng(1)
    y = generator.integers(0, 2, 120)
    X = generator.normal(size=(120, 2)) + 1.5 * y[:, None]
    labels = y.astype(object)
    labels[30:] = None
    model = AutoClassifier().fit(X, labels)
    selection = model.selection_
    losses = [candidate.log_loss for candidate in selection.weights]
    assert len(set(losses)) == 3
    # Judged by folds, they are not among those that were judged by leaving out each row.
    by_labels, by_weights = selection.tables()
    assert (selection.ranked[0].name, len(by_weights.rows)) == (selection.best.name, 3)
    assert {each.unlabelled_weight for each in selection.candidates} == {0.0}
    names = [(each.name, each.shrinkage) for each in selection.candidates]
    assert len(set(names)) == len(names)
    assert "unlabelled" not in " ".join(by_labels.columns)
    assert by_weights.title.startswith("weight of unlabelled rows")
    assert f"{selection.best.unlabelled_weight:g}" in by_weights.rows[0]


def test_unlabelled_rows_count_only_where_they_clearly_help():
    """Otherwise the model is exactly that of the labelled rows; a weight that is given is taken."""
    generator = np.random.default_rng(1)
    y = generator.integers(0, 2, 120)
    X = np.exp(generator.normal(size=(120, 2)) + 0.5 * y[:, None])
    labels = y.astype(object)
    labels[30:] = None
    beside, alone = (
        AutoClassifier().fit(rows, classes) for rows, classes in ((X, labels), (X[:30], y[:30]))
    )
    assert beside.selection_.best.unlabelled_weight == 0
    np.testing.assert_array_equal(beside.predict_proba(X), alone.predict_proba(X))
    assert beside.model_.learnt.unlabelled is not None
    # Two clusters in many dimensions, of which labelled rows show little: all rows are of use.
    labels = (np.arange(400) % 2).astype(object)
    clusters = np.random.default_rng(1).normal(size=(400, 30)) + 0.73 * (labels == 1)[:, None]
    labels[20:] = None
    assert AutoClassifier().fit(clusters, labels).selection_.best.unlabelled_weight == 1
    for average in (False, True):
        for weight in (0.0, 0.3, 1.0):
            model = automatic_classifier(unlabelled_weight=weight, average=average)
            model.fit(X, [None if n >= 30 else c for n, c in enumerate(y.tolist())])
            members = model.model_.weighted_members
            assert {each.settings.unlabelled_weight for _, each in members} == {weight}


def test_parameters_of_few_rows_are_integrated_out():
    """Estimated from a handful of rows, and taken to be true, they make posteriors too sure.

    Ten rows a class do for variances, and ten for each class and feature for covariances. What is
    asked for is tried with any number of rows.
    """
    for n in (19, 20, 59, 60):
        y = np.arange(n) % 2
        X = np.random.default_rng(n).normal(size=(n, 3)) + 3.0 * y[:, None]
        names = {each.name for each in AutoClassifier().fit(X, y).selection_.candidates}
        names = {name.partition(", ")[0] for name in names}
        variances = {"Gaussian naive Bayes", "diagonal", "diagonal LDA"} if n >= 20 else set()
        covariances = {"QDA", "full", "LDA"} if n >= 60 else set()
        assert names == {"predictive"} | variances | covariances
        plain = GaussianClassifier("auto").fit(X, y).selection_.candidates
        assert {"QDA", "LDA", "diagonal LDA"} < {each.name for each in plain}


def test_rows_of_gaussians_have_the_model_that_they_were_drawn_from(tmp_path):
    """Nothing is shrunk or integrated out where rows are many; files and averages keep that."""
    generator = np.random.default_rng(0)
    y = np.arange(900) % 3
    mixed = generator.normal(size=(4, 4))
    X = generator.normal(size=(900, 4)) @ mixed + generator.normal(size=(3, 4))[y] @ mixed
    model = AutoClassifier().fit(X, y)
    best = model.selection_.best
    assert best.name.startswith("LDA, ")
    assert (best.shrinkage, best.settings.first("estimation")) == (None, "plug_in")
    model.save(tmp_path / "model.json")
    again = GaussianClassifier.load(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    # More rows keep the choice, and are those of one fit but for transforms and calibration.
    model.partial_fit(X[:300] + 0.1, y[:300])
    assert model.model_.settings.first("estimation") == "plug_in"
    average = automatic_classifier(average=True).fit(X, y)
    members = [each.settings.first("estimation") for _, each in average.model_.weighted_members]
    assert "plug_in" in members


def test_strings_and_booleans_are_categories_but_integers_are_not():
    generator = np.random.default_rng(2)
    y = np.arange(30) % 2
    frame = pd.DataFrame(
        {
            "size": generator.integers(0, 5, 30),
            "wind": np.where(generator.random(30) < 0.4 + 0.3 * y, "S", "M"),
            "wet": generator.random(30) < 0.5,
        }
    )
    model = AutoClassifier().fit(frame, y)
    assert model.categories_ == {"wind": ("M", "S"), "wet": (False, True)}
    array = AutoClassifier().fit(frame.to_numpy(dtype=object), y)
    np.testing.assert_allclose(
        array.predict_proba(frame.to_numpy(dtype=object)), model.predict_proba(frame), rtol=1e-12
    )
