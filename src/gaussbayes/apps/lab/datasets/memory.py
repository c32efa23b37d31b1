"""What was worked out lately, kept up to a limit; what was not asked for the longest goes first."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Memory(Generic[Value]):
    """Values by their keys.

    Parameters
    ----------
    most : how much may be kept, in the unit of `size`; the newest is kept however large it is
    size : how much a value takes; 1 each if not given

    Examples
    --------
    >>> memory = Memory(2)
    >>> [memory.recall(key, lambda: key.upper()) for key in "abca"]
    ['A', 'B', 'C', 'A']
    >>> memory.find("b") is None, memory.find("c")
    (True, 'C')
    """

    def __init__(self, most: int, size: Callable[[Value], int] = lambda _: 1) -> None:
        self._most = most
        self._size = size
        self._kept: OrderedDict[Hashable, Value] = OrderedDict()
        self._total = 0

    def find(self, key: Hashable) -> Value | None:
        """The value, if it is still there."""
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key]

    def recall(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value, made now if it is not there."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        return self.keep(key, make())

    def keep(self, key: Hashable, value: Value) -> Value:
        """Keep a value, and let go of as many as are too much."""
        if key in self._kept:
            self._total -= self._size(self._kept.pop(key))
        self._kept[key] = value
        self._total += self._size(value)
        while self._total > self._most and len(self._kept) > 1:
            _, gone = self._kept.popitem(last=False)
            self._total -= self._size(gone)
        return value
