"""Tables drawn from distributions that are known, with the log loss that is beaten by chance only.

Each is a joint density of class and row, so that the true posterior of every drawn row is known;
the mean of −log of it at the true class is the loss of the best possible classifier on these rows.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import log_softmax
from scipy.stats import gamma, multivariate_normal, multivariate_t, norm, poisson
from tables import Table

Rows = tuple[Any, NDArray[np.intp], NDArray[np.float64]]  # features, labels, log joint (n, k)


def generated(only: str = "") -> Iterator[Table]:
    """Tables with some text in their names, always with the same rows."""
    for seed, (name, draw) in enumerate(DRAWS.items()):
        if only not in f"generated/{name}":
            continue
        features, labels, log_joint = draw(np.random.default_rng(seed))
        truth = log_softmax(log_joint, axis=1)[np.arange(labels.size), labels]
        frame = pd.DataFrame(features)
        frame.columns = [f"x{column}" for column in range(frame.shape[1])]
        yield Table(f"generated/{name}", "generated", frame, labels, float(-truth.mean()))


def _classes(rng: np.random.Generator, n: int, prior: Any) -> NDArray[np.intp]:
    """Labels, at least ten of each class."""
    prior = np.asarray(prior)
    return rng.permutation(
        np.r_[
            np.repeat(np.arange(prior.size), 10),
            rng.choice(prior.size, n - 10 * prior.size, p=prior),
        ]
    )


def _covariance(rng: np.random.Generator, d: int, rows: int) -> NDArray[np.float64]:
    """A random covariance; the fewer rows, the more correlated."""
    drawn = rng.standard_normal((rows, d))
    return drawn.T @ drawn / rows + 0.05 * np.eye(d)


def _gaussian(
    rng: np.random.Generator, labels: Any, means: Any, covariances: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rows and their log joint densities under Gaussian classes."""
    rows = np.empty((labels.size, means.shape[1]))
    for c, (mean, covariance) in enumerate(zip(means, covariances, strict=True)):
        own = labels == c
        rows[own] = rng.multivariate_normal(mean, covariance, own.sum())
    share = np.log(np.bincount(labels) / labels.size)
    densities = [
        multivariate_normal(mean, covariance, allow_singular=True).logpdf(rows)
        for mean, covariance in zip(means, covariances, strict=True)
    ]
    return rows, np.stack(densities, 1) + share


def _shared(rng: np.random.Generator) -> Rows:
    labels = _classes(rng, 400, [0.4, 0.35, 0.25])
    covariance = _covariance(rng, 5, 8)
    rows, joint = _gaussian(rng, labels, rng.standard_normal((3, 5)), [covariance] * 3)
    return rows, labels, joint


def _own(rng: np.random.Generator) -> Rows:
    labels = _classes(rng, 600, [0.4, 0.35, 0.25])
    covariances = [_covariance(rng, 5, 8) for _ in range(3)]
    rows, joint = _gaussian(rng, labels, 0.7 * rng.standard_normal((3, 5)), covariances)
    return rows, labels, joint


def _units(rng: np.random.Generator) -> Rows:
    """Own covariances, features from a millionth to a million: the truth does not change."""
    rows, labels, joint = _own(rng)
    return rows * np.logspace(-6, 6, 5), labels, joint


def _independent(rng: np.random.Generator) -> Rows:
    labels = _classes(rng, 300, [0.5, 0.5])
    covariances = [np.diag(rng.gamma(2, 0.5, 12) + 0.1) for _ in range(2)]
    rows, joint = _gaussian(rng, labels, 0.4 * rng.standard_normal((2, 12)), covariances)
    return rows, labels, joint


def _log_normal(rng: np.random.Generator) -> Rows:
    """Skewed: Gaussian in the logarithm; the Jacobian is that of all classes."""
    rows, labels, joint = _own(rng)
    return np.exp(rows), labels, joint


def _gamma(rng: np.random.Generator) -> Rows:
    """Skewed, and of another shape in every class: no transform makes all of them Gaussian."""
    labels = _classes(rng, 500, [0.5, 0.5])
    shapes = rng.uniform(0.7, 4, (2, 6))
    rows = rng.gamma(shapes[labels])
    joint = np.stack([gamma(shape).logpdf(rows).sum(1) for shape in shapes], 1)
    return rows, labels, joint + np.log(np.bincount(labels) / labels.size)


def _heavy(rng: np.random.Generator) -> Rows:
    """Student-t with three degrees of freedom."""
    labels = _classes(rng, 500, [0.5, 0.5])
    means, shapes = rng.standard_normal((2, 5)), [_covariance(rng, 5, 8) for _ in range(2)]
    rows = np.empty((labels.size, 5))
    for c in range(2):
        rows[labels == c] = multivariate_t(means[c], shapes[c], df=3).rvs(
            int((labels == c).sum()), random_state=rng
        )
    densities = [
        multivariate_t(m, s, df=3).logpdf(rows) for m, s in zip(means, shapes, strict=True)
    ]
    return rows, labels, np.stack(densities, 1) + np.log(np.bincount(labels) / labels.size)


def _mixture(rng: np.random.Generator) -> Rows:
    """Two humps a class."""
    humps = _classes(rng, 800, [0.25] * 4)
    rows, joint = _gaussian(rng, humps, 1.5 * rng.standard_normal((4, 3)), [np.eye(3)] * 4)
    return rows, humps % 2, np.logaddexp(joint[:, :2], joint[:, 2:])


