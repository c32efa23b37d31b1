"""The figures of a report: which there are, and their inline SVG."""

import re
import warnings
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes import plots
from gaussbayes.analysis.comparison import Comparison
from gaussbayes.analysis.held_out import LeaveOneOut
from gaussbayes.analysis.informative_features import InformativeFeatures
from gaussbayes.analysis.view import pair_view
from gaussbayes.base.progress import track
from gaussbayes.base.types import LabelArray, RealArray
from gaussbayes.report.subject import Subject

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Drawings: TypeAlias = dict[str, Callable[[], Any]]
"""By the name of a figure, what draws it and returns axes, or an array of them."""

MOST_CLASSES = 40  # a plot of more cannot be read
_MOST_PANELS = 12  # of one class each
_LARGE = 300_000  # characters of SVG from which on a PNG may be smaller; below, lines stay lines
_RESOLUTION = 160  # dots an inch of what is drawn as an image
_WIDEST = 1800  # dots from side to side; twice the width of a report

_LEFT_OUT = re.compile(
    r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>|<style\b.*?</style>", re.DOTALL
)
_NAMESPACE = re.compile(r'\s+(xmlns(:\w+)?|version)="[^"]*"')
_ID = re.compile(r'\s+id="([^"]*)"')
_REFERENCE = re.compile(r'(?<=href="#)[^"]+|(?<=url\(#)[^)]+')


def drawings(
    subject: Subject,
    drawn: Subject,
    informative: InformativeFeatures | None,
    comparison: Comparison | None,
    left_out: LeaveOneOut | None,
) -> Drawings:
    """The figures: of all rows of the subject, or of those drawn as points.

    Confusion and calibration are of the predictions for rows left out, if there are any.
    """
    points = drawn.rows, drawn.labels
    judged: Any = (subject.classifier, subject.rows, subject.labels)
    if left_out is not None:
        stated = StatedPosteriors(subject.classes)
        judged = stated, np.exp(left_out.log_posterior), subject.labels[left_out.rows]
    figures: Drawings = {
        "reliability": partial(plots.calibration, *judged),
    }
    if subject.classes.size <= MOST_CLASSES:
        figures |= _model_drawings(subject, points, informative)
        figures["confusion-matrix"] = partial(plots.confusion, *judged)
    if comparison and any(each.neighbors and each.evaluation for each in comparison.candidates):
        figures["neighbours"] = partial(plots.comparison, comparison, metric="error", neighbors=True)
    return figures


@dataclass(frozen=True, slots=True, eq=False)
class StatedPosteriors:
    """A classifier, as figures ask for one, whose rows are the posteriors (n, k) themselves."""

    classes_: LabelArray

    @property
    def n_features_in_(self) -> int:
        """As many as there are classes."""
        return self.classes_.size

    def predict_proba(self, posterior: RealArray) -> RealArray:
        """The rows."""
        return posterior

    def predict(self, posterior: RealArray) -> LabelArray:
        """The most probable classes (n,)."""
        predicted: LabelArray = self.classes_[posterior.argmax(axis=1)]
        return predicted


def _model_drawings(
    subject: Subject, points: tuple[Any, Any], informative: InformativeFeatures | None
) -> Drawings:
    """The model on a line, in the plane, or in pairs of its informative features."""
    model = subject.classifier
    if len(subject.features) == 1:
        return {"line": partial(plots.densities, model, *points)}
    if informative is not None:
        return {
            "pairs": partial(plots.scatter_matrix, model, *points, features=informative.features),
            "best-pair": partial(_draw_regions, model, *points, informative.pair),
        }
    figures: Drawings = {
        "regions": partial(_draw_regions, model, *points, (0, 1)),
        "evidence": partial(plots.evidence, model, *points),
    }
    if subject.classes.size <= _MOST_PANELS:
        figures["posteriors"] = partial(plots.posterior, model)
    return figures


def _draw_regions(model: Any, X: Any, y: Any, pair: tuple[int, int]) -> Any:
    ax = plots.regions(model, X, y, features=pair)
    if pair_view(model, pair).has_ellipses:
        plots.ellipses(model, features=pair, ax=ax)
    return ax


def inline_figures(figures: Drawings) -> Mapping[str, str]:
    """Draw figures one after the other; HTML elements by name, not yet described."""
    return {name: _drawn(name, draw) for name, draw in track(figures.items(), "drawing")}


def _drawn(name: str, draw: Callable[[], Any]) -> str:
    import matplotlib.pyplot as plt

    before = set(plt.get_fignums())
    try:
        with fixed_style(name):
            axes: NDArray[Any] = np.asarray(draw(), dtype=object)
            return inline(axes.flat[0].get_figure(root=True), name)
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

    # Loads the backend: what it sets for notebooks is not undone below.
    plt.draw_if_interactive()  # type: ignore[no-untyped-call]
    with style.context("default"), plt.ioff(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        mpl.rcParams.update({"svg.hashsalt": name, "svg.fonttype": "none"})
        yield


def inline(figure: "Figure", name: str) -> str:
    """The figure as an HTML element that needs nothing from outside: SVG, or PNG if smaller.

    The name begins every identifier in it, so that they differ from those of other figures.
    """
    resolution = min(_RESOLUTION, _WIDEST / figure.get_figwidth())
    written = BytesIO()
    figure.savefig(written, format="svg", dpi=resolution, metadata={"Date": None})
    svg = clean(written.getvalue().decode("utf-8"), name)
    if len(svg) <= _LARGE:
        return svg
    written = BytesIO()
    figure.set_layout_engine("none")  # everything has its place by now
    figure.savefig(written, format="png", dpi=resolution, metadata={"Software": None})
    data = b64encode(written.getvalue()).decode("ascii")
    width, height = (round(96 * side) for side in figure.get_size_inches())
    png = f'<img src="data:image/png;base64,{data}" width="{width}" height="{height}">'
    return min(svg, png, key=len)


def described(element: str, description: str) -> str:
    """An inline figure with a description in words, for those who cannot see it.

    >>> described("<svg><g/></svg>", "A & B")
    '<svg role="img" aria-label="A &amp; B"><g/></svg>'
    """
    label = "alt" if element.startswith("<img") else 'role="img" aria-label'
    return f'{element[:4]} {label}="{escape(description)}"{element[4:]}'


def clean(svg: str, name: str) -> str:
    """SVG of matplotlib without what HTML does not need, and with identifiers of its own.

    Document type, metadata and namespaces go (HTML knows them); so does the style element, which
    would apply to the whole report. Identifiers that nothing refers to go, the others are renamed.

    >>> clean('<svg xmlns="x"><g id="a"/><use href="#a"/><g id="b"/></svg>', "p")
    '<svg><g id="p-0"/><use href="#p-0"/><g/></svg>'
    """
    svg = _NAMESPACE.sub("", _LEFT_OUT.sub("", svg)).strip()
    used = dict.fromkeys(_REFERENCE.findall(svg))
    renamed = {old: f"{name}-{number}" for number, old in enumerate(used)}
    svg = _ID.sub(lambda m: f' id="{renamed[m[1]]}"' if m[1] in renamed else "", svg)
    return _REFERENCE.sub(lambda m: renamed[m[0]], svg)
