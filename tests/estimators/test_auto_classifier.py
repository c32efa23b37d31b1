"""`AutoClassifier`: an estimator in its own right over the automatic settings."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gaussbayes import AutoClassifier, DroppedColumnsWarning, FileError, GaussianClassifier, load
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.datasets import load_iris

IRIS = load_iris()
X, Y = IRIS.rows, IRIS.labels


def test_scikit_learns_tools() -> None:
    model = AutoClassifier(priors="uniform", n_jobs=1)
    assert model.get_params() == {
        "columns": None,
        "families": None,
        "n_jobs": 1,
        "priors": "uniform",
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
    assert float(model.model_.statistics.weight.sum()) == 150
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
    with pytest.raises(FileError, match=r"saved by AutoClassifier, not by .*gaussbayes\.load"):
        GaussianClassifier.load(tmp_path / "auto.json")
    both = load(tmp_path / "auto.json").partial_fit(X[:30], Y[:30])
    loaded.partial_fit(X[:30], Y[:30])
    np.testing.assert_allclose(loaded.predict_proba(X), both.predict_proba(X), rtol=1e-9)


def test_a_frame_of_numbers_and_categories() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"size": rng.normal(size=80), "kind": rng.choice(["u", "v"], 80)})
    labels = np.where((frame["size"] > 0) ^ (frame["kind"] == "u"), "yes", "no")
    frame = frame.assign(number=np.arange(80), answer=labels)
    with pytest.warns(DroppedColumnsWarning, match=r"dropped number \(ident"):
        model = AutoClassifier(families={"size": "gaussian"}).fit(frame, "answer")
    assert [column.name for column in model.columns_.dropped] == ["number"]
    assert "answer" not in model.feature_names_in_
    marginal = model.marginal(["size"])
    assert marginal.predict_proba(frame[["size"]]).shape == (80, 2)


def test_calibration_stays_until_the_next_fit(tmp_path: Path) -> None:
    """Through a file, more rows, fewer rows and merging with a part that was fitted like it."""
    model = GaussianClassifier(calibrate=True).fit(X[::2], Y[::2])
    loaded = GaussianClassifier.load(model.save(tmp_path / "m.json"))
    assert loaded.calibrate
    plain = GaussianClassifier().fit(X, Y)
    likelihood, log_prior = plain.scores(X).log_likelihood, np.log(plain.priors_)
    for each in (model, loaded):
        before = each.model_.calibration
        assert before is not None
        part = GaussianClassifier().fit(X[1::2], Y[1::2], like=each)
        each.partial_fit(X[1::2], Y[1::2])
        expected = before.log_posterior(likelihood, log_prior)
        np.testing.assert_allclose(each.predict_log_proba(X), expected, rtol=1e-9, atol=1e-12)
        each.forget(X[1::2], Y[1::2]).merge(part)
        np.testing.assert_allclose(each.predict_log_proba(X), expected, rtol=1e-7, atol=1e-9)
        each.forget(part).merge(GaussianClassifier().fit(X[1::2], Y[1::2]))
        with pytest.raises(DataError, match="calibrated separately.*like the first"):
            each.merge(GaussianClassifier(calibrate=True).fit(X[1::2], Y[1::2]))
        each.set_params(calibrate=False).fit(X, Y)
        assert each.model_.calibration is None


def test_rows_left_out_of_a_calibrated_model_are_calibrated_by_others() -> None:
    model = GaussianClassifier(calibrate=True)
    loss = model.leave_one_out(X, Y).evaluation.log_loss
    assert loss == clone(model).fit(X, Y).leave_one_out(X, Y).evaluation.log_loss
    assert loss != GaussianClassifier().leave_one_out(X, Y).evaluation.log_loss
    scores = np.concatenate(model.fit(X, Y).model_.calibration.left_out)
    assert loss == pytest.approx(-scores.mean(), rel=1e-12)
    for coverage in (0.0, 1.5, np.nan, "0.9", None, True):
        with pytest.raises(OptionError, match=r"coverage must be .*got"):
            model.predict_set(X, coverage)  # type: ignore[arg-type]


def test_parts_fitted_like_a_selected_model_merge_exactly() -> None:
    model = AutoClassifier().fit(X, Y)
    parts = [AutoClassifier().fit(X[n::3], Y[n::3], like=model) for n in range(3)]
    merged = clone(model).merge(parts[2]).merge(parts[0]).merge(parts[1])
    expected = model.predict_proba(X)
    np.testing.assert_allclose(merged.predict_proba(X), expected, rtol=1e-12, atol=1e-15)
    again = AutoClassifier().fit(X, Y, like=model)
    np.testing.assert_array_equal(again.predict_proba(X), expected)
    assert merged.selection_ is model.selection_
    with pytest.raises(DataError, match="computed under different transforms"):
        model.merge(AutoClassifier().fit(X[::2], Y[::2]))
