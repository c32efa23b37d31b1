"""``gaussbayes fit DATA... -y TARGET``: files of labelled rows → a model file."""

from dataclasses import replace
from typing import Any

import click

from gaussbayes.apps.cli import command_files, command_options, fit_summary
from gaussbayes.apps.cli.command_options import option
from gaussbayes.apps.cli.console import warnings_told
from gaussbayes.apps.cli.labelled_files import LabelledFiles, MemoryRows, check_bytes
from gaussbayes.base.errors import DataError
from gaussbayes.data.reduction import Reduced, count_incomplete
from gaussbayes.model.fitting import fit_model
from gaussbayes.model.options import Options
from gaussbayes.model.sources import SourceFit, fit_rows

_KEPT = 10
"""Posteriors of a row that are kept where models are chosen by rows held out."""


@click.command("fit")
@command_options.data_argument
@command_options.target_option
@option(
    "-o",
    "--output MODEL",
    "model",
    type=command_options.OUTPUT,
    default="model.json",
    what="The model file to write; - is standard output.",
)
@command_options.feature_options
@command_options.model_options
@command_options.weights_option
@command_options.label_options
@option("--keep-unlabelled", is_flag=True)
@command_options.reading_options
@command_options.json_option("Write what was learnt from as JSON to standard output.")
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
    zcat rows.csv.gz | gaussbayes fit - -y label -o - > model.json
    """
    fit_summary.check_json(model, as_json=as_json)
    chosen = command_options.RowOptions.taken(arguments)
    options = command_options.check_settings(arguments)
    source = command_files.open_files(data, chosen)
    command_files.check_no_overwriting(model, *source.files)
    command_files.check_writable(model)
    fit = fit_files(LabelledFiles.to_learn_from(source, chosen, options), options)
    command_files.write_model(fit.model, model, keep_unlabelled=keep_unlabelled)
    fit_summary.tell_fit(fit, chosen, model, as_json=as_json)


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
