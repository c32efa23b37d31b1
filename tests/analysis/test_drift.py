"""Drift tests: classical tests where these exist, uniform p-values where nothing has changed."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from gaussbayes import DataError, GaussianClassifier, Model, OptionError
from gaussbayes.analysis.drift import drift, holm
from gaussbayes.families.likelihood_ratio import NullLaw


def sample(generator: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Rows of two classes with correlated numbers."""
    y = np.arange(n) % 2
    mixing = np.array([[1.0, 0.0, 0.0], [0.8, 0.5, 0.0], [-0.3, 0.2, 2.0]])
    X = 1e6 + generator.normal(size=(n, 3)) @ mixing.T * (1 + y[:, None])
    return pd.DataFrame(X, columns=list("abc")), y


@pytest.mark.parametrize(
    "settings", [{}, {"covariance": "diagonal"}, {"transforms": "standardised"}]
)
def test_classical_tests(settings: dict[str, Any]) -> None:
    """t tests, F tests, Hotelling's T², Holm's method."""
    generator = np.random.default_rng(0)
    old, new = (sample(generator, n) for n in (40, 61))
    new = (new[0] + [0.0, 1.0, 0.0], new[1])
    result = GaussianClassifier(**settings).fit(*old).drift(*new)
    a, b = (each[0][each[1] == 1] for each in (old, new))
    changes = {(each.feature, each.label, each.quantity): each for each in result.features}
    for name in "abc":
        mean, spread = changes[name, 1, "mean"], changes[name, 1, "standard deviation"]
        assert mean.p_value == pytest.approx(stats.ttest_ind(a[name], b[name]).pvalue, rel=1e-8)
        assert (mean.before, mean.after) == pytest.approx((a[name].mean(), b[name].mean()))
        assert (spread.before, spread.after) == pytest.approx((a[name].std(), b[name].std()))
        f = stats.f(len(a) - 1, len(b) - 1)
        ratio = a[name].var() / b[name].var()
        assert spread.p_value == pytest.approx(2 * min(f.cdf(ratio), f.sf(ratio)), rel=1e-8)
    assert result.changed() == ["b"]
    assert "p (Holm)" in str(result)
    known = [each.p_value for each in result.features]
    assert [each.adjusted for each in result.features] == holm(np.array(known)).tolist()
    means = next(t for t in result.tests if t.label == 1 and t.quantity == "means")
    if "covariance" in settings:
        assert means.degrees == 3
        return
    n, d, delta = len(a) + len(b) - 2, 3, (a.mean() - b.mean()).to_numpy()
    pooled = ((len(a) - 1) * a.cov() + (len(b) - 1) * b.cov()).to_numpy() / n
    squared = len(a) * len(b) / (len(a) + len(b)) * delta @ np.linalg.solve(pooled, delta)
    expected = stats.f(d, n - d + 1).sf(squared * (n - d + 1) / (n * d))
    assert means.p_value == pytest.approx(expected, rel=1e-8)


def test_a_shared_scatter_is_compared_once() -> None:
    """Statistics summed over the classes give the statistic of all means and one covariance."""
    generator = np.random.default_rng(1)
    (X, y), (Z, w) = (sample(generator, n) for n in (40, 60))
    first = GaussianClassifier(shared=True).fit(X.iloc[:, :2], y)
    second = GaussianClassifier(shared=True).fit(Z.iloc[:, :2], w)
    before, after = first.model_, second.model_

    def pooled(model: Any) -> Any:
        parts = tuple(part.with_layout("pooled") for part in model.learnt.parts)
        return replace(model, learnt=replace(model.learnt, parts=parts))

    result = drift(pooled(before), pooled(after))
    whole = next(t for t in result.tests if t.quantity == "means and covariances")
    groups = [(frame.iloc[:, :2].to_numpy(), labels) for frame, labels in ((X, y), (Z, w))]
    logs = []
    for rows, labels in groups:
        centred = np.concatenate([rows[labels == c] - rows[labels == c].mean(0) for c in (0, 1)])
        logs.append(len(rows) * np.linalg.slogdet(centred.T @ centred / len(rows))[1])
    every = [np.concatenate([rows[labels == c] for rows, labels in groups]) for c in (0, 1)]
    centred = np.concatenate([rows - rows.mean(0) for rows in every])
    expected = 100 * np.linalg.slogdet(centred.T @ centred / 100)[1] - sum(logs)
    assert whole.statistic == pytest.approx(expected, rel=1e-7)
    assert (whole.label, whole.degrees) == (None, 4 + 3)
    assert {t.label for t in result.tests if t.quantity == "means"} == {None, 0, 1}


