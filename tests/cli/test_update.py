"""A model that learns in parts is the model of all rows."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gaussbayes import GaussianClassifier
from tests.cli.calling import Call, Shell


def split(iris: Path, *parts: slice) -> None:
    """Write some of the rows as part0.csv, part1.csv, ..."""
    frame = pd.read_csv(iris).sample(frac=1.0, random_state=1)
    for number, part in enumerate(parts):
        frame[part].to_csv(iris.parent / f"part{number}.csv", index=False)


def assert_like_iris(path: Path, iris: Path) -> None:
    frame = pd.read_csv(iris)
    expected = GaussianClassifier().fit(frame.drop(columns="species"), frame["species"])
    model = GaussianClassifier.load(path)
    assert model.classes_.tolist() == expected.classes_.tolist()
    assert model.moments_.weight.tolist() == expected.moments_.weight.tolist()
    np.testing.assert_allclose(model.means_, expected.means_, rtol=1e-14)
    np.testing.assert_allclose(model.covariances_, expected.covariances_, rtol=1e-12)


def test_parts_one_after_the_other(shell: Shell, iris: Path) -> None:
    split(iris, slice(0, 60), slice(60, 100), slice(100, 150))
    done = shell(
        "gaussbayes fit part0.csv -y species --model qda -o m.json && "
        "gaussbayes update m.json part1.csv && "
        "cat part2.csv | gaussbayes update m.json - -o new.json"
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert "learnt from 40 rows: 3 classes, 4 features; the model is in m.json" in done.stderr
    assert_like_iris(iris.parent / "new.json", iris)
    old = GaussianClassifier.load(iris.parent / "m.json")
    assert old.moments_.weight.sum() == 100


def test_the_same_bytes_as_in_python(call: Call, iris: Path) -> None:
    split(iris, slice(0, 60), slice(60, 150))
    folder = iris.parent
    call("fit", "part0.csv", "-y", "species", "--model", "qda", "-o", "m.json")
    call("update", "m.json", "part1.csv")
    model = GaussianClassifier(features="auto").fit_source(folder / "part0.csv", "species")
    model.partial_fit_source(folder / "part1.csv").save(folder / "python.json")
    assert (folder / "m.json").read_bytes() == (folder / "python.json").read_bytes()


def test_new_classes_join(call: Call, iris: Path) -> None:
    frame = pd.read_csv(iris)
    folder = iris.parent
    frame[:100].to_csv(folder / "two.csv", index=False)
    frame[100:101].to_csv(folder / "one.csv", index=False)
    frame[101:].rename(columns={"species": "kind"}).to_csv(folder / "rest.csv", index=False)
    call("fit", "two.csv", "-y", "species", "--model", "qda", "-o", "m.json")
    result = call("update", "m.json", "one.csv")
    assert result.exit_code == 0
    assert "cannot predict yet" in result.stderr  # one row has no covariance
    assert "new: virginica" in result.stderr
    refused = call("predict", "m.json", iris)
    assert refused.exit_code == 3
    assert "virginica" in refused.stderr
    told = call("update", "m.json", "rest.csv", "-y", "kind", "--json")
    record = json.loads(told.stdout)
    assert (record["rows"], record["classes"]) == (49, ["setosa", "versicolor", "virginica"])
    assert_like_iris(folder / "m.json", iris)


def test_a_failure_leaves_the_model_as_it_was(call: Call, iris: Path) -> None:
    folder = iris.parent
    call("fit", iris, "-y", "species", "--model", "qda", "-o", "m.json")
    before = (folder / "m.json").read_bytes()
    lines = iris.read_text().splitlines()
    lines[-1] = "1,2,3,much,virginica"
    (folder / "bad.csv").write_text("\n".join(lines))
    result = call("update", "m.json", "bad.csv")
    assert result.exit_code == 3
    assert "row 150" in result.stderr
    assert (folder / "m.json").read_bytes() == before
    assert not [path for path in folder.iterdir() if path.suffix == ".tmp"]


def test_given_priors_must_cover_the_new_classes(call: Call, iris: Path) -> None:
    frame = pd.read_csv(iris)
    frame[:100].to_csv(iris.parent / "two.csv", index=False)
    frame[100:].to_csv(iris.parent / "third.csv", index=False)
    call("fit", "two.csv", "-y", "species", "--model", "qda", "-o", "m.json", "--priors", "0.5,0.5")
    before = (iris.parent / "m.json").read_bytes()
    result = call("update", "m.json", "third.csv")
    assert result.exit_code == 3
    assert "3 priors are needed" in result.stderr
    assert (iris.parent / "m.json").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["m.json", "nowhere.csv"], 2, "does not exist"),
        (["m.json", "other.csv"], 3, "lacks 1 of the model's 4 features: 'sepal width (cm)'"),
        (["m.json", "iris.csv", "-y", "kind"], 3, "lacks the target: 'kind'"),
        (["m.json", "iris.csv", "-o", "iris.csv"], 2, "give another name"),
        (["-", "-"], 2, "standard input (-) can be read once only"),
        (["made.json", "iris.csv", "-y", "species"], 3, "its parameters were given"),
        (["m.json", "numbers.csv"], 3, "numbers.csv does not fit m.json: labels of different"),
    ],
)
def test_refusals(call: Call, iris: Path, arguments: list[str], code: int, message: str) -> None:
    call("fit", iris, "-y", "species", "--model", "qda", "-o", "m.json")
    pd.read_csv(iris).drop(columns="sepal width (cm)").to_csv(
        iris.parent / "other.csv", index=False
    )
    GaussianClassifier.from_parameters(
        [0.5, 0.5], [[0.0], [4.0]], [[[1.0]], [[4.0]]], feature_names=["a"]
    ).save(iris.parent / "made.json")
    pd.read_csv(iris).assign(species=1).to_csv(iris.parent / "numbers.csv", index=False)
    before = {path: path.read_bytes() for path in iris.parent.iterdir()}
    result = call("update", *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr
    assert {path: path.read_bytes() for path in iris.parent.iterdir()} == before


def test_models_that_do_not_know_their_target(
    call: Call, iris: Path, fitted: GaussianClassifier
) -> None:
    result = call("update", "iris.json", iris)
    assert result.exit_code == 2
    assert "Give -y with one of" in result.stderr
    assert call("update", "iris.json", iris, "-y", "species").exit_code == 0
    model = GaussianClassifier.load(iris.parent / "iris.json")
    assert model.moments_.weight.tolist() == (2 * fitted.moments_.weight).tolist()
