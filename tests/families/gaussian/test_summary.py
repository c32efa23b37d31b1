"""Rows → statistics: any width, order and stride of X, hard or soft labels, weights, NaN."""

import numpy as np
import pytest

from gaussbayes.base.errors import DataError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray, ScatterLayout
from gaussbayes.families.gaussian import cells
from gaussbayes.families.gaussian.cells import observe
from gaussbayes.families.gaussian.statistics import GaussianStatistics, _row_blocks, summarise
from gaussbayes.kernels import Kernels
from gaussbayes.kernels.arrays import Columns
from tests.oracles import EPS, assert_close, exact_scatter, rounding
from tests.strategies import LAYOUTS, Rows

pytestmark = pytest.mark.usefixtures("kernels")
each_layout = pytest.mark.parametrize("layout", LAYOUTS)
each_width = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def zeros(n: int) -> np.ndarray:
    return np.zeros(n, dtype=np.int32)


def some_rows(n: int, d: int, k: int) -> Rows:
    rng = np.random.default_rng(5)
    codes = rng.integers(0, k, n).astype(np.int32)
    return Rows(rng.normal(size=(n, d)) + 10, codes, rng.exponential(size=n), k)


@each_width
@each_layout
def test_by_hand(layout: ScatterLayout, dtype: type) -> None:
    X = np.array([[1, 2], [3, 2], [10, 0], [2, 5]], dtype=dtype)
    moments = summarise(X, np.array([0, 0, 2, 0], dtype=np.int32), None, 3, layout)
    assert moments.layout == layout
    assert moments.weight.tolist() == [3, 0, 1]
    assert moments.mean.tolist() == [[2, 3], [0, 0], [10, 0]]
    scatter = np.array([[2.0, 0.0], [0.0, 6.0]])
    expected = {
        "full": np.stack([scatter, 0 * scatter, 0 * scatter]),
        "pooled": scatter,
        "diagonal": np.array([[2.0, 6.0], [0, 0], [0, 0]]),
    }[layout]
    np.testing.assert_array_equal(moments.scatter, expected)
    for field in (moments.weight, moments.anchor, moments.offset, moments.scatter):
        assert field.dtype == np.float64


@each_layout
def test_against_numpy(layout: ScatterLayout) -> None:
    rows = some_rows(500, 4, 3)
    found = rows.summarise(layout)
    bound = rounding(rows)
    scatters = []
    for c in range(3):
        own = rows.codes == c
        weights = rows.weights[own]
        mean = np.average(rows.X[own], axis=0, weights=weights)
        np.testing.assert_allclose(found.mean[c], mean, rtol=0, atol=bound.mean[c].max())
        # With aweights and ddof = 0 NumPy divides by the sum of the weights.
        covariance = np.cov(rows.X[own], rowvar=False, aweights=weights, ddof=0)
        scatters.append(covariance * weights.sum())
    expected = {
        "full": np.stack(scatters),
        "pooled": sum(scatters),
        "diagonal": np.stack([np.diagonal(own) for own in scatters]),
    }[layout]
    np.testing.assert_allclose(found.scatter, expected, rtol=0, atol=bound.scatter.sum())


@each_layout
def test_no_rows(layout: ScatterLayout) -> None:
    nothing = summarise(np.zeros((0, 2)), zeros(0), None, 3, layout)
    assert nothing.weight.tolist() == [0, 0, 0]
    assert nothing.layout == layout
    soft = summarise(np.zeros((0, 2)), np.zeros((0, 3)), None, 3, layout)
    assert soft.weight.tolist() == [0, 0, 0]


@each_layout
def test_one_row_and_one_feature(layout: ScatterLayout) -> None:
    moments = summarise(np.array([[7.5]]), zeros(1), None, 1, layout)
    assert moments.weight.tolist() == [1]
    assert moments.mean.tolist() == [[7.5]]
    assert moments.scatter.ravel().tolist() == [0]


