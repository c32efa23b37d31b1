"""``gaussbayes report``: a report about a model fitted to files, or read from one."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.apps.cli import command_options, memory_rows, model_files, row_files
from gaussbayes.apps.cli.command_options import RowOptions
from gaussbayes.apps.cli.console import warnings_told
from gaussbayes.apps.cli.fit_command import fit_loaded

if TYPE_CHECKING:
    from gaussbayes.data.files import Source
    from gaussbayes.model.model import Model
    from gaussbayes.model.options import Options


class _RememberingCommand(click.Command):
    """A command that knows the arguments it was called with, as ``ctx.meta["arguments"]``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As in click."""
        ctx.meta["arguments"] = list(args)
        return super().parse_args(ctx, args)


@click.command("report", cls=_RememberingCommand)
@command_options.data_argument("[MODEL] DATA...")
@command_options.target_option
@command_options.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default="report.html",
    what="The report to write; it is one file that needs nothing else.",
)
@command_options.feature_options
@command_options.model_options
@command_options.compared_on_option
@command_options.seed_option("Decides which rows are held out.")
@command_options.option("--title TEXT", what="The heading of the report.")
@command_options.label_options
@command_options.reading_options
def command(
    arguments: tuple[str, ...],
    output: Path,
    held_out: Any,
    seed: int,
    title: str | None,
    **settings: Any,
) -> None:
    """Write an HTML report about a classifier.

    The classifier comes from a model file, or is fitted to DATA. The report shows the data, the
    parameters, figures, errors on rows held out, calibration, and how other models do. Its path
    is printed.
    The first argument is a model file if its name ends in .json; rows in JSON lines end in .jsonl.

    \b
    gaussbayes report iris.csv -y species
    gaussbayes report iris.csv -y species --covariance diagonal --held-out 0.3 -o iris.html
    gaussbayes report iris.json new.csv
    """
    chosen = RowOptions.taken(settings)
    given = model_files.split_arguments(arguments, chosen.file_format)
    if given.model is not None:
        model_files.check_not_for_a_model(*settings, "features", "categorical", "labelled_only")
    if not given.data:
        msg = f"which rows is the report about {given.model} to show? Give DATA after it"
        raise click.UsageError(msg)
    command_options.check_compared_on(held_out)
    model_files.check_no_overwriting(str(output), *arguments, str(held_out))

    from gaussbayes.apps.report import check_writable, write_report

    check_writable(output)  # before a large file is read

    source = row_files.open_files(given.data, chosen.file_format, chosen.bad_rows)
    if given.model is None:
        chosen = replace(chosen, target=row_files.target_column(source, chosen.target))
        model, table = _fitted(source, chosen, command_options.check_settings(settings))
    else:
        model, table = _loaded(given.model, source, chosen)
        chosen = replace(chosen, target=chosen.target or model.target)
    context = click.get_current_context()
    with warnings_told():
        path = write_report(
            model,
            table.features,
            table.labels,
            output,
            held_out=memory_rows.held_out_rows(held_out, table, chosen),
            title=title,
            random_state=seed,
            source=source.shown,
            command=shlex.join([*context.command_path.split(), *context.meta["arguments"]]),
        )
    click.echo(path)


def _fitted(
    source: "Source", chosen: RowOptions, settings: "Options"
) -> "tuple[Model, memory_rows.MemoryRows]":
    """A model of the rows, and the rows."""
    rows = row_files.training_rows(source, chosen, settings)
    reduced = memory_rows.load_rows(rows, labelled_only=chosen.labelled_only)
    with warnings_told():
        model = fit_loaded(rows, reduced, settings).model
    row_files.tell_bad_rows(reduced.bad_rows)
    row_files.tell_unlabelled(reduced.n_unlabelled, chosen, row_files.LEARNT_FROM)
    return model, reduced.total


def _loaded(
    name: str, source: "Source", chosen: RowOptions
) -> "tuple[Model, memory_rows.MemoryRows]":
    """A model from its file, and rows that have its features."""
    model = model_files.read_solved(name)
    features = model_files.named_features(model, name)
    rows = row_files.rows_of_model(source, model, features, chosen)
    blocks = row_files.LabelledBlocks(rows, model.encoder, model.classes)
    table = memory_rows.sampled_rows(blocks)
    row_files.tell_bad_rows(source.bad_rows)
    row_files.tell_unlabelled(blocks.n_unlabelled, chosen, row_files.NOT_JUDGED)
    blocks.unseen.tell()
    return model, table
