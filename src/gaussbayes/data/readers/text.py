"""Formats of text, CSV, TSV and JSON lines: blocks of whole records → Arrow tables, in any thread.

A record ends at the end of a line outside quotes. A place is outside quotes if the number of
quotation marks before it is even; doubled marks inside a quoted value do not change this.

Types are inferred from a first block: integers, numbers, booleans, and strings for everything else,
including dates and numbers with leading zeros (``007``). Strings are passed on unchanged. A column
without values has strings, unless it is read as a feature: then all its values are missing, and
later ones are numbers.
"""

import csv
import json
import re
from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from io import BufferedReader, BytesIO
from itertools import chain, pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv as arrow_csv
from pyarrow import json as arrow_json

from gaussbayes.base.errors import DataError
from gaussbayes.base.notices import Remedy
from gaussbayes.data.files import FileReader, OpenBytes, SourceFile, naming, open_bytes
from gaussbayes.data.schema import ORDINARY, ColumnMarks, MissingMarks
from gaussbayes.data.sources import (
    NOT_A_NUMBER,
    BadRow,
    Batch,
    ColumnSelection,
    InferredTypes,
    ParsedTable,
    shorten,
)
from gaussbayes.data.tables import amount_marks, amount_pattern, check_present, is_number

BLOCK_BYTES = 1 << 23
"""Nominal size of a block: large enough for a thread, small enough to keep several in memory."""

LOOK_BYTES = 1 << 21
"""Nominal size of the first block, from which types are inferred."""

LONGEST_RECORD = 1 << 25
"""A longer record indicates a quotation mark that was never closed."""

FALLBACK = "cp1252"
"""The default encoding of text that is not UTF-8."""

BOM = b"\xef\xbb\xbf"
QUOTE = b'"'

_DECIMAL_COMMA = r"^\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*$"
_THOUSANDS = r"^\s*[+-]?[1-9]\d{0,2}(,\d{3})+\s*$"
_DECIMAL_POINT = r"^\s*[+-]?\d*\.\d+([eE][+-]?\d+)?\s*$"
_LEADING_ZERO = r"^\s*[+-]?0\d"
_FLOAT = r"(?i)^[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?|nan)$"
_SHORT_INTEGER = r"^(-?0*\d{1,18}|0[xX][0-9a-fA-F]{1,16})$"
_LONG_INTEGER = r"^-?0*\d{19}$"
_BOOLEAN = r"(?i)^(true|false|0|1)$"
_AMOUNT_LIKE = re.compile(r"[-+\d.,?\s$€£¥%]*")
_SAMPLE = 100
"""Number of values of a string column that are tested first: usually they show that not all are
numbers."""

_STEP = 1 << 20
"""Bytes that pyarrow parses at a time, so that input and output fit into the cache. With quotes,
finding the places to cut would take as long."""

_SEPARATORS = (",", "\t", ";", "|")
_NUMBER = re.compile(r"\s*[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?\s*")
_INTEGER = re.compile(r"\s*\d+\s*")
_DAY = re.compile(r"\s*\d{4}-\d\d-\d\d")

_MOST_VALUES = 1 << 24
"""Most values of a block of JSON: lines without many of the columns would take more memory than
their length."""


