"""What the figures of several lessons share: panels, marks, rows, bars, histograms, posteriors."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gaussbayes import plots
from gaussbayes.analysis.boundary import decision_boundaries
from gaussbayes.analysis.ellipse import ellipse
from gaussbayes.analysis.grid import line_over
from gaussbayes.analysis.view import feature_titles
from gaussbayes.base.types import FloatArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons.handouts import Table
from gaussbayes.lessons.lesson import Spread
from gaussbayes.plots import style
from gaussbayes.plots.style import Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N_POINTS = 1001  # of a curve
_ROOM = 1.6  # panels are wider than their longest bar by this, for the numbers beside the bars
_FAINT = 0.25
_BOX = {"boxstyle": "round,pad=0.2", "facecolor": "white", "alpha": 0.85, "linewidth": 0}
_STAR: Look = {"color": "white", "markeredgecolor": style.INK, "markeredgewidth": 1.3}
_NOTE: Look = {"textcoords": "offset points", "fontsize": "small", "va": "center"}


# Panels and marks


def panels(n_rows: int, n_columns: int, size: tuple[float, float], share: str = "") -> Any:
    """The axes (n_rows · n_columns,) of a new figure, which may share ``"x"``, ``"y"`` or both."""
    shared: Look = {"sharex": "x" in share, "sharey": "y" in share, "squeeze": False}
    return style.figure_for(None, size).subplots(n_rows, n_columns, **shared).ravel()


def one_legend(axes: Any) -> None:
    """Of panels side by side that have the same legend, keep that of the last."""
    for ax in axes:
        ax.label_outer()
        if ax is not axes[-1]:
            ax.get_legend().remove()


def title(ax: "Axes", words: str, features: Sequence[str] = ()) -> None:
    """What one of several panels shows, and the names of its features where they are not named."""
    ax.set_title(words, fontsize="medium")
    if features:
        style.name_axes(ax, features)
        ax.label_outer()


def number(value: float, form: str = "g") -> str:
    """A number with a minus and not a hyphen: ``number(-2 / 3, ".2f")`` is −0.67."""
    return f"{value:{form}}".replace("-", "−")


def mark_point(
    ax: "Axes", x: float, y: float, words: str, offset: tuple[float, float] = (9.0, 12.0)
) -> None:
    """A star at a point of the plane, and what it is."""
    ax.plot([x], [y], "*", markersize=17, zorder=6, **_STAR)
    note(ax, x, y, words, offset)


def note(ax: "Axes", x: float, y: float, words: str, offset: tuple[float, float]) -> None:
    """Words beside a point, `offset` typographic points right and up; far ones on a line."""
    look: Look = {"color": style.INK, "bbox": _BOX, "zorder": 7, **_NOTE}
    if sum(map(abs, offset)) > 40.0:
        look["arrowprops"] = {"arrowstyle": "-", "color": style.INK, "shrinkB": 9}
    ax.annotate(words, (x, y), offset, ha="left" if offset[0] >= 0 else "right", **look)


def draw_ellipse(
    ax: "Axes", mean: FloatArray, covariance: FloatArray, radius: float, **look: Any
) -> None:
    """The ellipse at this Mahalanobis distance from the mean."""
    ax.plot(*ellipse(mean, covariance, radius).T, gid="ellipse", **look)


# The rows of a table


def draw_rows(
    table: Table, test: Table | None = None, size: tuple[float, float] = (6.4, 4.8)
) -> "Axes":
    """The rows of one table, and those of another, hollow, if there are any to test on."""
    held_out = None if test is None else (test.rows, test.labels)
    ax = plots.dataset(table.rows, table.labels, test=held_out, ax=style.axes_for(None, size))
    style.name_axes(ax, table.features)
    return ax


def draw_contours(model: GaussianClassifier, table: Table) -> "Axes":
    """The Gaussians as ellipses, whole, with the rows faint behind them."""
    ax = draw_rows(table)
    fade_rows(ax)
    plots.ellipses(model, ax=ax)
    style.equal_aspect(ax)
    return ax


def fade_rows(ax: "Axes") -> None:
    """Make the points of axes faint, but not the rings around errors."""
    from matplotlib.collections import PathCollection

    for drawn in ax.collections:
        if isinstance(drawn, PathCollection) and drawn.get_gid() != "errors":
            drawn.set_alpha(_FAINT)


# Bayes' rule as bars, and numbers over many draws


def bayes_rule_bars(
    classes: Sequence[object], steps: Mapping[str, tuple[Sequence[float], Sequence[str]]]
) -> Any:
    """The steps of Bayes' rule side by side: by title, a number for each class and how to write it.

    There is one bar for each class; all panels have one scale, so that lengths compare.
    """
    styles = style.class_styles(np.array(classes, dtype=object))
    axes = panels(1, len(steps), (2.0 + 1.6 * len(steps), 1.3 + 0.5 * len(styles)), "y")
    places = range(len(styles))
    every = [value for values, _ in steps.values() for value in values]
    for ax, (name, (values, written)) in zip(axes, steps.items(), strict=True):
        ax.barh(places, values, color=[look.color for look in styles], height=0.6)
        ax.set_xlim(_ROOM * min(*every, 0.0), _ROOM * max(*every, 0.0))
        ax.set_title(name)
        ax.axvline(0.0, color=style.INK, linewidth=1.0)
        ax.tick_params(left=False, bottom=False, labelbottom=False)
        ax.spines[["left", "bottom"]].set_visible(False)
        for place, value, words in zip(places, values, written, strict=True):
            right, align = (-4, "right") if value < 0 else (4, "left")
            ax.annotate(words, (value, place), (right, 0), ha=align, **_NOTE)
    axes[0].set_yticks(places, [look.label for look in styles])
    axes[0].invert_yaxis()
    return axes


def histograms(spreads: Sequence[Spread], step: float, axis: str) -> Any:
    """One panel for each spread; bars stand at the multiples of `step`, all that can occur."""
    axes = panels(len(spreads), 1, (7.6, 0.9 + 2.0 * len(spreads)))
    for ax, spread in zip(axes, spreads, strict=True):
        places, counts = np.unique(np.rint(spread.values() / step), return_counts=True)
        ax.bar(places * step, counts, 0.9 * step, color=style.FAINT)
        mean = float(np.average(places * step, weights=counts))
        ax.axvline(mean, color=style.INK, ls=style.LINES[1], label=f"mean {mean:.2f}")
        label = f"handout {spread.handout:g}"
        ax.axvline(spread.handout, color=style.COLORS[3], lw=2.0, label=label)
        ax.set_title(style.text(spread.name, 80))
        ax.set_ylabel("draws")
        style.legend_beside(ax)
    ends = [ax.get_xlim() for ax in axes]
    for ax, (low, high) in zip(axes, ends, strict=True):  # those of one quantity have one scale
        near = [each for each in ends if each[0] < high and low < each[1]]
        ax.set_xlim(min(each[0] for each in near), max(each[1] for each in near))
    axes[-1].set_xlabel(axis)
    return axes


# Posteriors along one feature


def posteriors_by_prior(
    models: Mapping[str, GaussianClassifier],
    label: object,
    between: tuple[float, float],
    at: float | None = None,
    details: Sequence[tuple[float, float]] = (),
) -> Any:
    """``p(label | x)`` of models of one feature that differ in their priors, with boundaries.

    The values at a point may be written, and details enlarged below, with the boundaries written.
    """
    figure = style.figure_for(None, (7.6, 6.4 if details else 4.2))
    rows = figure.add_gridspec(2 if details else 1, max(1, len(details)))
    whole = figure.add_subplot(rows[0, :])
    _draw_posteriors(whole, models, label, between)
    if at is not None:
        whole.axvline(at, color=style.FAINT, linewidth=0.8, zorder=0)
        note(whole, at, 0.97, f"x = {at:g}", (6.0, 0.0))
        for name, model in models.items():
            height = float(_posterior(model, label, np.array([at]))[0])
            whole.plot([at], [height], "o", color=style.INK, zorder=5)
            note(whole, at, height, f"{height:.3f}, {name}", (10.0, 0.0))
    style.legend_beside(whole, title="priors")
    for column, part in enumerate(details):
        ax = figure.add_subplot(rows[1, column])
        crossings = _draw_posteriors(ax, models, label, part)
        ax.set_title("\n".join(f"{place:.6f}: {name}" for name, place in crossings))
    return figure


def _draw_posteriors(
    ax: "Axes",
    models: Mapping[str, GaussianClassifier],
    label: object,
    between: tuple[float, float],
) -> list[tuple[str, float]]:
    """The curves in one part of the line; returns the boundaries there, and whose they are."""
    x = line_over(*between, N_POINTS)
    crossings = []
    for (name, model), line in zip(models.items(), style.LINES, strict=False):
        look = style.class_styles(model.classes_)[model.model_.schema.position(label)]
        ax.plot(x, _posterior(model, label, x), color=look.color, ls=line, label=name)
        for boundary in decision_boundaries(model.model_):
            if between[0] < boundary.position < between[1]:
                place = [boundary.position] * 2
                ax.plot(place, [0.0, 0.5], color=style.INK, ls=line, lw=1.0, gid="boundary")
                crossings.append((name, boundary.position))
    ax.axhline(0.5, color=style.FAINT, linewidth=0.8, zorder=0)
    ax.set(xlim=between, ylim=(-0.02, 1.02))
    style.name_axes(ax, [*feature_titles(model), f"p({label} | x)"])
    return crossings


def _posterior(model: GaussianClassifier, label: object, x: FloatArray) -> Any:
    posterior = model.with_feature_names(None).predict_proba(x[:, None])
    return posterior[:, model.model_.schema.position(label)]
