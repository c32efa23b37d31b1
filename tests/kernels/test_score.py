"""The scoring kernels: native and reference say the same, of every row, in every layout.

Tolerances are bounds on rounding: a whitened coordinate is a sum of d products, so its error is at
most (d + 2) ε times the sum of their sizes, whatever the order of the sum.
"""

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import stats

from gaussbayes.kernels import Kernels, native, reference, using
from gaussbayes.kernels.forms import NOT_FINITE, OUT_OF_RANGE, Form, Linear, Quadratic
from gaussbayes.types import RealArray, Task

TASKS: tuple[Task, ...] = ("log_joint", "log_posterior", "posterior", "label")
KINDS = ("full", "shared full", "diagonal", "shared diagonal", "linear")


def _instruction_sets() -> list[str]:
    """Those of the native kernels that this processor has."""
    if native is None:
        return []
    before = native.instruction_set()
    found = []
    for name in ("baseline", "avx2", "avx512"):
        try:
            native._native.use_instruction_set(name)
        except ValueError:
            continue
        found.append(name)
    native._native.use_instruction_set(before)
    return found


@pytest.fixture(params=["reference", *_instruction_sets()])
def kernels(request: pytest.FixtureRequest) -> Iterator[Kernels]:
    """The reference, and the native kernels with each instruction set."""
    if native is None or request.param == "reference":
        with using("reference") as chosen:
            yield chosen
        return
    before = native.instruction_set()
    native._native.use_instruction_set(request.param)
    with using("native") as chosen:
        yield chosen
    native._native.use_instruction_set(before)


each_dtype = pytest.mark.parametrize("dtype", [np.float64, np.float32])
each_task = pytest.mark.parametrize("task", TASKS)
each_kind = pytest.mark.parametrize("kind", KINDS)

LAYOUTS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "negative": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "negative F": lambda X: np.asfortranarray(X[::-1])[::-1],
}
each_layout = pytest.mark.parametrize("layout", LAYOUTS)


def make_form(kind: str, k: int, d: int, separation: float = 1.0, seed: int = 0) -> Form:
    rng = np.random.default_rng([seed, k, d, KINDS.index(kind)])
    center, log_constant = rng.normal(size=d), rng.normal(size=k)
    offset = separation * rng.normal(size=(k, d))
    if kind == "linear":
        return Linear(center, offset / math.sqrt(d), log_constant)
    count = 1 if kind.startswith("shared") else k
    scale = np.exp(0.2 * rng.normal(size=(count, d)))
    if kind.endswith("diagonal"):
        return Quadratic(center, offset, scale, log_constant)
    whitener = np.tril(0.5 * rng.normal(size=(count, d, d)) / math.sqrt(d), -1)
    whitener[:, np.arange(d), np.arange(d)] = scale
    return Quadratic(center, offset, whitener, log_constant)


def make_rows(form: Form, n: int, dtype: Any, seed: int = 0) -> RealArray:
    """Rows near the means of the classes in turn."""
    rng = np.random.default_rng([seed, n])
    spread = form.offset if isinstance(form, Quadratic) else form.coefficient
    own = rng.integers(spread.shape[0], size=n)
    X: RealArray = (form.center + spread[own] + rng.normal(size=(n, form.center.size))).astype(dtype)
    return X


def run(
    kernels: Kernels, form: Form, X: RealArray, task: Task, prune: bool = True
) -> tuple[int, Any]:
    k = form.log_constant.size
    out = np.full(X.shape[0], -7, np.intp) if task == "label" else np.full((X.shape[0], k), 7, X.dtype)
    problem = kernels.score(kernels.prepare(form, X.dtype), X, task, out, prune)
    return problem, out


def answers(kernels: Kernels, form: Form, X: RealArray, task: Task, prune: bool = True) -> Any:
    problem, out = run(kernels, form, X, task, prune)
    assert problem == 0
    return out


