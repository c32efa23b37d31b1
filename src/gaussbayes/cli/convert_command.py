"""``gaussbayes convert IN... OUT`` and ``schema DATA...``: files of rows without any model."""

from importlib.resources import files
from typing import Any

import click

from gaussbayes.base.numerals import counted
from gaussbayes.base.text_tables import TextTable
from gaussbayes.cli import command_files, console
from gaussbayes.cli.command_options import OUTPUT, SOURCE, RowOptions, as_names, option, takes
from gaussbayes.cli.console import tell
from gaussbayes.data.roles import select_columns


@click.command("convert")
@click.argument("data", metavar="IN...", nargs=-1, required=True, type=SOURCE)
@click.argument("output", metavar="OUT", type=OUTPUT)
@option("--columns A,B,...", convert=as_names)
@takes("output_format", "reading")
def convert_command(
    data: tuple[str, ...],
    output: str,
    columns: tuple[str, ...] | None,
    output_format: str | None,
    escape: bool,
    **how: Any,
) -> None:
    """Convert files of rows into another format: CSV, TSV, JSON lines, Parquet, Arrow.

    The formats are told by the names (.csv, .tsv, .jsonl, .parquet, .arrow; with .gz or .zst they
    are compressed), - is standard input and output. Several files become one. Memory is bounded.

    \b
    gaussbayes convert rows.csv.gz rows.parquet
    gaussbayes convert 'parts/*.parquet' - --columns id,label > rows.csv
    """
    command_files.check_one_input(*data)
    source = command_files.open_files(data, RowOptions(**how))
    command_files.check_no_overwriting(output, *source.files)
    names = list(source.schema.names if columns is None else columns)
    command_files.check_columns(source, names, "the columns asked for")
    selection = select_columns(source.inferred, names, {}, source.handling)
    blocks = command_files.plain_blocks(source, "converting", selection)
    tables = (block.table.select(names) for block in blocks)
    command_files.write_tables(tables, selection.schema, output, output_format, escape=escape)
    command_files.tell_bad_rows(source.bad_rows)


@click.command("schema")
@click.argument("data", metavar="[DATA...]", nargs=-1, type=SOURCE)
@option("--model", is_flag=True)
@takes("reading", json="Write JSON instead of a table.")
def schema_command(data: tuple[str, ...], model: bool, as_json: bool, **how: Any) -> None:
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
    source = command_files.open_files(data, RowOptions(**how))
    record = {
        "files": list(source.files),
        "rows": source.n_rows,
        "columns": [{"name": field.name, "type": str(field.type)} for field in source.schema],
    }
    if as_json:
        console.write_json(record, indent=2)
        return
    lines = [(column["name"], column["type"]) for column in record["columns"]]
    console.stdout_console().print(TextTable(("column", "type"), lines, sides="l"))
    rows = "" if source.n_rows is None else f" and {counted(source.n_rows, 'row')}"
    tell(f"{source.shown}: {counted(len(source.schema), 'column')}{rows}")
