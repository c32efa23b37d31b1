"""A sample keeps every class, and their proportions."""

import numpy as np
import pytest

from gaussbayes.report.html_report import stratified


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
