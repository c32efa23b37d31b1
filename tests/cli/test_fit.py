"""Files in, a model file out: the same model as in memory, and every problem said."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gaussbayes import GaussianClassifier
from gaussbayes.datasets import load_iris
from tests.cli.calling import Call, Shell


def same_model(path: Path, expected: GaussianClassifier) -> None:
    model = GaussianClassifier.load(path)
    assert model.classes_.tolist() == expected.classes_.tolist()
    np.testing.assert_allclose(model.priors_, expected.priors_, rtol=1e-14)
    np.testing.assert_allclose(model.means_, expected.means_, rtol=1e-14)
    np.testing.assert_allclose(model.covariances_, expected.covariances_, rtol=1e-12)


def in_memory(path: Path, **settings: object) -> GaussianClassifier:
    frame = pd.read_csv(path)
    return GaussianClassifier(**settings).fit(frame.drop(columns="species"), frame["species"])


def test_a_file_becomes_a_model_file(shell: Shell, iris: Path) -> None:
    done = shell("gaussbayes fit iris.csv -y species --model qda")
    assert (done.returncode, done.stdout) == (0, "")
    told = "learnt from 150 rows: 3 classes, 4 features; the model is in model.json\n"
    assert done.stderr == f"used 4 columns: 4 numbers\n{told}"
    model = GaussianClassifier.load(iris.parent / "model.json")
    assert model.feature_names_in_.tolist() == list(load_iris().feature_names)
    assert model.target_name_ == "species"
    same_model(iris.parent / "model.json", in_memory(iris))


def test_a_pipe_in_and_a_pipe_out(shell: Shell, iris: Path) -> None:
    done = shell(
        "cat iris.csv | gaussbayes fit - -y species -o - > piped.json\n"
        "gaussbayes fit iris.csv -y species -o filed.json"
    )
    assert done.returncode == 0
    assert "the model is in standard output" in done.stderr
    folder = iris.parent
    assert (folder / "piped.json").read_bytes() == (folder / "filed.json").read_bytes()


def test_every_setting(call: Call, iris: Path) -> None:
    settings = "--covariance diagonal --shared --divisor unbiased --shrinkage 0.25"
    chosen = [*settings.split(), "--priors", "0.2,0.3,0.5"]
    features = "petal width (cm),sepal length (cm)"
    call("fit", iris, "-y", "species", "-o", "m.json", *chosen, "--features", features)
    model = GaussianClassifier.load(iris.parent / "m.json")
    frame = pd.read_csv(iris)
    expected = GaussianClassifier(
        "diagonal", shared=True, divisor="unbiased", shrinkage=0.25, priors=[0.2, 0.3, 0.5]
    ).fit(frame[features.split(",")], frame["species"])
    assert model.feature_names_in_.tolist() == features.split(",")
    assert model.get_params() == expected.get_params()
    same_model(iris.parent / "m.json", expected)


def test_how_far_covariances_are_shared(call: Call, iris: Path) -> None:
    frame = pd.read_csv(iris)
    X, y = frame.drop(columns="species"), frame["species"]
    for options, shared in (
        (["--sharing", "0.4"], 0.4),
        (["--sharing", "0"], False),
        (["--sharing", "1"], True),
        (["--shared", "--sharing", "0.4"], 0.4),  # the last one counts
        (["--sharing", "0.4", "--shared"], True),
    ):
        call("fit", iris, "-y", "species", "-o", "m.json", *options)
        same_model(iris.parent / "m.json", GaussianClassifier(shared=shared).fit(X, y))
    for wrong in ("1.5", "-0.1", "nan", "half"):
        result = call("fit", iris, "-y", "species", "--sharing", wrong)
        assert result.exit_code == 2
        assert f"'--sharing': expected a number from 0 to 1, got '{wrong}'" in result.stderr


def test_several_files_weights_and_another_format(call: Call, tmp_path: Path) -> None:
    generator = np.random.default_rng(3)
    frame = pd.DataFrame(generator.normal(size=(60, 2)), columns=["a", "b"])
    frame["label"] = generator.integers(2, size=60)
    frame["count"] = generator.integers(1, 5, size=60)
    for number, start in enumerate((0, 20, 40)):
        frame[start : start + 20].to_csv(tmp_path / f"part{number}.txt", index=False)
    options = ["-y", "label", "--model", "qda", "--weights", "count", "--format", "csv", "--json"]
    result = call("fit", "part*.txt", *options)
    expected = GaussianClassifier().fit(frame[["a", "b"]], frame["label"], frame["count"])
    same_model(tmp_path / "model.json", expected)
    assert json.loads(result.stdout) == {
        "model": "model.json",
        "target": "label",
        "rows": 60,
        "classes": [0, 1],
        "features": ["a", "b"],
        "columns": [
            {"name": name, "role": "number", "reason": None, "origin": None} for name in "ab"
        ],
        "incomplete": 0,
        "unlabelled": 0,
        "bad_rows": {"count": 0, "first": []},
    }


def test_bad_rows_are_counted_and_named(call: Call, tmp_path: Path) -> None:
    good = "a,y\n1,u\n2,u\n4,u\n7,v\n9,v\n8,v\n"
    (tmp_path / "good.csv").write_text(good)
    (tmp_path / "bad.csv").write_text(good.replace("4,u", "4,u\nmuch,u\n-inf,v"))
    stopped = call("fit", "bad.csv", "-y", "y", "--model", "qda")
    assert stopped.exit_code == 3
    assert "bad.csv, row 4" in stopped.stderr
    assert "much" in stopped.stderr
    assert not (tmp_path / "model.json").exists()
    skipped = call("fit", "bad.csv", "-y", "y", "--model", "qda", "--bad-rows", "skip", "--json")
    assert skipped.exit_code == 0
    record = json.loads(skipped.stdout)
    assert (record["rows"], record["bad_rows"]["count"]) == (6, 2)
    assert [bad["row"] for bad in record["bad_rows"]["first"]] == [4, 5]
    assert "2 rows were left out" in skipped.stderr
    assert "bad.csv, row 4, column 'a': 'much'" in skipped.stderr
    frame = pd.read_csv(tmp_path / "good.csv")
    same_model(tmp_path / "model.json", GaussianClassifier().fit(frame[["a"]], frame["y"]))


def test_without_a_target_the_columns_are_named(call: Call, iris: Path) -> None:
    result = call("fit", iris)
    assert result.exit_code == 2
    assert "Give -y with one of: 'sepal length (cm)'" in result.stderr
    assert "'species'" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nowhere.csv", "-y", "species"], 2, "'nowhere.csv' does not exist"),
        (["no*.csv", "-y", "species"], 3, "no file matches 'no*.csv'"),
        (["iris.csv", "-y", "specis"], 3, "'specis' (is it 'species'?)"),
        (["iris.csv", "-y", "species", "--features", "width"], 3, "width"),
        (["iris.csv", "-y", "species", "--weights", "count"], 3, "count"),
        (["iris.csv", "-y", "petal width (cm)"], 3, "is continuous: it holds 22 different numbers"),
        (["iris.csv", "-y", "species", "--priors", "0.5,0.5"], 3, "3 priors are needed"),
        (["iris.csv", "-y", "species", "-o", "iris.csv"], 2, "give another name"),
        (["iris.csv", "-y", "species", "-o", "."], 2, "is a directory"),
        (["iris.csv", "-y", "species", "-o", "nowhere/m.json"], 1, "there is no directory"),
        (["iris.csv", "-y", "species", "-o", "-", "--json"], 2, "--json writes to standard"),
        (["iris.csv", "-y", "species", "--format", "excel"], 2, "'excel' is not one of"),
        (["-y", "species"], 2, "Missing argument"),
    ],
)
def test_refusals(call: Call, iris: Path, arguments: list[str], code: int, message: str) -> None:
    before = iris.read_bytes()
    result = call("fit", *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr
    assert iris.read_bytes() == before
    assert [file.name for file in iris.parent.iterdir()] == ["iris.csv"]


def test_one_class_only(call: Call, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("a,y\n1,x\n2,x\n4,x\n")
    result = call("fit", "one.csv", "-y", "y")
    assert result.exit_code == 3
    assert "at least two classes" in result.stderr
