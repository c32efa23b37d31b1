"""Posteriors with and without unlabelled rows, averaged: the mean of two models fitted apart."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gaussbayes import AutoClassifier, OptionError, load
from tests.export.engines import ENGINES, assert_same_scores

TABLES = {"numbers": (240, 4), "missing": (240, 1), "pooled": (600, 1)}
"""Numbers of rows and seeds of tables in which the folds do not decide."""

every = pytest.mark.parametrize("kind", TABLES)


def table(kind: str, n: int = 240, seed: int = 0) -> tuple[pd.DataFrame, Any, Any]:
    """Rows, labels most of which are missing, and the classes."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, n)
    frame = pd.DataFrame(random.normal(size=(n, 2)) + 1.3 * np.eye(3)[y][:, :2], columns=["x", "z"])
    frame["kind"] = np.where(random.random(n) < 0.4, y, random.integers(0, 3, n)).astype(str)
    if kind == "pooled":  # an interaction, which pairs of levels represent
        frame["z"] = random.normal(size=n)
        frame["kind"] = np.where((frame["z"] > 0) == (y == 0), "0", "1")
    if kind == "missing":
        frame = frame.mask(random.random(frame.shape) < 0.1)
    names = np.array(["a", "b", "c"], dtype=object)[y]
    labels = names.copy()
    labels[n // 4 if kind != "pooled" else n // 2 :] = None
    return frame, labels, names


@cache
def fitted(kind: str) -> AutoClassifier:
    frame, labels, _ = table(kind, *TABLES[kind])
    model = AutoClassifier().fit(frame, labels)
    assert model.selection_.title.endswith(" + pairs") == (kind == "pooled")
    return model


def apart(model: AutoClassifier, frame: pd.DataFrame, labels: Any) -> list[AutoClassifier]:
    """The models of all rows and of the labelled rows, each with its calibration."""
    labelled = labels != None  # noqa: E711
    rows = ((frame, labels), (frame[labelled], labels[labelled]))
    settings = model.model_.settings.averaged
    models = []
    for (some, of_some), each in zip(rows, settings, strict=True):
        record = AutoClassifier().fit(some, of_some, like=model).model_
        models.append(AutoClassifier._from_model(replace(record, settings=each, solution=None)))
    return models


def mean_of(models: list[Any], frame: pd.DataFrame) -> Any:
    return np.log(np.mean([model.predict_proba(frame) for model in models], axis=0))


def close(actual: Any, expected: Any, tolerance: float = 1e-9) -> None:
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


@every
def test_posteriors_are_the_mean_of_those_of_models_fitted_apart(kind: str) -> None:
    model, (frame, labels, _) = fitted(kind), table(kind, *TABLES[kind])
    models = apart(model, frame, labels)
    new, _, truth = table(kind, 400, seed=99)
    expected = mean_of(models, new)
    close(model.predict_log_proba(new), expected)
    assert model.predict(new).tolist() == model.classes_[expected.argmax(axis=1)].tolist()
    close(model.log_odds(new, "a", "c"), expected[:, 0] - expected[:, 2])
    # Never more than log 2 worse than the better of the two, calibrated or not.
    best = np.maximum(*(each.predict_log_proba(new) for each in models))
    assert (expected >= best - np.log(2) - 1e-12).all()
    if kind != "pooled":  # the model without them is that of a fit to the labelled rows
        labelled = labels != None  # noqa: E711
        alone = AutoClassifier().fit(frame[labelled], labels[labelled])
        close(models[1].predict_log_proba(new), alone.predict_log_proba(new))
    close(
        model.evaluate(new, truth).log_loss, -expected[np.arange(400), codes(model, truth)].mean()
    )
    scores, beside = model.scores(new), models[0].scores(new)
    for name in ("log_likelihood", "log_evidence", "squared_distance"):
        close(getattr(scores, name), getattr(beside, name))  # those with unlabelled rows
    close(model.means_, models[0].means_)
    priors = [0.2, 0.5, 0.3]
    close(
        model.with_priors(priors).predict_log_proba(new),
        mean_of([each.with_priors(priors) for each in models], new),
    )
    close(model.with_priors(None).predict_log_proba(new), expected)
    close(model.estimate_priors(new).prior.sum(), 1.0)
    sets = model.predict_set(new, 0.9)
    assert 0.8 < sets.members[np.arange(400), codes(model, truth)].mean() < 1.0
    assert f"{(labels == None).sum()} unlabelled rows used by EM, and the posteriors" in str(  # noqa: E711
        [notice.message for notice in model.notices_]
    )
    assert "Unlabelled rows: averaged; log loss" in str(model.selection_)


def codes(model: AutoClassifier, y: Any) -> Any:
    return np.searchsorted(model.classes_.astype(str), y.astype(str))


@every
def test_marginals_agree_with_missing_values(kind: str) -> None:
    model, (new, _, _) = fitted(kind), table(kind, 100, seed=98)
    kept = ["kind", "x"]
    unknown = new.assign(z=np.nan)
    close(model.marginal(kept).predict_log_proba(new[kept]), model.predict_log_proba(unknown))
    few = model.marginal(kept).with_priors("uniform")
    close(few.predict_log_proba(new[kept]), model.with_priors("uniform").predict_log_proba(unknown))


@every
def test_parts_files_and_forgotten_rows(kind: str, tmp_path: Path) -> None:
    model, (frame, labels, _) = fitted(kind), table(kind, *TABLES[kind])
    expected = model.predict_log_proba(frame)
    odd = np.arange(len(frame)) % 2 == 1
    whole, part = (AutoClassifier().fit(frame[~odd], labels[~odd], like=model) for _ in range(2))
    other = AutoClassifier().fit(frame[odd], labels[odd], like=model)
    close(other.merge(part).predict_log_proba(frame), expected, 1e-5)
    whole.partial_fit(frame[odd], labels[odd])
    close(whole.predict_log_proba(frame), expected, 1e-5)
    whole.forget(frame[odd], labels[odd])
    close(whole.predict_log_proba(frame), part.predict_log_proba(frame), 1e-5)
    # Without unlabelled rows, both are the model of the labelled rows.
    hidden = labels == None  # noqa: E711
    again = AutoClassifier().fit(frame, labels, like=model).forget(frame[hidden], labels[hidden])
    alone = AutoClassifier().fit(frame[~hidden], labels[~hidden], like=model)
    close(again.predict_log_proba(frame), alone.predict_log_proba(frame), 1e-7)
    for rows in (False, True):
        path = model.save(tmp_path / "model.json", unlabelled_rows=rows)
        loaded = load(path)
        np.testing.assert_array_equal(loaded.predict_log_proba(frame), expected)
        assert loaded.save(tmp_path / "again.json", unlabelled_rows=rows).read_bytes() == (
            path.read_bytes()
        )
        assert str(loaded.selection_) == str(model.selection_)
    loaded.partial_fit(frame[:20], labels[:20])
    close(loaded.predict_proba(frame).sum(axis=1), 1.0)
    two = model.with_priors(None).remove_class("b")
    close(np.exp(two.predict_log_proba(frame)).sum(axis=1), 1.0)
    settings = two.model_.settings
    assert settings.unlabelled_rows == "averaged"
    assert settings.calibration.alone.offsets.shape == (2,)


@every
def test_explanations_multiply_out(kind: str) -> None:
    model, (new, _, _) = fitted(kind), table(kind, 20, seed=97)
    members = [np.exp(each) for each in model.model_.log_posteriors(model.model_.rows(new))]
    for row in range(0, 20, 5):
        explained = model.explain(new.iloc[[row]], between=("a", "b"))
        for code, terms in enumerate(explained.bayes.classes):
            product = terms.prior * terms.likelihood / explained.bayes.evidence
            assert product == pytest.approx(members[0][row, code], rel=1e-9)
            both = np.exp(terms.log_averaged)
            close(both, [each[row, code] for each in members])
            assert terms.posterior == pytest.approx(both.mean(), rel=1e-9)
        odds = explained.log_odds
        total = odds.at_reference + sum(each.amount for each in odds.contributions)
        assert total + odds.calibration == pytest.approx(odds.value, abs=1e-9)
        assert odds.value == pytest.approx(model.log_odds(new.iloc[[row]], "a", "b")[0], abs=1e-9)
        assert "the mean of those with and without them" in str(explained)
    for name in ("n_parameters_", "coef_", "intercept_"):
        assert not hasattr(model, name)
    with pytest.raises(OptionError, match="boundaries of a pooled or averaged model"):
        model.boundary("a", "b")


@pytest.mark.parametrize("name", ENGINES)
@every
def test_exports_have_the_same_posteriors(kind: str, name: str, tmp_path: Path) -> None:
    new, _, _ = table(kind, 60, seed=96)
    assert_same_scores(name, fitted(kind), new, tmp_path)


def test_held_out_posteriors_are_averaged() -> None:
    model, (frame, labels, _) = fitted("numbers"), table("numbers", *TABLES["numbers"])
    frame, labels = frame[::3], labels[::3]
    record = model.model_
    plain = replace(record.settings, calibration=None)
    found = [
        AutoClassifier._from_model(replace(record, settings=settings)).leave_one_out(frame, labels)
        for settings in (plain, *plain.averaged)
    ]
    mean, *apart = (np.exp(each.log_posterior) for each in found)
    close(mean, 0.5 * (apart[0] + apart[1]))
    calibrated = model.leave_one_out(frame, labels)
    close(np.exp(calibrated.log_posterior).sum(axis=1), 1.0)
    assert calibrated.evaluation.log_loss < np.log(3)
    assert model.importance(frame, labels).n_rows == len(calibrated.rows) == 20
