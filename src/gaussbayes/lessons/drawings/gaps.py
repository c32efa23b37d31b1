"""Rows with gaps: a hidden feature, Gaussians of incomplete rows, few labels, and EM's climb."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gaussbayes import plots
from gaussbayes.analysis.ellipse import ellipse
from gaussbayes.analysis.grid import grid_over, limits, line_over
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.families.gaussian.missing.em import Convergence
from gaussbayes.lessons.drawings.panels import figure_of, mark_point, note, panels, title
from gaussbayes.lessons.incomplete import Gaussian, along, complete
from gaussbayes.lessons.lesson import Table
from gaussbayes.plots import plane, points, style
from gaussbayes.plots.regions import draw_boundaries, draw_codes, region_map
from gaussbayes.plots.requirement import picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_RESOLUTION = 300
_OWN = style.COLORS[0]
_ESTIMATES = (style.COLORS[2], style.COLORS[1], style.COLORS[3])
_DIGITS = 1e-13
"""Below this share of a log-likelihood, a difference is rounding."""


@picture
def hidden_feature(
    model: GaussianClassifier, count: float, filled: float, names: Sequence[str]
) -> "Figure":
    """Where a patient may be of whom the count alone is known, and what the answer is there.

    Left the plane with the line of all glucoses, right the posterior along it and how probable each
    glucose is. The exact answer is the mean of the curve by that density; `filled` is one point.
    """
    figure, axes = panels(1, 2, (10.8, 4.3))
    left, right = axes[0]
    plots.regions(model, ax=left)
    left.axvline(count, color=style.INK, ls=style.LINES[1], linewidth=1.2)
    mark_point(left, count, filled, f"{filled:g} filled in", (24.0, -62.0))
    style.name_axes(left, names)
    title(left, f"a count of {count:g}, the glucose not known")
    low, high = left.get_ylim()
    glucose = line_over(low, high, 401)
    posterior, density = along(model, count, glucose)
    exact = float(model.predict_proba([[count, np.nan]])[0, 0])
    guess = float(model.predict_proba([[count, filled]])[0, 0])
    right.fill_between(
        glucose,
        density / density.max(),
        color=style.FAINT,
        alpha=0.35,
        linewidth=0,
        label=f"p(glucose | {count:g}),\nto its own scale",
    )
    right.plot(glucose, posterior, color=_OWN, label="p(C = 0 | both)")
    right.axhline(exact, color=style.INK, ls=style.LINES[1], label="its mean:\np(C = 0 | count)")
    note(right, glucose[-1], exact, f"{exact:.3f}, exact", (-4.0, 11.0))
    right.plot([filled], [guess], "o", color=style.INK, zorder=5)
    note(right, filled, guess, f"{guess:.3f}, filled in", (9.0, 6.0))
    right.set(xlim=(glucose[0], glucose[-1]), ylim=(0.0, 1.05))
    title(right, "along the dashed line")
    style.name_axes(right, (names[1], "probability of no diabetes"))
    style.legend_beside(right)
    return figure


@picture
def estimates(table: Table, found: Mapping[str, Gaussian]) -> "Figure":
    """Rows of two features, some without the second, and what Gaussian each way makes of them."""
    ax = style.axes_for(None, (8.2, 4.8))
    rows = table.rows
    alone = rows[np.isnan(rows[:, 1]), 0]
    ax.plot(*complete(rows).T, "o", color=style.INK, zorder=4, label="both values")
    for (name, one), color, line in zip(found.items(), _ESTIMATES, style.LINES, strict=False):
        around = ellipse(one.mean, one.covariance, 2.0)
        ax.plot(*around.T, color=color, ls=line, label=name, gid="ellipse")
        ax.plot(*one.mean, "+", color=color, markersize=11, markeredgewidth=2.2, zorder=5)
    # The first feature is known: they stand at the edge, where they could be at any height.
    at_edge = ax.get_xaxis_transform()
    look: dict[str, Any] = {
        "color": style.INK,
        "markerfacecolor": "white",
        "clip_on": False,
        "zorder": 6,
    }
    ax.plot(alone, np.zeros(alone.size), "^", transform=at_edge, label="crop alone", **look)
    style.name_axes(ax, table.features)
    style.legend_beside(ax, title="means, and 2 deviations")
    return figure_of(ax)


@picture
def climbs(each: Mapping[str, Convergence]) -> "Figure":
    """How far the log-likelihood is below its maximum before each step of EM."""
    figure, axes = panels(1, len(each), (4.6 * len(each), 3.6), share_y=True)
    for ax, (name, climb) in zip(axes[0], each.items(), strict=True):
        record = climb.log_likelihood
        below = record[-1] - record
        steps = np.flatnonzero(below > _DIGITS * abs(record[-1]))
        ax.plot(steps, below[steps], "o-", color=_OWN)
        ax.set_yscale("log")
        ax.set_xlabel("steps made")
        ax.xaxis.get_major_locator().set_params(integer=True)
        title(ax, f"{name}: {climb.n_iterations} steps to {record[-1]:.6f}".replace("-", "−"))
    axes[0, 0].set_ylabel("log-likelihood below its maximum")
    return figure


@picture
def few_labels(
    models: Mapping[str, GaussianClassifier], best: GaussianClassifier, table: Table
) -> "Figure":
    """A panel for each model: its regions, the rows it was given, and the best boundary, dashed.

    The first model was given the labelled rows alone, the second all of them.
    """
    from matplotlib.lines import Line2D

    figure, axes = panels(1, len(models), (10.4, 4.3), share_x=True, share_y=True)
    grid = grid_over(*limits(None, table.rows), _RESOLUTION)
    styles = style.class_styles(best.classes_)
    known = np.array([label is not None for label in table.labels])
    codes = np.searchsorted(best.classes_, table.labels[known].astype(best.classes_.dtype))
    for shows_all, (ax, (name, model)) in enumerate(zip(axes[0], models.items(), strict=True)):
        found = region_map(model, grid)
        draw_codes(ax, found, [plane.lighter(one.color, plane.LIGHT) for one in styles])
        draw_boundaries(ax, found)
        draw_boundaries(ax, region_map(best, grid), linestyles=[style.LINES[1]], linewidths=1.2)
        if shows_all:
            points.draw_unlabelled(ax, table.rows[~known])
            ax.collections[-1].set_alpha(0.35)
        points.draw_points(ax, table.rows[known], codes, styles)
        title(ax, name)
        style.name_axes(ax, table.features)
        ax.label_outer()
    handles = [
        *points.class_handles(styles),
        points.marker_handle("no label", marker=".", color=style.INK, alpha=0.5),
        Line2D([], [], color=style.INK, linewidth=1.5, label="boundary"),
        Line2D([], [], color=style.INK, linewidth=1.2, ls=style.LINES[1], label="the best one"),
    ]
    style.legend_beside(axes[0, -1], handles)
    return figure


@picture
def hidden_values(
    shown: Mapping[str, Table], found: Mapping[str, Gaussian], truth: Gaussian
) -> "Figure":
    """A panel for each way to hide values: what is left, the Gaussian found, and the true one."""
    figure, axes = panels(1, len(shown), (10.4, 4.3), share_x=True, share_y=True)
    for ax, (name, table) in zip(axes[0], shown.items(), strict=True):
        rows = complete(table.rows)
        ax.scatter(
            *rows.T, s=5, color=style.FAINT, linewidths=0, label="both values", rasterized=True
        )
        for words, one, color, line in (
            ("the truth", truth, style.INK, style.LINES[1]),
            ("most likely", found[name], _ESTIMATES[0], style.LINES[0]),
        ):
            around = ellipse(one.mean, one.covariance, 2.0)
            ax.plot(*around.T, color=color, ls=line, label=words, gid="ellipse")
            ax.plot(*one.mean, "+", color=color, markersize=11, markeredgewidth=2.2, zorder=5)
        title(ax, f"{name}: mean {found[name].mean[1]:.1f}")
        style.name_axes(ax, table.features)
        ax.label_outer()
    style.legend_beside(axes[0, -1], title="means, and 2 deviations")
    return figure
