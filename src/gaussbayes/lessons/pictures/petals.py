"""Pictures of two species on a line: rows, densities, posteriors, likelihood."""

from typing import TYPE_CHECKING

from gaussbayes import plots
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.families.gaussian.scores import NegativeLogLikelihood
from gaussbayes.lessons.drawings import curves, likelihood
from gaussbayes.lessons.drawings.panels import figure_of, panels, title
from gaussbayes.lessons.drawings.rows import draw_rows
from gaussbayes.lessons.lesson import Picture, Table
from gaussbayes.plots import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WHOLE = (0.0, 17.0)
"""Centimetres; both boundaries lie between."""
DETAILS = (4.6, 5.25), (15.0, 15.65)
"""Around either boundary."""


def pictures(
    table: Table,
    model: GaussianClassifier,
    equal: GaussianClassifier,
    shared: GaussianClassifier,
) -> tuple[Picture, ...]:
    """The pictures, in the order of the lesson's text.

    `model` has the priors of the table, `equal` equal ones, `shared` one variance for both.
    """
    X, y = table.rows, table.labels
    model, equal, shared = (
        one.with_feature_names(table.features) for one in (model, equal, shared)
    )

    def rows() -> "Figure":
        return draw_rows(table, size=(6.4, 2.0))

    def densities() -> "Figure":
        return figure_of(plots.densities(equal, X, y))

    def weighted() -> "Figure":
        return figure_of(plots.densities(model, X, y, weighted=True))

    def posteriors() -> "Figure":
        models = {"½ and ½": equal, "⅝ and ⅜": model}
        return curves.posteriors_by_prior(models, "B", WHOLE, details=DETAILS)

    def own_and_shared() -> "Figure":
        figure, axes = panels(2, 1, (7.0, 6.4))
        for ax, one, words in (
            (axes[0, 0], model, "own variances: two boundaries, one beyond the picture"),
            (axes[1, 0], shared, "one variance for both: a single boundary"),
        ):
            plots.densities(one, X, y, weighted=True, ax=ax)
            title(ax, words)
        axes[0, 0].set_xlabel("")
        return figure

    def both_views() -> "Figure":
        return figure_of(plots.generative_and_discriminative(model, X, y).flat[0])

    def slices() -> "Figure":
        return likelihood.slices(_slices(table, model))

    return (
        Picture("rows", "The eight petals on their line.", rows),
        Picture("densities", "A bell curve for each species, of area 1 each.", densities),
        Picture(
            "weighted_densities",
            "The same curves weighted by the priors ⅝ and ⅜: their sum is the evidence p(x), and "
            "where they cross the answer changes.",
            weighted,
        ),
        Picture(
            "posteriors",
            "The probability of B, with equal priors and with the table's. Each falls back below "
            "½ beyond 15 cm, where A's wider curve is the higher one again. The crossings are "
            "enlarged below.",
            posteriors,
        ),
        Picture(
            "likelihood",
            "What is minimised: the labels' part of the negative log-likelihood depends on φ "
            "alone, the features' part on the Gaussians alone. Each has its lowest point at the "
            "estimate.",
            slices,
        ),
        Picture(
            "own_and_shared",
            "A variance for each species, and one for both: with one variance the log-odds are "
            "linear and the second boundary is gone.",
            own_and_shared,
        ),
        Picture(
            "generative_and_discriminative",
            "Two views of one model: what each species looks like, and how to tell them apart.",
            both_views,
        ),
    )


def _slices(table: Table, model: GaussianClassifier) -> list[likelihood.Slice]:
    prior, means, variances = model.priors_, model.means_, model.covariances_
    color_a, color_b = (one.color for one in style.class_styles(model.classes_))

    def moved(phi: float, mean: float, variance: float) -> NegativeLogLikelihood:
        other = GaussianClassifier.from_parameters(
            [1.0 - phi, phi],
            [[mean], means[1]],
            [[[variance]], variances[1]],
            model.classes_,
        )
        return other.negative_log_likelihood(table.rows, table.labels)

    phi, mean, variance = float(prior[1]), float(means[0, 0]), float(variances[0, 0, 0])
    return [
        likelihood.Slice(
            "φ, the prior of B",
            "of the labels",
            lambda value: moved(value, mean, variance).labels,
            (0.1, 0.8),
            phi,
            color_b,
        ),
        likelihood.Slice(
            "mean of A (cm)",
            "of the features",
            lambda value: moved(phi, value, variance).features,
            (1.7, 3.7),
            mean,
            color_a,
        ),
        likelihood.Slice(
            "variance of A (cm²)",
            "of the features",
            lambda value: moved(phi, mean, value).features,
            (0.2, 2.0),
            variance,
            color_a,
        ),
    ]
