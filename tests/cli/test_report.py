"""The command passes on what was asked for, and refuses what it cannot do."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gaussbayes import AutoClassifier, GaussianClassifier, Model, report
from gaussbayes.datasets import load_iris
from tests.cli.calling import Call


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the report is asked for, instead of the report."""
    seen: dict[str, Any] = {}

    def remember(model: Model, X: object, y: object, path: Path, **options: object) -> Path:
        classifier = GaussianClassifier.from_model(model)
        seen.update({"model": classifier, "X": X, "y": y, "path": path}, **options)
        return path

    monkeypatch.setattr(report, "write_report", remember)
    return seen


def test_a_page_is_written_and_its_path_printed(call: Call, iris: Path) -> None:
    done = call("report", "iris.csv", "-y", "species", "--held-out", "3", "-o", "my page.html")
    assert done.stderr == ""
    assert (done.exit_code, done.stdout) == (0, "my page.html\n")
    page = (iris.parent / "my page.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "iris.csv" in page
    assert "gaussbayes report iris.csv -y species --held-out 3 -o" in page


def test_defaults(call: Call, iris: Path, asked: dict[str, Any]) -> None:
    result = call("report", iris, "-y", "species")
    assert (result.exit_code, result.stdout) == (0, "report.html\n")
    data = load_iris()
    expected = AutoClassifier().fit(data.rows, data.labels)
    posterior = expected.predict_proba(data.rows)
    np.testing.assert_array_equal(asked["model"].predict_proba(asked["X"]), posterior)
    assert asked["model"].feature_names_in_.tolist() == list(data.feature_names)
    assert asked["y"].tolist() == data.labels.tolist()
    assert asked["held_out"] == 10
    assert asked["random_state"] == 0
    assert asked["title"] is None
    assert asked["source"] == str(iris)
    assert asked["command"] == f"gaussbayes report {iris} -y species"


def test_every_option(call: Call, iris: Path, asked: dict[str, Any]) -> None:
    options = [
        *("--features", "petal length (cm), petal width (cm)"),
        *("--covariance", "diagonal"),
        "--shared",
        *("--divisor", "unbiased"),
        *("--shrinkage", "0.5"),
        *("--priors", "0.2,0.3,0.5"),
        *("--held-out", "0.3"),
        *("--seed", "7"),
        *("--title", "Three species"),
    ]
    assert call("report", "iris.csv", "-y", "species", *options).exit_code == 0
    assert asked["model"].get_params() == {
        "covariance": "diagonal",
        "shared": True,
        "divisor": "unbiased",
        "shrinkage": 0.5,
        "priors": [0.2, 0.3, 0.5],
        "selection": "leave_one_out",
        "categorical_features": "from_dtype",
        "coded": False,
        "features": None,
        "exclude": None,
        "numeric": None,
        "keep_identifiers": False,
        "smoothing": 0.0,
        "families": None,
        "unlabelled": None,
        "unlabelled_weight": "auto",
        "n_jobs": None,
        "average": False,
        "calibration": None,
        "estimate": "plug_in",
        "target": "diagonal",
        "transforms": None,
        "na_values": None,
        "keep_default_na": True,
    }
    assert asked["model"].n_features_in_ == 2
    assert asked["held_out"] == 0.3
    assert asked["random_state"] == 7
    assert asked["title"] == "Three species"
    assert "--title 'Three species'" in asked["command"]
    assert iris.exists()


@pytest.mark.parametrize(
    ("options", "name", "value"),
    [
        (["--priors", "uniform"], "priors", "uniform"),
        (["--priors", "estimated"], "priors", None),
        (["--shrinkage", "oas"], "shrinkage", "oas"),
        (["--shrinkage", "none"], "shrinkage", None),
    ],
)
def test_words_for_settings(
    call: Call, iris: Path, asked: dict[str, Any], options: list[str], name: str, value: object
) -> None:
    assert call("report", iris, "-y", "species", *options).exit_code == 0
    assert asked["model"].get_params()[name] == value


def test_rows_of_another_file_are_held_out(call: Call, iris: Path, asked: dict[str, Any]) -> None:
    header, *lines = iris.read_text().splitlines()
    test = iris.parent / "test.csv"
    # The columns come in another order, with one that is not asked for.
    turned = ["day," + ",".join(reversed(header.split(",")))]
    turned += ["mon," + ",".join(reversed(line.split(","))) for line in lines[::10]]
    test.write_text("\n".join(turned))
    assert call("report", iris, "-y", "species", "--held-out", test).exit_code == 0
    features, labels = asked["held_out"]
    data = load_iris()
    assert features.column_names == list(data.feature_names)
    np.testing.assert_array_equal(np.array(features), data.rows[::10])
    assert labels.tolist() == data.labels[::10].tolist()


def test_without_a_target_the_columns_are_named(call: Call, iris: Path) -> None:
    result = call("report", iris)
    assert result.exit_code == 2
    assert "Give -y with one of: 'sepal length (cm)'" in result.stderr
    assert "'species'" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--covariance", "round"], "'round' is not one of 'full', 'diagonal', 'spherical'"),
        (["--priors", "some"], "expected 'estimated', 'uniform' or numbers such as 0.2,0.8"),
        (["--shrinkage", "2"], "a number from 0 to 1, got '2'"),
        (["--shrinkage", "nan"], "a number from 0 to 1, got 'nan'"),
        (["--shrinkage", "much"], "a number from 0 to 1, got 'much'"),
        (
            ["--held-out", "1"],
            "expected folds (2 or more), a proportion between 0 and 1, or a file",
        ),
        (["--held-out", "1.5"], "expected folds (2 or more)"),
        (["--held-out", "inf"], "expected folds (2 or more)"),
        (["--held-out", "nowhere.csv"], "'nowhere.csv' does not exist"),
        (["--features", "a,,b"], "expected different names separated by commas"),
        (["--features", "a,a"], "expected different names separated by commas"),
        (["--seed", "4294967296"], "not in the range 0<=x<=4294967295"),
        (["-o", "iris.csv"], "iris.csv is read, so that it cannot be written as well"),
    ],
)
def test_wrong_usage(call: Call, iris: Path, options: list[str], message: str) -> None:
    before = iris.read_bytes()
    result = call("report", "iris.csv", "-y", "species", *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert iris.read_bytes() == before


@pytest.mark.parametrize(
    ("data", "code", "message"),
    [
        ("nowhere.csv", 2, "does not exist"),
        (".", 3, "no data files in the folder '.'"),
        ("*.csv", 3, "no file matches '*.csv'"),
    ],
)
def test_data_that_are_not_there(call: Call, data: str, code: int, message: str) -> None:
    result = call("report", data, "-y", "species")
    assert result.exit_code == code
    assert message in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-y", "specis"], "lacks the target: 'specis' (is it 'species'?)"),
        (["-y", "petal width (cm)"], "the target 'petal width (cm)' is continuous"),
        (["-y", "species", "--features", "width"], "lacks the features asked for: 'width'"),
        (["-y", "species", "--priors", "0.5,0.5"], "3 priors are needed"),
        (["-y", "species", "--priors", "0.5,0.5,0.5"], "priors must sum to 1"),
    ],
)
def test_bad_data(call: Call, iris: Path, options: list[str], message: str) -> None:
    result = call("report", iris, *options)
    assert result.exit_code == 3
    assert message in result.stderr
    assert result.stdout == ""


