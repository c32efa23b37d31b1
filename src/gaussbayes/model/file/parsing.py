"""JSON, read strictly and in bounded memory: what a model file needs of it and nothing else.

Python's own reader keeps the last of two equal keys, takes NaN, follows any depth, and makes an
object of every bracket, so that a small file can fill the memory. Here objects are nested three
deep at most, arrays hold only texts, numbers and truth values, and arrays of numbers stay text
until their length has been checked. Texts are decoded by Python's reader, one at a time.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, NoReturn

from gaussbayes.base.errors import ModelFileError
from gaussbayes.model.file.limits import (
    LONGEST_NUMBER,
    LONGEST_TEXT,
    MOST_DEPTH,
    MOST_MEMBERS,
    MOST_TEXT,
    MOST_TEXTS,
    PIECE,
)
from gaussbayes.model.file.numbers import Numbers

_SPACE = re.compile(rb"[ \t\n\r]*+")
_TEXT = re.compile(rb'"[^"\\\x00-\x1f]*+(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*+)*+"')
_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+")
_NUMBER_ARRAY = re.compile(rb"[-+0-9.eE, \t\n\r]*+")
_SOME = rb"(?:" + _TEXT.pattern + rb"|true|false|null|" + _NUMBER.pattern + rb")"
_RUN = re.compile(rb"(?:[ \t\n\r]*+" + _SOME + rb"[ \t\n\r]*+,)++")
_WORD = re.compile(rb"[A-Za-z]{1,20}")
_WORDS = {b"true": True, b"false": False, b"null": None}


def parse(data: bytes) -> dict[str, Any]:
    """The object that a JSON text holds; arrays of numbers become `Numbers`.

    Raises
    ------
    ModelFileError
        For anything else, with the place: the names of the members that lead to it, and the byte.

    Examples
    --------
    >>> found = parse(b'{"a": {"b": [1, 2]}, "c": ["x", null]}')
    >>> len(found["a"]["b"]), found["c"]
    (2, ['x', None])
    """
    reader = _Reader(data)
    reader.skip()
    if reader.next() != b"{":
        reader.refuse("", "expected an object: {")
    found = reader.object("", 1)
    reader.skip()
    if reader.position < len(data):
        reader.refuse("", "expected nothing after the last }")
    return found


def _is_text(value: object) -> bool:
    return isinstance(value, str)


@dataclass(slots=True)
class _Reader:
    data: bytes
    position: int = 0
    texts: int = 0
    text_bytes: int = 0

    def refuse(self, place: str, expected: str) -> NoReturn:
        got = self.data[self.position : self.position + 20]
        shown = repr(got.decode("utf-8", "backslashreplace")) if got else "the end of the file"
        where = f"{place}: " if place else ""
        msg = f"{where}not JSON of this format at byte {self.position}: {expected}, got {shown}"
        raise ModelFileError(msg)

    def skip(self) -> None:
        space = _SPACE.match(self.data, self.position)
        self.position = space.end() if space else self.position

    def next(self) -> bytes:
        return self.data[self.position : self.position + 1]

    def object(self, place: str, depth: int) -> dict[str, Any]:
        if depth > MOST_DEPTH:
            self.refuse(place, f"objects are nested at most {MOST_DEPTH} deep")
        members: dict[str, Any] = {}
        more = self._first(b"}")
        while more:
            if self.next() != b'"':
                self.refuse(place, "expected the name of a member in quotes")
            name = self.text(place)
            inner = f"{place}.{name:.60}" if place else f"{name:.60}"
            if name in members:
                self.refuse(inner, "this member is there twice")
            if len(members) >= MOST_MEMBERS:
                self.refuse(place, f"expected at most {MOST_MEMBERS} members")
            self.skip()
            if self.next() != b":":
                self.refuse(inner, "expected ':'")
            self.position += 1
            self.skip()
            members[name] = self._value(inner, depth)
            more = self._another(place, b"}")
        return members

    def text(self, place: str) -> str:
        found = _TEXT.match(self.data, self.position, self.position + LONGEST_TEXT + 2)
        if found is None:
            self.refuse(place, f"expected a text of at most {LONGEST_TEXT:,} bytes in quotes")
        self._count(1, found.end() - found.start(), place)
        try:
            text = found[0][1:-1].decode("utf-8")
            if "\\" in text:
                text = json.loads(f'"{text}"')
                text.encode("utf-8")  # half a surrogate pair is not a character
        except ValueError:
            self.refuse(place, "expected a text in UTF-8 with JSON's escapes")
        self.position = found.end()
        return text

    def _value(self, place: str, depth: int) -> Any:
        if self.next() == b"{":
            return self.object(place, depth + 1)
        if self.next() == b"[":
            return self._array(place)
        return self._scalar(place)

    def _array(self, place: str) -> list[Any] | Numbers:
        numbers = _NUMBER_ARRAY.match(self.data, self.position + 1)
        if numbers is not None and self.data[numbers.end() : numbers.end() + 1] == b"]":
            self.position = numbers.end() + 1
            return Numbers(self.data, numbers.start(), numbers.end())
        entries: list[Any] = []
        more = self._first(b"]")
        while more:
            entries += self._run(place)
            if len(entries) >= MOST_TEXTS:
                self.refuse(place, f"expected fewer than {MOST_TEXTS:,} entries")
            entries.append(self._scalar(f"{place}[{len(entries)}]"))
            more = self._another(place, b"]")
        return entries

    def _run(self, place: str) -> list[Any]:
        """Entries with a comma after each, as many as come at once: only to be quick."""
        run = _RUN.match(self.data, self.position, self.position + PIECE)
        if run is None:
            return []
        try:
            found: list[Any] = json.loads(f"[{run[0][:-1].decode('utf-8')}]")
            "".join(filter(_is_text, found)).encode("utf-8")  # half a pair is not a character
        except ValueError:
            return []  # one at a time, to name the place
        self._count(len(found), len(run[0]), place)
        self.position = run.end()
        self.skip()
        return found

    def _count(self, texts: int, size: int, place: str) -> None:
        self.texts += texts
        self.text_bytes += size
        if self.texts > MOST_TEXTS or self.text_bytes > MOST_TEXT:
            self.refuse(place, f"a model has at most {MOST_TEXTS:,} texts, {MOST_TEXT:,} bytes")

    def _scalar(self, place: str) -> Any:
        if self.next() == b'"':
            return self.text(place)
        number = _NUMBER.match(self.data, self.position)
        if number is not None and number.end() - number.start() <= LONGEST_NUMBER:
            self.position = number.end()
            return json.loads(number[0])
        word = _WORD.match(self.data, self.position)
        if word is None or word[0] not in _WORDS:
            self.refuse(place, "expected a text, a finite number, true, false or null")
        self.position = word.end()
        return _WORDS[word[0]]

    def _first(self, closing: bytes) -> bool:
        """Step over an opening bracket; whether there is anything before the closing one."""
        self.position += 1
        self.skip()
        if self.next() == closing:
            self.position += 1
            return False
        return True

    def _another(self, place: str, closing: bytes) -> bool:
        """Step over a comma or the closing bracket; whether there is more."""
        self.skip()
        sign = self.next()
        if sign not in {b",", closing} or not sign:
            self.refuse(place, f"expected ',' or '{closing.decode()}'")
        self.position += 1
        self.skip()
        return sign == b","
