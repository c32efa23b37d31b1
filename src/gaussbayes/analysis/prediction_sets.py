"""Prediction sets: sets of classes that contain the true class with a given probability.

A class belongs to the set of a row if its posterior is not unusually small for a row of the class,
by comparison with the leave-one-out posteriors of the true classes of the training rows (a
jackknife: no rows are set aside). With n of them, class c is in the set of x if p(c | x) exceeds
their quantile at 1 − coverage. The j-th smallest is the quantile at j / (n + 1), with linear
interpolation in between.

The posterior of a row that is exchangeable with the training rows is equally likely to fall between
any two of them. The set therefore contains its true class with the probability `coverage` for any
densities, up to the effect of one row on the model. Coverage is higher with fewer than coverage /
(1 − coverage) rows, which exclude no class, and with tied posteriors. The comparison is with all
rows, or with the rows of class c; then the coverage holds within each class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.checks import finite_number
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.notices import Remedy
from gaussbayes.base.numerals import percent, shortened
from gaussbayes.base.result import Result
from gaussbayes.base.text_tables import Block, TextTable
from gaussbayes.base.types import FloatArray, LabelArray
from gaussbayes.data.rows import Rows
from gaussbayes.model.calibration import Calibration
from gaussbayes.model.model import Model


@dataclass(frozen=True, slots=True, eq=False)
class PredictionSets(Result):
    """A set of classes for each row."""

    members: NDArray[np.bool_]  #: (n, k) whether a class is in the set of a row
    classes: LabelArray  #: (k,) the labels
    coverage: float  #: probability that a set contains the true class
    by_class: bool  #: whether the coverage holds within each class

    def __len__(self) -> int:
        return len(self.members)

    @property
    def sizes(self) -> NDArray[np.intp]:
        """Number of classes in each set (n,)."""
        return np.asarray(self.members.sum(axis=1))

    @property
    def labels(self) -> list[tuple[object, ...]]:
        """The classes in each set."""
        return [tuple(self.classes[row].tolist()) for row in self.members]

    def to_dict(self) -> dict[str, object]:
        """Return the sets as lists of labels, and the coverage."""
        sets = [list(labels) for labels in self.labels]
        return {"sets": sets, "coverage": self.coverage, "by_class": self.by_class}

    def tables(self) -> Sequence[Block]:
        """Return the number of sets by size, and the first sets."""
        counts = np.bincount(self.sizes).tolist()
        summary = [(str(size), f"{count:,}") for size, count in enumerate(counts) if count]
        within = " within each class" if self.by_class else ""
        title = f"Prediction sets with a coverage of {percent(self.coverage)}{within}"
        lines = (
            (f"{row:,}", shortened(" | ".join(map(str, self.classes[members].tolist())), 60))
            for row, members in enumerate(self.members)
        )
        return [
            TextTable(("classes in set", "rows"), summary, title=title.replace("\xa0", " ")),
            TextTable.first(("row", "set"), lines, len(self), sides="rl"),
        ]


def conformal_p_values(
    log_posterior: FloatArray, calibration: Calibration, *, by_class: bool
) -> FloatArray:
    """Return conformal p-values (n, k) of the classes for log posteriors (n, k).

    Examples
    --------
    >>> left_out = (np.log([0.5, 0.7, 0.9]), np.log([0.8]))
    >>> calibration = Calibration(1.0, np.zeros(2), left_out=left_out)
    >>> conformal_p_values(np.log([[0.75, 0.25]]), calibration, by_class=False).tolist()
    [[0.5, 0.2]]
    """
    result: FloatArray = np.empty(log_posterior.shape)
    together = np.sort(np.concatenate(calibration.left_out))
    for code in range(log_posterior.shape[-1]):
        # Interpolate posteriors, whose density varies less than that of their logarithms.
        scores = np.exp(calibration.left_out[code] if by_class else together)
        ends = np.concatenate(([-np.inf], scores, [np.inf]))
        posterior = np.exp(log_posterior[:, code])
        below = np.searchsorted(scores, posterior, side="right")
        lower, upper = ends[below], ends[below + 1]
        with np.errstate(invalid="ignore"):  # below the smallest and above the largest
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
) -> PredictionSets:
    """Return the prediction set of each row.

    A set may be empty: a row between the classes may be unusual for each of them.
    """
    if not 0.0 < finite_number("coverage", coverage, 0.0, 1.0) < 1.0:
        msg = f"coverage must be above 0 and below 1, got {coverage!r}"
        raise OptionError(msg)
    calibration = model.calibration
    if calibration is None or not calibration.left_out:
        msg = "prediction sets need leave-one-out scores, which this model does not have"
        calibrate = Remedy("calibrate the posteriors", (("calibrate", True),))
        raise DataError(msg).with_remedies([calibrate])
    log_posterior = model.log_posterior(rows, n_jobs).astype(np.float64)
    members = conformal_p_values(log_posterior, calibration, by_class=by_class) > 1.0 - coverage
    return PredictionSets(members, model.classes, float(coverage), by_class)