def rounding(form: Form, X: RealArray) -> RealArray:
    """How far two sums of the same terms may lie apart, for each row and class."""
    narrow = form.cast(X.dtype)
    eps, d = float(np.finfo(X.dtype).eps), X.shape[1]
    u = np.abs((X - narrow.center).astype(np.float64))
    constant = np.abs(form.log_constant)
    if isinstance(narrow, Linear):
        return 2 * (d + 2) * eps * (constant + u @ np.abs(narrow.coefficient.astype(np.float64)).T)
    bound = np.empty((X.shape[0], constant.size))
    for c in range(constant.size):
        whitener = np.abs(narrow.whitener[c % narrow.whitener.shape[0]].astype(np.float64))
        own = np.abs(X - narrow.center - narrow.offset[c]).astype(np.float64)
        size = own * whitener if whitener.ndim == 1 else own @ whitener.T
        bound[:, c] = (4 * d + 8) * eps * (size**2).sum(axis=1) + 4 * eps * constant[c]
    return bound


@lru_cache(maxsize=None)
def expected(kind: str, k: int, d: int, n: int, dtype: Any) -> tuple[Any, ...]:
    """A form, rows, the reference's answers and how far from them others may be."""
    form = make_form(kind, k, d)
    X = make_rows(form, n, dtype)
    found = {task: answers(reference, form, X, task) for task in TASKS}
    bound = rounding(form, X)
    # A posterior moves by at most twice the largest error of a log joint, and by its own rounding.
    found["bound"] = {
        "log_joint": bound,
        "log_posterior": bound + 2 * bound.max(axis=1, keepdims=True)
        + 8 * np.finfo(dtype).eps * (1 + np.abs(found["log_posterior"])),
        "posterior": 2 * bound.max(axis=1, keepdims=True) + (8 + k) * np.finfo(dtype).eps,
    }
    return form, X, found


def assert_agree(kernels: Kernels, case: tuple[Any, ...], layout: str) -> dict[str, Any]:
    form, X, found = case
    view = LAYOUTS[layout](X)
    own = {}
    for task in TASKS:
        own[task] = answers(kernels, form, view, task)
        if task == "label":
            # Where rounding decides between two classes either will do.
            picked = np.take_along_axis(found["log_joint"], own[task][:, None], axis=1)[:, 0]
            slack = 2 * found["bound"]["log_joint"].max(axis=1)
            assert (picked >= found["log_joint"].max(axis=1) - slack).all()
        else:
            assert (np.abs(own[task] - found[task]) <= found["bound"][task]).all()
    np.testing.assert_array_equal(own["label"], np.argmax(own["log_joint"], axis=1))
    return own


@each_dtype
@each_layout
@each_kind
def test_twins_agree(kernels: Kernels, kind: str, layout: str, dtype: Any) -> None:
    for d in (1, 2, 3, 7, 8, 9, 10, 16, 17, 24, 50, 65):
        for k in (1, 2, 3, 10, 33):
            assert_agree(kernels, expected(kind, k, d, 73, dtype), layout)


@each_dtype
@each_layout
@each_kind
def test_twins_agree_on_many_rows(kernels: Kernels, kind: str, layout: str, dtype: Any) -> None:
    for k, d in ((3, 9), (10, 24), (3, 65)):
        assert_agree(kernels, expected(kind, k, d, 1000, dtype), layout)


@pytest.mark.parametrize(("kind", "k", "d"), [("full", 1000, 3), ("linear", 1000, 5), ("full", 2, 700)])
def test_many_classes_and_features(kernels: Kernels, kind: str, k: int, d: int) -> None:
    assert_agree(kernels, expected(kind, k, d, 60, np.float64), "C")


@each_dtype
@each_kind
def test_rows_do_not_depend_on_each_other(kernels: Kernels, kind: str, dtype: Any) -> None:
    if kernels.NAME == "reference":  # BLAS adds in another order for other numbers of rows
        dtype, bits = np.float64, False
    else:
        bits = True
    for k, d in ((3, 10), (10, 26)):
        form = make_form(kind, k, d, separation=4.0)
        X = make_rows(form, 1000, dtype)
        shuffled = np.random.default_rng(1).permutation(1000)
        for task in TASKS:
            whole = answers(kernels, form, X, task)
            for n in (0, 1, 5, 23, 24, 25):
                part = answers(kernels, form, X[600 : 600 + n], task)
                _assert_same(part, whole[600 : 600 + n], bits)
            _assert_same(answers(kernels, form, X[shuffled], task), whole[shuffled], bits)
            _assert_same(answers(kernels, form, np.asfortranarray(X), task), whole, bits)


