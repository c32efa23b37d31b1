"""MergeTree: the sum of numbered blocks, in one fixed order."""

from itertools import permutations
from threading import Thread

import numpy as np
import pytest

from gaussbayes.base.errors import DataError
from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.families.gaussian.statistics import ClassMoments, summarise


def block(value: float) -> ClassMoments:
    return summarise(np.array([[float(value)]]), np.zeros(1, dtype=np.int32), None, 1)


def merged(blocks: list[ClassMoments], order: tuple[int, ...]) -> ClassMoments:
    tree = MergeTree()
    for number in order:
        tree.add(number, blocks[number])
    return tree.result()


def same_bits(one: ClassMoments, two: ClassMoments) -> bool:
    return all(
        getattr(one, field).tobytes() == getattr(two, field).tobytes()
        for field in ("weight", "anchor", "offset", "scatter")
    )


def test_nothing_gives_nothing() -> None:
    with pytest.raises(DataError, match="no block was added"):
        MergeTree().result()


def test_a_block_counts_once() -> None:
    tree = MergeTree()
    for number in range(3):
        tree.add(number, block(number))
    before = tree.result()
    for number in range(3):
        with pytest.raises(DataError, match=f"block {number}: .*add each once"):
            tree.add(number, block(number))
    assert same_bits(tree.result(), before)
    with pytest.raises(DataError, match="block -1: number the blocks 0, 1, 2"):
        tree.add(-1, block(0))


@pytest.mark.parametrize(
    ("there", "message"),
    [((1,), "block 0 was never"), ((0, 4), r"block 1 \(and 2 more\) was never added, but block 4")],
)
def test_a_block_that_is_missing(there: tuple[int, ...], message: str) -> None:
    tree = MergeTree()
    for number in there:
        tree.add(number, block(number))
    with pytest.raises(DataError, match=message):
        tree.result()


def test_one_block_is_itself() -> None:
    own = block(3.0)
    assert merged([own], (0,)) is own


def test_the_tree_by_hand() -> None:
    # Five blocks: ((0 + 1) + (2 + 3)) + 4.
    blocks = [block(value) for value in (0.1, 0.7, 1e3, -0.3, 2.2)]
    a, b, c, d, e = blocks
    by_hand = ((a + b) + (c + d)) + e
    for order in permutations(range(5)):
        assert same_bits(merged(blocks, order), by_hand)


def test_seven_blocks_by_hand() -> None:
    # ((0 + 1) + (2 + 3)) + ((4 + 5) + 6): what is left over is merged from the right.
    blocks = [block(value) for value in (0.1, 0.7, 1e3, -0.3, 2.2, 9.9, 1e-5)]
    a, b, c, d, e, f, g = blocks
    by_hand = ((a + b) + (c + d)) + ((e + f) + g)
    assert same_bits(merged(blocks, (6, 3, 0, 5, 2, 1, 4)), by_hand)


def test_order_of_numbers_does_matter_somewhere() -> None:
    """The numbers, not luck, make the bits equal: other numbers give other bits."""
    values = [1.0, 1e16, -1e16, 3.0, 0.1]
    blocks = [block(value) for value in values]
    identity = merged(blocks, (0, 1, 2, 3, 4))
    assert any(
        not same_bits(merged([blocks[i] for i in order], (0, 1, 2, 3, 4)), identity)
        for order in permutations(range(5))
    )


def test_the_result_may_be_asked_for_twice() -> None:
    tree = MergeTree()
    for number in (2, 0, 1):
        tree.add(number, block(number))
    assert same_bits(tree.result(), tree.result())


def test_few_blocks_wait_when_they_come_in_order() -> None:
    tree = MergeTree()
    most = 0
    for number in range(1000):
        tree.add(number, block(number))
        most = max(most, len(tree._waiting))
    assert most <= 10  # one for each binary digit of 1000
    assert tree.result().weight.tolist() == [1000.0]


def test_blocks_from_many_threads() -> None:
    blocks = [block(value) for value in np.random.default_rng(1).normal(size=200)]
    tree = MergeTree()

    def work(start: int) -> None:
        for number in range(start, 200, 8):
            tree.add(number, blocks[number])

    threads = [Thread(target=work, args=(start,)) for start in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert same_bits(tree.result(), merged(blocks, tuple(range(200))))
