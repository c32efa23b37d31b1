"""Which columns of a source are the target, the features and the weights."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from gaussbayes.base.errors import DataError, SchemaError
from gaussbayes.base.spelling import meant
from gaussbayes.base.types import CategoricalFeatures
from gaussbayes.data.sources.matching import listed, repeated

_MOST_NAMED = 5
"""Columns of a wrong type that are named."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The columns to read."""

    target: str
    features: tuple[str, ...]
    weights: str | None
    categorical: tuple[str, ...] = ()  # the features that hold categories

    @property
    def numeric(self) -> tuple[str, ...]:
        """The features that hold numbers.

        Examples
        --------
        >>> Choice("sex", ("age", "town"), None, ("town",)).numeric
        ('age',)
        """
        if not self.categorical:
            return self.features
        return tuple(name for name in self.features if name not in self.categorical)

    @property
    def places(self) -> tuple[int, ...]:
        """Where the features that hold categories are among all."""
        return tuple(self.features.index(name) for name in self.categorical)

    @property
    def numbers(self) -> tuple[str, ...]:
        """Those that must hold numbers: features, unless they hold categories, and weights."""
        return self.numeric if self.weights is None else (*self.numeric, self.weights)

    def present(self, *, complete: bool = False) -> tuple[str, ...]:
        """Those in which every value must be there: the target, weights, all of them if complete.

        Examples
        --------
        >>> Choice("sex", ("age", "height"), "count").present()
        ('sex', 'count')
        """
        if complete:
            return (self.target, *self.numbers, *self.categorical)
        return (self.target,) if self.weights is None else (self.target, self.weights)

    @property
    def columns(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.numbers, *self.categorical, self.target)


def choose(
    names: Sequence[Any],
    target: str,
    features: Sequence[str] | None,
    weights: str | None,
    categorical: CategoricalFeatures = None,
    typed: Collection[str] = (),
) -> Choice:
    """Find the columns wanted among those there are; without `features`, all others are.

    Parameters
    ----------
    categorical : which features hold categories, by name, number or truth value; "from_dtype":
        those of a categorical type, which are `typed`

    Examples
    --------
    >>> choose(["age", "height", "sex"], "sex", None, None).features
    ('age', 'height')
    """
    there = list(names)
    if not all(isinstance(name, str) for name in there):
        other = next(name for name in there if not isinstance(name, str))
        msg = f"columns are found by names that are text, but one is called {other!r}: rename it"
        raise SchemaError(msg)
    _refuse_doubles(there, "the columns")
    if isinstance(features, str):
        msg = f"features is a list of columns, got the text {features!r}: give [{features!r}]"
        raise SchemaError(msg)
    special = [target] if weights is None else [target, weights]
    wanted = [name for name in there if name not in special] if features is None else list(features)
    _refuse_doubles(wanted, "the features")
    for name, role in zip(special, ("target", "weights"), strict=False):
        if name in wanted:
            msg = f"{name!r} is the {role} and cannot be a feature too: leave it out of features"
            raise SchemaError(msg)
    if target == weights:
        msg = f"{target!r} cannot be both the target and the weights: name two columns"
        raise SchemaError(msg)
    refuse_missing(there, (*special, *wanted))
    if not wanted:
        msg = f"there is no column to learn from besides {listed(special)}"
        raise SchemaError(msg)
    return Choice(target, tuple(wanted), weights, _categorical(wanted, categorical, typed))


def _categorical(
    features: Sequence[str], chosen: CategoricalFeatures, typed: Collection[str]
) -> tuple[str, ...]:
    by_type = isinstance(chosen, str) and chosen == "from_dtype"
    if chosen is None or (by_type and not set(typed) & set(features)):
        return ()
    from gaussbayes.data.categorical_choice import marked

    mask = marked(features, [name in typed for name in features], chosen)
    return tuple(name for name, own in zip(features, mask, strict=True) if own)


def refuse_missing(there: Sequence[str], wanted: Sequence[str]) -> None:
    """Raise if a column that is wanted is not there, and say which there are."""
    known = set(there)
    missing = [name for name in wanted if name not in known]
    if missing:
        close = meant(missing[0], there)
        msg = f"there is no column {listed(missing)}{close}; the columns are {listed(there)}"
        raise SchemaError(msg)


def _refuse_doubles(names: Sequence[str], what: str) -> None:
    twice = repeated(names)
    if twice:
        msg = f"{what} must have different names, but there is more than one {listed(twice)}"
        raise SchemaError(msg)


def refuse_not_numbers(wrong: Sequence[tuple[str, object]], where: str | None = None) -> None:
    """Raise if there are columns, given with their types, that hold something else."""
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
