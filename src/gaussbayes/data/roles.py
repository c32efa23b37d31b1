"""Which columns of a source are the target, the features and the weights, and what they hold."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from gaussbayes.base.errors import DataError, SchemaError
from gaussbayes.base.types import BadRowHandling, CategoricalFeatures
from gaussbayes.data.arrow_columns import is_category, is_label, is_number
from gaussbayes.data.encoder import Encoder, categorical_mask, feature_position
from gaussbayes.data.selection import check_present, listed, repeated

if TYPE_CHECKING:
    import pyarrow as pa

FeatureKind: TypeAlias = Literal["number", "count", "bit", "category"]
"""What a feature must hold: numbers, integers from 0 on, 0 or 1, or categories."""

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
    kinds: Mapping[str | int, FeatureKind] | None = None
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
    """The columns to read."""

    target: str | None
    features: tuple[str, ...]
    weights: str | None = None
    categorical: tuple[str, ...] = ()  # the features that hold categories
    counts: tuple[str, ...] = ()  # the features that hold counts
    bits: tuple[str, ...] = ()  # the features that hold 0 and 1

    @property
    def numeric(self) -> tuple[str, ...]:
        """The features that hold numbers.

        Examples
        --------
        >>> Roles("sex", ("age", "town"), None, ("town",)).numeric
        ('age',)
        """
        if not self.categorical:
            return self.features
        return tuple(name for name in self.features if name not in self.categorical)

    @property
    def numbers(self) -> tuple[str, ...]:
        """Those that must hold numbers: features, unless they hold categories, and weights."""
        return self.numeric if self.weights is None else (*self.numeric, self.weights)

    @property
    def columns(self) -> tuple[str, ...]:
        """All of them."""
        target = () if self.target is None else (self.target,)
        return (*self.numbers, *self.categorical, *target)

    @property
    def encoder(self) -> Encoder:
        """The encoder of the features, which knows no categories."""
        places = tuple(self.features.index(name) for name in self.categorical)
        return Encoder(len(self.features), self.features, places)

    def present(self, request: Request) -> tuple[str, ...]:
        """Those in which every value must be there.

        Examples
        --------
        >>> Roles("sex", ("age", "height"), "count").present(Request("sex"))
        ('count',)
        """
        names = (*self.numbers, *self.categorical) if request.complete else ()
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
    _check_different(names, "the columns")
    features, target, weights = request.features, request.target, request.weights
    if isinstance(features, str):
        msg = (
            f"features must be a list of columns, got the string {features!r}: give [{features!r}]"
        )
        raise SchemaError(msg)
    special = {role: name for role, name in (("target", target), ("weights", weights)) if name}
    wanted = list(features or ())
    if features is None:
        wanted = [name for name in names if name not in special.values()]
    _check_different(wanted, "the features")
    for role, name in special.items():
        if name in wanted:
            msg = f"{name!r} is the {role} and cannot be a feature too: leave it out of features"
            raise SchemaError(msg)
    if weights is not None and target == weights:
        msg = f"{target!r} cannot be both the target and the weights: name two columns"
        raise SchemaError(msg)
    check_present(names, (*special.values(), *wanted))
    if not wanted:
        msg = f"there is no column to learn from besides {listed(list(special.values()))}"
        raise SchemaError(msg)
    mask = categorical_mask(
        wanted, [name in typed for name in wanted], request.categorical_features
    )
    special_kinds: dict[str, list[str]] = {"count": [], "bit": []}
    for feature, kind in (request.kinds or {}).items():
        place = feature_position(feature, wanted, len(wanted))
        mask[place] = kind == "category"
        if kind in special_kinds:
            special_kinds[kind].append(wanted[place])
    categorical = tuple(wanted[place] for place in np.flatnonzero(mask))
    counts, bits = map(tuple, special_kinds.values())
    return Roles(target, tuple(wanted), weights, categorical, counts, bits)


def _check_different(names: Sequence[str], what: str) -> None:
    twice = repeated(names)
    if twice:
        msg = f"{what} must have different names, but there is more than one {listed(twice)}"
        raise SchemaError(msg)


def check_numbers(
    schema: "pa.Schema",
    names: Sequence[str],
    file: str,
    examples: Sequence[tuple[str, str]] = (),
) -> None:
    """Raise for features or weights that are not numbers, and show what they are.

    Parameters
    ----------
    names : the columns that must hold numbers
    examples : values of columns of strings
    """
    wrong = [name for name in names if not is_number(schema.field(name).type)]
    if not wrong:
        return
    values = dict(examples)
    first = values.get(wrong[0], "")
    if _DECIMAL_COMMA.fullmatch(first):
        msg = f"{file}: column {wrong[0]!r} holds {first!r}: write decimals with a point (1.5)"
        raise DataError(msg)
    kinds = [
        f"{schema.field(name).type}, for example {values[name]!r}"
        if name in values
        else schema.field(name).type
        for name in wrong
    ]
    check_no_others(list(zip(wrong, kinds, strict=True)), file)


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


def check_labels(schema: "pa.Schema", target: str, file: str) -> None:
    """Raise for a target that cannot be classes."""
    kind = schema.field(target).type
    if not is_label(kind) and str(kind) != "null":
        msg = (
            f"{file}: the target {target!r} holds {kind} values, but classes are strings, integers "
            "or booleans: is it the right column?"
        )
        raise DataError(msg)


def check_category_types(schema: "pa.Schema", names: Sequence[str], file: str) -> None:
    """Raise for features that cannot be categories."""
    for name in names:
        kind = schema.field(name).type
        if not is_category(kind):
            msg = (
                f"{file}: column {name!r} holds {kind} values, but categories are strings, "
                "integers or booleans: cast it, or leave it out"
            )
            raise DataError(msg)
