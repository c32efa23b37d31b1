"""Files → sums: those of the same rows in memory, the same bits however the work was shared."""

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from gaussbayes.base.errors import DataError
from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.data import reduction
from gaussbayes.data.file_rows import FileRows, part_partial, parts_of
from gaussbayes.data.roles import Request
from gaussbayes.model.options import check_options
from tests.data.tables import (
    BINARY,
    FEATURES,
    FORMATS,
    LAYOUTS,
    TARGET,
    TEXT,
    assert_learnt,
    in_memory,
    learn,
    make_table,
    observation,
    same_bits,
)


@pytest.mark.parametrize("ending", FORMATS)
def test_every_format_gives_the_moments_of_the_rows(ending: str, tmp_path: Path) -> None:
    table = make_table()
    path = tmp_path / f"rows{ending}"
    FORMATS[ending](table, path)
    found = learn(path, TARGET)
    assert found.features == FEATURES
    assert found.bad_rows.count == 0
    assert_learnt(found, table)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("ending", FORMATS)
def test_the_bits_do_not_depend_on_threads(ending: str, tmp_path: Path) -> None:
    table = make_table()
    path = tmp_path / f"rows{ending}"
    FORMATS[ending](table, path)
    found = [learn(path, TARGET, n_jobs=n_jobs) for n_jobs in (1, 2, 4, 1, 4)]
    assert_learnt(found[0], table)
    assert all(same_bits(found[0].moments, other.moments) for other in found[1:])


@pytest.mark.parametrize("formats", [TEXT, BINARY])
def test_formats_with_the_same_blocks_give_the_same_bits(
    formats: dict[str, object], tmp_path: Path
) -> None:
    table = make_table()
    found = []
    for ending, write in formats.items():
        write(table, tmp_path / f"rows{ending}")  # type: ignore[operator]
        found.append(learn(tmp_path / f"rows{ending}", TARGET).moments)
    assert all(same_bits(found[0], other) for other in found[1:])


@pytest.mark.usefixtures("small_pieces")
def test_files_are_merged_in_a_tree_of_their_own(tmp_path: Path) -> None:
    table = make_table(900)
    for number in range(5):
        write = list(FORMATS.values())[number]
        write(table.slice(number * 180, 180), tmp_path / f"{number}{list(FORMATS)[number]}")
    whole = learn(tmp_path, TARGET)
    assert_learnt(whole, table)
    rows = FileRows.open(tmp_path, Request(TARGET))
    fold = observation(rows, check_options())
    plan = pickle.loads(pickle.dumps(rows.plan(fold, rows.encoder)))
    tree: MergeTree = MergeTree()
    for number in (3, 0, 4, 2, 1):
        of_file: MergeTree = MergeTree()
        for place, places in enumerate(parts_of(plan, number)):
            of_file.add(place, pickle.loads(pickle.dumps(part_partial(places, 0, number, plan))))
        tree.add(number, of_file.result().of_file())
    apart = tree.result()
    assert apart.n_rows == 900
    assert same_bits(whole.moments, apart.total.parts[0].moments)


def test_a_folder_a_pattern_and_a_list_are_the_same_rows(tmp_path: Path) -> None:
    table = make_table()
    (tmp_path / "deeper").mkdir()
    TEXT[".csv"](table.slice(0, 200), tmp_path / "a.csv")
    TEXT[".csv"](table.slice(200), tmp_path / "deeper" / "b.csv")
    (tmp_path / "README.txt").write_text("not rows")
    (tmp_path / ".hidden.csv").write_text("not rows")
    (tmp_path / "_SUCCESS").write_text("")
    names = [tmp_path / "a.csv", str(tmp_path / "deeper" / "b.csv")]
    sources = [tmp_path, str(tmp_path), f"{tmp_path}/**/*.csv", names, tuple(names)]
    found = [learn(source, TARGET) for source in sources]
    assert_learnt(found[0], table)
    assert all(same_bits(found[0].moments, each.moments) for each in found)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_weights_and_layouts(ending: str, layout: str, tmp_path: Path) -> None:
    table = make_table(200)
    weights = np.random.default_rng(1).integers(0, 4, 200) / 2
    table = table.append_column("w", pa.array(weights))
    FORMATS[ending](table, tmp_path / f"rows{ending}")
    found = learn(tmp_path / f"rows{ending}", TARGET, weights="w", layout=layout)
    assert found.features == FEATURES
    expected = in_memory(table, "w").parts[0].moments
    # The scatter of each class is kept for a shared covariance, too.
    expected = expected if layout == "pooled" else expected.with_layout(layout)
    np.testing.assert_allclose(found.moments.weight, expected.weight, rtol=1e-12)
    np.testing.assert_allclose(found.moments.scatter, expected.scatter, rtol=1e-9, atol=1e-9 * 1e6)


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
    ],
)
def test_labels_of_every_kind(labels: pa.Array, classes: list[object], tmp_path: Path) -> None:
    parquet.write_table(pa.table({"x": [1.0, 2.0, 3.0, 4.0], "y": labels}), tmp_path / "a.parquet")
    found = learn(tmp_path / "a.parquet", "y")
    assert found.classes.tolist() == classes
    assert found.moments.mean.tolist() == [[3.0], [2.0]]


