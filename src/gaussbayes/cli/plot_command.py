"""``gaussbayes plot KIND [MODEL] FILE...``: a figure."""

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from gaussbayes import plots
from gaussbayes.cli import console, flags, inputs
from gaussbayes.cli.explain_command import find_row
from gaussbayes.cli.flags import STANDARD, option

KINDS = {
    "dataset": "the rows over one or two features",
    "regions": "the most probable class at each point",
    "predictions": "rows by predicted class, errors ringed",
    "ellipses": "the Gaussian of each class at 1, 2 and 3 standard deviations",
    "densities": "the density of each class along one feature",
    "posterior": "p(class | x) over one or two features",
    "joint": "p(x, class) over one or two features",
    "evidence": "p(x) over two features, as a map or a surface",
    "scatter_matrix": "all pairs of features",
    "confusion": "true classes against predicted ones",
    "calibration": "observed frequency against predicted probability",
    "roc": "ROC curves, or precision-recall curves",
    "explanation": "contributions of the features to the log-odds of one row",
    "importance": "increase of the held-out log loss without each feature",
    "qq": "held-out distances against quantiles of χ²; tests of normality",
    "comparison": "log loss of several classifiers",
}
_EVALUATED = {"confusion", "calibration", "roc"}
_MODEL_ALONE = {"regions", "ellipses", "densities", "posterior", "joint", "evidence"}
_KINDS_OF = {
    "features": set(KINDS) - _EVALUATED - {"explanation", "importance", "comparison"},
    "label": {"predictions", "posterior", "joint"},
    "surface": {"evidence"},
    "precision_recall": {"roc"},
    "reject_below": {"regions"},
}
"""The kinds of figures with this option."""
_MOST_POINTS = 5_000
_LISTED = "\n".join(f"  {name:<15} {text}" for name, text in KINDS.items())


def _size(_: click.Context, __: click.Parameter, text: str | None) -> list[Any] | None:
    sides = None if text is None else flags.numbers(text)
    if sides is not None and (len(sides) != 2 or min(sides) < 0.5):
        msg = f"must be width and height in inches such as 8,6; got {text!r}"
        raise click.BadParameter(msg)
    return sides


@click.command("plot", epilog=f"\b\nKinds:\n{_LISTED}")
@click.argument("kind", metavar="KIND", type=click.Choice(list(KINDS)))
@flags.model_and_files
@flags.target
@option("-o --output FILE", "File that ends in .png, .svg or .pdf.  [default: KIND.png]")
@option("--features A,B", "Features to show.  [default: the most informative]")
@option("--label CLASS", "Class whose probability is shown.")
@flags.row
@flags.cv
@option("--surface", "Draw the evidence as a surface.")
@option("--precision-recall", "Draw precision-recall curves in place of ROC curves.")
@option("--reject-below P", "Hatch where no class has probability P.", type=flags.PROBABILITY)
@option("--size W,H", "Width and height in inches.", callback=_size)
@option("--dpi N", "Resolution of a .png file.", type=click.IntRange(20, 1200), default=150)
@flags.settings
@flags.as_json
def command(
    kind: str,
    output: str | None,
    size: list[Any] | None,
    dpi: int,
    as_json: bool,
    files: tuple[str, ...],
    target: str | None,
    set_option: tuple[str, ...],
    row: int,
    cv: Any,
    **looks: Any,
) -> None:
    """Draw a figure of a model, of rows, or of both.

    The model is read from MODEL or fitted to FILE. Errors are those of a MODEL on the rows of FILE,
    or are estimated by cross-validation. Features that are not shown are integrated out.

    \b
    gaussbayes plot regions iris.csv -y species --features petal_length,petal_width
    gaussbayes plot confusion model.json new.csv -o confusion.svg
    gaussbayes plot evidence model.json --surface
    """
    given = {name: value for name, value in looks.items() if value}
    for name in given:
        if kind not in _KINDS_OF[name]:
            kinds = ", ".join(sorted(_KINDS_OF[name]))
            msg = f"--{name.replace('_', '-')} is for {kinds}, not for {kind}"
            raise click.UsageError(msg)
    place = output or f"{kind}.png"
    suffix = ".png" if place == STANDARD else Path(place).suffix.lower()
    if suffix not in {".png", ".svg", ".pdf"}:
        msg = f"the figure must end in .png, .svg or .pdf, got {place!r}"
        raise click.UsageError(msg)
    console.check_output(place, "the figure", *files, as_json=as_json)
    if "features" in given:
        given["features"] = flags.items(given["features"])
    values = flags.given_values({"set_option": set_option})
    with console.warnings_as_notices():
        subject = _subject(kind, files, target, values, row, cv)
        if kind == "dataset":
            model, subject = subject[0], subject[1:]
            if "features" not in given and len(model.columns_.used) > 2:
                ranked = model.importance(*subject).features
                given["features"] = [found.feature for found in ranked[:2]]
        elif kind == "ellipses":
            subject = subject[:1]
        draw = partial(getattr(plots, kind), *subject, **given)
        content = _drawn(draw, suffix[1:], size, dpi)
    console.write_file(place, content, "the figure")
    console.saved("figure", place, as_json=as_json)


def _subject(
    kind: str, files: tuple[str, ...], target: str | None, values: Any, row: int, cv: Any
) -> tuple[Any, ...]:
    """Return the positional arguments of a function of `gaussbayes.plots`."""
    if inputs.holds_model(files[0]) and len(files) == 1 and kind in _MODEL_ALONE:
        inputs.check_only_reading(values)
        return (inputs.load_model(files[0]),)
    model, rows, y, name = inputs.read_or_make(files, target, values)
    if kind == "explanation" and name is not None:
        return (model.explain(find_row(model, rows, row)),)
    if kind == "comparison":
        return (inputs.compared(rows, y, values, cv=cv or 10),)
    if kind in _EVALUATED:
        return (model.evaluate(rows, y, cv=cv if name is not None else cv or 10),)
    table = inputs.in_memory(model, rows, y)
    if name is None:
        model.fit(table, y)
    if kind in {"explanation", "importance"}:
        one = inputs.used_columns(model, table).slice(row - 1, 1)
        return (model.explain(one) if kind == "explanation" else model.importance(table, y),)
    step = -(-table.num_rows // _MOST_POINTS) or 1
    if step > 1:
        console.tell(f"Notice: the figure shows one of {step} rows")
        table = table.take(list(range(0, table.num_rows, step)))
    return model, inputs.used_columns(model, table), table.column(y).to_pylist()


def _drawn(draw: Callable[[], object], format_name: str, size: Any, dpi: int) -> bytes:
    """Draw a figure without a window; return the content of its file."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    image = io.BytesIO()
    # Without the date and with fixed identifiers, the same figure gives the same file.
    date = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(format_name)
    with mpl.rc_context({"svg.hashsalt": "gaussbayes"}):
        try:
            draw()
            if size is not None:
                plt.gcf().set_size_inches(size)
            plt.gcf().savefig(image, format=format_name, dpi=dpi, metadata=date)
        finally:
            plt.close("all")
    return image.getvalue()
