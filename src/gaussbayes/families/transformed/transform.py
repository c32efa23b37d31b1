"""Monotone transforms of single columns: forward, backward, and the logarithm of the slope.

Every transform t is a bijection, so that ``log p(x) = log p(z) + log t'(x)`` with ``z = t(x)`` is a
density of x if that of z is a density. Each ends in ``(g(x) − center) / scale``, so that z has no
unit. NaN stays NaN.

================  =============================================================================
``standardised``  ``g(x) = x``
``range``         ``g(x) = x``, from 0 at the smallest value to 1 at the largest
``log``           ``g(x) = log x``, of numbers above 0
``yeo-johnson``   the power transform of Yeo and Johnson (2000) of ``(x − origin) / unit``
================  =============================================================================

A power is estimated from rows, and holds between the smallest and the largest of these. Beyond,
where the slope is unknown, it continues logarithmically, with the slope s at the end x_e::

    z = z_e ± r log(1 + s |x − x_e| / r)

The reach r is 1, and powers with a bounded image become bijections too. An extreme row, such as
1e300 among ones, has limited influence: a power is estimated without it, and the reach on its side
is chosen such that its z is 1 beyond the others.
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.checks import check_finite
from gaussbayes.base.errors import DataError
from gaussbayes.base.notices import Remedy
from gaussbayes.base.threads import ranges
from gaussbayes.base.types import FloatArray, TransformName
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.data.schema import Schema
from gaussbayes.families.likelihood_ratio import FamilyTests, FeatureChange

_LARGEST = float(np.finfo(np.float64).max)

_QUARTILE = 0.6744897501960817  # of the standard normal distribution
_SMALLEST = float(np.finfo(np.float64).smallest_subnormal)

_FARTHEST = 1e100
"""The largest z: squares of larger ones could not be summed."""

Image: TypeAlias = tuple[FloatArray, FloatArray]
"""The mapped columns, and the logarithms of the slopes."""


@dataclass(frozen=True, slots=True)
class Standardised:
    """``z = (x − center) / scale``."""

    center: float = 0.0
    scale: float = 1.0

    kind: ClassVar[TransformName] = "standardised"

    @staticmethod
    def forward(x: FloatArray, center: FloatArray, scale: FloatArray) -> Image:
        """Columns (n, m) by numbers (m,) of each, and the logarithms of the slopes."""
        z = (x - center) / scale
        return z, 0.0 * z - np.log(scale)  # NaN where it is missing

    @staticmethod
    def inverse(z: FloatArray, center: FloatArray, scale: FloatArray) -> FloatArray:
        """The inverse image (…, m) of mapped columns."""
        return center + scale * z


class Ranged(Standardised):
    """``z = (x − least) / (largest − least)``: 0 to 1 for the rows that it was estimated from."""

    __slots__ = ()

    kind: ClassVar[TransformName] = "range"


@dataclass(frozen=True, slots=True)
class Logarithm:
    """``z = (log x − center) / scale`` of x above 0."""

    center: float = 0.0
    scale: float = 1.0

    kind: ClassVar[TransformName] = "log"

    @staticmethod
    def forward(x: FloatArray, center: FloatArray, scale: FloatArray) -> Image:
        """Columns (n, m) by numbers (m,) of each, and the logarithms of the slopes."""
        logarithm = np.log(x)
        return (logarithm - center) / scale, -logarithm - np.log(scale)

    @staticmethod
    def inverse(z: FloatArray, center: FloatArray, scale: FloatArray) -> FloatArray:
        """The inverse image (…, m) of mapped columns."""
        # Numbers beyond the range of floats are still above 0.
        return np.clip(np.exp(center + scale * z), _SMALLEST, _LARGEST)


@dataclass(frozen=True, slots=True)
class YeoJohnson:
    """``z = (ψ_λ((x − origin) / unit) − center) / scale``, between the lowest and the highest x.

    ``ψ_λ(u) = ((1 + u)^λ − 1) / λ`` for u ≥ 0, ``−((1 − u)^(2 − λ) − 1) / (2 − λ)`` below, and a
    logarithm where the exponent is 0. It is linear for λ = 1; smaller λ compress the upper values.
    """

    power: float = 1.0  # λ
    origin: float = 0.0
    unit: float = 1.0
    center: float = 0.0
    scale: float = 1.0
    lowest: float = -_LARGEST
    highest: float = _LARGEST
    reach_below: float = 1.0
    reach_above: float = 1.0

    kind: ClassVar[TransformName] = "yeo-johnson"

    @staticmethod
    def forward(x: FloatArray, *numbers: FloatArray) -> Image:
        """Columns (n, m) by numbers (m,) of each, and the logarithms of the slopes."""
        power, origin, unit, center, scale, lowest, highest, *reach = numbers
        u = (np.clip(x, lowest, highest) - origin) / unit
        psi, log_slope = yeo_johnson(u, power)
        z, log_slope = (psi - center) / scale, log_slope - np.log(unit * scale)
        _extend(x, z, log_slope, (lowest, highest), reach)
        return z, log_slope

    @staticmethod
    def inverse(z: FloatArray, *numbers: FloatArray) -> FloatArray:
        """The inverse image (…, m) of mapped columns."""
        power, origin, unit, center, scale, lowest, highest, *reach = numbers
        ends = np.stack([lowest, highest])
        image, log_slope = YeoJohnson.forward(ends, *numbers)
        y = np.clip(z, *image) * scale + center
        x = np.clip(origin + unit * inverse_yeo_johnson(y, power), lowest, highest)
        _extend_back(z, x, ends, image, log_slope, reach)
        return x


Transform: TypeAlias = Standardised | Ranged | Logarithm | YeoJohnson

TRANSFORMS: dict[str, type[Transform]] = {
    kind.kind: kind for kind in (Standardised, Ranged, YeoJohnson, Logarithm)
}
"""The transforms by name."""


def yeo_johnson(u: FloatArray, power: FloatArray, logarithm: FloatArray | None = None) -> Image:
    """``ψ_λ(u)``, and the logarithm of its slope; ``log(1 + |u|)`` may be known.

    Examples
    --------
    >>> psi, log_slope = yeo_johnson(np.array([-3.0, 0.0, 3.0]), np.array([0.5]))
    >>> psi.round(4).tolist(), np.exp(log_slope).round(4).tolist()
    ([-4.6667, 0.0, 2.0], [2.0, 1.0, 0.5])
    """
    exponent = _exponent(u, power)
    logarithm = np.log1p(np.abs(u)) if logarithm is None else logarithm
    size = np.expm1(exponent * logarithm)
    np.divide(size, exponent, out=size, where=exponent != 0)
    np.copyto(size, logarithm, where=exponent == 0)
    return np.copysign(size, u, out=size), (exponent - 1.0) * logarithm


def inverse_yeo_johnson(psi: FloatArray, power: FloatArray) -> FloatArray:
    """The inverse of ψ_λ, for values in its image."""
    exponent, size = _exponent(psi, power), np.abs(psi)
    divisor = np.where(exponent == 0, 1.0, exponent)
    # Rounding may move values at the end of a bounded image beyond it.
    inside = np.maximum(exponent * size, -1.0 + 1e-300)
    logarithm = np.where(exponent == 0, size, np.log1p(inside) / divisor)
    return np.copysign(np.expm1(logarithm), psi)


def _exponent(values: FloatArray, power: FloatArray) -> FloatArray:
    return np.where(values >= 0, power, 2.0 - power)


def _extend(
    x: FloatArray,
    z: FloatArray,
    log_slope: FloatArray,
    ends: Sequence[FloatArray],
    reach: Sequence[FloatArray],
) -> None:
    """Continue values beyond both ends, with the slopes at the ends."""
    for sign, end, r in zip((-1.0, 1.0), ends, reach, strict=True):
        outside = x > end if sign > 0 else x < end
        if outside.any():
            last, radius = (np.broadcast_to(each, x.shape)[outside] for each in (end, r))
            # Half of the distance: the whole may overflow.
            half = np.abs(0.5 * x[outside] - 0.5 * last)
            relative = log_slope[outside] + np.log(half) + np.log(2.0) - np.log(radius)
            logarithm = np.logaddexp(0.0, relative)
            z[outside] += sign * radius * logarithm
            log_slope[outside] -= logarithm


def _extend_back(
    z: FloatArray,
    x: FloatArray,
    ends: FloatArray,
    image: FloatArray,
    log_slope: FloatArray,
    reach: Sequence[FloatArray],
) -> None:
    """The inverse of `_extend`: of ends (2, m), their image, and the slopes there."""
    sides = zip((-1.0, 1.0), ends, image, log_slope, reach, strict=True)
    for sign, end, first, slope, r in sides:
        outside = z > first if sign > 0 else z < first
        if outside.any():
            each = (np.broadcast_to(part, z.shape)[outside] for part in (end, first, slope, r))
            last, start, log_s, radius = each
            beyond = np.abs(z[outside] - start) / radius
            # log(exp(b) − 1), also if exp(b) overflows
            logarithm = beyond + np.log(-np.expm1(-beyond)) + np.log(radius) - log_s
            distance = np.exp(np.minimum(logarithm, np.log(_LARGEST)))
            x[outside] = np.clip(last + sign * distance, -_LARGEST, _LARGEST)


_Group: TypeAlias = tuple[type[Transform], NDArray[np.intp] | slice, tuple[FloatArray, ...]]
"""Columns with transforms of one kind, and the numbers (m,) of these."""

_COLUMNS_AT_ONCE = 512
"""Columns that are computed together, to limit the memory of intermediate results."""


@dataclass(frozen=True)
class Transforms:
    """The transform of each column.

    Examples
    --------
    >>> transforms = Transforms((Standardised(5.0, 2.0), Logarithm()))
    >>> z, log_slope = transforms.forward(np.array([[7.0, 1.0]]))
    >>> z.tolist(), log_slope.round(4).tolist()
    ([[1.0, 0.0]], [[-0.6931, -0.0]])
    >>> transforms.inverse(z).tolist()
    [[7.0, 1.0]]
    """

    of: tuple[Transform, ...]

    differs: ClassVar[str] = (
        "statistics computed under different transforms cannot be combined: each fit estimates its "
        "own. Fit one model to all rows, update it with more rows, or fit the second model like "
        "the first"
    )

    @property
    def n_columns(self) -> int:
        """The number of transformed columns."""
        return len(self.of)

    def names(self, names: Schema) -> Schema:
        """The names of the transformed columns in messages: unchanged."""
        return names

    def of_columns(self, columns: Sequence[int]) -> "Transforms":
        """Those of some columns, in this order."""
        return Transforms(tuple(self.of[j] for j in columns))

    def tests(self, tests: FamilyTests, names: Schema) -> FamilyTests:
        """Tests of z as tests of x, in its units."""
        transforms = dict(zip(names.titles, self.of, strict=True))
        means = {
            (change.feature, change.code): change.before
            for change in tests.changes
            if change.quantity == "mean"
        }
        changes = (
            _in_units(
                change, transforms[change.feature], means.get((change.feature, change.code), np.nan)
            )
            for change in tests.changes
        )
        notes = tests.notes
        if not self.linear:
            notes += ("interquartile ranges are those of Gaussians about the median before",)
        return replace(tests, changes=tuple(changes), notes=notes)

    def mapped(
        self, rows: Rows, names: Schema | None = None, first_row: int = 0
    ) -> tuple[Rows, FloatArray]:
        """Rows (n) transformed, and the logarithms of the slopes (n, d), 0 if missing."""
        x: FloatArray = rows.matrix.astype(np.float64, copy=False)
        z, log_slope = self.forward(x, names, first_row)
        np.nan_to_num(log_slope, copy=False)
        return number_rows(z), log_slope

    @property
    def linear(self) -> bool:
        """Whether all transforms are linear."""
        return all(isinstance(transform, Standardised) for transform in self.of)

    @property
    def ranges(self) -> tuple[FloatArray, FloatArray]:
        """The smallest and the largest x (d,) that each transform was estimated from, if known."""
        low, high = (
            np.array([getattr(transform, end, default) for transform in self.of])
            for end, default in (("lowest", -_LARGEST), ("highest", _LARGEST))
        )
        return low, high

    def forward(self, x: FloatArray, names: Schema | None = None, first_row: int = 0) -> Image:
        """The columns (n, d) transformed, and the logarithms of the slopes; both NaN if missing.

        Infinity, or a number not above 0 under a logarithm, raises a DataError that names row and
        column.
        """
        self.check(x, names, first_row)
        z, log_slope = np.empty_like(x), np.empty_like(x)
        with np.errstate(all="ignore"):
            for kind, columns, numbers in self._groups:
                z[:, columns], log_slope[:, columns] = kind.forward(x[:, columns], *numbers)
        far = np.abs(z) > _FARTHEST
        if far.any():  # a finite number may overflow in units of its scale
            called = None if names is None else names.features or names.places
            check_finite(x, first_row, called, allow_nan=True)
            z[far] = np.copysign(_FARTHEST, z[far])
        return z, log_slope

    def inverse(self, z: FloatArray) -> FloatArray:
        """The inverse image (…, d) of mapped columns."""
        x = np.empty_like(z)
        with np.errstate(all="ignore"):
            for kind, columns, numbers in self._groups:
                x[..., columns] = kind.inverse(z[..., columns], *numbers)
        return x

    def check(self, x: FloatArray, names: Schema | None = None, first_row: int = 0) -> None:
        """Raise for the first value without a required logarithm, naming row and column."""
        logarithmic = [j for j, each in enumerate(self.of) if isinstance(each, Logarithm)]
        if logarithmic:
            check_positive(x, np.array(logarithmic), names, first_row)

    @cached_property
    def _groups(self) -> list[_Group]:
        """The columns by the kind of their transforms, which are computed together."""
        groups: list[_Group] = []
        for kind in (Standardised, YeoJohnson, Logarithm):
            columns = [j for j, transform in enumerate(self.of) if isinstance(transform, kind)]
            for block in ranges(len(columns), _COLUMNS_AT_ONCE):
                numbers = np.array([astuple(self.of[j]) for j in columns[block]]).T
                everything = len(columns[block]) == len(self.of)
                where = slice(None) if everything else np.array(columns[block])
                groups.append((kind, where, tuple(numbers)))
        return groups


def _in_units(change: FeatureChange, transform: Transform, mean: float) -> FeatureChange:
    """A change of z as one of x.

    If z is not linear in x, a mean becomes the median, and a standard deviation the interquartile
    range of a Gaussian z with this mean.
    """
    if isinstance(transform, Standardised):
        origin = transform.center if change.quantity == "mean" else 0.0
        before, after = (origin + transform.scale * z for z in (change.before, change.after))
        return replace(change, before=before, after=after)
    z = np.array([[change.before], [change.after]])
    of_x = Transforms((transform,))
    if change.quantity == "mean":
        before, after = of_x.inverse(z)[:, 0].tolist()
        return replace(change, quantity="median", before=before, after=after)
    high, low = (of_x.inverse(mean + side * _QUARTILE * z)[:, 0] for side in (1.0, -1.0))
    before, after = (high - low).tolist()
    tested = change.before, change.after
    quantity = change.quantity.replace("standard deviation", "interquartile range")
    return replace(change, quantity=quantity, before=before, after=after, tested=tested)


def check_positive(
    x: FloatArray, columns: NDArray[np.intp], names: Schema | None, first_row: int = 0
) -> None:
    """Raise for the first number in these columns of x (n, d) that is not above 0."""
    wrong = (x if columns.size == x.shape[1] else x[:, columns]) <= 0
    if wrong.any():
        row, place = np.argwhere(wrong)[0].tolist()
        column = int(columns[place])
        where = f"column {column} of its family" if names is None else names.feature_name(column)
        msg = (
            f"row {row + first_row} has {x[row, column]:g} in {where}, which must be above 0 for "
            "the log transform; correct or drop such rows"
        )
        other = Remedy("use a transform of any number", (("transforms", "yeo-johnson"),))
        raise DataError(msg).with_remedies([other])
