"""Evaluate predictions for rows of known class: metrics, standard errors, a baseline and curves.

Everything follows from the log posteriors of the rows, so it is the same for every model that
provides them. The baseline predicts the class frequencies of the training rows for every row.

Standard errors assume rows that are drawn independently. Those of means over rows (log loss, Brier
score) are the standard deviation over √n. A metric of the confusion matrix is a function f of the
proportions p_ij of true class i and predicted class j, which are multinomial: by the delta method
``n Var f ≈ Σ p_ij g_ij² − (Σ p_ij g_ij)²`` with the gradient g. Models of different folds share
most of their rows, so the true standard errors of cross-validation are somewhat larger.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import nan, sqrt
from textwrap import wrap
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gaussbayes.base.checks import as_numbers
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.numerals import fixed, percent, shortened
from gaussbayes.base.result import Result, plain
from gaussbayes.base.text_tables import MOST_NAMED, Block, Styled, TextTable
from gaussbayes.base.types import FloatArray, LabelArray, RealArray
from gaussbayes.data.labels import unite
from gaussbayes.data.rows import Targets
from gaussbayes.model.bayes_error import BayesError
from gaussbayes.model.calibration import score_of_classes

_MOST_CLASSES = 8
"""Most classes of a printed confusion matrix; with more, the most frequent errors are listed."""

_MOST_ERRORS = 12  # pairs of classes in that list
_NORMAL = 1.959964  # quantile of the normal distribution for 95 % intervals
_MOST_POINTS = 200  # of a curve
_GROUPS = 10  # equal intervals of [0, 1] of a calibration curve

BASELINE = "class frequencies"

Costs: TypeAlias = ArrayLike | Mapping[tuple[object, object], float]
"""A matrix ``cost[true, decided]``, or ``{(true label, decided label): cost}``."""

METRICS = {
    "error": ("error rate", "{errors} of {rows} rows", True),
    "accuracy": ("accuracy", "", True),
    "balanced_accuracy": ("balanced accuracy", "mean recall", True),
    "f1": ("F1", "mean over classes", False),
    "auc": ("AUC", "one vs rest, class mean", False),
    "log_loss": ("log loss", "nats per row; lower is better", False),
    "brier": ("Brier score", "0 to 2; lower is better", False),
    "calibration_error": ("calibration error", "0 to 1; lower is better", False),
    "cost": ("cost", "mean per decision", False),
}
"""The name of each metric of an `Evaluation`, a remark, and whether it is shown in percent."""


@dataclass(frozen=True, slots=True, eq=False)
class RankingCurve:
    """The ROC curve of a class against all others, and its precision-recall curve.

    The area under the ROC curve (AUC) is the probability that a row of the class scores higher than
    one of another class; a tie counts half.
    """

    label: object  #: the class
    false_positive_rate: FloatArray  #: (m,) from 0 to 1
    true_positive_rate: FloatArray  #: (m,) from 0 to 1: the recall
    precision: FloatArray  #: (m,) 1 if no row is predicted as the class
    area: float  #: under the ROC curve; NaN if one side has no rows
    standard_error: float  #: of the area
    average_precision: float  #: mean precision, weighted by the gains in recall

    @property
    def recall(self) -> FloatArray:
        """The true positive rate, as precision-recall curves call it."""
        return self.true_positive_rate


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationCurve:
    """Rows grouped by predicted probability, and the observed frequency; no empty groups."""

    stated: FloatArray  #: (m,) mean predicted probability
    observed: FloatArray  #: (m,) observed frequency
    count: NDArray[np.int64]  #: (m,) rows
    group: NDArray[np.intp]  #: (m,) number of the interval, from 0
    squares: FloatArray  #: (m,) mean of (predicted − 1 or 0)²
    label: object = None  #: the class; None for the predicted class of each row

    @property
    def error(self) -> float:
        """Expected calibration error: the mean gap between predicted and observed, over the rows.

        Chance alone makes it positive, also for a perfectly calibrated model.
        """
        return float(np.average(np.abs(self.stated - self.observed), weights=self.count))

    @property
    def standard_error(self) -> float:
        """Standard error of `error`, a mean of ± (stated − true) over the rows."""
        n = int(self.count.sum())
        square = np.average(self.squares, weights=self.count)
        return sqrt(max(0.0, square - self.error**2) / n)


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric, its standard error, and its value for the class frequencies."""

    name: str  #: name of the attribute of `Evaluation`
    words: str  #: name in tables
    value: float  #: NaN if it is unknown
    standard_error: float = nan
    baseline: float = nan  #: its value for the class frequencies
    remark: str = ""
    proportion: bool = False  #: whether it is shown in percent

    def written(self, value: float) -> str:
        """Format a number as this metric is shown."""
        return percent(value, 2) if self.proportion else fixed(value, 4)

    @property
    def cells(self) -> tuple[str, ...]:
        """The name, the value, its standard error, the baseline and a remark."""
        numbers = (self.value, self.standard_error, self.baseline)
        return (self.words, *map(self.written, numbers), self.remark)


