"""Labelled rows of files in memory: whole or sampled, as an independent reader gives them."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from gaussbayes.base.errors import DataError
from gaussbayes.cli import command_files, labelled_files
from gaussbayes.cli.command_options import RowOptions
from gaussbayes.cli.labelled_files import LabelledFiles, MemoryRows
from gaussbayes.model.options import check_options


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def opened(name: str, content: str | None = None, **options: Any) -> LabelledFiles:
    """The rows of a file to learn from, whose target is y."""
    if content is not None:
        Path(name).write_bytes(content.encode())
    chosen = RowOptions(**{"target": "y", "keep_identifiers": True} | options)
    source = command_files.open_files([name], chosen)
    return LabelledFiles.to_learn_from(source, chosen, check_options())


def loaded(name: str, content: str | None = None, **options: Any) -> MemoryRows:
    return opened(name, content, **options).sample()


def among(content: str, classes: list[Any]) -> list[int]:
    """The codes of the labels of a file among these classes."""
    files = opened("rows.csv", content)
    (block,) = LabelledFiles(files.rows, files.chosen, files.encoder, np.array(classes))
    codes: list[int] = block.targets.codes.tolist()
    return codes


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
    rows = loaded(name, content)
    assert rows.features.to_pydict() == {"a": [1.0, 3.0], "b": [2.5, 4.0]}
    assert rows.labels.tolist() == ["no", "yes"]


def test_parquet_files_of_other_types() -> None:
    columns = {
        "small": pa.array([1, 2], pa.int8()),
        "true": pa.array([True, False]),
        "money": pa.array(["1.50", "2.25"]).cast(pa.decimal128(5, 2)),
        "single": pa.array([0.5, 1.5], pa.float32()),
        "y": pa.array(["no", "yes"]).dictionary_encode(),
    }
    parquet.write_table(pa.table(columns), "rows.parquet")
    rows = loaded("rows.parquet")
    assert rows.features.to_pydict() == {
        "small": [1.0, 2.0],
        "true": [1.0, 0.0],
        "money": [1.5, 2.25],
        "single": [0.5, 1.5],
    }
    assert rows.labels.tolist() == ["no", "yes"]


def test_many_blocks_of_many_files_are_in_order() -> None:
    generator = np.random.default_rng(0)
    table = pd.DataFrame(generator.normal(size=(30_000, 3)), columns=list("abc"))
    table["y"] = generator.integers(4, size=30_000)
    table["wind"] = generator.choice(["low", "mid", "high"], 30_000)
    for number in range(3):
        part = pa.Table.from_pandas(table.iloc[number * 10_000 : (number + 1) * 10_000])
        parquet.write_table(part, f"{number}.parquet", row_group_size=999)
    rows = loaded("*.parquet", features=("c", "wind", "a"), categorical=("wind",))
    assert rows.features.column_names == ["c", "wind", "a"]
    np.testing.assert_array_equal(rows.features["c"].to_numpy(), table["c"])
    assert rows.features["wind"].to_pylist() == table["wind"].tolist()
    np.testing.assert_array_equal(rows.labels.astype(int), table["y"])


def test_values_stay_what_they_are() -> None:
    content = "month,height,wind,y\n3,1.5,S,a\n1,,,b\n,2.5,M,\n"
    rows = loaded("rows.csv", content, categorical=("wind", "month"))
    assert rows.features["wind"].to_pylist() == ["S", None, "M"]
    assert rows.features["month"].to_pylist() == [3, 1, None]
    np.testing.assert_array_equal(rows.features["height"].to_numpy(), [1.5, np.nan, 2.5])
    assert rows.labels.tolist() == ["a", "b", None]
    assert rows.labelled.labels.tolist() == ["a", "b"]


def test_numbers_alone_keep_their_type() -> None:
    parquet.write_table(pa.table({"a": pa.array([1, 2], pa.float32()), "y": [0, 1]}), "a.parquet")
    assert loaded("a.parquet").features["a"].type == pa.float32()


def test_weights_and_missing_labels_of_several_blocks() -> None:
    first, second = (
        loaded(f"{name}.csv", f"a,n,y\n1,2,{label}\n3,4,\n", weights="n")
        for name, label in (("1", "v"), ("2", "u"))
    )
    both = first + second
    assert both.labels.tolist() == ["v", None, "u", None]
    assert both.table.targets.weights is not None
    assert both.table.targets.weights.tolist() == [2, 4, 2, 4]
    assert (both.table.classes.tolist(), both.table.targets.n_unlabelled) == (["u", "v"], 2)


def test_a_sample_keeps_some_of_every_class(capsys: pytest.CaptureFixture[str]) -> None:
    labels = ["rare" if i == 77 else "" if i == 99 else "often" for i in range(500)]
    lines = "\n".join(f"{i},{label}" for i, label in enumerate(labels))
    sample = opened("rows.csv", f"a,y\n{lines}\n").sample(50)
    values = sample.features["a"].to_pylist()
    assert sorted(values) == values
    assert {77, 99} <= set(values)
    assert [labels[int(value)] or None for value in values] == sample.labels.tolist()
    assert len(values) in {50, 51, 52}
    assert "of 500 rows of rows.csv are used, drawn at random" in capsys.readouterr().err
    alone = loaded("rows.csv", unlabelled="drop")
    assert alone.features["a"].to_pylist() == [i for i in range(500) if i != 99]
    assert capsys.readouterr().err == ""


def test_every_row_is_as_probable_as_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """200 of 1,000 rows, 200 times: each row comes 40 times, give or take 6 standard deviations."""
    monkeypatch.setattr(labelled_files, "_LEAST", 1)
    lines = "\n".join(f"{i},{'uv'[i % 2]}" for i in range(1000))
    rows = loaded("rows.csv", f"a,y\n{lines}\n")
    parts = [rows[start : start + 90] for start in range(0, 1000, 90)]
    count = np.zeros(1000)
    for seed in range(200):
        sample = labelled_files.draw(parts, 200, seed)
        assert sample is not None
        count[sample.table.rows.matrix[:, 0].astype(int)] += 1
    assert count.sum() == 200 * 200
    assert abs(count - 40).max() < 6 * np.sqrt(200 * 0.2 * 0.8)


def test_labels_take_the_type_of_those_known() -> None:
    assert among("a,y\n1,1\n2,1\n", ["1", "x"]) == [0, 0]
    assert among("a,y\n1,3\n2,1\n", [1, 2, 3]) == [2, 0]
    with pytest.raises(DataError, match="such as '1', but expected are int64 such as 3"):
        among("a,y\n1,1\n2,x\n", [3])
    with pytest.raises(DataError, match=r"rows.csv, rows from 1 on: unknown labels: \['c'\]"):
        among("a,y\n1,c\n2,a\n", ["a", "b"])


@pytest.mark.parametrize(
    ("target", "features", "message"),
    [
        ("specis", None, r"lacks the target: 'specis' \(is it 'species'\?\)"),
        ("species", ("widht",), r"lacks the features asked for: 'widht' \(is it 'width'\?\)"),
        ("species", ("species",), "'species' is the target and cannot be a feature too"),
    ],
)
def test_what_a_person_probably_meant(target: str, features: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        opened("a.csv", "length,width,species\n1,2,x\n", target=target, features=features)


def test_nothing_is_left() -> None:
    rows = loaded("rows.csv", "a,y\n1,u\n2,v,3\n", bad_rows="skip")
    assert rows.labels.tolist() == ["u"]
    with pytest.raises(DataError, match="rows.csv has no rows but 2 rows that cannot be used"):
        loaded("rows.csv", "a,y\n1,u,3\n2,v,3\n", bad_rows="skip")


def test_too_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = loaded("rows.csv", "a,y\n1,u\n2,v\n")
    monkeypatch.setattr(labelled_files, "MOST_BYTES", 20)
    with pytest.raises(DataError, match="too many rows for this"):
        rows + rows
