"""``gaussbayes fit DATA... -y TARGET``: files of labelled rows → a model file."""

from typing import TYPE_CHECKING, Any

import click

from gaussbayes.apps.cli import choosing, learning, models, options, quick, reading, writing

if TYPE_CHECKING:
    from gaussbayes.base.types import BadRowHandling


@click.command("fit")
@click.argument("data", metavar="DATA...", nargs=-1, required=True, type=options.SOURCE)
@options.target_option
@click.option(
    "-o",
    "--output",
    "model",
    type=options.OUTPUT,
    default="model.json",
    show_default=True,
    metavar="MODEL",
    help="The model file to write; - is standard output.",
)
@options.features_option
@options.categorical_option
@options.choosing_options
@options.weights_option
@options.reading_options
@options.json_option("Write what was learnt from as JSON to standard output.")
def command(
    data: tuple[str, ...],
    target: str | None,
    model: str,
    features: tuple[str, ...] | None,
    categorical: tuple[str, ...] | None,
    weights: str | None,
    file_format: str | None,
    bad_rows: "BadRowHandling",
    as_json: bool,
    **settings: Any,
) -> None:
    """Fit a classifier to files of any size.

    DATA are CSV, TSV, JSON lines, Parquet or Arrow files, also compressed (.gz, .zst), folders of
    them, patterns, or - for standard input. They are read once, in bounded memory.

    With --covariance auto, --shrinkage auto or both the best structure and shrinkage are found, by
    rows left out one at a time, which must all fit into memory, or by --selection bic.

    Features that hold categories (text, whole numbers, truth values) are named with --categorical.

    \b
    gaussbayes fit iris.csv -y species -o iris.json
    gaussbayes fit iris.csv -y species --covariance auto --shrinkage auto
    gaussbayes fit 'parts/*.parquet' -y label --covariance diagonal --weights count
    gaussbayes fit days.csv -y rain --categorical wind,month --smoothing 1
    zcat rows.csv.gz | gaussbayes fit - -y label -o - > model.json
    """
    learning.refuse_json_into_the_model(model, as_json=as_json)
    choice = choosing.choice_of(**settings)
    quick.start()
    source = reading.opened(data, file_format, bad_rows)
    writing.refuse_overwriting(model, *source.files)
    models.refuse_unwritable(model)
    target = reading.target_for(source, target)
    columns = choosing.Columns(target, features, weights, categorical)
    stored, found, selection = choosing.learn(source, columns, bad_rows, choice)
    models.write(stored, model)
    learning.tell(stored, found, model, as_json=as_json, selection=selection)
