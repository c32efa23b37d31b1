"""The Gaussians themselves: ellipses of equal Mahalanobis distance around each class's mean."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gaussbayes.analysis.ellipse import ellipse, mass_of_radius, radius_of_mass
from gaussbayes.analysis.view import pair_view
from gaussbayes.base.errors import ParameterError
from gaussbayes.base.types import FloatArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.plots import points, style
from gaussbayes.plots.requirement import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


@picture
def ellipses(
    model: GaussianClassifier,
    *,
    levels: Sequence[float] = (1, 2, 3),
    unit: Literal["standard deviations", "mass"] = "standard deviations",
    features: Sequence[int | str] | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw each class's Gaussian as ellipses ``(x − mean)ᵀ Σ⁻¹ (x − mean) = radius²``.

    A level in standard deviations is the radius itself; one of probability mass is the radius
    within which the class has that share of its rows. In the plane 1σ holds 39 %, 2σ 86 %.

    Parameters
    ----------
    levels : one ellipse of each class for each of them
    unit : what the levels are: ``"standard deviations"``, or ``"mass"``, between 0 and 1
    features : the two to show, by name or number, the others integrated out; needed if the model
        has more than two

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> ax = ellipses(model, levels=[0.5, 0.95], unit="mass")
    >>> plt.close("all")
    """
    from matplotlib.lines import Line2D

    seen = pair_view(model, features)
    radii = _radii(levels, unit)
    styles = style.class_styles(seen.classes)
    covariances = np.broadcast_to(seen.model.covariances_, (len(styles), 2, 2))
    looks = _looks(len(radii))
    ax = style.axes_for(ax)
    for own, mean, covariance in zip(styles, seen.model.means_, covariances, strict=True):
        for radius, look in zip(radii, looks, strict=True):
            (line,) = ax.plot(
                *ellipse(mean, covariance, radius).T,
                color=own.color,
                linestyle=own.line,
                zorder=3,
                **look,
            )
            line.set_gid("ellipse")
    entries = [
        Line2D([], [], color=own.color, linestyle=own.line, label=own.label) for own in styles
    ]
    entries.append(points.draw_means(ax, seen.model.means_))
    entries += _level_handles(radii, looks)
    style.name_axes(ax, seen.names)
    style.legend_beside(ax, entries)
    return ax


def _radii(levels: Sequence[float], unit: str) -> FloatArray:
    """The radii (m,), from the smallest to the largest."""
    given = np.sort(np.atleast_1d(np.asarray(levels, dtype=np.float64)))
    if unit == "mass":
        return radius_of_mass(given)
    if unit != "standard deviations":
        msg = f"unit must be 'standard deviations' or 'mass', got {unit!r}"
        raise ParameterError(msg)
    if not (given.size and (given > 0.0).all() and np.isfinite(given).all()):
        msg = f"levels must be one or more positive numbers of standard deviations, got {levels!r}"
        raise ParameterError(msg)
    return given


def _looks(n: int) -> list[dict[str, Any]]:
    """From a strong line in the middle to a faint one outside."""
    share = np.linspace(0.0, 1.0, n) if n > 1 else np.zeros(1)
    return [
        {"linewidth": width, "alpha": alpha}
        for width, alpha in zip(2.2 - 1.2 * share, 1.0 - 0.5 * share, strict=True)
    ]


def _level_handles(radii: FloatArray, looks: Sequence[dict[str, Any]]) -> list["Line2D"]:
    from matplotlib.lines import Line2D

    return [
        Line2D([], [], color=style.INK, label=f"{radius:.3g}σ ({100 * mass:.3g} %)", **look)
        for radius, mass, look in zip(radii, mass_of_radius(radii), looks, strict=True)
    ]
