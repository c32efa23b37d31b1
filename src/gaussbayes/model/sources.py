"""Models of rows that need not fit into memory: files, a Dask frame, a table of an engine.

A source is read once for the statistics of its labelled rows. Its unlabelled rows are kept if they
are not too many; otherwise EM reads the source once an iteration, in the same fixed tree, so that
the result does not depend on who reads what.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gaussbayes.base.errors import DataError, SchemaError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.data.categories import kind, warn_of_many
from gaussbayes.data.labels import unite
from gaussbayes.data.reduction import Reduced, RowSource, open_rows
from gaussbayes.data.roles import Request
from gaussbayes.data.rows import UNLABELLED, LabelledRows, Rows, Targets
from gaussbayes.families import family_pushdown
from gaussbayes.model.model import Model, known_categories, learnt_model
from gaussbayes.model.options import Options
from gaussbayes.model.select import LearntView, Selection, is_open, no_rows, select
from gaussbayes.model.settings import Settings
from gaussbayes.model.statistics import Learnt, RowReduction, Sum, observe

if TYPE_CHECKING:
    from gaussbayes.data.engines import EngineTable


MOST_SAMPLED = 20_000
"""Rows of a source that a family learns from before it observes any."""


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """What a block of rows teaches; it can be sent to other processes."""

    settings: Settings
    schema: Schema  # of the features
    labelled_only: bool = False  # whether rows without label are left out

    def __call__(self, block: LabelledRows, threads: int, /) -> Learnt:
        """The statistics of the block's labelled rows, and its unlabelled ones."""
        if self.labelled_only and block.targets.n_unlabelled:
            labelled = block.targets.labelled
            block = replace(block, rows=block.rows[labelled], targets=block.targets[labelled])
        schema = replace(self.schema, classes=block.classes)
        return observe(block, self.settings, schema, threads)

    def n_bytes(self, n_classes: int) -> int:
        """How much memory the statistics of so many classes take, as far as families say so."""
        parts = [part for part in self.settings.components if hasattr(part.family, "n_bytes")]
        return sum(part.family.n_bytes(n_classes, len(part.columns)) for part in parts)

    def push_down(self, table: "EngineTable") -> Learnt | None:
        """The same of a table of an engine, summed there; None if a family must see the rows."""
        parts = []
        for component in self.settings.components:
            push_down = family_pushdown(component.family.name)
            part = push_down and push_down(component.family, table, component.columns)
            if part is None:
                return None
            parts.append(part)
        return Learnt(table.classes, tuple(parts))


