"""Rows with holes: parts merge to the whole, and what was added can be removed.

Rows of one class and pattern are to their cell what complete rows are to their class. So the cells
of rows with holes must be the moments of rows that are labelled by cell, 0 where a value lacks.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gaussbayes.base.types import ScatterLayout
from gaussbayes.families.gaussian.learning import learn
from gaussbayes.families.gaussian.pattern_moments import unite_cells
from gaussbayes.model.labelled import LabelledMoments
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


def learnt(some: Rows, layout: ScatterLayout) -> LabelledMoments:
    return learn(some.X, some.codes, some.weights, np.arange(some.n_classes), layout, 1)


def by_cell(some: Rows) -> Rows:
    """The incomplete rows that weigh something, with the number of their cell as class."""
    there = ~np.isnan(some.X)
    which = ~there.all(axis=1) & (True if some.weights is None else some.weights > 0)
    chosen, seen = some.taken(which), there[which]
    owner, _, number = unite_cells(chosen.codes, seen)
    filled = np.where(seen, chosen.X, 0.0)
    return Rows(filled, number.astype(np.int32), chosen.weights, owner.size)


def assert_cells(found: LabelledMoments, some: Rows, layout: ScatterLayout) -> None:
    """The cells are those of these rows, up to rounding."""
    cells = by_cell(some)
    if not cells.n_classes:
        assert found.incomplete is None
        return
    assert found.incomplete is not None
    expected = cells.summarise("diagonal" if layout == "diagonal" else "full")
    assert_close(found.incomplete.moments, expected, rounding(cells))


@each_layout
@given(parted=parted_rows(parts=3))
def test_merged_parts(layout: ScatterLayout, parted: tuple[Rows, list[Rows]]) -> None:
    whole, parts = parted
    assert_cells(learnt(whole, layout), whole, layout)
    a, b, c = (learnt(part, layout) for part in parts)
    for merged in ((a + b) + c, a + (b + c), (c + b) + a):
        assert_cells(merged, whole, layout)
        np.testing.assert_allclose(merged.weight, learnt(whole, layout).weight, rtol=1e-13)


@each_layout
@given(parted=parted_rows(parts=2))
def test_removing_what_was_added(layout: ScatterLayout, parted: tuple[Rows, list[Rows]]) -> None:
    whole, parts = parted
    a, b = (learnt(part, layout).with_rows() for part in parts)
    both = a + b
    left = both.without(b)
    assert left.classes.tolist() == a.classes.tolist()
    assert (left.incomplete is None) == (a.incomplete is None)
    if left.incomplete is None or a.incomplete is None:
        return
    np.testing.assert_array_equal(left.incomplete.codes, a.incomplete.codes)
    np.testing.assert_array_equal(left.incomplete.observed, a.incomplete.observed)
    # As in test_removal_undoes_addition, for the cells that are left of those that were there.
    bound = rounding(by_cell(whole))
    assert both.incomplete is not None
    of_both = both.classes[both.incomplete.codes].tolist()
    of_left = left.classes[left.incomplete.codes].tolist()
    names = list(zip(of_both, both.incomplete.observed.tolist(), strict=True))
    own = [
        names.index(name) for name in zip(of_left, left.incomplete.observed.tolist(), strict=True)
    ]
    bound = Rounding(bound.weight[own], bound.mean[own], bound.scatter[own])
    grows = both.incomplete.moments.weight[own] / a.incomplete.moments.weight
    assert_close(left.incomplete.moments, a.incomplete.moments, bound.times(1 + grows))
