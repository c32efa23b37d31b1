"""The Bayesian predictive: closed forms against refitting, products and limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_t

from gaussbayes import GaussianClassifier
from gaussbayes.base.errors import DataError, OptionError, SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.data.rows import number_rows
from gaussbayes.families.gaussian.cells import observe
from gaussbayes.families.gaussian.missing_values import suppose
from gaussbayes.families.gaussian.predictive import (
    PredictiveLeftOut,
    Prior,
    log_evidence,
    predictive,
)
from gaussbayes.families.removal import remove

UNITS = np.array([1.0, 10.0, 0.1, 100.0])


def table(seed=0, units=UNITS):
    generator = np.random.default_rng(seed)
    codes = np.repeat(np.arange(3, dtype=np.int32), [6, 9, 30])
    X = (generator.normal(size=(45, units.size)) + 0.5 * codes[:, None]) * units + 1e3 * units
    return X, codes, generator.uniform(0.5, 2.0, 45)


def moments(X, codes, weights, k=3):
    return observe(X, codes, weights, k, "full").moments


@pytest.mark.parametrize("diagonal", [True, False])
def test_rows_left_out_are_as_if_refitted(diagonal):
    X, codes, weights = table(units=UNITS if diagonal else np.ones(4))
    names = Schema(np.arange(3), 4)
    priors = [
        Prior(sharing, shrinkage, diagonal)
        for sharing in (0.0, 0.02, 0.5, 0.99, 1.0)
        for shrinkage in (0.0, 0.1, 1.0)
    ]
    whole = moments(X, codes, weights)
    removal = remove(codes.astype(np.intp), weights, whole.weight)
    with np.errstate(all="ignore"):
        got, reliable = PredictiveLeftOut.of(whole, priors).log_densities(X, removal)
    assert reliable.mean() > 0.95
    for row in range(0, 45, 4):
        others = np.arange(45) != row
        rest = moments(X[others], codes[others], weights[others])
        for place, prior in enumerate(priors):
            if reliable[place, row]:
                density = predictive(rest, names, prior)
                expected = density.log_density(number_rows(X[row : row + 1]))[0]
                difference = got[place, row] - expected  # up to a constant of the row
                np.testing.assert_allclose(difference, difference[0], atol=1e-9)


@pytest.mark.parametrize("d", [4, 16])
def test_units_and_target_may_be_given(d):
    """Then a row that is left out takes an outer product from the scatters and moves its mean.

    Of 16 features the scatters of the classes have ranks of 5, 8 and 16.
    """
    X, codes, weights = table(units=np.resize(UNITS, d))
    whole = moments(X, codes, weights)
    grid = [Prior(a, g) for a in (0.02, 0.5, 1.0) for g in (0.1, 1.0)]
    removal = remove(codes.astype(np.intp), weights, whole.weight)
    got, reliable = PredictiveLeftOut.of(whole, grid, units_given=True).log_densities(X, removal)
    assert reliable.all()
    unit = np.sqrt(whole.scatter.sum(axis=0).diagonal())
    own, total = whole.scatter / unit / unit[:, None], weights.sum()
    for row in range(0, 45, 4):
        b, w = codes[row], weights[row]
        apart = (X[row] - whole.mean) / unit
        stretch = whole.weight[b] / (whole.weight[b] - w)
        left = own - (np.arange(3) == b)[:, None, None] * w * stretch * np.outer(apart[b], apart[b])
        apart[b] *= stretch
        n = whole.weight - w * (np.arange(3) == b)
        for place, prior in enumerate(grid):
            g, shared = prior.shrinkage, prior.sharing == 1.0
            centre = (1.0 - g) * left.sum(axis=0) + g * np.eye(d)
            expected = []
            for c in range(3):
                scatter = centre if shared else prior.ratio / 3 * centre + left[c]
                nu = total - w - 1.0 if shared else prior.ratio * (total - w) / 3 + n[c] + 1.0
                law = multivariate_t(np.zeros(d), scatter * (1.0 + 1.0 / n[c]) / nu, nu)
                expected.append(law.logpdf(apart[c]))
            difference = got[place, row] - expected  # up to a constant of the row
            np.testing.assert_allclose(difference, difference[0], atol=1e-9)


def test_rows_with_missing_values_are_left_out_exactly_given_what_these_are_expected_by():
    """As if refitted to the other rows, completed by the same Gaussians."""
    X, codes, weights = table()
    X[::4, 1], X[2::7, 3], X[::9, [0, 2]], X[7] = np.nan, np.nan, np.nan, np.nan
    statistics, names = observe(X, codes, weights, 3, "full"), Schema(np.arange(3), 4)
    supposed = suppose(statistics, names)[0]
    whole = supposed.expect_statistics(statistics)[0].moments
    # The target, which is given, counts for nothing that could be seen.
    grid = [Prior(a, 1e-12) for a in (0.02, 0.5, 0.99)]
    removal = remove(codes.astype(np.intp), weights, whole.weight)
    got, reliable = PredictiveLeftOut.of(whole, grid, units_given=True).log_densities(X, removal)
    assert reliable.all()
    for row in range(45):
        kept = np.arange(45) != row
        rest = observe(X[kept], codes[kept], weights[kept], 3, "full")
        rest = supposed.expect_statistics(rest)[0].moments
        for place, prior in enumerate(grid):
            density = predictive(rest, names, prior)
            expected = density.log_density(number_rows(X[row : row + 1]))[0]
            difference = got[place, row] - expected  # up to a constant of the row
            np.testing.assert_allclose(difference, difference[0], atol=1e-9)


@pytest.mark.parametrize("target", ["diagonal", "spherical"])
@pytest.mark.parametrize("shrinkage", [None, 0.1])
def test_features_that_do_not_vary(target, shrinkage):
    """Within classes, in one class, or at all: no error, and left out as if refitted."""
    X, codes, _ = table(units=np.ones(4))
    X = np.column_stack([X, np.full(45, 7.0), codes == 2, np.where(codes == 1, X[:, 0], 1.0)])
    chosen = {"estimate": "predictive", "shared": 0.5, "shrinkage": shrinkage, "target": target}
    model = GaussianClassifier(**chosen).fit(X, codes)
    left_out = model.leave_one_out(X, codes).log_posterior
    for row in range(0, 45, 6):
        others = np.arange(45) != row
        again = GaussianClassifier(**chosen).fit(X[others], codes[others])
        expected = again.predict_log_proba(X[row : row + 1])[0]
        np.testing.assert_allclose(left_out[row], expected, rtol=1e-9, atol=1e-9)
    # What never varied adds next to nothing, whatever it is now.
    new = X + np.eye(7)[4]
    np.testing.assert_allclose(model.predict_proba(new), model.predict_proba(X), atol=1e-4)


@pytest.mark.parametrize("sharing", [0.1, 0.7])
def test_evidence_is_the_product_of_predictions(sharing):
    """p(x₁ … xₙ) = Π p(xᵢ | x₁ … xᵢ₋₁), with the prior kept; the first row has density 1."""
    X, codes, _ = table(units=np.ones(4))
    whole = moments(X, codes, np.ones(45))
    prior = Prior(sharing, 0.3)
    base = prior.ratio / 3 * prior.shrunk(whole.scatters("full", shared=False).sum(axis=0))
    strength = prior.ratio * 45 / 3
    total = 0.0
    for code in range(3):
        rows = X[codes == code]
        for n in range(1, len(rows)):
            seen = rows[:n]
            apart = seen - seen.mean(axis=0)
            scatter = base + apart.T @ apart
            nu, kappa = strength + n + 1.0, 1.0 + 1.0 / n
            law = multivariate_t(seen.mean(axis=0), scatter * kappa / nu, nu)
            total += float(law.logpdf(rows[n]))
    assert log_evidence(whole, prior) == pytest.approx(total, rel=1e-10)


@settings(max_examples=20, deadline=None)
@given(
    scale=st.lists(st.floats(-6, 6), min_size=4, max_size=4),
    sharing=st.sampled_from([0.1, 0.5, 1.0]),
    shrinkage=st.sampled_from([0.1, 0.5, 1.0]),
)
def test_units_do_not_matter(scale, sharing, shrinkage):
    X, codes, _ = table()
    model = GaussianClassifier(estimate="predictive", shared=sharing, shrinkage=shrinkage)
    before = model.fit(X, codes).predict_log_proba(X)
    rescaled = X * 10.0 ** np.array(scale)
    after = model.fit(rescaled, codes).predict_log_proba(rescaled)
    np.testing.assert_allclose(after, before, rtol=1e-7, atol=1e-9)


def test_many_rows_are_a_gaussian():
    """With many rows nothing is left to be integrated out: QDA."""
    generator = np.random.default_rng(3)
    codes = np.arange(60_000) % 2
    X = generator.normal(size=(60_000, 2)) * (1.0 + codes[:, None]) + codes[:, None]
    t = GaussianClassifier(estimate="predictive", shared=0.0).fit(X, codes)
    plain = GaussianClassifier().fit(X, codes)
    np.testing.assert_allclose(t.predict_proba(X[:500]), plain.predict_proba(X[:500]), atol=2e-4)


def test_missing_values_and_file(tmp_path):
    X, codes, _ = table()
    X[::4, 1], X[1::7, 3] = np.nan, np.nan
    model = GaussianClassifier(estimate="predictive", shared=0.5, shrinkage=0.1).fit(X, codes)
    assert model.convergence_.converged
    again = GaussianClassifier.load(model.save(tmp_path / "model.json"))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    left_out = model.leave_one_out(X, codes)
    assert left_out.evaluation.log_loss > 0


def test_bad_settings():
    X, codes, _ = table()
    with pytest.raises(OptionError, match="needs covariance='full', got 'diagonal'"):
        GaussianClassifier("diagonal", estimate="predictive").fit(X, codes)
    with pytest.raises(OptionError, match=r"estimate must be one of .*'predictive'"):
        GaussianClassifier(estimate="bayes").fit(X, codes)
    with pytest.raises(DataError, match="more than one row of each class, or some of the pooled"):
        GaussianClassifier(estimate="predictive").fit(X[5:], codes[5:])
    with pytest.raises(SingularCovarianceError, match=r"Remedies: .*shared=0.5"):
        GaussianClassifier(estimate="predictive").fit(X[3:], codes[3:])
