"""``gaussbayes report [MODEL] FILE...``: an HTML report."""

from typing import Any

import click

from gaussbayes.cli import console, flags, inputs
from gaussbayes.cli.flags import option


@click.command("report")
@flags.model_and_files
@flags.target
@option("-o --output FILE", "HTML file to write.", default="report.html", type=flags.OUTPUT)
@flags.cv
@option("--title TEXT", "Title.  [default: names the target]")
@flags.settings
@flags.as_json
def command(
    files: tuple[str, ...],
    target: str | None,
    output: str,
    cv: Any,
    title: str | None,
    as_json: bool,
    **arguments: Any,
) -> None:
    """Write an HTML report about a classifier.

    It shows metrics on held-out rows, calibration, ROC and precision-recall curves, the importance
    of the features, the features behind the most confident errors, the parameters and the columns.
    The classifier is read from MODEL or fitted to FILE.

    \b
    gaussbayes report iris.csv -y species
    gaussbayes report model.json new.csv -o new.html
    """
    console.check_output(output, "the report", *files)
    model, rows, y = inputs.fitted_with_rows(files, target, flags.given_values(arguments))
    with console.warnings_as_notices():
        path = model.report(rows, y, output, cv=cv, title=title)
    console.saved("report", path, as_json=as_json)
