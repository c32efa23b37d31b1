"""``gaussbayes explain MODEL DATA``: why one row is taken for what it is."""

import math
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.analysis.explanation import BayesRule, Explanation, LogOdds, explain, total_amount
from gaussbayes.apps.cli import command_files, command_options, console, figure_file
from gaussbayes.apps.cli.command_options import OUTPUT, SOURCE, RowOptions, as_names, option, takes
from gaussbayes.apps.cli.console import shortened
from gaussbayes.apps.numerals import counted, five_digits
from gaussbayes.base.errors import ParameterError, SchemaError
from gaussbayes.model.model import Model

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_MOST_CLASSES = 20  # lines of a table of classes
_MOST_FEATURES = 12  # lines of the table of features; the others share one
_MOST_NAMES = 6  # missing features that are named

_WIDEST_NAME, _WIDEST_VALUE = 24, 12
_BAR = 20  # columns that a bar may fill


def _reference(value: str) -> str | list[float]:
    """``mean``, ``rival`` or a number for each feature."""
    if value in {"mean", "rival"}:
        return value
    return command_options.as_numbers(value, "'mean', 'rival' or a number for each feature")


@click.command("explain")
@takes("model")
@click.argument("data", type=SOURCE)
@option("--row N", "number", type=click.IntRange(min=1), default=1)
@option("--classes A,B", convert=as_names)
@option("--reference mean|rival|X,Y,...", convert=_reference, default="mean")
@command_options.other_priors_option()
@option("--plot FILE", "figure", type=OUTPUT)
@takes("format", json="Write everything as JSON, every number exact.")
def command(
    model: str,
    data: str,
    number: int,
    classes: tuple[str, ...] | None,
    reference: str | list[float],
    priors: Any,
    figure: str | None,
    file_format: str | None,
    as_json: bool,
) -> None:
    """Explain one row: Bayes' rule with every number, and what each feature adds.

    What a feature adds to the log-odds of two classes is its Shapley value: its mean part, over
    all orders of the features, in the way from a reference point to the row. These add up to the
    log-odds of the densities exactly. Features that are missing are integrated out and add nothing.
    What calibration and averaging change has a line of its own.

    \b
    gaussbayes explain iris.json new.csv --row 3
    gaussbayes explain iris.json new.csv --row 3 --classes setosa,virginica --plot why.png
    """
    command_files.check_one_input(model, data)
    if figure == command_options.STANDARD:
        msg = "the tables go to standard output: give --plot a file"
        raise click.UsageError(msg)
    if figure is not None:
        figure_file.check_place(figure, model, data)
    fitted = command_files.read_solved(model)
    if priors != "own":
        fitted = fitted.with_priors(priors)
    pair = None if classes is None else _pair(fitted, classes)
    source = command_files.open_files([data], RowOptions(file_format=file_format))
    if len(source.files) > 1:
        msg = (
            f"rows are numbered within a file, but {source.shown} are given: "
            "give the file that holds the row"
        )
        raise click.UsageError(msg)
    row = command_files.FeatureRows(source, fitted, model).find_row(number)

    place = f"{source.shown}, row {number}"
    with command_files.naming(place):
        try:
            explanation = explain(fitted, row, pair, reference)
        except ParameterError as error:
            raise click.BadParameter(str(error), param_hint="'--reference'") from None
    if as_json:
        about = {"model": model, "data": source.files[0], "row": number}
        console.write_json(about | explanation.as_record())
    else:
        out = console.stdout_console()
        print_explanation(out, explanation, f"what the model {model} says of {place}")
    if figure is not None:
        from gaussbayes import plots

        figure_file.save(lambda: plots.explanation(explanation), figure)


def _pair(model: Model, classes: tuple[str, ...]) -> tuple[int, int]:
    """The codes of two classes given by name."""
    if len(classes) != 2:
        msg = f"two classes are compared, got {', '.join(classes)}"
        raise click.BadParameter(msg, param_hint="--classes")
    known = command_files.class_names(model)
    unknown = [name for name in classes if name not in known]
    if unknown:
        msg = f"the model has no class {unknown[0]!r}; it has {', '.join(known):.300}"
        raise SchemaError(msg)
    return known.index(classes[0]), known.index(classes[1])


