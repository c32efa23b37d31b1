"""Typed JSON records with arrays of numbers: the one place where arrays are written and read.

A record is a msgspec struct with exactly these members. msgspec would make a
Python object of every number, which takes up to sixteen times the bytes of the file, so arrays stay
bytes (`msgspec.Raw`) until their length is known to be right.

A family reads its records without knowing their place in the file: places are relative, and
`within` prepends the surrounding place. Records are not checked when they are written; a file is
read once before it is saved.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from math import prod
from typing import Any, NoReturn, Self, TypeAlias, TypeVar

import msgspec
import numpy as np
from msgspec import Raw
from numpy.typing import NDArray

from gaussbayes.base.errors import FileError, GaussBayesError
from gaussbayes.base.threads import CACHED
from gaussbayes.base.types import FloatArray

MOST_STRINGS = 500_000
"""Strings in a file, entries of an array of labels."""


_LONGEST_NUMBER = 1_000
"""Characters of a number on average; 25 write any float, and 767 digits spell the longest."""

_PLACE = re.compile(r" - at `(?:key in )?\$\.?(.*)`$")
_FLOATS = msgspec.json.Decoder(list[float | None])

Scalar: TypeAlias = str | bool | int | float
Kind = TypeVar("Kind")


class RecordError(FileError):
    """A problem at a place of the file."""

    def __init__(self, problem: str, place: str = "") -> None:
        super().__init__(f"{place}: {problem}" if place else problem)
        self.place, self.reason = place, problem


def refuse(place: str, expected: str, got: object = "") -> NoReturn:
    """Raise an error with the expected and the actual value at this place."""
    problem = f"must be {expected}" + (f", got {got!s:.200}" if got != "" else "")
    raise RecordError(problem, place)


@contextmanager
def within(place: str) -> Iterator[None]:
    """Prepend this place to errors in the block, also to those of settings and rows."""
    try:
        yield
    except RecordError as error:
        dot = "" if error.place.startswith("[") or not error.place else "."
        raise RecordError(error.reason, f"{place}{dot}{error.place}") from None
    except (GaussBayesError, np.linalg.LinAlgError) as error:
        raise RecordError(str(error), place) from None


def decode(data: bytes | Raw, kind: type[Kind]) -> Kind:
    """Decode JSON to a value of this type."""
    try:
        value: Kind = msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        message = str(error)
        place = _PLACE.search(message)
        problem = f"must be JSON of this format: {_PLACE.sub('', message)}"
        raise RecordError(problem, place[1] if place else "") from None
    return value


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, eq=False):
    """An object of the file with exactly these members, in this order."""

    @classmethod
    def of(cls, source: Any) -> Self:
        """The record of an object with attributes of the same names; `encode` writes its arrays."""
        return cls(*(getattr(source, name) for name in cls.__struct_fields__))

    def floats(
        self, name: str, *shape: int, missing: bool = False, most: int = MOST_STRINGS
    ) -> FloatArray:
        """The finite numbers of a member; a shape of −1 is any number of them up to `most`.

        If values may be `missing`, null becomes NaN.
        """
        text = bytes(getattr(self, name))
        length, open_ended = _length(text), shape == (-1,)
        if b'"' in text or not (0 <= length <= most if open_ended else length == prod(shape)):
            size = f"at most {most:,}" if open_ended else f"{prod(shape):,}"
            refuse(name, f"an array of {size} numbers", _shown(text, length))
        if len(text) > _LONGEST_NUMBER * (length + 1):
            refuse(name, f"an array of numbers of at most {_LONGEST_NUMBER} characters")
        values = _numbers(text, length, name)
        finite = np.isfinite(values)
        if not (missing or finite.all()):
            refuse(f"{name}[{int(np.argmin(finite))}]", "a finite number", "null")
        return values.reshape(shape)

    def weights(self, name: str, *shape: int) -> FloatArray:
        """The weights of a member: not negative, with a finite sum."""
        values = self.floats(name, *shape)
        if (values < 0).any():
            at = int(np.argmax(values.ravel() < 0))
            refuse(f"{name}[{at}]", "a weight, which is not negative", values.flat[at])
        with np.errstate(over="ignore"):
            if not np.isfinite(values.sum()):
                refuse(name, "weights with a finite sum")
        return values

    def integers(self, name: str, *shape: int, least: int = 0, most: int) -> NDArray[np.int64]:
        """The integers of a member, each from `least` to `most`."""
        values = self.floats(name, *shape)
        wrong = (values % 1 != 0) | (values < least) | (values > most)
        if wrong.any():
            at = int(np.argmax(wrong.ravel()))
            refuse(f"{name}[{at}]", f"an integer from {least} to {most}", values.flat[at])
        return values.astype(np.int64)

    def listed(self, name: str, kind: type[Kind]) -> Kind:
        """The labels of a member, of this type."""
        text = getattr(self, name)
        if _length(bytes(text)) > MOST_STRINGS:  # or as many commas in strings
            refuse(name, f"an array of at most {MOST_STRINGS:,} labels")
        with within(name):
            return decode(text, kind)

    def categories_of(self, n_features: int) -> tuple[tuple[Any, ...], ...]:
        """The member `categories`, those of each feature: of one type, sorted and different."""
        kind: type[tuple[tuple[Any, ...], ...]] = tuple[tuple[str | bool | int, ...], ...]
        columns = self.listed("categories", kind)
        if len(columns) != n_features:
            refuse("categories", f"those of {n_features} features", len(columns))
        for at, column in enumerate(columns):
            alike = len({type(label) for label in column}) <= 1
            if not alike or any(after <= before for before, after in pairwise(column)):
                expected = "categories of one type, sorted and different"
                refuse(f"categories[{at}]", expected, f"{list(column)!r}")
        return columns


def encode(value: object) -> Raw:
    """JSON of records, arrays and plain values.

    Numbers of an array of any shape are written one after the other, each with the fewest digits
    that determine it; NaN and infinite numbers become null.
    """
    try:
        return Raw(msgspec.json.encode(value, enc_hook=_plain))
    except (TypeError, ValueError, OverflowError) as error:
        msg = f"a file cannot hold it: {error}"
        raise RecordError(msg) from None


def _plain(value: object) -> object:
    """Convert NumPy's arrays and numbers to Python's."""
    if isinstance(value, np.ndarray | np.generic):
        return value.ravel().tolist() if isinstance(value, np.ndarray) else value.item()
    msg = f"{value!r:.80} is not a string, a number or a boolean"
    raise TypeError(msg)


def _length(text: bytes) -> int:
    """The number of entries of an array, without decoding them; −1 if it is not an array."""
    if not text.startswith(b"["):
        return -1
    return text.count(b",") + bool(text[1:-1].strip())


def _shown(text: bytes, length: int) -> str:
    """A short form of a value for a message."""
    return f"an array of {length:,}" if length >= 0 else text[:40].decode("utf-8", "replace")


def _numbers(text: bytes, length: int, place: str) -> FloatArray:
    """The numbers (length,) of an array without strings, decoded a piece at a time."""
    values, first, start = np.empty(length), 0, 1
    while first < length:
        stop = text.find(b",", start + CACHED)
        try:
            entries = _FLOATS.decode(b"[%b]" % text[start : stop if stop >= 0 else -1])
        except msgspec.DecodeError as error:
            at = re.search(r"\$\[(\d+)\]", str(error))
            refuse(f"{place}[{first + int(at[1] if at else 0)}]", "a finite number")
        values[first : first + len(entries)] = entries
        first, start = first + len(entries), stop + 1
    return values
