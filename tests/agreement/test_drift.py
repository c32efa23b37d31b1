"""Drift tests: classical tests where these exist, uniform p-values where nothing has changed."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from gaussbayes import AutoClassifier, Columns, DataError, GaussianClassifier, OptionError, drift

KIND = Columns(categorical=["kind"])
MIXING = np.array([[1.0, 0.0, 0.0], [0.8, 0.5, 0.0], [-0.3, 0.2, 2.0]])


def sample(generator: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Rows of two classes with correlated numbers."""
    y = np.arange(n) % 2
    X = 1e6 + generator.normal(size=(n, 3)) @ MIXING.T * (1 + y[:, None])
    return pd.DataFrame(X, columns=list("abc")), y


def adjusted(p_values: list[float]) -> list[float]:
    """Holm's method as statistics books have it."""
    order, m, result, largest = np.argsort(p_values, kind="stable"), len(p_values), {}, 0.0
    for rank, place in enumerate(order):
        largest = max(largest, (m - rank) * p_values[place])
        result[int(place)] = min(largest, 1.0)
    return [result[place] for place in range(m)]


@pytest.mark.parametrize(
    "settings", [{}, {"covariance": "diagonal"}, {"transforms": "standardised"}]
)
def test_classical_tests(settings: dict[str, Any], tmp_path: Path) -> None:
    """t tests, F tests, Hotelling's T², Holm's method."""
    generator = np.random.default_rng(0)
    old, new = (sample(generator, n) for n in (40, 61))
    new = (new[0] + [0.0, 1.0, 0.0], new[1])
    model = GaussianClassifier(**settings).fit(*old)
    result = drift(model, *new)
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
    assert [each.adjusted for each in result.features] == pytest.approx(adjusted(known))
    assert result.to_dict()["features"][0]["feature"] == "b"  # type: ignore[index]
    means = next(t for t in result.tests if t.label == 1 and t.quantity == "means")
    if "covariance" in settings:
        assert means.degrees == 3
    else:
        n, d, delta = len(a) + len(b) - 2, 3, (a.mean() - b.mean()).to_numpy()
        pooled = ((len(a) - 1) * a.cov() + (len(b) - 1) * b.cov()).to_numpy() / n
        squared = len(a) * len(b) / (len(a) + len(b)) * delta @ np.linalg.solve(pooled, delta)
        expected = stats.f(d, n - d + 1).sf(squared * (n - d + 1) / (n * d))
        assert means.p_value == pytest.approx(expected, rel=0.02)
    # Two models, or a file, say the same as a model and rows.
    other = GaussianClassifier(**settings).fit(*new, like=model)
    assert drift(model, other).p_value == pytest.approx(result.p_value)
    path = tmp_path / "newer.csv"
    new[0].assign(kind=new[1]).to_csv(path, index=False)
    assert drift(model, path, "kind").p_value == pytest.approx(result.p_value)


def test_a_shared_scatter_is_compared_once() -> None:
    """Statistics summed over the classes give the statistic of all means and one covariance."""
    generator = np.random.default_rng(1)
    (X, y), (Z, w) = (sample(generator, n) for n in (40, 60))
    result = drift(GaussianClassifier(shared=True).fit(X[["a", "b"]], y), Z[["a", "b"]], w)
    groups = [(frame[["a", "b"]].to_numpy(), labels) for frame, labels in ((X, y), (Z, w))]
    assert {t.label for t in result.tests if t.quantity == "means"} >= {0, 1}
    for code in (0, 1):
        parts = [rows[labels == code] for rows, labels in groups]
        logs = [len(p) * np.linalg.slogdet(np.cov(p.T, bias=True))[1] for p in parts]
        both = np.concatenate(parts)
        expected = len(both) * np.linalg.slogdet(np.cov(both.T, bias=True))[1] - sum(logs)
        (test,) = (
            t for t in result.tests if (t.label, t.quantity) == (code, "means and covariances")
        )
        assert test.statistic == pytest.approx(expected, rel=1e-7)
        assert test.degrees == 5


