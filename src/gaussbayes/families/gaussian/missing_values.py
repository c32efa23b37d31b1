"""Labelled rows with missing values → expected complete statistics, by maximum likelihood.

The objective is the likelihood of the observed values, ``Σ w log p(x_o | c)``, where x_o are the
observed features of a row. Without correlations the maximum has a closed form; otherwise EM finds
it. Values must be missing at random; then the estimates are consistent.

The result are the expected sufficient statistics of the complete rows. Everything else follows from
them as from those of complete rows: divisor and shrinkage act at the end. For partial pooling, the
likelihood of class-specific covariances is maximised.
"""

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from gaussbayes.base.anderson import Goal, Iterations, Step, accelerate, total_objective
from gaussbayes.base.errors import SingularCovarianceError
from gaussbayes.base.threads import one_blas_thread
from gaussbayes.base.types import FloatArray
from gaussbayes.data.schema import Schema
from gaussbayes.families.expression import LOG_2_PI
from gaussbayes.families.gaussian.cells import FeatureMoments, feature_moments
from gaussbayes.families.gaussian.density import GaussianDensity, maximum
from gaussbayes.families.gaussian.expectation import Frame, frame_of
from gaussbayes.families.gaussian.shrinkage import Penalty, penalty_of
from gaussbayes.families.gaussian.statistics import (
    ClassMoments,
    GaussianStatistics,
    empty,
    place,
)
from gaussbayes.families.gaussian.structure import (
    STRUCTURES,
    Structure,
    check_variances,
    factor,
)
from gaussbayes.families.protocol import Convergence

EXACT, NEARLY, ROUGH = Goal(1e-12), Goal(1e-6), Goal(1e-3, most=50)
"""Goals of EM, by the estimated error of parameters, in standard deviations or as proportions: for
parameters, for those that are integrated out afterwards, and for a start or a comparison of
predictions."""

_EPS = float(np.finfo(np.float64).eps)
_COLLAPSED = 1e-24  # a variance that falls by this factor from its start converges to 0
# The least proportion of a variance that other features may leave unexplained. Missing values are
# computed from the others, with errors that grow as it falls; a likelihood without a maximum
# falls below it.
_LEAST_UNEXPLAINED = 1e-10
# The same for starts from labelled rows alone: they may be too few, which EM would show only after
# a # thousand iterations.
_LEAST_TO_START = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class GaussianCoordinates:
    """Coordinates around a density to start from: every vector is a density.

    Means in units near the standard deviations, then the coordinates of the covariances.
    """

    start: GaussianDensity
    names: Schema
    weight: FloatArray | None = None  # (m,) the number of rows of each covariance, for messages
    least: float = _LEAST_UNEXPLAINED  # least unexplained proportion of a variance
    frame: Frame = field(init=False)

    def __post_init__(self) -> None:
        frame = frame_of(self.start.mean, self.start.covariance.variance)
        object.__setattr__(self, "frame", frame)

    def vector(self, density: GaussianDensity) -> FloatArray:
        """The coordinates of a density (p,)."""
        mean = density.mean_from(self.frame.anchor) / self.frame.unit
        return np.concatenate([mean.ravel(), density.covariance.coordinates(self.frame.unit)])

    def density(self, vector: FloatArray) -> GaussianDensity:
        """The density with these coordinates; an error if a covariance is nearly singular."""
        anchor, unit, center = self.frame.anchor, self.frame.unit, self.start.center
        shape = self.start.covariance.from_coordinates(vector[anchor.size :], unit)
        variance, d = shape.variance, shape.n_features
        collapsed = variance <= _COLLAPSED * np.square(unit)
        check_variances(np.where(collapsed, 0.0, variance), self.names, self.weight)
        # The least eigenvalue of the correlations is at most d times smaller than the least of
        # these.
        if shape.correlated and shape.amplification * d > 1 / self.least:
            least = self.least * variance[:, :, None] * np.eye(d)
            factor(shape.dense() - least, self.names, self.weight)
        mean = vector[: anchor.size].reshape(anchor.shape)
        return GaussianDensity(center, (anchor - center) + mean * unit, shape)

    def rounding(self, density: GaussianDensity) -> float:
        """The rounding error of the coordinates after an iteration of EM."""
        # A small unexplained proportion of a variance amplifies rounding.
        shape = density.covariance
        return _EPS * (4 * shape.n_features * shape.amplification if shape.correlated else 8)


