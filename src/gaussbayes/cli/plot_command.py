"""``gaussbayes plot``: a figure of a model, of rows, or of both."""

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import click

from gaussbayes.analysis.comparison import compare
from gaussbayes.base.text_tables import TextTable
from gaussbayes.cli import command_files, command_options, console, figure_file
from gaussbayes.cli.command_options import OUTPUT, SOURCE, RowOptions, as_names, option, takes
from gaussbayes.cli.compare_command import COMPARED
from gaussbayes.cli.console import tell, warnings_told
from gaussbayes.cli.fit_command import fit_files, fit_loaded
from gaussbayes.cli.labelled_files import LabelledFiles, MemoryRows, draw
from gaussbayes.model.model import Model
from gaussbayes.model.options import Options, check_options, options_of

POINTS, COUNTS = 2_000, 200_000  # rows shown as points, or counted


class FigureKind(NamedTuple):
    """What a function of `gaussbayes.plots` draws; its name is that of the kind."""

    needs: Literal["a model", "a model and rows", "rows"]
    subject: Literal["model", "model, rows", "rows", "comparison"]  # what it takes
    along: Literal["features", "feature", ""] = "features"  # what can be chosen to be shown
    most_rows: int = POINTS

    @property
    def judges(self) -> bool:
        """Whether it says how good the model is."""
        return self.needs == "a model and rows"


KINDS = {
    "regions": FigureKind("a model", "model, rows"),
    "ellipses": FigureKind("a model", "model"),
    "evidence": FigureKind("a model", "model, rows"),
    "posteriors": FigureKind("a model", "model"),
    "joints": FigureKind("a model", "model"),
    "univariate": FigureKind("a model", "model, rows", "feature"),
    "densities": FigureKind("a model", "model, rows", "feature"),
    "posterior": FigureKind("a model", "model"),
    "generative_and_discriminative": FigureKind("a model", "model, rows", "feature"),
    "pairs": FigureKind("a model and rows", "model, rows", most_rows=COMPARED),
    "predictions": FigureKind("a model and rows", "model, rows"),
    "confusion": FigureKind("a model and rows", "model, rows", "", COUNTS),
    "calibration": FigureKind("a model and rows", "model, rows", "", COUNTS),
    "posterior_histogram": FigureKind("a model and rows", "model, rows", "", COUNTS),
    "dataset": FigureKind("rows", "rows"),
    "shapes": FigureKind("rows", "rows"),
    "sharing": FigureKind("rows", "rows"),
    "comparison": FigureKind("rows", "comparison", "", COMPARED),
    "neighbors_error": FigureKind("rows", "comparison", "", COMPARED),
}

DESCRIPTIONS = {
    "regions": "which class is the most probable where",
    "ellipses": "each class's Gaussian at 1, 2 and 3 standard deviations",
    "evidence": "the density of all rows, p(x), as a map or a surface",
    "posteriors": "how probable each class is, p(c | x), over two features",
    "joints": "the density of rows and class, p(x, c), over two features",
    "univariate": "Bayes' rule along one feature: likelihood, joint, posterior",
    "densities": "how the classes are distributed over one feature",
    "posterior": "how probable each class is along one feature",
    "generative_and_discriminative": "densities beside posteriors along one feature",
    "pairs": "all pairs of features, with the error of each",
    "predictions": "rows by the class predicted for them, errors ringed",
    "confusion": "true classes against predicted ones",
    "calibration": "how often classes came true against how probable they were called",
    "posterior_histogram": "how sure the model was of right and of wrong predictions",
    "dataset": "the rows alone, over one or two features",
    "shapes": "spherical, diagonal and full covariances side by side",
    "sharing": "a covariance for each class beside one shared by all",
    "comparison": "errors and times of the six structures and their peers",
    "neighbors_error": "the error of nearest neighbours against their number",
}

_KINDS = ", ".join(KINDS)

_FLATTERED = "on the rows the model was fitted to"
_REMEDY = "for a fair figure, `fit` a model file and give it with DATA of other rows"


def _size(value: str) -> tuple[float, float]:
    expected = "width and height in inches, 0.5 to 100, such as 8,6"
    sides = command_options.as_numbers(value, expected)
    fits = len(sides) == 2 and all(0.5 <= side <= 100 for side in sides)
    command_options.expect(fits, expected, value)
    return sides[0], sides[1]


