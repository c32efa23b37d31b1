"""k Gaussian class-conditional densities: a mean and a covariance for each class.

What can be asked of them is written in the modules that are imported where they are needed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray, RealArray, Task
from gaussbayes.data.rows import Rows
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
        """How many classes there are."""
        return int(self.offset.shape[0])

    @property
    def n_columns(self) -> int:
        """How many features there are."""
        return int(self.offset.shape[1])

    @property
    def mean(self) -> FloatArray:
        """The means (k, d)."""
        mean: FloatArray = self.center + self.offset
        return mean

    @property
    def deviation(self) -> FloatArray:
        """The standard deviations (k, d), the same in every row if the covariance is shared."""
        return np.broadcast_to(self.covariance.deviation, self.offset.shape)

    def dense_covariance(self) -> FloatArray:
        """The covariances as matrices (m, d, d)."""
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
        """The Gaussians of some features, which have the same entries of mean and covariance.

        Examples
        --------
        >>> from gaussbayes.families.gaussian.shapes import Diagonal
        >>> names, part = Schema(np.arange(2), 3), Schema(np.arange(2), 2)
        >>> variances = Diagonal.of(np.array([[1.0, 4.0, 9.0], [2.0, 3.0, 4.0]]), names)
        >>> density = GaussianDensity(np.zeros(3), np.arange(6.0).reshape(2, 3), variances)
        >>> seen = density.marginal([2, 0], part)
        >>> seen.mean.tolist(), seen.covariance.values.tolist()
        ([[2.0, 0.0], [5.0, 3.0]], [[9.0, 1.0], [4.0, 2.0]])
        """
        where = np.asarray(columns, dtype=np.intp)
        return GaussianDensity(
            self.center[where], self.offset[:, where], self.covariance.sub(where, names)
        )

    def selected(self, codes: Sequence[int]) -> "GaussianDensity":
        """Only the classes with these codes, in this order."""
        shape = self.covariance if self.shared else self.covariance.selected(codes)
        return GaussianDensity(self.center, self.offset[list(codes)], shape)

    def log_likelihood(self, statistics: GaussianStatistics) -> float:
        """``Σ w log p(x | c)`` of what was observed, each row in its own class.

        For complete rows of weight W_c, mean μ̂_c and scatter S_c it is
        ``−½ Σ_c (W_c (d log 2π + log |Σ_c| + |W (μ̂_c − μ_c)|²) + tr Σ_c⁻¹ S_c)``.

        Examples
        --------
        >>> from gaussbayes.families.gaussian.statistics import observe
        >>> from gaussbayes.families.gaussian.shapes import Spherical
        >>> shape = Spherical.of(np.array([1.0]), Schema(np.arange(1), 1))
        >>> density = GaussianDensity(np.zeros(1), np.zeros((1, 1)), shape)
        >>> rows = observe(np.array([[-1.0], [1.0]]), np.zeros(2, np.int32), None, 1, "diagonal")
        >>> round(density.log_likelihood(rows), 4)  # −(1 + log 2π)
        -2.8379
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
        return -0.5 * (
            float(np.broadcast_to(volume, moments.weight.shape) @ moments.weight) + squares
        )

    def expect(
        self, rows: Rows, responsibility: FloatArray, threads: int = 1
    ) -> GaussianStatistics:
        """Expected complete statistics of rows that belong to each class in part (n, k)."""
        from gaussbayes.families.gaussian import expectation

        return expectation.expect(self, rows.matrix, responsibility, threads)

    def expect_statistics(self, statistics: GaussianStatistics) -> tuple[GaussianStatistics, float]:
        """Expected complete statistics of labelled rows, and ``Σ w log p(x | c)`` of them."""
        from gaussbayes.families.gaussian import expectation

        return expectation.expect_statistics(self, statistics)

    # Scores: `gaussbayes.families.gaussian.scoring`.

    def log_density(self, rows: Rows, threads: int = 1) -> RealArray:
        """``log p(x | c)`` (n, k), what is missing integrated out."""
        from gaussbayes.families.gaussian import scoring

        return scoring.log_density(self, rows, threads)

    def score(
        self,
        rows: Rows,
        log_prior: FloatArray,
        bias: Callable[[slice], RealArray] | None,
        task: Task,
        threads: int,
    ) -> NDArray[Any]:
        """What `task` asks for of ``log_prior_c + log p(x | c) + bias_c``: (n,) or (n, k)."""
        from gaussbayes.families.gaussian import scoring

        return scoring.score(self, rows, log_prior, bias, task, threads)

    def squared_distance(self, rows: Rows, threads: int = 1) -> tuple[FloatArray, FloatArray]:
        """Squared Mahalanobis distances (n, k), and how many features are there (n,)."""
        from gaussbayes.families.gaussian import scoring

        return scoring.squared_distance(self, rows, threads)

    # Draws, explanations, overlap.

    def draw(self, codes: CodeArray, generator: np.random.Generator) -> Rows:
        """One row for each class code (n,)."""
        from gaussbayes.families.gaussian import drawing

        return drawing.draw(self, codes, generator)

    def contributions(
        self, row: Rows, pair: tuple[int, int], reference: Reference | None
    ) -> tuple[float, FloatArray]:
        """The log ratio of two classes at the reference, and the Shapley value of each feature."""
        from gaussbayes.families.gaussian import shapley

        return shapley.contributions(self, row, pair, reference)

    def reference_point(self, reference: Reference) -> FloatArray:
        """The point (d,) that a reference stands for."""
        return reference.offset(self.mean)

    def crossings(self, pair: tuple[int, int], constant: float) -> FloatArray:
        """Where the log ratio of two classes of one feature, plus a constant, is 0."""
        from gaussbayes.families.gaussian import crossing

        return crossing.crossings(self, pair, constant)

    def log_overlap(self) -> FloatArray:
        """``log ∫ √(p(x | a) p(x | b)) dx`` (k, k)."""
        from gaussbayes.families.gaussian import overlap

        return overlap.log_overlap(self)

    def draw_between(self, pairs: NDArray[np.intp], generator: np.random.Generator) -> Rows:
        """One row for each pair (n,), drawn in proportion to ``√(p(x | a) p(x | b))``."""
        from gaussbayes.families.gaussian import overlap

        return overlap.draw_between(self, pairs, generator)

    def draw_widely(
        self, codes: CodeArray, generator: np.random.Generator
    ) -> tuple[Rows, FloatArray]:
        """A row for each class code (n,), rare ones more often, and the weight of each."""
        from gaussbayes.families.gaussian import tails

        return tails.draw_widely(self, codes, generator)

    def tables(self, names: Schema) -> tuple[ParameterTable, ...]:
        """Means and standard deviations, and correlations of a few features."""
        return (
            ParameterTable("mean", names.titles, self.mean),
            ParameterTable("standard deviation", names.titles, self.covariance.deviation),
            *self.covariance.tables(names),
        )
