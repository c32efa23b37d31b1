"""Calibrated and averaged classifiers: what stays with them, and what they refuse."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from gaussbayes import AutoClassifier, GaussianClassifier, write_report
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.datasets import load_iris
from gaussbayes.report import svg_figures
from tests.models import automatic_classifier

IRIS = load_iris()
X, Y = IRIS.rows, IRIS.labels


def test_calibration_stays_until_the_next_fit(tmp_path: Path) -> None:
    """Through a file, more rows, fewer rows and merging; not after it was switched off."""
    model = GaussianClassifier(calibration="leave_one_out").fit(X[::2], Y[::2])
    loaded = GaussianClassifier.load(model.save(tmp_path / "m.json"))
    assert loaded.calibration == "leave_one_out"
    for each in (model, loaded):
        before = each.model_.calibration
        assert before is not None
        each.partial_fit(X[1::2], Y[1::2])
        plain = GaussianClassifier().fit(X, Y)
        likelihood, log_prior = plain.log_likelihood(X), np.log(plain.priors_)
        expected = before.log_posterior(likelihood, log_prior)
        np.testing.assert_allclose(each.predict_log_proba(X), expected, rtol=1e-9, atol=1e-12)
        each.forget(X[1::2], Y[1::2]).merge(GaussianClassifier().fit(X[1::2], Y[1::2]))
        np.testing.assert_allclose(each.predict_log_proba(X), expected, rtol=1e-7, atol=1e-9)
        each.set_params(calibration=None).partial_fit(X[:1], Y[:1])
        assert each.model_.calibration is None


def test_rows_left_out_of_a_calibrated_model_are_calibrated_by_others() -> None:
    model = GaussianClassifier(calibration="leave_one_out")
    loss = model.leave_one_out(X, Y).evaluation.log_loss
    assert loss == clone(model).fit(X, Y).leave_one_out(X, Y).evaluation.log_loss
    assert loss != GaussianClassifier().leave_one_out(X, Y).evaluation.log_loss
    scores = np.concatenate(model.fit(X, Y).model_.calibration.left_out)
    assert loss == pytest.approx(-scores.mean(), rel=1e-12)


def test_where_all_rows_left_out_are_right_nothing_is_sharpened() -> None:
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(40, 2)), np.repeat([0, 1], 20)
    rows[labels == 1] += 100.0
    plain = GaussianClassifier().fit(rows, labels)
    model = GaussianClassifier(calibration="leave_one_out").fit(rows, labels)
    assert plain.leave_one_out(rows, labels).evaluation.n_errors == 0
    calibration = model.model_.calibration
    assert calibration.temperature == pytest.approx(1.0, abs=1e-6)
    np.testing.assert_allclose(calibration.offsets, 0.0, atol=1e-6)
    assert (model.predict_proba(rows).max(axis=1) <= plain.predict_proba(rows).max(axis=1)).all()
    assert (model.predict(rows) == labels).all()


@pytest.mark.parametrize("coverage", [0.0, 1.0, -0.1, 1.5, np.nan, "0.9", None, True])
def test_coverage_that_is_none(coverage: Any) -> None:
    model = GaussianClassifier(calibration="leave_one_out").fit(X, Y)
    with pytest.raises(OptionError, match=r"coverage must be .*got"):
        model.predict_set(X, coverage)


def test_what_cannot_be_combined() -> None:
    with pytest.raises(OptionError, match="nothing is left open: give shared='auto'"):
        GaussianClassifier(average=True).fit(X, Y)
    with pytest.raises(OptionError, match="not by selection='bic'"):
        automatic_classifier(average=True, selection="bic").fit(X, Y)
    average = automatic_classifier(average=True).fit(X, Y)
    with pytest.raises(OptionError, match="judge an average by folds"):
        average.leave_one_out(X, Y)
    for step in (average.partial_fit, average.forget):
        with pytest.raises(DataError, match="it averages several models"):
            step(X[:3], Y[:3])


def test_candidates_are_told_apart() -> None:
    selection = AutoClassifier().fit(X, Y).selection_
    (table,) = selection.tables(None)
    assert len({tuple(row[:2]) for row in table.rows}) == len(selection.candidates)
    lines = str(selection).splitlines()
    assert lines[4].startswith(selection.best.name)
    assert lines[-1] == f"… {len(selection.candidates) - 20} more rows"
    for candidate in selection.candidates:
        shrinkage = "" if candidate.shrinkage is None else f", shrinkage {candidate.shrinkage} to "
        assert str(candidate).startswith(candidate.name + (shrinkage or ": "))
        assert str(candidate.transform) in candidate.name
    kinds = {candidate.name.partition(", ")[0] for candidate in selection.candidates}
    assert {"predictive", "QDA", "LDA", "diagonal LDA"} < kinds
    plug_in = GaussianClassifier("auto").fit(X, Y).selection_
    assert {"QDA", "LDA"} < {candidate.name for candidate in plug_in.candidates}


@pytest.mark.parametrize("average", [False, True])
def test_a_report(tmp_path: Path, average: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(svg_figures, "inline_figures", lambda _: {})
    model = automatic_classifier(average=average).fit(X, Y)
    text = write_report(model, X, Y, tmp_path / "r.html", held_out=2).read_text(encoding="utf-8")
    assert "by rows left out: temperature" in text
    assert ("+ calibration" in text) == (not average)  # an average has the joint that it has
    assert (f"average of {len(model.model_.weighted_members)} models" in text) == average
    assert ("automatic average" in text) == average