@dataclass(frozen=True, slots=True, eq=False)
class RowSample:
    """Rows that are evenly picked from a source: one of `every`, and not more than are wanted."""

    table: LabelledRows
    names: Schema  # of the categories
    every: int = 1  # a power of 2

    def __add__(self, other: "RowSample") -> "RowSample":
        every = max(self.every, other.every)
        a, b = (part.thinned(every // part.every).table for part in (self, other))
        classes, of_a, of_b = unite(a.classes, b.classes)
        codes = [
            np.append(positions, UNLABELLED)[table.targets.codes]
            for table, positions in ((a, of_a), (b, of_b))
        ]
        weights = np.concatenate([table.targets.total_weights() for table in (a, b)])
        n_unlabelled = a.targets.n_unlabelled + b.targets.n_unlabelled
        targets = Targets(
            np.concatenate(codes).astype(np.int32), classes.size, weights, n_unlabelled
        )
        rows = a.rows.joined(b.rows, self.names)
        return RowSample(LabelledRows(rows, targets, classes), self.names, every).bounded()

    def thinned(self, step: int) -> "RowSample":
        """One of `step` of these rows."""
        if step == 1:
            return self
        some, table = slice(None, None, step), self.table
        picked = replace(table, rows=table.rows[some], targets=table.targets[some])
        return replace(self, table=picked, every=self.every * step)

    def bounded(self) -> "RowSample":
        """The same, of which so many are left out that the others are not too many."""
        step = 1
        while self.table.rows.n_rows > MOST_SAMPLED * step:
            step *= 2
        return self.thinned(step)


@dataclass(frozen=True, slots=True)
class Sampling:
    """Picks rows of a block; it can be sent to other processes."""

    names: Schema  # of the categories

    def __call__(self, block: LabelledRows, _: int, /) -> RowSample:
        """Rows of the block, in one array."""
        rows = replace(block.rows, numbers=block.rows.matrix)
        return RowSample(replace(block, rows=rows), self.names).bounded()


def prepared_settings(
    settings: Settings, schema: Schema, rows: RowSource, n_jobs: int | None
) -> Settings:
    """The settings with what families learn before they observe rows.

    It is learnt from a sample of the rows, for which the source is read once more.
    """
    if all(family.is_prepared for family in settings.families):
        return settings
    if rows.is_read_once:
        msg = (
            "a transform is learnt from rows before they are summed, and rows that come through a "
            "pipe cannot be read twice: write them to a file"
        )
        raise DataError(msg)
    sample = rows.reduce(Sampling(schema.of_categories), n_jobs=n_jobs).total.table
    schema = replace(schema, classes=sample.classes)
    return settings.prepared(sample.rows, sample.targets, schema)


@dataclass(frozen=True, slots=True, eq=False)
class SourceFit:
    """A model of a source's rows, and what was read."""

    model: Model
    reduced: Reduced[Learnt]
    selection: Selection | None = None  # how it was chosen, if something was left open


def fit_source(
    source: Any, request: Request, options: Options, client: Any = None, n_jobs: int | None = None
) -> SourceFit:
    """The model of the rows of a source (see `gaussbayes.data.reduction`).

    What the columns must hold follows from the options, not from the request; a Dask `client` reads
    files on its cluster.
    """
    request = replace(request, **options.contents)
    return fit_rows(open_rows(source, request, client=client), options, n_jobs)


def fit_rows(
    rows: RowSource, options: Options, n_jobs: int | None = None, *, labelled_only: bool = False
) -> SourceFit:
    """The model of the rows of an open source; with `labelled_only` others are only counted."""
    schema = rows.encoder.schema(np.empty(0))
    settings = options.settings(schema)
    if is_open(settings) and options.criterion == "leave_one_out":
        raise no_rows()
    if options.calibration is not None:
        msg = (
            "calibration='leave_one_out' needs the rows and their classes, all in memory: fit to "
            "arrays or a frame, or leave it out"
        )
        raise DataError(msg)
    settings = prepared_settings(settings, schema, rows, n_jobs)
    reduced = rows.reduce(Observation(settings, schema, labelled_only), n_jobs=n_jobs)
    model = learnt_model(settings, schema, reduced.total, rows.target)
    warn_of_many(model.categories, schema.of_categories)
    selection = None
    assert model.learnt is not None
    # Unlabelled rows leave their weight to be chosen, whatever the families.
    if is_open(settings) or (options.automatic and model.learnt.unlabelled is not None):
        view = LearntView(settings, model.learnt)
        selection, _ = select(None, [view], model.schema, options.criterion, n_jobs)
        model = model.with_settings(selection.best.settings, "fit_source")
    return SourceFit(model.solved(n_jobs, rows=_reduction(model, rows)), reduced, selection)


def update_rows(
    model: Model, rows: RowSource, reduced: Reduced[Learnt], n_jobs: int | None = None
) -> SourceFit:
    """The model of the rows seen before and of those of a source that was read by `Observation`.

    `rows` are read again if there are too many unlabelled ones to be kept.
    """
    updated = model.updated(reduced.total)
    reduction = _reduction(updated, rows)
    if reduction is not None:
        before = None if model.learnt is None else model.learnt.unlabelled
        kept = None if before is None else before.kept("partial_fit_source")
        updated = updated.solved(n_jobs, rows=_Both(kept, reduction))
    return SourceFit(updated, reduced)


def open_more(
    model: Model,
    source: Any,
    target: str | None = None,
    *,
    client: Any = None,
    labels: bool = True,
    **request: Any,
) -> RowSource:
    """More rows with the features of a model, to be found in a source by their names.

    The target is that of before if it is None; without `labels` the features alone are read. Of
    `gaussbayes.data.roles.Request` weights, mark and bad_rows may be given.
    """
    schema = model.schema
    if schema.features is None:
        msg = (
            "this model's features have no names to find columns by: fit it to a frame or a "
            "source, or name them with with_feature_names"
        )
        raise SchemaError(msg)
    target = model.target if target is None else target
    if labels and target is None:
        msg = "which column holds the labels is not known to this model: give target"
        raise SchemaError(msg)
    names = [schema.features[column] for column in schema.categorical]
    pairs = zip(names, model.categories, strict=True)
    columns: dict[str, Any] = {
        "categorical_features": names,
        "kinds": model.contents,
        "string_features": [name for name, known in pairs if kind(known) is str],
    }
    asked = Request(target if labels else None, schema.features, **columns, **request)
    return open_rows(source, asked, client=client)


def _reduction(model: Model, rows: RowSource) -> RowReduction | None:
    """The unlabelled rows of a source, to be read again; None if they are kept, or none are."""
    assert model.learnt is not None
    unlabelled = model.learnt.unlabelled
    if unlabelled is None or unlabelled.rows is not None:
        return None
    if rows.is_read_once:
        msg = (
            f"{unlabelled.n_rows:,} unlabelled rows are too many to be kept, and come through a "
            "pipe, which cannot be read again: write them to a file"
        )
        raise DataError(msg)
    # Categories that only unlabelled rows have are known from what they say together.
    categories = known_categories(model.components, unlabelled.together, model.schema)
    encoder = rows.encoder.with_categories(categories) if categories else rows.encoder
    return rows.unlabelled(encoder)


@dataclass(frozen=True, slots=True, eq=False)
class _Both:
    """Unlabelled rows that are kept, and those of a source."""

    kept: RowReduction | None
    rows: RowReduction

    def reduce(self, function: Callable[[Rows, FloatArray], Sum], threads: int) -> Sum:
        """The sum of a function of both."""
        total = self.rows.reduce(function, threads)
        return total if self.kept is None else self.kept.reduce(function, threads) + total
