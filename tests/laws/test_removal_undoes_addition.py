"""``(a + b) − b = a``, up to rounding that grows with the share that was removed."""

import numpy as np
import pytest
from hypothesis import given

from gaussbayes.base.types import FloatArray, ScatterLayout
from gaussbayes.families.gaussian.statistics import empty
from tests.oracles import Rounding, assert_close, rounding
from tests.strategies import LAYOUTS, Rows, cut_rows, rows

pytestmark = pytest.mark.usefixtures("kernels")


@pytest.mark.parametrize("layout", LAYOUTS)
@given(cut=cut_rows(parts=2))
def test_removing_what_was_added(layout: ScatterLayout, cut: tuple[Rows, list[Rows]]) -> None:
    whole, parts = cut
    a, b = (part.summarise(layout) for part in parts)
    both = a + b
    # What is left keeps the absolute error of the sum; the mean's error of both, times w_b / w_a,
    # comes on top, and the squares of that times the weight: at most both.weight / a.weight.
    left = a.weight > 0
    grows = np.where(left, both.weight / np.where(left, a.weight, 1.0), 0.0)
    bound = rounding(whole).times(1 + grows)
    # A class that is removed wholly has no mean any more: zeros, exactly.
    scatter = bound.scatter
    if layout != "diagonal":
        scatter = scatter + semidefinite_rounding(a.scatter, scatter)
    bound = Rounding(bound.weight, bound.mean * left[:, None], scatter)
    assert_close(both - b, a, bound)


def semidefinite_rounding(scatter: FloatArray, bound: FloatArray) -> FloatArray:
    """How much products change because they are kept within ``√(S_ii S_jj)``, as squares round.

    Squares are off by their bounds at most, so that the limit falls by at most
    ``√(S_ii S_jj) − √((S_ii − b_ii) (S_jj − b_jj))``, and no product is beyond the first.
    """
    together = bound if scatter.ndim == bound.ndim else bound.sum(axis=0)
    squares = np.diagonal(scatter, axis1=-2, axis2=-1)
    lower = np.maximum(squares - np.diagonal(together, axis1=-2, axis2=-1), 0.0)
    most = np.sqrt(squares[..., :, None] * squares[..., None, :])
    least = np.sqrt(lower[..., :, None] * lower[..., None, :])
    return np.asarray((most - least) / (1 if scatter.ndim == bound.ndim else bound.shape[0]))


@pytest.mark.parametrize("layout", LAYOUTS)
@given(some=rows())
def test_removing_all_leaves_nothing(layout: ScatterLayout, some: Rows) -> None:
    moments = some.summarise(layout)
    nothing = empty(moments.n_classes, moments.n_features, layout)
    left = moments - moments
    for field in ("weight", "anchor", "offset", "scatter"):
        np.testing.assert_array_equal(getattr(left, field), getattr(nothing, field))
