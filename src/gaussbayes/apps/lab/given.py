"""The rows that the command line names: read once, a sample of them if there are too many."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gaussbayes.apps.lab.messages.limits import MOST_ROWS

if TYPE_CHECKING:
    import pyarrow as pa

    from gaussbayes.base.types import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """A table to look at."""

    name: str  # for the page's title
    table: "pa.Table"  # every column; which of them are features, the page asks for
    target: str | None  # the column of the classes, if it was named


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    table: "pa.Table"
    keys: "FloatArray"  # (m,) the numbers that its rows have drawn


def gather(
    tables: "Iterable[pa.Table]", name: str, target: str | None, *, most: int = MOST_ROWS, seed: int
) -> Given | None:
    """The rows of all tables, or at most so many of them; None if there are no rows.

    Every row draws a number, and those with the smallest numbers are kept, in the order they came:
    each is as probable as any other, and memory is bounded. The name says that it is a sample.

    Examples
    --------
    >>> import pyarrow as pa
    >>> parts = [pa.table({"x": range(start, start + 10)}) for start in range(0, 100, 10)]
    >>> given = gather(parts, "x.csv", None, most=20, seed=0)
    >>> given.table.num_rows, given.name
    (20, 'x.csv (20 of its 100 rows, drawn with seed 0)')
    """
    import pyarrow as pa

    generator = np.random.default_rng(seed)
    kept: list[_Kept] = []
    n_seen = n_kept = 0
    for table in tables:
        kept.append(_Kept(table, generator.random(table.num_rows)))
        n_seen += table.num_rows
        n_kept += table.num_rows
        if n_kept > 2 * most:  # not after every few rows
            kept = _smallest(kept, most)
            n_kept = most
    if n_seen == 0:
        return None
    if n_seen > most:
        kept = _smallest(kept, most)
        name = f"{name} ({most:,} of its {n_seen:,} rows, drawn with seed {seed})"
    return Given(name, pa.concat_tables([one.table for one in kept]), target)


def _smallest(kept: list[_Kept], most: int) -> list[_Kept]:
    """Those rows that have drawn the smallest numbers."""
    keys = np.concatenate([one.keys for one in kept])
    limit = np.partition(keys, most - 1)[most - 1]
    return [_Kept(one.table.filter(one.keys <= limit), one.keys[one.keys <= limit]) for one in kept]
