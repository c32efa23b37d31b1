"""The families by name; a new family adds one line here."""

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from gaussbayes.base.errors import OptionError
from gaussbayes.base.spelling import meant

FAMILIES = {
    "gaussian": "Gaussian",
    "categorical": "Categorical",
    "poisson": "Poisson",
    "pairs": "Pairs",
}
"""The class of each family; it is in the module or package of the same name as the family."""

RECORDED = (*FAMILIES, "transformed")
"""The families in model files: those above, and the one that wraps another."""


def check_family(name: str) -> None:
    """Raise for an unknown name of a family."""
    if name not in FAMILIES:
        known = ", ".join(map(repr, FAMILIES))
        msg = f"a family must be one of {known}, got {name!r}{meant(name, tuple(FAMILIES))}"
        raise OptionError(msg)


def family_type(name: str) -> Any:
    """The class of the family with this name, imported now."""
    return getattr(import_module(f"gaussbayes.families.{name}"), FAMILIES[name])


def family_records(name: str) -> Any:
    """The module that writes a family to a model file and reads it, imported now.

    It is the module `record` of the family, or the family itself if it is one module. It has the
    types `SettingsRecord`, `StatisticsRecord` and `DensityRecord` (see `gaussbayes.base.records`).
    Each has a class method ``of`` that creates it, and the inverse: ``read()`` for settings and
    ``read(family, names)`` for the others, where `names`, a `Schema`, has their classes and
    columns. `gaussbayes.base.records.refuse` reports problems.
    """
    return _part(name, "record") or import_module(f"gaussbayes.families.{name}")


def _part(name: str, part: str) -> ModuleType | None:
    """A module of the package of a family; None without it, or if the family is one module."""
    package = f"gaussbayes.families.{name}"
    if not hasattr(import_module(package), "__path__") or find_spec(f"{package}.{part}") is None:
        return None
    return import_module(f"{package}.{part}")
