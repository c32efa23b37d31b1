"""What goes to the page: an answer as one binary message, or an error as JSON.

======================  ==========================================================
4 bytes                 the length of the head, an unsigned little-endian integer
head                    JSON in UTF-8, with blanks at its end up to the next multiple of 8
arrays                  one after the other, little-endian, each begun at a multiple of 8
======================  ==========================================================

The head's ``arrays`` lists them: ``{"name", "dtype", "shape", "offset"}``. The offset counts from
the end of the head, so that ``4 + length + offset`` is where an array begins in the message; as it
is a multiple of 8, a browser looks at the array where it lies.

NumPy is imported by the functions that need it: the first page is there before NumPy is.
"""

import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from gaussbayes.base.errors import GaussBayesError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# In NumPy and in heads. Coordinates are float64: two rows that differ do so on the page, too, and
# those that are edited keep their values.
_DTYPES = {"float64": "f8", "float32": "f4", "uint8": "u1", "uint16": "u2", "int32": "i4"}
_ALIGNMENT = 8
_LENGTH = struct.Struct("<I")
NO_CODE = 255  # in the place of a class or a category that there is not


class MessageError(GaussBayesError):
    """A request cannot be answered as it is; the page shows the text and goes on.

    `kind` and `number` are those of the request, None where it gives none.
    """

    def __init__(self, text: str, kind: str | None = None, number: int | None = None) -> None:
        super().__init__(text)
        self.kind, self.number = kind, number


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The answer to a request: values that JSON can hold, and arrays beside them."""

    head: dict[str, Any]
    arrays: "dict[str, NDArray[Any]]" = field(default_factory=dict)


@contextmanager
def problem_noted(head: dict[str, Any]) -> Iterator[None]:
    """What cannot be calculated for these data is no error: the head's ``problem`` says why.

    Its ``remedies`` are settings of the model that were tried and work, each with what it does.
    """
    head |= {"problem": None, "remedies": []}
    try:
        yield
    except MessageError:
        raise
    except GaussBayesError as error:
        head |= problem_record(error)


def problem_record(error: GaussBayesError) -> dict[str, Any]:
    """What cannot be calculated, and what works instead."""
    remedies = [
        {
            "effect": remedy.effect,
            "settings": {"from": "data" if remedy.options else "auto", **dict(remedy.options)},
        }
        for remedy in error.remedies
    ]
    return {"problem": error.problem or str(error), "remedies": remedies}


def single(values: "NDArray[Any]") -> "NDArray[np.float32]":
    """Numbers as the page gets them; what is beyond their range is infinite."""
    import numpy as np

    with np.errstate(over="ignore"):
        return np.ascontiguousarray(values, dtype=np.float32)


def as_json(value: Any) -> bytes:
    """The JSON of plain values, and of NumPy's numbers and arrays; what is not finite is null."""
    return msgspec.json.encode(value, enc_hook=_as_plain)


def error_text(text: str, kind: str | None = None, number: int | None = None) -> str:
    """What is wrong with a request, as a message; its kind and number if they are known."""
    return as_json({"kind": "error", "of": kind, "number": number, "text": text}).decode()


def encode(head: Mapping[str, Any], arrays: "Mapping[str, NDArray[Any]]") -> bytes:
    """The message of a head and its arrays, which are float64, float32, uint8, uint16 or int32."""
    import numpy as np

    pieces: list[Any] = []
    listed: list[dict[str, Any]] = []
    offset = 0
    for name, array in arrays.items():
        if array.dtype.name not in _DTYPES:
            msg = f"the array {name!r} must be one of {', '.join(_DTYPES)}, got {array.dtype}"
            raise TypeError(msg)
        # Not copied if it lies so already.
        flat = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(-1)
        place = {"dtype": _DTYPES[array.dtype.name], "shape": array.shape, "offset": offset}
        listed.append({"name": name, **place})
        padding = -flat.nbytes % _ALIGNMENT
        pieces += [flat.view(np.uint8).data, bytes(padding)]
        offset += flat.nbytes + padding
    text = as_json({**head, "arrays": listed})
    text += b" " * (-(_LENGTH.size + len(text)) % _ALIGNMENT)
    return b"".join([_LENGTH.pack(len(text)), text, *pieces])


class _Named(msgspec.Struct):
    id: str


def head_id(message: bytes) -> str:
    """The id that the head of a message gives to data."""
    (length,) = _LENGTH.unpack_from(message)
    head = memoryview(message)[_LENGTH.size : _LENGTH.size + length]
    return msgspec.json.decode(head, type=_Named).id


def _as_plain(value: Any) -> Any:
    if not hasattr(value, "tolist"):
        msg = f"a head must hold JSON's types of values, got {type(value).__name__}"
        raise TypeError(msg)
    return value.tolist()
