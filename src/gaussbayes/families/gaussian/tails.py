"""Student-t densities by squared distances: Gaussians with uncertain covariances.

With the location m_c, the scale matrix Λ_c and ν_c degrees of freedom

    log p(x | c) = log Γ((ν+d)/2) − log Γ(ν/2) − ½ (d log νπ + log |Λ| + (ν+d) log(1 + u/ν)),
    u = (x − m)ᵀ Λ⁻¹ (x − m)

A Gaussian is the limit of infinite ν; then the degrees of freedom are None. The marginal of a
Student-t has the same entries of m and Λ and the same ν.
"""

import numpy as np

from gaussbayes.base.errors import OptionError
from gaussbayes.base.types import FloatArray
from gaussbayes.families.expression import LOG_2_PI, student_constant
from gaussbayes.families.protocol import ParameterTable


def log_density(
    squares: FloatArray,
    half_log_det: FloatArray,
    degrees: FloatArray | None,
    n_features: FloatArray | int,
) -> FloatArray:
    """Log densities (n, k) by ``u`` (n, k), ``½ log |Λ|`` and degrees of freedom.

    Examples
    --------
    >>> squares, half_log_det = np.array([[0.0], [4.0]]), np.zeros((1, 1))
    >>> log_density(squares, half_log_det, np.array([3.0]), 1).round(6).ravel().tolist()
    [-1.000889, -2.695485]
    """
    if degrees is None:
        return np.asarray(-0.5 * (squares + n_features * LOG_2_PI) - half_log_det)
    constant = student_constant(degrees, n_features) - half_log_det
    return np.asarray(constant - 0.5 * (degrees + n_features) * np.log1p(squares / degrees))


def chi_square_distance(
    squares: FloatArray, n_features: FloatArray, degrees: FloatArray | None
) -> FloatArray:
    """Squared distances (n, k) of a Gaussian with the same tail probability."""
    if degrees is None:
        return squares
    from scipy.special import betainc, gammainccinv

    half = 0.5 * np.maximum(n_features, 1.0)[:, None]
    tail = betainc(0.5 * degrees, half, degrees / (degrees + squares))
    return np.asarray(2.0 * gammainccinv(half, tail))


def line_integrals(A: float, B: float, C: float) -> tuple[float, float]:
    """The integrals of ``1/q`` and ``α/q`` for ``q = A α² + 2 B α + C`` over 0 ≤ α ≤ 1."""
    if A == 0.0:  # nothing moves
        return 1.0 / C, 0.5 / C
    root = np.sqrt(max(A * C - B * B, 0.0))
    plain = np.arctan2(root, B + C) / root if root > 0 else 1.0 / (B + C)
    rising = (0.5 * np.log((A + 2.0 * B + C) / C) - B * plain) / A
    return float(plain), float(rising)


def spread(degrees: FloatArray | None) -> FloatArray:
    """The ratio of covariances to scale matrices (k,), or (1,) for Gaussians."""
    return np.ones(1) if degrees is None else np.asarray(degrees / (degrees - 2.0))


def check_gaussian(degrees: FloatArray | None, what: str) -> None:
    """Raise for Student-t densities, for which `what` is not defined."""
    if degrees is not None:
        msg = f"{what} is not defined for Student-t densities, of parameters integrated out"
        raise OptionError(msg)


def table_of(degrees: FloatArray | None) -> tuple[ParameterTable, ...]:
    """The degrees of freedom as a table, if there are any."""
    if degrees is None:
        return ()
    return (ParameterTable("degrees of freedom", ("ν",), degrees[:, None]),)
