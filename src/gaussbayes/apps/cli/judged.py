"""An evaluation as a person reads it, and as a program does."""

import math
from typing import TYPE_CHECKING, Any

from gaussbayes.apps.cli import output

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from gaussbayes.analysis.evaluation import Evaluation

MOST_CLASSES = 8
"""Classes whose confusion matrix fits a terminal; of more, the most frequent errors are listed."""

MOST_ERRORS = 12
"""Pairs of classes in that list."""


def record(told: "Evaluation") -> dict[str, Any]:
    """Plain values under plain names; an infinite log loss, or a share of no rows, is None."""
    rows = told.confusion.sum(axis=1).tolist()
    shares = zip(told.classes.tolist(), rows, told.recall, told.precision, strict=True)
    return {
        "rows": told.n_rows,
        "errors": told.n_errors,
        "error": told.error,
        "accuracy": told.accuracy,
        "log_loss": _finite(told.log_loss),
        "brier": told.brier,
        "calibration_error": _finite(told.calibration_error),
        "classes": [
            {"class": label, "rows": n, "recall": _finite(recall), "precision": _finite(precision)}
            for label, n, recall, precision in shares
        ],
        "confusion": told.confusion.tolist(),
    }


def show(console: "Console", told: "Evaluation", how: str) -> None:
    """Print the figures, the classes one by one, and which of them are confused."""
    output.paragraph(console, how, style="dim")
    console.print()
    console.print(_figures(told))
    console.print()
    console.print(_classes(told))
    if told.n_errors == 0:
        return
    console.print()
    few = told.classes.size <= MOST_CLASSES
    console.print(_confusion(told) if few else _frequent_errors(told))


def _figures(told: "Evaluation") -> "Table":
    made = output.table("figure", "value", "")
    made.leading = 0
    made.columns[1].justify = "right"
    rows = [
        ("error", f"{100 * told.error:.2f} %", f"{told.n_errors:,} of {told.n_rows:,} rows"),
        ("log loss", _number(told.log_loss), "nats a row; 0 is best"),
        ("Brier score", _number(told.brier), "0 is best, 2 is worst"),
        ("calibration error", _number(told.calibration_error), "0 is best, 1 is worst"),
    ]
    for row in rows:
        made.add_row(*row)
    return made


def _classes(told: "Evaluation") -> "Table":
    made = output.table("class", "rows", "recall", "precision")
    made.leading = 0
    for column in made.columns[1:]:
        column.justify, column.no_wrap = "right", True
    rows = told.confusion.sum(axis=1).tolist()
    names = [str(label) for label in told.classes.tolist()]
    for cells in zip(names, rows, told.recall, told.precision, strict=True):
        name, n, recall, precision = cells
        made.add_row(name, f"{n:,}", _percent(recall), _percent(precision))
    return made


def _confusion(told: "Evaluation") -> "Table":
    from rich.text import Text

    names = [str(label) for label in told.classes.tolist()]
    made = output.table("true class", *names, title="predicted as")
    made.leading = 0
    for column in made.columns[1:]:
        column.justify = "right"
    for i, (name, counts) in enumerate(zip(names, told.confusion.tolist(), strict=True)):
        cells = [
            Text(f"{count:,}", style="bold" if i == j else "" if count else "dim")
            for j, count in enumerate(counts)
        ]
        made.add_row(Text(name), *cells)
    return made


def _frequent_errors(told: "Evaluation") -> "Table":
    made = output.table("true class", "predicted as", "rows", title="most frequent errors")
    made.leading = 0
    made.columns[2].justify = "right"
    names = [str(label) for label in told.classes.tolist()]
    found = [
        (count, i, j)
        for i, counts in enumerate(told.confusion.tolist())
        for j, count in enumerate(counts)
        if count and i != j
    ]
    found.sort(key=lambda pair: (-pair[0], pair[1:]))
    for count, i, j in found[:MOST_ERRORS]:
        made.add_row(names[i], names[j], f"{count:,}")
    if len(found) > MOST_ERRORS:
        made.caption = f"and {len(found) - MOST_ERRORS} more pairs of classes"
        made.caption_justify, made.caption_style = "left", "dim"
    return made


def _number(value: float) -> str:
    return "∞" if math.isinf(value) else f"{value:.4f}"


def _percent(share: float) -> str:
    return "–" if math.isnan(share) else f"{100 * share:.2f} %"


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
