"""A lesson's results: what the handout prints, ours, and the right one; and over many draws."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gaussbayes.apps.cli.console import five_digits, fixed, table
from gaussbayes.lessons.lesson import Result, Spread

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

_MOST_DECIMALS = 8
_WIDEST_NAME = 48
_SPREAD_DECIMALS = 3
_TINY = 1e-6
"""What is smaller is written with an exponent."""


def result_record(result: Result) -> dict[str, Any]:
    """A result and our value of it, as plain values; `random` ones depend on a random draw."""
    ours, printed = result.value(), result.handout
    given = ("name", "unit", "handout", "right", "decimals", "standard_error")
    return {
        **{name: getattr(result, name) for name in given},
        "ours": ours.tolist(),
        "tolerance": result.tolerance.tolist(),
        "random": bool(np.any(np.asarray(result.standard_error) > 0)),
        "handout_agrees": None if printed is None else result.agrees(printed),
        "ours_agrees": result.agrees(ours),
    }


def result_table(records: Sequence[dict[str, Any]]) -> "Table":
    """Mark, name and verdict, the handout's number, ours, and the right each.

    Vectors are written as columns and matrices by row, so that what belongs together is on one
    line. Where the handout prints none of the numbers, its column is left out.
    """
    printed = any(each["handout"] is not None for each in records)
    numbers = ["the handout", "ours", "right"] if printed else ["ours", "right"]
    lines = table("", "result", *numbers, n_text=2, leading=1)
    lines.columns[1].max_width = _WIDEST_NAME  # so that the numbers stay close by
    for column in lines.columns[2:]:
        column.justify = "left"
    for each in records:
        cells = [_ours(each), written(each["right"])]
        if printed:
            handout = each["handout"]
            cells.insert(0, "–" if handout is None else written(handout, fill=False))
        lines.add_row(*_marked(each, *verdict(each)), *cells)
    return lines


def spread_record(spread: Spread) -> dict[str, Any]:
    """A spread and our values, one a draw, as plain values."""
    values = spread.values()
    return {
        "name": spread.name,
        "unit": spread.unit,
        "handout": spread.handout,
        "draws": len(values),
        "smallest": float(values.min()),
        "mean": float(values.mean()),
        "largest": float(values.max()),
        "handout_among_them": spread.holds(values),
    }


def spread_table(records: Sequence[dict[str, Any]]) -> "Table":
    """Smallest, mean and largest value over the draws, and whether the handout's is among them."""
    columns = ("", "result", "draws", "smallest", "mean", "largest", "the handout")
    lines = table(*columns, n_text=2, leading=1)
    for each in records:
        among = each["handout_among_them"]
        words = "the handout's lies among them" if among else "the handout's lies outside"
        numbers = (written(each[name], _SPREAD_DECIMALS) for name in columns[3:6])
        handout = written(each["handout"])
        lines.add_row(*_marked(each, among, words), f"{each['draws']:,}", *numbers, handout)
    return lines


def _marked(record: dict[str, Any], good: bool, words: str) -> "tuple[Text, Text]":
    """A mark, and the name of a result with what is said of it."""
    from rich.text import Text

    unit = f" ({record['unit']})" if record["unit"] else ""
    mark = Text("✓", style="green") if good else Text("✗", style="bold red")
    return mark, Text(f"{record['name']}{unit}").append(f"\n{words}", style="dim")


def notes(records: Sequence[dict[str, Any]]) -> list[str]:
    """What has to be said to the table."""
    remarks = {
        "The handout prints none of these numbers.": all(
            each["handout"] is None for each in records
        ),
        "±: how far a right result may lie off because its rows are drawn at random.": any(
            each["random"] for each in records
        ),
    }
    return [remark for remark, holds in remarks.items() if holds]


def verdict(record: dict[str, Any]) -> tuple[bool, str]:
    """Whether all is well, and what to say of it."""
    handout = record["handout_agrees"]
    if not record["ours_agrees"]:
        return False, "both are off" if handout is False else "ours is off"
    if handout is False:
        return False, "the handout errs"
    spread = f" within ±{np.max(record['tolerance']):.2g}" if record["random"] else ""
    return True, f"{'right' if handout is None else 'agree'}{spread}"


def written(numbers: ArrayLike, decimals: int = _MOST_DECIMALS, *, fill: bool = True) -> str:
    """A number, a vector as a column, or matrices by row, aligned at their points.

    No more decimals than are needed; with `fill`, the same for all numbers.

    Examples
    --------
    >>> print(written([[2, -0.5], [-0.5, 12.25]]))
     2.00 −0.50
    −0.50 12.25
    """
    values = np.asarray(numbers, dtype=np.float64)
    lines = values.reshape(-1, 1 if values.ndim < 2 else values.shape[-1])
    per_matrix = len(lines) if values.ndim < 3 else values.shape[-2]
    needed = max(_decimals(value, decimals) for value in values.flat)
    texts = [
        [_number(value, needed if fill else _decimals(value, decimals)) for value in line]
        for line in lines.tolist()
    ]
    columns = [_aligned(column) for column in zip(*texts, strict=True)]
    rows = [" ".join(row).rstrip() for row in zip(*columns, strict=True)]
    matrices = (rows[i : i + per_matrix] for i in range(0, len(rows), per_matrix))
    return "\n\n".join("\n".join(matrix) for matrix in matrices)


def _aligned(column: Sequence[str]) -> list[str]:
    parts = [text.partition(".") for text in column]
    before = max(len(whole) for whole, _, _ in parts)
    after = max(len(point + rest) for _, point, rest in parts)
    return [f"{whole:>{before}}{point + rest:<{after}}" for whole, point, rest in parts]


def _number(value: float, decimals: int) -> str:
    return five_digits(value) if _is_tiny(value) else fixed(value, decimals)


def _decimals(value: float, most: int) -> int:
    """How many a number needs when rounded to `most`: none for 2.0, two for −0.25."""
    return 0 if _is_tiny(value) else len(f"{value:.{most}f}".partition(".")[2].rstrip("0"))


def _is_tiny(value: float) -> bool:
    return 0.0 < abs(value) < _TINY


def _ours(record: dict[str, Any]) -> str:
    """Our value to the decimals that are right, or two beyond the first that is random."""
    decimals = min(record["decimals"], _MOST_DECIMALS)
    if record["random"]:
        errors = np.asarray(record["standard_error"], dtype=np.float64)
        first = -math.floor(math.log10(errors[errors > 0].min()))
        decimals = max(0, min(decimals, first + 2))
    # What is zero but for rounding errors is written as zero.
    ours = np.asarray(record["ours"])
    nothing = (np.asarray(record["right"]) == 0) & (
        np.abs(ours) < 0.5 * 10.0 ** -record["decimals"]
    )
    return written(np.where(nothing, 0.0, ours), decimals)
