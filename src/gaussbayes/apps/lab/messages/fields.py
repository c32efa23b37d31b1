"""Values of a request, each checked by the one function for its kind."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gaussbayes.apps.lab.messages.error import MessageError
from gaussbayes.apps.lab.messages.limits import LARGEST_NUMBER, LARGEST_SEED, LONGEST_TEXT
from gaussbayes.base.types import FloatArray

_NEEDED = object()


class Members:
    """The members of an object, taken one by one; what is left over is refused.

    Examples
    --------
    >>> split = Members("split", {"test": 0.5, "sed": 1})
    >>> split.take("test")
    0.5
    >>> split.end()
    Traceback (most recent call last):
    gaussbayes.apps.lab.messages.error.MessageError: split has no member 'sed'
    """

    def __init__(self, place: str, value: object) -> None:
        if not isinstance(value, dict):
            msg = f"{place} is an object, got {shown(value)}"
            raise MessageError(msg)
        self.place = place
        self._left = dict(value)

    def take(self, name: str, default: Any = _NEEDED) -> Any:
        """The value of a member, which is then done with."""
        value = self._left.pop(name, default)
        if value is _NEEDED:
            msg = f"{self.place} needs the member {name!r}"
            raise MessageError(msg)
        return value

    def has(self, name: str) -> bool:
        """Whether this member is there and not taken yet."""
        return name in self._left

    def end(self) -> None:
        """Refuse members that nobody has taken."""
        if self._left:
            msg = f"{self.place} has no member {shown(next(iter(self._left)))}"
            raise MessageError(msg)


def shown(value: object) -> str:
    """A value as a message writes it, shortened."""
    return f"{value!r:.80}"


def text(what: str, value: object) -> str:
    """A text that is not too long, of whole characters."""
    if not isinstance(value, str) or not value or len(value) > LONGEST_TEXT:
        msg = f"{what} is a text of 1 to {LONGEST_TEXT} characters, got {shown(value)}"
        raise MessageError(msg)
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        msg = f"{what} holds half a character: {value!a:.80}"
        raise MessageError(msg) from None
    return value


def texts(what: str, value: object, most: int) -> tuple[str, ...]:
    """Different texts, at least one."""
    if not isinstance(value, list) or not 1 <= len(value) <= most:
        msg = f"{what} are a list of 1 to {most} texts, got {shown(value)}"
        raise MessageError(msg)
    found = tuple(text(f"{what}[{i}]", entry) for i, entry in enumerate(value))
    if len(set(found)) < len(found):
        twice = next(one for one in found if found.count(one) > 1)
        msg = f"{what} are different texts, but {twice!r:.80} is there twice"
        raise MessageError(msg)
    return found


def truth(what: str, value: object) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        msg = f"{what} is true or false, got {shown(value)}"
        raise MessageError(msg)
    return value


def whole(what: str, value: object, least: int, most: int) -> int:
    """A whole number in a range; 3.0 is none.

    Examples
    --------
    >>> whole("k", 5, 1, 10)
    5
    """
    if type(value) is not int or not least <= value <= most:
        msg = f"{what} is a whole number from {least} to {most}, got {shown(value)}"
        raise MessageError(msg)
    return value


def seed(what: str, value: object) -> int:
    """What a random generator starts from."""
    return whole(what, value, 0, LARGEST_SEED)


def number(
    what: str, value: object, least: float = -LARGEST_NUMBER, most: float = LARGEST_NUMBER
) -> float:
    """A finite number in a range."""
    if type(value) not in {int, float} or not least <= value <= most:  # type: ignore[operator]
        msg = f"{what} is a number from {least:g} to {most:g}, got {shown(value)}"
        raise MessageError(msg)
    return float(value)  # type: ignore[arg-type]


def maybe(what: str, value: object, check: Any, *limits: Any) -> Any:
    """None, or what a check of this module returns."""
    return None if value is None else check(what, value, *limits)


def one_of(what: str, value: object, possible: Sequence[str]) -> str:
    """One of some words."""
    if not isinstance(value, str) or value not in possible:
        msg = f"{what} is one of {', '.join(map(repr, possible))}, got {shown(value)}"
        raise MessageError(msg)
    return value


def interval(what: str, value: object) -> tuple[float, float]:
    """Two numbers, the second larger, and not so near that there is nothing between them."""
    if not isinstance(value, list) or len(value) != 2:
        msg = f"{what} is [lowest, highest], got {shown(value)}"
        raise MessageError(msg)
    low, high = (number(f"{what}[{i}]", entry) for i, entry in enumerate(value))
    if not high - low > 1e-12 * max(abs(low), abs(high)) or high - low < 1e-100:
        msg = f"{what} begins below where it ends, got {shown(value)}"
        raise MessageError(msg)
    return low, high


def numbers(what: str, value: object, shape: tuple[int, ...]) -> FloatArray:
    """An array of this shape, of finite numbers.

    Examples
    --------
    >>> numbers("means", [[0, 1]], (1, 2)).tolist()
    [[0.0, 1.0]]
    """
    entries: list[Any] = [value]
    for length in shape:
        if any(not isinstance(entry, list) or len(entry) != length for entry in entries):
            sizes = " × ".join(map(str, shape))
            msg = f"{what} are {sizes} numbers, got {shown(value)}"
            raise MessageError(msg)
        entries = [inner for entry in entries for inner in entry]
    for entry in entries:
        if type(entry) not in {int, float} or not abs(entry) <= LARGEST_NUMBER:
            size = f"{LARGEST_NUMBER:g}"
            msg = f"{what} are numbers from -{size} to {size}, got {shown(entry)}"
            raise MessageError(msg)
    return np.array(entries, dtype=np.float64).reshape(shape)


def probability(what: str, value: object) -> float:
    """A number from 0 to 1."""
    return number(what, value, 0.0, 1.0)


def finite(value: float) -> float | None:
    """A number as JSON has them: None if it is not finite.

    Examples
    --------
    >>> finite(math.inf), finite(0.5)
    (None, 0.5)
    """
    return value if math.isfinite(value) else None
