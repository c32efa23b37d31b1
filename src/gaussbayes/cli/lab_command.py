"""``gaussbayes lab``: rows of a file, and a model, as an interactive page."""

from pathlib import Path
from typing import Any

import click

from gaussbayes.cli import command_files
from gaussbayes.cli.command_options import SOURCE, RowOptions, option, takes
from gaussbayes.cli.console import tell


@click.command("lab")
@click.argument("arguments", metavar="[MODEL] [DATA]", nargs=-1, type=SOURCE)
@takes("target")
@option("-o", "--output PAGE", type=click.Path(path_type=Path), default="lab.html")
@option("--no-open", is_flag=True)
@takes("reading")
def command(arguments: tuple[str, ...], output: Path, no_open: bool, **settings: Any) -> None:
    """Write an interactive page about DATA and open it in the browser.

    The page fits, draws and explains Gaussian classifiers by itself: it is one file that makes no
    request to any address. Its path is printed. With MODEL, a file that `fit` has written, it
    shows this model; without DATA, it shows its own examples and reads files that are dropped on
    it. At most 100,000 rows are shown, drawn at random.

    \b
    gaussbayes lab
    gaussbayes lab iris.csv -y species
    gaussbayes lab iris.json new.csv -o new.html --no-open
    """
    from gaussbayes.lab.page import show

    chosen = RowOptions.taken(settings)
    command_files.check_no_overwriting(str(output), *arguments)
    command_files.check_writable(str(output), "the page")
    path = _lab(arguments, chosen).save(output)
    click.echo(path)
    if not no_open and not show(path):
        tell("No browser could be opened: open this file yourself.")


def _lab(arguments: tuple[str, ...], chosen: RowOptions) -> Any:
    """The page of a model and rows, of rows alone, or without either."""
    from gaussbayes.cli.labelled_files import LabelledFiles
    from gaussbayes.lab.page import Lab
    from gaussbayes.lab.payload import MOST_ROWS, lab_of
    from gaussbayes.model.options import check_options

    if not arguments:
        if chosen.target is not None:
            msg = f"-y names the column {chosen.target!r}, but there are no DATA: give a file"
            raise click.UsageError(msg)
        return Lab()
    name, data = command_files.split_arguments(arguments, chosen, ())
    if name is not None and not data:
        msg = f"which rows is the page to show with {name}? Give DATA after it"
        raise click.UsageError(msg)
    if len(data) > 1:
        msg = f"the page shows one file, got {len(data)}: {', '.join(data)}"
        raise click.UsageError(msg)
    model = None if name is None else command_files.read_solved(name)
    source = command_files.open_files(data, chosen, model)
    if model is None:
        files = LabelledFiles.to_learn_from(source, chosen, check_options())
    else:
        files = LabelledFiles.of_model(source, chosen, model, str(name))
    rows = files.sample(MOST_ROWS)
    files.tell("shown without a class")
    return lab_of(
        rows.table,
        rows.encoder.schema(rows.table.classes),
        model,
        target=files.rows.target,
        name=Path(source.shown).name,
        n_rows=files.n_rows,
    )
