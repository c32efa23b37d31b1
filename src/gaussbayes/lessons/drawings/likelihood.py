"""The negative log-likelihood of labelled rows as each parameter moves, the others as fitted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gaussbayes.analysis.grid import line_over
from gaussbayes.lessons.drawings.panels import panels
from gaussbayes.plots import style
from gaussbayes.plots.requirement import picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """A parameter, what the loss is as it moves, and where it is least."""

    parameter: str
    part: str  # of the negative log-likelihood
    loss: Callable[[float], float]
    between: tuple[float, float]
    fitted: float
    color: str


@picture
def slices(each: Sequence[Slice]) -> "Figure":
    """A panel for each parameter; the fitted value is marked."""
    figure, axes = panels(1, len(each), (3.2 * len(each), 3.2))
    for ax, one in zip(axes[0], each, strict=True):
        values = line_over(*one.between, 121)
        ax.plot(values, [one.loss(value) for value in values], color=one.color)
        least = one.loss(one.fitted)
        ax.plot([one.fitted], [least], "o", color=style.INK, zorder=4)
        ax.axvline(one.fitted, color=style.FAINT, lw=0.8, zorder=0)
        ax.set_title(f"least {least:.4f} at {np.format_float_positional(one.fitted, 4)}")
        ax.set_xlabel(one.parameter)
        ax.set_ylabel(f"negative log-likelihood\n{one.part}")
    return figure
