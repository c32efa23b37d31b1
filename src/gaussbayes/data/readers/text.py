"""What formats of text have in common: blocks of whole records, and the types of their columns.

A record ends at a line's end that is not inside quotes. Whether one is inside is told by the number
of quotation marks before it, which is even outside; doubled marks inside a quoted value keep it so.

Types are inferred from a first block. Integers, numbers and booleans are what they are; everything
else, dates and numbers with leading zeros (``007``) included, is strings and passed on as it is. A
column without any value holds strings, unless it is read as a feature: then all its values are
missing, and later ones are numbers.
"""

from abc import abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from functools import partial
from io import BufferedReader
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.data.bad_rows import BadRow, shorten
from gaussbayes.data.categories import NULLS
from gaussbayes.data.readers import FileReader
from gaussbayes.data.roles import ColumnSelection, InferredTypes, ParsedTable, Piece
from gaussbayes.data.source_files import SourceFile, bytes_taken, naming, open_bytes

BLOCK_BYTES = 1 << 23
"""Nominal size of a block: enough to be worth a thread's while, small enough to hold several."""

LOOK_BYTES = 1 << 21
"""How much of the first block is looked at to infer types."""

LONGEST_RECORD = 1 << 25
"""A record that is longer is rather a quotation mark that was never closed."""

BOM = b"\xef\xbb\xbf"
QUOTE = b'"'

_PART = 1 << 16
_DECIMAL_COMMA = r"^\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*$"
_THOUSANDS = r"^\s*[+-]?[1-9]\d{0,2}(,\d{3})+\s*$"
_DECIMAL_POINT = r"^\s*[+-]?\d*\.\d+([eE][+-]?\d+)?\s*$"
_LEADING_ZERO = r"^\s*[+-]?0\d"
_SAMPLE = 1000
"""Values of a column of strings that are looked at to see whether half of them are numbers."""


class TextReader(FileReader):
    """A file of text, read block by block."""

    is_text = True
    quoted = True
    """Whether quotation marks may hide the ends of lines."""

    def __init__(self, file: SourceFile, stream: BufferedReader) -> None:
        super().__init__(file)
        self._rest: Iterator[bytes] | None = None  # blocks of what is read once
        if file.is_read_once:
            self._rest = self._blocks(stream)
        else:
            stream.close()

    def look(self) -> tuple[InferredTypes, bool]:
        blocks = self._rest or self._blocks()
        first = next(blocks, b"")
        if self.file.is_read_once:
            self._rest = chain([first], blocks)
        return self.infer(first)

    def pieces(
        self, selection: ColumnSelection, at_once: int = 1, first: int = 0
    ) -> Iterator[Piece]:
        blocks: Iterator[bytes] | None = self._blocks()
        if self.file.is_read_once:
            blocks, self._rest = self._rest, None
        if blocks is None:
            msg = (
                f"{self.file.shown} comes through a pipe and can be read only once: write it to a "
                "file first"
            )
            raise DataError(msg)
        data, parse = self.begin(next(blocks, b""), selection)
        for block in chain([data], blocks):
            yield partial(_parsed, parse, block)

    @abstractmethod
    def infer(self, block: bytes) -> tuple[InferredTypes, bool]:
        """What the first block of the file shows, and whether there are rows in it."""

    @abstractmethod
    def begin(
        self, block: bytes, selection: ColumnSelection
    ) -> tuple[bytes, Callable[[bytes], ParsedTable]]:
        """The rows in the first block, and what parses the rows of any block."""

    def _blocks(self, stream: BufferedReader | None = None) -> Generator[bytes, None, None]:
        with naming(self.file), closing(stream or open_bytes(self.file)) as opened:
            for block in text_blocks(opened, self.file.shown, quoted=self.quoted):
                if not self.file.is_read_once:
                    self.bytes_read = bytes_taken(opened)
                yield block


def _parsed(parse: Callable[[bytes], ParsedTable], block: bytes) -> Iterator[ParsedTable]:
    yield parse(block)


# Records.


