"""Moments of each class and pattern: records, what is refused, and orders that do not matter."""

import numpy as np
import pytest

from gaussbayes.base.errors import DataError, RemovalError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import ScatterLayout
from gaussbayes.families.gaussian import pattern_moments
from gaussbayes.families.gaussian.learning import learn
from gaussbayes.families.gaussian.moments import empty
from gaussbayes.families.gaussian.pattern_moments import PatternMoments, cell_bytes, unite_cells

SCHEMA = Schema(np.array(["a", "b"]), 3, ("x", "y", "z"))


def cells(*rows: tuple[int, str], layout: ScatterLayout = "full") -> PatternMoments:
    """Cells of rows given by class number and pattern; the values are 1, 2, 3."""
    there = np.array([[sign == "1" for sign in pattern] for _, pattern in rows])
    X = np.where(there, np.arange(1.0, there.shape[1] + 1), np.nan)
    codes = np.array([code for code, _ in rows], dtype=np.int32)
    found = learn(X, codes, None, np.arange(codes.max() + 1), layout).incomplete
    assert found is not None
    return found


def told(found: PatternMoments) -> list[tuple[int, str, float]]:
    """Class, pattern and weight of each cell."""
    patterns = ["".join("01"[one] for one in row) for row in found.observed.astype(int)]
    return list(zip(found.codes.tolist(), patterns, found.moments.weight.tolist(), strict=True))


def test_cells_are_sorted_and_each_is_there_once() -> None:
    found = cells((1, "011"), (0, "110"), (1, "000"), (0, "011"), (1, "011"), (0, "101"))
    assert told(found) == [
        (0, "011", 1.0),
        (0, "101", 1.0),
        (0, "110", 1.0),
        (1, "000", 1.0),
        (1, "011", 2.0),
    ]
    assert found.weight_of(3).tolist() == [3.0, 3.0, 0.0]
    assert (found.n_cells, found.n_patterns) == (5, 4)
    assert found.bytes == cell_bytes(5, 3, "pooled")


@pytest.mark.parametrize("d", [63, 64, 65, 130])
def test_patterns_are_sorted_as_text_is_however_many_features(d: int) -> None:
    there = np.random.default_rng(0).random((40, d)) < 0.5
    codes = np.arange(40, dtype=np.int32) % 2
    owner, observed, number = unite_cells(codes, there)
    texts = ["".join("01"[one] for one in row) for row in observed.astype(int)]
    assert sorted(zip(owner.tolist(), texts, strict=True)) == list(
        zip(owner.tolist(), texts, strict=True)
    )
    np.testing.assert_array_equal(observed[number], there)
    np.testing.assert_array_equal(owner[number], codes)


def test_sums_unite_cells() -> None:
    both = cells((0, "011"), (1, "101")) + cells((0, "001"), (1, "101"), (1, "110"))
    assert told(both) == [(0, "001", 1), (0, "011", 1), (1, "101", 2), (1, "110", 1)]
    np.testing.assert_array_equal(both.moments.mean, both.observed * [1.0, 2.0, 3.0])


def test_removal_leaves_out_what_is_empty() -> None:
    three = cells((0, "011"), (0, "011"), (1, "101"))
    assert told(three.without(cells((0, "011"), (1, "101")), SCHEMA)) == [(0, "011", 1.0)]
    assert three.without(three, SCHEMA).n_cells == 0


def test_removal_names_the_cell() -> None:
    some = cells((0, "011"), (1, "101"))
    with pytest.raises(RemovalError, match="no rows of class 'b' without 'x', 'z' to be removed"):
        some.without(cells((1, "010")), SCHEMA)
    with pytest.raises(RemovalError, match="weight 2 from class 'b' without 'y', which has weight"):
        some.without(cells((1, "101"), (1, "101")), SCHEMA)


def test_classes_get_other_numbers() -> None:
    some = cells((0, "011"), (1, "101"), (2, "110"))
    assert told(some.aligned([4, 0, 1])) == [(0, "101", 1), (1, "110", 1), (4, "011", 1)]
    chosen = some.of_classes([2, 0])
    assert chosen is not None
    assert told(chosen) == [(0, "110", 1.0), (1, "011", 1.0)]
    assert cells((0, "011")).of_classes([1]) is None


def test_layouts() -> None:
    some = cells((0, "011"), (0, "011"))
    assert some.with_layout("pooled").moments.layout == "full"
    less = some.with_layout("diagonal")
    assert less.moments.scatter.shape == (1, 3)
    with pytest.raises(DataError, match="a full scatter cannot be had from a diagonal one"):
        less.with_layout("pooled")


def test_too_many_cells_are_refused_before_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = cells((0, "011"), (1, "101")), cells((0, "110"), (1, "110"))
    less, more = (each.with_layout("diagonal") for each in (a, b))
    monkeypatch.setattr(pattern_moments, "MOST_CELL_BYTES", cell_bytes(4, 3, "full") - 1)
    message = "in 3 different ways, 4 counted by class.*few others lack, or choose a diagonal"
    with pytest.raises(DataError, match=message):
        _ = a + b
    assert (less + more).n_cells == 4
    monkeypatch.setattr(pattern_moments, "MOST_CELL_BYTES", 1)
    with pytest.raises(DataError, match="few others lack$"):
        _ = less + more


def test_records_must_fit_together() -> None:
    with pytest.raises(DataError, match="2 cells and 3 features need codes"):
        PatternMoments(np.zeros(1, np.int32), np.zeros((2, 3), bool), empty(2, 3, "full"))
