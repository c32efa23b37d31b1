"""Soft labels: one-hot ones are labels, and parts of a row add up to the row."""

import numpy as np
import pytest
from hypothesis import given

from gaussbayes.base.types import ScatterLayout
from gaussbayes.families.gaussian.statistics import summarise
from tests.oracles import assert_close, rounding
from tests.strategies import LAYOUTS, Rows, rows

pytestmark = pytest.mark.usefixtures("kernels")


@pytest.mark.parametrize("layout", LAYOUTS)
@given(some=rows())
def test_one_hot(layout: ScatterLayout, some: Rows) -> None:
    one_hot = np.eye(some.n_classes)[some.codes]
    from_soft = summarise(some.X, one_hot, some.weights, some.n_classes, layout)
    assert_close(from_soft, some.summarise(layout), rounding(some))


@pytest.mark.parametrize("layout", LAYOUTS)
@given(some=rows(weighted=True))
def test_soft_labels_are_weights(layout: ScatterLayout, some: Rows) -> None:
    column = np.asarray(some.weights)[:, None]
    single = Rows(some.X, np.zeros_like(some.codes), some.weights, 1)
    assert_close(
        summarise(some.X, column, None, 1, layout), single.summarise(layout), rounding(single)
    )
