"""What families have in common that are made of another one, by mapping the columns to numbers.

What is chosen, regularised and estimated is that of the family inside; its statistics and densities
are `inner` of those of the wrapper.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from gaussbayes.base.notices import Remedy
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.protocol import Family


class Wrapper(Family):
    """A family whose columns are mapped to numbers, which follow another `family`."""

    learns_first = True
    family: Any  # Family, of what the columns are mapped to

    @abstractmethod
    def density_of(self, statistics: Any, inner: Any) -> Any:
        """The density of rows known by these statistics, by that of what they are mapped to."""

    def inner_names(self, names: Schema) -> Schema:
        """What messages call the numbers that columns called `names` are mapped to."""
        return names

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

    def keeping(self, statistics: Any) -> Self:
        """This family, observing of more rows as much as these statistics have of theirs."""
        return self._around(self.family.keeping(statistics.inner))

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

    def coordinates(self, start: Any, names: Schema) -> "WrappedCoordinates":
        """Those of the family inside."""
        inner = self.family.coordinates(start.inner, self.inner_names(names))
        return WrappedCoordinates(start, inner)

    # Held-out rows and selection.

    def candidates(self) -> Iterator[Self]:
        """What the automatic choice tries: the candidates of the family inside."""
        for family in self.family.candidates():
            yield self._around(family)

    def completion(self, statistics: Any, names: Schema, threads: int = 1, near: Any = None) -> Any:
        """That of the family inside."""
        return self.family.completion(statistics.inner, self.inner_names(names), threads, near)

    def given_units(self) -> Self:
        """The family inside may have units of its own."""
        return self._around(self.family.given_units())

    @property
    def is_counted(self) -> bool:
        """Whether its free parameters can be counted, as BIC needs."""
        return bool(self.family.is_counted)

    @property
    def is_integrated(self) -> bool:
        """Whether parameters are integrated out."""
        return bool(self.family.is_integrated)

    def fewest_rows(self, names: Schema) -> int:
        """That of the family inside."""
        return int(self.family.fewest_rows(self.inner_names(names)))

    def is_long(self, statistics: Any) -> bool:
        """Whether the family inside takes long."""
        return bool(self.family.is_long(statistics.inner))

    def _around(self, family: Any) -> Self:
        return replace(self, family=family)  # type: ignore[type-var]


@dataclass(frozen=True, slots=True, eq=False)
class WrappedCoordinates:
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
