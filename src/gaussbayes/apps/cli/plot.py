"""``gaussbayes plot``: a picture of a model, of rows, or of both."""

from typing import Any

import click

from gaussbayes.apps.cli import given, kinds, options, output, picture_file, reading, scene, values

_KINDS = ", ".join(kinds.KINDS)

_FLATTERED = "on the rows the model was fitted to"
_HOW = "for a fair picture, `fit` a model file and give it with DATA of other rows"


def _size(_: click.Context, __: click.Parameter, value: str | None) -> tuple[float, float] | None:
    if value is None:
        return None
    try:
        wide, high = (float(part) for part in value.split(","))
    except ValueError:
        wide = high = 0.0
    if not (0.5 <= wide <= 100 and 0.5 <= high <= 100):
        msg = f"expected width and height in inches, 0.5 to 100, such as 8,6; got {value!r}"
        raise click.BadParameter(msg)
    return wide, high


def _list_kinds(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    made = output.table("kind", "what it shows", "needs")
    made.leading = 0
    for name, kind in kinds.KINDS.items():
        made.add_row(name, kind.what, kind.needs)
    output.console().print(made)
    ctx.exit()


@click.command("plot")
@click.argument(
    "arguments", metavar="MODEL|DATA [DATA...]", nargs=-1, required=True, type=options.SOURCE
)
@click.option(
    "--kind",
    type=click.Choice(list(kinds.KINDS)),
    metavar="KIND",
    help=f"One of {_KINDS}; --list says what they are.",
)
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_kinds,
    help="List the kinds of pictures and what they need, and exit.",
)
@click.option(
    "-o",
    "--output",
    "picture",
    type=options.OUTPUT,
    metavar="FILE",
    help="The picture to write, a .png, .svg or .pdf file; - is standard output, as PNG.",
)
@click.option("--data", multiple=True, type=options.SOURCE, help="Rows to draw, as DATA.")
@options.target_option
@click.option(
    "--features",
    callback=values.names,
    metavar="A,B",
    help="The features to show, the others integrated out.  [default: all]",
)
@click.option(
    "--learn-from",
    callback=values.names,
    metavar="A,B,...",
    help="The columns to fit a model to.  [default: all but the target]",
)
@options.model_options
@click.option(
    "--held-out",
    callback=values.held_out,
    default="10",
    show_default=True,
    metavar="FOLDS|SHARE",
    help="How rows are held out for comparison and neighbors.",
)
@click.option(
    "--reject",
    type=click.FloatRange(0, 1),
    metavar="P",
    help="Leave open, in regions, where no class is as probable as this.",
)
@click.option("--dpi", type=click.IntRange(20, 1200), default=150, show_default=True, metavar="N")
@click.option(
    "--size", callback=_size, metavar="W,H", help="Width and height in inches.  [default: fitting]"
)
@options.seed_option("Decides which rows are drawn where there are too many.")
@options.reading_options
def command(
    arguments: tuple[str, ...],
    kind: str | None,
    picture: str | None,
    data: tuple[str, ...],
    target: str | None,
    features: tuple[str, ...] | None,
    learn_from: tuple[str, ...] | None,
    held_out: Any,
    reject: float | None,
    dpi: int,
    size: tuple[float, float] | None,
    seed: int,
    file_format: str | None,
    bad_rows: str,
    **settings: Any,
) -> None:
    """Draw a picture of a model, or of rows, or of a model with rows.

    A model comes from its file, or is fitted to DATA. Where there are too many rows to draw, a
    sample of them is drawn.
    The first argument is a model file if its name ends in .json; rows in JSON lines end in .jsonl.

    \b
    gaussbayes plot --list
    gaussbayes plot model.json --kind ellipses --features length,width -o ellipses.png
    gaussbayes plot model.json new.csv --kind confusion -o confusion.svg
    gaussbayes plot iris.csv -y species --kind pairs -o pairs.pdf
    """
    chosen = _chosen(kind, features, reject, held_out)
    parted = given.told_apart((*arguments, *data), file_format)
    if picture is None:
        msg = "where is the picture to go? Give -o with a .png, .svg or .pdf file"
        raise click.UsageError(msg)
    picture_file.refuse_place(picture, *arguments, *data)
    if parted.model is not None:
        given.refuse_for_a_model(*settings, "learn_from")
        if not parted.data and chosen.needs != "a model":
            msg = f"a picture of kind {kind} needs rows: give DATA after the model"
            raise click.UsageError(msg)
        seen = scene.of_model(parted, chosen, target, file_format, bad_rows, seed)
    else:
        seen = scene.of_rows(
            parted, chosen, target, learn_from, settings, file_format, bad_rows, seed
        )
    there = kinds.Given(
        model=seen.model,
        rows=None if seen.shown is None else (seen.shown.features, seen.shown.labels),
        evaluated=seen.evaluated,
        compared=lambda: seen.compared(held_out, seed),
        features=features,
        reject=reject,
    )
    flattered = chosen.judges and parted.model is None
    picture_file.save(lambda: _drawn(chosen, there, flattered), picture, dpi, size)
    if flattered:
        reading.tell(f"judged {_FLATTERED}, which flatters it: {_HOW}")


def _drawn(kind: kinds.Kind, there: kinds.Given, flattered: bool) -> None:
    """Draw the picture, and say in its title what the model is judged by."""
    import matplotlib.pyplot as plt

    from gaussbayes import plots

    kind.draw(plots, there)
    if not flattered:
        return
    figure = plt.gcf()
    title = figure.get_suptitle()
    if title:
        figure.suptitle(f"{title}\n{_FLATTERED}", fontsize="medium")
    else:
        ax = figure.axes[0]
        ax.set_title(f"{ax.get_title()}\n{_FLATTERED}")


def _chosen(
    kind: str | None, features: tuple[str, ...] | None, reject: float | None, held_out: Any
) -> kinds.Kind:
    if kind is None:
        msg = f"which picture? Give --kind with one of {_KINDS}"
        raise click.UsageError(msg)
    if reject is not None and kind != "regions":
        msg = f"--reject is for --kind regions, not for {kind}"
        raise click.UsageError(msg)
    if features is not None and not kinds.KINDS[kind].takes_features:
        msg = f"a picture of kind {kind} shows no features: leave out --features"
        raise click.UsageError(msg)
    if not isinstance(held_out, int | float):
        msg = "a picture of a comparison holds out folds or a share of the rows, not a file"
        raise click.UsageError(msg)
    return kinds.KINDS[kind]
