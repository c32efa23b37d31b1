"""Arrays of numbers between text and NumPy: exact both ways, and a piece at a time."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gaussbayes.base.errors import ModelFileError
from gaussbayes.base.types import FloatArray
from gaussbayes.model.file.limits import LONGEST_NUMBER, PIECE

# `float` also for whole numbers: it keeps the sign of -0, and no number of digits upsets it.
_AS_FLOATS = json.JSONDecoder(parse_int=float)
_AS_WRITTEN = json.JSONDecoder()


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """A JSON array of numbers that is still text: how many there are is known before they are read.

    Examples
    --------
    >>> array = Numbers(b"[1, 2.5]", 1, 7)
    >>> len(array), array.floats("weight").tolist(), array.scalars("labels")
    (2, [1.0, 2.5], [1, 2.5])
    """

    data: bytes  # the whole file
    start: int  # after the opening bracket
    stop: int  # before the closing bracket

    def __len__(self) -> int:
        commas = self.data.count(b",", self.start, self.stop)
        if commas == 0 and not self.data[self.start : self.stop].strip():
            return 0
        return commas + 1

    def floats(self, place: str) -> FloatArray:
        """All of them as floats, if they are finite."""
        values = np.empty(len(self))
        first = 0
        for piece in self._pieces(place):
            found = _decode(_AS_FLOATS, piece, place, first)
            values[first : first + len(found)] = found
            first += len(found)
        refuse_not_finite(values, place)
        return values

    def scalars(self, place: str) -> list[Any]:
        """All of them as they are written: int or float."""
        values: list[Any] = []
        for piece in self._pieces(place):
            values += _decode(_AS_WRITTEN, piece, place, len(values))
        return values

    def _pieces(self, place: str) -> Iterator[str]:
        start = self.start
        more = len(self) > 0
        while more:
            stop = self.data.find(b",", min(start + PIECE, self.stop), self.stop)
            more = stop >= 0
            stop = stop if more else self.stop
            if stop - start > PIECE + LONGEST_NUMBER:
                msg = f"{place}: a number of more than {LONGEST_NUMBER} characters"
                raise ModelFileError(msg)
            yield self.data[start:stop].decode("ascii")
            start = stop + 1


def _decode(decoder: json.JSONDecoder, piece: str, place: str, first: int) -> list[Any]:
    problem = f"{place}[{first}] and following: expected numbers with commas between them"
    try:
        found: list[Any] = decoder.decode(f"[{piece}]")
    except ValueError as error:
        at = max(getattr(error, "pos", 1) - 1, 0)
        msg = f"{problem}, got {piece[max(at - 10, 0) : at + 20]!r}"
        raise ModelFileError(msg) from None
    if not found:
        msg = f"{problem}, got a comma with nothing after it"
        raise ModelFileError(msg)
    return found


def refuse_not_finite(values: FloatArray, place: str) -> None:
    """Raise if one of these numbers is NaN or infinite.

    Examples
    --------
    >>> refuse_not_finite(np.array([1.0]), "moments.weight")
    """
    finite = np.isfinite(values)
    if not finite.all():
        code = int(np.argmin(finite))
        msg = f"{place}[{code}]: expected a finite number, got {values[code]}"
        raise ModelFileError(msg)


def written(values: FloatArray, place: str) -> str:
    """Floats of any shape as a flat JSON array, each in the fewest digits that give it back.

    Examples
    --------
    >>> written(np.array([[0.1, -0.0], [5e-324, 1e300]]), "moments.offset")
    '[0.1,-0.0,5e-324,1e+300]'
    """
    flat = np.asarray(values, dtype=np.float64).ravel()
    refuse_not_finite(flat, place)
    return f"[{','.join(map(repr, flat.tolist()))}]"
