"""A sample keeps every class; that of rows in memory, their proportions."""

import numpy as np
import pytest

from gaussbayes.apps.report.samples import StreamSample, stratified


@pytest.mark.parametrize("seed", range(5))
def test_proportions_are_kept(seed: int) -> None:
    codes = np.random.default_rng(seed).choice(4, size=5000, p=[0.6, 0.3, 0.0996, 0.0004])
    rows = stratified(codes, 1000, seed)
    assert rows.size == 1000
    assert (np.diff(rows) > 0).all()
    exact = np.bincount(codes, minlength=4) / 5
    counts = np.bincount(codes[rows], minlength=4)
    assert (np.abs(counts - exact) <= 1).all()
    assert ((counts > 0) == (exact > 0)).all()


def test_small_classes_keep_what_they_need() -> None:
    codes = np.array([0] * 990 + [1] * 7 + [2] * 3)
    rows = stratified(codes, 100, 0, least=5)
    assert np.bincount(codes[rows]).tolist() == [92, 5, 3]


def test_all_rows_if_there_are_no_more() -> None:
    assert stratified(np.array([1, 0, 1]), 3, 0).tolist() == [0, 1, 2]


def test_more_classes_than_rows_asked_for() -> None:
    assert stratified(np.repeat(np.arange(30), 2), 10, 0).size == 30


def test_the_seed_decides() -> None:
    codes = np.zeros(1000, dtype=np.intp)
    first, again, other = (stratified(codes, 50, seed) for seed in (1, 1, 2))
    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()


def seen(labels: np.ndarray, step: int, most: int, least: int = 1, seed: int = 0) -> StreamSample:
    sample = StreamSample(most, least, seed)
    for start in range(0, labels.size, step):
        part = np.arange(start, min(start + step, labels.size))
        classes, codes = np.unique(labels[part], return_inverse=True)
        sample.add(part[:, None].astype(np.float64), codes.astype(np.int32), classes)
    return sample


@pytest.mark.parametrize("step", [1, 7, 100, 1000])
def test_blocks_do_not_matter(step: int) -> None:
    labels = np.array(["a", "b"])[np.random.default_rng(1).integers(2, size=500)]
    rows, kept = seen(labels, step, 60).rows()
    expected, _ = seen(labels, 500, 60).rows()
    assert rows.tolist() == expected.tolist()
    assert kept.tolist() == labels[rows[:, 0].astype(int)].tolist()
    assert (np.diff(rows[:, 0]) > 0).all()
    assert rows.shape == (60, 1)


def test_a_short_stream_is_kept_whole() -> None:
    sample = seen(np.arange(30) % 3, 11, 30)
    assert sample.rows()[0][:, 0].tolist() == list(range(30))
    assert sample.n_seen == 30


def test_rare_classes_of_a_stream_stay() -> None:
    labels = np.zeros(5000, dtype=int)
    labels[[17, 4000, 4999]] = 1
    labels[2500] = 2
    for seed in range(20):
        _, kept = seen(labels, 300, 10, least=2, seed=seed).rows()
        counts = np.bincount(kept, minlength=3)
        assert counts[1] >= 2
        assert counts[2] == 1
        assert 10 <= kept.size <= 13


def test_every_row_of_a_stream_is_as_probable() -> None:
    times = np.zeros(40)
    for seed in range(2000):
        rows, _ = seen(np.zeros(40, dtype=int), 7, 10, seed=seed).rows()
        times[rows[:, 0].astype(int)] += 1
    # Binomial: 2000 draws of probability 1/4, mean 500, standard deviation √375 = 19.4.
    assert np.abs(times - 500).max() < 5 * np.sqrt(375)


def test_an_empty_stream() -> None:
    rows, labels = StreamSample(5, 1, 0).rows()
    assert (len(rows), len(labels)) == (0, 0)
