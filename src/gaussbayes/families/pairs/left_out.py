"""Leave-one-out: the counts of a row's class, less 1 in each pair of its levels."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.families.pairs.density import averaged
from gaussbayes.families.pairs.statistics import PairStatistics
from gaussbayes.families.protocol import LeftOut
from gaussbayes.families.removal import Precision, Removal
from gaussbayes.kernels import active
from gaussbayes.kernels.arrays import PairCounts


def left_out(counted: PairStatistics, backoffs: Sequence[float], targets: Targets) -> LeftOut:
    """The closed form for some weights of the back-off (s).

    A row is not reliable if rounding may show in what is left without it.
    """
    precision, levels = Precision.of(targets), counted.levels
    densities = [averaged(counted, backoff) for backoff in backoffs]
    n_levels = np.diff(levels.starts).astype(np.float64)
    counts = PairCounts(counted.count, counted.beside, counted.observed, n_levels)

    def scores(rows: Rows, removal: Removal) -> tuple[FloatArray, NDArray[np.bool_]]:
        n, codes = rows.n_rows, levels.codes(rows)
        total: FloatArray = np.empty((len(densities), n, counted.weight.size))
        for density, by_class in zip(densities, total, strict=True):
            active().score_pairs(codes, density.table, 0.0, by_class)
        without, reliable = np.empty((len(densities), n)), np.empty(n, dtype=bool)
        active().score_pairs_without(
            codes,
            removal.codes,
            removal.lost,
            counts,
            np.array(backoffs, dtype=np.float64),
            (precision.exact, precision.smallest),
            without,
            reliable,
        )
        total[:, np.arange(n), removal.codes] = without
        return total, np.broadcast_to(reliable, total.shape[:2])

    return scores
