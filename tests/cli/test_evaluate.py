"""Figures of a model on files are those of scikit-learn on the same rows in memory."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import (
    accuracy_score,
    brier_score_loss,
    confusion_matrix,
    log_loss,
    precision_recall_fscore_support,
)
from sklearn.model_selection import LeaveOneOut, StratifiedKFold, cross_val_predict

from gaussbayes import GaussianClassifier
from tests.cli.calling import Call, Shell


@pytest.fixture
def table(iris: Path) -> pd.DataFrame:
    return pd.read_csv(iris)


def parts(table: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    return table.drop(columns="species"), table["species"]


def check(told: dict[str, Any], labels: Any, log_posterior: np.ndarray) -> None:
    """Compare what the command says with scikit-learn's figures."""
    classes = sorted(set(labels))
    posterior, guesses = np.exp(log_posterior), np.take(classes, log_posterior.argmax(axis=1))
    labels = np.asarray(labels)
    assert told["rows"] == labels.size
    assert told["errors"] == np.count_nonzero(labels != guesses)
    assert told["accuracy"] == pytest.approx(accuracy_score(labels, guesses), rel=1e-14)
    assert told["error"] == pytest.approx(1 - accuracy_score(labels, guesses), rel=1e-12)
    assert told["log_loss"] == pytest.approx(log_loss(labels, posterior), rel=1e-12)
    brier = brier_score_loss(labels, posterior, labels=classes, scale_by_half=False)
    assert told["brier"] == pytest.approx(brier, rel=1e-12)
    assert told["confusion"] == confusion_matrix(labels, guesses).tolist()
    precision, recall, _, rows = precision_recall_fscore_support(labels, guesses)
    assert [one["class"] for one in told["classes"]] == classes
    assert [one["rows"] for one in told["classes"]] == rows.tolist()
    assert [one["recall"] for one in told["classes"]] == pytest.approx(recall.tolist(), rel=1e-14)
    precisions = [one["precision"] for one in told["classes"]]
    assert precisions == pytest.approx(precision.tolist(), rel=1e-14)
    right, sure = labels == guesses, posterior.max(axis=1)
    observed, stated = calibration_curve(right, sure, n_bins=10)
    count, _ = np.histogram(sure, bins=np.linspace(0, 1, 11))
    gap = np.average(np.abs(observed - stated), weights=count[count > 0])
    assert told["calibration_error"] == pytest.approx(gap, rel=1e-9)


