"""Histograms of a number over many random draws, with the sheet's among them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gaussbayes.lessons.drawings.panels import panels
from gaussbayes.lessons.lesson import Spread
from gaussbayes.plots import style
from gaussbayes.plots.requirement import picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@picture
def histograms(spreads: Sequence[Spread], step: float, axis: str) -> "Figure":
    """One panel for each spread; bars stand at the multiples of `step`, all that can occur.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> _ = histograms([Spread("heads", lambda: [4, 5, 5, 6], sheet=4)], 1, "heads of 10")
    >>> plt.close("all")
    """
    figure, axes = panels(len(spreads), 1, (7.6, 0.9 + 2.0 * len(spreads)), share_x=True)
    for ax, spread in zip(axes[:, 0], spreads, strict=True):
        places, counts = np.unique(np.rint(spread.values() / step), return_counts=True)
        ax.bar(places * step, counts, 0.9 * step, color=style.FAINT)
        mean = float(np.average(places * step, weights=counts))
        ax.axvline(mean, color=style.INK, ls=style.LINES[1], label=f"mean {mean:.2f}")
        ax.axvline(spread.sheet, color=style.COLORS[3], lw=2.0, label=f"sheet {spread.sheet:g}")
        ax.set_title(style.text(spread.name, 80))
        ax.set_ylabel("draws")
        style.legend_beside(ax)
    axes[-1, 0].set_xlabel(axis)
    return figure
