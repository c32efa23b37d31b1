"""What the figures of several lessons share: panels, marks, rows, bars, histograms, posteriors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gaussbayes import plots
from gaussbayes.analysis.boundary import decision_boundaries
from gaussbayes.analysis.grid import line_over
from gaussbayes.analysis.view import feature_titles
from gaussbayes.base.types import FloatArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons.lesson import Spread, Table
from gaussbayes.plots import row_markers, style
from gaussbayes.plots.style import pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N_POINTS = 1001
"""Of a curve."""

_ROOM = 1.6
"""Panels are wider than their longest bar by this, for the numbers written beside the bars."""

_FAINT = 0.25

_BOX: dict[str, Any] = {
    "boxstyle": "round,pad=0.2",
    "facecolor": "white",
    "alpha": 0.85,
    "linewidth": 0,
}


# Panels and marks


def panels(
    n_rows: int = 1,
    n_columns: int = 1,
    size: tuple[float, float] = (6.4, 4.8),
    share_x: bool = False,
    share_y: bool = False,
) -> "tuple[Figure, Any]":
    """A new figure, and its axes (n_rows, n_columns).

    Examples
    --------
    >>> figure, axes = panels(1, 2)
    >>> axes.shape
    (1, 2)
    >>> pyplot().close(figure)
    """
    figure, axes = pyplot().subplots(
        n_rows,
        n_columns,
        figsize=size,
        layout="constrained",
        squeeze=False,
        sharex=share_x,
        sharey=share_y,
    )
    return figure, axes


def figure_of(ax: "Axes") -> "Figure":
    """The figure that axes are in."""
    return cast("Figure", ax.get_figure(root=True))


def one_legend(axes: Any) -> None:
    """Of panels side by side that have the same legend, keep that of the last."""
    for ax in axes[:-1]:
        ax.get_legend().remove()
    for ax in axes:
        ax.label_outer()


def title(ax: "Axes", words: str) -> None:
    """What one of several panels shows."""
    ax.set_title(words, fontsize="medium")


def number(value: float, form: str = "g") -> str:
    """A number with a minus and not a hyphen.

    Examples
    --------
    >>> number(-0.8), number(-2 / 3, ".2f")
    ('−0.8', '−0.67')
    """
    return f"{value:{form}}".replace("-", "−")


def mark_point(
    ax: "Axes", x: float, y: float, words: str, offset: tuple[float, float] = (9.0, 12.0)
) -> None:
    """A star at a point of the plane, and what it is."""
    star: dict[str, Any] = {"color": "white", "markeredgecolor": style.INK, "markeredgewidth": 1.3}
    ax.plot([x], [y], "*", markersize=17, zorder=6, **star)
    note(ax, x, y, words, offset)


def note(
    ax: "Axes", x: float, y: float, words: str, offset: tuple[float, float] = (8.0, 12.0)
) -> None:
    """Words beside a point, `offset` typographic points right and up; far ones on a line."""
    right, up = offset
    far = abs(right) + abs(up) > 40.0
    ax.annotate(
        words,
        (x, y),
        offset,
        textcoords="offset points",
        fontsize="small",
        color=style.INK,
        ha="left" if right >= 0 else "right",
        va="center",
        bbox=_BOX,
        arrowprops={"arrowstyle": "-", "color": style.INK, "shrinkB": 9} if far else None,
        zorder=7,
    )


# The rows of a table


def draw_rows(
    table: Table, test: Table | None = None, size: tuple[float, float] = (6.4, 4.8)
) -> "Figure":
    """The rows of one table, and those of another, hollow, if there are any to test on."""
    held_out = None if test is None else (test.rows, test.labels)
    ax = plots.dataset(table.rows, table.labels, test=held_out, ax=style.axes_for(None, size))
    style.name_axes(ax, table.features)
    return figure_of(ax)


def draw_contours(model: GaussianClassifier, table: Table) -> "Figure":
    """The Gaussians as ellipses, whole, with the rows faint behind them."""
    ax = draw_rows(table).axes[0]
    fade_rows(ax)
    plots.ellipses(model, ax=ax)
    # The axes end where the rows do; let them end where the ellipses do.
    ax.autoscale()
    return figure_of(ax)


def draw_over_regions(model: GaussianClassifier, table: Table, ax: "Axes") -> None:
    """The rows and the ellipses, whole, over the model's regions."""
    plots.regions(model, ax=ax)
    classes, codes = np.unique(table.labels, return_inverse=True)
    row_markers.draw_points(ax, table.rows, codes, style.class_styles(classes))
    plots.ellipses(model, ax=ax)


def fade_rows(ax: "Axes") -> None:
    """Make the points of axes faint, but not the rings around errors."""
    from matplotlib.collections import PathCollection

    for drawn in ax.collections:
        if isinstance(drawn, PathCollection) and drawn.get_gid() != "errors":
            drawn.set_alpha(_FAINT)


# Bayes' rule as bars


@dataclass(frozen=True, slots=True, eq=False)
class RuleStep:
    """One step of Bayes' rule: a number for each class."""

    title: str
    values: FloatArray  # (k,)
    texts: tuple[str, ...]  # (k,) how the numbers are written
    operator: str = ""  # what joins it to the step before


