"""An independent oracle: class-conditional models written down directly, plain NumPy.

Maximum likelihood of Gaussian numbers, of counts and of categories with missing values and missing
labels, by textbook EM over rows. It shares no code with the package and knows no statistics that
merge; `test_oracle` compares its densities with scipy's.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from scipy.special import gammaln, logsumexp


@dataclass(frozen=True, eq=False)
class Data:
    """Rows: numbers and counts with NaN, category codes and labels with −1 for missing."""

    X: np.ndarray  # (n, g)
    N: np.ndarray  # (n, p)
    Z: np.ndarray  # (n, q)
    sizes: tuple  # q, how many categories each has
    y: np.ndarray  # (n,)
    k: int
    w: np.ndarray | None = None
    logged: bool = False  # whether rows come as exponentials of these numbers
    known: dict = field(default_factory=dict, repr=False)  # EM that was run before

    @property
    def weights(self):
        return np.ones(self.y.size) if self.w is None else self.w

    @cached_property
    def patterns(self):
        """Rows that have the same numbers, and which these are."""
        patterns, number = np.unique(~np.isnan(self.X), axis=0, return_inverse=True)
        rows = [np.flatnonzero(number.ravel() == place) for place in range(len(patterns))]
        return list(zip(rows, patterns, strict=True))

    def some(self, which, **changes):
        w = None if self.w is None else self.w[which]
        rows = {name: getattr(self, name)[which] for name in ("X", "N", "Z", "y")}
        return replace(self, **(rows | {"w": w, "known": {}} | changes))

    def of_columns(self, numbers, counts, categories):
        """Some of the features."""
        return replace(
            self,
            X=self.X[:, numbers],
            N=self.N[:, counts],
            Z=self.Z[:, categories],
            sizes=tuple(self.sizes[j] for j in categories),
            known={},
        )


@dataclass(frozen=True, eq=False)
class Truth:
    """Parameters: priors, means, covariances, rates, category probabilities."""

    prior: np.ndarray  # (k,)
    mean: np.ndarray  # (k, g)
    covariance: np.ndarray  # (k, g, g)
    rate: np.ndarray  # (k, p)
    probability: tuple  # q arrays (k, m)
    log_likelihood: float = np.nan
    smoothed: float = 0.0  # the log of the prior that smoothing stands for
    logged: bool = False  # whether rows come as exponentials

    @property
    def moments(self):
        """Means (k, g) and covariances (k, g, g) of the rows as they come."""
        if not self.logged:
            return self.mean, self.covariance
        mean = np.exp(self.mean + 0.5 * np.einsum("kii->ki", self.covariance))
        return mean, mean[:, :, None] * mean[:, None, :] * np.expm1(self.covariance)

    def squared_distance(self, data):
        """Squared Mahalanobis distances (n, k) of what is there."""
        return self._distances(data)[0]

    def _distances(self, data):
        """Squared distances, and log |2π Σ| of what is there (n, k)."""
        squares, volumes = np.zeros((2, data.y.size, self.prior.size))
        for rows, there in data.patterns:
            matrices = self.covariance[:, there][:, :, there]
            apart = data.X[rows][:, there] - self.mean[:, None, there]
            solved = np.linalg.solve(matrices, apart.transpose(0, 2, 1))
            squares[rows] = np.einsum("knt,ktn->nk", apart, solved)
            volumes[rows] = np.linalg.slogdet(2 * np.pi * matrices)[1]
        return squares, volumes

    def log_density(self, data):
        """log p(x | c) (n, k) of what is there."""
        squares, volumes = self._distances(data)
        out = -0.5 * (squares + volumes)
        if data.logged:  # the slope of log x is 1 / x
            out -= np.nansum(data.X, axis=1, keepdims=True)
        for j in range(data.N.shape[1]):
            rows = np.flatnonzero(~np.isnan(data.N[:, j]))
            count, rate = data.N[rows, j, None], self.rate[:, j]
            out[rows] += count * np.log(rate) - rate - gammaln(count + 1)
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

    def marginal(self, numbers, counts, categories):
        return replace(
            self,
            mean=self.mean[:, numbers],
            covariance=self.covariance[:, numbers][:, :, numbers],
            rate=self.rate[:, counts],
            probability=tuple(self.probability[j] for j in categories),
        )

    def draw(self, n, sizes, generator):
        """Rows with their classes."""
        y = generator.choice(self.prior.size, size=n, p=self.prior)
        standard = generator.normal(size=(n, self.mean.shape[1]))
        X = self.mean[y] + np.einsum("nij,nj->ni", np.linalg.cholesky(self.covariance)[y], standard)
        N = generator.poisson(self.rate[y]).astype(float)
        below = [np.cumsum(table, axis=1)[y] for table in self.probability]
        Z = [(generator.random((n, 1)) > table[:, :-1]).sum(axis=1) for table in below]
        Z = np.column_stack([np.empty((n, 0), int), *Z])
        return Data(X, N, Z, sizes, y, self.prior.size, logged=self.logged)


@dataclass(frozen=True, eq=False)
class Expected:
    """What complete rows are expected to sum to."""

    weight: np.ndarray  # (k,)
    mean: np.ndarray  # (k, g)
    scatter: np.ndarray  # (k, g, g)
    counted: np.ndarray  # (2, k, p) the weight of rows with a count, and the events in them
    tables: tuple  # q arrays (k, m)


def fit(
    data,
    covariance="full",
    sharing=0.0,
    *,
    smoothing=0.0,
    priors=None,
    divisor="mle",
    shrinkage=None,
    target="diagonal",
    unit=None,
    unlabelled_weight=1.0,
):
    """The most likely parameters, regularised once in the end as the package documents it.

    Covariances are shrunk in units of the features: None are those of these rows.
    """
    ends = 1.0 if sharing == 1.0 else 0.0
    if (data.y >= 0).all():  # then neither matters to the densities
        given, unlabelled_weight = None, 1.0
    else:
        given = None if priors is None else tuple(priors)
    key = covariance, ends, smoothing, given, unlabelled_weight
    if key not in data.known:
        data.known[key] = _maximum(data, *key)
    truth, expected = data.known[key]
    if unit is None:
        within = np.einsum("kii->i", expected.scatter)
        unit = np.sqrt(within) if target == "diagonal" else np.ones_like(within)
    units = np.multiply.outer(unit, unit)  # in these the target is spherical
    regular = covariance != "spherical"
    scatter = expected.scatter / units if regular else expected.scatter
    matrices = _covariance(expected.weight, scatter, covariance, sharing, divisor, shrinkage)
    matrices = matrices * units if regular else matrices
    prior = truth.prior if priors is None else np.asarray(priors, float)
    moved = (data.weights @ (data.y[:, None] == np.arange(data.k))) @ np.log(prior / truth.prior)
    return replace(
        truth, prior=prior, covariance=matrices, log_likelihood=truth.log_likelihood + moved
    )


def _maximum(data, covariance, sharing, smoothing, priors, unlabelled_weight, iterations=5000):
    """The maximum of the likelihood, and the expected statistics there."""
    labelled = data.y >= 0
    w = np.where(labelled, data.weights, unlabelled_weight * data.weights)
    data, labelled, w = data.some(w > 0), labelled[w > 0], w[w > 0]
    truth = _start(data, w, labelled, covariance, sharing, smoothing)
    if not labelled.all():  # from what the labelled rows say by themselves
        known = replace(data, w=w).some(labelled)
        first, _ = _maximum(known, covariance, sharing, smoothing, None, 1.0, iterations=50)
        truth = replace(first, probability=truth.probability, rate=truth.rate)
    if priors is not None:
        truth = replace(truth, prior=np.asarray(priors, float))
    there = ~np.isnan(data.N)
    overall = (w @ np.where(there, data.N, 0.0)) / (w @ there)
    before = np.inf
    for _ in range(iterations):
        expected, _ = _expected(truth, data, w, labelled)
        new = Truth(
            expected.weight / expected.weight.sum() if priors is None else truth.prior,
            expected.mean,
            _covariance(expected.weight, expected.scatter, covariance, sharing, "mle", None),
            (expected.counted[1] + smoothing * overall) / (expected.counted[0] + smoothing),
            tuple(
                (t + smoothing) / (t + smoothing).sum(axis=1, keepdims=True)
                for t in expected.tables
            ),
            logged=data.logged,
        )
        moved = _apart(new, truth)
        truth = new
        if moved < 1e-13 or (moved >= before and moved < 1e-12):
            break
        before = moved
    expected, log_likelihood = _expected(truth, data, w, labelled)
    prior_of_parameters = (
        smoothing
        * (
            sum(np.log(table).sum() for table in truth.probability)
            + (overall * np.log(truth.rate) - truth.rate).sum()
        )
        if smoothing
        else 0.0
    )
    truth = replace(truth, log_likelihood=log_likelihood, smoothed=prior_of_parameters)
    return truth, expected


def _apart(new, old):
    """How far parameters moved, in standard deviations."""
    scale = np.sqrt(np.einsum("kii->ki", new.covariance))
    pairs = [
        (new.prior - old.prior),
        (new.mean - old.mean) / scale,
        (new.covariance - old.covariance) / scale[:, :, None] / scale[:, None, :],
        (new.rate - old.rate) / np.sqrt(new.rate),
        *(a - b for a, b in zip(new.probability, old.probability, strict=True)),
    ]
    return max(np.abs(pair).max(initial=0.0) for pair in pairs)


def _start(data, w, labelled, covariance, sharing, smoothing):
    k, g = data.k, data.X.shape[1]
    weight = np.array([w[labelled & (data.y == c)].sum() for c in range(k)])
    mean, var, rate = np.zeros((k, g)), np.zeros((k, g)), np.zeros((k, data.N.shape[1]))
    for c in range(k):
        rows = labelled & (data.y == c)
        for j in range(g):
            there = rows & ~np.isnan(data.X[:, j])
            mean[c, j] = np.average(data.X[there, j], weights=w[there])
            var[c, j] = np.average((data.X[there, j] - mean[c, j]) ** 2, weights=w[there])
        for j in range(data.N.shape[1]):
            there = rows & ~np.isnan(data.N[:, j])
            rate[c, j] = np.average(data.N[there, j], weights=w[there])
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
    tables = tuple(tables)
    return Truth(weight / weight.sum(), mean, _diagonal(var), rate, tables, logged=data.logged)


def _diagonal(variances):
    return variances[:, :, None] * np.eye(variances.shape[1])


def _expected(truth, data, w, labelled):
    """Expected statistics under some parameters, and the log-likelihood there."""
    k, g = data.k, data.X.shape[1]
    joint = truth.log_joint(data)
    evidence = logsumexp(joint, axis=1)
    r = np.exp(joint - evidence[:, None])
    r[labelled] = np.eye(k)[data.y[labelled]]
    rows = np.flatnonzero(labelled)
    total = float(w[rows] @ joint[rows, data.y[rows]]) + float(w[~labelled] @ evidence[~labelled])
    r = r * w[:, None]
    weight = r.sum(axis=0)
    filled, extra = np.repeat(data.X[None], k, axis=0), np.zeros((k, g, g))
    for rows, there in data.patterns:
        gone = ~there
        if not gone.any():
            continue
        s, across = truth.covariance, truth.covariance[:, there][:, :, gone]
        b = np.linalg.solve(s[:, there][:, :, there], across)
        apart = data.X[rows][:, there] - truth.mean[:, None, there]
        filled[np.ix_(range(k), rows, gone)] = truth.mean[:, None, gone] + apart @ b
        rest = s[:, gone][:, :, gone] - across.transpose(0, 2, 1) @ b
        extra[np.ix_(range(k), gone, gone)] += r[rows].sum(axis=0)[:, None, None] * rest
    mean = np.einsum("nk,kng->kg", r, filled) / weight[:, None]
    centred = filled - mean[:, None]
    scatter = np.einsum("nk,kng,knh->kgh", r, centred, centred) + extra
    there = ~np.isnan(data.N)
    counted = np.stack([r.T @ there, r.T @ np.where(there, data.N, 0.0)])
    tables = tuple(r.T @ (data.Z[:, j, None] == np.arange(m)) for j, m in enumerate(data.sizes))
    return Expected(weight, mean, scatter, counted, tables), total


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


def leave_one_out(data, **settings):
    """Log posteriors (m, k) of the m labelled rows, each by the model of all other rows."""
    return held_out(data, np.arange((data.y >= 0).sum()), **settings)


def in_folds(data, folds):
    """The fold of each labelled row: dealt out in turn, the smallest class first.

    The rows of a class come by how probable they are if features are independent, in units of the
    most probable value: first the farthest from its centre.
    """
    data = data.some(data.y >= 0)
    numbers = np.hstack([np.exp(data.X) if data.logged else data.X, data.N])
    classes = []
    for code in np.unique(data.y):
        rows = np.flatnonzero(data.y == code)
        score = np.zeros(rows.size)
        for column in numbers[rows].T:
            z = (column - np.nanmean(column)) / np.nanstd(column)
            score -= np.nan_to_num(z**2) / 2
        for column in data.Z[rows].T:
            count = np.bincount(column[column >= 0])
            score[column >= 0] += np.log(count / count.max())[column[column >= 0]]
        values = np.hstack([numbers, data.Z])[rows].tolist()
        ranked = sorted(zip(np.float32(score).tolist(), values, rows.tolist(), strict=True))
        classes.append((rows.size, *zip(*ranked, strict=True)))
    order = np.concatenate([np.array(one[-1]) for one in sorted(classes)])
    number = np.empty(order.size, int)
    number[order] = np.arange(order.size) % folds
    return number


def held_out(data, fold, **settings):
    """Log posteriors (m, k) of the m labelled rows by the models of the rows in other folds."""
    labelled = np.flatnonzero(data.y >= 0)
    out = np.empty((labelled.size, data.k))
    for number in range(fold.max() + 1):
        rows = labelled[fold == number]
        others = data.some(np.setdiff1d(np.arange(data.y.size), rows))
        out[fold == number] = fit(others, **settings).log_posterior(data.some(rows))
    return out
