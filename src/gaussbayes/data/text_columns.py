"""Columns that hold something else than numbers where these are needed: named all at once."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from gaussbayes.base.errors import DataError
from gaussbayes.base.missing_marks import MissingMarks
from gaussbayes.base.notices import AUTOMATIC_MODEL, Remedy
from gaussbayes.data.tables import frame_matrix, is_missing, series_values

_MOST_NAMED = 5


def check_frame(frame: Any, numeric: Collection[int], missing: MissingMarks) -> None:
    """Raise if columns of a frame of narwhals hold strings that are not numbers.

    Those that are not `numeric`, which are given by their places, hold categories.
    """
    wrong: list[tuple[str, object]] = []
    kinds = {}
    for place, series in enumerate(frame.iter_columns()):
        kinds[series.name] = "number" if place in numeric else "category"
        if place not in numeric or series.dtype.is_numeric():
            continue
        try:
            frame_matrix(series.to_frame(), missing)
        except DataError:
            marks = missing.of(series.name)
            texts = (
                f"string, for example {value!r:.60} in row {row}"
                for row, value in enumerate(series_values(series))
                if isinstance(value, str) and not is_missing(value, marks)
            )
            if (text := next(texts, None)) is not None:
                wrong.append((series.name, text))
    check_no_others(wrong, [name for name, _ in wrong], kinds)


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
