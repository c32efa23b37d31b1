"""An explanation of one row as tables for a terminal of 80 columns."""

import math
from typing import TYPE_CHECKING, Any

from gaussbayes.cli import output, reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.table import Table

    from gaussbayes.bayes_rule import BayesRule
    from gaussbayes.explanation import Explanation, LogOdds

_MOST_CLASSES = 20
"""Lines of a table of classes."""

_MOST_FEATURES = 12
"""Lines of the table of features; the others share one."""

_MOST_NAMES = 6
"""Missing features that are named."""

_WIDEST_NAME = 24
_BAR = 20
"""Columns that a bar may fill."""


def show(console: "Console", told: "Explanation", what: str) -> None:
    """Print Bayes' rule, plain and in logarithms, and what each feature adds to the log-odds."""
    output.paragraph(console, what, style="dim")
    for table in _rule(told.bayes):
        console.print()
        console.print(table)
    odds = told.log_odds
    if odds is None:
        return
    console.print()
    console.print(_contributions(odds))
    missing = [one.feature for one in odds.contributions if one.missing]
    if missing:
        more = f" and {len(missing) - _MOST_NAMES} more" if len(missing) > _MOST_NAMES else ""
        console.print()
        names = ", ".join(missing[:_MOST_NAMES])
        output.paragraph(console, f"Missing, so that they add nothing: {names}{more}.")


def _rule(bayes: "BayesRule") -> "list[Table]":
    """The numbers themselves, and their logarithms; the most probable class is the first."""
    ranked = sorted(bayes.classes, key=lambda terms: -terms.log_posterior)
    plain = _numbers(
        f"Bayes' rule; the evidence p(x) is {_number(bayes.evidence)}",
        ("class", "prior", "likelihood", "joint", "posterior", "distance²"),
    )
    logarithms = _numbers(
        f"the same in logarithms; log p(x) is {_number(bayes.log_evidence)}",
        ("class", "prior", "likelihood", "joint", "posterior"),
    )
    for terms in ranked[:_MOST_CLASSES]:
        name = _short(str(terms.label))
        numbers = (terms.prior, terms.likelihood, terms.joint, terms.posterior)
        plain.add_row(name, *map(_number, (*numbers, terms.squared_distance)))
        numbers = (terms.log_prior, terms.log_likelihood, terms.log_joint, terms.log_posterior)
        logarithms.add_row(name, *map(_number, numbers))
    left = len(ranked) - _MOST_CLASSES
    if left > 0:
        logarithms.caption = f"and {reading.counted(left, 'class', 'classes')} less probable"
        logarithms.caption_justify, logarithms.caption_style = "left", "dim"
    return [plain, logarithms]


def _contributions(odds: "LogOdds") -> "Table":
    from rich.bar import Bar

    from gaussbayes.explanation import added

    title = f"log-odds of {_short(str(odds.of))} against {_short(str(odds.against))}"
    table = _numbers(title, ("feature", "value", "reference", "adds", ""))
    table.columns[-1].min_width = _BAR
    first, rest = odds.largest(_MOST_FEATURES)
    lines: list[tuple[tuple[str, str, str], float]] = [
        ((_short(one.feature), _number(one.value), _number(one.reference)), one.amount)
        for one in first
    ]
    if rest:
        lines.append(((f"{len(rest)} other features", "", ""), added(rest)))
    amounts = [amount for _, amount in lines]
    low, high = min(0.0, *amounts, 0.0), max(0.0, *amounts, 0.0)
    table.add_row("at the reference", "", "", _number(odds.at_reference), "")
    for cells, amount in lines:
        begin, end = sorted((-low, amount - low))
        bar: Any = Bar(high - low, begin, end, width=_BAR) if high > low else ""
        table.add_row(*cells, _number(amount, sign="+"), bar)
    table.add_row("this row", "", "", _number(odds.value), "", style="bold")
    return table


def _numbers(title: str, columns: "Sequence[str]") -> "Table":
    """An empty table of numbers, a name before each line."""
    table = output.table(*columns, title=title)
    table.leading = 0
    for column in table.columns[1:]:
        column.justify, column.no_wrap = "right", True
    return table


def _number(value: float, sign: str = "") -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value + 0.0:{sign}.5g}"
    return "−" + text[1:] if text.startswith("-") else text


def _short(name: str) -> str:
    return output.shortened(name, _WIDEST_NAME)
