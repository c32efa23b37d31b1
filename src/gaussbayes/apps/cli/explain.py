"""``gaussbayes explain MODEL DATA``: why one row is taken for what it is."""

import math
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.apps.cli import models, options, output, picture_file, quick, reading, rows, values
from gaussbayes.apps.cli.model_rows import ModelRows
from gaussbayes.base.errors import DataError, SchemaError

if TYPE_CHECKING:
    from gaussbayes.analysis.explanation import Explanation
    from gaussbayes.model.mixed import MixedRows
    from gaussbayes.model.model import Model


def _reference(_: click.Context, __: click.Parameter, value: str) -> str | list[float]:
    """``mean``, ``rival`` or a number for each feature."""
    if value in {"mean", "rival"}:
        return value
    try:
        point = [float(number) for number in value.split(",")]
    except ValueError:
        point = [math.nan]
    if not all(map(math.isfinite, point)):
        msg = f"expected 'mean', 'rival' or a number for each feature, got {value!r}"
        raise click.BadParameter(msg)
    return point


@click.command("explain")
@click.argument("model", type=options.MODEL)
@click.argument("data", type=options.SOURCE)
@click.option(
    "--row",
    "number",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="The row to explain, counted from 1, the header not counted.",
)
@click.option(
    "--classes",
    callback=values.names,
    metavar="A,B",
    help="The two classes to compare.  [default: the most probable one and the next]",
)
@click.option(
    "--reference",
    callback=_reference,
    default="mean",
    show_default=True,
    metavar="mean|rival|X,Y,...",
    help="What the row is compared with: the mean of all classes, that of B, or a point.",
)
@click.option(
    "--priors",
    callback=values.other_priors,
    default="own",
    show_default=True,
    metavar="own|estimated|uniform|P,Q,...",
    help="Other priors than the model's; numbers are in the order of the sorted classes.",
)
@click.option(
    "--picture",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Draw what each feature adds, too: a .png, .svg or .pdf file.",
)
@click.option(
    "--format",
    "file_format",
    type=click.Choice(options.FORMATS),
    help="The kind of the data file.  [default: by its name]",
)
@options.json_option("Write everything as JSON, every number exact.")
def command(
    model: str,
    data: str,
    number: int,
    classes: tuple[str, ...] | None,
    reference: str | list[float],
    priors: Any,
    picture: str | None,
    file_format: str | None,
    as_json: bool,
) -> None:
    """Explain one row: Bayes' rule with every number, and what each feature adds.

    What a feature adds to the log-odds of two classes is its Shapley value: its mean share, over
    all orders of the features, in the way from a reference point to the row. These add up to the
    log-odds exactly. Features that are missing are integrated out and add nothing.

    \b
    gaussbayes explain iris.json new.csv --row 3
    gaussbayes explain iris.json new.csv --row 3 --classes setosa,virginica --picture why.png
    """
    models.refuse_two_inputs(model, data)
    if picture == models.STANDARD:
        msg = "the tables go to standard output: give --picture a file"
        raise click.UsageError(msg)
    if picture is not None:
        picture_file.refuse_place(picture, model, data)
    quick.start()
    stored = models.read(model)
    if priors != "own":
        stored = stored.with_priors(priors)
    taken = ModelRows(stored, model)
    d = len(taken.numbers)
    if isinstance(reference, list) and len(reference) != d:
        those = " that hold numbers" if taken.categorical else ""
        msg = f"--reference is {len(reference)} numbers, but the model has {d} features{those}"
        raise click.UsageError(msg)
    source = reading.opened([data], file_format)
    place = f"{reading.where(source)}, row {number}"
    row = _row(source, taken, number)

    from gaussbayes.analysis.explanation import explain

    pair = None if classes is None else _pair(stored, classes)
    parameters = stored.estimate_any()
    with reading.naming(place):
        told = explain(parameters, stored.schema, row, pair, reference)
    if as_json:
        about = {"model": model, "data": source.files[0], "row": number}
        output.write_json(about | told.as_record())
    else:
        from gaussbayes.apps.cli import explained

        explained.show(output.console(), told, f"what the model {model} says of {place}")
    if picture is not None:
        _draw(told, picture)


def _row(source: Any, taken: ModelRows, number: int) -> "list[float] | MixedRows":
    """One row of a file as the model takes it; NaN where there is no number."""
    if len(source.files) > 1:
        msg = (
            f"rows are numbered within a file, but {reading.where(source)} are given: "
            "give the file that holds the row"
        )
        raise click.UsageError(msg)
    taken.require(source)
    reading.schema_of(source, taken.features, **taken.kinds)
    found = 0
    # Numbers are looked at in this row alone: what is wrong in others does not matter here.
    every = reading.blocks(source, "looking for the row", taken.features, texts=taken.texts)
    for block in every:
        found = block.first_row + block.table.num_rows - 1
        if number <= found:
            cells = block.table.slice(number - block.first_row, 1)
            numbers = [_value(cells.column(name), source, number) for name in taken.numbers]
            with reading.naming(f"{reading.where(source)}, row {number}"):
                return taken.with_numbers(numbers, cells)
    if not found:
        raise rows.nothing_in(source)
    msg = f"{reading.where(source)} has {reading.counted(found, 'row')}: there is no row {number}"
    raise DataError(msg)


def _value(cell: Any, source: Any, number: int) -> float:
    """The number in a cell; text is read as the column of a feature would be."""
    import pyarrow as pa

    from gaussbayes.data.sources.fitting import cast_text

    value = cell[0].as_py()
    if isinstance(value, str):
        column, wrong = cast_text(pa.array([value.encode()]), pa.float64(), source.held.decimal)
        if wrong[0]:
            msg = f"{reading.where(source)}, row {number}: {value!r:.60} is not a number"
            raise DataError(msg)
        value = column[0].as_py()
    return float("nan") if value is None else float(value)


def _pair(stored: "Model", classes: tuple[str, ...]) -> tuple[int, int]:
    """The numbers of two classes given by name."""
    if len(classes) != 2:
        msg = f"two classes are compared, got {', '.join(classes)}"
        raise click.BadParameter(msg, param_hint="--classes")
    known = models.class_names(stored)
    unknown = [name for name in classes if name not in known]
    if unknown:
        msg = f"the model has no class {unknown[0]!r}; it has {', '.join(known):.300}"
        raise SchemaError(msg)
    return known.index(classes[0]), known.index(classes[1])


def _draw(told: "Explanation", picture: str) -> None:
    from gaussbayes import plots

    picture_file.save(lambda: plots.explanation(told), picture)
