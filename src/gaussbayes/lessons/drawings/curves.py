"""Curves over one feature: posteriors under several priors, and the mistakes of a rule."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gaussbayes.analysis.boundary import decision_boundaries
from gaussbayes.analysis.grid import line_over
from gaussbayes.analysis.view import feature_titles
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons.drawings.panels import figure_of, note
from gaussbayes.lessons.lesson import Table
from gaussbayes.plots import points, style
from gaussbayes.plots.requirement import picture, pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_N_POINTS = 1001


@picture
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
    models : by what their priors are called
    between : where the picture begins and ends
    at : write the values at this point
    details : parts to be enlarged below, with the boundaries written

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> model = GaussianClassifier.from_parameters([0.5, 0.5], [[0], [2]], [[1]])
    >>> _ = posteriors_by_prior({"equal": model}, 1, (-3, 5), details=[(0.5, 1.5)])
    >>> plt.close("all")
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
    x = line_over(*between, _N_POINTS)
    crossings = []
    for (name, model), line in zip(models.items(), style.LINES, strict=False):
        color = style.class_styles(model.classes_)[_code(model, label)].color
        height = model.with_feature_names(None).predict_proba(x[:, None])[:, _code(model, label)]
        ax.plot(x, height, color=color, ls=line, label=name)
        for boundary in decision_boundaries(model.parameters_):
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


@picture
def mistakes(model: GaussianClassifier, between: tuple[float, float]) -> "Figure":
    """The joint densities ``p(x, c)`` of a model of one feature; under the lower ones, mistakes.

    The shaded area is the expected share of mistakes of the rule that takes the most probable
    class: ``∫ (p(x) − max_c p(x, c)) dx``. Any other rule adds to it.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> model = GaussianClassifier.from_parameters([0.5, 0.5], [[0], [2]], [[1]])
    >>> _ = mistakes(model, (-3, 5))
    >>> plt.close("all")
    """
    ax = style.axes_for(None, (7.6, 4.2))
    x = line_over(*between, _N_POINTS)
    joint = model.with_feature_names(None).joint(x[:, None])
    for one, height in zip(style.class_styles(model.classes_), joint.T, strict=True):
        ax.plot(x, height, color=one.color, ls=one.line, label=f"p(x, {one.label})")
    lost = joint.sum(axis=1) - joint.max(axis=1)
    ax.fill_between(x, lost, color=style.FAINT, alpha=0.5, linewidth=0, label="mistakes")
    for boundary in decision_boundaries(model.parameters_):
        if between[0] < boundary.position < between[1]:
            ax.axvline(boundary.position, color=style.INK, linewidth=1.0)
    ax.set_xlim(*between)
    ax.set_ylim(bottom=0.0)
    style.name_axes(ax, [*feature_titles(model), "joint density p(x, c)"])
    style.legend_beside(ax)
    return figure_of(ax)


@picture
def log_odds_strips(model: GaussianClassifier, table: Table, a: object, b: object) -> "Figure":
    """The log-odds of a to b at each row, in one strip for each true class; errors are ringed."""
    ax = style.axes_for(None, (7.6, 3.0))
    odds = model.with_feature_names(None).log_odds(table.rows, a, b)
    styles = style.class_styles(model.classes_)
    codes = np.searchsorted(model.classes_, table.labels)
    # A strip has the first class on top: class 0 at height 1, class 1 at height 0.
    rows = points.strip(odds, codes, len(styles))
    points.draw_points(ax, rows, codes, styles)
    wrong = np.where(table.labels == a, odds < 0, odds > 0)
    points.draw_rings(ax, rows[wrong])
    ax.axvline(0.0, color=style.INK, linewidth=1.0)
    ax.set_yticks((1, 0), [f"true class {one.label}" for one in styles])
    ax.set_xlabel(f"log-odds of class {a} to class {b}")
    return figure_of(ax)
