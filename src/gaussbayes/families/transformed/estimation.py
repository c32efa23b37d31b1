"""Transforms estimated from rows: Yeo-Johnson's power by maximum likelihood, and scales.

A column has one transform for all classes. It is estimated from `MOST_ROWS` rows at most, evenly
spaced in the table.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.threads import ranges, rows_at_once
from gaussbayes.base.types import FloatArray, TransformName
from gaussbayes.data.rows import Rows, Targets, number_rows
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian.cells import FeatureMoments, feature_moments, observe
from gaussbayes.families.gaussian.structure import Structure
from gaussbayes.families.transformed.transform import (
    Logarithm,
    Ranged,
    Standardised,
    Transform,
    Transforms,
    YeoJohnson,
    check_positive,
    yeo_johnson,
)

MOST_ROWS = 10_000
"""Largest number of rows for the estimation of a transform; an evenly spaced sample."""

_MOST_COLUMNS = 256

LARGEST_POWER = 5.0
"""Yeo-Johnson's power lies between this number and its negative."""

FENCE = 1e3
"""A power is estimated from values closer to the median than this, in median distances."""

_BEYOND = 1.0
"""The distance of an extreme row beyond all others, in standard deviations."""

_FARTHEST = float(np.finfo(np.float64).max)

_ROUNDING = 1e-13
"""Proportion of the largest difference below which a deviation is rounding."""

_GRID_ROWS = 1000
"""Number of rows that locate the best power within a grid."""

_APART, _CLOSER, _STEPS = (0.2, 0.001), 0.1, 60
"""First and last distance of the points of a parabola, the factor between distances, and the most
moves. The error of the maximum is about the square of the distance."""

_ENDS = (-LARGEST_POWER, LARGEST_POWER)


