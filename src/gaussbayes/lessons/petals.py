"""Two species told apart by one length: the whole method in one dimension."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gaussbayes.analysis.boundary import boundaries
from gaussbayes.base.types import Divisor
from gaussbayes.lessons.lesson import Figure, Lesson, Result, Table
from gaussbayes.model.prior import Priors
from gaussbayes.model.solution import NegativeLogLikelihood

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure

    from gaussbayes.classifier import GaussianClassifier

SPECIES_A = (1.8, 2.1, 2.5, 3.2, 3.8)
SPECIES_B = (5.8, 6.7, 7.0)
SOURCE = (
    "O. Mac Aodha and N. Siddharth, Introduction to Classification, Applied Machine Learning, "
    "University of Edinburgh"
)

RANGE = (0.0, 17.0)
"""Centimetres; both boundaries lie between."""
DETAILS = (4.6, 5.25), (15.0, 15.65)
"""Around either boundary."""


def table() -> Table:
    """Eight petals and their species."""
    lengths = np.array(SPECIES_A + SPECIES_B)
    species = np.repeat(["A", "B"], [len(SPECIES_A), len(SPECIES_B)])
    return Table(
        "petals", lengths[:, None], species, ("petal length (cm)",), "listed by the handout"
    )


def fit(
    priors: Priors = None, divisor: Divisor = "mle", shared: bool = False
) -> "GaussianClassifier":
    """A Gaussian for each species."""
    from gaussbayes.classifier import GaussianClassifier

    petals = table()
    model = GaussianClassifier(priors=priors, divisor=divisor, shared=shared)
    return model.fit(petals.rows, petals.labels)


def lesson(seed: int = 0) -> Lesson:
    """The lesson."""
    petals = table()

    def loss() -> tuple[float, float, float]:
        parts = fit().negative_log_likelihood(petals.rows, petals.labels)
        return parts.labels, parts.features, parts.total

    return Lesson(
        name="petals",
        title="Two species by the length of a petal",
        source=SOURCE,
        text=(
            "Five petals of species A and three of species B give two bell curves, and Bayes' rule "
            "turns them into the probability of B at any length. The curves have different widths, "
            "so they cross twice: at about 4.9 cm, and again beyond 15 cm, where the wider curve "
            "of A is once more the higher one, although no petal was ever seen there. The priors "
            "5/8 and 3/8 move the crossings by 0.05 cm. With one variance for both species the "
            "second crossing is gone, for the squares cancel in the log-odds. The negative "
            "log-likelihood splits in two: the labels' part depends on the priors alone and the "
            "features' part on the Gaussians alone, which is why each can be fitted by itself."
        ),
        data=(petals,),
        results=(
            Result("means of A and B", lambda: fit().means_[:, 0], right=(2.68, 6.5), decimals=12),
            Result(
                "variances, divided by N",
                lambda: fit().covariances_[:, 0, 0],
                right=(0.5336, 0.26),
                decimals=12,
            ),
            Result(
                "variances, divided by N − 1",
                lambda: fit(divisor="unbiased").covariances_[:, 0, 0],
                right=(0.667, 0.39),
                decimals=12,
            ),
            Result("φ, the prior of B", lambda: fit().priors_[1], right=0.375, decimals=12),
            Result(
                "boundaries with equal priors",
                lambda: boundaries(fit(priors="uniform").model_, 0, 1),
                right=(4.894721, 15.365512),
                decimals=6,
            ),
            Result(
                "boundaries with the prior φ",
                lambda: boundaries(fit().model_, 0, 1),
                right=(4.944434, 15.315800),
                decimals=6,
            ),
            Result(
                "negative log-likelihood: labels, features, together",
                loss,
                right=(5.2925059, 7.7606258, 13.0531317),
                decimals=7,
            ),
            Result(
                "boundary with one variance for both",
                lambda: boundaries(fit(shared=True).model_, 0, 1),
                right=(4.647635,),
                decimals=6,
            ),
        ),
        figures=_figures(petals, fit(), fit(priors="uniform"), fit(shared=True)),
    )


WHOLE = (0.0, 17.0)
"""Centimetres; both boundaries lie between."""
DETAILS = (4.6, 5.25), (15.0, 15.65)
"""Around either boundary."""


def _figures(
    table: Table,
    model: "GaussianClassifier",
    equal: "GaussianClassifier",
    shared: "GaussianClassifier",
) -> tuple[Figure, ...]:
    """The figures, in the order of the lesson's text.

    `model` has the priors of the table, `equal` equal ones, `shared` one variance for both.
    """
    from gaussbayes import plots
    from gaussbayes.lessons.figure_parts import (
        draw_rows,
        figure_of,
        panels,
        posteriors_by_prior,
        title,
    )

    X, y = table.rows, table.labels
    model, equal, shared = (
        each.with_feature_names(table.features) for each in (model, equal, shared)
    )

    def own_and_shared() -> "MatplotlibFigure":
        figure, axes = panels(2, 1, (7.0, 6.4))
        for ax, each, words in (
            (axes[0, 0], model, "own variances: two boundaries, one beyond the figure"),
            (axes[1, 0], shared, "one variance for both: a single boundary"),
        ):
            plots.densities(each, X, y, weighted=True, ax=ax)
            title(ax, words)
        axes[0, 0].set_xlabel("")
        return figure

    return (
        Figure(
            "rows", "The eight petals on their line.", lambda: draw_rows(table, size=(6.4, 2.0))
        ),
        Figure(
            "densities",
            "A bell curve for each species, of area 1 each.",
            lambda: figure_of(plots.densities(equal, X, y)),
        ),
        Figure(
            "weighted_densities",
            "The same curves weighted by the priors ⅝ and ⅜: their sum is the evidence p(x), and "
            "where they cross the answer changes.",
            lambda: figure_of(plots.densities(model, X, y, weighted=True)),
        ),
        Figure(
            "posteriors",
            "The probability of B, with equal priors and with the table's. Each falls back below "
            "½ beyond 15 cm, where A's wider curve is the higher one again. The crossings are "
            "enlarged below.",
            lambda: posteriors_by_prior(
                {"½ and ½": equal, "⅝ and ⅜": model}, "B", RANGE, details=DETAILS
            ),
        ),
        Figure(
            "likelihood",
            "What is minimised: the labels' part of the negative log-likelihood depends on φ "
            "alone, the features' part on the Gaussians alone. Each has its lowest point at the "
            "estimate.",
            lambda: _draw_slices(_slices(table, model)),
        ),
        Figure(
            "own_and_shared",
            "A variance for each species, and one for both: with one variance the log-odds are "
            "linear and the second boundary is gone.",
            own_and_shared,
        ),
        Figure(
            "generative_and_discriminative",
            "Two views of one model: what each species looks like, and how to tell them apart.",
            lambda: figure_of(plots.generative_and_discriminative(model, X, y).flat[0]),
        ),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Slice:
    """The negative log-likelihood as one parameter moves, the others as fitted."""

    parameter: str
    part: str  # of the negative log-likelihood
    loss: Callable[[float], float]
    between: tuple[float, float]
    fitted: float
    color: str


def _slices(table: Table, model: "GaussianClassifier") -> list[_Slice]:
    from gaussbayes.plots import style

    prior, means, variances = model.priors_, model.means_, model.covariances_
    color_a, color_b = (look.color for look in style.class_styles(model.classes_))

    def moved(phi: float, mean: float, variance: float) -> NegativeLogLikelihood:
        other = type(model).from_parameters(
            [1.0 - phi, phi],
            [[mean], means[1]],
            [[[variance]], variances[1]],
            model.classes_,
        )
        return other.negative_log_likelihood(table.rows, table.labels)

    phi, mean, variance = float(prior[1]), float(means[0, 0]), float(variances[0, 0, 0])
    return [
        _Slice(
            "φ, the prior of B",
            "of the labels",
            lambda value: moved(value, mean, variance).labels,
            (0.1, 0.8),
            phi,
            color_b,
        ),
        _Slice(
            "mean of A (cm)",
            "of the features",
            lambda value: moved(phi, value, variance).features,
            (1.7, 3.7),
            mean,
            color_a,
        ),
        _Slice(
            "variance of A (cm²)",
            "of the features",
            lambda value: moved(phi, mean, value).features,
            (0.2, 2.0),
            variance,
            color_a,
        ),
    ]


def _draw_slices(slices: Sequence[_Slice]) -> "MatplotlibFigure":
    """A panel for each parameter; the fitted value is marked."""
    from gaussbayes.analysis.grid import line_over
    from gaussbayes.lessons.figure_parts import panels
    from gaussbayes.plots import style

    figure, axes = panels(1, len(slices), (3.2 * len(slices), 3.2))
    for ax, each in zip(axes[0], slices, strict=True):
        values = line_over(*each.between, 121)
        ax.plot(values, [each.loss(value) for value in values], color=each.color)
        least = each.loss(each.fitted)
        ax.plot([each.fitted], [least], "o", color=style.INK, zorder=4)
        ax.axvline(each.fitted, color=style.FAINT, lw=0.8, zorder=0)
        ax.set_title(f"least {least:.4f} at {np.format_float_positional(each.fitted, 4)}")
        ax.set_xlabel(each.parameter)
        ax.set_ylabel(f"negative log-likelihood\n{each.part}")
    return figure
