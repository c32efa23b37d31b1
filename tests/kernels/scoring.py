"""Forms, rows and bounds on rounding for the tests of the scoring kernels."""

import math
from typing import Any

import numpy as np
import pytest

from gaussbayes.base.types import FloatArray, RealArray, Task
from gaussbayes.kernels import Kernels
from gaussbayes.kernels.arrays import Form, Linear, Quadratic, Whitened

TASKS: tuple[Task, ...] = ("log_joint", "log_posterior", "posterior", "label")
KINDS = ("full", "shared full", "diagonal", "shared diagonal", "linear", "whitened")

each_dtype = pytest.mark.parametrize("dtype", [np.float64, np.float32])
each_kind = pytest.mark.parametrize("kind", KINDS)


def make_form(kind: str, k: int, d: int, separation: float = 1.0, seed: int = 0) -> Form:
    rng = np.random.default_rng([seed, k, d, KINDS.index(kind)])
    center, log_constant = rng.normal(size=d), rng.normal(size=k)
    offset = separation * rng.normal(size=(k, d))
    if kind == "linear":
        return Linear(center, offset / math.sqrt(d), log_constant)
    count = 1 if kind.startswith("shared") or kind == "whitened" else k
    scale = np.exp(0.2 * rng.normal(size=(count, d)))
    if kind.endswith("diagonal"):
        return Quadratic(center, offset, scale, log_constant)
    whitener = np.tril(0.5 * rng.normal(size=(count, d, d)) / math.sqrt(d), -1)
    whitener[:, np.arange(d), np.arange(d)] = scale
    if kind == "whitened":
        return Whitened(center, offset @ whitener[0].T, whitener[0], log_constant)
    return Quadratic(center, offset, whitener, log_constant)


def make_rows(form: Form, n: int, dtype: Any, seed: int = 0) -> RealArray:
    """Rows near the means of the classes in turn."""
    rng = np.random.default_rng([seed, n])
    if isinstance(form, Whitened):
        spread = np.linalg.solve(form.whitener, form.mean.T).T
    else:
        spread = form.offset if isinstance(form, Quadratic) else form.coefficient
    own = rng.integers(spread.shape[0], size=n)
    X: RealArray = (form.center + spread[own] + rng.normal(size=(n, form.center.size))).astype(
        dtype
    )
    return X


def run(
    kernels: Kernels,
    form: Form,
    X: RealArray,
    task: Task,
    prune: bool = True,
    bias: RealArray | None = None,
) -> tuple[int, Any]:
    k = form.log_constant.size
    out = (
        np.full(X.shape[0], -7, np.intp)
        if task == "label"
        else np.full((X.shape[0], k), 7, X.dtype)
    )
    problem = kernels.score(kernels.prepare(form, X.dtype), X, task, out, prune, bias)
    return problem, out


def answers(
    kernels: Kernels,
    form: Form,
    X: RealArray,
    task: Task,
    prune: bool = True,
    bias: RealArray | None = None,
) -> Any:
    problem, out = run(kernels, form, X, task, prune, bias)
    assert problem == 0
    return out


def rounding(form: Form, X: RealArray) -> FloatArray:
    """How far two sums of the same terms may lie apart, for each row and class.

    A whitened coordinate is a sum of d products: its error is at most (d + 2) ε times the sum of
    their sizes, whatever the order of the sum. Its square has twice that relative error, and the
    sum of the squares d ε more.
    """
    narrow = form.cast(X.dtype)
    eps, d = float(np.finfo(X.dtype).eps), X.shape[1]
    u = np.abs((X - narrow.center).astype(np.float64))
    constant = np.abs(form.log_constant)
    if isinstance(narrow, Linear):
        return 2 * (d + 2) * eps * (constant + u @ np.abs(narrow.coefficient.astype(np.float64)).T)
    if isinstance(narrow, Whitened):
        # The error of a whitened row is that of the whole row, not of its distance from a mean.
        white = (X - narrow.center).astype(np.float64) @ narrow.whitener.astype(np.float64).T
        apart = np.abs(white[:, None] - narrow.mean.astype(np.float64))
        error = (d + 2) * eps * (u @ np.abs(narrow.whitener.astype(np.float64)).T)[:, None]
        error = error + eps * np.abs(narrow.mean.astype(np.float64))
        squares = 2 * apart * error + error**2 + (d + 2) * eps * apart**2
        return 2 * np.asarray(squares.sum(axis=2)) + 4 * eps * constant
    bound = np.empty((X.shape[0], constant.size))
    for c in range(constant.size):
        whitener = np.abs(narrow.whitener[c % narrow.whitener.shape[0]].astype(np.float64))
        own = np.abs(X - narrow.center - narrow.offset[c]).astype(np.float64)
        size = own * whitener if whitener.ndim == 1 else own @ whitener.T
        bound[:, c] = (4 * d + 8) * eps * (size**2).sum(axis=1) + 4 * eps * constant[c]
    return bound
