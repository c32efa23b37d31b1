"""The features: how many there are, what they hold and what they are called ↔ JSON."""

from typing import Any

from gaussbayes.storage.fields import members, refuse, texts, writable

TYPE = "number"
"""What a feature holds; there is one kind so far."""


def write(n_features: int, names: tuple[str, ...] | None) -> dict[str, Any]:
    """Names, if there are any, and types as plain values.

    Examples
    --------
    >>> write(2, ("age", "height"))
    {'names': ['age', 'height'], 'types': ['number', 'number']}
    """
    if names is not None:
        names = tuple(writable(name, f"features.names[{j}]") for j, name in enumerate(names))
        _refuse_doubles(list(names))
    return {"names": None if names is None else list(names), "types": [TYPE] * n_features}


def read(value: object) -> tuple[int, tuple[str, ...] | None]:
    """How many features there are, and their names if they have any."""
    found, types = members(value, "features", ["names", "types"])
    kinds = texts(types, "features.types")
    if not kinds:
        refuse("features.types", "one for each feature, and at least one", types)
    for j, kind in enumerate(kinds):
        if kind != TYPE:
            refuse(f"features.types[{j}]", f"{TYPE!r}", kind)
    if found is None:
        return len(kinds), None
    names = texts(found, "features.names")
    if len(names) != len(kinds):
        refuse("features.names", f"null or {len(kinds):,} names, as many as types", found)
    _refuse_doubles(names)
    return len(kinds), tuple(names)


def _refuse_doubles(names: list[str]) -> None:
    seen: set[str] = set()
    for j, name in enumerate(names):
        if name in seen:
            refuse(f"features.names[{j}]", "names that are all different", name)
        seen.add(name)
