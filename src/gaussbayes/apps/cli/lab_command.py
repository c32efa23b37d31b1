"""``gaussbayes lab``: a page in the browser where Gaussians can be taken by the hand."""

from typing import Any

import click

from gaussbayes.apps.cli.command_options import SOURCE, RowOptions, option, takes
from gaussbayes.apps.cli.console import tell


@click.command("lab")
@click.argument("data", metavar="[DATA]", required=False, type=SOURCE)
@takes("target")
@option("--port N", type=click.IntRange(0, 65535), default=None, show_default=False)
@option("--no-browser", is_flag=True)
@takes("reading", seed="Decides which rows of a large file are shown.")
def command(
    data: str | None, target: str | None, port: int | None, no_browser: bool, seed: int, **how: Any
) -> None:
    """Open a page where means, covariances and priors can be moved.

    The regions, errors and probabilities follow at once. The page starts with one of its own
    examples, or with the rows of DATA; the column of the classes can be chosen there as well. Of
    more than 200,000 rows a sample is shown.

    The address is printed. It holds a key without which nobody is let in, and it leads to this
    machine only. Ctrl-C ends the lab.

    \b
    gaussbayes lab
    gaussbayes lab iris.csv -y species
    gaussbayes lab --port 8000 --no-browser
    """
    if target is not None and data is None:
        msg = f"-y names the column {target!r} of a table, but no DATA were given"
        raise click.UsageError(msg)

    from gaussbayes.apps.lab.backend import Backend, check_extra

    check_extra()  # before a large file is read
    table = None if data is None else _read(data, target, seed, **how)

    from gaussbayes.apps.lab.server import serve

    def tell_address(address: str) -> None:
        click.echo(address)
        tell("The lab is open at this address. Ctrl-C ends it.")

    serve(Backend(table), port=port, open_browser=not no_browser, tell=tell_address)


def _read(data: str, target: str | None, seed: int, **how: Any) -> Any:
    from gaussbayes.apps.cli import command_files  # with NumPy: the page is there before
    from gaussbayes.apps.lab import lab_tables

    source = command_files.open_files([data], RowOptions(**how))
    if target is not None:
        command_files.check_columns(source, [target], "the target")
    tables = (block.table for block in command_files.plain_blocks(source, "reading rows"))
    title = source.shown.rpartition("/")[2] or source.shown
    categorical = source.inferred.categorical
    sample = lab_tables.sampled_table(tables, title, target, seed=seed, categorical=categorical)
    command_files.tell_bad_rows(source.bad_rows)
    if sample is None:
        raise command_files.no_rows(source)
    return sample
