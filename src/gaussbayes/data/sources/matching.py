"""The columns of one file against those that are wanted."""

from collections import Counter
from collections.abc import Sequence

from gaussbayes.base.errors import SchemaError

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


def refuse_doubles(file: str, names: Sequence[str]) -> None:
    """Refuse a file in which a column has the name of another.

    Examples
    --------
    >>> refuse_doubles("a.csv", ["x", "y", "x"])
    Traceback (most recent call last):
    gaussbayes.base.errors.SchemaError: a.csv has more than one column called 'x': give the \
columns different names
    """
    twice = repeated(names)
    if twice:
        msg = (
            f"{file} has more than one column called {listed(twice)}: "
            "give the columns different names"
        )
        raise SchemaError(msg)


def repeated(names: Sequence[str]) -> list[str]:
    """The names that are there more than once, sorted.

    Examples
    --------
    >>> repeated(["b", "a", "b", "a", "c"])
    ['a', 'b']
    """
    return sorted(name for name, times in Counter(names).items() if times > 1)


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
