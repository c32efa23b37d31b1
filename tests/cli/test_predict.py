"""Predictions of files are those of the estimator in memory, to the last bit."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gaussbayes import GaussianClassifier
from gaussbayes.datasets import load_iris
from tests.cli.calling import Call, Shell

SCORES = {
    "proba": "predict_proba",
    "log_proba": "predict_log_proba",
    "joint": "joint",
    "log_joint": "predict_joint_log_proba",
    "evidence": "evidence",
    "log_evidence": "score_samples",
    "mahalanobis": "mahalanobis",
}


def features(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, usecols=list(load_iris().feature_names))


def columns(text: str) -> dict[str, list[str]]:
    header, *lines = csv.reader(text.splitlines())
    return {name: [line[place] for line in lines] for place, name in enumerate(header)}


def test_labels_to_standard_output(shell: Shell, iris: Path, fitted: GaussianClassifier) -> None:
    done = shell("gaussbayes predict iris.json iris.csv")
    assert (done.returncode, done.stderr) == (0, "")
    found = columns(done.stdout)
    assert list(found) == ["species", "prediction"]
    assert found["species"] == load_iris().labels.tolist()
    assert found["prediction"] == fitted.predict(features(iris)).tolist()


def test_every_score_is_exact(call: Call, iris: Path, fitted: GaussianClassifier) -> None:
    flags = ["--" + name.replace("_", "-") for name in SCORES]
    result = call("predict", "iris.json", iris, *flags)
    found = columns(result.stdout)
    expected: dict[str, np.ndarray] = {}
    for name, method in SCORES.items():
        values = getattr(fitted, method)(features(iris))
        names = [f"{name}_{c}" for c in fitted.classes_] if values.ndim == 2 else [name]
        expected |= dict(zip(names, values.T if values.ndim == 2 else [values], strict=True))
    assert list(found) == ["species", "prediction", *expected]
    for name, values in expected.items():
        assert [float(text) for text in found[name]] == values.tolist()


def test_columns_are_found_by_name(call: Call, iris: Path, fitted: GaussianClassifier) -> None:
    frame = pd.read_csv(iris)
    mixed = frame[reversed(frame.columns)].rename(columns={"species": "kind"})
    mixed.insert(2, "id", [f"flower {number}" for number in range(150)])
    mixed.to_csv(iris.parent / "mixed.csv", index=False)
    found = columns(call("predict", "iris.json", "mixed.csv").stdout)
    assert list(found) == ["kind", "id", "prediction"]
    assert found["id"] == mixed["id"].tolist()  # in the order of the file
    assert found["prediction"] == fitted.predict(features(iris)).tolist()


@pytest.mark.usefixtures("fitted")
def test_missing_columns_are_listed(call: Call, iris: Path) -> None:
    frame = pd.read_csv(iris).rename(columns={"petal width (cm)": "petal width"})
    frame.drop(columns="sepal length (cm)").to_csv(iris, index=False)
    result = call("predict", "iris.json", iris)
    assert (result.exit_code, result.stdout) == (3, "")
    assert f"{iris} lacks 2 of the model's 4 features" in result.stderr
    assert "'sepal length (cm)'" in result.stderr
    assert "'petal width (cm)' (is it 'petal width'?)" in result.stderr
    assert "its other columns are 'petal width', 'species'" in result.stderr


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--keep", "all"], [*load_iris().feature_names, "species", "prediction"]),
        (["--keep", "none"], ["prediction"]),
        (["--keep", "petal width (cm)"], ["petal width (cm)", "prediction"]),
        (["--keep", "none", "--no-label", "--evidence"], ["evidence"]),
    ],
)
def test_what_is_kept(
    call: Call, iris: Path, fitted: GaussianClassifier, options: list[str], expected: list[str]
) -> None:
    found = columns(call("predict", "iris.json", iris, *options).stdout)
    assert list(found) == expected
    if "petal width (cm)" in found:
        wanted = features(iris)["petal width (cm)"].tolist()
        assert [float(text) for text in found["petal width (cm)"]] == wanted
    if "prediction" in found:
        assert found["prediction"] == fitted.predict(features(iris)).tolist()


@pytest.mark.parametrize("width", [np.float32, np.float64])
def test_parquet_to_parquet(
    call: Call, iris: Path, fitted: GaussianClassifier, width: type
) -> None:
    frame = pd.read_csv(iris).astype(dict.fromkeys(load_iris().feature_names, width))
    table = pa.Table.from_pandas(frame, preserve_index=False)
    pq.write_table(table, iris.parent / "iris.parquet", row_group_size=40)
    result = call("predict", "iris.json", "iris.parquet", "--proba", "-o", "out.parquet")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    written = pq.read_table(iris.parent / "out.parquet")
    rows = frame[list(load_iris().feature_names)]
    assert written["prediction"].to_pylist() == fitted.predict(rows).tolist()
    for code, label in enumerate(fitted.classes_):
        column = written[f"proba_{label}"].to_numpy()
        assert column.dtype == width
        np.testing.assert_array_equal(column, fitted.predict_proba(rows)[:, code])


@pytest.mark.parametrize("labels", [[3, 5], [True, False], ["3", "5"], ["=a", "-b"]])
def test_labels_of_every_kind(call: Call, tmp_path: Path, labels: list[object]) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 4.0, 7.0, 9.0, 8.0]})
    y = [labels[0]] * 3 + [labels[1]] * 3
    model = GaussianClassifier().fit(frame, y)
    model.save(tmp_path / "m.json")
    frame.to_json(tmp_path / "rows.jsonl", orient="records", lines=True)
    call("predict", "m.json", "rows.jsonl", "-o", "out.parquet")
    expected = model.predict(frame).tolist()
    assert pq.read_table(tmp_path / "out.parquet")["prediction"].to_pylist() == expected
    escaped = columns(call("predict", "m.json", "rows.jsonl", "--escape").stdout)["prediction"]
    sign = "'" if str(labels[0])[0] in "=-" else ""
    if not isinstance(labels[0], bool):
        assert escaped == [f"{sign}{label}" for label in expected]


def test_other_priors(call: Call, iris: Path, fitted: GaussianClassifier) -> None:
    priors = [0.9, 0.09, 0.01]
    result = call("predict", "iris.json", iris, "--proba", "--priors", "0.9,0.09,0.01")
    found = columns(result.stdout)
    changed = fitted.with_priors(priors).predict_proba(features(iris))
    for code, label in enumerate(fitted.classes_):
        assert [float(text) for text in found[f"proba_{label}"]] == changed[:, code].tolist()


def test_a_model_from_a_pipe_and_several_files(
    shell: Shell, iris: Path, fitted: GaussianClassifier
) -> None:
    done = shell("cat iris.json | gaussbayes predict - iris.csv iris.csv -o out.tsv")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    found = pd.read_csv(iris.parent / "out.tsv", sep="\t")
    assert found["prediction"].tolist() == 2 * fitted.predict(features(iris)).tolist()


def test_models_made_from_parameters(call: Call, tmp_path: Path) -> None:
    model = GaussianClassifier.from_parameters(
        [0.5, 0.5], [[0.0], [4.0]], [[[1.0]], [[4.0]]], feature_names=["a"]
    )
    model.save(tmp_path / "m.json")
    (tmp_path / "rows.csv").write_text("a\n0.5\n3\n")
    for options, expected in (
        ([], model),
        (["--priors", "0.9,0.1"], model.with_priors([0.9, 0.1])),
    ):
        found = columns(call("predict", "m.json", "rows.csv", "--proba", *options).stdout)
        posterior = expected.predict_proba(pd.DataFrame({"a": [0.5, 3.0]}))
        assert [float(text) for text in found["proba_1"]] == posterior[:, 1].tolist()


def test_bad_rows(call: Call, tmp_path: Path) -> None:
    model = GaussianClassifier().fit(pd.DataFrame({"a": [1.0, 2, 4, 7, 9, 8]}), [0, 0, 0, 1, 1, 1])
    model.save(tmp_path / "m.json")
    (tmp_path / "rows.csv").write_text("id,a\nx,1\ny,much\nz,inf\nw,8\n")
    stopped = call("predict", "m.json", "rows.csv", "-o", "out.csv")
    assert stopped.exit_code == 3
    assert "rows.csv, row 2, column 'a': 'much'" in stopped.stderr
    assert not (tmp_path / "out.csv").exists()
    skipped = call("predict", "m.json", "rows.csv", "--bad-rows", "skip")
    assert skipped.exit_code == 0
    assert columns(skipped.stdout) == {"id": ["x", "w"], "prediction": ["0", "1"]}
    assert "2 rows were left out" in skipped.stderr
    assert "rows.csv, row 2, column 'a': 'much'" in skipped.stderr
    assert "rows.csv, row 3, column 'a'" in skipped.stderr


def test_rows_far_from_every_class_are_named(call: Call, tmp_path: Path) -> None:
    model = GaussianClassifier().fit(pd.DataFrame({"a": [1.0, 2, 4, 7, 9, 8]}), [0, 0, 0, 1, 1, 1])
    model.save(tmp_path / "m.json")
    (tmp_path / "rows.csv").write_text("a\n1\n1e300\n")
    result = call("predict", "m.json", "rows.csv")
    assert result.exit_code == 3
    assert "rows.csv, rows 1 … 2" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["iris.json", "nowhere.csv"], 2, "'nowhere.csv' does not exist"),
        (["nowhere.json", "iris.csv"], 2, "'nowhere.json' does not exist"),
        (["iris.csv", "iris.csv"], 3, "iris.csv"),
        (["-", "-"], 2, "standard input (-) can be read once only"),
        (["iris.json", "iris.csv", "--no-label"], 2, "--no-label leaves nothing to write"),
        (["iris.json", "iris.csv", "--keep", "a,,b"], 2, "different names separated by commas"),
        (["iris.json", "iris.csv", "--keep", "spezies"], 3, "'spezies' (is it 'species'?)"),
        (["iris.json", "iris.csv", "--priors", "some"], 2, "expected 'estimated', 'uniform'"),
        (["iris.json", "iris.csv", "--priors", "1,1,1"], 3, "priors must sum to 1"),
        (["iris.json", "iris.csv", "-o", "iris.csv"], 2, "give another name"),
        (["iris.json", "iris.csv", "-o", "iris.json"], 2, "give another name"),
        (["iris.json", "taken.csv"], 3, "has a column 'prediction' already"),
    ],
)
@pytest.mark.usefixtures("fitted")
def test_refusals(
    call: Call,
    iris: Path,
    arguments: list[str],
    code: int,
    message: str,
) -> None:
    taken = features(iris).assign(prediction=1)
    taken.to_csv(iris.parent / "taken.csv", index=False)
    before = {path: path.read_bytes() for path in iris.parent.iterdir()}
    result = call("predict", *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr
    assert {path: path.read_bytes() for path in iris.parent.iterdir()} == before


def test_models_without_names_for_their_features(call: Call, iris: Path) -> None:
    data = load_iris()
    GaussianClassifier().fit(data.rows, data.labels).save(iris.parent / "iris.json")
    result = call("predict", "iris.json", iris)
    assert result.exit_code == 3
    assert "have no names to find columns by" in result.stderr


@pytest.mark.usefixtures("fitted")
def test_predicting_does_without_scikit_learn(shell: Shell, iris: Path) -> None:
    """What makes it start within a second."""
    done = shell("""python <<END