def _assert_same(a: Any, b: Any, bits: bool) -> None:
    if bits:
        np.testing.assert_array_equal(a, b)
    else:
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-11)


def test_log_joint_is_the_density_of_scipy(kernels: Kernels) -> None:
    rng = np.random.default_rng(3)
    d, priors = 6, [0.2, 0.8]
    means = rng.normal(size=(2, d))
    factors = np.tril(rng.normal(size=(2, d, d)), -1) + 2 * np.eye(d)
    whitener = np.stack([np.tril(np.linalg.inv(factor)) for factor in factors])
    log_scale = np.log(np.einsum("kii->ki", whitener)).sum(axis=1)
    log_constant = np.log(priors) + log_scale - d / 2 * math.log(2 * math.pi)
    center = means.mean(axis=0)
    form = Quadratic(center, means - center, whitener, log_constant)
    X = 3 * rng.normal(size=(50, d))
    truth = np.stack(
        [
            math.log(prior) + stats.multivariate_normal(mean, factor @ factor.T).logpdf(X)
            for prior, mean, factor in zip(priors, means, factors, strict=True)
        ],
        axis=1,
    )
    np.testing.assert_allclose(answers(kernels, form, X, "log_joint"), truth, rtol=1e-12)


# Pruning


def _ties(form: Quadratic) -> Quadratic:
    """Every class once more, so that each row has two best ones."""
    whitener = form.whitener
    return Quadratic(
        form.center,
        np.repeat(form.offset, 2, axis=0),
        whitener if whitener.shape[0] == 1 else np.repeat(whitener, 2, axis=0),
        np.repeat(form.log_constant, 2),
    )


@each_dtype
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("separation", [0.1, 1.5, 3.0, 6.0])
def test_pruning_changes_nothing(kernels: Kernels, separation: float, order: Any, dtype: Any) -> None:
    n = 60 if kernels.NAME == "reference" else 2502  # nothing is pruned there
    for kind, k, d in (("full", 5, 50), ("full", 3, 91), ("shared full", 4, 29)):
        form = make_form(kind, k, d, separation)
        assert isinstance(form, Quadratic)
        for own in (form, _ties(form)):
            # Rows between the classes too: their posteriors are neither 0 nor 1.
            X = make_rows(own, n, dtype)
            X[::3] = (X[::3] + X[1::3]) / 2
            X = np.asarray(X, order=order)
            for task in TASKS:
                pruned, whole = answers(kernels, own, X, task), answers(kernels, own, X, task, False)
                np.testing.assert_array_equal(pruned, whole)
                if own is not form and task == "label":
                    assert (whole % 2 == 0).all()  # the first of equal classes


@each_dtype
def test_pruning_at_the_edge_of_zero(kernels: Kernels, dtype: Any) -> None:
    """Posteriors about as small as numbers get are not pruned away."""
    d, edge = 40, 745.2 if dtype == np.float64 else 104.0
    # The second class is g nats lower, all of it in the first feature: known from the first panel.
    for gap in np.linspace(edge - 40, edge + 4, 23):
        offset = np.zeros((2, d))
        offset[1, 0] = math.sqrt(2 * gap)
        form = Quadratic(np.zeros(d), offset, np.eye(d)[None].repeat(2, axis=0), np.zeros(2))
        X = np.random.default_rng(5).normal(size=(200, d)).astype(dtype)
        X[:, 0] *= 0.01
        pruned = answers(kernels, form, X, "posterior")
        np.testing.assert_array_equal(pruned, answers(kernels, form, X, "posterior", False))
        if gap < edge - 5:
            assert (pruned > 0).all()


# The normaliser


def _two_classes(dtype: Any) -> Linear:
    """The log joints of x are 0 and x."""
    return Linear(np.zeros(1), np.array([[0.0], [1.0]]), np.zeros(2)).cast(np.dtype(dtype))


