"""``gaussbayes sample MODEL -n N``: rows drawn from a model."""

from collections.abc import Iterator
from itertools import chain

import click
import pyarrow as pa

from gaussbayes.analysis.synthesis import as_generator, draw
from gaussbayes.base.errors import DataError
from gaussbayes.base.progress import count_rows
from gaussbayes.base.threads import ranges
from gaussbayes.cli import command_files
from gaussbayes.cli.command_options import option, takes
from gaussbayes.cli.labelled_files import as_table
from gaussbayes.model.model import Model

BLOCK_ROWS = 1 << 16  # rows drawn at a time


@click.command("sample")
@takes("model")
@option("-n", "--rows N", type=click.IntRange(min=1), default=1)
@takes(
    "output",
    "output_format",
    seed="Decides which rows are drawn; the same number gives the same rows.",
)
def command(
    model: str, rows: int, seed: int, output: str, output_format: str | None, escape: bool
) -> None:
    """Draw rows from a model, with their classes.

    \b
    gaussbayes sample iris.json -n 1000 --seed 7 -o drawn.csv
    """
    command_files.import_arrow()
    fitted = command_files.read_solved(model)
    command_files.check_no_overwriting(output, model)
    target = "class" if fitted.target is None else fitted.target
    if target in fitted.schema.titles:
        msg = f"the target and a feature of the model {model} are both called {target!r}"
        raise DataError(msg)
    tables = _tables(fitted, target, rows, seed)
    first = next(tables)
    tables = chain([first], tables)
    command_files.write_tables(tables, first.schema, output, output_format, escape=escape)


def _tables(model: Model, target: str, n_rows: int, seed: int) -> Iterator[pa.Table]:
    """Blocks of rows, drawn one after the other."""
    generator, classes = as_generator(seed), pa.array(model.schema.classes.tolist())
    sizes = [block.stop - block.start for block in ranges(n_rows, BLOCK_ROWS)]
    for size in count_rows(sizes, "drawing", n_rows, lambda size: size):
        drawn, codes = draw(model, size, generator)
        labels = classes.take(pa.array(codes))
        yield as_table(drawn, model.encoder).append_column(target, labels)
