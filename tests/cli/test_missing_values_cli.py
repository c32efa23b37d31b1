"""Missing values on the command line: learnt from, predicted, judged, forgotten."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gaussbayes import GaussianClassifier
from tests.cli.calling import Call, Shell

FEATURES = ["sepal length (cm)", "sepal width (cm)", "petal length (cm)", "petal width (cm)"]


@pytest.fixture
def holes(iris: Path) -> pd.DataFrame:
    """Fisher's irises, a fifth of the values missing, as holes.csv and its halves a.csv, b.csv."""
    table = pd.read_csv(iris)
    gone = np.random.default_rng(1).random((150, 4)) < 0.2
    table[FEATURES] = table[FEATURES].mask(gone)
    table = table.sample(frac=1, random_state=0, ignore_index=True)
    folder = iris.parent
    table.to_csv(folder / "holes.csv", index=False)
    table[:70].to_csv(folder / "a.csv", index=False)
    table[70:].to_csv(folder / "b.csv", index=False)
    return table


def in_memory(table: pd.DataFrame) -> GaussianClassifier:
    return GaussianClassifier().fit(table[FEATURES], table["species"])


def assert_same(name: str, expected: GaussianClassifier) -> None:
    found = GaussianClassifier.load(name)
    np.testing.assert_allclose(found.priors_, expected.priors_, rtol=1e-13)
    np.testing.assert_allclose(found.means_, expected.means_, rtol=1e-10)
    np.testing.assert_allclose(found.covariances_, expected.covariances_, rtol=1e-9, atol=1e-11)


def test_fit_says_how_many_rows_have_missing_values(call: Call, holes: pd.DataFrame) -> None:
    result = call("fit", "holes.csv", "-y", "species", "--model", "qda", "-o", "m.json", "--json")
    assert result.exit_code == 0, result.stderr
    n = int(holes[FEATURES].isna().any(axis=1).sum())
    record = json.loads(result.stdout)
    assert (record["rows"], record["incomplete"], record["bad_rows"]["count"]) == (150, n, 0)
    assert f"{n} rows have missing values" in result.stderr
    assert_same("m.json", in_memory(holes))


def test_complete_rows_are_not_remarked_on(call: Call, iris: Path) -> None:
    result = call("fit", iris, "-y", "species", "--model", "qda", "--json")
    assert json.loads(result.stdout)["incomplete"] == 0
    assert "missing" not in result.stderr


def test_update_merge_and_forget(call: Call, holes: pd.DataFrame) -> None:
    assert call("fit", "a.csv", "-y", "species", "--model", "qda", "-o", "a.json").exit_code == 0
    assert call("fit", "b.csv", "-y", "species", "--model", "qda", "-o", "b.json").exit_code == 0
    result = call("update", "a.json", "b.csv", "-o", "both.json", "--json")
    assert json.loads(result.stdout)["incomplete"] == holes[70:].isna().any(axis=1).sum()
    assert_same("both.json", in_memory(holes))
    assert call("merge", "a.json", "b.json", "-o", "merged.json").exit_code == 0
    assert_same("merged.json", in_memory(holes))
    assert call("forget", "both.json", "b.csv", "-o", "again.json").exit_code == 0
    assert_same("again.json", in_memory(holes[:70]))
    strange = call("forget", "a.json", "b.csv")
    assert strange.exit_code == 3
    assert "b.csv does not fit a.json" in strange.stderr


@pytest.mark.parametrize("name", ["new.csv", "new.parquet", "new.jsonl"])
def test_predictions_are_those_of_the_estimator(
    name: str, call: Call, iris: Path, holes: pd.DataFrame
) -> None:
    call("fit", iris, "-y", "species", "--model", "qda", "-o", "m.json")
    rows = holes[FEATURES]
    if name.endswith("csv"):
        rows.to_csv(name, index=False)
    elif name.endswith("parquet"):
        rows.to_parquet(name)
    else:
        rows.to_json(name, orient="records", lines=True)
    result = call(
        "predict", "m.json", name, "--proba", "--log-evidence", "--keep", "all", "-o", "out.parquet"
    )
    assert result.exit_code == 0, result.stderr
    told = pd.read_parquet("out.parquet")
    model = GaussianClassifier.load("m.json")
    assert told["prediction"].tolist() == model.predict(rows).tolist()
    np.testing.assert_allclose(
        told.filter(like="proba_").to_numpy(), model.predict_proba(rows), rtol=1e-12
    )
    np.testing.assert_allclose(told["log_evidence"], model.score_samples(rows), rtol=1e-12)
    assert told[FEATURES].isna().to_numpy().tolist() == rows.isna().to_numpy().tolist()