@each_layout
def test_a_thousand_classes(layout: ScatterLayout) -> None:
    # Class c has the rows c, c + 1 and c + 2 but for every seventh, which has none.
    codes = np.repeat([c for c in range(1000) if c % 7], 3).astype(np.int32)
    X = (codes + np.tile([0, 1, 2], codes.size // 3))[:, None].astype(float)
    moments = summarise(X, codes, None, 1000, layout)
    there = np.arange(1000) % 7 > 0
    np.testing.assert_array_equal(moments.weight, np.where(there, 3, 0))
    np.testing.assert_array_equal(moments.mean[:, 0], np.where(there, np.arange(1000) + 1, 0))
    if layout == "pooled":
        assert moments.scatter.tolist() == [[2.0 * there.sum()]]
    else:
        np.testing.assert_array_equal(moments.scatter.ravel(), np.where(there, 2, 0))


@each_layout
@each_width
def test_constant_features_have_no_scatter_at_all(layout: ScatterLayout, dtype: type) -> None:
    # 0.1 is no float: a mean that were rounded would leave something.
    X = np.full((1000, 2), 0.1, dtype=dtype)
    moments = summarise(X, zeros(1000), None, 1, layout)
    assert not moments.scatter.any()
    np.testing.assert_array_equal(moments.mean, X[:1])


@each_layout
def test_soft_labels_are_parts_of_rows(layout: ScatterLayout) -> None:
    # Half of the rows 0 and 4 each, in both classes: mean 2, squares ½ (4 + 4).
    X, halves = np.array([[0.0], [4.0]]), np.full((2, 2), 0.5)
    moments = summarise(X, halves, None, 2, layout)
    assert moments.weight.tolist() == [1, 1]
    assert moments.mean.tolist() == [[2], [2]]
    # Rows enter with the root of their weight, which is rounded, squared again: 4 ε.
    assert moments.scatter.sum() == pytest.approx(8, rel=1e-15)
    doubled = summarise(X, halves, np.array([2.0, 2.0]), 2, layout)
    assert doubled.weight.tolist() == [2, 2]
    assert doubled.scatter.sum() == pytest.approx(16, rel=1e-15)


@each_layout
@each_width
def test_strides_do_not_matter(layout: ScatterLayout, dtype: type) -> None:
    rows = some_rows(300, 5, 3)
    X = rows.X.astype(dtype)
    wide = np.zeros((600, 10), dtype=dtype)
    wide[::2, 1::2] = X
    plain = summarise(X, rows.codes, rows.weights, 3, layout)
    bound = rounding(Rows(X.astype(float), rows.codes, rows.weights, 3))
    backwards = np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]
    for same in (np.asfortranarray(X), wide[::2, 1::2], backwards):
        assert_close(summarise(same, rows.codes, rows.weights, 3, layout), plain, bound)


@each_layout
def test_input_is_not_written_to(layout: ScatterLayout) -> None:
    rows = some_rows(50, 3, 2)
    rows.X.flags.writeable = False
    rows.codes.flags.writeable = False
    rows.weights.flags.writeable = False
    rows.summarise(layout)
    summarise(rows.X, np.eye(2)[rows.codes], rows.weights, 2, layout)


@each_layout
def test_other_integers_are_codes_too(layout: ScatterLayout) -> None:
    rows = some_rows(50, 3, 2)
    wide = summarise(rows.X, rows.codes.astype(np.int64)[::1], None, 2, layout)
    narrow = summarise(rows.X, rows.codes, None, 2, layout)
    np.testing.assert_array_equal(wide.scatter, narrow.scatter)


@each_layout
@pytest.mark.parametrize(
    ("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")]
)
@pytest.mark.parametrize("row", [0, 7])
def test_what_is_not_finite_is_named(
    layout: ScatterLayout, value: float, word: str, row: int
) -> None:
    X = np.arange(24.0).reshape(12, 2)
    X[row, 1] = value
    for targets in (zeros(12), np.full((12, 2), 0.5)):
        with pytest.raises(DataError, match=f"{word} in row {row}, column 1"):
            summarise(X, targets, None, 2, layout)


@each_layout
def test_infinities_of_both_signs(layout: ScatterLayout) -> None:
    X = np.array([[np.inf], [-np.inf], [1.0]])
    with pytest.raises(DataError, match=r"infinity in row 0, column 0 \(2 such values\)"):
        summarise(X, zeros(3), None, 1, layout)


@each_layout
def test_not_finite_in_the_last_of_many_blocks(layout: ScatterLayout) -> None:
    n = 600_000
    X = np.ones((n, 2))
    X[n - 1, 0] = np.nan
    assert len(_row_blocks(n, 2, 1, layout)) > 1
    with pytest.raises(DataError, match=f"NaN in row {n - 1}, column 0"):
        summarise(X, zeros(n), None, 1, layout, threads=2)


@each_layout
@pytest.mark.parametrize("rows", [[1e200, -1e200], [1.7e308, -1.7e308]])
def test_squares_that_overflow(layout: ScatterLayout, rows: list[float]) -> None:
    with pytest.raises(DataError, match=r"are too large: their sums of squares overflow"):
        summarise(np.array(rows)[:, None], zeros(2), None, 1, layout)


