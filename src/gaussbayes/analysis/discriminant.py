"""The log-odds of Gaussian classes as a polynomial: linear if they share a covariance.

``log p(a | x) − log p(b | x) = xᵀ Q x + wᵀ x + w₀``, with ``Q = ½ (Σ_b⁻¹ − Σ_a⁻¹)``,
``w = Σ_a⁻¹ μ_a − Σ_b⁻¹ μ_b`` and ``w₀ = log (π_a / π_b) + ½ (μ_bᵀ Σ_b⁻¹ μ_b − μ_aᵀ Σ_a⁻¹ μ_a +
log |Σ_b| − log |Σ_a|)``. With one covariance the squares cancel: Q is 0, and the boundary straight.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gaussbayes.analysis.class_moments import class_covariances, class_means, correlations
from gaussbayes.base.errors import CapabilityError
from gaussbayes.base.types import FloatArray
from gaussbayes.families.protocol import Distant, Warped
from gaussbayes.model.model import Model

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


def linear_discriminants(model: Model) -> tuple[FloatArray, FloatArray] | None:
    """Coefficients (k, d) and intercepts (k,): ``log p(c | x) = w_cᵀ x + w_c0 + constant of x``.

    ``w_c = Σ⁻¹ μ_c``, ``w_c0 = log π_c − ½ μ_cᵀ Σ⁻¹ μ_c``; of two classes those of the second less
    those of the first, (1, d) and (1,), as in scikit-learn. None where classes have covariances of
    their own, or features are not Gaussian.
    """
    gaussian = all(_is_gaussian(density) for density in model.densities)
    if not gaussian or class_covariances(model).ndim != 2:
        return None
    precisions, _ = _precisions(model, "linear discriminants")
    means = class_means(model)
    coefficients = means @ precisions[0]
    intercepts = model.parameters.log_prior - 0.5 * np.einsum("kd,kd->k", coefficients, means)
    if means.shape[0] == 2:
        return np.diff(coefficients, axis=0), np.diff(intercepts)
    return coefficients, intercepts


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
            raise CapabilityError(msg)
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
