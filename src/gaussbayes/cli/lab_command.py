"""``gaussbayes lab [MODEL] FILE``: an interactive page."""

from typing import Any

import click

from gaussbayes.cli import console, flags, inputs
from gaussbayes.cli.flags import option


@click.command("lab")
@flags.model_and_files
@flags.target
@option("-o --output FILE", "HTML file to write.", default="lab.html", type=flags.OUTPUT)
@option("--no-open", "Do not open the page in the browser.")
@flags.settings
@flags.as_json
def command(
    files: tuple[str, ...],
    target: str | None,
    output: str,
    no_open: bool,
    as_json: bool,
    **arguments: Any,
) -> None:
    """Write an interactive page about rows and a model, and open it.

    The page fits, draws and explains Gaussian classifiers by itself: it is one file that makes no
    request to any address.

    \b
    gaussbayes lab iris.csv -y species
    gaussbayes lab model.json new.csv -o new.html --no-open
    """
    console.check_output(output, "the page", *files)
    model, rows, y = inputs.fitted_with_rows(files, target, flags.given_values(arguments))
    path = model.lab(rows, y).save(output)
    console.saved("page", path, as_json=as_json)
    if not no_open and click.launch(str(path)) != 0:
        console.tell("No browser could be opened: open the file yourself.")
