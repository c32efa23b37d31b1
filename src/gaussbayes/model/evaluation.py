"""How good predictions are, by the true classes, with standard errors, and beside a baseline.

Everything follows from the log posteriors of rows whose class is known, so it is the same for every
model that can give them. The baseline knows the class frequencies of the training rows and nothing
of the features.

Standard errors are those of rows that are drawn independently. Of means over rows (log loss, Brier
score) they are the deviation over √n. What follows from the confusion matrix is a function f of the
proportions p_ij of true class i and predicted class j, which are multinomial: by the delta method
``n Var f ≈ Σ p_ij g_ij² − (Σ p_ij g_ij)²`` with the gradient g. For the accuracy that is binomial.
Rows held out in folds are predicted by models that have most of their rows in common, so that the
true errors are somewhat larger.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, isnan, nan, sqrt
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.numerals import fixed, percent, shortened
from gaussbayes.base.text_tables import Block, Displayed, Styled, TextTable
from gaussbayes.base.types import FloatArray, LabelArray, RealArray
from gaussbayes.data.labels import unite
from gaussbayes.data.rows import Targets
from gaussbayes.model.ranking import Ranking, UncountedRows

_MOST_CLASSES = 8
"""Classes whose confusion matrix fits a terminal; of more, the most frequent errors are listed."""

_MOST_ERRORS = 12  # pairs of classes in that list
_NORMAL = 1.959964  # 95 % of a normal distribution lie within so many deviations


FIGURES = {
    "error": ("error", "{errors} of {rows} rows", True),
    "accuracy": ("accuracy", "", True),
    "balanced_accuracy": ("balanced accuracy", "mean recall", True),
    "f1": ("F1", "mean of the classes", False),
    "auc": ("AUC", "one against the rest, mean", False),
    "log_loss": ("log loss", "nats a row; 0 is best", False),
    "brier": ("Brier score", "0 is best, 2 is worst", False),
    "calibration_error": ("calibration error", "0 is best, 1 is worst", False),
    "cost": ("cost", "of a decision, mean", False),
}
"""Words for each figure of an `Evaluation`, a remark, and whether it is written in percent."""


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationCurve:
    """Rows grouped by a stated probability, and how often it came true; empty groups left out."""

    stated: FloatArray  # (m,) mean probability stated
    observed: FloatArray  # (m,) proportion that came true
    count: NDArray[np.int64]  # (m,) rows
    group: NDArray[np.intp]  # (m,) which interval, from 0
    n_groups: int  # equal intervals of [0, 1]
    squares: FloatArray  # (m,) mean of (stated − 1 or 0)²

    @property
    def error(self) -> float:
        """Expected calibration error: the mean gap between stated and observed, over the rows.

        Chance makes a gap of every group, so that it is above 0 for the best of models.
        """
        return float(np.average(np.abs(self.stated - self.observed), weights=self.count))

    @property
    def standard_error(self) -> float:
        """Of the error: that of the mean of ± (stated − true), with the sign of the group's gap."""
        n = int(self.count.sum())
        square = np.average(self.squares, weights=self.count)
        return sqrt(max(0.0, square - self.error**2) / n)

    def __add__(self, other: CalibrationCurve) -> CalibrationCurve:
        """The groups of the rows of both."""
        if self.n_groups != other.n_groups:
            msg = f"{self.n_groups} groups of rows do not go with {other.n_groups}"
            raise OptionError(msg)
        sums = np.zeros((4, self.n_groups))
        for part in (self, other):
            sums[:, part.group] += part.count * np.stack(
                [part.stated, part.observed, part.squares, np.ones_like(part.stated)]
            )
        return _grouped(*sums)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that says how good predictions are, its standard error, and the baseline's."""

    name: str  # as an attribute of `Evaluation`
    words: str
    value: float  # NaN if it is not known
    standard_error: float = nan
    baseline: float = nan
    remark: str = ""
    proportion: bool = False  # whether it is written in percent

    def written(self, value: float) -> str:
        """A number as this figure is written."""
        return percent(value, 2) if self.proportion else fixed(value, 4)

    @property
    def cells(self) -> tuple[str, ...]:
        """The words, the value, its standard error, the baseline and a remark."""
        numbers = (self.value, self.standard_error, self.baseline)
        return (self.words, *map(self.written, numbers), self.remark)


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation(Displayed):
    """What predictions for rows of known class amount to."""

    classes: LabelArray  #: (k,)
    confusion: NDArray[Any]  #: (k, k) true class by row, predicted by column; counts, unless soft
    log_loss: float  #: mean of −log p(true class | x), in nats; ∞ if one was called impossible
    brier: float  #: mean of Σ_c (p(c | x) − [c is true])², from 0 to 2
    calibration: CalibrationCurve | None = None  #: of predicted classes, in ten groups
    variances: tuple[float, float] = (nan, nan)  #: over rows, of the log loss and the Brier score
    ranking: Ranking | UncountedRows | None = None  #: for the AUC, if it was asked for
    frequencies: FloatArray | None = None  #: (k,) of the classes in the training rows: the baseline
    costs: FloatArray | None = None  #: (k, k) true class by row, decided class by column
    decided: NDArray[Any] | None = None  #: (k, k) as `confusion`, of the decisions of least cost
    how: str = ""  #: one sentence: which rows, and how they were predicted
    notes: tuple[str, ...] = ()  #: what else is to be said of the rows

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
    def error_interval(self) -> tuple[float, float]:
        """Where the true error lies with 95 % probability (Wilson); never of length 0."""
        n, error, z = self.n_rows, self.error, _NORMAL
        middle = (error + z * z / (2 * n)) / (1 + z * z / n)
        half = z * sqrt(error * (1 - error) / n + (z / (2 * n)) ** 2) / (1 + z * z / n)
        return max(0.0, middle - half), min(1.0, middle + half)

    @property
    def balanced_accuracy(self) -> float:
        """The mean recall of the classes that have rows."""
        return _mean(self.recall)

    @property
    def class_f1(self) -> FloatArray:
        """``2 / (1/recall + 1/precision)`` (k,); NaN of a class without rows or predictions."""
        total = self._margins
        f1: FloatArray = 2.0 * np.diagonal(self.confusion) / np.where(total > 0, total, np.nan)
        return f1

    @property
    def f1(self) -> float:
        """The mean F1 of the classes."""
        return _mean(self.class_f1)

    @property
    def class_auc(self) -> FloatArray:
        """The area under the ROC curve of each class against the others (k,); see `Ranking`."""
        return (
            np.full(len(self.classes), np.nan) if self.ranking is None else self.ranking.counted.auc
        )

    @property
    def auc(self) -> float:
        """The mean area under the ROC curve of the classes; NaN if it was not asked for."""
        return _mean(self.class_auc)

    @property
    def calibration_error(self) -> float:
        """Expected calibration error of the predicted classes; NaN if it was not looked at."""
        return np.nan if self.calibration is None else self.calibration.error

    @property
    def cost(self) -> float:
        """The mean cost of the decisions of least expected cost; NaN if no costs were given."""
        if self.costs is None or self.decided is None:
            return nan
        return float((self.decided * self.costs).sum() / self.decided.sum())

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

    @property
    def _of_classes(self) -> tuple[Any, ...]:
        """Rows, recall, precision, F1 and AUC of the classes."""
        rows = self.confusion.sum(axis=1).tolist()
        return rows, self.recall, self.precision, self.class_f1, self.class_auc

    @property
    def _margins(self) -> FloatArray:
        """Rows of each class and rows given each class, together (k,)."""
        total: FloatArray = self.confusion.sum(axis=0) + self.confusion.sum(axis=1).astype(float)
        return total

    @property
    def baseline(self) -> Evaluation | None:
        """What always stating the class frequencies of the training rows amounts to.

        It predicts the most frequent class. None if the frequencies are not known.
        """
        if self.frequencies is None:
            return None
        k, rows = len(self.classes), self.confusion.sum(axis=1)
        with np.errstate(divide="ignore"):
            log_posterior = np.broadcast_to(np.log(self.frequencies), (k, k))
        # Every row of a class is the same to it: one of each, counted so many times.
        present = rows > 0
        losses = _losses(log_posterior, np.eye(k))[:, present]
        means, variances = _moments(losses, rows[present])
        confusion = np.zeros_like(self.confusion)
        confusion[:, self.frequencies.argmax()] = rows
        decided = None
        if self.costs is not None:
            decided = np.zeros_like(self.confusion)
            decided[:, least_cost(self.frequencies[None], self.costs)[0]] = rows
        keys = np.zeros(1, dtype=np.int64)  # one score for all rows
        of_class = [(keys, np.array([[n, rows.sum() - n]], dtype=float)) for n in rows]
        stated, right = self.frequencies.max(), np.trace(confusion)
        sums = (np.array([each]) for each in (stated * rows.sum(), right, 0.0, rows.sum()))
        return Evaluation(
            self.classes,
            confusion,
            *means,
            _grouped(*sums),
            variances,
            Ranking(tuple(of_class)),
            costs=self.costs,
            decided=decided,
        )

    @property
    def standard_errors(self) -> dict[str, float]:
        """By the name of the figure; see the module for how they follow."""
        n, k = self.n_rows, len(self.classes)
        p = self.confusion / n
        of_true, right = p.sum(axis=1), np.eye(k)
        # recall_c = p_cc / p_c· has the gradient ([j = c] − recall_c) / p_c· in the row i = c;
        # F_c = 2 p_cc / (p_c· + p_·c) has (2 [i = j = c] − F_c ([i = c] + [j = c])) over that sum.
        with np.errstate(divide="ignore", invalid="ignore"):
            recalls = np.nan_to_num((right - self.recall[:, None]) / of_true[:, None])
            parts = np.nan_to_num(self.class_f1 * n / self._margins)
            twice = np.diag(np.nan_to_num(2.0 * n / self._margins, posinf=0.0))
        f1 = twice - parts[:, None] - parts
        loss, brier = (sqrt(each / max(n - 1, 1)) for each in self.variances)
        errors = {
            "error": _delta(p, right, n),
            "balanced_accuracy": _delta(p, recalls / np.count_nonzero(of_true), n),
            "f1": _delta(p, f1 / np.count_nonzero(self._margins), n),
            # The areas of the classes are of the same rows. A mean's error is at most the mean of
            # the errors, which it is for two classes: their areas are the same.
            "auc": nan if self.ranking is None else _mean(self.ranking.counted.areas[1]),
            "log_loss": loss,
            "brier": brier,
            "calibration_error": nan
            if self.calibration is None
            else self.calibration.standard_error,
            "cost": nan,
        }
        errors["accuracy"] = errors["error"]
        if self.costs is not None and self.decided is not None:
            errors["cost"] = _delta(self.decided / n, self.costs, n)
        return errors

    def figures(self) -> list[Figure]:
        """Every figure that is known, with its standard error and the baseline's."""
        errors, baseline = self.standard_errors, self.baseline
        count = {"errors": f"{self.n_errors:,.10g}", "rows": f"{self.n_rows:,}"}
        return [
            Figure(
                name,
                words,
                getattr(self, name),
                errors[name],
                nan if baseline is None else getattr(baseline, name),
                remark.format_map(count),
                proportion,
            )
            for name, (words, remark, proportion) in FIGURES.items()
            if self.costs is not None or name != "cost"
        ]

    @property
    def warnings(self) -> list[str]:
        """What is worse than without any features, in a sentence each."""
        baseline = self.baseline
        if baseline is None:
            return []
        sentences = {
            "log_loss": "the class frequencies alone predict better than these probabilities",
            "error": "always predicting the most frequent class errs less often",
            "cost": "one decision for all rows costs less",
        }
        return [
            f"the {each.words} is {each.written(each.value)}, that of the baseline "
            f"{each.written(each.baseline)}: {sentences[each.name]}".replace("\xa0", " ")
            for each in self.figures()
            if each.name in sentences and each.value > each.baseline + 1e-12
        ]

    def record(self) -> dict[str, Any]:
        """Plain values; an infinite log loss, or a proportion of no rows, is None."""
        baseline, figures = self.baseline, self.figures()
        columns = ("class", "rows", "recall", "precision", "f1", "auc")
        lines = (
            (label, n, *map(_plain, numbers))
            for label, n, *numbers in zip(self.classes.tolist(), *self._of_classes, strict=True)
        )
        return {
            "rows": self.n_rows,
            "errors": self.n_errors,
            **{each.name: _plain(each.value) for each in figures},
            "error_interval": list(self.error_interval),
            "standard_errors": {each.name: _plain(each.standard_error) for each in figures},
            "baseline": baseline
            and {each.name: _plain(each.baseline) for each in figures if not isnan(each.baseline)},
            "warnings": self.warnings,
            "classes": [dict(zip(columns, line, strict=True)) for line in lines],
            "confusion": self.confusion.tolist(),
        }

    def figures_table(self) -> TextTable:
        """The figures beside those of the baseline, and warnings where it is better."""
        low, high = (fixed(100 * bound, 2) for bound in self.error_interval)
        notes = [f"95 % interval of the error: {low} to {high} %"]
        if self.frequencies is not None:
            notes.append("baseline: the class frequencies of the training rows, and no features")
        columns = ("figure", "value", "standard\nerror", "baseline", "")
        rows = [each.cells for each in self.figures()]
        return TextTable(columns, rows, notes=notes, sides="lrrrl")

    def tables(self) -> Sequence[Block]:
        """The figures, the classes one by one, and which of them are confused."""
        names = [str(label) for label in self.classes.tolist()]
        lines = (
            (
                shortened(name, 36),
                f"{n:,.10g}",
                percent(recall, 2),
                percent(precision, 2),
                fixed(f1, 4),
                fixed(auc, 4),
            )
            for name, n, recall, precision, f1, auc in zip(names, *self._of_classes, strict=True)
        )
        columns = ("class", "rows", "recall", "precision", "F1", "AUC")
        classes = TextTable.first(columns, lines, len(names))
        warnings = (Styled(f"Warning: {each}") for each in self.warnings)
        said = (each for each in (self.how, *self.notes) if each)
        blocks: list[Block] = [*said, self.figures_table(), *warnings, classes]
        if self.n_errors:
            confused = _confusion if len(names) <= _MOST_CLASSES else _frequent_errors
            blocks.append(confused(names, self.confusion.tolist()))
        return blocks

    def __add__(self, other: Evaluation) -> Evaluation:
        """The evaluation of the rows of both, so that many rows are evaluated part by part."""
        if self.classes.tolist() != other.classes.tolist():
            classes = f"{self.classes.tolist()!r:.200} and {other.classes.tolist()!r:.200}"
            msg = f"evaluations of the same classes can be added, got {classes}"
            raise DataError(msg)
        theirs = other.n_rows / (self.n_rows + other.n_rows)
        means, variances = [], []
        pairs = ((self.log_loss, other.log_loss), (self.brier, other.brier))
        for (here, there), *both in zip(pairs, self.variances, other.variances, strict=True):
            means.append((1.0 - theirs) * here + theirs * there)
            with np.errstate(invalid="ignore"):
                between = theirs * (1.0 - theirs) * np.square(np.float64(there) - here)
            within = np.dot((1.0 - theirs, theirs), both)
            variances.append(float(within + between))
        summed = (
            None if first is None or second is None else first + second
            for first, second in (
                (getattr(self, name), getattr(other, name))
                for name in ("calibration", "ranking", "decided")
            )
        )
        calibration, ranking, decided = summed
        return Evaluation(
            self.classes,
            self.confusion + other.confusion,
            means[0],
            means[1],
            calibration,
            (variances[0], variances[1]),
            ranking,
            self.frequencies,
            self.costs,
            decided,
        )


