"""Empty figures for the lessons to draw in, and the marks they add to them."""

from typing import TYPE_CHECKING, Any, cast

from gaussbayes.plots import style
from gaussbayes.plots.requirement import picture, pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BOX: dict[str, Any] = {
    "boxstyle": "round,pad=0.2",
    "facecolor": "white",
    "alpha": 0.85,
    "linewidth": 0,
}


@picture
def panels(
    n_rows: int = 1,
    n_columns: int = 1,
    size: tuple[float, float] = (6.4, 4.8),
    share_x: bool = False,
    share_y: bool = False,
) -> "tuple[Figure, Any]":
    """A new figure, and its axes (n_rows, n_columns).

    Examples
    --------
    >>> figure, axes = panels(1, 2)
    >>> axes.shape
    (1, 2)
    >>> pyplot().close(figure)
    """
    figure, axes = pyplot().subplots(
        n_rows,
        n_columns,
        figsize=size,
        layout="constrained",
        squeeze=False,
        sharex=share_x,
        sharey=share_y,
    )
    return figure, axes


def figure_of(ax: "Axes") -> "Figure":
    """The figure that axes are in."""
    return cast("Figure", ax.get_figure(root=True))


def one_legend(axes: Any) -> None:
    """Of panels side by side that have the same legend, keep that of the last."""
    for ax in axes[:-1]:
        ax.get_legend().remove()
    for ax in axes:
        ax.label_outer()


def title(ax: "Axes", words: str) -> None:
    """What one of several panels shows."""
    ax.set_title(words, fontsize="medium")


def number(value: float, form: str = "g") -> str:
    """A number as a picture writes it, with a minus and not a hyphen.

    Examples
    --------
    >>> number(-0.8), number(-2 / 3, ".2f")
    ('−0.8', '−0.67')
    """
    return f"{value:{form}}".replace("-", "−")


def mark_point(
    ax: "Axes", x: float, y: float, words: str, offset: tuple[float, float] = (9.0, 12.0)
) -> None:
    """A star at a point of the plane, and what it is."""
    star: dict[str, Any] = {"color": "white", "markeredgecolor": style.INK, "markeredgewidth": 1.3}
    ax.plot([x], [y], "*", markersize=17, zorder=6, **star)
    note(ax, x, y, words, offset)


def note(
    ax: "Axes", x: float, y: float, words: str, offset: tuple[float, float] = (8.0, 12.0)
) -> None:
    """Words beside a point, so many typographic points to the right and up; far ones on a line."""
    right, up = offset
    far = abs(right) + abs(up) > 40.0
    ax.annotate(
        words,
        (x, y),
        offset,
        textcoords="offset points",
        fontsize="small",
        color=style.INK,
        ha="left" if right >= 0 else "right",
        va="center",
        bbox=_BOX,
        arrowprops={"arrowstyle": "-", "color": style.INK, "shrinkB": 9} if far else None,
        zorder=7,
    )
