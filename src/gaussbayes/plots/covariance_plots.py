"""The Gaussians themselves, as ellipses; and the same rows with other assumptions about them.

An ellipse has an equal Mahalanobis distance around the mean of its class. The assumptions are
shapes of covariances, and own against shared ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from gaussbayes.analysis.class_moments import class_outlines
from gaussbayes.analysis.ellipse import mass_of_radius, radius_of_mass
from gaussbayes.analysis.view import View, density_view, pair_view, view
from gaussbayes.base.errors import DataError, OptionError, SingularCovarianceError
from gaussbayes.base.types import FloatArray
from gaussbayes.data.roles import separate_columns
from gaussbayes.estimators import GaussianClassifier
from gaussbayes.families.protocol import Distant
from gaussbayes.model.evaluation import evaluate
from gaussbayes.plots import row_plots, style
from gaussbayes.plots.region_plots import regions
from gaussbayes.plots.style import Canvas, Features, Look, Panel, styled

_LEVELS = (1, 2)
_RESOLUTION = 300
_MARGIN = 0.03  # around the ellipses
_PANEL = 3.9  # inches that a panel is wide
_NAME_LENGTH = 32  # characters that fit along the side of a panel


@styled
def ellipses(
    model: Any,
    *,
    levels: Sequence[float] = (1, 2, 3),
    unit: Literal["standard deviations", "mass"] = "standard deviations",
    features: Features = None,
    legend: bool = True,
    ax: Panel = None,
) -> Axes:
    """Draw each class's Gaussian as ellipses ``(x − mean)ᵀ Σ⁻¹ (x − mean) = radius²``.

    A level in standard deviations is the radius itself; one of probability mass is the radius
    within which the class has that proportion of its rows. In the plane 1σ holds 39 %, 2σ 86 %.
    Where features are transformed, ellipses of the transformed ones are mapped back.

    Parameters
    ----------
    model : a fitted `GaussianClassifier`
    levels : one ellipse of each class for each of them
    unit : what the levels are: ``"standard deviations"``, or ``"mass"``, between 0 and 1
    features : the two to show, by name or number, the others integrated out; needed if the model
        has more than two
    legend : whether to draw one
    ax : where to draw, made to show the whole ellipses; None makes a new figure

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> ax = ellipses(model, levels=[0.5, 0.95], unit="mass")
    """
    seen = density_view(model, features)
    if not seen.has_ellipses:
        families = {
            seen.names[column]: component.family.name
            for component in seen.model.components
            for column in component.columns
        }
        what = " and ".join(f"{name!r} ({families[name]})" for name in seen.names)
        msg = f"ellipses are those of Gaussian features, got {what}: choose two such features"
        raise DataError(msg)
    radii = _radii(levels, unit)
    styles = style.class_styles(seen.classes)
    outlines = [class_outlines(seen.model, radius) for radius in radii.tolist()]
    outwards = np.linspace(0.0, 1.0, len(radii)) if len(radii) > 1 else np.zeros(1)
    # From a strong line in the middle to a faint one outside.
    looks = [{"linewidth": 2.2 - 1.2 * out, "alpha": 1.0 - 0.5 * out} for out in outwards]
    new = ax is None
    ax = style.axes_for(ax)
    before = style.limits_before(ax)
    entries = []
    for code, of_class in enumerate(styles):
        line: Look = {"color": of_class.color, "linestyle": of_class.line}
        for points, look in zip(outlines, looks, strict=True):
            ax.plot(*points[code].T, zorder=3, gid="ellipse", **line, **look)
        entries.append(style.line(of_class.label, **line))
    entries += row_plots.draw_means(ax, seen.means)
    for radius, mass, look in zip(radii, mass_of_radius(radii), looks, strict=True):
        label = f"{radius:.3g}σ ({100 * mass:.3g} %)"
        entries.append(style.line(label, color=style.INK, **look))
    around = np.concatenate([np.reshape(points, (-1, 2)) for points in outlines])
    low, high = around.min(axis=0), around.max(axis=0)
    margin = _MARGIN * (high - low)
    style.set_limits(ax, style.widest(before, (low - margin, high + margin)))
    sides = np.ptp(outlines[0], axis=1)
    if new and np.allclose(sides[:, 0], sides[:, 1], rtol=1e-6):
        style.equal_aspect(ax)  # circles
    return style.finish(ax, seen.axes, entries, legend=legend)


def _radii(levels: Sequence[float], unit: str) -> FloatArray:
    given = np.sort(np.atleast_1d(np.asarray(levels, dtype=np.float64)))
    if unit == "mass":
        return radius_of_mass(given)
    if unit != "standard deviations":
        msg = f"unit must be 'standard deviations' or 'mass', got {unit!r}"
        raise OptionError(msg)
    if not (given.size and (given > 0.0).all() and np.isfinite(given).all()):
        msg = f"levels must be one or more positive numbers of standard deviations, got {levels!r}"
        raise OptionError(msg)
    return given


@styled
def shapes(
    X: Any, y: Any, *, features: Features = None, model: Any = None, figure: Canvas = None
) -> NDArray[Any]:
    """Spherical, diagonal and full covariances side by side, fitted to the same rows.

    Each panel shows the decision regions, the rows, and the classes' ellipses at 1 and 2 standard
    deviations: circles, ellipses along the axes, and ellipses that may lean. The models are
    fitted to all features of `X`; number of parameters and training error are those of the models.
    Returns the axes (3,).

    Parameters
    ----------
    X, y : rows (n, d), and labels (n,); rows without one are learnt from, too, and grey
    features : the two to show, by name or number, if there are more; the others integrated out
    model : a `GaussianClassifier` whose other parameters are taken over, such as `families`
    figure : where to draw; None makes a new figure

    Examples
    --------
    >>> from gaussbayes.datasets import load_iris
    >>> iris = load_iris()
    >>> axes = shapes(iris.rows[:, :2], iris.labels)
    >>> axes[2].get_title()
    'full\\n17 parameters, training error 20.0 %'
    """
    candidates = {name: _variant(model, name, False) for name in ("spherical", "diagonal", "full")}
    return _side_by_side(candidates, X, y, features, figure)


@styled
def sharing(
    X: Any, y: Any, *, features: Features = None, model: Any = None, figure: Canvas = None
) -> NDArray[Any]:
    """A covariance for each class beside one shared by all, fitted to the same rows.

    With covariances of their own the classes meet at quadratic curves (QDA); with a shared one the
    quadratic terms of the log-odds cancel and the boundaries are straight (LDA). Returns the axes
    (2,).

    Parameters
    ----------
    X, y, features, model, figure : as in `shapes`

    Examples
    --------
    >>> from gaussbayes.datasets import load_iris
    >>> iris = load_iris()
    >>> axes = sharing(iris.rows, iris.labels, features=[0, 1])
    >>> axes[1].get_title().splitlines()[1]
    '24 parameters, training error 2.0 %'
    """
    candidates = {
        "own covariances, curved boundary": _variant(model, "full", False),
        "shared covariance, straight boundary": _variant(model, "full", True),
    }
    return _side_by_side(candidates, X, y, features, figure)


def _variant(model: Any, covariance: str, shared: bool) -> GaussianClassifier:
    """An unfitted classifier with the parameters of another but for these two."""
    parameters = {} if model is None else model.get_params(deep=False)
    return GaussianClassifier(**(parameters | {"covariance": covariance, "shared": shared}))


def _side_by_side(
    candidates: dict[str, GaussianClassifier], X: Any, y: Any, features: Features, figure: Canvas
) -> NDArray[Any]:
    """A panel for each candidate; one that cannot be fitted says why in its panel."""
    X, y, _ = separate_columns(X, y)
    fitted: dict[str, GaussianClassifier] = {}
    problems: dict[str, SingularCovarianceError] = {}
    for name, candidate in candidates.items():
        try:
            fitted[name] = candidate.fit(X, y)
        except SingularCovarianceError as error:
            problems[name] = error
    first = next(iter(fitted.values()), None)
    if first is None:
        raise next(iter(problems.values()))
    seen, d = pair_view(first, features), first.model_.schema.n_features
    if not any(isinstance(density, Distant) for density in first.model_.densities):
        msg = "covariances need Gaussian features; these rows have none: plots.pairs shows others"
        raise DataError(msg)
    new = figure is None
    figure = style.figure_for(figure, (_PANEL * len(candidates), 4.6))
    axes: NDArray[Any] = figure.subplots(1, len(candidates), sharex=True, sharey=True)
    entries: dict[tuple[str, str], Any] = {}
    for ax, name in zip(axes, candidates, strict=True):
        ax.set_title(name)
        if name in fitted:
            entries = _draw_model(ax, fitted[name], X, y, features) | entries
            n_parameters, of_all = fitted[name].n_parameters_, _error(view(fitted[name]), X, y)
            words = f"{name}\n{n_parameters} parameters, training error {of_all}"
            if d > 2:
                of_two = _error(pair_view(fitted[name], features), X, y)
                words = f"{words}\n(by these two features alone {of_two})"
            ax.set_title(words)
        else:
            reason = "\n".join(wrap(str(problems[name]), 40)).replace("$", r"\$")
            middle = {"transform": ax.transAxes, "ha": "center", "va": "center"}
            ax.text(0.5, 0.5, f"cannot be fitted:\n{reason}", fontsize="small", **middle)
        ax.set_xlabel(style.text(seen.names[0], _NAME_LENGTH))
        ax.set_ylabel(style.text(seen.names[1], _NAME_LENGTH) if ax is axes[0] else "")
    if d > 2:
        figure.suptitle(f"fitted to {d} features, seen through two of them", fontsize="medium")
    style.legend_below(figure, list(entries.values()))
    if new:
        _make_circles_round(figure, axes)
    return axes


def _make_circles_round(figure: Any, axes: NDArray[Any]) -> None:
    """Give axes that share their limits equal scales, and the figure the height for it."""
    figure.draw_without_rendering()  # then the layout is known
    place = axes[0].get_window_extent()
    for ax in axes:
        style.equal_aspect(ax, narrowest=3.0)
    if axes[0].get_aspect() != "auto":
        wanted = place.width * np.ptp(axes[0].get_ylim()) / np.ptp(axes[0].get_xlim())
        wanted = max(wanted, axes[0].yaxis.label.get_window_extent().height)
        # If anything too high: what is above and below the axes then keeps its place.
        figure.set_figheight(figure.get_figheight() + (1.1 * wanted - place.height) / figure.dpi)


def _draw_model(
    ax: Axes, model: GaussianClassifier, X: Any, y: Any, features: Features
) -> dict[tuple[str, str], Any]:
    """Regions, rows and ellipses; returns what a legend for all panels has to explain."""
    regions(model, X, y, features=features, resolution=_RESOLUTION, ax=ax)
    if pair_view(model, features).has_ellipses:
        ellipses(model, levels=_LEVELS, features=features, ax=ax)
    entries: dict[tuple[str, str], Any] = {}
    legend: Any = ax.get_legend()
    for text, handle in zip(legend.get_texts(), legend.legend_handles, strict=True):
        handle.set_label(text.get_text())
        entries[text.get_text(), str(getattr(handle, "get_marker", str)())] = handle
    legend.remove()
    return entries


def _error(seen: View, X: Any, y: Any) -> str:
    evaluation = evaluate(seen.model.log_posterior(seen.part(X)), seen.codes(y), seen.classes)
    return f"{100.0 * evaluation.error:.1f} %"
