"""Parquet files → batches of rows; a row group is never whole in memory."""

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from gaussbayes.base.errors import DataError
from gaussbayes.data.files import (
    BUFFER,
    FREE_MEMORY,
    OpenBytes,
    SourceFile,
    check_total,
    naming,
    seekable,
)
from gaussbayes.data.readers.batches import BinaryReader
from gaussbayes.data.tables import is_string

_READ_BYTES = 1 << 25
"""Nominal size of the rows that are decoded together: more is faster, and takes more memory."""


class ParquetReader(BinaryReader):
    """A Parquet file."""

    def __init__(self, file: SourceFile, stream: OpenBytes) -> None:
        super().__init__(file)
        self._handle = seekable(file, stream)
        self.size = int(self._handle.size())
        opened = self._open()
        self._metadata = opened.metadata
        self.n_rows: int = self._metadata.num_rows
        with naming(file):
            self.schema = opened.schema_arrow.with_metadata(self._metadata.metadata)

    def has_rows(self) -> bool:
        return self.n_rows > 0

    def record_batches(self, places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        # Run-length encoding gives any number of rows for a few bytes.
        check_total(self.file.shown, 8 * self.n_rows * len(places), self.size)
        if not self.n_rows:
            return
        names = self.schema.names
        strings = {names[place] for place in places if is_string(self.schema.field(place).type)}
        # A string that many rows share is held once.
        yield from self._open(sorted(strings)).iter_batches(
            batch_size=self._rows_at_once(_READ_BYTES // (8 * len(places))),
            columns=[names[place] for place in places],
        )

    def _rows_at_once(self, most: int) -> int:
        """How many rows are decoded together: fewer where they are long, as they may be all."""
        found = map(self._metadata.row_group, range(self._metadata.num_row_groups))
        longest: int = max(group.total_byte_size // max(1, group.num_rows) for group in found)
        return max(1, min(most, FREE_MEMORY // max(1, longest)))

    def _open(self, encoded: Sequence[str] = ()) -> Any:
        """Open the file, with some columns to be read as dictionaries."""
        with naming(self.file):
            try:
                return parquet.ParquetFile(
                    self._handle,
                    read_dictionary=encoded,
                    # A large file is read as it is needed: a row group may be larger than memory.
                    # Otherwise no page is longer than the file, whatever its header says.
                    pre_buffer=False,
                    buffer_size=BUFFER if self.size > FREE_MEMORY else 0,
                )
            except (pa.ArrowInvalid, KeyError) as error:
                msg = (
                    f"{self.file.shown} is not a Parquet file, or it breaks off in the middle: "
                    f"{error}"
                )
                raise DataError(msg) from None
