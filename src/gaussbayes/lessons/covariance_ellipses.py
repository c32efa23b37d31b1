"""Covariance, correlation and distance as ellipses.

A covariance tells whether two features rise together, and is never larger than the product of their
standard deviations; divided by that product it is the correlation, between −1 and 1. The three
clouds differ in nothing else: −0.8, 0 and 0.8. The Mahalanobis distance measures in standard
deviations of the cloud: (2, 2) and (2, −2) are equally far from the mean with a ruler, but for the
rising cloud the one is 4/3 away and the other 4. A full covariance is symmetric, has no negative
eigenvalue and d (d + 1) / 2 free parameters. Sharing it, or leaving out correlations as naive Bayes
does, saves many of them; shrinking it towards a circle makes the estimate steadier without giving
any up.
"""

from typing import Any

import numpy as np

from gaussbayes import plots
from gaussbayes.base.types import FloatArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons import figure_parts as parts
from gaussbayes.lessons.handouts import CLOUDS, Gaussians, Table
from gaussbayes.lessons.lesson import XUE, Erratum, Lesson, Result
from gaussbayes.plots import style
from gaussbayes.plots.style import Look

POINTS = ((2.0, 2.0), (2.0, -2.0))

_APART = ((0.0, 0.0), (6.0, -1.0), (2.5, 5.0))
_SHAPES = (((4.0, -1.5), (-1.5, 1.0)), ((0.8, 0.0), (0.0, 3.0)), ((2.5, 2.0), (2.0, 2.5)))
_N_FEATURES = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50)
_SHRINKAGES = (0.0, 0.25, 0.5, 1.0)
_OFFSETS = (-75.0, 70.0), (35.0, -50.0)  # of the distances written, in typographic points


def clouds_apart(seed: int) -> Table:
    """80 rows of three Gaussians apart from each other, wide and narrow, level and leaning."""
    gaussians = Gaussians(_APART, _SHAPES)
    rows = gaussians.draw("clouds apart", 80, seed).rows
    source = f"made for this lesson with seed {seed}"
    return Table("clouds apart", rows, np.repeat(np.unique(CLOUDS.labels), 80), source=source)


def n_parameters(n_features: int) -> dict[str, int]:
    """Free parameters of three classes, for each of the six structures: own first, then shared."""
    d = n_features
    unit = {"full": np.eye(d), "diagonal": np.ones(d), "spherical": np.ones(())}
    given: Any = GaussianClassifier.from_parameters
    counts = {}
    for shared in (False, True):
        for shape, covariance in unit.items():
            covariances = covariance if shared else np.stack([covariance] * 3)
            options = {"covariance": shape, "shared": shared}
            model = given(None, np.zeros((3, d)), covariances, **options)
            counts[f"{shape}, {'shared' if shared else 'own'}"] = model.n_parameters_
    return counts


