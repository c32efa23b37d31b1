"""Which columns of a source are the target, the features and the weights, and what they hold."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gaussbayes.base.errors import DataError, SchemaError
from gaussbayes.base.types import BadRowHandling, CategoricalFeatures
from gaussbayes.data.encoder import Encoder, categorical_mask, feature_position
from gaussbayes.data.selection import ColumnKind, check_distinct, check_present, listed
from gaussbayes.data.tables import is_category, is_label, is_number

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_NAMED = 5
"""Columns of a wrong type that are named."""

_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d+,\d+\s*")


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a source: its labelled rows, in the terms of whoever asks.

    A feature that is null, empty or NaN is a missing value. A label that is missing, or is the
    `mark`, makes an unlabelled row. Infinity, a string that is no number, a fraction that should be
    a category, and a weight that is missing or negative make a row of a file a bad one.
    """

    target: str | None
    """The column that holds the labels; None if no row has one."""
    features: Sequence[str] | None = None
    """The columns to learn from; None is every other one."""
    weights: str | None = None
    """The column that says how much each row counts, if there is one."""
    categorical_features: CategoricalFeatures = "from_dtype"
    """Which features hold categories, by name, by number among the features or by a boolean for
    each; None is none of them. ``"from_dtype"`` are those of a categorical type: dictionaries in
    Arrow files and what was one in Parquet files, category in Dask, Categorical and Enum in
    engines. Text files (CSV, TSV, JSON lines) know no such type, nor does a string as such say
    that it is a category."""
    kinds: Mapping[str | int, ColumnKind] | None = None
    """What features must hold, by name or number among the features, whatever their types are."""
    string_features: Collection[str] = ()
    """Of files: categorical features that are strings, even if all their values look like numbers,
    as they may in one file of many."""
    mark: Any = None
    """A label that stands for a missing one."""
    labels_required: bool = False
    """Whether a row without label is a bad one."""
    complete: bool = False
    """Whether a row that lacks a feature is a bad one."""
    bad_rows: BadRowHandling = "error"
    """Of files: whether a row that cannot be used is an error, or left out and counted."""


@dataclass(frozen=True, slots=True)
class Roles:
    """The columns to read.

    Examples
    --------
    >>> roles = Roles("sex", ("age", "town"), "count", {"town": "category"})
    >>> roles.kinds
    {'age': 'number', 'count': 'weight', 'town': 'category'}
    >>> roles.present(Request("sex"))
    ('count',)
    """

    target: str | None
    features: tuple[str, ...]
    weights: str | None = None
    special: Mapping[str, ColumnKind] = field(default_factory=dict)
    """What features hold that are not just numbers."""

    @property
    def categorical(self) -> tuple[str, ...]:
        """The features that hold categories."""
        return tuple(name for name in self.features if self.special.get(name) == "category")

    @property
    def numeric(self) -> tuple[str, ...]:
        """The features that hold numbers."""
        categorical = set(self.categorical)
        return tuple(name for name in self.features if name not in categorical)

    @property
    def kinds(self) -> dict[str, ColumnKind]:
        """What all columns but the target must hold: those of numbers first, then weights."""
        kinds: dict[str, ColumnKind]
        kinds = {name: self.special.get(name, "number") for name in self.numeric}
        if self.weights is not None:
            kinds[self.weights] = "weight"
        return kinds | dict.fromkeys(self.categorical, "category")

    @property
    def columns(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.kinds, *(() if self.target is None else (self.target,)))

    @property
    def encoder(self) -> Encoder:
        """The encoder of the features, which knows no categories."""
        places = tuple(self.features.index(name) for name in self.categorical)
        return Encoder(len(self.features), self.features, places)

    def present(self, request: Request) -> tuple[str, ...]:
        """Those in which every value must be there."""
        names = tuple(self.kinds) if request.complete else ()
        if self.weights is not None and not request.complete:
            names = (self.weights,)
        labelled = request.labels_required and self.target is not None
        return (self.target, *names) if labelled and self.target is not None else names


