"""Tables of any length → tables of one length, whatever the lengths they came in."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_BYTES = 1 << 23
"""Nominal size of a batch of rows in memory."""

FEWEST_ROWS = 1 << 10


def batch_rows(n_columns: int) -> int:
    """How many rows make a batch, a power of two; it depends on the number of columns alone.

    Examples
    --------
    >>> batch_rows(10)
    65536
    """
    rows = max(FEWEST_ROWS, BATCH_BYTES // (8 * max(1, n_columns)))
    return 1 << (rows.bit_length() - 1)


def recut(tables: Iterator["pa.Table"], step: int) -> Iterator["pa.Table"]:
    """The same rows in tables of `step` rows, the last one with what is left; nothing is copied.

    Examples
    --------
    >>> import pyarrow as pa
    >>> tables = iter([pa.table({"a": [1]}), pa.table({"a": [2, 3, 4]})])
    >>> [table["a"].to_pylist() for table in recut(tables, 3)]
    [[1, 2, 3], [4]]
    """
    import pyarrow as pa

    waiting: list[pa.Table] = []
    missing = step
    for table in tables:
        start = 0
        while table.num_rows - start >= missing:
            waiting.append(table.slice(start, missing))
            start += missing
            whole = pa.concat_tables(waiting) if len(waiting) > 1 else waiting[0]
            waiting, missing = [], step
            yield whole
            del whole  # not to hold on to these rows while the next are read
        if start < table.num_rows:
            waiting.append(table.slice(start))
            missing -= table.num_rows - start
        del table
    if waiting:
        yield pa.concat_tables(waiting)