@dataclass(frozen=True, eq=False)
class Evaluation(Result):
    """The evaluation of predictions for rows of known class."""

    classes: LabelArray  #: (k,)
    log_posterior: RealArray  #: (n, k) of the rows
    truth: NDArray[Any]  #: their class codes (n,), or soft labels (n, k)
    weights: FloatArray | None = None  #: (n,) of the log loss
    frequencies: FloatArray | None = None  #: (k,) of the classes in the training rows: the baseline
    costs: FloatArray | None = None  #: (k, k) true class by row, decided class by column
    how: str = ""  #: one sentence: the rows, and how they were predicted
    notes: tuple[str, ...] = ()  #: such as classes with few rows
    bayes_error: BayesError | None = None  #: plug-in estimate, if the model can be simulated

    @property
    def posterior(self) -> FloatArray:
        """``p(c | x)`` (n, k) of the rows."""
        return np.exp(self.log_posterior.astype(np.float64))

    @cached_property
    def soft_labels(self) -> FloatArray:
        """The labels as distributions (n, k): 1 or 0, unless labels are soft."""
        return self.truth if self.truth.ndim == 2 else np.eye(len(self.classes))[self.truth]

    @cached_property
    def confusion(self) -> FloatArray:
        """True class by row, predicted class by column (k, k): counts, unless labels are soft."""
        return _confused(self.truth, self.log_posterior.argmax(axis=1), len(self.classes))

    @cached_property
    def _losses(self) -> FloatArray:
        """Log loss and Brier score of each row (2, n); expectations, if labels are soft."""
        truth = self.soft_labels
        brier = np.square(self.posterior - truth).sum(axis=1) + 1.0 - np.square(truth).sum(axis=1)
        return np.stack([0.0 - score_of_classes(self.log_posterior, truth), brier])

    @property
    def log_loss(self) -> float:
        """Mean of ``−log p(true class | x)``, in nats; ∞ if one has probability 0."""
        return float(np.average(self._losses[0], weights=self.weights))

    @property
    def brier(self) -> float:
        """Mean of ``Σ_c (p(c | x) − [c is true])²``, from 0 to 2."""
        return float(self._losses[1].mean())

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.truth)

    @property
    def n_errors(self) -> float:
        """Number of misclassified rows; with soft labels, the expected number."""
        errors: float = (self.confusion.sum() - np.trace(self.confusion)).item()
        return errors

    @property
    def error(self) -> float:
        """Proportion of misclassified rows."""
        return self.n_errors / self.n_rows

    @property
    def accuracy(self) -> float:
        """Proportion of correctly classified rows."""
        return 1.0 - self.error

    @property
    def error_interval(self) -> tuple[float, float]:
        """95 % confidence interval of the error rate (Wilson)."""
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
        """``2 / (1/recall + 1/precision)`` (k,); NaN for a class without rows or predictions."""
        return _quotient(2.0 * np.diagonal(self.confusion), self._margins)

    @property
    def f1(self) -> float:
        """The mean F1 of the classes."""
        return _mean(self.class_f1)

    @cached_property
    def curves(self) -> tuple[RankingCurve, ...]:
        """The ROC and precision-recall curves of each class against the others."""
        return ranking_curves(self.log_posterior, self.truth, self.classes.tolist())

    @property
    def class_auc(self) -> FloatArray:
        """The area under the ROC curve of each class against the others (k,)."""
        return np.array([curve.area for curve in self.curves])

    @property
    def auc(self) -> float:
        """The mean area under the ROC curve of the classes."""
        return _mean(self.class_auc)

    @property
    def calibration(self) -> CalibrationCurve:
        """The calibration curve of the predicted classes, in ten groups."""
        at = np.arange(self.n_rows), self.log_posterior.argmax(axis=1)
        return calibration_curve(self.posterior[at], self.soft_labels[at])

    @property
    def class_calibration(self) -> tuple[CalibrationCurve, ...]:
        """The calibration curve of each class against the others."""
        columns = zip(self.posterior.T, self.soft_labels.T, self.classes.tolist(), strict=True)
        return tuple(calibration_curve(*column) for column in columns)

    @property
    def calibration_error(self) -> float:
        """Expected calibration error of the predicted classes."""
        return self.calibration.error

    @cached_property
    def decided(self) -> FloatArray | None:
        """As `confusion`, of the decisions of least expected cost; None if there are no costs."""
        if self.costs is None:
            return None
        best = least_cost(np.exp(self.log_posterior), self.costs)
        return _confused(self.truth, best, len(self.classes))

    @property
    def cost(self) -> float:
        """The mean cost of the decisions of least expected cost; NaN if no costs were given."""
        if self.costs is None or self.decided is None:
            return nan
        return float((self.decided * self.costs).sum() / self.decided.sum())

    @property
    def recall(self) -> FloatArray:
        """Proportion of correctly predicted rows of each class (k,); NaN without rows."""
        return np.diagonal(self.proportions)

    @property
    def precision(self) -> FloatArray:
        """Proportion of correct predictions of each class (k,); NaN without any."""
        return _quotient(np.diagonal(self.confusion), self.confusion.sum(axis=0))

    @property
    def proportions(self) -> FloatArray:
        """The confusion matrix with each row divided by its sum; NaN for classes without rows."""
        return _quotient(self.confusion, self.confusion.sum(axis=1, keepdims=True))

    @property
    def _of_classes(self) -> tuple[Any, ...]:
        """Rows, recall, precision, F1 and AUC of the classes."""
        rows = self.confusion.sum(axis=1).tolist()
        return rows, self.recall, self.precision, self.class_f1, self.class_auc

    @property
    def _margins(self) -> FloatArray:
        """The sum of the true rows and the predicted rows of each class (k,)."""
        return np.asarray(self.confusion.sum(axis=0) + self.confusion.sum(axis=1), np.float64)

    @cached_property
    def baseline(self) -> Evaluation | None:
        """The evaluation of the class frequencies of the training rows; None if they are unknown.

        It predicts the most frequent class for every row.
        """
        if self.frequencies is None:
            return None
        with np.errstate(divide="ignore"):
            log_posterior = np.broadcast_to(np.log(self.frequencies), self.log_posterior.shape)
        return replace(self, log_posterior=log_posterior, frequencies=None, bayes_error=None)

    @property
    def standard_errors(self) -> dict[str, float]:
        """Standard errors by the name of the metric."""
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
        with np.errstate(invalid="ignore"):  # an infinite loss has no variance
            loss, brier = np.sqrt(self._losses.var(axis=1) / max(n - 1, 1)).tolist()
        errors = {
            "error": _delta(p, right, n),
            "balanced_accuracy": _delta(p, recalls / np.count_nonzero(of_true), n),
            "f1": _delta(p, f1 / np.count_nonzero(self._margins), n),
            # The areas of the classes use the same rows. The error of their mean is at most the
            # mean of their errors, with equality for two classes, whose areas are the same.
            "auc": _mean(np.array([curve.standard_error for curve in self.curves])),
            "log_loss": loss,
            "brier": brier,
            "calibration_error": self.calibration.standard_error,
            "cost": nan,
        }
        errors["accuracy"] = errors["error"]
        if self.costs is not None and self.decided is not None:
            errors["cost"] = _delta(self.decided / n, self.costs, n)
        return errors

    def metrics(self) -> list[Metric]:
        """Return every metric with its standard error and its value for the class frequencies."""
        errors, baseline = self.standard_errors, self.baseline
        count = {"errors": f"{self.n_errors:,.10g}", "rows": f"{self.n_rows:,}"}
        return [
            Metric(
                name,
                words,
                getattr(self, name),
                errors[name],
                nan if baseline is None else getattr(baseline, name),
                remark.format_map(count),
                proportion,
            )
            for name, (words, remark, proportion) in METRICS.items()
            if self.costs is not None or name != "cost"
        ]

    @property
    def warnings(self) -> list[str]:
        """A sentence for each metric that is worse than that of the class frequencies."""
        sentences = {
            "log_loss": "the class frequencies alone give better probabilities",
            "error": "always predicting the most frequent class makes fewer errors",
            "cost": "one decision for all rows costs less",
        }
        return [
            f"the {each.words} is {each.written(each.value)}, that of the {BASELINE} "
            f"{each.written(each.baseline)}: {sentences[each.name]}".replace("\xa0", " ")
            for each in self.metrics()
            if each.name in sentences and each.value > each.baseline + 1e-12
        ]

    def to_dict(self) -> dict[str, object]:
        """Return metrics, standard errors, baseline and confusion matrix; no curves.

        An infinite log loss, or a proportion of no rows, is None.
        """
        metrics = self.metrics()
        columns = ("class", "rows", "recall", "precision", "f1", "auc")
        lines = zip(self.classes.tolist(), *self._of_classes, strict=True)
        known = None if self.frequencies is None else {each.name: each.baseline for each in metrics}
        record = {
            "how": self.how,
            "rows": self.n_rows,
            "errors": self.n_errors,
            **{each.name: each.value for each in metrics},
            "error_interval": self.error_interval,
            "standard_errors": {each.name: each.standard_error for each in metrics},
            "baseline": known,
            "bayes_error": self.bayes_error,
            "warnings": self.warnings,
            "notes": self.notes,
            "classes": [dict(zip(columns, line, strict=True)) for line in lines],
            "confusion": self.confusion,
        }
        return {name: plain(value) for name, value in record.items()}

    def metrics_table(self) -> TextTable:
        """Return the metrics beside those of the class frequencies."""
        low, high = (fixed(100 * bound, 2) for bound in self.error_interval)
        notes = [f"95 % confidence interval of the error rate: {low} to {high} %"]
        columns = ("metric", "value", "standard\nerror", "class\nfrequencies", "")
        rows = [each.cells for each in self.metrics()]
        return TextTable(columns, rows, notes=notes, sides="lrrrl")

    def tables(self) -> Sequence[Block]:
        """Return the metrics, the classes one by one, and the confusion matrix."""
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
        sentences = (each for each in (self.how, *self.notes) if each)
        blocks: list[Block] = [*sentences, self.metrics_table(), *warnings]
        blocks += [classes] if self.bayes_error is None else [*self.bayes_error.tables(), classes]
        if self.n_errors:
            confused = _confusion if len(names) <= _MOST_CLASSES else _frequent_errors
            blocks.append(confused(names, self.confusion.tolist()))
        return blocks


