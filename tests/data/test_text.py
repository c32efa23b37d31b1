"""Text cut into blocks: nothing is lost, and every block is whole records."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussbayes.base.errors import DataError
from gaussbayes.data.readers import text
from gaussbayes.data.readers.text import first_record_end

FIELDS = st.text(st.sampled_from('ab1,"\n '), max_size=6)
RECORDS = st.lists(st.lists(FIELDS, min_size=2, max_size=2), min_size=1, max_size=30)


def written(records: list[list[str]], line_end: str) -> bytes:
    sink = io.StringIO(newline="")
    csv.writer(sink, lineterminator=line_end).writerows(records)
    return sink.getvalue().encode()


def stream_of(data: bytes) -> io.BufferedReader:
    return io.BufferedReader(io.BytesIO(data), 16)


def parsed(block: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(block.decode(), newline=""), strict=True))


@given(RECORDS, st.sampled_from(["\n", "\r\n"]), st.integers(1, 60))
def test_blocks_are_whole_records(records: list[list[str]], line_end: str, size: int) -> None:
    data = written(records, line_end)
    blocks = list(text.text_blocks(stream_of(data), "file", quoted=True, size=size))
    assert b"".join(blocks) == data
    rows = [row for block in blocks for row in parsed(block) if row]
    assert rows == [row for row in parsed(data) if row]


@given(RECORDS)
def test_the_first_record(records: list[list[str]]) -> None:
    data = written(records, "\n")
    end = first_record_end(data)
    assert [row for row in parsed(data[:end]) if row] == [records[0]]


def test_a_line_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "LONGEST_RECORD", 1000)
    blocks = text.text_blocks(stream_of(b'1,"' + b"x\n" * 10_000), "a.csv", quoted=True, size=100)
    with pytest.raises(DataError, match=r"a line of a\.csv is longer than .* never closed"):
        list(blocks)


def test_the_end_of_a_record_is_found_among_many_short_lines() -> None:
    """A quoted value of millions of line ends takes no time that grows with its square."""
    data = b'1,"' + b"\n" * 3_000_000 + b'"\n2,x\n'
    stream = io.BufferedReader(io.BytesIO(data))
    blocks = list(text.text_blocks(stream, "a.csv", quoted=True, size=100))
    assert [len(block) for block in blocks] == [len(data) - 4, 4]
