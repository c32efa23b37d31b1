"""Scores of rows with missing features (NaN), which are integrated out; nothing is filled in.

The marginal of a Gaussian is the Gaussian with the same entries of mean and covariance. Of rows
that lack the same features there may be many: then the marginal is worked out once, and the
ordinary kernels score them. Where nearly every row lacks others, a kernel factors a matrix for
each. A row of which nothing is there has density 1 for every class, so that its posterior is the
prior.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes import kernels
from gaussbayes.base.patterns import patterns_of
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import RealArray, Task
from gaussbayes.families.gaussian.discriminant import Purpose, form_for, masked_form, only, prepared
from gaussbayes.families.gaussian.marginal import marginal
from gaussbayes.families.gaussian.parameters import Parameters
from gaussbayes.families.gaussian.shapes import Full
from gaussbayes.kernels.forms import NOT_FINITE

_FEWEST = 32
"""Rows alike that are worth a marginal of their own, however long it takes to score one."""

_MARGINAL = 1 << 24
"""How long working out a marginal takes, in the units of `_rows_worth_a_marginal`."""

_SAMPLE = 1024
"""Rows that tell whether to look for common patterns at all."""

_DOUBLE = np.dtype(np.float64)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked of rows: which score, of which model, and of which of its classes."""

    parameters: Parameters
    purpose: Purpose
    task: Task
    classes: list[int] | None = None  # by number; None for all

    def form(self, dtype: "np.dtype[Any]", *, masked: bool = False) -> Any:
        """The form for rows of `dtype`, laid out for the active kernels."""
        if self.classes is None:
            return prepared(self.parameters, self.purpose, dtype, masked=masked)
        form = (
            masked_form(self.parameters, self.purpose)
            if masked
            else form_for(self.parameters, self.purpose, dtype)
        )
        return kernels.active().prepare(only(form, self.classes), dtype)

    def of_features(self, seen: NDArray[np.bool_]) -> "Wanted":
        """The same of the features that are there (d,), the others integrated out."""
        if seen.all():
            return self
        columns = np.flatnonzero(seen)
        schema = Schema(np.arange(self.parameters.prior.shape[0]), columns.size)
        part = marginal(self.parameters, columns.tolist(), schema)
        return Wanted(part, self.purpose, self.task, self.classes)


def score_incomplete(wanted: Wanted, X: RealArray, out: NDArray[Any]) -> int:
    """Write what is wanted of each row into `out`; answer with the bits of what went wrong.

    As the kernels do for complete rows, which may be among these: see
    `gaussbayes.kernels.reference.score`. Infinity is not a value that is missing.

    Examples
    --------
    >>> from gaussbayes.families.gaussian.parameters import Structure, given
    >>> schema = Schema(np.array(["a", "b"]), 2)
    >>> model = given(schema, Structure("diagonal"), [0.2, 0.8], [[0, 0], [2, 4]], np.ones((2, 2)))
    >>> rows = np.array([[1.0, np.nan], [np.nan, 2.0], [np.nan, np.nan]])  # each says nothing
    >>> out = np.empty((3, 2))
    >>> score_incomplete(Wanted(model, "posterior", "posterior"), rows, out), out.round(9).tolist()
    (0, [[0.2, 0.8], [0.2, 0.8], [0.2, 0.8]])
    """
    common, rare = _rows_alike(X, wanted.parameters)
    problems = 0
    if rare.size:
        form = wanted.form(_DOUBLE, masked=True)
        if 2 * rare.size > X.shape[0]:  # rather score a few in vain than copy the many
            rare = np.arange(X.shape[0])
        some = X if rare.size == X.shape[0] else X[rare]
        problems |= _score_some(form, some.astype(_DOUBLE, copy=False), rare, wanted.task, out)
    for rows, seen in common:
        form = wanted.of_features(seen).form(X.dtype)
        problems |= _score_some(form, X[np.ix_(rows, seen)], rows, wanted.task, out)
    return NOT_FINITE if problems & NOT_FINITE else problems


def _score_some(
    form: Any, X: RealArray, rows: NDArray[np.intp], task: Task, out: NDArray[Any]
) -> int:
    """Score rows that stand somewhere among others, at these places."""
    score, width = kernels.active().score, out.dtype if task == "label" else X.dtype
    if rows.size == out.shape[0] and width == out.dtype:
        return score(form, X, task, out)
    own = np.empty((rows.size, *out.shape[1:]), dtype=width)
    problems = score(form, X, task, own)
    out[rows] = own
    return problems


def _rows_alike(
    X: RealArray, parameters: Parameters
) -> tuple[list[tuple[NDArray[np.intp], NDArray[np.bool_]]], NDArray[np.intp]]:
    """Rows for the ordinary kernels, with the features (d,) that they have, and the other rows.

    Those are the complete rows and, where a matrix is to be factored, all of a common pattern.
    """
    least = _rows_worth_a_marginal(parameters)
    if not isinstance(parameters.covariance, Full) or _all_rare(X, least):
        with np.errstate(over="ignore", invalid="ignore"):
            complete = np.isfinite(X.sum(axis=1))
        rows = np.flatnonzero(complete)
        whole = [(rows, np.ones(X.shape[1], dtype=bool))] if rows.size else []
        return whole, np.flatnonzero(~complete)
    patterns = patterns_of(X)
    common = patterns.size >= least
    common[0] &= patterns.observed[0].any()
    common[-1] |= patterns.observed[-1].all()
    return (
        [(patterns.rows(at), patterns.observed[at]) for at in np.flatnonzero(common).tolist()],
        np.flatnonzero(~common[patterns.number]),
    )


def _all_rare(X: RealArray, least: int) -> bool:
    """Whether no incomplete pattern seems to have so many rows, by a few of them.

    Only time depends on it: grouping many rows in vain takes a sixth of scoring them one by one.
    """
    step = X.shape[0] // _SAMPLE
    expected = least // max(step, 1)  # rows in the sample of a pattern that is just common
    if step < 2 or expected < 8:
        return False
    found = patterns_of(X[::step])
    size = found.size[~found.observed.all(axis=1)]
    return bool(size.max(initial=0) < expected)


def _rows_worth_a_marginal(parameters: Parameters) -> int:
    """How many rows of one pattern take longer one by one than once a marginal is worked out."""
    if kernels.active().NAME == "reference":
        return _FEWEST
    m, d = int(parameters.covariance.log_det.shape[0]), int(parameters.center.shape[0])
    return max(_FEWEST, _MARGINAL // (m * (d + 8) ** 3))