def _ring(rng: np.random.Generator) -> Rows:
    """A disc within a ring: the class is the radius."""
    labels = _classes(rng, 500, [0.5, 0.5])
    radius, angle = (
        np.abs(rng.normal(1 + 1.2 * labels, 0.5)),
        rng.uniform(0, 2 * np.pi, labels.size),
    )
    joint = np.stack(
        [np.logaddexp(norm(m, 0.5).logpdf(radius), norm(m, 0.5).logpdf(-radius)) for m in (1, 2.2)],
        1,
    )
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1), labels, joint


def _irrelevant(rng: np.random.Generator) -> Rows:
    """Four features of forty say something."""
    labels = _classes(rng, 300, [0.5, 0.5])
    means = np.zeros((2, 40))
    means[1, :4] = 0.9
    rows, joint = _gaussian(rng, labels, means, [np.eye(40)] * 2)
    return rows, labels, joint


def _redundant(rng: np.random.Generator) -> Rows:
    """Four features, and sixteen sums of them with a little noise."""
    labels = _classes(rng, 300, [0.4, 0.3, 0.3])
    mixing = np.vstack([np.eye(4), rng.standard_normal((16, 4))])
    noise = np.diag(np.r_[np.zeros(4), np.full(16, 1e-2)]) + 1e-9 * np.eye(20)
    covariances = [mixing @ _covariance(rng, 4, 8) @ mixing.T + noise for _ in range(3)]
    rows, joint = _gaussian(rng, labels, rng.standard_normal((3, 4)) @ mixing.T, covariances)
    return rows, labels, joint


def _wide(rng: np.random.Generator) -> Rows:
    """More features than rows, thirty of three hundred different between the classes."""
    labels = _classes(rng, 80, [0.25] * 4)
    means = np.zeros((4, 300))
    means[:, :30] = rng.standard_normal((4, 30))
    rows, joint = _gaussian(rng, labels, means, [2 * np.eye(300)] * 4)
    return rows, labels, joint


def _imbalanced(rng: np.random.Generator) -> Rows:
    labels = _classes(rng, 1000, [0.96, 0.04])
    covariances = [_covariance(rng, 4, 8) for _ in range(2)]
    rows, joint = _gaussian(rng, labels, np.stack([np.zeros(4), np.ones(4)]), covariances)
    return rows, labels, joint


def _counts(rng: np.random.Generator) -> Rows:
    """Poisson counts, many of them 0."""
    labels = _classes(rng, 500, [0.4, 0.3, 0.3])
    rates = rng.gamma(1, 2, (3, 8)) + 0.1
    rows = rng.poisson(rates[labels]).astype(float)
    joint = np.stack([poisson(rate).logpmf(rows).sum(1) for rate in rates], 1)
    return rows, labels, joint + np.log(np.bincount(labels) / labels.size)


def _wrong_labels(rng: np.random.Generator) -> Rows:
    """One label of ten is drawn anew."""
    rows, labels, joint = _shared(rng)
    redrawn = rng.random(labels.size) < 0.1
    posterior = 0.9 * np.exp(log_softmax(joint, axis=1)) + 0.1 / 3
    return rows, np.where(redrawn, rng.integers(0, 3, labels.size), labels), np.log(posterior)


def _with_missing(rng: np.random.Generator) -> Rows:
    """A fifth of the values is missing at random; the truth integrates them out."""
    labels = _classes(rng, 400, [0.5, 0.5])
    means, covariances = rng.standard_normal((2, 4)), [_covariance(rng, 4, 8) for _ in range(2)]
    rows, _ = _gaussian(rng, labels, means, covariances)
    rows[rng.random(rows.shape) < 0.2] = np.nan
    joint = np.tile(np.log(np.bincount(labels) / labels.size), (labels.size, 1))
    for i, row in enumerate(rows):
        known = ~np.isnan(row)
        if known.any():
            joint[i] += [
                multivariate_normal(m[known], s[np.ix_(known, known)]).logpdf(row[known])
                for m, s in zip(means, covariances, strict=True)
            ]
    return rows, labels, joint


def _with_categories(rng: np.random.Generator) -> Rows:
    """Three numbers and four categories, independent within a class."""
    labels = _classes(rng, 500, [0.4, 0.6])
    covariances = [_covariance(rng, 3, 6) for _ in range(2)]
    rows, joint = _gaussian(rng, labels, 0.7 * rng.standard_normal((2, 3)), covariances)
    frame = pd.DataFrame(rows)
    for feature in range(4):
        shares = rng.dirichlet(np.full(4, 2.0), 2)
        codes = np.array([rng.choice(4, p=shares[c]) for c in labels])
        joint = joint + np.log(shares[:, codes]).T
        frame[f"category{feature}"] = pd.Categorical.from_codes(codes, list("abcd"))
    return frame, labels, joint


DRAWS: dict[str, Callable[[np.random.Generator], Rows]] = {
    "gaussian, shared": _shared,
    "gaussian, own": _own,
    "gaussian, independent": _independent,
    "gaussian, other units": _units,
    "skewed, log-normal": _log_normal,
    "skewed, gamma": _gamma,
    "heavy-tailed": _heavy,
    "two humps a class": _mixture,
    "disc and ring": _ring,
    "irrelevant features": _irrelevant,
    "redundant features": _redundant,
    "more features than rows": _wide,
    "imbalanced": _imbalanced,
    "counts": _counts,
    "wrong labels": _wrong_labels,
    "missing values": _with_missing,
    "categories": _with_categories,
}
