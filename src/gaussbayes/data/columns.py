"""`Columns`: what users say about the columns of a table, for estimators, readers and commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self, TypeAlias

import numpy as np

from gaussbayes.base.errors import OptionError
from gaussbayes.base.option import Option, check_values

ColumnNames: TypeAlias = Sequence[str] | Sequence[int] | Sequence[str | int] | str
"""Columns by name, by pattern such as ``temp_*``, or by number."""

_LISTS = (str, list, tuple, np.ndarray)


def _names(name: str, help_text: str, form: str = "a list of columns") -> Option:
    return Option(
        name, None, help_text, (None,), types=_LISTS, form=form, metavar="COLUMN", is_list=True
    )


COLUMN_OPTIONS: tuple[Option, ...] = (
    _names(
        "features",
        "Use exactly these columns, given by name or pattern (temp_*); "
        "the default is all informative columns.",
    ),
    _names("exclude", "Do not use these columns, given by name or pattern (temp_*)."),
    _names(
        "names",
        "Names of all columns of an array or a file, in place of those in its header.",
        "a list of names",
    ),
    _names("categorical", "Treat these columns as categories, integers included."),
    _names("numeric", "Treat these columns as numbers and never drop them."),
    _names("dates", "Treat these columns as dates, in days since the first."),
    Option(
        "na_values",
        None,
        "Further values that mark a missing value: for all columns, or per column.",
        (None,),
        (-np.inf, np.inf),
        (*_LISTS, Mapping),
        "a string, a list of these, or a mapping from columns to these",
        "[COLUMN=]VALUE",
        is_list=True,
    ),
    Option(
        "keep_default_na",
        True,
        "Treat NA, N/A, NaN, null, None, ? and their variants as missing values.",
        (True, False),
    ),
    Option(
        "keep_identifiers",
        False,
        "Keep columns that seem to identify rows.",
        (True, False),
    ),
    Option(
        "unlabelled",
        None,
        "Label that marks a row as unlabelled, for example -1.",
        types=(str, object),
        form="a label or None",
        metavar="LABEL",
    ),
)
"""The arguments of `Columns`."""


class DroppedColumnsWarning(UserWarning):
    """Columns were dropped because they carry no information about the class, or give it away.

    `fit` warns once and lists every dropped column with the reason; `columns_` has the same list.
    ``Columns(features=[…])`` names exactly the columns to use, ``Columns(exclude=[…])`` drops
    columns without a warning.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("ignore", DroppedColumnsWarning)
    """


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """What the columns of a table hold and which of them to use.

    Arguments are stored as given and checked by `fit`. Without any of them, the kind of each column
    is detected: strings, booleans and categorical types are categories, dates are days, and columns
    that identify rows, are constant, copy another column or the target, or are strings with too
    many levels are dropped with a `DroppedColumnsWarning`. The columns of an array are numbers.

    Parameters
    ----------
    features : list of names, patterns such as ``temp_*``, or None
        Use exactly these columns. None uses all informative columns.
    exclude : list of names or patterns, or None
        Do not use these columns.
    names : list of names, or None
        Names of all columns of an array or a file, in place of those in its header.
    categorical : list of names or numbers, or None
        Columns that hold categories, integers included.
    numeric : list of names or numbers, or None
        Columns that hold numbers; they are never dropped.
    dates : list of names, or None
        Columns that hold dates.
    na_values : a string, a number, several of these, {column: these}, or None
        Marks of missing values beside None, NaN, the empty string and the usual marks.
    keep_default_na : bool
        Whether the usual marks (NA, N/A, NaN, null, None, ?, …) are missing values.
    keep_identifiers : bool
        Whether columns that seem to identify rows are kept.
    unlabelled : a label, or None
        Label that marks a row as unlabelled, for example −1, beside missing labels.

    Examples
    --------
    >>> columns = Columns(exclude=["id"], categorical=["ward"])
    >>> columns.set_params(exclude=None)
    Columns(categorical=['ward'])
    >>> columns == Columns(exclude=("id",), categorical=("ward",))
    True
    """

    features: ColumnNames | None = None
    exclude: ColumnNames | None = None
    names: Sequence[str] | None = None
    categorical: ColumnNames | None = None
    numeric: ColumnNames | None = None
    dates: ColumnNames | None = None
    na_values: object = None
    keep_default_na: bool = True
    keep_identifiers: bool = False
    unlabelled: object = None

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """Return the arguments by name, as given.

        Parameters
        ----------
        deep : bool
            Ignored; no argument has parameters of its own.

        Returns
        -------
        dict
        """
        del deep
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def set_params(self, **params: Any) -> Self:
        """Return a copy with other arguments; this object stays as it is.

        Parameters
        ----------
        **params
            Arguments of the constructor by name.

        Returns
        -------
        Columns
        """
        check_values(COLUMN_OPTIONS, params)
        return replace(self, **params)

    def check(self) -> None:
        """Raise `OptionError` for an argument that has a wrong type or contradicts another."""
        check_values(COLUMN_OPTIONS, self.get_params())
        for argument in ("features", "names"):
            value = getattr(self, argument)
            if isinstance(value, str):
                msg = f"{argument} must be a list of columns, got {value!r}; write [{value!r}]"
                raise OptionError(msg)
        given: dict[Any, str] = {}
        for kind in ("categorical", "numeric", "dates"):
            for column in as_list(getattr(self, kind)):
                if given.setdefault(column, kind) != kind:
                    msg = f"column {column!r} cannot be both {given[column]} and {kind}: choose one"
                    raise OptionError(msg)

    def __repr__(self) -> str:
        defaults = {option.name: option.default for option in COLUMN_OPTIONS}
        given = self.get_params().items()
        parts = [f"{n}={v!r}" for n, v in given if v is not defaults[n]]
        return f"{type(self).__name__}({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Columns):
            return NotImplemented
        return bool(_frozen(asdict(self)) == _frozen(asdict(other)))

    def __hash__(self) -> int:
        return hash(repr(_frozen(asdict(self))))


def as_list(columns: ColumnNames | None) -> list[Any]:
    """Columns as a list, of one name as well."""
    if columns is None:
        return []
    return [columns] if isinstance(columns, str) else list(columns)


def _frozen(value: Any) -> Any:
    """A value with tuples in place of lists and arrays, so that equal ones compare equal."""
    if isinstance(value, Mapping):
        return {name: _frozen(value[name]) for name in sorted(value, key=repr)}
    if isinstance(value, list | tuple | np.ndarray):
        return tuple(_frozen(each) for each in value)
    return value