@one_blas_thread()
def complete(
    statistics: GaussianStatistics,
    structure: Structure,
    names: Schema,
    penalty: Penalty | None = None,
    *,
    start: GaussianDensity | None = None,
    features: FeatureMoments | None = None,
    goal: Goal = EXACT,
    threads: int = 1,
) -> tuple[GaussianStatistics, Convergence]:
    """The expected complete statistics of labelled rows, and the progress of EM.

    A penalty is added to the log-likelihood; `start` is a density near the result. A class without
    a value of a feature, and a likelihood without a maximum, raise errors that name class and
    features, unless `features` have assumptions for such a class, which EM does not change.
    """
    if features is None:
        features = feature_moments(statistics)
        features.check(names)
    structure = structure.maximised
    if not structure.shape.correlated:
        return _closed_form(statistics, features, structure)
    if start is None or type(start.covariance) is not structure.shape:
        start = _start(features, structure, names, guarded=penalty is not None)
    parts = _parts(statistics, structure, names, start, penalty)
    paths = [part.em(goal, threads) for part in parts]
    pairs = zip(parts, paths, strict=True)
    results = [part.expected(path.last.result, threads) for part, path in pairs]
    expected = results[0]
    if not structure.shared:
        expected = empty(statistics.n_classes, statistics.n_columns, "full")
        for c, result in enumerate(results):
            place(expected, np.array([c]), result)
    converged = all(path.converged for path in paths)
    remaining = max(path.remaining for path in paths)
    record = Convergence(total_objective(paths), converged, remaining, penalty is not None)
    return GaussianStatistics(expected), record


def suppose(
    statistics: GaussianStatistics, names: Schema, threads: int = 1
) -> tuple[GaussianDensity, Convergence]:
    """Gaussians for the expectations of missing values, defined for any pattern of them.

    They share a covariance, whose correlations are shrunk by d pseudo-rows without correlation, so
    that the likelihood has a maximum for any number of rows, and EM converges quickly. For features
    without values in a class see `FeatureMoments.supposed`.
    """
    pooled = STRUCTURES["LDA"]
    observed = feature_moments(statistics)
    features = observed.supposed()
    if not observed.weight.any():  # no row has any value
        density = _start(features, pooled, names, guarded=True)
        return density, Convergence(np.zeros(1), True, 0.0)
    variance = features.positive_variance(pooled)
    weight, d = pooled.weights(statistics.weight), variance.size
    penalty = penalty_of(d / (d + float(weight[0])), variance, weight, variance[0])
    expected, record = complete(
        statistics, pooled, names, penalty, features=features, goal=NEARLY, threads=threads
    )
    return maximum(expected.moments, names, pooled, penalty), record


class _Part(NamedTuple):
    """Labelled rows whose covariances are estimated at once: a class, or all if they share one."""

    statistics: GaussianStatistics
    structure: Structure
    names: Schema
    start: GaussianDensity
    penalty: Penalty | None

    def em(
        self, goal: Goal, threads: int, least: float = _LEAST_UNEXPLAINED
    ) -> Iterations[GaussianDensity]:
        """EM for missing values, accelerated; the results are densities."""
        weight, pooled = self.structure.weights(self.statistics.weight), self.structure.shared
        chart = GaussianCoordinates(self.start, self.names, weight, least)

        def iterate(vector: FloatArray) -> Step[GaussianDensity]:
            density = chart.density(vector)
            expected, objective = density.expect_statistics(self.statistics, threads, pooled=pooled)
            if self.penalty is not None:
                objective += self.penalty.log_penalty(density.covariance)
            following = maximum(expected.moments, self.names, self.structure, self.penalty)
            return Step(chart.vector(following), objective, chart.rounding(density), density)

        first, what = chart.vector(self.start), "estimating missing values"
        return accelerate(iterate, first, goal, what)

    def expected(self, density: GaussianDensity, threads: int) -> ClassMoments:
        """The expected complete moments under a density, each class with its scatter."""
        return density.expect_statistics(self.statistics, threads)[0].moments


