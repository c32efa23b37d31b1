"""From log joints to posteriors, labels and evidence, where no kernel makes the log joints itself.

A model whose features are all of other kinds than numbers has nothing to score but a bias: its
rows are rows without features, of which the kernels make posteriors as of all others. So there is
one normaliser.
"""

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from gaussbayes import kernels
from gaussbayes.base.errors import DataError
from gaussbayes.base.threads import for_each, ranges
from gaussbayes.base.types import FloatArray, RealArray, Task
from gaussbayes.kernels.forms import Linear

_BLOCK_BYTES = 1 << 20
"""How much of a bias there is at a time, for each thread."""

_WORTH_A_THREAD = 1 << 18
"""Entries below which starting a thread costs more than it saves."""


def normalise(
    n_rows: int,
    dtype: "np.dtype[Any]",
    log_prior: FloatArray,
    bias: Callable[[slice], RealArray],
    task: Task,
    threads: int = 1,
) -> NDArray[Any]:
    """What `task` asks for of rows whose log joint is ``log_prior + bias``: labels (n,) or (n, k).

    Parameters
    ----------
    dtype : the float type of the answer
    log_prior : (k,)
    bias : (rows) ↦ (m, k), what these rows add; worked out block by block, on the threads

    Raises
    ------
    DataError
        If a row has probability 0 in every class; names the row. Log joints may be −∞.

    Examples
    --------
    >>> joint = np.log([[0.1, 0.3], [0.2, 0.0]], where=[[True, True], [True, False]],
    ...     out=np.full((2, 2), -np.inf))
    >>> normalise(2, joint.dtype, np.zeros(2), joint.__getitem__, "posterior").round(9).tolist()
    [[0.25, 0.75], [1.0, 0.0]]
    """
    k = log_prior.shape[0]
    active = kernels.active()
    form = active.prepare(Linear(np.empty(0), np.empty((k, 0)), log_prior), dtype)
    out: NDArray[Any] = (
        np.empty(n_rows, np.intp) if task == "label" else np.empty((n_rows, k), dtype)
    )

    def score_block(rows: slice) -> None:
        added = bias(rows).astype(dtype, copy=False)
        nothing: RealArray = np.empty((rows.stop - rows.start, 0), dtype)
        if active.score(form, nothing, task, out[rows], bias=added):
            raise_impossible(log_prior, added, rows.start)

    blocks = ranges(n_rows, bias_rows(k))
    for_each(score_block, blocks, threads if n_rows * k > _WORTH_A_THREAD else 1)
    return out


def bias_rows(n_classes: int) -> int:
    """How many rows a block of a bias has.

    Examples
    --------
    >>> bias_rows(10), bias_rows(1_000_000)
    (13107, 64)
    """
    return max(64, _BLOCK_BYTES // (8 * n_classes))


def raise_impossible(log_prior: FloatArray, bias: RealArray, start: int) -> NoReturn:
    """Raise for the first row that can be of no class; `start` is the number of the first row."""
    ruled_out = np.isneginf(log_prior + bias).all(axis=1)
    msg = (
        f"row {start + int(np.argmax(ruled_out))} has probability 0 in every class: a value that "
        "never occurred in a class rules it out; set smoothing above 0"
    )
    raise DataError(msg)
