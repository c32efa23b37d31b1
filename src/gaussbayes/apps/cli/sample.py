"""``gaussbayes sample MODEL -n N``: rows drawn from a model."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.apps.cli import models, options, quick, writing
from gaussbayes.base.errors import SchemaError

if TYPE_CHECKING:
    from gaussbayes.model.model import Model

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
    writing.refuse_overwriting(output, model)
    features = list(models.feature_names(stored))
    target = _TARGET if stored.target is None else stored.target
    if target in features:
        msg = f"the target and a feature of the model {model} are both called {target!r}"
        raise SchemaError(msg)

    import pyarrow as pa

    classes = pa.array(stored.schema.classes.tolist())
    kinds = [pa.float64()] * len(features)
    for column, labels in zip(stored.schema.categorical, _categories(stored), strict=True):
        kinds[column] = labels.type
    schema = pa.schema([*zip(features, kinds, strict=True), (target, classes.type)])
    tables = _tables(stored, classes, schema, rows, seed)
    writing.write(tables, schema, output, output_format, escape=escape)


def _tables(stored: "Model", classes: Any, schema: Any, n_rows: int, seed: int) -> Iterator[Any]:
    """Blocks of rows, drawn one after the other."""
    import pyarrow as pa

    from gaussbayes.analysis.synthesis import as_generator
    from gaussbayes.base.progress import count_rows
    from gaussbayes.base.threads import ranges

    parameters = stored.estimate_any()
    labels = dict(zip(stored.schema.categorical, _categories(stored), strict=True))
    generator = as_generator(seed)
    sizes = [block.stop - block.start for block in ranges(n_rows, BLOCK_ROWS)]
    for size in count_rows(sizes, "drawing", n_rows, lambda size: size):
        numbers, categories, codes = _drawn(parameters, size, generator)
        columns = [
            labels[column].take(pa.array(next(categories)))
            if column in labels
            else pa.array(next(numbers))
            for column in range(stored.schema.n_features)
        ]
        yield pa.table([*columns, classes.take(pa.array(codes))], schema=schema)


def _drawn(parameters: Any, size: int, generator: Any) -> tuple[Iterator[Any], Iterator[Any], Any]:
    """Rows as columns of numbers and columns of numbers of categories, and their classes."""
    from gaussbayes.analysis.synthesis import draw, draw_mixed
    from gaussbayes.families.gaussian.parameters import Parameters

    if isinstance(parameters, Parameters):
        rows, codes = draw(parameters, size, generator)
        return iter(rows.T), iter(()), codes
    mixed, codes = draw_mixed(parameters, size, generator)
    return iter(mixed.X.T), iter(mixed.columns.codes.T), codes


def _categories(stored: "Model") -> list[Any]:
    """The categories of each feature that holds some, as Arrow arrays."""
    import pyarrow as pa

    return [] if stored.counts is None else [pa.array(own) for own in stored.counts.categories]