def _list_kinds(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    rows = [(name, DESCRIPTIONS[name], kind.needs) for name, kind in KINDS.items()]
    table = TextTable(("kind", "what it shows", "needs"), rows, sides="l")
    console.stdout_console().print(table)
    ctx.exit()


@click.command("plot")
@click.argument("arguments", metavar="MODEL|DATA [DATA...]", nargs=-1, required=True, type=SOURCE)
@option(
    "--kind KIND",
    "kind_name",
    type=click.Choice(list(KINDS)),
    what=f"One of {_KINDS}; --list says what they are.",
)
@option("--list", is_flag=True, is_eager=True, expose_value=False, callback=_list_kinds)
@option("-o", "--output FIGURE", "figure", type=OUTPUT)
@option("--data", multiple=True, type=SOURCE)
@takes("target")
@option("--features A,B", "shown_features", convert=as_names)
@option("--learn-from A,B,...", "features", convert=as_names)
@takes("categorical", "model_name", "covariance", "estimation")
@option("--held-out FOLDS|PROPORTION", default="10", convert=command_options.as_held_out)
@option("--reject P", type=click.FloatRange(0, 1))
@option("--surface", is_flag=True)
@option("--dpi N", type=click.IntRange(20, 1200), default=150)
@option("--size W,H", convert=_size)
@takes("labels", "reading", seed="Decides which rows are drawn where there are too many.")
def command(
    arguments: tuple[str, ...],
    kind_name: str | None,
    figure: str | None,
    data: tuple[str, ...],
    shown_features: tuple[str, ...] | None,
    held_out: Any,
    reject: float | None,
    surface: bool,
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
    kind_name = _chosen_kind(kind_name, shown_features, reject, surface, held_out)
    kind = KINDS[kind_name]
    if surface:  # it shows no rows
        kind = kind._replace(subject="model")
    chosen = RowOptions.taken(settings)
    name, given = command_files.split_arguments((*arguments, *data), chosen, settings)
    if figure is None:
        msg = "where is the figure to go? Give -o with a .png, .svg or .pdf file"
        raise click.UsageError(msg)
    figure_file.check_place(figure, *arguments, *data)
    if name is not None:
        if not given and kind.needs != "a model":
            msg = f"a figure of kind {kind_name} needs rows: give DATA after the model"
            raise click.UsageError(msg)
        fitted, rows = _of_model(name, given, kind, chosen, seed)
        options = check_options(**options_of(fitted.settings, fitted.schema))
        model: Model | None = fitted
    else:
        options = command_options.check_settings(settings)
        model, rows = _of_rows(given, kind, chosen, options, seed)

    def arguments_of_figure() -> Iterator[Any]:
        if kind.subject == "comparison":
            assert rows is not None
            how = {"held_out": held_out, "model": rows.recipe(options), "random_state": seed}
            how |= dict.fromkeys(("automatic", "logistic"), kind_name == "comparison")
            with warnings_told():
                yield compare(rows.table.rows, rows.labels, **how)
            return
        if "model" in kind.subject:
            yield model
        if "rows" in kind.subject and rows is not None:
            yield from (rows.features, rows.labels)

    looks = _shown(kind, model, shown_features)
    looks |= {} if reject is None else {"reject": reject}
    looks |= {"surface": True} if surface else {}
    flattered = kind.judges and name is None

    def draw_figure() -> None:
        from gaussbayes import plots

        getattr(plots, kind_name)(*arguments_of_figure(), **looks)
        if flattered:
            _say_in_title(_FLATTERED)

    figure_file.save(draw_figure, figure, dpi, size)
    if flattered:
        tell(f"judged {_FLATTERED}, which flatters it: {_REMEDY}")


def _say_in_title(text: str) -> None:
    import matplotlib.pyplot as plt

    figure = plt.gcf()
    title = figure.get_suptitle()
    if title:
        figure.suptitle(f"{title}\n{text}", fontsize="medium")
    else:
        ax = figure.axes[0]
        ax.set_title(f"{ax.get_title()}\n{text}")


def _chosen_kind(
    kind: str | None,
    features: tuple[str, ...] | None,
    reject: float | None,
    surface: bool,
    held_out: Any,
) -> str:
    if kind is None:
        msg = f"which figure? Give --kind with one of {_KINDS}"
        raise click.UsageError(msg)
    if reject is not None and kind != "regions":
        msg = f"--reject is for --kind regions, not for {kind}"
        raise click.UsageError(msg)
    if surface and kind != "evidence":
        msg = f"--surface is for --kind evidence, not for {kind}"
        raise click.UsageError(msg)
    if features is not None and not KINDS[kind].along:
        msg = f"a figure of kind {kind} shows no features: leave out --features"
        raise click.UsageError(msg)
    if not isinstance(held_out, int | float):
        msg = "a figure of a comparison holds out folds or a proportion of the rows, not a file"
        raise click.UsageError(msg)
    return kind


def _shown(
    kind: FigureKind, model: Model | None, features: tuple[str, ...] | None
) -> dict[str, Any]:
    """The features to show; of a model whose features have no names, by their numbers."""
    if features is None:
        return {}
    chosen: tuple[str | int, ...] = features
    if model is not None and model.schema.features is None:
        chosen = tuple(int(name) if name.isdigit() else name for name in features)
    if kind.along == "features":
        return {"features": chosen}
    if len(chosen) != 1:
        msg = f"this figure is drawn along one feature, got --features {','.join(features)}"
        raise click.UsageError(msg)
    return {"feature": chosen[0]}


def _of_model(
    name: str, data: tuple[str, ...], kind: FigureKind, chosen: RowOptions, seed: int
) -> tuple[Model, MemoryRows | None]:
    """A model from its file, and rows of other files if there are any."""
    model = command_files.read_solved(name)
    if not data:
        return model, None
    source = command_files.open_files(data, chosen, model)
    files = LabelledFiles.of_model(source, chosen, model, name)
    rows = files.sample(kind.most_rows, seed)
    files.tell(command_files.NOT_JUDGED if kind.judges else "")
    return model, rows


def _of_rows(
    data: tuple[str, ...], kind: FigureKind, chosen: RowOptions, options: Options, seed: int
) -> tuple[Model | None, MemoryRows | None]:
    """Rows, and a model fitted to all of them if one is needed."""
    source = command_files.open_files(data, chosen)
    files = LabelledFiles.to_learn_from(source, chosen, options)
    if kind.needs == "rows":
        rows = files.sample(kind.most_rows, seed)
        files.tell("")
        return None, rows
    if source.is_read_once:
        loaded = files.sample()
        model = fit_loaded(files, loaded, options).model
        sample = draw([loaded], kind.most_rows, seed)
    else:
        model = fit_files(files, options).model
        files = LabelledFiles.to_learn_from(source, chosen, options)
        sample = files.sample(kind.most_rows, seed)
    files.tell(command_files.LEARNT_FROM)
    return model, sample
