"""A bias is added to the log joints before anything else is made of them, and pruning knows it."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.special import log_softmax, softmax

from gaussbayes.base.types import RealArray
from gaussbayes.kernels import Kernels, native
from gaussbayes.kernels.arrays import IMPOSSIBLE, NOT_FINITE, OUT_OF_RANGE, Form, Quadratic
from tests.designs import all_pairs
from tests.kernels import test_masked as masked
from tests.kernels.scoring import KINDS, TASKS, answers, each_dtype, make_form, make_rows, run

MEMORY = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "strided": lambda bias: np.repeat(np.repeat(bias, 2, axis=0), 3, axis=1)[::2, ::3],
    "one row": lambda bias: np.broadcast_to(bias[:1], bias.shape),
}
each_case = pytest.mark.parametrize(
    ("name", "dtype"),
    [
        *product(KINDS, (np.float64, np.float32)),
        *((f"masked {kind}", np.float64) for kind in masked.KINDS),
    ],
)


def case(name: str, k: int, d: int, n: int, dtype: Any) -> tuple[Form, RealArray]:
    """A form and rows of it; rows with missing values if it is masked."""
    if name.startswith("masked"):
        return masked.make_form(name.removeprefix("masked "), k, d), masked.holed(n, d)
    form = make_form(name, k, d)
    return form, make_rows(form, n, dtype)


def some_bias(n: int, k: int, dtype: Any, size: float = 3.0, ruled_out: float = 0.3) -> RealArray:
    """Any numbers, and classes ruled out, but for one in each row."""
    rng = np.random.default_rng([n, k])
    bias: RealArray = (size * rng.normal(size=(n, k))).astype(dtype)
    impossible = rng.random((n, k)) < ruled_out
    impossible[np.arange(n), rng.integers(k, size=n)] = False
    bias[impossible] = -np.inf
    return bias


@each_case
def test_it_is_added_to_the_log_joint(kernels: Kernels, name: str, dtype: Any) -> None:
    for (k, d, n), memory in product(((1, 1, 5), (3, 10, 300), (10, 30, 100), (33, 7, 60)), MEMORY):
        form, X = case(name, k, d, n, dtype)
        bias = MEMORY[memory](some_bias(n, k, dtype))
        joint = answers(kernels, form, X, "log_joint") + bias
        np.testing.assert_array_equal(answers(kernels, form, X, "log_joint", bias=bias), joint)
        np.testing.assert_array_equal(
            answers(kernels, form, X, "label", bias=bias), joint.argmax(axis=1)
        )
        # Of the log joint as it was rounded; the exponential and the sum round again.
        exact, eps = joint.astype(np.float64), float(np.finfo(dtype).eps)
        for task, expected in (
            ("posterior", softmax(exact, axis=1)),
            ("log_posterior", log_softmax(exact, axis=1)),
        ):
            found = answers(kernels, form, X, task, bias=bias)
            finite = np.isfinite(expected)
            np.testing.assert_array_equal(found[~finite], expected[~finite])
            size = 1 + np.abs(exact).max(axis=1, initial=0.0, where=np.isfinite(exact))
            bound = np.broadcast_to(4 * (k + 8) * eps * size[:, None], expected.shape)
            assert (np.abs(found[finite] - expected[finite]) <= bound[finite]).all()


@each_dtype
def test_pruning_with_a_bias_changes_nothing(kernels: Kernels, dtype: Any) -> None:
    """Nor where the bias alone decides, or undoes what the distances say."""
    cases = all_pairs([0.1, 10.0, 300.0, 1e5], ["full", "shared full"], [0.5, 3.0])
    for size, kind, separation in cases:
        n = 60 if kernels.NAME == "reference" else 5000  # nothing is pruned there
        form = make_form(kind, 6, 50, separation)
        assert isinstance(form, Quadratic)
        X = make_rows(form, n, dtype)
        X[:-1:3] = (X[:-1:3] + X[1::3]) / 2  # rows between the classes too
        against = answers(kernels, form, X, "log_joint")
        for bias in (
            some_bias(n, 6, dtype, size),
            np.round(some_bias(n, 6, dtype, size, 0.8)),
            (size / 300 * some_bias(n, 6, dtype, ruled_out=0.0) - against).astype(dtype),
        ):
            for task in TASKS:
                whole = answers(kernels, form, X, task, prune=False, bias=bias)
                found = answers(kernels, form, X, task, bias=bias)
                np.testing.assert_array_equal(found, whole)


@each_case
def test_rows_that_no_class_can_have(kernels: Kernels, name: str, dtype: Any) -> None:
    for k, d in ((3, 5), (2, 30)):
        form, X = case(name, k, d, 100, dtype)
        bias = some_bias(100, k, dtype)
        bias[93] = -np.inf
        for task in TASKS:
            problem, out = run(kernels, form, X, task, bias=bias)
            assert problem == (0 if task == "log_joint" else IMPOSSIBLE)
            if task == "log_joint":
                np.testing.assert_array_equal(out[93], -np.inf)
                assert (np.delete(out, 93, axis=0).max(axis=1) > -np.inf).all()
        # A row that is infinite comes first, whatever its bias is.
        X[40, 1] = np.inf
        assert run(kernels, form, X, "posterior", bias=bias)[0] == NOT_FINITE


@each_dtype
def test_a_prior_of_zero_and_a_bias_rule_a_row_out_together(kernels: Kernels, dtype: Any) -> None:
    form = make_form("full", 2, 4)
    assert isinstance(form, Quadratic)
    never = Quadratic(form.center, form.offset, form.whitener, np.array([-np.inf, 0.0]))
    X = make_rows(form, 50, dtype)
    bias = np.zeros((50, 2), dtype)
    bias[7, 1] = -np.inf
    assert run(kernels, never, X, "posterior", bias=bias)[0] == IMPOSSIBLE
    bias[7, 1], X[7] = 0.0, np.sqrt(np.finfo(dtype).max)
    assert run(kernels, never, X, "posterior", bias=bias)[0] == OUT_OF_RANGE
    bias[9] = -np.inf
    assert run(kernels, never, X, "posterior", bias=bias)[0] == IMPOSSIBLE


@pytest.mark.skipif(native is None, reason="there are no native kernels")
def test_a_bias_of_another_shape_is_refused() -> None:
    assert native is not None
    form = make_form("linear", 3, 2)
    for shape in ((5, 2), (4, 3)):
        with pytest.raises(ValueError, match="one entry a row and class"):
            run(native, form, make_rows(form, 5, np.float64), "label", bias=np.zeros(shape))  # type: ignore[arg-type]
