"""An explanation of one row as tables for a terminal of 80 columns."""

import math
from typing import TYPE_CHECKING, Any

from gaussbayes.apps.cli import output, reading
from gaussbayes.apps.cli.numbers import five_digits

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from gaussbayes.analysis.bayes_rule import BayesRule
    from gaussbayes.analysis.contributions import LogOdds, Value
    from gaussbayes.analysis.explanation import Explanation

_MOST_CLASSES = 20
"""Lines of a table of classes."""

_MOST_FEATURES = 12
"""Lines of the table of features; the others share one."""

_MOST_NAMES = 6
"""Missing features that are named."""

_WIDEST_NAME = 24
_WIDEST_VALUE = 12
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
    new = [f"{one.feature} = {_cell(one.value)}" for one in odds.contributions if one.unseen]
    for why, names in (("Missing", missing), ("Never seen in training", new)):
        if names:
            left = len(names) - _MOST_NAMES
            more = f" and {left} more" if left > 0 else ""
            console.print()
            some = ", ".join(names[:_MOST_NAMES])
            output.paragraph(console, f"{why}, so that they add nothing: {some}{more}.")


def _rule(bayes: "BayesRule") -> "list[Table]":
    """The numbers themselves, and their logarithms; the most probable class is the first."""
    ranked = sorted(bayes.classes, key=lambda terms: -terms.log_posterior)
    columns = ("class", "prior", "likelihood", "joint", "posterior")
    # Categories have no distances; without numbers there are none at all.
    distances = not any(math.isnan(terms.squared_distance) for terms in ranked)
    plain = output.number_table(
        *columns,
        *(["distance²"] if distances else []),
        title=f"Bayes' rule; the evidence p(x) is {five_digits(bayes.evidence)}",
    )
    logarithms = output.number_table(
        *columns, title=f"the same in logarithms; log p(x) is {five_digits(bayes.log_evidence)}"
    )
    for terms in ranked[:_MOST_CLASSES]:
        name = _short(str(terms.label))
        numbers = (terms.prior, terms.likelihood, terms.joint, terms.posterior)
        distance = [terms.squared_distance] if distances else []
        plain.add_row(name, *map(five_digits, (*numbers, *distance)))
        numbers = (terms.log_prior, terms.log_likelihood, terms.log_joint, terms.log_posterior)
        logarithms.add_row(name, *map(five_digits, numbers))
    left = len(ranked) - _MOST_CLASSES
    if left > 0:
        logarithms.caption = f"and {reading.counted(left, 'class', 'classes')} less probable"
        logarithms.caption_justify, logarithms.caption_style = "left", "dim"
    return [plain, logarithms]


def _contributions(odds: "LogOdds") -> "Table":
    from rich.bar import Bar

    from gaussbayes.analysis.contributions import added

    title = f"log-odds of {_short(str(odds.of))} against {_short(str(odds.against))}"
    table = output.number_table("feature", "value", "reference", "adds", "", title=title)
    table.columns[-1].min_width = _BAR
    first, rest = odds.largest(_MOST_FEATURES)
    lines: list[tuple[tuple[str, str, str], float]] = [
        ((_short(one.feature), _cell(one.value), _cell(one.reference)), one.amount) for one in first
    ]
    if rest:
        lines.append(((f"{len(rest)} other features", "", ""), added(rest)))
    amounts = [amount for _, amount in lines if math.isfinite(amount)]
    low, high = min(0.0, *amounts, 0.0), max(0.0, *amounts, 0.0)
    table.add_row("at the reference", "", "", five_digits(odds.at_reference), "")
    for cells, amount in lines:
        bar: Any = ""
        if math.isinf(amount):
            gone = odds.of if amount < 0 else odds.against
            bar = f"rules out {output.shortened(str(gone), _BAR - 10)}"
        elif high > low:
            begin, end = sorted((-low, amount - low))
            bar = Bar(high - low, begin, end, width=_BAR)
        table.add_row(*cells, five_digits(amount, sign="+"), bar)
    table.add_row("this row", "", "", five_digits(odds.value), "", style="bold")
    return table


def _cell(value: "Value") -> str:
    """A number, or a category; nothing where a category is not known."""
    if isinstance(value, float):
        return five_digits(value)
    return "" if value is None else output.shortened(str(value), _WIDEST_VALUE)


def _short(name: str) -> str:
    return output.shortened(name, _WIDEST_NAME)