DRAWS = 1500
"""Each draw is a class of its own: two samples of many classes are many pairs of samples."""


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_p_values_are_uniform(covariance: str) -> None:
    """Kolmogorov and Smirnov on draws of twelve and fifteen rows with three features."""
    generator = np.random.default_rng(5)
    mixing = MIXING if covariance == "full" else np.diag([1.0, 0.1, 1e5])
    models = []
    for n in (12, 15):
        rows = 1e6 + generator.normal(size=(n * DRAWS, 3)) @ mixing.T
        labels = np.repeat(np.arange(DRAWS), n)
        models.append(GaussianClassifier(covariance=covariance).fit(rows, labels))
    result = drift(*models)
    for quantity in ("means and covariances", "means", "covariances"):
        p_values = [test.p_value for test in result.tests if test.quantity == quantity]
        assert len(p_values) == DRAWS
        assert stats.kstest(p_values, "uniform").statistic < 0.04, quantity
    for feature in range(3):
        for quantity in ("mean", "standard deviation"):
            p_values = [
                each.p_value
                for each in result.features
                if (each.feature, each.quantity) == (f"feature {feature}", quantity)
            ]
            assert stats.kstest(p_values, "uniform").pvalue > 0.05 / 20
    assert result.p_value > 1e-4


def test_p_values_of_counts_are_uniform() -> None:
    """The same for counts and categories, in samples of 150 and 250 rows."""
    generator = np.random.default_rng(6)
    draws, models = 600, []
    for n in (150, 250):
        labels = np.repeat(np.arange(draws), n)
        frame = pd.DataFrame({"count": generator.poisson(7.0, labels.size).astype(float)})
        frame["kind"] = generator.choice(list("wxyz"), labels.size, p=[0.1, 0.2, 0.3, 0.4])
        models.append(
            GaussianClassifier(families={"count": "poisson"}, columns=KIND).fit(frame, labels)
        )
    result = drift(*models)
    for quantity in ("rates", "probabilities"):
        p_values = [test.p_value for test in result.tests if test.quantity == quantity]
        assert stats.kstest(p_values, "uniform").pvalue > 0.05 / 4
    assert result.p_value > 1e-4
    assert sum(test.degrees for test in result.tests) == draws - 1 + draws * (1 + 3)


def test_counts() -> None:
    """G of categories is scipy's, and so is Williams' correction of Poisson rates."""
    frame = pd.DataFrame({"kind": ["a"] * 30 + ["b"] * 20 + ["a"] * 25 + ["b"] * 25})
    newer = pd.DataFrame({"kind": ["a"] * 15 + ["b"] * 35 + ["a"] * 25 + ["b"] * 25})
    labels = np.repeat([0, 1], 50)
    result = drift(GaussianClassifier(columns=KIND).fit(frame, labels), newer, labels)
    test = next(t for t in result.tests if (t.label, t.quantity) == (0, "probabilities"))
    table = np.array([[30.0, 20.0], [15.0, 35.0]])
    expected = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")
    assert test.statistic == pytest.approx(expected.statistic)
    q = 1 + (100 / 50 + 100 / 50 - 1) * (100 / 45 + 100 / 55 - 1) / (6 * 100)
    assert test.p_value == pytest.approx(stats.chi2.sf(expected.statistic / q, 1))


def mixture(generator: np.random.Generator, n: int, shift: float = 0.0) -> pd.DataFrame:
    """Two well separated classes: all rows together are far from Gaussian."""
    side = generator.random(n) < 0.3
    rows = {
        "number": generator.normal(np.where(side, 5.0, 0.0), np.where(side, 0.5, 2.0)) + shift,
        "count": generator.poisson(np.where(side, 20.0, 2.0)).astype(float),
        "kind": np.where(generator.random(n) < 0.5 + 0.3 * side, "x", "y"),
    }
    return pd.DataFrame(rows).assign(side=side)


