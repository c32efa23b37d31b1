"""A table → its model: fitted or selected, and calibrated, as the options say."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from math import nan
from typing import Protocol

import numpy as np

from gaussbayes.base.errors import DataError, GaussBayesError
from gaussbayes.base.progress import working
from gaussbayes.base.schema import Schema
from gaussbayes.base.threads import CACHED, n_threads, one_blas_thread
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import LabelledRows
from gaussbayes.model.calibration import Calibration
from gaussbayes.model.folds import spread_sample
from gaussbayes.model.left_out import (
    HeldOutRows,
    affordable_rows,
    calibrated_scores,
    calibration_of,
    frequency_loss,
    held_out_rows,
    hold_out,
    sampled,
)
from gaussbayes.model.model import Model, check_classes, check_n_classes
from gaussbayes.model.options import Options
from gaussbayes.model.row_sample import pick
from gaussbayes.model.select import (
    SELECTION_FOLDS,
    Candidate,
    LearntView,
    Selection,
    Trial,
    select,
    unlabelled_weights,
)
from gaussbayes.model.settings import Settings
from gaussbayes.model.statistics import Learnt, RowReduction, observe

MOST_REFITTED = 5_000
"""Rows by which candidates are judged where each of them is fitted several times."""

MOST_WEIGHED = 2_000
"""Rows by which it is judged whether unlabelled rows help: each fit reads them many times."""

_CALIBRATED_AS = 8
"""Calibration may take the memory of so many candidates."""


class AllRows(Protocol):
    """Rows that are not in memory, of which a table is a sample."""

    def observe(self, alternatives: Sequence[Settings]) -> Sequence[Learnt]:
        """What they say, as the families of several settings see them."""

    def unlabelled(self, model: Model) -> RowReduction | None:
        """Those without label if they are too many to be kept."""


def fit_model(
    table: LabelledRows, schema: Schema, options: Options, all_rows: AllRows | None = None
) -> tuple[Model, Selection | None]:
    """The model of a table with its parameters, and how it was chosen if something was left open.

    The classes of `schema`, which names the features, are those of the table. If the table is a
    sample of `all_rows`, the model is theirs, chosen and calibrated by the sample.
    """
    alternatives, automatic = options.alternatives(schema, table.rows)
    beside = automatic and all_rows is None and table.targets.n_unlabelled > 0
    possible = options.unlabelled_weights
    if not beside or 0.0 not in possible:
        with _choosing() if automatic else nullcontext():
            return _fit_all(table, schema, options, alternatives, all_rows, automatic=automatic)
    model, selection = _fit_labelled(table, schema, options)
    assert selection is not None
    judged, may_help = _judged_weights(table, model, schema, options)
    if may_help:
        with _choosing():
            with_all, choice = _fit_all(table, schema, options, alternatives, None, automatic=True)
        assert choice is not None
        if with_all.settings.unlabelled_weight > 0:
            return with_all, choice
        judged = choice.weights
    return model, replace(selection, weights=tuple(judged))


def _fit_labelled(
    table: LabelledRows, schema: Schema, options: Options
) -> tuple[Model, Selection | None]:
    """The model that labelled rows alone have, where the others are to count nothing.

    Otherwise these would have a part in the transforms, and in what is chosen beside them. They are
    kept with the model.
    """
    check_n_classes(schema.classes, options.fewest_classes)
    labelled = pick(table, np.flatnonzero(table.targets.labelled))
    model, selection = fit_model(labelled, schema, replace(options, unlabelled_weight=0.0))
    if model.learnt is not None:
        # With more features than labelled rows only what these span is kept.
        with suppress(DataError):
            unlabelled = observe(table, model.settings, schema, 1, keep_all=True).unlabelled
            model = replace(model, learnt=replace(model.learnt, unlabelled=unlabelled).trimmed())
    return model, selection


@one_blas_thread()
def _judged_weights(
    table: LabelledRows, model: Model, schema: Schema, options: Options
) -> tuple[Sequence[Candidate], bool]:
    """How the model of labelled rows does with unlabelled ones, and whether these may help.

    They may if that cannot be judged: rows that are not kept. A choice is made with them
    then, and says so itself.
    """
    possible, learnt = options.unlabelled_weights, model.learnt
    if len(possible) == 1:
        return (), False
    if learnt is None or learnt.unlabelled is None or learnt.unlabelled.rows is None:
        return (), True
    settings = replace(model.settings, calibration=None)
    schema, threads = replace(schema, classes=learnt.classes), n_threads(options.n_jobs)
    view = LearntView(settings, learnt)
    table, (view,) = _judging(table, [view], schema, threads, MOST_WEIGHED)
    trial = Trial(Candidate(settings, nan, nan, nan, model.n_parameters), view)
    candidates, best = unlabelled_weights(table, trial, schema, possible, threads)
    return candidates, best.candidate.unlabelled_weight > 0


@contextmanager
def _choosing() -> Iterator[None]:
    """While a model is chosen: BLAS has one thread, and it is said what goes on."""
    with one_blas_thread(), working("choosing the model"):
        yield


def _fit_all(
    table: LabelledRows,
    schema: Schema,
    options: Options,
    alternatives: list[Settings],
    all_rows: AllRows | None,
    *,
    automatic: bool,
) -> tuple[Model, Selection | None]:
    """The model of all rows, whatever the weight of unlabelled ones, and how it was chosen."""
    few = table.targets.labels.shape[0] * schema.n_features < CACHED
    threads = 1 if few and options.n_jobs is None else n_threads(options.n_jobs)
    wide = schema.n_features > table.targets.labels.shape[0] and all_rows is None
    alternatives = [
        settings
        for each in alternatives
        for settings in each.fix(table.rows, table.targets, schema, wide=wide)
    ]
    if all_rows is None:
        views = _observed(table, alternatives, schema, threads)
    else:
        learnt_views = all_rows.observe(alternatives)
        views = list(map(LearntView, alternatives, learnt_views))
    if not views[0].learnt.parts[0].weight.all():
        views = [LearntView(view.settings, view.learnt.with_rows()) for view in views]
        schema = replace(schema, classes=views[0].learnt.classes)
    judged, judging = table, views
    if automatic or options.calibration is not None:
        check_classes(views[0].learnt.weight, schema)
        is_sample = all_rows is not None
        judged, judging = _judging(
            table, views, schema, threads, MOST_REFITTED, is_sample=is_sample
        )
    selection, settings, number, chosen = None, views[0].settings, 0, None
    if automatic:
        calibrated = options.calibration is not None
        selection, chosen = select(
            judged,
            judging,
            schema,
            threads,
            calibrated=calibrated,
            possible=options.unlabelled_weights,
        )
        settings, number = selection.best.settings, judging.index(chosen.view)
    if options.calibration is not None:
        data, outcome = _left_out(judged, judging[number], settings, schema, threads, chosen)
        if selection is not None:
            selection = _with_scores(selection, data, settings, outcome)
        settings = _calibrated(settings, calibration_of(data, settings, outcome), data, schema)
    view = views[number]
    learnt = view.learnt if settings is view.settings else view.learnt.adapted(settings)
    return _solved(Model(settings, schema, learnt), threads, all_rows), selection


def _with_scores(
    selection: Selection, data: HeldOutRows, settings: Settings, outcome: FloatArray
) -> Selection:
    """The selection with the scores of its model after calibration."""
    loss, error = calibrated_scores(data, settings, outcome)
    return replace(selection, log_loss=loss, error=error, baseline_log_loss=frequency_loss(data))


def _left_out(
    table: LabelledRows,
    view: LearntView,
    settings: Settings,
    schema: Schema,
    threads: int,
    chosen: Trial | None,
) -> tuple[HeldOutRows, FloatArray]:
    """Rows, and their log posteriors by models that have not seen them.

    They are those that the settings were chosen by, unless these were held out beside unlabelled
    rows, which turned out to have no weight.
    """
    data, known = (None, None) if chosen is None else (chosen.data, chosen.log_posterior)
    if data is not None and known is not None:
        beside = data.learnt.unlabelled is not None
        if not beside or settings.unlabelled_weight > 0:
            return data, known
    data = held_out_rows(table, view.learnt.adapted(settings), schema)
    data = sampled(data, affordable_rows(data, _CALIBRATED_AS))
    (outcome,), _ = hold_out(data, [settings], threads, 2 * SELECTION_FOLDS, exact=False)
    if isinstance(outcome, GaussBayesError):
        raise outcome
    return data, outcome


def _observed(
    table: LabelledRows, alternatives: Iterable[Settings], schema: Schema, threads: int
) -> list[LearntView]:
    return [
        LearntView(settings, observe(table, settings, schema, threads, keep_all=True))
        for settings in alternatives
    ]


def _judging(
    table: LabelledRows,
    views: list[LearntView],
    schema: Schema,
    threads: int,
    most: int,
    *,
    is_sample: bool = False,
) -> tuple[LabelledRows, list[LearntView]]:
    """The rows that are held out, and what they are left out of.

    Where rows can be left out in closed form, that is all rows. Otherwise every candidate is fitted
    several times, which is done with a sample of them if there are many.
    """
    n = table.targets.labels.shape[0]
    closed = all(view.learnt.is_complete for view in views) and not table.targets.is_soft
    if closed or (n <= most and not is_sample):
        return table, views
    if n > most:
        table = pick(table, spread_sample(table.rows, table.targets, most))
    schema = replace(schema, classes=table.classes)
    some = _observed(table, [view.settings for view in views], schema, threads)
    return table, [LearntView(view.settings, view.learnt.with_rows()) for view in some]


def _calibrated(
    settings: Settings, calibration: Calibration, data: HeldOutRows, schema: Schema
) -> Settings:
    """Calibrated settings, also where the rows held out are not of all classes."""
    known = {label: code for code, label in enumerate(data.classes.tolist())}
    codes = [known.get(label, -1) for label in schema.classes.tolist()]
    if codes != list(range(len(known))):
        calibration = calibration.selected(codes)
    return replace(settings, calibration=calibration)


def _solved(model: Model, threads: int, all_rows: AllRows | None) -> Model:
    """The model with its parameters, and no more unlabelled rows than are kept."""
    rows = None if all_rows is None else all_rows.unlabelled(model)
    model = model.solved(threads, rows=rows)
    assert model.learnt is not None
    return (
        model if model.learnt.unlabelled is None else replace(model, learnt=model.learnt.trimmed())
    )
