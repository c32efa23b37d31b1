"""From log joints to posteriors, labels and evidence, where no kernel makes the log joints itself.

A model whose features are all of other kinds than numbers has nothing to score but a bias: its
rows are rows without features, of which the kernels make posteriors as of all others. So there is
one normaliser.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes import kernels
from gaussbayes.base.errors import DataError
from gaussbayes.base.types import RealArray, Task
from gaussbayes.kernels.forms import IMPOSSIBLE, OUT_OF_RANGE, Linear
from gaussbayes.kernels.reference import log_sum_exp

__all__ = ["IMPOSSIBLE", "OUT_OF_RANGE", "check_possible", "log_sum_exp", "normalise"]


def normalise(log_joint: RealArray, task: Task, out: NDArray[Any]) -> int:
    """Write what `task` asks for of log joints (n, k) into `out`; answer as a scoring kernel does.

    `IMPOSSIBLE` is a row that has −∞ for every class: its probability is 0, and it has no
    posterior.

    Examples
    --------
    >>> out = np.empty((2, 2))
    >>> normalise(np.log([[0.1, 0.3], [0.2, 1e-300]]), "posterior", out), out.round(9).tolist()
    (0, [[0.25, 0.75], [1.0, 0.0]])
    """
    n, k = log_joint.shape
    active = kernels.active()
    form = Linear(np.empty(0), np.empty((k, 0)), np.zeros(k))
    nothing: RealArray = np.empty((n, 0), log_joint.dtype)
    return active.score(active.prepare(form, log_joint.dtype), nothing, task, out, bias=log_joint)


def check_possible(log_joint: RealArray, start: int = 0) -> None:
    """Raise if a row has −∞ for every class; `start` is the number of the first row."""
    impossible = np.isneginf(log_joint).all(axis=1)
    if impossible.any():
        msg = (
            f"row {start + int(np.argmax(impossible))} has probability 0 in every class: each has "
            "a category or a count that never occurred in it; set smoothing above 0, which leaves "
            "nothing impossible"
        )
        raise DataError(msg)
