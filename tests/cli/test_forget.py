"""A model that forgets rows is the model that never saw them."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gaussbayes import GaussianClassifier
from tests.cli.calling import Call, Shell


def assert_like(path: Path, frame: pd.DataFrame) -> None:
    expected = GaussianClassifier().fit(frame.drop(columns="species"), frame["species"])
    model = GaussianClassifier.load(path)
    assert model.classes_.tolist() == expected.classes_.tolist()
    assert model.moments_.weight.tolist() == expected.moments_.weight.tolist()
    np.testing.assert_allclose(model.means_, expected.means_, rtol=1e-13)
    np.testing.assert_allclose(model.covariances_, expected.covariances_, rtol=1e-11, atol=1e-14)


def test_the_rows_that_are_left(shell: Shell, iris: Path) -> None:
    frame = pd.read_csv(iris)
    frame[::3].to_csv(iris.parent / "gone.csv", index=False)
    done = shell(
        "gaussbayes fit iris.csv -y species --model qda -o m.json 2> first.txt && "
        "cat gone.csv | gaussbayes forget m.json -"
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "forgot 50 rows: 3 classes, 4 features; the model is in m.json\n"
    assert_like(iris.parent / "m.json", frame[np.arange(150) % 3 != 0])


def test_the_same_bytes_as_in_python(call: Call, iris: Path) -> None:
    frame = pd.read_csv(iris)
    gone = frame[::3]
    gone.to_csv(iris.parent / "gone.csv", index=False)
    call("fit", iris, "-y", "species", "--model", "qda", "-o", "m.json")
    model = GaussianClassifier.load(iris.parent / "m.json")
    assert call("forget", "m.json", "gone.csv", "-o", "new.json").exit_code == 0
    model.forget(gone.drop(columns="species"), gone["species"]).save(iris.parent / "python.json")
    assert Path("new.json").read_bytes() == Path("python.json").read_bytes()
    assert GaussianClassifier.load("m.json").moments_.weight.sum() == 150


def test_what_was_learnt_is_forgotten(call: Call, iris: Path) -> None:
    frame = pd.read_csv(iris)
    frame[:100].to_csv("two.csv", index=False)
    frame[100:].to_csv("third.csv", index=False)
    call("fit", "two.csv", "-y", "species", "--model", "qda", "-o", "m.json")
    call("update", "m.json", "third.csv")
    result = call("forget", "m.json", "third.csv")
    assert result.exit_code == 0
    assert "gone: virginica" in result.stderr
    assert_like(iris.parent / "m.json", frame[:100])


def test_weights_and_json(call: Call, iris: Path) -> None:
    frame = pd.read_csv(iris).assign(count=2.0)
    frame.to_csv("weighted.csv", index=False)
    frame[:20].assign(count=1.0).to_csv("half.csv", index=False)
    call(
        "fit",
        "weighted.csv",
        "-y",
        "species",
        "--model",
        "qda",
        "--weights",
        "count",
        "-o",
        "m.json",
    )
    told = call("forget", "m.json", "half.csv", "--weights", "count", "--json")
    record = json.loads(told.stdout)
    assert (record["model"], record["rows"], len(record["classes"])) == ("m.json", 20, 3)
    weight = GaussianClassifier.load(iris.parent / "m.json").moments_.weight
    assert weight.tolist() == [80.0, 100.0, 100.0]


def test_one_class_left_cannot_predict(call: Call, iris: Path) -> None:
    frame = pd.read_csv(iris)
    frame[:100].to_csv("two.csv", index=False)
    frame[50:100].to_csv("second.csv", index=False)
    call("fit", "two.csv", "-y", "species", "--model", "qda", "-o", "m.json")
    result = call("forget", "m.json", "second.csv")
    assert result.exit_code == 0
    assert "the model cannot predict yet: a classifier needs at least two" in result.stderr
    assert call("update", "m.json", "second.csv").exit_code == 0
    assert_like(iris.parent / "m.json", frame[:100])


def changed(iris: Path) -> None:
    """Files of rows that were never seen."""
    frame = pd.read_csv(iris)
    frame[:1].assign(species="rosa").to_csv("unknown.csv", index=False)
    pd.concat([frame, frame]).to_csv("twice.csv", index=False)
    far = frame[:1].copy()
    far["petal width (cm)"] = 1000.0
    far.to_csv("far.csv", index=False)
    frame.drop(columns="sepal width (cm)").to_csv("narrow.csv", index=False)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["m.json", "unknown.csv"], 3, "unknown.csv does not fit m.json: there are no rows of"),
        (["m.json", "twice.csv"], 3, "twice.csv does not fit m.json"),
        (["m.json", "iris.csv"], 3, "all that the model has seen, so that nothing would be left"),
        (["m.json", "far.csv"], 3, "far.csv does not fit m.json"),
        (["m.json", "narrow.csv"], 3, "lacks 1 of the model's 4 features"),
        (["m.json", "nowhere.csv"], 2, "does not exist"),
        (["-", "-"], 2, "standard input (-) can be read once only"),
        (["m.json", "iris.csv", "-o", "-", "--json"], 2, "--json writes to standard output"),
        (["made.json", "iris.csv", "-y", "species"], 3, "its parameters were given"),
    ],
)
def test_refusals(call: Call, iris: Path, arguments: list[str], code: int, message: str) -> None:
    call("fit", iris, "-y", "species", "--model", "qda", "-o", "m.json")
    changed(iris)
    GaussianClassifier.from_parameters(
        [0.5, 0.5], [[0.0], [4.0]], [[[1.0]], [[4.0]]], feature_names=["a"]
    ).save(iris.parent / "made.json")
    before = {path: path.read_bytes() for path in iris.parent.iterdir()}
    result = call("forget", *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr
    assert {path: path.read_bytes() for path in iris.parent.iterdir()} == before
