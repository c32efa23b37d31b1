"""The features: how many there are, what they hold and what they are called ↔ JSON."""

from typing import Any

from gaussbayes.model.file.fields import choice, members, refuse, texts, writable

NUMBER, CATEGORY = TYPES = ("number", "category")
"""What a feature holds."""


def write(
    n_features: int, names: tuple[str, ...] | None, categorical: tuple[int, ...] = ()
) -> dict[str, Any]:
    """Names, if there are any, and types as plain values.

    Examples
    --------
    >>> write(2, ("age", "wind"), (1,))
    {'names': ['age', 'wind'], 'types': ['number', 'category']}
    """
    if names is not None:
        names = tuple(writable(name, f"features.names[{j}]") for j, name in enumerate(names))
        _refuse_doubles(list(names))
    of_categories = set(categorical)
    types = [CATEGORY if j in of_categories else NUMBER for j in range(n_features)]
    return {"names": None if names is None else list(names), "types": types}


def read(value: object) -> tuple[int, tuple[str, ...] | None, tuple[int, ...]]:
    """How many features there are, their names if they have any, and which hold categories."""
    found, types = members(value, "features", ["names", "types"])
    kinds = texts(types, "features.types")
    if not kinds:
        refuse("features.types", "one for each feature, and at least one", types)
    for j, kind in enumerate(kinds):
        choice(kind, f"features.types[{j}]", TYPES)
    categorical = tuple(j for j, kind in enumerate(kinds) if kind == CATEGORY)
    if found is None:
        return len(kinds), None, categorical
    names = texts(found, "features.names")
    if len(names) != len(kinds):
        refuse("features.names", f"null or {len(kinds):,} names, as many as types", found)
    _refuse_doubles(names)
    return len(kinds), tuple(names), categorical


def _refuse_doubles(names: list[str]) -> None:
    seen: set[str] = set()
    for j, name in enumerate(names):
        if name in seen:
            refuse(f"features.names[{j}]", "names that are all different", name)
        seen.add(name)