def estimate_transforms(
    kinds: Sequence[TransformName], rows: Rows, targets: Targets, names: Schema
) -> Transforms:
    """The transforms of these kinds, one for each column, that suit the rows.

    Constant columns and columns of two values are always standardised: every monotone transform of
    them is linear. Powers and means are those of all rows, with labels or without; scales are
    deviations within classes.
    """
    which = slice(None, None, max(1, -(-rows.n_rows // MOST_ROWS)))
    n_rows = len(range(rows.n_rows)[which])
    at_a_time = min(_MOST_COLUMNS, rows_at_once(2 * n_rows))
    if len(kinds) > at_a_time:
        estimated: list[Transform] = []
        for some in ranges(len(kinds), at_a_time):
            part = number_rows(np.asarray(rows.matrix[:, some]))
            called = names.part(range(some.start, some.stop))
            estimated += estimate_transforms(kinds[some], part, targets, called).of
        return Transforms(tuple(estimated))
    logarithmic = np.array([j for j, kind in enumerate(kinds) if kind == "log"], dtype=np.intp)
    x: FloatArray = rows.matrix.astype(np.float64, copy=False)
    check_positive(x, logarithmic, names)
    everything, classes = _samples(x[which], targets[which])
    varied = everything.has_three_values()
    powers = [j for j, kind in enumerate(kinds) if kind == "yeo-johnson" and varied[j]]
    unscaled: list[Transform] = [Logarithm() if kind == "log" else Standardised() for kind in kinds]
    if powers:
        for j, transform in zip(powers, _powers(everything.of_columns(powers)), strict=True):
            unscaled[j] = transform
    scaled = _scaled(unscaled, everything, classes)
    for j in powers:
        scaled[j] = _reaching(scaled[j], everything.x[:, j])
    for j in (j for j, kind in enumerate(kinds) if kind == "range"):
        scaled[j] = _ranged(everything.x[:, j])
    return Transforms(tuple(scaled))


def _ranged(x: FloatArray) -> Ranged:
    """The map of the range of the values (n,) to 0 and 1."""
    known = x[~np.isnan(x)]
    least, largest = known.min(initial=np.inf), known.max(initial=-np.inf)
    if not largest > least:
        return Ranged(float(least) if known.size else 0.0)
    # Half of each, so that the difference is finite.
    half = min(0.5 * largest - 0.5 * least, 0.5 * _FARTHEST)
    return Ranged(float(least), float(2.0 * half))


@dataclass(frozen=True, slots=True, eq=False)
class _Sample:
    """Rows to estimate transforms from, ordered by their classes."""

    x: FloatArray  # (n, d) NaN if missing
    weights: FloatArray  # (n,) above 0
    codes: NDArray[np.intp]  # (n,) sorted

    def of_columns(self, columns: Sequence[int]) -> "_Sample":
        return replace(self, x=self.x[:, columns])

    def near(self, lowest: FloatArray, highest: FloatArray) -> "_Sample":
        """The sample with values beyond some ends (d,) set to missing."""
        with np.errstate(invalid="ignore"):
            inside = (self.x >= lowest) & (self.x <= highest)
        return replace(self, x=np.where(inside, self.x, np.nan))

    def has_three_values(self) -> NDArray[np.bool_]:
        """Which columns have three different values or more (d,)."""
        x = self.x
        if not x.shape[0]:
            return np.zeros(x.shape[1], dtype=bool)
        low, high = np.fmin.reduce(x, axis=0), np.fmax.reduce(x, axis=0)
        with np.errstate(invalid="ignore"):
            return np.asarray(((x > low) & (x < high)).any(axis=0))

    @property
    def present(self) -> FloatArray:
        """The weight of each value (n, d): 0 if it is missing."""
        return np.where(np.isnan(self.x), 0.0, self.weights[:, None])

    def median(self, values: FloatArray) -> FloatArray:
        """The weighted medians (d,) of values, ignoring NaN."""
        if (self.weights == self.weights[0]).all():
            return np.asarray(np.nanmedian(values, axis=0))
        order = np.argsort(values, axis=0)  # NaN last
        present = np.where(np.isnan(values), 0.0, self.weights[:, None])
        below = np.cumsum(np.take_along_axis(present, order, axis=0), axis=0)
        half = 0.5 * below[-1] * (1.0 + _ROUNDING * np.array([[-1.0], [1.0]]))
        places = np.stack([(below < some).sum(axis=0) for some in half])
        middle = np.take_along_axis(np.take_along_axis(values, order, axis=0), places, axis=0)
        return np.asarray(0.5 * middle[0] + 0.5 * middle[1])

    def moments(self, z: FloatArray) -> FeatureMoments:
        """The moments of each class and column of some numbers (n, d), NaN if missing."""
        codes, n_classes = self.codes.astype(np.int32), int(self.codes.max(initial=0)) + 1
        return feature_moments(observe(z, codes, self.weights, n_classes, "diagonal"))


def _variance(values: FloatArray, weights: FloatArray) -> FloatArray:
    """The variances (d,) of values with these weights (n, d), 0 where they are rounding."""
    known, total = np.where(weights > 0, values, 0.0), weights.sum(axis=0)
    mean = (weights * known).sum(axis=0) / total
    variance = (weights * np.square(known - mean)).sum(axis=0) / total
    return np.where(np.sqrt(variance) > _ROUNDING * np.abs(known).max(axis=0), variance, 0.0)


def _samples(x: FloatArray, targets: Targets) -> tuple[_Sample, _Sample]:
    """All rows as those of one class, and the labelled ones by class."""
    x = np.where(np.isfinite(x), x, np.nan)
    weights = targets.total_weights().astype(np.float64)
    heavy = np.flatnonzero(weights > 0)
    everything = _Sample(x[heavy], weights[heavy], np.zeros(heavy.size, np.intp))
    rows, codes, each = targets.weighted_codes()
    order = np.argsort(codes, kind="stable")
    return everything, _Sample(x[rows[order]], each[order], codes[order])


def _powers(everything: _Sample) -> list[YeoJohnson]:
    """Yeo-Johnson transforms of columns by maximum likelihood, not yet scaled.

    The origin is the median and the unit the median distance from it, so that the result does not
    depend on the unit, origin or sign of a column.
    """
    origin = everything.median(everything.x)
    with np.errstate(over="ignore"):
        distance = np.minimum(np.abs(everything.x - origin), _FARTHEST)
    unit = everything.median(np.where(distance > 0, distance, np.nan))
    known = np.where(distance <= FENCE * unit, everything.x, np.nan)
    lowest, highest = np.nanmin(known, axis=0), np.nanmax(known, axis=0)
    near = everything.near(lowest, highest)
    present, u = near.present, (near.x - origin) / unit
    logarithm = np.log1p(np.abs(u))

    def log_likelihood(power: FloatArray, which: slice = slice(None)) -> FloatArray:
        with np.errstate(all="ignore"):
            psi, log_slope = yeo_johnson(u[which], power, logarithm[which])
            of_rows = present[which]
            slopes = (of_rows * np.where(of_rows > 0, log_slope, 0.0)).sum(axis=0)
            variance = _variance(psi, of_rows)
            value = slopes - 0.5 * of_rows.sum(axis=0) * np.log(variance)
        return np.where(np.isfinite(value), value, -np.inf)

    grid, n = np.linspace(-LARGEST_POWER, LARGEST_POWER, 11), u.shape[0]
    some = slice(None, None, max(1, n // _GRID_ROWS))  # enough to locate the maximum roughly
    values = np.stack([log_likelihood(np.full(u.shape[1], power), some) for power in grid])
    power = _maximum(log_likelihood, grid[values.argmax(axis=0)])
    columns = zip(*(each.tolist() for each in (power, origin, unit, lowest, highest)), strict=True)
    return [YeoJohnson(a, b, c, lowest=low, highest=high) for a, b, c, low, high in columns]


def _maximum(function: Callable[[FloatArray], FloatArray], near: FloatArray) -> FloatArray:
    """The maxima of a function of the powers of columns (d,) ↦ (d,), near given powers.

    The maximum of the parabola through three points at this distance, then through closer points
    around it. If it is not between them, they move to the higher side.
    """
    power, apart = near, np.full_like(near, _APART[0])
    for _ in range(_STEPS):
        sides = [np.clip(power + sign * apart, *_ENDS) for sign in (-1.0, 1.0)]
        middle = np.clip(0.5 * (sides[0] + sides[1]), *_ENDS)
        below, here, above = (function(some) for some in (sides[0], middle, sides[1]))
        with np.errstate(all="ignore"):  # the result of infinite values is not between them
            half = 0.5 * (sides[1] - sides[0])
            top = 0.5 * half * (above - below) / (2.0 * here - below - above)
        found = (2.0 * here > below + above) & (np.abs(top) <= half)
        higher = np.where(above > below, sides[1], sides[0])
        best = (here >= below) & (here >= above)
        power = np.where(found, middle + top, np.where(best, middle, higher))
        done = found | best | (np.abs(power) >= LARGEST_POWER)
        apart = np.where(done, _CLOSER * apart, apart)
        if (apart < _APART[1]).all():
            break
    return np.asarray(power)


def _scaled(
    transforms: Sequence[Transform], everything: _Sample, classes: _Sample
) -> list[Transform]:
    """The transforms followed by ``(z − mean) / deviation``.

    The deviation is that within the classes; if it is 0, that of all rows; if that is 0, 1.
    """
    forward = Transforms(tuple(transforms))
    everything, classes = (each.near(*forward.ranges) for each in (everything, classes))
    z, of_classes = forward.forward(everything.x)[0], forward.forward(classes.x)[0]
    # By a power of two, which rounds nothing: squares are not to overflow.
    unit = np.exp2(np.frexp(np.fmax.reduce(np.abs(z), axis=0, initial=0.0))[1])
    together, shape = everything.moments(z / unit), Structure("diagonal", 1.0)
    within, overall = (
        moments.variance(shape)[0] for moments in (classes.moments(of_classes / unit), together)
    )
    variance = np.where(np.sqrt(within) > _ROUNDING * np.sqrt(overall), within, overall)
    mean = (together.anchor + together.offset)[0] * unit
    scale = np.where(variance > 0, np.sqrt(variance) * unit, 1.0)
    columns = zip(transforms, mean.tolist(), scale.tolist(), strict=True)
    return [replace(each, center=each.center + m, scale=s) for each, m, s in columns]


def _reaching(transform: Any, x: FloatArray) -> Transform:
    """The transform of a column with rows beyond its ends, whose images are limited."""
    ends = np.array([transform.lowest, transform.highest])
    extremes = np.array([np.nanmin(x), np.nanmax(x)])
    log_slope = Transforms((transform,)).forward(ends[:, None])[1][:, 0]
    reach = np.ones(2)
    for side in np.flatnonzero(extremes != ends).tolist():
        # With the default reach, x is log(1 + exp(distance)) beyond the end.
        distance = (
            log_slope[side] + np.log(np.abs(0.5 * extremes[side] - 0.5 * ends[side])) + np.log(2.0)
        )
        if distance > _BEYOND:
            for _ in range(50):
                reach[side] = _BEYOND / np.logaddexp(0.0, distance - np.log(reach[side]))
    scaled: Transform = replace(transform, reach_below=float(reach[0]), reach_above=float(reach[1]))
    return scaled
