"""What the end of a file's name tells: how its rows are written, and whether it is compressed.

It needs no pyarrow, which takes a while to import.
"""

from pathlib import Path
from typing import Literal, TypeAlias

FormatName: TypeAlias = Literal["csv", "tsv", "jsonl", "parquet", "arrow"]
"""How rows may be written."""

Compression: TypeAlias = Literal["gzip", "zstd", "bz2"]

_FORMATS: dict[str, FormatName] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".ipc": "arrow",
    ".feather": "arrow",
}
_COMPRESSIONS: dict[str, Compression] = {
    ".gz": "gzip",
    ".zst": "zstd",
    ".zstd": "zstd",
    ".bz2": "bz2",
}


def format_by_name(name: str) -> tuple[FormatName | None, Compression | None]:
    """What the end of a file's name says.

    Examples
    --------
    >>> format_by_name("rows.CSV.gz"), format_by_name("rows")
    (('csv', 'gzip'), (None, None))
    """
    path = Path(name.lower())
    compression = _COMPRESSIONS.get(path.suffix)
    if compression is not None:
        path = path.with_suffix("")
    return _FORMATS.get(path.suffix), compression


def known_endings() -> str:
    """The endings of names that tell a format or a compression, in words."""
    return ", ".join([*_FORMATS, *(f"…{ending}" for ending in _COMPRESSIONS)])
