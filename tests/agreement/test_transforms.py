"""Transformed features: changes of variables, what is learnt, rows unlike all others."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from gaussbayes import DataError, GaussianClassifier, OptionError

KINDS = ("standardised", "yeo-johnson", "log", "range")
each_kind = pytest.mark.parametrize("kind", KINDS)


def skewed(n: int = 400, seed: int = 0) -> tuple[Any, Any]:
    """Positive columns of two classes, each normal in another scale, with correlations."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % 2
    z = random.normal(size=(n, 3)) @ np.array([[1.0, 0.5, 0.0], [0.0, 1.0, -0.3], [0.0, 0.0, 1.0]])
    z[:, 0] += y
    return np.column_stack([np.exp(z[:, 0]), np.square(z[:, 1] + 6.0), 30.0 + 2.0 * z[:, 2]]), y


def fitted(kind: Any, X: Any, y: Any, *args: Any, **options: Any) -> GaussianClassifier:
    return GaussianClassifier(transforms=kind, **options).fit(X, y, *args)


def learnt(model: GaussianClassifier) -> Any:
    """The transforms of the features."""
    return model.model_.densities[0].map


def by_scipy(transform: Any, x: Any) -> tuple[Any, Any]:
    """A transform of a column between its ends, and its slope, written down once more."""
    if transform.kind in {"standardised", "range"}:
        return (x - transform.center) / transform.scale, np.full(x.size, 1 / transform.scale)
    if transform.kind == "log":
        return (np.log(x) - transform.center) / transform.scale, 1 / (x * transform.scale)
    u, power = (x - transform.origin) / transform.unit, transform.power
    z = (stats.yeojohnson(u, power) - transform.center) / transform.scale
    slope = np.where(u >= 0, (1 + np.abs(u)) ** (power - 1), (1 + np.abs(u)) ** (1 - power))
    return z, slope / (transform.unit * transform.scale)


@each_kind
@pytest.mark.parametrize("structure", [("full", False), ("diagonal", True), ("full", 0.5)])
def test_the_density_is_that_of_a_change_of_variables(kind: str, structure: Any) -> None:
    X, y = skewed()
    weights = np.random.default_rng(1).uniform(0.5, 2.0, y.size)
    model = fitted(kind, X, y, weights, covariance=structure[0], shared=structure[1])
    transforms = learnt(model)
    z, slope = map(np.column_stack, zip(*map(by_scipy, transforms.of, X.T), strict=True))
    inner = GaussianClassifier(structure[0], shared=structure[1]).fit(z, y, weights)
    covariance = np.broadcast_to(inner.covariances_, (2, 3, 3))
    expected = np.column_stack([
        stats.multivariate_normal(inner.means_[c], covariance[c]).logpdf(z) for c in range(2)
    ])  # fmt: skip
    expected += np.log(slope).sum(axis=1)[:, None]
    scores = model.scores(X)
    np.testing.assert_allclose(scores.log_likelihood, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        scores.squared_distance, inner.scores(z).squared_distance, rtol=1e-8, atol=1e-9
    )
    own = expected[np.arange(y.size), y] + np.log(model.priors_)[y]
    assert model.negative_log_likelihood(X, y, weights).total == pytest.approx(-weights @ own)
    np.testing.assert_allclose(transforms.inverse(z), X, rtol=1e-9)
    # Missing values are integrated out.
    holes = np.where(np.arange(3) == 1, np.nan, X)
    part = model.marginal([0, 2]).scores(X[:, [0, 2]]).log_likelihood
    np.testing.assert_allclose(model.scores(holes).log_likelihood, part, rtol=1e-10, atol=1e-10)


@each_kind
def test_explanations_draws_and_moments(kind: str) -> None:
    X, y = skewed()
    model = fitted(kind, X, y)
    for row in (8, 9):
        odds = model.explain(X[row], between=(1, 0)).log_odds
        total = odds.at_reference + sum(part.amount for part in odds.contributions)
        assert total == pytest.approx(odds.value, abs=1e-9)
        assert odds.value == pytest.approx(model.log_odds(X[row : row + 1], 1, 0)[0], abs=1e-9)
    rows, labels = model.sample(20_000, random_state=0)
    z = learnt(model).forward(rows)[0]
    inner = model.model_.densities[0].inner
    for c in range(2):
        for j in range(3):
            normal = stats.norm(inner.mean[c, j], np.sqrt(inner.dense_covariance()[c, j, j]))
            assert stats.kstest(z[labels == c, j], normal.cdf).pvalue > 1e-3
        own = rows[labels == c]
        error = 5 * own.std(axis=0) / np.sqrt(len(own))
        assert (np.abs(model.means_[c] - own.mean(axis=0)) < error).all()
        deviation = np.sqrt(np.diagonal(model.covariances_[c]))
        np.testing.assert_allclose(deviation, own.std(axis=0), rtol=0.15)


@each_kind
def test_densities_integrate_to_one(kind: str) -> None:
    """Also of powers whose image is bounded: beyond the ends they go on. x = sinh t."""
    nodes, weights = np.polynomial.legendre.leggauss(8)  # of each piece between two ends
    for j in range(3):
        X, y = skewed(60, seed=j)
        model = fitted(kind, X[:, [j]], y)
        transform = learnt(model).of[0]
        kinks = [getattr(transform, name, 0.0) for name in ("origin", "lowest", "highest")]
        tails = np.concatenate([np.linspace(-300, -10, 300), np.linspace(10, 300, 300)])
        ends = np.unique(
            [*tails, *np.linspace(-10, 10, 2001), *np.arcsinh(np.clip(kinks, -1e9, 1e9))]
        )
        ends = np.clip(ends, -600, 600) if kind != "log" else ends[ends >= 0]
        half = np.diff(ends)[:, None] / 2
        points = (ends[:-1, None] + half + half * nodes).ravel()
        steps = (half * weights).ravel() * np.cosh(points)
        density = np.exp(model.scores(np.sinh(points)[:, None]).log_likelihood)
        np.testing.assert_allclose(steps @ density, 1.0, atol=1e-6)


