"""MergeTree: the sum of numbered blocks, in one fixed order; and accelerated steps of EM."""

from itertools import permutations
from threading import Thread

import numpy as np
import pytest

from gaussbayes.base.errors import DataError
from gaussbayes.base.merge_tree import MergeTree


def merged(blocks: list[float], order: object) -> float:
    tree = MergeTree[np.float64]()
    for number in order:
        tree.add(number, np.float64(blocks[number]))
    return float(tree.result())


def test_the_tree_by_hand() -> None:
    a, b, c, d, e, f, g = blocks = [1.0, 1e16, -1e16, 3.0, 0.1, 9.9, 1e-5]
    by_hand = ((a + b) + (c + d)) + e
    assert {merged(blocks, order) for order in permutations(range(5))} == {by_hand}
    # What is left over is merged from the right.
    assert merged(blocks, (6, 3, 0, 5, 2, 1, 4)) == ((a + b) + (c + d)) + ((e + f) + g)
    # The numbers, not luck, make the bits equal: other numbers give other bits.
    others = {merged([blocks[i] for i in order], range(5)) for order in permutations(range(5))}
    assert len(others) > 1


def test_a_block_counts_once() -> None:
    tree = MergeTree[float]()
    with pytest.raises(DataError, match="no block was added"):
        tree.result()
    for number in (2, 0, 1):
        tree.add(number, float(number))
    for number in range(3):
        with pytest.raises(DataError, match=f"block {number}: .*add each once"):
            tree.add(number, 5.0)
    assert tree.result() == tree.result() == 3.0
    with pytest.raises(DataError, match="block -1: number the blocks 0, 1, 2"):
        tree.add(-1, 0.0)
    for there, message in (
        ((1,), "block 0 was never"),
        ((0, 4), r"block 1 \(and 2 more\) was never added, but block 4"),
    ):
        with pytest.raises(DataError, match=message):
            merged([0.0] * 5, there)


def test_few_blocks_wait_when_they_come_in_order() -> None:
    tree, most = MergeTree[int](), 0
    for number in range(1000):
        tree.add(number, 1)
        most = max(most, len(tree._waiting))
    assert most <= 10  # one for each binary digit of 1000
    assert tree.result() == 1000


def test_blocks_from_many_threads() -> None:
    blocks = np.random.default_rng(1).normal(size=200).tolist()
    tree = MergeTree[float]()

    def work(start: int) -> None:
        for number in range(start, 200, 8):
            tree.add(number, blocks[number])

    threads = [Thread(target=work, args=(start,)) for start in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tree.result() == merged(blocks, range(200))
