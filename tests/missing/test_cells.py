"""EM from the moments of cells finds what EM from the rows finds."""

import numpy as np
import pytest

from gaussbayes.base.errors import DataError, SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray, ScatterLayout
from gaussbayes.families.gaussian.learning import learn
from gaussbayes.families.gaussian.missing.available import available
from gaussbayes.families.gaussian.missing.cells import incomplete_cells
from gaussbayes.families.gaussian.missing.em import Incomplete, fit_incomplete, fit_patterns
from gaussbayes.families.gaussian.parameters import Structure
from gaussbayes.families.gaussian.shrinkage import Shrinkage
from gaussbayes.model.settings import Settings
from tests.strategies import LAYOUTS, STRUCTURES, name_of


def lacking(seed: int, n: int = 240, d: int = 3) -> tuple[FloatArray, CodeArray, FloatArray]:
    """Rows of two classes in very different units, a quarter of their values missing."""
    rng = np.random.default_rng(seed)
    codes = (np.arange(n) % 2).astype(np.int32)
    X = (rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 2.0 * codes[:, None]) * 10.0 ** (
        np.arange(d) * 2 - 2
    ) + 100.0
    X[rng.random(X.shape) < 0.25] = np.nan
    return X, codes, rng.random(n) + 0.1


def assert_alike(a: Incomplete, b: Incomplete, settings: Settings, schema: Schema) -> None:
    one, other = (settings.estimate(each.moments, schema) for each in (a, b))
    covariance = other.covariance.dense()
    unit = np.sqrt(np.einsum("mii->mi", covariance))
    np.testing.assert_allclose(one.prior, other.prior, rtol=1e-12)
    np.testing.assert_allclose(one.mean / unit, other.mean / unit, rtol=1e-10)
    scale = unit[:, :, None] * unit[:, None, :]
    np.testing.assert_allclose(
        one.covariance.dense() / scale, covariance / scale, rtol=1e-10, atol=1e-10
    )
    np.testing.assert_allclose(
        a.convergence.log_likelihood[-1], b.convergence.log_likelihood[-1], rtol=1e-10
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)
def test_cells_say_all_that_rows_do(structure: Structure, weighted: bool) -> None:
    settings, schema = Settings(structure, None, "mle", None), Schema(np.arange(2), 3)
    layouts: set[ScatterLayout] = {structure.layout, "full"}
    for seed in range(3):
        X, codes, weights = lacking(seed)
        X[:3] = np.nan
        share = weights if weighted else None
        rows = fit_incomplete(X, codes, share, 2, schema, settings, n_jobs=1)
        for layout in layouts:
            learnt = learn(X, codes, share, schema.classes, layout, 1)
            found = fit_patterns(learnt, schema, settings, n_jobs=1)
            assert found.convergence.converged
            assert found.moments.layout == structure.layout
            assert_alike(found, rows, settings, schema)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_moments_of_the_rows_that_have_a_feature(layout: ScatterLayout) -> None:
    X, codes, weights = lacking(7)
    learnt = learn(X, codes, weights, np.arange(2), layout, 1)
    cells = incomplete_cells(learnt, Schema(np.arange(2), 3))
    found, expected = cells.available(), available(X, codes, weights, 2)
    np.testing.assert_allclose(found.weight, expected.weight, rtol=1e-13)
    np.testing.assert_allclose(
        found.anchor + found.offset, expected.anchor + expected.offset, rtol=1e-13
    )
    # A pooled scatter is that of no class in particular.
    np.testing.assert_allclose(found.scatter.sum(axis=0), expected.scatter.sum(axis=0), rtol=1e-12)
    if layout != "pooled":
        np.testing.assert_allclose(found.scatter, expected.scatter, rtol=1e-12)
    together = available(X, np.zeros(codes.size, np.int32), weights, 1)
    np.testing.assert_allclose(cells.together().scatter, together.scatter, rtol=1e-12)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("shrinkage", [0.1, "oas"])
def test_shrinkage_stands_in_where_there_is_no_maximum(shared: bool, shrinkage: Shrinkage) -> None:
    X, codes, _ = lacking(1, n=60)
    X[:, 2] = 2.0 * X[:, 0] - X[:, 1]  # singular, but for what is missing
    X[4, 2] = np.nan
    schema = Schema(np.arange(2), 3)
    plain = Settings(Structure("full", shared), None, "mle", None)
    learnt = learn(X, codes, None, schema.classes, plain.structure.layout, 1)
    with pytest.raises(SingularCovarianceError, match="incomplete rows has no maximum: "):
        fit_patterns(learnt, schema, plain)
    shrunk = Settings(Structure("full", shared), None, "mle", shrinkage)
    found = fit_patterns(learnt, schema, shrunk)
    assert found.convergence.penalised
    rows = fit_incomplete(X, codes, None, 2, schema, shrunk)
    assert_alike(found, rows, shrunk, schema)


def test_what_is_not_there_is_named() -> None:
    X = np.array([[1.0, np.nan], [2.0, np.nan], [3.0, 1.0]])
    learnt = learn(X, np.array([0, 0, 1], np.int32), None, np.array(["a", "b"]), "full")
    with pytest.raises(DataError, match="class 'a' has no labelled row with 'y'"):
        incomplete_cells(learnt, Schema(learnt.classes, 2, ("x", "y")))
    none = learn(X, np.ones(3, np.int32), None, np.array(["a", "b"]), "full")
    with pytest.raises(DataError, match="class 'a' has no labelled rows of positive weight"):
        incomplete_cells(none, Schema(none.classes, 2))
