"""An evaluation as a person reads it, and as a program does."""

from typing import TYPE_CHECKING, Any

from gaussbayes.apps.cli import console
from gaussbayes.apps.cli.console import finite, fixed, percent

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from gaussbayes.analysis.evaluation import Evaluation

MOST_CLASSES = 8
"""Classes whose confusion matrix fits a terminal; of more, the most frequent errors are listed."""

MOST_ERRORS = 12
"""Pairs of classes in that list."""


def evaluation_record(evaluation: "Evaluation") -> dict[str, Any]:
    """Plain values; an infinite log loss, or a proportion of no rows, is None."""
    rows = evaluation.confusion.sum(axis=1).tolist()
    columns = zip(
        evaluation.classes.tolist(), rows, evaluation.recall, evaluation.precision, strict=True
    )
    return {
        "rows": evaluation.n_rows,
        "errors": evaluation.n_errors,
        "error": evaluation.error,
        "accuracy": evaluation.accuracy,
        "log_loss": finite(evaluation.log_loss),
        "brier": evaluation.brier,
        "calibration_error": finite(evaluation.calibration_error),
        "classes": [
            {"class": label, "rows": n, "recall": finite(recall), "precision": finite(precision)}
            for label, n, recall, precision in columns
        ],
        "confusion": evaluation.confusion.tolist(),
    }


def print_evaluation(out: "Console", evaluation: "Evaluation", how: str) -> None:
    """Print the figures, the classes one by one, and which of them are confused."""
    console.paragraph(out, how, style="dim")
    tables = [_figures(evaluation), _classes(evaluation)]
    if evaluation.n_errors:
        few = evaluation.classes.size <= MOST_CLASSES
        tables.append(_confusion(evaluation) if few else _frequent_errors(evaluation))
    console.print_tables(out, tables)


def _figures(evaluation: "Evaluation") -> "Table":
    table = console.text_table("figure", "value", "")
    table.columns[1].justify = "right"
    wrong = f"{evaluation.n_errors:,} of {evaluation.n_rows:,} rows"
    table.add_row("error", percent(evaluation.error), wrong)
    table.add_row("log loss", fixed(evaluation.log_loss, 4), "nats a row; 0 is best")
    table.add_row("Brier score", fixed(evaluation.brier, 4), "0 is best, 2 is worst")
    calibration = fixed(evaluation.calibration_error, 4)
    table.add_row("calibration error", calibration, "0 is best, 1 is worst")
    return table


def _classes(evaluation: "Evaluation") -> "Table":
    table = console.number_table("class", "rows", "recall", "precision")
    rows = evaluation.confusion.sum(axis=1).tolist()
    columns = zip(_names(evaluation), rows, evaluation.recall, evaluation.precision, strict=True)
    for name, n, recall, precision in columns:
        table.add_row(name, f"{n:,}", percent(recall), percent(precision))
    return table


def _confusion(evaluation: "Evaluation") -> "Table":
    from rich.text import Text

    names = _names(evaluation)
    table = console.text_table("true class", *names, title="predicted as")
    for column in table.columns[1:]:
        column.justify = "right"
    for i, (name, counts) in enumerate(zip(names, evaluation.confusion.tolist(), strict=True)):
        cells = [
            Text(f"{count:,}", style="bold" if i == j else "" if count else "dim")
            for j, count in enumerate(counts)
        ]
        table.add_row(Text(name), *cells)
    return table


def _frequent_errors(evaluation: "Evaluation") -> "Table":
    table = console.text_table("true class", "predicted as", "rows", title="most frequent errors")
    table.columns[2].justify = "right"
    names = _names(evaluation)
    pairs = [
        (count, i, j)
        for i, counts in enumerate(evaluation.confusion.tolist())
        for j, count in enumerate(counts)
        if count and i != j
    ]
    pairs.sort(key=lambda pair: (-pair[0], pair[1:]))
    for count, i, j in pairs[:MOST_ERRORS]:
        table.add_row(names[i], names[j], f"{count:,}")
    if len(pairs) > MOST_ERRORS:
        table.caption = f"and {len(pairs) - MOST_ERRORS} more pairs of classes"
    return table


def _names(evaluation: "Evaluation") -> list[str]:
    return [str(label) for label in evaluation.classes.tolist()]
