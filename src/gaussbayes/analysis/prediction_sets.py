"""Sets of classes that contain the true one as often as is asked for.

A class belongs to the set of a row if its posterior is not unusually small for a row of it. What is
usual, the rows of the training table say: the posterior of its own class that each was given when
it was left out (a jackknife, so that no rows have to be set apart). With n of them, the class c is
in the set of x if p(c | x) is above their quantile at 1 − coverage, where the j-th smallest of them
is the quantile at j / (n + 1), and what is between two follows by interpolation.

The posterior of a row that is exchangeable with those of the table is as likely between any two of
them, below all and above all. So its true class is in its set with the probability `coverage`,
whatever the densities are, as far as leaving out one row more changes nothing. The usual rule
rounds the place of the quantile down to a whole j, which covers up to 1 / (n + 1) more; a rule that
is exact by a drawn number would answer differently when asked again. Two cases are covered more
often than is asked for: fewer than coverage / (1 − coverage) rows, which exclude nothing, and
posteriors that are equal, which are above one another. The rows are all rows, or those of class c:
then that holds within each class.
"""

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Rows
from gaussbayes.model.calibration import Calibration
from gaussbayes.model.model import Model


def conformal_p_values(
    log_posterior: FloatArray, calibration: Calibration, *, by_class: bool
) -> FloatArray:
    """How usual each class is for each row (n, k): p-values of log posteriors (n, k).

    Examples
    --------
    >>> rows_left_out = (np.log([0.5, 0.7, 0.9]), np.log([0.8]))
    >>> calibration = Calibration(1.0, np.zeros(2), left_out=rows_left_out)
    >>> conformal_p_values(np.log([[0.75, 0.25]]), calibration, by_class=False).tolist()
    [[0.5, 0.2]]
    """
    result: FloatArray = np.empty(log_posterior.shape)
    together = np.sort(np.concatenate(calibration.left_out))
    for code in range(log_posterior.shape[-1]):
        # Densities of posteriors vary less between two of them than those of their logarithms.
        scores = np.exp(calibration.left_out[code] if by_class else together)
        ends = np.concatenate(([-np.inf], scores, [np.inf]))
        posterior = np.exp(log_posterior[:, code])
        below = np.searchsorted(scores, posterior, side="right")
        lower, upper = ends[below], ends[below + 1]
        with np.errstate(invalid="ignore"):  # below and above all
            way = (posterior - lower) / (upper - lower)
        inside = (lower < posterior) & np.isfinite(upper - lower)
        result[:, code] = (below + np.where(inside, way, 1.0)) / (1.0 + scores.size)
    return result


def prediction_sets(
    model: Model,
    rows: Rows,
    coverage: float = 0.9,
    *,
    by_class: bool = False,
    n_jobs: int | None = 1,
) -> NDArray[np.bool_]:
    """Which classes are in the set of each row (n, k).

    A set may be empty: a row between the classes may be unlike all rows of each of them.
    """
    if isinstance(coverage, bool) or not isinstance(coverage, float | int | np.floating):
        msg = f"coverage must be a number between 0 and 1, got {coverage!r}"
        raise OptionError(msg)
    if not 0.0 < coverage < 1.0:
        msg = f"coverage must be above 0 and below 1, got {coverage!r}"
        raise OptionError(msg)
    calibration = model.calibration
    if calibration is None or not calibration.left_out:
        msg = (
            "prediction sets need the scores of rows left out, which this model does not have: "
            "fit it with calibration='leave_one_out'"
        )
        raise DataError(msg)
    log_posterior = model.log_posterior(rows, n_jobs).astype(np.float64)
    return conformal_p_values(log_posterior, calibration, by_class=by_class) > 1.0 - coverage
