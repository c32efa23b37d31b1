"""Files → models: those of the same rows in memory, the same bits however the work was shared."""

import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import dask
import numpy as np
import pyarrow as pa
import pytest

from gaussbayes import DataError
from gaussbayes.data import sources
from gaussbayes.data.readers import text
from gaussbayes.data.schema import ORDINARY
from gaussbayes.families.gaussian import cells
from tests.data.tables import (
    CATEGORICAL,
    FEATURES,
    FORMATS,
    TARGET,
    TEXT,
    WEATHER,
    as_pandas,
    assert_same_model,
    bits,
    fitted,
    in_file,
    make_table,
    n_rows,
    small,
    weather,
)

HOW: dict[str, Any] = {"features": WEATHER, "categorical": CATEGORICAL}


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("ending", FORMATS)
def test_every_format_gives_the_same_bits_on_any_number_of_workers(
    ending: str, tmp_path: Path
) -> None:
    table = weather(300)
    table = table.set_column(6, "w", pa.array(np.random.default_rng(1).random(300)))
    path = in_file(ending, table, tmp_path)
    how: dict[str, Any] = {"covariance": "diagonal", **HOW}
    models = [fitted(path, TARGET, "w", n_jobs=n_jobs, **how) for n_jobs in (1, 2, 4)]
    with dask.config.set(scheduler="threads"):
        models.append(fitted(path, TARGET, "w", reading={"client": _threads()}, **how))
    assert {bits(model) for model in models} == {bits(models[0])}
    frame = as_pandas(table)
    assert_same_model(models[0], fitted(frame, TARGET, "w", **how), frame[WEATHER])


class _threads:  # noqa: N801
    """What stands for a client of Dask: the scheduler that is set."""

    def compute(self, task: Any) -> Any:
        class Done:
            def result(self) -> Any:
                return task.compute()

        return Done()


@pytest.mark.parametrize("endings", [TEXT, [".parquet", ".arrow", ".arrows", ".parquet.gz"]])
def test_formats_with_the_same_blocks_give_the_same_bits(endings: Any, tmp_path: Path) -> None:
    models = [fitted(in_file(ending, make_table(), tmp_path)) for ending in endings]
    assert {bits(model) for model in models} == {bits(models[0])}
    assert_same_model(models[0], fitted(make_table().to_pandas()), make_table().select(FEATURES))


def test_a_folder_a_pattern_and_a_list_are_the_same_rows(tmp_path: Path) -> None:
    table = make_table()
    (tmp_path / "deeper").mkdir()
    in_file(".csv", table.slice(0, 200), tmp_path, "a")
    in_file(".csv", table.slice(200), tmp_path / "deeper", "b")
    (tmp_path / "README.txt").write_text("not rows")
    (tmp_path / ".hidden.csv").write_text("not rows")
    (tmp_path / "_SUCCESS").write_text("")
    names = [tmp_path / "a.csv", str(tmp_path / "deeper" / "b.csv")]
    sources = [tmp_path, str(tmp_path), f"{tmp_path}/**/*.csv", names, tuple(names)]
    models = [fitted(source) for source in sources]
    assert {bits(model) for model in models} == {bits(models[0])}
    assert n_rows(models[0]) == 500


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (pa.array([3, 1, 3, 1]), [1, 3]),
        (pa.array([3, 1, 3, 1], pa.uint8()), [1, 3]),
        (pa.array([True, False, True, False]), [False, True]),
        (pa.array([3.0, 1.0, 3.0, 1.0]), [1.0, 3.0]),
        (pa.array(["b", "a", "b", "a"], pa.large_string()), ["a", "b"]),
        (pa.array(["b", "a", "b", "a"]).dictionary_encode(), ["a", "b"]),
        (pa.array([7, 5, 7, 5]).dictionary_encode(), [5, 7]),
        (pa.DictionaryArray.from_arrays([0, 2, 0, 2], ["v", "never", "u"]), ["u", "v"]),
    ],
)
def test_labels_of_every_kind(labels: pa.Array, classes: list[object], tmp_path: Path) -> None:
    path = in_file(".parquet", pa.table({"x": [1.0, 2.0, 3.0, 4.0], "y": labels}), tmp_path)
    model = small(path)
    assert model.classes_.tolist() == classes
    assert model.means_.tolist() == [[3.0], [2.0]]


