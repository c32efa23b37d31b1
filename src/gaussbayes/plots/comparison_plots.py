"""A comparison of models: error, log loss, Brier score and time; and error against neighbours."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import ticker
from matplotlib.axes import Axes
from numpy.typing import NDArray

from gaussbayes.analysis.comparison import ComparedModel, Comparison
from gaussbayes.base.errors import ParameterError
from gaussbayes.plots import style
from gaussbayes.plots.style import Canvas, Look, Panel, styled

GAUSSIAN, VOTING = "#5d6f92", "#b9c0cc"
"""The two kinds of models; no class has these colours."""
_WITH_LINES = ("QDA", "LDA", "Gaussian naive Bayes")
"""The Gaussian models that get a line beside nearest neighbours: six would be a thicket."""
_FIT: Look = {"marker": "o", "color": style.INK, "linestyle": "none"}
_PREDICT: Look = _FIT | {"markerfacecolor": "white"}
_BESIDE: Look = {"textcoords": "offset points", "va": "center", "fontsize": "small"}


@styled
def comparison(compared: Comparison, *, figure: Canvas = None) -> NDArray[np.object_]:
    """Draw every candidate's error, log loss, Brier score and times, in four panels (4,).

    Parameters
    ----------
    compared : what `gaussbayes.compare` returns
    figure : where to draw; None makes a new figure

    Examples
    --------
    >>> from gaussbayes.analysis.comparison import compare
    >>> from gaussbayes.datasets import load_iris
    >>> data = load_iris()
    >>> panels = comparison(compare(data.rows, data.labels, held_out=5, neighbors=[1, 5]))
    >>> [panel.get_title() for panel in panels]
    ['error', 'log loss', 'Brier score', 'time']
    """
    candidates = compared.candidates
    figure = style.figure_for(figure, (11.0, 1.5 + 0.42 * len(candidates)))
    panels: NDArray[np.object_] = figure.subplots(1, 4, sharey=True)
    scores = np.full((3, len(candidates)), np.nan)
    for place, candidate in enumerate(candidates):
        if candidate.evaluation is not None:
            seen = candidate.evaluation
            scores[:, place] = 100 * seen.error, seen.log_loss, seen.brier
    spread = [100 * candidate.standard_error for candidate in candidates]
    _draw_bars(panels[0], candidates, scores[0], "{:.1f}", spread)
    _draw_bars(panels[1], candidates, scores[1])
    _draw_bars(panels[2], candidates, scores[2])
    _draw_times(panels[3], candidates)
    units = ("% of the rows ± standard error", "nats", "0 to 2", "ms, median of the folds")
    titles = ("error", "log loss", "Brier score", "time")
    for ax, title, unit in zip(panels, titles, units, strict=True):
        ax.set_title(title)
        ax.set_xlabel(unit, fontsize="small")
        ax.tick_params(axis="y", length=0)
        ax.tick_params(axis="x", labelsize="small")
    panels[0].set_yticks(range(len(candidates)), [_name(candidate) for candidate in candidates])
    panels[0].set_ylim(len(candidates) - 0.4, -0.6)
    figure.suptitle(style.text(compared.how, 110), fontsize="medium")
    handles = [
        style.patch("Gaussian models", color=GAUSSIAN),
        style.patch("nearest neighbours", color=VOTING),
        style.line("time to fit", **_FIT),
        style.line("time to predict", **_PREDICT),
    ]
    style.legend_below(figure, handles)
    return panels


def _name(candidate: ComparedModel) -> str:
    n_parameters = candidate.n_parameters
    return candidate.name + (f"\n{n_parameters} parameters" if n_parameters is not None else "")


def _color(candidate: ComparedModel) -> str:
    return VOTING if candidate.n_parameters is None else GAUSSIAN


def _draw_bars(
    ax: Axes,
    candidates: Sequence[ComparedModel],
    values: NDArray[Any],
    form: str = "{:.3f}",
    spread: Sequence[float] | None = None,
) -> None:
    """A bar for each candidate with its value beside; an arrow to the edge for an infinite one."""
    ends = values + (0.0 if spread is None else np.asarray(spread))
    edge = 1.35 * max(ends[np.isfinite(ends)], default=1.0) or 1.0
    ax.set_xlim(0, edge)
    ax.xaxis.set_major_locator(ticker.MaxNLocator(4))
    for row, (candidate, value) in enumerate(zip(candidates, values, strict=True)):
        if np.isnan(value):
            note = "could not be fitted" if spread is not None else "–"
            ax.annotate(note, (0, row), (4, 0), **_BESIDE, color=style.FAINT)
        elif np.isinf(value):
            ax.barh(row, 0.8 * edge, 0.62, color=_color(candidate))
            ax.plot(0.8 * edge, row, marker=">", markersize=15, color=_color(candidate))
            ax.annotate("∞", (0.8 * edge, row), (12, 0), **_BESIDE | {"fontsize": "x-large"})
        else:
            ax.barh(row, value, 0.62, color=_color(candidate))
            if spread is not None:
                ax.errorbar(value, row, xerr=spread[row], color=style.INK, linewidth=1)
            ax.annotate(form.format(value), (float(ends[row]), row), (4, 0), **_BESIDE)


def _draw_times(ax: Axes, candidates: Sequence[ComparedModel]) -> None:
    """Markers for the times to fit and to predict."""
    for row, candidate in enumerate(candidates):
        if candidate.evaluation is not None:
            fit, predict = 1000 * candidate.fit_seconds, 1000 * candidate.predict_seconds
            ax.plot([fit, predict], [row, row], color=_color(candidate), linewidth=1.5, zorder=1)
            ax.plot(fit, row, **_FIT)
            ax.plot(predict, row, **_PREDICT)
    ax.set_xscale("log")
    low, high = ax.get_xlim()
    if high < 300 * low:  # else the powers of ten are enough
        ax.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 3)))
        ax.xaxis.set_minor_formatter(ticker.NullFormatter())
    ax.xaxis.set_major_formatter("{x:g}")


@styled
def neighbors_error(comparison: Comparison, *, ax: Panel = None) -> Axes:
    """Draw the error of nearest neighbours against their number, and lines for QDA, LDA and NB.

    The bars are one standard error, ``√(e (1 − e) / n)``, either way.

    Parameters
    ----------
    comparison : what `gaussbayes.compare` returns
    ax : where to draw; None makes a new figure

    Examples
    --------
    >>> from gaussbayes.analysis.comparison import compare
    >>> from gaussbayes.datasets import load_iris
    >>> data = load_iris()
    >>> compared = compare(data.rows, data.labels, held_out=5, neighbors=[1, 5])
    >>> neighbors_error(compared).get_xlabel()
    'number of neighbours'
    """
    voting = [
        (candidate.neighbors, candidate.evaluation.error, candidate.standard_error)
        for candidate in comparison.candidates
        if candidate.neighbors is not None and candidate.evaluation
    ]
    if not voting:
        problems = (c.problem for c in comparison.candidates if c.neighbors is not None)
        why = next(problems, None) or "call compare with neighbors=(1, 3, 5, …)"
        msg = f"no candidate of this comparison is nearest neighbours with an error to draw: {why}"
        raise ParameterError(msg)
    numbers, errors, spread = zip(*voting, strict=True)
    ax = style.axes_for(ax, (7.6, 4.8))
    look: Look = {"color": style.INK, "ecolor": style.FAINT, "marker": "o", "capsize": 3}
    label = "nearest neighbours\n± one standard error"
    entries: list[Any] = [ax.errorbar(numbers, errors, yerr=spread, label=label, **look)]
    for name, line in zip(_WITH_LINES, style.LINES, strict=False):
        for candidate in comparison.candidates:
            if candidate.name == name and candidate.evaluation is not None:
                error = candidate.evaluation.error
                label = f"{name}: {100 * error:.1f} %"
                entries.append(ax.axhline(error, color=GAUSSIAN, linestyle=line, label=label))
    _number_axis(ax, numbers)
    ax.set_ylim(bottom=0)
    ax.yaxis.set_major_formatter(ticker.PercentFormatter(1, symbol=" %"))
    ax.set(xlabel="number of neighbours", ylabel=f"error on {comparison.n_rows} held-out rows")
    style.legend_beside(ax, entries)
    return ax


def _number_axis(ax: Axes, numbers: Sequence[int]) -> None:
    """Ticks at the numbers tried, or at some integers if they are many."""
    if max(numbers) >= 30 * min(numbers):
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(ticker.ScalarFormatter())
        ax.xaxis.set_minor_locator(ticker.NullLocator())
    if len(numbers) <= 10:
        ax.set_xticks(numbers)
    elif ax.get_xscale() == "linear":
        ax.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
