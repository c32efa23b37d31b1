"""One row explained on the command line: tables, JSON and a plot, and what is refused."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from sklearn.datasets import load_breast_cancer

from gaussbayes import GaussianClassifier
from gaussbayes.analysis.explanation import explain
from gaussbayes.cli.console import print_blocks
from gaussbayes.datasets import load_iris
from tests.cli.calling import Call, Shell

pytestmark = pytest.mark.usefixtures("iris")

ROWS = load_iris().rows


def record(model: GaussianClassifier, row: Any, *options: Any) -> dict[str, Any]:
    """What Python says, as it is written."""
    fitted = model.model_
    explanation = explain(fitted, fitted.encoder.encode_row(row), *options)
    record: dict[str, Any] = json.loads(json.dumps(explanation.as_record()))
    return record


def test_everything_as_json(call: Call, fitted: GaussianClassifier) -> None:
    result = call("explain", "iris.json", "iris.csv", "--row", 107, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    about = {"model": "iris.json", "data": "iris.csv", "row": 107}
    found = json.loads(result.stdout)
    assert found == about | record(fitted, ROWS[106])
    posterior = [own["posterior"] for own in found["classes"]]
    proba = fitted.with_feature_names(None).predict_proba(ROWS[106:107])[0]
    np.testing.assert_allclose(posterior, proba, rtol=1e-12)
    first = json.loads(call("explain", "iris.json", "iris.csv", "--json").stdout)
    assert first == about | {"row": 1} | record(fitted, ROWS[0])


def test_tables_for_people(call: Call, fitted: GaussianClassifier) -> None:
    result = call("explain", "iris.json", "iris.csv", "--row", 107)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == "what the model iris.json says of iris.csv, row 107"
    told = record(fitted, ROWS[106])
    plain, logarithms = (line.split() for line in lines if line.startswith("virginica"))
    own = told["classes"][2]
    names = ("prior", "likelihood", "joint", "posterior", "squared_distance")
    assert plain[1:] == [f"{own[name]:.5g}" for name in names]
    assert logarithms[1:] == [f"−{-own[f'log_{name}']:.5g}" for name in names[:4]]
    assert any(f"p(x) is {told['evidence']:.5g}" in line for line in lines)
    assert any("log-odds of virginica against versicolor" in line for line in lines)
    adds = {one["feature"]: one["amount"] for one in told["log_odds"]["contributions"]}
    start = next(i for i, line in enumerate(lines) if line.startswith("at the reference"))
    for line, name in zip(
        lines[start + 1 :], sorted(adds, key=lambda n: -abs(adds[n])), strict=False
    ):
        assert line.startswith(name)
        assert f"{adds[name]:+.5g}".replace("-", "−") in line
    bars = [line.count("█") for line in lines[start + 1 : start + 5]]
    assert bars == sorted(bars, reverse=True)
    assert bars[0] == 20
    assert lines[start + 5].split() == ["this", "row", f"{told['log_odds']['value']:.5g}"]


def test_missing_values(call: Call, fitted: GaussianClassifier) -> None:
    table = pd.DataFrame(ROWS, columns=list(load_iris().feature_names))[::-1]
    table.iloc[2, [0, 2]] = np.nan
    table.to_csv("gaps.csv", index=False)
    table.to_parquet("gaps.parquet")
    row = ROWS[147].copy()
    row[[0, 2]] = np.nan
    expected = record(fitted, row)
    for name in ("gaps.csv", "gaps.parquet"):
        found = json.loads(call("explain", "iris.json", name, "--row", 3, "--json").stdout)
        assert found == {"model": "iris.json", "data": name, "row": 3} | expected
    text = call("explain", "iris.json", "gaps.csv", "--row", 3).stdout
    assert "add nothing: sepal length (cm), petal length (cm)." in text


def test_classes_reference_and_priors(call: Call, fitted: GaussianClassifier) -> None:
    def found(*options: object) -> Any:
        return json.loads(call("explain", "iris.json", "iris.csv", "--json", *options).stdout)

    about = {"model": "iris.json", "data": "iris.csv", "row": 1}
    given = "--classes", "virginica,setosa"
    assert found(*given) == about | record(fitted, ROWS[0], (2, 0))
    assert found(*given, "--reference", "rival") == about | record(fitted, ROWS[0], (2, 0), "rival")
    point = found("--reference", "5,3,4,1")
    assert point == about | record(fitted, ROWS[0], None, [5, 3, 4, 1])
    other = fitted.with_priors([0.1, 0.2, 0.7])
    assert found("--priors", "0.1,0.2,0.7") == about | record(other, ROWS[0])


def test_whole_numbers_and_classes_that_are_numbers(call: Call) -> None:
    X = pd.DataFrame({"a": [1, 2, 4, 8, 9, 11], "b": [3, 1, 2, 7, 9, 6]})
    model = GaussianClassifier("diagonal").fit(X, [0, 0, 0, 1, 1, 1])
    model.save("m.json")
    X.to_csv("rows.csv", index=False)
    X.to_json("rows.jsonl", orient="records", lines=True)
    expected = record(model, [4.0, 2.0], (1, 0))
    for name in ("rows.csv", "rows.jsonl"):
        result = call("explain", "m.json", name, "--row", 3, "--classes", "1,0", "--json")
        assert json.loads(result.stdout) == {"model": "m.json", "data": name, "row": 3} | expected


def test_many_classes_and_features_are_shortened(call: Call) -> None:
    data = load_breast_cancer()
    table = pd.DataFrame(data.data, columns=[f"a long name: {name}" for name in data.feature_names])
    labels = np.where(data.target, "benign", [f"malignant {i % 30}" for i in range(569)])
    GaussianClassifier("diagonal", shared=True).fit(table, labels).save("m.json")
    table.to_csv("rows.csv", index=False)
    result = call("explain", "m.json", "rows.csv", "--row", 500)
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "18 other features" in result.stdout
    assert "and 11 classes less probable" in result.stdout


def test_a_plot_is_drawn_too(call: Call, fitted: GaussianClassifier) -> None:
    assert fitted.classes_.size == 3
    result = call("explain", "iris.json", "iris.csv", "--row", 60, "--plot", "why.png")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "log-odds of versicolor" in result.stdout
    assert Path("why.png").read_bytes().startswith(b"\x89PNG")
    result = call("explain", "iris.json", "iris.csv", "--plot", "why.txt")
    assert (result.exit_code, result.stdout) == (2, "")
    assert ".png" in result.stderr
    result = call("explain", "iris.json", "iris.csv", "--plot", "-")
    assert result.exit_code == 2
    assert "standard output" in result.stderr


def test_rows_and_models_from_pipes(shell: Shell, fitted: GaussianClassifier) -> None:
    done = shell("tail -n +1 iris.csv | gaussbayes explain iris.json - --row 2 --json")
    assert (done.returncode, done.stderr) == (0, "")
    about = {"model": "iris.json", "data": "-", "row": 2}
    assert json.loads(done.stdout) == about | record(fitted, ROWS[1])
    done = shell("gaussbayes explain - iris.csv --json < iris.json")
    assert json.loads(done.stdout)["model"] == "-"
    done = shell("gaussbayes explain - - < iris.json")
    assert done.returncode == 2
    assert "can be read once only" in done.stderr


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--row", "151"], 3, "iris.csv has 150 rows: there is no row 151"),
        (["--row", "0"], 2, "--row"),
        (["--classes", "setosa"], 2, "two classes are compared, got setosa"),
        (["--classes", "setosa,rose"], 3, "no class 'rose'; it has setosa, versicolor, virginica"),
        (["--reference", "middle"], 2, "expected 'mean', 'rival' or a number"),
        (["--reference", "1,2,nan,3"], 2, "expected 'mean', 'rival' or a number"),
        (["--reference", "1,2"], 2, "a finite number for each of the 4 features, got [1.0, 2.0]"),
        (["--priors", "0.5,0.5"], 3, "3 priors are needed"),
    ],
)
def test_what_is_refused(
    call: Call, fitted: GaussianClassifier, options: list[str], code: int, words: str
) -> None:
    assert fitted.classes_.size == 3
    result = call("explain", "iris.json", "iris.csv", *options)
    assert (result.exit_code, result.stdout) == (code, "")
    assert words in " ".join(result.stderr.split())


def test_rows_that_cannot_be_explained(call: Call, fitted: GaussianClassifier) -> None:
    table = pd.DataFrame(ROWS, columns=list(fitted.feature_names_in_))
    table.iloc[:3].to_csv("a.csv", index=False)
    table.iloc[:3, :3].to_csv("narrow.csv", index=False)
    table.iloc[:0].to_csv("empty.csv", index=False)
    far = table.iloc[:3].copy()
    far.iloc[1, 1], far.iloc[2, 1] = np.inf, 1e200
    far.to_csv("far.csv", index=False)
    far.assign(**{"petal width (cm)": ["x", "y", "z"]}).to_csv("text.csv", index=False)
    for name, row, words in [
        ("narrow.csv", 1, "narrow.csv lacks 1 of the model's 4 features: 'petal width (cm)'"),
        ("empty.csv", 1, "empty.csv has no rows"),
        ("far.csv", 2, "far.csv, row 2, column 'sepal width (cm)': 'inf' is not finite"),
        ("far.csv", 3, "far.csv, row 3: "),
        ("text.csv", 1, "text.csv"),
    ]:
        result = call("explain", "iris.json", name, "--row", row)
        assert (result.exit_code, result.stdout) == (3, "")
        assert words in result.stderr
        assert "Traceback" not in result.stderr
    result = call("explain", "iris.json", "[a]*.csv")
    assert result.exit_code == 0
    table.to_csv("ab.csv", index=False)
    result = call("explain", "iris.json", "[a]*.csv")
    assert result.exit_code == 2
    assert "rows are numbered within a file" in result.stderr


# Features that hold categories.


@pytest.fixture
def mixed() -> GaussianClassifier:
    X = [["a", 1.0, True], ["b", 2.0, False], ["a", 4.0, False], ["b", 5.0, True], ["b", 7.5, True]]
    fitted = GaussianClassifier(shared=True, categorical_features=[0, 2])
    fitted.fit(X, ["low", "low", "low", "top", "top"])
    return fitted.with_feature_names(["letter", "size", "a name that is longer than its column"])


def lines(model: GaussianClassifier, row: list[object]) -> list[str]:
    """What is printed on a terminal of 80 columns."""
    written = io.StringIO()
    explanation = model.explain(row, ("top", "low"))
    print_blocks(Console(file=written, width=80), *explanation.tables())
    printed = [line.rstrip() for line in written.getvalue().splitlines()]
    plain = [" ".join(line.split()) for line in str(explanation).splitlines()]
    assert plain == [" ".join(line.split()) for line in printed]
    assert max(map(len, printed)) <= 80
    return printed


def test_categories_stand_beside_numbers(mixed: GaussianClassifier) -> None:
    found = lines(mixed, ["b", 3.0, True])
    (letter,) = (line.split() for line in found if line.startswith("letter"))
    # log 1 − log 1/3; compared with a letter that is not known.
    assert letter[:3] == ["letter", "b", "+1.0986"]
    (size,) = (line.split() for line in found if line.startswith("size"))
    assert size[:3] == ["size", "3", "3.9"]
    (long,) = (line for line in found if line.startswith("a name that"))
    assert " True " in long
    assert "distance²" in "".join(found)


def test_a_category_that_rules_a_class_out(mixed: GaussianClassifier) -> None:
    found = lines(mixed, ["a", 3.0, True])
    (letter,) = (line.split() for line in found if line.startswith("letter"))
    assert letter == ["letter", "a", "−∞", "rules", "out", "top"]
    assert [line.split() for line in found if line.startswith("this row")] == [
        ["this", "row", "−∞"]
    ]
    top = [line.split() for line in found if line.startswith("top")]
    assert top[0][2:5] == ["0", "0", "0"]
    assert top[1][2:] == ["−∞", "−∞", "−∞"]


def test_what_is_not_known_is_named(mixed: GaussianClassifier) -> None:
    found = lines(mixed, ["new", 3.0, None])
    assert "Never seen in training, so that they add nothing: letter = new." in found
    text = " ".join(found)
    assert "Missing, so that they add nothing: a name that is longer than its column." in text
    assert not any(line.startswith("letter") for line in found)


def test_without_numbers_there_is_no_distance(mixed: GaussianClassifier) -> None:
    found = lines(mixed.marginal(["letter"]), ["b"])
    assert not any("distance" in line or "nan" in line for line in found)
