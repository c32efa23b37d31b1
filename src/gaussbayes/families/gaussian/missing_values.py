"""Labelled rows with missing values → expected complete statistics, by maximum likelihood.

What is maximised is the likelihood of what was observed, ``Σ w log p(x_o | c)``, where x_o are the
features that a row has. Without correlations the maximum has a closed form; otherwise EM goes to
it. Values must be missing for reasons that do not depend on them, given the others; then nothing is
biased.

The result are the expected sufficient statistics of the rows that the observed ones come from.
Everything else follows from them as from those of complete rows: divisor and shrinkage act in the
end. For covariances between own and shared, the likelihood of own ones is maximised.
"""

from dataclasses import replace

import numpy as np

from gaussbayes.base.anderson import Iterations, Step, accelerate, total_objective
from gaussbayes.base.errors import SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.coordinates import GaussianCoordinates
from gaussbayes.families.gaussian.density import GaussianDensity
from gaussbayes.families.gaussian.estimation import maximum
from gaussbayes.families.gaussian.expectation import expect_statistics
from gaussbayes.families.gaussian.factor import check_variances
from gaussbayes.families.gaussian.feature_moments import FeatureMoments, feature_moments
from gaussbayes.families.gaussian.moments import ClassMoments, empty, place
from gaussbayes.families.gaussian.shrinkage import Penalty
from gaussbayes.families.gaussian.statistics import GaussianStatistics
from gaussbayes.families.gaussian.structure import Structure
from gaussbayes.families.protocol import Convergence

TOLERANCE = 1e-11
"""Estimated error of the parameters at which EM ends: in standard deviations or as a proportion."""

MAX_ITERATIONS = 10_000

ROUGHLY = 1e-3
"""The same where the result is but a place to start from."""

_LOG_TWO_PI = float(np.log(2 * np.pi))


def complete(
    statistics: GaussianStatistics,
    structure: Structure,
    names: Schema,
    penalty: Penalty | None = None,
    *,
    start: GaussianDensity | None = None,
    max_iterations: int = MAX_ITERATIONS,
    threads: int = 1,
) -> tuple[GaussianStatistics, Convergence]:
    """The expected complete statistics of labelled rows, and how EM proceeded.

    Parameters
    ----------
    penalty : added to the log-likelihood; see `gaussbayes.families.gaussian.shrinkage`
    start : a density near the result

    Raises
    ------
    DataError
        If a class has no row with a value of a certain feature.
    SingularCovarianceError
        If the likelihood has no maximum; names class and features.
    """
    features = feature_moments(statistics)
    features.check(names)
    if not structure.shape.correlated:
        return _closed_form(statistics, features, structure)
    structure = structure.parts[int(structure.shared)]
    if start is None or type(start.covariance) is not structure.shape:
        start = _start(features, structure, names, guarded=penalty is not None)
    options = (TOLERANCE, max_iterations, threads)
    if structure.shared:
        paths = [em(statistics, structure, names, start, penalty, *options)]
        expected = paths[0].last.result.moments
    else:
        if start.shared:
            start = replace(start, covariance=start.covariance.selected([0] * start.n_classes))
        paths, expected = [], empty(statistics.n_classes, statistics.n_columns, "full")
        for c in range(statistics.n_classes):
            part, first = statistics.selected([c]), start.selected([c])
            mild = None if penalty is None else penalty.selected(c)
            paths.append(em(part, structure, _of_class(names, c), first, mild, *options))
            place(expected, np.array([c]), paths[-1].last.result.moments)
    record = Convergence(
        total_objective(paths),
        all(path.converged for path in paths),
        max(path.remaining for path in paths),
        penalty is not None,
    )
    blank = _blank_weight(statistics)
    if blank.any():
        density = maximum(expected, names, structure, penalty)
        expected = expected + _blank_moments(density, blank, expected)
    return GaussianStatistics(expected), record


