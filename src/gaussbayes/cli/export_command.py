"""``gaussbayes export MODEL -o FILE``: a model as SQL or ONNX."""

from pathlib import Path
from typing import Any

import click

from gaussbayes.cli import console, flags, inputs
from gaussbayes.cli.flags import STANDARD, option

_KEYWORDS = {".sql": {"table", "dialect", "keep"}, ".onnx": {"dtype"}}


@click.command("export")
@flags.model
@option(
    "-o --output FILE",
    "File that ends in .sql or .onnx; - is SQL to standard output.",
    required=True,
)
@option("--table NAME", "Table that the SQL reads.  [default: rows]")
@option(
    "--dialect NAME", "SQL dialect: duckdb, postgres, sqlite, spark, bigquery.  [default: duckdb]"
)
@option("--keep COLUMNS", "Columns that the SQL passes on, such as a key.")
@option("--dtype float64|float32", "Type of the numbers in ONNX.  [default: float64]")
@flags.as_json
def command(model: str, output: str, as_json: bool, **options: Any) -> None:
    """Export a model as SQL or ONNX.

    SQL is one SELECT with the prediction, the probability of each class and the log evidence; NULL
    is a missing value. For a model with pairs, a second file that ends in .pairs.sql creates the
    table that the SELECT joins. ONNX takes the numbers as one tensor X and each categorical feature
    as one of its name; NaN is a missing value.

    \b
    gaussbayes export model.json -o score.sql --dialect postgres --table flowers --keep id
    gaussbayes export model.json -o model.onnx --dtype float32
    """
    suffix = ".sql" if output == STANDARD else Path(output).suffix.lower()
    given = {name: value for name, value in options.items() if value is not None}
    if "keep" in given:
        given["keep"] = flags.items(given["keep"])
    foreign = sorted(set(given) - _KEYWORDS.get(suffix, set(given)))
    if foreign:
        msg = f"--{foreign[0]} is not for files that end in {suffix}"
        raise click.UsageError(msg)
    console.check_output(output, "the export", model, as_json=as_json)
    fitted = inputs.load_model(model)
    with console.writable(output) as path:
        fitted.export(path, **given)
        comment, _, _ = path.read_bytes().partition(b"\n")
    console.saved("export", output, as_json=as_json)
    if comment.startswith(b"-- ") and output != STANDARD and not as_json:
        console.tell(comment[3:].decode())
