"""Moments of each class and pattern: records, errors, columns, and orders that do not matter."""

import numpy as np
import pytest

from gaussbayes.base.errors import DataError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import ScatterLayout
from gaussbayes.families.gaussian import cells as module
from gaussbayes.families.gaussian.cells import PatternMoments, observe, unite_cells

SCHEMA = Schema(np.array(["a", "b"]), 3, ("x", "y", "z"))


def cells(*rows: tuple[int, str], layout: ScatterLayout = "full") -> PatternMoments:
    """Cells of rows given by class code and pattern; the values are 1, 2, 3."""
    there = np.array([[sign == "1" for sign in pattern] for _, pattern in rows])
    X = np.where(there, np.arange(1.0, there.shape[1] + 1), np.nan)
    codes = np.array([code for code, _ in rows], dtype=np.int32)
    found = observe(X, codes, None, int(codes.max()) + 1, layout).cells
    assert found is not None
    return found


def listed(found: PatternMoments) -> list[tuple[int, str, float]]:
    """Class, pattern and weight of each cell."""
    patterns = ["".join("01"[one] for one in row) for row in found.observed.astype(int)]
    return list(zip(found.codes.tolist(), patterns, found.weight.tolist(), strict=True))


def test_cells_are_sorted_and_each_is_there_once() -> None:
    found = cells((1, "011"), (0, "110"), (1, "000"), (0, "011"), (1, "011"), (0, "101"))
    assert listed(found) == [
        (0, "011", 1.0),
        (0, "101", 1.0),
        (0, "110", 1.0),
        (1, "000", 1.0),
        (1, "011", 2.0),
    ]
    assert found.weight_of(3).tolist() == [3.0, 3.0, 0.0]
    assert (found.n_cells, len(np.unique(found.observed, axis=0))) == (5, 4)
    # Rows alike have no scatter: 1 cell takes two means, a weight, a code and a pattern.
    assert found.varied.size == 0
    assert found.n_bytes == 5 * (8 * (2 * 3 + 1) + 4 + 3)


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
    assert listed(both) == [(0, "001", 1), (0, "011", 1), (1, "101", 2), (1, "110", 1)]
    np.testing.assert_array_equal(both.dense().mean, both.observed * [1.0, 2.0, 3.0])


def test_removal_leaves_out_what_is_empty() -> None:
    three = cells((0, "011"), (0, "011"), (1, "101"))
    assert listed(three.without(cells((0, "011"), (1, "101")), SCHEMA)) == [(0, "011", 1.0)]
    assert three.without(three, SCHEMA).n_cells == 0


def test_removal_names_the_cell() -> None:
    some = cells((0, "011"), (1, "101"))
    with pytest.raises(DataError, match="no rows of class 'b' without 'x', 'z' to be removed"):
        some.without(cells((1, "010")), SCHEMA)
    with pytest.raises(DataError, match="weight 2 from class 'b' without 'y', which has weight"):
        some.without(cells((1, "101"), (1, "101")), SCHEMA)


def test_classes_get_other_numbers() -> None:
    some = cells((0, "011"), (1, "101"), (2, "110"))
    assert listed(some.aligned([4, 0, 1])) == [(0, "101", 1), (1, "110", 1), (4, "011", 1)]
    assert listed(some.selected([2, 0])) == [(0, "110", 1.0), (1, "011", 1.0)]
    assert cells((0, "011")).selected([1]).n_cells == 0


def test_layouts() -> None:
    some = cells((0, "011"), (0, "011"))
    assert some.with_layout("pooled").layout == "full"
    less = some.with_layout("diagonal")
    assert less.dense().scatter.shape == (1, 3)
    with pytest.raises(DataError, match="from a diagonal one; fit again with these settings"):
        less.with_layout("pooled")


def test_columns_merge_cells_that_become_alike() -> None:
    rng = np.random.default_rng(3)
    X, codes = rng.normal(size=(300, 4)), rng.integers(0, 2, 300).astype(np.int32)
    X[rng.random(X.shape) < 0.4] = np.nan
    X[np.flatnonzero(~np.isnan(X).any(axis=1)), 0] = np.nan  # none is complete
    for layout in ("full", "diagonal"):
        part = observe(X, codes, None, 2, layout).cells.of_columns([3, 1])
        there = ~np.isnan(X[:, [3, 1]])
        assert listed(part) == [
            (c, f"{a}{b}", float(((codes == c) & (there == [a, b]).all(axis=1)).sum()))
            for c in (0, 1)
            for a in (0, 1)
            for b in (0, 1)
        ]
        for cell in range(part.n_cells):
            observed = part.observed[cell]
            own = (codes == part.codes[cell]) & (there == observed).all(axis=1)
            rows = X[:, [3, 1]][own][:, observed]
            dense = part.dense()
            np.testing.assert_allclose(dense.mean[cell, observed], rows.mean(axis=0), rtol=1e-13)
            away = rows - rows.mean(axis=0)
            scatter = dense.scatter[cell][observed]
            scatter = scatter[:, observed] if layout == "full" else np.diag(scatter)
            expected = away.T @ away if layout == "full" else np.diag(np.square(away).sum(axis=0))
            np.testing.assert_allclose(scatter, expected, rtol=1e-12, atol=1e-12)


def test_too_many_cells_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = cells((0, "011"), (1, "101")), cells((0, "110"), (1, "110"))
    monkeypatch.setattr(module, "MOST_CELL_BYTES", (a + b).n_bytes)
    assert (a + b).n_cells == 4
    monkeypatch.setattr(module, "MOST_CELL_BYTES", a.n_bytes + 1)
    message = "have 3 different patterns of missing values, 4 counted by class.*choose a diagonal"
    with pytest.raises(DataError, match=message):
        _ = a + b
    with pytest.raises(DataError, match="a rare combination is missing$"):
        _ = a.with_layout("diagonal") + b.with_layout("diagonal")


def test_cells_are_combined_block_by_block(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    X, codes = rng.normal(size=(200, 3)), rng.integers(0, 2, 200).astype(np.int32)
    X[rng.random(X.shape) < 0.4] = np.nan
    X[:2] = np.nan
    first, second = (observe(X[part], codes[part], None, 2, "full").cells for part in PARTS)
    both = first + second
    monkeypatch.setattr(module, "_BLOCK", 9)
    again = first + second
    for field in ("codes", "observed", "weight", "anchor", "offset", "varied", "scatter"):
        np.testing.assert_array_equal(getattr(again, field), getattr(both, field))
    left = both.without(second, SCHEMA)
    np.testing.assert_allclose(left.dense().mean, first.dense().mean, rtol=0, atol=1e-13)
    np.testing.assert_allclose(left.dense().scatter, first.dense().scatter, rtol=0, atol=1e-12)


PARTS = (slice(0, None, 2), slice(1, None, 2))
