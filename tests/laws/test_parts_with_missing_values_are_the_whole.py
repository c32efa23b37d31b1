"""Rows with missing values: parts merge to the whole, and what was added can be removed.

Rows of one class and pattern are to their cell what complete rows are to their class. So the cells
must be the moments of rows that are labelled by cell, 0 where a value is missing.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gaussbayes.base.types import ScatterLayout
from gaussbayes.families.gaussian import GaussianStatistics
from gaussbayes.families.gaussian.cells import observe, unite_cells
from tests.oracles import Rounding, assert_close, rounding
from tests.strategies import LAYOUTS, Rows, rows

pytestmark = pytest.mark.usefixtures("kernels")
each_layout = pytest.mark.parametrize("layout", LAYOUTS)


@st.composite
def parted_rows(draw: st.DrawFn, parts: int) -> tuple[Rows, list[Rows]]:
    """Rows of which some values are missing, and the same rows in parts."""
    whole = draw(rows())
    gaps = draw(hnp.arrays(bool, whole.X.shape))
    lacking = replace(whole, X=np.where(gaps, np.nan, whole.X))
    part = draw(hnp.arrays(np.int64, whole.X.shape[0], elements=st.integers(0, parts - 1)))
    return lacking, [lacking.taken(part == number) for number in range(parts)]


def observed(some: Rows, layout: ScatterLayout) -> GaussianStatistics:
    return observe(some.X, some.codes, some.weights, some.n_classes, layout)


def by_cell(some: Rows) -> Rows:
    """The incomplete rows that weigh something, with the number of their cell as class."""
    there = ~np.isnan(some.X)
    which = ~there.all(axis=1) & (True if some.weights is None else some.weights > 0)
    chosen, seen = some.taken(which), there[which]
    owner, _, number = unite_cells(chosen.codes, seen)
    filled = np.where(seen, chosen.X, 0.0)
    return Rows(filled, number.astype(np.int32), chosen.weights, owner.size)


def assert_cells(found: GaussianStatistics, some: Rows, layout: ScatterLayout) -> None:
    """The cells are those of these rows, up to rounding."""
    cells = by_cell(some)
    if not cells.n_classes:
        assert found.cells is None
        return
    assert found.cells is not None
    expected = cells.summarise("diagonal" if layout == "diagonal" else "full")
    assert_close(found.cells.dense(), expected, rounding(cells))


@each_layout
@given(parted=parted_rows(parts=3))
def test_merged_parts(layout: ScatterLayout, parted: tuple[Rows, list[Rows]]) -> None:
    whole, parts = parted
    assert_cells(observed(whole, layout), whole, layout)
    a, b, c = (observed(part, layout) for part in parts)
    for merged in ((a + b) + c, a + (b + c), (c + b) + a):
        assert_cells(merged, whole, layout)
        np.testing.assert_allclose(merged.weight, observed(whole, layout).weight, rtol=1e-13)


@each_layout
@given(parted=parted_rows(parts=2))
def test_removing_what_was_added(layout: ScatterLayout, parted: tuple[Rows, list[Rows]]) -> None:
    whole, parts = parted
    a, b = (observed(part, layout) for part in parts)
    both = a + b
    left = both.without(b, whole.schema)
    assert (left.cells is None) == (a.cells is None)
    if left.cells is None or a.cells is None:
        return
    np.testing.assert_array_equal(left.cells.codes, a.cells.codes)
    np.testing.assert_array_equal(left.cells.observed, a.cells.observed)
    # As in test_removal_undoes_addition, for the cells that are left of those that were there.
    bound = rounding(by_cell(whole))
    assert both.cells is not None
    names, kept = (
        list(zip(cells.codes.tolist(), cells.observed.tolist(), strict=True))
        for cells in (both.cells, left.cells)
    )
    own = [names.index(name) for name in kept]
    bound = Rounding(bound.weight[own], bound.mean[own], bound.scatter[own])
    grows = both.cells.weight[own] / a.cells.weight
    assert_close(left.cells.dense(), a.cells.dense(), bound.times(1 + grows))
