"""The kernels on rows with missing features: the density of the features that are there."""

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import stats

from gaussbayes.base.types import FloatArray
from gaussbayes.kernels import Kernels, reference
from gaussbayes.kernels.arrays import NOT_FINITE, OUT_OF_RANGE, Masked
from tests.kernels.scoring import TASKS, answers, run

KINDS = ("full", "shared full", "diagonal", "shared diagonal")
each_kind = pytest.mark.parametrize("kind", KINDS)


def make_form(kind: str, k: int, d: int, density: bool = True) -> Masked:
    """Gaussians of any variances; `log_feature` makes it their density."""
    rng = np.random.default_rng([k, d, KINDS.index(kind)])
    count = 1 if kind.startswith("shared") else k
    factors = rng.normal(size=(count, d, 2 * d))
    covariance = factors @ factors.mT
    unit = np.sqrt(np.einsum("mii->mi", covariance))
    correlation = covariance / unit[:, :, None] / unit[:, None, :]
    if kind.endswith("diagonal"):
        correlation = np.empty((count, 0, 0))
    scale = np.exp(rng.normal(size=(count, d)))
    log_feature = np.log(scale) - 0.5 * math.log(2 * math.pi) if density else np.zeros((count, d))
    log_constant = rng.normal(size=k)
    center, offset = rng.normal(size=d), rng.normal(size=(k, d))
    return Masked(center, offset, scale, correlation, log_feature, log_constant, density)


def holed(n: int, d: int, share: float = 0.3) -> FloatArray:
    """Rows with holes; the first has none, the second nothing else."""
    rng = np.random.default_rng([n, d])
    X = 2 * rng.normal(size=(n, d))
    X[rng.random((n, d)) < share] = np.nan
    X[:1] = 1.0
    X[1:2] = np.nan
    return X


def covariance_of(form: Masked, c: int) -> FloatArray:
    own = c % form.scale.shape[0]
    R = form.correlation[own] if form.correlation.size else np.eye(form.center.size)
    covariance: FloatArray = R / np.outer(form.scale[own], form.scale[own])
    return covariance


@cache
def scipy_densities(kind: str, d: int) -> FloatArray:
    """Log joints (40, 3) of rows with holes."""
    form, X = make_form(kind, 3, d), holed(40, d)
    truth = np.tile(form.log_constant, (40, 1))
    for i, c in np.ndindex(40, 3):
        seen = np.flatnonzero(~np.isnan(X[i]))
        if seen.size:
            mean, covariance = form.center + form.offset[c], covariance_of(form, c)
            marginal = stats.multivariate_normal(mean[seen], covariance[np.ix_(seen, seen)])
            truth[i, c] += marginal.logpdf(X[i, seen])
    return truth


@each_kind
def test_densities_of_scipy(kernels: Kernels, kind: str) -> None:
    for d in (1, 2, 3, 4, 5, 8, 13, 21):
        found = answers(kernels, make_form(kind, 3, d), holed(40, d), "log_joint")
        np.testing.assert_allclose(found, scipy_densities(kind, d), rtol=1e-11, atol=1e-11)


@each_kind
def test_twins_agree(kernels: Kernels, kind: str) -> None:
    for d, k, n in ((1, 1, 1), (4, 9, 60), (7, 2, 25), (20, 3, 500), (65, 5, 40)):
        form, X = make_form(kind, k, d), holed(n, d)
        for task in TASKS:
            expected = answers(reference, form, X, task)
            for same in (X, np.asfortranarray(X), X[::-1, ::-1].copy()[::-1, ::-1]):
                found = answers(kernels, form, same, task)
                np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


@each_kind
def test_distances(kernels: Kernels, kind: str) -> None:
    form, X = make_form(kind, 2, 5, density=False), holed(20, 5)
    squares = -2 * (answers(kernels, form, X, "log_joint") - form.log_constant)
    for i, c in np.ndindex(20, 2):
        seen = np.flatnonzero(~np.isnan(X[i]))
        gap = (X[i] - form.center - form.offset[c])[seen]
        precision = np.linalg.inv(covariance_of(form, c)[np.ix_(seen, seen)])
        np.testing.assert_allclose(squares[i, c], gap @ precision @ gap, rtol=1e-11, atol=1e-12)


@each_kind
def test_rows_do_not_depend_on_each_other(kernels: Kernels, kind: str) -> None:
    form, X = make_form(kind, 3, 10), holed(300, 10)
    # LAPACK may add in another order for other stacks; the native kernels may not.
    slack = 0.0 if kernels.NAME == "native" else 1e-12
    whole = answers(kernels, form, X, "log_joint")
    shuffled = np.random.default_rng(1).permutation(300)
    found = answers(kernels, form, X[shuffled], "log_joint")
    np.testing.assert_allclose(found, whole[shuffled], rtol=slack, atol=0)
    for n in (0, 1, 5, 23, 25):
        found = answers(kernels, form, X[100 : 100 + n], "log_joint")
        np.testing.assert_allclose(found, whole[100 : 100 + n], rtol=slack, atol=0)


@each_kind
def test_infinity_is_not_missing(kernels: Kernels, kind: str) -> None:
    form, X = make_form(kind, 3, 5), holed(60, 5)
    X[41, [1, 3]] = [np.nan, -np.inf]
    for task in TASKS:
        assert run(kernels, form, X, task)[0] == NOT_FINITE


@each_kind
def test_rows_out_of_range(kernels: Kernels, kind: str) -> None:
    form, X = make_form(kind, 3, 5), holed(60, 5)
    X[41] = [1e200, np.nan, 0, 0, -1e250]
    for task in TASKS:
        assert run(kernels, form, X, task)[0] == (0 if task == "log_joint" else OUT_OF_RANGE)
    log_joint = answers(kernels, form, X, "log_joint")
    np.testing.assert_array_equal(log_joint[41], -np.inf)
    assert np.isfinite(np.delete(log_joint, 41, axis=0)).all()


def test_units_do_not_matter(kernels: Kernels) -> None:
    # Powers of two are exact: not a bit of a distance may change, however far apart the units are.
    form, X = make_form("full", 2, 6, density=False), holed(30, 6)
    units = 2.0 ** np.array([-400, -300, -1, 0, 200, 480])
    scaled: Any = Masked(
        form.center * units,
        form.offset * units,
        form.scale / units,
        form.correlation,
        form.log_feature,
        form.log_constant,
        density=False,
    )
    np.testing.assert_array_equal(
        answers(kernels, scaled, X * units, "posterior"), answers(kernels, form, X, "posterior")
    )


@pytest.mark.parametrize("d", [20, 65, 130])
def test_tiny_determinants(kernels: Kernels, d: int) -> None:
    # All correlations ρ: the determinant is (1 − ρ)^(d − 1) (1 + (d − 1) ρ), below 1e-308 here.
    rho = 1 - 2.0**-40
    correlation = np.full((1, d, d), rho)
    np.einsum("mii->mi", correlation)[...] = 1.0
    zeros = np.zeros((1, d))
    form = Masked(zeros[0], zeros, zeros + 1, correlation, zeros, np.zeros(1), density=True)
    X = np.zeros((2, d))
    X[1, ::2] = np.nan
    m = np.array([d, d // 2])
    truth = -0.5 * ((m - 1) * math.log1p(-rho) + np.log1p((m - 1) * rho))
    found = answers(kernels, form, X, "log_joint")
    # A pivot of 1e-12 has lost four digits, and its logarithm none of the first four.
    np.testing.assert_allclose(found[:, 0], truth, rtol=1e-4)
