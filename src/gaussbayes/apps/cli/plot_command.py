"""``gaussbayes plot``: a figure of a model, of rows, or of both."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.apps.cli import (
    command_options,
    console,
    evaluate_command,
    figure_file,
    memory_rows,
    model_files,
    row_files,
)
from gaussbayes.apps.cli.command_options import RowOptions
from gaussbayes.apps.cli.console import tell, warnings_told
from gaussbayes.apps.cli.figure_kinds import DESCRIPTIONS, KINDS, FigureKind, Scene
from gaussbayes.apps.cli.fit_command import fit_files, fit_loaded

if TYPE_CHECKING:
    from gaussbayes.model.options import Options

_KINDS = ", ".join(KINDS)

_FLATTERED = "on the rows the model was fitted to"
_REMEDY = "for a fair figure, `fit` a model file and give it with DATA of other rows"


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
    table = console.text_table("kind", "what it shows", "needs")
    for name, kind in KINDS.items():
        table.add_row(name, DESCRIPTIONS[name], kind.needs)
    console.stdout_console().print(table)
    ctx.exit()


@click.command("plot")
@command_options.data_argument("MODEL|DATA [DATA...]")
@command_options.option(
    "--kind KIND",
    "kind_name",
    type=click.Choice(list(KINDS)),
    what=f"One of {_KINDS}; --list says what they are.",
)
@command_options.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_kinds,
    what="List the kinds of figures and what they need, and exit.",
)
@command_options.option(
    "-o",
    "--output FILE",
    "figure",
    type=command_options.OUTPUT,
    what="The figure to write, a .png, .svg or .pdf file; - is standard output, as PNG.",
)
@command_options.option(
    "--data", multiple=True, type=command_options.SOURCE, what="Rows to draw, as DATA."
)
@command_options.target_option
@command_options.names_option(
    "--features A,B",
    "shown_features",
    what="The features to show, the others integrated out.  [default: all]",
)
@command_options.names_option(
    "--learn-from A,B,...",
    "features",
    what="The columns to fit a model to.  [default: all but the target]",
)
@command_options.categorical_option
@command_options.model_options
@command_options.held_out_option(
    "FOLDS|PROPORTION", "How rows are held out for comparison and neighbors."
)
@command_options.option(
    "--reject P",
    type=click.FloatRange(0, 1),
    what="Leave open, in regions, where no class is as probable as this.",
)
@command_options.option("--dpi N", type=click.IntRange(20, 1200), default=150, what="Dots an inch.")
@command_options.option(
    "--size W,H", callback=_size, what="Width and height in inches.  [default: fitting]"
)
@command_options.seed_option("Decides which rows are drawn where there are too many.")
@command_options.label_options
@command_options.reading_options
def command(
    arguments: tuple[str, ...],
    kind_name: str | None,
    figure: str | None,
    data: tuple[str, ...],
    shown_features: tuple[str, ...] | None,
    held_out: Any,
    reject: float | None,
    dpi: int,
    size: tuple[float, float] | None,
    seed: int,
    **settings: Any,
) -> None:
    """Draw a figure of a model, of rows, or of a model with rows.

    A model comes from its file, or is fitted to DATA. Where there are too many rows to draw, a
    sample of them is drawn.
    The first argument is a model file if its name ends in .json; rows in JSON lines end in .jsonl.

    \b
    gaussbayes plot --list
    gaussbayes plot model.json --kind ellipses --features length,width -o ellipses.png
    gaussbayes plot model.json new.csv --kind confusion -o confusion.svg
    gaussbayes plot iris.csv -y species --kind pairs -o pairs.pdf
    """
    kind = _chosen_kind(kind_name, shown_features, reject, held_out)
    chosen = RowOptions.taken(settings)
    given = model_files.split_arguments((*arguments, *data), chosen.file_format)
    if figure is None:
        msg = "where is the figure to go? Give -o with a .png, .svg or .pdf file"
        raise click.UsageError(msg)
    figure_file.check_place(figure, *arguments, *data)
    scene = Scene(features=shown_features, reject=reject)
    if given.model is not None:
        model_files.check_not_for_a_model(*settings, "features", "categorical", "labelled_only")
        if not given.data and kind.needs != "a model":
            msg = f"a figure of kind {kind_name} needs rows: give DATA after the model"
            raise click.UsageError(msg)
        scene, checked = _of_model(scene, given, kind, chosen, seed)
    else:
        checked = command_options.check_settings(settings)
        scene = _of_rows(scene, given.data, kind, chosen, checked, seed)
    scene = replace(scene, compare=partial(_compared, scene.rows, checked, held_out, seed))
    flattered = kind.judges and given.model is None
    figure_file.save(lambda: _draw(kind, scene, flattered), figure, dpi, size)
    if flattered:
        tell(f"judged {_FLATTERED}, which flatters it: {_REMEDY}")


def _draw(kind: FigureKind, scene: Scene, flattered: bool) -> None:
    """Draw the figure, and say in its title what the model is judged by."""
    import matplotlib.pyplot as plt

    from gaussbayes import plots

    kind.draw(plots, scene)
    if not flattered:
        return
    figure = plt.gcf()
    title = figure.get_suptitle()
    if title:
        figure.suptitle(f"{title}\n{_FLATTERED}", fontsize="medium")
    else:
        ax = figure.axes[0]
        ax.set_title(f"{ax.get_title()}\n{_FLATTERED}")


def _chosen_kind(
    kind: str | None, features: tuple[str, ...] | None, reject: float | None, held_out: Any
) -> FigureKind:
    if kind is None:
        msg = f"which figure? Give --kind with one of {_KINDS}"
        raise click.UsageError(msg)
    if reject is not None and kind != "regions":
        msg = f"--reject is for --kind regions, not for {kind}"
        raise click.UsageError(msg)
    if features is not None and not KINDS[kind].along:
        msg = f"a figure of kind {kind} shows no features: leave out --features"
        raise click.UsageError(msg)
    if not isinstance(held_out, int | float):
        msg = "a figure of a comparison holds out folds or a proportion of the rows, not a file"
        raise click.UsageError(msg)
    return KINDS[kind]


def _of_model(
    scene: Scene, given: model_files.ModelAndData, kind: FigureKind, chosen: RowOptions, seed: int
) -> "tuple[Scene, Options]":
    """A model from its file with its options, and rows of other files if there are any."""
    from gaussbayes.model.options import check_options, options_of

    name = str(given.model)
    model = model_files.read_solved(name)
    scene = replace(scene, model=model)
    settings = check_options(**options_of(model.settings, model.schema))
    if not given.data:
        return scene, settings
    source = row_files.open_files(given.data, chosen.file_format, chosen.bad_rows)
    if kind.subject == "evaluation":
        evaluation, blocks = evaluate_command.evaluate_model(model, name, source, chosen)
        scene = replace(scene, evaluation=evaluation)
    else:
        features = model_files.named_features(model, name)
        rows = row_files.rows_of_model(source, model, features, chosen)
        blocks = row_files.LabelledBlocks(rows, model.encoder, model.classes)
        scene = replace(scene, rows=memory_rows.sampled_rows(blocks, kind.most_rows, seed))
    blocks.unseen.tell()
    row_files.tell_bad_rows(source.bad_rows)
    use = row_files.NOT_JUDGED if kind.judges else ""
    row_files.tell_unlabelled(blocks.n_unlabelled, chosen, use)
    return scene, settings


def _of_rows(
    scene: Scene,
    data: tuple[str, ...],
    kind: FigureKind,
    chosen: RowOptions,
    settings: "Options",
    seed: int,
) -> Scene:
    """Rows, and a model fitted to all of them if one is needed."""
    source = row_files.open_files(data, chosen.file_format, chosen.bad_rows)
    rows = row_files.training_rows(source, chosen, settings)
    blocks = row_files.LabelledBlocks(rows, rows.encoder)
    model, tables, bad_rows = None, None, None
    only = chosen.labelled_only
    if kind.needs != "rows" and source.is_read_once:
        reduced = memory_rows.load_rows(rows, labelled_only=only)
        model = fit_loaded(rows, reduced, settings).model
        tables, bad_rows = [reduced.total.table], reduced.bad_rows
        blocks.n_unlabelled = reduced.n_unlabelled
    elif kind.needs != "rows":
        model = fit_files(source, chosen, settings).model
    sample = memory_rows.sampled_rows(
        blocks, kind.most_rows, seed, labelled_only=only, tables=tables
    )
    row_files.tell_bad_rows(bad_rows or source.bad_rows)
    use = "" if model is None else row_files.LEARNT_FROM
    row_files.tell_unlabelled(blocks.n_unlabelled, chosen, use)
    return replace(scene, model=model, rows=sample)


def _compared(rows: Any, settings: "Options", held_out: Any, seed: int) -> Any:
    from gaussbayes.analysis.comparison import compare
    from gaussbayes.analysis.held_out import ModelOptions

    recipe = ModelOptions(settings, rows.categorical)
    with warnings_told():
        return compare(
            rows.features, rows.labels, held_out=held_out, model=recipe, random_state=seed
        )
