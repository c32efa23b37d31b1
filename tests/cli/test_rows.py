"""Labelled rows of files: whole, sampled, or part by part, as an independent reader gives them."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from gaussbayes.apps.cli import reading, rows
from gaussbayes.base.errors import DataError, SchemaError


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def text(content: str, name: str = "rows.csv") -> Any:
    Path(name).write_bytes(content.encode())
    return reading.opened([name])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rows.csv", "a,b,y\n1,2.5,no\n3,4,yes\n"),
        ("rows.CSV", "\ufeffa,b,y\r\n1,2.5,no\r\n3,4,yes\r\n"),
        ("rows.tsv", "a\tb\ty\n1\t2.5\tno\n3\t4\tyes"),
        ("rows.tab", 'a\t"b"\ty\n1\t"2.5"\tno\n\n3\t4\tyes\n'),
        ("rows.jsonl", '{"a": 1, "b": 2.5, "y": "no"}\n{"a": 3, "b": 4, "y": "yes"}\n'),
    ],
)
def test_text_files(name: str, content: str) -> None:
    found = rows.read(text(content, name), "y")
    assert found.features.to_pydict() == {"a": [1.0, 3.0], "b": [2.5, 4.0]}
    assert found.labels.tolist() == ["no", "yes"]
    assert found.target == "y"


def test_parquet_files_of_other_types() -> None:
    columns = {
        "small": pa.array([1, 2], pa.int8()),
        "true": pa.array([True, False]),
        "money": pa.array(["1.50", "2.25"]).cast(pa.decimal128(5, 2)),
        "single": pa.array([0.5, 1.5], pa.float32()),
        "y": pa.array(["no", "yes"]).dictionary_encode(),
    }
    parquet.write_table(pa.table(columns), "rows.parquet")
    found = rows.read(reading.opened(["rows.parquet"]), "y")
    assert found.features.to_pydict() == {
        "small": [1.0, 2.0],
        "true": [1.0, 0.0],
        "money": [1.5, 2.25],
        "single": [0.5, 1.5],
    }
    assert found.labels.tolist() == ["no", "yes"]


def test_many_blocks_of_many_files_are_in_order() -> None:
    generator = np.random.default_rng(0)
    table = pd.DataFrame(generator.normal(size=(30_000, 3)), columns=list("abc"))
    table["y"] = generator.integers(4, size=30_000)
    for number in range(3):
        part = pa.Table.from_pandas(table.iloc[number * 10_000 : (number + 1) * 10_000])
        parquet.write_table(part, f"{number}.parquet", row_group_size=999)
    found = rows.read(reading.opened(["*.parquet"]), "y", ["c", "a"])
    assert found.features.column_names == ["c", "a"]
    np.testing.assert_array_equal(np.array(found.features), table[["c", "a"]])
    np.testing.assert_array_equal(found.labels, table["y"])


def test_a_sample_and_what_happens_meanwhile(capsys: pytest.CaptureFixture[str]) -> None:
    lines = "\n".join(f"{i},{'rare' if i == 77 else 'often'}" for i in range(500))
    seen: list[float] = []
    found = rows.sampled(
        text(f"a,y\n{lines}\n"), "y", None, 50, 0, meanwhile=lambda a, _: seen.extend(a[:, 0])
    )
    assert seen == list(range(500))
    values = found.features["a"].to_pylist()
    assert sorted(values) == values
    assert 77 in values
    assert len(values) in {50, 51}
    assert "of 500 rows of rows.csv are used, drawn at random" in capsys.readouterr().err


def test_labels_take_the_kind_of_those_known() -> None:
    known = np.array(["1", "x"])
    assert rows.read(text("a,y\n1,1\n2,1\n"), "y", like=known).labels.tolist() == ["1", "1"]
    assert rows.read(text("a,y\n1,1\n2,0\n"), "y", like=np.array([3])).labels.tolist() == [1, 0]
    with pytest.raises(SchemaError, match="such as '1', but expected are int64 such as 3"):
        rows.read(text("a,y\n1,1\n2,x\n"), "y", like=np.array([3]))


def test_class_numbers_among_those_of_a_model() -> None:
    source = text("a,y\n1,c\n2,a\n3,c\n")
    (block,) = rows.blocks(source, rows.chosen(source, "y", None), complete=True)
    assert rows.codes_among(np.array(["a", "b", "c"]), block).tolist() == [2, 0, 2]
    with pytest.raises(SchemaError, match="rows.csv, rows from 1 on: classes .*: \\['c'\\]"):
        rows.codes_among(np.array(["a", "b"]), block)


@pytest.mark.parametrize(
    ("target", "features", "message"),
    [
        ("specis", None, "lacks the target: 'specis' \\(is it 'species'\\?\\)"),
        ("species", ["widht"], "lacks the features asked for: 'widht' \\(is it 'width'\\?\\)"),
        ("species", ["species"], "'species' is the target and cannot be a feature too"),
    ],
)
def test_what_a_person_probably_meant(target: str, features: Any, message: str) -> None:
    source = text("length,width,species\n1,2,x\n")
    with pytest.raises(SchemaError, match=message):
        rows.read(source, target, features)


def test_nothing_is_left() -> None:
    Path("rows.csv").write_text("a,y\n1,\n2,\n")
    source = reading.opened(["rows.csv"], None, "skip")
    with pytest.raises(DataError, match="rows.csv has no rows but 2 rows that cannot be used"):
        rows.read(source, "y")
    with pytest.raises(DataError, match="rows.csv has no rows but 2 rows"):
        rows.sampled(source, "y", None, 10, 0)