def bayes_rule_bars(classes: Sequence[object], steps: Sequence[RuleStep]) -> "Figure":
    """The steps side by side, one bar for each class; each panel has a scale of its own.

    Examples
    --------
    >>> step = RuleStep("prior", np.array([0.25, 0.75]), ("1/4", "3/4"))
    >>> figure = bayes_rule_bars(["no", "yes"], [step])
    >>> len(figure.axes)
    1
    >>> pyplot().close(figure)
    """
    styles = style.class_styles(np.array(classes, dtype=object))
    size = (2.0 + 1.6 * len(steps), 1.3 + 0.5 * len(styles))
    figure, axes = panels(1, len(steps), size, share_y=True)
    places = np.arange(len(styles))
    for ax, step in zip(axes[0], steps, strict=True):
        ax.barh(places, step.values, color=[look.color for look in styles], height=0.6)
        lowest, highest = min(step.values.min(), 0.0), max(step.values.max(), 0.0)
        ax.set_xlim(_ROOM * lowest, _ROOM * highest)
        ax.set_title(f"{step.operator} {step.title}".strip())
        ax.axvline(0.0, color=style.INK, linewidth=1.0)
        ax.tick_params(left=False, bottom=False, labelbottom=False)
        ax.spines[["left", "bottom"]].set_visible(False)
        for place, value, words in zip(places, step.values, step.texts, strict=True):
            ax.annotate(
                words,
                (value, place),
                (-4 if value < 0 else 4, 0),
                textcoords="offset points",
                ha="right" if value < 0 else "left",
                va="center",
                fontsize="small",
            )
    axes[0, 0].set_yticks(places, [look.label for look in styles])
    axes[0, 0].invert_yaxis()
    return figure


# Numbers over many draws


def histograms(spreads: Sequence[Spread], step: float, axis: str) -> "Figure":
    """One panel for each spread; bars stand at the multiples of `step`, all that can occur.

    Examples
    --------
    >>> figure = histograms([Spread("heads", lambda: [4, 5, 5, 6], handout=4)], 1, "heads of 10")
    >>> pyplot().close(figure)
    """
    figure, axes = panels(len(spreads), 1, (7.6, 0.9 + 2.0 * len(spreads)), share_x=True)
    for ax, spread in zip(axes[:, 0], spreads, strict=True):
        places, counts = np.unique(np.rint(spread.values() / step), return_counts=True)
        ax.bar(places * step, counts, 0.9 * step, color=style.FAINT)
        mean = float(np.average(places * step, weights=counts))
        ax.axvline(mean, color=style.INK, ls=style.LINES[1], label=f"mean {mean:.2f}")
        label = f"handout {spread.handout:g}"
        ax.axvline(spread.handout, color=style.COLORS[3], lw=2.0, label=label)
        ax.set_title(style.text(spread.name, 80))
        ax.set_ylabel("draws")
        style.legend_beside(ax)
    axes[-1, 0].set_xlabel(axis)
    return figure


# Posteriors along one feature


def posteriors_by_prior(
    models: Mapping[str, GaussianClassifier],
    label: object,
    between: tuple[float, float],
    at: float | None = None,
    details: Sequence[tuple[float, float]] = (),
) -> "Figure":
    """``p(label | x)`` of models of one feature that differ in their priors, with boundaries.

    Parameters
    ----------
    models : by the name of their priors
    between : where the figure begins and ends
    at : write the values at this point
    details : parts to be enlarged below, with the boundaries written

    Examples
    --------
    >>> model = GaussianClassifier.from_parameters([0.5, 0.5], [[0], [2]], [[1]])
    >>> figure = posteriors_by_prior({"equal": model}, 1, (-3, 5), details=[(0.5, 1.5)])
    >>> pyplot().close(figure)
    """
    figure: Figure = pyplot().figure(figsize=(7.6, 6.4 if details else 4.2), layout="constrained")
    rows = figure.add_gridspec(2 if details else 1, max(1, len(details)))
    whole = figure.add_subplot(rows[0, :])
    _draw_posteriors(whole, models, label, between)
    if at is not None:
        whole.axvline(at, color=style.FAINT, linewidth=0.8, zorder=0)
        note(whole, at, 0.97, f"x = {at:g}", (6.0, 0.0))
        for name, model in models.items():
            height = model.with_feature_names(None).predict_proba([[at]])[0, _code(model, label)]
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
        color = style.class_styles(model.classes_)[_code(model, label)].color
        height = model.with_feature_names(None).predict_proba(x[:, None])[:, _code(model, label)]
        ax.plot(x, height, color=color, ls=line, label=name)
        for boundary in decision_boundaries(model.model_):
            if between[0] < boundary.position < between[1]:
                place = [boundary.position] * 2
                ax.plot(place, [0.0, 0.5], color=style.INK, ls=line, lw=1.0, gid="boundary")
                crossings.append((name, boundary.position))
    ax.axhline(0.5, color=style.FAINT, linewidth=0.8, zorder=0)
    ax.set(xlim=between, ylim=(-0.02, 1.02))
    style.name_axes(ax, [*feature_titles(model), f"p({label} | x)"])
    return crossings


def _code(model: GaussianClassifier, label: object) -> int:
    return int(model.classes_.tolist().index(label))
