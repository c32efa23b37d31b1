"""Models of rows that need not fit into memory: files, frames of Dask or Spark, engines.

A source is read once, in a fixed tree, for the statistics of its labelled rows and for its
unlabelled rows, of which a sample is kept if they are too many; the result does not depend on who
reads what.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gaussbayes.base.errors import DataError
from gaussbayes.base.types import LabelArray
from gaussbayes.data.categories import kind
from gaussbayes.data.columns import Columns, Request, warn_of_columns
from gaussbayes.data.reduction import Reduced, RowSource, open_rows
from gaussbayes.data.rows import LabelledRows
from gaussbayes.data.schema import Column, ColumnKind, ColumnTable, Schema
from gaussbayes.families.protocol import Sized
from gaussbayes.model.fit import choose, fit_model
from gaussbayes.model.folds import RowSample, Sampling, most_rows
from gaussbayes.model.model import Model, unsolved_model
from gaussbayes.model.model_notices import skipped_rows
from gaussbayes.model.options import Options
from gaussbayes.model.selection import Selection
from gaussbayes.model.settings import Settings
from gaussbayes.model.statistics import SufficientStatistics, observe


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """Computes the statistics of a block of rows; it can be sent to other processes."""

    settings: Settings
    schema: Schema  # of the features

    def __call__(self, block: LabelledRows, threads: int, /) -> SufficientStatistics:
        """The statistics of the block's labelled rows, and its unlabelled ones."""
        schema = replace(self.schema, classes=block.classes)
        return observe(block, self.settings, schema, threads)

    def n_bytes(self, n_classes: int) -> int:
        """How much memory the statistics of so many classes take, as far as families say so."""
        sizes = (
            part.family.n_bytes(n_classes, len(part.columns))
            for part in self.settings.components
            if isinstance(part.family, Sized)
        )
        return sum(sizes)


def model_columns(model: Model) -> ColumnTable:
    """What each column of the table is to a fitted model, also of tables without names."""
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


def check_read_again(rows: RowSource, why: str) -> None:
    """Raise for rows that come through a pipe where they must be read more than once."""
    if rows.source.is_read_once:
        msg = f"{why}, and rows that come through a pipe cannot be read again: write them to a file"
        raise DataError(msg)


def fit_source(
    source: object, request: Request, options: Options, n_jobs: int | None = None
) -> tuple[Model, Selection | None]:
    """The model of the rows of a source (see `gaussbayes.data.reduction`).

    What has to be estimated before rows are summed is estimated by all rows if they take at most
    128 MB, and otherwise by a stratified sample of them, for which the source is read once more.
    So are selection and calibration.
    """
    rows = open_rows(source, request)
    schema = rows.encoder.schema(np.empty(0))
    settings, selection = options.settings(schema), None
    options = replace(options, n_jobs=n_jobs)
    by_rows = options.automatic or options.calibrate
    if not by_rows and settings.is_fixed:
        reduced: Reduced[Any] = rows.reduce(Observation(settings, schema), n_jobs=n_jobs)
        model = _solved(settings, schema, reduced.total, rows, n_jobs)
    else:
        most = most_rows(schema.n_features)
        n_rows = rows.source.n_rows
        if n_rows is not None and n_rows > most and not rows.source.is_read_once:
            most = 0  # they are not kept in vain
        reduced = rows.reduce(Sampling(schema.of_categories, most), n_jobs=n_jobs)
        sample: RowSample = reduced.total
        table = sample.table
        schema = replace(schema, classes=table.classes)
        if sample.every == 1:
            model, selection = fit_model(table, schema, options)
            model = replace(model, target=rows.target)
        else:
            check_read_again(rows, "so many rows are fitted by a sample of them first")
            if by_rows:
                chosen, selection = choose(table, schema, options, wide=False)
                settings, schema = chosen.settings, chosen.schema
            else:
                (settings,) = settings.fix(table.rows, table.targets, schema)
            statistics = rows.reduce(Observation(settings, schema), n_jobs=n_jobs).total
            model = _solved(settings, schema, statistics, rows, n_jobs)
    if model.schema.roles is not None:
        warn_of_columns(model.schema.roles)
    return with_notices(model, rows, reduced), selection


def _solved(
    settings: Settings,
    schema: Schema,
    statistics: SufficientStatistics,
    rows: RowSource,
    n_jobs: int | None,
) -> Model:
    """The model of all rows of a source, with its parameters."""
    model = unsolved_model(settings, schema, statistics, rows.target)
    model = replace(model, settings=settings.of_classes(schema, model.schema.classes))
    return model.solved(n_jobs)


def with_notices(model: Model, rows: RowSource, reduced: Reduced[Any]) -> Model:
    """The model with what users should know about the reading of its rows."""
    new = (*rows.source.notices, *skipped_rows(reduced.bad_rows))
    return replace(model, notices=tuple(dict.fromkeys((*model.notices, *new)))) if new else model


def observe_source(
    model: Model, source: object, target: str, n_jobs: int | None, **request: Any
) -> tuple[RowSource, Reduced[SufficientStatistics]]:
    """More rows with the features of a model, and their statistics; `request` as in `open_more`."""
    rows = open_more(model, source, target, **request)
    return rows, rows.reduce(Observation(model.settings, model.schema), n_jobs=n_jobs)


def update_source(
    model: Model, source: object, target: str, n_jobs: int | None, **request: Any
) -> tuple[Model, LabelArray]:
    """The model of the rows so far and of those of a source, and the labels of these."""
    rows, reduced = observe_source(model, source, target, n_jobs, **request)
    updated = model.updated(reduced.total)
    return with_notices(updated, rows, reduced), reduced.total.classes


def feature_names(model: Model) -> tuple[str, ...]:
    """The names of the features, by which the columns of a source are found."""
    if model.schema.features is None:
        msg = (
            "columns of a source are found by name, but the features of this model have no names: "
            "fit it to a data frame, or name the columns of the array"
        )
        raise DataError(msg)
    return model.schema.features


def open_more(
    model: Model,
    source: object,
    target: str | None = None,
    weights: str | None = None,
    mark: object = None,
) -> RowSource:
    """More labelled rows with the features of a model, to be found in a source by their names.

    The target is that of before if it is None; `mark` is a label that stands for a missing one.
    """
    features = feature_names(model)
    target = model.target if target is None else target
    if target is None:
        msg = "this model does not know which column holds the labels: give its name as y"
        raise DataError(msg)
    columns = Columns(features=features, unlabelled=mark, **model.schema.missing.options)
    return open_rows(source, Request(columns, target, weights), model_columns(model))