def test_one_class_only(call: Call, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("a,y\n1,x\n2,x\n4,x\n")
    result = call("report", "one.csv", "-y", "y")
    assert result.exit_code == 3
    assert "at least two classes" in result.stderr


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (".", "it is a directory"),
        ("nowhere/report.html", "there is no directory"),
        ("iris.csv/report.html", "is not a directory"),
    ],
)
def test_pages_that_cannot_be_written(call: Call, iris: Path, path: str, message: str) -> None:
    result = call("report", iris, "-y", "species", "-o", path)
    assert result.exit_code == 1
    assert message in result.stderr
    assert [file.name for file in iris.parent.iterdir()] == ["iris.csv"]


def test_a_model_file(
    call: Call, iris: Path, fitted: GaussianClassifier, asked: dict[str, Any]
) -> None:
    table = pd.read_csv(iris)
    table[table.columns[::-1]].assign(number=1).to_csv("turned.csv", index=False)
    result = call("report", "iris.json", "turned.csv", "-y", "species", "--held-out", "3")
    assert (result.exit_code, result.stdout) == (0, "report.html\n")
    np.testing.assert_array_equal(asked["model"].means_, fitted.means_)
    assert asked["X"].column_names == fitted.feature_names_in_.tolist()
    np.testing.assert_array_equal(np.array(asked["X"]), load_iris().rows)
    assert asked["held_out"] == 3
    assert asked["source"] == "turned.csv"


