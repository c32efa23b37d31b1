"""``gaussbayes fit DATA... -y TARGET``: files of labelled rows → a model file."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.apps.cli import command_files, command_options, console
from gaussbayes.apps.cli.command_options import (
    OUTPUT,
    STANDARD,
    RowOptions,
    in_options,
    option,
    takes,
)
from gaussbayes.apps.cli.console import finite, percent, tell, warnings_told
from gaussbayes.apps.cli.labelled_files import LabelledFiles, MemoryRows, check_bytes
from gaussbayes.apps.numerals import counted, fixed
from gaussbayes.base.errors import DataError, SingularCovarianceError
from gaussbayes.data.reduction import Reduced, count_incomplete
from gaussbayes.model.fit import fit_model
from gaussbayes.model.model import Model
from gaussbayes.model.options import Options
from gaussbayes.model.select import Candidate, Selection
from gaussbayes.model.sources import SourceFit, fit_rows

if TYPE_CHECKING:
    from rich.table import Table

_KEPT = 10  # posteriors of a row that are kept where models are chosen by rows held out


@click.command("fit")
@takes("data", "target")
@option("-o", "--output MODEL", "model", type=OUTPUT, default="model.json")
@takes("features", "categorical", "covariance", "estimation", "weights", "labels")
@option("--keep-unlabelled", is_flag=True)
@takes("reading", json="Write what was learnt from as JSON to standard output.")
def command(
    data: tuple[str, ...], model: str, keep_unlabelled: bool, as_json: bool, **arguments: Any
) -> None:
    """Fit a classifier to files of any size.

    DATA are CSV, TSV, JSON lines, Parquet or Arrow files, also compressed (.gz, .zst), folders of
    them, patterns, or - for standard input. They are read in bounded memory: once, or once an
    iteration of EM if more than 64 MB of rows have no label.

    With --covariance auto, --shrinkage auto or both the best structure and shrinkage are found, by
    rows left out one at a time, which must all fit into memory, or by --selection bic.

    Features that hold categories (strings, integers, booleans) are named with --categorical, those
    of another family, such as counts, with --family.

    \b
    gaussbayes fit iris.csv -y species -o iris.json
    gaussbayes fit iris.csv -y species --covariance auto --shrinkage auto
    gaussbayes fit 'parts/*.parquet' -y label --covariance diagonal --weights count
    gaussbayes fit days.csv -y rain --categorical wind,month --smoothing 1
    gaussbayes fit patients.csv -y ill --family visits=poisson
    gaussbayes fit incomes.csv -y buys --transform yeo-johnson
    zcat rows.csv.gz | gaussbayes fit - -y label -o - > model.json
    """
    check_json(model, as_json=as_json)
    chosen = RowOptions.taken(arguments)
    options = command_options.check_settings(arguments)
    source = command_files.open_files(data, chosen)
    command_files.check_no_overwriting(model, *source.files)
    command_files.check_writable(model)
    fit = fit_files(LabelledFiles.to_learn_from(source, chosen, options), options)
    command_files.write_model(fit.model, model, keep_unlabelled=keep_unlabelled)
    tell_fit(fit, chosen, model, as_json=as_json)


def fit_files(files: LabelledFiles, options: Options) -> SourceFit:
    """The model of the rows of files; where rows must be held out to choose, in memory."""
    rows = files.rows
    with warnings_told():
        if options.automatic and options.criterion == "leave_one_out":
            loaded = files.sample()
            n, k = loaded.n_rows, loaded.table.classes.size
            check_bytes(8 * n * k * _KEPT, n)
            return fit_loaded(files, loaded, options)
        return fit_rows(rows, options, labelled_only=files.chosen.labelled_only)


def fit_loaded(files: LabelledFiles, loaded: MemoryRows, options: Options) -> SourceFit:
    """The model of rows in memory."""
    from gaussbayes.analysis.held_out import check_classes

    rows, table = files.rows, loaded.table
    check_classes(table.classes)
    if table.targets.weights is not None and not table.targets.weights.any():
        msg = f"{rows.source.shown}: the weights in column {files.chosen.weights!r} are all zero"
        raise DataError(msg)
    model, selection = fit_model(table, rows.encoder.schema(table.classes), options)
    assert model.learnt is not None
    seen = Reduced(
        model.learnt,
        files.n_rows,
        files.n_unlabelled,
        count_incomplete(table.rows),
        bad_rows=rows.source.bad_rows,
    )
    return SourceFit(replace(model, target=rows.target), seen, selection)


# What was learnt, and what was chosen automatically.


def check_json(name: str, *, as_json: bool) -> None:
    """Raise if JSON about a model is wanted where the model itself goes."""
    if as_json and name == STANDARD:
        msg = "--json writes to standard output, where the model goes: give it a file with -o"
        raise click.UsageError(msg)


def tell_fit(
    fit: SourceFit,
    chosen: RowOptions,
    name: str,
    *,
    as_json: bool,
    done: str = "learnt from",
    use: str = command_files.LEARNT_FROM,
) -> None:
    """Say what was `done` with which rows, the `use` of unlabelled ones, and where the model is."""
    model, reduced, selection = fit.model, fit.reduced, fit.selection
    schema = model.schema
    categories: list[dict[str, Any]] = [
        {"feature": schema.titles[column], "categories": len(labels)}
        for column, labels in zip(schema.categorical, model.categories, strict=True)
    ]
    record: dict[str, Any] = {
        "model": name,
        "target": model.target,
        "rows": reduced.n_rows - (reduced.n_unlabelled if chosen.labelled_only else 0),
        "classes": schema.classes.tolist(),
        "features": list(schema.titles),
        "incomplete": reduced.n_incomplete,
        "unlabelled": reduced.n_unlabelled,
        "bad_rows": command_files.bad_rows_record(reduced.bad_rows),
    }
    if categories:
        record["categorical"] = categories
    if selection is not None:
        record["selection"] = selection_record(selection)
        tell(f"chosen: {describe(selection)}")
    if as_json:
        console.write_json(record)
    classes = counted(len(record["classes"]), "class", "classes")
    size = f"{classes}, {counted(schema.n_features, 'feature')}"
    place = command_files.shown(name)
    tell(f"{done} {counted(record['rows'], 'row')}: {size}; the model is in {place}")
    command_files.tell_rows(record["incomplete"], "missing values")
    command_files.tell_unlabelled(reduced.n_unlabelled, chosen, use)
    unlabelled = command_files.unlabelled_rows(model)
    if unlabelled is not None and unlabelled.rows is None:
        tell(
            "they are too many to be kept (more than 64 MB): the model can predict, but neither be "
            "updated nor merged, nor forget rows"
        )
    for each in categories:
        tell(f"{each['feature']}: {counted(each['categories'], 'category', 'categories')}")
    command_files.tell_bad_rows(reduced.bad_rows)


def solved_if_possible(model: Model) -> Model:
    """The model with its parameters; says so if it cannot predict before it has seen more rows."""
    try:
        return model.solved()
    except (SingularCovarianceError, DataError) as error:  # as one of a single class
        tell(f"the model cannot predict yet: {in_options(str(error))}")
        return model


def describe(selection: Selection) -> str:
    """One line that says what was chosen, and by what."""
    best = selection.best
    criterion = f"log loss {fixed(best.log_loss, 4)} on rows left out"
    if selection.criterion == "bic":
        criterion = f"BIC {best.bic:,.1f}"
    shrinkage = " without shrinkage" if best.shrinkage is None else f" with shrinkage {_word(best)}"
    if best.structure is None:
        shrinkage = ""
    among = counted(len(selection.candidates), "candidate")
    weight = best.unlabelled_weight
    rows = "" if weight == 1 else f", unlabelled rows of weight {weight:g}"
    return f"{best.name}{shrinkage}{rows}, of {among}: {criterion}"


def selection_record(selection: Selection) -> dict[str, Any]:
    """Everything as plain values; what was not looked at or is infinite is None."""
    return {
        "criterion": selection.criterion,
        "chosen": _candidate_record(selection.best),
        "candidates": [_candidate_record(candidate) for candidate in _ranked(selection)],
    }


def candidate_table(selection: Selection) -> "Table":
    """The candidates, best first; those that cannot be judged last, and why under the table."""
    left_out = selection.criterion == "leave_one_out"
    judged = ["error", "log\nloss", "Brier\nscore"] if left_out else []
    how = "each row predicted by the model of the others" if left_out else "BIC"
    weighted = len({candidate.unlabelled_weight for candidate in selection.candidates}) > 1
    weight = ["unlabelled\nweight"] if weighted else []
    columns = ["model", "shrinkage", *weight, "para-\nmeters", *judged, "BIC"]
    table = console.table(*columns, title=f"candidates, best first: {how}")
    table.columns[0].no_wrap = True
    for candidate in _ranked(selection):
        scores = [percent(candidate.error), fixed(candidate.log_loss, 4), fixed(candidate.brier, 4)]
        table.add_row(
            candidate.name,
            _word(candidate),
            *([f"{candidate.unlabelled_weight:g}"] if weighted else []),
            str(candidate.n_parameters),
            *(scores if left_out else []),
            "–" if math.isnan(candidate.bic) else f"{candidate.bic:,.1f}",
            style="bold" if candidate is selection.best else "",
        )
    reasons = [each.refused for each in selection.candidates if each.refused is not None]
    if reasons:
        many, first = counted(len(reasons), "candidate"), in_options(reasons[0])
        table.caption = f"{many} cannot be judged, the first because: {first}"
    return table


def _ranked(selection: Selection) -> list[Candidate]:
    """The candidates by what was chosen by, the chosen one first."""

    def place(candidate: Candidate) -> tuple[bool, bool, float, int]:
        value = candidate.bic if selection.criterion == "bic" else candidate.log_loss
        unknown = candidate.refused is not None or math.isnan(value)
        is_best = candidate is selection.best
        return not is_best, unknown, 0.0 if unknown else value, candidate.n_parameters

    return sorted(selection.candidates, key=place)


def _candidate_record(candidate: Candidate) -> dict[str, Any]:
    structure = candidate.structure
    return {
        "model": candidate.name,
        "covariance": structure and structure.covariance,
        "shared": structure and structure.shared_setting,
        "shrinkage": candidate.shrinkage,
        "unlabelled_weight": candidate.unlabelled_weight,
        "parameters": candidate.n_parameters,
        **{
            name: finite(getattr(candidate, name)) for name in ("error", "log_loss", "brier", "bic")
        },
        "problem": candidate.refused and in_options(candidate.refused),
    }


def _word(candidate: Candidate) -> str:
    return "none" if candidate.shrinkage is None else str(candidate.shrinkage)