def choose_roles(columns: Sequence[Any], request: Request, typed: Collection[str] = ()) -> Roles:
    """Find the columns wanted among those there are; without `features`, all others are.

    Parameters
    ----------
    typed : the columns of a categorical type

    Examples
    --------
    >>> choose_roles(["age", "height", "sex"], Request("sex")).features
    ('age', 'height')
    """
    names = list(columns)
    if not all(isinstance(name, str) for name in names):
        other = next(name for name in names if not isinstance(name, str))
        msg = f"columns are found by names that are strings, but one is {other!r}: rename it"
        raise SchemaError(msg)
    check_distinct("the table", names)
    features, target, weights = request.features, request.target, request.weights
    if isinstance(features, str):
        msg = f"features must be a list of columns, got a string: give [{features!r}]"
        raise SchemaError(msg)
    others = {role: name for role, name in (("target", target), ("weights", weights)) if name}
    wanted = list(features or ())
    if features is None:
        wanted = [name for name in names if name not in others.values()]
    check_distinct("the list of features", wanted)
    for role, name in others.items():
        if name in wanted:
            msg = f"{name!r} is the {role} and cannot be a feature too: leave it out of features"
            raise SchemaError(msg)
    if weights is not None and target == weights:
        msg = f"{target!r} cannot be both the target and the weights: name two columns"
        raise SchemaError(msg)
    check_present(names, (*others.values(), *wanted))
    if not wanted:
        msg = f"there is no column to learn from besides {listed(list(others.values()))}"
        raise SchemaError(msg)
    mask = categorical_mask(
        wanted, [name in typed for name in wanted], request.categorical_features
    )
    special: dict[str, ColumnKind] = {
        name: "category" for name, chosen in zip(wanted, mask, strict=True) if chosen
    }
    for feature, kind in (request.kinds or {}).items():
        special[wanted[feature_position(feature, wanted, len(wanted))]] = kind
    return Roles(target, tuple(wanted), weights, special)


def check_types(
    schema: "pa.Schema",
    kinds: Mapping[str, ColumnKind],
    file: str,
    target: str | None = None,
    examples: Sequence[tuple[str, str]] = (),
) -> None:
    """Raise for columns whose types cannot hold what they must, and show what they hold.

    Parameters
    ----------
    kinds : what columns must hold
    target : the column that must hold classes
    examples : values of columns of strings
    """
    wrong, values = [], dict(examples)
    for name, kind in kinds.items():
        held = schema.field(name).type
        if kind == "category" and not is_category(held):
            msg = (
                f"{file}: column {name!r} holds {held} values, but categories are strings, "
                "integers or booleans: cast it, or leave it out"
            )
            raise DataError(msg)
        if kind != "category" and not is_number(held):
            example = f", for example {values[name]!r}" if name in values else ""
            wrong.append((name, f"{held}{example}"))
    if wrong and _DECIMAL_COMMA.fullmatch(values.get(wrong[0][0], "")):
        name = wrong[0][0]
        msg = f"{file}: column {name!r} holds {values[name]!r}: write decimals with a point (1.5)"
        raise DataError(msg)
    check_no_others(wrong, file)
    held = None if target is None else schema.field(target).type
    if held is not None and not is_label(held) and str(held) != "null":
        msg = (
            f"{file}: the target {target!r} holds {held} values, but classes are strings, integers "
            "or booleans: is it the right column?"
        )
        raise DataError(msg)


def check_no_others(wrong: Sequence[tuple[str, object]], where: str | None = None) -> None:
    """Raise if there are columns, given with their types, that hold something else than numbers."""
    if wrong:
        held = ", ".join(f"{name!r} ({kind})" for name, kind in wrong[:_MOST_NAMED])
        more = f" and {len(wrong) - _MOST_NAMED} more" if len(wrong) > _MOST_NAMED else ""
        msg = (
            f"not numbers: column {held}{more}. Give the columns to learn from as features "
            "(--features on the command line), say which of them hold categories "
            "(categorical_features; --categorical where a command has it), or turn these into "
            "numbers first"
        )
        raise DataError(msg if where is None else f"{where}: {msg}")
