"""EM climbs for any pattern of missing values, and neither order nor units of rows matter."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gaussbayes.base.errors import DataError, SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.families.gaussian.missing.em import Incomplete, fit_incomplete
from gaussbayes.families.gaussian.parameters import Structure
from gaussbayes.model.settings import Settings
from tests.strategies import STRUCTURES, name_of

few = settings(max_examples=5)
structures = pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)


def incomplete(
    seed: int, n: int, d: int, k: int, missing: float, unlabelled: float
) -> tuple[FloatArray, CodeArray]:
    """Rows with any pattern of missing values; some may have no feature at all."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, k, n).astype(np.int32)
    X = rng.normal(size=(n, d)) @ (np.eye(d) + 0.5 * rng.normal(size=(d, d)))
    X += codes[:, None] * rng.normal(size=d)
    X[rng.random((n, d)) < missing] = np.nan
    codes[rng.random(n) < unlabelled] = -1
    return X, codes


def fit(X: FloatArray, codes: CodeArray, k: int, structure: Structure) -> Incomplete:
    """The fit, if there is one: rows that no model fits are told so, and are no example."""
    schema = Schema(np.arange(k), X.shape[1])
    plain = Settings(structure, None, "mle", None)
    try:
        return fit_incomplete(X, codes, None, k, schema, plain, n_jobs=1, max_iterations=300)
    except (DataError, SingularCovarianceError):
        assume(False)
        raise


@structures
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(12, 40),
    d=st.integers(1, 3),
    k=st.integers(1, 2),
    missing=st.floats(0, 0.6),
    unlabelled=st.sampled_from([0.0, 0.5]),
)
def test_the_log_likelihood_never_falls(
    structure: Structure,
    seed: int,
    n: int,
    d: int,
    k: int,
    missing: float,
    unlabelled: float,
) -> None:
    found = fit(*incomplete(seed, n, d, k, missing, unlabelled), k, structure)
    record = found.convergence.log_likelihood
    assert np.diff(record).min(initial=0.0) >= -1e-10 * (1 + abs(record[-1]))


def assert_alike(one: Incomplete, two: Incomplete, unit: FloatArray, tolerance: float) -> None:
    """Means and scatters of the second are those of the first times the units of the features."""
    a, b = one.moments, two.moments
    spread = np.sqrt(np.abs(a.scatter).max(initial=0.0) / a.weight.sum()) + 1.0
    np.testing.assert_allclose(b.weight, a.weight, rtol=tolerance)
    np.testing.assert_allclose(b.mean / unit, a.mean, rtol=0, atol=tolerance * spread)
    scale = np.square(unit) if a.layout == "diagonal" else unit[:, None] * unit
    largest = float(np.abs(a.scatter).max())
    np.testing.assert_allclose(b.scatter / scale, a.scatter, rtol=0, atol=tolerance * largest)


@structures
@few
@given(seed=st.integers(0, 2**32 - 1), unlabelled=st.sampled_from([0.0, 0.3]))
def test_order_does_not_matter(structure: Structure, seed: int, unlabelled: float) -> None:
    X, codes = incomplete(seed, 80, 3, 2, 0.25, unlabelled)
    order = np.random.default_rng(seed).permutation(80)
    one = fit(X, codes, 2, structure)
    assume(one.convergence.converged)
    assert_alike(one, fit(X[order], codes[order], 2, structure), np.ones(3), 1e-8)


@structures
@few
@given(seed=st.integers(0, 2**32 - 1), powers=st.tuples(*[st.integers(-8, 8)] * 3))
def test_units_do_not_matter(structure: Structure, seed: int, powers: tuple[int, ...]) -> None:
    X, codes = incomplete(seed, 80, 3, 2, 0.25, 0.3)
    one = fit(X, codes, 2, structure)
    assume(one.convergence.converged)
    # A spherical covariance is one only in common units.
    unit = (
        np.full(3, 10.0 ** powers[0])
        if structure.covariance == "spherical"
        else 10.0 ** np.array(powers)
    )
    assert_alike(one, fit(X * unit, codes, 2, structure), unit, 1e-8)


@structures
@few
@given(seed=st.integers(0, 2**32 - 1))
def test_an_offset_does_not_matter(structure: Structure, seed: int) -> None:
    X, codes = incomplete(seed, 80, 3, 2, 0.25, 0.3)
    X = np.round(X * 2**20) / 2**20  # so that adding the offset rounds nothing
    one = fit(X, codes, 2, structure)
    assume(one.convergence.converged)
    two = fit(X + 1e8, codes, 2, structure)
    a, b = one.moments, two.moments
    np.testing.assert_allclose(
        (b.anchor - 1e8) + b.offset,
        a.anchor + a.offset,
        rtol=0,
        atol=1e-8 * (1 + np.abs(a.mean).max()),
    )
    np.testing.assert_allclose(b.scatter, a.scatter, rtol=0, atol=1e-8 * np.abs(a.scatter).max())
