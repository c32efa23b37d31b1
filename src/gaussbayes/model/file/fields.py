"""What stands at a place of the file, checked: the one wording of what was expected and came."""

from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from gaussbayes.base.errors import ModelFileError
from gaussbayes.base.types import FloatArray
from gaussbayes.model.file.limits import LONGEST_TEXT, MOST_TEXTS
from gaussbayes.model.file.numbers import Numbers


def refuse(place: str, expected: str, got: object) -> NoReturn:
    """Raise: this was expected at this place, and that came."""
    msg = f"{place}: expected {expected}, got {described(got)}"
    raise ModelFileError(msg)


def described(value: object) -> str:
    """A value as a message shows it.

    Examples
    --------
    >>> described({"a": 1}), described("word"), described(None)
    ('an object', "'word'", 'null')
    """
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | Numbers):
        return f"an array of {len(value):,}"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return f"{value!r:.80}"


def members(
    value: object, place: str, names: Sequence[str], optional: Sequence[str] = ()
) -> list[Any]:
    """The members of an object that has just these, in this order.

    Those that are optional come last, None where they are not there; null is nothing they may be.

    Examples
    --------
    >>> members({"b": 2, "a": 1}, "", ["a", "b"], ["c"])
    [1, 2, None]
    """
    where = place or "the file"
    if not isinstance(value, dict):
        refuse(where, f"an object with {', '.join(names)}", value)
    missing = [name for name in names if name not in value]
    unknown = [name for name in value if name not in {*names, *optional}]
    if missing or unknown:
        parts = [f"{', '.join(missing)} missing"] if missing else []
        parts += [f"unknown {unknown!r:.200}"] if unknown else []
        msg = f"{where}: expected the members {', '.join(names)}; {'; '.join(parts)}"
        raise ModelFileError(msg)
    for name in optional:
        if name in value and value[name] is None:
            refuse(f"{place}.{name}" if place else name, "an object, or no such member", None)
    return [value[name] for name in names] + [value.get(name) for name in optional]


def choice(value: object, place: str, possible: Iterable[str]) -> Any:
    """A word, if it is one of those possible."""
    words = list(possible)
    if not isinstance(value, str) or value not in words:
        refuse(place, f"one of {', '.join(map(repr, words))}", value)
    return value


def entries(value: object, place: str, expected: str) -> list[Any]:
    """The entries of an array, as they are written."""
    if isinstance(value, Numbers):
        if len(value) > MOST_TEXTS:
            refuse(place, f"at most {MOST_TEXTS:,} entries", value)
        return value.scalars(place)
    if not isinstance(value, list):
        refuse(place, expected, value)
    return value


def texts(value: object, place: str) -> list[str]:
    """An array of texts."""
    found = entries(value, place, "an array of texts")
    for number, text in enumerate(found):
        if not isinstance(text, str):
            refuse(f"{place}[{number}]", "a text", text)
    return found


def floats(value: object, place: str, count: int | None, meaning: str = "") -> FloatArray:
    """An array of this many finite numbers, as floats; None is any number of them."""
    many = "" if count is None else f"{count:,} "
    expected = f"an array of {many}numbers{meaning}"
    if isinstance(value, list) or not isinstance(value, Numbers):
        refuse(place, expected, value)
    if count is not None and len(value) != count:
        refuse(place, expected, value)
    return value.floats(place)


def whole_numbers(value: object, place: str, count: int, meaning: str, most: int) -> list[int]:
    """An array of this many whole numbers from 0 to `most`, written without a point."""
    expected = f"an array of {count:,} whole numbers{meaning}"
    if not isinstance(value, Numbers) or len(value) != count:
        refuse(place, expected, value)
    return in_range(value.scalars(place), place, most)


def in_range(values: list[Any], place: str, most: int) -> list[int]:
    """The values, if they are whole numbers from 0 to `most`.

    Examples
    --------
    >>> in_range([0, 2], "incomplete.classes", 2)
    [0, 2]
    """
    for number, value in enumerate(values):
        if type(value) is not int or not 0 <= value <= most:
            refuse(f"{place}[{number}]", f"a whole number from 0 to {most}", value)
    return values


def writable(text: object, place: str) -> str:
    """A text, if a file can hold it.

    Examples
    --------
    >>> writable("rain", "target")
    'rain'
    """
    if not isinstance(text, str):
        refuse(place, "a text", text)
    plain = str(text)
    try:
        plain.encode("utf-8")
    except UnicodeEncodeError:
        refuse(place, "a text of whole characters", plain)
    # A character takes up to 12 bytes as it is written.
    if len(plain) > LONGEST_TEXT // 12:
        refuse(place, f"a text of at most {LONGEST_TEXT // 12:,} characters", plain)
    return plain
