"""Models of rows that need not fit into memory: files, frames of Dask or Spark, engines.

A source is read once for the statistics of its labelled rows. Its unlabelled rows are kept if they
are not too many; otherwise EM reads the source once an iteration, in the same fixed tree, so that
the result does not depend on who reads what.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gaussbayes.base.errors import DataError
from gaussbayes.base.schema import Column, ColumnKind, ColumnTable, Schema
from gaussbayes.base.types import FloatArray, LabelArray
from gaussbayes.data.categories import kind
from gaussbayes.data.column_roles import warn_of_columns
from gaussbayes.data.reduction import Reduced, RowSource, open_rows
from gaussbayes.data.roles import Request
from gaussbayes.data.rows import LabelledRows, Rows
from gaussbayes.families.protocol import Sized
from gaussbayes.model.fit import fit_model
from gaussbayes.model.model import Model, known_categories, learnt_model
from gaussbayes.model.model_notices import skipped_rows
from gaussbayes.model.options import Options
from gaussbayes.model.row_sample import RowSample, Sampling, most_rows, pick
from gaussbayes.model.select import Selection
from gaussbayes.model.settings import Settings
from gaussbayes.model.statistics import Learnt, RowReduction, Sum, observe


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """What a block of rows teaches; it can be sent to other processes."""

    settings: Settings
    schema: Schema  # of the features
    labelled_only: bool = False  # whether rows without label are left out

    def __call__(self, block: LabelledRows, threads: int, /) -> Learnt:
        """The statistics of the block's labelled rows, and its unlabelled ones."""
        if self.labelled_only and block.targets.n_unlabelled:
            block = pick(block, block.targets.labelled)
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
    if rows.is_read_once:
        msg = f"{why}, and rows that come through a pipe cannot be read again: write them to a file"
        raise DataError(msg)


def fixed_settings(
    settings: Settings, schema: Schema, rows: RowSource, n_jobs: int | None
) -> Settings:
    """The settings with what families estimate before they sum rows.

    It is estimated from a sample of the rows, for which the source is read once more.
    """
    if settings.is_fixed:
        return settings
    check_read_again(rows, "a transform is learnt from rows before they are summed")
    sample = rows.reduce(Sampling(schema.of_categories), n_jobs=n_jobs).total.table
    schema = replace(schema, classes=sample.classes)
    return settings.fix(sample.rows, sample.targets, schema)[0]


@dataclass(frozen=True, slots=True, eq=False)
class SourceFit:
    """A model of a source's rows, and what was read."""

    model: Model
    reduced: Reduced[Learnt]
    selection: Selection | None = None  # how it was chosen, if something was left open


def fit_source(
    source: object, request: Request, options: Options, n_jobs: int | None = None
) -> SourceFit:
    """The model of the rows of a source (see `gaussbayes.data.reduction`)."""
    rows = open_rows(source, request)
    fit = fit_rows(rows, options, n_jobs)
    if fit.model.schema.roles is not None:
        warn_of_columns(fit.model.schema.roles)
    return replace(fit, model=with_notices(fit.model, rows, fit.reduced))


def with_notices(model: Model, rows: RowSource, reduced: Reduced[Any]) -> Model:
    """The model with what users should know about the reading of its rows."""
    new = (*rows.notices, *skipped_rows(reduced.bad_rows))
    return replace(model, notices=tuple(dict.fromkeys((*model.notices, *new)))) if new else model


def fit_rows(
    rows: RowSource, options: Options, n_jobs: int | None = None, *, labelled_only: bool = False
) -> SourceFit:
    """The model of the rows of an open source; with `labelled_only` others are only counted.

    What is chosen or calibrated by rows left out is so by all rows if they take at most 128 MB, and
    otherwise by a stratified sample of them, for which the source is read once more.
    """
    schema = rows.encoder.schema(np.empty(0))
    settings = options.settings(schema)
    if options.automatic or options.calibration is not None:
        return _fit_by_rows(rows, options, schema, n_jobs, labelled_only=labelled_only)
    settings = fixed_settings(settings, schema, rows, n_jobs)
    reduced = rows.reduce(Observation(settings, schema, labelled_only), n_jobs=n_jobs)
    model = learnt_model(settings, schema, reduced.total, rows.target)
    return SourceFit(model.solved(n_jobs, rows=_reduction(model, rows)), reduced)


