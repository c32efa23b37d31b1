"""``gaussbayes sample MODEL -n N``: rows drawn from a model."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.apps.cli import memory_rows, model_files, options, row_files
from gaussbayes.base.errors import SchemaError

if TYPE_CHECKING:
    import pyarrow as pa

    from gaussbayes.model.model import Model

BLOCK_ROWS = 1 << 16
"""Rows drawn at a time."""

_TARGET = "class"
"""What the column of the classes is called if the model does not know."""


@click.command("sample")
@click.argument("model", type=options.MODEL)
@options.option(
    "-n", "--rows N", type=click.IntRange(min=1), default=1, what="How many rows to draw."
)
@options.seed_option("Decides which rows are drawn; the same number gives the same rows.")
@options.writing_options
def command(
    model: str, rows: int, seed: int, output: str, output_format: str | None, escape: bool
) -> None:
    """Draw rows from a model, with their classes.

    \b
    gaussbayes sample iris.json -n 1000 --seed 7 -o drawn.csv
    """
    row_files.import_arrow()
    fitted = model_files.read_solved(model)
    model_files.check_no_overwriting(output, model)
    target = _TARGET if fitted.target is None else fitted.target
    if target in fitted.schema.titles:
        msg = f"the target and a feature of the model {model} are both called {target!r}"
        raise SchemaError(msg)

    import pyarrow as pa

    classes = pa.array(fitted.schema.classes.tolist())
    encoder = fitted.encoder
    kinds = [memory_rows.arrow_type(encoder, j) or pa.float64() for j in range(encoder.n_features)]
    titles = fitted.schema.titles
    schema = pa.schema([*zip(titles, kinds, strict=True), (target, classes.type)])
    tables = _tables(fitted, classes, schema, rows, seed)
    row_files.write_tables(tables, schema, output, output_format, escape=escape)


def _tables(
    model: "Model", classes: Any, schema: "pa.Schema", n_rows: int, seed: int
) -> "Iterator[pa.Table]":
    """Blocks of rows, drawn one after the other."""
    import pyarrow as pa

    from gaussbayes.analysis.synthesis import as_generator, draw
    from gaussbayes.base.progress import count_rows
    from gaussbayes.base.threads import ranges

    generator, encoder = as_generator(seed), model.encoder
    sizes = [block.stop - block.start for block in ranges(n_rows, BLOCK_ROWS)]
    for size in count_rows(sizes, "drawing", n_rows, lambda size: size):
        drawn, codes = draw(model, size, generator)
        table = memory_rows.as_table(encoder.decode(drawn), encoder)
        yield pa.table([*table.columns, classes.take(pa.array(codes))], schema=schema)
