"""The scoring kernels: native and reference say the same, of every row, in every layout."""

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from gaussbayes.kernels import Kernels, reference
from tests.designs import all_pairs
from tests.kernels.scoring import (
    TASKS,
    answers,
    each_dtype,
    each_kind,
    make_form,
    make_rows,
    rounding,
)

LAYOUTS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "negative": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "negative F": lambda X: np.asfortranarray(X[::-1])[::-1],
}
SIZES = all_pairs(LAYOUTS, (1, 2, 3, 7, 8, 9, 10, 16, 17, 24, 50, 65), (1, 2, 3, 10, 33))


@cache
def expected(kind: str, k: int, d: int, n: int, dtype: Any) -> tuple[Any, ...]:
    """A form, rows, the reference's answers and how far from them others may be."""
    form = make_form(kind, k, d)
    X = make_rows(form, n, dtype)
    found = {task: answers(reference, form, X, task) for task in TASKS}
    bound = rounding(form, X)
    # A posterior moves by at most twice the largest error of a log joint, and by its own rounding.
    found["bound"] = {
        "log_joint": bound,
        "log_posterior": bound
        + 2 * bound.max(axis=1, keepdims=True)
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
@each_kind
def test_twins_agree(kernels: Kernels, kind: str, dtype: Any) -> None:
    for layout, d, k in SIZES:
        assert_agree(kernels, expected(kind, k, d, 73, dtype), layout)


@each_dtype
@each_kind
def test_twins_agree_on_many_rows(kernels: Kernels, kind: str, dtype: Any) -> None:
    for (k, d), layout in product(((3, 9), (10, 24), (3, 65)), LAYOUTS):
        assert_agree(kernels, expected(kind, k, d, 1000, dtype), layout)


@pytest.mark.parametrize(
    ("kind", "k", "d"), [("full", 1000, 3), ("linear", 1000, 5), ("full", 2, 700)]
)
def test_many_classes_and_features(kernels: Kernels, kind: str, k: int, d: int) -> None:
    assert_agree(kernels, expected(kind, k, d, 60, np.float64), "C")


@each_dtype
@each_kind
def test_rows_do_not_depend_on_each_other(kernels: Kernels, kind: str, dtype: Any) -> None:
    for k, d in ((3, 10), (10, 26)):
        form = make_form(kind, k, d, separation=4.0)
        X = make_rows(form, 1000, dtype)
        shuffled = np.random.default_rng(1).permutation(1000)
        # Not a bit may differ, but where BLAS adds in another order for other numbers of rows.
        slack = 0.0 if kernels.NAME == "native" else 4 * rounding(form, X).max()
        for task in TASKS:
            whole = answers(kernels, form, X, task)
            for n in (0, 1, 5, 23, 24, 25):
                part = answers(kernels, form, X[600 : 600 + n], task)
                np.testing.assert_allclose(part, whole[600 : 600 + n], rtol=0, atol=slack)
            for other in (X[shuffled], np.asfortranarray(X[shuffled])):
                found = answers(kernels, form, other, task)
                np.testing.assert_allclose(found, whole[shuffled], rtol=0, atol=slack)


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
