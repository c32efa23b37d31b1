"""Rows of numbers and categories in memory: the values of an Arrow table, as they are."""

import numpy as np
import pyarrow as pa
import pytest

from gaussbayes.apps.cli.memory_rows import MemoryRows
from gaussbayes.data.sources.choice import Choice

COLUMNS = Choice("y", ("wind", "height", "month"), None, ("wind", "month"))


def table() -> pa.Table:
    wind = pa.array(["S", None, "M"]).dictionary_encode()
    return pa.table({"month": [3, 1, None], "height": [1.5, None, 2.5], "wind": wind})


def test_values_stay_what_they_are() -> None:
    taken = MemoryRows(COLUMNS)
    framed = taken.framed(taken.of(table()))
    assert framed["wind"].to_pylist() == ["S", None, "M"]
    assert framed["month"].to_pylist() == [3, 1, None]
    np.testing.assert_array_equal(framed["height"].to_numpy(), [1.5, np.nan, 2.5])
    assert framed.column_names == list(COLUMNS.features)


def test_numbers_alone_keep_their_type() -> None:
    taken = MemoryRows(Choice("y", ("a",), None))
    rows = taken.of(pa.table({"a": pa.array([1, 2], pa.float32())}))
    assert rows.dtype == np.float32
    assert taken.framed(rows)["a"].type == pa.float32()


def test_what_was_not_known_is_told_of(capsys: pytest.CaptureFixture[str]) -> None:
    known = pa.table({"wind": ["S", "M"], "height": [1.0, 2.0], "month": [1, 3]})
    taken = MemoryRows(COLUMNS, known)
    assert taken.texts == ("wind",)
    new = pa.table({"wind": ["S", "gale"], "height": [1.0, 2.0], "month": ["3", "?"]})
    rows = np.concatenate([taken.of(new), taken.of(new)])
    framed = taken.framed(rows)
    assert framed["wind"].to_pylist() == ["S", None] * 2
    assert framed["month"].to_pylist() == [3, None] * 2
    taken.tell_unseen()
    told = capsys.readouterr().err
    assert "2 values of 'wind' ('gale'), 2 values of 'month' ('?')" in told


def test_nothing_is_told_of_rows_that_come_first(capsys: pytest.CaptureFixture[str]) -> None:
    taken = MemoryRows(COLUMNS)
    taken.of(table())
    taken.tell_unseen()
    assert capsys.readouterr().err == ""