def em(
    statistics: GaussianStatistics,
    structure: Structure,
    names: Schema,
    start: GaussianDensity,
    penalty: Penalty | None,
    tolerance: float,
    max_iterations: int,
    threads: int,
) -> Iterations[GaussianStatistics]:
    """EM for labelled rows with missing values, accelerated.

    The result, expected complete statistics, is without the rows that have no value at all.
    """
    cells = statistics.cells
    if cells is not None:  # rows without any value say nothing, but would slow it down
        kept = np.flatnonzero(cells.observed.any(axis=1))
        statistics = replace(statistics, cells=cells.taken(kept) if kept.size else None)

    weight = statistics.weight
    weight = weight.sum(keepdims=True) if structure.shared else weight
    chart = GaussianCoordinates.about(start, names, weight)

    def iterate(vector: FloatArray) -> Step[GaussianStatistics]:
        density = chart.density(vector)
        expected, objective = expect_statistics(density, statistics, threads)
        if penalty is not None:
            objective += penalty.log_penalty(density.covariance)
        following = maximum(expected.moments, names, structure, penalty)
        return Step(chart.vector(following), objective, chart.rounding(density), expected)

    first = chart.vector(start)
    return accelerate(iterate, first, tolerance, max_iterations, "estimating missing values")


def start_of(
    statistics: GaussianStatistics,
    together: FeatureMoments,
    structure: Structure,
    names: Schema,
    threads: int,
) -> GaussianDensity:
    """A density to start from, where labelled rows alone may have too little to say.

    For a covariance of which these say nothing, the variances of the rows that have each feature,
    or those of all rows.
    """
    features = feature_moments(statistics)
    features.check(names)
    start = _start(features, structure, names, guarded=True, together=together)
    if not structure.shape.correlated:
        return start
    mean, values = start.mean - start.center, start.covariance.values.copy()
    for m in range(values.shape[0]):
        which, part, first, called = slice(None), statistics, start, names
        if not structure.shared:
            which, called = slice(m, m + 1), _of_class(names, m)
            part, first = statistics.selected([m]), start.selected([m])
        try:
            moments = part.moments
            if not part.is_complete:
                options = (None, ROUGHLY, MAX_ITERATIONS, threads)
                moments = em(part, structure, called, first, *options).last.result.moments
            better = maximum(moments, called, structure)
            chart = GaussianCoordinates.about(first, called)
            chart.density(chart.vector(better))  # raises if it is nearly singular
        except SingularCovarianceError:
            continue
        mean[which] = (better.center - start.center) + better.offset
        values[m] = better.covariance.values[0]
    return GaussianDensity(start.center, mean, structure.shape.of(values, names))


def _of_class(names: Schema, c: int) -> Schema:
    """The names for what is about one class alone."""
    return replace(names, classes=names.classes[c : c + 1])


def _start(
    features: FeatureMoments,
    structure: Structure,
    names: Schema,
    *,
    guarded: bool,
    together: FeatureMoments | None = None,
) -> GaussianDensity:
    """Means and variances of the rows that have each feature; guarded, none of these is 0."""
    variance = features.variance(structure)
    if guarded:
        variance = features.positive_variance(structure, together)
    check_variances(variance, names)
    center = features.together().anchor[0]
    offset = (features.anchor - center) + features.offset
    return GaussianDensity(center, offset, structure.shape.of_variances(variance, names))


def _closed_form(
    statistics: GaussianStatistics, features: FeatureMoments, structure: Structure
) -> tuple[GaussianStatistics, Convergence]:
    """Without correlations: each mean and variance is that of the rows that have the feature.

    The expected scatter is that of these rows, and the variance for each row without a value;
    divided by the weight of all rows it is the variance again.
    """
    structure = structure.parts[int(structure.shared)]
    variance, weight = features.variance(structure), statistics.weight
    scatter = features.scatter + (weight[:, None] - features.weight) * variance
    moments = ClassMoments(weight, features.anchor, features.offset, scatter, "diagonal")
    likelihood = np.inf
    if (variance > 0).all():
        volume = features.weight * (np.log(variance) + _LOG_TWO_PI)
        likelihood = -0.5 * float((volume + features.scatter / variance).sum())
    return GaussianStatistics(moments), Convergence(np.array([likelihood]), True, 0.0)


def _blank_weight(statistics: GaussianStatistics) -> FloatArray:
    """How much the rows without any value weigh (k,)."""
    cells, k = statistics.cells, statistics.n_classes
    if cells is None:
        return np.zeros(k)
    blank = np.flatnonzero(~cells.observed.any(axis=1))
    return cells.taken(blank).weight_of(k)


def _blank_moments(
    density: GaussianDensity, weight: FloatArray, like: ClassMoments
) -> ClassMoments:
    """The expected moments of rows without any value (k,), whose mean is that of the others."""
    dense = np.broadcast_to(density.covariance.dense(), (weight.size, *density.center.shape * 2))
    scatter = weight[:, None, None] * dense
    if like.layout == "pooled":
        scatter = scatter.sum(axis=0)
    return replace(like, weight=weight, scatter=scatter)
