"""ClassMoments: shapes, merging, removing, and what is an error."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from gaussbayes.base.errors import DataError
from gaussbayes.base.types import ScatterLayout
from gaussbayes.families.gaussian.statistics import ClassMoments, empty, summarise
from tests.strategies import LAYOUTS

each_layout = pytest.mark.parametrize("layout", LAYOUTS)


def moments_of(
    rows: list[list[float]], codes: list[int], k: int, layout: ScatterLayout = "full"
) -> ClassMoments:
    return summarise(np.array(rows, dtype=float), np.array(codes, dtype=np.int32), None, k, layout)


@pytest.mark.parametrize(
    ("layout", "shape"), [("full", (3, 2, 2)), ("pooled", (2, 2)), ("diagonal", (3, 2))]
)
def test_shapes(layout: ScatterLayout, shape: tuple[int, ...]) -> None:
    nothing = empty(3, 2, layout)
    assert (nothing.n_classes, nothing.n_features) == (3, 2)
    assert nothing.weight.shape == (3,)
    assert nothing.mean.shape == nothing.anchor.shape == nothing.offset.shape == (3, 2)
    assert nothing.scatter.shape == shape
    assert nothing.scatter.dtype == np.float64
    assert not nothing.mean.any()
    assert not nothing.scatter.any()


def test_moments_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        empty(1, 1, "full").weight = np.ones(1)  # type: ignore[misc]


def test_wrong_shapes() -> None:
    good = empty(3, 2, "full")
    with pytest.raises(DataError, match=r"3 classes and 2 features.*got \(2,\) and \(3, 2\)"):
        replace(good, weight=np.zeros(2))
    with pytest.raises(
        DataError, match=r"weight \(3,\) and offset \(3, 2\), got \(3,\) and \(3, 1\)"
    ):
        replace(good, offset=np.zeros((3, 1)))
    with pytest.raises(DataError, match=r"full scatter must have shape \(3, 2, 2\), got \(3, 2\)"):
        replace(good, scatter=np.zeros((3, 2)))
    with pytest.raises(
        DataError, match=r"pooled scatter must have shape \(2, 2\), got \(3, 2, 2\)"
    ):
        replace(good, layout="pooled")


def test_merging_by_hand() -> None:
    # Class 0: 1, 2 and 6 have mean 3 and squares 4 + 1 + 9; class 1: 5 alone; class 2: none.
    left = moments_of([[1.0], [2.0], [5.0]], [0, 0, 1], 3)
    right = moments_of([[6.0]], [0], 3)
    both = left + right
    assert both.weight.tolist() == [3.0, 1.0, 0.0]
    assert both.mean.tolist() == [[3.0], [5.0], [0.0]]
    assert both.scatter.ravel().tolist() == [14.0, 0.0, 0.0]


@each_layout
def test_merging_leaves_both_as_they_were(layout: ScatterLayout) -> None:
    left = moments_of([[1.0, 2.0], [2.0, 0.0]], [0, 1], 2, layout)
    right = moments_of([[6.0, 3.0], [1.0, 1.0]], [0, 0], 2, layout)
    before = [field.copy() for one in (left, right) for field in (one.offset, one.scatter)]
    _ = left + right, left - left, (left + right) - right
    after = [field for one in (left, right) for field in (one.offset, one.scatter)]
    for old, new in zip(before, after, strict=True):
        np.testing.assert_array_equal(old, new)


@pytest.mark.parametrize("layout", ["full", "pooled"])
def test_scatters_are_symmetric_to_the_bit(layout: ScatterLayout) -> None:
    rng = np.random.default_rng(3)
    parts = [
        summarise(rng.normal(size=(9, 4)), rng.integers(0, 2, 9).astype(np.int32), None, 2, layout)
        for _ in range(6)
    ]
    both = parts[0] + parts[1] + parts[2] + parts[3] + parts[4]
    for moments in (both, both + parts[5], (both + parts[5]) - parts[2]):
        np.testing.assert_array_equal(moments.scatter, np.swapaxes(moments.scatter, -1, -2))


@pytest.mark.parametrize(
    "other", [empty(2, 3, "full"), empty(3, 2, "full"), empty(2, 2, "diagonal")]
)
def test_only_like_goes_with_like(other: ClassMoments) -> None:
    own = empty(2, 2, "full")
    message = (
        r"2 classes, 2 features and full scatter do not go with "
        rf"{other.n_classes} classes, {other.n_features} features and {other.layout} scatter"
    )
    with pytest.raises(DataError, match=message):
        _ = own + other
    with pytest.raises(DataError, match=message):
        _ = own - other


@pytest.mark.parametrize(("layout", "whose"), [("full", " in class 0"), ("pooled", "")])
def test_what_is_left_must_be_a_scatter(layout: ScatterLayout, whose: str) -> None:
    # Each feature has squares enough for the rows removed, but their difference has none at all.
    own = moments_of([[-2, -2], [2, 2], [-2, -2], [2, 2]], [0, 0, 0, 0], 1, layout)
    other = moments_of([[-1, 1], [1, -1]], [0, 0], 1, layout)
    message = rf"combination of the features a negative sum of squares{whose}: remove only"
    with pytest.raises(DataError, match=message):
        _ = own - other


@each_layout
def test_more_weight_than_there_is_cannot_be_removed(layout: ScatterLayout) -> None:
    small = moments_of([[0.0], [1.0], [1.0]], [0, 1, 1], 2, layout)
    large = moments_of([[0.0], [1.0], [2.0]], [0, 0, 0], 2, layout)
    with pytest.raises(
        DataError, match="cannot remove weight 3 from class 0, which has weight 1.*were added"
    ):
        _ = small - large


@pytest.mark.parametrize(
    ("layout", "whose"), [("full", " in class 1"), ("diagonal", " in class 1"), ("pooled", "")]
)
def test_rows_that_were_never_added_cannot_be_removed(layout: ScatterLayout, whose: str) -> None:
    # Class 1 has squares 8 in feature 1; the two rows removed have 18 of their own.
    own = moments_of([[0, 0], [0, 1], [0, 0], [0, 4], [0, 2]], [0, 0, 1, 1, 1], 2, layout)
    other = moments_of([[0, -1], [0, 5]], [1, 1], 2, layout)
    with pytest.raises(DataError, match=rf"sum of squares of feature 1{whose} -\d.*were added"):
        _ = own - other


@each_layout
def test_removing_a_whole_class(layout: ScatterLayout) -> None:
    first = moments_of([[1e8], [1e8 + 2]], [0, 0], 2, layout)
    second = moments_of([[5.0], [7.0]], [1, 1], 2, layout)
    left = (first + second) - second
    assert left.weight.tolist() == [2.0, 0.0]
    assert left.mean.tolist() == [[1e8 + 1], [0.0]]
    assert left.scatter.ravel()[0] == 2.0
    again = left + second
    assert again.mean.tolist() == [[1e8 + 1], [6.0]]


@each_layout
def test_a_whole_class_is_removed_by_its_own_rows_only(layout: ScatterLayout) -> None:
    seen = moments_of([[1e8], [1e8 + 2], [5.0], [7.0]], [0, 0, 1, 1], 2, layout)
    with pytest.raises(DataError, match="cannot remove all rows of class 1 by rows whose mean"):
        seen - moments_of([[500.0], [700.0]], [1, 1], 2, layout)


def test_the_anchor_of_the_heavier_side_is_kept() -> None:
    light = moments_of([[1.0]], [0], 1)
    heavy = moments_of([[1e15], [1e15 + 2]], [0, 0], 1)
    assert (light + heavy).anchor.tolist() == heavy.anchor.tolist()
    assert (heavy + light).anchor.tolist() == heavy.anchor.tolist()


def test_aligned_classes_move_to_their_places() -> None:
    two = moments_of([[1.0, 2.0], [3.0, 4.0], [5.0, 4.0]], [0, 1, 1], 2)
    moved = two.aligned([3, 1], 4)
    assert moved.weight.tolist() == [0.0, 2.0, 0.0, 1.0]
    assert moved.mean.tolist() == [[0, 0], [4, 4], [0, 0], [1, 2]]
    assert moved.scatter[1].tolist() == two.scatter[1].tolist()
    assert not moved.scatter[[0, 2, 3]].any()
    back = moved.selected([3, 1])
    for field in ("weight", "anchor", "offset", "scatter"):
        np.testing.assert_array_equal(getattr(back, field), getattr(two, field))


def test_a_pooled_scatter_is_that_of_all_classes() -> None:
    pooled = moments_of([[1.0], [3.0], [5.0]], [0, 0, 1], 2, "pooled")
    wider = pooled.aligned([2, 0], 3)
    assert wider.scatter.tolist() == [[2.0]]
    # A class that has no rows is not in it, the others cannot be taken out of it.
    assert wider.selected([2, 0]).scatter.tolist() == [[2.0]]
    with pytest.raises(DataError, match=r"summed over the classes.*fit again without the class"):
        pooled.selected([1])


def test_full_moments_give_every_layout() -> None:
    rows, codes = [[1.0, 2.0], [3.0, 6.0], [5.0, 5.0], [5.0, 9.0]], [0, 0, 1, 1]
    full = moments_of(rows, codes, 2)
    assert full.with_layout("full") is full
    for layout in ("pooled", "diagonal"):
        own = moments_of(rows, codes, 2, layout)
        assert full.with_layout(layout).scatter.tolist() == own.scatter.tolist()
        assert full.with_layout(layout).layout == layout


@pytest.mark.parametrize(
    ("have", "want"), [("pooled", "full"), ("diagonal", "full"), ("diagonal", "pooled")]
)
def test_less_does_not_give_more(have: ScatterLayout, want: ScatterLayout) -> None:
    message = f"a {want} scatter cannot be had from a {have} one; fit again"
    with pytest.raises(DataError, match=message):
        empty(1, 2, have).with_layout(want)


def test_a_shared_covariance_needs_the_sum() -> None:
    rows, codes = [[1.0, 2.0], [3.0, 6.0], [5.0, 5.0], [5.0, 9.0]], [0, 0, 1, 1]
    total = np.array([[2.0, 4.0], [4.0, 16.0]])
    for layout in ("full", "pooled"):
        moments = moments_of(rows, codes, 2, layout)
        assert moments.scatters("full", shared=True).tolist() == [total.tolist()]
        assert moments.scatters("diagonal", shared=True).tolist() == [[2.0, 16.0]]
    diagonal = moments_of(rows, codes, 2, "diagonal")
    assert diagonal.scatters("diagonal", shared=True).tolist() == [[2.0, 16.0]]
    assert diagonal.scatters("diagonal", shared=False).tolist() == [[2.0, 8.0], [0.0, 8.0]]
    with pytest.raises(DataError, match="a full scatter cannot be had from a diagonal one"):
        diagonal.scatters("full", shared=True)


@each_layout
def test_columns_in_another_order(layout: ScatterLayout) -> None:
    rng = np.random.default_rng(4)
    X, codes = rng.normal(size=(20, 3)), rng.integers(0, 2, 20).astype(np.int32)
    part = summarise(X, codes, None, 2, layout).of_columns([2, 0])
    expected = summarise(X[:, [2, 0]], codes, None, 2, layout)
    np.testing.assert_allclose(part.mean, expected.mean, rtol=0, atol=1e-15)
    np.testing.assert_allclose(part.scatter, expected.scatter, rtol=0, atol=1e-13)


@each_layout
def test_scaled_moments_are_those_of_weighted_rows(layout: ScatterLayout) -> None:
    rng = np.random.default_rng(5)
    X, codes = rng.normal(size=(20, 3)), rng.integers(0, 2, 20).astype(np.int32)
    scaled = summarise(X, codes, None, 2, layout).scaled(0.25)
    expected = summarise(X, codes, np.full(20, 0.25), 2, layout)
    np.testing.assert_allclose(scaled.weight, expected.weight, rtol=1e-15)
    np.testing.assert_allclose(scaled.mean, expected.mean, rtol=1e-13)
    np.testing.assert_allclose(scaled.scatter, expected.scatter, rtol=1e-13, atol=1e-15)


@each_layout
@pytest.mark.parametrize("exponent", [-500, 0, 480])
def test_merging_at_the_ends_of_the_floats(layout: ScatterLayout, exponent: int) -> None:
    # 1, 2, 6 and 7: mean 4 and squares 9 + 4 + 4 + 9, times a power of two.
    unit = 2.0**exponent
    left = moments_of([[1 * unit], [2 * unit]], [0, 0], 1, layout)
    right = moments_of([[6 * unit], [7 * unit]], [0, 0], 1, layout)
    assert (left + right).mean.tolist() == [[4 * unit]]
    assert (left + right).scatter.ravel().tolist() == [26 * unit**2]
