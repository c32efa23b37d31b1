"""``gaussbayes report``: a page about a model fitted to files, or read from one."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.apps.cli import given, holding, models, options, reading, rows, writing
from gaussbayes.apps.cli.model_rows import refuse_categories

if TYPE_CHECKING:
    from gaussbayes.classifier import GaussianClassifier


@click.command("report", cls=options.RememberingCommand)
@click.argument(
    "arguments", metavar="[MODEL] DATA...", nargs=-1, required=True, type=options.SOURCE
)
@options.target_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default="report.html",
    show_default=True,
    help="The page to write; it is one file that needs nothing else.",
)
@options.features_option
@options.model_options
@holding.held_out_option
@options.seed_option("Decides which rows are held out.")
@click.option("--title", metavar="TEXT", help="The heading of the page.")
@options.reading_options
def command(
    arguments: tuple[str, ...],
    target: str | None,
    output: Path,
    features: tuple[str, ...] | None,
    held_out: float | Path,
    seed: int,
    title: str | None,
    file_format: str | None,
    bad_rows: str,
    **settings: Any,
) -> None:
    """Write an HTML page about a classifier.

    The classifier comes from a model file, or is fitted to DATA. The page shows the data, the
    parameters, pictures, errors on rows held out, calibration, and how other models do. Its path
    is printed.
    The first argument is a model file if its name ends in .json; rows in JSON lines end in .jsonl.

    \b
    gaussbayes report iris.csv -y species
    gaussbayes report iris.csv -y species --covariance diagonal --held-out 0.3 -o iris.html
    gaussbayes report iris.json new.csv
    """
    parted = given.told_apart(arguments, file_format)
    if parted.model is not None:
        given.refuse_for_a_model(*settings, "features")
    if not parted.data:
        msg = f"which rows is the page about {parted.model} to show? Give DATA after it"
        raise click.UsageError(msg)
    writing.refuse_overwriting(str(output), *arguments, str(held_out))

    from gaussbayes import write_report
    from gaussbayes.apps.report import check_writable

    check_writable(output)  # before a large file is read

    source = reading.opened(parted.data, file_format, bad_rows)
    if parted.model is None:
        model, learnt = _fitted(source, target, features, settings)
    else:
        model, learnt = _loaded(parted.model, source, target)
    reading.tell_bad_rows(source.bad_rows)
    context = click.get_current_context()
    written = write_report(
        model,
        learnt.features,
        learnt.labels,
        output,
        held_out=rows.held_out(held_out, learnt, bad_rows),
        title=title,
        random_state=seed,
        source=reading.where(source),
        command=shlex.join([*context.command_path.split(), *context.meta["arguments"]]),
    )
    click.echo(written)


def _fitted(
    source: Any, target: str | None, features: tuple[str, ...] | None, settings: dict[str, Any]
) -> "tuple[GaussianClassifier, rows.Rows]":
    """A model of the rows, and the rows."""
    from gaussbayes import GaussianClassifier

    learnt = rows.read(source, reading.target_for(source, target), features)
    return GaussianClassifier(**settings).fit(learnt.features, learnt.labels), learnt


def _loaded(name: str, source: Any, target: str | None) -> "tuple[GaussianClassifier, rows.Rows]":
    """A model from its file, and rows that have its features."""
    from gaussbayes import GaussianClassifier

    stored = models.read(name)
    refuse_categories(stored, name, "a report is")
    features = models.named_features(stored, name)
    target = reading.target_for(source, target or stored.target)
    reading.require(source, features, f"the model's {reading.counted(len(features), 'feature')}")
    return GaussianClassifier.load(name), rows.read(source, target, features)
