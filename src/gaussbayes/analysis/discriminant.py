"""The log-odds of Gaussian classes as a polynomial, linear if they share a covariance, and axes.

``log p(a | x) − log p(b | x) = xᵀ Q x + wᵀ x + w₀``, with ``Q = ½ (Σ_b⁻¹ − Σ_a⁻¹)``,
``w = Σ_a⁻¹ μ_a − Σ_b⁻¹ μ_b`` and ``w₀ = log (π_a / π_b) + ½ (μ_bᵀ Σ_b⁻¹ μ_b − μ_aᵀ Σ_a⁻¹ μ_a +
log |Σ_b| − log |Σ_a|)``. With one covariance the squares cancel: Q is 0, and the boundary straight.
Then the classes differ on a few axes only, Fisher's linear discriminants.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from gaussbayes.analysis.class_moments import class_covariances, class_means, correlations
from gaussbayes.analysis.expected_values import expected_rows
from gaussbayes.base.errors import OptionError
from gaussbayes.base.finite import check_finite
from gaussbayes.base.threads import ranges
from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.data.rows import Rows
from gaussbayes.families.protocol import Distant, Warped, Whitened
from gaussbayes.model.construction import given_model
from gaussbayes.model.model import Model
from gaussbayes.model.settings import Settings

_NO_AXES = (
    "discriminant axes need Gaussian features with a shared covariance (shared=True); other models "
    "have none"
)

_TOLERANCE = 1e-10
"""Proportion of the largest singular value up to which there is no axis."""

_BLOCK = 1 << 12
"""Rows that are projected at a time."""

_NOTHING = 1e-12
"""Proportion of the largest term below which a term of the equation is rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class LogOddsEquation:
    """``log p(a | x) − log p(b | x) = xᵀ Q x + wᵀ x + w₀``; where it is 0 is the boundary.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> X, y = [[1, 8], [2.5, 7.5], [2, 7], [8.5, 2.5], [9, 2], [8, 1]], list("bbbaaa")
    >>> print(GaussianClassifier(shared=True).fit(X, y).boundary("a", "b"))
    log-odds of 'a' to 'b' = 24·x0 - 20.4·x1 - 28.8
    boundary: x1 = 1.176·x0 - 1.412
    """

    classes: tuple[Any, Any]  # a and b
    features: tuple[str, ...]
    quadratic: FloatArray  # Q (d, d), symmetric; 0 if the classes share a covariance
    linear: FloatArray  # w (d,)
    constant: float  # w₀

    @property
    def is_linear(self) -> bool:
        """Whether the boundary is a line, plane or hyperplane."""
        return not self.quadratic.any()

    def __call__(self, X: Any) -> FloatArray:
        """The log-odds (n,) of rows (n, d)."""
        rows = np.asarray(X, dtype=np.float64)
        squares = np.einsum("ni,ij,nj->n", rows, self.quadratic, rows)
        return np.asarray(squares + rows @ self.linear + self.constant)

    def __str__(self) -> str:
        """The equation, and of two features with a straight boundary that of the line."""
        a, b = (repr(label) for label in self.classes)
        names, terms = self.features, []
        for i, first in enumerate(names):
            terms.append((float(self.quadratic[i, i]), f"·{first}²"))
            others = range(i + 1, len(names))
            terms += [(2.0 * self.quadratic[i, j], f"·{first}·{names[j]}") for j in others]
        terms += zip(self.linear.tolist(), (f"·{name}" for name in names), strict=True)
        lines = [f"log-odds of {a} to {b} = {_sum([*terms, (self.constant, '')])}"]
        if self.is_linear and len(names) == 2 and self.linear[1]:
            slope, start = -self.linear[0] / self.linear[1], -self.constant / self.linear[1]
            line = _sum([(float(slope), f"·{names[0]}"), (float(start), "")])
            lines.append(f"boundary: {names[1]} = {line}")
        elif self.is_linear and len(names) == 1 and self.linear[0]:
            lines.append(f"boundary: {names[0]} = {-self.constant / self.linear[0]:.4g}")
        return "\n".join(lines)


