"""Importance of features: the increase of the held-out log loss when a feature is integrated out.

The rows are held out in ten folds. The model of the other folds predicts each fold, once with all
features and once without each feature. A density without a feature is its marginal, so that models
are fitted once per fold, not once per feature; pairs use the model of the other columns. Quantities
that were selected or estimated before the fit (transforms, shrinkage, calibration) do not change.

The effect of a feature is the mean absolute change of the log-odds of a row's true class against
the most probable other class. A feature with a large effect and no importance moves predictions in
either direction without making them better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gaussbayes.analysis.decision import margins
from gaussbayes.base.errors import DataError
from gaussbayes.base.numerals import counted, fixed, shortened
from gaussbayes.base.progress import track
from gaussbayes.base.result import Result
from gaussbayes.base.text_tables import Block, TextTable, bar
from gaussbayes.base.threads import n_threads
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import LabelledRows, Rows
from gaussbayes.model.calibration import IMPOSSIBLE, score_of_classes
from gaussbayes.model.held_out import fold_numbers, held_out_rows
from gaussbayes.model.model import Model
from gaussbayes.model.settings import cut_rows
from gaussbayes.model.statistics import SufficientStatistics, observe

FOLDS = 10
_BAR = 24


@dataclass(frozen=True, slots=True)
class FeatureImportance:
    """The importance of one feature."""

    feature: str  #: its name
    loss: float  #: log loss without the feature minus log loss with it, in nats per row
    standard_error: float  #: of this difference
    effect: float  #: mean absolute change of the log-odds of the true class against the best other


@dataclass(frozen=True, slots=True, eq=False)
class Importance(Result):
    """The importance of each feature of a model.

    A feature of importance 0 carries no information about the class beyond the other features; a
    negative importance means that the model predicts better without it.
    """

    features: tuple[FeatureImportance, ...]  #: the most important first
    log_loss: float  #: of held-out rows with all features, in nats per row
    n_rows: int  #: number of held-out rows
    n_folds: int  #: number of folds

    def tables(self) -> Sequence[Block]:
        """Return the features with bars."""
        largest = max((each.loss for each in self.features), default=0.0)
        lines = (
            (
                shortened(each.feature, 30),
                fixed(each.loss, 4),
                fixed(each.standard_error, 4),
                fixed(each.effect, 2),
                bar(0.0, max(each.loss, 0.0) / largest, _BAR) if largest > 0 else "",
            )
            for each in self.features
        )
        columns = ("feature", "log loss\nlost", "standard\nerror", "effect on\nlog-odds", "")
        all_features = f"all features: {fixed(self.log_loss, 4)}"
        title = f"Log loss lost if a feature is integrated out ({all_features})"
        note = f"nats per row; {counted(self.n_rows, 'row')} held out in {self.n_folds} folds"
        return [
            TextTable.first(
                columns, lines, len(self.features), None, title=title, sides="lrrrl", notes=[note]
            )
        ]


def importance(model: Model, table: LabelledRows, n_jobs: int | None = None) -> Importance:
    """Measure the importance of each feature on held-out rows.

    Parameters
    ----------
    model : Model
        The fitted model whose settings are used.
    table : LabelledRows
        Rows of this model with class codes of this model; unlabelled rows are always fitted to.
    n_jobs : int, optional
    """
    statistics = observe(table, model.settings, model.schema, n_threads(n_jobs)).with_rows()
    data = held_out_rows(table, statistics, model.schema, model.settings).with_company()
    if not data.held.size:
        msg = "importance needs a class with at least two rows: no row can be held out"
        raise DataError(msg)
    fold = fold_numbers(data.rows[data.held], data.truth, FOLDS)
    n_folds, d = int(fold.max()) + 1, model.schema.n_features
    losses, odds = np.empty((2, d + 1, data.held.size))
    for places, others in track(data.without_folds(fold), "importance", n_folds):
        training = SufficientStatistics(data.classes, others, statistics.unlabelled)
        fitted = model.of_rows(training).solved(n_jobs)
        codes = [data.schema.position(label) for label in fitted.classes.tolist()]
        rows, truth = data.rows[data.held[places]], data.truth[places].proportions()[:, codes]
        for feature in range(d + 1):
            kept = [column for column in range(d) if column != feature]
            log_posterior = _without(fitted, rows, kept, n_jobs)
            losses[feature, places] = -score_of_classes(log_posterior, truth)
            margin = np.clip(margins(log_posterior), IMPOSSIBLE, -IMPOSSIBLE)
            odds[feature, places] = score_of_classes(margin, truth)
    weights = data.truth.total_weights().astype(np.float64)
    weights = weights / weights.sum()
    effects = (np.abs(odds[:-1] - odds[-1]) @ weights).tolist()
    differences = _differences(losses, weights)
    measured = map(FeatureImportance, model.schema.titles, *differences, effects)
    features = tuple(sorted(measured, key=lambda each: -each.loss))
    return Importance(features, float(losses[d] @ weights), data.held.size, n_folds)


def _without(model: Model, rows: Rows, columns: list[int], n_jobs: int | None) -> FloatArray:
    """Return the log posteriors (n, k) by some features."""
    if not columns:
        log_prior: FloatArray = model.parameters.log_prior
        return np.broadcast_to(log_prior, (rows.n_rows, log_prior.size))
    if len(columns) < model.schema.n_features:
        rows, model = cut_rows(rows, model.schema, columns), model.marginal(columns)
    return model.log_posterior(rows.with_categories(model.categories), n_jobs).astype(np.float64)


def _differences(losses: FloatArray, weights: FloatArray) -> tuple[list[float], list[float]]:
    """Return means and standard errors of the losses without each feature minus the last."""
    with np.errstate(invalid="ignore"):  # a loss may be infinite
        differences = losses[:-1] - losses[-1]
        means = differences @ weights
        spread = np.sqrt(np.square(differences - means[:, None]) @ np.square(weights))
    return means.tolist(), spread.tolist()
