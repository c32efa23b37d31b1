"""Two ways to look at a class: what it produces, and what speaks for it."""

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from gaussbayes.analysis.view import line_view
from gaussbayes.plots import style
from gaussbayes.plots.panels import draw_densities, draw_posterior, legend_handles, scene
from gaussbayes.plots.requirement import picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure


@picture
def generative_and_discriminative(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    feature: int | str | None = None,
    figure: "Figure | SubFigure | None" = None,
) -> NDArray[Any]:
    """Class-conditional densities beside posteriors, along one feature.

    A generative model knows ``p(x | c)``, the left panel, and draws the right one from it by Bayes'
    rule. A discriminative model would know the right panel, ``p(c | x)``, only: it could tell the
    classes apart, but neither what they look like nor which rows are unlike all of them.

    Parameters
    ----------
    model : a fitted `GaussianClassifier`
    X, y : rows (n, d) and their labels (n,), drawn below the densities, or as histograms
    feature : the name or number of the feature, if the model has more than one
    figure : where to draw; None makes a new figure

    Returns
    -------
    (2,) array of axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]])
    >>> generative_and_discriminative(model).shape
    (2,)
    >>> plt.close("all")
    """
    shown = scene(line_view(model, feature), X, y)
    figure = style.figure_for(figure, (9.6, 4.2))
    axes: NDArray[Any] = figure.subplots(1, 2, sharex=True)
    draw_densities(axes[0], shown)
    draw_posterior(axes[1], shown)
    axes[0].set_title("generative: how each class looks, p(x | c)")
    axes[1].set_title("discriminative: which class, p(c | x)")
    for ax in axes:
        style.name_axes(ax, shown.view.names)
    style.legend_below(figure, legend_handles(shown))
    return axes
