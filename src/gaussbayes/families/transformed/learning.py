"""Transforms learnt from rows: Yeo-Johnson's power by maximum likelihood, ranks, means and scales.

What is learnt of a column is one transform for all classes. Of many rows, `MOST_ROWS` are looked
at, evenly picked.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.families.transformed.transform import (
    Logarithm,
    RankNormal,
    Standardised,
    Transform,
    TransformName,
    Transforms,
    YeoJohnson,
    check_positive,
    yeo_johnson,
)

MOST_ROWS = 10_000
"""Rows that a transform is learnt from; of more, these are evenly picked."""

MOST_KNOTS = 100
"""Knots of a rank-normal transform."""

LARGEST_POWER = 5.0
"""Yeo-Johnson's power is sought between this and its negative."""

Likelihood: TypeAlias = Literal["marginal", "within"]
"""Whether transformed columns are to be normal, or normal within each class."""

FENCE = 1e3
"""Values that a power is learnt from are less than this from the median, in median distances."""

_BEYOND = 3.0
"""How far beyond all others a row unlike them is, in standard deviations."""

_FARTHEST = float(np.finfo(np.float64).max)

_ROUNDING = 1e-13
"""Proportion of the largest difference below which a deviation is rounding."""

_GOLDEN = 0.5 * (np.sqrt(5.0) - 1.0)


