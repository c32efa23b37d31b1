"""Categories and counts: probabilities by their definitions, other libraries and 50 digits."""

from typing import Any

import mpmath
import numpy as np
import pandas as pd
import pytest
from scipy.special import logsumexp
from scipy.stats import chisquare, gamma, poisson
from sklearn.naive_bayes import CategoricalNB

from gaussbayes import DataError, GaussianClassifier

ALPHAS = (0.0, 0.5, 7.25)


def frame(n: int = 300, seed: int = 0, missing: float = 0.2) -> Any:
    """Two columns of categories and two of counts that differ by class, labels and weights."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    wind = np.array(["L", "M", "S"], dtype=object)[(rng.integers(0, 2, n) + y) % 3]
    sky = np.where(rng.random(n) < 0.3 + 0.2 * y, 1, 4)
    table = pd.DataFrame({
        "wind": pd.Categorical(np.where(rng.random(n) < missing, None, wind)),
        "visits": np.where(rng.random(n) < missing, np.nan, rng.poisson(1.0 + y)),
        "sky": pd.Categorical(np.where(rng.random(n) < missing, None, sky.astype(object))),
        "calls": rng.poisson(4.0, n).astype(float),
    })  # fmt: skip
    return table, y, rng.integers(0, 4, n) / 2


def classifier(alpha: float = 0.0, **options: Any) -> GaussianClassifier:
    families = {("visits", "calls"): "poisson"}
    return GaussianClassifier(smoothing=alpha, families=families, **options)


def probabilities(model: GaussianClassifier, name: str) -> Any:
    """p(category | class) (k, m), the categories in their order."""
    return np.column_stack(list(model.category_probabilities_[name].values()))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_probabilities_rates_and_scores_by_hand(alpha: float, weighted: bool) -> None:
    table, y, weights = frame()
    weights = weights if weighted else np.ones(300)
    model = classifier(alpha).fit(table, y, weights if weighted else None)
    density = np.zeros((300, 3))
    for name in ("wind", "sky"):
        values = sorted(table[name].cat.categories)
        count = np.array(
            [[weights[(table[name] == v) & (y == c)].sum() for v in values] for c in range(3)]
        )
        expected = (count + alpha) / (count + alpha).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(probabilities(model, name), expected, rtol=1e-13)
        for place, value in enumerate(values):
            with np.errstate(divide="ignore"):
                density[(table[name] == value).to_numpy()] += np.log(expected[:, place])
    for j, name in enumerate(("visits", "calls")):
        x = table[name].to_numpy()
        there = ~np.isnan(x)
        overall = (weights * np.nan_to_num(x)).sum() / weights[there].sum()
        for c in range(3):
            own = there & (y == c)
            events, rows = (weights * np.nan_to_num(x))[own].sum(), weights[own].sum()
            rate = (events + alpha * overall) / (rows + alpha)
            assert model.means_[c, j] == pytest.approx(rate, rel=1e-13)
            density[there, c] += poisson.logpmf(x[there], rate)
            if alpha:  # the mode of a gamma posterior
                around = rate * np.array([0.999, 1.0, 1.001])
                shape = 1 + alpha * overall + events
                assert gamma.logpdf(around, shape, scale=1 / (alpha + rows)).argmax() == 1
    scores = model.scores(table)
    np.testing.assert_allclose(scores.log_likelihood, density, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(
        scores.log_evidence, logsumexp(density + np.log(model.priors_), axis=1), rtol=1e-11
    )
    assert model.n_parameters_ == 2 + 3 * (2 + 1 + 2)


@pytest.mark.parametrize("alpha", ALPHAS[1:])
def test_as_categorical_naive_bayes(alpha: float) -> None:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 400)
    X = (rng.integers(0, 3, (400, 3)) + y[:, None] * [0, 1, 2]) % [3, 4, 7]
    weights = rng.random(400)
    theirs = CategoricalNB(alpha=alpha).fit(X, y, sample_weight=weights)
    table = pd.DataFrame({f"c{j}": pd.Categorical(X[:, j]) for j in range(3)})
    ours = GaussianClassifier(smoothing=alpha).fit(table, y, weights)
    np.testing.assert_allclose(
        ours.predict_log_proba(table), theirs.predict_log_proba(X), rtol=1e-10, atol=1e-12
    )


@pytest.mark.parametrize("weights", ["one", "some", "extreme"])
@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_leaving_out_is_refitting(alpha: float, weights: str) -> None:
    """Also the only row of a category, and rows that are nearly all of their class's weight."""
    table, y, _ = frame(45)
    table.loc[7, "wind"] = "S"
    w = {"one": None, "some": np.arange(45) % 4 / 2 + 0.3, "extreme": np.ones(45)}[weights]
    if weights == "extreme":
        w[[4, 9]] = 1e12, 1e15
    found = classifier(alpha).leave_one_out(table, y, w).log_posterior
    for row in range(0, 45, 3):
        others = np.arange(45) != row
        rest = classifier(alpha).fit(table[others], y[others], None if w is None else w[others])
        expected = rest.predict_log_proba(table[~others])[0]
        np.testing.assert_allclose(found[row], expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("size", [25.0, 1e3, 1e6, 1e9, 1e12, 1e15])
def test_huge_counts_cost_no_digits(size: float) -> None:
    """Within a few standard deviations; against 50 digits."""
    rate = np.round(size + np.sqrt(size) * np.array([0.0, 1.5, -2.0])) + 0.25
    spread = np.sqrt(size) * np.linspace(-3, 3, 7)
    X = np.round(np.maximum(size + spread, 0.0))[:, None]
    fit = np.repeat(np.floor(rate), 4) + np.tile([0, 0, 0, 1], 3)  # whose means are the rates
    model = GaussianClassifier(families={0: "poisson"}).fit(fit[:, None], np.repeat([0, 1, 2], 4))
    scores = model.scores(X).log_likelihood
    with mpmath.workdps(50):
        for i, x in enumerate(map(mpmath.mpf, X[:, 0].tolist())):
            for c, r in enumerate(map(mpmath.mpf, rate.tolist())):
                truth = x * mpmath.log(r) - r - mpmath.loggamma(x + 1)
                # What is added is of the size of x − λ, and each may round by ε of that.
                assert abs(scores[i, c] - float(truth)) < 1e-15 * (50 + 10 * np.sqrt(size))


@pytest.mark.parametrize(
    ("value", "shown"), [(-1.0, "-1"), (2.5, "2.5"), (2.0**60, "1.15292e")], ids=str
)
def test_values_that_are_no_counts(value: float, shown: str) -> None:
    table, y, _ = frame(missing=0.0)
    model = classifier(1.0).fit(table, y)
    table.loc[299, "calls"] = value
    for refused in (lambda: classifier(1.0).fit(table, y), lambda: model.predict(table)):
        with pytest.raises(DataError, match=f"row 299 has {shown}.* in 'calls', which must be"):
            refused()


def test_what_was_never_seen() -> None:
    """It is impossible without smoothing; a category that is new everywhere says nothing."""
    table, y, _ = frame(missing=0.0)
    table["wind"] = pd.Categorical(np.where(y == 0, "S", table["wind"].astype(str)))
    table["visits"] = np.where(y == 1, 0.0, table["visits"])
    model = classifier().fit(table, y)
    row = table.iloc[:1].assign(wind=pd.Categorical(["L"]), visits=3.0)
    assert np.isneginf(model.scores(row).log_likelihood[0]).tolist() == [True, True, False]
    parts = model.explain(row, between=(0, 2)).log_odds.contributions
    assert [part.amount for part in parts if np.isinf(part.amount)] == [-np.inf]
    with pytest.warns(UserWarning, match="not among the categories"):
        new = model.predict_log_proba(row.assign(wind=pd.Categorical(["storm"])))
    missing = model.predict_log_proba(row.assign(wind=pd.Categorical([None])))
    np.testing.assert_array_equal(new, missing)
    table["wind"] = table["wind"].where(y != 1)
    with pytest.raises(DataError, match="'wind' is missing in every row of class 1") as told:
        classifier().fit(table, y)
    assert ("smoothing", 1.0) in {pair for each in told.value.remedies for pair in each.options}
    smoothed = classifier(1.0).fit(table, y)
    assert len(set(probabilities(smoothed, "wind")[1])) == 1


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"wind": pd.Categorical(["storm"])}, "'wind' = 'storm' of weight 1 from class 0, which"),
        ({"visits": 60.0}, "'visits' with (total|log_factorial)"),
        ({"wind": pd.Categorical([None])}, "missing values of 'wind' of weight 1 from class 0"),
        ({"calls": np.nan}, "'calls' with missing 1 from class 0, which has 0"),
    ],
    ids=str,
)
def test_rows_that_were_never_added_cannot_be_forgotten(change: Any, problem: str) -> None:
    table, y, _ = frame(6, missing=0.0)
    model = classifier(1.0).fit(table, y)
    with pytest.raises(DataError, match=problem):
        model.forget(table.iloc[:1].assign(**change), y[:1])
    more, labels, _ = frame(30, seed=2)
    before = classifier(1.0).fit(table, y)
    again = before.merge(classifier(1.0).fit(more, labels)).forget(more, labels)
    np.testing.assert_array_equal(probabilities(again, "wind"), probabilities(model, "wind"))
    np.testing.assert_allclose(again.means_, model.means_, rtol=1e-14)