def test_a_model_file(call: Call, table: pd.DataFrame, fitted: GaussianClassifier) -> None:
    result = call("evaluate", "iris.json", "iris.csv", "-y", "species", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    told = json.loads(result.stdout)
    rows, labels = parts(table)
    check(told, labels, fitted.predict_log_proba(rows))
    assert told["model"] == "iris.json"
    assert told["data"] == ["iris.csv"]
    assert told["target"] == "species"
    assert told["bad_rows"] == {"count": 0, "first": []}
    assert told["gates"] == []


@pytest.mark.parametrize("kind", ["parquet", "jsonl", "tsv", "csv.gz", "arrow"])
def test_other_files_and_other_columns(
    call: Call, table: pd.DataFrame, fitted: GaussianClassifier, kind: str
) -> None:
    table = table[table.columns[::-1]].assign(number=range(len(table)))
    table.to_csv("turned.csv", index=False)
    assert call("convert", "turned.csv", f"turned.{kind}").exit_code == 0
    result = call("evaluate", "iris.json", f"turned.{kind}", "-y", "species", "--json")
    told = json.loads(result.stdout)
    rows = table[fitted.feature_names_in_]
    check(told, table["species"], fitted.predict_log_proba(rows))


def test_several_files_are_one(call: Call, table: pd.DataFrame, fitted: GaussianClassifier) -> None:
    Path("parts").mkdir()
    for number, part in enumerate(np.array_split(np.arange(150), 7)):
        table.iloc[part].to_csv(f"parts/{number}.csv", index=False)
    rows, labels = parts(table)
    for given in (["parts"], ["parts/*.csv"], sorted(map(str, Path("parts").iterdir()))):
        result = call("evaluate", "iris.json", *given, "-y", "species", "--json")
        told = json.loads(result.stdout)
        assert len(told["data"]) == 7
        check(told, labels, fitted.predict_log_proba(rows))


@pytest.mark.parametrize(
    ("options", "settings", "splitter"),
    [
        (["--cv", "5", "--model", "qda"], {}, StratifiedKFold(5, shuffle=True, random_state=0)),
        (["--estimate", "plug-in"], {}, StratifiedKFold(10, shuffle=True, random_state=0)),
        (
            ["--held-out", "3", "--seed", "7", "--shared"],
            {"shared": True},
            StratifiedKFold(3, shuffle=True, random_state=7),
        ),
        (["--loo", "--model", "qda"], {}, LeaveOneOut()),
        (
            ["--held-out", "loo", "--covariance", "diagonal", "--divisor", "unbiased"],
            {"covariance": "diagonal", "divisor": "unbiased"},
            LeaveOneOut(),
        ),
    ],
)
def test_held_out_rows(
    call: Call, table: pd.DataFrame, options: list[str], settings: Any, splitter: Any
) -> None:
    result = call("evaluate", "iris.csv", "-y", "species", *options, "--json")
    told = json.loads(result.stdout)
    rows, labels = parts(table)
    model = GaussianClassifier(**settings)
    log_posterior = cross_val_predict(model, rows, labels, cv=splitter, method="predict_log_proba")
    check(told, labels, log_posterior)
    assert told["model"] is None


def test_test_rows(call: Call, table: pd.DataFrame) -> None:
    learnt, tests = table.iloc[::2], table.iloc[1::2]
    learnt.to_csv("learnt.csv", index=False)
    tests.to_csv("tests.csv", index=False)
    names = list(table.columns[2:4])
    model = GaussianClassifier(shrinkage=0.1).fit(learnt[names], learnt["species"])
    for option in ("--test", "--held-out"):
        given = ["-y", "species", "--shrinkage", "0.1", "--features", ",".join(names)]
        result = call("evaluate", "learnt.csv", *given, option, "tests.csv", "--json")
        told = json.loads(result.stdout)
        check(told, tests["species"], model.predict_log_proba(tests[names]))
        assert told["how"] == "fitted to 75 rows of learnt.csv, judged by 75 rows of tests.csv"


@pytest.mark.usefixtures("fitted")
def test_figures_for_people(call: Call, table: pd.DataFrame) -> None:
    result = call("evaluate", "iris.json", "iris.csv", "-y", "species")
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80
    lines = [line.split() for line in result.stdout.splitlines()]
    rows, labels = parts(table)
    guesses = GaussianClassifier().fit(rows, labels).predict(rows)
    for name, counts in zip(sorted(set(labels)), confusion_matrix(labels, guesses), strict=True):
        assert [name, *map(str, counts)] in lines
    error = ["error", "2.00", "%", "1.14", "%", "66.67", "%", "3", "of", "150", "rows"]
    assert error in lines


def test_many_classes_are_told_by_their_errors(call: Call) -> None:
    generator = np.random.default_rng(0)
    codes = np.repeat(np.arange(30), 20)
    table = pd.DataFrame({"x": codes + generator.normal(size=600), "y": [f"c{i}" for i in codes]})
    table.to_csv("many.csv", index=False)
    result = call("evaluate", "many.csv", "-y", "y", "--cv", "2")
    assert result.exit_code == 0
    assert "most frequent errors" in result.stdout
    assert "more pairs of classes" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


@pytest.mark.usefixtures("fitted")
def test_perfect_predictions_need_no_matrix(call: Call, table: pd.DataFrame) -> None:
    table[table["species"] == "setosa"].to_csv("setosa.csv", index=False)
    result = call("evaluate", "iris.json", "setosa.csv", "-y", "species")
    assert "predicted as" not in result.stdout
    assert ["virginica", "0", "–", "–", "–", "–"] in [
        line.split() for line in result.stdout.splitlines()
    ]


def test_standard_input(shell: Shell, table: pd.DataFrame, fitted: GaussianClassifier) -> None:
    done = shell("gaussbayes evaluate iris.json - -y species --json < iris.csv")
    assert done.stderr == ""
    rows, labels = parts(table)
    check(json.loads(done.stdout), labels, fitted.predict_log_proba(rows))
    done = shell("cat iris.csv | gaussbayes evaluate - -y species --model qda --loo --json")
    assert json.loads(done.stdout)["errors"] == 4  # by refitting scikit-learn's QDA


def test_the_models_target_is_known(call: Call, iris: Path) -> None:
    assert call("fit", iris, "-y", "species", "-o", "model.json").exit_code == 0
    assert call("evaluate", "model.json", iris).exit_code == 0


def test_whole_numbers_and_truth_values_are_classes(call: Call, table: pd.DataFrame) -> None:
    for name, values in {
        "numbers": table["species"].map({"setosa": 3, "versicolor": 10, "virginica": -1}),
        "truth": table["species"] == "setosa",
    }.items():
        table.assign(species=values).to_csv(f"{name}.csv", index=False)
        assert call("fit", f"{name}.csv", "-y", "species", "-o", f"{name}.json").exit_code == 0
        told = json.loads(call("evaluate", f"{name}.json", f"{name}.csv", "--json").stdout)
        assert [one["class"] for one in told["classes"]] == sorted(set(values.tolist()))


def test_labels_that_look_like_numbers_in_one_file_only(call: Call) -> None:
    Path("learnt.csv").write_text("a,y\n1,1\n2,1\n7,x\n8,x\n")
    Path("tests.csv").write_text("a,y\n1,1\n2,1\n")
    assert call("fit", "learnt.csv", "-y", "y").exit_code == 0
    assert json.loads(call("evaluate", "model.json", "tests.csv", "--json").stdout)["errors"] == 0
    Path("numbers.csv").write_text("a,y\n1,1\n2,1\n7,2\n8,2\n")
    assert call("fit", "numbers.csv", "-y", "y").exit_code == 0
    result = call("evaluate", "model.json", "learnt.csv")
    assert result.exit_code == 3
    assert "expected are int64 such as 1" in result.stderr


def test_bad_rows_are_left_out_and_named(call: Call, iris: Path) -> None:
    assert call("fit", iris, "-y", "species", "-o", "model.json").exit_code == 0
    lines = iris.read_text().splitlines()
    lines[3] = "much,3.2,1.3,0.2,setosa"
    iris.write_text("\n".join(lines))
    assert call("evaluate", "model.json", iris).exit_code == 3
    result = call("evaluate", "model.json", iris, "--bad-rows", "skip", "--json")
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert (told["rows"], told["bad_rows"]["count"]) == (149, 1)
    assert "1 row was left out" in result.stderr
    assert "row 3, column 'sepal length (cm)'" in result.stderr


@pytest.mark.usefixtures("fitted", "iris")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["iris.csv", "--cv", "5", "--loo"], "--cv and --loo say different things"),
        (["iris.csv", "--test", "iris.csv", "--held-out", "0.3"], "--held-out and --test say"),
        (["iris.csv", "--cv", "1"], "1 is not in the range x>=2"),
        (["iris.csv"], "which column of iris.csv holds the classes? Give -y"),
        (["iris.json"], "which rows is iris.json to be judged by? Give DATA after it"),
        (["iris.json", "iris.csv", "--loo"], "--loo is for fitting, but the model is given"),
        (["iris.json", "iris.csv", "--shared"], "--shared or --sharing is for fitting"),
        (["iris.json", "iris.csv"], "which column of iris.csv holds the classes?"),
        (["nowhere.csv", "-y", "species"], "'nowhere.csv' does not exist"),
        ([], "Missing argument"),
        (["-", "-"], "standard input (-) can be read once only"),
    ],
)
def test_wrong_usage(call: Call, arguments: list[str], message: str) -> None:
    result = call("evaluate", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


@pytest.mark.usefixtures("fitted")
def test_data_that_do_not_fit_the_model(call: Call, table: pd.DataFrame) -> None:
    table.rename(columns={"petal width (cm)": "petal widht (cm)"}).to_csv("other.csv", index=False)
    result = call("evaluate", "iris.json", "other.csv", "-y", "species")
    assert result.exit_code == 3
    assert "lacks 1 of the model's 4 features: 'petal width (cm)'" in result.stderr
    assert "(is it 'petal widht (cm)'?)" in result.stderr
    table.replace("setosa", "cetosa").to_csv("other.csv", index=False)
    result = call("evaluate", "iris.json", "other.csv", "-y", "species")
    assert result.exit_code == 3
    assert "unknown labels: ['cetosa']; the classes are ['setosa'" in result.stderr


def test_rows_in_a_file_that_looks_like_a_model(call: Call, iris: Path) -> None:
    assert call("convert", iris, "rows.jsonl").exit_code == 0
    Path("rows.jsonl").rename("rows.json")
    result = call("evaluate", "rows.json", "-y", "species")
    assert result.exit_code == 3
    assert "is no model file of gaussbayes" in result.stderr
    assert "give --format jsonl" in result.stderr
    given = ["-y", "species", "--format", "jsonl"]
    assert call("evaluate", "rows.json", *given, "--cv", "2").exit_code == 0


def test_models_that_cannot_be_fitted_in_a_fold(call: Call) -> None:
    Path("few.csv").write_text("a,y\n1,x\n2,x\n3,z\n5,z\n")
    result = call("evaluate", "few.csv", "-y", "y", "--model", "qda", "--loo")
    assert result.exit_code == 3
    assert "without row 1 of 4 the model cannot be fitted" in result.stderr
    result = call("evaluate", "few.csv", "-y", "y", "--model", "qda", "--cv", "2")
    assert result.exit_code == 3
    assert "cannot be fitted to the rows that are not held out" in result.stderr


def test_a_model_worse_than_the_class_frequencies(call: Call) -> None:
    generator = np.random.default_rng(3)
    y = np.where(generator.random(80) < 0.2, "rare", "usual")
    table = pd.DataFrame(generator.normal(size=(80, 6)), columns=list("abcdef")).assign(y=y)
    table.to_csv("noise.csv", index=False)
    result = call("evaluate", "noise.csv", "-y", "y", "--model", "qda", "--cv", "4", "--json")
    told = json.loads(result.stdout)
    p = np.mean(y == "rare")
    entropy = -(p * np.log(p) + (1 - p) * np.log(1 - p))
    assert told["baseline"]["log_loss"] == pytest.approx(entropy, rel=1e-12)
    assert told["log_loss"] > entropy
    assert result.stderr.splitlines() == [f"warning: {each}" for each in told["warnings"]]
    shown = " ".join(
        call("evaluate", "noise.csv", "-y", "y", "--model", "qda", "--cv", "4").stdout.split()
    )
    assert f"Warning: {told['warnings'][0]}" in shown


def test_costs_and_rare_classes(call: Call) -> None:
    lines = [f"{x}.5,{'u' if x < 9 else 'v'}" for x in range(18)] + ["40,w"]
    Path("few.csv").write_text("\n".join(["a,y", *lines]) + "\n")
    given = ["few.csv", "-y", "y", "--shared", "--cv", "20", "--json"]
    costs = ["--costs", "u:v=1,u:w=1,v:u=5,v:w=1,w:u=1,w:v=1"]
    told = json.loads(call("evaluate", *given, *costs).stdout)
    assert told["rows"] == 18
    assert told["notes"][0] == "9 folds instead of 20: class 'u' has 9 rows"
    assert told["notes"][1].startswith("class 'w' has one row: models without it do not know")
    assert told["baseline"]["cost"] == pytest.approx(0.5)  # always v
    assert 0 <= told["cost"] <= 0.5
    refused = call("evaluate", *given, "--min-auc", "1", "--min-f1", "1.0")
    assert refused.exit_code in (0, 4)
    assert json.loads(refused.stdout)["gates"][0]["gate"] == "min_f1"
