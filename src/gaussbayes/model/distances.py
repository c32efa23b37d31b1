"""P-values of the distances of rows from the classes.

The p-value of a squared Mahalanobis distance D² is the probability that a new member of the class
lies at least this far from its mean. If mean and covariance were estimated from complete rows,
without shrinkage, and D² is the distance by the unbiased estimate, then

    D² n/(n + 1) (ν − d + 1)/(d ν) ~ F(d, ν − d + 1)

with ν = n − 1 for a class-specific covariance of n rows, and ν = N − k for a covariance that k
classes of N rows share. This is exact if each class is normal. Otherwise D² is compared with χ²
with d degrees of freedom, as if the parameters were true.

A calibrated model keeps these tail probabilities of held-out rows, each for its true class. Its
p-values are the ranks among them: with m of them, a row between the j-th and the next smallest has
a p-value between j/(m + 1) and (j + 1)/(m + 1). Levels therefore hold for any densities, on average
over training sets, up to the effect of the held-out rows on the fit.
"""

from dataclasses import replace

import numpy as np

from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Rows
from gaussbayes.families.protocol import Distant, Sampled, SampleOfClasses
from gaussbayes.model import tail_tables
from gaussbayes.model.model import Model
from gaussbayes.model.statistics import SufficientStatistics


def tail_probabilities(model: Model, rows: Rows, n_jobs: int | None = 1) -> FloatArray:
    """Return the tail probabilities (n, k) of the distances of rows by F or χ².

    The distances are those of the families with distances, for complete rows.
    """
    squares, n_features = model.squared_distance(rows, n_jobs)
    sample = sample_of(model)
    if sample is None:
        degrees = np.full(squares.shape[1], np.inf)
    else:
        n, divide, degrees = sample
        squares = squares * (n / (n + 1.0) / divide)
    return tail_tables.tail_probabilities(
        squares, n_features, np.broadcast_to(degrees, squares.shape[1])
    )


def sample_of(model: Model) -> SampleOfClasses | None:
    """Return the sample behind the distances; see `Sampled`. None if it is unknown."""
    if model.statistics is None or model.statistics.unlabelled is not None:
        return None
    statistics = model.statistics.members(model.settings)[0].parts
    components = zip(model.components, statistics, model.densities, strict=True)
    samples = [
        component.family.sample_of(part) if isinstance(component.family, Sampled) else None
        for component, part, density in components
        if isinstance(density, Distant)
    ]
    return samples[0] if len(samples) == 1 else None


def class_p_values(model: Model, rows: Rows, n_jobs: int | None = 1) -> FloatArray:
    """Return the p-values (n, k) of the distances of rows from the classes."""
    tail = tail_probabilities(model, rows, n_jobs)
    held_out = held_out_tails(model)
    return np.stack(list(map(ranked, tail.T, held_out)), axis=1) if held_out else tail


def nearest_p_values(model: Model, rows: Rows, n_jobs: int | None = 1) -> FloatArray:
    """Return the p-values (n,) of the distances of rows from the nearest class.

    Without held-out rows they are the largest p-values of the classes, which are conservative.
    """
    nearest = tail_probabilities(model, rows, n_jobs)[:, model.prior > 0].max(axis=1)
    held_out = held_out_tails(model)
    return ranked(nearest, held_out[-2]) if held_out else nearest


def relative_distances(model: Model, rows: Rows, n_jobs: int | None = 1) -> FloatArray:
    """Return squared distances (n, k) minus that from the mean of all classes together.

    The latter is the distance under the density of one class with all rows, which follows from the
    statistics.
    """
    statistics = model.statistics_for("relative_distance").members(model.settings)[0]
    together = tuple(part.together() for part in statistics.parts)
    everything = SufficientStatistics(np.array(["all"]), together)
    schema = replace(model.schema, classes=everything.classes, announced=None, listed=None)
    settings = replace(model.settings.members[0], priors=None, fewest_classes=1)
    settings = replace(settings, unlabelled_rows="unused")
    whole = Model(settings, schema, everything).solved(n_jobs)
    return model.squared_distance(rows, n_jobs)[0] - whole.squared_distance(rows, n_jobs)[0]


def held_out_tails(model: Model) -> tuple[FloatArray, ...]:
    """Return the tail probabilities of held-out rows that a calibrated model keeps, or none."""
    return () if model.calibration is None else model.calibration.tails


def ranked(tail: FloatArray, held_out: FloatArray) -> FloatArray:
    """Return the ranks of tail probabilities among sorted ones of held-out rows.

    Between these, and below the smallest, they are interpolated.

    Examples
    --------
    >>> ranked(np.array([0.0, 0.02, 0.3, 0.5]), np.array([0.04, 0.2, 0.4])).tolist()
    [0.0, 0.125, 0.625, 0.7916666666666666]
    """
    if not held_out.size:
        return tail
    points = np.concatenate([[0.0], held_out, [1.0]])
    return np.interp(tail, points, np.linspace(0.0, 1.0, points.size))
