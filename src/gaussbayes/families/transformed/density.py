"""Densities of rows whose columns are transformed: ``p(x | c) = p(z | c) Π_j t_j'(x_j)``.

The slopes are the same for all classes, so that they leave posteriors as they are; likelihoods and
evidence are those of the rows as they came. Whatever belongs to regions, not to units
(quantiles, distances, overlaps, odds, contributions of columns), is the same for x and z.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import CodeArray, FloatArray, RealArray, Task
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.data.schema import Schema
from gaussbayes.families.mapped import MappedDensity
from gaussbayes.families.protocol import Fused, ParameterTable
from gaussbayes.families.transformed.transform import Logarithm, Transforms, YeoJohnson

_NODES = np.linspace(-4.0, 4.0, 401)
"""Standard deviations at which a normal density is summed for moments."""


@dataclass(frozen=True, slots=True, eq=False)
class TransformedDensity(MappedDensity):
    """Densities of k classes, of columns that are transformed; see `density_of`."""

    map: Transforms

    def squared_distance(self, rows: Rows, threads: int = 1) -> tuple[FloatArray, FloatArray]:
        """Squared distances (n, k) of the transformed rows, and how many columns there are (n,)."""
        distance: tuple[FloatArray, FloatArray] = self.inner.squared_distance(
            self.map.mapped(rows)[0], threads
        )
        return distance

    @property
    def straight(self) -> Any:
        """The density of the transformed columns."""
        return self.inner

    def warp(self, points: FloatArray) -> FloatArray:
        """The columns (…, d) of which these are the transforms."""
        return self.map.inverse(points)

    def unwarp(self, rows: FloatArray) -> FloatArray:
        """The transforms (n, d) of columns."""
        return self.map.forward(rows)[0]

    @property
    def lowest(self) -> FloatArray:
        """Above which the values of each column are (d,): 0 for those that have a logarithm."""
        positive = [isinstance(transform, Logarithm) for transform in self.map.of]
        return np.where(positive, 0.0, -np.inf)

    # Draws.

    def _back(self, rows: Rows) -> Rows:
        return number_rows(self.map.inverse(rows.matrix.astype(np.float64, copy=False)))

    def draw(self, codes: CodeArray, generator: np.random.Generator) -> Rows:
        """One row for each class code (n,)."""
        return self._back(self.inner.draw(codes, generator))

    # Two classes.

    def contributions(
        self, row: Rows, pair: tuple[int, int], reference: FloatArray | None
    ) -> tuple[float, FloatArray]:
        """The log ratio at the reference, and each column's contribution (d,): those of z."""
        z, _ = self.map.mapped(row)
        parts: tuple[float, FloatArray] = self.inner.contributions(z, pair, reference)
        return parts

    def reference_point(self, weights: FloatArray) -> FloatArray:
        """The mean (d,) of the classes' means of z with these weights, in the units of x."""
        return self.map.inverse(self.inner.reference_point(weights))

    # Moments in the units of the rows. A transform says little about values beyond the rows that it
    # was estimated from, so that moments are those within their range.

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
        covariance: FloatArray = self.inner.dense_covariance()
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
        away = x - middle  # a mean far from 0 costs no digit
        unit = np.maximum(np.abs(away).max(axis=0), np.finfo(np.float64).tiny)
        away /= unit  # squares of a long tail would overflow
        mean = np.tensordot(mass, away, 1)
        variance = np.tensordot(mass, np.square(away - mean), 1)
        return middle + unit * mean, unit * np.sqrt(variance)

    def tables(self, names: Schema) -> tuple[ParameterTable, ...]:
        """Means and standard deviations of x, what else there is of z, and the powers."""
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


class FusedTransformedDensity(TransformedDensity):
    """Transformed columns whose z a kernel scores."""

    __slots__ = ()

    def log_density(self, rows: Rows, threads: int = 1) -> RealArray:
        """``log p(z | c) + Σ_j log t_j'(x_j)`` (n, k) over the columns that are there."""
        return self.score(rows, np.zeros(self.n_classes), None, "log_joint", threads)

    def score(
        self,
        rows: Rows,
        log_prior: FloatArray,
        bias: Callable[[slice], RealArray] | None,
        task: Task,
        threads: int,
    ) -> NDArray[Any]:
        """What `task` asks for of ``log_prior_c + log p(x | c) + bias_c``: (n,) or (n, k)."""
        shape = rows.n_rows if task == "label" else (rows.n_rows, self.n_classes)
        out: NDArray[Any] = np.empty(shape, np.intp if task == "label" else rows.dtype)

        def score(z: Rows, first: int) -> NDArray[Any]:
            added = None
            if bias is not None:
                added = partial(_shifted, bias, first)
            scores: NDArray[Any] = self.inner.score(z, log_prior, added, task, 1)
            return scores

        self.score_blocks(rows, score, out, threads, slopes=task == "log_joint")
        return out


def _shifted(bias: Callable[[slice], RealArray], first: int, part: slice) -> RealArray:
    """What is added to rows that are counted from another one."""
    return bias(slice(first + part.start, first + part.stop))


def density_of(transforms: Transforms, inner: Any) -> TransformedDensity:
    """The density of columns whose transforms have this density."""
    kind = FusedTransformedDensity if isinstance(inner, Fused) else TransformedDensity
    return kind(transforms, inner)
