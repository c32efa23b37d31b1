"""The columns of one file against those that are wanted."""

from collections.abc import Sequence
from difflib import get_close_matches

from gaussbayes.errors import SchemaError

_MOST_LISTED = 10
_LIKE = 0.6


def match_columns(file: str, there: Sequence[str], wanted: Sequence[str]) -> None:
    """Refuse a file that lacks columns, and say which it has instead.

    Examples
    --------
    >>> match_columns("a.csv", ["a", "b"], ["b"])
    """
    known = set(there)
    missing = [name for name in wanted if name not in known]
    if missing:
        others = [name for name in there if name not in set(wanted)]
        instead = f"; it has {listed(others)} besides" if others else ""
        msg = f"{file} has no column {listed(missing)}, unlike the files before it{instead}"
        raise SchemaError(msg)


def closest(name: str, there: Sequence[str]) -> str | None:
    """The column that was probably meant, if one is like it.

    Examples
    --------
    >>> closest("hight", ["age", "height"]), closest("Y", ["x", "y"]), closest("a", ["b"])
    ('height', 'y', None)
    """
    same = (other for other in there if other.lower() == name.lower())
    close = get_close_matches(name, there, n=1, cutoff=_LIKE)
    return next(same, None) or (close[0] if close else None)


def listed(names: Sequence[str]) -> str:
    """Some names in a message, shortened when there are many.

    Examples
    --------
    >>> listed(["a", "b"])
    "'a', 'b'"
    """
    some = ", ".join(map(repr, names[:_MOST_LISTED]))
    more = len(names) - _MOST_LISTED
    return some if more <= 0 else f"{some} and {more} more"