def _parts(
    statistics: GaussianStatistics,
    structure: Structure,
    names: Schema,
    start: GaussianDensity,
    penalty: Penalty | None = None,
) -> list[_Part]:
    if structure.shared:
        return [_Part(statistics, structure, names, start, penalty)]
    if start.shared:
        start = replace(start, covariance=start.covariance.selected([0] * start.n_classes))
    return [
        _Part(
            statistics.selected([c]),
            structure,
            replace(names, classes=names.classes[c : c + 1]),
            start.selected([c]),
            None if penalty is None else penalty.selected(c),
        )
        for c in range(statistics.n_classes)
    ]


def start_of(
    statistics: GaussianStatistics,
    together: FeatureMoments,
    structure: Structure,
    names: Schema,
    threads: int,
    *,
    penalised: bool = False,
) -> GaussianDensity:
    """A density to start from, also if labelled rows alone are too few.

    A covariance that they do not determine starts with the variances of the rows with a value of
    each feature, or those of all rows. A feature that does not vary in any row, to which only a
    penalty gives a variance, starts with 1.
    """
    if statistics.is_complete:
        with suppress(SingularCovarianceError):
            better = maximum(statistics.moments, names, structure)
            chart = GaussianCoordinates(better, names, least=_LEAST_TO_START)
            return chart.density(chart.vector(better))  # raises if it is nearly singular
    features = feature_moments(statistics)
    features.check(names)
    if penalised:
        flat = together.scatter <= 0
        together = together._replace(scatter=np.where(flat, together.weight, together.scatter))
    start = _start(features, structure, names, guarded=True, together=together)
    if not structure.shape.correlated:
        return start
    mean, values = start.mean - start.center, start.covariance.values.copy()
    parts = _parts(statistics, structure, names, start)
    for m, part in enumerate(parts):
        try:
            moments = part.statistics.moments
            if not part.statistics.is_complete:
                path = part.em(ROUGH, threads, _LEAST_TO_START)
                moments = part.expected(path.last.result, threads)
            better = maximum(moments, part.names, structure)
            chart = GaussianCoordinates(part.start, part.names, least=_LEAST_TO_START)
            chart.density(chart.vector(better))  # raises if it is nearly singular
        except SingularCovarianceError:
            continue
        which = slice(None) if structure.shared else slice(m, m + 1)
        mean[which] = (better.center - start.center) + better.offset
        values[m] = better.covariance.values[0]
    return GaussianDensity(start.center, mean, structure.shape.of(values, names))


def _start(
    features: FeatureMoments,
    structure: Structure,
    names: Schema,
    *,
    guarded: bool,
    together: FeatureMoments | None = None,
) -> GaussianDensity:
    """Means and variances of the rows with a value of each feature; if `guarded`, none is 0."""
    variance = (
        features.positive_variance(structure, together) if guarded else features.variance(structure)
    )
    check_variances(variance, names)
    center = features.together().anchor[0]
    offset = (features.anchor - center) + features.offset
    return GaussianDensity(center, offset, structure.shape.of_variances(variance, names))


def _closed_form(
    statistics: GaussianStatistics, features: FeatureMoments, structure: Structure
) -> tuple[GaussianStatistics, Convergence]:
    """Without correlations: each mean and variance is that of the rows with a value of the feature.

    The expected scatter is that of these rows, and the variance for each row without a value;
    divided by the weight of all rows it is the variance again.
    """
    variance, weight = features.variance(structure), statistics.weight
    scatter = features.scatter + (weight[:, None] - features.weight) * variance
    moments = ClassMoments(weight, features.anchor, features.offset, scatter, "diagonal")
    likelihood = np.inf
    if (variance > 0).all():
        volume = features.weight * (np.log(variance) + LOG_2_PI)
        likelihood = -0.5 * float((volume + features.scatter / variance).sum())
    return GaussianStatistics(moments), Convergence(np.array([likelihood]), True, 0.0)