def test_a_row_of_which_nothing_is_there_has_the_prior(call: Call, iris: Path) -> None:
    call("fit", iris, "-y", "species", "--model", "qda", "-o", "m.json")
    Path("new.csv").write_text(",".join(FEATURES) + "\n,NA,nan,\n")
    result = call("predict", "m.json", "new.csv", "--proba", "--no-label", "--keep", "none")
    assert result.exit_code == 0, result.stderr
    numbers = [float(text) for text in result.stdout.splitlines()[1].split(",")]
    np.testing.assert_allclose(numbers, 1 / 3, rtol=1e-14)


@pytest.mark.parametrize(
    "decisions",
    [["--novelty", "0.01"], ["--reject-below", "0.9"], ["--p-values"], ["--priors", "from-data"]],
)
def test_decisions_about_incomplete_rows(
    decisions: list[str], call: Call, iris: Path, holes: pd.DataFrame
) -> None:
    call("fit", iris, "-y", "species", "--model", "qda", "-o", "m.json")
    result = call("predict", "m.json", "holes.csv", *decisions)
    assert result.exit_code == 0, result.stderr
    assert len(result.stdout.splitlines()) == 1 + len(holes)


def test_evaluate(call: Call, holes: pd.DataFrame) -> None:
    call("fit", "a.csv", "-y", "species", "--model", "qda", "-o", "m.json")
    told = json.loads(call("evaluate", "m.json", "b.csv", "--json").stdout)
    model, rest = in_memory(holes[:70]), holes[70:]
    assert told["rows"] == 80
    assert told["errors"] == (model.predict(rest[FEATURES]) != rest["species"]).sum()
    tested = call(
        "evaluate", "a.csv", "-y", "species", "--model", "qda", "--test", "b.csv", "--json"
    )
    assert json.loads(tested.stdout)["errors"] == told["errors"]
    folds = json.loads(
        call(
            "evaluate", "holes.csv", "-y", "species", "--model", "qda", "--cv", "5", "--json"
        ).stdout
    )
    assert (folds["rows"], folds["bad_rows"]["count"]) == (150, 0)


@pytest.mark.parametrize(
    ("subcommand", "arguments"),
    [
        ("fit", ["--covariance", "auto"]),
        ("fit", ["--covariance", "auto", "--selection", "bic"]),
        ("evaluate", ["--loo", "--model", "qda"]),
        ("evaluate", ["--shrinkage", "auto", "--covariance", "diagonal", "--cv", "2"]),
        ("compare", ["--neighbors", "", "--no-auto", "--held-out", "3"]),
    ],
)
def test_everything_takes_incomplete_rows(
    subcommand: str, arguments: list[str], call: Call, holes: pd.DataFrame
) -> None:
    assert holes[FEATURES[2:]][:70].isna().any(axis=None)
    few = ["a.csv", "-y", "species", "--features", ",".join(FEATURES[2:])]
    result = call(subcommand, *few, "--json", *arguments)
    assert result.exit_code == 0, result.stderr
    record = json.loads(result.stdout)
    assert (record["rows"], record["bad_rows"]["count"]) == (70, 0)


def test_show_counts_all_rows(call: Call, holes: pd.DataFrame) -> None:
    assert holes.isna().any(axis=None)
    call("fit", "holes.csv", "-y", "species", "--model", "qda", "-o", "m.json")
    record = json.loads(call("show", "m.json", "--json").stdout)
    assert (record["weights"], record["missing_values"]) == ([50, 50, 50], True)
    text = call("show", "m.json").stdout
    assert "learnt      from rows of weight 150, some of them with missing values" in text


def test_standard_input(shell: Shell, holes: pd.DataFrame) -> None:
    done = shell(
        "cat holes.csv | gaussbayes fit - -y species --model qda -o piped.json && "
        "gaussbayes fit holes.csv -y species --model qda -o named.json && "
        "cmp piped.json named.json && "
        "cat holes.csv | gaussbayes predict piped.json - | wc -l"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(1 + len(holes))
