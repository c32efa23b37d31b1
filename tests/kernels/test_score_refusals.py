"""Rows that are not numbers, rows too far away, and rows that are only nearly so."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from gaussbayes.kernels import Kernels, reference
from gaussbayes.kernels.arrays import NOT_FINITE, OUT_OF_RANGE, Quadratic
from tests.kernels.scoring import (
    TASKS,
    answers,
    each_dtype,
    each_kind,
    make_form,
    make_rows,
    rounding,
    run,
)


@each_dtype
@each_kind
def test_rows_that_are_not_finite(kernels: Kernels, kind: str, dtype: Any) -> None:
    for task, (k, d) in product(TASKS, ((3, 5), (2, 30))):
        form = make_form(kind, k, d)
        for n, row, column in ((1, 0, 0), (60, 59, d - 1), (60, 30, 1), (5000, 4990, d // 2)):
            X = make_rows(form, n, dtype)
            for value in (np.nan, np.inf, -np.inf)[: 1 if n == 5000 else 3]:
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


def test_a_coordinate_that_overflows_both_ways(kernels: Kernels) -> None:
    """1e300 · 1e200 − 1e300 · 1e200 is ∞ − ∞: that class is infinitely far, the other is not."""
    whitener = np.array([[[1e-200, 0.0], [1e300, 1e300]], [[1e-200, 0.0], [0.0, 1e-200]]])
    form = Quadratic(np.zeros(2), np.zeros((2, 2)), whitener, np.zeros(2))
    X = np.array([[1e200, -1e200]])
    for task, expected in (("log_joint", [[-np.inf, -1.0]]), ("posterior", [[0.0, 1.0]])):
        out = np.empty((1, 2))
        assert kernels.score(kernels.prepare(form, X.dtype), X, task, out) == 0
        np.testing.assert_allclose(out, expected, rtol=1e-15)
