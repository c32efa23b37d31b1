"""``gaussbayes compare DATA... -y TARGET``: which model errs least on rows held out?"""

from pathlib import Path
from typing import Any

import click

from gaussbayes.apps.cli import candidates, choosing, holding, kinds, options, output, reading, rows


def _counts(_: click.Context, __: click.Parameter, value: str) -> tuple[int, ...]:
    try:
        found = tuple(int(number) for number in value.split(",") if number.strip())
    except ValueError:
        found = (0,)
    if any(number < 1 for number in found):
        msg = f"expected whole numbers from 1 on, separated by commas, got {value!r}"
        raise click.BadParameter(msg)
    return found


@click.command("compare")
@click.argument("data", metavar="DATA...", nargs=-1, required=True, type=options.SOURCE)
@options.target_option
@options.features_option
@options.categorical_option
@options.estimation_options
@options.selection_option
@options.smoothing_option
@click.option(
    "--auto/--no-auto",
    "automatic",
    default=True,
    show_default=True,
    help="Whether the automatic choice of structure and shrinkage is compared, too.",
)
@click.option(
    "--candidates",
    "every",
    is_flag=True,
    help="List everything that it chose from, best first.",
)
@holding.held_out_option
@click.option(
    "--neighbors",
    callback=_counts,
    default="1,3,5,9,15",
    show_default=True,
    metavar="A,B,...",
    help="How many nearest neighbours vote; '' for none.",
)
@click.option(
    "--sample",
    type=click.IntRange(1),
    default=kinds.COMPARED,
    show_default=True,
    metavar="N",
    help="Compare on at most so many rows, drawn at random.",
)
@click.option(
    "--plot",
    "picture",
    type=options.OUTPUT,
    metavar="FILE",
    help="Draw the comparison as well, as a .png, .svg or .pdf file.",
)
@options.seed_option("Decides which rows are held out, and which are drawn.")
@options.reading_options
@options.json_option("Write the figures as JSON.")
def command(
    data: tuple[str, ...],
    target: str | None,
    features: tuple[str, ...] | None,
    categorical: tuple[str, ...] | None,
    automatic: bool,
    every: bool,
    held_out: float | Path,
    neighbors: tuple[int, ...],
    sample: int,
    picture: str | None,
    seed: int,
    file_format: str | None,
    bad_rows: str,
    as_json: bool,
    **settings: Any,
) -> None:
    """Compare the six Gaussian models and nearest neighbours on the same rows.

    Priors, divisor and shrinkage are those given; covariances are of each shape in turn, shared
    and not. The automatic choice, as of fit --covariance auto --shrinkage auto, is judged beside
    them: it chooses without the rows that are held out. Beside categories there are no nearest
    neighbours.

    \b
    gaussbayes compare iris.csv -y species
    gaussbayes compare iris.csv -y species --candidates
    gaussbayes compare iris.csv -y species --held-out 0.3 --neighbors 1,5 --plot iris.png
    """
    if every and not automatic:
        msg = "--candidates are those of the automatic choice: leave out --no-auto"
        raise click.UsageError(msg)
    if not automatic and settings["shrinkage"] != "auto":
        choosing.refuse_idle_selection("leave out --no-auto")
    from gaussbayes import GaussianClassifier, compare

    if picture is not None:
        from gaussbayes.apps.cli import picture_file

        picture_file.refuse_place(picture, *data)
    source = reading.opened(data, file_format, bad_rows)
    target = reading.target_for(source, target)
    learnt = rows.sampled(
        source, target, features, sample, seed, categorical=categorical or "from_dtype"
    )
    if learnt.categorical and neighbors:
        reading.tell("nearest neighbours are left out: categories have no distances")
    with reading.telling_warnings():
        compared = compare(
            learnt.features,
            learnt.labels,
            held_out=rows.held_out(held_out, learnt, bad_rows),
            neighbors=neighbors,
            model=GaussianClassifier(categorical_features=learnt.categorical or None, **settings),
            automatic=automatic,
            random_state=seed,
        )
    reading.tell_bad_rows(source.bad_rows)
    chosen = compared.selection
    if as_json:
        output.write_json(
            {
                "data": list(source.files),
                "target": target,
                "how": compared.how,
                "rows": compared.n_rows,
                "classes": compared.classes.tolist(),
                "models": compared.records(),
                "selection": None if chosen is None else candidates.record(chosen),
                "bad_rows": reading.bad_rows_record(source.bad_rows),
            }
        )
    else:
        console = output.console()
        console.print(compared.table())
        if chosen is not None:
            console.print()
            output.paragraph(console, f"automatic choice: {candidates.described(chosen)}")
        if every and chosen is not None:
            console.print()
            console.print(candidates.table(chosen))
    if picture is not None:
        from gaussbayes import plots

        picture_file.save(lambda: plots.comparison(compared), picture)
        reading.tell(f"the picture is in {picture}")