import atexit, sys
from gaussbayes.cli import main
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
main(["predict", "iris.json", "iris.csv"])
END""")
    assert done.stdout.startswith("species,prediction\n")
    heavy = {"sklearn", "scipy", "matplotlib", "pandas", "rich", "dask", "narwhals"}
    assert not heavy & set(done.stderr.split())
    assert len(done.stdout.splitlines()) == 1 + len(features(iris))


def test_pandas_is_there_for_whoever_asks_for_it_later(shell: Shell) -> None:
    done = shell("""python <<END
import sys
from gaussbayes.cli import command_files
command_files.import_arrow()
assert "pandas" not in sys.modules
import pyarrow as pa
print(pa.table({"a": [1, 2]}).to_pandas()["a"].sum())
END""")
    assert (done.returncode, done.stdout) == (0, "3\n")


@pytest.mark.usefixtures("fitted")
def test_no_rows_give_no_predictions(call: Call, iris: Path) -> None:
    header = iris.read_text().splitlines()[0]
    iris.write_text(header + "\n")
    result = call("predict", "iris.json", iris, "--evidence")
    assert (result.exit_code, result.stdout) == (0, "species,prediction,evidence\n")


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "arrow"])
def test_whole_numbers_that_are_kept_stay_whole(call: Call, tmp_path: Path, ending: str) -> None:
    huge = 2**60 + 1
    kinds = {"a": pa.int64() if ending in {"csv", "jsonl"} else pa.int32(), "b": pa.float64()}
    columns = {
        "a": pa.array([1, 2, 3, 7, 8, 10], kinds["a"]),
        "b": [0.5, 2.0, 1.5, 9.0, 7.0, 8.5],
        "huge": [huge + 2**50 * row**2 for row in range(6)],
        "y": ["u", "u", "u", "v", "v", "v"],
    }
    table = pa.table(columns)
    pq.write_table(table, "in.parquet")
    assert call("convert", "in.parquet", f"rows.{ending}").exit_code == 0
    assert (
        call("fit", "in.parquet", "-y", "y", "--shared", "--covariance", "diagonal").exit_code == 0
    )
    for keep in ("all", "huge,a"):
        result = call(
            "predict", "model.json", f"rows.{ending}", "--keep", keep, "-o", "out.parquet"
        )
        assert (result.exit_code, result.stderr) == (0, "")
        found = pq.read_table(tmp_path / "out.parquet")
        names = table.column_names if keep == "all" else ["huge", "a"]
        assert found.column_names == [*names, "prediction"]
        assert found.select(names).equals(table.select(names))


def test_kept_columns_of_files_that_differ(call: Call) -> None:
    for name, values in {"1": [1, 2, 8, 9], "2": [1.0, 2.0, 8.0, 9.5]}.items():
        pq.write_table(pa.table({"a": values, "y": ["u", "u", "v", "v"]}), f"{name}.parquet")
    assert call("fit", "1.parquet", "2.parquet", "-y", "y").exit_code == 0
    assert call("predict", "model.json", "1.parquet", "2.parquet").exit_code == 0
    result = call("predict", "model.json", "1.parquet", "2.parquet", "--keep", "all", "-o", "o.csv")
    assert result.exit_code == 3  # rather than 9.5 cut to 9
    assert "column 'a' of 2.parquet holds double, which is not int64" in result.stderr
    assert not Path("o.csv").exists()
