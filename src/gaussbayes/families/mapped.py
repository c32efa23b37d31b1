"""Families that map the columns to numbers, which follow another family.

The maps are transforms of the columns, codes of categories, and the span of the rows. Selection,
regularisation and estimation are those of the family inside; its statistics and densities are
`inner` of those of the mapped family.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.notices import Remedy
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.families.protocol import Family, Fit, LeftOut
from gaussbayes.families.removal import Removal


@dataclass(frozen=True, slots=True, eq=False)
class MappedStatistics:
    """The statistics of mapped rows by another family, and the sums of their log slopes.

    With these sums the likelihood is that of the rows as they came: ``Σ w log p(x | c) =
    Σ w log p(z | c) + Σ_cj log_slope``. A value that is missing adds nothing.
    """

    map: Any  # Transforms, Coding or Span
    inner: Any  # Statistics, of z
    log_slope: FloatArray = field(default_factory=lambda: np.empty((0, 0)))  # (k, d) or (k, 0)

    differs: ClassVar[str]  # why statistics under different maps cannot be combined

    def __post_init__(self) -> None:
        if not self.log_slope.size:
            object.__setattr__(self, "log_slope", np.zeros((self.weight.size, 0)))

    @property
    def weight(self) -> FloatArray:
        """How much the rows of each class weigh (k,)."""
        return np.asarray(self.inner.weight)

    @property
    def n_bytes(self) -> int:
        """How much memory they take."""
        return int(self.inner.n_bytes) + self.log_slope.nbytes

    @property
    def is_complete(self) -> bool:
        """Whether no value was missing."""
        return bool(self.inner.is_complete)

    def inner_names(self, names: Schema) -> Schema:
        """What messages call the numbers that columns called `names` are mapped to."""
        return names

    def __add__(self, other: Self) -> Self:
        self.check_alike(other.map)
        return self._with(self.inner + other.inner, self.log_slope + other.log_slope)

    def plus(self, other: Self, names: Schema) -> Self:
        """The statistics of the rows of both; they must be mapped alike."""
        self.check_alike(other.map)
        inner = self.inner.plus(other.inner, self.inner_names(names))
        return self._with(inner, self.log_slope + other.log_slope)

    def without(self, other: Self, names: Schema) -> Self:
        """The statistics of these rows without others, which must be among them."""
        self.check_alike(other.map)
        inner = self.inner.without(other.inner, self.inner_names(names))
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

    def check_alike(self, other: Any) -> None:
        """Raise unless the rows were mapped by this map."""
        if self.map is not other and self.map != other:
            raise DataError(self.differs)

    def _with(self, inner: Any, log_slope: FloatArray) -> Self:
        return replace(self, inner=inner, log_slope=log_slope)


@dataclass(frozen=True, slots=True, eq=False)
class MappedDensity:
    """Densities of k classes, of columns that are mapped to numbers with the density `inner`."""

    map: Any  # Transforms or Coding
    inner: Any  # Density, of z

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return int(self.inner.n_classes)

    @property
    def n_parameters(self) -> int:
        """Free parameters of the densities of z; what the map learnt counts as settings."""
        return int(self.inner.n_parameters)

    def selected(self, codes: Sequence[int]) -> Self:
        """Only the classes with these codes, in this order."""
        return replace(self, inner=self.inner.selected(codes))

    def expect_statistics(self, statistics: Any) -> tuple[Any, float]:
        """Expected complete statistics of rows known by theirs, and their `log_likelihood`."""
        inner, log_likelihood = self.inner.expect_statistics(statistics.inner)
        total = float(log_likelihood) + float(statistics.log_slope.sum())
        return replace(statistics, inner=inner), total

    def coordinates(self, names: Schema) -> "MappedCoordinates":
        """Those of the density inside."""
        return MappedCoordinates(self, self.inner.coordinates(self.map.names(names)))

    def log_likelihood(self, statistics: Any) -> float:
        """``Σ w log p(x | c)`` of what was observed, each row in its own class."""
        of_z = float(self.inner.log_likelihood(statistics.inner))
        return of_z + float(statistics.log_slope.sum())


class Mapped(Family[Any, Any]):
    """A family whose columns are mapped to numbers, which follow another `family`."""

    family: Any  # Family, of what the columns are mapped to

    @property
    @abstractmethod
    def learnt(self) -> Any:
        """The map; it must have been learnt."""

    @abstractmethod
    def forward(self, rows: Rows, names: Schema | None = None) -> Rows:
        """Rows as the numbers that they are mapped to."""

    @abstractmethod
    def density_of(self, statistics: Any, inner: Any) -> Any:
        """The density of rows known by these statistics, by that of what they are mapped to."""

    def inner_names(self, names: Schema) -> Schema:
        """What messages call the numbers that columns called `names` are mapped to."""
        return names

    @property
    def is_fixed(self) -> bool:
        """Whether the map is known."""
        return True

    def adapted(self, statistics: Any) -> Any:
        """Statistics gathered under other settings, by the same map."""
        statistics.check_alike(self.learnt)
        return replace(statistics, inner=self.family.adapted(statistics.inner))

    def estimate(
        self, statistics: Any, names: Schema, threads: int = 1, start: Any = None
    ) -> Fit[Any]:
        """The density that fits the mapped rows best, regularised."""
        near = None if start is None else start.inner
        fit = self.family.estimate(statistics.inner, self.inner_names(names), threads, near)
        record = fit.convergence
        if record is not None:
            curve = record.log_likelihood + statistics.log_slope.sum()
            record = replace(record, log_likelihood=curve)
        return Fit(self.density_of(statistics, fit.density), record)

    def n_parameters(self, n_classes: int, n_columns: int) -> int:
        """Free parameters of the family inside; what the map learnt counts as settings."""
        return int(self.family.n_parameters(n_classes, n_columns))

    @property
    def options(self) -> Mapping[str, Any]:
        """Those of the family inside."""
        options: Mapping[str, Any] = self.family.options
        return options

    @property
    def structure(self) -> Any:
        """The structure of the covariances of the numbers."""
        return self.family.structure

    @property
    def shrinkage(self) -> Any:
        """The shrinkage of their covariances."""
        return self.family.shrinkage

    @property
    def target(self) -> Any:
        """What their covariances are shrunk towards."""
        return self.family.target

    @property
    def estimation(self) -> Any:
        """Whether their covariances are estimated, or integrated out."""
        return self.family.estimation

    # EM for missing labels.

    def start(self, statistics: Any, together: Any, names: Schema, threads: int = 1) -> Any:
        """A density to start from, by labelled rows, and all rows as those of one class."""
        inner_names = self.inner_names(names)
        inner = self.family.start(statistics.inner, together.inner, inner_names, threads)
        return self.density_of(statistics, inner)

    def maximise(self, expected: Any, names: Schema) -> Any:
        """The density that maximises likelihood and penalty: the mapping does not depend on it."""
        inner = self.family.maximise(expected.inner, self.inner_names(names))
        return self.density_of(expected, inner)

    def log_penalty(self, density: Any) -> float:
        """The penalty of the family inside."""
        return float(self.family.log_penalty(density.inner))

    def penalised(self, statistics: Any, names: Schema) -> Self | None:
        """This family with a penalty that keeps the likelihood bounded; None if it has none."""
        penalised = self.family.penalised(statistics.inner, self.inner_names(names))
        return None if penalised is None else self._around(penalised)

    def attempt(self, statistics: Any, names: Schema) -> None:
        """Raise what `estimate` would, or if its EM takes long."""
        self.family.attempt(statistics.inner, self.inner_names(names))

    def alternatives(self) -> dict[Remedy, Self]:
        """What may have an estimate where this has none, by how the user asks for it."""
        return {name: self._around(other) for name, other in self.family.alternatives().items()}

    # Held-out rows and selection.

    def left_out(
        self,
        statistics: Any,
        path: Sequence[Self],
        targets: Targets,
        names: Schema,
        others: Any = None,
        *,
        exact: bool = True,
    ) -> LeftOut | None:
        """The closed form of the family inside, given the map."""
        families, inner_names = [member.family for member in path], self.inner_names(names)
        inner_others = None if others is None else others.inner
        closed = self.family.left_out(
            statistics.inner, families, targets, inner_names, inner_others, exact=exact
        )
        if closed is None:
            return None

        def log_densities(rows: Rows, removal: Removal) -> tuple[FloatArray, NDArray[np.bool_]]:
            scores: tuple[FloatArray, NDArray[np.bool_]] = closed(self.forward(rows), removal)
            return scores

        return log_densities

    def variants(self, statistics: Any, names: Schema) -> Iterator[Sequence[Self]]:
        """Those of the family inside."""
        for families in self.family.variants(statistics.inner, self.inner_names(names)):
            yield [self._around(family) for family in families]

    def _around(self, family: Any) -> Self:
        return replace(self, family=family)  # type: ignore[type-var]


@dataclass(frozen=True, slots=True, eq=False)
class MappedCoordinates:
    """A density as a vector: that of the density inside."""

    start: Any  # a density of the same kind
    inner: Any  # Coordinates

    def vector(self, density: Any) -> FloatArray:
        """The coordinates of a density (p,)."""
        return np.asarray(self.inner.vector(density.inner))

    def density(self, vector: FloatArray) -> Any:
        """The density with these coordinates."""
        return replace(self.start, inner=self.inner.density(vector))

    def rounding(self, density: Any) -> float:
        """How much of the coordinates after an iteration of EM is rounding."""
        return float(self.inner.rounding(density.inner))