def text_blocks(
    stream: BufferedReader, file: str, *, quoted: bool, size: int | None = None
) -> Iterator[bytes]:
    r"""Cut a stream into blocks of at least `size` bytes that end with the record they end in.

    Examples
    --------
    >>> from io import BytesIO
    >>> stream = BufferedReader(BytesIO(b'a,b\n1,"x\ny"\n2,z'))
    >>> list(text_blocks(stream, "file", quoted=True, size=6))
    [b'a,b\n1,"x\ny"\n', b'2,z']
    """
    while block := stream.read(BLOCK_BYTES if size is None else size):
        line_end = b"\r" if b"\n" not in block and b"\r" in block else b"\n"
        inside = False
        if quoted and QUOTE in block:  # faster than `bytes.count` where there are many
            inside = np.count_nonzero(np.frombuffer(block, np.uint8) == QUOTE[0]) % 2 == 1
        if inside or not block.endswith(line_end):
            block += _rest_of_record(stream, file, line_end, quoted=quoted, inside=inside)
        yield block


def _rest_of_record(
    stream: BufferedReader, file: str, line_end: bytes, *, quoted: bool, inside: bool
) -> bytes:
    """What a stream holds up to the end of the record it is in, which may be inside quotes."""
    rest = bytearray()
    while ahead := stream.peek(1):
        ends, inside = _record_ends(ahead, line_end, quoted=quoted, inside=inside)
        rest += stream.read(ends[0] if ends.size else len(ahead))
        if ends.size:
            return bytes(rest)
        if len(rest) > LONGEST_RECORD:
            what = "a quotation mark that is never closed?" if quoted else "is it text?"
            msg = f"a line of {file} is longer than {LONGEST_RECORD >> 20} MB: {what}"
            raise DataError(msg)
    if inside:
        msg = f"{file} ends inside quotation marks: is it whole? A mark is never closed"
        raise DataError(msg)
    return bytes(rest)


def first_records(block: bytes, *, quoted: bool) -> bytes:
    """As many whole records of a block as are looked at to infer types."""
    if len(block) <= LOOK_BYTES:
        return block
    line_end = b"\n" if b"\n" in block else b"\r"
    ends, _ = _record_ends(block[:LOOK_BYTES], line_end, quoted=quoted)
    return block[: ends[-1]] if ends.size else block


def first_record_end(block: bytes) -> int:
    """How many bytes the first record has, its line's end included."""
    inside = False
    for start in range(0, len(block), _PART):
        part = block[start : start + _PART]
        ends, inside = _record_ends(part, b"\r\n", quoted=True, inside=inside)
        if ends.size:
            end = start + int(ends[0])
            return end + (block[end - 1 : end + 1] == b"\r\n")
    return len(block)


def _record_ends(
    data: bytes, line_ends: bytes, *, quoted: bool, inside: bool = False
) -> tuple[NDArray[np.intp], bool]:
    """Where records end that begin inside quotes or not, and whether the last goes on inside."""
    values = np.frombuffer(data, np.uint8)
    is_end = np.isin(values, np.frombuffer(line_ends, np.uint8))
    if quoted and (inside or QUOTE in data):
        odd = (np.cumsum(values == QUOTE[0]) + inside) % 2 == 1
        is_end &= ~odd
        inside = bool(odd[-1])
    return np.flatnonzero(is_end) + 1, inside


# Types.


def infer_types(inferred: pa.Table, text: pa.Table, decimal: str = ".") -> InferredTypes:
    """The types to hold, given those that pyarrow infers and the same values as text."""
    fields, numbers, examples = [], set(), []
    for field, values in zip(inferred.schema, text.columns, strict=True):
        kind, name = field.type, field.name
        zeros = pa.types.is_integer(kind) and _count(values, _LEADING_ZERO) > 0
        if zeros or not (pa.types.is_integer(kind) or kind in {pa.float64(), pa.bool_()}):
            is_mixed, example = _mixed(values, decimal)
            if zeros or is_mixed:
                numbers.add(name)
            if example is not None:
                examples.append((name, example))
            kind = pa.string()
        fields.append(pa.field(name, kind))
    return InferredTypes(pa.schema(fields), frozenset(numbers), decimal, tuple(examples))


def _count(values: Any, pattern: str) -> int:
    import pyarrow.compute as pc

    return pc.sum(pc.match_substring_regex(values, pattern)).as_py() or 0