def evaluate(
    log_posterior: RealArray,
    truth: NDArray[Any],
    classes: LabelArray,
    weights: FloatArray | None = None,
    *,
    frequencies: FloatArray | None = None,
    costs: FloatArray | None = None,
    ranked: bool = False,
) -> Evaluation:
    """Compare log posteriors (n, k) with the true class codes (n,), or with soft labels (n, k).

    Rows of code −1, or NaN, do not count. With soft labels everything is what is expected if the
    class of each row is drawn from them. The weights (n,) are those of the log loss, in which the
    rows of a fit count as much as they do there; everything else counts each row once. The
    `frequencies` (k,) of the classes in the training rows give the baseline, `costs` (k, k) the
    cost of decisions, and `ranked` the AUC.

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
    truth = truth if is_soft else truth.astype(np.intp)
    predicted = log_posterior.argmax(axis=1)
    stated = np.exp(log_posterior[np.arange(n), predicted].astype(np.float64))
    right = truth[np.arange(n), predicted] if is_soft else predicted == truth
    losses = _losses(log_posterior, truth)
    (log_loss, brier), variances = _moments(losses)
    if weights is not None:
        log_loss = float(np.average(losses[0], weights=weights))
    decided = None
    if costs is not None:
        decided = _confused(truth, least_cost(np.exp(log_posterior), costs), k)
    return Evaluation(
        classes,
        _confused(truth, predicted, k),
        log_loss,
        brier,
        calibrate(stated, right),
        variances,
        UncountedRows(log_posterior, truth) if ranked else None,
        frequencies,
        costs,
        decided,
    )


def least_cost(posterior: RealArray, costs: FloatArray) -> NDArray[np.intp]:
    """The class (n,) of least expected cost ``Σ_t p(t | x) cost[t, c]``, of several the first.

    What a true class costs in any case takes no part in the choice. Without it the sums have terms
    of one sign only; those of costs 0 and 1 are minus the posteriors, to the last bit.
    """
    best: NDArray[np.intp] = (posterior @ (costs - costs.max(axis=1, keepdims=True))).argmin(axis=1)
    return best


def _losses(log_posterior: RealArray, truth: NDArray[Any]) -> FloatArray:
    """Log loss and Brier score of each row (2, n), by class codes (n,) or soft labels (n, k)."""
    gap = np.exp(log_posterior.astype(np.float64))
    rows = np.arange(gap.shape[0])
    if truth.ndim == 2:
        of_truth = np.multiply(truth, log_posterior, where=truth > 0, out=truth * 0.0).sum(axis=1)
        gap -= truth
        spread = 1.0 - np.square(truth).sum(axis=1)
    else:
        of_truth, spread = log_posterior[rows, truth], 0.0
        gap[rows, truth] -= 1.0
    return np.stack([0.0 - of_truth.astype(np.float64), np.einsum("nc,nc->n", gap, gap) + spread])


def _moments(
    losses: FloatArray, weights: NDArray[Any] | None = None
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Means and variances of two lines of numbers (2, n); infinite ones have no variance."""
    means = np.average(losses, axis=1, weights=weights)
    with np.errstate(invalid="ignore"):
        squares = np.square(losses - means[:, None])
    variances = np.average(squares, axis=1, weights=weights)
    return (float(means[0]), float(means[1])), (float(variances[0]), float(variances[1]))