@each_dtype
def test_exponential(kernels: Kernels, dtype: Any) -> None:
    info = np.finfo(dtype)
    lowest = -746.0 if dtype == np.float64 else -104.5
    x = np.unique(np.linspace(lowest, 0, 4001).astype(dtype))
    posterior = answers(kernels, _two_classes(dtype), x[:, None], "posterior")[:, 1]
    with mpmath.workdps(40):
        truth = [mpmath.exp(mpmath.mpf(float(v))) for v in x]
        # Where 1 + e^x is 1 the posterior is e^x itself, within one unit in the last place (NumPy
        # promises less); else the sum, the division and the reciprocal round too.
        units = 1.0 if kernels.NAME == "native" else 3.0
        for value, exact in zip(posterior, truth, strict=True):
            alone = exact < info.eps / 4
            exact = exact if alone else exact / (1 + exact)
            unit = max(float(info.smallest_subnormal), float(exact) * float(info.eps))
            assert abs(mpmath.mpf(float(value)) - exact) <= (units if alone else units + 2) * unit


@each_dtype
def test_exponential_is_exact_at_its_ends(kernels: Kernels, dtype: Any) -> None:
    # 2^-1075 and 2^-150, half of the smallest number, are where e^x turns to 0.
    smallest = np.finfo(dtype).smallest_subnormal
    edge = np.log(2.0) * (-1075 if dtype == np.float64 else -150)
    x = np.array([0.0, edge * (1 - 1e-6), edge * (1 + 1e-6), -1e4, -1e30], dtype=dtype)
    posterior = answers(kernels, _two_classes(dtype), x[:, None], "posterior")
    np.testing.assert_array_equal(posterior[0], [0.5, 0.5])
    np.testing.assert_array_equal(posterior[1:, 0], 1.0)
    np.testing.assert_array_equal(posterior[1:, 1], [smallest, 0, 0, 0])


@each_dtype
@pytest.mark.parametrize("k", [1, 2, 3, 10, 1000])
def test_posteriors_sum_to_one(kernels: Kernels, k: int, dtype: Any) -> None:
    form = make_form("linear", k, 4, separation=3.0)
    X = make_rows(form, 200, dtype)
    posterior = answers(kernels, form, X, "posterior")
    log_posterior = answers(kernels, form, X, "log_posterior")
    assert (posterior >= 0).all()
    assert (log_posterior <= 0).all()
    for row in posterior:
        assert abs(math.fsum(row.tolist()) - 1) <= 4.5 * k * np.finfo(dtype).eps
    size = 1 + np.abs(log_posterior).max(axis=1, keepdims=True)
    eps = np.finfo(dtype).eps
    error = np.abs(np.exp(log_posterior.astype(np.float64)) - posterior)
    assert (error <= (k + 8) * eps * size * posterior + np.finfo(dtype).tiny).all()


@each_dtype
@each_kind
def test_a_class_with_prior_zero(kernels: Kernels, kind: str, dtype: Any) -> None:
    form = make_form(kind, 3, 30)
    log_constant = form.log_constant.copy()
    log_constant[0] = -np.inf
    X = make_rows(form, 50, dtype)
    own = _with_constant(form, log_constant)
    posterior = answers(kernels, own, X, "posterior")
    np.testing.assert_array_equal(posterior[:, 0], 0.0)
    np.testing.assert_array_equal(answers(kernels, own, X, "log_posterior")[:, 0], -np.inf)
    np.testing.assert_array_equal(answers(kernels, own, X, "log_joint")[:, 0], -np.inf)
    assert (answers(kernels, own, X, "label") > 0).all()
    assert np.isfinite(posterior).all()
    none = _with_constant(form, np.full(3, -np.inf))
    for task in TASKS:
        assert run(kernels, none, X, task)[0] == (0 if task == "log_joint" else OUT_OF_RANGE)


def _with_constant(form: Form, log_constant: RealArray) -> Form:
    if isinstance(form, Linear):
        return Linear(form.center, form.coefficient, log_constant)
    return Quadratic(form.center, form.offset, form.whitener, log_constant)


# Rows that cannot be scored


