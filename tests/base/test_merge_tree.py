"""MergeTree: the sum of numbered blocks, in one fixed order."""

from itertools import permutations
from threading import Thread

import numpy as np

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


def test_absent_numbers_keep_the_places_of_the_others() -> None:
    blocks = [1e16, 1.0, -1e16, 3.0, 0.1, 9.9, 1e-5]
    for there, by_hand in (
        ((1,), 1.0),
        ((6, 0), 1e16 + 1e-5),
        ((2, 1, 5, 3), (1.0 + (-1e16 + 3.0)) + 9.9),
        ((6, 4, 1), 1.0 + (0.1 + 1e-5)),
    ):
        assert merged(blocks, there) == merged(blocks, reversed(there)) == by_hand


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
