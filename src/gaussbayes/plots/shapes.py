"""The same rows with other assumptions: covariance shapes, and own against shared covariances."""

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from gaussbayes.analysis.evaluation import evaluate
from gaussbayes.analysis.view import View, pair_view, view
from gaussbayes.base.errors import SingularCovarianceError
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.plots import style
from gaussbayes.plots.ellipses import ellipses
from gaussbayes.plots.regions import regions
from gaussbayes.plots.requirement import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_LEVELS = (1, 2)
_RESOLUTION = 300
_NAME_LENGTH = 32
"""Characters that fit along the side of a panel."""


@picture
def shapes(
    X: Any,
    y: Any,
    *,
    features: Sequence[int | str] | None = None,
    figure: "Figure | SubFigure | None" = None,
) -> NDArray[Any]:
    """Spherical, diagonal and full covariances side by side, fitted to the same rows.

    Each panel shows the decision regions, the rows, and the classes' ellipses at 1 and 2 standard
    deviations: circles, ellipses along the axes, and ellipses that may lean. The models are
    fitted to all features of `X`; number of parameters and training error are those of the models.

    Parameters
    ----------
    X : (n, d) rows, an array or a frame
    y : (n,) labels
    features : the two features to show, by name or number, if there are more; the others are
        integrated out
    figure : where to draw; None makes a new figure

    Returns
    -------
    (3,) array of axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from gaussbayes.datasets import load_iris
    >>> iris = load_iris()
    >>> axes = shapes(iris.rows[:, :2], iris.labels)
    >>> axes[2].get_title()
    'full\\n17 parameters, training error 20.0 %'
    >>> plt.close("all")
    """
    candidates = {
        "spherical": GaussianClassifier("spherical"),
        "diagonal": GaussianClassifier("diagonal"),
        "full": GaussianClassifier("full"),
    }
    return _side_by_side(candidates, X, y, features, figure)


@picture
def sharing(
    X: Any,
    y: Any,
    *,
    features: Sequence[int | str] | None = None,
    figure: "Figure | SubFigure | None" = None,
) -> NDArray[Any]:
    """A covariance for each class beside one shared by all, fitted to the same rows.

    With covariances of their own the classes meet at quadratic curves (QDA); with a shared one the
    quadratic terms of the log-odds cancel and the boundaries are straight (LDA).

    Parameters
    ----------
    X, y, features, figure : as in `shapes`

    Returns
    -------
    (2,) array of axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from gaussbayes.datasets import load_iris
    >>> iris = load_iris()
    >>> axes = sharing(iris.rows, iris.labels, features=[0, 1])
    >>> axes[1].get_title().splitlines()[1]
    '24 parameters, training error 2.0 %'
    >>> plt.close("all")
    """
    candidates = {
        "own covariances, curved boundary": GaussianClassifier("full"),
        "shared covariance, straight boundary": GaussianClassifier("full", shared=True),
    }
    return _side_by_side(candidates, X, y, features, figure)


def _side_by_side(
    candidates: dict[str, GaussianClassifier],
    X: Any,
    y: Any,
    features: Sequence[int | str] | None,
    figure: "Figure | SubFigure | None",
) -> NDArray[Any]:
    """A panel for each candidate; one that cannot be fitted says why in its panel."""
    fitted = {name: _fitted(candidate, X, y) for name, candidate in candidates.items()}
    models = [model for model in fitted.values() if isinstance(model, GaussianClassifier)]
    problems = [problem for problem in fitted.values() if isinstance(problem, Exception)]
    if not models:
        raise problems[0]
    seen = pair_view(models[0], features)
    figure = style.figure_for(figure, (3.9 * len(candidates), 4.6))
    axes: NDArray[Any] = figure.subplots(1, len(candidates), sharex=True, sharey=True)
    entries: dict[tuple[str, str], Any] = {}
    for ax, (name, model) in zip(axes, fitted.items(), strict=True):
        if isinstance(model, GaussianClassifier):
            entries = _draw_model(ax, model, X, y, features) | entries
            ax.set_title(f"{name}\n{_described(model, X, y, features)}")
        else:
            ax.set_title(name)
            _write_problem(ax, model)
        ax.set_xlabel(style.text(seen.names[0], _NAME_LENGTH))
        ax.set_ylabel(style.text(seen.names[1], _NAME_LENGTH) if ax is axes[0] else "")
    d = seen.whole.n_features_in_
    if d > 2:
        figure.suptitle(f"fitted to {d} features, seen through two of them", fontsize="medium")
    style.legend_below(figure, list(entries.values()))
    return axes


def _fitted(
    candidate: GaussianClassifier, X: Any, y: Any
) -> GaussianClassifier | SingularCovarianceError:
    try:
        return candidate.fit(X, y)
    except SingularCovarianceError as error:
        return error


def _draw_model(
    ax: "Axes", model: GaussianClassifier, X: Any, y: Any, features: Sequence[int | str] | None
) -> dict[tuple[str, str], Any]:
    """Regions, rows and ellipses; returns what a legend has to explain."""
    regions(model, X, y, features=features, resolution=_RESOLUTION, ax=ax)
    ellipses(model, levels=_LEVELS, features=features, ax=ax)
    return _taken_legend(ax)


def _taken_legend(ax: "Axes") -> dict[tuple[str, str], Any]:
    """The entries of a panel's legend, by label and marker; it gives way to one for all panels."""
    from matplotlib.lines import Line2D

    legend = ax.get_legend()
    if legend is None:
        return {}
    entries = {}
    for text, handle in zip(legend.get_texts(), legend.legend_handles, strict=True):
        if handle is not None:
            handle.set_label(text.get_text())
            marker = handle.get_marker() if isinstance(handle, Line2D) else ""
            entries[text.get_text(), str(marker)] = handle
    legend.remove()
    return entries


def _described(
    model: GaussianClassifier, X: Any, y: Any, features: Sequence[int | str] | None
) -> str:
    of_all = f"{model.n_parameters_} parameters, training error {_error(view(model), X, y)}"
    if model.n_features_in_ == 2:
        return of_all
    return f"{of_all}\n(by these two features alone {_error(pair_view(model, features), X, y)})"


def _error(seen: View, X: Any, y: Any) -> str:
    rows, codes = seen.labelled(X, y)
    found = evaluate(seen.model.predict_log_proba(rows), codes, seen.classes)
    return f"{100.0 * found.error:.1f} %"


def _write_problem(ax: "Axes", problem: Exception) -> None:
    ax.text(
        0.5,
        0.5,
        "cannot be fitted:\n" + "\n".join(wrap(str(problem), 40)).replace("$", r"\$"),
        transform=ax.transAxes,
        horizontalalignment="center",
        verticalalignment="center",
        fontsize="small",
    )
