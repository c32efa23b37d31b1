"""What EM finds depends neither on the order nor on the units of rows, whatever is missing.

Labels may be missing too: EM is that of the model, with the Gaussian family alone.
"""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gaussbayes.base.errors import DataError, SingularCovarianceError
from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.data.rows import LabelledRows, Targets, number_rows
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian import Structure
from gaussbayes.model.model import solve
from gaussbayes.model.options import internal_options
from gaussbayes.model.solution import Solution
from gaussbayes.model.statistics import observe
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


def fit(X: FloatArray, codes: CodeArray, k: int, structure: Structure) -> Solution:
    """The fit, if there is one: rows that no model fits are named, and are no example."""
    schema = Schema(np.arange(k), X.shape[1])
    targets = Targets(codes, k, None, int((codes < 0).sum()))
    options = internal_options(covariance=structure.covariance, shared=structure.sharing)
    plain = options.settings(schema)
    rows = LabelledRows(number_rows(X), targets, schema.classes)
    try:
        found = solve(observe(rows, plain, schema), plain, schema)
    except (DataError, SingularCovarianceError):
        assume(False)
        raise
    assume(found.convergence is not None)
    return found


def assert_alike(one: Solution, two: Solution, unit: FloatArray, tolerance: float) -> None:
    """Means and covariances of the second are those of the first times the units of features."""
    a, b = one.densities[0], two.densities[0]
    np.testing.assert_allclose(two.prior, one.prior, rtol=tolerance)
    apart = (b.mean / unit - a.mean) / a.deviation
    np.testing.assert_allclose(apart, 0.0, rtol=0, atol=tolerance * (1 + np.abs(a.mean).max()))
    scale = a.covariance.deviation[:, :, None] * a.covariance.deviation[:, None, :]
    dense = b.covariance.dense() / unit[:, None] / unit
    apart = (dense - a.covariance.dense()) / scale
    np.testing.assert_allclose(apart, 0.0, rtol=0, atol=tolerance)


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
    a, b = one.densities[0], two.densities[0]
    mean = (b.center - 1e8) + b.offset
    np.testing.assert_allclose(mean, a.mean, rtol=0, atol=1e-8 * (1 + np.abs(a.mean).max()))
    dense = a.covariance.dense()
    np.testing.assert_allclose(b.covariance.dense(), dense, rtol=0, atol=1e-8 * np.abs(dense).max())
