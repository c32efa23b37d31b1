"""Pictures of one feature, piece by piece: curves, rows, boundaries and their values.

The pictures themselves are put together from these pieces in `univariate`, `generative` and
`pairs`.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.boundary import decision_boundaries
from gaussbayes.analysis.grid import limits, line_over
from gaussbayes.analysis.view import View
from gaussbayes.base.errors import DataError
from gaussbayes.base.types import FloatArray
from gaussbayes.plots import style
from gaussbayes.plots.boundary_marks import boundary_handle, mark_boundaries, size_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Labelled: TypeAlias = tuple[FloatArray, NDArray[np.intp]]
"""Values of one feature (n,) and class numbers (n,)."""

_MOST_MARKERS = 60
"""More rows than these are shown as histograms."""
_RESOLUTION = 501
_NEAR = 0.15
"""Of the stretch shown: a boundary this little outside is worth the room."""
_TICK = 0.35
"""Height for each tick of a density, in inches."""
_STRIP_LINE = 0.17
"""Height of one class's line of markers, in inches."""


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """What a picture of one feature shows: a stretch of the line, boundaries, and maybe rows."""

    view: View
    low: float
    high: float
    x: FloatArray  # (m,) where the curves are computed
    inside: tuple[float, ...]  # boundaries within the stretch
    outside: tuple[float, ...]  # and beyond it
    labelled: Labelled | None
    styles: tuple[style.ClassStyle, ...]  # k of them

    @property
    def points(self) -> FloatArray:
        """The same x as rows (m, 1)."""
        return self.x[:, None]

    @property
    def few(self) -> bool:
        """Whether there are rows, few enough for a marker each."""
        return self.labelled is not None and self.labelled[0].size <= _MOST_MARKERS

    @property
    def many(self) -> bool:
        """Whether there are rows, too many for a marker each."""
        return self.labelled is not None and not self.few


def scene(view: View, X: Any = None, y: Any = None) -> Scene:
    """Choose the stretch of the line that shows every row, every class and every near boundary.

    Examples
    --------
    >>> from gaussbayes.classifier import GaussianClassifier
    >>> from gaussbayes.analysis.view import line_view
    >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["low", "high"])
    >>> shown = scene(line_view(model))
    >>> shown.low, shown.high, shown.inside
    (-3.0, 7.0, (2.0,))
    """
    if (X is None) != (y is None):
        msg = "rows are shown in the colours of their classes: give both X and y, or neither"
        raise DataError(msg)
    parameters = view.model.parameters_
    (low,), (high,) = limits(parameters)
    labelled: Labelled | None = None
    if X is not None:
        rows, codes = view.labelled(X, y)
        values = rows[:, 0].astype(np.float64)
        labelled = values, codes
        (lowest,), (highest,) = limits(None, rows)
        low, high = min(low, lowest), max(high, highest)
    every = [boundary.position for boundary in decision_boundaries(parameters)]
    span = high - low
    near = [at for at in every if low - _NEAR * span <= at <= high + _NEAR * span]
    low = min([low, *(at - 0.02 * span for at in near)])
    high = max([high, *(at + 0.02 * span for at in near)])
    return Scene(
        view=view,
        low=float(low),
        high=float(high),
        x=_where_curves_bend(view, float(low), float(high), near),
        inside=tuple(near),
        outside=tuple(at for at in every if at not in near),
        labelled=labelled,
        styles=style.class_styles(view.classes),
    )


def _where_curves_bend(view: View, low: float, high: float, near: list[float]) -> FloatArray:
    """Equally spaced points, and more around every mean: a narrow peak must not fall between."""
    parameters = view.model.parameters_
    around = parameters.mean + parameters.deviation * line_over(-4.0, 4.0, 81)
    points = np.concatenate([line_over(low, high, _RESOLUTION), around.ravel(), near])
    return np.unique(points[(points >= low) & (points <= high)])


def draw_curves(ax: "Axes", shown: Scene, values: NDArray[Any]) -> None:
    """One curve for each class through values (m, k) at the scene's points."""
    for code, look in enumerate(shown.styles):
        ax.plot(shown.x, values[:, code], color=look.color, linestyle=look.line, zorder=3)