def log_odds_equation(model: Model, a: int, b: int) -> LogOddsEquation:
    """The log-odds of two classes, given by code, whose features are all Gaussian."""
    prior, means = model.parameters.log_prior, class_means(model)
    precisions, log_determinants = _precisions(model, "an equation of the boundary")
    center = means[[a, b]].mean(axis=0)  # about it nothing large cancels
    offset = means - center
    quadratic = 0.5 * (precisions[b] - precisions[a])
    weights = {code: precisions[code] @ offset[code] for code in (a, b)}
    half = {c: 0.5 * (offset[c] @ weights[c] + log_determinants[c]) - prior[c] for c in (a, b)}
    linear = weights[a] - weights[b]
    constant = half[b] - half[a] - linear @ center + center @ quadratic @ center
    labels = model.classes[[a, b]].tolist()
    return LogOddsEquation(
        (labels[0], labels[1]),
        model.schema.features or tuple(f"x{j}" for j in range(model.schema.n_features)),
        quadratic,
        linear - 2.0 * quadratic @ center,
        float(constant),
    )


def has_linear_log_odds(settings: Settings) -> bool:
    """Whether models with these settings have linear discriminants and axes, whatever the rows."""
    return all(family.has_linear_log_odds for family in settings.families)


def linear_discriminants(
    model: Model, *, centred: bool = False
) -> tuple[FloatArray, FloatArray] | None:
    """Coefficients (k, d) and intercepts (k,): ``log p(c | x) = w_cᵀ x + w_c0 + constant of x``.

    ``w_c = Σ⁻¹ μ_c``, ``w_c0 = log π_c − ½ μ_cᵀ Σ⁻¹ μ_c``; of two classes those of the second less
    those of the first, (1, d) and (1,), as in scikit-learn. If `centred`, the mean of the classes'
    means, weighted by their priors, has taken the place of 0: ``Σ⁻¹ (μ_c − x̄)``. None where classes
    have covariances of their own, or features are not Gaussian.
    """
    gaussians = _shared_gaussians(model)
    if gaussians is None:
        return None
    anchor, middle, offset = _means(model, gaussians)
    center = anchor + middle
    pair = offset.shape[0] == 2
    if not (centred or pair):  # of two classes what is common cancels
        center, offset = np.zeros_like(center), center + offset
    coefficients = _map(gaussians, offset, "times_precision")
    squares = np.einsum("kd,kd->k", coefficients, offset)
    with np.errstate(divide="ignore"):
        intercepts = model.parameters.log_prior - 0.5 * squares - coefficients @ center
    if pair:
        return np.diff(coefficients, axis=0), np.diff(intercepts)
    return coefficients, intercepts


@dataclass(frozen=True, slots=True, eq=False)
class DiscriminantAxes:
    """Fisher's linear discriminants: where the means of the classes lie apart.

    Axes along which the variance within classes is 1 and that between them as large as can be, in
    this order. Distances between the projections of the means are their Mahalanobis distances.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> from gaussbayes.datasets import load_iris
    >>> iris = load_iris()
    >>> model = GaussianClassifier(shared=True).fit(iris.rows, iris.labels)
    >>> axes = discriminant_axes(model.model_)
    >>> axes.ratio.round(4).tolist(), axes.project(iris.rows).shape
    ([0.9912, 0.0088], (150, 2))
    """

    anchor: FloatArray  # (d,) near the mean of the classes' means, weighted by their priors
    offset: FloatArray  # (d,) of that mean from it, so that no digit is lost far from 0
    scalings: FloatArray  # (d, r) projections of rows on the axes
    ratio: FloatArray  # (min(k − 1, d),) the proportion of the variance between classes on each

    @property
    def center(self) -> FloatArray:
        """The mean of the classes' means (d,), weighted by their priors: 0 on all axes."""
        return np.asarray(self.anchor + self.offset)

    @property
    def n_axes(self) -> int:
        """How many axes there are on which the means differ."""
        return int(self.scalings.shape[1])

    def about_zero(self) -> "DiscriminantAxes":
        """The same axes through the origin of the features."""
        return replace(self, anchor=np.zeros_like(self.anchor), offset=np.zeros_like(self.offset))

    def project(self, X: RealArray) -> FloatArray:
        """Complete rows (n, d) on the axes (n, r)."""
        places = np.empty((X.shape[0], self.n_axes))
        for block in ranges(X.shape[0], _BLOCK):
            np.matmul(X[block] - self.anchor, self.scalings, out=places[block])
        places -= self.offset @ self.scalings
        return places

    def project_rows(self, model: Model, rows: Rows, n_jobs: int | None = None) -> RealArray:
        """Rows of a model on the axes (n, r), in their float type.

        Of rows with missing values the expectations, given what is there.
        """
        with np.errstate(invalid="ignore"):
            places = self.project(rows.matrix)
        if not np.isfinite(places).all():
            check_finite(rows.matrix, allow_nan=True)
            some = np.flatnonzero(np.isnan(places).any(axis=1))
            places[some] = self.project(expected_rows(model, rows[some], n_jobs))
        return places.astype(rows.dtype, copy=False)