def test_every_kind_of_file(call: Call, iris: Path, asked: dict[str, Any]) -> None:
    Path("parts").mkdir()
    for kind in ("parquet", "jsonl.gz", "arrow"):
        assert call("convert", iris, f"parts/iris.{kind}").exit_code == 0
    assert call("report", "parts", "-y", "species").exit_code == 0
    assert asked["y"].size == 450
    np.testing.assert_array_equal(np.array(asked["X"])[150:300], load_iris().rows)


@pytest.mark.usefixtures("fitted", "iris")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["iris.json"], "which rows is the report about iris.json to show?"),
        (["iris.json", "iris.csv", "--features", "a"], "--features is for fitting"),
        (["iris.json", "iris.csv", "-o", "iris.json"], "iris.json is read"),
    ],
)
def test_wrong_usage_with_a_model(call: Call, arguments: list[str], message: str) -> None:
    result = call("report", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_bad_rows_are_left_out(call: Call, asked: dict[str, Any]) -> None:
    lines = "a,y\n1,x\n2,x\n3,z\nmany,z\n5,z\n7,\n"
    Path("rows.csv").write_text(lines)
    result = call("report", "rows.csv", "-y", "y", "--held-out", "2", "--bad-rows", "skip")
    assert result.exit_code == 0
    assert asked["y"].tolist() == ["x", "x", "z", "z", None]
    assert "1 row was left out:" in result.stderr
    assert "row 4, column 'a'" in result.stderr
    assert "1 row has no label: learnt from by EM" in result.stderr
    alone = call("report", "rows.csv", "-y", "y", "--bad-rows", "skip", "--unlabelled", "drop")
    assert asked["y"].tolist() == ["x", "x", "z", "z"]
    assert "1 row has no label: left out" in alone.stderr


def test_rows_are_called_as_in_the_file_and_as_explain_has_them(call: Call, tmp_path: Path) -> None:
    """One row cannot be used and one has no label: the others keep their numbers."""
    generator = np.random.default_rng(3)
    y = np.repeat(["a", "b"], 30)
    table = pd.DataFrame(generator.normal(size=(60, 2)) + (y == "b")[:, None], columns=["u", "v"])
    table = table.assign(who=[f"tree {n}" for n in range(1, 61)], y=y).astype(object)
    table.loc[4, "u"], table.loc[9, "y"] = "oops", ""
    table.to_csv("trees.csv", index=False)
    options = ["--features", "u,v", "-y", "y", "--bad-rows", "skip", "--unlabelled", "drop"]
    done = call("report", "trees.csv", *options, "--row-names", "who", "--held-out", "3")
    assert done.exit_code == 0, done.stderr
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Left out: 2 rows." in page
    assert "<li>1 row without label</li>" in page
    assert "trees.csv, row 5, column &#39;u&#39;: &#39;oops&#39; is not a number" in page
    cards = re.findall(
        r"<h3 class=\"row\">Row (\d+) \(who: tree (\d+)\)</h3>.*?</article>", page, re.DOTALL
    )
    assert len(cards) == 10
    assert all(number == who for number, who in cards)
    call("fit", "trees.csv", *options, "-o", "m.json")
    shown = re.search(rf"Row {cards[0][0]} .*?= log joint</th><td>(.*?)</td>", page, re.DOTALL)
    assert shown
    told = json.loads(
        call(
            "explain", "m.json", "trees.csv", "--row", cards[0][0], "--row-names", "who", "--json"
        ).stdout
    )
    assert told["name"] == {"who": f"tree {cards[0][0]}"}
    joints = [f"{each['log_joint']:.6f}".replace("-", "−") for each in told["classes"]]
    assert shown[1] in joints
    told_in_words = call(
        "explain", "m.json", "trees.csv", "--row", "12", "--row-names", "who"
    ).stdout
    assert "row 12 (who: tree 12)" in " ".join(told_in_words.split())


def test_rows_of_several_files(call: Call, iris: Path, asked: dict[str, Any]) -> None:
    part = pd.read_csv(iris)
    part[:70].to_csv("first.csv", index=False)
    part[70:].to_csv("second.csv", index=False)
    assert call("report", "first.csv", "second.csv", "-y", "species").exit_code == 0
    names = asked["row_names"]
    assert [names[0], names[69], names[70]] == [
        "first.csv, row 1",
        "first.csv, row 70",
        "second.csv, row 1",
    ]
    assert (asked["fitted"], asked["left_out"]) == (True, [])


def test_an_unknown_column_of_names(call: Call, iris: Path) -> None:
    result = call("report", iris, "-y", "species", "--row-names", "specie")
    assert "lacks the column that names rows: 'specie' (is it 'species'?)" in result.stderr