class TextReader(FileReader):
    """A file of text, read block by block."""

    quoted = True
    """Whether quotation marks may hide the ends of lines."""

    def __init__(self, file: SourceFile, stream: OpenBytes) -> None:
        super().__init__(file)
        stream.close()

    def look(self, missing: MissingMarks) -> tuple[InferredTypes, bool]:
        with closing(self._blocks()) as blocks:
            return self.infer(next(blocks, b""), missing)

    def batches(self, selection: ColumnSelection) -> Iterator[Batch]:
        blocks = self._blocks()
        data, parse = self.begin(next(blocks, b""), selection)
        for block in chain([data], blocks):
            yield partial(parse, block)

    @abstractmethod
    def infer(self, block: bytes, missing: MissingMarks) -> tuple[InferredTypes, bool]:
        """The columns and types of the first block, and whether it has rows."""

    @abstractmethod
    def begin(
        self, block: bytes, selection: ColumnSelection
    ) -> tuple[bytes, Callable[[bytes], ParsedTable]]:
        """The rows in the first block, and the parser of any block."""

    def _blocks(self) -> Generator[bytes, None, None]:
        with naming(self.file), closing(open_bytes(self.file)) as opened:
            blocks = text_blocks(opened, self.file.shown, quoted=self.quoted)
            for block in self._as_utf8(blocks):
                self.bytes_read = opened.n_taken()
                yield block

    def _as_utf8(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        """Blocks in UTF-8; unless an encoding is given, text that is not UTF-8 is cp1252.

        The first block that is not ASCII decides."""
        is_other: bool | None = None
        for block in blocks:
            if block.isascii():
                yield block
                continue
            if is_other is None:
                is_other = self.file.encoding is None and not _may_be_utf8(block)
                message = f"{self.file.shown} is not UTF-8 and was read as {FALLBACK}"
                self.notice("encoding", message, given=is_other)
            if is_other:
                yield block.decode(FALLBACK, "replace").encode()
            else:
                _check_utf8(block, self.file.shown)
                yield block


# Records.


def text_blocks(
    stream: BufferedReader, file: str, *, quoted: bool, size: int | None = None
) -> Iterator[bytes]:
    """Cut a stream into blocks of whole records; the first is smaller."""
    size = BLOCK_BYTES if size is None else size
    block = stream.read(min(LOOK_BYTES, size))
    while block:
        yield block + _rest_of_record(stream, file, block, quoted=quoted)
        block = stream.read(size)


def _rest_of_record(stream: BufferedReader, file: str, block: bytes, *, quoted: bool) -> bytes:
    """The remaining bytes of the current record of a stream, which may be inside quotes."""
    inside = False
    if quoted and QUOTE in block:  # faster than `bytes.count` for many
        inside = np.count_nonzero(np.frombuffer(block, np.uint8) == QUOTE[0]) % 2 == 1
    rest, line = bytearray(), block
    while inside or not line.endswith(b"\n"):
        if inside and QUOTE not in (hidden := stream.peek()):
            line = stream.read(len(hidden))  # at once: its lines end inside the quotes, all of them
        else:
            line = stream.readline(LONGEST_RECORD)
        rest += line
        inside ^= quoted and line.count(QUOTE) % 2 == 1
        if len(rest) > LONGEST_RECORD:
            what = "a quotation mark that is never closed?" if quoted else "is it text?"
            msg = f"a line of {file} is longer than {LONGEST_RECORD >> 20} MB: {what}"
            raise DataError(msg)
        if inside and not line:
            msg = f"{file} ends inside quotation marks: is it whole? A mark is never closed"
            raise DataError(msg)
        if not line:
            break
    return bytes(rest)


def first_record_end(block: bytes) -> int:
    """The number of bytes of the first record with its line end."""
    end = n_quotes = 0
    for line in BytesIO(block):
        end, n_quotes = end + len(line), n_quotes + line.count(QUOTE)
        if n_quotes % 2 == 0:
            break
    return end


# UTF-8.


def _may_be_utf8(data: bytes) -> bool:
    """Whether data is UTF-8 in which a few bytes may be damaged."""
    text = data.decode(errors="surrogateescape")
    n_damaged = sum(map("\udc80".__le__, filter("\udfff".__ge__, text)))
    return 2 * n_damaged < sum(not letter.isascii() for letter in text)


def _check_utf8(data: bytes, file: str) -> None:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        around = data[max(0, error.start - 10) : error.end + 10]
        msg = f"{file} is not UTF-8 text, for example at {around!r}: write it as UTF-8"
        other = Remedy("read it in another encoding", read=(("encoding", "latin-1"),))
        raise DataError(msg).with_remedies([other]) from None


# Types.


def infer_types(text: pa.Table, decimal: str, missing: MissingMarks) -> InferredTypes:
    """The types that all values of columns have, as pyarrow parses them."""
    fields = [
        pa.field(name, _type_of(values, decimal, missing.of(name)))
        for name, values in zip(text.column_names, text.columns, strict=True)
    ]
    return InferredTypes(pa.schema(fields), decimal, is_text=True)


def _type_of(values: Any, decimal: str, marks: ColumnMarks) -> Any:
    """The type of a column of strings: integer, boolean or number if all values are, or string.

    For most columns of strings a few distinct values decide.
    """
    kinds = [pa.int64(), pa.bool_(), pa.float64()]
    for sample in (values[:_SAMPLE].unique(), values):
        text = _plain(sample, decimal, marks)
        kinds = [kind for kind in kinds if pc.all(_fits(text, kind)).as_py() is not False]
        if not kinds:
            if not _AMOUNT_LIKE.fullmatch(text.drop_null()[0].as_py()):
                return pa.string()
            spelled = (_plain(part, decimal, marks, amounts=True) for part in (sample, values))
            is_amount = all(pc.all(_fits(part, pa.float64())).as_py() for part in spelled)
            return pa.float64() if is_amount else pa.string()
    if text.null_count == len(text):
        return pa.string()
    zeros = kinds[0] == pa.int64() and _count(text, _LEADING_ZERO)
    return pa.string() if zeros else kinds[0]


def _count(values: Any, pattern: str) -> int:
    return pc.sum(pc.match_substring_regex(values, pattern)).as_py() or 0


def has_decimal_commas(text: pa.Table, file: str) -> bool:
    """Whether numbers have decimal commas, as they may if semicolons separate them."""
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


def fit_types(
    table: pa.Table, selection: ColumnSelection, problems: Sequence[BadRow]
) -> ParsedTable:
    """The rows of a text table whose values fit; the others are added to `problems`."""
    columns = []
    bad: dict[int, BadRow] = {}
    for field in selection.schema:
        values = table.column(field.name).combine_chunks()
        if selection.kinds.get(field.name) == "category" and pa.types.is_integer(field.type):
            # 3.0 is written 3, because integers with missing values may be stored as floats.
            values = pc.replace_substring_regex(values, r"\.0*(\s*)$", r"\1")
        marks = selection.missing.of(field.name)
        column, wrong = cast_text(values, field.type, selection.decimal, marks)
        columns.append(column)
        for row in np.flatnonzero(wrong).tolist():
            if row not in bad:
                value = shorten(values[row].as_py())
                bad[row] = BadRow("", row, field.name, value, _problem(field.type))
    fitting = pa.Table.from_arrays(columns, schema=selection.schema)
    n_records = table.num_rows + len(problems)
    return ParsedTable(fitting, n_records, tuple(problems)).without(bad)


def _problem(kind: Any) -> str:
    """The problem with a value that is not of this type."""
    if pa.types.is_floating(kind):
        return NOT_A_NUMBER
    what = "an integer" if pa.types.is_integer(kind) else "true or false"
    return f"is not {what}, as the values at the start of the column are"


def cast_text(
    values: Any, kind: Any, decimal: str, marks: ColumnMarks = ORDINARY
) -> tuple[Any, NDArray[np.bool_]]:
    """Text cast to another type, null for values that do not fit, and their mask."""
    if not is_number(kind):
        held = values if pa.types.is_string(kind) else values.dictionary_encode().cast(kind)
        return held, np.zeros(len(values), dtype=bool)
    is_float = pa.types.is_floating(kind)
    text = _plain(values, decimal if is_float else ".", marks)
    fits = _fits(text, kind)
    if is_float and pc.all(fits).as_py() is False:
        text = _plain(values, decimal, marks, amounts=True)
        fits = _fits(text, kind)
    wrong = pc.invert(fits).fill_null(fill_value=False)
    return pc.if_else(fits, text, None).cast(kind), np.asarray(wrong)


def _plain(values: Any, decimal: str, marks: ColumnMarks, *, amounts: bool = False) -> Any:
    """Stripped text, with null for marks and decimal points in numbers.

    `amounts` of money and percentages become their numbers.
    """
    text = pc.ascii_trim_whitespace(values)
    text = pc.if_else(pc.is_in(text, value_set=pa.array(sorted(marks.strings))), None, text)
    if amounts:
        bare = pc.replace_substring_regex(text, amount_marks(decimal), "")
        text = pc.if_else(pc.match_substring_regex(text, amount_pattern(decimal)), bare, text)
    if decimal == ",":  # "1.5" is not a number if the decimal mark is a comma
        text = pc.replace_substring(pc.replace_substring(text, ".", "?"), ",", ".")
    return text


def _fits(text: Any, kind: Any) -> Any:
    """Which strings pyarrow parses as values of a type."""
    if not pa.types.is_integer(kind):
        return pc.match_substring_regex(text, _FLOAT if pa.types.is_floating(kind) else _BOOLEAN)
    is_long = pc.match_substring_regex(text, _LONG_INTEGER)
    long = pc.if_else(is_long, text, None).cast(pa.decimal128(38, 0))
    low, high = (pa.scalar(each, long.type) for each in (-(1 << 63), (1 << 63) - 1))
    in_range = pc.and_(pc.greater_equal(long, low), pc.less_equal(long, high))
    is_short = pc.match_substring_regex(text, _SHORT_INTEGER)
    return pc.if_else(is_long, in_range, is_short)


# CSV and TSV.


@dataclass(frozen=True, slots=True)
class Header:
    """The first line: separator, names of the columns, and length."""

    separator: str
    names: tuple[str, ...]
    n_bytes: int

    def parse(self, selection: ColumnSelection, data: bytes) -> ParsedTable:
        """The rows of a block cast to the expected types, by way of text if some do not fit."""
        types = {field.name: field.type for field in selection.schema}
        types |= {name: pa.dictionary(pa.int32(), types[name]) for name in selection.encoded}
        # Marks are missing numbers; strings do not change.
        options = arrow_csv.ConvertOptions(
            column_types=types,
            include_columns=selection.columns,
            decimal_point=selection.decimal,
            null_values=sorted(selection.missing.everywhere | {""}),
        )
        try:
            table, problems = self.table(data, options, step=None if QUOTE in data else _STEP)
        except pa.ArrowInvalid:
            text, problems = self.text(data)
            return fit_types(text.select(selection.columns), selection, problems)
        return ParsedTable(table, table.num_rows + len(problems), tuple(problems))

    def text(self, data: bytes) -> tuple[pa.Table, list[BadRow]]:
        """All values as text, and the rows with too few or too many values."""
        types = dict.fromkeys(self.names, pa.string())
        return self.table(data, arrow_csv.ConvertOptions(column_types=types))

    def table(
        self, data: bytes, options: Any, step: int | None = None
    ) -> tuple[pa.Table, list[BadRow]]:
        """The rows of a block, and those whose number of values is not that of the columns.

        `step` is the number of bytes that pyarrow parses at a time, None for all.
        """
        problems: list[BadRow] = []

        def skip(row: Any) -> str:
            values = f"{row.actual_columns} value{'s' if row.actual_columns != 1 else ''}"
            problem = f"has {values}, but there are {len(self.names)} columns"
            problems.append(BadRow("", row.number - 1, None, None, problem))
            return "skip"

        if not data or data.isspace():
            names = options.include_columns or self.names
            types = [(name, options.column_types.get(name, pa.null())) for name in names]
            return pa.schema(types).empty_table(), problems
        reading = arrow_csv.ReadOptions(
            column_names=self.names, use_threads=False, block_size=step or len(data) + 1
        )
        parsing = arrow_csv.ParseOptions(
            delimiter=self.separator,
            newlines_in_values=QUOTE in data,
            invalid_row_handler=skip,
        )
        table = arrow_csv.read_csv(pa.BufferReader(data), reading, parsing, options)
        return table, problems


class CsvReader(TextReader):
    """A file of CSV or TSV."""

    def infer(self, block: bytes, missing: MissingMarks) -> tuple[InferredTypes, bool]:
        header = self._header(block)
        text, _ = header.text(block[header.n_bytes :])
        commas = header.separator == ";" and has_decimal_commas(text, self.file.shown)
        return infer_types(text, "," if commas else ".", missing), text.num_rows > 0

    def begin(
        self, block: bytes, selection: ColumnSelection
    ) -> tuple[bytes, Callable[[bytes], ParsedTable]]:
        header = self._header(block)
        check_present(header.names, selection.columns, self.file.shown)
        return block[header.n_bytes :], partial(header.parse, selection)

    def _header(self, block: bytes) -> Header:
        separator = "\t" if self.file.format == "tsv" else None
        header = read_header(block, self.file.shown, separator, named=self.file.header)
        names = self.distinct([name.strip() for name in header.names])
        return replace(header, names=names)


def read_header(
    block: bytes, file: str, separator: str | None = None, *, named: bool = True
) -> Header:
    """The header in the first block of a file; if it is not `named`, columns are x1, x2, ….

    Without `separator`, it is the one of ``, TAB ; |`` that occurs most often in the first line,
    outside quotes.
    """
    start = len(BOM) if block.startswith(BOM) else 0
    while block[start : start + 1] in {b"\n", b"\r"}:
        start += 1
    if not block[start:].strip():
        msg = f"{file} is empty: the first line must name the columns"
        raise DataError(msg)
    end = start + first_record_end(block[start:])
    try:
        line = block[start:end].decode()
        if separator is None:
            unquoted = re.sub(r'"(?:[^"]|"")*"', "", line)
            separator = max(_SEPARATORS, key=unquoted.count)
        names = tuple(next(csv.reader([line.rstrip("\r\n")], delimiter=separator), []))
    except csv.Error as error:
        msg = f"the first line of {file}, which must name the columns, cannot be read: {error}"
        raise DataError(msg) from None
    if not named:
        return Header(separator, tuple(f"x{n}" for n in range(1, len(names) + 1)), start)
    _check_is_header(names, file)
    return Header(separator, names, end)


def _check_is_header(names: tuple[str, ...], file: str) -> None:
    """Raise for a first line with numbers or dates; 0, 1, 2, … or 2019, 2020 may be names.

    A name that recurs often is treated as a value, too.
    """
    numbers = [name for name in names if _NUMBER.fullmatch(name)]
    integers = [int(name) for name in numbers if _INTEGER.fullmatch(name)]
    in_sequence = len(integers) == len(numbers) and all(
        after == before + 1 for before, after in pairwise(integers)
    )
    twice = len(names) - len(set(names) - {""}) - names.count("")
    if (numbers and not in_sequence) or any(map(_DAY.match, names)) or 2 * twice > len(names):
        some = ", ".join(map(repr, names[:4]))
        msg = (
            f"the first line of {file} looks like a row of data ({some}{', …' * (len(names) > 4)})"
            ", but must name the columns: put a line with their names before it"
        )
        without = Remedy("read a file without a header", read=(("header", False),))
        raise DataError(msg).with_remedies([without])


# JSON lines.


class JsonLinesReader(TextReader):
    """A file of JSON lines."""

    quoted = False

    def infer(self, block: bytes, missing: MissingMarks) -> tuple[InferredTypes, bool]:
        objects, _ = _objects(self._lines(block))
        names = list(dict.fromkeys(name for record in objects for name in record))
        if not objects:
            msg = f'{self.file.shown} has no rows: each line must be an object such as {{"age": 1}}'
            raise DataError(msg)
        text = _object_text(objects[: max(1, _MOST_VALUES // max(1, len(names)))], names)
        return infer_types(text, ".", missing), True

    def begin(
        self, block: bytes, selection: ColumnSelection
    ) -> tuple[bytes, Callable[[bytes], ParsedTable]]:
        data = self._lines(block)
        absent = set(selection.columns)
        for line in BytesIO(data):
            absent.difference_update(*_objects(line)[0])
            if not absent:  # usually after the first line
                break
        if absent:
            names = {name for record in _objects(data)[0] for name in record}
            if names:
                check_present([*names], selection.columns, self.file.shown)
        return data, partial(_parse_objects, self.file.shown, selection)

    def _lines(self, block: bytes) -> bytes:
        """The lines of the first block, which must not be an array."""
        block = block.removeprefix(BOM)
        if block.lstrip().startswith(b"["):
            msg = (
                f"{self.file.shown} holds a JSON array; give one object a line, for example with "
                "`jq -c '.[]'`"
            )
            raise DataError(msg)
        return block


def _parse_objects(file: str, selection: ColumnSelection, data: bytes) -> ParsedTable:
    """The rows of a block cast to the expected types; absent values are null."""
    if (data.count(b"\n") + 1) * len(selection.columns) > _MOST_VALUES:
        msg = (
            f"{file} has more than {_MOST_VALUES:,} values in {1 + (len(data) >> 20)} MB, "
            f"nearly all of them missing: choose fewer of its {len(selection.columns)} columns"
        )
        raise DataError(msg)
    if not data or data.isspace():
        return ParsedTable(selection.schema.empty_table(), 0)
    reading = arrow_json.ReadOptions(use_threads=False, block_size=len(data) + 1)
    parsing = arrow_json.ParseOptions(
        explicit_schema=selection.schema, unexpected_field_behavior="ignore"
    )
    with suppress(pa.ArrowInvalid, pa.ArrowNotImplementedError):
        table = arrow_json.read_json(pa.BufferReader(data), reading, parsing)
        return ParsedTable(table.select(selection.columns), table.num_rows)
    objects, problems = _objects(data)  # value by value, to find the problem
    text = _object_text(objects, selection.columns)
    return fit_types(text, selection, problems)


def _objects(data: bytes) -> tuple[list[dict[str, Any]], list[BadRow]]:
    """The objects in lines that are not blank, and the problems of lines without one."""
    objects: list[dict[str, Any]] = []
    problems: list[BadRow] = []
    for line in data.splitlines():
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            problem = f"is not an object: {shorten(line)}"
        except (ValueError, RecursionError) as error:
            value, problem = None, f"is not JSON: {error}"
        if isinstance(value, dict):
            objects.append(value)
        else:
            problems.append(BadRow("", len(objects) + len(problems), None, None, problem))
    return objects, problems


def _object_text(objects: list[dict[str, Any]], names: list[str]) -> Any:
    """The values as a CSV file would hold them."""

    def text(value: Any) -> str | None:
        if value is None or isinstance(value, str):
            # Half of a surrogate pair is not a character.
            return value and value.encode("utf-8", "replace").decode()
        return repr(value) if type(value) in {int, float} else json.dumps(value)  # which is slower

    columns = [
        pa.array(
            [text(record[name]) if name in record else None for record in objects], pa.string()
        )
        for name in names
    ]
    return pa.Table.from_arrays(columns, names=names)
