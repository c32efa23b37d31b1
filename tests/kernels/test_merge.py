"""Moments of two tables become those of all their rows."""

import numpy as np
import pytest

from gaussbayes.base.types import FloatArray, ScatterLayout
from gaussbayes.kernels import Kernels
from gaussbayes.kernels.arrays import MomentArrays


def moments(kernels: Kernels, X: FloatArray, codes: FloatArray, layout: str) -> MomentArrays:
    found: MomentArrays = kernels.accumulate(X, codes.astype(np.int32), None, 4, layout)
    return found


@pytest.mark.parametrize("layout", ["full", "pooled", "diagonal"])
@pytest.mark.parametrize("d", [1, 3, 17])
def test_those_of_all_rows(kernels: Kernels, layout: ScatterLayout, d: int) -> None:
    rng = np.random.default_rng(d)
    X, codes = 1e6 + rng.standard_normal((60, d)), rng.integers(0, 3, 60)
    codes[40:] = rng.integers(
        1, 4, 20
    )  # one class has rows only in the first, one only in the last
    first, last = (moments(kernels, X[s], codes[s], layout) for s in (slice(40), slice(40, 60)))
    for a, b in ((first, last), (last, first)):
        given = [part.copy() for part in (*a, *b)]
        merged = kernels.merge(a, b, layout)
        for part, before in zip((*a, *b), given, strict=True):
            np.testing.assert_array_equal(part, before)  # neither is changed
        whole = moments(kernels, X, codes, layout)
        np.testing.assert_array_equal(merged[0], whole[0])
        apart = (merged[1] - whole[1]) + (merged[2] - whole[2])
        np.testing.assert_allclose(apart, 0.0, atol=1e-14)
        np.testing.assert_allclose(merged[3], whole[3], rtol=1e-12, atol=1e-13)
        if layout != "diagonal":
            np.testing.assert_array_equal(merged[3], merged[3].mT)


@pytest.mark.parametrize("layout", ["full", "pooled", "diagonal"])
def test_no_rows_change_nothing(kernels: Kernels, layout: ScatterLayout) -> None:
    rng = np.random.default_rng(0)
    some = moments(kernels, rng.standard_normal((9, 3)), rng.integers(0, 4, 9), layout)
    none = moments(kernels, np.empty((0, 3)), np.empty(0), layout)
    frozen = tuple(np.asfortranarray(part) for part in some)
    for part in frozen:
        part.flags.writeable = False
    for merged in (kernels.merge(frozen, none, layout), kernels.merge(none, frozen, layout)):
        for part, before in zip(merged, some, strict=True):
            np.testing.assert_array_equal(part, before)
