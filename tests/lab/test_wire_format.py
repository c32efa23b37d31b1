"""Answers hold heads and arrays as the page reads them."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from gaussbayes.apps.lab.wire_format import as_json, encode
from tests.lab.server_double import decode

ARRAYS = st.dictionaries(
    st.text(min_size=1, max_size=5),
    st.sampled_from(["f8", "f4", "u1", "u2", "i4"]).flatmap(
        lambda dtype: arrays_of.arrays(dtype, arrays_of.array_shapes(min_dims=0, min_side=0))
    ),
    max_size=4,
)


@given(ARRAYS, st.text())
def test_what_goes_in_comes_out(arrays: dict[str, np.ndarray], title: str) -> None:
    message = encode({"kind": "scene", "title": title}, arrays)
    head, found = decode(message)
    assert (head["kind"], head["title"]) == ("scene", title)
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)


def test_arrays_that_lie_otherwise_in_memory() -> None:
    array = np.arange(12, dtype=">i4").reshape(3, 4).T[::2]
    _, found = decode(encode({}, {"a": array}))
    np.testing.assert_array_equal(found["a"], array)


@pytest.mark.parametrize("dtype", ["f2", "i8", "?", "c8", "U1"])
def test_other_kinds_of_numbers_are_refused(dtype: str) -> None:
    with pytest.raises(
        TypeError, match="the array 'a' must be one of float64, float32, uint8, uint16, int32, got"
    ):
        encode({}, {"a": np.zeros(2, dtype)})


def test_numbers_in_heads_are_finite_or_null() -> None:
    value = {"a": [np.nan, 1, np.inf], "b": (np.float64(-np.inf), {"c": np.array([[2.5, np.nan]])})}
    assert json.loads(as_json(value)) == {"a": [None, 1, None], "b": [None, {"c": [[2.5, None]]}]}


def test_a_head_holds_values_only() -> None:
    with pytest.raises(TypeError, match="got object"):
        as_json({"a": object()})
