"""Which class is the most probable where: in the plane of two features, and along one."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.decision import margins
from gaussbayes.analysis.grid import Grid
from gaussbayes.analysis.view import View
from gaussbayes.base.types import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class RegionMap:
    """What a model decides at the points of a grid."""

    grid: Grid
    codes: NDArray[Any]  # (p, m) the most probable class; −1 where none is possible
    margins: NDArray[Any]  # (p, m, k) by how much each class beats the best other one


def region_map(seen: View, grid: Grid) -> RegionMap:
    """The most probable class and the margins at each point of a grid."""
    log_posterior = seen.log_posterior(grid.rows)
    codes = np.where(np.isnan(log_posterior[:, 0]), -1, log_posterior.argmax(axis=1))
    return RegionMap(grid, grid.arrange(codes), grid.arrange(margins(log_posterior)))


def boundary_segments(regions: RegionMap, along: int) -> FloatArray:
    """Where the most probable class changes from one point of a grid to the next (s, 2, 2).

    A segment for each such place, from one end (x, y) to the other: as long as a step of the grid,
    and across the axis `along`, 0 or 1. Between points of a continuous axis it stands where the
    margin is 0 by interpolation, between those of a discrete one halfway.
    """
    grid = regions.grid
    codes, lead = regions.codes, regions.margins
    line, other = grid.x, grid.y
    if along == 1:
        codes, lead, line, other = codes.T, lead.swapaxes(0, 1), grid.y, grid.x
    row, before = np.nonzero(codes[:, 1:] != codes[:, :-1])
    fraction = np.full(row.size, 0.5)
    if not grid.discrete[along]:
        winner = codes[row, before]
        ahead, behind = lead[row, before, winner], lead[row, before + 1, winner]
        known = np.isfinite(ahead) & np.isfinite(behind) & (ahead > behind)
        fraction[known] = (ahead / (ahead - behind))[known]
    at = line[before] + fraction * grid.steps[along]
    half = grid.steps[1 - along] / 2
    ends = np.stack([other[row] - half, other[row] + half], axis=1)  # (s, 2)
    both = np.stack([np.repeat(at[:, None], 2, axis=1), ends], axis=2)
    return both[:, :, ::-1] if along == 1 else both


def intervals(
    seen: View, positions: Sequence[float], low: float, high: float
) -> list[tuple[float, float, int]]:
    """Start, end and most probable class of each interval between boundaries, from low to high."""
    edges = [low, *positions, high]
    # Halfway between neighbouring boundaries nothing is in doubt.
    middles = np.array([[left + (right - left) / 2] for left, right in pairwise(edges)])
    if seen.axes[0].is_discrete:
        middles = np.floor(middles + 0.5)
    codes = seen.predicted(middles).tolist()
    return [(left, right, code) for (left, right), code in zip(pairwise(edges), codes, strict=True)]
