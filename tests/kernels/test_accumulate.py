"""The accumulating kernels: moments as their definition says, of every table, to the last digits.

Where the rows are ordinary, the moments are compared with their definition in the widest floats
that NumPy has; where digits are hard to keep, with exact rationals.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

from gaussbayes.base.types import CodeArray, FloatArray, RealArray, ScatterLayout
from gaussbayes.kernels import Kernels, native
from tests.designs import all_pairs
from tests.oracles import exact_scatter, relative_error

LAYOUTS: tuple[ScatterLayout, ...] = ("full", "pooled", "diagonal")
MEMORY: dict[str, Callable[[RealArray], RealArray]] = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "slice": lambda X: np.pad(X, ((0, 0), (2, 3)))[:, 2:-3],
    "negative": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "negative rows": lambda X: np.ascontiguousarray(X[::-1])[::-1],
    "one row repeated": lambda X: np.broadcast_to(X[:1], X.shape),
}
each_layout = pytest.mark.parametrize("layout", LAYOUTS)
SETTINGS = all_pairs(
    (1, 3, 7, 200), ("C", "F", "strided", "negative"), LAYOUTS, ("float32", "float64"), (0, 1)
)

TOLERANCE = 1e-12
"""Of the scale of the data: far above the rounding of some thousand rows, far below any mistake."""

Result = tuple[FloatArray, FloatArray, FloatArray, FloatArray]


def by_definition(
    X: RealArray, codes: CodeArray, weights: FloatArray | None, k: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weight (k,), mean (k, d) and scatter (k, d, d), in extended precision where there is one."""
    d = X.shape[1]
    rows = X.astype(np.longdouble)
    w = np.ones(len(X), np.longdouble) if weights is None else weights.astype(np.longdouble)
    weight, mean, scatter = np.zeros(k), np.zeros((k, d)), np.zeros((k, d, d))
    for c in range(k):
        own = (codes == c) & (w > 0)
        if own.any():
            total = w[own].sum()
            center = w[own] @ rows[own] / total
            rest = rows[own] - center
            weight[c], mean[c] = total, center
            scatter[c] = (rest * w[own, None]).T @ rest
    return weight, mean, scatter


def as_layout(scatter: FloatArray, layout: ScatterLayout) -> FloatArray:
    if layout == "full":
        return scatter
    return scatter.sum(axis=0) if layout == "pooled" else np.einsum("kii->ki", scatter)


def assert_moments(
    result: Result, expected: tuple[FloatArray, FloatArray, FloatArray], layout: ScatterLayout
) -> None:
    weight, anchor, offset, scatter = result
    true_weight, true_mean, true_scatter = expected
    assert_near(weight, true_weight)
    assert_near(anchor + offset, true_mean)
    assert_near(scatter, as_layout(true_scatter, layout))
    if layout != "diagonal":
        assert (scatter == np.swapaxes(scatter, -1, -2)).all()


def assert_near(found: FloatArray, expected: FloatArray) -> None:
    assert found.shape == expected.shape
    error = np.abs(found - expected).max(initial=0.0)
    assert error <= TOLERANCE * np.abs(expected).max(initial=1.0)


@cache
def some_rows(
    n: int, d: int, k: int, dtype: str
) -> tuple[RealArray, CodeArray, tuple[FloatArray | None, ...]]:
    """Rows, codes, and what their weights may be: None, and fractions of which a third is 0."""
    rng = np.random.default_rng([n, d, k])
    X = (3 * rng.normal(size=(n, d)) + 10).astype(dtype)
    codes = rng.integers(0, k, n).astype(np.int32)
    return X, codes, (None, rng.integers(0, 3, n) * rng.random(n))