def _fit_by_rows(
    rows: RowSource, options: Options, schema: Schema, n_jobs: int | None, *, labelled_only: bool
) -> SourceFit:
    """The model of a source where something is chosen or calibrated by rows left out."""
    most = most_rows(schema.n_features)
    if rows.n_rows is not None and rows.n_rows > most and not rows.is_read_once:
        most = 0  # they are not kept in vain
    read = rows.reduce(Sampling(schema.of_categories, most, labelled_only), n_jobs=n_jobs)
    sample: RowSample = read.total
    whole = None
    if sample.every > 1:
        check_read_again(rows, "so many rows are chosen by a sample of them")
        whole = WholeSource(rows, schema, labelled_only, n_jobs)
    table = sample.table
    schema = replace(schema, classes=table.classes)
    model, selection = fit_model(table, schema, replace(options, n_jobs=n_jobs), whole)
    learnt = model.learnt
    assert learnt is not None
    reduced: Any = replace(read, total=learnt)  # type: ignore[arg-type]
    return SourceFit(replace(model, target=rows.target), reduced, selection)


@dataclass(frozen=True, slots=True, eq=False)
class WholeSource:
    """All rows of a source, of which a table is a sample."""

    rows: RowSource
    schema: Schema  # of the features
    labelled_only: bool
    n_jobs: int | None

    def observe(self, alternatives: Sequence[Settings]) -> Sequence[Learnt]:
        """What they say, as the families of several settings see them; in one pass."""
        each = [Observation(some, self.schema, self.labelled_only) for some in alternatives]
        return self.rows.reduce(_Observations(tuple(each)), n_jobs=self.n_jobs).total.parts

    def unlabelled(self, model: Model) -> RowReduction | None:
        """The rows without label if they are too many to be kept."""
        return _reduction(model, self.rows)


@dataclass(frozen=True, slots=True, eq=False)
class _Observations:
    """What a block of rows teaches under several settings."""

    parts: tuple[Observation, ...]

    def __call__(self, block: LabelledRows, threads: int, /) -> "_SeveralLearnt":
        return _SeveralLearnt(tuple(part(block, threads) for part in self.parts))

    def n_bytes(self, n_classes: int) -> int:
        return sum(part.n_bytes(n_classes) for part in self.parts)


@dataclass(frozen=True, slots=True, eq=False)
class _SeveralLearnt:
    parts: tuple[Learnt, ...]

    def __add__(self, other: "_SeveralLearnt") -> "_SeveralLearnt":
        return _SeveralLearnt(tuple(a + b for a, b in zip(self.parts, other.parts, strict=True)))

    @property
    def n_bytes(self) -> int:
        return sum(part.n_bytes for part in self.parts)

    @property
    def classes(self) -> LabelArray:
        return self.parts[0].classes


def observe_source(
    model: Model, source: object, target: str, n_jobs: int | None, **request: Any
) -> tuple[RowSource, Reduced[Learnt]]:
    """More rows with the features of a model, and their statistics; `request` as in `open_more`."""
    rows = open_more(model, source, target, **request)
    return rows, rows.reduce(Observation(model.settings, model.schema), n_jobs=n_jobs)


def update_source(
    model: Model, source: object, target: str, n_jobs: int | None, **request: Any
) -> tuple[Model, LabelArray]:
    """The model of the rows seen before and of those of a source, and the labels of these.

    The source is read again if it has too many unlabelled rows to be kept.
    """
    rows, reduced = observe_source(model, source, target, n_jobs, **request)
    updated = model.updated(reduced.total)
    reduction = _reduction(updated, rows)
    if reduction is not None:
        before = None if model.learnt is None else model.learnt.unlabelled
        kept = None if before is None else before.kept("partial_fit")
        updated = updated.solved(n_jobs, rows=_Both(kept, reduction))
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


def open_more(model: Model, source: object, target: str | None = None, **request: Any) -> RowSource:
    """More labelled rows with the features of a model, to be found in a source by their names.

    The target is that of before if it is None. Of `gaussbayes.data.roles.Request` weights and mark
    may be given.
    """
    schema, features = model.schema, feature_names(model)
    target = model.target if target is None else target
    if target is None:
        msg = "this model does not know which column holds the labels: give its name as y"
        raise DataError(msg)
    names = [features[column] for column in schema.categorical]
    pairs = zip(names, model.categories, strict=True)
    columns: dict[str, Any] = {
        "kinds": dict.fromkeys(names, "category") | model.contents,
        "string_features": [name for name, known in pairs if kind(known) is str],
    }
    columns["missing"] = schema.missing
    return open_rows(source, Request(target, features, **(columns | request)))


def _reduction(model: Model, rows: RowSource) -> RowReduction | None:
    """The unlabelled rows of a source, to be read again; None if they are kept, or none are."""
    assert model.learnt is not None
    unlabelled = model.learnt.unlabelled
    if unlabelled is None or unlabelled.rows is not None:
        return None
    check_read_again(rows, f"{unlabelled.n_rows:,} unlabelled rows are too many to be kept")
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
