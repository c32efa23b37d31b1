"""One feature: densities of the classes, posteriors, and the boundaries between them."""

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from gaussbayes.analysis.view import line_view
from gaussbayes.plots import style
from gaussbayes.plots.panels import draw_densities, draw_posterior, legend_handles, scene
from gaussbayes.plots.requirement import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


@picture
def densities(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    feature: int | str | None = None,
    weighted: bool = False,
    ax: "Axes | None" = None,
) -> "Axes":
    """How the classes are distributed over one feature, with the decision boundaries.

    One curve ``p(x | c)`` for each class, or ``p(c) p(x | c)`` if `weighted`; other features are
    integrated out. A vertical line stands wherever the most probable class changes; boundaries too
    far away to be shown are named in the legend.

    Parameters
    ----------
    model : a fitted `GaussianClassifier`
    X, y : rows (n, d) with all features of the model, and their labels (n,). Up to 60 are drawn as
        markers below the curves, more as histograms of area 1 (if `weighted`, of area ``p(c)``).
    feature : the name or number of the feature, if the model has more than one
    weighted : whether to multiply by the priors
    ax : where to draw; None makes a new figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from gaussbayes import GaussianClassifier
    >>> X, y = [[1.8], [2.1], [2.5], [3.2], [3.8], [5.8], [6.7], [7.0]], list("AAAAABBB")
    >>> ax = densities(GaussianClassifier().fit(X, y), X, y)
    >>> [text.get_text() for text in ax.texts]
    ['4.944']
    >>> plt.close("all")
    """
    shown = scene(line_view(model, feature), X, y)
    ax = style.axes_for(ax)
    draw_densities(ax, shown, weighted=weighted)
    style.name_axes(ax, shown.view.names)
    style.legend_beside(ax, legend_handles(shown))
    return ax


@picture
def posterior_curve(
    model: Any, *, feature: int | str | None = None, ax: "Axes | None" = None
) -> "Axes":
    """How probable each class is along one feature: ``p(c | x)``, with the decision boundaries.

    Other features are integrated out, so the curves are those of someone who knows this one only.

    Parameters
    ----------
    model : a fitted `GaussianClassifier`
    feature : the name or number of the feature, if the model has more than one
    ax : where to draw; None makes a new figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from gaussbayes import GaussianClassifier
    >>> ax = posterior_curve(GaussianClassifier.from_parameters(None, [[0], [4]], [[1]]))
    >>> [text.get_text() for text in ax.texts]
    ['2.00']
    >>> plt.close("all")
    """
    shown = scene(line_view(model, feature))
    ax = style.axes_for(ax)
    draw_posterior(ax, shown)
    style.name_axes(ax, shown.view.names)
    style.legend_beside(ax, legend_handles(shown))
    return ax


@picture
def univariate(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    feature: int | str | None = None,
    figure: "Figure | SubFigure | None" = None,
) -> NDArray[Any]:
    """Bayes' rule along one feature, in three panels: likelihood, joint, posterior.

    From top to bottom ``p(x | c)``; ``p(c) p(x | c)``, whose sum is the evidence ``p(x)``; and
    ``p(c | x)``, the second divided by that sum. The decision boundaries run through all three.

    Parameters
    ----------
    model, X, y, feature : as in `densities`
    figure : where to draw; None makes a new figure

    Returns
    -------
    (3,) array of axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from gaussbayes import GaussianClassifier
    >>> axes = univariate(GaussianClassifier.from_parameters(None, [[0], [4]], [[1]]))
    >>> [ax.get_ylabel() for ax in axes]
    ['p(x | c)', 'p(c) p(x | c)', 'p(c | x)']
    >>> plt.close("all")
    """
    shown = scene(line_view(model, feature), X, y)
    figure = style.figure_for(figure, (6.4, 7.2))
    axes: NDArray[Any] = figure.subplots(3, 1, sharex=True, height_ratios=(1.15, 1.0, 0.9))
    draw_densities(axes[0], shown)
    draw_densities(axes[1], shown, weighted=True, evidence=True, strip=False, write=False)
    draw_posterior(axes[2], shown, write=False)
    for ax, title in zip(
        axes,
        ("likelihood: how each class looks", "times the priors", "posterior: which class"),
        strict=True,
    ):
        ax.set_title(title, loc="left", fontsize="small")
    style.name_axes(axes[-1], shown.view.names)
    style.legend_below(figure, legend_handles(shown, evidence=True))
    return axes
