"""Discrete features: how often each value occurs within each class."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gaussbayes.lessons.drawings.panels import panels
from gaussbayes.lessons.lesson import Table
from gaussbayes.plots import style
from gaussbayes.plots.requirement import picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@picture
def counts(table: Table, names: Sequence[str], query: Sequence[str]) -> "Figure":
    """A panel for each feature: bars beside one another for the classes, `query` outlined."""
    from matplotlib.patches import Patch

    classes, codes = np.unique(table.labels, return_inverse=True)
    styles = style.class_styles(np.array(names, dtype=object))
    d = len(table.features)
    figure, axes = panels(1, d, (3.6 * d, 3.6), share_y=True)
    width = 0.8 / classes.size
    for j, ax in enumerate(axes[0]):
        values = list(dict.fromkeys(table.rows[:, j].tolist()))
        for code, one in enumerate(styles):
            within = table.rows[codes == code, j]
            heights = [int((within == value).sum()) for value in values]
            places = np.arange(len(values)) + (code - (classes.size - 1) / 2) * width
            edges = [style.INK if value == query[j] else one.color for value in values]
            bars = ax.bar(places, heights, 0.9 * width, color=one.color, edgecolor=edges, lw=1.8)
            ax.bar_label(bars, fontsize="small")
        ax.set_xticks(range(len(values)), values)
        ax.set_xlabel(table.features[j])
    axes[0, 0].set_ylabel("days")
    handles = [
        Patch(color=one.color, label=f"{one.label}: {(codes == code).sum()} days")
        for code, one in enumerate(styles)
    ]
    style.legend_below(figure, handles)
    return figure
