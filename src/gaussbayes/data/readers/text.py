"""What formats of text have in common: blocks of whole records, and the types of their columns.

A record ends at a line's end that is not inside quotes. Whether one is inside is told by the number
of quotation marks before it, which is even outside; doubled marks inside a quoted value keep it so.

Types are inferred from a first block. Integers, numbers and booleans are what they are; everything
else, dates and numbers with leading zeros (``007``) included, is strings and passed on as it is. A
column without any value holds strings, unless it is read as a feature: then all its values are
missing, and later ones are numbers.
"""

from collections.abc import Iterator
from io import BufferedReader
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.data.bad_rows import RowProblem, shorten
from gaussbayes.data.categories import NULLS
from gaussbayes.data.selection import InferredTypes, Selection

if TYPE_CHECKING:
    import pyarrow as pa

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
    size = BLOCK_BYTES if size is None else size
    while block := stream.read(size):
        line_end = b"\r" if b"\n" not in block and b"\r" in block else b"\n"
        inside = quoted and _count_marks(block) % 2 == 1
        if inside or not block.endswith(line_end):
            block += _rest_of_record(stream, file, line_end, quoted=quoted, inside=inside)
        yield block


def _rest_of_record(
    stream: BufferedReader, file: str, line_end: bytes, *, quoted: bool, inside: bool
) -> bytes:
    """What a stream holds up to the end of the record it is in, which may be inside quotes."""
    rest = bytearray()
    while ahead := stream.peek(1):
        end, inside = _record_end(ahead, line_end, quoted=quoted, inside=inside)
        rest += stream.read(end or len(ahead))
        if end:
            return bytes(rest)
        if len(rest) > LONGEST_RECORD:
            what = "a quotation mark that is never closed?" if quoted else "is it text?"
            msg = f"a line of {file} is longer than {LONGEST_RECORD >> 20} MB: {what}"
            raise DataError(msg)
    if inside:
        msg = f"{file} ends inside quotation marks: is it whole? A mark is never closed"
        raise DataError(msg)
    return bytes(rest)


def _record_end(ahead: bytes, line_end: bytes, *, quoted: bool, inside: bool) -> tuple[int, bool]:
    """How many bytes belong to the record that is read, 0 if it goes on, and if so inside quotes.

    Examples
    --------
    >>> _record_end(b'x"y\\nz', b"\\n", quoted=True, inside=True)
    (4, False)
    >>> _record_end(b"x\\ny", b"\\n", quoted=True, inside=True)
    (0, True)
    """
    if not quoted or QUOTE not in ahead:
        return (0 if inside else ahead.find(line_end) + 1), inside
    values = np.frombuffer(ahead, np.uint8)
    odd = (np.cumsum(values == QUOTE[0]) + inside) % 2 == 1
    ends = np.flatnonzero((values == line_end[0]) & ~odd)
    return (int(ends[0]) + 1, False) if ends.size else (0, bool(odd[-1]))


def first_records(block: bytes, *, quoted: bool) -> bytes:
    """As many whole records of a block as are looked at to infer types."""
    if len(block) <= LOOK_BYTES:
        return block
    line_end = b"\n" if b"\n" in block else b"\r"
    return block[: last_record_end(block[:LOOK_BYTES], line_end, quoted=quoted)] or block


def last_record_end(block: bytes, line_end: bytes = b"\n", *, quoted: bool = True) -> int:
    r"""How many bytes of a block, which begins where a record does, are whole records.

    Examples
    --------
    >>> last_record_end(b'1,2\n3,"x\ny'), last_record_end(b'3,"x\ny')
    (4, 0)
    """
    if not quoted or QUOTE not in block:
        return block.rfind(line_end) + 1
    values = np.frombuffer(block, np.uint8)
    outside = np.cumsum(values == QUOTE[0]) % 2 == 0
    ends = np.flatnonzero((values == line_end[0]) & outside)
    return int(ends[-1]) + 1 if ends.size else 0


def first_record_end(block: bytes) -> int:
    r"""How many bytes the first record has, its line's end included.

    Examples
    --------
    >>> first_record_end(b'a,"b\nc"\n1,2\n')
    8
    """
    inside = False
    for start in range(0, len(block), _PART):
        values = np.frombuffer(block[start : start + _PART], np.uint8)
        odd = (np.cumsum(values == QUOTE[0]) + inside) % 2 == 1
        ends = np.flatnonzero(((values == ord("\n")) | (values == ord("\r"))) & ~odd)
        if ends.size:
            end = start + int(ends[0])
            return end + (2 if block[end : end + 2] == b"\r\n" else 1)
        inside = bool(odd[-1])
    return len(block)


def _count_marks(block: bytes) -> int:
    """How many quotation marks there are; faster than `bytes.count` where there are many."""
    if QUOTE not in block:
        return 0
    values = np.frombuffer(block, np.uint8)
    # In parts that stay in the cache.
    parts = (values[at : at + _PART] for at in range(0, values.size, _PART))
    return sum(int(np.count_nonzero(part == QUOTE[0])) for part in parts)


