"""Covariance, correlation and Mahalanobis distance, on clouds small enough to check by hand."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gaussbayes.analysis.ellipse import ellipse
from gaussbayes.analysis.synthesis import make_gaussian_dataset
from gaussbayes.base.types import CovarianceName, RealArray
from gaussbayes.families.gaussian.shrinkage import Shrinkage
from gaussbayes.lessons.lesson import Erratum, Figure, Lesson, Result, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure

    from gaussbayes.classifier import GaussianClassifier

FALLING = ((-2.0, 1.0), (-1.0, 2.0), (1.0, -2.0), (2.0, -1.0))
LEVEL = ((-2.0, -1.0), (-1.0, 2.0), (1.0, -2.0), (2.0, 1.0))
RISING = ((-2.0, -1.0), (-1.0, -2.0), (1.0, 2.0), (2.0, 1.0))
POINTS = ((2.0, 2.0), (2.0, -2.0))
SOURCE = "H. Xue, Generative Models for Classification, ITCS 6156/8156, UNC Charlotte, 2024"

_SHAPES: tuple[CovarianceName, ...] = ("full", "diagonal", "spherical")

_APART = ((0.0, 0.0), (6.0, -1.0), (2.5, 5.0))
_N_FEATURES = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50)
_SHRINKAGES = (0.0, 0.25, 0.5, 1.0)
_OFFSETS = (-75.0, 70.0), (35.0, -50.0)
"""Where the figure writes the distances, in typographic points from the points."""


def table() -> Table:
    """Three clouds of four points with mean (0, 0) and variances 2.5."""
    labels = np.repeat(["falling", "level", "rising"], 4)
    source = "made for this lesson: the handout shows figures and no numbers"
    return Table("clouds", np.array(FALLING + LEVEL + RISING), labels, ("x1", "x2"), source)


def made(seed: int) -> Table:
    """80 rows from the Gaussian of each cloud, moved apart: enough to see regions on."""
    clouds = fit()
    X, y = make_gaussian_dataset(80, _APART, clouds.covariances_, random_state=seed)
    source = f"made for this lesson with seed {seed}"
    return Table("clouds apart", X, clouds.classes_[y], ("x1", "x2"), source)


def fit(
    covariance: CovarianceName = "full", shared: bool = False, shrinkage: Shrinkage = None
) -> "GaussianClassifier":
    """One Gaussian a cloud."""
    from gaussbayes.classifier import GaussianClassifier

    clouds = table()
    model = GaussianClassifier(covariance, shared=shared, shrinkage=shrinkage)
    return model.fit(clouds.rows, clouds.labels)


def n_parameters(n_features: int) -> dict[str, int]:
    """Free parameters of three classes, for each of the six structures: own first, then shared."""
    from gaussbayes.classifier import GaussianClassifier

    d = n_features
    unit = {"full": np.eye(d), "diagonal": np.ones(d), "spherical": np.ones(())}
    return {
        f"{shape}, {'shared' if shared else 'own'}": GaussianClassifier.from_parameters(
            None,
            np.zeros((3, d)),
            unit[shape] if shared else np.stack([unit[shape]] * 3),
            covariance=shape,
            shared=shared,
        ).n_parameters_
        for shared in (False, True)
        for shape in _SHAPES
    }


def lesson(seed: int = 0) -> Lesson:
    """The lesson."""
    rows = made(seed)

    def rising_distance() -> RealArray:
        return fit().mahalanobis(np.array(POINTS))[:, 2]

    return Lesson(
        name="covariance_pictures",
        title="Covariance, correlation and distance in pictures",
        source=SOURCE,
        text=(
            "A covariance tells whether two features rise together, and is never larger than the "
            "product of their standard deviations; divided by that product it is the correlation, "
            "between −1 and 1. The three clouds differ in nothing else: −0.8, 0 and 0.8. The "
            "Mahalanobis distance measures in standard deviations of the cloud: (2, 2) and "
            "(2, −2) are equally far from the mean with a ruler, but for the rising cloud the one "
            "is 4/3 away and the other 4. A full covariance is symmetric, has no negative "
            "eigenvalue and d (d + 1) / 2 free parameters. Sharing it, or leaving out correlations "
            "as naive Bayes does, saves many of them; shrinking it towards a circle makes the "
            "estimate steadier without giving any up."
        ),
        data=(table(), rows),
        results=(
            Result(
                "covariances of the three clouds",
                lambda: fit().covariances_[:, 0, 1],
                right=(-2.0, 0.0, 2.0),
                decimals=12,
            ),
            Result(
                "variances of the rising cloud",
                lambda: np.diagonal(fit().covariances_[2]),
                right=(2.5, 2.5),
                decimals=12,
            ),
            Result(
                "correlations of the three clouds",
                lambda: fit().correlations_[:, 0, 1],
                right=(-0.8, 0.0, 0.8),
                decimals=12,
            ),
            Result(
                "Mahalanobis distances of (2, 2) and (2, −2) from the rising cloud",
                rising_distance,
                right=(4 / 3, 4.0),
                decimals=12,
            ),
            Result(
                "density of the rising cloud at its mean, 1 / (3π)",
                lambda: np.exp(fit().log_likelihood(np.zeros((1, 2)))[0, 2]),
                right=0.1061033,
                decimals=7,
            ),
            Result(
                "eigenvalues of the rising cloud's covariance, none negative",
                lambda: np.linalg.eigvalsh(fit().covariances_[2]),
                right=(0.5, 4.5),
                decimals=12,
            ),
            Result(
                "covariance of the rising cloud, half way to the circle",
                lambda: fit(shrinkage=0.5).covariances_[2],
                right=((2.5, 1.0), (1.0, 2.5)),
                decimals=12,
            ),
            Result(
                "free parameters with 2 features: full, diagonal, spherical, then each shared",
                lambda: list(n_parameters(2).values()),
                right=(17, 14, 11, 11, 10, 9),
                decimals=12,
            ),
            Result(
                "the same with 50 features",
                lambda: list(n_parameters(50).values()),
                right=(3977, 302, 155, 1427, 202, 153),
                decimals=12,
            ),
        ),
        errata=(
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
                    "For a column x the printed product is a number, the sum of the variances; "
                    "the matrix is the product the other way round."
                ),
            ),
            Erratum(
                where="Mahalanobis distance",
                printed="(x − μ)ᵀ Σ⁻¹ (x − μ) is called the distance",
                right="the distance is its square root",
                why=(
                    "The root doubles when x is twice as far from the mean, as a distance does; "
                    "the printed form is the square of the distance."
                ),
            ),
        ),
        figures=_figures(rows),
    )


def _figures(apart: Table) -> tuple[Figure, ...]:
    """The figures; `apart` are rows enough to see the shapes on."""
    from gaussbayes import plots

    clouds = table()

    def named(axes: Any) -> "MatplotlibFigure":
        """Give panels made from nameless rows the names of their table."""
        from gaussbayes.lessons.figure_parts import figure_of
        from gaussbayes.plots import style

        for ax in axes.flat:
            style.name_axes(ax, apart.features)
            ax.label_outer()
        return figure_of(axes.flat[0])

    return (
        Figure(
            "correlations",
            "Three clouds with the same variances: covariance −2, 0 and 2, correlation −0.8, 0 "
            "and 0.8. The ellipses are at 1 and 2 standard deviations.",
            lambda: _draw_correlations(clouds),
        ),
        Figure(
            "distances",
            "Two points at the same distance by the ruler (dashed circle); by the rising cloud's "
            "own measure one is three times as far as the other.",
            lambda: _draw_distances(clouds),
        ),
        Figure(
            "shapes",
            "Rows made from the three clouds, moved apart, with spherical, diagonal and full "
            "covariances.",
            lambda: named(plots.shapes(apart.rows, apart.labels)),
        ),
        Figure(
            "sharing",
            "A covariance for each class gives a curved boundary, one for all straight lines.",
            lambda: named(plots.sharing(apart.rows, apart.labels)),
        ),
        Figure(
            "shrinkage",
            "Another idea to save parameters: move the covariance towards the circle of the same "
            "total variance.",
            lambda: _draw_shrunk(clouds),
        ),
        Figure(
            "parameter_counts",
            "Free parameters of the six structures for three classes: full covariances grow with "
            "the square of the number of features, the others in proportion to it.",
            lambda: _draw_counts({d: n_parameters(d) for d in _N_FEATURES}),
        ),
    )


def _draw_correlations(clouds: Table) -> "MatplotlibFigure":
    """A panel for each class: its rows, its ellipses at 1 and 2 deviations, its correlation."""
    from gaussbayes.lessons.figure_parts import number, panels
    from gaussbayes.plots import style

    model = fit()
    classes = model.classes_.tolist()
    figure, axes = panels(1, len(classes), (3.1 * len(classes), 4.2), share_x=True, share_y=True)
    for code, (ax, label) in enumerate(zip(axes[0], classes, strict=True)):
        look = style.class_styles(model.classes_)[code]
        for radius in (1.0, 2.0):
            outline = ellipse(model.means_[code], model.covariances_[code], radius)
            ax.plot(*outline.T, color=look.color, ls=look.line, zorder=3)
        ax.plot(*clouds.rows[clouds.labels == label].T, look.marker, color=look.color, zorder=4)
        covariance = model.covariances_[code, 0, 1]
        correlation = model.correlations_[code, 0, 1]
        words = f"covariance {number(covariance)}\ncorrelation {number(correlation, '.2g')}"
        ax.set_title(f"{look.label}\n{words}")
        ax.set_box_aspect(1.0)
        style.name_axes(ax, clouds.features)
        ax.label_outer()
    return figure


def _draw_distances(clouds: Table) -> "MatplotlibFigure":
    """Two points beside the rising cloud: the circle about its mean, and their ellipses."""
    from gaussbayes.lessons.figure_parts import figure_of, mark_point, number
    from gaussbayes.plots import style

    model, points = fit(), np.array(POINTS)
    code = model.classes_.tolist().index("rising")
    ax = style.axes_for(None, (7.4, 5.0))
    look = style.class_styles(model.classes_)[code]
    mean, covariance = model.means_[code], model.covariances_[code]
    ruler = np.hypot(*(points - mean).T)
    radii = model.mahalanobis(points)[:, code]
    for radius in np.unique(ruler):
        circle = ellipse(mean, np.eye(2), radius)
        ax.plot(*circle.T, color=style.FAINT, ls=style.LINES[1], label="equal by the ruler")
    for radius in radii:
        outline = ellipse(mean, covariance, radius)
        (drawn,) = ax.plot(*outline.T, color=look.color, ls=look.line, gid="ellipse")
    drawn.set_label("equal in deviations\nof the cloud")
    rows = clouds.rows[clouds.labels == "rising"]
    ax.plot(*rows.T, look.marker, color=look.color, label=look.label, zorder=4)
    for point, straight, radius, offset in zip(points, ruler, radii, _OFFSETS, strict=True):
        place = f"({number(point[0])}, {number(point[1])})"
        words = f"{place}\nruler {straight:.3f}\nMahalanobis {radius:.3f}"
        mark_point(ax, float(point[0]), float(point[1]), words, offset)
    ax.plot(*mean, "+", color=style.INK, markersize=10)
    ax.set_aspect("equal")
    style.name_axes(ax, clouds.features)
    style.legend_beside(ax, title="distance from the mean")
    return figure_of(ax)


def _draw_shrunk(clouds: Table) -> "MatplotlibFigure":
    """The ellipse of the rising cloud at 1 deviation, shrunk more and more."""
    from gaussbayes.lessons.figure_parts import figure_of
    from gaussbayes.plots import style

    ax = style.axes_for(None, (6.4, 4.8))
    for shrinkage, alpha in zip(_SHRINKAGES, np.linspace(1.0, 0.35, 4), strict=True):
        model = fit(shrinkage=shrinkage)
        code = model.classes_.tolist().index("rising")
        outline = ellipse(model.means_[code], model.covariances_[code], 1.0)
        color = style.class_styles(model.classes_)[code].color
        ax.plot(*outline.T, color=color, alpha=alpha, label=f"shrinkage {shrinkage:g}")
    ax.set_aspect("equal")
    style.name_axes(ax, clouds.features)
    style.legend_beside(ax)
    return figure_of(ax)


def _draw_counts(counts: Mapping[int, Mapping[str, int]]) -> "MatplotlibFigure":
    """Free parameters against the number of features, a line for each structure."""
    from gaussbayes.lessons.figure_parts import figure_of
    from gaussbayes.plots import style

    ax = style.axes_for(None, (7.6, 4.6))
    most = max(counts)
    for i, name in enumerate(counts[most]):
        numbers = [count[name] for count in counts.values()]
        look = {"color": style.COLORS[(3, 5, 8)[i % 3]], "ls": style.LINES[i // 3]}
        ax.plot(list(counts), numbers, label=f"{name}: {counts[most][name]:,}", **look)
    ax.set_yscale("log")
    ax.set_xlabel("features")
    ax.set_ylabel("free parameters")
    style.legend_beside(ax, title=f"with {most} features")
    return figure_of(ax)
