"""Typed JSON records with arrays of numbers: the one place where arrays are written and read.

A record is a msgspec struct: every member must be there, and no other may be. msgspec would make a
Python object of every number, which takes up to sixteen times the bytes of the file, so arrays stay
bytes (`msgspec.Raw`) until their length is known to be right.

A family reads its records without knowing where in the file they stand: places are relative, and
`within` puts in front of them what lies around. Nothing is checked when a record is written: a file
is read once before it is saved.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from math import prod
from typing import Any, NoReturn, TypeAlias, TypeVar

import msgspec
import numpy as np
from msgspec import Raw
from numpy.typing import NDArray

from gaussbayes.base.errors import FileError, GaussBayesError
from gaussbayes.base.types import FloatArray

MOST_STRINGS = 500_000
"""Strings in a file, entries of an array of labels."""

_PIECE = 1 << 16
"""Bytes of an array that are decoded at a time."""

_LONGEST_NUMBER = 1_000
"""Characters of a number on average; 25 write any float, and 767 digits spell the longest."""

_PLACE = re.compile(r" - at `(?:key in )?\$\.?(.*)`$")
_FLOATS = msgspec.json.Decoder(list[float | None])

Scalar: TypeAlias = str | bool | int | float
Kind = TypeVar("Kind")


class RecordError(FileError):
    """What is wrong at a place of the file."""

    def __init__(self, problem: str, place: str = "") -> None:
        super().__init__(f"{place}: {problem}" if place else problem)
        self.place, self.reason = place, problem


def refuse(place: str, expected: str, got: object = "") -> NoReturn:
    """Raise: this was expected at this place, and that came."""
    problem = f"must be {expected}" + (f", got {got!s:.200}" if got != "" else "")
    raise RecordError(problem, place)


@contextmanager
def within(place: str) -> Iterator[None]:
    """Errors in the block are at places within this one; settings and rows are refused likewise."""
    try:
        yield
    except RecordError as error:
        dot = "" if error.place.startswith("[") or not error.place else "."
        raise RecordError(error.reason, f"{place}{dot}{error.place}") from None
    except (GaussBayesError, np.linalg.LinAlgError) as error:
        raise RecordError(str(error), place) from None


def decode(data: bytes | Raw, kind: type[Kind]) -> Kind:
    """The value of this type that some JSON holds."""
    try:
        value: Kind = msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        message = str(error)
        place = _PLACE.search(message)
        problem = f"must be JSON of this format: {_PLACE.sub('', message)}"
        raise RecordError(problem, place[1] if place else "") from None
    return value


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, eq=False):
    """An object of the file that has just these members, in this order."""

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
        """The numbers of a member that are weights: not negative, with a finite sum."""
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

    def labels_of(self, name: str) -> list[Any]:
        """The strings, booleans and numbers of a member, as they are written."""
        text = getattr(self, name)
        if _length(bytes(text)) > MOST_STRINGS:  # or so many commas in strings
            refuse(name, f"an array of at most {MOST_STRINGS:,} labels")
        with within(name):
            values = decode(text, list[Scalar])
        for at, value in enumerate(values):
            if type(value) is int and not -(1 << 63) <= value < 1 << 64:
                refuse(f"{name}[{at}]", "an integer of 64 bits", value)
        return values


def array(values: NDArray[Any] | Sequence[float]) -> Raw:
    """Numbers of any shape as a flat array, each in the fewest digits that give it back.

    NaN and infinite numbers become null.
    """
    return Raw(msgspec.json.encode(np.asarray(values).ravel().tolist()))


def plain_labels(values: Iterable[object]) -> Raw:
    """Strings, numbers and booleans as an array."""
    entries = [value.item() if isinstance(value, np.generic) else value for value in values]
    for at, value in enumerate(entries):
        if not isinstance(value, Scalar):
            refuse(f"labels[{at}]", "a string, a number or a boolean", f"{value!r:.80}")
    try:
        return Raw(msgspec.json.encode(entries))
    except (UnicodeEncodeError, OverflowError) as error:
        msg = f"a file cannot hold them: {error}"
        raise RecordError(msg, "labels") from None


class CategoriesRecord(Record, frozen=True):
    """The categories of some features, one feature after the other."""

    sizes: Raw
    labels: Raw

    @classmethod
    def of(cls, categories: Sequence[Sequence[Any]]) -> "CategoriesRecord":
        """The record of the categories of each feature."""
        flat = [label for column in categories for label in column]
        return cls(array([len(column) for column in categories]), plain_labels(flat))

    def read(self, n_features: int) -> tuple[tuple[Any, ...], ...]:
        """The categories of each feature: of one type, sorted and different."""
        stops = np.cumsum([0, *self.integers("sizes", n_features, most=MOST_STRINGS)]).tolist()
        flat = self.labels_of("labels")
        if len(flat) != stops[-1]:
            refuse("labels", f"{stops[-1]:,} categories, as many as sizes say", len(flat))
        columns = [tuple(flat[start:stop]) for start, stop in pairwise(stops)]
        for at, column in enumerate(columns):
            types = {type(label) for label in column}
            if (
                len(types) > 1
                or float in types
                or any(not before < after for before, after in pairwise(column))
            ):
                expected = "strings, integers or booleans, sorted and different"
                refuse("labels", f"those of feature {at} {expected}", f"{list(column)!r}")
        return tuple(columns)


def _length(text: bytes) -> int:
    """How many entries an array has, none of which is decoded; −1 if it is no array."""
    if not text.startswith(b"["):
        return -1
    return text.count(b",") + (len(text) > _PIECE or bool(text[1:-1].strip()))


def _shown(text: bytes, length: int) -> str:
    """What a message shows of a value."""
    return f"an array of {length:,}" if length >= 0 else text[:40].decode("utf-8", "replace")


def _numbers(text: bytes, length: int, place: str) -> FloatArray:
    """The numbers (length,) of an array without strings, decoded a piece at a time."""
    values, first, start = np.empty(length), 0, 1
    while first < length:
        stop = text.find(b",", start + _PIECE)
        try:
            entries = _FLOATS.decode(b"[%b]" % text[start : stop if stop >= 0 else -1])
        except msgspec.DecodeError as error:
            at = re.search(r"\$\[(\d+)\]", str(error))
            refuse(f"{place}[{first + int(at[1] if at else 0)}]", "a finite number")
        values[first : first + len(entries)] = entries
        first, start = first + len(entries), stop + 1
    return values
