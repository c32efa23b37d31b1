"""Typed JSON records, read strictly, with bounded memory, and with errors that name the place.

A record is a msgspec struct: every member must be there, no other may be. msgspec would make a
Python object of every number, which takes up to sixteen times the bytes of the file, so arrays of
numbers stay bytes (`msgspec.Raw`) until their length is known to be right; `floats`, `integers` and
`scalars` decode them a piece at a time.

A family reads its records without knowing where in the file they stand: places are relative, and
`within` puts in front of them what lies around.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Annotated, Any, NoReturn, TypeAlias, TypeVar

import msgspec
import numpy as np
from msgspec import Meta, Raw
from numpy.typing import NDArray

from gaussbayes.base.errors import FileError, GaussBayesError
from gaussbayes.base.types import FloatArray

MOST_STRINGS = 500_000
"""Strings in a file, entries of an array of labels."""

LONGEST_STRING = 1 << 16
"""Bytes of one string as it is written."""

_PIECE = 1 << 16
"""Bytes of an array that are taken at a time."""

_LONGEST_NUMBER = 1_000
"""Characters of a number; 25 write any float, and 767 digits spell the longest exactly."""

_SHOWN = 1 << 16
"""Bytes of a record that is searched for the value that an error shows."""

STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"(?P<colon>[ \t\n\r]*+:)?')
_PATH = re.compile(r"^(.*?)(?: - at `(?:key in )?\$(.*)`)?$", re.DOTALL)
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")
_WORDS = {"str": "a string", "int": "an integer", "float": "a number", "bool": "a boolean"}
_WORDS |= {"array": "an array", "object": "an object"}
_KINDS = {b"[": "an array", b"{": "an object"}


def _array_of(kind: str | list[str], description: str, **bounds: int) -> Meta:
    items = {"type": kind, **bounds}
    return Meta(extra_json_schema={"type": "array", "items": items, "description": description})


Numbers: TypeAlias = Annotated[Raw, _array_of("number", "finite numbers")]
Weights: TypeAlias = Annotated[Raw, _array_of("number", "finite numbers, none negative", minimum=0)]
NumbersOrNull: TypeAlias = Annotated[
    Raw, _array_of(["number", "null"], "finite numbers, null for a missing value")
]
Integers: TypeAlias = Annotated[Raw, _array_of("integer", "integers", minimum=0)]
Codes: TypeAlias = Annotated[
    Raw, _array_of("integer", "integers, −1 unseen, −2 missing", minimum=-2)
]
Labels: TypeAlias = Annotated[
    Raw, _array_of(["string", "number", "boolean"], "strings, numbers or booleans")
]
Scalar: TypeAlias = str | bool | int | float


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, eq=False):
    """An object of the file that has just these members, in this order."""


AnyRecord = TypeVar("AnyRecord", bound=Record)


class RecordError(FileError):
    """What is wrong at a place of the file."""

    def __init__(self, problem: str, place: str = "") -> None:
        super().__init__(f"{place}: {problem}" if place else problem)
        self.place, self.reason = place, problem


def refuse(place: str, expected: str, got: object = "") -> NoReturn:
    """Raise: this was expected at this place, and that came."""
    problem = f"must be {expected}" + (f", got {got}" if got != "" else "")
    raise RecordError(problem, place)


@contextmanager
def within(place: str) -> Iterator[None]:
    """Errors in the block are at places within this one.

    What is refused as a setting or as rows is refused in a file.
    """
    try:
        yield
    except RecordError as error:
        dot = "" if error.place.startswith("[") or not error.place else "."
        raise RecordError(error.reason, f"{place}{dot}{error.place}") from None
    except GaussBayesError as error:
        raise RecordError(str(error), place) from None


# Reading.


def decode(data: bytes | Raw, kind: type[AnyRecord]) -> AnyRecord:
    """The record that some JSON holds."""
    try:
        record: AnyRecord = msgspec.json.decode(data, type=kind)
        # Every member of a record is there once; of one that is there twice msgspec keeps the last.
        twice = Counter(_keys(data)) - Counter(_members(record))
    except msgspec.ValidationError as error:
        _refuse_invalid(data, str(error))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        _refuse_malformed("", str(error))
    except RecursionError:
        _refuse_malformed("", "it is too deeply nested")
    if twice:
        msg = f"must have each member once, got {next(iter(twice))!r:.80} twice"
        raise RecordError(msg)
    return record


def is_null(value: Raw) -> bool:
    """Whether a member is null."""
    return len(memoryview(value)) == 4 and bytes(value) == b"null"


def floats(
    array: Raw,
    place: str,
    count: int | None,
    meaning: str = "",
    *,
    missing: bool = False,
    longest: int | None = None,
) -> FloatArray:
    """An array of this many finite numbers; None is any number of them up to `longest`.

    `meaning` says what the numbers are. If values may be `missing`, null becomes NaN.
    """
    values = np.empty(_length(array, place, count, f"numbers{meaning}", longest))
    decoder = _NUMBERS_OR_NULL if missing else _NUMBERS
    entry = "a number or null" if missing else "a number"
    for first, entries in _pieces(array, place, decoder, entry):
        values[first : first + len(entries)] = entries
    return values


def integers(
    array: Raw,
    place: str,
    count: int | None,
    least: int,
    most: int,
    meaning: str = "",
    longest: int | None = None,
) -> NDArray[np.int64]:
    """An array of this many integers from `least` to `most`; None is any number up to `longest`."""
    length = _length(array, place, count, f"integers{meaning}", longest)
    values = np.empty(length, dtype=np.int64)
    for first, entries in _pieces(array, place, _INTEGERS, "an integer"):
        for at, entry in enumerate(entries, first):
            if not least <= entry <= most:
                refuse(f"{place}[{at}]", f"an integer from {least} to {most}", f"{entry!r:.80}")
        values[first : first + len(entries)] = entries
    return values


def scalars(array: Raw, place: str, meaning: str, count: int | None = None) -> list[Scalar]:
    """An array of strings, numbers and booleans, as they are written."""
    _length(array, place, count, meaning, MOST_STRINGS)
    values: list[Scalar] = []
    try:
        values = _SCALARS.decode(array)
    except msgspec.ValidationError as error:
        _, path = _path_of(str(error))
        at = path[0] if path else 0
        refuse(f"{place}[{at}]", "a string, a finite number or a boolean")
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        _refuse_malformed(place, str(error))
    for at, value in enumerate(values):
        check_label(value, f"{place}[{at}]")
    return values


def check_weights(values: FloatArray, place: str) -> None:
    """Raise for weights that no rows have."""
    flat = values.ravel()
    if not (flat >= 0).all():
        at = int(np.argmin(flat >= 0))
        refuse(f"{place}[{at}]", "a weight, which is not negative", flat[at])
    with np.errstate(over="ignore"):
        if not np.isfinite(flat.sum()):
            refuse(place, "weights with a finite sum")


# Writing.


def numbers(values: NDArray[Any], place: str, *, missing: bool = False) -> Raw:
    """Numbers of any shape as a flat array, each in the fewest digits that give it back.

    If values may be `missing`, NaN becomes null.
    """
    flat = np.asarray(values).ravel()
    allowed = np.isfinite(flat)
    if missing:
        allowed |= np.isnan(flat)
    if not allowed.all():
        at = int(np.argmin(allowed))
        refuse(f"{place}[{at}]", "a finite number", flat[at])
    # msgspec writes NaN as null.
    return Raw(msgspec.json.encode(flat.tolist()))


def integer_array(values: NDArray[Any] | Sequence[int]) -> Raw:
    """Integers of any shape as a flat array."""
    return Raw(msgspec.json.encode(np.asarray(values, dtype=np.int64).ravel().tolist()))


def labels(values: Iterable[object], place: str) -> Raw:
    """Strings, numbers and booleans as an array."""
    entries = [value.item() if isinstance(value, np.generic) else value for value in values]
    for at, value in enumerate(entries):
        if isinstance(value, str):
            string(value, f"{place}[{at}]")
        else:
            check_label(value, f"{place}[{at}]")
    return Raw(msgspec.json.encode(entries))


def string(value: object, place: str) -> str:
    """A string, if a file can hold it."""
    if not isinstance(value, str):
        refuse(place, "a string", f"{value!r:.80}")
    plain = str(value)
    try:
        size = len(plain.encode("utf-8"))
    except UnicodeEncodeError:
        refuse(place, "a string of whole characters", f"{plain!r:.80}")
    # A control character takes six bytes as it is written.
    if 6 * size > LONGEST_STRING:
        refuse(place, f"a string of at most {LONGEST_STRING // 6:,} bytes", f"{plain!r:.80}")
    return plain


# Labels and categories.


def check_label(value: object, place: str) -> None:
    """Raise unless a value is a label that a file can hold."""
    if not _fits(value) and not (type(value) is float and np.isfinite(value)):
        expected = "a string, an integer of 64 bits, a finite number or a boolean"
        refuse(place, expected, f"{value!r:.80}")


def _fits(value: object) -> bool:
    """Whether a value is a string, a boolean or an integer of 64 bits."""
    return isinstance(value, str | bool) or (type(value) is int and -(1 << 63) <= value < 1 << 64)


class CategoriesRecord(Record, frozen=True):
    """The categories of some features, one feature after the other."""

    sizes: Integers
    labels: Labels


def write_categories(categories: Sequence[Sequence[Any]]) -> CategoriesRecord:
    """Categories of each feature as plain values."""
    sizes = [len(column) for column in categories]
    flat = [label for column in categories for label in column]
    return CategoriesRecord(integer_array(sizes), labels(flat, "labels"))


def read_categories(record: CategoriesRecord, n_features: int) -> tuple[tuple[Any, ...], ...]:
    """The categories of each feature: of one type, sorted and different."""
    meaning = ", one for each feature of categories"
    sizes = integers(record.sizes, "sizes", n_features, 0, MOST_STRINGS, meaning).tolist()
    flat = scalars(record.labels, "labels", "categories, as many as sizes say", sum(sizes))
    _check_categories(flat, sizes)
    stops = np.cumsum([0, *sizes]).tolist()
    return tuple(tuple(flat[start:stop]) for start, stop in pairwise(stops))


def _check_categories(flat: Sequence[Any], sizes: Sequence[int]) -> None:
    for at, label in enumerate(flat):
        if not _fits(label):
            expected = "a string, an integer of 64 bits or a boolean"
            refuse(f"labels[{at}]", expected, f"{label!r:.80}")
    first = 0
    for size in sizes:
        column = flat[first : first + size]
        for at, (before, after) in enumerate(pairwise(column), start=first + 1):
            if type(before) is not type(after) or not before < after:
                expected = (
                    f"a category of the same type that comes after {before!r:.80}: those of a "
                    "feature are sorted and different"
                )
                refuse(f"labels[{at}]", expected, f"{after!r:.80}")
        first += size


# Arrays that are still bytes.

_NUMBERS = msgspec.json.Decoder(list[float])
_NUMBERS_OR_NULL = msgspec.json.Decoder(list[float | None])
_INTEGERS = msgspec.json.Decoder(list[int])
_SCALARS = msgspec.json.Decoder(list[Scalar])


def _length(array: Raw, place: str, count: int | None, kind: str, most: int | None = None) -> int:
    """How many entries an array has, if they are as many as expected; none of them is decoded."""
    view = memoryview(array)
    expected = f"an array of {'' if count is None else f'{count:,} '}{kind}"
    if view[0] != ord("["):
        refuse(place, expected, _shown(array))
    if len(view) <= _PIECE and not bytes(view[1:-1]).strip():
        length = 0
    else:
        pieces = (bytes(view[at : at + _PIECE]) for at in range(0, len(view), _PIECE))
        inside = sum(string[0].count(b",") for string in STRING.finditer(view))
        length = 1 + sum(piece.count(b",") for piece in pieces) - inside
    if most is not None and length > most:
        refuse(place, f"an array of at most {most:,} {kind}", f"{length:,}")
    if count is not None and length != count:
        refuse(place, expected, f"an array of {length:,}")
    return length


def _pieces(
    array: Raw, place: str, decoder: "msgspec.json.Decoder[list[Any]]", entry: str
) -> Iterator[tuple[int, list[Any]]]:
    """The entries, some at a time, and the number of the first of them."""
    view = memoryview(array)
    start, stop, first = 1, len(view) - 1, 0
    while start < stop:
        piece = bytes(view[start : min(start + _PIECE, stop)])
        if start + _PIECE < stop:
            comma = piece.rfind(b",")
            if comma < _PIECE - _LONGEST_NUMBER:
                refuse(f"{place}[{first}]", f"{entry} of at most {_LONGEST_NUMBER} characters")
            piece = piece[:comma]
        try:
            entries = decoder.decode(b"[%b]" % piece)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            message, path = _path_of(str(error))
            at = first + (path[0] if path and isinstance(path[0], int) else 0)
            finite = entry.replace("number", "finite number") if "range" in message else entry
            refuse(f"{place}[{at}]", finite)
        yield first, entries
        first += len(entries)
        start += len(piece) + 1


# What an error says.


def _path_of(message: str) -> tuple[str, list[str | int]]:
    """What msgspec says, and the steps to the place that it names."""
    parts = _PATH.match(message)
    assert parts is not None
    steps = _STEP.findall(parts[2] or "")
    return parts[1], [name or (int(at) if at.isdigit() else at) for name, at in steps]


def _refuse_malformed(place: str, problem: str) -> NoReturn:
    msg = f"must be JSON of this format: {problem}"
    raise RecordError(msg, place)


def _refuse_invalid(data: bytes | Raw, message: str) -> NoReturn:
    """Raise what msgspec says of a member, with its place and the value as it is written."""
    message, path = _path_of(message)
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    place = place.removeprefix(".")
    if " field " in message:  # one that is missing, or unknown
        raise RecordError(message.replace("Object", "object", 1), place)
    expected = message.removeprefix("Expected ").partition(", got")[0]
    if message.startswith("Invalid enum"):
        expected = "one of the values that the schema of model files lists"
    expected = re.sub("`(.*?)`", lambda kinds: _worded(kinds[1]), expected)
    refuse(place, expected, _value_at(data, path))


def _worded(kinds: str) -> str:
    """The types that msgspec names in the words of messages."""
    return " or ".join(_WORDS.get(kind, kind) for kind in kinds.split(" | "))


def _value_at(data: bytes | Raw, path: Sequence[str | int]) -> str:
    """The value that a path leads to, as a message shows it; nothing if that takes long."""
    if len(memoryview(data)) > _SHOWN:
        return ""
    raw = data
    try:
        for step in path:
            kind: Any = list[Raw] if isinstance(step, int) else dict[str, Raw]
            raw = msgspec.json.decode(raw, type=kind)[step]
    except (msgspec.DecodeError, LookupError, UnicodeDecodeError):
        return ""
    return _shown(raw)


def _shown(value: bytes | Raw) -> str:
    """A value as a message shows it: as it is written in the file."""
    start = bytes(memoryview(value)[:80])
    return _KINDS.get(start[:1], start.decode("utf-8", "backslashreplace"))


def _keys(data: bytes | Raw) -> Iterator[str]:
    """The names of all members of all objects in some JSON."""
    for name in STRING.finditer(memoryview(data)):
        if name["colon"] is not None:
            yield msgspec.json.decode(name[0][: name.start("colon") - name.start()], type=str)


def _members(record: Record) -> Iterator[str]:
    """The names that `_keys` must give for a record."""
    for name in record.__struct_fields__:
        yield name
        value = getattr(record, name)
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, Record):
                yield from _members(each)
            elif isinstance(each, Raw):
                yield from _keys(each)
