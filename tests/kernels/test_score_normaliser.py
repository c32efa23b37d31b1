"""From log joints to posteriors: exponentials, sums, and classes that cannot be."""

from dataclasses import replace
from typing import Any

import mpmath
import numpy as np

from gaussbayes.kernels import Kernels
from gaussbayes.kernels.arrays import OUT_OF_RANGE, Linear
from tests.kernels.scoring import (
    TASKS,
    answers,
    each_dtype,
    each_kind,
    make_form,
    make_rows,
    run,
)


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
        # Where 1 + e^x is 1 the posterior is e^x itself, within one unit in the last place (NumPy
        # promises less); else the sum, the division and the reciprocal round too.
        units = 1.0 if kernels.NAME == "native" else 3.0
        for at, value in zip(x.tolist(), posterior.tolist(), strict=True):
            power = mpmath.exp(mpmath.mpf(at))
            alone = power < info.eps / 4
            exact = power if alone else power / (1 + power)
            unit = max(float(info.smallest_subnormal), float(exact) * float(info.eps))
            assert abs(mpmath.mpf(value) - exact) <= (units if alone else units + 2) * unit


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


def test_log_posteriors_near_zero_keep_their_digits(kernels: Kernels) -> None:
    x = np.linspace(-700, 0, 701)
    found = answers(kernels, _two_classes(np.float64), x[:, None], "log_posterior")[:, 0]
    with mpmath.workdps(40):
        for at, value in zip(x.tolist(), found.tolist(), strict=True):
            exact = -mpmath.log1p(mpmath.exp(mpmath.mpf(at)))
            assert abs(mpmath.mpf(value) - exact) <= 4 * np.finfo(np.float64).eps * abs(exact)


@each_dtype
@each_kind
def test_a_class_with_prior_zero(kernels: Kernels, kind: str, dtype: Any) -> None:
    form = make_form(kind, 3, 30)
    log_constant = form.log_constant.copy()
    log_constant[0] = -np.inf
    X = make_rows(form, 50, dtype)
    own = replace(form, log_constant=log_constant)
    posterior = answers(kernels, own, X, "posterior")
    np.testing.assert_array_equal(posterior[:, 0], 0.0)
    np.testing.assert_array_equal(answers(kernels, own, X, "log_posterior")[:, 0], -np.inf)
    np.testing.assert_array_equal(answers(kernels, own, X, "log_joint")[:, 0], -np.inf)
    assert (answers(kernels, own, X, "label") > 0).all()
    assert np.isfinite(posterior).all()
    none = replace(form, log_constant=np.full(3, -np.inf))
    for task in TASKS:
        assert run(kernels, none, X, task)[0] == (0 if task == "log_joint" else OUT_OF_RANGE)