DRAWS = 2000
"""Each draw is a class of its own: two samples of many classes are many pairs of samples."""


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_p_values_are_uniform(covariance: str) -> None:
    """Kolmogorov and Smirnov on 2,000 draws of eight and ten rows with three features.

    The law depends on the numbers of rows alone, so that all draws have one. Together, features
    that are correlated are no matter of diagonal covariances; one by one they are.
    """
    generator = np.random.default_rng(5)
    mixing = np.array([[1.0, 0.0, 0.0], [0.8, 0.5, 0.0], [-0.3, 0.2, 2.0]])
    if covariance == "diagonal":
        mixing = np.diag([1.0, 0.1, 1e5])

    def model(n: int) -> Model:
        rows = 1e6 + generator.normal(size=(n * DRAWS, 3)) @ mixing.T
        labels = np.repeat(np.arange(DRAWS), n)
        return GaussianClassifier(covariance=covariance).partial_fit(rows, labels)._model

    before, after = model(8), model(10)
    tests = before.learnt.parts[0].tested(after.learnt.parts[0], before.schema)
    features: dict[Any, list[float]] = {}
    for change in tests.changes:
        features.setdefault((change.feature, change.quantity), []).append(change.p_value)
    observed = {name: stats.kstest(values, "uniform").pvalue for name, values in features.items()}
    for number, quantity in enumerate(("means and covariances", "means", "covariances")):
        ratios = tests.ratios[number::3]
        assert {ratio.quantity for ratio in ratios} == {quantity}
        values = np.array([ratio.statistic for ratio in ratios])
        grid = np.quantile(values, np.linspace(0, 1, 150))
        p_values = [ratios[0].law.survival(float(x)) for x in grid]
        observed[quantity] = stats.kstest(np.interp(values, grid, p_values), "uniform").pvalue
        if number == 0:  # sums of ten have the sum of ten laws
            sums = values.reshape(-1, 10).sum(axis=1)
            law = NullLaw.sum(ratio.law for ratio in ratios[:10])
            p_values = [law.survival(float(x)) for x in sums]
            observed["sums"] = stats.kstest(p_values, "uniform").pvalue
    assert len(observed) == 10
    assert min(observed.values()) > 0.05 / 20, observed


def test_p_values_of_counts_are_uniform() -> None:
    """The same for counts, zeros and ones, and categories, in samples of 150 and 250 rows.

    What is discrete is uniform as nearly as its values lie densely.
    """
    generator = np.random.default_rng(6)

    def model(n: int) -> Model:
        labels = np.repeat(np.arange(DRAWS), n)
        frame = pd.DataFrame({"count": generator.poisson(7.0, labels.size).astype(float)})
        frame["flag"] = generator.binomial(1, 0.4, labels.size).astype(float)
        frame["kind"] = generator.choice([1, 2, 3, 4], labels.size, p=[0.1, 0.2, 0.3, 0.4])
        frame["kind"] = frame["kind"].astype("category")
        families = {"count": "poisson", "flag": "bernoulli"}
        classifier = GaussianClassifier(families=families, categorical_features=["kind"])
        return classifier.partial_fit(frame, labels)._model

    result = drift(model(150), model(250))
    observed = {
        name: stats.kstest([t.p_value for t in result.tests if t.quantity == name], "uniform")
        for name in ("rates", "probabilities")
    }
    assert min(each.pvalue for each in observed.values()) > 0.05 / 4, observed
    proportions = [test.p_value for test in result.tests if test.quantity == "proportions"]
    assert stats.kstest(proportions, "uniform").statistic < 0.05  # steps of that height
    assert result.p_value > 1e-4
    assert result.degrees == DRAWS - 1 + DRAWS * (1 + 1 + 3)