def lesson(seed: int = 0) -> Lesson:
    """The lesson."""
    model, rows = CLOUDS.fit(), clouds_apart(seed)
    shrunk = CLOUDS.fit(shrinkage=0.5, target="spherical")
    rising, distances_of = model.covariances_[2], model.mahalanobis(np.array(POINTS))[:, 2]
    structures = "free parameters with 2 features: full, diagonal, spherical, then each shared"
    points = "Mahalanobis distances of (2, 2) and (2, −2) from the rising cloud"
    eigenvalues = "eigenvalues of the rising cloud's covariance, none negative"
    density = "density of the rising cloud at its mean, 1 / (3π)"
    of_all, correlation = model.covariances_[:, 0, 1], model.correlations_[:, 0, 1]
    half_way = "covariance of the rising cloud, half way to the circle"
    counts_of_50 = (3977, 302, 155, 1427, 202, 153)
    results = (
        Result("covariances of the three clouds", lambda: of_all, (-2.0, 0.0, 2.0)),
        Result("variances of the rising cloud", lambda: np.diagonal(rising), (2.5, 2.5)),
        Result("correlations of the three clouds", lambda: correlation, (-0.8, 0.0, 0.8)),
        Result(points, lambda: distances_of, (4 / 3, 4.0)),
        Result(density, lambda: model.likelihood([[0.0, 0.0]])[0, 2], 0.1061033, 7),
        Result(eigenvalues, lambda: np.linalg.eigvalsh(rising), (0.5, 4.5)),
        Result(half_way, lambda: shrunk.covariances_[2], ((2.5, 1.0), (1.0, 2.5))),
        Result(structures, lambda: list(n_parameters(2).values()), (17, 14, 11, 11, 10, 9)),
        Result("the same with 50 features", lambda: list(n_parameters(50).values()), counts_of_50),
    )
    errata = (
        Erratum(
            where="multivariate Gaussian distribution, density",
            printed="exp(−(x − μ)ᵀ Σ⁻¹ (x − μ))",
            right="exp(−½ (x − μ)ᵀ Σ⁻¹ (x − μ))",
            why=(
                "Without ½ it integrates to 2^(−d/2), which is ½ in the plane; a density "
                "integrates to 1."
            ),
        ),
        Erratum(
            where="multivariate parameters, covariance",
            printed="E[(x − μ)ᵀ (x − μ)]",
            right="E[(x − μ) (x − μ)ᵀ]",
            why=(
                "For a column x the printed product is a number, the sum of the variances; the "
                "matrix is the product the other way round."
            ),
        ),
        Erratum(
            where="Mahalanobis distance",
            printed="(x − μ)ᵀ Σ⁻¹ (x − μ) is called the distance",
            right="the distance is its square root",
            why=(
                "The root doubles when x is twice as far from the mean, as a distance does; the "
                "printed form is the square of the distance."
            ),
        ),
    )

    def shapes() -> Any:
        """Rows of three Gaussians with spherical, diagonal and full covariances: circles, ellipses
        along the axes, and ellipses that lean."""
        return _named(plots.shapes(rows.rows, rows.labels))

    def sharing() -> Any:
        """A covariance for each class gives a curved boundary, one for all straight lines."""
        return _named(plots.sharing(rows.rows, rows.labels))

    figures = (correlations, distances, shapes, sharing, shrinkage, parameter_counts)
    data = (CLOUDS, rows)
    return Lesson.of(__name__, __doc__, XUE, data, results, figures, errata=errata)


def _named(axes: Any) -> Any:
    """Give panels made from nameless rows the names of their table."""
    for ax in axes.flat:
        style.name_axes(ax, CLOUDS.features)
        ax.label_outer()
        ax.set_aspect("equal")
    return axes


def cloud(code: int, n: int = 200) -> FloatArray:
    """Rows (n, 2) with the mean and the covariance that the four rows of a cloud have, exactly."""
    model = CLOUDS.fit()
    rows = np.random.default_rng(code).standard_normal((n, 2))
    away = rows - rows.mean(axis=0)
    white = np.linalg.solve(np.linalg.cholesky(away.T @ away / n), away.T)
    drawn: FloatArray = (
        model.means_[code] + (np.linalg.cholesky(model.covariances_[code]) @ white).T
    )
    return drawn


def _draw_cloud(ax: Any, code: int, radii: Any) -> None:
    """The rows of a cloud, and the ellipses at these distances."""
    model = CLOUDS.fit()
    look = style.class_styles(model.classes_)[code]
    for radius in radii:
        gaussian = model.means_[code], model.covariances_[code]
        parts.draw_ellipse(ax, *gaussian, radius, color=look.color, ls=look.line)
    ax.lines[-1].set_label("equal in deviations\nof the cloud")
    marks: Look = {"color": look.color, "marker": look.marker, "ls": "none", "zorder": 4}
    ax.plot(*CLOUDS.rows[4 * code : 4 * code + 4].T, label=look.label, **marks)
    dots: Look = {"color": look.color, "alpha": 0.3, "s": 7, "linewidths": 0, "zorder": 1}
    ax.scatter(*cloud(code).T, gid="cloud", **dots)


