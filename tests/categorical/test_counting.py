"""Rows are counted in blocks, with weights and memberships."""

import numpy as np
import pytest

from gaussbayes.data.coding import CodedColumns, code_columns
from gaussbayes.families.categorical import counting
from gaussbayes.families.categorical.counting import count


def some_rows(n: int = 2000) -> tuple[CodedColumns, np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    columns = [random.integers(0, 5, n), random.choice(np.array(["a", "b", None]), n)]
    return code_columns(columns, ["0", "1"]), random.integers(0, 3, n, np.int32), random.random(n)


def test_as_many_as_there_are() -> None:
    columns, codes, weights = some_rows()
    found = count(columns, codes, weights, 4)
    for c in range(4):
        for j, own in enumerate(columns.categories):
            for code, _ in enumerate(own):
                there = (codes == c) & (columns.codes[:, j] == code)
                assert found.of(j)[c, code] == pytest.approx(weights[there].sum(), rel=1e-12)
            gone = (codes == c) & (columns.codes[:, j] == -2)
            assert found.missing[c, j] == pytest.approx(weights[gone].sum(), rel=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_blocks_and_order_do_not_matter_to_the_bit(
    monkeypatch: pytest.MonkeyPatch, weighted: bool
) -> None:
    columns, codes, weights = some_rows()
    whole = np.ceil(weights * 9) if weighted else None
    at_once = count(columns, codes, whole, 3)
    monkeypatch.setattr(counting, "_BLOCK", 64)
    turned = np.random.default_rng(1).permutation(codes.size)
    shuffled = CodedColumns(columns.codes[turned], columns.categories)
    for found in (
        count(columns, codes, whole, 3),
        count(shuffled, codes[turned], None if whole is None else whole[turned], 3),
    ):
        np.testing.assert_array_equal(found.weight, at_once.weight)
        np.testing.assert_array_equal(found.missing, at_once.missing)


def test_memberships() -> None:
    columns, codes, weights = some_rows(200)
    hard = count(columns, codes, weights, 3)
    soft = count(columns, np.eye(3)[codes], weights, 3)
    np.testing.assert_allclose(soft.weight, hard.weight, rtol=1e-12)
    np.testing.assert_allclose(soft.missing, hard.missing, rtol=1e-12)
    halves = count(columns, np.full((200, 2), 0.5), None, 2)
    np.testing.assert_array_equal(halves.weight[0], halves.weight[1])
    assert halves.class_weight.tolist() == [100, 100]


def test_rows_that_weigh_nothing_have_no_categories() -> None:
    columns = code_columns([np.array(["a", "b"])], ["0"])
    assert count(columns, np.zeros(2, np.int32), np.array([0.0, 1.0]), 1).categories == (("b",),)


def test_no_rows() -> None:
    columns = code_columns([np.empty(0, dtype=object)], ["0"], [("a",)])
    assert count(columns, np.empty(0, np.int32), None, 2).weight.shape == (2, 0)
