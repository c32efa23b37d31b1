"""How good predictions are, by the true classes: error, log loss, Brier score, calibration.

Everything follows from the log posteriors of rows whose class is known, so it is the same for every
model that can give them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError, ParameterError, SchemaError
from gaussbayes.base.types import FloatArray, LabelArray, RealArray
from gaussbayes.data.labels import unite
from gaussbayes.data.rows import Targets


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationCurve:
    """Rows grouped by a stated probability, and how often it came true; empty groups left out."""

    stated: FloatArray  # (m,) mean probability stated
    observed: FloatArray  # (m,) proportion that came true
    count: NDArray[np.int64]  # (m,) rows
    group: NDArray[np.intp]  # (m,) which interval, from 0
    n_groups: int  # equal intervals of [0, 1]

    @property
    def error(self) -> float:
        """Expected calibration error: the mean gap between stated and observed, over the rows."""
        return float(np.average(np.abs(self.stated - self.observed), weights=self.count))

    def __add__(self, other: "CalibrationCurve") -> "CalibrationCurve":
        """The groups of the rows of both."""
        if self.n_groups != other.n_groups:
            msg = f"{self.n_groups} groups of rows do not go with {other.n_groups}"
            raise ParameterError(msg)
        sums = np.zeros((3, self.n_groups))
        for part in (self, other):
            sums[:, part.group] += part.count * np.stack(
                [part.stated, part.observed, np.ones_like(part.stated)]
            )
        return _grouped(*sums)


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """What predictions for rows of known class amount to."""

    classes: LabelArray  # (k,)
    confusion: NDArray[Any]  # (k, k) true class by row, predicted by column; counts, unless soft
    log_loss: float  # mean of −log p(true class | x), in nats; ∞ if one was called impossible
    brier: float  # mean of Σ_c (p(c | x) − [c is true])², from 0 to 2
    calibration: CalibrationCurve | None = (
        None  # of the predicted classes' posteriors, in ten groups
    )

    @property
    def n_rows(self) -> int:
        """How many rows were predicted."""
        return round(float(self.confusion.sum()))

    @property
    def n_errors(self) -> float:
        """How many of them wrongly; of soft labels as many as are expected."""
        errors: float = (self.confusion.sum() - np.trace(self.confusion)).item()
        return errors

    @property
    def error(self) -> float:
        """Proportion of wrong predictions."""
        return self.n_errors / self.n_rows

    @property
    def accuracy(self) -> float:
        """Proportion of right predictions."""
        return 1.0 - self.error

    @property
    def calibration_error(self) -> float:
        """Expected calibration error of the predicted classes; NaN if it was not looked at."""
        return np.nan if self.calibration is None else self.calibration.error

    @property
    def recall(self) -> FloatArray:
        """Of the rows of each class, the proportion that was recognised (k,); NaN without rows."""
        return np.diagonal(self.proportions)

    @property
    def precision(self) -> FloatArray:
        """Of the rows given each class, the proportion that is of it (k,); NaN if none was."""
        total = self.confusion.sum(axis=0).astype(np.float64)
        precision: FloatArray = np.diagonal(self.confusion) / np.where(total > 0, total, np.nan)
        return precision

    @property
    def proportions(self) -> FloatArray:
        """The confusion matrix with each row divided by its sum; NaN where a class has no rows."""
        total = self.confusion.sum(axis=1, keepdims=True).astype(np.float64)
        proportions: FloatArray = self.confusion / np.where(total > 0, total, np.nan)
        return proportions

    def __add__(self, other: "Evaluation") -> "Evaluation":
        """The evaluation of the rows of both, so that many rows are evaluated part by part."""
        if self.classes.tolist() != other.classes.tolist():
            classes = f"{self.classes.tolist()!r:.200} and {other.classes.tolist()!r:.200}"
            msg = f"evaluations of the same classes can be added, got {classes}"
            raise SchemaError(msg)
        groups = None
        if self.calibration is not None and other.calibration is not None:
            groups = self.calibration + other.calibration
        theirs = other.n_rows / (self.n_rows + other.n_rows)
        log_loss = (1.0 - theirs) * self.log_loss + theirs * other.log_loss
        brier = (1.0 - theirs) * self.brier + theirs * other.brier
        confusion = self.confusion + other.confusion
        return Evaluation(self.classes, confusion, log_loss, brier, groups)


def evaluate(
    log_posterior: RealArray,
    truth: NDArray[Any],
    classes: LabelArray,
    weights: FloatArray | None = None,
) -> Evaluation:
    """Compare log posteriors (n, k) with the true class codes (n,), or with soft labels (n, k).

    Rows of code −1, or NaN, do not count. With soft labels everything is what is expected if the
    class of each row is drawn from them. The weights (n,) are those of the log loss, in which the
    rows of a fit count as much as they do there; everything else counts each row once.

    Examples
    --------
    >>> log_posterior = np.log([[0.8, 0.2], [0.6, 0.4], [0.5, 0.5]])
    >>> seen = evaluate(log_posterior, np.array([0, 1, -1]), np.array(["no", "yes"]))
    >>> seen.confusion.tolist(), seen.error, round(seen.log_loss, 4), round(seen.brier, 4)
    ([[1, 0], [1, 0]], 0.5, 0.5697, 0.4)
    """
    is_soft = truth.ndim == 2
    labelled = ~np.isnan(truth[:, 0]) if is_soft else truth >= 0
    if not labelled.all():
        log_posterior, truth = log_posterior[labelled], truth[labelled]
        weights = None if weights is None else weights[labelled]
    n, k = log_posterior.shape
    if n == 0:
        msg = "there are no rows to evaluate: give at least one row and its class"
        raise DataError(msg)
    rows, predicted = np.arange(n), log_posterior.argmax(axis=1)
    gap = np.exp(log_posterior.astype(np.float64))
    stated = gap[rows, predicted]
    if is_soft:
        confusion = np.stack([truth[predicted == code].sum(axis=0) for code in range(k)], axis=1)
        right = truth[rows, predicted]
        of_truth = np.multiply(truth, log_posterior, where=truth > 0, out=truth * 0.0).sum(axis=1)
        gap -= truth
        spread = 1.0 - np.square(truth).sum(axis=1)
    else:
        codes = truth.astype(np.intp)
        confusion = np.bincount(codes * k + predicted, minlength=k * k).reshape(k, k)
        right, of_truth, spread = predicted == codes, log_posterior[rows, codes], np.zeros(n)
        gap[rows, codes] -= 1.0
    mean = np.mean(of_truth, dtype=np.float64)
    if weights is not None:
        mean = np.average(of_truth, weights=weights)
    log_loss = 0.0 - float(mean)
    brier = float(np.mean(np.square(gap).sum(axis=1) + spread))
    return Evaluation(classes, confusion, log_loss, brier, calibrate(stated, right))


def accuracy(
    predicted: NDArray[Any], known: LabelArray, targets: Targets, classes: LabelArray
) -> float:
    """The proportion of right predictions, by weight; rows without label do not count.

    A class that the model does not know is never predicted. Soft labels count in part. `predicted`
    are codes (n,) among the `known` classes, the targets' codes among theirs.
    """
    united, of_known, of_true = unite(known, classes)
    labelled = targets.labelled
    if not labelled.any():
        msg = "there are no rows to evaluate: give at least one row and its class"
        raise DataError(msg)
    truth, predicted = targets[labelled], of_known[predicted[labelled]]
    if truth.is_soft:
        proportion = np.zeros((predicted.size, united.size))
        proportion[:, of_true] = truth.labels
        right = proportion[np.arange(predicted.size), predicted]
    else:
        right = of_true[truth.codes] == predicted
    return float(np.average(right, weights=truth.weights))


def calibrate(stated: RealArray, true: NDArray[Any], n_groups: int = 10) -> CalibrationCurve:
    """Group rows by stated probability (n,) into equal intervals of [0, 1]."""
    if n_groups < 1:
        msg = f"calibration needs at least one group, got {n_groups}"
        raise ParameterError(msg)
    group = np.minimum((stated * n_groups).astype(np.intp), n_groups - 1)
    return _grouped(
        np.bincount(group, weights=stated, minlength=n_groups),
        np.bincount(group, weights=true, minlength=n_groups),
        np.bincount(group, minlength=n_groups),
    )


def _grouped(stated: NDArray[Any], true: NDArray[Any], count: NDArray[Any]) -> CalibrationCurve:
    """Sums over the rows of each group (n_groups,) as means."""
    filled = np.flatnonzero(count)
    rows = count[filled]
    means = stated[filled] / rows, true[filled] / rows
    return CalibrationCurve(*means, rows.astype(np.int64), filled, count.size)


def confident_errors(log_posterior: RealArray, codes: NDArray[Any], n: int) -> NDArray[np.intp]:
    """Up to n wrongly predicted rows, by how sure the model was of the wrong class, surest first.

    Rows of code −1, which have no label, are never among them. Where several posteriors round to 1,
    the log posterior of the true class decides.
    """
    predicted = log_posterior.argmax(axis=1)
    wrong = np.flatnonzero((predicted != codes) & (codes >= 0))
    truth = log_posterior[wrong, codes[wrong].astype(np.intp)]
    order = np.lexsort((truth, -log_posterior[wrong, predicted[wrong]]))
    return wrong[order[:n]]
