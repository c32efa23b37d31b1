"""Columns that hold something else than numbers where these are needed: named all at once."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from gaussbayes.base.errors import DataError
from gaussbayes.base.notices import AUTOMATIC_MODEL, Remedy

_MOST_NAMED = 5


def check_no_others(
    wrong: Sequence[tuple[str, object]],
    coded: Collection[str],
    kinds: Mapping[str, str],
    where: str | None = None,
    *,
    told: bool = False,
) -> None:
    """Raise if there are columns, given with their types, that hold something else than numbers.

    Those that are `coded` may hold categories. The remedies name all columns that there would be,
    which must hold these `kinds`; without kinds there are none.
    """
    if not wrong:
        return
    shown = ", ".join(f"{name!r} ({kind})" for name, kind in wrong[:_MOST_NAMED])
    more = f" and {len(wrong) - _MOST_NAMED} more" if len(wrong) > _MOST_NAMED else ""
    msg = f"not numbers: column {shown}{more}"
    names, remedies = [name for name, _ in wrong], []
    features = [name for name, kind in kinds.items() if kind != "weight"]
    if all(kinds.get(name) == "number" for name in names):
        categories = [name for name in features if kinds[name] == "category" or name in coded]
        usable = [name for name in features if name not in names or name in coded]
        chosen: tuple[tuple[str, Any], ...] = () if usable == features else (("features", usable),)
        if coded and not chosen and not told:
            remedies.append(AUTOMATIC_MODEL)
        if coded:
            options = (*chosen, ("categorical", categories))
            remedies.append(Remedy("treat strings as categories", columns=options))
        numbers = [name for name in features if name not in names]
        if numbers:
            remedies.append(Remedy("use the other columns", columns=(("features", numbers),)))
    raise DataError(msg if where is None else f"{where}: {msg}").with_remedies(remedies)
