"""``gaussbayes evaluate``: how good a model's predictions are, on rows that it has not seen."""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.analysis.held_out import check_classes, evaluate_held_out
from gaussbayes.apps.cli import command_files, command_options, console, fit_command
from gaussbayes.apps.cli.command_options import SOURCE, RowOptions, takes
from gaussbayes.apps.cli.console import finite, percent, tell, warnings_told
from gaussbayes.apps.cli.fit_command import fit_files
from gaussbayes.apps.cli.labelled_files import LabelledFiles
from gaussbayes.apps.numerals import fixed
from gaussbayes.data.files import Source
from gaussbayes.model.evaluation import Evaluation, evaluate
from gaussbayes.model.model import Model

if TYPE_CHECKING:
    from rich.table import Table

_FOLDS = 10

_MOST_CLASSES = 8
"""Classes whose confusion matrix fits a terminal; of more, the most frequent errors are listed."""

_MOST_ERRORS = 12  # pairs of classes in that list


GATES = {
    "min_accuracy": ("accuracy", 1.0),
    "max_error": ("error", 1.0),
    "max_log_loss": ("log loss", math.inf),
    "max_brier": ("Brier score", 2.0),
}
"""What each gate is about, in words, and its highest bar; ``min_x`` is about `Evaluation.x`."""
_SIDES = {"min": "below", "max": "above"}


class GateFailedError(click.ClickException):
    """A figure does not reach its bar."""

    exit_code = 4


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


_gate_options = takes(
    *(
        command_options.option(
            f"{_flag(name)} NUMBER",
            convert=command_options.number_from_0(highest),
            what=f"End with exit code 4 if the {words} is {_SIDES[name[:3]]} this.",
        )
        for name, (words, highest) in GATES.items()
    )
)


@click.command("evaluate")
@click.argument("arguments", metavar="[MODEL] DATA...", nargs=-1, required=True, type=SOURCE)
@takes("target", "features", "categorical", "automatic", "covariance", "estimation", "held_out")
@_gate_options
@takes(
    "labels", "reading", seed="Decides which rows are held out.", json="Write the figures as JSON."
)
def command(arguments: tuple[str, ...], seed: int, as_json: bool, **settings: Any) -> None:
    """Count errors, and judge the probabilities.

    With a model file, its predictions are compared with the classes in DATA, which may be of any
    size. Without one, models are fitted to some of the rows of DATA and judged by the others. Rows
    without label are never judged by; models are fitted to them, too, unless --labelled-only.
    The first argument is a model file if its name ends in .json; rows in JSON lines end in .jsonl.
    With DATA after it and nothing to be fitted, - is a model on standard input.

    \b
    gaussbayes evaluate iris.json new.csv
    gaussbayes evaluate iris.csv -y species --cv 10
    gaussbayes evaluate iris.csv -y species --covariance diagonal --test new.csv
    gaussbayes evaluate iris.json new.csv --min-accuracy 0.95 || echo 'not good enough'
    gaussbayes fit old.csv -y species -o - | gaussbayes evaluate - new.csv
    """
    taken = {name: settings.pop(name) for name in GATES}
    bars = {name: bar for name, bar in taken.items() if bar is not None}
    chosen = RowOptions.taken(settings)
    held_out = command_options.take_held_out(settings)
    fitting = (*settings, *command_options.HELD_OUT, "seed")
    model, data = command_files.split_arguments(arguments, chosen, fitting, piped=True)
    if not data:
        msg = f"which rows is {model} to be judged by? Give DATA after it"
        raise click.UsageError(msg)
    fitted = None if model is None else command_files.read_solved(model)
    source = command_files.open_files(data, chosen)
    if fitted is not None:
        evaluation, about = _of_model(fitted, str(model), source, chosen)
    elif isinstance(held_out, Path):
        evaluation, about = _on_test_rows(source, chosen, settings, str(held_out))
    else:
        evaluation, about = _on_held_out_rows(source, chosen, settings, held_out or _FOLDS, seed)
    record = {"model": model} | about | evaluation_record(evaluation)
    if as_json:
        console.write_json(record | {"gates": gate_records(evaluation, bars)})
    else:
        out = console.stdout_console()
        console.paragraph(out, record["how"], style="dim")
        console.print_tables(out, *_tables(evaluation, record))
    check_gates(evaluation, bars)


def _evaluated(model: Model, files: LabelledFiles) -> Evaluation:
    """A model's predictions against classes, block by block; says what there is to say of rows."""
    evaluation: Evaluation | None = None
    for table in files:
        if table.targets.labelled.any():
            log_posterior = model.log_posterior(table.rows)
            part = evaluate(log_posterior, table.targets.codes, model.classes)
            evaluation = part if evaluation is None else evaluation + part
    if evaluation is None:
        raise command_files.no_rows(
            files.rows.source, "labelled rows" if files.n_unlabelled else "rows"
        )
    files.tell(command_files.NOT_JUDGED)
    return evaluation


def _of_model(
    model: Model, name: str, source: Source, chosen: RowOptions
) -> tuple[Evaluation, dict[str, Any]]:
    """A model from a file on rows from others."""
    files = LabelledFiles.of_model(source, chosen, model, name)
    evaluation = _evaluated(model, files)
    called = "from standard input" if name == command_options.STANDARD else name
    how = f"the model {called} on {evaluation.n_rows:,} rows of {source.shown}"
    return evaluation, files.record() | {"how": how}


