"""A table → its model: fitted, or selected and calibrated, as the options say."""

from contextlib import suppress
from dataclasses import replace

import numpy as np

from gaussbayes.base.errors import DataError
from gaussbayes.base.notices import Notice
from gaussbayes.base.threads import CACHED, n_threads, one_blas_thread
from gaussbayes.data.rows import LabelledRows
from gaussbayes.data.schema import Schema
from gaussbayes.model.folds import pick, spread_sample
from gaussbayes.model.held_out import HeldOutRows, held_out_rows, held_out_tails
from gaussbayes.model.model import Model, check_n_classes, unsolved_model
from gaussbayes.model.options import Options
from gaussbayes.model.pool import pool
from gaussbayes.model.select import (
    MOST_HELD_OUT,
    calibration_of,
    scored,
    select,
    weigh_unlabelled,
)
from gaussbayes.model.selection import Candidate, Selection
from gaussbayes.model.settings import Settings
from gaussbayes.model.statistics import observe

FEWEST_UNLABELLED = 0.05
"""Weight of all unlabelled rows, relative to the labelled ones, below which they are not used."""


def fit_model(
    table: LabelledRows, schema: Schema, options: Options
) -> tuple[Model, Selection | None]:
    """The model of a table with its parameters, and how it was selected if that was left open.

    The classes of `schema`, which names the features, are those of the table.
    """
    threads, selection = _threads(table, schema, options), None
    if options.automatic or options.calibrate:
        model, selection = choose(table, schema, options)
    else:
        (settings, *_) = options.settings(schema).fix(
            table.rows, table.targets, schema, wide=_is_wide(table, schema)
        )
        model = _observed(table, settings, schema, threads)
    model = model.solved(threads)
    assert model.statistics is not None
    if model.statistics.unlabelled is None:
        return model, selection
    return replace(model, statistics=model.statistics.trimmed()), selection


def choose(
    table: LabelledRows, schema: Schema, options: Options, *, wide: bool = True
) -> tuple[Model, Selection | None]:
    """The model of a table without its parameters: selected if that is open, and calibrated.

    Parameters
    ----------
    wide : whether a table with more features than rows may be summed in the span of these
    """
    check_n_classes(schema.classes, options.fewest_classes)
    with one_blas_thread():
        if options.automatic and table.targets.n_unlabelled:
            return _choose_beside_unlabelled(table, schema, options, wide=wide)
        return _choose(table, schema, options, wide=wide)


def _choose_beside_unlabelled(
    table: LabelledRows, schema: Schema, options: Options, *, wide: bool
) -> tuple[Model, Selection | None]:
    """The model with the weight of unlabelled rows that is best; at weight 0 they have no part.

    Otherwise they would have one in the transforms. They are kept with the model all the same.
    """
    counts, labelled = table.targets.total_weights(), table.targets.labelled
    possible: tuple[float, ...] = options.unlabelled_weights
    tried: tuple[Candidate, ...] = ()
    if max(possible) > 0 and counts[~labelled].sum() >= FEWEST_UNLABELLED * counts[labelled].sum():
        model, selection = _choose(table, schema, options, wide=wide)
        if model.settings.unlabelled_weight > 0:
            return model, selection
        assert selection is not None
        tried = selection.weights
    options = replace(options, unlabelled_weight=0.0)
    model, selection = _choose(pick(table, np.flatnonzero(labelled)), schema, options, wide=wide)
    assert model.statistics is not None
    assert selection is not None
    # With more features than labelled rows only what these span is kept.
    with suppress(DataError):
        unlabelled = observe(table, model.settings, schema, 1, keep_all=True).unlabelled
        model = replace(model, statistics=replace(model.statistics, unlabelled=unlabelled))
    return model, replace(selection, weights=tried)


def _choose(
    table: LabelledRows, schema: Schema, options: Options, *, wide: bool
) -> tuple[Model, Selection | None]:
    """The model of a table whose unlabelled rows have a part in it, if there are any."""
    threads, selection = _threads(table, schema, options), None
    notices: tuple[Notice, ...] = ()
    wide = wide and _is_wide(table, schema)
    alternatives = [
        settings
        for each in options.alternatives(schema)
        for settings in each.fix(table.rows, table.targets, schema, wide=wide)
    ]
    judged, views = table, [_view(table, each, schema, threads) for each in alternatives]
    closed = all(view.statistics.is_complete for view in views) and not table.targets.is_soft
    if not closed and table.rows.n_rows > MOST_HELD_OUT:  # the candidates are fitted several times
        judged = pick(table, spread_sample(table.rows, table.targets, MOST_HELD_OUT))
        views = [_view(judged, each, schema, threads) for each in alternatives]
    if options.automatic:
        selection, trial = select([view.labelled() for view in views], threads)
        kept = trial.data.settings.components
        view = next(each for each in views if each.settings.components is kept)
        if view.statistics.unlabelled is not None:
            possible = options.unlabelled_weights
            weights, trial = weigh_unlabelled(view, trial.settings, possible, threads)
            selection = selection.weighed(weights, trial.settings.unlabelled_weight)
        pooled = pool(trial, threads)
        settings, notices = pooled.settings, pooled.notices
        tails = held_out_tails(trial.data, trial.settings, threads)
        calibration = replace(pooled.calibration, tails=tails)
        selection = scored(selection, trial.data, pooled.log_posterior)
        selection = replace(selection, title=settings.title)
    else:
        view, settings = views[0], views[0].settings
        calibration = calibration_of(view, threads)
    settings = replace(settings, calibration=calibration)
    # Summed anew, as `fit(X, y, like=model)` sums the same rows, to the last bit.
    model = _observed(table, settings, schema, threads)
    changed = settings.of_classes(view.schema, model.schema.classes)
    return replace(model, settings=changed, notices=notices), selection


def _view(table: LabelledRows, settings: Settings, schema: Schema, threads: int) -> HeldOutRows:
    """The labelled rows of a table, all of which can be held out."""
    statistics = observe(table, settings, schema, threads, keep_all=True).with_rows()
    return held_out_rows(table, statistics, schema, settings)


def _observed(table: LabelledRows, settings: Settings, schema: Schema, threads: int) -> Model:
    """The model of a table without its parameters, keeping all unlabelled rows."""
    return unsolved_model(
        settings, schema, observe(table, settings, schema, threads, keep_all=True)
    )


def _threads(table: LabelledRows, schema: Schema, options: Options) -> int:
    few = table.targets.labels.shape[0] * schema.n_features < CACHED
    return 1 if few and options.n_jobs is None else n_threads(options.n_jobs)


def _is_wide(table: LabelledRows, schema: Schema) -> bool:
    """Whether there are more features than rows."""
    return schema.n_features > len(table.targets.labels)
