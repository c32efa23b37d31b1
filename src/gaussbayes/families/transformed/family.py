"""A family of transformed columns: a monotone transform of each, then another family."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import OptionError
from gaussbayes.base.merge_tree import merge_blocks
from gaussbayes.base.notices import Remedy
from gaussbayes.base.spelling import meant
from gaussbayes.base.threads import ranges
from gaussbayes.base.types import FloatArray, TransformName
from gaussbayes.data.rows import Rows, Targets, number_rows
from gaussbayes.data.schema import Schema
from gaussbayes.families.independent import class_sums
from gaussbayes.families.mapped import MappedStatistics, row_blocks
from gaussbayes.families.protocol import AnyFamily, Family, Fit, Kind, LeftOut, Sampled, Sized
from gaussbayes.families.removal import Removal
from gaussbayes.families.transformed.density import TransformedDensity
from gaussbayes.families.transformed.estimation import estimate_transforms
from gaussbayes.families.transformed.transform import (
    TRANSFORMS,
    Standardised,
    Transform,
    Transforms,
)

_MOST_MAPPED = 1 << 25
"""Bytes of the rows that are mapped at a time."""


@dataclass(frozen=True)
class Transformed(Family[MappedStatistics, TransformedDensity]):
    """Columns whose transforms ``z_j = t_j(x_j)`` follow a family.

    ``log p(x | c) = log p(z | c) + Σ_j log t_j'(x_j)``

    A transform is a name until `fix` estimates it from rows, before any are observed; from then on
    it is a setting. Statistics are therefore sums over rows of z, which merge and can be removed,
    and leave-one-out scores are exact, given the transforms.

    Examples
    --------
    >>> from gaussbayes.data.rows import number_rows
    >>> from gaussbayes.families import family_type
    >>> rows = number_rows(np.exp([[0.0], [1.0], [2.0], [3.0]]))
    >>> targets, names = Targets(np.array([0, 0, 1, 1], np.int32), 2), Schema(np.arange(2), 1)
    >>> family = Transformed(("log",), family_type("gaussian")())
    >>> (family,) = family.fix(rows, targets, names)
    >>> family.transforms
    (Logarithm(center=1.5, scale=0.5),)
    >>> density = family.estimate(family.observe(rows, targets, names), names).density
    >>> density.inner.mean.tolist(), density.log_density(rows)[0].round(4).tolist()
    ([[-2.0], [2.0]], [-0.7258, -12.7258])
    """

    transforms: tuple[Transform | TransformName, ...]
    """The transform of each column, or its name until it is estimated."""
    family: AnyFamily  # of z

    name: ClassVar[str] = "transformed"
    kind: ClassVar[Kind] = "number"

    def __post_init__(self) -> None:
        for transform in self.transforms:
            check_transform(transform)

    @property
    def kinds(self) -> tuple[TransformName | None, ...]:
        """The transforms by name; None for an unchanged column."""
        return tuple(
            None if each == Standardised() else each if isinstance(each, str) else each.kind
            for each in self.transforms
        )

    @cached_property
    def map(self) -> Transforms:
        """The transforms; they must have been estimated."""
        for transform in self.transforms:
            if isinstance(transform, str):
                msg = f"the transform {transform!r} must be fixed before it is used"
                raise OptionError(msg)
        return Transforms(self.transforms)  # type: ignore[arg-type]

    def fix(
        self, rows: Rows, targets: Targets, names: Schema, *, wide: bool = False
    ) -> "Sequence[Transformed]":
        """This family with named transforms estimated from the rows."""
        fixed = self if self.is_fixed else self._with_transforms(rows, targets, names)
        mapped = fixed.forward(rows, names) if wide else rows  # otherwise only the shape is needed
        families = self.family.fix(mapped, targets, names, wide=wide)
        return [replace(fixed, family=family) for family in families]

    def _with_transforms(self, rows: Rows, targets: Targets, names: Schema) -> "Transformed":
        given = self.transforms
        wanted: list[Any] = [kind if isinstance(kind, str) else "standardised" for kind in given]
        pairs = zip(given, estimate_transforms(wanted, rows, targets, names).of, strict=True)
        return replace(
            self, transforms=tuple(new if isinstance(kind, str) else kind for kind, new in pairs)
        )

    @property
    def is_fixed(self) -> bool:
        """Whether all transforms are estimated."""
        return not any(isinstance(transform, str) for transform in self.transforms)

    def sample_of(self, statistics: MappedStatistics) -> Any:
        """That of the family of z, given the transforms."""
        family = self.family
        return family.sample_of(statistics.inner) if isinstance(family, Sampled) else None

    def of_columns(self, columns: Sequence[int]) -> "Transformed":
        """The family of these columns, in this order."""
        return replace(self, transforms=tuple(self.transforms[j] for j in columns))

    def check(self, rows: Rows, names: Schema) -> None:
        """Raise for the first value that cannot be transformed; names row and column."""
        transforms = self.map
        for block in row_blocks(*rows.numbers.shape):
            x = rows[block].matrix.astype(np.float64, copy=False)
            transforms.check(x, names, block.start)

    def forward(self, rows: Rows, names: Schema | None = None) -> Rows:
        """The mapped rows, in float64."""
        z = np.empty((rows.n_rows, self.map.n_columns))
        for block in row_blocks(*z.shape):
            z[block] = self.map.mapped(rows[block], names, block.start)[0].matrix
        return number_rows(z)

    def observe(
        self, rows: Rows, targets: Targets, names: Schema, threads: int = 1
    ) -> MappedStatistics:
        """The statistics of labelled rows, mapped block by block."""
        known = self.map

        def observe_block(block: slice) -> MappedStatistics:
            z, log_slope = known.mapped(rows[block], names, block.start)
            some = targets[block]
            inner = self.family.observe(z, some, names)
            return MappedStatistics(known, inner, class_sums(log_slope[None], some)[1][0])

        n, d = rows.n_rows, known.n_columns
        blocks = row_blocks(n, d)
        # They must take longer than the merging of their statistics.
        least = min(12 * self._sized.n_bytes(targets.n_classes, d), _MOST_MAPPED) // (8 * d)
        if n and least > blocks[0].stop:
            blocks = ranges(n, least)
        return merge_blocks(observe_block, blocks, threads)

    def adapted(self, statistics: MappedStatistics) -> MappedStatistics:
        """Statistics observed under other settings, with the same map."""
        statistics.check_map(self.map)
        return replace(statistics, inner=self.family.adapted(statistics.inner))

    def estimate(
        self,
        statistics: MappedStatistics,
        names: Schema,
        threads: int = 1,
        start: TransformedDensity | None = None,
    ) -> Fit[TransformedDensity]:
        """The density that fits the mapped rows best, regularised."""
        near = None if start is None else start.inner
        fit = self.family.estimate(statistics.inner, names, threads, near)
        record = fit.convergence
        if record is not None:
            curve = record.log_likelihood + statistics.log_slope.sum()
            record = replace(record, log_likelihood=curve)
        return Fit(TransformedDensity(statistics.map, fit.density), record)

    @property
    def options(self) -> Mapping[str, object]:
        """Those of the inner family."""
        return self.family.options

    # EM for missing labels.

    def start(
        self,
        statistics: MappedStatistics,
        together: MappedStatistics,
        names: Schema,
        threads: int = 1,
    ) -> TransformedDensity:
        """A density to start from, by labelled rows, and all rows as those of one class."""
        inner = self.family.start(statistics.inner, together.inner, names, threads)
        return TransformedDensity(statistics.map, inner)

    def maximise(self, expected: MappedStatistics, names: Schema) -> TransformedDensity:
        """The density that maximises likelihood and penalty: the mapping does not depend on it."""
        inner = self.family.maximise(expected.inner, names)
        return TransformedDensity(expected.map, inner)

    def log_penalty(self, density: TransformedDensity) -> float:
        """The penalty of the inner family."""
        return self.family.log_penalty(density.inner)

    def penalised(self, statistics: MappedStatistics, names: Schema) -> Self | None:
        """This family with a penalty that keeps the likelihood bounded; None if it has none."""
        penalised = self.family.penalised(statistics.inner, names)
        return None if penalised is None else self._around(penalised)

    def attempt(self, statistics: MappedStatistics, names: Schema) -> None:
        """Raise the error of `estimate`, or one if its EM takes long."""
        self.family.attempt(statistics.inner, names)

    def alternatives(self) -> dict[Remedy, Self]:
        """Families that may have an estimate if this one has none, by the options of the user."""
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
        """The closed form of the inner family, given the map."""
        families = [member.family for member in path]
        closed = self.family.left_out(statistics.inner, families, targets, names, exact=exact)
        if closed is None:
            return None

        def log_densities(rows: Rows, removal: Removal) -> tuple[FloatArray, NDArray[np.bool_]]:
            return closed(self.forward(rows), removal)

        return log_densities

    def variants(self, statistics: MappedStatistics, names: Schema) -> Iterator[Sequence[Self]]:
        """Those of the inner family."""
        for families in self.family.variants(statistics.inner, names):
            yield [self._around(family) for family in families]

    def n_bytes(self, n_classes: int, n_columns: int) -> int:
        """The memory of the statistics of this number of classes and features, in bytes."""
        return self._sized.n_bytes(n_classes, n_columns) + 8 * n_classes * n_columns

    def n_parameters(self, n_classes: int, n_columns: int) -> int:
        """Free parameters of the family inside; the parameters of the map count as settings."""
        return self._sized.n_parameters(n_classes, n_columns)

    @property
    def _sized(self) -> Sized:
        assert isinstance(self.family, Sized)
        return self.family

    def _around(self, family: AnyFamily) -> Self:
        return replace(self, family=family)


def check_transform(transform: Any) -> Any:
    """The value, if it is the name of a transform or an estimated one."""
    if isinstance(transform, tuple(TRANSFORMS.values())):
        return transform
    if not isinstance(transform, str) or transform not in TRANSFORMS:
        known, close = ", ".join(map(repr, TRANSFORMS)), meant(str(transform), list(TRANSFORMS))
        msg = f"a transform must be None or one of {known}, got {transform!r:.80}{close}"
        raise OptionError(msg)
    return transform
