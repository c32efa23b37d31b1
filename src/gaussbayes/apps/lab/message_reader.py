"""A text from the page → the record of what it asks for, or an error that can be read.

msgspec checks a message against the types of `gaussbayes.apps.lab.messages`. What it objects to is
put into a sentence here: the field, what must be there by its JSON Schema, and what came.
"""

import re
from contextlib import suppress
from typing import Any

import msgspec

from gaussbayes.apps.lab.message_limits import LONGEST_MESSAGE
from gaussbayes.apps.lab.messages import Request
from gaussbayes.apps.lab.wire_format import MessageError
from gaussbayes.base.spelling import meant

_TOKEN = re.compile(r'[{}]|(?P<string>"(?:[^"\\]|\\.)*")\s*(?P<colon>:?)')
_DECODER = msgspec.json.Decoder(Request)
_SCHEMA = msgspec.json.schema(Request)
_PLACE = re.compile(r" - at `\$([\w.\[\]]*)`$")
_FIELD = re.compile(r"Object (missing required|contains unknown) field `(.*)`", re.DOTALL)
# How msgspec begins where a value is not of its type; what begins otherwise is our sentence.
_BY_TYPE = re.compile(r"Expected |Invalid |Number out of range|Integer ")
_DESCRIPTIONS = {
    "integer": "an integer from {minimum} to {maximum}",
    "number": "a number from {minimum:g} to {maximum:g}",
    "string": "a string of {minLength} to {maxLength} characters",
    "boolean": "a boolean",
    "null": "null",
}
_UNKNOWN = object()
_SHOWN = 80  # characters of a value in a message
_FEW = 4  # entries of an array that a reader counts himself


def read(message: str) -> Request:
    """The record of a request; `MessageError` for anything else.

    Examples
    --------
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
    _check_fields_once(message)
    return request


def _check_fields_once(message: str) -> None:
    """Raise for a field that is there twice: msgspec takes the last."""
    objects: list[set[str]] = []
    for token in _TOKEN.finditer(message):
        if token[0] == "{":
            objects.append(set())
        elif token[0] == "}":
            objects.pop()
        elif token["colon"]:
            name = msgspec.json.decode(token["string"], type=str)
            if name in objects[-1]:
                msg = f"a request must have each field once, got {name!r:.80} twice"
                raise MessageError(msg)
            objects[-1].add(name)


def _explained(content: bytes, complaint: str) -> MessageError:
    """What is wrong with a message of which msgspec says so, and whose answer this is."""
    message: Any = _UNKNOWN
    with suppress(msgspec.DecodeError, RecursionError):  # behind what is wrong
        message = msgspec.json.decode(content)
    kind, number = _inner_value(message, "kind"), _inner_value(message, "number")
    return MessageError(
        _sentence(message, complaint),
        kind if isinstance(kind, str) and kind in _SCHEMA["discriminator"]["mapping"] else None,
        number if type(number) is int else None,
    )


def _sentence(message: Any, complaint: str) -> str:
    place = _PLACE.search(complaint)
    reason = complaint if place is None else complaint[: place.start()]
    name = "" if place is None else place[1].removeprefix(".")
    value, schema = message, _SCHEMA
    for step in re.findall(r"\w+", name):
        schema, value = _inner_schema(schema, value, step), _inner_value(value, step)
    field = _FIELD.match(reason)
    if field is not None and field[1] == "missing required":
        expected = _description(_inner_schema(schema, value, field[2]))
        return f"{name or 'a request'} needs the field {field[2]!r:.80}, {expected}"
    if field is not None:
        close = meant(field[2], _fields(schema, value))
        return f"{name or 'a request'} has no field {field[2]!r:.80}{close}"
    if not _BY_TYPE.match(reason):
        return f"{name}.{reason}" if name else reason
    return f"{name or 'a request'} must be {_description(schema)}{_got(value)}"


def _got(value: Any) -> str:
    """What came, shortened; nothing if it is too much for JSON."""
    if value is _UNKNOWN:
        return ""
    text = msgspec.json.encode(value).decode()
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    many = isinstance(value, list) and len(value) > _FEW
    return f", got {shown} ({len(value):,} entries)" if many else f", got {shown}"


def _alternatives(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The schemas that a value may follow."""
    if "$ref" in schema:
        return [_SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]]
    return [each for part in schema.get("anyOf", ()) for each in _alternatives(part)] or [schema]


def _fields(schema: dict[str, Any], value: Any) -> dict[str, Any]:
    """The fields of an object by name: of the one that its tag says, or of any."""
    tags = schema.get("discriminator", {"propertyName": "", "mapping": {}})
    tag = _inner_value(value, tags["propertyName"])
    chosen = tags["mapping"].get(tag) if isinstance(tag, str) else None
    objects = _alternatives(schema if chosen is None else {"$ref": chosen})
    fields = {name: kind for each in objects for name, kind in each.get("properties", {}).items()}
    return fields | {tags["propertyName"]: {"enum": list(tags["mapping"])}}


def _inner_schema(schema: dict[str, Any], value: Any, step: str) -> dict[str, Any]:
    """The schema of a field or of an entry."""
    fields: dict[str, dict[str, Any]] = _fields(schema, value)
    for each in _alternatives(schema) if step.isdecimal() else ():
        fields |= {step: each["items"]} if each.get("items") else {}
        fields |= {str(at): kind for at, kind in enumerate(each.get("prefixItems", ()))}
    return fields.get(step, {})


def _inner_value(value: Any, step: str) -> Any:
    if isinstance(value, dict):
        return value.get(step, _UNKNOWN)
    if isinstance(value, list) and step.isdecimal():
        return value[int(step)] if int(step) < len(value) else _UNKNOWN
    return _UNKNOWN


def _description(schema: dict[str, Any]) -> str:
    """What a value is that follows a schema, in words."""
    if "$ref" in schema:
        return "an object"
    if "description" in schema:
        return str(schema["description"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(_description, schema["anyOf"])))
    if "enum" in schema:
        values = ", ".join(map(repr, schema["enum"]))
        return values if len(schema["enum"]) == 1 else f"one of {values}"
    if "items" in schema:
        most = schema.get("maxItems")
        length = f"{schema.get('minItems', 0)} to {most:,}" if most else "any"
        return f"an array of {length} entries, each {_description(schema['items'])}"
    return _DESCRIPTIONS.get(schema.get("type", ""), "another value").format(**schema)
