"""Families that map the columns to numbers, which follow another family.

The maps are transforms of the columns, codes of categories, and the span of the rows. Selection,
regularisation and estimation are those of the family inside; its statistics and densities are
`inner` of those of the mapped family.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, Self, cast

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.merge_tree import merge_blocks
from gaussbayes.base.notices import Remedy
from gaussbayes.base.threads import CACHED, for_each, ranges, rows_at_once
from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.data.categories import Categories
from gaussbayes.data.rows import Rows, Targets, number_rows
from gaussbayes.data.schema import Schema
from gaussbayes.families.expression import Expression
from gaussbayes.families.likelihood_ratio import FamilyTests
from gaussbayes.families.protocol import (
    AnyDensity,
    AnyFamily,
    Coordinates,
    Family,
    Fit,
    LeftOut,
    Scattered,
    Sized,
)
from gaussbayes.families.removal import Removal


class Map(Protocol):
    """How columns become numbers: the same for all classes."""

    differs: ClassVar[str]  # why statistics under different maps cannot be combined

    @property
    def n_columns(self) -> int:
        """How many columns are mapped."""

    @property
    def width(self) -> int:
        """How many numbers a row is mapped to."""

    def mapped(
        self, rows: Rows, names: Schema | None = None, first_row: int = 0
    ) -> tuple[Rows, FloatArray]:
        """Rows as numbers, in float64, and the logarithms of the slopes (n, d), 0 if missing.

        (n, 0) are slopes of 1. A value that cannot be mapped is an error that names row, counted
        from `first_row`, and column.
        """

    def names(self, names: Schema) -> Schema:
        """What messages call the numbers that columns called `names` are mapped to."""


class ColumnMap(Map, Protocol):
    """A map of each column by itself."""

    def of_columns(self, columns: Sequence[int]) -> Self:
        """The map of some columns, in this order."""

    def places(self, columns: Sequence[int]) -> Sequence[int]:
        """Which of the numbers some columns are mapped to."""

    def tests(self, tests: FamilyTests, names: Schema) -> FamilyTests:
        """Tests of the numbers as tests of the columns."""

    def expression(self, inner: Expression) -> Expression:
        """The record of the density of columns whose numbers have this one."""


@dataclass(frozen=True, slots=True, eq=False)
class MappedStatistics:
    """The statistics of mapped rows by another family, and the sums of their log slopes.

    With these sums the likelihood is that of the rows as they came: ``Σ w log p(x | c) =
    Σ w log p(z | c) + Σ_cj log_slope``. A value that is missing adds nothing.
    """

    map: Any  # Map
    inner: Any  # Statistics, of z
    log_slope: FloatArray = field(default_factory=lambda: np.empty((0, 0)))  # (k, d) or (k, 0)

    def __post_init__(self) -> None:
        if not self.log_slope.size:
            object.__setattr__(self, "log_slope", np.zeros((self.weight.size, 0)))

    @property
    def weight(self) -> FloatArray:
        """How much the rows of each class weigh (k,)."""
        return np.asarray(self.inner.weight)

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return int(self.map.n_columns)

    @property
    def categories(self) -> tuple[Categories, ...]:
        """The categories of each column that has some: those that the map knows."""
        return getattr(self.map, "categories", ())

    @property
    def n_bytes(self) -> int:
        """How much memory they take."""
        return int(self.inner.n_bytes) + self.log_slope.nbytes

    @property
    def is_complete(self) -> bool:
        """Whether no value was missing."""
        return bool(self.inner.is_complete)

    def __add__(self, other: Self) -> Self:
        self.check_map(other.map)
        return self._with(self.inner + other.inner, self.log_slope + other.log_slope)

    def plus(self, other: Self, names: Schema) -> Self:
        """The statistics of the rows of both; they must be mapped alike."""
        self.check_map(other.map)
        inner = self.inner.plus(other.inner, self.map.names(names))
        return self._with(inner, self.log_slope + other.log_slope)

    def without(self, other: Self, names: Schema) -> Self:
        """The statistics of these rows without others, which must be among them."""
        self.check_map(other.map)
        inner = self.inner.without(other.inner, self.map.names(names))
        left = self.log_slope - other.log_slope
        return self._with(inner, np.where(inner.weight[:, None] > 0, left, 0.0))

    def scaled(self, factor: float) -> Self:
        """The statistics of the same rows, each counting `factor` times as much."""
        return self._with(self.inner.scaled(factor), factor * self.log_slope)

    def selected(self, codes: Sequence[int]) -> Self:
        """Only the classes with these codes, in this order."""
        return self._with(self.inner.selected(codes), self.log_slope[list(codes)])

    def aligned(self, positions: Sequence[int], n_classes: int) -> Self:
        """The same where class `i` has become number ``positions[i]`` of `n_classes`."""
        log_slope = np.zeros((n_classes, self.log_slope.shape[1]))
        log_slope[list(positions)] = self.log_slope
        return self._with(self.inner.aligned(positions, n_classes), log_slope)

    def together(self) -> Self:
        """The statistics of the rows of all classes, as those of one class."""
        return self._with(self.inner.together(), self.log_slope.sum(axis=0, keepdims=True))

    def of_columns(self, columns: Sequence[int]) -> Any:
        """Only these columns, in this order."""
        log_slope = self.log_slope
        if log_slope.size:
            log_slope = log_slope[:, list(columns)]
        inner = self.inner.of_columns(self.map.places(columns))
        return replace(self, map=self.map.of_columns(columns), inner=inner, log_slope=log_slope)

    def tested(self, other: Self, names: Schema) -> FamilyTests:
        """Whether the rows are like others, which must be mapped alike."""
        self.check_map(other.map)
        tests: FamilyTests = self.map.tests(
            self.inner.tested(other.inner, self.map.names(names)), names
        )
        return tests

    def scatters(self) -> tuple[FloatArray, FloatArray, FloatArray] | None:
        """The scatters of z."""
        return self.inner.scatters() if isinstance(self.inner, Scattered) else None

    def check_map(self, other: Any) -> None:
        """Raise unless the rows were mapped by this map."""
        if self.map is not other and self.map != other:
            raise DataError(self.map.differs)

    def _with(self, inner: Any, log_slope: FloatArray) -> Self:
        return replace(self, inner=inner, log_slope=log_slope)


@dataclass(frozen=True, slots=True, eq=False)
class MappedDensity:
    """Densities of k classes, of columns that are mapped to numbers with the density `inner`."""

    map: Any  # Map
    inner: Any  # Density, of z

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return int(self.inner.n_classes)

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return int(self.map.n_columns)

    @property
    def n_parameters(self) -> int:
        """Free parameters of the densities of z; the parameters of the map count as settings."""
        return int(self.inner.n_parameters)

    def log_density(self, rows: Rows, threads: int = 1) -> RealArray:
        """``log p(z | c) + Σ_j log slope_j(x_j)`` (n, k) over the columns that are there."""
        out: RealArray = np.empty((rows.n_rows, self.n_classes), rows.dtype)
        self.score_blocks(rows, lambda z, _: self.inner.log_density(z), out, threads, slopes=True)
        return out

    def score_blocks(
        self,
        rows: Rows,
        score: Callable[[Rows, int], NDArray[Any]],
        out: NDArray[Any],
        threads: int,
        *,
        slopes: bool,
    ) -> None:
        """Write what a function returns for z and the number of its first row, block by block.

        So memory is bounded. With `slopes` their logarithms are added.
        """
        dtype, width = rows.dtype, self.map.width

        def forward(some: Rows, first_row: int) -> tuple[Rows, FloatArray]:
            z, log_slope = self.map.mapped(some, None, first_row)
            return number_rows(z.matrix.astype(dtype, copy=False)), log_slope

        def score_block(block: slice) -> None:
            z, log_slope = forward(rows[block], block.start)
            out[block] = score(z, block.start)
            if slopes:
                out[block] += log_slope.sum(axis=1)[:, None].astype(dtype)

        blocks = row_blocks(rows.n_rows, width)
        try:
            for_each(score_block, blocks, threads if rows.n_rows * width > CACHED else 1)
        except DataError:
            if len(blocks) > 1:  # the message is to count rows from the first of all
                score(forward(rows, 0)[0], 0)
            raise

    def expression(self, statistics: MappedStatistics | None) -> Expression:
        """The map, and the record of the density of z."""
        inner = self.inner.expression(None if statistics is None else statistics.inner)
        described: Expression = self.map.expression(inner)
        return described

    def marginal(self, columns: Sequence[int], names: Schema) -> Self:
        """The density of some of the columns: of the numbers that they are mapped to."""
        some = self.map.of_columns(columns)
        inner = self.inner.marginal(self.map.places(columns), some.names(names))
        return replace(self, map=some, inner=inner)

    def selected(self, codes: Sequence[int]) -> Self:
        """Only the classes with these codes, in this order."""
        return replace(self, inner=self.inner.selected(codes))

    def expect(self, rows: Rows, responsibility: FloatArray, threads: int = 1) -> MappedStatistics:
        """Expected statistics of rows that belong to each class in part (n, k)."""
        z, log_slope = self.map.mapped(rows)
        inner = self.inner.expect(z, responsibility, threads)
        return MappedStatistics(self.map, inner, _weighted_sums(log_slope, responsibility))

    def expect_statistics(self, statistics: MappedStatistics) -> tuple[MappedStatistics, float]:
        """Expected complete statistics of rows known by theirs, and their `log_likelihood`."""
        inner, log_likelihood = self.inner.expect_statistics(statistics.inner)
        total = float(log_likelihood) + float(statistics.log_slope.sum())
        return replace(statistics, inner=inner), total

    def log_likelihood(self, statistics: MappedStatistics) -> float:
        """``Σ w log p(x | c)`` of what was observed, each row in its own class."""
        of_z = float(self.inner.log_likelihood(statistics.inner))
        return of_z + float(statistics.log_slope.sum())

    def coordinates(self, names: Schema) -> "MappedCoordinates":
        """Those of the density inside."""
        return MappedCoordinates(self, self.inner.coordinates(self.map.names(names)))


class Mapped(Family[MappedStatistics, MappedDensity]):
    """A family whose columns are mapped to numbers, which follow another `family`."""

    family: AnyFamily  # of what the columns are mapped to

    @property
    @abstractmethod
    def map(self) -> Map:
        """The map; it must have been fixed."""

    @abstractmethod
    def density_of(self, mapped: Any, inner: AnyDensity) -> MappedDensity:
        """The density of columns, by their map and the density of what they are mapped to."""

    @property
    def is_fixed(self) -> bool:
        """Whether the map is known."""
        return True

    def forward(self, rows: Rows, names: Schema | None = None) -> Rows:
        """Rows as the numbers that they are mapped to, in float64."""
        z = np.empty((rows.n_rows, self.map.width))
        for block in row_blocks(*z.shape):
            z[block] = self.map.mapped(rows[block], names, block.start)[0].matrix
        return number_rows(z)

    def observe(
        self, rows: Rows, targets: Targets, names: Schema, threads: int = 1
    ) -> MappedStatistics:
        """The statistics of labelled rows, mapped block by block."""
        known, inner_names = self.map, self.map.names(names)

        def observe_block(block: slice) -> MappedStatistics:
            z, log_slope = known.mapped(rows[block], names, block.start)
            some = targets[block]
            inner = self.family.observe(z, some, inner_names)
            return MappedStatistics(known, inner, _by_class(log_slope, some))

        blocks = row_blocks(rows.n_rows, known.width)
        if isinstance(self.family, Sized):  # they must outweigh the merging of their statistics
            state = self.family.n_bytes(targets.n_classes, known.width)
            least = min(12 * state, _MOST_MAPPED) // (8 * known.width)
            if least > blocks[0].stop:
                blocks = ranges(rows.n_rows, least)
        return merge_blocks(observe_block, blocks, threads)

    def adapted(self, statistics: MappedStatistics) -> MappedStatistics:
        """Statistics gathered under other settings, by the same map."""
        statistics.check_map(self.map)
        return replace(statistics, inner=self.family.adapted(statistics.inner))

    def estimate(
        self,
        statistics: MappedStatistics,
        names: Schema,
        threads: int = 1,
        start: MappedDensity | None = None,
    ) -> Fit[MappedDensity]:
        """The density that fits the mapped rows best, regularised."""
        near = None if start is None else start.inner
        fit = self.family.estimate(statistics.inner, statistics.map.names(names), threads, near)
        record = fit.convergence
        if record is not None:
            curve = record.log_likelihood + statistics.log_slope.sum()
            record = replace(record, log_likelihood=curve)
        return Fit(self.density_of(statistics.map, fit.density), record)

    @property
    def options(self) -> Mapping[str, object]:
        """Those of the family inside."""
        return self.family.options

    # EM for missing labels.

    def start(
        self,
        statistics: MappedStatistics,
        together: MappedStatistics,
        names: Schema,
        threads: int = 1,
    ) -> MappedDensity:
        """A density to start from, by labelled rows, and all rows as those of one class."""
        inner_names = statistics.map.names(names)
        inner = self.family.start(statistics.inner, together.inner, inner_names, threads)
        return self.density_of(statistics.map, inner)

    def maximise(self, expected: MappedStatistics, names: Schema) -> MappedDensity:
        """The density that maximises likelihood and penalty: the mapping does not depend on it."""
        inner = self.family.maximise(expected.inner, expected.map.names(names))
        return self.density_of(expected.map, inner)

    def log_penalty(self, density: MappedDensity) -> float:
        """The penalty of the family inside."""
        return self.family.log_penalty(density.inner)

    def penalised(self, statistics: MappedStatistics, names: Schema) -> Self | None:
        """This family with a penalty that keeps the likelihood bounded; None if it has none."""
        penalised = self.family.penalised(statistics.inner, statistics.map.names(names))
        return None if penalised is None else self._around(penalised)

    def attempt(self, statistics: MappedStatistics, names: Schema) -> None:
        """Raise what `estimate` would, or if its EM takes long."""
        self.family.attempt(statistics.inner, statistics.map.names(names))

    def alternatives(self) -> dict[Remedy, Self]:
        """What may have an estimate where this has none, by how the user asks for it."""
        return {name: self._around(other) for name, other in self.family.alternatives().items()}

    # Held-out rows and selection.

    def left_out(
        self,
        statistics: MappedStatistics,
        path: Sequence[Self],
        targets: Targets,
        names: Schema,
        *,
        exact: bool = True,
    ) -> LeftOut | None:
        """The closed form of the family inside, given the map."""
        families, inner_names = [member.family for member in path], statistics.map.names(names)
        closed = self.family.left_out(statistics.inner, families, targets, inner_names, exact=exact)
        if closed is None:
            return None

        def log_densities(rows: Rows, removal: Removal) -> tuple[FloatArray, NDArray[np.bool_]]:
            return closed(self.forward(rows), removal)

        return log_densities

    def variants(self, statistics: MappedStatistics, names: Schema) -> Iterator[Sequence[Self]]:
        """Those of the family inside."""
        inner_names = statistics.map.names(names)
        for families in self.family.variants(statistics.inner, inner_names):
            yield [self._around(family) for family in families]

    def n_bytes(self, n_classes: int, n_columns: int) -> int:
        """How much memory the statistics of so many classes and features take."""
        inner = cast("Sized", self.family).n_bytes(n_classes, n_columns)
        return inner + 8 * n_classes * n_columns

    def n_parameters(self, n_classes: int, n_columns: int) -> int:
        """Free parameters of the family inside; the parameters of the map count as settings."""
        return cast("Sized", self.family).n_parameters(n_classes, n_columns)

    def _around(self, family: AnyFamily) -> Self:
        return replace(self, family=family)  # type: ignore[type-var]


def innermost(family: AnyFamily) -> AnyFamily:
    """The family itself, or that which is inside of maps."""
    return innermost(family.family) if isinstance(family, Mapped) else family


@dataclass(frozen=True, slots=True, eq=False)
class MappedCoordinates:
    """A density as a vector: that of the density inside."""

    start: MappedDensity
    inner: Coordinates[Any]

    def vector(self, density: MappedDensity) -> FloatArray:
        """The coordinates of a density (p,)."""
        return self.inner.vector(density.inner)

    def density(self, vector: FloatArray) -> MappedDensity:
        """The density with these coordinates."""
        return replace(self.start, inner=self.inner.density(vector))

    def rounding(self, density: MappedDensity) -> float:
        """How much of the coordinates after an iteration of EM is rounding."""
        return self.inner.rounding(density.inner)


_MOST_MAPPED = 1 << 25
"""Bytes of the rows that are mapped at a time."""


def row_blocks(n_rows: int, n_columns: int) -> list[slice]:
    """The rows in pieces that are mapped at a time; at least one piece."""
    return ranges(n_rows, rows_at_once(8 * n_columns, 16)) or [slice(0, 0)]


def _by_class(terms: FloatArray, targets: Targets) -> FloatArray:
    """The weighted sums (k, d) of terms (n, d) over the rows of each class."""
    k, d = targets.n_classes, terms.shape[1]
    if targets.is_soft:
        return _weighted_sums(terms, targets.labels * targets.total_weights()[:, None])
    if targets.weights is not None:
        terms = terms * targets.weights[:, None]
    place = targets.codes.astype(np.intp)[:, None] * d + np.arange(d)
    sums: FloatArray = np.bincount(place.ravel(), terms.ravel(), k * d).astype(np.float64)
    return sums.reshape(k, d)


def _weighted_sums(terms: FloatArray, weights: FloatArray) -> FloatArray:
    """``Σ_n weights_nc terms_nj`` (k, d); BLAS may add in another order with other threads."""
    return np.asarray(np.einsum("nc,nj->cj", weights, terms))
