"""The first line of a CSV file: what separates values, and what the columns are called."""

import csv
import re
from dataclasses import dataclass
from itertools import pairwise

from gaussbayes.base.errors import DataError, SchemaError
from gaussbayes.data.sources.matching import refuse_doubles
from gaussbayes.data.sources.text_blocks import first_record_end

BOM = b"\xef\xbb\xbf"

_SEPARATORS = (",", "\t", ";", "|")
_NUMBER = re.compile(r"\s*[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?\s*")
_WHOLE = re.compile(r"\s*\d+\s*")


@dataclass(frozen=True, slots=True)
class Header:
    """What separates values, the names of the columns, and where the first row begins."""

    separator: str
    names: tuple[str, ...]
    n_bytes: int


def read_header(block: bytes, file: str, separator: str | None = None) -> Header:
    r"""The header in the first block of a file.

    Without `separator`, it is the one of ``, TAB ; |`` that occurs most often in the first line,
    outside quotes.

    Examples
    --------
    >>> read_header(b'age;"height; cm"\n1;2\n', "file")
    Header(separator=';', names=('age', 'height; cm'), n_bytes=17)
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
    except UnicodeDecodeError as error:
        msg = (
            f"the first line of {file} is not UTF-8 text ({error.reason}): write the file as UTF-8"
        )
        raise DataError(msg) from None
    found = separator if separator is not None else _separator(line)
    names = tuple(_fields(line, found))
    _refuse_data(names, file)
    refuse_doubles(file, names)
    return Header(found, names, end)


def _separator(line: str) -> str:
    unquoted = re.sub(r'"(?:[^"]|"")*"', "", line)
    return max(_SEPARATORS, key=unquoted.count)


def _fields(line: str, separator: str) -> list[str]:
    return next(csv.reader([line.rstrip("\r\n")], delimiter=separator), [])


def _refuse_data(names: tuple[str, ...], file: str) -> None:
    """Refuse a first line that holds numbers; 0, 1, 2, … or 2019, 2020 may be names."""
    numbers = [name for name in names if _NUMBER.fullmatch(name)]
    whole = [int(name) for name in numbers if _WHOLE.fullmatch(name)]
    in_sequence = len(whole) == len(numbers) and all(
        after == before + 1 for before, after in pairwise(whole)
    )
    if numbers and not in_sequence:
        some = ", ".join(map(repr, names[:4]))
        msg = (
            f"the first line of {file} looks like a row of data ({some}{', …' * (len(names) > 4)})"
            ", but must name the columns: put a line with their names before it"
        )
        raise SchemaError(msg)
