"""An independent oracle: class-conditional models written down directly, slow and plain.

Maximum likelihood of Gaussian numbers and of categories with missing values and missing labels, by
textbook EM over rows, one row at a time; densities of what is there by scipy. It shares no code
with the package and knows no statistics that merge.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import logsumexp
from scipy.stats import multivariate_normal, poisson


@dataclass(frozen=True)
class Data:
    """Rows: numbers with NaN, category codes with −1 for missing, labels with −1 for missing."""

    X: np.ndarray  # (n, g)
    Z: np.ndarray  # (n, q)
    sizes: tuple  # q, how many categories each has
    y: np.ndarray  # (n,)
    k: int
    w: np.ndarray | None = None

    @property
    def weights(self):
        return np.ones(self.y.size) if self.w is None else self.w

    def some(self, which):
        w = None if self.w is None else self.w[which]
        return replace(self, X=self.X[which], Z=self.Z[which], y=self.y[which], w=w)


def _patterns(X):
    """Rows that have the same numbers, and which these are."""
    there = ~np.isnan(X)
    patterns, number = np.unique(there, axis=0, return_inverse=True)
    for place, pattern in enumerate(patterns):
        yield np.flatnonzero(number.ravel() == place), pattern


@dataclass(frozen=True)
class Truth:
    """Parameters: priors, means, covariances, category probabilities."""

    prior: np.ndarray  # (k,)
    mean: np.ndarray  # (k, g)
    covariance: np.ndarray  # (k, g, g)
    probability: tuple  # q arrays (k, m)
    log_likelihood: float = np.nan
    columns: tuple | None = None  # unused

    def log_density(self, data):
        """log p(x | c) (n, k) of what is there."""
        out = np.zeros((data.y.size, self.prior.size))
        for rows, there in _patterns(data.X):
            for c in range(self.prior.size if there.any() else 0):
                out[rows, c] = multivariate_normal.logpdf(
                    data.X[np.ix_(rows, there)],
                    self.mean[c, there],
                    self.covariance[c][np.ix_(there, there)],
                )
        for j, table in enumerate(self.probability):
            rows = np.flatnonzero(data.Z[:, j] >= 0)
            with np.errstate(divide="ignore"):
                out[rows] += np.log(table[:, data.Z[rows, j]].T)
        return out

    def log_joint(self, data):
        with np.errstate(divide="ignore"):
            return self.log_density(data) + np.log(self.prior)

    def log_posterior(self, data):
        joint = self.log_joint(data)
        return joint - logsumexp(joint, axis=1, keepdims=True)

    def log_evidence(self, data):
        return logsumexp(self.log_joint(data), axis=1)

    def squared_distance(self, data):
        out = np.zeros((data.y.size, self.prior.size))
        for i, x in enumerate(data.X):
            there = ~np.isnan(x)
            for c in range(self.prior.size):
                gap = x[there] - self.mean[c, there]
                out[i, c] = gap @ np.linalg.solve(self.covariance[c][np.ix_(there, there)], gap)
        return out

    def marginal(self, numbers, categories):
        return replace(
            self,
            mean=self.mean[:, numbers],
            covariance=self.covariance[:, numbers][:, :, numbers],
            probability=tuple(self.probability[j] for j in categories),
        )


def fit(
    data,
    covariance="full",
    sharing=0.0,
    *,
    smoothing=0.0,
    priors=None,
    divisor="mle",
    shrinkage=None,
    unlabelled_weight=1.0,
    iterations=5000,
):
    """The most likely parameters, regularised once in the end as the package documents it."""
    k, g = data.k, data.X.shape[1]
    labelled = data.y >= 0
    w = np.where(labelled, data.weights, unlabelled_weight * data.weights)
    keep = w > 0
    data, w, labelled = data.some(keep), w[keep], labelled[keep]
    em_sharing = sharing if sharing == 1.0 else 0.0
    truth = _start(data, w, labelled, covariance, em_sharing, smoothing)
    if not labelled.all():  # from what the labelled rows say by themselves
        known = replace(data, w=w).some(labelled)
        first = fit(known, covariance, em_sharing, smoothing=smoothing, iterations=50)
        truth = replace(first, probability=truth.probability)
    if priors is not None:
        truth = replace(truth, prior=np.asarray(priors, float))
    before = np.inf
    for _ in range(iterations):
        r, log_likelihood = _responsibilities(truth, data, w, labelled)
        weight, mean, scatter = _expected(truth, data, r)
        cov = _covariance(weight, scatter, covariance, em_sharing, "mle", None)
        counts = _counts(data, r)
        tables = tuple((t + smoothing) / (t + smoothing).sum(axis=1, keepdims=True) for t in counts)
        prior = weight / weight.sum() if priors is None else truth.prior
        new = Truth(prior, mean, cov, tables, log_likelihood)
        scale = np.sqrt(np.einsum("kii->ki", cov)) if g else np.ones((k, 1))
        moved = np.abs(new.prior - truth.prior).max()
        if g:
            moved = max(moved, np.abs((mean - truth.mean) / scale).max())
            apart = (cov - truth.covariance) / scale[:, :, None] / scale[:, None, :]
            moved = max(moved, np.abs(apart).max())
        for a, b in zip(tables, truth.probability, strict=True):
            moved = max(moved, np.abs(a - b).max())
        truth = new
        if moved < 1e-13 or (moved >= before and moved < 1e-12):
            break
        before = moved
    r, log_likelihood = _responsibilities(truth, data, w, labelled)
    weight, mean, scatter = _expected(truth, data, r)
    cov = _covariance(weight, scatter, covariance, sharing, divisor, shrinkage)
    return replace(truth, covariance=cov, log_likelihood=log_likelihood)


def _start(data, w, labelled, covariance, sharing, smoothing):
    k, g = data.k, data.X.shape[1]
    weight = np.array([w[labelled & (data.y == c)].sum() for c in range(k)])
    mean, var = np.zeros((k, g)), np.zeros((k, g))
    for c in range(k):
        rows = labelled & (data.y == c)
        for j in range(g):
            there = rows & ~np.isnan(data.X[:, j])
            mean[c, j] = np.average(data.X[there, j], weights=w[there])
            var[c, j] = np.average((data.X[there, j] - mean[c, j]) ** 2, weights=w[there])
    if sharing == 1.0:
        var[:] = (weight / weight.sum()) @ var
    if covariance == "spherical" and g:
        var[:] = var.mean(axis=1, keepdims=True)
    tables = []
    for j, m in enumerate(data.sizes):
        table = np.full((k, m), 0.5 if (~labelled).any() else 0.0)
        for i in np.flatnonzero(labelled & (data.Z[:, j] >= 0)):
            table[data.y[i], data.Z[i, j]] += w[i]
        table = table + smoothing
        tables.append(table / table.sum(axis=1, keepdims=True))
    cov = np.stack([np.diag(v) for v in var]) if g else np.zeros((k, 0, 0))
    return Truth(weight / weight.sum(), mean, cov, tuple(tables))


def _responsibilities(truth, data, w, labelled):
    joint = truth.log_joint(data)
    evidence = logsumexp(joint, axis=1)
    r = np.exp(joint - evidence[:, None])
    r[labelled] = np.eye(data.k)[data.y[labelled]]
    rows = np.flatnonzero(labelled)
    total = float(w[rows] @ joint[rows, data.y[rows]]) + float(w[~labelled] @ evidence[~labelled])
    return r * w[:, None], total


def _expected(truth, data, r):
    """Weight (k,), mean (k, g) and scatter (k, g, g) of the rows that are expected."""
    k, g = data.k, data.X.shape[1]
    weight, mean, scatter = r.sum(axis=0), np.zeros((k, g)), np.zeros((k, g, g))
    for c in range(k):
        filled, extra, s = data.X.copy(), np.zeros((g, g)), truth.covariance[c]
        for rows, there in _patterns(data.X):
            gone = ~there
            b = np.linalg.solve(s[np.ix_(there, there)], s[np.ix_(there, gone)])
            apart = data.X[np.ix_(rows, there)] - truth.mean[c, there]
            filled[np.ix_(rows, gone)] = truth.mean[c, gone] + apart @ b
            rest = s[np.ix_(gone, gone)] - s[np.ix_(gone, there)] @ b
            extra[np.ix_(gone, gone)] += r[rows, c].sum() * rest
        if g:
            mean[c] = r[:, c] @ filled / weight[c]
            centred = filled - mean[c]
            scatter[c] = (r[:, c, None] * centred).T @ centred + extra
    return weight, mean, scatter


def _covariance(weight, scatter, covariance, sharing, divisor, shrinkage):
    k, g = scatter.shape[:2]
    if not g:
        return scatter
    if 0 < sharing < 1:
        ends = [_covariance(weight, scatter, covariance, s, divisor, shrinkage) for s in (0.0, 1.0)]
        return (1 - sharing) * ends[0] + sharing * ends[1]
    if sharing == 1.0:
        lost, weight = (k if divisor == "unbiased" else 0), weight.sum()
        one = _shaped(scatter.sum(axis=0) / (weight - lost), covariance, shrinkage)
        return np.repeat(one[None], k, axis=0)
    lost = 1 if divisor == "unbiased" else 0
    each = [
        _shaped(s / (n - lost), covariance, shrinkage) for s, n in zip(scatter, weight, strict=True)
    ]
    return np.stack(each)


def _shaped(cov, covariance, shrinkage):
    g = cov.shape[0]
    if covariance == "spherical":
        return np.trace(cov) / g * np.eye(g)
    if covariance == "diagonal":
        cov = np.diag(np.diag(cov))
    if shrinkage:
        cov = (1 - shrinkage) * cov + shrinkage * np.trace(cov) / g * np.eye(g)
    return cov


def _counts(data, r):
    tables = []
    for j, m in enumerate(data.sizes):
        table = np.zeros((data.k, m))
        for code in range(m):
            table[:, code] = r[data.Z[:, j] == code].sum(axis=0)
        tables.append(table)
    return tables


def leave_one_out(data, **settings):
    """Log posteriors (n, k) of the labelled rows, each by the model of all other rows."""
    rows = np.flatnonzero(data.y >= 0)
    out = np.empty((rows.size, data.k))
    for place, i in enumerate(rows):
        others = data.some(np.arange(data.y.size) != i)
        out[place] = fit(others, **settings).log_posterior(data.some([i]))[0]
    return out


def poisson_log_density(counts, rate):
    """log p(x | c) (n, k) of counts (n, d) at rates (k, d), NaN being missing."""
    each = poisson.logpmf(np.nan_to_num(counts)[:, None, :], rate[None])
    return np.where(np.isnan(counts)[:, None, :], 0.0, each).sum(axis=2)
