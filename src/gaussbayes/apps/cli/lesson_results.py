"""A lesson's results: what the handout prints, ours, and the right one; and over many draws."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gaussbayes.apps.cli.console import five_digits, fixed, table
from gaussbayes.base.types import FloatArray
from gaussbayes.lessons.lesson import Result, Spread

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

_MOST_DECIMALS = 8
_WIDEST_NAME = 48
_SPREAD_DECIMALS = 3
_TINY = 1e-6
"""What is smaller is written with an exponent."""


@dataclass(frozen=True, slots=True, eq=False)
class Replayed:
    """A result and our value of it."""

    result: Result
    ours: FloatArray

    @property
    def handout_agrees(self) -> bool | None:
        """Whether the handout's number is right; None if it prints none."""
        handout = self.result.handout
        return None if handout is None else self.result.agrees(handout)

    @property
    def ours_agrees(self) -> bool:
        """Whether our number is right."""
        return self.result.agrees(self.ours)

    @property
    def drawn(self) -> bool:
        """Whether it depends on a random draw."""
        return bool(np.any(np.asarray(self.result.standard_error) > 0))

    def record(self) -> dict[str, Any]:
        """Everything about it as plain values."""
        result = self.result
        return {
            **{name: getattr(result, name) for name in ("name", "unit", "handout", "right")},
            "ours": self.ours.tolist(),
            "tolerance": result.tolerance.tolist(),
            "random": self.drawn,
            "handout_agrees": self.handout_agrees,
            "ours_agrees": self.ours_agrees,
        }


def result_table(replayed: Sequence[Replayed]) -> "Table":
    """Mark, name and verdict, the handout's number, ours, and the right each.

    Vectors are written as columns and matrices by row, so that what belongs together is on one
    line. Where the handout prints none of the numbers, its column is left out.
    """
    printed = any(each.result.handout is not None for each in replayed)
    numbers = ["the handout", "ours", "right"] if printed else ["ours", "right"]
    lines = table("", "result", *numbers, n_text=2, leading=1)
    lines.columns[1].max_width = _WIDEST_NAME  # so that the numbers stay close by
    for column in lines.columns[2:]:
        column.justify = "left"
    for each in replayed:
        good, words = verdict(each)
        cells = [_ours(each), written(each.result.right)]
        if printed:
            handout = each.result.handout
            cells.insert(0, "–" if handout is None else written(handout, fill=False))
        lines.add_row(*_marked(each.result, good, words), *cells)
    return lines


@dataclass(frozen=True, slots=True, eq=False)
class Repeated:
    """A spread and our values, one a draw."""

    spread: Spread
    values: FloatArray  # (draws,)

    def record(self) -> dict[str, Any]:
        """Everything about it as plain values."""
        return {
            "name": self.spread.name,
            "unit": self.spread.unit,
            "handout": self.spread.handout,
            "draws": len(self.values),
            "smallest": float(self.values.min()),
            "mean": float(self.values.mean()),
            "largest": float(self.values.max()),
            "handout_among_them": self.spread.holds(self.values),
        }


def spread_table(repeated: Sequence[Repeated]) -> "Table":
    """Smallest, mean and largest value over the draws, and whether the handout's is among them."""
    columns = ("", "result", "draws", "smallest", "mean", "largest", "the handout")
    lines = table(*columns, n_text=2, leading=1)
    for each in repeated:
        seen = each.record()
        among = seen["handout_among_them"]
        words = "the handout's lies among them" if among else "the handout's lies outside"
        lines.add_row(
            *_marked(each.spread, among, words),
            f"{seen['draws']:,}",
            *(written(seen[name], _SPREAD_DECIMALS) for name in ("smallest", "mean", "largest")),
            written(seen["handout"]),
        )
    return lines


def _marked(result: Result | Spread, good: bool, words: str) -> "tuple[Text, Text]":
    """A mark, and the name of a result with what is said of it."""
    from rich.text import Text

    unit = f" ({result.unit})" if result.unit else ""
    mark = Text("✓", style="green") if good else Text("✗", style="bold red")
    return mark, Text(f"{result.name}{unit}").append(f"\n{words}", style="dim")


def notes(replayed: Sequence[Replayed]) -> list[str]:
    """What has to be said to the table."""
    remarks = []
    if all(each.result.handout is None for each in replayed):
        remarks.append("The handout prints none of these numbers.")
    if any(each.drawn for each in replayed):
        remarks.append(
            "±: how far a right result may lie off because its rows are drawn at random."
        )
    return remarks


def verdict(each: Replayed) -> tuple[bool, str]:
    """Whether all is well, and what to say of it."""
    if not each.ours_agrees:
        return False, "ours is off" if each.handout_agrees is not False else "both are off"
    if each.handout_agrees is False:
        return False, "the handout errs"
    words = "right" if each.handout_agrees is None else "agree"
    if each.drawn:
        words += f" within ±{float(np.max(each.result.tolerance)):.2g}"
    return True, words


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


def _ours(each: Replayed) -> str:
    """Our value to the decimals that are right, or two beyond the first that is random."""
    result, decimals = each.result, min(each.result.decimals, _MOST_DECIMALS)
    if each.drawn:
        errors = np.asarray(result.standard_error, dtype=np.float64)
        first = -math.floor(math.log10(errors[errors > 0].min()))
        decimals = max(0, min(decimals, first + 2))
    # What is zero but for rounding errors is written as zero.
    nothing = (np.asarray(result.right) == 0) & (np.abs(each.ours) < 0.5 * 10.0**-result.decimals)
    return written(np.where(nothing, 0.0, each.ours), decimals)
