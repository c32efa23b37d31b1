"""``gaussbayes report``: a report about a model fitted to files, or read from one."""

import shlex
from pathlib import Path
from typing import Any

import click

from gaussbayes.cli import command_files, command_options
from gaussbayes.cli.command_options import SOURCE, RowOptions, option, takes
from gaussbayes.cli.console import warnings_told
from gaussbayes.cli.fit_command import fit_loaded
from gaussbayes.cli.labelled_files import LabelledFiles


class _RememberingCommand(click.Command):
    """A command that knows the arguments it was called with, as ``ctx.meta["arguments"]``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As in click."""
        ctx.meta["arguments"] = list(args)
        return super().parse_args(ctx, args)


@click.command("report", cls=_RememberingCommand)
@click.argument("arguments", metavar="[MODEL] DATA...", nargs=-1, required=True, type=SOURCE)
@takes("target")
@option("-o", "--output REPORT", type=click.Path(path_type=Path), default="report.html")
@takes("features", "categorical", "model_name", "covariance", "estimation", "held_out")
@option("--title TEXT")
@takes("row_names", "labels", "reading", seed="Decides which rows are held out.")
def command(
    arguments: tuple[str, ...],
    output: Path,
    seed: int,
    title: str | None,
    row_names: str | None,
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
    held_out = command_options.take_held_out(settings)
    name, data = command_files.split_arguments(arguments, chosen, settings)
    if not data:
        msg = f"which rows is the report about {name} to show? Give DATA after it"
        raise click.UsageError(msg)
    command_files.check_no_overwriting(str(output), *arguments, str(held_out))
    command_files.check_writable(str(output), "the report")
    if name is None:
        source = command_files.open_files(data, chosen)
        options = command_options.check_settings(settings)
        files = LabelledFiles.to_learn_from(source, chosen, options)
        rows = files.sample()
        with warnings_told():
            model = fit_loaded(files, rows, options).model
        files.tell(command_files.LEARNT_FROM)
    else:
        model = command_files.read_solved(name)
        source = command_files.open_files(data, chosen, model)
        files = LabelledFiles.of_model(source, chosen, model, name)
        rows = files.sample()
        files.tell(command_files.NOT_JUDGED)
    from gaussbayes.report import write_report

    context = click.get_current_context()
    identifier = row_names or command_files.identifier_column(model, source)
    names = files.row_names(rows, identifier)
    with warnings_told():
        path = write_report(
            model,
            rows.features,
            rows.labels,
            output,
            fitted=name is None,
            row_names=names,
            left_out=files.left_out(rows),
            held_out=files.held_out(held_out, rows),
            title=title,
            random_state=seed,
            source=source.shown,
            command=shlex.join([*context.command_path.split(), *context.meta["arguments"]]),
        )
    click.echo(path)