def learn(
    kinds: Sequence[TransformName],
    rows: Rows,
    targets: Targets,
    names: Schema,
    likelihood: Likelihood = "marginal",
) -> Transforms:
    """The transforms of these kinds, one for each column, that suit the rows.

    Constant columns, and those of two values, are standardised, whatever was asked for: no monotone
    transform changes them in anything else. Rows without labels tell of powers, ranks and means;
    scales are deviations within classes.
    """
    n = rows.n_rows
    which = slice(None, None, max(1, -(-n // MOST_ROWS)))
    logarithmic = np.array([j for j, kind in enumerate(kinds) if kind == "log"], dtype=np.intp)
    x = rows.matrix.astype(np.float64, copy=False)
    check_positive(x, logarithmic, names)
    sample = _Sample.of(x[which], targets[which])
    learnt: list[Transform] = [Standardised()] * len(kinds)
    for j in logarithmic.tolist():
        learnt[j] = Logarithm()
    varied = sample.has_three_values()
    powers = [j for j, kind in enumerate(kinds) if kind == "yeo-johnson" and varied[j]]
    near = sample.x
    if powers:
        near = near.copy()
        for j, transform in zip(
            powers, _powers(sample.of_columns(powers), likelihood), strict=True
        ):
            learnt[j] = transform
            near[:, j][(near[:, j] < transform.lowest) | (near[:, j] > transform.highest)] = np.nan
    for j, kind in enumerate(kinds):
        if kind == "rank-normal" and varied[j]:
            learnt[j] = _ranks(sample.x[:, j], sample.weights)
    scaled = _scaled(learnt, _Sample(near, sample.weights, sample.by_class))
    for j in powers:
        scaled[j] = _reaching(scaled[j], sample.x[:, j])
    return Transforms(tuple(scaled))


class _Sample:
    """Rows to learn from: numbers, 1 where one is there, and weights by class."""

    def __init__(self, x: FloatArray, weights: FloatArray, by_class: FloatArray) -> None:
        self.x = x  # (n, d)
        self.weights = weights  # (n,)
        self.by_class = by_class  # (n, k) weights of labelled rows
        self.present = (~np.isnan(x)).astype(np.float64)

    @classmethod
    def of(cls, x: FloatArray, targets: Targets) -> "_Sample":
        weights = targets.total_weights().astype(np.float64)
        rows, codes, each = targets.memberships()
        by_class = np.zeros((x.shape[0], targets.n_classes))
        by_class[rows, codes] = each
        return cls(np.where(np.isfinite(x), x, np.nan), weights, by_class)

    def of_columns(self, columns: Sequence[int]) -> "_Sample":
        return _Sample(self.x[:, columns], self.weights, self.by_class)

    def has_three_values(self) -> Any:
        """Which columns have three different values or more (d,), of rows that weigh anything."""
        x = self.x[self.weights > 0]
        if not x.shape[0]:
            return np.zeros(x.shape[1], dtype=bool)
        with np.errstate(invalid="ignore"):
            low = np.fmin.reduce(x, axis=0)
            high = np.fmax.reduce(x, axis=0)
            return ((x > low) & (x < high)).any(axis=0)

    def variance(self, values: FloatArray, groups: FloatArray) -> FloatArray:
        """The variance (d,) about the means of groups (n, k), 0 where that is rounding.

        Values must be near 0, and are not looked at where they are missing.
        """
        known = np.where(self.present > 0, values, 0.0)
        weight = groups.T @ self.present
        mean = np.divide(groups.T @ known, weight, out=np.zeros_like(weight), where=weight > 0)
        total = np.zeros(known.shape[1])
        for code in range(groups.shape[1]):  # not by sums of squares, which cancel
            total += groups[:, code] @ np.square(self.present * (known - mean[code]))
        every = weight.sum(axis=0)
        variance = np.divide(total, every, out=np.zeros_like(total), where=every > 0)
        largest = np.abs(known).max(axis=0, initial=0.0)
        return np.where(np.sqrt(variance) > _ROUNDING * largest, variance, 0.0)


def _powers(sample: _Sample, likelihood: Likelihood) -> list[YeoJohnson]:
    """The most likely Yeo-Johnson transforms of columns, not yet scaled."""
    origin = np.nanmedian(sample.x, axis=0)
    with np.errstate(over="ignore"):
        distance = np.minimum(np.abs(sample.x - origin), _FARTHEST)
    unit = np.nanmedian(np.where(distance > 0, distance, np.nan), axis=0)
    near = np.where(distance <= FENCE * unit, sample.x, np.nan)
    lowest, highest = np.nanmin(near, axis=0), np.nanmax(near, axis=0)
    sample = _Sample(near, sample.weights, sample.by_class)
    u = (near - origin) / unit
    groups = sample.weights[:, None] if likelihood == "marginal" else sample.by_class
    if not groups.any():  # no row has a label
        groups = sample.weights[:, None]
    weight = groups.sum(axis=1)
    total = weight @ sample.present

    def log_likelihood(power: FloatArray) -> FloatArray:
        with np.errstate(all="ignore"):
            psi, log_slope = yeo_johnson(u, power)
            slopes = weight @ np.where(sample.present > 0, log_slope, 0.0)
            value = slopes - 0.5 * total * np.log(sample.variance(psi, groups))
        return np.where(np.isfinite(value), value, -np.inf)

    power = _maximum(log_likelihood, u.shape[1])
    columns = zip(*(each.tolist() for each in (power, origin, unit, lowest, highest)), strict=True)
    return [YeoJohnson(a, b, c, lowest=low, highest=high) for a, b, c, low, high in columns]


def _maximum(function: Callable[[FloatArray], FloatArray], n_columns: int) -> FloatArray:
    """Where a function of the powers of columns (d,) ↦ (d,) is largest: a grid, golden section."""
    grid = np.linspace(-LARGEST_POWER, LARGEST_POWER, 11)
    values = np.stack([function(np.full(n_columns, power)) for power in grid])
    best = grid[values.argmax(axis=0)]
    low = np.maximum(best - 1.0, -LARGEST_POWER)
    high = np.minimum(best + 1.0, LARGEST_POWER)
    inner = [high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)]
    at = [function(power) for power in inner]
    while (high - low).max() > 1e-7:
        left = at[0] >= at[1]  # the maximum is below the second point
        low, high = np.where(left, low, inner[0]), np.where(left, inner[1], high)
        kept, value = np.where(left, inner[0], inner[1]), np.where(left, at[0], at[1])
        new = np.where(left, high - _GOLDEN * (high - low), low + _GOLDEN * (high - low))
        found = function(new)
        inner = [np.where(left, new, kept), np.where(left, kept, new)]
        at = [np.where(left, found, value), np.where(left, value, found)]
    return np.asarray(0.5 * (low + high))


def _ranks(x: FloatArray, weights: FloatArray) -> RankNormal:
    """The rank-normal transform of a column that has three values or more."""
    from scipy.special import ndtri

    known = ~np.isnan(x) & (weights > 0)
    values, place = np.unique(x[known], return_inverse=True)
    weight = np.bincount(place, weights[known])
    # The middle of the ranks of each value.
    rank = (np.cumsum(weight) - 0.5 * weight) / weight.sum()
    if values.size > MOST_KNOTS:
        at = np.searchsorted(rank, np.linspace(0.0, 1.0, MOST_KNOTS))
        chosen = np.unique(np.append(np.minimum(at, values.size - 1), [0, values.size - 1]))
        values, rank = values[chosen], rank[chosen]
    z = ndtri(rank)
    return RankNormal(tuple(values.tolist()), tuple(z.tolist()))


def _scaled(transforms: Sequence[Transform], sample: _Sample) -> list[Transform]:
    """The transforms followed by ``(z − mean) / deviation``.

    The deviation is that within the classes; of all rows where that is 0, and 1 if that is too.
    """
    # Near 0: of columns that lie far from it, differences are exact.
    first = np.where(sample.present > 0, sample.x, np.inf).min(axis=0, initial=np.inf)
    first = np.where(np.isfinite(first), first, 0.0)
    plain = [
        Standardised(float(low)) if isinstance(transform, Standardised) else transform
        for transform, low in zip(transforms, first, strict=True)
    ]
    z = Transforms(tuple(plain)).forward(sample.x)[0]
    largest = np.maximum(np.nanmax(np.abs(z), axis=0, initial=0.0), 1e-300)
    z /= largest  # squares do not overflow
    known = np.where(sample.present > 0, z, 0.0)
    every = sample.weights @ sample.present
    mean = np.divide(sample.weights @ known, every, out=np.zeros_like(every), where=every > 0)
    variance = sample.variance(z - mean, sample.by_class)
    variance = np.where(variance > 0, variance, sample.variance(z - mean, sample.weights[:, None]))
    scale = np.where(variance > 0, np.sqrt(variance) * largest, 1.0)
    mean = np.where(every > 0, mean * largest, 0.0)
    columns = zip(plain, mean.tolist(), scale.tolist(), strict=True)
    return [_rescaled(*column) for column in columns]


def _rescaled(transform: Transform, mean: float, scale: float) -> Transform:
    if isinstance(transform, RankNormal):
        z = (np.asarray(transform.z) - mean) / scale
        return RankNormal(transform.x, tuple(z.tolist()))
    return replace(transform, center=transform.center + mean, scale=scale)


def _reaching(transform: Any, x: FloatArray) -> Transform:
    """The transform of a column with rows beyond its ends, which are not to be too far away."""
    ends = np.array([transform.lowest, transform.highest])
    extremes = np.array([np.nanmin(x), np.nanmax(x)])
    log_slope = Transforms((transform,)).forward(ends[:, None])[1][:, 0]
    reach = np.ones(2)
    for side in np.flatnonzero(extremes != ends).tolist():
        # Where x is without a reach of its own: log(1 + exp(distance)) beyond the end.
        distance = (
            log_slope[side] + np.log(np.abs(0.5 * extremes[side] - 0.5 * ends[side])) + np.log(2.0)
        )
        if distance > _BEYOND:
            for _ in range(50):
                reach[side] = _BEYOND / np.logaddexp(0.0, distance - np.log(reach[side]))
    scaled: Transform = replace(transform, reach_below=float(reach[0]), reach_above=float(reach[1]))
    return scaled
