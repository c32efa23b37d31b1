"""Rows of any source → their model: fitted, or selected and calibrated, as the options say.

A source that need not fit into memory, such as files, frames of Dask or Spark, and engines, is read
once, in a fixed tree, for the statistics of its labelled rows and for its unlabelled rows, or a
sample of them if they are too many; the result does not depend on the distribution of the work.
Quantities that are needed before rows are summed are estimated from a sample, taken block by block.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.checks import check_finite
from gaussbayes.base.errors import DataError
from gaussbayes.base.notices import Notice
from gaussbayes.base.threads import CACHED, n_threads, one_blas_thread
from gaussbayes.data.categories import kind
from gaussbayes.data.columns import Columns, Request, warn_of_columns
from gaussbayes.data.labels import unite
from gaussbayes.data.rows import UNLABELLED, LabelledRows, Targets
from gaussbayes.data.schema import Column, ColumnKind, ColumnTable, Schema
from gaussbayes.data.sources import Reduced, RowSource, open_rows
from gaussbayes.families.protocol import Sized
from gaussbayes.model.held_out import (
    HeldOutRows,
    held_out_rows,
    pick,
    spread_sample,
    tails_of,
)
from gaussbayes.model.model import Model, check_n_classes, unsolved_model
from gaussbayes.model.options import Options
from gaussbayes.model.select import (
    MOST_HELD_OUT,
    Selection,
    calibration_of,
    pool,
    scored,
    select,
    with_unlabelled,
)
from gaussbayes.model.settings import Settings
from gaussbayes.model.statistics import SufficientStatistics, observe

FEWEST_UNLABELLED = 0.05
"""Weight of all unlabelled rows, relative to the labelled ones, below which they are not used."""

MOST_SAMPLED = 20_000
"""Rows of a sample: enough for transforms and model selection."""

MOST_BYTES = 1 << 27
"""Rows of a source are all kept, without sampling, up to this memory."""


def fit_model(
    table: LabelledRows, schema: Schema, options: Options
) -> tuple[Model, Selection | None]:
    """The model of a table with its parameters, and the selection if there was one.

    The classes of `schema`, which names the features, are those of the table.
    """
    threads, selection = _threads(table, schema, options), None
    if options.automatic or options.calibrate:
        model, selection = choose(table, schema, options)
    else:
        (settings, *_) = options.settings(schema).fix(
            table.rows, table.targets, schema, wide=_is_wide(table, schema)
        )
        statistics = observe(table, settings, schema, threads, keep_all=True)
        model = unsolved_model(settings, schema, statistics)
    model = model.solved(threads)
    assert model.statistics is not None
    if model.statistics.unlabelled is None:
        return model, selection
    return replace(model, statistics=model.statistics.trimmed()), selection


def choose(
    table: LabelledRows, schema: Schema, options: Options, *, wide: bool = True
) -> tuple[Model, Selection | None]:
    """The model of a table without its parameters: selected if necessary, and calibrated.

    Parameters
    ----------
    wide : whether a table with more features than rows may be summed in the span of these
    """
    check_n_classes(schema.classes, options.fewest_classes)
    with one_blas_thread():
        return _choose(table, schema, options, wide=wide)


def _choose(
    table: LabelledRows, schema: Schema, options: Options, *, wide: bool
) -> tuple[Model, Selection | None]:
    """The same. An automatic model is selected by the labelled rows, also in its transforms.

    Their use of the unlabelled ones is selected last.
    """
    threads, selection = _threads(table, schema, options), None
    notices: tuple[Notice, ...] = ()
    labelled, unlabelled = table, None
    if options.automatic and table.targets.n_unlabelled:
        labelled, unlabelled = _split(table)
    wide = wide and unlabelled is None and _is_wide(labelled, schema)
    alternatives = [
        settings
        for each in options.alternatives(schema)
        for settings in each.fix(labelled.rows, labelled.targets, schema, wide=wide)
    ]
    compared, views = labelled, [_view(labelled, each, schema, threads) for each in alternatives]
    closed = all(view.statistics.is_complete for view in views) and not table.targets.is_soft
    if (
        not closed and compared.rows.n_rows > MOST_HELD_OUT
    ):  # the candidates are fitted several times
        compared = _sampled(labelled)
        views = [_view(compared, each, schema, threads) for each in alternatives]
    if options.automatic:
        selection, trial = select(views, threads)
        kept = trial.data.settings.components
        view = next(each for each in views if each.settings.components is kept)
        if unlabelled is not None:
            beside = observe(unlabelled, trial.settings, schema, threads, keep_all=True).unlabelled
            trial = with_unlabelled(trial, beside, threads)
            selection = replace(selection, unlabelled=trial.unlabelled)
        elif labelled is not table:
            trial = replace(trial, settings=replace(trial.settings, unlabelled_rows="unused"))
        pooled = pool(trial, threads)
        settings, notices = pooled.settings, pooled.notices
        tails = tails_of(trial.data, trial.settings.averaged[0], threads)
        calibration = replace(pooled.calibration, tails=tails)
        selection = scored(selection, trial.data, pooled.log_posterior)
        selection = replace(selection, title=settings.title)
    else:
        view, settings = views[0], views[0].settings
        calibration = calibration_of(view, threads)
    settings = replace(settings, calibration=calibration)
    # Summed anew, as `fit(X, y, like=model)` sums the same rows, to the last bit.
    try:
        statistics = observe(table, settings, schema, threads, keep_all=True)
    except DataError:
        if unlabelled is not None or labelled is table:
            raise
        # With more features than labelled rows only what these span is kept.
        statistics = observe(labelled, settings, schema, threads)
    model = unsolved_model(settings, view.schema, statistics)
    return replace(model, notices=notices), selection


def _split(table: LabelledRows) -> tuple[LabelledRows, LabelledRows | None]:
    """The labelled rows, and a sample of the others if these weigh enough to be used."""
    weights, labelled = table.targets.total_weights(), table.targets.labelled
    few = weights[~labelled].sum() < FEWEST_UNLABELLED * weights[labelled].sum()
    others = None if few else _sampled(pick(table, np.flatnonzero(~labelled)))
    return pick(table, np.flatnonzero(labelled)), others


def _sampled(table: LabelledRows) -> LabelledRows:
    """A sample of the labelled rows, and one of the others with the total weight of all of them."""
    labelled = table.targets.labelled
    groups = [np.flatnonzero(labelled), np.flatnonzero(~labelled)]
    sample = pick(table, np.sort(np.concatenate([_spread(table, group) for group in groups])))
    before, after = table.targets.total_weights(), sample.targets.total_weights()
    hidden = ~sample.targets.labelled
    factor = before[~labelled].sum() / after[hidden].sum() if hidden.any() else 1.0
    if factor == 1.0:
        return sample
    targets = replace(sample.targets, weights=np.where(hidden, factor, 1.0) * after)
    return replace(sample, targets=targets)


def _spread(table: LabelledRows, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """At most `MOST_HELD_OUT` of some rows, given by number."""
    if rows.size <= MOST_HELD_OUT:
        return rows
    group = pick(table, rows)
    return rows[spread_sample(group.rows, group.targets, MOST_HELD_OUT)]


def _view(table: LabelledRows, settings: Settings, schema: Schema, threads: int) -> HeldOutRows:
    """The labelled rows of a table, each of which can be held out."""
    statistics = observe(table, settings, schema, threads, keep_all=True).with_rows()
    return held_out_rows(table, statistics, schema, settings)


def _threads(table: LabelledRows, schema: Schema, options: Options) -> int:
    few = table.targets.labels.shape[0] * schema.n_features < CACHED
    return 1 if few and options.n_jobs is None else n_threads(options.n_jobs)


def _is_wide(table: LabelledRows, schema: Schema) -> bool:
    """Whether there are more features than rows."""
    return schema.n_features > len(table.targets.labels)


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """Computes the statistics of a block of rows; it can be sent to other processes."""

    settings: Settings
    schema: Schema  # of the features

    def __call__(self, block: LabelledRows, /) -> SufficientStatistics:
        """The statistics of the block's labelled rows, and its unlabelled ones."""
        schema = replace(self.schema, classes=block.classes)
        return observe(block, self.settings, schema, 1)

    def n_bytes(self, n_classes: int) -> int:
        """The memory of the statistics of this number of classes, as far as families know it."""
        sizes = (
            part.family.n_bytes(n_classes, len(part.columns))
            for part in self.settings.components
            if isinstance(part.family, Sized)
        )
        return sum(sizes)


