"""k Gaussian class-conditional densities: a mean and a covariance for each class.

What can be asked of them, but for what follows at once, are functions of other modules.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian import drawing, expectation, log_ratio, overlap, scoring
from gaussbayes.families.gaussian.shapes import Shape
from gaussbayes.families.gaussian.statistics import GaussianStatistics
from gaussbayes.families.protocol import ParameterTable, Reference


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class GaussianDensity:
    """The Gaussians of k classes.

    The means are ``center + offset``; scoring works on ``x − center``, which is exact for floats
    near the centre, so that a huge common offset costs no digit.
    """

    center: FloatArray  # (d,)
    offset: FloatArray  # (k, d)
    covariance: Shape

    @property
    def n_classes(self) -> int:
        return int(self.offset.shape[0])

    @property
    def n_columns(self) -> int:
        return int(self.offset.shape[1])

    @property
    def mean(self) -> FloatArray:
        """The means (k, d)."""
        return np.asarray(self.center + self.offset)

    @property
    def deviation(self) -> FloatArray:
        """The standard deviations (k, d), the same in every row if the covariance is shared."""
        return np.broadcast_to(self.covariance.deviation, self.offset.shape)

    def dense_covariance(self) -> FloatArray:
        return self.covariance.dense()

    @property
    def shared(self) -> bool:
        """Whether all classes have the same covariance."""
        return self.covariance.n_covariances < self.n_classes

    @property
    def n_parameters(self) -> int:
        """Free parameters: k·d means, and those of the covariances."""
        return self.offset.size + self.covariance.n_parameters

    def marginal(self, columns: Sequence[int], names: Schema) -> "GaussianDensity":
        """The Gaussians of some features, which have the same entries of mean and covariance."""
        where = np.asarray(columns, dtype=np.intp)
        shape = self.covariance.sub(where, names)
        return GaussianDensity(self.center[where], self.offset[:, where], shape)

    def selected(self, codes: Sequence[int]) -> "GaussianDensity":
        """Only the classes with these codes, in this order."""
        shape = self.covariance if self.shared else self.covariance.selected(codes)
        return GaussianDensity(self.center, self.offset[list(codes)], shape)

    def log_likelihood(self, statistics: GaussianStatistics) -> float:
        """``Σ w log p(x | c)`` of what was observed, each row in its own class.

        For complete rows of weight W_c, mean μ̂_c and scatter S_c it is
        ``−½ Σ_c (W_c (d log 2π + log |Σ_c| + |W (μ̂_c − μ_c)|²) + tr Σ_c⁻¹ S_c)``.
        """
        if statistics.cells is not None:
            return self.expect_statistics(statistics)[1]
        moments, shape = statistics.moments, self.covariance
        scatter = moments.scatters(shape.layout, shared=self.shared)
        squares = float(shape.squares(scatter).sum())
        apart = (moments.anchor - self.center) + (moments.offset - self.offset)
        for c in np.flatnonzero(moments.weight > 0).tolist():
            squares += float(moments.weight[c] * np.square(shape.whiten(apart[c], c)).sum())
        volume = self.n_columns * np.log(2 * np.pi) + shape.log_det
        volumes = float(np.broadcast_to(volume, moments.weight.shape) @ moments.weight)
        return -0.5 * (volumes + squares)

    expect = expectation.expect
    expect_statistics = expectation.expect_statistics
    log_density = scoring.log_density
    score = scoring.score
    squared_distance = scoring.squared_distance
    draw = drawing.draw
    draw_widely = drawing.draw_widely
    contributions = log_ratio.contributions
    crossings = log_ratio.crossings
    log_overlap = overlap.log_overlap
    draw_between = overlap.draw_between

    def reference_point(self, reference: Reference) -> FloatArray:
        """The point (d,) that a reference stands for."""
        return reference.offset(self.mean)

    def tables(self, names: Schema) -> tuple[ParameterTable, ...]:
        """Means and standard deviations, and correlations of a few features."""
        return (
            ParameterTable("mean", names.titles, self.mean),
            ParameterTable("standard deviation", names.titles, self.covariance.deviation),
            *self.covariance.tables(names),
        )