@each_layout
def test_rows_of_weight_zero_do_not_count_at_all(layout: ScatterLayout) -> None:
    X = np.array([[1.0], [np.nan], [3.0], [np.inf]])
    moments = summarise(X, zeros(4), np.array([1.0, 0.0, 1.0, 0.0]), 1, layout)
    assert moments.weight.tolist() == [2]
    assert moments.mean.tolist() == [[2]]
    assert moments.scatter.ravel().tolist() == [2]


@each_layout
def test_weights_of_any_size(layout: ScatterLayout) -> None:
    # 1 and 3 with weights w and 3 w: mean 2.5, squares w 2.25 + 3 w 0.25 = 3 w.
    for weight in (2.0**-900, 2.0**-60, 2.0**60, 2.0**900):
        own = np.array([weight, 3 * weight])
        moments = summarise(np.array([[1.0], [3.0]]), zeros(2), own, 1, layout)
        assert moments.weight.tolist() == [4 * weight]
        assert moments.mean.tolist() == [[2.5]]
        np.testing.assert_allclose(moments.scatter.ravel(), [3 * weight], rtol=4e-16)


@each_layout
def test_far_apart_classes_do_not_disturb_each_other(layout: ScatterLayout) -> None:
    X = np.array([[1e15], [1e15 + 2], [1e-15], [3e-15]])
    moments = summarise(X, np.array([0, 0, 1, 1], dtype=np.int32), None, 2, layout)
    np.testing.assert_array_equal(moments.mean, [[1e15 + 1], [2e-15]])
    if layout != "pooled":
        np.testing.assert_allclose(moments.scatter.ravel(), [2.0, 2e-30], rtol=1e-15)


@each_layout
@pytest.mark.parametrize("place", [0, 50, 99])
def test_a_far_row_of_no_weight_to_speak_of(layout: ScatterLayout, place: int) -> None:
    # It moves the mean by 2⁻¹⁷⁰ and the squares by 2⁻¹²⁰: nothing, unless differences from it are
    # what the mean of the others is taken from and never corrected.
    X = np.random.default_rng(6).normal(size=(100, 2))
    weights = np.ones(100)
    X[place], weights[place] = 2.0**40, 2.0**-200
    found = summarise(X, zeros(100), weights, 1, layout)
    others = np.delete(X, place, axis=0)
    mean, scatter = exact_scatter(others)
    # 99 rows about a mean of their own size: 99 ε at the most, and a few for the square root.
    bound = 110 * EPS
    np.testing.assert_allclose(found.mean[0], np.array(mean, float), rtol=0, atol=bound)
    squares = np.array(scatter, float)
    diagonal = np.diagonal(squares)
    expected = {"full": squares[None], "pooled": squares, "diagonal": diagonal[None]}[layout]
    np.testing.assert_allclose(found.scatter, expected, rtol=0, atol=bound * diagonal.max())


def test_blocks_depend_on_shapes_alone(kernels: Kernels) -> None:
    assert _row_blocks(10, 2, 3, "full") == [slice(0, 10)]
    for n, d in [(10**6, 10), (10**5, 500), (7, 10**6)]:
        for layout in LAYOUTS:
            cut = _row_blocks(n, d, 5, layout)
            assert [part.start for part in cut] == [0, *(part.stop for part in cut[:-1])]
            assert cut[-1].stop == n
            # Moments that wait to be merged stay small whatever n is: 64 MB at most.
            state = 8 * 5 * d * d if layout == "full" else 8 * d * d
            assert len(cut) <= 64
            if layout != "diagonal" and state > 1 << 22:
                assert len(cut) <= 2
    assert kernels.NAME


# Missing values


