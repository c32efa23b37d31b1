"""Blocks shared out in any way and summed in any order give the same sum, bit by bit.

Numbers, counts and categories, in some blocks with missing values, and rows without label.
"""

import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.data.labels import encode
from gaussbayes.data.rows import LabelledRows, Rows, Targets
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian.statistics import GaussianStatistics
from gaussbayes.model.file import dumps
from gaussbayes.model.model import unsolved_model
from gaussbayes.model.options import internal_options
from gaussbayes.model.statistics import SufficientStatistics, observe
from tests.data.tables import bits_of

N_BLOCKS = 40

SCHEMA = Schema(np.empty(0), 4, ("a", "b", "n", "kind"), (3,))
SETTINGS = replace(
    internal_options(families={"n": "poisson"}).settings(SCHEMA), unlabelled_rows="unused"
)


def block(number: int) -> SufficientStatistics:
    """One to forty rows of one to three classes, in some blocks far from zero."""
    rng = np.random.default_rng(number)
    names = np.array(["ash", "elm", "oak"])[: 1 + number % 3]
    codes, classes = encode(rng.choice(names, 1 + number * 7 % 40))
    n = codes.size
    numbers = 1e6 * (number % 4) + rng.normal(size=(n, 3))
    numbers[:, 2] = rng.poisson(3.0, n)
    categories = tuple("abc"[: 1 + number % 3])
    kinds = rng.integers(0, len(categories), (n, 1)).astype(np.int32)
    if number % 5 == 2:
        numbers[rng.random((n, 3)) < 0.2] = np.nan
        kinds[rng.random((n, 1)) < 0.2] = -2
    if number % 4 == 1:
        codes = np.where(rng.random(n) < 0.3, -1, codes).astype(np.int32)
    targets = Targets(codes, classes.size, None, int((codes < 0).sum()))
    table = LabelledRows(Rows(numbers, kinds, (categories,)), targets, classes)
    return observe(table, SETTINGS, replace(SCHEMA, classes=classes))


def summed(blocks: list[SufficientStatistics], order: list[int]) -> SufficientStatistics:
    tree: MergeTree[SufficientStatistics] = MergeTree()
    for number in order:
        tree.add(number, blocks[number])
    return tree.result()


def bits(statistics: SufficientStatistics) -> bytes:
    """The statistics, to the last bit; rows without label are in the order of the blocks."""
    values = [statistics.classes.tolist(), *statistics.parts]
    rest = statistics.unlabelled
    if rest is not None:
        assert rest.rows is not None
        values += [rest.rows.categories, rest.rows.matrix, rest.rows.codes, rest.weights]
    return b"".join(map(bits_of, values))


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


def numbers_of(statistics: SufficientStatistics) -> SufficientStatistics:
    """Only the complete rows of numbers."""
    return SufficientStatistics(
        statistics.classes, (GaussianStatistics(statistics.parts[0].moments),)
    )


@pytest.mark.parametrize(("everything", "trials"), [(False, 200), (True, 30)])
def test_every_share_and_order_gives_the_same_sum(everything: bool, trials: int) -> None:
    blocks = [block(number) for number in range(N_BLOCKS)]
    if not everything:
        blocks = [numbers_of(statistics) for statistics in blocks]
    seed = random.Random(4)
    truth = bits(summed(blocks, list(range(N_BLOCKS))))
    for _ in range(trials):
        assert bits(summed(blocks, arrivals(seed))) == truth


def test_every_share_and_order_gives_the_same_file() -> None:
    """Byte by byte, parameters that EM has found among them."""
    blocks = [block(number) for number in range(N_BLOCKS)]
    orders = [list(range(N_BLOCKS)), *(arrivals(random.Random(seed)) for seed in range(3))]
    models = (unsolved_model(SETTINGS, SCHEMA, summed(blocks, order)) for order in orders)
    assert len({dumps(model, unlabelled_rows=True) for model in models}) == 1


@pytest.mark.parametrize("first", [1, 17, 32])
def test_other_numbers_for_the_blocks_are_another_sum(first: int) -> None:
    """It is the numbers that make the bytes equal: rows that are the same are not enough."""
    blocks = [block(number) for number in range(N_BLOCKS)]
    turned = blocks[first:] + blocks[:first]
    order = list(range(N_BLOCKS))
    assert bits(summed(turned, order)) != bits(summed(blocks, order))
