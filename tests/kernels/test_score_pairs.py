"""Tables of pairs of levels, against sums written out, and the reference."""

import numpy as np
import pytest

from gaussbayes.kernels import Kernels, reference
from gaussbayes.kernels.arrays import PairCounts


def random_pairs(n: int, d: int, k: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    codes = (5 * np.arange(d) + random.integers(0, 5, (n, d))).astype(np.int32)
    codes[random.random((n, d)) < 0.2] = -1
    return codes, random.normal(-300.0, 250.0, (5 * d, 5 * d, k))


@pytest.mark.parametrize(
    ("n", "d", "k"), [(0, 2, 2), (1, 1, 1), (9, 4, 3), (300, 7, 2), (3, 30, 9)]
)
@pytest.mark.parametrize("share", [0.0, 0.25])
def test_it_is_the_reference(kernels: Kernels, n: int, d: int, k: int, share: float) -> None:
    codes, table = random_pairs(n, d, k)
    found, expected = np.full((2, n, k), np.nan)
    kernels.score_pairs(codes, table, share, found)
    reference.score_pairs(codes, table, share, expected)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-9)


def test_one_row_by_hand(kernels: Kernels) -> None:
    codes = np.array([[1, 2, -1], [-1, -1, -1]], np.int32)
    table = np.log(np.arange(1.0, 33.0).reshape(4, 4, 2))
    found = np.empty((2, 2))
    kernels.score_pairs(codes, table, 0.0, found)
    parents = np.exp(table[[1, 2]][:, [1, 2]]).prod(axis=1)
    np.testing.assert_allclose(np.exp(found[0]), parents.mean(axis=0), rtol=1e-12)
    assert found[1].tolist() == [0.0, 0.0]


def test_levels_beyond_the_table_are_refused(kernels: Kernels) -> None:
    with pytest.raises((ValueError, IndexError)):
        kernels.score_pairs(np.array([[7]], np.int32), np.zeros((2, 2, 1)), 0.0, np.empty((1, 1)))


@pytest.mark.parametrize("fractional", [False, True])
@pytest.mark.parametrize(("n", "d", "k"), [(0, 2, 2), (60, 1, 2), (80, 4, 3), (50, 11, 2)])
def test_rows_without_themselves(
    kernels: Kernels, n: int, d: int, k: int, fractional: bool
) -> None:
    """The native kernel is the reference, and that is the score by counts of the other rows."""
    random, size = np.random.default_rng(n), 5 * d
    codes, _ = random_pairs(n, d, k)
    own, lost = random.integers(0, k, n), np.ones(n)
    if fractional:
        lost = random.uniform(0.5, 1.5, n)
    backoffs, column = np.array([1.0, 4.0]), np.repeat(np.arange(d), 5)

    def tables(kept: np.ndarray) -> PairCounts:
        count = np.zeros((k, size, size))
        for row, c, w in zip(codes[kept], own[kept], lost[kept], strict=True):
            levels = row[row >= 0]
            count[c, levels[:, None], levels] += w
        beside = np.add.reduceat(count, np.arange(0, size, 5), axis=2)
        single = np.einsum("kvv->kv", count)
        observed = np.add.reduceat(single, np.arange(0, size, 5), axis=1)
        return PairCounts(count, beside, observed, np.full(d, 5.0))

    every = tables(np.arange(n))
    found, expected = np.full((2, 2, n), np.nan)
    sound, expected_sound = np.zeros((2, n), bool)
    precision = (not fractional, float(lost.min(initial=1.0)))
    how = (codes, own, lost, every, backoffs, precision)
    kernels.score_pairs_without(*how, found, sound)
    reference.score_pairs_without(*how, expected, expected_sound)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)
    assert sound.tolist() == expected_sound.tolist()
    for i in range(0, n, 7):
        left = tables(np.delete(np.arange(n), i))
        for m, of_row in zip(backoffs, expected[:, i], strict=True):
            single = np.einsum("vv->v", left.count[own[i]])
            child = (single + m / 5) / (left.observed[own[i]][column] + m)
            pair = left.count[own[i]] + m * child
            pair /= left.beside[own[i]][:, column] + m
            pair[np.arange(size), np.arange(size)] = child
            table, score = np.log(pair)[:, :, None], np.empty((1, 1))
            reference.score_pairs(codes[[i]], table, 0.0, score)
            np.testing.assert_allclose(of_row, score[0, 0], rtol=1e-9, atol=1e-9)
