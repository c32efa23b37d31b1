"""One way to look into a file and to read its pieces, whatever its format."""

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace
from io import BufferedReader
from itertools import chain
from typing import Any

from gaussbayes.base.errors import DataError
from gaussbayes.data.sources import arrow_format, csv_format, jsonl_format, parquet_format
from gaussbayes.data.sources.listing import SourceFile
from gaussbayes.data.sources.request import Held, Piece, Request
from gaussbayes.data.sources.streams import bytes_taken, find_format, naming, open_bytes, seekable
from gaussbayes.data.sources.text_blocks import text_blocks

_TEXT: dict[str, Any] = {"csv": csv_format, "tsv": csv_format, "jsonl": jsonl_format}
_BINARY: dict[str, Any] = {"parquet": parquet_format, "arrow": arrow_format}


class OpenFile:
    """A file whose format is known, to look into and to read.

    What comes through a pipe can be read once: what was read of it to look is kept for the reading.
    """

    def __init__(self, file: SourceFile) -> None:
        with naming(file):
            stream = open_bytes(file)
            try:
                self.file = replace(file, format=find_format(file, stream))
            except DataError:
                stream.close()
                raise
            self.is_text = self.file.format in _TEXT
            self.bytes_read = 0  # of text, as it is on the disk
            self._rest: Any = None  # of what is read once: blocks, or a copy on disk
            if not self.file.is_read_once:
                stream.close()
            elif self.is_text:
                self._rest = self._blocks(stream)
            else:
                self._rest = seekable(self.file, stream)

    def look(self) -> tuple[Held, bool]:
        """The columns and types by the first block, and whether there are rows in it."""
        format_name = str(self.file.format)
        found: tuple[Held, bool]
        if not self.is_text:
            found = _BINARY[format_name].look(self.file, self._handle())
            return found
        blocks = self._rest or self._blocks()
        first = next(blocks, b"")
        if self.file.is_read_once:
            self._rest = chain([first], blocks)
        else:
            blocks.close()
        told: tuple[Held, bool] = _TEXT[format_name].look(self.file, first)
        return told

    def row_count(self) -> int | None:
        """How many rows there are, if the file says so itself."""
        if self.file.format != "parquet":
            return None
        return parquet_format.row_count(self.file, self._handle())

    def has_few_pieces(self, enough: int) -> bool:
        """Whether there are fewer pieces than enough, which Parquet files tell beforehand."""
        if self.file.format != "parquet":
            return False
        return parquet_format.piece_count(self.file, self._handle()) < enough

    def piece_count(self, request: Request) -> int | None:
        """How many pieces there are, if that can be told without reading the rows."""
        if self.is_text:
            return None
        count: int | None = _BINARY[str(self.file.format)].piece_count(
            self.file, self._handle(), request
        )
        return count

    def rows_before(self, request: Request, first: int) -> int:
        """How many rows are in the pieces before number `first`, where `piece_count` is known."""
        count: int = _BINARY[str(self.file.format)].rows_before(
            self.file, self._handle(), request, first
        )
        return count

    def pieces(self, request: Request, at_once: int, first: int = 0) -> Iterator[Piece]:
        """Its pieces in order; making one reads text, and calling it parses what was read.

        Parameters
        ----------
        at_once : how many pieces are called side by side; a single one may use all cores
        first : the number of the piece to begin with, where `piece_count` is known
        """
        format_name = str(self.file.format)
        if not self.is_text:
            own = _BINARY[format_name]
            yield from own.pieces(self.file, request, self._handle(), at_once, first)
            return
        blocks = self._blocks()
        if self.file.is_read_once:
            if self._rest is None:
                msg = f"{self.file.shown} can be read only once"
                raise DataError(msg)
            blocks, self._rest = self._rest, None
        yield from _TEXT[format_name].pieces(self.file, request, blocks)

    def _handle(self) -> Any:
        if self._rest is not None:
            return self._rest
        with naming(self.file):
            return seekable(self.file, open_bytes(self.file))

    def _blocks(self, stream: BufferedReader | None = None) -> Generator[bytes, None, None]:
        with naming(self.file), closing(stream or open_bytes(self.file)) as opened:
            quoted = self.file.format != "jsonl"
            for block in text_blocks(opened, self.file.shown, quoted=quoted):
                if not self.file.is_read_once:
                    self.bytes_read = bytes_taken(opened)
                yield block
