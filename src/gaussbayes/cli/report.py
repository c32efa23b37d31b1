"""``gaussbayes report DATA -y TARGET``: fit a model to a file, and write a page about it."""

import shlex
from pathlib import Path
from typing import Any

import click

from gaussbayes.cli import options


@click.command("report", cls=options.RememberingCommand)
@click.argument("data", type=options.DATA)
@click.option("-y", "--target", metavar="TARGET", help="The column that holds the classes.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default="report.html",
    show_default=True,
    help="The page to write; it is one file that needs nothing else.",
)
@click.option(
    "--features",
    callback=options.names,
    metavar="A,B,...",
    help="The columns to learn from.  [default: all but the target]",
)
@click.option(
    "--covariance",
    type=click.Choice(["full", "diagonal", "spherical"]),
    default="full",
    show_default=True,
    help="What a class's covariance may look like.",
)
@click.option("--shared", is_flag=True, help="All classes have the same covariance.")
@click.option(
    "--divisor",
    type=click.Choice(["mle", "unbiased"]),
    default="mle",
    show_default=True,
    help="Divide the scatter by N, or by N - 1.",
)
@click.option(
    "--shrinkage",
    callback=options.shrinkage,
    default="none",
    show_default=True,
    metavar="none|oas|NUMBER",
    help="How far covariances move towards the spherical one.",
)
@click.option(
    "--priors",
    callback=options.priors,
    default="estimated",
    show_default=True,
    metavar="estimated|uniform|P,Q,...",
    help="The classes' priors; numbers are in the order of the sorted classes.",
)
@click.option(
    "--held-out",
    callback=options.held_out,
    default="10",
    show_default=True,
    metavar="FOLDS|SHARE|FILE",
    help="What errors are counted on: folds of cross-validation, a share of the rows, or the "
    "rows of another file.",
)
@options.seed_option("Decides which rows are held out.")
@click.option("--title", metavar="TEXT", help="The heading of the page.")
def command(
    data: Path,
    target: str | None,
    output: Path,
    features: tuple[str, ...] | None,
    held_out: float | Path,
    seed: int,
    title: str | None,
    **settings: Any,
) -> None:
    """Write an HTML page about a classifier fitted to a file.

    DATA is a CSV, TSV or Parquet file with named columns. The page shows the data, the
    parameters, pictures, errors on rows held out, calibration, and how other models do. Its path
    is printed.

    \b
    gaussbayes report iris.csv -y species
    gaussbayes report iris.csv -y species --covariance diagonal --held-out 0.3 -o iris.html
    """
    _refuse_overwriting(output, data, held_out)

    from gaussbayes import GaussianClassifier, write_report
    from gaussbayes.cli import rows
    from gaussbayes.report.write import refuse_unwritable

    refuse_unwritable(output)  # before a large file is read

    table = rows.read_file(data)
    if target is None:
        columns = rows.listed(table.column_names)
        msg = f"which column of {data} holds the classes? Give -y with one of: {columns}"
        raise click.UsageError(msg)
    learnt = rows.labelled(data, table, target, features)
    model = GaussianClassifier(**settings).fit(learnt.features, learnt.labels)
    if isinstance(held_out, Path):
        names = learnt.features.column_names
        other = rows.labelled(held_out, rows.read_file(held_out), target, names, like=table)
        tests: Any = (other.features, other.labels)
    else:
        tests = held_out
    context = click.get_current_context()
    written = write_report(
        model,
        learnt.features,
        learnt.labels,
        output,
        held_out=tests,
        title=title,
        random_state=seed,
        source=str(data),
        command=shlex.join([*context.command_path.split(), *context.meta["arguments"]]),
    )
    click.echo(written)


def _refuse_overwriting(output: Path, *given: object) -> None:
    for path in given:
        if isinstance(path, Path) and output.exists() and output.samefile(path):
            msg = f"the report would overwrite the data in {path}: give another name with -o"
            raise click.UsageError(msg)
