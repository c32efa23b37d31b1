"""Blocks shared out in any way and summed in any order give the same statistics, bit by bit."""

import random
from itertools import pairwise

import numpy as np
import pytest

from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.base.schema import Schema
from gaussbayes.data.labels import read_targets
from gaussbayes.data.rows import LabelledRows, number_rows
from gaussbayes.model.options import check_options
from gaussbayes.model.statistics import Learnt, observe
from tests.data.tables import Found, bits

N_BLOCKS, N_TRIALS = 40, 1000


def block(number: int) -> Learnt:
    """One to forty rows of one to three classes, in some blocks far from zero."""
    rng = np.random.default_rng(number)
    names = np.array(["ash", "elm", "oak"])[: 1 + number % 3]
    targets, classes = read_targets(rng.choice(names, 1 + number * 7 % 40))
    X = 1e6 * (number % 4) + rng.normal(size=(targets.labels.size, 2))
    schema = Schema(classes, 2)
    table = LabelledRows(number_rows(X), targets, classes)
    return observe(table, check_options().settings(schema), schema)


def summed(blocks: list[Learnt], order: list[int]) -> bytes:
    tree: MergeTree[Learnt] = MergeTree()
    for number in order:
        tree.add(number, blocks[number])
    return bits(Found(tree.result(), ("a", "b"), (), 0))


def arrivals(seed: random.Random) -> list[int]:
    """Blocks in the order in which they come from workers, each with a run of them as its share."""
    n_workers = seed.randint(1, 8)
    cuts = [0, *sorted(seed.choices(range(N_BLOCKS + 1), k=n_workers - 1)), N_BLOCKS]
    shares = [list(range(*ends)) for ends in pairwise(cuts)]
    if seed.random() < 0.5:  # a worker may take its share in any order
        for share in shares:
            seed.shuffle(share)
    order = []
    while any(shares):
        order.append(seed.choice([share for share in shares if share]).pop())
    return order


def test_every_share_and_order_gives_the_same_bits() -> None:
    blocks = [block(number) for number in range(N_BLOCKS)]
    seed = random.Random(4)
    truth = summed(blocks, list(range(N_BLOCKS)))
    for _ in range(N_TRIALS):
        assert summed(blocks, arrivals(seed)) == truth


@pytest.mark.parametrize("first", [1, 17, 32])
def test_other_numbers_for_the_blocks_are_another_sum(first: int) -> None:
    """It is the numbers that make the bits equal: rows that are the same are not enough."""
    blocks = [block(number) for number in range(N_BLOCKS)]
    turned = blocks[first:] + blocks[:first]
    order = list(range(N_BLOCKS))
    assert summed(turned, order) != summed(blocks, order)
