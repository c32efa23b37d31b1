"""Names that are not there, and those that were probably meant."""

from collections.abc import Iterable
from difflib import get_close_matches


def closest(name: str, known: Iterable[str]) -> str | None:
    """The name that was probably meant, if one is like it."""
    names = list(known)
    same = [other for other in names if other.lower() == name.lower()]
    return next(iter(same or get_close_matches(name, names, n=1)), None)


def meant(name: str, known: Iterable[str]) -> str:
    """What a message says behind an unknown name: " (did you mean …?)", or nothing."""
    close = closest(name, known)
    return "" if close is None else f" (did you mean {close!r}?)"