# Tables for a terminal of 80 columns.


def print_explanation(out: "Console", explanation: Explanation, what: str) -> None:
    """Print Bayes' rule, plain and in logarithms, and what each feature adds to the log-odds."""
    console.paragraph(out, what, style="dim")
    console.print_tables(out, *_rule_tables(explanation.bayes))
    odds = explanation.log_odds
    if odds is None:
        return
    console.print_tables(out, _contribution_table(odds))
    missing = [part.feature for part in odds.contributions if part.missing]
    unseen = [f"{part.feature} = {_cell(part.value)}" for part in odds.contributions if part.unseen]
    for why, names in (("Missing", missing), ("Never seen in training", unseen)):
        if names:
            more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
            out.print()
            some = ", ".join(names[:_MOST_NAMES])
            console.paragraph(out, f"{why}, so that they add nothing: {some}{more}.")


def _rule_tables(bayes: BayesRule) -> "list[Table]":
    """The numbers themselves, and their logarithms; the most probable class is the first."""
    ranked = sorted(bayes.classes, key=lambda terms: -terms.log_posterior)
    names = ("prior", "likelihood", "joint", "posterior")
    # Some families have no distances; then they are NaN.
    distances = not any(math.isnan(terms.squared_distance) for terms in ranked)
    title = f"Bayes' rule; the evidence p(x) is {five_digits(bayes.evidence)}"
    plain = console.table("class", *names, *(["distance²"] if distances else []), title=title)
    title = f"the same in logarithms; log p(x) is {five_digits(bayes.log_evidence)}"
    logarithms = console.table("class", *names, title=title)
    for terms in ranked[:_MOST_CLASSES]:
        numbers = [getattr(terms, name) for name in names]
        numbers += [terms.squared_distance] if distances else []
        plain.add_row(_short(terms.label), *map(five_digits, numbers))
        numbers = [getattr(terms, f"log_{name}") for name in names]
        logarithms.add_row(_short(terms.label), *map(five_digits, numbers))
    left = len(ranked) - _MOST_CLASSES
    notes = [f"and {counted(left, 'class', 'classes')} less probable"] if left > 0 else []
    if bayes.calibrated:
        notes.append("posteriors are calibrated: they are not simply joint / evidence")
    logarithms.caption = "; ".join(notes) or None
    return [plain, logarithms]


def _contribution_table(odds: LogOdds) -> "Table":
    from rich.bar import Bar

    title = f"log-odds of {_short(odds.of)} against {_short(odds.against)}"
    table = console.table("feature", "value", "reference", "adds", "", title=title)
    table.columns[-1].min_width = _BAR
    first, rest = odds.largest(_MOST_FEATURES)
    lines: list[tuple[tuple[str, str, str], float, Any]] = [
        (
            (_short(part.feature), _cell(part.value), _cell(part.reference)),
            part.amount,
            odds.ruled_out(part),
        )
        for part in first
    ]
    if rest:
        lines.append(((f"{len(rest)} other features", "", ""), total_amount(rest), None))
    if odds.adjustment is not None:
        lines.append(((odds.adjustment.by, "", ""), odds.adjustment.amount, None))
    amounts = [amount for _, amount, _ in lines if math.isfinite(amount)]
    low, high = min(0.0, *amounts, 0.0), max(0.0, *amounts, 0.0)
    table.add_row("at the reference", "", "", five_digits(odds.at_reference), "")
    for cells, amount, ruled_out in lines:
        bar: Any = ""
        if ruled_out is not None:
            bar = f"rules out {shortened(str(ruled_out), _BAR - 10)}"
        elif high > low and math.isfinite(amount):
            begin, end = sorted((-low, amount - low))
            bar = Bar(high - low, begin, end, width=_BAR)
        table.add_row(*cells, five_digits(amount, sign="+"), bar)
    table.add_row("this row", "", "", five_digits(odds.value), "", style="bold")
    return table


def _cell(value: Any) -> str:
    """A number, or a category; nothing where a category is not known."""
    if isinstance(value, float):
        return five_digits(value)
    return "" if value is None else shortened(str(value), _WIDEST_VALUE)


def _short(name: object) -> str:
    return shortened(str(name), _WIDEST_NAME)