def test_categories_of_different_types_do_not_mix() -> None:
    table, y, _ = frame(30, missing=0.0)
    model = classifier(1.0).fit(table, y)
    texts = table.assign(sky=pd.Categorical(table["sky"].astype(str)))
    with pytest.raises(DataError, match="'sky'"):
        model.partial_fit(texts, y)


def test_drawn_rows_have_the_probabilities_and_rates() -> None:
    table, y, _ = frame()
    model = classifier(0.5).fit(table, y)
    rows, labels = model.sample(20_000, random_state=1)
    for c in range(3):
        own = rows[labels == c]
        for j, name in ((0, "wind"), (2, "sky")):
            values = sorted(table[name].cat.categories)
            counts = [np.sum([each == value for each in own[:, j]]) for value in values]
            expected = probabilities(model, name)[c] * len(own)
            assert chisquare(counts, expected).pvalue > 1e-3
        for j, place in ((1, 0), (3, 1)):
            x, rate = own[:, j].astype(float), model.means_[c, place]
            assert abs(x.mean() - rate) < 4 * np.sqrt(rate / len(own))
            assert abs(x.var() - rate) < 6 * rate / np.sqrt(len(own)) * np.sqrt(2 + 1 / rate)


def test_blocks_threads_and_units_of_weight_do_not_matter() -> None:
    table, y, weights = frame(60_000)
    whole = [classifier(0.5, n_jobs=jobs).fit(table, y, weights) for jobs in (1, 2)]
    assert len({model.predict_log_proba(table).tobytes() for model in whole}) == 1
    parts = classifier(0.5)
    for part in (slice(40_000, None), slice(0, 40_000)):
        parts.partial_fit(table[part], y[part], sample_weight=weights[part])
    np.testing.assert_array_equal(probabilities(parts, "wind"), probabilities(whole[0], "wind"))
    np.testing.assert_allclose(parts.means_, whole[0].means_, rtol=1e-14)
    single = whole[0].scores(table.astype({"visits": np.float32, "calls": np.float32}))
    np.testing.assert_allclose(
        single.log_likelihood, whole[0].scores(table).log_likelihood, rtol=1e-5, atol=1e-5
    )