def model_columns(model: Model) -> ColumnTable:
    """The kinds of the columns of a table for a fitted model, also without names."""
    schema = model.schema
    kinds: list[ColumnKind] = ["number"] * schema.n_features
    for component in model.components:
        for column, content in component.contents.items():
            kinds[column] = "count" if content == "count" else kinds[column]
    for column in schema.categorical:
        kinds[column] = "category"
    kind_of = dict(zip(schema.titles, kinds, strict=True))
    decided = schema.roles or ColumnTable(tuple(map(Column, schema.titles, kinds)))
    columns = (
        replace(each, kind=kind_of[each.name]) if each.kind in {"number", "category"} else each
        for each in decided.columns
    )
    names = [schema.titles[column] for column in schema.categorical]
    known = zip(names, model.categories, strict=True)
    strings = frozenset(name for name, categories in known if kind(categories) is str)
    return ColumnTable(tuple(columns), model.target, missing=schema.missing, strings=strings)


def fit_source(
    source: object, request: Request, options: Options, n_jobs: int | None = None
) -> tuple[Model, Selection | None]:
    """The model of the rows of a source (see `gaussbayes.data.sources`).

    Quantities that are needed before rows are summed are estimated from all rows if they take at
    most 128 MB, and otherwise from a stratified sample, for which the source is read once more. The
    same holds for selection and calibration.
    """
    rows = open_rows(source, request)
    schema, target = rows.reader.schema, request.target
    settings, selection = options.settings(schema), None
    options = replace(options, n_jobs=n_jobs)
    by_rows = options.automatic or options.calibrate
    if not by_rows and settings.is_fixed:
        reduced: Reduced[Any] = rows.reduce(Observation(settings, schema), n_jobs=n_jobs)
        model = unsolved_model(settings, schema, reduced.total, target).solved(n_jobs)
    else:
        most = most_rows(schema.n_features)
        n_rows = rows.source.n_rows
        if n_rows is not None and n_rows > most:
            most = 0  # release them early
        reduced = rows.reduce(Sampling(schema.of_categories, most), n_jobs=n_jobs)
        sample: RowSample = reduced.total
        table = sample.table
        schema = replace(schema, classes=table.classes)
        if sample.every == 1:
            model, selection = fit_model(table, schema, options)
            model = replace(model, target=target)
        else:
            if by_rows:
                chosen, selection = choose(table, schema, options, wide=False)
                settings, schema = chosen.settings, chosen.schema
            else:
                (settings,) = settings.fix(table.rows, table.targets, schema)
            statistics = rows.reduce(Observation(settings, schema), n_jobs=n_jobs).total
            model = unsolved_model(settings, schema, statistics, target).solved(n_jobs)
    if model.schema.roles is not None:
        warn_of_columns(model.schema.roles)
    return model.noticing(_notices(rows, reduced)), selection


