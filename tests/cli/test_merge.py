"""Models of parts merge into the model of the whole."""

from pathlib import Path

import pandas as pd
import pytest

from gaussbayes import GaussianClassifier
from tests.cli.calling import Call, Shell
from tests.cli.test_update import assert_like_iris, split


def test_parts_are_the_whole(shell: Shell, iris: Path) -> None:
    split(iris, slice(0, 60), slice(60, 100), slice(100, 150))
    done = shell(
        "for part in 0 1 2\n"
        "do gaussbayes fit part$part.csv -y species --model qda -o $part.json; done\n"
        "cat 1.json | gaussbayes merge 0.json - 2.json -o - > whole.json"
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert "merged 3 models: 3 classes; the model is in standard output" in done.stderr
    folder = iris.parent
    assert_like_iris(folder / "whole.json", iris)
    models = [GaussianClassifier.load(folder / f"{part}.json") for part in range(3)]
    models[0].merge(models[1]).merge(models[2]).save(folder / "python.json")
    assert (folder / "whole.json").read_bytes() == (folder / "python.json").read_bytes()


def test_classes_are_united(call: Call, iris: Path) -> None:
    frame = pd.read_csv(iris)
    for name, part in {
        "a": frame[:100],
        "b": frame[100:].rename(columns={"species": "kind"}),
    }.items():
        features = [column for column in part.columns if "cm" in column]
        model = GaussianClassifier()
        model.partial_fit(part[features], part.iloc[:, -1])
        model.target_name_ = part.columns[-1]
        model.save(iris.parent / f"{name}.json")
    result = call("merge", "a.json", "b.json", "-o", "both.json")
    assert result.exit_code == 0
    assert "targets have different names; the result's is 'species'" in result.stderr
    assert_like_iris(iris.parent / "both.json", iris)


def test_different_settings_need_a_choice(call: Call, iris: Path) -> None:
    split(iris, slice(0, 70), slice(70, 150))
    call("fit", "part0.csv", "-y", "species", "-o", "a.json", "--divisor", "unbiased")
    call("fit", "part1.csv", "-y", "species", "--model", "qda", "-o", "b.json")
    refused = call("merge", "a.json", "b.json", "-o", "both.json")
    assert refused.exit_code == 3
    assert "divisor is 'unbiased' in a.json, 'mle' in b.json" in refused.stderr
    assert "--settings-of first" in refused.stderr
    assert not (iris.parent / "both.json").exists()
    for choice, divisor in (("first", "unbiased"), ("b.json", "mle")):
        done = call("merge", "a.json", "b.json", "-o", "both.json", "--settings-of", choice)
        assert done.exit_code == 0
        assert GaussianClassifier.load(iris.parent / "both.json").divisor == divisor


def test_what_a_part_has_not_kept(call: Call, iris: Path) -> None:
    call("fit", iris, "-y", "species", "--model", "qda", "-o", "a.json")
    call("fit", iris, "-y", "species", "-o", "b.json", "--covariance", "diagonal")
    result = call("merge", "a.json", "b.json", "-o", "c.json", "--settings-of", "first")
    assert result.exit_code == 3
    assert "b.json has not kept what these settings need" in result.stderr
    assert (
        call("merge", "a.json", "b.json", "-o", "c.json", "--settings-of", "b.json").exit_code == 0
    )
    model = GaussianClassifier.load(iris.parent / "c.json")
    assert (model.covariance, model.moments_.weight.sum()) == ("diagonal", 300)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["a.json", "-o", "c.json"], 2, "two models or more"),
        (["a.json", "a.json", "-o", "c.json"], 2, "a.json is given twice"),
        (["a.json", "b.json"], 2, "Missing option '-o'"),
        (["a.json", "b.json", "-o", "c.json"], 3, "models of different features"),
        (["a.json", "nowhere.json", "-o", "c.json"], 2, "does not exist"),
        (["a.json", "b.json", "-o", "c.json", "--settings-of", "d"], 2, "one of the models given"),
        (["a.json", "iris.csv", "-o", "c.json"], 3, "iris.csv"),
    ],
)
def test_refusals(call: Call, iris: Path, arguments: list[str], code: int, message: str) -> None:
    call("fit", iris, "-y", "species", "--model", "qda", "-o", "a.json")
    call(
        "fit",
        iris,
        "-y",
        "species",
        "--model",
        "qda",
        "-o",
        "b.json",
        "--features",
        "petal width (cm)",
    )
    result = call("merge", *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr
    assert not (iris.parent / "c.json").exists()