def infer_types(inferred: "pa.Table", text: "pa.Table", decimal: str = ".") -> InferredTypes:
    """The types to hold, given those that pyarrow infers and the same values as text.

    Examples
    --------
    >>> import pyarrow as pa
    >>> text = pa.table({"a": [b"1", b"2"], "b": [b"007", b"8"]})
    >>> infer_types(pa.table({"a": [1, 2], "b": [7, 8]}), text).schema.types
    [DataType(int64), DataType(string)]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    fields, numbers, examples = [], set(), []
    for field in inferred.schema:
        values = text.column(field.name)
        kind, name = field.type, field.name
        zeros = pa.types.is_integer(kind) and (
            pc.any(pc.match_substring_regex(values, _LEADING_ZERO)).as_py()
        )
        if zeros or not (pa.types.is_integer(kind) or kind in {pa.float64(), pa.bool_()}):
            is_mixed, example = _mixed(values, decimal)
            if zeros or is_mixed:
                numbers.add(name)
            if example is not None:
                examples.append((name, example))
            kind = pa.string()
        fields.append(pa.field(name, kind))
    return InferredTypes(pa.schema(fields), frozenset(numbers), decimal, tuple(examples))


def has_decimal_commas(text: "pa.Table", file: str) -> bool:
    """Whether numbers are written 1,5, as they may be where semicolons separate them.

    Examples
    --------
    >>> import pyarrow as pa
    >>> has_decimal_commas(pa.table({"a": [b"1,5", b"2"]}), "file")
    True
    """
    import pyarrow.compute as pc

    def count(values: Any, pattern: str) -> int:
        return pc.sum(pc.match_substring_regex(values, pattern)).as_py() or 0

    commas = sum(count(values, _DECIMAL_COMMA) for values in text.columns)
    if not commas:
        return False
    points = [name for name in text.column_names if count(text.column(name), _DECIMAL_POINT)]
    if points:
        why = f"others with a point (column {points[0]!r})"
    elif commas == sum(count(values, _THOUSANDS) for values in text.columns):
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
    import pyarrow as pa

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
    table: "pa.Table", selection: Selection, rows: NDArray[np.intp]
) -> tuple["pa.Table", list[RowProblem]]:
    """The rows of a table of text whose values fit, and what is wrong with the others.

    Parameters
    ----------
    rows : (n,) what the rows are numbered in their block
    """
    import pyarrow as pa

    columns, problems = [], {}
    keep = np.ones(table.num_rows, dtype=bool)
    for field in selection.schema:
        values = table.column(field.name).combine_chunks()
        if field.name in selection.categorical and pa.types.is_integer(field.type):
            values = _without_zeros(values)
        column, wrong = cast_text(values, field.type, selection.decimal)
        columns.append(column)
        for row in np.flatnonzero(wrong & keep).tolist():
            value = shorten(values[row].as_py())
            problems[row] = RowProblem(int(rows[row]), field.name, value, _problem(field.type))
        keep &= ~wrong
    good = pa.Table.from_arrays(columns, schema=selection.schema)
    return good.filter(pa.array(keep)), [problems[row] for row in sorted(problems)]


def _problem(kind: Any) -> str:
    """What is wrong with a value that is not of this type."""
    import pyarrow as pa

    if pa.types.is_floating(kind):
        return "is not a number"
    if pa.types.is_integer(kind):
        return "is not an integer, as the values at the start of the column are"
    if pa.types.is_boolean(kind):
        return "is not true or false, as the values at the start of the column are"
    return "is not UTF-8 text"


def cast_text(values: Any, kind: Any, decimal: str) -> tuple[Any, NDArray[np.bool_]]:
    """Text as another type, null where it does not fit, and where that is.

    Examples
    --------
    >>> import pyarrow as pa
    >>> column, wrong = cast_text(pa.array([b"1", b"x", b"NA"]), pa.float64(), ".")
    >>> column.to_pylist(), wrong.tolist()
    ([1.0, None, None], [False, True, False])
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    wrong = np.zeros(len(values), dtype=bool)
    text = _cast_by_halves(values, pa.string(), wrong)
    if pa.types.is_string(kind):
        return text, wrong
    if pa.types.is_dictionary(kind):
        return text.dictionary_encode().cast(kind), wrong
    text = pc.ascii_trim_whitespace(text)
    missing = pc.is_in(text, value_set=pa.array(NULLS))
    text = pc.if_else(missing, None, text)
    if decimal == "," and pa.types.is_floating(kind):
        # A point is no number where commas are.
        text = pc.replace_substring(pc.replace_substring(text, ".", "?"), ",", ".")
    return _cast_by_halves(text, kind, wrong), wrong


def _without_zeros(values: Any) -> Any:
    """Text in which 3.0 is written 3, as an integer beside missing values may not be."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.replace_substring_regex(values, r"\.0*(\s*)$", r"\1").cast(pa.binary())


def _cast_by_halves(values: Any, kind: Any, wrong: NDArray[np.bool_]) -> Any:
    """Cast, by halves where it does not go; `wrong` is set where a single value does not fit."""
    import pyarrow as pa

    try:
        return values.cast(kind)
    except pa.ArrowInvalid:
        n = len(values)
        if n == 1:
            wrong[0] = True
            return pa.nulls(1, kind)
        half = n // 2
        return pa.concat_arrays(
            [
                _cast_by_halves(values[:half], kind, wrong[:half]),
                _cast_by_halves(values[half:], kind, wrong[half:]),
            ]
        )