def _confused(truth: NDArray[Any], predicted: NDArray[np.intp], k: int) -> NDArray[Any]:
    """How many rows of each true class were given each class (k, k)."""
    if truth.ndim == 2:
        return np.stack([truth[predicted == code].sum(axis=0) for code in range(k)], axis=1)
    return np.bincount(truth * k + predicted, minlength=k * k).reshape(k, k)


def _delta(p: FloatArray, gradient: FloatArray, n: int) -> float:
    """The standard error of a function of proportions p (k, k) of n rows, by its gradient."""
    mean = float((p * gradient).sum())
    return sqrt(max(0.0, float((p * np.square(gradient)).sum()) - mean * mean) / n)


def _mean(values: FloatArray) -> float:
    """The mean of the numbers that are known."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else nan


def _plain(value: float) -> float | None:
    """A number as JSON can hold it: None for infinity and NaN."""
    return float(value) if isfinite(value) else None


def _confusion(names: list[str], confusion: list[list[float]]) -> TextTable:
    rows = [
        (
            shortened(name, 24),
            *(
                Styled(f"{count:,.10g}", "bold" if i == j else "" if count else "dim")
                for j, count in enumerate(counts)
            ),
        )
        for i, (name, counts) in enumerate(zip(names, confusion, strict=True))
    ]
    width = max(6, 54 // len(names) - 2)
    headings = ("\n".join(wrap(shortened(name, 2 * width), width)) for name in names)
    columns = ("true class", *headings)
    return TextTable(columns, rows, title="predicted as")


def _frequent_errors(names: list[str], confusion: list[list[float]]) -> TextTable:
    pairs = sorted(
        (-count, i, j)
        for i, counts in enumerate(confusion)
        for j, count in enumerate(counts)
        if count and i != j
    )
    rows = [
        (shortened(names[i], 30), shortened(names[j], 30), f"{-count:,.10g}")
        for count, i, j in pairs[:_MOST_ERRORS]
    ]
    more = len(pairs) - _MOST_ERRORS
    notes = [f"and {more} more pairs of classes"] if more > 0 else []
    columns = ("true class", "predicted as", "rows")
    return TextTable(columns, rows, "most frequent errors", notes, "llr")


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
        raise OptionError(msg)
    group = np.minimum((stated * n_groups).astype(np.intp), n_groups - 1)
    return _grouped(
        np.bincount(group, weights=stated, minlength=n_groups),
        np.bincount(group, weights=true, minlength=n_groups),
        np.bincount(group, weights=np.square(stated - true), minlength=n_groups),
        np.bincount(group, minlength=n_groups),
    )


def _grouped(
    stated: NDArray[Any], true: NDArray[Any], squares: NDArray[Any], count: NDArray[Any]
) -> CalibrationCurve:
    """Sums over the rows of each group (n_groups,) as means."""
    filled = np.flatnonzero(count)
    rows = count[filled]
    means, many = [each[filled] / rows for each in (stated, true, squares)], count.size
    return CalibrationCurve(means[0], means[1], rows.astype(np.int64), filled, many, means[2])


def frequency_log_loss(weight: FloatArray) -> float:
    """The log loss of stating the class frequencies, by the weight of each class (k,).

    ``−Σ_c p_c log p_c``, their entropy, is what a model must be below to be of use.

    >>> round(frequency_log_loss(np.array([50.0, 50.0, 0.0])), 4)
    0.6931
    """
    frequencies = weight[weight > 0] / weight.sum()
    return float(-frequencies @ np.log(frequencies))


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
