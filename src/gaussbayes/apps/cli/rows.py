"""Labelled rows of files: block by block, whole in memory, or a sample of them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gaussbayes.apps.cli import reading
from gaussbayes.apps.cli.memory_rows import MemoryRows, text_columns
from gaussbayes.base.errors import DataError, SchemaError

if TYPE_CHECKING:
    from gaussbayes.apps.cli.model_rows import ModelRows
    from gaussbayes.base.types import (
        CategoricalFeatures,
        CodeArray,
        FloatArray,
        LabelArray,
        RealArray,
    )
    from gaussbayes.data.sources.choice import Choice

_LEAST = 20
"""Rows of every class that a sample keeps, so that each can be fitted and cross-validated."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Labelled rows in memory."""

    features: Any  # (n, d) Arrow table of numbers, and of categories
    labels: "LabelArray"  # (n,)
    target: str
    categorical: tuple[str, ...] = ()  # the features that hold categories


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """The same as arrays."""

    matrix: "RealArray"  # (n, d)
    labels: "LabelArray"  # (n,)
    weights: "FloatArray | None"  # (n,)


@dataclass(frozen=True, slots=True, eq=False)
class LabelledBlock:
    """Some rows of a file."""

    rows: Any  # (m, d) numbers, or what a model takes
    codes: "CodeArray"  # (m,)
    classes: "LabelArray"  # those that occur in it
    place: str  # for messages
    weights: "FloatArray | None" = None  # (m,)

    @property
    def labels(self) -> "LabelArray":
        """The labels (m,)."""
        return self.classes[self.codes]


def chosen(
    source: Any,
    target: str,
    features: Sequence[str] | None,
    weights: str | None = None,
    categorical: "CategoricalFeatures" = None,
    texts: Sequence[str] = (),
) -> "Choice":
    """The columns that are target, features and weights, checked as they are for fitting.

    Without `categorical` features all of them must hold numbers.
    """
    from gaussbayes.data.sources.files import make_plan

    reading.require(source, [target], "the target")
    if features is not None:
        reading.require(source, features, "the features asked for")
    given: dict[str, Any] = {"categorical": categorical, "texts": texts}
    return make_plan(source, target, features, weights, "full", **given).chosen


def blocks(
    source: Any,
    columns: "Choice",
    *,
    complete: bool,
    taken: "ModelRows | MemoryRows | None" = None,
) -> Iterator[LabelledBlock]:
    """The rows of an opened source part by part, features as numbers, labels as class numbers.

    A feature that is missing is NaN; if rows must be `complete`, such a row is a bad one.

    Parameters
    ----------
    taken : how a model takes the rows, or memory does; None is as numbers
    """
    from gaussbayes.data.sources.bad_rows import UnfitError
    from gaussbayes.data.sources.columns import as_codes, as_rows, as_weights

    present = columns.present(complete=complete)
    categories: dict[str, Any] = {}
    if taken is not None:
        categories = {"categorical": taken.categorical, "texts": taken.texts}
    every = reading.blocks(
        source, "reading rows", columns.columns, columns.numbers, present, **categories
    )
    for block in every:
        try:
            codes, classes = as_codes(block.table, columns.target)
        except UnfitError as error:
            raise error.placed(block.file, block.first_row) from None
        place = f"{block.file}, rows from {block.first_row} on"
        weights = as_weights(block.table, columns.weights)
        own = as_rows(block.table, columns.features) if taken is None else taken.of(block.table)
        yield LabelledBlock(own, codes, classes, place, weights)


def read(
    source: Any,
    target: str,
    features: Sequence[str] | None = None,
    like: "LabelArray | None" = None,
    *,
    complete: bool = True,
    categorical: "CategoricalFeatures" = None,
) -> Rows:
    """All rows of a source, in memory.

    Parameters
    ----------
    features : the columns to take; None is all but the target
    like : labels of the kind that these must be
    complete : whether a row that lacks a feature is a bad one
    categorical : the features that hold categories
    """
    columns = chosen(source, target, features, categorical=categorical)
    taken = MemoryRows(columns)
    every = blocks(source, columns, complete=complete, taken=taken)
    whole = gather(source, every if like is None else (of_kind(block, like) for block in every))
    return Rows(taken.framed(whole.matrix), whole.labels, target, columns.categorical)


