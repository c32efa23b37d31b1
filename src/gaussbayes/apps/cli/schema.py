"""``gaussbayes schema DATA...``: the columns of files as they are read."""

from importlib.resources import files
from typing import Any

import click

from gaussbayes.apps.cli import options, output, quick, reading


@click.command("schema")
@click.argument("data", metavar="[DATA...]", nargs=-1, type=options.SOURCE)
@click.option("--model", is_flag=True, help="Write the JSON Schema of model files instead.")
@options.reading_options
@options.json_option("Write JSON instead of a table.")
def command(
    data: tuple[str, ...], model: bool, file_format: str | None, bad_rows: str, as_json: bool
) -> None:
    """Show the columns of files and their types, as other commands read them.

    \b
    gaussbayes schema iris.csv
    gaussbayes schema --model > model.schema.json
    """
    if model == bool(data):
        msg = "give either files whose columns are to be shown, or --model"
        raise click.UsageError(msg)
    if model:
        text = files("gaussbayes.model.file").joinpath("model.schema.json").read_text("utf-8")
        click.echo(text, nl=not text.endswith("\n"))
        return
    quick.start()
    source = reading.opened(data, file_format, bad_rows)
    if as_json:
        output.write_json(_record(source), indent=2)
        return
    table = output.table("column", "type")
    table.leading = 0
    for field in source.schema:
        table.add_row(field.name, str(field.type))
    output.console().print(table)
    rows = "" if source.n_rows is None else f" and {reading.counted(source.n_rows, 'row')}"
    columns = reading.counted(len(source.schema), "column")
    reading.tell(f"{reading.where(source)}: {columns}{rows}")


def _record(source: Any) -> dict[str, Any]:
    return {
        "files": [str(name) for name in source.files],
        "rows": source.n_rows,
        "columns": [{"name": field.name, "type": str(field.type)} for field in source.schema],
    }