def has_decimal_commas(text: pa.Table, file: str) -> bool:
    """Whether numbers are written 1,5, as they may be where semicolons separate them."""
    commas = sum(_count(values, _DECIMAL_COMMA) for values in text.columns)
    if not commas:
        return False
    points = [name for name in text.column_names if _count(text.column(name), _DECIMAL_POINT)]
    if points:
        why = f"others with a point (column {points[0]!r})"
    elif commas == sum(_count(values, _THOUSANDS) for values in text.columns):
        why = "they could be thousands (1,234) or decimals (1.234)"
    else:
        return True
    msg = (
        f"{file} has numbers with a comma, and {why}: write decimals with a point and thousands "
        "without a separator, for example by exporting the file with English number formats"
    )
    raise DataError(msg)


def _mixed(values: Any, decimal: str) -> tuple[bool, str | None]:
    """Whether at least half of a column of strings are numbers, and a value that is none.

    Without any value nothing is known: the column may still turn out to hold numbers.
    """
    for some in (values[:_SAMPLE], values[_SAMPLE:]):  # the others only if these are all missing
        sample = some.combine_chunks()
        column, wrong = cast_text(sample, pa.float64(), decimal)
        n_numbers, n_wrong = len(column) - column.null_count, int(wrong.sum())
        if n_wrong:
            return n_numbers >= n_wrong, shorten(sample[int(wrong.argmax())].as_py())
        if n_numbers:
            break
    return True, None


def fit_types(
    table: pa.Table, selection: ColumnSelection, problems: Sequence[BadRow]
) -> ParsedTable:
    """The rows of a table of text whose values fit; the others are bad ones, beside `problems`."""
    n_records = table.num_rows + len(problems)
    rows = np.setdiff1d(np.arange(n_records), [bad.row for bad in problems])
    columns, wrong_rows = [], {}
    keep = np.ones(table.num_rows, dtype=bool)
    for field in selection.schema:
        values = table.column(field.name).combine_chunks()
        if selection.kinds.get(field.name) == "category" and pa.types.is_integer(field.type):
            values = _without_zeros(values)
        column, wrong = cast_text(values, field.type, selection.decimal)
        columns.append(column)
        for row in np.flatnonzero(wrong & keep).tolist():
            value = shorten(values[row].as_py())
            wrong_rows[row] = BadRow("", int(rows[row]), field.name, value, _problem(field.type))
        keep &= ~wrong
    good = pa.Table.from_arrays(columns, schema=selection.schema).filter(pa.array(keep))
    both = sorted([*problems, *wrong_rows.values()], key=lambda bad: bad.row)
    return ParsedTable(good, n_records, tuple(both))


def _problem(kind: Any) -> str:
    """What is wrong with a value that is not of this type."""
    if pa.types.is_floating(kind):
        return "is not a number"
    if pa.types.is_integer(kind):
        return "is not an integer, as the values at the start of the column are"
    if pa.types.is_boolean(kind):
        return "is not true or false, as the values at the start of the column are"
    return "is not UTF-8 text"


def cast_text(values: Any, kind: Any, decimal: str) -> tuple[Any, NDArray[np.bool_]]:
    """Text as another type, null where it does not fit, and where that is."""
    import pyarrow.compute as pc

    wrong = np.zeros(len(values), dtype=bool)
    text = _cast_by_halves(values, pa.string(), wrong)
    if pa.types.is_string(kind):
        return text, wrong
    if pa.types.is_dictionary(kind):
        return text.dictionary_encode().cast(kind), wrong
    text = pc.ascii_trim_whitespace(text)
    text = pc.if_else(pc.is_in(text, value_set=pa.array(NULLS)), None, text)
    if decimal == "," and pa.types.is_floating(kind):
        # A point is no number where commas are.
        text = pc.replace_substring(pc.replace_substring(text, ".", "?"), ",", ".")
    return _cast_by_halves(text, kind, wrong), wrong


def _without_zeros(values: Any) -> Any:
    """Text in which 3.0 is written 3, as an integer beside missing values may not be."""
    import pyarrow.compute as pc

    return pc.replace_substring_regex(values, r"\.0*(\s*)$", r"\1").cast(pa.binary())


def _cast_by_halves(values: Any, kind: Any, wrong: NDArray[np.bool_]) -> Any:
    """Cast, by halves where it does not go; `wrong` is set where a single value does not fit."""
    try:
        return values.cast(kind)
    except pa.ArrowInvalid:
        n = len(values)
        if n == 1:
            wrong[0] = True
            return pa.nulls(1, kind)
        parts = (slice(None, n // 2), slice(n // 2, None))
        return pa.concat_arrays([_cast_by_halves(values[x], kind, wrong[x]) for x in parts])
