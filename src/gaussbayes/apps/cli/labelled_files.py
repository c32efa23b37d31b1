"""Labelled rows of files: read part by part, or in memory, all of them or a sample."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gaussbayes.apps.cli import command_files
from gaussbayes.apps.cli.command_files import UnseenCategories, check_columns, naming, open_files
from gaussbayes.apps.cli.command_options import RowOptions
from gaussbayes.apps.cli.console import tell
from gaussbayes.base.errors import DataError, SchemaError
from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.base.progress import count_rows
from gaussbayes.base.types import FloatArray, LabelArray
from gaussbayes.data.categories import kind
from gaussbayes.data.file_rows import FileRows
from gaussbayes.data.files import Source
from gaussbayes.data.labels import codes_among, unite
from gaussbayes.data.roles import Request
from gaussbayes.data.rows import Encoder, LabelledRows, Rows, Targets, Which
from gaussbayes.model.model import Model
from gaussbayes.model.options import Options
from gaussbayes.model.sources import open_more

MOST_BYTES = 1 << 30  # of rows in memory; what is done with them takes about three times as much
_LEAST = 20
"""Rows of every class that a sample keeps, so that each can be fitted and cross-validated."""


@dataclass(slots=True, eq=False)
class LabelledFiles:
    """Labelled rows of files part by part; what they hold is counted on the way."""

    rows: FileRows
    chosen: RowOptions
    encoder: Encoder  # how features become numbers and codes
    classes: LabelArray | None = None  # those that labels must be among; None takes all
    n_rows: int = 0
    n_unlabelled: int = 0
    unseen: UnseenCategories = field(init=False)

    def __post_init__(self) -> None:
        self.unseen = UnseenCategories(self.encoder)

    @classmethod
    def to_learn_from(cls, source: Source, chosen: RowOptions, options: Options) -> "LabelledFiles":
        """The rows of a source that a model is to be fitted to."""
        target = command_files.target_column(source, chosen.target)
        kinds: Any = options.kinds
        check_columns(source, chosen.features or (), "the features asked for")
        check_columns(source, chosen.categorical or (), "the features that hold categories")
        check_columns(source, list(kinds), "the features that are given a family")
        some = options.transform if isinstance(options.transform, tuple) else ()
        named = [name for features, _ in some for name in features]
        check_columns(source, named, "the features to be transformed")
        twice = [name for name in chosen.categorical or () if name in kinds]
        if twice:
            msg = f"{twice[0]!r} is named by --categorical and by --family: leave it out of one"
            raise click.UsageError(msg)
        categorical = chosen.categorical or "from_dtype"
        columns = (target, chosen.features, chosen.weights, categorical)
        request = Request(*columns, mark=chosen.unlabelled, **options.contents)
        rows = FileRows.open(source, request)
        return cls(rows, chosen, rows.encoder)

    @classmethod
    def of_model(
        cls, source: Source, chosen: RowOptions, model: Model, name: str
    ) -> "LabelledFiles":
        """The rows of a source that has the features of a model; `name` is what it is called."""
        features = command_files.named_features(model, name)
        target = command_files.target_column(source, chosen.target or model.target)
        command_files.check_features(source, features)
        rows: Any = open_more(model, source, target, weights=chosen.weights, mark=chosen.unlabelled)
        return cls(rows, chosen, model.encoder, model.classes)

    def __iter__(self) -> Iterator[LabelledRows]:
        source = self.rows.source
        for table, place in count_rows(
            self.rows.blocks(self.encoder),
            "reading rows",
            source.n_rows,
            lambda block: block[0].rows.n_rows,
            source.proportion_read,
        ):
            with naming(place):
                block = among(table, self.classes)
            self.n_rows += block.rows.n_rows
            self.n_unlabelled += block.targets.n_unlabelled
            self.unseen.add(block.rows)
            yield block

    def sample(self, most: int | None = None, seed: int = 0) -> "MemoryRows":
        """At most so many rows, as `draw` has it; those without label if they are wanted."""
        source, only = self.rows.source, self.chosen.labelled_only
        rows = (MemoryRows(table, self.encoder) for table in self)
        kept = draw((each.labelled if only else each for each in rows), most, seed)
        if kept is None:
            raise command_files.no_rows(source)
        n_seen = self.n_rows - (self.n_unlabelled if only else 0)
        if kept.n_rows < n_seen:
            tell(f"{kept.n_rows:,} of {n_seen:,} rows of {source.shown} are used, drawn at random")
        return kept

    def held_out(self, given: Any, learnt: "MemoryRows") -> Any:
        """Folds or a proportion as they are; a file as rows with the columns of those learnt from.

        Their labels must be among the same classes.
        """
        if not isinstance(given, Path):
            return given
        source = open_files([str(given)], replace(self.chosen, file_format=None))
        names, target = self.encoder.names or (), self.rows.target
        check_columns(source, [str(target), *names], "the columns of the other rows")
        known = learnt.table.rows.categories
        categorical = [names[column] for column in self.encoder.categorical]
        kinds = zip(categorical, known, strict=True)
        request = Request(
            target,
            names,
            categorical_features=categorical or None,
            string_features=[name for name, categories in kinds if kind(categories) is str],
            mark=self.chosen.unlabelled,
        )
        rows, encoder = FileRows.open(source, request), self.encoder.with_categories(known)
        files = LabelledFiles(rows, self.chosen, encoder, learnt.table.classes)
        test = files.sample().labelled
        if not test.n_rows:
            raise command_files.no_rows(source)
        files.tell(command_files.NOT_JUDGED)
        return test.features, test.labels

    def tell(self, use: str) -> None:
        """Say which rows were left out, and what is new; see `tell_unlabelled`."""
        command_files.tell_bad_rows(self.rows.source.bad_rows)
        command_files.tell_unlabelled(self.n_unlabelled, self.chosen, use)
        self.unseen.tell()

    def record(self) -> dict[str, Any]:
        """What was read, as plain values."""
        source = self.rows.source
        return {
            "data": list(source.files),
            "target": self.rows.target,
            "unlabelled": self.n_unlabelled,
            "unseen": self.unseen.record(),
            "bad_rows": command_files.bad_rows_record(source.bad_rows),
        }


def among(table: LabelledRows, classes: LabelArray | None) -> LabelledRows:
    """The same rows with codes of these classes, among which their labels must be."""
    if classes is None:
        return table
    same_type = _of_type(table.classes, classes)
    return replace(table, targets=codes_among(classes, table.targets, same_type), classes=classes)


def _of_type(classes: LabelArray, like: LabelArray) -> LabelArray:
    """Classes as strings where others are strings, as numbers where they are numbers."""
    if classes.dtype.kind == like.dtype.kind or not classes.size:
        return classes
    wanted = pa.array(like[:1].tolist()).type
    try:
        cast = pa.array(classes.tolist()).cast(wanted)
    except pa.ArrowException:
        msg = (
            f"the classes are such as {classes.tolist()[0]!r}, but expected are {wanted} such as "
            f"{like.tolist()[0]!r}"
        )
        raise SchemaError(msg) from None
    return np.array(cast.to_pylist())


# Rows in memory.


@dataclass(frozen=True, slots=True, eq=False)
class MemoryRows:
    """Labelled rows, and the encoder that made them; those of several blocks are added."""

    table: LabelledRows
    encoder: Encoder

    def __add__(self, other: "MemoryRows") -> "MemoryRows":
        tables = [self.table, other.table]
        classes, *places = unite(self.table.classes, other.table.classes)
        rows = self.table.rows.joined(other.table.rows, self.encoder.schema(classes).of_categories)
        check_bytes(rows.matrix.nbytes + rows.codes.nbytes, rows.n_rows)
        # The code of a row without label, −1, is the last entry.
        codes = [
            np.append(place, -1)[table.targets.codes]
            for place, table in zip(places, tables, strict=True)
        ]
        weights = [table.targets.weights for table in tables]
        targets = Targets(
            np.concatenate(codes).astype(np.int32),
            classes.shape[0],
            None if weights[0] is None else np.concatenate(weights),  # type: ignore[arg-type]
            sum(table.targets.n_unlabelled for table in tables),
        )
        return MemoryRows(LabelledRows(rows, targets, classes), self.encoder)

    def __getitem__(self, which: Which) -> "MemoryRows":
        """Some of the rows."""
        table = self.table
        part = replace(table, rows=table.rows[which], targets=table.targets[which])
        return MemoryRows(part, self.encoder)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self.table.rows.n_rows

    @property
    def labelled(self) -> "MemoryRows":
        """Those that have a label."""
        return self[self.table.targets.labelled]

    @property
    def features(self) -> pa.Table:
        """The features as an Arrow table; those that hold categories are dictionaries."""
        table = as_table(self.table.rows, self.encoder)
        for column in self.encoder.categorical:
            coded = table.column(column).dictionary_encode()
            table = table.set_column(column, table.column_names[column], coded)
        return table

    @property
    def labels(self) -> NDArray[Any]:
        """The labels (n,), None where there is none."""
        names = np.fromiter([*self.table.classes.tolist(), None], object)
        labels: NDArray[Any] = names[self.table.targets.codes]  # −1 is the last one
        return labels

    def recipe(self, options: Options) -> Options:
        """What makes models of such rows, as functions of `gaussbayes.analysis` take it."""
        return replace(options, known=self.encoder)


def check_bytes(n_bytes: int, n_rows: int) -> None:
    """Raise if rows, or what is kept of each, take more memory than they may."""
    if n_bytes > MOST_BYTES:
        msg = (
            f"there are too many rows for this: more than {MOST_BYTES >> 20} MiB are needed for "
            f"{n_rows:,} of them. Give fewer rows, or for auto choose by --selection bic, which "
            "reads files of any size"
        )
        raise DataError(msg)


def draw(parts: Iterable[MemoryRows], most: int | None = None, seed: int = 0) -> MemoryRows | None:
    """At most so many rows, each as probable as any other, but some of every class.

    Every row draws a random key; those with the smallest keys are kept, of all rows and of a class.
    Without any rows the result is None.
    """
    generator = np.random.default_rng(seed)
    tree: MergeTree[_Drawn] = MergeTree()
    number = 0
    for rows in parts:
        if rows.n_rows:
            tree.add(number, _Drawn(rows, generator.random(rows.n_rows), most).smallest())
            number += 1
    return tree.result().rows if number else None


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    """Rows with their keys, of which so many are to be kept."""

    rows: MemoryRows
    keys: FloatArray
    most: int | None

    def __add__(self, other: "_Drawn") -> "_Drawn":
        keys = np.concatenate([self.keys, other.keys])
        return _Drawn(self.rows + other.rows, keys, self.most).smallest()

    def smallest(self) -> "_Drawn":
        """Those with the smallest keys of all, or of their class."""
        n, codes, most = self.keys.size, self.rows.table.targets.codes, self.most
        if most is None or n <= most:
            return self
        order = np.lexsort((self.keys, codes))
        rank = np.arange(n) - np.searchsorted(codes[order], codes[order])
        keep = np.zeros(n, dtype=bool)
        keep[np.argpartition(self.keys, most - 1)[:most]] = True
        keep[order[rank < min(most, _LEAST)]] = True
        return _Drawn(self.rows[np.flatnonzero(keep)], self.keys[keep], most)


def as_table(rows: Rows, encoder: Encoder) -> pa.Table:
    """Rows as an Arrow table, categories as their values; nulls where they are not known."""
    columns = dict(zip(encoder.numeric, map(pa.array, rows.matrix.T), strict=True))
    coded = zip(encoder.categorical, rows.codes.T, rows.categories, strict=True)
    for column, codes, categories in coded:
        columns[column] = pa.array(list(categories)).take(pa.array(codes, mask=codes < 0))
    names = encoder.schema(np.empty(0)).titles
    return pa.table([columns[column] for column in sorted(columns)], names=list(names))
