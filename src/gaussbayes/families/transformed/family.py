"""A family of transformed columns: a monotone transform of each, then another family."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from gaussbayes.base.errors import OptionError
from gaussbayes.base.spelling import meant
from gaussbayes.base.types import TransformName
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.data.schema import Schema
from gaussbayes.families.mapped import Mapped, MappedStatistics, row_blocks
from gaussbayes.families.protocol import AnyDensity, AnyFamily, Kind, Sampled
from gaussbayes.families.transformed.density import TransformedDensity, density_of
from gaussbayes.families.transformed.estimation import estimate_transforms
from gaussbayes.families.transformed.transform import (
    TRANSFORMS,
    Standardised,
    Transform,
    Transforms,
)


@dataclass(frozen=True, slots=True)
class Transformed(Mapped):
    """Columns whose transforms ``z_j = t_j(x_j)`` follow a family.

    ``log p(x | c) = log p(z | c) + Σ_j log t_j'(x_j)``

    A transform is given by name until it is estimated (`fix`), from rows, before any are
    observed; from then on it is a setting. So statistics are sums over rows of z, which merge and
    are removed, and rows left out one at a time are scored exactly, given the transforms.

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
    family: Any  # Family, of z

    name: ClassVar[str] = "transformed"
    kind: ClassVar[Kind] = "number"

    def __post_init__(self) -> None:
        for transform in self.transforms:
            check_transform(transform)

    @property
    def kinds(self) -> tuple[TransformName | None, ...]:
        """The transforms by name; None where a column is as it came."""
        return tuple(
            None if each == Standardised() else each if isinstance(each, str) else each.kind
            for each in self.transforms
        )

    @property
    def plain(self) -> AnyFamily:
        """The family of z."""
        family: AnyFamily = self.family
        return family

    @property
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
        """This family with the transforms that suit the rows, where they are given by name."""
        fixed = self if self.is_fixed else self._with_transforms(rows, targets, names)
        mapped = fixed.forward(rows, names) if wide else rows  # otherwise only their shape counts
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
        """That of the family of z, as if the transforms had been given."""
        sampled = isinstance(self.family, Sampled)
        return self.family.sample_of(statistics.inner) if sampled else None

    def of_columns(self, columns: Sequence[int]) -> "Transformed":
        """The family of some of the columns, in this order."""
        return replace(self, transforms=tuple(self.transforms[j] for j in columns))

    def check(self, rows: Rows, names: Schema) -> None:
        """Raise for the first value that cannot be transformed; names row and column."""
        transforms = self.map
        for block in row_blocks(*rows.numbers.shape):
            x = rows[block].matrix.astype(np.float64, copy=False)
            transforms.check(x, names, block.start)

    def density_of(self, mapped: Transforms, inner: AnyDensity) -> TransformedDensity:
        """The density of rows whose transforms have this density."""
        return density_of(mapped, inner)


def check_transform(transform: Any) -> Any:
    """The name of a transform, or one that was estimated, if it is one."""
    if isinstance(transform, tuple(TRANSFORMS.values())):
        return transform
    if not isinstance(transform, str) or transform not in TRANSFORMS:
        known, close = ", ".join(map(repr, TRANSFORMS)), meant(str(transform), list(TRANSFORMS))
        msg = f"a transform must be None or one of {known}, got {transform!r:.80}{close}"
        raise OptionError(msg)
    return transform
