"""Labelled rows of files: read part by part, or in memory, all of them or a sample."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from glob import has_magic
from itertools import combinations
from pathlib import Path
from typing import Any

import click
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.base.numerals import counted
from gaussbayes.base.progress import count_rows
from gaussbayes.base.types import FloatArray, LabelArray
from gaussbayes.cli import command_files
from gaussbayes.cli.command_files import (
    UnseenCategories,
    check_columns,
    identified,
    naming,
    open_files,
)
from gaussbayes.cli.command_options import RowOptions
from gaussbayes.cli.console import tell
from gaussbayes.data.categories import kind
from gaussbayes.data.file_rows import FileRows
from gaussbayes.data.files import Source
from gaussbayes.data.labels import codes_among
from gaussbayes.data.reduction import open_rows
from gaussbayes.data.roles import Request, select_columns
from gaussbayes.data.rows import Encoder, LabelledRows, Rows, Which
from gaussbayes.model.model import Model
from gaussbayes.model.options import Options
from gaussbayes.model.row_sample import join, pick
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
    def to_learn_from(
        cls, source: Source, chosen: RowOptions, options: Options, client: Any = None
    ) -> "LabelledFiles":
        """The rows of a source that a model is to be fitted to; a client's cluster reads them."""
        target = command_files.target_column(source, chosen.target)
        kinds: Any = options.kinds
        named = {
            "the features asked for": chosen.features,
            "the columns to exclude": chosen.exclude,
        }
        for what, names in named.items():
            plain = [name for name in names or () if not has_magic(name)]
            check_columns(source, plain, what)
        check_columns(source, chosen.categorical or (), "the features that hold categories")
        check_columns(source, chosen.numeric or (), "the features that hold numbers")
        check_columns(source, list(kinds), "the features that are given a family")
        some = options.transform if isinstance(options.transform, tuple) else ()
        transformed = [name for features, _ in some for name in features]
        check_columns(source, transformed, "the features to be transformed")
        marked = [name for part in chosen.na_values if not isinstance(part, str) for name in part]
        check_columns(source, marked, "the columns of --na-values")
        said = {"--categorical": chosen.categorical, "--numeric": chosen.numeric, "--family": kinds}
        for (flag, names), (other, others) in combinations(said.items(), 2):
            for name in set(names or ()) & set(others or ()):
                msg = f"{name!r} is named by {flag} and by {other}: leave it out of one"
                raise click.UsageError(msg)
        contents = options.contents
        contents["kinds"] = (
            dict.fromkeys(chosen.categorical or (), "category")
            | dict.fromkeys(chosen.numeric or (), "number")
            | contents["kinds"]
        )
        request = Request(
            target,
            chosen.features or "auto",
            chosen.weights,
            "auto",
            exclude=chosen.exclude or (),
            keep_identifiers=chosen.keep_identifiers,
            missing=chosen.missing(),
            **contents,
        )
        rows: Any = open_rows(source, request, client=client)
        return cls(rows, chosen, rows.encoder)

    @classmethod
    def of_model(
        cls, source: Source, chosen: RowOptions, model: Model, name: str
    ) -> "LabelledFiles":
        """The rows of a source that has the features of a model; `name` is what it is called."""
        features = command_files.named_features(model, name)
        target = command_files.target_column(source, chosen.target or model.target)
        command_files.check_features(source, features)
        missing = chosen.missing(model)
        rows: Any = open_more(model, source, target, weights=chosen.weights, missing=missing)
        return cls(rows, chosen, replace(model.encoder, missing=missing), model.classes)

    def __iter__(self) -> Iterator[LabelledRows]:
        return (table for table, _ in self._placed())

    def _placed(self) -> Iterator[tuple[LabelledRows, NDArray[np.int64]]]:
        """The rows, and where they are (n, 2): see `MemoryRows`."""
        source = self.rows.source
        files = {file.shown: number for number, file in enumerate(source.listed)}
        for table, read in count_rows(
            self.rows.blocks(self.encoder),
            "reading rows",
            source.n_rows,
            lambda block: block[0].rows.n_rows,
            source.proportion_read,
        ):
            with naming(read.shown):
                block = among(table, self.classes)
            self.n_rows += block.rows.n_rows
            self.n_unlabelled += block.targets.n_unlabelled
            self.unseen.add(block.rows)
            numbers = read.numbers
            yield block, np.stack([np.full_like(numbers, files[read.file]), numbers], axis=1)

    def sample(self, most: int | None = None, seed: int = 0) -> "MemoryRows":
        """At most so many rows, as `draw` has it; those without label if they are wanted."""
        source, only = self.rows.source, self.chosen.labelled_only
        rows = (MemoryRows(table, self.encoder, places) for table, places in self._placed())
        kept = draw((each.labelled if only else each for each in rows), most, seed)
        if kept is None:
            raise command_files.no_rows(source)
        n_seen = self.n_rows - (self.n_unlabelled if only else 0)
        if kept.n_rows < n_seen:
            tell(f"{kept.n_rows:,} of {n_seen:,} rows of {source.shown} are used, drawn at random")
        return kept

    def row_names(self, rows: "MemoryRows", identifier: str | None = None) -> list[str]:
        """What rows in memory are called: their number in the file, and who they are.

        The column `identifier` says who. Files are read for it once more, but not standard input.
        """
        source, files = self.rows.source, [file.shown for file in self.rows.source.listed]
        prefix = [f"{file}, " if len(files) > 1 else "" for file in files]
        places = rows.places.tolist()
        names = [f"{prefix[file]}row {number}" for file, number in places]
        if identifier is None:
            return names
        check_columns(source, [identifier], "the column that names rows")
        if source.is_read_once:
            return names
        selection = select_columns(source.inferred, [identifier], {}, "skip", as_held=[identifier])
        called: dict[tuple[str, int], str] = {}
        bad_rows = source.bad_rows
        for block in source.selected_blocks(selection):
            values = block.table.column(0).to_pylist()
            for number, value in zip(block.numbers.tolist(), values, strict=True):
                called[block.file, number] = identified(identifier, value)
        source.bad_rows = bad_rows  # those of the first reading
        who = (called[files[file], number] for file, number in places)
        return [f"{name}{each}" for name, each in zip(names, who, strict=True)]

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
            kinds=dict.fromkeys(self.encoder.origins, "date"),
            string_features=[name for name, categories in kinds if kind(categories) is str],
            missing=self.encoder.missing,
        )
        rows, encoder = FileRows.open(source, request), self.encoder.with_categories(known)
        files = LabelledFiles(rows, self.chosen, encoder, learnt.table.classes)
        test = files.sample().labelled
        if not test.n_rows:
            raise command_files.no_rows(source)
        files.tell(command_files.NOT_JUDGED)
        return test.features, test.labels

    def tell(self, use: str) -> None:
        """Say which columns and rows were left out, and what is new; see `tell_unlabelled`."""
        roles = self.encoder.roles
        if self.classes is None and roles is not None and not roles.is_plain:
            command_files.tell_roles(roles)
        if self.classes is None:
            command_files.tell_infinite(self.encoder.missing)
        command_files.tell_bad_rows(self.rows.source.bad_rows)
        command_files.tell_unlabelled(self.n_unlabelled, self.chosen, use)
        self.unseen.tell()

    def left_out(self, rows: "MemoryRows") -> list[str]:
        """How many of the rows are not among those in memory, and which; nothing if all are."""
        n_unlabelled = self.n_rows - rows.n_rows if self.chosen.labelled_only else 0
        lines = [f"{counted(n_unlabelled, 'row')} without label"] if n_unlabelled else []
        bad = self.rows.source.bad_rows
        n_left_out = n_unlabelled + bad.count
        lines += command_files.bad_row_lines(bad)[1:]
        return [f"Left out: {counted(n_left_out, 'row')}.", *lines] if n_left_out else []

    def record(self) -> dict[str, Any]:
        """What was read, as plain values."""
        source = self.rows.source
        return {
            "data": list(source.files),
            "target": self.rows.target,
            "columns": command_files.roles_record(self.encoder.roles),
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
        raise DataError(msg) from None
    return np.array(cast.to_pylist())


# Rows in memory.


@dataclass(frozen=True, slots=True, eq=False)
class MemoryRows:
    """Labelled rows, and the encoder that made them; those of several blocks are added."""

    table: LabelledRows
    encoder: Encoder
    places: NDArray[np.int64]  # (n, 2) the number of the file, and that of the row in it, from 1

    def __add__(self, other: "MemoryRows") -> "MemoryRows":
        names = self.encoder.schema(self.table.classes).of_categories
        table = join(self.table, other.table, names)
        check_bytes(table.rows.matrix.nbytes + table.rows.codes.nbytes, table.rows.n_rows)
        return MemoryRows(table, self.encoder, np.concatenate([self.places, other.places]))

    def __getitem__(self, which: Which) -> "MemoryRows":
        """Some of the rows."""
        return MemoryRows(pick(self.table, which), self.encoder, self.places[which])

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
            f"{n_rows:,} of them. Give fewer rows, or a model file: `fit` reads files of any size"
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