def draw_histograms(ax: "Axes", shown: Scene, weighted: bool) -> float:
    """The rows of each class as steps of area 1, or of area p(c); returns the highest step."""
    if shown.labelled is None:
        return 0.0
    values, codes = shown.labelled
    highest = 0.0
    for code, look in enumerate(shown.styles):
        own = values[codes == code]
        if own.size == 0 or own.min() == own.max():
            continue  # a single value has no density
        # Rice's rule: twice the cube root of the number of rows.
        heights, edges = np.histogram(own, bins=int(np.ceil(2 * np.cbrt(own.size))), density=True)
        if weighted:
            heights = heights * shown.view.model.priors_[code]
        ax.stairs(heights, edges, fill=True, color=look.color, alpha=0.25, zorder=1)
        ax.stairs(heights, edges, color=look.color, alpha=0.6, linewidth=0.8, zorder=2)
        highest = max(highest, float(heights.max()))
    return highest


def draw_strip(ax: "Axes", shown: Scene, height: float) -> None:
    """The rows as markers, one line for each class, in this lowest part of the axes."""
    if shown.labelled is None:
        return
    values, codes = shown.labelled
    k = len(shown.styles)
    for code, look in enumerate(shown.styles):
        own = values[codes == code]
        if own.size == 0:
            continue  # nothing drawn without clipping would be laid out at the figure's corner
        ax.plot(
            own,
            np.full(own.size, height * (k - code - 0.5) / k),
            linestyle="none",
            marker=look.marker,
            markersize=5.5,
            markerfacecolor=look.color,
            markeredgecolor="white",
            markeredgewidth=0.5,
            transform=ax.get_xaxis_transform(),
            clip_on=False,
            zorder=5,
        )


def draw_densities(
    ax: "Axes",
    shown: Scene,
    *,
    weighted: bool = False,
    evidence: bool = False,
    strip: bool = True,
    write: bool = True,
) -> None:
    """Densities of the classes, the rows, the boundaries and, if wanted, their values."""
    model = shown.view.model
    values = model.joint(shown.points) if weighted else model.likelihood(shown.points)
    draw_curves(ax, shown, values)
    top = float(values.max())
    below = 0.0
    if evidence:
        outline = model.evidence(shown.points)
        ax.plot(shown.x, outline, color=style.FAINT, linewidth=3.0, zorder=2)
        top = max(top, float(outline.max()))
    if shown.many:
        top = max(top, draw_histograms(ax, shown, weighted))
    elif shown.few and strip:
        below = min(0.3, _STRIP_LINE * len(shown.styles) / size_of(ax)[1])
        draw_strip(ax, shown, below)
    above = mark_boundaries(ax, shown.inside, (shown.low, shown.high), write=write)
    frame(ax, shown, top, below, above)
    ax.set_ylabel("p(c) p(x | c)" if weighted else "p(x | c)")


def draw_posterior(ax: "Axes", shown: Scene, *, write: bool = True) -> None:
    """Posteriors of the classes, the boundaries and, if wanted, their values."""
    draw_curves(ax, shown, shown.view.model.predict_proba(shown.points))
    above = mark_boundaries(ax, shown.inside, (shown.low, shown.high), write=write)
    frame(ax, shown, 1.0, 0.03, above)
    ax.set_ylabel("p(c | x)")


def frame(ax: "Axes", shown: Scene, top: float, below: float, above: float) -> None:
    """Show 0 … top, leaving shares of the height free below and above; ticks only where curves."""
    from matplotlib.ticker import MaxNLocator

    ax.set_xlim(shown.low, shown.high)
    full = 1.04 * top / (1.0 - below - above)
    ax.set_ylim(-below * full, (1.0 - below) * full)
    room = size_of(ax)[1] * (1.0 - below - above)
    ticks = MaxNLocator(max(2, int(room / _TICK)), steps=[1, 2, 5, 10]).tick_values(0.0, top)
    ax.set_yticks([tick for tick in ticks if -1e-9 * top <= tick <= (1.0 + 1e-9) * top])
    if below:
        ax.axhline(0.0, color=style.FAINT, linewidth=0.8, zorder=0)


def legend_handles(shown: Scene, *, rows: bool = True, evidence: bool = False) -> list[Any]:
    """Legend entries: the classes, then whatever else is shown."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    entries: list[Any] = [
        Line2D(
            [],
            [],
            color=look.color,
            linestyle=look.line,
            marker=look.marker if rows and shown.few else "none",
            markeredgecolor="white",
            label=look.label,
        )
        for look in shown.styles
    ]
    if rows and shown.many:
        entries.append(Patch(facecolor=style.FAINT, alpha=0.4, label="rows (histogram)"))
    if evidence:
        entries.append(Line2D([], [], color=style.FAINT, linewidth=3.0, label="evidence p(x)"))
    boundary = boundary_handle(shown.outside, shown.inside, shown.high - shown.low)
    return entries if boundary is None else [*entries, boundary]
