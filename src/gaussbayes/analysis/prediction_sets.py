"""Sets of classes that contain the true one as often as is asked for.

A class belongs to the set of a row if its posterior is not unusually small for a row of it. What is
usual, the rows of the training table say: the posterior of its own class that each was given when
it was left out (a jackknife, so that no rows have to be set apart). With n of them, the class c is
in the set of x if

    (1 + #{i : log p₋ᵢ(yᵢ | xᵢ) ≤ log p(c | x)}) / (n + 1)  >  1 − coverage

A row that is exchangeable with those of the table then has its true class in its set with the
probability `coverage`, whatever the densities are, as far as leaving out one row more changes
nothing. The rows i are all rows, or those of class c: then that holds within each class.
"""

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError, ParameterError
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
    [[0.6, 0.2]]
    """
    result: FloatArray = np.empty(log_posterior.shape)
    together = np.sort(np.concatenate(calibration.left_out))
    for code in range(log_posterior.shape[-1]):
        scores = calibration.left_out[code] if by_class else together
        below = np.searchsorted(scores, log_posterior[:, code], side="right")
        result[:, code] = (1.0 + below) / (1.0 + scores.size)
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
        raise ParameterError(msg)
    if not 0.0 < coverage < 1.0:
        msg = f"coverage must be above 0 and below 1, got {coverage!r}"
        raise ParameterError(msg)
    calibration = model.calibration
    if calibration is None or not calibration.left_out:
        msg = (
            "prediction sets need the scores of rows left out, which this model does not have: "
            "fit it with calibration='leave_one_out'"
        )
        raise DataError(msg)
    log_posterior = model.log_posterior(rows, n_jobs).astype(np.float64)
    return conformal_p_values(log_posterior, calibration, by_class=by_class) > 1.0 - coverage
