"""A pool of Gaussians and pairs: the posterior by hand, and the laws that every model obeys."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax, logsumexp

import gaussbayes
from gaussbayes import AutoClassifier, DataError, OptionError, drift
from gaussbayes.model import fit
from gaussbayes.model.calibration import calibrate
from tests.export.engines import ENGINES, assert_same_scores


def interacting(n: int = 600, seed: int = 0, missing: float = 0.0) -> tuple[pd.DataFrame, Any]:
    """The class is XOR of a number's sign and a category, with noise; x says a little alone."""
    random = np.random.default_rng(seed)
    table = pd.DataFrame(random.normal(size=(n, 2)), columns=["x", "z"])
    table["side"] = random.choice(["left", "middle", "right"], n)
    y = ((table["z"] > 0) != (table["side"] == "left")) ^ (random.random(n) < 0.05)
    table["x"] += y
    table["side"] = table["side"].where(random.random(n) >= missing, None)
    table["z"] = table["z"].where(random.random(n) >= missing)
    return table, np.array(["no", "yes", "zero"])[np.where(random.random(n) < 0.1, 2, y)]


@cache
def fitted(missing: float = 0.1) -> AutoClassifier:
    model = AutoClassifier().fit(*interacting(missing=missing))
    assert model.selection_.title.endswith(" + pairs")
    return model


