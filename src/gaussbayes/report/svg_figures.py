"""The figures of a report, and their inline SVG."""

from __future__ import annotations

import re
import warnings
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib import style

from gaussbayes import plots
from gaussbayes.base.errors import DataError
from gaussbayes.base.numerals import quoted
from gaussbayes.base.progress import track
from gaussbayes.data.tables import as_frame, is_frame
from gaussbayes.families.protocol import Distant

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from gaussbayes.analysis.importance import Importance
    from gaussbayes.estimators import BaseClassifier
    from gaussbayes.model.evaluation import Evaluation

MOST_CLASSES = 24  # plots of more classes are illegible
_MOST_ROWS = 2_000  # drawn as points
_MOST_PAIRED = 4  # features of a scatter matrix
_LARGE = 300_000  # characters of SVG from which on a PNG may be smaller; below, lines stay lines
_RESOLUTION = 160  # dots per inch of parts that are drawn as an image
_WIDEST = 1800  # dots from side to side; twice the width of a report

_LEFT_OUT = re.compile(
    r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>|<style\b.*?</style>", re.DOTALL
)
_NAMESPACE = re.compile(r'\s+(xmlns(:\w+)?|version)="[^"]*"')
_ID = re.compile(r'\s+id="([^"]*)"')
_REFERENCE = re.compile(r'(?<=href="#)[^"]+|(?<=url\(#)[^)]+')


class Drawing(NamedTuple):
    """A figure of the report."""

    caption: str
    draw: Callable[[], Any]  # returns axes, or an array of them


def drawings(
    model: BaseClassifier, X: Any, y: Any, evaluation: Evaluation, importance: Importance
) -> dict[str, Drawing]:
    """The figures by name, each with its caption."""
    figures = {
        "confusion": Drawing(
            "Confusion matrix: rows of each true class by predicted class.",
            partial(plots.confusion, evaluation),
        ),
        "roc": Drawing(
            "ROC curves, each class against the others. The closer to the upper left corner, the "
            "better; the diagonal is guessing.",
            partial(plots.roc, evaluation),
        ),
        "precision-recall": Drawing(
            "Precision against recall. Dashed lines are the class frequencies: the precision of a "
            "model without features.",
            partial(plots.roc, evaluation, precision_recall=True),
        ),
        "calibration": Drawing(
            "Calibration: observed frequency against predicted probability. On the diagonal, "
            "classes predicted with 80 % are right in 80 % of the rows.",
            partial(plots.calibration, evaluation),
        ),
        "importance": Drawing(
            "Importance: the increase of the log loss when a feature is integrated out.",
            partial(plots.importance, importance),
        ),
    }
    if model.classes_.size > MOST_CLASSES:
        return {"importance": figures["importance"]}
    return figures | _model_drawings(model, *_sampled(X, y), importance)


def _sampled(X: Any, y: Any) -> tuple[Any, Any]:
    """Rows to draw as points, evenly spaced in the table."""
    labels = np.asarray(y)
    n = len(labels)
    some = np.unique(np.linspace(0, n - 1, min(n, _MOST_ROWS)).astype(np.intp))
    if is_frame(X):
        return as_frame(X)[some.tolist(), :].to_native(), labels[some]
    return np.asarray(X)[some], labels[some]


def _model_drawings(
    model: BaseClassifier, X: Any, y: Any, importance: Importance
) -> dict[str, Drawing]:
    """The model along its only feature, or over its most important features."""
    schema = model.model_.schema
    ranked = [schema.titles.index(entry.feature) for entry in importance.features]
    if len(ranked) == 1:
        boundaries = "Vertical lines are the decision boundaries."
        draw, title = partial(plots.densities, model, X, y), "Density of each class."
        return {"model": Drawing(f"{title} {boundaries}", draw), **_distances(model, X, y)}
    numbers = [column for column in ranked if column not in schema.categorical]
    pair = (numbers if len(numbers) > 1 else ranked)[:2]
    names = quoted([schema.titles[column] for column in pair])
    figures = {
        "model": Drawing(
            f"Decision regions over {names}, the other features integrated out; misclassified rows "
            "are ringed. Ellipses, where features are Gaussian, are one, two and three standard "
            "deviations from the mean.",
            partial(_draw_regions, model, X, y, pair),
        )
    }
    if len(ranked) > 2:
        paired = sorted(ranked[:_MOST_PAIRED])
        figures["pairs"] = Drawing(
            "The most important features in pairs: decision regions and error rates of the model "
            "with the other features integrated out; on the diagonal, the densities.",
            partial(plots.scatter_matrix, model, X, y, features=paired),
        )
    return figures | _distances(model, X, y)


