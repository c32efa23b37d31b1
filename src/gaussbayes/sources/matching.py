"""The columns of one file against those that are wanted."""

from collections.abc import Sequence

from gaussbayes.errors import SchemaError

_MOST_LISTED = 10


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
