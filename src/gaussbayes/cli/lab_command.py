"""``gaussbayes lab [MODEL] [FILE]``: an interactive page."""

from typing import TYPE_CHECKING, Any

import click

from gaussbayes.cli import console, flags, inputs
from gaussbayes.cli.flags import COLUMN_NAMES, READ_NAMES, Values, option

if TYPE_CHECKING:
    from gaussbayes.lab import Lab


@click.command("lab")
@click.argument("files", metavar="[MODEL] [FILE]", nargs=-1, type=flags.SOURCE)
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
    request to any address. Without FILE it shows its own examples and reads files that are dropped
    on it. With MODEL, or a model option such as --set-option model=auto, it shows that model.

    \b
    gaussbayes lab
    gaussbayes lab iris.csv -y species
    gaussbayes lab model.json new.csv -o new.html --no-open
    """
    console.check_output(output, "the page", *files)
    path = _lab(files, target, flags.given_values(arguments)).save(output)
    console.saved("page", path, as_json=as_json)
    if not no_open and click.launch(str(path)) != 0:
        console.tell("No browser could be opened: open the file yourself.")


def _lab(files: tuple[str, ...], target: str | None, values: Values) -> "Lab":
    """Return the page of a model and rows, of rows alone, or of neither."""
    if not files:
        if target is not None or values:
            msg = "there are no rows that -y or an option could be about: give FILE"
            raise click.UsageError(msg)
        from gaussbayes.lab import Lab

        return Lab()
    if inputs.split_model(files)[0] is None and values.keys() <= COLUMN_NAMES | READ_NAMES:
        model, rows, y, _ = inputs.read_or_make(files, target, values)
        with console.warnings_as_notices():
            return model.lab(rows, y)
    model, source, y = inputs.fitted_with_rows(files, target, values)
    return model.lab(source, y)