@each_dtype
@each_kind
@each_task
def test_rows_that_are_not_finite(kernels: Kernels, task: Task, kind: str, dtype: Any) -> None:
    for k, d in ((3, 5), (2, 30)):
        form = make_form(kind, k, d)
        for n, row, column in ((1, 0, 0), (60, 59, d - 1), (60, 30, 1), (5000, 4990, d // 2)):
            for value in (np.nan, np.inf, -np.inf):
                X = make_rows(form, n, dtype)
                X[row, column] = value
                assert run(kernels, form, X, task)[0] == NOT_FINITE
                assert run(kernels, form, np.asfortranarray(X), task)[0] == NOT_FINITE
        X[0] = np.finfo(dtype).max / 4  # which alone would be out of range
        assert run(kernels, form, X, task)[0] == NOT_FINITE


@each_dtype
@pytest.mark.parametrize("kind", ["full", "shared full", "diagonal", "shared diagonal"])
def test_rows_out_of_range(kernels: Kernels, kind: str, dtype: Any) -> None:
    form = make_form(kind, 3, 4)
    X = make_rows(form, 50, dtype)
    X[45] = np.sqrt(np.finfo(dtype).max) * np.array([1e3, 0, 0, 0])
    for task in TASKS:
        assert run(kernels, form, X, task)[0] == (0 if task == "log_joint" else OUT_OF_RANGE)
    log_joint = answers(kernels, form, X, "log_joint")
    np.testing.assert_array_equal(log_joint[45], -np.inf)
    assert np.isfinite(np.delete(log_joint, 45, axis=0)).all()


@each_dtype
@each_kind
def test_far_rows_that_are_in_range(kernels: Kernels, kind: str, dtype: Any) -> None:
    form = make_form(kind, 3, 30)
    X = make_rows(form, 50, dtype)
    X[::2] *= 1e5 if dtype == np.float32 else 1e100
    bound = rounding(form, X)
    joint = answers(reference, form, X, "log_joint")
    assert (np.abs(answers(kernels, form, X, "log_joint") - joint) <= bound).all()
    for task in ("posterior", "label"):
        assert not np.isnan(answers(kernels, form, X, task)).any()
        np.testing.assert_array_equal(
            answers(kernels, form, X, task), answers(kernels, form, X, task, False)
        )


def test_a_common_offset_costs_no_digit(kernels: Kernels) -> None:
    # Rows and centres in sixteenths stay exact when 2^40 is added.
    form = make_form("full", 3, 5)
    assert isinstance(form, Quadratic)
    center = np.round(16 * form.center) / 16
    X = np.round(16 * make_rows(form, 100, np.float64)) / 16
    near = Quadratic(center, form.offset, form.whitener, form.log_constant)
    far = Quadratic(center + 2.0**40, form.offset, form.whitener, form.log_constant)
    np.testing.assert_array_equal(
        answers(kernels, near, X, "posterior"), answers(kernels, far, X + 2.0**40, "posterior")
    )


# Memory


@each_dtype
@each_kind
def test_only_the_answer_is_written(kernels: Kernels, kind: str, dtype: Any) -> None:
    for k, d, n in ((3, 5, 25), (10, 30, 49)):
        form = make_form(kind, k, d)
        prepared = kernels.prepare(form, np.dtype(dtype))
        # A window into a larger table, whose other entries are not numbers.
        X = np.full((n + 20, d + 7), np.nan, dtype=dtype)
        X[10 : 10 + n, 3 : 3 + d] = make_rows(form, n, dtype)
        window = X[10 : 10 + n, 3 : 3 + d]
        out = np.full((n + 20, k), 7, dtype=dtype)
        assert kernels.score(prepared, window, "posterior", out[10 : 10 + n]) == 0
        np.testing.assert_array_equal(np.delete(out, slice(10, 10 + n), axis=0), 7)
        labels = np.full(n + 20, 7, dtype=np.intp)
        assert kernels.score(prepared, window, "label", labels[10 : 10 + n]) == 0
        np.testing.assert_array_equal(labels[:10], 7)
        np.testing.assert_array_equal(labels[10 + n :], 7)
        np.testing.assert_array_equal(labels[10 : 10 + n], np.argmax(out[10 : 10 + n], axis=1))
