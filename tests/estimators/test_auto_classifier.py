"""`AutoClassifier`: an estimator in its own right over the automatic settings."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gaussbayes import AutoClassifier, GaussianClassifier, compare
from gaussbayes.base.errors import DataError
from gaussbayes.datasets import load_iris
from tests.models import automatic_classifier

IRIS = load_iris()
X, Y = IRIS.rows, IRIS.labels


def test_it_is_the_classifier_with_all_settings_chosen() -> None:
    ours, theirs = AutoClassifier().fit(X, Y), automatic_classifier().fit(X, Y)
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))
    assert ours.selection_.best == theirs.selection_.best
    uniform = AutoClassifier(priors="uniform").fit(X[20:], Y[20:])
    np.testing.assert_allclose(uniform.priors_, 1 / 3)


def test_scikit_learns_tools() -> None:
    model = AutoClassifier(priors="uniform", n_jobs=1)
    assert model.get_params() == {
        **{"columns": None, "families": None, "n_jobs": 1, "priors": "uniform"}
    }
    assert clone(model).set_params(priors=None).priors is None
    scores = cross_val_score(make_pipeline(StandardScaler(), model), X, Y, cv=3)
    assert scores.min() > 0.9
    assert not hasattr(model.fit(X, Y), "transform")
    assert repr(model) == "AutoClassifier(n_jobs=1, priors='uniform')"


def test_the_first_batch_selects_and_later_ones_keep_the_selection() -> None:
    model = AutoClassifier().partial_fit(X[::2], Y[::2], classes=np.unique(Y))
    chosen, calibration = model.selection_.best, repr(model.model_.calibration)
    np.testing.assert_array_equal(
        model.predict_proba(X), AutoClassifier().fit(X[::2], Y[::2]).predict_proba(X)
    )
    model.partial_fit(X[1::2], Y[1::2])
    assert (model.selection_.best, repr(model.model_.calibration)) == (chosen, calibration)
    assert float(model.model_.learnt.weight.sum()) == 150
    with pytest.raises(DataError, match="'virginica'"):
        AutoClassifier().partial_fit(X, Y, classes=["setosa", "versicolor"])
    assert not hasattr(AutoClassifier(), "classes_")


def test_files_updates_and_merging(tmp_path: Path) -> None:
    model = AutoClassifier().fit(X, Y)
    loaded = AutoClassifier.load(model.save(tmp_path / "auto.json"))
    assert loaded.get_params() == AutoClassifier().get_params()
    np.testing.assert_allclose(loaded.predict_proba(X), model.predict_proba(X), rtol=1e-12)
    merged = AutoClassifier().merge(model)
    np.testing.assert_allclose(merged.predict_proba(X), model.predict_proba(X), rtol=1e-9)
    both = GaussianClassifier.load(tmp_path / "auto.json").partial_fit(X[:30], Y[:30])
    loaded.partial_fit(X[:30], Y[:30])
    np.testing.assert_allclose(loaded.predict_proba(X), both.predict_proba(X), rtol=1e-9)


def test_evaluation_selects_anew_without_the_rows() -> None:
    ours = AutoClassifier().evaluate(X, Y, held_out=3)
    theirs = automatic_classifier().evaluate(X, Y, held_out=3)
    assert ours.log_loss == theirs.log_loss
    assert compare(X, Y, held_out=3, model=AutoClassifier(), neighbors=[]).candidates
    fitted = AutoClassifier().fit(X, Y)
    assert fitted.leave_one_out(X, Y).evaluation.log_loss == pytest.approx(
        automatic_classifier().fit(X, Y).leave_one_out(X, Y).evaluation.log_loss
    )


def test_a_frame_of_numbers_and_categories() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"size": rng.normal(size=80), "kind": rng.choice(["u", "v"], 80)})
    labels = np.where((frame["size"] > 0) ^ (frame["kind"] == "u"), "yes", "no")
    frame = frame.assign(number=np.arange(80), answer=labels)
    model = AutoClassifier(families={"size": "gaussian"}).fit(frame, "answer")
    assert [column.name for column in model.columns_.left_out] == ["number"]
    assert "answer" not in model.feature_names_in_
    marginal = model.marginal(["size"])
    assert marginal.predict_proba(frame[["size"]]).shape == (80, 2)
