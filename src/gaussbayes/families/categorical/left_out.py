"""The log probability of every row's categories by the counts without the row, in closed form.

Without a row of weight w, class c and category m only the probabilities of its own class change::

    p'(m | c) = (weight of m in c − w + α) / (weight of all in c − w + α M)

of M categories with smoothing α. A category that no other row has is none without it: as in any
prediction, a category never seen says nothing about the class.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.families.categorical.statistics import CategoricalStatistics, translation
from gaussbayes.families.protocol import LeftOut
from gaussbayes.families.removal import Precision, Removal


def left_out(
    statistics: CategoricalStatistics, smoothing: Sequence[float], targets: Targets
) -> LeftOut:
    """The closed form for some smoothings (s); see `gaussbayes.families.protocol.LeftOut`.

    A row is not reliable if rounding may show in what is left without it, or if its class then has
    no value of a feature and, without smoothing, no probabilities.
    """
    precision = Precision.of(targets)
    alpha = np.asarray(smoothing, dtype=np.float64)

    def scores(rows: Rows, removal: Removal) -> tuple[FloatArray, NDArray[np.bool_]]:
        n, k = rows.n_rows, statistics.weight.size
        total, reliable = np.zeros((alpha.size, n, k)), np.ones((alpha.size, n), dtype=bool)
        for j, column in enumerate(rows.categories):
            code = translation(column, statistics.categories[j])[rows.codes[:, j] + 2]
            present = np.flatnonzero((code >= 0) & (removal.lost > 0))
            terms, sound = _of_feature(statistics.of(j), code, removal, present, alpha, precision)
            reliable[:, present] &= sound
            total += terms
        return total, reliable

    return scores


def _of_feature(
    count: FloatArray,
    code: NDArray[np.int32],
    removal: Removal,
    present: NDArray[np.intp],
    alpha: FloatArray,
    precision: Precision,
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """``log p(x_j | c)`` (s, n, k) without each row, and whether it is reliable where present."""
    (k, m), total = count.shape, count.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        table = np.log((count + alpha[:, None, None]) / (total[:, None] + m * alpha[:, None, None]))
    padded = np.concatenate([np.zeros((alpha.size, 2, k)), table.transpose(0, 2, 1)], axis=1)
    terms = padded[:, code + 2]
    mine, which, gone = removal.codes[present], code[present], removal.lost[present]
    left, left_sound = precision.left(count[mine, which], gone)
    rest, rest_sound = precision.left(total[mine], gone)
    others, others_sound = precision.left(count.sum(axis=0)[which], gone)
    with np.errstate(divide="ignore", invalid="ignore"):
        score = np.log((left + alpha[:, None]) / (rest + m * alpha[:, None]))
    terms[:, present, mine] = np.where(np.isnan(score), -np.inf, score)
    terms[:, present[others == 0]] = 0.0
    sound = left_sound & rest_sound & others_sound & ((rest > 0) | (alpha[:, None] > 0))
    return terms, sound