@cache
def their_moments(
    n: int, d: int, k: int, dtype: str, choice: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    X, codes, choices = some_rows(n, d, k, dtype)
    return by_definition(X, codes, choices[choice], k)


@pytest.mark.parametrize("d", [1, 2, 3, 7, 8, 9, 16, 23, 24, 25, 50, 65])
def test_moments_are_as_defined(kernels: Kernels, d: int) -> None:
    for k, memory, layout, dtype, choice in SETTINGS:
        X, codes, choices = some_rows(250, d, k, dtype)
        result = kernels.accumulate(MEMORY[memory](X), codes, choices[choice], k, layout)
        assert_moments(result, their_moments(250, d, k, dtype, choice), layout)


@each_layout
def test_any_strides(kernels: Kernels, layout: ScatterLayout) -> None:
    for memory, n, d in product(MEMORY, (1, 2, 5, 40), (1, 3, 8, 10)):
        X, codes, (_, weights) = some_rows(n, d, 2, "float64")
        view = MEMORY[memory](X)
        expected = by_definition(view, codes, weights, 2)
        assert_moments(kernels.accumulate(view, codes, weights, 2, layout), expected, layout)


@cache
def ordered_rows(order: str, n: int, d: int) -> tuple[RealArray, CodeArray]:
    """Rows in orders that make a class come early, late, seldom, or from elsewhere."""
    X, codes, _ = some_rows(n, d, 3, "float64")
    if order == "sorted":
        return X, np.sort(codes)
    if order == "rare first":
        codes = np.where(np.arange(n) < n // 2, codes % 2, 2).astype(np.int32)
        codes[0] = 2
    elif order == "moving":
        X = X + np.linspace(0, 1000, n)[:, None]
    return X, codes


@cache
def ordered_moments(
    order: str, n: int, d: int, choice: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    weights = some_rows(n, d, 3, "float64")[2][choice]
    return by_definition(*ordered_rows(order, n, d), weights, 3)


@pytest.mark.parametrize(("n", "d"), [(12_000, 1), (12_000, 10), (5_000, 50)])
@pytest.mark.parametrize("order", ["mixed", "sorted", "rare first", "moving"])
def test_more_rows_than_go_through_at_a_time(kernels: Kernels, order: str, n: int, d: int) -> None:
    X, codes = ordered_rows(order, n, d)
    for layout, (choice, weights) in product(LAYOUTS, enumerate(some_rows(n, d, 3, "float64")[2])):
        result = kernels.accumulate(X, codes, weights, 3, layout)
        assert_moments(result, ordered_moments(order, n, d, choice), layout)


# Exactness


def alternating(middle: str, n: int = 1001) -> FloatArray:
    """NIST's NumAcc sets: a number, then the number less a tenth and plus a tenth in turn."""
    tenth = Fraction(1, 10)
    value = Fraction(middle)
    low, high = float(value - tenth), float(value + tenth)
    return np.array([float(value)] + [low, high] * ((n - 1) // 2))[:, None]


def hard_sets() -> dict[str, FloatArray]:
    rng = np.random.default_rng(7)
    n = 6_000
    normal = rng.normal(size=(n, 1))
    eighths = np.round(8 * normal) / 8  # exact next to 1e15, where floats are eighths
    return {
        "NumAcc1": np.array([[10000001.0], [10000003.0], [10000002.0]]),
        "NumAcc2": alternating("1.2"),
        "NumAcc3": alternating("1000000.2"),
        "NumAcc4": alternating("10000000.2"),
        "normal": normal,
        "heavy tail": np.exp(3 * normal),
        "offset 1e8": 1e8 + normal,
        "offset 1e15": 1e15 + eighths,
        "offset 1e15, first far": np.where(np.arange(n) == 0, -1e15, 1e15)[:, None] + eighths,
        "moving": normal + np.linspace(0, 1e4, n)[:, None],
        "a step": normal + np.where(np.arange(n) < 150, 0, 1e8)[:, None],
    }


HARD_SETS = hard_sets()


@cache
def exact_moments(name: str) -> tuple[Fraction, Fraction]:
    """Mean and scatter of a hard set."""
    means, scatter = exact_scatter(HARD_SETS[name])
    return means[0], scatter[0][0]


@pytest.mark.parametrize("name", HARD_SETS)
@each_layout
def test_variance_to_the_last_digits(kernels: Kernels, layout: ScatterLayout, name: str) -> None:
    """Of the sets of NIST 2e-15, which is 15 digits of the standard deviation; of others 1e-14.

    The sets of NIST have one feature; with more, all alike, the native kernels still keep to 2e-15.
    In what order the reference adds up the products of many features is for BLAS to say.
    """
    column = HARD_SETS[name]
    mean, scatter = exact_moments(name)
    spread = float(scatter / len(column)) ** 0.5
    codes = np.zeros(len(column), dtype=np.int32)
    for d in (1, 10, 40):
        X = np.repeat(column, d, axis=1)
        _, anchor, offset, result = kernels.accumulate(X, codes, None, 1, layout)
        strict = name.startswith("NumAcc") and (d == 1 or kernels.NAME == "native")
        bound = 2e-15 if strict else 1e-14
        for value in np.unique(result):
            assert relative_error(value, scatter) <= bound
        for a, o in zip(anchor[0], offset[0], strict=True):
            assert float(abs(Fraction(a) + Fraction(o) - mean)) <= 1e-15 * spread


@each_layout
def test_a_weight_is_a_repetition(kernels: Kernels, layout: ScatterLayout) -> None:
    """Exactly: the rows with whole weights have the moments of the rows repeated."""
    rng = np.random.default_rng(3)
    X = np.round(8 * rng.normal(size=(2_000, 2))) / 8 + 1e15
    counts = rng.integers(0, 4, len(X))
    means, scatter = exact_scatter(np.repeat(X, counts, axis=0))
    codes = np.zeros(len(X), dtype=np.int32)
    weight, anchor, offset, result = kernels.accumulate(X, codes, counts * 1.0, 1, layout)
    assert weight.tolist() == [counts.sum()]
    found = as_layout(np.array([scatter], dtype=np.float64), layout)
    # The scale of a product of two columns is the geometric mean of their squares.
    np.testing.assert_allclose(result, found, rtol=0, atol=2e-15 * found.max())
    for j in range(2):
        assert float(abs(Fraction(anchor[0, j]) + Fraction(offset[0, j]) - means[j])) < 1e-15


@each_layout
def test_a_constant_feature_has_no_scatter(kernels: Kernels, layout: ScatterLayout) -> None:
    X = np.full((9_000, 3), [0.1, 1e300, -1e-300])
    codes = (np.arange(9_000) % 2).astype(np.int32)
    _, anchor, offset, scatter = kernels.accumulate(X, codes, None, 2, layout)
    np.testing.assert_array_equal(anchor + offset, X[:2])
    assert not scatter.any()


# The result depends on the arguments alone


@each_layout
def test_moments_do_not_depend_on_where_rows_lie(kernels: Kernels, layout: ScatterLayout) -> None:
    """Neither on strides, nor on alignment, nor on what is next to the rows in memory.

    Of the reference this holds for alignment and neighbours; BLAS has its own order for strides.
    """
    X, codes, _ = some_rows(5_000, 11, 3, "float64")
    expected = kernels.accumulate(X, codes, None, 3, layout)
    among_nan = np.full(X.size + 40, np.nan)
    views = [among_nan[shift : shift + X.size].reshape(X.shape) for shift in (1, 3)]
    if kernels.NAME == "native":
        views += [MEMORY[memory](X) for memory in ("F", "slice", "negative")]
    for view in views:
        view[...] = X
        for one, two in zip(
            expected, kernels.accumulate(view, codes, None, 3, layout), strict=True
        ):
            np.testing.assert_array_equal(one, two)


# The edges


@each_layout
def test_no_rows(kernels: Kernels, layout: ScatterLayout) -> None:
    nobody = np.zeros(0, dtype=np.int32)
    for result in kernels.accumulate(np.zeros((0, 3)), nobody, None, 2, layout):
        assert not result.any()


@each_layout
def test_rows_of_weight_zero_do_not_count_at_all(kernels: Kernels, layout: ScatterLayout) -> None:
    X, codes, (_, weights) = some_rows(500, 5, 3, "float64")
    assert weights is not None
    weights = np.where(codes == 2, 0.0, weights)
    spoilt = np.where((weights == 0)[:, None], np.nan, X)
    result = kernels.accumulate(spoilt, codes, weights, 3, layout)
    assert_moments(result, by_definition(X, codes, weights, 3), layout)
    assert result[0][2] == 0


@pytest.mark.parametrize(
    ("layout", "place", "bad"),
    all_pairs(LAYOUTS, [0, 4_000, 4_999], [np.nan, np.inf, -np.inf]),
)
def test_what_is_not_finite_shows(
    kernels: Kernels, layout: ScatterLayout, place: int, bad: float
) -> None:
    X, codes, _ = some_rows(5_000, 10, 2, "float64")
    X = X.copy()
    X[place, 9] = bad
    hit, other = codes[place], 1 - codes[place]
    with np.errstate(invalid="ignore"):
        weight, anchor, offset, scatter = kernels.accumulate(X, codes, None, 2, layout)
    assert weight.sum() == len(X)
    mean = anchor + offset
    assert not np.isfinite(mean[hit, 9])
    assert np.isfinite(mean[hit, :9]).all()
    assert np.isfinite(mean[other]).all()
    if layout == "pooled":
        assert not np.isfinite(scatter[9, 9])
    else:
        assert not np.isfinite(scatter[hit].ravel()[-1])
        assert np.isfinite(scatter[other]).all()


def test_native_refuses_a_code_that_is_no_class() -> None:
    for code in (-1, 2) if native is not None else ():
        assert native is not None
        with pytest.raises(ValueError, match="not a class code"):
            native.accumulate(np.zeros((1, 1)), np.array([code], dtype=np.int32), None, 2, "full")
