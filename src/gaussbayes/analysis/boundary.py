"""The boundary between two classes: its equation, and its points in one dimension.

``log p(a | x) − log p(b | x) = xᵀ Q x + wᵀ x + w₀`` for Gaussian classes, with
``Q = ½ (Σ_b⁻¹ − Σ_a⁻¹)``, ``w = Σ_a⁻¹ μ_a − Σ_b⁻¹ μ_b`` and ``w₀ = log (π_a / π_b) + ½ (μ_bᵀ Σ_b⁻¹
μ_b − μ_aᵀ Σ_a⁻¹ μ_a + log |Σ_b| − log |Σ_a|)``. With a shared covariance Q is 0: the boundary is
straight.

In one dimension every family knows the roots of the log-odds; a quadratic has two. A boundary of
counts lies halfway between two integers. Categories have no order, and no boundary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gaussbayes.analysis.class_moments import class_covariances, class_means, correlations
from gaussbayes.base.errors import OptionError
from gaussbayes.base.result import Result
from gaussbayes.base.text_tables import Block
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import number_rows
from gaussbayes.families.protocol import Crossing, Discrete, Distant, Tabulated, Warped, require
from gaussbayes.model.model import Model

_HALVINGS = 60
_FARTHEST = 1e150  # beyond it squares overflow; nearly equal tails cross out there
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
            msg = (
                f"the equation of a boundary needs Gaussian features, but {features:.200} "
                f"({component.family.name}) are not; use the model without them"
            )
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


# One dimension.


@dataclass(frozen=True, slots=True)
class Change:
    """A point at which the most probable class changes."""

    position: float
    left: int  # the code of the class below the position
    right: int  # the code of the class above it


def decision_boundaries(model: Model) -> tuple[Change, ...]:
    """Return where the most probable class of a model of one feature changes, from left to right.

    Between neighbouring roots of the log-odds of all pairs the order of the classes does not
    change, so that one prediction in each interval shows which roots are boundaries.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]])
    >>> decision_boundaries(model.model_)
    (Change(position=2.0, left=0, right=1),)
    """
    model = getattr(model, "model_", model)
    if model.schema.n_features != 1:
        msg = f"boundaries are points only with 1 feature; this model has {model.schema.n_features}"
        raise OptionError(msg)
    density = model.densities[0]
    if isinstance(density, Tabulated):
        return ()
    if isinstance(density, Discrete):
        return _between_integers(model, *density.integers)
    if isinstance(density, Warped):
        solution = replace(model.parameters, densities=(density.straight,))
        found = decision_boundaries(replace(model, solution=solution))
        points = density.warp(np.array([[change.position] for change in found]).reshape(-1, 1))
        pairs = zip(found, points[:, 0].tolist(), strict=True)
        return tuple(replace(change, position=position) for change, position in pairs)
    roots = _all_roots(model)
    if not roots.size:
        return ()
    # Beyond the last root any point will do that is not the root itself.
    reach = 1.0 + np.ptp(roots) + 4.0 * np.spacing(np.abs(roots).max())
    inside = [left + (right - left) / 2 for left, right in pairwise(roots)]
    points = np.array([roots[0] - reach, *inside, roots[-1] + reach])
    codes = model.labels(number_rows(points[:, None]), 1)
    if model.calibration is not None:
        roots = _bisected(model, points, codes)
    return tuple(
        Change(float(root), left, right)
        for root, (left, right) in zip(roots, pairwise(codes.tolist()), strict=True)
        if left != right
    )


def _bisected(model: Model, points: FloatArray, codes: NDArray[np.intp]) -> FloatArray:
    """Return where the class changes between neighbouring points, by bisection.

    A calibrated posterior contains some of the prior, so that its odds have no closed roots.
    """
    low, high = points[:-1].copy(), points[1:].copy()
    for _ in range(_HALVINGS):
        middle = low + (high - low) / 2
        same = model.labels(number_rows(middle[:, None]), 1) == codes[:-1]
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return low + (high - low) / 2


def _all_roots(model: Model) -> FloatArray:
    """Return the roots of the log-odds of all pairs of classes, sorted."""
    pairs = combinations(np.flatnonzero(model.prior > 0).tolist(), 2)
    roots = np.concatenate([np.empty(0), *(_roots(model, *pair) for pair in pairs)])
    return np.unique(roots[np.abs(roots) < _FARTHEST])


def _roots(model: Model, a: int, b: int) -> FloatArray:
    """Return the points x at which ``log p(a | x) = log p(b | x)``."""
    log_prior, family = model.parameters.log_prior, model.components[0].family
    density = require(model.densities[0], Crossing, family, "a decision boundary")
    constant, calibration = float(log_prior[a] - log_prior[b]), model.calibration
    if calibration is not None:
        shift = float(calibration.offsets[a] - calibration.offsets[b])
        constant = (constant + shift) / calibration.temperature
    return density.crossings((a, b), constant)


def _between_integers(model: Model, least: float, largest: float) -> tuple[Change, ...]:
    """Return the changes between integers: next to a root, or beside the least one.

    A rate of 0 makes all integers but the least impossible.
    """
    near = np.array([least])
    if largest > least + 1.0:
        near = np.append(np.floor(_all_roots(model)), near)
    integers = np.unique(np.clip(near[:, None] + np.arange(-1.0, 3.0), least, largest))
    possible = np.isfinite(model.log_evidence(number_rows(integers[:, None]), 1))
    codes = np.full(integers.shape, -1)
    codes[possible] = model.labels(number_rows(integers[possible, None]), 1)
    return tuple(
        Change(float(before) + 0.5, left, right)
        for before, (left, right) in zip(integers, pairwise(codes.tolist()), strict=False)
        if left != right and min(left, right) >= 0
    )
