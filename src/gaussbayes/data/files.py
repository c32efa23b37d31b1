"""`open_source`: files of any format as one table of any length, read block by block."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gaussbayes.base.errors import DataError
from gaussbayes.base.threads import n_threads
from gaussbayes.base.types import BadRowHandling
from gaussbayes.data.bad_rows import BadRows, bad_row_error, count_problems
from gaussbayes.data.prefetch import in_order, read_ahead
from gaussbayes.data.readers import FileReader
from gaussbayes.data.readers.arrow import ArrowReader
from gaussbayes.data.readers.csv import CsvReader
from gaussbayes.data.readers.jsonl import JsonLinesReader
from gaussbayes.data.readers.parquet import ParquetReader
from gaussbayes.data.roles import (
    ColumnSelection,
    InferredTypes,
    ParsedTable,
    Piece,
    check_same_columns,
    select_columns,
)
from gaussbayes.data.source_files import SourceFile, files_of, find_format, naming, open_bytes

if TYPE_CHECKING:
    import pyarrow as pa

_READERS: dict[str, Any] = {
    "csv": CsvReader,
    "tsv": CsvReader,
    "jsonl": JsonLinesReader,
    "parquet": ParquetReader,
    "arrow": ArrowReader,
}


def open_file(file: SourceFile) -> FileReader:
    """The reader of a file, whose format is told by its name or its first bytes."""
    with naming(file):
        stream = open_bytes(file)
        try:
            file = replace(file, format=find_format(file, stream))
        except DataError:
            stream.close()
            raise
        reader: FileReader = _READERS[str(file.format)](file, stream)
        return reader


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Some rows, one after the other in a file."""

    table: "pa.Table"
    file: str
    first_row: int  # from 1, the header not counted