def evaluate(
    log_posterior: RealArray,
    truth: NDArray[Any],
    classes: LabelArray,
    weights: FloatArray | None = None,
    *,
    frequencies: FloatArray | None = None,
    costs: FloatArray | None = None,
) -> Evaluation:
    """Compare log posteriors (n, k) with the true class codes (n,), or with soft labels (n, k).

    Rows with code −1, or NaN, are ignored. With soft labels, metrics are expectations over classes
    drawn from them. Only the log loss uses the weights (n,). The `frequencies` (k,) of the classes
    in the training rows give the baseline, `costs` (k, k) the cost of decisions.

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
    if not len(truth):
        msg = "there are no rows to evaluate: give at least one row and its class"
        raise DataError(msg)
    truth = truth if is_soft else truth.astype(np.intp)
    return Evaluation(classes, log_posterior, truth, weights, frequencies, costs)


def ranking_curves(
    log_posterior: RealArray, truth: NDArray[Any], labels: Sequence[object]
) -> tuple[RankingCurve, ...]:
    """Rank rows by the log posteriors (n, k) of each class; codes (n,) or soft labels (n, k).

    Examples
    --------
    >>> log_posterior = np.log([[0.9, 0.1], [0.4, 0.6], [0.4, 0.6], [0.2, 0.8]])
    >>> curves = ranking_curves(log_posterior, np.array([0, 0, 1, 1]), ["a", "b"])
    >>> [curve.area for curve in curves]  # ¾, and a tie
    [0.875, 0.875]
    """
    curves = []
    for code, score in enumerate(log_posterior.T):
        of_class = truth[:, code] if truth.ndim == 2 else truth == code
        order = np.argsort(-score, kind="stable")
        ranked = score[order]
        last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))  # of equal scores
        sides = np.cumsum(np.stack([of_class, 1.0 - of_class])[:, order], axis=1)[:, last]
        curves.append(_ranking_curve(labels[code], *sides))
    return tuple(curves)


def _ranking_curve(label: object, positive: FloatArray, negative: FloatArray) -> RankingCurve:
    """The curve of rows of a class and of others (u,), counted down from the highest score.

    Let V₁ᵢ be the proportion of other rows below row i of the class, and V₀ⱼ that of rows of the
    class above another row j, ties half. The area is the mean of either, and its variance is
    var(V₁) / n₁ + var(V₀) / n₀ (DeLong, DeLong and Clarke-Pearson 1988): a jackknife. The variance
    of a single row is unknown; for numbers from 0 to 1 it is at most A (1 − A).
    """
    totals = float(positive[-1]), float(negative[-1])
    if not all(totals):
        empty = np.empty(0)
        return RankingCurve(label, empty, empty, empty, nan, nan, nan)
    weights = [np.diff(rows, prepend=0.0) for rows in (positive, negative)]
    above = negative - 0.5 * weights[1], positive - 0.5 * weights[0]
    proportions = 1.0 - above[0] / totals[1], above[1] / totals[0]
    area, variance = float(np.average(proportions[0], weights=weights[0])), 0.0
    for values, weight, n in zip(proportions, weights, totals, strict=True):
        square = np.average(np.square(values - area), weights=weight)
        variance += square / (n - 1) if n > 1 else area * (1.0 - area)
    true, precision = positive / totals[0], positive / (positive + negative)
    average = float(np.diff(true, prepend=0.0) @ precision)
    points = np.linspace(0, true.size, min(true.size + 1, _MOST_POINTS)).round().astype(np.intp)
    rates = np.append(0.0, negative / totals[1])[points], np.append(0.0, true)[points]
    precision = np.append(1.0, precision)[points]
    return RankingCurve(label, *rates, precision, area, sqrt(variance), average)


def calibration_curve(
    stated: FloatArray, true: NDArray[Any], label: object = None
) -> CalibrationCurve:
    """Group rows by predicted probability (n,) into equal intervals of [0, 1].

    `true` (n,) is whether the class occurred, or its probability with soft labels.
    """
    group = np.minimum((stated * _GROUPS).astype(np.intp), _GROUPS - 1)
    squares = true * np.square(1.0 - stated) + (1.0 - true) * np.square(stated)
    sums = [np.bincount(group, weights=term, minlength=_GROUPS) for term in (stated, true, squares)]
    count = np.bincount(group, minlength=_GROUPS)
    filled = np.flatnonzero(count)
    means = [each[filled] / count[filled] for each in sums]
    return CalibrationCurve(means[0], means[1], count[filled], filled, means[2], label)


def check_costs(costs: Costs, classes: LabelArray) -> FloatArray:
    """Return costs as a matrix (k, k): true class by row, decided class by column.

    A mapping from (true label, decided label) to the cost may omit correct decisions, which cost 0.
    A gain is a negative cost.

    Examples
    --------
    >>> check_costs({("ill", "well"): 50, ("well", "ill"): 1}, np.array(["ill", "well"])).tolist()
    [[0.0, 50.0], [1.0, 0.0]]
    """
    labels: list[object] = classes.tolist()
    k = len(labels)
    if isinstance(costs, Mapping):
        matrix = _from_mapping(costs, labels)
    else:
        matrix = as_numbers("costs", costs)
        if matrix.shape != (k, k):
            msg = (
                f"the costs of {k} classes must have shape {(k, k)}, true class by row and decided "
                f"class by column, got {matrix.shape}"
            )
            raise OptionError(msg)
    if not np.isfinite(matrix).all():
        true, decided = np.argwhere(~np.isfinite(matrix))[0].tolist()
        msg = (
            f"deciding {labels[decided]!r} where {labels[true]!r} is true costs "
            f"{matrix[true, decided]}; costs must be finite: use a large number to rule a decision "
            "out"
        )
        raise OptionError(msg)
    return matrix


def _from_mapping(
    costs: Mapping[tuple[object, object], float], labels: Sequence[object]
) -> FloatArray:
    places = {pair: place for place, pair in enumerate(product(labels, repeat=2))}
    matrix = np.zeros((len(labels), len(labels)))
    unknown = [key for key in costs if key not in places]
    missing = [pair for pair in places if pair not in costs and pair[0] != pair[1]]
    if unknown or missing:
        what = "unknown" if unknown else "missing"
        named = [repr(pair) for pair in (unknown or missing)[:MOST_NAMED]]
        msg = (
            "costs must be given for each pair of different classes (true label, decided label); "
            f"{what}: {', '.join(named)}; the classes are {', '.join(map(repr, labels))}"
        )
        raise OptionError(msg)
    matrix.ravel()[[places[key] for key in costs]] = as_numbers("costs", list(costs.values()))
    return matrix


def least_cost(posterior: RealArray, costs: FloatArray) -> NDArray[np.intp]:
    """The class (n,) of least expected cost ``Σ_t p(t | x) cost[t, c]``; the first of equal ones.

    A cost that a true class has for every decision does not affect the choice. Without it all terms
    of the sums have the same sign; with costs 0 and 1 the sums are exactly minus the posteriors.
    """
    best: NDArray[np.intp] = (posterior @ (costs - costs.max(axis=1, keepdims=True))).argmin(axis=1)
    return best


def _confused(truth: NDArray[Any], predicted: NDArray[np.intp], k: int) -> NDArray[Any]:
    """The number of rows of each true class with each decision (k, k)."""
    if truth.ndim == 2:
        return np.stack([truth[predicted == code].sum(axis=0) for code in range(k)], axis=1)
    return np.bincount(truth * k + predicted, minlength=k * k).reshape(k, k)


def _delta(p: FloatArray, gradient: FloatArray, n: int) -> float:
    """The standard error of a function of proportions p (k, k) of n rows, by its gradient."""
    mean = float((p * gradient).sum())
    return sqrt(max(0.0, float((p * np.square(gradient)).sum()) - mean * mean) / n)


def _quotient(numerator: NDArray[Any], total: NDArray[Any]) -> FloatArray:
    """The quotient as floats; NaN where the total is 0."""
    return np.asarray(numerator / np.where(total > 0, total, np.nan))


def _mean(values: FloatArray) -> float:
    """The mean of the numbers other than NaN."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else nan


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
    """The weighted proportion of correctly classified rows; unlabelled rows are ignored.

    Rows of classes that the model does not have count as errors, soft labels in proportion.
    `predicted` are codes (n,) among the `known` classes; the codes of the targets refer to theirs.
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