def _notices(rows: RowSource, reduced: Reduced[Any]) -> tuple[Notice, ...]:
    """Notices about the reading of rows."""
    return (*rows.source.notices, *reduced.bad_rows.notices)


def observe_source(
    model: Model,
    source: object,
    target: str,
    weights: str | None,
    mark: object,
    n_jobs: int | None,
) -> tuple[SufficientStatistics, tuple[Notice, ...]]:
    """The statistics of more labelled rows; the features are found in the source by name.

    They come with notices about the reading. `mark` is a mark of a missing label.
    """
    columns = Columns(
        features=feature_names(model), unlabelled=mark, **model.schema.missing.options
    )
    rows = open_rows(source, Request(columns, target, weights), model_columns(model))
    reduced = rows.reduce(Observation(model.settings, model.schema), n_jobs=n_jobs)
    return reduced.total, _notices(rows, reduced)


def feature_names(model: Model) -> tuple[str, ...]:
    """The names of the features, to find the columns of a source."""
    if model.schema.features is None:
        msg = (
            "columns of a source are found by name, but the features of this model have no names: "
            "fit it to a data frame, or name the columns of the array"
        )
        raise DataError(msg)
    return model.schema.features


def join(a: LabelledRows, b: LabelledRows, names: Schema) -> LabelledRows:
    """The rows of one table, then those of another; `names` are of the category features."""
    classes, *places = unite(a.classes, b.classes)
    pairs = list(zip(places, (a.targets, b.targets), strict=True))
    # The code of a row without label, −1, is the last entry.
    codes = [np.append(place, UNLABELLED)[targets.codes] for place, targets in pairs]
    weights = None
    if a.targets.weights is not None or b.targets.weights is not None:
        weights = np.concatenate([targets.total_weights() for _, targets in pairs])
    n_unlabelled = a.targets.n_unlabelled + b.targets.n_unlabelled
    targets = Targets(np.concatenate(codes).astype(np.int32), classes.size, weights, n_unlabelled)
    return LabelledRows(a.rows.joined(b.rows, names), targets, classes)


@dataclass(frozen=True, slots=True, eq=False)
class RowSample:
    """One of `every` rows of a source; all of them if they are at most `most`."""

    table: LabelledRows
    names: Schema  # of the categories
    most: int = 0  # if that is more than a sample
    every: int = 1  # a power of 2

    def __add__(self, other: "RowSample") -> "RowSample":
        every = max(self.every, other.every)
        a, b = (part.thinned(every // part.every).table for part in (self, other))
        table = join(a, b, self.names)
        return replace(self, table=table, every=every).bounded()

    def thinned(self, step: int) -> "RowSample":
        """One of `step` of these rows."""
        if step == 1:
            return self
        rows, targets = self.table.rows, self.table.targets
        which = spread_sample(rows, targets, max(1, rows.n_rows // step))
        return replace(self, table=pick(self.table, which), every=self.every * step)

    def bounded(self) -> "RowSample":
        """The rows, or a sample if there are too many."""
        n, step = self.table.rows.n_rows, 1
        if n > max(MOST_SAMPLED, self.most if self.every == 1 else 0):
            while n > MOST_SAMPLED * step:
                step *= 2
        return self.thinned(step)


@dataclass(frozen=True, slots=True)
class Sampling:
    """Takes rows of a block; it can be sent to other processes."""

    names: Schema  # of the categories
    most: int = 0

    def __call__(self, block: LabelledRows, /) -> RowSample:
        """Rows of the block, in one array."""
        rows = replace(block.rows, numbers=block.rows.matrix)
        check_finite(rows.matrix, allow_nan=True)
        return RowSample(replace(block, rows=rows), self.names, self.most).bounded()


def most_rows(n_features: int) -> int:
    """The number of rows of a source up to which all are kept."""
    return MOST_BYTES // (8 * (n_features + 1))