def _distances(model: BaseClassifier, X: Any, y: Any) -> dict[str, Drawing]:
    """A Q-Q plot, if the model has distances."""
    if not any(isinstance(density, Distant) for density in model.model_.densities):
        return {}
    caption = (
        "Is the model right? Distances of held-out rows from their class against quantiles of χ². "
        "If each class is normal, the points follow the diagonal; p is that of Mardia's tests of "
        "normality."
    )
    return {"qq": Drawing(caption, partial(plots.qq, model, X, y))}


def _draw_regions(model: BaseClassifier, X: Any, y: Any, pair: list[int]) -> Axes:
    ax = plots.regions(model, X, y, features=pair)
    shown = ax.axis()
    with suppress(DataError):  # features that are not Gaussian
        plots.ellipses(model, features=pair, ax=ax)
    ax.axis(shown)  # ellipses of skewed features reach far beyond the rows
    return ax


def inline_figures(figures: dict[str, Drawing]) -> dict[str, tuple[str, str]]:
    """Draw figures one after the other; HTML elements and captions by name."""
    return {
        name: (_drawn(name, figure), figure.caption)
        for name, figure in track(figures.items(), "drawing")
    }


def _drawn(name: str, figure: Drawing) -> str:
    before = set(plt.get_fignums())
    try:
        with _fixed_style(name):
            axes = np.asarray(figure.draw(), dtype=object)
            return described(_inline(axes.flat[0].get_figure(root=True), name), figure.caption)
    finally:
        for number in set(plt.get_fignums()) - before:
            plt.close(number)


@contextmanager
def _fixed_style(name: str) -> Iterator[None]:
    """Draw with matplotlib's default settings and without a window.

    The same figure gives the same text: its identifiers are derived from `name`. Text stays text,
    drawn by the reader's browser, which has fonts for more scripts than matplotlib.
    """
    # Loads the backend: what it sets for notebooks is not undone below.
    plt.draw_if_interactive()  # type: ignore[no-untyped-call]
    with style.context("default"), plt.ioff(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        mpl.rcParams.update({"svg.hashsalt": name, "svg.fonttype": "none"})
        yield


def _inline(figure: Figure, name: str) -> str:
    """The figure as a self-contained HTML element: SVG, or PNG if smaller."""
    resolution = min(_RESOLUTION, _WIDEST / figure.get_figwidth())
    written = BytesIO()
    figure.savefig(written, format="svg", dpi=resolution, metadata={"Date": None})
    svg = clean(written.getvalue().decode("utf-8"), name)
    if len(svg) <= _LARGE:
        return svg
    written = BytesIO()
    figure.set_layout_engine("none")  # the layout is complete
    figure.savefig(written, format="png", dpi=resolution, metadata={"Software": None})
    data = b64encode(written.getvalue()).decode("ascii")
    width, height = (round(96 * side) for side in figure.get_size_inches())
    png = f'<img src="data:image/png;base64,{data}" width="{width}" height="{height}">'
    return min(svg, png, key=len)


def described(element: str, description: str) -> str:
    """An inline figure with a description for screen readers.

    >>> described("<svg><g/></svg>", "A & B")
    '<svg role="img" aria-label="A &amp; B"><g/></svg>'
    """
    label = "alt" if element.startswith("<img") else 'role="img" aria-label'
    return f'{element[:4]} {label}="{escape(description)}"{element[4:]}'


def clean(svg: str, name: str) -> str:
    """SVG of matplotlib without parts that HTML does not need, and with unique identifiers.

    Document type, metadata, namespaces and the style element, which would apply to the whole
    report, are removed. Unused identifiers are removed, and the others are renamed.

    >>> clean('<svg xmlns="x"><g id="a"/><use href="#a"/><g id="b"/></svg>', "p")
    '<svg><g id="p-0"/><use href="#p-0"/><g/></svg>'
    """
    svg = _NAMESPACE.sub("", _LEFT_OUT.sub("", svg)).strip()
    used = dict.fromkeys(_REFERENCE.findall(svg))
    renamed = {old: f"{name}-{number}" for number, old in enumerate(used)}
    svg = _ID.sub(lambda m: f' id="{renamed[m[1]]}"' if m[1] in renamed else "", svg)
    return _REFERENCE.sub(lambda m: renamed[m[0]], svg)
