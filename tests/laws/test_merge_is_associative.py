"""``(a + b) + c = a + (b + c)``."""

import pytest
from hypothesis import given

from gaussbayes.base.types import ScatterLayout
from tests.oracles import assert_close, rounding
from tests.strategies import LAYOUTS, Rows, cut_rows

pytestmark = pytest.mark.usefixtures("kernels")


@pytest.mark.parametrize("layout", LAYOUTS)
@given(cut=cut_rows(parts=3))
def test_grouping_does_not_matter(layout: ScatterLayout, cut: tuple[Rows, list[Rows]]) -> None:
    whole, parts = cut
    a, b, c = (part.summarise(layout) for part in parts)
    assert_close((a + b) + c, a + (b + c), rounding(whole))
