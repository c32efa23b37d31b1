"""Error against the number of nearest neighbours, with the Gaussian models beside."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gaussbayes.analysis.comparison import Candidate, Comparison
from gaussbayes.base.errors import ParameterError
from gaussbayes.plots import style
from gaussbayes.plots.compared import GAUSSIAN
from gaussbayes.plots.requirement import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHOWN = ("QDA", "LDA", "Gaussian naive Bayes")
"""The Gaussian models that get a line: six would be a thicket."""


@picture
def neighbors_error(comparison: Comparison, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the error of nearest neighbours against their number, and lines for QDA, LDA and NB.

    The bars are one standard error, ``√(e (1 − e) / n)``, either way.

    Parameters
    ----------
    comparison : what `gaussbayes.compare` returns

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from gaussbayes.analysis.comparison import compare
    >>> from gaussbayes.datasets import load_iris
    >>> data = load_iris()
    >>> compared = compare(data.rows, data.labels, held_out=5, neighbors=[1, 5])
    >>> neighbors_error(compared).get_xlabel()
    'number of neighbours'
    >>> plt.close("all")
    """
    from matplotlib.ticker import PercentFormatter

    voting = [c for c in comparison.candidates if c.neighbors is not None and c.evaluation]
    if not voting:
        msg = (
            "no candidate of this comparison is nearest neighbours with an error to draw: "
            "call compare with neighbors=(1, 3, 5, …), none larger than the rows fitted to"
        )
        raise ParameterError(msg)
    ax = style.axes_for(ax, (7.6, 4.8))
    votes = ax.errorbar(
        *_points(voting),
        yerr=[candidate.standard_error for candidate in voting],
        color=style.INK,
        ecolor=style.FAINT,
        marker="o",
        capsize=3,
        label="nearest neighbours\n± one standard error",
    )
    lines = []
    for name, line in zip(_SHOWN, style.LINES, strict=False):
        for candidate in comparison.candidates:
            if candidate.name == name and candidate.evaluation is not None:
                error = candidate.evaluation.error
                label = f"{name}: {100 * error:.1f} %"
                drawn = ax.axhline(error, color=GAUSSIAN, linestyle=line, label=label)
                lines.append(drawn)
    _number_axis(ax, [candidate.neighbors or 1 for candidate in voting])
    ax.set_ylim(bottom=0)
    ax.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    ax.set(xlabel="number of neighbours", ylabel=f"error on {comparison.n_rows} held-out rows")
    style.legend_beside(ax, [votes, *lines])
    return ax


def _points(voting: Sequence[Candidate]) -> tuple[list[int], list[float]]:
    found = [(c.neighbors, c.evaluation.error) for c in voting if c.neighbors and c.evaluation]
    return [number for number, _ in found], [error for _, error in found]


def _number_axis(ax: "Axes", numbers: list[int]) -> None:
    """Ticks at the numbers tried, or at some whole numbers if they are many."""
    from matplotlib.ticker import MaxNLocator, NullLocator, ScalarFormatter

    if max(numbers) >= 30 * min(numbers):
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(ScalarFormatter())
        ax.xaxis.set_minor_locator(NullLocator())
    if len(numbers) <= 10:
        ax.set_xticks(numbers)
    elif ax.get_xscale() == "linear":
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
