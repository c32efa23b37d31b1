"""Leave-one-out: the counts of a row's class, less 1 in each pair of its levels."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.threads import CACHED, ranges
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.families.pairs.density import averaged
from gaussbayes.families.pairs.statistics import PairStatistics
from gaussbayes.families.protocol import LeftOut
from gaussbayes.families.removal import Precision, Removal


def left_out(counted: PairStatistics, backoffs: Sequence[float], targets: Targets) -> LeftOut:
    """The closed form for some weights of the back-off (s).

    A row is not reliable if rounding may show in what is left without it.
    """
    precision, levels = Precision.of(targets), counted.levels
    densities = [averaged(counted, backoff) for backoff in backoffs]

    def scores(rows: Rows, removal: Removal) -> tuple[FloatArray, NDArray[np.bool_]]:
        total: FloatArray = np.empty((len(densities), rows.n_rows, counted.weight.size))
        for number, density in enumerate(densities):
            total[number] = density.log_density(rows)
        codes = levels.codes(rows)
        reliable = np.empty(rows.n_rows, dtype=bool)
        for block in ranges(rows.n_rows, max(1, CACHED // codes.shape[1] ** 2)):
            some = np.arange(block.start, block.stop)
            gone = removal.of_rows(some)
            own, reliable[block] = _own_class(counted, codes[block], gone, backoffs, precision)
            total[:, some, gone.codes] = own
        return total, np.broadcast_to(reliable, total.shape[:2])

    return scores


def _own_class(
    counted: PairStatistics,
    codes: NDArray[np.int32],
    removal: Removal,
    backoffs: Sequence[float],
    precision: Precision,
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """``log p(x | c)`` (s, n) of rows in their own classes without them, and what is reliable (n,).

    It is what `pair_table` and `score_pairs` do, of the counts less those of the row.
    """
    levels, d = counted.levels, codes.shape[1]
    there, own, columns = codes >= 0, removal.codes[:, None], np.arange(d)
    both = there[:, :, None] & there[:, None, :]
    lost, lost_pairs = there * removal.lost[:, None], both * removal.lost[:, None, None]
    single, sound = precision.left(counted.single[own, codes], lost)
    observed, sound_observed = precision.left(counted.observed[own, columns], lost)
    parents, children = codes[:, :, None], codes[:, None, :]
    pair, sound_pair = precision.left(counted.count[own[..., None], parents, children], lost_pairs)
    beside, sound_beside = precision.left(
        counted.beside[own[..., None], parents, columns], lost_pairs
    )
    of_columns = ((sound & sound_observed) | ~there).all(axis=1)
    reliable = np.asarray(of_columns & ((sound_pair & sound_beside) | ~both).all(axis=(1, 2)))
    n_levels = np.diff(levels.starts)
    scores = np.empty((len(backoffs), len(codes)))
    for s, backoff in enumerate(backoffs):
        child = (single + backoff / n_levels) / (observed + backoff)
        terms = np.log((pair + backoff * child[:, None, :]) / (beside + backoff))
        terms[:, columns, columns] = np.log(child)
        parent = np.where(both, terms, 0.0).sum(axis=2)
        parent[~there] = -np.inf
        total = np.logaddexp.reduce(parent, axis=1) - np.log(np.maximum(there.sum(axis=1), 1))
        scores[s] = np.where(there.any(axis=1), total, 0.0)
    return scores, reliable
