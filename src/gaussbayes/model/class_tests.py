"""Tests between the classes of one model, from its statistics: Box's M and Wilks' lambda.

For k normal classes with n_c rows of d features, N in all, the covariances are ``S_c = A_c / (n_c −
1)`` and the pooled one is ``S = Σ_c A_c / (N − k)``. If all classes have the same covariance,

    M = (N − k) log |S| − Σ_c (n_c − 1) log |S_c|

times Box's correction follows χ² with ``d (d + 1) (k − 1) / 2`` degrees of freedom. If all classes
have the same mean as well, the F approximation of Rao (1973) applies to ``Λ = |W| / |W + B|``, with
the scatters W within the classes and B between their means.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gaussbayes.base.numerals import five_digits, score
from gaussbayes.base.text_tables import TextTable
from gaussbayes.base.types import FloatArray
from gaussbayes.families.protocol import Scattered
from gaussbayes.model.model import Model

_SINGULAR = 1e-12  # proportion of a variance that the other features leave unexplained
_MOST_PRODUCTS = 10**9  # multiplications for determinants: a tenth of a second


@dataclass(frozen=True, slots=True)
class ClassTest:
    """A test of a hypothesis about all classes of a model."""

    hypothesis: str  #: such as "equal covariances"
    name: str  #: of the statistic
    statistic: float  #: Box's M or Wilks' lambda
    distribution: str  #: distribution of the transformed statistic, such as "χ²(20)"
    value: float  #: the transformed statistic
    p_value: float  #: probability of a value at least this large under the hypothesis


def class_tests(model: Model) -> tuple[ClassTest, ...]:
    """Test whether the covariances, and the means, of the classes are equal.

    The tests need one block of Gaussian features, complete rows and, for covariances, scatters of
    each class with more rows than features. Transformed features are tested after the transform.
    """
    if model.statistics is None or model.statistics.unlabelled is not None:
        return ()
    parts = model.statistics.members(model.settings)[0].parts
    found = [part.scatters() for part in parts if isinstance(part, Scattered)]
    if len(found) != 1 or found[0] is None:
        return ()
    weight, scatter, total = found[0]
    if scatter.ndim == 3:
        scatter = scatter[weight > 0]
    weight = weight[weight > 0]
    k, d, deviation = weight.size, total.shape[0], np.sqrt(np.diagonal(total))
    testable = k > 1 and weight.sum() - k > d > 0 and deviation.min() > 0
    if not testable or k * d**3 > _MOST_PRODUCTS:
        return ()
    # In units of the deviations, determinants neither overflow nor vanish.
    units = np.multiply.outer(deviation, deviation)
    tests = []
    within = scatter
    if scatter.ndim == 3:
        within = scatter.sum(axis=0)
        if weight.min() > d:
            tests.append(_box(scatter / units, weight))
    tests.append(_wilks(within / units, total / units, float(weight.sum()), k))
    return tuple(test for test in tests if np.isfinite(test.value))


def _box(scatter: FloatArray, weight: FloatArray) -> ClassTest:
    """Test equal covariances by scatters (k, d, d) of rows (k,)."""
    from scipy.special import chdtrc

    k, d = scatter.shape[:2]
    degrees = weight - 1.0
    pooled = float(degrees.sum())
    each = _log_determinants(scatter / degrees[:, None, None])
    whole = _log_determinants(scatter.sum(axis=0) / pooled)
    statistic = float(pooled * whole - degrees @ each)
    factor = (2 * d * d + 3 * d - 1) / (6 * (d + 1) * (k - 1))
    value = statistic * (1.0 - factor * float((1.0 / degrees).sum() - 1.0 / pooled))
    freedom = d * (d + 1) * (k - 1) // 2
    p_value = float(chdtrc(freedom, max(value, 0.0)))
    return ClassTest("equal covariances", "Box's M", statistic, f"χ²({freedom})", value, p_value)


def _wilks(within: FloatArray, total: FloatArray, n: float, k: int) -> ClassTest:
    """Test equal means by the scatters (d, d) within the classes and of all rows."""
    from scipy.special import fdtrc

    p, q = within.shape[0], k - 1
    log_ratio = float(_log_determinants(within) - _log_determinants(total))
    power = 1.0
    if p * p + q * q > 5:
        power = float(np.sqrt((p * p * q * q - 4) / (p * p + q * q - 5)))
    second = (n - 1 - (p + q + 1) / 2) * power - (p * q - 2) / 2
    value = float(np.expm1(-log_ratio / power)) * second / (p * q)
    distribution = f"F({p * q}, {second:.5g})"
    p_value = float(fdtrc(p * q, second, max(value, 0.0)))
    statistic = float(np.exp(log_ratio))
    return ClassTest("equal means", "Wilks' lambda", statistic, distribution, value, p_value)


def _log_determinants(matrices: FloatArray) -> FloatArray:
    """Return log determinants (…) of covariances (…, d, d); NaN if one is singular."""
    deviation = np.sqrt(np.diagonal(matrices, axis1=-2, axis2=-1))
    with np.errstate(all="ignore"):
        correlation = matrices / (deviation[..., None] * deviation[..., None, :])
    try:
        pivots = np.diagonal(np.linalg.cholesky(correlation), axis1=-2, axis2=-1)
    except np.linalg.LinAlgError:
        return np.full(matrices.shape[:-2], np.nan)
    regular = np.square(pivots).min(axis=-1) > _SINGULAR
    return np.where(regular, 2.0 * np.log(pivots * deviation).sum(axis=-1), np.nan)


def table_of_tests(tests: Sequence[ClassTest]) -> TextTable:
    """Return the tests as a table."""
    rows = [
        (
            test.hypothesis,
            test.name,
            five_digits(test.statistic),
            test.distribution,
            five_digits(test.value),
            score(test.p_value),
        )
        for test in tests
    ]
    columns = ("classes have", "test", "statistic", "distribution", "value", "p")
    return TextTable(columns, rows, "tests between the classes", sides="llrlr")
