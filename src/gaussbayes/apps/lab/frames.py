"""An answer as one binary message: a head of JSON, and arrays behind it as they lie in memory.

======================  ==========================================================
4 bytes                 the length of the head, an unsigned little-endian integer
head                    JSON in UTF-8, with blanks at its end up to the next multiple of 8
arrays                  one after the other, little-endian, each begun at a multiple of 8
======================  ==========================================================

The head's ``arrays`` lists them: ``{"name", "dtype", "shape", "offset"}``. The offset counts from
the end of the head, so that ``4 + length + offset`` is where an array begins in the message; as it
is a multiple of 8, a browser looks at the array where it lies.
"""

import json
import math
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.apps.lab.texts import as_json

_DTYPES = {"float32": "f4", "uint8": "u1", "uint16": "u2", "int32": "i4"}
"""Names in NumPy, and in heads."""

_ALIGNMENT = 8
_LENGTH = struct.Struct("<I")


def encode(head: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The message of a head and its arrays.

    Parameters
    ----------
    head : names and values as JSON has them; NumPy's numbers and arrays are taken too. A number
        that is infinite or NaN becomes null
    arrays : float32, uint8, uint16 or int32, of any shape

    Examples
    --------
    >>> message = encode({"kind": "scene"}, {"label": np.array([[0, 1]], np.uint8)})
    >>> head, arrays = decode(message)
    >>> head["arrays"]
    [{'name': 'label', 'dtype': 'u1', 'shape': [1, 2], 'offset': 0}]
    >>> arrays["label"]
    array([[0, 1]], dtype=uint8)
    """
    pieces: list[Any] = []
    listed: list[dict[str, Any]] = []
    offset = 0
    for name, array in arrays.items():
        piece = _little_endian(name, array)
        place = {"dtype": _DTYPES[array.dtype.name], "shape": list(array.shape), "offset": offset}
        listed.append({"name": name, **place})
        gap = -piece.nbytes % _ALIGNMENT
        pieces += [piece.data, bytes(gap)]
        offset += piece.nbytes + gap
    text = as_json({**head, "arrays": listed}).encode()
    text += b" " * (-(_LENGTH.size + len(text)) % _ALIGNMENT)
    return b"".join([_LENGTH.pack(len(text)), text, *pieces])


def decode(message: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The head and the arrays of a message; the arrays are views of it."""
    (length,) = _LENGTH.unpack_from(message)
    start = _LENGTH.size + length
    head = json.loads(message[_LENGTH.size : start])
    arrays = {
        one["name"]: np.frombuffer(
            message, f"<{one['dtype']}", math.prod(one["shape"]), start + one["offset"]
        ).reshape(one["shape"])
        for one in head["arrays"]
    }
    return head, arrays


def _little_endian(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """The array with its elements one after the other, as bytes; not copied if it is so already."""
    if array.dtype.name not in _DTYPES:
        msg = f"the array {name!r} is {array.dtype}, but one of {', '.join(_DTYPES)} was expected"
        raise TypeError(msg)
    flat = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(-1)
    return flat.view(np.uint8)
