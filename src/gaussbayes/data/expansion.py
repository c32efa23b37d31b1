"""How much memory the rows of a file may take.

What is compressed or run-length encoded may take a thousand times its size, and a crafted file any
amount. Rows that are held together may take `FREE_MEMORY`, or `MOST_TIMES` the size of the file if
that is more; all rows of a file, one after the other, `FREE_TOTAL`, or `MOST_TIMES_TOTAL` its size.
"""

from gaussbayes.base.errors import DataError

FREE_MEMORY = 192 << 20
"""Bytes that rows may take together, however small the file is."""

MOST_TIMES = 16
"""How many times the size of a larger file they may take."""

FREE_TOTAL = 1 << 30
"""Bytes that all rows of a file may take, one after the other, however small it is."""

MOST_TIMES_TOTAL = 1100
"""How many times its size a larger file may take; of what gzip makes nothing takes more."""


def check_memory(what: str, expanded: int, in_file: int, remedy: str) -> None:
    """Raise if rows that are held together take too much memory."""
    if expanded > max(FREE_MEMORY, MOST_TIMES * in_file):
        msg = (
            f"{what} would take {expanded >> 20:,} MB of memory, {max(1, in_file >> 10):,} KB of "
            f"the file; {FREE_MEMORY >> 20} MB are the most: {remedy}"
        )
        raise DataError(msg)


def check_total(file: str, expanded: int, in_file: int) -> None:
    """Raise if all of a file is too much, compared with its size."""
    if expanded > max(FREE_TOTAL, MOST_TIMES_TOTAL * in_file):
        msg = (
            f"{file} expands from {max(1, in_file >> 10):,} KB to {expanded >> 20:,} MB or more: "
            "it is damaged or made to fill memory. If it is not, write it in smaller files or "
            "without compression"
        )
        raise DataError(msg)
