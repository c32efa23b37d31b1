"""Tables of files → labelled rows: which columns are features, which is the target."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gaussbayes.apps.lab.datasets.dataset import Table
from gaussbayes.apps.lab.messages.error import MessageError
from gaussbayes.apps.lab.messages.fields import shown
from gaussbayes.apps.lab.messages.limits import MOST_CLASSES, MOST_FEATURES, MOST_ROWS
from gaussbayes.base.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

    from gaussbayes.data.sources.opening import Block

_MOST_BYTES = 256 << 20
"""Of a file as a table in memory."""


def read_file(name: str, body: bytes) -> "pa.Table":
    """All columns of a file that was sent, in memory.

    Parameters
    ----------
    name : what the client calls it. Only its ending is looked at, and only if it is a known one:
        the file is written under a name of our own, read, and taken away again.
    """
    import pyarrow as pa

    from gaussbayes.data.sources.bad_rows import HOW_TO_SKIP
    from gaussbayes.data.sources.kinds import is_number
    from gaussbayes.data.sources.listing import format_by_name
    from gaussbayes.data.sources.opening import open_source

    if not body:
        msg = f"{name} is empty"
        raise MessageError(msg)
    if name.lower().endswith(".json") and body.lstrip()[:1] == b"[":
        msg = f"{name} is a JSON array; write it as JSON lines, one object in each line"
        raise MessageError(msg)
    kind, _ = format_by_name(name)
    with tempfile.TemporaryDirectory(prefix="gaussbayes-lab-") as folder:
        path = Path(folder, "table")
        path.write_bytes(body)
        try:
            source = open_source(path, format=kind)
            numbers = [one.name for one in source.schema if is_number(one.type)]
            parts = _limited(name, source.blocks(numbers=numbers, as_held=numbers))
        except MessageError:
            raise
        except DataError as error:
            # How to leave rows out by an option of the command helps nobody on the page.
            told = str(error).replace(str(path), name).removesuffix(HOW_TO_SKIP)
            raise MessageError(told) from None
    if not parts:
        msg = f"{name} has no rows"
        raise MessageError(msg)
    return pa.concat_tables(parts)


def _limited(name: str, blocks: Iterator["Block"]) -> "list[pa.Table]":
    """The tables of all blocks; what is compressed may turn out to be more than can be kept."""
    parts, rows, size = [], 0, 0
    with closing(blocks) as every:  # type: ignore[type-var]
        for block in every:
            parts.append(block.table)
            rows += block.table.num_rows
            size += block.table.nbytes
            if rows > MOST_ROWS or size > _MOST_BYTES:
                msg = (
                    f"{name} has more than the {MOST_ROWS:,} rows or {_MOST_BYTES >> 20} MB that "
                    "the lab takes; give larger files to the command, `gaussbayes lab FILE`, "
                    "which takes a sample"
                )
                raise MessageError(msg)
    return parts


def likely_target(table: "pa.Table") -> str:
    """The column that probably holds the classes.

    It is the last one of text, or else of whole numbers or truth values, whose values make a few
    classes of some rows each. If there is none, it is the last one of text, or the last of all.

    Examples
    --------
    >>> import pyarrow as pa
    >>> likely_target(pa.table({"kind": [0, 1, 0, 1], "x": [1.0, 2.5, 1.5, 3.0]}))
    'kind'
    """
    from pyarrow import types

    from gaussbayes.data.sources.kinds import is_label, is_number

    names: list[str] = table.column_names
    schema = list(reversed(table.schema))
    texts: list[str] = [
        one.name for one in schema if is_label(one.type) and not is_number(one.type)
    ]
    whole: list[str] = [
        one.name for one in schema if types.is_integer(one.type) or types.is_boolean(one.type)
    ]
    for name in (*texts, *whole):
        k = len(table.column(name).drop_null().unique())
        if 2 <= k <= min(MOST_CLASSES, table.num_rows // 2):
            return name
    return texts[0] if texts else names[-1]


def labelled(
    name: str, table: "pa.Table", target: str | None, features: Sequence[str] | None
) -> Table:
    """The rows of a table whose class is known.

    Parameters
    ----------
    target : the column of the classes; the likely one if None
    features : the columns to learn from; if None all others that hold numbers, the first of them
        if they are too many, which the table's note then says

    Examples
    --------
    >>> import pyarrow as pa
    >>> found = labelled("two", pa.table({"x": [1, None], "kind": ["b", "a"]}), None, None)
    >>> found.X.tolist(), found.codes.tolist(), found.labels.tolist(), found.features
    ([[1.0], [nan]], [1, 0], ['a', 'b'], ('x',))
    """
    from gaussbayes.data.sources.choice import choose
    from gaussbayes.data.sources.columns import as_rows
    from gaussbayes.data.sources.kinds import is_number
    from gaussbayes.data.sources.roles import refuse_not_labels, refuse_not_numbers

    there = table.column_names
    chosen_target = likely_target(table) if target is None else target
    numeric = [one.name for one in table.schema if is_number(one.type)]
    wanted, note = features, None
    if features is None:
        wanted, note = _features(table, [column for column in numeric if column != chosen_target])
        if not wanted and chosen_target in there:
            msg = (
                f"there is no column to learn from: {name} has no numbers beside {chosen_target!r}"
            )
            raise MessageError(msg)
    try:
        chosen = choose(there, chosen_target, wanted, None)
        refuse_not_labels(table.schema, chosen.target, name)
        refuse_not_numbers(table.schema, chosen.features, (), name)
        _refuse_many_features(chosen.features)
        kept = _with_class(table, chosen.target)
        codes, labels = _classes(kept, chosen.target)
        rows = as_rows(kept, chosen.features).astype(np.float64)
    except DataError as error:
        raise MessageError(str(error)) from None
    if np.isinf(rows).any():
        row, column = np.argwhere(np.isinf(rows))[0].tolist()
        msg = f"{name}: row {row + 1} of column {chosen.features[column]!r} is infinite: correct it"
        raise MessageError(msg)
    own = chosen.features, chosen.target, tuple(there)
    return Table(name, rows, codes, labels, *own, note=note)


def _features(table: "pa.Table", numeric: list[str]) -> tuple[list[str], str | None]:
    """The columns that can be learnt from, and what has to be said of the others."""
    import pyarrow.compute as pc

    from gaussbayes.data.sources.matching import listed

    def is_empty(column: str) -> bool:
        return bool(pc.all(pc.is_null(table.column(column), nan_is_null=True)).as_py())

    empty = [column for column in numeric if is_empty(column)]
    nothing = set(empty)
    full = [column for column in numeric if column not in nothing]
    notes = []
    if empty:
        notes.append(f"left out, as nothing is in them: {listed(empty)}")
    if len(full) > MOST_FEATURES:
        notes.append(f"of {len(full)} columns of numbers the first {MOST_FEATURES} are taken")
    return full[:MOST_FEATURES], "; ".join(notes) or None


def _refuse_many_features(features: Sequence[str]) -> None:
    if len(features) > MOST_FEATURES:
        msg = (
            f"there are {len(features)} columns of numbers, and the lab takes {MOST_FEATURES} "
            "features; choose some of them"
        )
        raise MessageError(msg)


def _with_class(table: "pa.Table", target: str) -> "pa.Table":
    """The rows of which the class is known."""
    import pyarrow.compute as pc

    from gaussbayes.data.sources.kinds import is_text

    column = table.column(target)
    known = pc.invert(pc.is_null(column, nan_is_null=True))
    if is_text(column.type):
        known = pc.and_(known, pc.not_equal(pc.fill_null(column, ""), ""))
    kept = table.filter(known)
    if not kept.num_rows:
        msg = f"no row has a class in the column {target!r}"
        raise MessageError(msg)
    return kept


def _classes(table: "pa.Table", target: str) -> Any:
    """Class numbers (n,) and classes (k,), which are not too many."""
    from gaussbayes.data.sources.bad_rows import UnfitError
    from gaussbayes.data.sources.columns import as_codes

    try:
        codes, labels = as_codes(table, target)
    except UnfitError:
        msg = (
            f"the column {target!r} holds numbers with fractions; classes are text, whole numbers "
            "or truth values: choose another column to predict"
        )
        raise MessageError(msg) from None
    if labels.shape[0] > MOST_CLASSES:
        msg = (
            f"the column {target!r} holds {labels.shape[0]:,} different values, such as "
            f"{shown(labels[:1].tolist()[0])}, and the lab shows {MOST_CLASSES} classes: choose "
            "another column to predict"
        )
        raise MessageError(msg)
    return codes, labels
