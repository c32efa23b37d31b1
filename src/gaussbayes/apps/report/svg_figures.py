"""The figures of a report: which there are, what is written below them, and their inline SVG."""

import re
import warnings
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes import plots
from gaussbayes.analysis.informative_features import InformativeFeatures
from gaussbayes.apps.report.numerals import counted, quoted
from gaussbayes.apps.report.subject import ModelComparison, Subject
from gaussbayes.base.progress import track

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_CLASSES = 40
"""A plot of more classes than these cannot be read."""

_MOST_PANELS = 12
"""Of one class each."""

_LARGE = 300_000
"""Characters of SVG from which on a PNG may be smaller; below, lines stay lines."""

_RESOLUTION = 160
"""Dots an inch of what is drawn as an image."""

_WIDEST = 1800
"""Dots from side to side; twice the width of a report."""

_HEAD = re.compile(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>", re.DOTALL)
_STYLE = re.compile(r"<style\b.*?</style>", re.DOTALL)
_NAMESPACE = re.compile(r'\s+(xmlns(:\w+)?|version)="[^"]*"')
_ID = re.compile(r'\s+id="([^"]*)"')
_REFERENCE = re.compile(r'(?<=href="#)[^"]+|(?<=url\(#)[^)]+')
_ROOT = re.compile(r"<svg\b([^>]*)>")


@dataclass(frozen=True, slots=True, eq=False)
class Plot:
    """A figure to be drawn."""

    name: str  # an identifier in the report
    caption: str
    description: str  # in words, for those who cannot see it
    draw: Callable[[], Any]  # returns axes, or an array of them


@dataclass(frozen=True, slots=True)
class InlineFigure:
    """A figure as HTML."""

    caption: str
    html: str  # an element, safe to be put into a page


def model_plots(
    subject: Subject, informative: InformativeFeatures | None = None
) -> tuple[Plot, ...]:
    """The model on a line, in the plane, or in pairs of its informative features."""
    if len(subject.features) == 1:
        return (_line(subject),)
    if informative is None:
        return _plane(subject)
    return _pairs(subject, informative)


def _line(subject: Subject) -> Plot:
    return Plot(
        "line",
        "Bayes’ rule along the only feature. Above, how each class is distributed; then the same "
        "times its prior, whose sum is the evidence; below, how probable each class is. Vertical "
        "lines are the boundaries, where the most probable class changes.",
        f"Densities, joint densities and posteriors of {_classes(subject)} along "
        f"{subject.features[0]}.",
        lambda: plots.univariate(subject.classifier, subject.rows, subject.labels),
    )


def _plane(subject: Subject) -> tuple[Plot, ...]:
    where = f"over {subject.features[0]} and {subject.features[1]}"
    model, rows, labels = subject.classifier, subject.rows, subject.labels
    regions = Plot(
        "regions",
        f"The region of each class is tinted in its colour. {_marks(subject, (0, 1))}",
        f"Decision regions of {_classes(subject)} {where}, with the rows.",
        lambda: _regions(subject, (0, 1)),
    )
    posteriors = Plot(
        "posteriors",
        "How probable each class is at each point of the plane.",
        f"A map of the posterior for each of {_classes(subject)} {where}.",
        lambda: plots.posteriors(model),
    )
    evidence = Plot(
        "evidence",
        "The evidence p(x): how dense the rows should lie if the model is right. Rows in the "
        "lightest parts are unlike anything the model expects.",
        f"A map of the evidence {where}, with the rows.",
        lambda: plots.evidence(model, rows, labels),
    )
    readable = subject.classes.size <= _MOST_PANELS
    return (regions, posteriors, evidence) if readable else (regions, evidence)


def _pairs(subject: Subject, informative: InformativeFeatures) -> tuple[Plot, ...]:
    chosen = quoted([subject.features[column] for column in informative.features])
    pair = quoted([subject.features[column] for column in informative.pair])
    return (
        Plot(
            "pairs",
            "What the model would decide if it saw two features only, the others integrated out, "
            "and its error then; on the diagonal, one feature only.",
            f"Decision regions of {_classes(subject)} for each pair of {chosen}.",
            lambda: plots.pairs(
                subject.classifier, subject.rows, subject.labels, features=informative.features
            ),
        ),
        Plot(
            "best-pair",
            f"The pair with the smallest error, {pair}, larger. "
            f"{_marks(subject, informative.pair)}",
            f"Decision regions of {_classes(subject)} over {pair}, with the rows.",
            lambda: _regions(subject, informative.pair),
        ),
    )


def _marks(subject: Subject, pair: tuple[int, int]) -> str:
    rings = "ings mark misclassified rows."
    if not subject.has_ellipses(pair):
        return f"R{rings}"
    return (
        "The ellipses are the Gaussians, one, two and three standard deviations from the mean; "
        f"r{rings}"
    )


def _regions(subject: Subject, pair: tuple[int, int]) -> Any:
    ax = plots.regions(subject.classifier, subject.rows, subject.labels, features=pair)
    if subject.has_ellipses(pair):
        plots.ellipses(subject.classifier, features=pair, ax=ax)
    return ax


def confusion_plot(subject: Subject) -> Plot:
    """True against predicted classes."""
    return Plot(
        "confusion-matrix",
        "Confusion matrix on the rows given: a line for each true class, a column for each "
        "predicted class, with counts and percentages of the line.",
        f"Confusion matrix of {_classes(subject)}; the table beside it has the same numbers.",
        lambda: plots.confusion(subject.classifier, subject.rows, subject.labels),
    )


def calibration_plots(subject: Subject) -> tuple[Plot, ...]:
    """Whether stated probabilities come true, and how they are distributed."""
    model, rows, labels = subject.classifier, subject.rows, subject.labels
    return (
        Plot(
            "reliability",
            "Reliability diagram. Of the rows that were given a probability of, say, 80 % for a "
            "class, 80 % should be of it: the closer to the diagonal, the better.",
            f"Calibration of {_classes(subject)}: observed frequencies against probabilities.",
            lambda: plots.calibration(model, rows, labels),
        ),
        Plot(
            "confidence",
            "The posterior of the predicted class, for right and wrong predictions.",
            f"Histogram of the posteriors of {_classes(subject)}.",
            lambda: plots.posterior_histogram(model, rows, labels),
        ),
    )


def comparison_plot(comparison: ModelComparison) -> Plot:
    """Gaussians and nearest neighbours side by side."""
    return Plot(
        "neighbours",
        "Error on held-out rows of the nearest-neighbour rule against the number of neighbours, "
        "with the Gaussian models as lines.",
        "Held-out error against the number of neighbours, the Gaussian models as lines.",
        lambda: plots.neighbors_error(comparison.source),
    )


def _classes(subject: Subject) -> str:
    return counted(subject.classes.size, "class", "classes")


def inline_figures(every: Iterable[Plot]) -> dict[str, InlineFigure]:
    """Draw plots one after the other; by name."""
    return {
        plot.name: InlineFigure(plot.caption, _drawn(plot))
        for plot in track(tuple(every), "drawing")
    }


def _drawn(plot: Plot) -> str:
    import matplotlib.pyplot as plt

    before = set(plt.get_fignums())
    try:
        with fixed_style(plot.name):
            axes: NDArray[Any] = np.asarray(plot.draw(), dtype=object)
            figure: Figure = axes.flat[0].get_figure(root=True)
            return inline(figure, plot.name, plot.description)
    finally:
        for number in set(plt.get_fignums()) - before:
            plt.close(number)


@contextmanager
def fixed_style(name: str) -> Iterator[None]:
    """Draw with matplotlib's own settings, whatever the user's are, and without a window.

    The same figure gives the same text: its identifiers are made from `name`. Letters stay letters,
    which the reader's browser draws: it has fonts for scripts that matplotlib has not.
    """
    import matplotlib as mpl
    import matplotlib.pyplot as plt
    from matplotlib import style

    with style.context("default"), plt.ioff(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        mpl.rcParams.update({"svg.hashsalt": name, "svg.fonttype": "none"})
        yield


def inline(figure: "Figure", name: str, description: str) -> str:
    """The figure as an HTML element that needs nothing from outside: SVG, or PNG if smaller.

    Parameters
    ----------
    name : begins every identifier in it, so that they differ from those of other figures
    description : in words, for those who cannot see it
    """
    resolution = min(_RESOLUTION, _WIDEST / figure.get_figwidth())
    written = BytesIO()
    figure.savefig(written, format="svg", dpi=resolution, metadata={"Date": None})
    svg = clean(written.getvalue().decode("utf-8"), name, description)
    if len(svg) <= _LARGE:
        return svg
    written = BytesIO()
    figure.set_layout_engine("none")  # everything has its place by now
    figure.savefig(written, format="png", dpi=resolution, metadata={"Software": None})
    data = b64encode(written.getvalue()).decode("ascii")
    width, height = (round(96 * side) for side in figure.get_size_inches())
    png = (
        f'<img src="data:image/png;base64,{data}" alt="{escape(description)}" '
        f'width="{width}" height="{height}">'
    )
    return min(svg, png, key=len)


def clean(svg: str, name: str, description: str) -> str:
    """SVG of matplotlib without what HTML does not need, and with identifiers of its own.

    Document type, metadata and namespaces go (HTML knows them); so does the style element, which
    would apply to the whole report. Identifiers that nothing refers to go, the others are renamed.

    Examples
    --------
    >>> clean('<svg xmlns="x"><g id="a"/><use href="#a"/><g id="b"/></svg>', "p", "A & B")
    '<svg role="img" aria-label="A &amp; B"><g id="p-0"/><use href="#p-0"/><g/></svg>'
    """
    svg = _NAMESPACE.sub("", _STYLE.sub("", _HEAD.sub("", svg))).strip()
    used = dict.fromkeys(_REFERENCE.findall(svg))
    renamed = {old: f"{name}-{number}" for number, old in enumerate(used)}
    svg = _ID.sub(lambda m: f' id="{renamed[m[1]]}"' if m[1] in renamed else "", svg)
    svg = _REFERENCE.sub(lambda m: renamed[m[0]], svg)
    label = f'role="img" aria-label="{escape(description)}"'
    return _ROOT.sub(lambda m: f"<svg{m[1]} {label}>", svg, count=1)
