"""The equation of the boundary between two classes.

``log p(a | x) − log p(b | x) = xᵀ Q x + wᵀ x + w₀`` for Gaussian classes, with
``Q = ½ (Σ_b⁻¹ − Σ_a⁻¹)``, ``w = Σ_a⁻¹ μ_a − Σ_b⁻¹ μ_b`` and ``w₀ = log (π_a / π_b) + ½ (μ_bᵀ Σ_b⁻¹
μ_b − μ_aᵀ Σ_a⁻¹ μ_a + log |Σ_b| − log |Σ_a|)``. With a shared covariance Q is 0: the boundary is
straight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gaussbayes.analysis.class_moments import class_covariances, class_means, correlations
from gaussbayes.base.errors import OptionError
from gaussbayes.base.result import Result
from gaussbayes.base.text_tables import Block
from gaussbayes.base.types import FloatArray
from gaussbayes.families.protocol import Distant, Warped
from gaussbayes.model.model import Model

_NOTHING = 1e-12  # proportion of the largest term below which a term of the equation is rounding


@dataclass(frozen=True, slots=True, eq=False)
class Boundary(Result):
    """``log p(a | x) − log p(b | x) = xᵀ Q x + wᵀ x + w₀``; the boundary is where it is 0.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> X, y = [[1, 8], [2.5, 7.5], [2, 7], [8.5, 2.5], [9, 2], [8, 1]], list("bbbaaa")
    >>> print(GaussianClassifier(shared=True).fit(X, y).boundary("a", "b"))
    log-odds of 'a' to 'b' = 24·x0 - 20.4·x1 - 28.8
    boundary: x1 = 1.176·x0 - 1.412
    """

    classes: tuple[object, object]  #: a and b
    features: tuple[str, ...]  #: their names
    quadratic: FloatArray  #: Q (d, d), symmetric; 0 if the classes share a covariance
    linear: FloatArray  #: w (d,)
    constant: float  #: w₀

    @property
    def is_linear(self) -> bool:
        """Whether the boundary is a line, plane or hyperplane."""
        return not self.quadratic.any()

    def __call__(self, X: ArrayLike) -> FloatArray:
        """Return the log-odds (n,) of rows (n, d)."""
        rows = np.asarray(X, dtype=np.float64)
        squares = np.einsum("ni,ij,nj->n", rows, self.quadratic, rows)
        return np.asarray(squares + rows @ self.linear + self.constant)

    def __str__(self) -> str:
        return "\n".join(map(str, self.tables()))

    def tables(self) -> Sequence[Block]:
        """Return the equation and, if it can be solved for a feature, that of the boundary."""
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
        return lines


def boundary(model: Model, a: int, b: int) -> Boundary:
    """Return the log-odds of two classes, given by code, whose features are all Gaussian."""
    if model.settings.is_combined:
        msg = "the boundaries of a pooled or averaged model have no equation"
        raise OptionError(msg)
    prior, means = model.parameters.log_prior, class_means(model)
    precisions, log_determinants = _precisions(model)
    center = means[[a, b]].mean(axis=0)  # about it nothing large cancels
    offset = means - center
    quadratic = 0.5 * (precisions[b] - precisions[a])
    weights = {code: precisions[code] @ offset[code] for code in (a, b)}
    half = {c: 0.5 * (offset[c] @ weights[c] + log_determinants[c]) - prior[c] for c in (a, b)}
    linear = weights[a] - weights[b]
    constant = half[b] - half[a] - linear @ center + center @ quadratic @ center
    labels = model.classes[[a, b]].tolist()
    return Boundary(
        (labels[0], labels[1]),
        model.schema.features or tuple(f"x{j}" for j in range(model.schema.n_features)),
        quadratic,
        linear - 2.0 * quadratic @ center,
        float(constant),
    )


def _precisions(model: Model) -> tuple[FloatArray, FloatArray]:
    """Return inverse covariances (k, d, d) and log determinants (k,), by the correlations."""
    for component, density in zip(model.components, model.densities, strict=True):
        if not isinstance(density, Distant) or isinstance(density, Warped):
            features = ", ".join(model.schema.feature_name(column) for column in component.columns)
            why = f"are {component.family.name}: `marginal` gives the model without them"
            if isinstance(density, Warped):
                why = "are transformed: fit a model without transforms"
            msg = f"the equation of a boundary needs Gaussian features, but {features:.200} {why}"
            raise OptionError(msg)
    k, d = model.classes.shape[0], model.schema.n_features
    covariances = np.broadcast_to(class_covariances(model), (k, d, d))
    deviation, scaled = np.sqrt(np.einsum("kii->ki", covariances)), correlations(covariances)
    inverse = np.linalg.inv(scaled) / deviation[:, :, None] / deviation[:, None, :]
    log_determinants = np.linalg.slogdet(scaled)[1] + 2.0 * np.log(deviation).sum(axis=1)
    return 0.5 * (inverse + inverse.swapaxes(1, 2)), log_determinants


def _sum(terms: list[tuple[float, str]]) -> str:
    """Return numbers times names as text, without terms that are rounding."""
    largest = max((abs(value) for value, _ in terms), default=0.0)
    written = ""
    for value, name in terms:
        if abs(value) > _NOTHING * largest:
            sign = ("-" if value < 0 else "") if not written else (" - " if value < 0 else " + ")
            number = f"{abs(value):.4g}"
            written += sign + (name[1:] if name and number == "1" else number + name)
    return written or "0"
