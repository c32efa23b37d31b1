"""The moments of parts, merged, are the moments of all rows; both are the textbook's."""

import numpy as np
import pytest
from hypothesis import given

from gaussbayes.base.types import ScatterLayout
from tests.oracles import assert_close, exact_scatter, rounding
from tests.strategies import LAYOUTS, Rows, cut_rows, rows

pytestmark = pytest.mark.usefixtures("kernels")


@pytest.mark.parametrize("layout", LAYOUTS)
@given(cut=cut_rows(parts=4))
def test_merged_parts(layout: ScatterLayout, cut: tuple[Rows, list[Rows]]) -> None:
    whole, (first, *others) = cut
    merged = first.summarise(layout)
    for part in others:
        merged += part.summarise(layout)
    assert_close(merged, whole.summarise(layout), rounding(whole))


@pytest.mark.parametrize("layout", LAYOUTS)
@given(whole=rows())
def test_one_row_after_the_other(layout: ScatterLayout, whole: Rows) -> None:
    merged = whole.taken(slice(0, 0)).summarise(layout)
    for row in range(whole.X.shape[0]):
        merged += whole.taken(slice(row, row + 1)).summarise(layout)
    assert_close(merged, whole.summarise(layout), rounding(whole))


@given(whole=rows(weighted=False))
def test_the_whole_is_exact(whole: Rows) -> None:
    moments, bound = whole.summarise(), rounding(whole)
    for c in np.unique(whole.codes):
        mean, scatter = exact_scatter(whole.X[whole.codes == c])
        for i in range(whole.X.shape[1]):
            held = [moments.anchor[c, i], moments.offset[c, i]]
            assert abs(float(mean[i] - sum(map(type(mean[i]), held)))) <= bound.mean[c, i]
            for j in range(whole.X.shape[1]):
                error = type(mean[i])(float(moments.scatter[c, i, j])) - scatter[i][j]
                assert abs(float(error)) <= bound.scatter[c, i, j]
