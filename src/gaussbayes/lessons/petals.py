"""Two species by the length of a petal.

Five petals of species A and three of species B give two bell curves, and Bayes' rule turns them
into the probability of B at any length. The curves have different widths, so they cross twice: at
about 4.9 cm, and again beyond 15 cm, where the wider curve of A is once more the higher one,
although no petal was ever seen there. The priors 5/8 and 3/8 move the crossings by 0.05 cm. With
one variance for both species the second crossing is gone, for the squares cancel in the log-odds.
The negative log-likelihood splits in two: the labels' part depends on the priors alone and the
features' part on the Gaussians alone, which is why each can be fitted by itself.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from gaussbayes import plots
from gaussbayes.analysis.boundary import boundaries
from gaussbayes.analysis.grid import line_over
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons import figure_parts as parts
from gaussbayes.lessons.handouts import PETALS
from gaussbayes.lessons.lesson import Erratum, Lesson, Result
from gaussbayes.plots import style

SOURCE = (
    "O. Mac Aodha and N. Siddharth, Introduction to Classification, Applied Machine Learning, "
    "University of Edinburgh"
)
_RANGE = (0.0, 17.0)  # centimetres; both boundaries lie between
_DETAILS = (4.6, 5.25), (15.0, 15.65)  # around either boundary


def lesson(seed: int = 0) -> Lesson:
    """The lesson."""
    fit = PETALS.fit
    model = fit()

    def loss() -> tuple[float, float, float]:
        parts = model.negative_log_likelihood(PETALS.rows, PETALS.labels)
        return parts.labels, parts.features, parts.total

    def cuts(**settings: Any) -> Callable[[], Any]:
        return lambda: boundaries(fit(**settings).model_, 0, 1)

    unbiased = fit(divisor="unbiased").covariances_
    parts_of_loss = "negative log-likelihood: labels, features, together"
    results = (
        Result("means of A and B", lambda: model.means_[:, 0], (2.68, 6.5)),
        Result("variances, divided by N", lambda: model.covariances_[:, 0, 0], (0.5336, 0.26)),
        Result("variances, divided by N − 1", lambda: unbiased[:, 0, 0], (0.667, 0.39)),
        Result("φ, the prior of B", lambda: model.priors_[1], 0.375),
        Result("boundaries with equal priors", cuts(priors="uniform"), (4.894721, 15.365512), 6),
        Result("boundaries with the prior φ", cuts(), (4.944434, 15.315800), 6),
        Result(parts_of_loss, loss, (5.2925059, 7.7606258, 13.0531317), 7),
        Result("boundary with one variance for both", cuts(shared=True), (4.647635,), 6),
    )
    views = (own_and_shared, generative_and_discriminative)
    figures = (rows, densities, weighted_densities, posteriors, likelihood, *views)
    errata = (
        Erratum(
            where="types of covariance matrices, full",
            printed="σ₁₂² and σ₂₁² off the diagonal",
            right="σ₁₂ = σ₂₁",
            why="A covariance may be negative, and a square may not.",
        ),
        Erratum(
            where="properties of the covariance matrix",
            printed="Σ is positive semi-definite, and xᵀ Σ⁻¹ x ≥ 0",
            right="Σ is positive definite where Σ⁻¹ is used",
            why=(
                "A matrix that is only semi-definite has an eigenvalue 0, no inverse, and no "
                "density: all rows lie on a line or a plane."
            ),
        ),
    )
    return Lesson.of(__name__, __doc__, SOURCE, [PETALS], results, figures, errata=errata)


def _named(**settings: Any) -> GaussianClassifier:
    return PETALS.fit(**settings).with_feature_names(PETALS.features)


def rows() -> Any:
    """The eight petals on their line."""
    return parts.draw_rows(PETALS, size=(6.4, 2.0))


def densities() -> Any:
    """A bell curve for each species, of area 1 each."""
    return plots.densities(_named(priors="uniform"), PETALS.rows, PETALS.labels)


def weighted_densities() -> Any:
    """The same curves weighted by the priors ⅝ and ⅜: their sum is the evidence p(x), and where
    they cross the answer changes."""
    return plots.densities(_named(), PETALS.rows, PETALS.labels, weighted=True)


def posteriors() -> Any:
    """The probability of B, with equal priors and with the table's. Each falls back below ½ beyond
    15 cm, where A's wider curve is the higher one again. The crossings are enlarged below."""
    models = {"½ and ½": _named(priors="uniform"), "⅝ and ⅜": _named()}
    return parts.posteriors_by_prior(models, "B", _RANGE, details=_DETAILS)


def likelihood() -> Any:
    """What is minimised: the labels' part of the negative log-likelihood depends on φ alone, the
    features' part on the Gaussians alone. Each has its lowest point at the estimate."""
    model = PETALS.fit()
    means, variances = model.means_, model.covariances_
    color_a, color_b = (look.color for look in style.class_styles(model.classes_))
    estimates = {
        "φ, the prior of B": float(model.priors_[1]),
        "mean of A (cm)": float(means[0, 0]),
        "variance of A (cm²)": float(variances[0, 0, 0]),
    }

    def loss(name: str, value: float, part: str) -> float:
        """A part of the loss, with one parameter moved and the others as estimated."""
        phi, mean, variance = (estimates | {name: value}).values()
        parameters = [1.0 - phi, phi], [[mean], means[1]], [[[variance]], variances[1]]
        moved = GaussianClassifier.from_parameters(*parameters, model.classes_)
        return float(getattr(moved.negative_log_likelihood(PETALS.rows, PETALS.labels), part))

    axes = parts.panels(1, 3, (9.6, 3.2))
    looks = ((0.1, 0.8), color_b), ((1.7, 3.7), color_a), ((0.2, 2.0), color_a)
    for ax, name, (between, color) in zip(axes, estimates, looks, strict=True):
        part = "labels" if ax is axes[0] else "features"
        values, fitted = line_over(*between, 121), estimates[name]
        ax.plot(values, [loss(name, value, part) for value in values], color=color)
        least = loss(name, fitted, part)
        ax.plot([fitted], [least], "o", color=style.INK, zorder=4)
        ax.axvline(fitted, color=style.FAINT, lw=0.8, zorder=0)
        ax.set_title(f"least {least:.4f} at {np.format_float_positional(fitted, 4)}")
        ax.set(xlabel=name, ylabel=f"negative log-likelihood\nof the {part}")
    return axes


def own_and_shared() -> Any:
    """A variance for each species, and one for both: with one variance the log-odds are linear and
    the second boundary is gone."""
    axes = parts.panels(2, 1, (7.0, 6.4), "xy")
    titles = {
        "own variances: two boundaries, one beyond the figure": False,
        "one variance for both: a single boundary": True,
    }
    for ax, (words, shared) in zip(axes, titles.items(), strict=True):
        model = _named(shared=shared)
        plots.densities(model, PETALS.rows, PETALS.labels, weighted=True, ax=ax)
        parts.title(ax, words)
    axes[0].set_xlabel("")
    return axes


def generative_and_discriminative() -> Any:
    """Two views of one model: what each species looks like, and how to tell them apart."""
    return plots.generative_and_discriminative(_named(), PETALS.rows, PETALS.labels)
