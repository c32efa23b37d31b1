"""Rows with or without holes, summed in one pass."""

import numpy as np
import pytest

from gaussbayes.base.errors import DataError, NonFiniteError
from gaussbayes.base.types import CodeArray, FloatArray, ScatterLayout
from gaussbayes.families.gaussian import learning
from gaussbayes.families.gaussian.learning import learn, learn_incomplete
from gaussbayes.families.gaussian.summarise import summarise
from gaussbayes.kernels.columns import Columns
from gaussbayes.model.labelled import LabelledMoments
from tests.strategies import LAYOUTS

pytestmark = pytest.mark.usefixtures("kernels")
each_layout = pytest.mark.parametrize("layout", LAYOUTS)
CLASSES = np.array(["a", "b", "c"])


def lacking(n: int = 400, d: int = 4) -> tuple[FloatArray, CodeArray, FloatArray]:
    """Rows with holes, class numbers and weights, 0 among them."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, d)) + 100.0
    X[rng.random(X.shape) < 0.3] = np.nan
    weights = rng.random(n)
    weights[::9] = 0.0
    return X, rng.integers(0, 3, n).astype(np.int32), weights


def assert_identical(a: LabelledMoments, b: LabelledMoments) -> None:
    assert a.incomplete is not None
    assert b.incomplete is not None
    for one, other in ((a.moments, b.moments), (a.incomplete.moments, b.incomplete.moments)):
        for field in ("weight", "anchor", "offset", "scatter"):
            np.testing.assert_array_equal(getattr(one, field), getattr(other, field))
    np.testing.assert_array_equal(a.incomplete.codes, b.incomplete.codes)
    np.testing.assert_array_equal(a.incomplete.observed, b.incomplete.observed)


@each_layout
def test_each_cell_is_what_its_rows_say(layout: ScatterLayout) -> None:
    X, codes, weights = lacking()
    found = learn(X, codes, weights, CLASSES, layout, 1)
    cells = found.incomplete
    assert cells is not None
    there = ~np.isnan(X)
    whole = there.all(axis=1)
    assert not cells.observed.all(axis=1).any()
    for cell, (code, observed) in enumerate(zip(cells.codes, cells.observed, strict=True)):
        own = (codes == code) & (there == observed).all(axis=1) & (weights > 0)
        rows, share = X[own][:, observed], weights[own]
        np.testing.assert_allclose(cells.moments.weight[cell], share.sum(), rtol=1e-14)
        mean = cells.moments.mean[cell]
        assert (mean[~observed] == 0).all()
        scatter = cells.moments.scatter[cell]
        if not observed.any():
            assert not scatter.any()
            continue
        np.testing.assert_allclose(mean[observed], np.average(rows, axis=0, weights=share))
        centred = rows - np.average(rows, axis=0, weights=share)
        expected = (share[:, None] * centred).T @ centred
        if layout == "diagonal":
            np.testing.assert_allclose(scatter[observed], np.diag(expected), atol=1e-12)
            assert not scatter[~observed].any()
        else:
            np.testing.assert_allclose(scatter[np.ix_(observed, observed)], expected, atol=1e-12)
            assert not scatter[~observed].any()
            assert not scatter[:, ~observed].any()
    alone = summarise(X[whole], codes[whole], weights[whole], 3, layout)
    np.testing.assert_array_equal(found.moments.scatter, alone.scatter)
    totals = np.bincount(codes, weights)
    np.testing.assert_allclose(found.weight, totals, rtol=1e-13)


@each_layout
def test_complete_rows_have_no_cells(layout: ScatterLayout) -> None:
    X, codes, weights = lacking()
    X = np.nan_to_num(X)
    found = learn(X, codes, weights, CLASSES, layout, 1)
    assert found.incomplete is None
    assert found.weight is found.moments.weight
    expected = summarise(X, codes, weights, 3, layout)
    np.testing.assert_array_equal(found.moments.scatter, expected.scatter)


def test_rows_of_no_weight_make_no_cell() -> None:
    X = np.array([[1.0, 2.0], [np.nan, 2.0], [3.0, np.nan]])
    found = learn(X, np.zeros(3, np.int32), np.array([1.0, 0.0, 2.0]), CLASSES[:1], "full")
    assert found.incomplete is not None
    assert found.incomplete.observed.tolist() == [[True, False]]
    found = learn(X[:2], np.zeros(2, np.int32), np.array([1.0, 0.0]), CLASSES[:1], "full")
    assert found.incomplete is None


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_columns_that_lie_apart(dtype: type) -> None:
    X, codes, weights = lacking()
    X = X.astype(dtype)
    apart = Columns(tuple(np.ascontiguousarray(column) for column in X.T))
    assert_identical(
        learn(apart, codes, weights, CLASSES, "full"), learn(X, codes, weights, CLASSES, "full")
    )


def test_threads_and_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    X, codes, weights = lacking()
    one = learn(X, codes, weights, CLASSES, "full", 1)
    assert_identical(one, learn(X, codes, weights, CLASSES, "full", 3))
    monkeypatch.setattr(learning, "_BLOCK", 48)
    assert_identical(one, learn(X, codes, weights, CLASSES, "full", 1))
    assert_identical(one, learn(X, codes, weights, CLASSES, "full", 2))


def test_memberships_that_are_sure_are_labels() -> None:
    X, codes, weights = lacking()
    sure = np.eye(3)[codes]
    for share in (None, weights):
        labelled = learn(X, codes, np.ones(400) if share is None else share, CLASSES, "full")
        assert_identical(learn(X, sure, share, CLASSES, "full"), labelled)


def test_infinity_is_no_missing_value() -> None:
    X, codes, weights = lacking()
    X[17, 2] = -np.inf
    with pytest.raises(NonFiniteError, match="infinity in row 17, column 2"):
        learn(X, codes, weights, CLASSES, "full")


def test_squares_that_overflow() -> None:
    X = np.array([[1e200, np.nan], [-1e200, np.nan], [1.0, 2.0]])
    with pytest.raises(DataError, match=r"values up to 1e\+200 are too large"):
        learn(X, np.zeros(3, np.int32), None, CLASSES[:1], "full")


def test_memory_may_be_limited() -> None:
    X, codes, weights = lacking()
    assert learn_incomplete(X, codes, weights, CLASSES, "full", 1, 1000) is None
    assert learn_incomplete(X, codes, weights, CLASSES, "full", 1, 1 << 20) is not None
