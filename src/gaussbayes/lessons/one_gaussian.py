"""One Gaussian.

A Gaussian is given by where it is and how wide it is. Its mean moves the bell without changing it;
its variance makes it wide and low, or narrow and high, for the area below it stays 1. In the plane
a correlation turns the round bell into a ridge: the same variances, another direction. Which of
several Gaussians fits given rows best is measured by the log-likelihood, the sum of the log
densities of the rows. No Gaussian has a larger one than that with the mean and the covariance of
the rows, divided by n: a wrong mean, a variance too small and a variance too large all lose,
and too small a variance loses most.
"""

from typing import Any

import numpy as np

from gaussbayes import plots
from gaussbayes.analysis.ellipse import mass_of_radius
from gaussbayes.analysis.gaussian_distribution import Gaussian
from gaussbayes.analysis.grid import line_over
from gaussbayes.lessons import figure_parts as parts
from gaussbayes.lessons.handouts import CLOUDS, PETALS, RISING, SPECIES_A, Table
from gaussbayes.lessons.lesson import BIGGIO, XUE, Lesson, Result
from gaussbayes.plots import style
from gaussbayes.plots.style import Look

SOURCE = f"{BIGGIO}; O. Mac Aodha and N. Siddharth, Introduction to Classification; {XUE}"

CANDIDATES = {
    "as the petals": (2.68, 0.5336),
    "mean too small": (2.0, 0.5336),
    "variance too small": (2.68, 0.1),
    "variance too large": (2.68, 2.0),
}
"""Mean and variance of Gaussians for the petals of species A; the first is the most likely one."""
CORRELATIONS = (-0.8, 0.0, 0.8)
_MEANS, _VARIANCES = (-2.0, 0.0, 2.0), (0.25, 1.0, 4.0)
_REACH, _PETALS_SHOWN = (-6.0, 6.0), (0.0, 6.0)


def log_likelihood(gaussian: Gaussian, rows: Any) -> float:
    """``Σ_i log p(x_i)``: how well a Gaussian fits rows."""
    return float(np.sum(gaussian.log_pdf(rows)))


def correlated(rho: float, variance: float = 1.0) -> Gaussian:
    """Two features with mean 0, this variance each, and this correlation."""
    return Gaussian([0.0, 0.0], variance * np.array([[1.0, rho], [rho, 1.0]]))


def volume(gaussian: Gaussian, reach: float, n: int = 400) -> float:
    """What lies below the bell of two features, summed over n² squares."""
    side = 2.0 * reach / n
    middles = -reach + side * (np.arange(n) + 0.5)
    points = np.stack(np.meshgrid(middles, middles), axis=-1)
    return float(gaussian.pdf(points).sum()) * side**2


def lesson(seed: int = 0) -> Lesson:
    """The lesson."""
    ridge, fitted = correlated(0.8), Gaussian.fit(SPECIES_A)
    ruled_out = ridge.conditional({1: 2.0})
    of_petals = [log_likelihood(Gaussian(*each), SPECIES_A) for each in CANDIDATES.values()]
    of_rows = [log_likelihood(correlated(rho, 2.5), RISING) for rho in CORRELATIONS]
    heights = "height of the bell in the plane, correlation 0 and 0.8"
    within = "proportion within 1, 2 and 3 standard deviations in the plane"
    names = ", ".join(CANDIDATES)
    results = (
        Result(
            "density of the standard Gaussian at 0, 1 and 2",
            lambda: Gaussian(0.0, 1.0).pdf([0.0, 1.0, 2.0]), (0.3989423, 0.2419707, 0.0539910), 7,
        ),
        Result(
            "mean and variance of the petals of species A",
            lambda: (fitted.mean[0], fitted.covariance[0, 0]), (2.68, 0.5336),
        ),
        Result(
            f"log-likelihood of these petals: {names}",
            lambda: of_petals, (-5.5244207, -7.6908375, -12.1782299, -6.9945606), 7,
        ),
        Result(
            heights, lambda: [correlated(rho).pdf([0.0, 0.0]) for rho in (0.0, 0.8)],
            (0.1591549, 0.2652582), 7,
        ),
        Result("volume below the bell, correlation 0.8", lambda: volume(ridge, 8.0), 1.0, 9),
        Result(
            within, lambda: mass_of_radius(np.array([1.0, 2.0, 3.0])),
            (0.3934693, 0.8646647, 0.9888910), 7,
        ),
        Result(
            "mean and variance of the first feature where the second is 2, correlation 0.8",
            lambda: (ruled_out.mean[0], ruled_out.covariance[0, 0]), (1.6, 0.36),
        ),
        Result(
            "log-likelihood of the rising rows: correlation −0.8, 0 and 0.8",
            lambda: of_rows, (-27.1955909, -15.0166712, -12.9733687), 7,
        ),
    )  # fmt: skip
    figures = (mean_and_variance, candidates, correlations, correlation_fit, bells)
    petals = Table("species A", *_species_a(), PETALS.features)
    rising = Table("rising", np.array(RISING), np.full(len(RISING), "rising"), source=CLOUDS.source)
    return Lesson.of(__name__, __doc__, SOURCE, (petals, rising), results, figures)


