"""Names that are not there, and those that were probably meant."""

from collections.abc import Iterable
from difflib import get_close_matches

_LIKE = 0.6
"""The share of letters that two names must have in common."""


def closest(name: str, known: Iterable[str]) -> str | None:
    """The name that was probably meant, if one is like it.

    Examples
    --------
    >>> closest("hight", ["age", "height"]), closest("Y", ["x", "y"]), closest("a", ["b"])
    ('height', 'y', None)
    """
    names = list(known)
    same = (other for other in names if other.lower() == name.lower())
    close = get_close_matches(name, names, n=1, cutoff=_LIKE)
    return next(same, None) or (close[0] if close else None)


def meant(name: str, known: Iterable[str]) -> str:
    """What a message says behind an unknown name: the one that was probably meant, or nothing.

    Examples
    --------
    >>> "there is no feature 'hight'" + meant("hight", ["age", "height"])
    "there is no feature 'hight' (did you mean 'height'?)"
    >>> meant("hight", ["age"])
    ''
    """
    close = closest(name, known)
    return "" if close is None else f" (did you mean {close!r}?)"