def log_pooled(model: AutoClassifier, table: Any, priors: Any = None) -> Any:
    """log p(c | x) by the formula, from the log-likelihoods of the members and the weights."""
    record, calibration = model.model_, model.model_.calibration
    first = record.log_likelihood(record.rows(table))
    second = record.parameters.second.log_density(record.rows(table))
    prior = model.priors_ if priors is None else np.asarray(priors)
    members = calibration.weight * first + calibration.second_weight * second
    pooled = log_softmax(np.log(prior) + members + calibration.offsets, axis=1)
    share = calibration.prior_proportion
    return np.log((1 - share) * np.exp(pooled) + share * prior)


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_the_posterior_is_that_of_both_members(missing: float) -> None:
    model, (table, y) = fitted(missing), interacting(seed=1, missing=0.1)
    expected = log_pooled(model, table)
    np.testing.assert_allclose(model.predict_log_proba(table), expected, rtol=1e-10)
    assert model.score(table, y) == np.mean(model.classes_[expected.argmax(axis=1)] == y)
    priors = [0.2, 0.5, 0.3]
    other = model.with_priors(priors)
    np.testing.assert_allclose(
        other.predict_log_proba(table), log_pooled(model, table, priors), rtol=1e-10
    )
    odds = model.log_odds(table, "no", "zero")
    np.testing.assert_allclose(odds, expected[:, 0] - expected[:, 2], rtol=1e-8)
    scores = model.scores(table)
    np.testing.assert_allclose(
        scores.log_evidence, logsumexp(scores.log_likelihood + np.log(model.priors_), axis=1)
    )
    # Distances are those of the densities, whose p-values are ranks among held-out rows.
    of_class = scores.p_value[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    assert abs(np.mean(of_class < 0.1) - 0.1) < 0.05


def test_interactions_are_found_and_noise_is_not() -> None:
    table, y = interacting(2000, seed=2)
    pooled = -np.log(fitted(0.0).predict_proba(table))
    gaussian = np.exp(fitted(0.0).scores(table).log_joint)
    gaussian = -np.log(gaussian / gaussian.sum(axis=1, keepdims=True))
    rows, codes = np.arange(2000), np.searchsorted(fitted(0.0).classes_, y)
    assert pooled[rows, codes].mean() < 0.8 * gaussian[rows, codes].mean()
    random = np.random.default_rng(0)
    pools = [
        AutoClassifier().fit(random.normal(size=(200, 4)), random.integers(0, 2, 200))
        for _ in range(8)
    ]
    assert sum("pairs" in model.selection_.title for model in pools) <= 2
    few, labels = interacting(20)
    assert "pairs" not in AutoClassifier().fit(few, labels).selection_.title


def test_weights_of_the_members_minimise_the_stated_loss() -> None:
    random = np.random.default_rng(3)
    n, k = 300, 3
    codes = random.integers(0, k, n)
    truth = np.eye(k)[codes]
    members = 1.5 * truth + random.normal(size=(2, n, k))
    prior, weights = np.log([0.2, 0.3, 0.5]), random.uniform(0.5, 2.0, n)
    alone = [calibrate(member, prior, truth, weights) for member in members]
    parts = [
        each.weight * (member - member.max(axis=1, keepdims=True)) + each.offsets
        for each, member in zip(alone, members, strict=True)
    ]

    def loss(v: Any) -> float:
        joint = log_softmax(prior + v[0] * parts[0] + v[1] * parts[1], axis=1)
        return float(-weights @ joint[np.arange(n), codes] + 5 * (v[0] - 1) ** 2 + 5 * v[1] ** 2)

    best = minimize(loss, [1.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
    pooled = calibrate(members[0], prior, truth, weights, members[1])
    found = pooled.weight / alone[0].weight, pooled.second_weight / alone[1].weight
    np.testing.assert_allclose(found, best.x, atol=1e-5)
    useless = calibrate(members[0], prior, truth, weights, -members[1])
    assert useless.second_weight == 0
    assert 0.5 < useless.weight / alone[0].weight < 2


def test_parts_in_any_order_are_the_whole() -> None:
    model, (table, y) = fitted(), interacting(missing=0.1)
    expected = model.predict_log_proba(table)
    cuts = [slice(0, 100), slice(100, 350), slice(350, 600)]
    parts = [AutoClassifier().fit(table[cut], y[cut], like=model) for cut in cuts]
    for order in ((0, 1, 2), (2, 0, 1)):
        first, *others = (
            AutoClassifier().fit(table[cuts[i]], y[cuts[i]], like=model) for i in order
        )
        for other in others:
            first.merge(other)
        np.testing.assert_allclose(first.predict_log_proba(table), expected, rtol=1e-8, atol=1e-8)
    updated = (
        parts[1].partial_fit(table[cuts[0]], y[cuts[0]]).partial_fit(table[cuts[2]], y[cuts[2]])
    )
    np.testing.assert_allclose(updated.predict_log_proba(table), expected, rtol=1e-8, atol=1e-8)
    updated.forget(table[350:], y[350:])
    rest = AutoClassifier().fit(table[:350], y[:350], like=model)
    np.testing.assert_allclose(
        updated.predict_log_proba(table), rest.predict_log_proba(table), rtol=1e-6, atol=1e-6
    )
    twice = AutoClassifier().fit(table, y, np.full(600, 2.0), like=model)
    repeated = AutoClassifier().fit(pd.concat([table, table]), np.tile(y, 2), like=model)
    np.testing.assert_allclose(
        twice.predict_log_proba(table), repeated.predict_log_proba(table), rtol=1e-8, atol=1e-8
    )
    with pytest.raises(DataError, match="Fit the second model like the first|fit the second model"):
        fitted().merge(AutoClassifier().fit(*interacting(seed=7)))


def test_order_of_rows_columns_and_labels_does_not_matter() -> None:
    model, (table, y) = fitted(), interacting(missing=0.1)
    order = np.random.default_rng(0).permutation(600)
    names = {"no": "zz", "yes": "mm", "zero": "aa"}
    other = AutoClassifier().fit(table.iloc[order], pd.Series(y[order]).map(names).to_numpy())
    assert other.selection_.title == model.selection_.title
    np.testing.assert_allclose(
        other.predict_proba(table)[:, ::-1], model.predict_proba(table)[:, [0, 1, 2]], atol=1e-7
    )
    scaled = AutoClassifier().fit(table.assign(x=1000.0 * table["x"] - 5.0), y)
    np.testing.assert_allclose(
        scaled.predict_proba(table.assign(x=1000.0 * table["x"] - 5.0)),
        model.predict_proba(table),
        atol=1e-5,
    )


def test_a_part_of_the_model() -> None:
    model, (table, _) = fitted(), interacting(seed=5, missing=0.1)
    part = model.marginal(["side", "z"])
    unknown = table.assign(x=np.nan)
    np.testing.assert_allclose(
        part.predict_log_proba(table[["side", "z"]]), model.predict_log_proba(unknown), rtol=1e-9
    )
    two = model.marginal(["x", "z", "side"]).remove_class("zero")
    assert two.classes_.tolist() == ["no", "yes"]
    np.testing.assert_allclose(two.predict_log_proba(table), log_pooled(two, table), rtol=1e-10)


def test_explanations_multiply_out_and_add_up() -> None:
    model, (table, _) = fitted(), interacting(seed=6, missing=0.1)
    weights = model.model_.calibration
    for row in range(20):
        explained = model.explain(table.iloc[[row]], between=("yes", "no"))
        bayes, odds = explained.bayes, explained.log_odds
        assert bayes.weights == (weights.weight, weights.second_weight)
        for terms, posterior in zip(bayes.classes, model.predict_proba(table)[row], strict=True):
            product = terms.prior * terms.likelihood / bayes.evidence
            assert terms.posterior == pytest.approx(posterior, rel=1e-12)
            assert product == pytest.approx(posterior, rel=1e-10)
            assert terms.joint == pytest.approx(terms.prior * terms.likelihood, rel=1e-12)
        assert sum(terms.joint for terms in bayes.classes) == pytest.approx(bayes.evidence)
        total = odds.at_reference + sum(part.amount for part in odds.contributions)
        first, second = (
            np.array(terms.log_members) for terms in (bayes.classes[1], bayes.classes[0])
        )
        members = (first - second) @ bayes.weights + weights.offsets[1] - weights.offsets[0]
        assert total == pytest.approx(members + np.log(model.priors_[1] / model.priors_[0]))
        assert odds.value == pytest.approx(total + odds.calibration)
        back = model.explain(table.iloc[[row]], between=("no", "yes")).log_odds
        for part, opposite in zip(odds.contributions, back.contributions, strict=True):
            assert part.amount == pytest.approx(-opposite.amount, abs=1e-9)
    assert "pooled likelihoods" in str(explained)


def test_what_a_pool_does_not_have() -> None:
    model = fitted(0.0)
    for name in ("n_parameters_", "coef_", "intercept_"):
        assert not hasattr(model, name)
    with pytest.raises(AttributeError, match="of a pooled or averaged model is not defined"):
        model.n_parameters_  # noqa: B018
    with pytest.raises(
        OptionError, match="boundaries of a pooled or averaged model have no equation"
    ):
        model.boundary("no", "yes")
    assert model.evaluate(*interacting(seed=8)).bayes_error is None
    rows, labels = model.sample(500, random_state=0)
    assert rows.shape == (500, 3)
    assert set(labels) <= set(model.classes_)
    assert model.means_.shape == (3, 2)


def test_evaluation_of_a_pool(tmp_path: Path) -> None:
    model, (table, y) = fitted(), interacting(missing=0.1)
    held_out = model.leave_one_out(table, y)
    assert held_out.evaluation.log_loss == pytest.approx(model.selection_.log_loss, rel=0.05)
    assert model.evaluate(table, y, cv=3).log_loss < 1.3 * model.selection_.log_loss
    least = model.importance(table, y).features[-1]
    assert least.feature in {"x", "z", "side"}
    sets = model.predict_set(table, coverage=0.9)
    assert sets.members[np.arange(600), np.searchsorted(model.classes_, y)].mean() >= 0.87
    assert len(model.decide(table).labels) == 600
    assert drift(model, table[:200], y[:200]).p_value > 0.01
    assert drift(model, table[:200].assign(x=5.0 + table["x"])).p_value < 1e-3
    assert "weight" in str(model)
    assert "pairs" in model.report(table, y, path=tmp_path / "report.html").read_text()
    loaded = gaussbayes.load(model.save(tmp_path / "model.json"))
    np.testing.assert_array_equal(loaded.predict_proba(table), model.predict_proba(table))
    assert loaded.selection_.title == model.selection_.title
    assert (
        loaded.save(tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()
    )
    merged = loaded.merge(AutoClassifier().fit(*interacting(seed=4), like=model))
    assert np.isfinite(merged.predict_log_proba(table)).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_compute_the_pool(engine: str, tmp_path: Path) -> None:
    model = fitted().with_priors([0.2, 0.5, 0.3])
    assert_same_scores(engine, model, interacting(seed=9, missing=0.1)[0], tmp_path)


def test_sources_larger_than_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sample gives selection and weights, all rows the statistics."""
    table, y = interacting(3000, missing=0.05)
    table.assign(y=y).to_csv(tmp_path / "rows.csv", index=False)
    monkeypatch.setattr(fit, "MOST_SAMPLED", 1000)
    monkeypatch.setattr(fit, "MOST_BYTES", 0)
    model = AutoClassifier().fit(tmp_path / "rows.csv", "y")
    assert model.selection_.title.endswith(" + pairs")
    assert model.model_.total_weight == 3000
    whole = AutoClassifier().fit(table, y, like=model)
    np.testing.assert_allclose(
        model.predict_log_proba(table), whole.predict_log_proba(table), rtol=1e-6, atol=1e-6
    )


def test_unlabelled_rows_leave_the_pairs_as_they_are() -> None:
    table, y = interacting(500, missing=0.05)
    labels = y.astype(object)
    labels[350:] = None
    model = AutoClassifier().fit(table, labels)
    assert model.selection_.title.endswith(" + pairs")
    alone = AutoClassifier().fit(table[:350], y[:350], like=model)
    tables = [each.model_.parameters.second.table for each in (model, alone)]
    np.testing.assert_allclose(*tables)
