"""Suggestions for unknown names."""

from collections.abc import Iterable
from difflib import get_close_matches


def meant(name: str, known: Iterable[str]) -> str:
    """The suggestion after an unknown name: " (did you mean …?)", or nothing."""
    names = list(known)
    same = [other for other in names if other.lower() == name.lower()]
    close = same or get_close_matches(name, names, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