class Source:
    """Rows in one or more files, `listed`, with the same columns in each.

    The types of the columns are `inferred` from the first block of the first file that has rows,
    and then held: `gaussbayes.data.readers.text` says how for text. Bad rows are an error or left
    out, as `handling` says; those that `blocks` has left out so far are in `bad_rows`.
    """

    def __init__(
        self,
        files: Sequence[SourceFile],
        bad_rows: BadRowHandling = "error",
        most_columns: int | None = None,
    ) -> None:
        self.listed = tuple(files)
        self.handling: BadRowHandling = bad_rows
        self.bad_rows = BadRows()
        first = open_file(self.listed[0])
        self.is_text = first.is_text  # whether columns of the first file have no types
        self._kept = {self.listed[0]: first}  # and files that can be read once only
        self._place = 0, first  # how many bytes are in the files before this one
        self.inferred = self._look(most_columns)

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the files."""
        return tuple(file.name for file in self.listed)

    @property
    def shown(self) -> str:
        """What a message calls the source."""
        first, *others = self.listed
        return f"{first.shown} and {len(others)} more" if others else first.shown

    @property
    def is_read_once(self) -> bool:
        """Whether some of the rows come through a pipe."""
        return any(file.is_read_once for file in self.listed)

    @property
    def schema(self) -> "pa.Schema":
        """The columns and their types."""
        return self.inferred.schema

    @property
    def n_rows(self) -> int | None:
        """How many rows all files say that they have; None if one of them does not say."""
        total = 0
        for reader in self.opened():
            if reader.n_rows is None:
                return None
            total += reader.n_rows
        return total

    @property
    def n_bytes(self) -> int | None:
        """The size of the files; None for standard input."""
        if self.is_read_once:
            return None
        return sum(Path(file.name).stat().st_size for file in self.listed)

    def proportion_read(self) -> float | None:
        """Which proportion of the bytes of all files has been read; None if that is not known."""
        before, now = self._place
        read = before + now.bytes_read
        return read / self._total if read and self._total else None

    @cached_property
    def _total(self) -> int | None:
        with suppress(OSError):  # a file that is not there is told of in its turn
            return self.n_bytes
        return None

    def opened(self) -> Iterator[FileReader]:
        """The files one after the other, each opened when its turn comes."""
        before = 0
        for file in self.listed:
            now = self._kept.get(file) or open_file(file)
            if file.is_read_once:
                self._kept[file] = now
            self._place = before, now
            yield now
            with suppress(OSError):
                before += Path(file.name).stat().st_size

    def blocks(
        self,
        columns: Sequence[str] | None = None,
        *,
        numbers: Sequence[str] = (),
        as_held: Collection[str] = (),
    ) -> Iterator[Block]:
        """The rows in order, some at a time; the next are read while these are used.

        Parameters
        ----------
        columns : which to read, in this order; None is all
        numbers : those that hold numbers, none of them infinite; strings are read as numbers
        as_held : those whose integers stay integers, though they are among `numbers`

        A row that cannot be read, or lacks what it must have, is an error; with
        ``bad_rows="skip"`` it is left out and counted in `bad_rows`.

        Examples
        --------
        >>> from importlib.resources import files
        >>> source = open_source(files("gaussbayes.datasets").joinpath("iris.csv"))
        >>> [(block.table.num_rows, block.first_row) for block in source.blocks(["species"])]
        [(150, 1)]
        """
        kinds: Any = dict.fromkeys(numbers, "number")
        selection = select_columns(self.inferred, columns, kinds, self.handling, as_held=as_held)
        return self.selected_blocks(selection)

    def selected_blocks(self, selection: ColumnSelection) -> Iterator[Block]:
        """As `blocks`, of a selection."""
        self.bad_rows = BadRows()
        for reader in self.opened():
            first_row = 1
            file = reader.file.shown
            with closing(_parsed(reader, selection)) as tables:  # type: ignore[type-var]
                for parsed in tables:
                    bad = count_problems(parsed.problems, file, first_row)
                    if bad.count and self.handling == "error":
                        raise bad_row_error(bad.first[0])
                    self.bad_rows += bad
                    if parsed.table.num_rows:
                        yield Block(parsed.table, file, first_row)
                    first_row += parsed.n_records

    def _look(self, most_columns: int | None) -> InferredTypes:
        """The types by the first file that has rows."""
        without_rows: InferredTypes | None = None
        for reader in self.opened():
            reader.most_columns = most_columns
            inferred, has_rows = reader.look()
            if has_rows:
                if without_rows is not None:
                    names = without_rows.schema.names
                    check_same_columns(reader.file.shown, inferred.schema.names, names)
                return inferred
            without_rows = without_rows or inferred
        assert without_rows is not None
        return without_rows


def open_source(
    source: Any,
    *,
    format: str | None = None,  # noqa: A002
    bad_rows: BadRowHandling = "error",
    most_columns: int | None = None,
) -> Source:
    """Open files to read them block by block, in bounded memory.

    Parameters
    ----------
    source : a path, a list of paths, a folder, a pattern, or ``"-"`` for standard input
    format : "csv", "tsv", "jsonl", "parquet" or "arrow"; by the name or the first bytes if None
    bad_rows : whether a row that cannot be read is an error or left out and counted
    most_columns : how many columns there may be, None for any number; checked before they are read
    """
    return Source(files_of(source, format), bad_rows, most_columns)


def _parsed(reader: FileReader, selection: ColumnSelection) -> Iterator[ParsedTable]:
    """The tables of a file, the next of which are read while one is used."""
    if not reader.is_text:
        pieces = reader.pieces(selection)
        return read_ahead(each for piece in pieces for each in _sifted(piece, selection))
    threads = n_threads(None)
    jobs = (partial(_only, piece, selection) for piece in reader.pieces(selection, threads))
    return in_order(jobs, threads)


def _sifted(piece: Piece, selection: ColumnSelection) -> Iterator[ParsedTable]:
    for parsed in piece():
        yield parsed.sifted(selection, finite=True)


def _only(piece: Piece, selection: ColumnSelection) -> ParsedTable:
    """The only table of a piece of text."""
    (parsed,) = _sifted(piece, selection)
    return parsed
