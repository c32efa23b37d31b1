"""A row of weight m counts as the row m times."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussbayes.base.types import ScatterLayout
from gaussbayes.families.gaussian.statistics import summarise
from tests.oracles import assert_close, rounding
from tests.strategies import LAYOUTS, Rows, rows

pytestmark = pytest.mark.usefixtures("kernels")


@pytest.mark.parametrize("layout", LAYOUTS)
@given(some=rows(weighted=False), data=st.data())
def test_repeated_rows(layout: ScatterLayout, some: Rows, data: st.DataObject) -> None:
    n = some.X.shape[0]
    times = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    weighted = Rows(some.X, some.codes, times.astype(np.float64), some.n_classes)
    repeated = some.taken(np.repeat(np.arange(n), times))
    if repeated.X.shape[0] == 0:
        return
    assert_close(weighted.summarise(layout), repeated.summarise(layout), rounding(repeated))


@pytest.mark.parametrize("layout", LAYOUTS)
@given(some=rows(weighted=True))
def test_weight_two_is_twice(layout: ScatterLayout, some: Rows) -> None:
    double = summarise(some.X, some.codes, 2 * some.weights, some.n_classes, layout)
    moments = some.summarise(layout)
    twice = rounding(some).times(np.full(some.n_classes, 2.0))
    assert_close(double, moments + moments, twice)