def _on_test_rows(
    source: Source, chosen: RowOptions, settings: dict[str, Any], test: str
) -> tuple[Evaluation, dict[str, Any]]:
    """A model fitted to some files on the rows of another."""
    options = command_options.check_settings(settings)
    fit = fit_files(LabelledFiles.to_learn_from(source, chosen, options), options)
    command_files.tell_bad_rows(fit.reduced.bad_rows)
    command_files.tell_unlabelled(fit.reduced.n_unlabelled, chosen, command_files.LEARNT_FROM)
    if fit.selection is not None:
        tell(f"chosen: {fit_command.describe(fit.selection)}")
    other = command_files.open_files([test], replace(chosen, file_format=None))
    files = LabelledFiles.of_model(other, chosen, fit.model, "fitted")
    evaluation = _evaluated(fit.model, files)
    learnt = f"fitted to {fit.reduced.n_rows:,} rows of {source.shown}"
    how = f"{learnt}, judged by {evaluation.n_rows:,} rows of {other.shown}"
    return evaluation, files.record() | {"how": how}


def _on_held_out_rows(
    source: Source, chosen: RowOptions, settings: dict[str, Any], held_out: Any, seed: int
) -> tuple[Evaluation, dict[str, Any]]:
    """Models fitted to some rows on the others, which must fit into memory."""
    options = command_options.check_settings(settings)
    files = LabelledFiles.to_learn_from(source, chosen, options)
    rows = files.sample()
    check_classes(rows.table.classes)
    with warnings_told():
        judged = evaluate_held_out(
            rows.recipe(options), rows.table.rows, rows.labels, held_out, random_state=seed
        )
    files.tell(command_files.LEARNT_FROM)
    return judged.evaluation, files.record() | {"how": judged.how}


# An evaluation as a program reads it, and as a person does.


def evaluation_record(evaluation: Evaluation) -> dict[str, Any]:
    """Plain values; an infinite log loss, or a proportion of no rows, is None."""
    rows = evaluation.confusion.sum(axis=1).tolist()
    columns = (evaluation.classes.tolist(), rows, evaluation.recall, evaluation.precision)
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
            for label, n, recall, precision in zip(*columns, strict=True)
        ],
        "confusion": evaluation.confusion.tolist(),
    }


def _tables(evaluation: Evaluation, record: dict[str, Any]) -> "list[Table]":
    """The figures, the classes one by one, and which of them are confused."""
    figures = console.table("figure", "value", "", n_text=3)
    figures.columns[1].justify = "right"
    wrong = f"{record['errors']:,} of {record['rows']:,} rows"
    figures.add_row("error", percent(record["error"]), wrong)
    figures.add_row("log loss", fixed(evaluation.log_loss, 4), "nats a row; 0 is best")
    figures.add_row("Brier score", fixed(evaluation.brier, 4), "0 is best, 2 is worst")
    calibration = fixed(evaluation.calibration_error, 4)
    figures.add_row("calibration error", calibration, "0 is best, 1 is worst")
    classes = console.table("class", "rows", "recall", "precision")
    for each in record["classes"]:
        cells = (f"{each['rows']:,}", percent(each["recall"]), percent(each["precision"]))
        classes.add_row(str(each["class"]), *cells)
    if not record["errors"]:
        return [figures, classes]
    names = [str(each["class"]) for each in record["classes"]]
    confused = _confusion if len(names) <= _MOST_CLASSES else _frequent_errors
    return [figures, classes, confused(names, record["confusion"])]


def _confusion(names: list[str], confusion: list[list[int]]) -> "Table":
    from rich.text import Text

    table = console.table("true class", *names, title="predicted as")
    for column in table.columns[1:]:
        column.no_wrap = False
    for i, (name, counts) in enumerate(zip(names, confusion, strict=True)):
        cells = [
            Text(f"{count:,}", style="bold" if i == j else "" if count else "dim")
            for j, count in enumerate(counts)
        ]
        table.add_row(Text(name), *cells)
    return table


def _frequent_errors(names: list[str], confusion: list[list[int]]) -> "Table":
    columns = ("true class", "predicted as", "rows")
    table = console.table(*columns, title="most frequent errors", n_text=2)
    pairs = [
        (-count, i, j)
        for i, counts in enumerate(confusion)
        for j, count in enumerate(counts)
        if count and i != j
    ]
    for count, i, j in sorted(pairs)[:_MOST_ERRORS]:
        table.add_row(names[i], names[j], f"{-count:,}")
    if len(pairs) > _MOST_ERRORS:
        table.caption = f"and {len(pairs) - _MOST_ERRORS} more pairs of classes"
    return table


# Gates: bars that an evaluation must reach, or the command ends with exit code 4.


def gate_records(evaluation: Evaluation, bars: Mapping[str, float]) -> list[dict[str, Any]]:
    """Each gate with its bar and whether it was passed; by what is no number it never is."""
    given = []
    for name, bar in bars.items():
        value = getattr(evaluation, name[4:])
        passed = bool(value >= bar if name.startswith("min") else value <= bar)
        given.append({"gate": name, "bar": bar, "passed": passed})
    return given


def check_gates(evaluation: Evaluation, bars: Mapping[str, float]) -> None:
    """Raise if a figure does not reach its bar; the message says both."""
    failed = []
    for name in (each["gate"] for each in gate_records(evaluation, bars) if not each["passed"]):
        value, bar = float(getattr(evaluation, name[4:])), bars[name]
        # To six digits, or to all where it would read like the bar that it misses.
        written = repr(value) if float(f"{value:.6g}") == bar else f"{value:.6g}"
        place = f"{_SIDES[name[:3]]} {_flag(name)} {bar:g}"
        failed.append(f"the {GATES[name][0]} is {written}, {place}")
    if failed:
        raise GateFailedError("; ".join(failed))
