"""``a + 0 = 0 + a = a`` and ``a − 0 = a``, to the bit."""

import numpy as np
import pytest
from hypothesis import given

from gaussbayes.base.types import ScatterLayout
from gaussbayes.families.gaussian.statistics import ClassMoments, empty
from tests.strategies import LAYOUTS, Rows, rows

pytestmark = pytest.mark.usefixtures("kernels")


def assert_same(one: ClassMoments, two: ClassMoments) -> None:
    for field in ("weight", "anchor", "offset", "scatter"):
        np.testing.assert_array_equal(getattr(one, field), getattr(two, field), err_msg=field)


@pytest.mark.parametrize("layout", LAYOUTS)
@given(some=rows())
def test_no_rows_change_nothing(layout: ScatterLayout, some: Rows) -> None:
    moments = some.summarise(layout)
    nothing = empty(moments.n_classes, moments.n_features, layout)
    assert_same(moments + nothing, moments)
    assert_same(nothing + moments, moments)
    assert_same(moments - nothing, moments)


@pytest.mark.parametrize("layout", LAYOUTS)
@given(some=rows())
def test_rows_of_weight_zero_are_no_rows(layout: ScatterLayout, some: Rows) -> None:
    unweighted = Rows(some.X, some.codes, np.zeros(some.X.shape[0]), some.n_classes)
    assert_same(unweighted.summarise(layout), empty(some.n_classes, some.X.shape[1], layout))


@pytest.mark.parametrize("layout", LAYOUTS)
@given(some=rows())
def test_a_class_without_rows_stays_empty(layout: ScatterLayout, some: Rows) -> None:
    k = some.n_classes
    wider = Rows(some.X, some.codes, some.weights, k + 1).summarise(layout)
    assert wider.weight[k] == 0
    assert not wider.anchor[k].any()
    assert not wider.offset[k].any()
    assert_same(wider.selected(range(k)), some.summarise(layout))
