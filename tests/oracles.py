"""What the answers should be: exact rationals, 50-digit arithmetic, and bounds on rounding."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import mpmath
import numpy as np
from scipy.stats import f

from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.families.gaussian.density import GaussianDensity
from gaussbayes.families.gaussian.statistics import ClassMoments
from tests.strategies import Rows

EPS = float(np.finfo(np.float64).eps)
DIGITS = 50


# Distances


def distance_tail(
    squares: FloatArray, d: FloatArray, weight: FloatArray, *, shared: bool, unbiased: bool = False
) -> FloatArray:
    """P-values (n, k) of distances by plain covariances that were estimated: Hotelling's T²."""
    total = weight.sum() if shared else weight
    degrees = total - (weight.size if shared else 1.0)
    hotelling = squares * degrees / (degrees if unbiased else total) * weight / (weight + 1.0)
    d = np.maximum(d, 1)
    tail = f.sf(hotelling * (degrees - d + 1.0) / (d * degrees), d, degrees - d + 1.0)
    return np.where(squares > 0, tail, 1.0)


# Exact moments


def exact_scatter(X: RealArray) -> tuple[list[Fraction], list[list[Fraction]]]:
    """Mean (d,) and scatter (d, d) of the rows of one class, without any rounding.

    Floats are whole numbers over a power of two; with a common one, u, and the whole numbers z,
    ``mean = Σ z / (n u)`` and ``scatter = (n Σ z zᵀ − Σ z Σ zᵀ) / (n u²)``.
    """
    n, d = X.shape
    ratios = [[float(value).as_integer_ratio() for value in row] for row in X]
    unit = max(below for row in ratios for _, below in row)
    whole = np.array([[above * (unit // below) for above, below in row] for row in ratios], object)
    total, products = whole.sum(axis=0), whole.T @ whole
    means = [Fraction(total[i], n * unit) for i in range(d)]
    scatter = [
        [Fraction(n * products[i, j] - total[i] * total[j], n * unit**2) for j in range(d)]
        for i in range(d)
    ]
    return means, scatter


def relative_error(value: float, truth: Fraction) -> float:
    """``|value − truth| / |truth|``."""
    return float(abs((Fraction(float(value)) - truth) / truth))


# Rounding of moments


@dataclass(frozen=True, slots=True)
class Rounding:
    """How far two ways to the same moments may lie apart.

    A class's n rows give n additions, and at most n merges of a few operations each, on numbers no
    larger than the spread s (largest minus smallest) of a feature: ``x − anchor`` rounds by ε s,
    never by ε |x|. So the means agree to 8 n ε s, the scatter to 8 n ε W sᵢ sⱼ with W the weight,
    and the weights to n ε W. Squares below the smallest float are lost, which is `tiny`.
    """

    weight: FloatArray  # (k,)
    mean: FloatArray  # (k, d)
    scatter: FloatArray  # (k, d, d)


def rounding(rows: Rows) -> Rounding:
    """The bounds for moments of these rows."""
    n, d = rows.X.shape
    k = rows.n_classes
    weights = np.ones(n) if rows.weights is None else rows.weights
    weight, spread = np.zeros(k), np.zeros((k, d))
    for c in range(k):
        own = (rows.codes == c) & (weights > 0)
        if own.any():
            weight[c] = weights[own].sum()
            spread[c] = np.ptp(rows.X[own], axis=0)
    unit = 8 * (n + 1) * EPS
    tiny = (n + 1) * float(np.finfo(np.float64).tiny)
    squares = spread[:, :, None] * spread[:, None, :]
    return Rounding(
        unit * weight, unit * spread + tiny, unit * weight[:, None, None] * squares + tiny
    )


def assert_close(one: ClassMoments, two: ClassMoments, bound: Rounding) -> None:
    """Two moments agree within the bounds."""
    assert one.layout == two.layout
    assert np.all(np.abs(one.weight - two.weight) <= bound.weight)
    apart = (one.anchor - two.anchor) + (one.offset - two.offset)
    assert np.all(np.abs(apart) <= bound.mean)
    scatter = {
        "full": bound.scatter,
        "pooled": bound.scatter.sum(axis=0),
        "diagonal": np.einsum("kii->ki", bound.scatter),
    }[one.layout]
    assert np.all(np.abs(one.scatter - two.scatter) <= scatter)


# Exact scores


@dataclass(frozen=True, slots=True)
class ExactScores:
    """Scores of each row and class in `DIGITS` digits, as lists of mpmath's numbers."""

    squared_distance: list[list[mpmath.mpf]]
    log_likelihood: list[list[mpmath.mpf]]
    log_joint: list[list[mpmath.mpf]]
    log_posterior: list[list[mpmath.mpf]]
    log_evidence: list[mpmath.mpf]


def exact_scores(density: GaussianDensity, prior: FloatArray, X: RealArray) -> ExactScores:
    """The scores of the model whose parameters are exactly these floats."""
    with mpmath.workdps(DIGITS):
        (k, d), far = density.offset.shape, density.remainder.size > 0
        matrices = [mpmath.matrix(own.tolist()) for own in density.covariance.dense()]
        inverses = [matrix**-1 for matrix in matrices]
        log_dets = [mpmath.log(mpmath.det(matrix)) for matrix in matrices]
        squares, likelihoods, joints, posteriors, evidences = [], [], [], [], []
        for x in X:
            distance, likelihood, joint = [], [], []
            for c in range(k):
                own = c if len(matrices) > 1 else 0
                v = mpmath.matrix(
                    [
                        mpmath.mpf(float(x[j]))
                        - mpmath.mpf(float(density.center[j]))
                        - mpmath.mpf(float(density.offset[c, j]))
                        - (mpmath.mpf(float(density.remainder[c, j])) if far else 0)
                        for j in range(d)
                    ]
                )
                distance.append((v.T * inverses[own] * v)[0])
                volume = d * mpmath.log(2 * mpmath.pi) + log_dets[own]
                likelihood.append(-(volume + distance[c]) / 2)
                joint.append(likelihood[c] + mpmath.log(mpmath.mpf(float(prior[c]))))
            best = max(range(k), key=joint.__getitem__)
            others = [mpmath.exp(joint[c] - joint[best]) for c in range(k) if c != best]
            # The 1 of the best class is never added: 50 digits would not hold 1 + 1e-200.
            rest = mpmath.log1p(mpmath.fsum(others))
            squares.append(distance)
            likelihoods.append(likelihood)
            joints.append(joint)
            posteriors.append([(score - joint[best]) - rest for score in joint])
            evidences.append(joint[best] + rest)
        return ExactScores(squares, likelihoods, joints, posteriors, evidences)


def errors(scores: RealArray, truth: Sequence[object]) -> FloatArray:
    """``|score − truth|``, the difference taken in `DIGITS` digits."""
    exact = np.array(truth, dtype=object)
    with mpmath.workdps(DIGITS):
        flat = [
            float(abs(mpmath.mpf(float(score)) - value))
            for score, value in zip(scores.ravel(), exact.ravel(), strict=True)
        ]
    return np.array(flat).reshape(scores.shape)


# Rounding of scores


def condition(density: GaussianDensity) -> float:
    """The largest condition number among the correlation matrices, which are what is factored."""
    shape = density.covariance
    return float(np.linalg.cond(shape.correlation).max()) if shape.correlated else 1.0


def score_rounding(n_rows: int, largest_square: float, *densities: GaussianDensity) -> float:
    """How far log joints of densities from n rows may be from those of another way to them.

    A scatter from n rows is right to about n ε relative to its standard deviations; factoring
    and whitening d features add d ε. A relative perturbation E of the correlations changes a
    squared distance M² by at most d κ E M² and a log determinant by d κ E. Ten times that is given,
    because the constants of the steps add up.
    """
    d = densities[0].n_columns
    worst = max(map(condition, densities))
    return 10 * (n_rows + d) * d * EPS * worst * (1 + largest_square)
