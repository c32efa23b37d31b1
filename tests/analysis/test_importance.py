"""Importance: refitting scikit-learn's models without each feature gives the same numbers."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

from gaussbayes import AutoClassifier, DataError, GaussianClassifier
from tests.composition.oracle import Data, in_folds

X, Y = load_wine(return_X_y=True)
X = X[:, :5]
ROWS = Data(X, np.empty((Y.size, 0)), np.empty((Y.size, 0), int), (), Y, 3)


def log_posteriors(model: Any, columns: list[int]) -> Any:
    """Log posteriors of held-out rows by a model of scikit-learn that has these features alone."""
    result, number = np.empty((Y.size, 3)), in_folds(ROWS, 10)
    for fold in range(10):
        train, test = number != fold, number == fold
        fitted = model.fit(X[train][:, columns], Y[train])
        result[test] = fitted.predict_log_proba(X[test][:, columns])
    return result


def losses(model: Any, columns: list[int]) -> Any:
    """Log losses of held-out rows."""
    return -log_posteriors(model, columns)[np.arange(Y.size), Y]


def log_odds(model: Any, columns: list[int]) -> Any:
    """Log-odds of the true class against the best other one."""
    posterior = log_posteriors(model, columns)
    others = np.where(np.eye(3, dtype=bool)[Y], -np.inf, posterior)
    return posterior[np.arange(Y.size), Y] - others.max(axis=1)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (GaussianClassifier(), QuadraticDiscriminantAnalysis()),
        (GaussianClassifier(shared=True), LinearDiscriminantAnalysis(solver="lsqr")),
        (GaussianClassifier("diagonal"), GaussianNB(var_smoothing=0)),
    ],
)
def test_a_feature_integrated_out_is_a_feature_never_seen(ours: Any, theirs: Any) -> None:
    """For these models the marginal of the fit is the fit without the feature."""
    found = ours.fit(X, Y).importance(X, Y)
    whole = losses(theirs, list(range(5)))
    assert found.log_loss == pytest.approx(whole.mean(), rel=1e-7)
    assert (found.n_rows, found.n_folds) == (178, 10)
    expected = {}
    for j in range(5):
        difference = losses(theirs, [i for i in range(5) if i != j]) - whole
        expected[f"feature {j}"] = difference.mean(), difference.std() / np.sqrt(178)
    for each in found.features:
        loss, error = expected[each.feature]
        assert each.loss == pytest.approx(loss, rel=1e-6, abs=1e-9)
        assert each.standard_error == pytest.approx(error, rel=1e-6)
        margin = [log_odds(theirs, [i for i in range(5) if f"feature {i}" != each.feature])]
        margin.append(log_odds(theirs, list(range(5))))
        assert each.effect == pytest.approx(np.abs(margin[0] - margin[1]).mean(), rel=1e-6)
    amounts = [each.loss for each in found.features]
    assert amounts == sorted(amounts, reverse=True)
    assert "nats per row" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["features"][0]["loss"] == amounts[0]


def test_noise_has_no_importance_and_any_table_has_one() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(["no", "yes"], 150)
    frame = pd.DataFrame(
        {
            "noise": rng.normal(size=300),
            "number": rng.normal(size=300) + 1.5 * (y == "yes"),
            "kind": np.where(rng.random(300) < 0.3 + 0.4 * (y == "yes"), "x", "z"),
        }
    )
    frame.loc[::7, "number"] = np.nan
    for model in (AutoClassifier(), GaussianClassifier(smoothing=1.0)):
        frame["kind"] = frame["kind"].astype("category")
        found = model.fit(frame, y).importance(frame, y)
        assert [each.feature for each in found.features] == ["number", "kind", "noise"]
        by_name = {each.feature: each for each in found.features}
        assert by_name["number"].loss > 3 * by_name["number"].standard_error
        assert abs(by_name["noise"].loss) < 3 * by_name["noise"].standard_error + 0.005
    # One feature alone: without it, the class frequencies are left.
    single = GaussianClassifier().fit(frame[["noise"]], y).importance(frame[["noise"]], y)
    assert single.log_loss + single.features[0].loss == pytest.approx(np.log(2), abs=1e-3)


def test_weights_are_repetitions_and_unlabelled_rows_are_ignored() -> None:
    model = GaussianClassifier(shared=True).fit(X, Y)
    twice = model.importance(X, Y, sample_weight=np.full(178, 2.0))
    once = model.importance(X, Y)
    assert [each.loss for each in twice.features] == pytest.approx(
        [each.loss for each in once.features], rel=1e-9
    )
    some = np.where(np.arange(178) % 5 == 0, None, Y.astype(object))
    assert model.importance(X, some).n_rows == 142
    with pytest.raises(DataError, match="at least two rows"):
        model.importance(X[[0, 70, 150]], Y[[0, 70, 150]])
