"""``a + b = b + a``."""

import numpy as np
import pytest
from hypothesis import given

from gaussbayes.base.types import ScatterLayout
from tests.oracles import assert_close, rounding
from tests.strategies import LAYOUTS, Rows, cut_rows

pytestmark = pytest.mark.usefixtures("kernels")


@pytest.mark.parametrize("layout", LAYOUTS)
@given(cut=cut_rows(parts=2))
def test_order_does_not_matter(layout: ScatterLayout, cut: tuple[Rows, list[Rows]]) -> None:
    whole, parts = cut
    a, b = (part.summarise(layout) for part in parts)
    assert_close(a + b, b + a, rounding(whole))
    np.testing.assert_array_equal((a + b).weight, (b + a).weight)  # one sum of two floats