def test_numbers_of_every_kind_that_may_be_missing(tmp_path: Path) -> None:
    columns = {
        "half": pa.array([np.float16(1.5), None, np.float16(2), np.float16(0)], pa.float16()),
        "float": pa.array([1.5, None, 2, 1], pa.float32()),
        "whole": pa.array([1, None, 2, 5], pa.int8()),
        "large": pa.array([1, None, 2, 5], pa.uint64()),
        "decimal": pa.array([Decimal("0.25"), None, Decimal("0.50"), Decimal(0)]),
        "nan": pa.array([1.0, float("nan"), 2.0, 7.0]),
    }
    table = pa.table(columns | {"y": ["u", "u", "u", "v"]})
    model = small(in_file(".parquet", table, tmp_path), features=list(columns))
    expected = [[1.75, 1.75, 1.5, 1.5, 0.375, 1.5], [0, 1, 5, 5, 0, 7]]
    np.testing.assert_allclose(model.means_, expected, rtol=1e-6)
    assert {column.kind for column in model.columns_.used} == {"number"}


@pytest.mark.parametrize("null", [text for text in sorted(ORDINARY.strings) if "#" not in text])
def test_ways_to_write_that_a_number_is_missing(null: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"a,b,y\n1,2,u\n{null},5,v\n4,4,u\n3,5,v\n")
    assert small(path, features=["a", "b"]).means_.tolist() == [[2.5, 3.0], [3.0, 5.0]]


def test_types_may_differ_between_files(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n1,u\n2,v\n")
    (tmp_path / "b.csv").write_text("x,y\n3.5,u\n4e0,v\n")
    assert small(str(tmp_path / "*.csv")).means_.tolist() == [[2.25], [3.0]]
    large = 2**60 + 1  # not a float64
    for name, x in (("a", pa.array([1, 3])), ("b", [2.5, 4.0]), ("c", [large, 0])):
        in_file(".parquet", pa.table({"x": x, "y": ["u", "v"]}), tmp_path, name)
    model = small(str(tmp_path / "*.parquet"))
    np.testing.assert_allclose(model.means_[0, 0], (1 + 2.5 + large) / 3, rtol=1e-15)


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_classes_that_only_later_blocks_have(ending: str, tmp_path: Path) -> None:
    table = make_table(300).sort_by(TARGET)
    model = fitted(in_file(ending, table, tmp_path))
    assert_same_model(model, fitted(table.to_pandas()), table.select(FEATURES))


def test_numbers_may_begin_after_the_first_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "BLOCK_BYTES", 100)
    lines = [f"{n % 9},,{'uv'[n % 2]}" for n in range(100)] + [
        "1,2.5,u",
        "2,3,v",
        "1,3.5,u",
        "2,5,v",
    ]
    (tmp_path / "a.csv").write_text("a,b,y\n" + "\n".join(lines) + "\n")
    model = small(tmp_path / "a.csv", numeric=["a", "b"])
    assert model.means_[:, 1].tolist() == [3.0, 4.0]


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".jsonl"])
def test_a_column_without_any_value(ending: str, tmp_path: Path) -> None:
    table = pa.table({"a": [1.0, 2.0, 3.0], "b": pa.nulls(3), "y": ["u", "v", "u"]})
    path = in_file(ending, table, tmp_path)
    with pytest.warns(UserWarning, match=r"dropped b \(no values\)"):
        assert small(path).means_.tolist() == [[2.0], [2.0]]
    with pytest.raises(DataError, match="class 'u' has no labelled row with 'b'"):
        small(path, features=["a", "b"])


def test_too_much_to_learn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wide = pa.table({f"x{j}": [1.0, 2.0, 2.5] for j in range(3000)} | {"y": ["a", "b", "b"]})
    path = in_file(".parquet", wide, tmp_path)
    monkeypatch.setattr(sources, "_MOST_BYTES", 1 << 22)
    with pytest.raises(DataError, match="statistics of 3000 features take .* choose fewer, or a "):
        fitted(path, "y", features=["*"])
    assert small(path, features=["*"]).means_.shape == (2, 3000)
    monkeypatch.setattr(cells, "MOST_CELL_BYTES", 100)
    path = in_file(".parquet", weather(), tmp_path)
    with pytest.raises(DataError, match="rows have . different patterns of missing values"):
        fitted(path, features=["pressure", "warmth"])


def test_thousands_of_columns(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(6, 2000))
    table = pa.table({f"c{j}": values[:, j] for j in range(2000)} | {"y": list("uvuvuv")})
    for ending in (".csv", ".parquet"):
        model = small(in_file(ending, table, tmp_path))
        np.testing.assert_allclose(model.means_[0], values[::2].mean(axis=0))


@pytest.mark.parametrize("module", ["files"])
def test_without_pyarrow(module: str) -> None:
    program = f"import sys; sys.modules['pyarrow'] = None; import gaussbayes.data.{module}"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert "needs pyarrow: pip install 'gaussbayes[files]'" in done.stderr
