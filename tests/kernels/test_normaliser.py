"""Log joints that no kernel has made become posteriors by the same normaliser as all others."""

from typing import Any

import numpy as np
import pytest
from scipy.special import log_softmax, logsumexp, softmax

from gaussbayes.base.errors import DataError
from gaussbayes.base.types import RealArray
from gaussbayes.kernels import Kernels, check_possible, normalise
from gaussbayes.kernels.arrays import IMPOSSIBLE, Quadratic
from gaussbayes.kernels.reference import log_sum_exp
from tests.kernels.scoring import TASKS, answers, each_dtype

pytestmark = pytest.mark.usefixtures("kernels")


def log_joints(n: int, k: int, dtype: Any) -> RealArray:
    """Of all sizes; some classes impossible, never all of a row."""
    rng = np.random.default_rng([n, k])
    joint: RealArray = (rng.normal(size=(n, k)) * 10.0 ** rng.integers(-2, 4, (n, 1))).astype(dtype)
    impossible = rng.random((n, k)) < 0.3
    impossible[np.arange(n), rng.integers(k, size=n)] = False
    joint[impossible] = -np.inf
    return joint


@each_dtype
@pytest.mark.parametrize(("n", "k"), [(0, 2), (1, 1), (50, 3), (700, 40)])
def test_the_normaliser_is_softmax(n: int, k: int, dtype: Any) -> None:
    joint, eps = log_joints(n, k, dtype), float(np.finfo(dtype).eps)
    exact = joint.astype(np.float64)
    out: Any = np.empty((n, k), dtype)
    assert normalise(joint, "posterior", out) == 0
    np.testing.assert_allclose(out, softmax(exact, axis=1), rtol=0, atol=(k + 8) * eps)
    assert normalise(joint, "log_posterior", out) == 0
    np.testing.assert_allclose(out, log_softmax(exact, axis=1), rtol=4 * eps, atol=(k + 8) * eps)
    assert normalise(joint, "log_joint", out) == 0
    np.testing.assert_array_equal(out, joint)
    labels = np.empty(n, np.intp)
    assert normalise(joint, "label", labels) == 0
    np.testing.assert_array_equal(labels, joint.argmax(axis=1))
    evidence = log_sum_exp(joint)
    assert evidence.dtype == dtype
    np.testing.assert_allclose(evidence, logsumexp(exact, axis=1), rtol=4 * eps, atol=(k + 8) * eps)


@each_dtype
def test_it_is_that_of_the_kernels(kernels: Kernels, dtype: Any) -> None:
    """The log joints of a kernel, normalised here, are its own posteriors, bit for bit."""
    rng = np.random.default_rng(0)
    form = Quadratic(np.zeros(3), rng.normal(size=(5, 3)), np.ones((5, 3)), np.zeros(5))
    X = (3 * rng.normal(size=(200, 3))).astype(dtype)
    joint = answers(kernels, form, X, "log_joint")
    for task in TASKS:
        expected = answers(kernels, form, X, task)
        out = np.empty_like(expected)
        assert normalise(joint, task, out) == 0
        np.testing.assert_array_equal(out, expected)


@each_dtype
def test_rows_that_are_impossible(dtype: Any) -> None:
    joint = log_joints(30, 4, dtype)
    joint[21] = joint[27] = -np.inf
    for task in TASKS:
        out: Any = np.empty(30, np.intp) if task == "label" else np.empty((30, 4), dtype)
        assert normalise(joint, task, out) == (0 if task == "log_joint" else IMPOSSIBLE)
    assert np.flatnonzero(np.isneginf(log_sum_exp(joint))).tolist() == [21, 27]
    check_possible(joint[:21])
    with pytest.raises(DataError, match="row 121 has probability 0 in every class"):
        check_possible(joint, 100)
