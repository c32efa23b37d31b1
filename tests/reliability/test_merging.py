"""Bar 6: the same bits from any order of arrival, split among workers, and number of threads."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.base.threads import ranges
from gaussbayes.base.types import ScatterLayout
from gaussbayes.families.gaussian.statistics import ClassMoments, summarise
from tests.strategies import LAYOUTS

pytestmark = pytest.mark.usefixtures("kernels")

N_CLASSES, N_FEATURES, N_BLOCKS, BLOCK = 3, 4, 13, 17
TRIALS = 1000


def bits(moments: ClassMoments) -> bytes:
    parts = (moments.weight, moments.anchor, moments.offset, moments.scatter)
    return b"".join(part.tobytes() for part in parts)


def blocks_of_rows(layout: ScatterLayout) -> list[ClassMoments]:
    rng = np.random.default_rng(11)
    n = N_BLOCKS * BLOCK
    X = rng.normal(size=(n, N_FEATURES)) * 10.0 ** np.arange(N_FEATURES) + 1e6
    codes = rng.integers(0, N_CLASSES, n).astype(np.int32)
    weights = rng.exponential(size=n)
    return [
        summarise(X[rows], codes[rows], weights[rows], N_CLASSES, layout)
        for rows in ranges(n, BLOCK)
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_random_orders_and_numbers_of_blocks(layout: ScatterLayout) -> None:
    blocks = blocks_of_rows(layout)
    rng = np.random.default_rng(12)
    expected: dict[int, bytes] = {}
    for _ in range(TRIALS):
        count = int(rng.integers(1, N_BLOCKS + 1))
        tree = MergeTree()
        for number in rng.permutation(count).tolist():
            tree.add(number, blocks[number])
        assert bits(tree.result()) == expected.setdefault(count, bits(tree.result()))
    assert len(expected) == N_BLOCKS


@pytest.mark.parametrize("layout", LAYOUTS)
def test_random_splits_among_workers(layout: ScatterLayout) -> None:
    blocks = blocks_of_rows(layout)
    rng = np.random.default_rng(13)
    answers = set()
    with ThreadPoolExecutor(4) as pool:
        for _ in range(TRIALS // 10):
            tree = MergeTree()
            owner = rng.integers(0, 4, N_BLOCKS)

            def work(worker: int, tree: MergeTree = tree, owner: np.ndarray = owner) -> None:
                for number in np.flatnonzero(owner == worker).tolist():
                    tree.add(number, blocks[number])

            list(pool.map(work, range(4)))
            answers.add(bits(tree.result()))
    assert len(answers) == 1


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_number_of_threads(layout: ScatterLayout, dtype: type) -> None:
    # Twelve megabytes of rows, so that there are blocks to share out.
    rng = np.random.default_rng(14)
    X = (rng.normal(size=(250_000, 6)) + 100).astype(dtype)
    codes = rng.integers(0, N_CLASSES, X.shape[0]).astype(np.int32)
    answers = {
        bits(summarise(X, codes, None, N_CLASSES, layout, n_jobs)) for n_jobs in (1, 2, 3, 5)
    }
    assert len(answers) == 1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_rows_as_they_lie_in_memory(layout: ScatterLayout) -> None:
    rng = np.random.default_rng(15)
    X = rng.normal(size=(500, 5))
    wide = np.zeros((1000, 10))
    wide[::2, ::2] = X
    codes = rng.integers(0, N_CLASSES, 500).astype(np.int32)
    answers = {
        bits(summarise(rows, codes, None, N_CLASSES, layout))
        for rows in (X, np.asfortranarray(X), wide[::2, ::2])
    }
    assert len(answers) == 1