def gather(source: Any, every: Iterable[LabelledBlock]) -> Gathered:
    """All blocks of a source as one."""
    import numpy as np

    parts = [(block.rows, block.labels, block.weights) for block in every]
    if not parts:
        raise nothing_in(source)
    matrices, labels, weights = zip(*parts, strict=True)
    weighted = weights[0] is not None
    return Gathered(
        np.concatenate(matrices),
        np.concatenate(labels),
        np.concatenate(weights) if weighted else None,
    )


def sampled(
    source: Any,
    target: str,
    features: Sequence[str] | None,
    most: int,
    seed: int,
    meanwhile: "Callable[[RealArray, LabelArray], object] | None" = None,
    categorical: "CategoricalFeatures" = None,
) -> Rows:
    """At most so many complete rows of a source, drawn at random, some of every class.

    Parameters
    ----------
    meanwhile : what is called with all rows and labels, part by part
    categorical : the features that hold categories
    """
    from gaussbayes.apps.report.samples import StreamSample

    columns = chosen(source, target, features, categorical=categorical)
    taken = MemoryRows(columns)
    sample = StreamSample(most, least=min(most, _LEAST), seed=seed)
    for block in blocks(source, columns, complete=True, taken=taken):
        if meanwhile is not None:
            meanwhile(block.rows, block.labels)
        sample.add(block.rows, block.codes, block.classes)
    if sample.n_seen == 0:
        raise nothing_in(source)
    matrix, labels = sample.rows()
    if labels.size < sample.n_seen:
        some = f"{labels.size:,} of {sample.n_seen:,} rows"
        reading.tell(f"{some} of {reading.where(source)} are used, drawn at random")
    return Rows(taken.framed(matrix), labels, target, columns.categorical)


def held_out(given: Any, learnt: Rows, bad_rows: str) -> Any:
    """Folds or a share as they are, a file as rows with the columns and classes of those learnt."""
    if not isinstance(given, Path):
        return given
    source = reading.opened([str(given)], None, bad_rows)
    names = learnt.features.column_names
    reading.require(source, [learnt.target, *names], "the columns of the other rows")
    texts = text_columns(learnt.features, learnt.categorical)
    columns = chosen(source, learnt.target, names, None, learnt.categorical or None, texts)
    taken = MemoryRows(columns, learnt.features)
    every = blocks(source, columns, complete=True, taken=taken)
    whole = gather(source, (of_kind(block, learnt.labels) for block in every))
    reading.tell_bad_rows(source.bad_rows)
    taken.tell_unseen()
    return taken.framed(whole.matrix), whole.labels


def codes_among(classes: "LabelArray", block: LabelledBlock) -> "CodeArray":
    """The class numbers (m,) of a block's rows among the classes (k,) of a model."""
    from gaussbayes.data.labels import unite

    own = of_kind(block, classes)
    union, _, places = unite(classes, own.classes)
    if union.size > classes.size:
        known = set(classes.tolist())
        unknown = [label for label in own.classes.tolist() if label not in known]
        msg = (
            f"{block.place}: classes that the model does not know: {unknown!r:.200}; it knows "
            f"{classes.tolist()!r:.200}"
        )
        raise SchemaError(msg)
    return places[own.codes]


def of_kind(block: LabelledBlock, like: "LabelArray") -> LabelledBlock:
    """A block with its classes as text where others are text, as numbers where they are numbers."""
    import numpy as np
    import pyarrow as pa

    if block.classes.dtype.kind == like.dtype.kind:
        return block
    wanted = pa.array(like[:1].tolist()).type
    try:
        cast = pa.array(block.classes.tolist()).cast(wanted)
    except pa.ArrowException:
        found, expected = block.classes.tolist()[0], like.tolist()[0]
        msg = (
            f"{block.place}: the classes are such as {found!r}, but expected are {wanted} such as "
            f"{expected!r}"
        )
        raise SchemaError(msg) from None
    return replace(block, classes=np.array(cast.to_pylist()))


def nothing_in(source: Any) -> DataError:
    """The error that a source has no rows."""
    bad = source.bad_rows.count
    left = f" but {reading.counted(bad, 'row')} that cannot be used" if bad else ""
    return DataError(f"{reading.where(source)} has no rows{left}")
