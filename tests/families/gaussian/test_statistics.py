"""Statistics of rows with and without missing values: a group, and the laws of what is left."""

import numpy as np
import pytest

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import ScatterLayout
from gaussbayes.families.gaussian.cells import observe
from gaussbayes.families.gaussian.statistics import GaussianStatistics, layout_for
from tests.strategies import LAYOUTS

NAMES = Schema(np.array(["a", "b", "c"]), 3, ("x", "y", "z"))
RNG = np.random.default_rng(0)
X = RNG.normal(size=(240, 3)) @ RNG.normal(size=(3, 3)) + 1000.0
X[RNG.random(X.shape) < 0.3] = np.nan
X[:6] = np.nan
CODES = RNG.integers(0, 3, 240).astype(np.int32)
WEIGHTS = RNG.uniform(0.5, 2.0, 240)

each_layout = pytest.mark.parametrize("layout", LAYOUTS)


def of_rows(which: object, layout: ScatterLayout) -> GaussianStatistics:
    return observe(X[which], CODES[which], WEIGHTS[which], 3, layout)


def assert_alike(a: GaussianStatistics, b: GaussianStatistics) -> None:
    """The same but for rounding."""
    assert a.is_complete == b.is_complete
    np.testing.assert_allclose(a.weight, b.weight, rtol=1e-12)
    parts = [(a.moments, b.moments)]
    if a.cells is not None and b.cells is not None:
        np.testing.assert_array_equal(a.cells.codes, b.cells.codes)
        np.testing.assert_array_equal(a.cells.observed, b.cells.observed)
        parts.append((a.cells.dense(), b.cells.dense()))
    for x, y in parts:
        assert x.layout == y.layout
        np.testing.assert_allclose(x.weight, y.weight, rtol=1e-12, atol=1e-12)
        heavy = y.weight > 1e-9
        np.testing.assert_allclose(x.mean[heavy], y.mean[heavy], rtol=1e-13)
        np.testing.assert_allclose(x.scatter, y.scatter, rtol=1e-10, atol=1e-9)


@each_layout
def test_parts_are_the_whole_and_can_be_removed(layout: ScatterLayout) -> None:
    whole = of_rows(slice(None), layout)
    first, second = of_rows(slice(0, 100), layout), of_rows(slice(100, None), layout)
    assert_alike(first + second, whole)
    assert_alike(first.plus(second, NAMES), whole)
    assert_alike(whole.without(second, NAMES), first)
    nothing = whole.without(whole, NAMES)
    assert nothing.is_complete
    assert not nothing.weight.any()
    complete = ~np.isnan(X).any(axis=1)
    assert_alike(whole.without(of_rows(~complete, layout), NAMES), of_rows(complete, layout))
    assert whole.n_bytes > first.n_bytes > of_rows(complete, layout).n_bytes > 0


def test_what_was_never_seen_cannot_be_removed() -> None:
    complete = ~np.isnan(X).any(axis=1)
    with pytest.raises(DataError, match="no rows of class 'a' without .* to be removed"):
        of_rows(complete, "full").without(of_rows(slice(None), "full"), NAMES)


@each_layout
@pytest.mark.parametrize("factor", [0.25, 3.0])
def test_scaled_statistics_are_those_of_weighted_rows(layout: ScatterLayout, factor: float) -> None:
    expected = observe(X, CODES, factor * WEIGHTS, 3, layout)
    assert_alike(of_rows(slice(None), layout).scaled(factor), expected)


def test_scaled_to_nothing() -> None:
    nothing = of_rows(slice(None), "full").scaled(0.0)
    assert nothing.is_complete
    assert not nothing.weight.any()
    assert_alike(nothing + of_rows(slice(None), "full"), of_rows(slice(None), "full"))
    with pytest.raises(OptionError, match="factor"):
        nothing.scaled(-1.0)


@each_layout
@pytest.mark.parametrize("columns", [[0], [2, 0], [1, 2, 0]])
def test_columns_are_those_of_the_rows(layout: ScatterLayout, columns: list[int]) -> None:
    part = of_rows(slice(None), layout).of_columns(columns)
    assert_alike(part, observe(X[:, columns], CODES, WEIGHTS, 3, layout))


def test_columns_without_missing_values_are_complete() -> None:
    rows = X.copy()
    rows[:, 1] = np.arange(240.0)
    part = observe(rows, CODES, None, 3, "full").of_columns([1])
    assert part.is_complete
    assert_alike(part, observe(rows[:, [1]], CODES, None, 3, "full"))


@each_layout
def test_classes_are_selected_and_aligned(layout: ScatterLayout) -> None:
    whole = of_rows(slice(None), layout)
    wider = whole.aligned([3, 0, 1], 4)
    expected = observe(X, np.array([3, 0, 1], np.int32)[CODES], WEIGHTS, 4, layout)
    assert_alike(wider, expected)
    assert_alike(wider.selected([3, 0, 1]), whole)
    if layout == "pooled":
        with pytest.raises(DataError, match="summed over the classes to save memory"):
            whole.selected([0, 2])
        return
    kept = CODES != 1
    rest = observe(X[kept], CODES[kept] // 2, WEIGHTS[kept], 2, layout)
    assert_alike(whole.selected([0, 2]), rest)


@each_layout
def test_all_classes_together(layout: ScatterLayout) -> None:
    together = of_rows(slice(None), layout).together()
    expected = observe(X, np.zeros(240, np.int32), WEIGHTS, 1, together.moments.layout)
    assert together.moments.layout == ("full" if layout == "pooled" else layout)
    assert_alike(together, expected)


def test_a_sum_keeps_what_both_have() -> None:
    halves = slice(0, 120), slice(120, None)
    for layout in ("pooled", "diagonal"):
        both = of_rows(halves[0], "full") + of_rows(halves[1], layout)
        assert_alike(both, of_rows(slice(None), layout))
        assert_alike(of_rows(halves[1], layout) + of_rows(halves[0], "full"), both)
    with pytest.raises(DataError, match="fit again with these settings"):
        _ = of_rows(halves[0], "pooled") + of_rows(halves[1], "diagonal")


def test_a_shared_covariance_keeps_the_scatter_by_class_while_it_is_small() -> None:
    assert layout_for("full", shared=True, n_classes=10, n_columns=40) == "full"
    assert layout_for("full", shared=True, n_classes=10, n_columns=41) == "pooled"
    assert layout_for("full", shared=False, n_classes=10, n_columns=500) == "full"
    assert layout_for("diagonal", shared=True, n_classes=10, n_columns=500) == "diagonal"
