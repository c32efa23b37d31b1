"""Likelihood ratios of two samples, with the exact law of the statistic where nothing has changed.

``L = 2 (log likelihood of each sample by its own parameters − log likelihood of both by common
ones)`` is large where the parameters differ. For Gaussians its law under common parameters does not
depend on them, and its moment generating function is known: determinants of Wishart matrices have
the moments

    E |A|^h = 2^{ph} Γ_p(n/2 + h) / Γ_p(n/2),    A ~ W_p(n, I),

so that ``log E exp(s L)`` is a sum of ``log Γ(a − b s)`` (Anderson, An Introduction to Multivariate
Statistical Analysis, chapters 8 and 10). `NullLaw` turns it into p-values by an integral in the
complex plane, to ten digits, however small the samples and the p-values are. Sums of independent
statistics, over classes, features and families, have the product of these functions.

For counts the law is discrete and depends on the parameters: χ² is taken, after Williams' (1976)
correction, which makes the mean right up to terms in 1/n².
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray

_NONE: FloatArray = np.empty(0)

_ROUNDING = 1e-6
"""Statistics up to this, which may be rounding, are taken for 0."""


@dataclass(frozen=True, slots=True, eq=False)
class NullLaw:
    """The law of a statistic L by the logarithm of its moment generating function.

    ``log E exp(s L) = shift s + Σ sign [log Γ(a − b s) − log Γ(a)] − Σ f/2 log(1 − 2 q s)``: the
    second sum is that of q χ² with f degrees of freedom.

    Examples
    --------
    >>> round(NullLaw.chi_squared(2.0).survival(5.991464547107979), 12)
    0.05
    """

    a: FloatArray = field(default_factory=lambda: _NONE)  # (t,)
    b: FloatArray = field(default_factory=lambda: _NONE)  # (t,)
    sign: FloatArray = field(default_factory=lambda: _NONE)  # (t,)
    shift: float = 0.0
    degrees: FloatArray = field(default_factory=lambda: _NONE)  # (u,)
    factor: FloatArray = field(default_factory=lambda: _NONE)  # (u,)

    @classmethod
    def chi_squared(cls, degrees: float, factor: float = 1.0) -> "NullLaw":
        """The law of a multiple of χ²."""
        return cls(degrees=np.array([degrees]), factor=np.array([factor]))

    @classmethod
    def of_determinants(
        cls, p: int, parts: Sequence[tuple[float, float]], whole: tuple[float, float]
    ) -> "NullLaw":
        """That of ``N log |B / N| − Σ_g N_g log |A_g / N_g|`` of matrices (p, p).

        The A_g, of `parts` ``(n_g, N_g)``, are independent Wishart matrices with n_g degrees of
        freedom, and B, of `whole` ``(n, N)``, is their sum and that of another; N is Σ N_g. The
        factor ``|A_g|^h`` of the density makes a Wishart matrix one with 2h more degrees.
        """
        steps = np.arange(p) / 2.0
        signs = [1.0] * len(parts) + [-1.0]
        pairs = [*parts, whole]
        shift = sum(exponent * np.log(exponent) for _, exponent in parts) - whole[1] * np.log(
            whole[1]
        )
        return cls(
            a=np.concatenate([n / 2.0 - steps for n, _ in pairs]),
            b=np.repeat([exponent for _, exponent in pairs], p),
            sign=np.repeat(signs, p),
            shift=float(p * shift),
        )

    @classmethod
    def sum(cls, laws: Iterable["NullLaw"]) -> "NullLaw":
        """The law of a sum of independent statistics."""
        every = list(laws)
        arrays: dict[str, Any] = {
            name: np.concatenate([_NONE, *(getattr(law, name) for law in every)])
            for name in ("a", "b", "sign", "degrees", "factor")
        }
        return cls(**arrays, shift=sum(law.shift for law in every))

    def survival(self, statistic: float) -> float:
        """``P(L ≥ statistic)``, also where it is tiny.

        It is ``1/2πi ∫ E exp(s (L − statistic)) ds / s`` along a curve that crosses the real axis
        between 0 and the first singularity. The curve goes through the saddle point, where the
        integrand is as small as it gets on the real axis, so that nothing cancels, and bends to
        the right, where the integrand falls exponentially; the trapezoidal rule converges as fast.
        """
        from scipy.optimize import minimize_scalar
        from scipy.special import chdtrc

        if not self.b.size and self.degrees.size < 2:
            q = self.factor.sum()
            return float(chdtrc(self.degrees.sum(), statistic / q)) if q else 1.0
        if statistic < _ROUNDING:
            return 1.0
        limits = [self.a[self.sign > 0] / self.b[self.sign > 0], 0.5 / self.factor]
        end = float(np.concatenate(limits).min())

        def exponent(u: float) -> float:
            s = end / (1.0 + np.exp(-u))
            return float((self._cumulants(np.array([s + 0j]))[0] - s * statistic).real - np.log(s))

        u = minimize_scalar(exponent, bounds=(-40.0, 34.0), method="bounded").x
        saddle = float(end / (1.0 + np.exp(-u)))
        second, third = self._derivatives(saddle)
        # Where the exponent stays real near the saddle point, but for the pole at 0.
        bend = max(third / (6.0 * second), 1e-3 / end)
        width = float(1.0 / np.sqrt(second + 1.0 / saddle**2))
        top = float((self._cumulants(np.array([saddle + 0j]))[0] - saddle * statistic).real)

        def integrand(v: FloatArray) -> FloatArray:
            y = width * np.sinh(v)
            s = saddle + 1j * y + bend * np.square(y)
            value = np.exp(self._cumulants(s) - s * statistic - top) / s
            return np.asarray((value * (1j + 2.0 * bend * y)).imag * width * np.cosh(v))

        total, change, step = np.inf, np.inf, 0.125
        for _ in range(10):
            before, last, values = total, change, np.empty(0)
            while not values.size or np.abs(values[-8:]).max() > 1e-15 * np.abs(values).max():
                v = step * np.arange(values.size, values.size + 64, dtype=np.float64)
                values = np.concatenate([values, integrand(v)])
            total = float(values.sum() - 0.5 * values[0]) * step / np.pi
            change, step = abs(total - before), step / 2
            if change <= abs(total) * (1e-11 if change < last else 1e-6):  # the rest is rounding
                break
        return float(min(max(total * np.exp(top), 0.0), 1.0))

    def _cumulants(self, s: Any) -> Any:
        """``log E exp(s L)`` of complex numbers (m,)."""
        from scipy.special import loggamma

        terms = loggamma(self.a - self.b * s[:, None]) - loggamma(self.a)
        others = np.log1p(-2.0 * self.factor * s[:, None]) @ self.degrees / 2.0
        return self.shift * s + terms @ self.sign - others

    def _derivatives(self, s: float) -> tuple[float, float]:
        """The second and third derivatives of ``log E exp(s L)``, s being real."""
        from scipy.special import polygamma

        place, rest = self.a - self.b * s, 1.0 - 2.0 * self.factor * s
        second = self.sign @ (self.b**2 * polygamma(1, place))
        third = -self.sign @ (self.b**3 * polygamma(2, place))
        second += (2.0 * self.factor**2 / rest**2) @ self.degrees
        third += (8.0 * self.factor**3 / rest**3) @ self.degrees
        return float(second), float(third)


@dataclass(frozen=True, slots=True, eq=False)
class LikelihoodRatio:
    """How far two samples speak against common parameters of a class.

    Details are about some of the parameters that another one is about.
    """

    quantity: str  # such as "means and covariances"
    code: int | None  # of the class; None for all classes together
    statistic: float
    degrees: float  # how many parameters are compared
    law: NullLaw
    is_detail: bool = False

    @property
    def p_value(self) -> float:
        """The probability of so large a statistic, or a larger one, where nothing has changed."""
        return self.law.survival(self.statistic)


@dataclass(frozen=True, slots=True)
class FeatureChange:
    """A parameter of one feature in one class, in either sample."""

    feature: str
    code: int | None  # of the class; None for all classes together
    quantity: str  # such as "mean"
    before: float
    after: float
    p_value: float  # NaN if there are too few rows


@dataclass(frozen=True, slots=True, eq=False)
class FamilyTests:
    """What two samples of the columns of a family say against common parameters."""

    ratios: tuple[LikelihoodRatio, ...]
    changes: tuple[FeatureChange, ...]
    notes: tuple[str, ...] = ()  # what could not be tested, or is not exact


@runtime_checkable
class Contrastable(Protocol):
    """Statistics that can be compared with those of other rows of the same columns and classes."""

    def tested(self, other: Any, names: Schema) -> FamilyTests:
        """Likelihood ratios of each class that both have rows of."""


def contingency(counts: FloatArray) -> tuple[float, float, NullLaw]:
    """G of a table of counts (2, m) of two samples, its degrees of freedom, and its law.

    ``G = 2 Σ n_gm log(n_gm N / (n_g n_m))`` is divided by Williams' ``1 + (Σ_g N / n_g − 1)
    (Σ_m N / n_m − 1) / (6 N f)``, with f = m − 1 of the m columns that are not empty. Weights count
    as numbers of rows.

    >>> statistic, degrees, law = contingency(np.array([[30.0, 20.0], [20.0, 30.0]]))
    >>> round(statistic, 3), degrees
    (4.027, 1.0)
    """
    counts = counts[:, counts.any(axis=0)]
    sizes, columns, total = counts.sum(axis=1), counts.sum(axis=0), float(counts.sum())
    degrees = float(max(counts.shape[1] - 1, 0))
    if degrees == 0 or not sizes.all():
        return 0.0, 0.0, NullLaw()
    expected = sizes[:, None] * columns / total
    statistic = _deviance(counts, expected)
    correction = ((total / sizes).sum() - 1.0) * ((total / columns).sum() - 1.0)
    return (
        statistic,
        degrees,
        NullLaw.chi_squared(degrees, 1.0 + correction / (6 * total * degrees)),
    )


def rates(events: FloatArray, exposure: FloatArray) -> tuple[float, float, NullLaw]:
    """G of two numbers of events (2,) in so many rows (2,), one degree of freedom, and its law.

    Given their sum the events are binomial, with the proportions of the rows.
    """
    total = float(events.sum())
    if total == 0 or not exposure.all():
        return 0.0, 0.0, NullLaw()
    proportion = exposure / exposure.sum()
    statistic = _deviance(events, total * proportion)
    factor = 1.0 + ((1.0 / proportion).sum() - 1.0) / (6 * total)
    return statistic, 1.0, NullLaw.chi_squared(1.0, factor)


def _deviance(counts: FloatArray, expected: FloatArray) -> float:
    """``2 Σ n log(n / expected)``, 0 log 0 being 0."""
    ratio = np.divide(counts, expected, out=np.ones_like(expected), where=counts > 0)
    return max(float(2.0 * (counts * np.log(ratio)).sum()), 0.0)
