"""Bayes' rule step by step, as bars: one panel for each step, one bar for each class."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gaussbayes.base.types import FloatArray
from gaussbayes.lessons.drawings.panels import panels
from gaussbayes.plots import style
from gaussbayes.plots.requirement import picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ROOM = 1.6
"""Panels are wider than their longest bar by this, for the numbers written beside the bars."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One step of the rule: a number for each class."""

    title: str
    values: FloatArray  # (k,)
    texts: tuple[str, ...]  # (k,) how the numbers are written
    operator: str = ""  # what joins it to the step before


@picture
def bayes_rule(classes: Sequence[object], steps: Sequence[Step]) -> "Figure":
    """Draw the steps side by side; each panel has a scale of its own.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> step = Step("prior", np.array([0.25, 0.75]), ("1/4", "3/4"))
    >>> len(bayes_rule(["no", "yes"], [step]).axes)
    1
    >>> plt.close("all")
    """
    styles = style.class_styles(np.array(classes, dtype=object))
    size = (2.0 + 1.6 * len(steps), 1.3 + 0.5 * len(styles))
    figure, axes = panels(1, len(steps), size, share_y=True)
    places = np.arange(len(styles))
    for ax, step in zip(axes[0], steps, strict=True):
        ax.barh(places, step.values, color=[one.color for one in styles], height=0.6)
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
    axes[0, 0].set_yticks(places, [one.label for one in styles])
    axes[0, 0].invert_yaxis()
    return figure