def correlations() -> Any:
    """Three clouds with the same variances: covariance −2, 0 and 2, correlation −0.8, 0 and 0.8.
    The four rows of the table are large, 200 with the same moments small; the ellipses are at 1 and
    2 standard deviations."""
    model = CLOUDS.fit()
    axes = parts.panels(1, 3, (9.3, 4.2), "xy")
    for code, ax in enumerate(axes):
        _draw_cloud(ax, code, (1.0, 2.0))
        covariance = parts.number(model.covariances_[code, 0, 1])
        correlation = parts.number(model.correlations_[code, 0, 1], ".2g")
        words = f"covariance {covariance}\ncorrelation {correlation}"
        ax.set_title(f"{model.classes_[code]}\n{words}")
    return _named(axes)


def distances() -> Any:
    """Two points at the same distance by the ruler (dashed circle); by the rising cloud's own
    measure one is three times as far as the other."""
    model, points = CLOUDS.fit(), np.array(POINTS)
    ax = style.axes_for(None, (7.4, 5.0))
    mean = model.means_[2]
    ruler, radii = np.hypot(*points.T), model.mahalanobis(points)[:, 2]
    dashed: Look = {"color": style.FAINT, "ls": style.LINES[1]}
    parts.draw_ellipse(ax, mean, np.eye(2), ruler[0], label="equal by the ruler", **dashed)
    ax.lines[-1].set_gid("circle")
    _draw_cloud(ax, 2, radii)
    for point, straight, radius, offset in zip(POINTS, ruler, radii, _OFFSETS, strict=True):
        place = f"({parts.number(point[0])}, {parts.number(point[1])})"
        words = f"{place}\nruler {straight:.3f}\nMahalanobis {radius:.3f}"
        parts.mark_point(ax, *point, words, offset)
    ax.plot(*mean, "+", color=style.INK, markersize=10)
    ax.set_aspect("equal")
    style.name_axes(ax, CLOUDS.features)
    style.legend_beside(ax, title="distance from the mean")
    return ax


def shrinkage() -> Any:
    """Another idea to save parameters: move the covariance towards the circle of the same total
    variance."""
    ax = style.axes_for(None, (6.4, 4.8))
    for amount, alpha in zip(_SHRINKAGES, np.linspace(1.0, 0.35, 4), strict=True):
        model = CLOUDS.fit(shrinkage=amount, target="spherical")
        look = {"color": style.class_styles(model.classes_)[2].color, "alpha": alpha}
        gaussian = model.means_[2], model.covariances_[2]
        parts.draw_ellipse(ax, *gaussian, 1.0, label=f"shrinkage {amount:g}", **look)
    ax.set_aspect("equal")
    style.name_axes(ax, CLOUDS.features)
    style.legend_beside(ax)
    return ax


def parameter_counts() -> Any:
    """Free parameters of the six structures for three classes: full covariances grow with the
    square of the number of features, the others in proportion to it."""
    counts = [n_parameters(d) for d in _N_FEATURES]
    ax = style.axes_for(None, (7.6, 4.6))
    for i, (name, most) in enumerate(counts[-1].items()):
        look = {"color": style.COLORS[(3, 5, 8)[i % 3]], "ls": style.LINES[i // 3]}
        numbers = [count[name] for count in counts]
        ax.plot(_N_FEATURES, numbers, label=f"{name}: {most:,}", **look)
    ax.set(xscale="log", yscale="log")
    ax.set_xticks((1, 2, 5, 10, 20, 50), ("1", "2", "5", "10", "20", "50"))
    ax.set_xlabel("features")
    ax.set_ylabel("free parameters")
    style.legend_beside(ax, title="with 50 features")
    return ax
