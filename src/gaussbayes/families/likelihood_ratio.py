"""Likelihood ratios of two samples, with Bartlett's correction.

``L = 2 (log likelihood of each sample under its own parameters − log likelihood of both under
common parameters)`` is large if the parameters differ. Under common parameters, ``L f / E[L]``
follows χ² with f degrees of freedom up to terms in 1/n² (Bartlett 1937); sums of independent
statistics add up f and E[L].

For Gaussians the expectation is exact: ``E log |A| = p log 2 + Σ_{i<p} ψ((n − i) / 2)`` for a
Wishart matrix A of p features with n degrees of freedom. For counts it is Williams' (1976)
approximation.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from gaussbayes.base.types import FloatArray
from gaussbayes.data.schema import Schema

Ratio: TypeAlias = tuple[float, float, float]
"""A statistic, its degrees of freedom, and its expectation under common parameters."""


def bartlett_p_value(statistic: float, degrees: float, expected: float) -> float:
    """Return the probability of a statistic at least this large under common parameters.

    >>> round(bartlett_p_value(2 * 5.991464547107979, 2.0, 4.0), 12)
    0.05
    """
    from scipy.special import chdtrc

    return float(chdtrc(degrees, statistic * degrees / expected)) if degrees else 1.0


def expected_determinants(
    p: int, parts: Sequence[tuple[float, float]], whole: tuple[float, float]
) -> float:
    """Return the expectation of ``N log |B / N| − Σ_g N_g log |A_g / N_g|`` of matrices (p, p).

    The A_g, of `parts` ``(n_g, N_g)``, are independent Wishart matrices with n_g degrees of
    freedom, and B, of `whole` ``(n, N)``, is their sum, or that of them and another; N is Σ N_g.
    """
    from scipy.special import digamma

    def log_determinant(n: float, weight: float) -> float:
        terms = digamma((n - np.arange(p)) / 2.0) - np.log(weight / 2.0)
        return weight * float(terms.sum())

    return log_determinant(*whole) - sum(log_determinant(*part) for part in parts)


@dataclass(frozen=True, slots=True, eq=False)
class LikelihoodRatio:
    """The likelihood ratio of two samples for some parameters of a class.

    A detail concerns a subset of the parameters of another ratio.
    """

    quantity: str  # such as "means and covariances"
    code: int | None  # of the class; None for all classes together
    statistic: float
    degrees: float  # number of parameters compared
    expected: float  # of the statistic, under common parameters
    is_detail: bool = False

    @property
    def p_value(self) -> float:
        """The probability of a statistic at least this large under common parameters."""
        return bartlett_p_value(self.statistic, self.degrees, self.expected)


@dataclass(frozen=True, slots=True)
class FeatureChange:
    """A parameter of one feature in one class, in either sample."""

    feature: str
    code: int | None  # of the class; None for all classes together
    quantity: str  # such as "mean"
    before: float
    after: float
    p_value: float  # NaN if there are too few rows
    tested: tuple[float, float] | None = None  # in the units of a transform


@dataclass(frozen=True, slots=True, eq=False)
class FamilyTests:
    """The likelihood ratios of two samples of the columns of a family."""

    ratios: tuple[LikelihoodRatio, ...]
    changes: tuple[FeatureChange, ...]
    notes: tuple[str, ...] = ()  # features that could not be tested, and approximations


@runtime_checkable
class Contrastable(Protocol):
    """Statistics that can be compared with others of the same columns and classes."""

    def tested(self, other: Any, names: Schema) -> FamilyTests:
        """Likelihood ratios of each class with rows in both."""


def contingency(counts: FloatArray) -> Ratio:
    """Return G of a table of counts (2, m) of two samples.

    ``G = 2 Σ n_gm log(n_gm N / (n_g n_m))`` has the expectation f q with Williams' ``q =
    1 + (Σ_g N / n_g − 1) (Σ_m N / n_m − 1) / (6 N f)``, where f = m − 1 for the m columns that are
    not empty. Weights count as numbers of rows.

    >>> statistic, degrees, expected = contingency(np.array([[30.0, 20.0], [20.0, 30.0]]))
    >>> round(statistic, 3), degrees
    (4.027, 1.0)
    """
    counts = counts[:, counts.any(axis=0)]
    sizes, columns, total = counts.sum(axis=1), counts.sum(axis=0), float(counts.sum())
    degrees = float(max(counts.shape[1] - 1, 0))
    if degrees == 0 or not sizes.all():
        return 0.0, 0.0, 0.0
    expected = sizes[:, None] * columns / total
    statistic = _deviance(counts, expected)
    correction = ((total / sizes).sum() - 1.0) * ((total / columns).sum() - 1.0)
    return statistic, degrees, degrees + correction / (6 * total)


def rates(events: FloatArray, exposure: FloatArray) -> Ratio:
    """Return G of numbers of events (2,) in numbers of rows (2,), with one degree of freedom.

    Given their sum the events are binomial, with the proportions of the rows.
    """
    total = float(events.sum())
    if total == 0 or not exposure.all():
        return 0.0, 0.0, 0.0
    proportion = exposure / exposure.sum()
    statistic = _deviance(events, total * proportion)
    return statistic, 1.0, 1.0 + float((1.0 / proportion).sum() - 1.0) / (6 * total)


def _deviance(counts: FloatArray, expected: FloatArray) -> float:
    """``2 Σ n log(n / expected)``, 0 log 0 being 0."""
    ratio = np.divide(counts, expected, out=np.ones_like(expected), where=counts > 0)
    return max(float(2.0 * (counts * np.log(ratio)).sum()), 0.0)
