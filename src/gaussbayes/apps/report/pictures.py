"""Which pictures the page shows, what is written under them, and how they are drawn."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes import plots
from gaussbayes.analysis.comparison import Comparison
from gaussbayes.analysis.view import feature_titles
from gaussbayes.apps.report import svg
from gaussbayes.apps.report.markup import Html, enumerated
from gaussbayes.apps.report.numbers import counted
from gaussbayes.apps.report.telling import Telling
from gaussbayes.base.progress import track
from gaussbayes.base.types import LabelArray, RealArray
from gaussbayes.classifier import GaussianClassifier

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_CLASSES = 40
"""A picture of more classes than these cannot be read."""

_MOST_PANELS = 12
"""Of one class each."""


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """A picture to be drawn."""

    name: str  # an identifier on the page
    caption: str
    description: str  # in words, for those who cannot see it
    draw: Callable[[], Any]  # returns axes, or an array of them


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A picture drawn."""

    name: str
    caption: str
    element: Html


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The rows that are drawn: all, or a sample."""

    rows: RealArray  # (n, d)
    labels: LabelArray  # (n,)


def model_sketches(
    model: GaussianClassifier, shown: Shown, telling: Telling | None
) -> tuple[Sketch, ...]:
    """What the model looks like: on a line, in the plane, or in pairs of its features.

    `telling` says which features to show of a model of more than two.
    """
    names = feature_titles(model)
    if len(names) == 1:
        return (_line(model, shown, names[0]),)
    if telling is None:
        return _plane(model, shown, names)
    return _pairs(model, shown, names, telling)


def _line(model: GaussianClassifier, shown: Shown, name: str) -> Sketch:
    return Sketch(
        "line",
        "Bayes’ rule along the only feature. Above, how each class is distributed; then the same "
        "times its prior, whose sum is the evidence; below, how probable each class is. The "
        "vertical lines are the boundaries, where the most probable class changes.",
        f"Densities, joint densities and posteriors of {_of(model)} along {name}.",
        lambda: plots.univariate(model, shown.rows, shown.labels),
    )


def _plane(model: GaussianClassifier, shown: Shown, names: tuple[str, ...]) -> tuple[Sketch, ...]:
    where = f"over {names[0]} and {names[1]}"
    k = model.classes_.size
    regions = Sketch(
        "regions",
        "The region of each class is tinted in its colour. The ellipses are the Gaussians, one, "
        "two and three standard deviations from the mean; rings mark rows in a region that is not "
        "their class’s.",
        f"Decision regions of {_of(model)} {where}, with the rows and the Gaussians’ ellipses.",
        lambda: _regions(model, shown, None),
    )
    posteriors = Sketch(
        "posteriors",
        "How probable each class is at each point of the plane.",
        f"A map of the posterior for each of {counted(k, 'class', 'classes')} {where}.",
        lambda: plots.posteriors(model),
    )
    evidence = Sketch(
        "evidence",
        "The evidence p(x): how dense the rows should lie if the model is right. Rows in the "
        "lightest parts are unlike anything the model expects.",
        f"A map of the evidence {where}, with the rows.",
        lambda: plots.evidence(model, shown.rows, shown.labels),
    )
    return (regions, posteriors, evidence) if k <= _MOST_PANELS else (regions, evidence)


def _pairs(
    model: GaussianClassifier, shown: Shown, names: tuple[str, ...], telling: Telling
) -> tuple[Sketch, ...]:
    chosen = [names[column] for column in telling.features]
    pair = [names[column] for column in telling.pair]
    return (
        Sketch(
            "pairs",
            "What the model would decide if it saw two features only, the others integrated out, "
            "and how often it would err; on the diagonal, one feature only.",
            f"Decision regions of {_of(model)} for each pair of {enumerated(chosen)}.",
            lambda: plots.pairs(model, shown.rows, shown.labels, features=telling.features),
        ),
        Sketch(
            "best-pair",
            f"The pair that errs least, {pair[0]} and {pair[1]}, larger. The ellipses are the "
            "Gaussians, one, two and three standard deviations from the mean; rings mark rows in a "
            "region that is not their class’s.",
            f"Decision regions of {_of(model)} over {pair[0]} and {pair[1]}, with the rows and the "
            "Gaussians’ ellipses.",
            lambda: _regions(model, shown, telling.pair),
        ),
    )


def _regions(model: GaussianClassifier, shown: Shown, pair: tuple[int, int] | None) -> Any:
    ax = plots.regions(model, shown.rows, shown.labels, features=pair)
    return plots.ellipses(model, features=pair, ax=ax)


def confusion_sketch(model: GaussianClassifier, shown: Shown) -> Sketch:
    """True against predicted classes; `shown` are all rows."""
    return Sketch(
        "confusion",
        "On the rows given: a line for each true class, a column for each prediction, with counts "
        "and shares of the line.",
        f"Confusion matrix of {_of(model)}; the table beside it has the same numbers.",
        lambda: plots.confusion(model, shown.rows, shown.labels),
    )


def calibration_sketches(model: GaussianClassifier, shown: Shown) -> tuple[Sketch, ...]:
    """Whether stated probabilities come true, and how sure the model is."""
    return (
        Sketch(
            "calibration",
            "Of the rows that were given a probability of, say, 80 % for a class, 80 % should be "
            "of it: the closer to the diagonal, the better.",
            f"Calibration of {_of(model)}: shares that came true against probabilities stated.",
            lambda: plots.calibration(model, shown.rows, shown.labels),
        ),
        Sketch(
            "sureness",
            "How sure the model was of the class it named, for right and wrong answers.",
            f"Histogram of the posteriors of {_of(model)}.",
            lambda: plots.posterior_histogram(model, shown.rows, shown.labels),
        ),
    )


def comparison_sketch(compared: Comparison) -> Sketch:
    """Gaussians and nearest neighbours side by side."""
    return Sketch(
        "neighbours",
        "Error on held-out rows of the nearest-neighbour rule against the number of neighbours, "
        "with the Gaussian models as lines.",
        "Held-out error against the number of neighbours, the Gaussian models as lines.",
        lambda: plots.neighbors_error(compared),
    )


def drawn(sketches: Iterable[Sketch]) -> dict[str, Picture]:
    """Draw them, one after the other, by name."""
    pictures = {}
    for sketch in track(tuple(sketches), "drawing"):
        with svg.even_handed(sketch.name):
            element = _element(sketch)
        pictures[sketch.name] = Picture(sketch.name, sketch.caption, element)
    return pictures


def _element(sketch: Sketch) -> Html:
    import matplotlib.pyplot as plt

    before = set(plt.get_fignums())
    try:
        axes: NDArray[Any] = np.asarray(sketch.draw(), dtype=object)
        figure: Figure = axes.flat[0].get_figure(root=True)
        return svg.inline(figure, sketch.name, sketch.description)
    finally:
        for number in set(plt.get_fignums()) - before:
            plt.close(number)


def _of(model: GaussianClassifier) -> str:
    return counted(model.classes_.size, "class", "classes")
