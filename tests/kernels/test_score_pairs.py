"""Tables of pairs of levels, against sums written out, and the reference."""

import numpy as np
import pytest

from gaussbayes.kernels import Kernels, reference


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
