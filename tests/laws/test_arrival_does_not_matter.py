"""Numbered blocks merge to the same bits, whatever the order in which they arrive."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.base.types import ScatterLayout
from gaussbayes.families.gaussian.statistics import ClassMoments
from tests.strategies import LAYOUTS, Rows, rows

pytestmark = pytest.mark.usefixtures("kernels")


def bits(moments: ClassMoments) -> list[bytes]:
    return [
        field.tobytes()
        for field in (moments.weight, moments.anchor, moments.offset, moments.scatter)
    ]


def merged(blocks: list[ClassMoments], order: list[int]) -> ClassMoments:
    tree = MergeTree()
    for number in order:
        tree.add(number, blocks[number])
    return tree.result()


@pytest.mark.parametrize("layout", LAYOUTS)
@given(some=rows(most=20), data=st.data())
def test_any_order_of_arrival(layout: ScatterLayout, some: Rows, data: st.DataObject) -> None:
    n = some.X.shape[0]
    blocks = [some.taken(slice(row, row + 1)).summarise(layout) for row in range(n)]
    order = data.draw(st.permutations(range(n)))
    assert bits(merged(blocks, order)) == bits(merged(blocks, list(range(n))))
