"""The contribution of each feature to the log-odds of two classes, as a waterfall of bars."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes

from gaussbayes.analysis.explanation import Contribution, Explanation, LogOdds, total_amount
from gaussbayes.base.errors import OptionError
from gaussbayes.plots import style
from gaussbayes.plots.style import Look, styled

_REFERENCE, _ROW = (
    "#c3cad6",
    "#5d6f92",
)  # colour of the first and the last bar, different from all classes
_THICK = 0.66
# In inches: a line of a name, the least height of a bar, and the space of title and axis.
_LINE, _LEAST, _AROUND = 0.19, 0.32, 1.7
_LETTERS = 34  # in a line of a name
_MOST = 12  # features with separate bars
# As proportions of the width: space for a number beside the longest bar, and the length of an
# infinite # bar beyond the others.
_MARGIN, _ENDLESS = 0.13, 0.4
_BESIDE: Look = {"textcoords": "offset points", "va": "center", "fontsize": "small"}
_BESIDE |= {"bbox": {"facecolor": "white", "edgecolor": "none", "pad": 0.5}}  # over the line at 0


class _OddsBar(NamedTuple):
    """A bar from one value of the log-odds to another."""

    name: str
    start: float
    end: float
    color: str
    number: str


@styled
def explanation(explained: Explanation, *, ax: Axes | None = None) -> Axes:
    """Plot the contributions of the features to the log-odds of a row, from a reference point.

    The first bar is the log-odds at the reference, the last one those of the row. Each feature has
    a bar that begins where the previous one ends, the largest first: to the right it favours the
    first of the two classes, to the left the second. Features beyond the twelfth share a bar.
    Missing values and categories that did not occur in training contribute nothing and come last,
    before the contribution of calibration.

    A category that rules out one of the classes contributes ±∞: its bar is hatched and comes after
    the others.

    Parameters
    ----------
    explained : the result of `explain`
    ax : where to draw; None makes a new figure

    Returns
    -------
    The axes

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(
    ...     None, [[0, 0], [2, 4]], np.ones((2, 2)), covariance="diagonal"
    ... )
    >>> explanation(model.explain([2.0, 3.0])).get_title()
    'log-odds 0.00 + 6.00 by the features = 6.00'
    """
    odds = explained.log_odds
    if odds is None:
        msg = "log-odds compare two classes, and the model has one"
        raise OptionError(msg)
    if not np.isfinite(odds.at_reference):
        msg = f"the log-odds of {odds.of!r} and {odds.against!r} are infinite: one has prior 0"
        raise OptionError(msg)
    labels = [terms.label for terms in explained.bayes.classes]
    looks = style.class_styles(np.array(labels, dtype=object))
    first, second = (looks[labels.index(label)] for label in (odds.of, odds.against))
    bars, title = _bars(odds, first.color, second.color)
    lines = max(bar.name.count("\n") + 1 for bar in bars)
    ax = style.axes_for(ax, (8.6, _AROUND + len(bars) * max(_LEAST, _LINE * lines)))
    _draw(ax, bars)
    ax.set_xlabel(style.text(f"log-odds of {odds.of} against {odds.against}", 60))
    ax.set_title(title)
    handles = [style.patch(look.label, color=look.color) for look in (first, second)]
    style.legend_beside(ax, handles, "favours")
    return ax


def _number(value: float, sign: str = "") -> str:
    """A number with two decimals; + 0.0 avoids a minus before zero."""
    return f"{round(value, 2) + 0.0:{sign}.2f}".replace("-", "−").replace("inf", "∞")


def _bars(odds: LogOdds, towards: str, against: str) -> tuple[list[_OddsBar], str]:
    """The bars from top to bottom, and the title with their sum."""
    parts = odds.contributions
    first, rest = odds.largest(_MOST)
    steps = [(_named(part), part.amount) for part in first]
    if rest:
        steps.append((f"{len(rest)} other features", total_amount(rest)))
    missing = [style.text(part.feature, _LETTERS) for part in parts if part.missing]
    new = [_named(part) for part in parts if part.unseen]
    for names, remark in ((missing, " missing"), (new, ": not in training")):
        if names:
            name = names[0] if len(names) == 1 else f"{len(names)} features"
            steps.append((f"{name}{remark}", 0.0))
    if odds.calibration is not None:
        steps.append(("calibration", odds.calibration))
    steps.sort(key=lambda step: bool(np.isinf(step[1])))  # no bar can begin at an infinite value
    place = odds.at_reference
    bars = [_OddsBar("at the reference", 0.0, place, _REFERENCE, _number(place))]
    for name, amount in steps:
        color = towards if amount > 0 else against
        bars.append(_OddsBar(name, place, place + amount, color, _number(amount, "+")))
        place += amount if np.isfinite(amount) else 0.0
    bars.append(_OddsBar("this row", 0.0, odds.value, _ROW, _number(odds.value)))
    terms = [(total_amount(parts), "the features")]
    if odds.calibration is not None:
        terms.append((odds.calibration, "calibration"))
    added = (f"{'−' if n < 0 else '+'} {_number(abs(n))} by {by}" for n, by in terms)
    sums = f"{_number(odds.at_reference)} {' '.join(added)} = {_number(odds.value)}"
    return bars, f"log-odds {sums}"


def _draw(ax: Axes, bars: list[_OddsBar]) -> None:
    """Bars from top to bottom, with numbers beside them and names along the axis."""
    ax.axvline(0.0, color=style.FAINT, linewidth=1, zorder=1)
    places = [0.0, *(place for bar in bars for place in (bar.start, bar.end))]
    finite = [place for place in places if np.isfinite(place)]
    width = (max(finite) - min(finite)) or 1.0
    edges = (min(finite) - _ENDLESS * width, max(finite) + _ENDLESS * width)
    for row, bar in enumerate(bars):
        end = float(np.clip(bar.end, *edges))
        look: Look = {"color": bar.color}
        if end != bar.end:
            look = {"facecolor": "white", "edgecolor": bar.color, "hatch": "////", "linewidth": 0.8}
        ax.barh(row, end - bar.start, _THICK, left=bar.start, zorder=2, **look)
        ax.annotate(bar.number, (max(bar.start, end), row), (4, 0), **_BESIDE)
        if row + 1 < len(bars) and end == bar.end:  # to where the next one begins
            ends = (row - _THICK / 2, row + 1 + _THICK / 2)
            ax.plot([bar.end, bar.end], ends, color=style.FAINT, linewidth=0.8, zorder=3)
    low, high = np.clip([min(places), max(places)], *edges)
    width = (high - low) or 1.0
    ax.set_xlim(low - 0.03 * width, high + _MARGIN * width)
    ax.set_ylim(len(bars) - 0.4, -0.6)
    ax.set_yticks(range(len(bars)), [bar.name for bar in bars])
    ax.tick_params(axis="y", length=0)


def _named(part: Contribution) -> str:
    number = f"{part.value:.5g}".replace("-", "−") if isinstance(part.value, float) else None
    value = number or style.text(str(part.value), _LETTERS)
    return f"{style.text(part.feature, _LETTERS)} = {value}"