def test_missing_values() -> None:
    """Features by all values, the rest by complete rows; of diagonal covariances no row is lost."""
    generator = np.random.default_rng(2)
    (X, y), (Z, w) = (sample(generator, n) for n in (80, 90))
    X, Z = (frame.mask(generator.random(frame.shape) < 0.2) for frame in (X, Z))
    result = GaussianClassifier().fit(X, y).drift(Z, w)
    mean = next(f for f in result.features if (f.feature, f.label, f.quantity) == ("a", 0, "mean"))
    some = X["a"][y == 0].dropna(), Z["a"][w == 0].dropna()
    assert mean.p_value == pytest.approx(stats.ttest_ind(*some).pvalue, rel=1e-8)
    whole, left = (frame.notna().all(axis=1) for frame in (X, Z))
    complete = GaussianClassifier().fit(X[whole], y[whole]).drift(Z[left], w[left])
    pick = [t.p_value for t in result.tests if t.label is not None]
    assert pick == pytest.approx([t.p_value for t in complete.tests if t.label is not None])
    assert "complete rows" in result.notes[-1]
    diagonal = GaussianClassifier(covariance="diagonal").fit(X, y).drift(Z, w)
    assert diagonal.notes == ()


def test_what_cannot_be_tested_together_is_tested_one_by_one() -> None:
    """More features than rows, features that do not vary, classes that are new."""
    generator = np.random.default_rng(3)
    X, y = generator.normal(size=(8, 6)), np.repeat([0, 1], 4)
    Z = generator.normal([50.0, 0, 0, 0, 0, 0], size=(8, 6))
    model = GaussianClassifier(shrinkage=0.5).partial_fit(X, y)
    few = model.drift(Z, y)
    assert few.changed() == ["feature 0"]
    assert few.p_value < 1e-6
    assert "one by one only" in few.notes[0]
    constant = np.column_stack([X[:, 0], np.ones(8)])
    flat = GaussianClassifier(shrinkage=0.5).partial_fit(constant, y)
    assert flat.drift(constant, y).p_value > 0.5
    assert flat.drift(constant + np.array([0, 1]), y).changed() == ["feature 1"]
    other = flat.drift(np.repeat(constant, 5, axis=0), [2] * 20 + [1] * 20)
    assert other.p_value < 0.01
    assert {test.label for test in other.tests} == {None, 1}
    assert other.record()["weights"] == [8.0, 40.0]


def test_bad_input() -> None:
    generator = np.random.default_rng(4)
    X, y = sample(generator, 60)
    model = GaussianClassifier().fit(X, y)
    with pytest.raises(DataError, match="cannot be compared"):
        model.drift(GaussianClassifier().fit(X[["a", "b"]], y))
    with pytest.raises(TypeError, match="must be a GaussianClassifier or a Model, got DataFrame"):
        model.drift(X)
    given = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["a", "b"])
    with pytest.raises(DataError, match="drift needs what was learnt"):
        given.drift(given)
    bent = [GaussianClassifier(transforms="yeo-johnson").fit(X + 0.1 * X**2 * n, y) for n in (0, 1)]
    with pytest.raises(DataError, match="transformed in different ways"):
        bent[0].drift(bent[1])
    alike = bent[0].drift(X, y)
    assert alike.p_value == pytest.approx(1.0)
    assert alike.features[0].quantity.endswith(" (yeo-johnson)")
    wide = GaussianClassifier(shrinkage=0.5).fit(generator.normal(size=(12, 40)), y[:12])
    with pytest.raises(OptionError, match="drift needs the capability"):
        wide.drift(wide)
