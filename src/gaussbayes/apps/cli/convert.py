"""``gaussbayes convert IN... OUT``: rows from one kind of file into another."""

import click

from gaussbayes.apps.cli import models, options, quick, reading, values, writing


@click.command("convert")
@click.argument("data", metavar="IN...", nargs=-1, required=True, type=options.SOURCE)
@click.argument("output", metavar="OUT", type=options.OUTPUT)
@click.option(
    "--columns",
    callback=values.names,
    metavar="A,B,...",
    help="The columns to write, in this order.  [default: all]",
)
@click.option(
    "--output-format",
    type=click.Choice(options.FORMATS),
    help="The kind of the file to write.  [default: by its name, or csv]",
)
@options.escape_option
@options.reading_options
def command(
    data: tuple[str, ...],
    output: str,
    columns: tuple[str, ...] | None,
    output_format: str | None,
    escape: bool,
    file_format: str | None,
    bad_rows: str,
) -> None:
    """Convert files of rows into another kind: CSV, TSV, JSON lines, Parquet, Arrow.

    The kinds are told by the names (.csv, .tsv, .jsonl, .parquet, .arrow; with .gz or .zst they are
    compressed), - is standard input and output. Several files become one. Memory is bounded.

    \b
    gaussbayes convert rows.csv.gz rows.parquet
    gaussbayes convert 'parts/*.parquet' - --columns id,label > rows.csv
    """
    models.refuse_two_inputs(*data)
    quick.start()
    source = reading.opened(data, file_format, bad_rows)
    writing.refuse_overwriting(output, *source.files)
    names = list(source.schema.names if columns is None else columns)
    reading.require(source, names, "the columns asked for")
    tables = (block.table.select(names) for block in reading.blocks(source, "converting", names))
    schema = reading.schema_of(source, names)
    writing.write(tables, schema, output, output_format, escape=escape)
    reading.tell_bad_rows(source.bad_rows)