@pytest.mark.parametrize("estimator", ["gaussian", "automatic"])
def test_unlabelled_rows(estimator: str) -> None:
    """p-values of rows that have not changed are uniform; changes are named."""
    generator = np.random.default_rng(7)
    model: Any = GaussianClassifier(families={"count": "poisson"}, smoothing=1.0, columns=KIND)
    draws = 150
    if estimator == "automatic":
        model, draws = AutoClassifier(families={"count": "poisson"}), 3
    p_values: dict[str, list[float]] = {}
    for _ in range(draws):
        fitted = model.fit(mixture(generator, 400), "side")
        result = drift(fitted, mixture(generator, 300).drop(columns="side"))
        assert not result.labelled
        for each in (*result.features, *result.tests):
            name = getattr(each, "feature", "") + each.quantity.split()[0]
            p_values.setdefault(name, []).append(each.p_value)
    assert min(map(min, p_values.values())) > 1e-6
    if estimator == "gaussian":
        assert len(p_values) == 5
        for name, values in p_values.items():
            assert stats.kstest(values, "uniform").pvalue > 1e-3, name
    shifted = drift(fitted, mixture(generator, 300, 1.0).drop(columns="side"))
    assert shifted.p_value < 1e-3
    assert shifted.changed()[0] == "number"
    mean = next(each for each in shifted.features if each.quantity in {"mean", "median"})
    assert mean.label is None
    assert "unlabelled" in str(shifted)


def test_unlabelled_means_and_proportions() -> None:
    """The mean has the t test of all rows, a category the G test, also with weights as counts."""
    generator = np.random.default_rng(8)
    old, new = mixture(generator, 200), mixture(generator, 150, 0.5)
    model = GaussianClassifier(families={"count": "poisson"}, smoothing=1.0, columns=KIND).fit(
        old, "side"
    )
    result = drift(model, new.drop(columns="side"))
    changes = {(each.feature, each.quantity.split()[0]): each for each in result.features}
    expected = stats.ttest_ind(old["number"], new["number"]).pvalue
    assert changes["number", "mean"].p_value == pytest.approx(expected, rel=1e-8)
    table = np.array([frame["kind"].value_counts().sort_index() for frame in (old, new)])
    g = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic
    proportion = changes["kind", "proportion"]
    assert proportion.p_value == pytest.approx(stats.chi2.sf(g, 1), rel=0.02)
    shares = [(frame["kind"] == proportion.quantity.split()[-1]).mean() for frame in (old, new)]
    assert (proportion.before, proportion.after) == pytest.approx(tuple(shares))
    twice = drift(model, pd.concat([new, new]).drop(columns="side"))
    weighted = drift(model, new.drop(columns="side"), sample_weight=np.full(150, 2.0))
    assert weighted.p_value == pytest.approx(twice.p_value)


def test_missing_values() -> None:
    """Features by all values, the rest by complete rows; of diagonal covariances no row is lost."""
    generator = np.random.default_rng(2)
    (X, y), (Z, w) = (sample(generator, n) for n in (80, 90))
    X, Z = (frame.mask(generator.random(frame.shape) < 0.2) for frame in (X, Z))
    result = drift(GaussianClassifier().fit(X, y), Z, w)
    mean = next(f for f in result.features if (f.feature, f.label, f.quantity) == ("a", 0, "mean"))
    some = X["a"][y == 0].dropna(), Z["a"][w == 0].dropna()
    assert mean.p_value == pytest.approx(stats.ttest_ind(*some).pvalue, rel=1e-8)
    whole, left = (frame.notna().all(axis=1) for frame in (X, Z))
    complete = drift(GaussianClassifier().fit(X[whole], y[whole]), Z[left], w[left])
    pick = [t.p_value for t in result.tests if t.label is not None]
    assert pick == pytest.approx([t.p_value for t in complete.tests if t.label is not None])
    assert "complete rows" in result.notes[-1]
    assert drift(GaussianClassifier(covariance="diagonal").fit(X, y), Z, w).notes == ()


