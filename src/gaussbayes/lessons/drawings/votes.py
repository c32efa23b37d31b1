"""Labels given by another classifier than a Gaussian one: nearest neighbours."""

from typing import TYPE_CHECKING

import numpy as np

from gaussbayes.analysis.grid import limits
from gaussbayes.base.types import LabelArray
from gaussbayes.lessons.drawings.panels import panels
from gaussbayes.lessons.lesson import Table
from gaussbayes.plots import points, style
from gaussbayes.plots.requirement import picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@picture
def predicted(table: Table, labels: LabelArray) -> "Figure":
    """The rows of a table by the labels given to them, a panel for each true class."""
    classes, codes = np.unique(np.concatenate([table.labels, labels]), return_inverse=True)
    codes = codes[table.labels.size :]
    styles = style.class_styles(classes)
    size = (4.8 * classes.size, 4.0)
    figure, axes = panels(1, classes.size, size, share_x=True, share_y=True)
    for ax, label in zip(axes[0], classes.tolist(), strict=True):
        own = table.labels == label
        points.draw_points(ax, table.rows[own], codes[own], styles)
        wrong = own & (labels != table.labels)
        points.draw_rings(ax, table.rows[wrong])
        counted = f"{wrong.sum()} of {own.sum()} rows predicted wrongly"
        ax.set_title(style.text(f"true class {label}: {counted}", 60))
        style.name_axes(ax, table.features)
        ax.label_outer()
    low, high = limits(None, table.rows)
    axes[0, 0].set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    handles = [*points.class_handles(styles), points.ring_handle("error")]
    style.legend_beside(axes[0, -1], handles, "predicted class")
    return figure
