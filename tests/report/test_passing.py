"""A sample of a stream is one of all rows, and no class is lost."""

import numpy as np
import pytest

from gaussbayes.apps.report.passing import Passing


def seen(labels: np.ndarray, step: int, most: int, least: int = 1, seed: int = 0) -> Passing:
    passing = Passing(most, least, seed)
    for start in range(0, labels.size, step):
        part = np.arange(start, min(start + step, labels.size))
        classes, codes = np.unique(labels[part], return_inverse=True)
        passing.add(part[:, None].astype(np.float64), codes.astype(np.int32), classes)
    return passing


@pytest.mark.parametrize("step", [1, 7, 100, 1000])
def test_blocks_do_not_matter(step: int) -> None:
    labels = np.array(["a", "b"])[np.random.default_rng(1).integers(2, size=500)]
    rows, kept = seen(labels, step, 60).rows()
    expected, _ = seen(labels, 500, 60).rows()
    assert rows.tolist() == expected.tolist()
    assert kept.tolist() == labels[rows[:, 0].astype(int)].tolist()
    assert (np.diff(rows[:, 0]) > 0).all()
    assert rows.shape == (60, 1)


def test_few_rows_are_kept_whole() -> None:
    passing = seen(np.arange(30) % 3, 11, 30)
    assert passing.rows()[0][:, 0].tolist() == list(range(30))
    assert passing.n_seen == 30


def test_rare_classes_stay() -> None:
    labels = np.zeros(5000, dtype=int)
    labels[[17, 4000, 4999]] = 1
    labels[2500] = 2
    for seed in range(20):
        _, kept = seen(labels, 300, 10, least=2, seed=seed).rows()
        counts = np.bincount(kept, minlength=3)
        assert counts[1] >= 2
        assert counts[2] == 1
        assert 10 <= kept.size <= 13


def test_every_row_is_as_probable() -> None:
    times = np.zeros(40)
    for seed in range(2000):
        rows, _ = seen(np.zeros(40, dtype=int), 7, 10, seed=seed).rows()
        times[rows[:, 0].astype(int)] += 1
    # Binomial: 2000 draws of probability 1/4, mean 500, standard deviation √375 = 19.4.
    assert np.abs(times - 500).max() < 5 * np.sqrt(375)


def test_nothing_seen() -> None:
    rows, labels = Passing(5, 1, 0).rows()
    assert (len(rows), len(labels)) == (0, 0)