def test_powers_are_those_of_scipy() -> None:
    """In units of the median distance from the median."""
    X, y = skewed(500, seed=3)
    for transform, x in zip(learnt(fitted("yeo-johnson", X, y)).of, X.T, strict=True):
        distance = np.abs(x - np.median(x))
        assert transform.origin == np.median(x)
        assert transform.unit == np.median(distance[distance > 0])
        best = stats.yeojohnson_normmax((x - transform.origin) / transform.unit)
        assert transform.power == pytest.approx(best, abs=1e-5)


@each_kind
def test_units_weights_and_unlabelled_rows(kind: str) -> None:
    X, y = skewed(90)
    model = fitted(kind, X, y)
    expected = model.predict_log_proba(X)
    for factor, shift in ((1e-3, 0.0), (1e5, 0.0)) if kind == "log" else ((1e-3, 7.0), (-1e5, 1e6)):
        changed = factor * X + shift
        found = fitted(kind, changed, y).predict_log_proba(changed)
        np.testing.assert_allclose(found, expected, atol=1e-3)
    # A row that weighs twice is two rows, and one that weighs nothing is none.
    weights = np.resize([1.0, 2.0, 0.0], 90)
    which = np.repeat(np.arange(90), weights.astype(int))
    one, other = fitted(kind, X, y, weights), fitted(kind, X[which], y[which])
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-4)
    # Rows without labels are learnt from, too.
    labels = np.where(np.arange(90) < 60, y, None)
    z = learnt(fitted(kind, X, labels)).forward(X)[0]
    assert kind == "range" or np.abs(z.mean(axis=0)).max() < 1e-9


@pytest.mark.parametrize("value", [1e300, -1e300, 1e12])
def test_a_row_unlike_all_others_leaves_them_as_they_are(value: float) -> None:
    X, y = skewed(150)
    before = fitted("yeo-johnson", X[8:], y[8:]).score(X[8:], y[8:])
    X[7, 1] = value
    model = fitted("yeo-johnson", X, y)
    assert model.score(X[8:], y[8:]) > before - 0.03
    assert np.abs(learnt(model).forward(X)[0]).max() < 6
    assert np.isfinite(model.score_samples(X)).all()
    assert np.isfinite(model.sample(1000, random_state=0)[0]).all()
    far = np.array([[1e300, 5.0, 5.0], [-1e300, -1e308, 1e308], [1.0, 36.0, np.nan]])
    assert np.isfinite(model.score_samples(far)).all()
    single = model.marginal([0]).scores(np.array([[1e38], [-1e38], [1.0]], np.float32))
    assert single.log_likelihood.dtype == np.float32


@each_kind
def test_models_of_the_same_transforms_merge_and_others_do_not(kind: str) -> None:
    X, y = skewed(300)
    X[::7, 1] = np.nan
    first = fitted(kind, X[:120], y[:120])
    second = GaussianClassifier(transforms=kind).fit(X[120:], y[120:], like=first)
    both = GaussianClassifier(transforms=kind).fit(X, y, like=first)
    merged = GaussianClassifier(transforms=kind).fit(X[:120], y[:120]).merge(second)
    expected = both.predict_log_proba(X)
    np.testing.assert_allclose(merged.predict_log_proba(X), expected, rtol=1e-6, atol=1e-6)
    left = merged.forget(X[:60], y[:60]).predict_log_proba(X)
    rest = GaussianClassifier(transforms=kind).fit(X[60:], y[60:], like=first).predict_log_proba(X)
    np.testing.assert_allclose(left, rest, rtol=1e-5, atol=1e-5)
    with pytest.raises(DataError, match="computed under different transforms cannot be combined"):
        first.merge(fitted(kind, X[120:], y[120:]))


def test_threads_and_blocks_do_not_matter() -> None:
    X, y = skewed(120_000)
    models = [fitted("yeo-johnson", X, y, n_jobs=jobs) for jobs in (1, 2)]
    scores = [model.predict_log_proba(X) for model in models]
    np.testing.assert_array_equal(*scores)
    np.testing.assert_allclose(models[0].predict_log_proba(X[:50]), scores[0][:50], rtol=1e-12)
    X[100_000, 2] = np.inf
    with pytest.raises(DataError, match="row 100000|row 100,000"):
        models[0].predict(X)


def test_refusals() -> None:
    X, y = skewed(40)
    model = fitted("log", X, y)
    for value in (0.0, -2.5):
        X[17, 2] = value
        for refused in (lambda: fitted("log", X, y), lambda: model.predict(X)):
            with pytest.raises(DataError, match=f"row 17 has {value:g} in .*above 0") as told:
                refused()
            (remedy,) = told.value.remedies
            assert np.isfinite(fitted(dict(remedy.options)["transforms"], X, y).means_).all()
    with pytest.raises(OptionError, match="got 'sqrt'"):
        fitted("sqrt", X, y)