@pytest.mark.parametrize(
    "kind",
    [pa.float32(), pa.float16(), pa.int8(), pa.uint64(), pa.bool_(), pa.decimal128(25, 2)],
)
def test_features_of_every_kind(kind: pa.DataType, tmp_path: Path) -> None:
    numbers = pa.array([0, 1, 1, 1], pa.float32()).cast(pa.int64()).cast(kind, safe=False)
    parquet.write_table(pa.table({"x": numbers, "y": [1, 1, 2, 2]}), tmp_path / "a.parquet")
    found = learn(tmp_path / "a.parquet", "y")
    assert found.moments.mean.tolist() == [[0.5], [1.0]]


def test_integers_may_become_fractions_in_a_feature(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n1,u\n2,v\n")
    (tmp_path / "b.csv").write_text("x,y\n3.5,u\n4e0,v\n")
    assert learn(tmp_path, "y").moments.mean.tolist() == [[2.25], [3.0]]


def test_types_of_binary_files_may_differ_between_files(tmp_path: Path) -> None:
    large = 2**60 + 1  # not a float64
    parquet.write_table(pa.table({"x": pa.array([1, 3]), "y": ["u", "v"]}), tmp_path / "a.parquet")
    parquet.write_table(pa.table({"y": ["u", "v"], "x": [2.5, 4.0]}), tmp_path / "b.parquet")
    parquet.write_table(pa.table({"x": [large, 0], "y": ["u", "v"]}), tmp_path / "c.parquet")
    found = learn(tmp_path, "y")
    np.testing.assert_allclose(found.moments.mean[0, 0], (1 + 2.5 + large) / 3, rtol=1e-15)


@pytest.mark.usefixtures("small_pieces")
def test_classes_that_only_later_blocks_have(tmp_path: Path) -> None:
    table = make_table(300).sort_by(TARGET)
    TEXT[".csv"](table, tmp_path / "a.csv")
    BINARY[".parquet"](table, tmp_path / "a.parquet")
    assert_learnt(learn(tmp_path / "a.csv", TARGET), table)
    assert_learnt(learn(tmp_path / "a.parquet", TARGET), table)


def test_unused_categories_are_no_classes(tmp_path: Path) -> None:
    kinds = pa.DictionaryArray.from_arrays(pa.array([0, 2, 0]), pa.array(["u", "never", "v"]))
    parquet.write_table(pa.table({"x": [1.0, 2.0, 3.0], "y": kinds}), tmp_path / "a.parquet")
    assert learn(tmp_path / "a.parquet", "y").classes.tolist() == ["u", "v"]


@pytest.mark.usefixtures("small_pieces")
def test_a_target_that_is_an_identifier_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reduction, "_MOST_BYTES", 8 * 9 * 100)
    table = make_table().append_column("id", pa.array([f"row {i}" for i in range(500)]))
    TEXT[".csv"](table, tmp_path / "a.csv")
    with pytest.raises(DataError, match="is it the right column"):
        learn(tmp_path / "a.csv", "id", features=FEATURES)


def test_ten_thousand_columns(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(6, 10_000))
    table = pa.table({f"c{j}": values[:, j] for j in range(10_000)} | {"y": list("uvuvuv")})
    TEXT[".csv"](table, tmp_path / "a.csv")
    parquet.write_table(table, tmp_path / "a.parquet")
    for name in ("a.csv", "a.parquet"):
        found = learn(tmp_path / name, "y", layout="diagonal")
        np.testing.assert_allclose(found.moments.mean[0], values[::2].mean(axis=0))


def test_features_must_be_there(tmp_path: Path) -> None:
    TEXT[".csv"](make_table(), tmp_path / "a.csv")
    with pytest.raises(DataError, match="no column 'heigth'.*did you mean 'height'"):
        learn(tmp_path / "a.csv", TARGET, features=["heigth"])


def test_too_many_features_for_full_covariances(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    names = ",".join(f"x{j}" for j in range(10_000))
    row = ",".join(["1"] * 10_000)
    path.write_text(f"{names},label\n{row},a\n{row},b\n")
    with pytest.raises(DataError, match="learnt of 10000 features takes .* choose fewer, or a "):
        learn(path, "label")
    assert learn(path, "label", layout="diagonal").n_rows == 2


@pytest.mark.parametrize("module", ["files", "file_rows", "output"])
def test_without_pyarrow(module: str) -> None:
    program = f"import sys; sys.modules['pyarrow'] = None; import gaussbayes.data.{module}"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert "needs pyarrow: pip install 'gaussbayes[files]'" in done.stderr
