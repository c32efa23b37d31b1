"""Integer labels become places in a span, and these class codes."""

from itertools import product

import numpy as np
import pytest

from gaussbayes.kernels import Kernels, native


@pytest.mark.parametrize("span", [1, 3, 63, 64, 65, 1000])
def test_places_of_labels(kernels: Kernels, span: int) -> None:
    for n, lowest in product((0, 1, 7, 300), (0, -7, 2**62, -(2**63))):
        places = np.random.default_rng(n).integers(0, span, n)
        codes, present = np.full(n, -1, np.int32), np.zeros(span, bool)
        assert kernels.encode(places + lowest, lowest, codes, present)
        np.testing.assert_array_equal(codes, places)
        np.testing.assert_array_equal(np.flatnonzero(present), np.unique(places))


@pytest.mark.parametrize("span", [3, 64, 65])
def test_a_label_outside_the_span(kernels: Kernels, span: int) -> None:
    for row, outside in product((0, 5, 19), (-1, 0, 64, 2**62, -(2**62))):
        labels = np.full(20, 10)
        labels[row] = 10 + (outside if outside < 0 else span + outside)
        assert not kernels.encode(labels, 10, np.empty(20, np.int32), np.zeros(span, bool))


def test_numbers_of_places(kernels: Kernels) -> None:
    codes = np.array([2, 0, 2, 3], np.int32)
    kernels.renumber(codes, np.array([7, 8, 9, 10], np.int32))
    assert codes.tolist() == [9, 7, 9, 10]


@pytest.mark.skipif(native is None, reason="memory is at stake in the native kernels alone")
@pytest.mark.parametrize("code", [-1, 4])
def test_a_place_without_number(code: int) -> None:
    assert native is not None
    with pytest.raises(ValueError, match="a code has no number"):
        native.renumber(np.array([0, code], np.int32), np.arange(4, dtype=np.int32))
