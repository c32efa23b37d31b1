"""A text from the page → the record of what it asks for, or an error that can be read.

msgspec checks a message against the types of `gaussbayes.apps.lab.messages`. What it objects to is
put into a sentence here: the field, what must be there, and what came.
"""

import re
from contextlib import suppress

import msgspec

from gaussbayes.apps.lab.message_limits import LONGEST_MESSAGE
from gaussbayes.apps.lab.messages import Request
from gaussbayes.apps.lab.wire_format import MessageError

_TOKEN = re.compile(r'[{}]|(?P<string>"(?:[^"\\]|\\.)*")\s*(?P<colon>:?)')
_DECODER = msgspec.json.Decoder(Request)
_KINDS = msgspec.json.schema(Request)["discriminator"]["mapping"]
_FIELD = re.compile(r"Object (missing required|contains unknown) field `(.*)`", re.DOTALL)
_WORDS = {
    "int": "an integer",
    "float": "a number",
    "str": "a string",
    "bool": "a boolean",
    "array": "an array",
    "object": "an object",
}
_VERBS = {"missing required": "needs the", "contains unknown": "has no"}
_SHOWN = 80  # characters of a value in a message


def read(message: str) -> Request:
    """The record of a request; `MessageError` for anything else.

    Examples
    --------
    >>> read('{"number": 1, "kind": "lesson", "name": 3}')
    Traceback (most recent call last):
    gaussbayes.apps.lab.wire_format.MessageError: name must be a string, got 3
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
    reason, _, place = complaint.partition(" - at `$")
    place, got, message = place.removesuffix("`").removeprefix("."), "", None
    with suppress(msgspec.DecodeError, RecursionError, LookupError):  # more may be wrong with it
        message = value = msgspec.json.decode(content)
        for step in re.findall(r"\w+", place):
            value = value[int(step) if isinstance(value, list) else step]
        text = msgspec.json.encode(value).decode()
        got = f", got {text if len(text) <= _SHOWN else text[:_SHOWN] + '…'}"
    kind, number = (
        message.get(name) if isinstance(message, dict) else None for name in ("kind", "number")
    )
    return MessageError(
        _sentence(place, reason, got),
        kind if isinstance(kind, str) and kind in _KINDS else None,
        number if type(number) is int else None,
    )


def _sentence(place: str, reason: str, got: str) -> str:
    name, field = place or "a request", _FIELD.match(reason)
    if field is not None:
        return f"{name} {_VERBS[field[1]]} field {field[2]!r:.80}"
    if reason.startswith("Invalid"):
        return f"{name} must be one of the values that the schema of requests lists{got}"
    if reason.endswith("out of range"):
        return f"{name} must be a smaller number{got}"
    if reason.startswith("Expected "):
        expected = reason.removeprefix("Expected ").partition(", got")[0]
        expected = re.sub(r"\w+(?=.*`)", lambda word: _WORDS.get(word[0], word[0]), expected)
        return f"{name} must be {expected.replace('`', '').replace(' | ', ' or ')}{got}"
    return f"{place}.{reason}" if place else reason  # our sentence
