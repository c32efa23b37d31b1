"""A table → the model of it: fitted, chosen or averaged, and calibrated, as the options say."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gaussbayes.base.errors import GaussBayesError
from gaussbayes.base.schema import Schema
from gaussbayes.base.threads import n_threads
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import LabelledRows
from gaussbayes.model.average import averaged, log_average
from gaussbayes.model.averaging import averaging_weights
from gaussbayes.model.calibration import Calibration
from gaussbayes.model.left_out import (
    HeldOutRows,
    calibrated_loss,
    calibration_of,
    held_out_rows,
    hold_out,
    sampled,
    with_company,
)
from gaussbayes.model.model import Model, solve
from gaussbayes.model.options import Options
from gaussbayes.model.select import (
    SELECTION_FOLDS,
    LearntView,
    Selection,
    best_calibrated,
    best_of,
    select,
    try_all,
    unlabelled_weights,
)
from gaussbayes.model.statistics import observe

_CLEARLY = 0.9
"""A single model is preferred to the average if its log loss is below so much of the average's."""

_WORTH_A_THREAD = 1 << 16
"""Values below which starting a thread costs more than it saves."""


def fit_model(
    table: LabelledRows, schema: Schema, options: Options
) -> tuple[Model, Selection | None]:
    """The model of a table with its parameters, and how it was chosen if something was left open.

    The classes of `schema`, which names the features, are those of the table.
    """
    few = table.targets.labels.shape[0] * schema.n_features < _WORTH_A_THREAD
    threads = 1 if few and options.n_jobs is None else n_threads(options.n_jobs)
    alternatives, automatic = options.alternatives(schema)
    if options.transform is not None:
        alternatives = [some.prepared(table.rows, table.targets, schema) for some in alternatives]
    if schema.n_features > table.targets.labels.shape[0]:
        wide = [some.compact(table.rows, table.targets, schema) for some in alternatives]
        alternatives = [settings for some in wide for settings in some]
    views = [
        LearntView(settings, observe(table, settings, schema, threads, keep_all=True))
        for settings in alternatives
    ]
    if not views[0].learnt.parts[0].weight.all():
        views = [LearntView(view.settings, view.learnt.with_rows()) for view in views]
        schema = replace(schema, classes=views[0].learnt.classes)
    selection, settings, learnt = None, views[0].settings, views[0].learnt
    if automatic and options.average:
        return _average(table, views, schema, options, threads)
    if automatic:
        calibrated = options.calibration is not None
        selection, view = select(
            table, views, schema, options.criterion, threads, calibrated=calibrated
        )
        settings = selection.best.settings
        learnt = view.learnt.adapted(settings)
    if options.calibration is not None:
        data = sampled(held_out_rows(table, learnt, schema))
        (outcome,), _ = hold_out(data, [settings.given_units()], threads, 2 * SELECTION_FOLDS)
        if isinstance(outcome, GaussBayesError):
            raise outcome
        settings = replace(settings, calibration=calibration_of(data, settings, outcome))
    solution = solve(learnt, settings, schema, threads)
    if learnt.unlabelled is not None:
        learnt = learnt.trimmed()
    return Model(settings, schema, learnt, solution), selection


def _average(
    table: LabelledRows, views: Sequence[LearntView], schema: Schema, options: Options, threads: int
) -> tuple[Model, Selection]:
    """The average of candidates with the weights by which rows left out are predicted best."""
    trials = try_all(table, views, schema, "leave_one_out", threads)
    selection = best_of([trial.candidate for trial in trials], "leave_one_out")
    judged = [trial for trial in trials if trial.candidate.refused is None]
    posteriors = [trial.log_posterior for trial in judged if trial.log_posterior is not None]
    data = sampled(held_out_rows(table, replace(views[0].learnt, unlabelled=None), schema))
    weights = _weights(data, posteriors)
    if options.calibration is not None and with_company(data).size:
        # A single one may gain more from it than the average.
        settings = judged[0].candidate.settings
        average = log_average(posteriors, weights)
        best = best_calibrated(trials)
        single = next(n for n, trial in enumerate(judged) if trial.candidate is best)
        losses = [calibrated_loss(data, settings, some) for some in (average, posteriors[single])]
        if losses[1] < _CLEARLY * losses[0]:
            weights = np.eye(len(judged))[single]
    kept = np.flatnonzero(weights).tolist()
    unlabelled = 0.0
    if views[0].learnt.unlabelled is not None:  # chosen for the member that weighs most
        first = judged[int(weights.argmax())]
        choice = unlabelled_weights(table, first.view, first.candidate.settings, schema, threads)
        unlabelled = choice.best.unlabelled_weight
    members = []
    for number in kept:
        settings, view = judged[number].candidate.settings, judged[number].view
        settings = replace(settings, unlabelled_weight=unlabelled)
        learnt = view.learnt.adapted(settings)
        solution = solve(learnt, settings, schema, threads)
        if learnt.unlabelled is not None:
            learnt = learnt.trimmed()
        members.append(Model(settings, schema, learnt, solution))
    calibration: Calibration | None = None
    if options.calibration is not None:
        average = log_average([posteriors[number] for number in kept], weights[kept])
        calibration = calibration_of(data, members[0].settings, average)
    return averaged(members, weights[kept], calibration), selection


def _weights(data: HeldOutRows, posteriors: Sequence[FloatArray]) -> FloatArray:
    """The weights of candidates (m,), by the log posteriors (n, k) of rows that they have not seen.

    The only row of a class is called impossible by all of them.
    """
    which = with_company(data)
    if not which.size:  # there is nothing to go by: the last, which assumes most
        return np.asarray(np.eye(len(posteriors))[-1])
    truth = data.targets[which]
    proportions = truth.proportions()
    of_truth = [
        np.log(np.einsum("nk,nk->n", proportions, np.exp(log_posterior[which])) + 1e-300)
        for log_posterior in posteriors
    ]
    return averaging_weights(np.stack(of_truth, axis=1), truth.total_weights())
