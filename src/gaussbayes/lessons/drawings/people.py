"""A test in natural frequencies: people counted, not probabilities multiplied."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gaussbayes.lessons.drawings.panels import figure_of
from gaussbayes.plots import style
from gaussbayes.plots.requirement import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HIGH = 20
"""Squares in a column of the population's picture."""

_LABEL: dict[str, Any] = {
    "ha": "center",
    "va": "center",
    "fontsize": "small",
    "color": style.INK,
    "bbox": {"facecolor": "white", "edgecolor": "none", "pad": 1.5},
    "zorder": 2,
}


@dataclass(frozen=True, slots=True)
class Group:
    """People who have something in common."""

    words: str
    count: int
    color: str


@picture
def population(groups: tuple[Group, ...]) -> "Figure":
    """One square a person, 20 in a column, group after group.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> _ = population((Group("ill", 100, "red"), Group("well", 300, "grey")))
    >>> plt.close("all")
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    ax = style.axes_for(None, (9.0, 3.1))
    each = np.repeat(np.arange(len(groups)), [group.count for group in groups])
    ax.pcolormesh(
        each.reshape(-1, _HIGH).T,
        cmap=ListedColormap([group.color for group in groups]),
        vmin=-0.5,
        vmax=len(groups) - 0.5,
        edgecolors="white",
        linewidth=1.0,
        rasterized=True,
    )
    ax.set_aspect("equal")
    ax.invert_yaxis()
    ax.set_axis_off()
    names = [Patch(color=group.color, label=f"{group.count:,} {group.words}") for group in groups]
    style.legend_beside(ax, names, f"of {each.size:,} people")
    return figure_of(ax)


@dataclass(frozen=True, slots=True)
class Branch:
    """A box of the tree: who is in it, and the branches that it divides into."""

    group: Group
    share: str = ""  # of the box it comes from
    parts: tuple["Branch", ...] = ()


@picture
def tree(root: Branch) -> "Figure":
    """Boxes from left to right, each joined to those it divides into."""
    ax = style.axes_for(None, (8.2, 4.0))
    ax.set_axis_off()
    ax.set_xlim(-0.15, 2.2)
    _grow(ax, root, 0, 0.0)
    ax.set_ylim(_leaves(root) - 0.4, -0.6)
    return figure_of(ax)


def _leaves(branch: Branch) -> int:
    return sum(_leaves(part) for part in branch.parts) or 1


def _grow(ax: "Axes", branch: Branch, depth: int, top: float) -> float:
    """Draw a branch whose leaves begin at `top`; return the height it stands at."""
    heights = []
    below = top
    for part in branch.parts:
        heights.append(_grow(ax, part, depth + 1, below))
        below += _leaves(part)
    height = sum(heights) / len(heights) if heights else top
    for part, end in zip(branch.parts, heights, strict=True):
        ax.plot([depth, depth + 1], [height, end], color=style.FAINT, zorder=1)
        ax.text(depth + 0.5, (height + end) / 2, part.share, **_LABEL)
    group = branch.group
    box: dict[str, Any] = {
        "boxstyle": "round,pad=0.4",
        "facecolor": group.color,
        "edgecolor": style.INK,
    }
    words = f"{group.count:,}\n{group.words}"
    ax.text(depth, height, words, ha="center", va="center", bbox=box, fontsize="small", zorder=3)
    return height