def incomplete(n: int = 400, d: int = 4) -> tuple[FloatArray, CodeArray, FloatArray]:
    """Rows with missing values, class codes and weights, 0 among them."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, d)) + 100.0
    X[rng.random(X.shape) < 0.3] = np.nan
    weights = rng.random(n)
    weights[::9] = 0.0
    return X, rng.integers(0, 3, n).astype(np.int32), weights


def assert_identical(a: GaussianStatistics, b: GaussianStatistics) -> None:
    assert a.cells is not None
    assert b.cells is not None
    for x, y in ((a.moments, b.moments), (a.cells, b.cells)):
        for field in ("weight", "anchor", "offset", "scatter"):
            np.testing.assert_array_equal(getattr(x, field), getattr(y, field))
    for field in ("codes", "observed", "varied"):
        np.testing.assert_array_equal(getattr(a.cells, field), getattr(b.cells, field))


@each_layout
def test_each_cell_is_what_its_rows_say(layout: ScatterLayout) -> None:
    X, codes, weights = incomplete()
    statistics = observe(X, codes, weights, 3, layout)
    found = statistics.cells
    assert found is not None
    dense = found.dense()
    there = ~np.isnan(X)
    whole = there.all(axis=1)
    assert not found.observed.all(axis=1).any()
    several = np.zeros(found.n_cells, dtype=bool)
    for cell, (code, observed) in enumerate(zip(found.codes, found.observed, strict=True)):
        own = (codes == code) & (there == observed).all(axis=1) & (weights > 0)
        rows, share = X[own][:, observed], weights[own]
        several[cell] = own.sum() > 1 and bool(observed.any())
        np.testing.assert_allclose(dense.weight[cell], share.sum(), rtol=1e-14)
        assert (dense.mean[cell][~observed] == 0).all()
        scatter = dense.scatter[cell]
        if not observed.any():
            assert not scatter.any()
            continue
        mean = np.average(rows, axis=0, weights=share)
        np.testing.assert_allclose(dense.mean[cell][observed], mean)
        expected = (share[:, None] * (rows - mean)).T @ (rows - mean)
        assert not scatter[~observed].any()
        if layout == "diagonal":
            np.testing.assert_allclose(scatter[observed], np.diag(expected), atol=1e-12)
        else:
            np.testing.assert_allclose(scatter[np.ix_(observed, observed)], expected, atol=1e-12)
            assert not scatter[:, ~observed].any()
    np.testing.assert_array_equal(found.varied, np.flatnonzero(several))
    alone = summarise(X[whole], codes[whole], weights[whole], 3, layout)
    np.testing.assert_array_equal(statistics.moments.scatter, alone.scatter)
    np.testing.assert_allclose(statistics.weight, np.bincount(codes, weights), rtol=1e-13)


@each_layout
def test_complete_rows_have_no_cells(layout: ScatterLayout) -> None:
    X, codes, weights = incomplete()
    X = np.nan_to_num(X)
    statistics = observe(X, codes, weights, 3, layout)
    assert statistics.is_complete
    assert statistics.weight is statistics.moments.weight
    expected = summarise(X, codes, weights, 3, layout)
    np.testing.assert_array_equal(statistics.moments.scatter, expected.scatter)


def test_rows_of_no_weight_make_no_cell() -> None:
    X = np.array([[1.0, 2.0], [np.nan, 2.0], [3.0, np.nan]])
    some = observe(X, zeros(3), np.array([1.0, 0.0, 2.0]), 1, "full").cells
    assert some is not None
    assert some.observed.tolist() == [[True, False]]
    assert observe(X[:2], zeros(2), np.array([1.0, 0.0]), 1, "full").is_complete


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_columns_that_lie_apart(dtype: type) -> None:
    X, codes, weights = incomplete()
    X = X.astype(dtype)
    apart = Columns(tuple(np.ascontiguousarray(column) for column in X.T))
    assert_identical(
        observe(apart, codes, weights, 3, "full"), observe(X, codes, weights, 3, "full")
    )


def test_threads_and_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    X, codes, weights = incomplete()
    alone = observe(X, codes, weights, 3, "full")
    assert_identical(alone, observe(X, codes, weights, 3, "full", threads=3))
    monkeypatch.setattr(cells, "_BLOCK", 48)
    assert_identical(alone, observe(X, codes, weights, 3, "full"))
    assert_identical(alone, observe(X, codes, weights, 3, "full", threads=2))


def test_soft_labels_that_are_sure_are_labels() -> None:
    X, codes, weights = incomplete()
    sure = np.eye(3)[codes]
    for share in (None, weights):
        labelled = observe(X, codes, np.ones(400) if share is None else share, 3, "full")
        assert_identical(observe(X, sure, share, 3, "full"), labelled)


def test_infinity_is_no_missing_value() -> None:
    X, codes, weights = incomplete()
    X[17, 2] = -np.inf
    with pytest.raises(DataError, match="infinity in row 17, column 2"):
        observe(X, codes, weights, 3, "full")
    names = Schema(np.arange(3), 6, tuple("uvwxyz")).part([5, 3, 1, 0])
    with pytest.raises(DataError, match="infinity in row 17, column 'v'"):
        observe(X, codes, weights, 3, "full", names)


def test_squares_of_incomplete_rows_that_overflow() -> None:
    X = np.array([[1e200, np.nan], [-1e200, np.nan], [1.0, 2.0]])
    with pytest.raises(DataError, match=r"values up to 1e\+200 are too large"):
        observe(X, zeros(3), None, 1, "full")


def test_too_many_patterns(monkeypatch: pytest.MonkeyPatch) -> None:
    X, codes, weights = incomplete()
    monkeypatch.setattr(cells, "MOST_CELL_BYTES", 1000)
    message = "different patterns of missing values, .* counted by class.*or choose a diagonal"
    with pytest.raises(DataError, match=message):
        observe(X, codes, weights, 3, "full")