def test_what_cannot_be_tested_together_is_tested_one_by_one() -> None:
    """More features than rows, features that do not vary, classes that are new."""
    generator = np.random.default_rng(3)
    X, y = generator.normal(size=(8, 6)), np.repeat([0, 1], 4)
    Z = generator.normal([50.0, 0, 0, 0, 0, 0], size=(8, 6))
    few = drift(GaussianClassifier(shrinkage=0.5).partial_fit(X, y), Z, y)
    assert few.changed() == ["feature 0"]
    assert few.p_value < 1e-6
    assert "one by one only" in few.notes[0]
    constant = np.column_stack([X[:, 0], np.ones(8)])
    flat = GaussianClassifier(shrinkage=0.5).partial_fit(constant, y)
    assert drift(flat, constant, y).p_value > 0.5
    assert drift(flat, constant + np.array([0, 1]), y).changed() == ["feature 1"]
    other = drift(flat, np.repeat(constant, 5, axis=0), [2] * 20 + [1] * 20)
    assert other.p_value < 0.01
    assert {test.label for test in other.tests} == {None, 1}
    assert other.weights == (8.0, 40.0)


def test_bad_input() -> None:
    generator = np.random.default_rng(4)
    X, y = sample(generator, 60)
    model = GaussianClassifier().fit(X, y)
    with pytest.raises(DataError, match="cannot be compared"):
        drift(model, GaussianClassifier().fit(X[["a", "b"]], y))
    with pytest.raises(TypeError, match="needs a fitted estimator"):
        drift(X, model)
    given = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["a", "b"])
    with pytest.raises(DataError, match="drift needs the statistics"):
        drift(given, given)
    bent = [GaussianClassifier(transforms="yeo-johnson").fit(X + 0.1 * X**2 * n, y) for n in (0, 1)]
    with pytest.raises(DataError, match="different transforms"):
        drift(*bent)
    alike = drift(bent[0], X, y)
    assert alike.p_value == pytest.approx(1.0)
    (first, *_), medians = alike.features, X.groupby(y).median()
    assert first.quantity == "median"  # in the units of the table
    assert abs(float(first.before) - medians.loc[0, "a"]) < 1.0
    dated = X.assign(a=pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(60), unit="D"))
    result = drift(GaussianClassifier().fit(dated, y), dated, y)
    assert next(f for f in result.features if f.feature == "a").before == "2024-01-30"
    wide = GaussianClassifier(shrinkage=0.5).fit(generator.normal(size=(12, 40)), y[:12])
    with pytest.raises(OptionError, match="drift needs the capability"):
        drift(wide, wide)


@pytest.mark.parametrize("labelled", [True, False])
def test_transformed_features_are_tested_as_transformed_and_shown_as_they_are(
    labelled: bool,
) -> None:
    """P-values are those of the logarithms; medians and interquartile ranges are in their units."""
    rng = np.random.default_rng(5)
    y = np.repeat(["a", "b"], [80, 120])
    z = rng.normal(size=(200, 2)) + (y == "b")[:, None]
    newer = rng.normal(size=(90, 2)) * [1.3, 1.0] + 0.4
    given = (y[:90],) if labelled else ()
    ours = drift(GaussianClassifier(transforms="log").fit(np.exp(z), y), np.exp(newer), *given)
    plain = drift(GaussianClassifier().fit(z, y), newer, *given)
    quantities = {"median": "mean", "interquartile range": "standard deviation"}
    expected = {(each.feature, each.label, each.quantity): each for each in plain.features}
    for each in ours.features:
        of_logarithms = expected[each.feature, each.label, quantities[each.quantity]]
        assert each.p_value == pytest.approx(of_logarithms.p_value, rel=1e-6)
        mean = expected[each.feature, each.label, "mean"].before
        ends = np.exp(mean + stats.norm.ppf([0.25, 0.75]) * of_logarithms.after)
        if each.quantity == "median":
            ends = np.array([0.0, np.exp(of_logarithms.after)])
        assert each.after == pytest.approx(ends[1] - ends[0], rel=1e-9)
