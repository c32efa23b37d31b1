"""`open_source`: files of any format as one table of any length, read block by block."""

from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gaussbayes.base.errors import DataError
from gaussbayes.base.threads import n_threads
from gaussbayes.base.types import BadRowHandling
from gaussbayes.data.bad_rows import BadRows, bad_row_error, count_problems
from gaussbayes.data.listing import SourceFile, files_of
from gaussbayes.data.prefetch import in_order, read_ahead
from gaussbayes.data.readers import arrow, csv, jsonl, parquet
from gaussbayes.data.readers.text import text_blocks
from gaussbayes.data.selection import (
    InferredTypes,
    ParsedTable,
    Piece,
    Selection,
    check_same_columns,
    select_columns,
)
from gaussbayes.data.streams import bytes_taken, find_format, naming, open_bytes, seekable

if TYPE_CHECKING:
    import pyarrow as pa

_TEXT: dict[str, Any] = {"csv": csv, "tsv": csv, "jsonl": jsonl}
_BINARY: dict[str, Any] = {"parquet": parquet, "arrow": arrow}


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

    @property
    def _binary(self) -> Any:
        """The reader of this format, if it is none of text."""
        return _BINARY[str(self.file.format)]

    def look(self) -> tuple[InferredTypes, bool]:
        """The columns and types by the first block, and whether there are rows in it."""
        inferred: tuple[InferredTypes, bool]
        if not self.is_text:
            with naming(self.file):  # names of columns may be no text
                inferred = self._binary.look(self.file, self._handle())
            return inferred
        blocks = self._rest or self._blocks()
        first = next(blocks, b"")
        if self.file.is_read_once:
            self._rest = chain([first], blocks)
        else:
            blocks.close()
        inferred = _TEXT[str(self.file.format)].look(self.file, first)
        return inferred

    def row_count(self) -> int | None:
        """How many rows there are, if the file says so itself."""
        if self.file.format != "parquet":
            return None
        return parquet.row_count(self.file, self._handle())

    def has_few_pieces(self, enough: int) -> bool:
        """Whether there are fewer pieces than enough, which Parquet files tell beforehand."""
        if self.file.format != "parquet":
            return False
        return parquet.piece_count(self.file, self._handle()) < enough

    def piece_count(self, selection: Selection) -> int | None:
        """How many pieces there are, if that can be told without reading the rows."""
        if self.is_text:
            return None
        count: int | None = self._binary.piece_count(self.file, self._handle(), selection)
        return count

    def rows_before(self, selection: Selection, first: int) -> int:
        """How many rows are in the pieces before number `first`, where `piece_count` is known."""
        count: int = self._binary.rows_before(self.file, self._handle(), selection, first)
        return count

    def pieces(self, selection: Selection, at_once: int, first: int = 0) -> Iterator[Piece]:
        """Its pieces in order; making one reads text, and calling it parses what was read.

        Parameters
        ----------
        at_once : how many pieces are called side by side; a single one may use all cores
        first : the number of the piece to begin with, where `piece_count` is known
        """
        if not self.is_text:
            with naming(self.file):
                yield from self._binary.pieces(self.file, selection, self._handle(), at_once, first)
            return
        blocks = self._blocks()
        if self.file.is_read_once:
            if self._rest is None:
                msg = (
                    f"{self.file.shown} comes through a pipe and can be read only once: write it "
                    "to a file first"
                )
                raise DataError(msg)
            blocks, self._rest = self._rest, None
        yield from _TEXT[str(self.file.format)].pieces(self.file, selection, blocks)

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


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Some rows, one after the other in a file."""

    table: "pa.Table"
    file: str
    first_row: int  # from 1, the header not counted
    number: int  # from 0, through all files


class Source:
    """Rows in one or more files, with the same columns in each.

    The types of the columns are inferred from the first block of the first file that has rows, and
    then held: `gaussbayes.data.readers.text` says how for text.

    Attributes
    ----------
    files : the names of the files, in the order in which they are read
    schema : `pyarrow.Schema`, the columns and their types
    n_rows : how many rows there are, None if it takes reading them to know
    n_bytes : the size of the files, None for standard input
    bad_rows : `BadRows`, those left out so far by `blocks`
    """

    def __init__(self, files: Sequence[SourceFile], bad_rows: BadRowHandling = "error") -> None:
        self.listed = tuple(files)
        self.handling: BadRowHandling = bad_rows
        self.bad_rows = BadRows()
        first = OpenFile(self.listed[0])
        self._kept = {self.listed[0]: first}  # and files that can be read once only
        self._place = 0, first  # how many bytes are in the files before this one
        self.inferred = self._look()

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
    def is_text(self) -> bool:
        """Whether the first file is one of text, whose columns have no types."""
        return self._kept[self.listed[0]].is_text

    @property
    def schema(self) -> "pa.Schema":
        """The columns and their types."""
        return self.inferred.schema

    @property
    def n_rows(self) -> int | None:
        """How many rows all files say that they have; None if one of them does not say."""
        total = 0
        for opened in self.opened():
            count = opened.row_count()
            if count is None:
                return None
            total += count
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

    def opened(self) -> Iterator[OpenFile]:
        """The files one after the other, each opened when its turn comes."""
        before = 0
        for file in self.listed:
            now = self._kept.get(file) or OpenFile(file)
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
        present: Sequence[str] = (),
        as_held: Collection[str] = (),
        categorical: Sequence[str] = (),
        strings: Collection[str] = (),
    ) -> Iterator[Block]:
        """The rows in order, some at a time; the next are read while these are used.

        Parameters
        ----------
        columns : which to read, in this order; None is all
        numbers : those that hold numbers, none of them infinite; strings are read as numbers
        present : those in which every value must be there; a number that is NaN is not
        as_held : those whose integers stay integers, though they are among `numbers`, and whose
            dictionaries stay, though they are `categorical`
        categorical : those that hold categories, of which a fraction is none
        strings : those that are read as strings, whatever their values look like

        A row that cannot be read, or lacks what it must have, is an error; with
        ``bad_rows="skip"`` it is left out and counted in `bad_rows`.

        Examples
        --------
        >>> from importlib.resources import files
        >>> source = open_source(files("gaussbayes.datasets").joinpath("iris.csv"))
        >>> [(block.table.num_rows, block.first_row) for block in source.blocks(["species"])]
        [(150, 1)]
        """
        selection = select_columns(
            self.inferred,
            columns,
            numbers,
            self.handling,
            as_held=as_held,
            categorical=categorical,
            strings=strings,
        )
        return self.selected_blocks(replace(selection, present=tuple(present)))

    def selected_blocks(self, selection: Selection) -> Iterator[Block]:
        """As `blocks`, of a selection."""
        self.bad_rows = BadRows()
        number = 0
        for opened in self.opened():
            first_row = 1
            file = opened.file.shown
            with closing(_parsed(opened, selection)) as tables:  # type: ignore[type-var]
                for parsed in tables:
                    bad = count_problems(parsed.problems, file, first_row)
                    if bad.count and self.handling == "error":
                        raise bad_row_error(bad.first[0])
                    self.bad_rows += bad
                    if parsed.table.num_rows:
                        yield Block(parsed.table, file, first_row, number)
                        number += 1
                    first_row += parsed.n_records

    def _look(self) -> InferredTypes:
        """The types by the first file that has rows."""
        without_rows: InferredTypes | None = None
        for opened in self.opened():
            inferred, has_rows = opened.look()
            if has_rows:
                if without_rows is not None:
                    names = without_rows.schema.names
                    check_same_columns(opened.file.shown, inferred.schema.names, names)
                return inferred
            without_rows = without_rows or inferred
        assert without_rows is not None
        return without_rows


def open_source(
    source: Any,
    *,
    format: str | None = None,  # noqa: A002
    bad_rows: BadRowHandling = "error",
) -> Source:
    """Open files to read them block by block, in bounded memory.

    Parameters
    ----------
    source : a path, a list of paths, a folder, a pattern, or ``"-"`` for standard input
    format : "csv", "tsv", "jsonl", "parquet" or "arrow"; by the name or the first bytes if None
    bad_rows : whether a row that cannot be read is an error or left out and counted

    Examples
    --------
    >>> from importlib.resources import files
    >>> iris = open_source(files("gaussbayes.datasets").joinpath("iris.csv"))
    >>> iris.schema.names[0], iris.schema.field("species").type
    ('sepal length (cm)', DataType(string))
    """
    require_pyarrow()
    return Source(files_of(source, format), bad_rows)


def require_pyarrow() -> None:
    """Raise, saying how to install it, if pyarrow is not there."""
    try:
        import pyarrow  # noqa: F401, ICN001
    except ImportError as error:
        msg = "reading and writing files needs pyarrow: pip install 'gaussbayes[files]'"
        raise ImportError(msg) from error


def _parsed(opened: OpenFile, selection: Selection) -> Iterator[ParsedTable]:
    """The tables of a file, the next of which are read while one is used."""
    if not opened.is_text:
        return read_ahead(_sifted(opened.pieces(selection, 1), selection))
    threads = n_threads(None)
    jobs = (partial(_only, piece, selection) for piece in opened.pieces(selection, threads))
    return in_order(jobs, threads)


def _only(piece: Piece, selection: Selection) -> ParsedTable:
    """The only table of a piece of text."""
    (parsed,) = piece()
    return parsed.sifted(selection, finite=True)


def _sifted(pieces: Iterator[Piece], selection: Selection) -> Iterator[ParsedTable]:
    for piece in pieces:
        for parsed in piece():
            yield parsed.sifted(selection, finite=True)