def discriminant_axes(model: Model, tolerance: float = _TOLERANCE) -> DiscriminantAxes | None:
    """The axes on which the classes of a model with a shared covariance lie apart; else None.

    With the whitener W of Σ and means μ_c about their mean x̄, the singular vectors of the matrix
    with the rows ``√π_c W (μ_c − x̄)`` are the axes; those whose singular value is at most the
    tolerance times the largest are left out. It takes the merged moments alone, no row.
    """
    gaussians = _shared_gaussians(model)
    if gaussians is None:
        return None
    anchor, middle, offset = _means(model, gaussians)
    weighted = np.sqrt(model.prior)[:, None] * offset
    left, spread, _ = np.linalg.svd(_map(gaussians, weighted, "whiten"), full_matrices=False)
    most = min(offset.shape[0] - 1, offset.shape[1])
    kept = int(np.count_nonzero(spread[:most] > tolerance * spread[:1].max(initial=0.0)))
    # Wᵀ v of a singular vector v, by Wᵀ W alone; so that its largest part is positive.
    scalings = _map(gaussians, left[:, :kept].T @ weighted, "times_precision").T / spread[:kept]
    largest = np.abs(scalings * np.sqrt(_variances(model))[:, None]).argmax(axis=0)
    scalings *= np.sign(scalings[largest, np.arange(kept)])
    total = float(np.square(spread).sum())
    ratio = np.square(spread[:most]) / total if total > 0 else np.zeros(most)
    return DiscriminantAxes(anchor, middle, scalings, ratio)


def linear_scores(
    model: Model, rows: Rows, *, centred: bool = False, n_jobs: int | None = None
) -> RealArray:
    """``w_cᵀ x + w_c0`` (n, k): log posteriors, but for a term that all classes have in common.

    For three classes or more; see `linear_discriminants`. Of rows with missing values they are the
    log posteriors.
    """
    linear = linear_discriminants(model, centred=centred)
    if linear is None:
        raise OptionError(_NO_AXES)
    scores = rows.matrix.astype(np.float64, copy=False) @ linear[0].T + linear[1]
    incomplete = np.flatnonzero(np.isnan(rows.matrix).any(axis=1))
    if incomplete.size:
        scores[incomplete] = model.log_posterior(rows[incomplete], n_jobs)
    return scores.astype(rows.dtype, copy=False)


def quadratic_scores(model: Model, rows: Rows, n_jobs: int | None = None) -> RealArray:
    """``log π_c − ½ (log |Σ_c| + (x − μ_c)ᵀ Σ_c⁻¹ (x − μ_c))`` (n, k), by what is not missing.

    That is the log joint density without the powers of 2π.
    """
    n_observed = np.count_nonzero(~np.isnan(rows.matrix), axis=1)
    constant = 0.5 * np.log(2.0 * np.pi) * n_observed[:, None]
    return np.asarray(model.log_joint(rows, n_jobs) + constant, dtype=rows.dtype)


_axes: WeakKeyDictionary[Model, dict[float, DiscriminantAxes | None]] = WeakKeyDictionary()


def discriminant_coordinates(
    model: Model,
    rows: Rows,
    tolerance: float = _TOLERANCE,
    *,
    centred: bool = True,
    n_jobs: int | None = None,
) -> RealArray:
    """Rows on the discriminant axes (n, r), in their float type.

    Of rows with missing values the expectations, given what is there. If not `centred`, the origin
    of the features is 0 on all axes. The axes of a model are worked out once.
    """
    known = _axes.setdefault(model, {})
    if tolerance not in known:
        known[tolerance] = discriminant_axes(model, tolerance)
    axes = known[tolerance]
    if axes is None:
        raise OptionError(_NO_AXES)
    return (axes if centred else axes.about_zero()).project_rows(model, rows, n_jobs)


