"""Densities of rows whose columns are transformed: ``p(x | c) = p(z | c) Π_j t_j'(x_j)``.

The slopes are the same for all classes, so posteriors do not depend on them; likelihoods and
evidence are those of the original rows. Quantities of regions rather than units (quantiles,
distances, overlaps, odds, contributions of columns) are the same for x and z.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.threads import CACHED, for_each
from gaussbayes.base.types import CodeArray, FloatArray, RealArray, Task
from gaussbayes.data.rows import Rows, Targets, number_rows
from gaussbayes.data.schema import Schema
from gaussbayes.families.expression import TransformedColumns
from gaussbayes.families.gaussian.density import GaussianDensity
from gaussbayes.families.independent import class_sums
from gaussbayes.families.mapped import MappedStatistics, row_blocks
from gaussbayes.families.protocol import (
    Coordinates,
    ParameterTable,
    Predictable,
    SampleOfClasses,
)
from gaussbayes.families.transformed.transform import Logarithm, Transforms, YeoJohnson

_NODES = np.linspace(-4.0, 4.0, 401)
"""Standard deviations at which a normal density is summed for moments."""


@dataclass(frozen=True, slots=True, eq=False)
class TransformedDensity:
    """Densities of k classes, of columns that are transformed to z with the density `inner`."""

    map: Transforms
    inner: GaussianDensity

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return self.inner.n_classes

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return self.map.n_columns

    @property
    def n_parameters(self) -> int:
        """Free parameters of the densities of z; those of the transforms count as settings."""
        return self.inner.n_parameters

    def log_density(self, rows: Rows, threads: int = 1) -> RealArray:
        """``log p(z | c) + Σ_j log t_j'(x_j)`` (n, k) over the observed columns."""
        return self.score(rows, np.zeros(self.n_classes), None, "log_joint", threads)

    def score(
        self,
        rows: Rows,
        log_prior: FloatArray,
        bias: Callable[[slice], RealArray] | None,
        task: Task,
        threads: int = 1,
    ) -> NDArray[Any]:
        """The output of `task` for ``log_prior_c + log p(x | c) + bias_c``: (n,) or (n, k).

        It is computed block by block, so that memory is bounded.
        """
        dtype, n, d = rows.dtype, rows.n_rows, self.n_columns
        out: NDArray[Any] = np.empty(
            n if task == "label" else (n, self.n_classes), np.intp if task == "label" else dtype
        )

        def scored(block: slice) -> NDArray[Any]:
            z, log_slope = self.map.mapped(rows[block], None, block.start)
            added = None if bias is None else partial(_shifted, bias, block.start)
            z = number_rows(z.matrix.astype(dtype, copy=False))
            scores = self.inner.score(z, log_prior, added, task, 1)
            if task == "log_joint":  # in all others they cancel
                scores += log_slope.sum(axis=1)[:, None].astype(dtype)
            return scores

        def score_block(block: slice) -> None:
            out[block] = scored(block)

        blocks = row_blocks(n, d)
        try:
            for_each(score_block, blocks, threads if n * d > CACHED else 1)
        except DataError:
            if len(blocks) > 1:  # row numbers in the message count from the first of all rows
                scored(slice(0, n))
            raise
        return out

    def expression(self, statistics: MappedStatistics | None) -> TransformedColumns:
        """The transforms, and the record of the density of z."""
        inner = self.inner.expression(None if statistics is None else statistics.inner)
        return TransformedColumns(self.map.of, inner)

    def marginal(self, columns: Sequence[int], names: Schema) -> "TransformedDensity":
        """The density of some of the columns."""
        return TransformedDensity(self.map.of_columns(columns), self.inner.marginal(columns, names))

    def selected(self, codes: Sequence[int]) -> "TransformedDensity":
        """Only the classes with these codes, in this order."""
        return replace(self, inner=self.inner.selected(codes))

    # EM.

    def expect(self, rows: Rows, responsibility: FloatArray, threads: int = 1) -> MappedStatistics:
        """Expected statistics of rows with soft labels (n, k)."""
        z, log_slope = self.map.mapped(rows)
        inner = self.inner.expect(z, responsibility, threads)
        _, (slopes,) = class_sums(log_slope[None], Targets(responsibility, self.n_classes))
        return MappedStatistics(self.map, inner, slopes)

    def expect_statistics(self, statistics: MappedStatistics) -> tuple[MappedStatistics, float]:
        """Expected complete statistics, given observed ones, and their `log_likelihood`."""
        inner, log_likelihood = self.inner.expect_statistics(statistics.inner)
        total = log_likelihood + float(statistics.log_slope.sum())
        return replace(statistics, inner=inner), total

    def log_likelihood(self, statistics: MappedStatistics) -> float:
        """``Σ w log p(x | c)`` of the observed values, each row in its class."""
        return self.inner.log_likelihood(statistics.inner) + float(statistics.log_slope.sum())

    def coordinates(self, names: Schema) -> "TransformedCoordinates":
        """Those of the density of z."""
        return TransformedCoordinates(self, self.inner.coordinates(names))

    # Distances.

    def squared_distance(self, rows: Rows, threads: int = 1) -> tuple[FloatArray, FloatArray]:
        """Squared distances (n, k) of the transformed rows, and numbers of observed columns."""
        return self.inner.squared_distance(self.map.mapped(rows)[0], threads)

    @property
    def straight(self) -> GaussianDensity:
        """The density of the transformed columns."""
        return self.inner

    def warp(self, points: FloatArray) -> FloatArray:
        """The inverse transforms (…, d)."""
        return self.map.inverse(points)

    def unwarp(self, rows: FloatArray) -> FloatArray:
        """The transforms (n, d) of columns."""
        return self.map.forward(rows)[0]

    @property
    def lowest(self) -> FloatArray:
        """The lower bound of each column (d,): 0 for the logarithm."""
        positive = [isinstance(transform, Logarithm) for transform in self.map.of]
        return np.where(positive, 0.0, -np.inf)

    # Draws.

    def draw(self, codes: CodeArray, generator: np.random.Generator) -> Rows:
        """One row for each class code (n,)."""
        return self._from_units(self.inner.draw(codes, generator))

    def draw_members(
        self, codes: CodeArray, sample: SampleOfClasses, generator: np.random.Generator
    ) -> Rows:
        """One row for each class code (n,), as far from the mean as new members."""
        inner = self.inner
        assert isinstance(inner, Predictable)  # only their families have a sample
        return self._from_units(inner.draw_members(codes, sample, generator))

    def _from_units(self, rows: Rows) -> Rows:
        return number_rows(self.map.inverse(rows.matrix.astype(np.float64, copy=False)))

    # Two classes.

    def contributions(
        self, row: Rows, pair: tuple[int, int], reference: FloatArray | None
    ) -> tuple[float, FloatArray]:
        """The log ratio at the reference, and each column's contribution (d,): those of z."""
        return self.inner.contributions(self.map.mapped(row)[0], pair, reference)

    def reference_point(self, weights: FloatArray) -> FloatArray:
        """The mean (d,) of the classes' means of z with these weights, in the units of x."""
        return self.map.inverse(self.inner.reference_point(weights))

    # Moments in the units of the rows. A transform is uncertain beyond its training rows, so
    # moments are # computed within their range.

    @property
    def mean(self) -> FloatArray:
        """The means of x (k, d), within the range of the rows."""
        return self._moments[0]

    @property
    def deviation(self) -> FloatArray:
        """The standard deviations of x (k, d), within the range of the rows."""
        return self._moments[1]

    def dense_covariance(self) -> FloatArray:
        """The covariances of x (m, d, d), with the correlations of z.

        m is 1 if the classes share one, else k.
        """
        covariance = self.inner.dense_covariance()
        if self.map.linear:
            scale = self._scale
            return np.asarray(covariance * scale[:, None] * scale)
        root = np.sqrt(np.einsum("mii->mi", covariance))
        factor = self.deviation / root
        return np.asarray(covariance * factor[:, :, None] * factor[:, None, :])

    @property
    def _scale(self) -> FloatArray:
        """The scales of transforms that are linear (d,)."""
        ends = self.map.inverse(np.array([[0.0], [1.0]]) * np.ones(self.n_columns))
        return np.asarray(ends[1] - ends[0])

    @property
    def _moments(self) -> tuple[FloatArray, FloatArray]:
        """Means and standard deviations of x (k, d)."""
        if self.map.linear:
            return self.map.inverse(self.inner.mean), self.inner.deviation * self._scale
        z = self.inner.mean + _NODES[:, None, None] * self.inner.deviation
        x = np.clip(self.map.inverse(z), *self.map.ranges)
        mass = np.exp(-0.5 * np.square(_NODES))
        mass /= mass.sum()
        middle = x[_NODES.size // 2]
        away = x - middle  # a mean far from 0 loses no digits
        unit = np.maximum(np.abs(away).max(axis=0), np.finfo(np.float64).tiny)
        away /= unit  # squares of a long tail would overflow
        mean = np.tensordot(mass, away, 1)
        variance = np.tensordot(mass, np.square(away - mean), 1)
        return middle + unit * mean, unit * np.sqrt(variance)

    def tables(self, names: Schema) -> tuple[ParameterTable, ...]:
        """Means and standard deviations of x, the other tables of z, and the powers."""
        shown = [
            ParameterTable("mean", names.titles, self.mean),
            ParameterTable("standard deviation", names.titles, self.deviation),
        ]
        known = {table.title for table in shown}
        shown += [
            replace(table, title=f"{table.title} of z")
            for table in self.inner.tables(names)
            if table.title not in known
        ]
        powers = {
            title: transform.power
            for title, transform in zip(names.titles, self.map.of, strict=True)
            if isinstance(transform, YeoJohnson)
        }
        if powers:
            values = np.array([list(powers.values())])
            shown.append(ParameterTable("Yeo-Johnson power", tuple(powers), values))
        return tuple(shown)


@dataclass(frozen=True, slots=True, eq=False)
class TransformedCoordinates:
    """A density as a vector: that of the density of z."""

    start: TransformedDensity
    inner: Coordinates[GaussianDensity]

    def vector(self, density: TransformedDensity) -> FloatArray:
        """The coordinates of a density (p,)."""
        return self.inner.vector(density.inner)

    def density(self, vector: FloatArray) -> TransformedDensity:
        """The density with these coordinates."""
        return replace(self.start, inner=self.inner.density(vector))

    def rounding(self, density: TransformedDensity) -> float:
        """The rounding error of the coordinates after an iteration of EM."""
        return self.inner.rounding(density.inner)


def _shifted(bias: Callable[[slice], RealArray], first: int, part: slice) -> RealArray:
    """The offset of row numbers that count from another row."""
    return bias(slice(first + part.start, first + part.stop))
