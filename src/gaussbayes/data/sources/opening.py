"""`open_source`: files of any format as one table of any length, read block by block."""

from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gaussbayes.base.threads import n_threads
from gaussbayes.base.types import BadRowHandling
from gaussbayes.data.sources.bad_rows import counted, refusal, sift
from gaussbayes.data.sources.choice import refuse_missing
from gaussbayes.data.sources.formats import OpenFile
from gaussbayes.data.sources.kinds import is_text, plain
from gaussbayes.data.sources.listing import SourceFile, files_of
from gaussbayes.data.sources.matching import match_columns
from gaussbayes.data.sources.read_ahead import in_order, read_ahead
from gaussbayes.data.sources.request import Held, Parsed, Piece, Request
from gaussbayes.data.sources.summary import BadRows

if TYPE_CHECKING:
    import pyarrow as pa


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
    then held: `gaussbayes.data.sources.held_types` says how for text.

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
        self.held = self._look()

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the files."""
        return tuple(file.name for file in self.listed)

    @property
    def schema(self) -> "pa.Schema":
        """The columns and their types."""
        return self.held.schema

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
        if any(file.is_read_once for file in self.listed):
            return None
        return sum(Path(file.name).stat().st_size for file in self.listed)

    def share_read(self) -> float | None:
        """Which share of the bytes of all files has been read; None if that cannot be told."""
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
        as_held: Sequence[str] = (),
        categorical: Sequence[str] = (),
        texts: Sequence[str] = (),
    ) -> Iterator[Block]:
        """The rows in order, some at a time; the next are read while these are used.

        Parameters
        ----------
        columns : which to read, in this order; None is all
        numbers : those that hold numbers, none of them infinite; text is read as numbers
        present : those in which every value must be there; a number that is NaN is not
        as_held : those whose whole numbers stay whole, though they are among `numbers`, and whose
            dictionaries stay, though they are `categorical`
        categorical : those that hold categories, of which a fraction is none
        texts : those that are read as text, whatever their values look like

        A row that cannot be read, or lacks what it must have, is an error; with
        ``bad_rows="skip"`` it is left out and counted in `bad_rows`.

        Examples
        --------
        >>> from importlib.resources import files
        >>> source = open_source(files("gaussbayes.datasets").joinpath("iris.csv"))
        >>> [(block.table.num_rows, block.first_row) for block in source.blocks(["species"])]
        [(150, 1)]
        """
        request = replace(
            make_request(self.held, columns, numbers, self.handling, as_held, categorical, texts),
            present=tuple(present),
        )
        self.bad_rows = BadRows()
        number = 0
        for opened in self.opened():
            first_row = 1
            file = opened.file.shown
            with closing(self._parsed(opened, request)) as every:  # type: ignore[type-var]
                for parsed in every:
                    bad = counted(parsed.unfit, file, first_row)
                    if bad.count and self.handling == "error":
                        raise refusal(bad.first[0])
                    self.bad_rows += bad
                    if parsed.table.num_rows:
                        yield Block(parsed.table, file, first_row, number)
                        number += 1
                    first_row += parsed.n_records

    def _parsed(self, opened: OpenFile, request: Request) -> Iterator[Parsed]:
        if not opened.is_text:
            return read_ahead(_each(opened.pieces(request, 1), request))
        threads = n_threads(None)
        jobs = (partial(_only, piece, request) for piece in opened.pieces(request, threads))
        return in_order(jobs, threads)

    def _look(self) -> Held:
        """The types by the first file that has rows."""
        without_rows: Held | None = None
        for opened in self.opened():
            held, has_rows = opened.look()
            if has_rows:
                if without_rows is not None:
                    names = without_rows.schema.names
                    match_columns(opened.file.shown, held.schema.names, names)
                return held
            without_rows = without_rows or held
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
    need_pyarrow()
    return Source(files_of(source, format), bad_rows)


def need_pyarrow() -> None:
    """Raise, saying how to install it, if pyarrow is not there."""
    try:
        import pyarrow  # noqa: F401, ICN001
    except ImportError as error:
        msg = "reading and writing files needs pyarrow: pip install 'gaussbayes[files]'"
        raise ImportError(msg) from error


def make_request(
    held: Held,
    columns: Sequence[str] | None,
    numbers: Sequence[str],
    bad_rows: BadRowHandling,
    as_held: Sequence[str] = (),
    categorical: Sequence[str] = (),
    texts: Sequence[str] = (),
) -> Request:
    """What to ask of files whose first block has shown `held`; see `Source.blocks`."""
    import pyarrow as pa

    names = held.schema.names if columns is None else list(columns)
    refuse_missing(held.schema.names, names)
    must, stay = set(numbers), set(as_held)
    fields = []
    for name in names:
        field = held.schema.field(name)
        whole = pa.types.is_integer(field.type) and name not in stay
        # A column of Parquet or Arrow without any value may have no type at all.
        if name in must and (whole or name in held.numbers or pa.types.is_null(field.type)):
            field = pa.field(name, pa.float64())
        elif name in texts and not is_text(plain(field.type)):
            field = pa.field(name, pa.string())
        elif name in categorical and name not in stay:
            # Numbers in dictionaries differ from file to file: the values are what is held.
            field = pa.field(name, plain(field.type))
        fields.append(field.with_nullable(True))
    return Request(
        pa.schema(fields),
        bad_rows,
        tuple(numbers),
        encoded=tuple(
            field.name
            for field in fields
            if field.name in categorical and field.name not in stay and is_text(field.type)
        ),
        decimal=held.decimal,
        categorical=tuple(categorical),
    )


def sifted(parsed: Parsed, request: Request, *, finite: bool) -> Parsed:
    """Without the rows that lack what they must have."""
    table, more = sift(parsed.table, request, finite=finite)
    return parsed if not more else parsed.without(table, more)


def _only(piece: Piece, request: Request) -> Parsed:
    """The only table of a piece of text."""
    (parsed,) = piece()
    return sifted(parsed, request, finite=True)


def _each(pieces: Iterator[Piece], request: Request) -> Iterator[Parsed]:
    for piece in pieces:
        for parsed in piece():
            yield sifted(parsed, request, finite=True)