def projected_model(model: Model, n_axes: int = 2) -> Model:
    """The classes of a model as seen on its first discriminant axes, by which features are called.

    The means on the axes, and the identity for the covariance that they share.
    """
    axes = discriminant_axes(model)
    if axes is None or not axes.n_axes:
        raise OptionError(_NO_AXES)
    r = min(n_axes, axes.n_axes)
    names = [f"discriminant {j + 1} ({100 * axes.ratio[j]:.1f} %)" for j in range(r)]
    given: dict[str, Any] = {"covariance": "full", "shared": True, "feature_names": names}
    means = axes.project(class_means(model))[:, :r]
    return given_model(model.prior, means, np.eye(r), model.classes, **given)


def _variances(model: Model) -> FloatArray:
    """The variances of the features (d,) within classes, in which parts are comparable."""
    variance = np.einsum("...ii->...i", class_covariances(model)).reshape(
        -1, model.schema.n_features
    )
    return np.asarray(np.where(variance[0] > 0, variance[0], 1.0))


def _shared_gaussians(model: Model) -> list[tuple[list[int], Whitened]] | None:
    """The densities with their columns, if all are Gaussians with one covariance; else None."""
    gaussians = []
    for component, density in zip(model.components, model.densities, strict=True):
        shared = isinstance(density, Whitened) and (density.shared or model.classes.shape[0] == 1)
        if not shared:
            return None
        gaussians.append((list(component.columns), density))
    return gaussians


def _means(
    model: Model, gaussians: Sequence[tuple[list[int], Whitened]]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mean of the means, weighted by the priors, as a sum of two (d,); offsets from it (k, d)."""
    k, d = model.classes.shape[0], model.schema.n_features
    center, offset = np.empty(d), np.empty((k, d))
    for columns, density in gaussians:
        center[columns], offset[:, columns] = density.located
    middle = model.prior @ offset
    return center, middle, offset - middle


def _map(
    gaussians: Sequence[tuple[list[int], Whitened]], vectors: FloatArray, step: str
) -> FloatArray:
    """`whiten` or `times_precision` of vectors (n, d), each density those of its columns."""
    if len(gaussians) == 1:
        columns, density = gaussians[0]
        return np.asarray(getattr(density, step)(vectors))
    if step == "whiten":
        parts = [density.whiten(vectors[:, columns]) for columns, density in gaussians]
        return np.concatenate(parts, axis=1)
    product = np.empty_like(vectors)
    for columns, density in gaussians:
        product[:, columns] = density.times_precision(vectors[:, columns])
    return product


def _is_gaussian(density: Any) -> bool:
    return isinstance(density, Distant) and not isinstance(density, Warped)


def _precisions(model: Model, wanted: str) -> tuple[FloatArray, FloatArray]:
    """Inverse covariances (k, d, d) and their log determinants (k,), by the correlations."""
    for component, density in zip(model.components, model.densities, strict=True):
        if not _is_gaussian(density):
            features = ", ".join(model.schema.feature_name(column) for column in component.columns)
            msg = (
                f"{wanted} needs Gaussian features with estimated covariances, but {features:.200} "
                f"({component.family.name}) are not: leave them out (marginal), or see log_odds"
            )
            raise OptionError(msg)
    k, d = model.classes.shape[0], model.schema.n_features
    covariances = np.broadcast_to(class_covariances(model), (k, d, d))
    deviation, scaled = np.sqrt(np.einsum("kii->ki", covariances)), correlations(covariances)
    inverse = np.linalg.inv(scaled) / deviation[:, :, None] / deviation[:, None, :]
    log_determinants = np.linalg.slogdet(scaled)[1] + 2.0 * np.log(deviation).sum(axis=1)
    return 0.5 * (inverse + inverse.swapaxes(1, 2)), log_determinants


def _sum(terms: list[tuple[float, str]]) -> str:
    """Numbers times names, those that are rounding left out."""
    largest = max((abs(value) for value, _ in terms), default=0.0)
    written = ""
    for value, name in terms:
        if abs(value) > _NOTHING * largest:
            sign = ("-" if value < 0 else "") if not written else (" - " if value < 0 else " + ")
            number = f"{abs(value):.4g}"
            written += sign + (name[1:] if name and number == "1" else number + name)
    return written or "0"
