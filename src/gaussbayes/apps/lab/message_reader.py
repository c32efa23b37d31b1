"""A text from the page → the record of what it asks for, or an error that can be read.

msgspec checks a message against the types of `gaussbayes.apps.lab.messages`. What it objects to is
put into a sentence here: the field, what must be there by its type, and what came.
"""

import re
from typing import Any

import msgspec
from msgspec import inspect

from gaussbayes.apps.lab.message_limits import LONGEST_MESSAGE
from gaussbayes.apps.lab.messages import Request
from gaussbayes.apps.lab.wire_format import MessageError
from gaussbayes.base.spelling import meant

_DECODER = msgspec.json.Decoder(Request)
_PLACE = re.compile(r" - at `\$([\w.\[\]]*)`$")
_FIELD = re.compile(r"Object (missing required|contains unknown) field `(.*)`", re.DOTALL)
_BY_TYPE = re.compile(r"Expected |Invalid |Number out of range|Integer ")
"""How msgspec begins where a value is not of its type; what begins otherwise is our sentence."""

_ARRAYS = (inspect.ListType, inspect.VarTupleType, inspect.TupleType, inspect.FrozenSetType)
_DESCRIPTIONS: dict[Any, str] = {
    inspect.IntType: "an integer from {0.ge} to {0.le}",
    inspect.FloatType: "a number from {0.ge:g} to {0.le:g}",
    inspect.StrType: "a string of {0.min_length} to {0.max_length} characters",
    inspect.BoolType: "a boolean",
    inspect.NoneType: "null",
    inspect.StructType: "an object",
}
_UNKNOWN = object()
_SHOWN = 80
"""Characters of a value in a message."""

_FEW = 4
"""Entries of an array that a reader counts himself."""

_REQUEST = inspect.type_info(Request)


def read(message: str) -> Request:
    """The record of a request.

    Raises
    ------
    MessageError
        For anything else; says what came and what was expected.

    Examples
    --------
    >>> read('{"number": 1, "kind": "lesson", "name": "petals"}')
    LessonRequest(number=1, name='petals')
    >>> read('{"number": 1, "kind": "lesson", "name": 3}')
    Traceback (most recent call last):
    gaussbayes.apps.lab.wire_format.MessageError: name must be a string of 1 to 400 characters, \
got 3
    """
    try:
        content = message.encode()
    except UnicodeEncodeError:
        msg = f"a request must be Unicode text, got half a character in {message!a:.80}"
        raise MessageError(msg) from None
    if len(content) > LONGEST_MESSAGE:
        msg = f"a request must have at most {LONGEST_MESSAGE:,} bytes, got {len(content):,}"
        raise MessageError(msg)
    try:
        request: Request = _DECODER.decode(content)
    except msgspec.ValidationError as error:
        raise _explained(content, str(error)) from None
    except msgspec.DecodeError as error:
        msg = f"a request must be JSON, got {message!r:.80}: {error}"
        raise MessageError(msg) from None
    except RecursionError:
        msg = "a request is nested too deep"
        raise MessageError(msg) from None
    return request


def _explained(content: bytes, complaint: str) -> MessageError:
    """What is wrong with a message of which msgspec says so, and whose answer this is."""
    try:
        message = msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError):  # behind what is wrong
        message = _UNKNOWN
    text = _sentence(message, complaint)
    if not isinstance(message, dict):
        return MessageError(text)
    kind, number = message.get("kind"), message.get("number")
    return MessageError(
        text,
        kind if isinstance(kind, str) and kind in _kinds() else None,
        number if type(number) is int else None,
    )


def _sentence(message: Any, complaint: str) -> str:
    place = _PLACE.search(complaint)
    reason = complaint if place is None else complaint[: place.start()]
    path = [] if place is None else re.findall(r"\w+", place[1])
    name = "" if place is None else place[1].removeprefix(".")
    value, kind = message, _REQUEST
    for step in path:
        kind = _inner_type(kind, value, step)
        value = _inner_value(value, step)
    field = _FIELD.match(reason)
    if field is not None and field[1] == "missing required":
        expected = _description(_inner_type(kind, value, field[2]))
        return f"{name or 'a request'} needs the field {field[2]!r:.80}, {expected}"
    if field is not None:
        close = meant(field[2], _fields(kind, value))
        return f"{name or 'a request'} has no field {field[2]!r:.80}{close}"
    if not _BY_TYPE.match(reason):
        return f"{name}.{reason}" if name else reason
    return f"{name or 'a request'} must be {_description(kind)}{_got(value)}"


def _got(value: Any) -> str:
    """What came, shortened; nothing if it is too much for JSON."""
    if value is _UNKNOWN:
        return ""
    text = msgspec.json.encode(value).decode()
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    many = isinstance(value, list) and len(value) > _FEW
    return f", got {shown} ({len(value):,} entries)" if many else f", got {shown}"


def _kinds() -> list[str]:
    return [str(each.tag) for each in _alternatives(_REQUEST)]


def _alternatives(kind: Any) -> list[Any]:
    """The types that a value may be of."""
    while isinstance(kind, inspect.Metadata):
        kind = kind.type
    if isinstance(kind, inspect.UnionType):
        return [inner for each in kind.types for inner in _alternatives(each)]
    return [kind]


def _fields(kind: Any, value: Any) -> dict[str, Any]:
    """The fields of an object by name: of the struct that its tag says, or of any."""
    structs = [each for each in _alternatives(kind) if isinstance(each, inspect.StructType)]
    tagged = [each for each in structs if _inner_value(value, each.tag_field) == each.tag]
    fields: dict[str, Any] = {
        field.encode_name: field.type for each in tagged or structs for field in each.fields
    }
    if structs and structs[0].tag_field is not None:
        fields[structs[0].tag_field] = inspect.LiteralType(tuple(each.tag for each in structs))
    return fields


def _inner_type(kind: Any, value: Any, step: str) -> Any:
    """The type of a field or of an entry."""
    if not step.isdecimal():
        return _fields(kind, value).get(step, inspect.AnyType())
    array = next((each for each in _alternatives(kind) if isinstance(each, _ARRAYS)), None)
    if array is None:
        return inspect.AnyType()
    return array.item_types[int(step)] if isinstance(array, inspect.TupleType) else array.item_type


def _inner_value(value: Any, step: str | None) -> Any:
    if isinstance(value, dict):
        return value.get(step, _UNKNOWN)
    if isinstance(value, list) and step is not None and step.isdecimal():
        return value[int(step)] if int(step) < len(value) else _UNKNOWN
    return _UNKNOWN


def _description(kind: Any) -> str:
    """What a value of a type is, in words."""
    if isinstance(kind, inspect.Metadata):
        text = (kind.extra_json_schema or {}).get("description")
        return str(text) if text else _description(kind.type)
    if isinstance(kind, inspect.UnionType):
        return " or ".join(dict.fromkeys(map(_description, kind.types)))
    if isinstance(kind, inspect.LiteralType):
        values = ", ".join(map(repr, kind.values))
        return values if len(kind.values) == 1 else f"one of {values}"
    if isinstance(kind, inspect.VarTupleType | inspect.FrozenSetType):
        length = f"{kind.min_length or 0} to {kind.max_length:,}" if kind.max_length else "any"
        return f"an array of {length} entries, each {_description(kind.item_type)}"
    return _DESCRIPTIONS.get(type(kind), "another value").format(kind)