def _species_a() -> tuple[Any, Any]:
    chosen = PETALS.labels == "A"
    return PETALS.rows[chosen], PETALS.labels[chosen]


def mean_and_variance() -> Any:
    """The mean moves the bell (left); the variance makes it wide and low or narrow and high, with
    an area of 1 each (right)."""
    axes = parts.panels(1, 2, (9.6, 3.8), "y")
    x = line_over(*_REACH, parts.N_POINTS)
    families: Any = ("μ", [(mean, 1.0) for mean in _MEANS]), ("σ²", [(0.0, v) for v in _VARIANCES])
    for ax, (name, curves) in zip(axes, families, strict=True):
        for i, (mean, variance) in enumerate(curves):
            changed = parts.number(mean if name == "μ" else variance)
            look: Look = {"color": style.COLORS[i], "ls": style.LINES[i]}
            ax.plot(x, Gaussian(mean, variance).pdf(x), label=f"{name} = {changed}", **look)
        fixed = "variance 1" if name == "μ" else "mean 0"
        parts.title(ax, f"the {'mean' if name == 'μ' else 'variance'}, {fixed}")
        ax.set(xlabel="x", ylabel="p(x)")
        ax.legend(frameon=False, fontsize="small")
        ax.label_outer()
    axes[0].set_ylim(bottom=0.0)
    return axes


def candidates() -> Any:
    """Four Gaussians and the five petals of species A: the larger the log-likelihood, the better
    the fit."""
    ax = style.axes_for(None, (8.4, 4.2))
    x = line_over(*_PETALS_SHOWN, parts.N_POINTS)
    for i, (name, parameters) in enumerate(CANDIDATES.items()):
        gaussian = Gaussian(*parameters)
        words = f"{name}: {parts.number(log_likelihood(gaussian, SPECIES_A), '.2f')}"
        look: Look = {"color": style.COLORS[i], "ls": style.LINES[i], "lw": 2.4 - 0.6 * (i > 0)}
        ax.plot(x, gaussian.pdf(x), label=words, **look)
    marks: Look = {"color": style.INK, "ls": "none", "markersize": 8, "clip_on": False, "zorder": 5}
    ax.plot(SPECIES_A, np.zeros(len(SPECIES_A)), "x", label="petals", **marks)
    ax.set(ylim=(0.0, None), xlim=_PETALS_SHOWN)
    style.name_axes(ax, [*PETALS.features, "p(x)"])
    style.legend_beside(ax, title="log-likelihood")
    return ax


def correlations() -> Any:
    """200 rows of three Gaussians with variances 1 and correlations −0.8, 0 and 0.8; ellipses of 1
    and 2 standard deviations."""
    axes = parts.panels(1, 3, (9.6, 3.8), "xy")
    for i, (ax, rho) in enumerate(zip(axes, CORRELATIONS, strict=True)):
        gaussian = correlated(rho)
        rows = gaussian.sample(200, random_state=0)
        ax.scatter(*rows.T, s=9, color=style.COLORS[i], alpha=0.5, linewidths=0)
        for radius in (1.0, 2.0):
            ax.plot(*gaussian.ellipse(radius).T, color=style.INK, gid="ellipse")
        parts.title(ax, f"correlation {parts.number(rho)}", ("x1", "x2"))
        ax.set_aspect("equal")
    return axes


def correlation_fit() -> Any:
    """The log-likelihood of the four rising rows by the correlation of a Gaussian with their means
    and variances: largest at their own correlation, 0.8."""
    ax = style.axes_for(None, (6.4, 3.8))
    values = line_over(-0.9, 0.97, 375)
    heights = [log_likelihood(correlated(rho, 2.5), RISING) for rho in values]
    best = log_likelihood(correlated(0.8, 2.5), RISING)
    ax.plot(values, heights, color=style.COLORS[0])
    ax.plot([0.8], [best], "o", color=style.INK, zorder=4)
    parts.note(ax, 0.8, best, f"{parts.number(best, '.4f')} at 0.8", (-12.0, 12.0))
    ax.set(xlabel="correlation", ylabel="log-likelihood", ylim=(-35.0, -11.0))
    return ax


def bells() -> Any:
    """The density over the plane as a surface, without correlation and with 0.8: the ridge is
    higher, for the same volume of 1 lies over a smaller area."""
    figure = style.figure_for(None, (9.6, 4.4))
    drawn = []
    for i, rho in enumerate((0.0, 0.8)):
        ax: Any = figure.add_subplot(1, 2, i + 1, projection="3d")
        plots.evidence_surface(correlated(rho), ax=ax, legend=False)
        ax.set(zlim=(0.0, 0.27), xlabel="x1", ylabel="x2", anchor="C")
        ax.set_box_aspect((1, 1, 0.7), zoom=0.78)
        parts.title(ax, f"correlation {parts.number(rho)}")
        drawn.append(ax)
    return np.array(drawn, dtype=object)
