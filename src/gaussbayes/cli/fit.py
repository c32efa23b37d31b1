"""``gaussbayes fit DATA... -y TARGET``: files of labelled rows → a model file."""

from typing import TYPE_CHECKING, Any

import click

from gaussbayes.cli import learning, models, options, quick, reading, writing

if TYPE_CHECKING:
    from gaussbayes.types import BadRowHandling


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
@options.model_options
@options.weights_option
@options.reading_options
@options.json_option("Write what was learnt from as JSON to standard output.")
def command(
    data: tuple[str, ...],
    target: str | None,
    model: str,
    features: tuple[str, ...] | None,
    weights: str | None,
    file_format: str | None,
    bad_rows: "BadRowHandling",
    as_json: bool,
    **settings: Any,
) -> None:
    """Fit a classifier to files of any size.

    DATA are CSV, TSV, JSON lines, Parquet or Arrow files, also compressed (.gz, .zst), folders of
    them, patterns, or - for standard input. They are read once, in bounded memory.

    \b
    gaussbayes fit iris.csv -y species -o iris.json
    gaussbayes fit 'parts/*.parquet' -y label --covariance diagonal --weights count
    zcat rows.csv.gz | gaussbayes fit - -y label -o - > model.json
    """
    if as_json and model == models.STANDARD:
        msg = "--json writes to standard output, where the model goes: give it a file with -o"
        raise click.UsageError(msg)
    from gaussbayes.settings import check_settings
    from gaussbayes.sources import moments_of

    chosen = check_settings(**settings)
    quick.start()
    source = reading.opened(data, file_format, bad_rows)
    writing.refuse_overwriting(model, *source.files)
    models.refuse_unwritable(model)
    found = moments_of(
        source,
        reading.target_for(source, target),
        layout=chosen.structure.layout,
        features=features,
        weights=weights,
        bad_rows=bad_rows,
    )
    stored = learning.learn(found, chosen)
    models.write(stored, model)
    learning.tell(stored, found, model, as_json=as_json)
