"""Commands give the numbers of the methods that they call."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pyarrow import ipc, parquet

from gaussbayes import AutoClassifier, Columns, GaussianClassifier, compare, drift, load, read
from tests.cli.conftest import Call

PATIENTS = Path(__file__).parents[1] / "transcripts/data/patients.csv"
COLUMNS = Columns(exclude=["id", "patient"])


def test_fit_is_the_fit_of_python(call: Call, tmp_path: Path, iris: Path) -> None:
    call("fit", iris, "-y", "species", "-o", "auto.json")
    AutoClassifier().fit(iris, "species").save(tmp_path / "python.json")
    assert Path("auto.json").read_bytes() == Path("python.json").read_bytes()
    options = ["--covariance", "full", "--shared", "0.5", "--smoothing", "1", "--calibrate"]
    call("fit", PATIENTS, "-y", "ill", *options, "--exclude", "id,patient", "-o", "some.json")
    model = GaussianClassifier(shared=0.5, smoothing=1, calibrate=True, columns=COLUMNS)
    model.fit(PATIENTS, "ill").save(tmp_path / "python.json")
    assert Path("some.json").read_bytes() == Path("python.json").read_bytes()


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet", "arrow"])
def test_predict_writes_scores(
    call: Call, tmp_path: Path, fitted: GaussianClassifier, iris: Path, suffix: str
) -> None:
    names = "label,posterior,log_evidence,p_value"
    call("predict", "iris.json", iris, "--keep", "--scores", names, "-o", f"new.{suffix}")
    path = tmp_path / f"new.{suffix}"
    readers = {
        "csv": pd.read_csv,
        "tsv": lambda name: pd.read_csv(name, sep="\t"),
        "jsonl": lambda name: pd.read_json(name, lines=True, precise_float=True),
        "parquet": lambda name: parquet.read_table(name).to_pandas(),
        "arrow": lambda name: ipc.open_file(name).read_all().to_pandas(),
    }
    found = readers[suffix](path)
    rows = pd.read_csv(iris)
    scores = fitted.scores(rows.drop(columns="species"))
    assert found.columns[:5].tolist() == rows.columns.tolist()
    pd.testing.assert_frame_equal(found[rows.columns], rows)
    assert found["label"].tolist() == scores.label.tolist()
    columns = [f"posterior_{label}" for label in fitted.classes_]
    np.testing.assert_allclose(found[columns], scores.posterior, rtol=1e-12)
    np.testing.assert_allclose(found["log_evidence"], scores.log_evidence, rtol=1e-12)


def test_predict_in_many_batches(call: Call, fitted: GaussianClassifier, tmp_path: Path) -> None:
    rows, _ = fitted.sample(50_000, random_state=1)
    names = [column.name for column in fitted.columns_]
    pd.DataFrame(rows, columns=names).to_csv(tmp_path / "many.csv", index=False)
    call("predict", "iris.json", "many.csv", "-o", "many.parquet")
    found = pd.read_parquet(tmp_path / "many.parquet")
    written = pd.read_csv(tmp_path / "many.csv")
    np.testing.assert_allclose(
        found[[f"posterior_{label}" for label in fitted.classes_]],
        fitted.predict_proba(written),
        rtol=1e-9,
        atol=1e-300,
    )


def test_evaluate_explain_drift_and_compare(
    call: Call, fitted: GaussianClassifier, iris: Path
) -> None:
    def told(*arguments: object) -> object:
        return json.loads(call(*arguments, "--json").stdout)

    def plain(record: object) -> object:
        return json.loads(json.dumps(record))

    assert told("evaluate", "iris.json", iris) == plain(fitted.evaluate(iris, "species").to_dict())
    found = told("evaluate", iris, "-y", "species", "--set-option", "shared=true", "--cv", "5")
    expected = GaussianClassifier(shared=True).evaluate(iris, "species", cv=5)
    assert found == plain(expected.to_dict())
    found = told("explain", "iris.json", iris, "--row", "71", "--between", "versicolor,virginica")
    row = read(iris).table().slice(70, 1).drop_columns(["species"])
    expected = fitted.explain(row, ("versicolor", "virginica")).to_dict()
    assert {name: found[name] for name in expected} == plain(expected)
    assert told("drift", "iris.json", iris) == plain(drift(fitted, read(iris), "species").to_dict())
    found = told("evaluate", iris, "-y", "species", "--compare", "--neighbors", "3", "--cv", "3")
    expected = compare(iris, "species", neighbors=(3,), cv=3).to_dict()
    assert set(found) == set(expected)


@pytest.mark.filterwarnings("ignore::UserWarning")  # one column alone determines the class
def test_update_is_the_fit_of_all_rows(call: Call, tmp_path: Path, iris: Path) -> None:
    rows = pd.read_csv(iris)
    for number, part in enumerate((rows[::3], rows[1::3], rows[2::3])):
        part.to_csv(tmp_path / f"part{number}.csv", index=False)
    call("fit", "part0.csv", "-y", "species", "--shared", "-o", "model.json")
    call("fit", "part2.csv", "-y", "species", "--shared", "-o", "last.json")
    call("update", "model.json", "part1.csv", "--merge", "last.json")
    whole = GaussianClassifier(shared=True).fit(iris, "species")
    np.testing.assert_allclose(load("model.json").covariances_, whole.covariances_, rtol=1e-12)
    call("update", "model.json", "--forget", "part1.csv", "--forget", "last.json")
    first = GaussianClassifier(shared=True).fit(tmp_path / "part0.csv", "species")
    np.testing.assert_allclose(load("model.json").covariances_, first.covariances_, rtol=1e-9)


@pytest.mark.filterwarnings("ignore::UserWarning")  # identifiers are dropped
def test_files_are_evaluated_as_frames_are(call: Call) -> None:
    """Numbers with missing values, categories and dates are the same to a fit and to a fold."""
    frame = pd.read_csv(PATIENTS, parse_dates=["admitted"])
    model = GaussianClassifier("diagonal", smoothing=1.0)
    settings = ["--set-option", "covariance=diagonal", "--set-option", "smoothing=1"]
    result = call("evaluate", PATIENTS, "-y", "ill", "--cv", "5", *settings, "--json")
    found = json.loads(result.stdout)["log_loss"]
    assert found == pytest.approx(model.evaluate(frame, "ill", cv=5).log_loss, rel=1e-12)
