"""``gaussbayes sample MODEL -n N``: rows drawn from a model."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.cli import models, options, quick, writing
from gaussbayes.cli.model_rows import refuse_categories
from gaussbayes.errors import SchemaError

if TYPE_CHECKING:
    from gaussbayes.model import Model

BLOCK_ROWS = 1 << 16
"""Rows drawn at a time."""

_TARGET = "class"
"""What the column of the classes is called if the model does not know."""


@click.command("sample")
@click.argument("model", type=options.MODEL)
@click.option(
    "-n",
    "--rows",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="How many rows to draw.",
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
    quick.start()
    stored = models.read(model)
    refuse_categories(stored, model, "rows are drawn")
    writing.refuse_overwriting(output, model)
    features = list(models.feature_names(stored))
    target = _TARGET if stored.target is None else stored.target
    if target in features:
        msg = f"the target and a feature of the model {model} are both called {target!r}"
        raise SchemaError(msg)

    import pyarrow as pa

    classes = pa.array(stored.schema.classes.tolist())
    columns = [(name, pa.float64()) for name in features]
    schema = pa.schema([*columns, (target, classes.type)])
    tables = _tables(stored, classes, schema, rows, seed)
    writing.write(tables, schema, output, output_format, escape=escape)


def _tables(stored: "Model", classes: Any, schema: Any, n_rows: int, seed: int) -> Iterator[Any]:
    """Blocks of rows, drawn one after the other."""
    import pyarrow as pa

    from gaussbayes.parallel import ranges
    from gaussbayes.progress import count_rows
    from gaussbayes.synthesis import as_generator, draw

    parameters = stored.estimate()
    generator = as_generator(seed)
    sizes = [block.stop - block.start for block in ranges(n_rows, BLOCK_ROWS)]
    for size in count_rows(sizes, "drawing", n_rows, lambda size: size):
        drawn, codes = draw(parameters, size, generator)
        columns = [*(pa.array(column) for column in drawn.T), classes.take(pa.array(codes))]
        yield pa.table(columns, schema=schema)
