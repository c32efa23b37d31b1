"""Tail probabilities of squared distances, by tables where there are many.

A squared Mahalanobis distance D² of d features, by a covariance with infinitely many degrees of
freedom ν, follows χ² with d degrees of freedom; by an estimate, a scaled D² follows F:

    P(χ²_d ≥ D²) = Q(d/2, z²),                   z = √(D²/2)
    P(F ≥ f)     = I(a, d/2; 1 / cosh² z),       z = arsinh √w,  w = f d / 2a,  a = (ν − d + 1)/2

with the regularised incomplete gamma function Q and beta function I. One of these takes about a
microsecond, a hundred multiplications of a distance. Both depend on z smoothly, and so do their
logarithms, which cubic polynomials between equally spaced values of z interpolate: the relative
error is below 10⁻⁹ also where the probability is 10⁻²⁷⁰. The number of values is doubled until all
midpoints confirm this.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from gaussbayes.base.threads import ranges
from gaussbayes.base.types import FloatArray

_WORTH_A_TABLE = 1 << 14  # probabilities that take longer than a table
_TABULATED = 1e-270  # the least probability in a table: special functions lose digits below
_RELATIVE_ERROR = 1e-9
_BLOCK = 1 << 14  # probabilities that are interpolated at a time, in the cache

_Tail = Callable[[FloatArray | np.float64], FloatArray]


def tail_probabilities(
    squares: FloatArray, n_features: FloatArray, degrees: FloatArray
) -> FloatArray:
    """Return ``P(χ²_d ≥ D²)``, or ``P(F(d, ν − d + 1) ≥ w (ν − d + 1)/d)`` if ν is finite.

    Parameters
    ----------
    squares : (n, k)
        D² of rows from classes if ν is infinite, else w.
    n_features : (n,)
        The features d of each row. Without any, the probability is 1.
    degrees : (k,)
        The degrees of freedom ν of the covariance of each class.

    Returns
    -------
    (n, k)
        The probabilities, with a relative error below 1e-9, also in the tail, down to 1e-270.

    Examples
    --------
    >>> squares, infinite = np.array([[0.0], [5.991465], [1000.0]]), np.array([np.inf])
    >>> tail = tail_probabilities(squares, np.array([2.0, 2.0, 2.0]), infinite)
    >>> tail.round(6).ravel().tolist()
    [1.0, 0.05, 0.0]
    >>> print(f"{tail[2, 0]:.3e} {np.exp(-500):.3e}")  # of two features: exp(−D² / 2)
    7.125e-218 7.125e-218
    """
    d, nu = np.unique(n_features), np.unique(degrees)
    with np.errstate(over="ignore"):  # squares that are infinite have the probability 0
        if squares.size < _WORTH_A_TABLE * d.size * nu.size:
            infinite = np.isinf(degrees).all()
            return _exact(_root(squares, infinite=infinite), n_features[:, None], degrees)
        if d.size == nu.size == 1:
            return _tabulated(squares, d[0], nu[0])
        tail = np.empty(squares.shape)
        for features in d:
            for freedom in nu:
                alike = np.ix_(n_features == features, degrees == freedom)
                tail[alike] = _tabulated(squares[alike], features, freedom)
    return tail


def _root(squares: FloatArray, *, infinite: bool | np.bool_) -> FloatArray:
    """Return z, for finite or infinitely many degrees of freedom."""
    return np.asarray(np.sqrt(0.5 * squares) if infinite else np.arcsinh(np.sqrt(squares)))


def _exact(
    z: FloatArray | np.float64,
    n_features: FloatArray | np.float64,
    degrees: FloatArray | np.float64,
) -> FloatArray:
    """Return the probabilities by special functions."""
    from scipy.special import betainc, betaincc, gammaincc

    d = np.maximum(n_features, 1.0)
    if np.isinf(degrees).all():
        return np.asarray(gammaincc(0.5 * d, z * z))
    a, b = 0.5 * np.maximum(degrees - n_features + 1.0, 0.5), 0.5 * d
    # Neither argument may be near 1, where rounding takes its digits.
    near, far = betaincc(b, a, np.square(np.tanh(z))), betainc(a, b, 1.0 / np.square(np.cosh(z)))
    return np.asarray(np.where(z < 1.0, near, far))


def _tabulated(squares: FloatArray, n_features: np.float64, degrees: np.float64) -> FloatArray:
    """Return the probabilities of many distances, interpolated unless a table would be too long."""
    root = partial(_root, infinite=np.isinf(degrees))
    exact = partial(_exact, n_features=n_features, degrees=degrees)
    low, high = root(np.array([squares.min(), squares.max()]))
    high = _highest(exact, low, high)
    if not low < high:  # all are equal, or have hardly any probability
        return exact(root(squares))
    logarithm = np.log(exact(np.linspace(low, high, 65)))
    error = np.inf
    while error > _RELATIVE_ERROR:
        count = logarithm.size
        if 16 * count > squares.size:
            return exact(root(squares))
        middle = np.linspace(0.5, count - 1.5, count - 1)
        between = np.log(exact(low + (high - low) / (count - 1) * middle))
        error = np.abs(_cubic(logarithm, middle) - between).max()
        logarithm = np.insert(logarithm, np.arange(1, count), between)
    scale = (logarithm.size - 1) / (high - low)
    flat, tail = squares.ravel(), np.empty(squares.size)
    for block in ranges(flat.size, _BLOCK):
        z = root(flat[block])
        place: FloatArray = (np.minimum(z, high) - low) * scale
        tail[block] = np.exp(_cubic(logarithm, place))
        beyond = np.flatnonzero(z > high)
        tail[block][beyond] = exact(z[beyond])
    return tail.reshape(squares.shape)


def _highest(exact: _Tail, low: np.float64, high: np.float64) -> np.float64:
    """Return `high`, or if its probability is too small a z at which it is hardly large enough."""
    high = np.minimum(high, np.finfo(np.float64).max)
    if exact(high) >= _TABULATED:
        return high
    while high - low > 1e-3 * high:
        middle = low + 0.5 * (high - low)
        low, high = (middle, high) if exact(middle) >= _TABULATED else (low, middle)
    return low


def _cubic(values: FloatArray, place: FloatArray) -> FloatArray:
    """Interpolate values at 0, 1, 2, … by the cubic polynomials through the four around a place."""
    first = np.clip(place.astype(np.intp) - 1, 0, values.size - 4)
    u = place - first
    one = np.diff(values)
    two = np.diff(one) / 2.0
    three = np.diff(two) / 3.0
    result = three.take(first)
    for differences, offset in ((two, 2.0), (one, 1.0), (values, 0.0)):
        result *= u - offset
        result += differences.take(first)
    return np.asarray(result)
