"""Where a number of the sheet that hangs on its random draw lies among many draws of ours."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gaussbayes.apps.cli import output
from gaussbayes.apps.cli.figures import written
from gaussbayes.base.types import FloatArray
from gaussbayes.lessons.lesson import Spread

if TYPE_CHECKING:
    from rich.table import Table

_DECIMALS = 3


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
            "sheet": self.spread.sheet,
            "draws": len(self.values),
            "smallest": float(self.values.min()),
            "mean": float(self.values.mean()),
            "largest": float(self.values.max()),
            "sheet_among_them": self.spread.holds(self.values),
        }


def table(repeated: Sequence[Repeated]) -> "Table":
    """Smallest, mean and largest value over the draws, and whether the sheet's lies among them."""
    from rich.text import Text

    made = output.table("", "figure", "draws", "smallest", "mean", "largest", "the sheet")
    for column in made.columns[2:]:
        column.justify, column.no_wrap = "right", True
    for one in repeated:
        seen = one.record()
        among = seen["sheet_among_them"]
        unit = f" ({seen['unit']})" if seen["unit"] else ""
        words = "the sheet's lies among them" if among else "the sheet's lies outside"
        mark = Text("✓", style="green") if among else Text("✗", style="bold red")
        made.add_row(
            mark,
            Text(f"{seen['name']}{unit}").append(f"\n{words}", style="dim"),
            f"{seen['draws']:,}",
            *(written(seen[name], _DECIMALS) for name in ("smallest", "mean", "largest")),
            written(seen["sheet"]),
        )
    return made
