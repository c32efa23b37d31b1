"""Decisions written to files: costs, rows left open, other priors; as the estimator decides."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from scipy.stats import chi2

from gaussbayes import GaussianClassifier
from gaussbayes.cli import predict_command
from gaussbayes.datasets import load_iris
from tests.cli.calling import Call, Shell

COSTS = {
    ("setosa", "versicolor"): 1.0,
    ("setosa", "virginica"): 2.0,
    ("versicolor", "setosa"): 1.5,
    ("versicolor", "virginica"): 0.5,
    ("virginica", "setosa"): 3.0,
    ("virginica", "versicolor"): 40.0,
}
PAIRS = ",".join(f"{true}:{decided}={cost}" for (true, decided), cost in COSTS.items())
MATRIX = "true,virginica,setosa,versicolor\nversicolor,.5,1.5,\nsetosa,2,,1\nvirginica,0,3,40\n"


def features(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, usecols=list(load_iris().feature_names))


def columns(text: str) -> dict[str, list[str]]:
    header, *lines = csv.reader(text.splitlines())
    return {name: [line[place] for line in lines] for place, name in enumerate(header)}


def add_a_stranger(iris: Path) -> None:
    with iris.open("a") as file:
        file.write("20,20,20,20,unknown\n")


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        (["--costs", PAIRS], {"costs": COSTS}),
        (["--costs", "costs.csv"], {"costs": COSTS}),
        (["--reject-below", "0.9"], {"reject_below": 0.9}),
        (["--reject-cost", "0.1"], {"reject_cost": 0.1}),
        (["--novelty", "0.05"], {"novelty_level": 0.05}),
        (
            ["--costs", PAIRS, "--reject-cost", "0.3", "--novelty", "1e-9", "--reject-below", "0"],
            {"costs": COSTS, "reject_cost": 0.3, "novelty_level": 1e-9, "reject_below": 0.0},
        ),
        (
            ["--reject-below", "0.9", "--priors", "0.1,0.8,0.1"],
            {"reject_below": 0.9, "priors": [0.1, 0.8, 0.1]},
        ),
    ],
)
def test_decisions_are_the_estimators(
    call: Call,
    iris: Path,
    fitted: GaussianClassifier,
    options: list[str],
    settings: dict[str, Any],
) -> None:
    add_a_stranger(iris)
    Path("costs.csv").write_text(MATRIX)
    result = call("predict", "iris.json", iris, *options)
    assert (result.exit_code, result.stderr) == (0, "")
    found = columns(result.stdout)
    assert list(found) == ["species", "prediction", "reason"]
    expected = fitted.decide(features(iris), **settings)
    assert found["prediction"] == ["" if c is None else c for c in expected.labels.tolist()]
    assert found["reason"] == expected.reason.tolist()
    if "novelty_level" in settings:
        assert found["reason"][-1] == "novel"


def test_as_a_user_calls_it(shell: Shell, iris: Path) -> None:
    add_a_stranger(iris)
    done = shell(
        "head -151 iris.csv | gaussbayes fit - -y species -o m.json 2> /dev/null; "
        "gaussbayes predict m.json iris.csv --novelty 0.001 -o out.jsonl && tail -1 out.jsonl"
    )
    assert (done.returncode, done.stderr) == (0, "")
    told = {"species": "unknown", "prediction": None, "reason": "novel"}
    assert json.loads(done.stdout) == told


def test_types_of_files_that_have_them(call: Call, tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 4.0, 7.0, 9.0, 8.0]})
    model = GaussianClassifier().fit(frame, [3, 3, 3, 5, 5, 5])
    model.save(tmp_path / "m.json")
    frame.assign(a=[1.0, 5.3, 4.0, 7.0, 9.0, 800.0]).to_parquet(tmp_path / "rows.parquet")
    given = ["--novelty", "0.001", "--costs", "3:5=1,5:3=20", "-o", "out.parquet"]
    assert call("predict", "m.json", "rows.parquet", *given).exit_code == 0
    written = pq.read_table(tmp_path / "out.parquet")
    assert [str(field.type) for field in written.schema] == ["int64", "string"]
    # At 5.3 class 3 has probability 0.9, but overlooking class 5 costs twenty times as much.
    assert written["prediction"].to_pylist() == [3, 5, 3, 5, 5, None]
    assert written["reason"].to_pylist() == [None] * 5 + ["novel"]


def test_p_values_are_tails_of_chi_squared(
    call: Call, iris: Path, fitted: GaussianClassifier
) -> None:
    found = columns(call("predict", "iris.json", iris, "--p-values", "--no-label").stdout)
    assert list(found)[1:] == [f"p_value_{label}" for label in fitted.classes_]
    expected = chi2(4).sf(fitted.mahalanobis(features(iris)) ** 2)
    for code, label in enumerate(fitted.classes_):
        own = [float(text) for text in found[f"p_value_{label}"]]
        np.testing.assert_allclose(own, expected[:, code], rtol=1e-9)


def test_names_with_colons_and_commas(call: Call, tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 4.0, 7.0, 9.0, 8.0]})
    labels = ["a:b"] * 3 + ["c, d"] * 3
    model = GaussianClassifier().fit(frame, labels)
    model.save(tmp_path / "m.json")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    pairs = '"a:b:c, d=100","c, d:a:b=1"'
    found = columns(call("predict", "m.json", "rows.csv", "--costs", pairs).stdout)
    costs = {("a:b", "c, d"): 100, ("c, d", "a:b"): 1}
    assert found["prediction"] == model.decide(frame, costs=costs).labels.tolist()


@pytest.mark.usefixtures("fitted")
@pytest.mark.parametrize(
    "options", [["--novelty", "0.1"], ["--costs", PAIRS], ["--reject-below", "0.9", "--p-values"]]
)
def test_no_rows_give_no_decisions(call: Call, iris: Path, options: list[str]) -> None:
    iris.write_text(iris.read_text().splitlines()[0] + "\n")
    result = call("predict", "iris.json", iris, *options)
    assert result.exit_code == 0
    assert result.stdout.startswith("species,prediction,reason")
    assert result.stdout.count("\n") == 1


@pytest.mark.usefixtures("fitted")
@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--costs", "setosa:virginica=1"], 3, "missing: ('setosa', 'versicolor')"),
        (["--costs", PAIRS + ",rosa:setosa=1"], 3, "costs of unknown classes: 'rosa'"),
        (["--costs", PAIRS + ",setosa:virginica=1"], 3, "is given twice"),
        (["--costs", PAIRS.replace("40.0", "much")], 3, "'much' is not a number"),
        (["--costs", PAIRS.replace("40.0", "nan")], 3, "costs must be finite"),
        (["--costs", "setosa=1"], 2, "expected pairs such as 'ill:well=50,well:ill=1'"),
        (["--costs", "nowhere.csv"], 2, "there is no file 'nowhere.csv'"),
        (["--costs", "short.csv"], 3, "short.csv, line 2: expected a class and 3 costs, got 2"),
        (["--costs", "empty.csv"], 3, "empty.csv has 0 lines"),
        (["--costs", "gap.csv"], 3, "gap.csv, line 3, column 'virginica': '' is not a number"),
        (["--costs", "iris.json"], 3, "iris.json"),
        (["--reject-below", "1.5"], 2, "1.5 is not in the range"),
        (["--reject-cost", "-1"], 3, "every row would be refused"),
        (["--reject-cost", "nan"], 3, "reject_cost"),
        (["--novelty", "-0.1"], 2, "is not in the range"),
        (["--novelty", "0.1", "--no-label", "--proba"], 2, "--no-label leaves out the classes"),
        (["--novelty", "0.1", "--keep", "reason"], 3, "has a column 'reason' already"),
        (["--priors", "from-date"], 2, "expected 'estimated', 'uniform'"),
    ],
)
def test_refusals(call: Call, iris: Path, options: list[str], code: int, message: str) -> None:
    pd.read_csv(iris).assign(reason="none").to_csv(iris, index=False)
    Path("short.csv").write_text(MATRIX.replace(".5,1.5,", ".5,1.5"))
    Path("gap.csv").write_text(MATRIX.replace("setosa,2,", "setosa,,"))
    Path("empty.csv").write_text("")
    keep = [] if "--keep" in options else ["--keep", "none"]
    result = call("predict", "iris.json", iris, *options, *keep)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr


def shifted(iris: Path) -> pd.DataFrame:
    """All of the first species, and every fifth flower of the others."""
    frame = pd.read_csv(iris)
    frame = frame[(frame.index < 50) | (frame.index % 5 == 0)]
    frame.to_csv(iris.parent / "shifted.csv", index=False)
    return frame


def test_priors_of_the_rows_themselves(call: Call, iris: Path, fitted: GaussianClassifier) -> None:
    rows = shifted(iris).drop(columns="species")
    result = call("predict", "iris.json", "shifted.csv", "--priors", "from-data", "--proba")
    priors = fitted.estimate_priors(rows).prior
    assert result.stderr.startswith(f"priors of shifted.csv: setosa {priors[0]:.4g}, ")
    assert priors[0] == pytest.approx(50 / 70, abs=0.001)
    found = columns(result.stdout)
    expected = fitted.with_priors(priors).predict_proba(rows)
    for code, label in enumerate(fitted.classes_):
        own = [float(text) for text in found[f"proba_{label}"]]
        np.testing.assert_allclose(own, expected[:, code], rtol=1e-12)


@pytest.mark.usefixtures("fitted")
def test_bad_rows_count_once(call: Call, iris: Path) -> None:
    with iris.open("a") as file:
        file.write("much,1,1,1,setosa\n")
    given = ["--priors", "from-data", "--bad-rows", "skip"]
    result = call("predict", "iris.json", iris, *given)
    assert result.exit_code == 0
    assert "1 row was left out" in result.stderr
    stopped = call("predict", "iris.json", iris, "--priors", "from-data", "-o", "out.csv")
    assert (stopped.exit_code, Path("out.csv").exists()) == (3, False)
    assert "row 151" in stopped.stderr


@pytest.mark.usefixtures("fitted")
def test_priors_that_cannot_be_found(
    call: Call, shell: Shell, iris: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = shell("gaussbayes predict iris.json - --priors from-data < iris.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert "standard input are read twice" in done.stderr
    monkeypatch.setattr(predict_command, "MOST_BYTES", 1000)
    refused = call("predict", "iris.json", iris, "--priors", "from-data")
    assert refused.exit_code == 3
    assert "too many rows to keep their posteriors" in refused.stderr
    iris.write_text(iris.read_text().splitlines()[0] + "\n")
    empty = call("predict", "iris.json", iris, "--priors", "from-data")
    assert (empty.exit_code, "has no rows" in empty.stderr) == (3, True)


@pytest.mark.usefixtures("fitted", "iris")
def test_deciding_does_without_scikit_learn(shell: Shell) -> None:
    """What makes it start within half a second; p-values alone need SciPy."""
    for options, allowed in (
        (f"'--costs', '{PAIRS}', '--reject-below', '0.5', '--priors', 'from-data'", set()),
        ("'--novelty', '0.1', '--p-values'", {"scipy"}),
    ):
        done = shell(f"""python <<END
import atexit, sys
from gaussbayes.cli import main
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
main(["predict", "iris.json", "iris.csv", {options}])
END""")
        assert done.stdout.startswith("species,prediction,reason")
        heavy = {"sklearn", "scipy", "matplotlib", "pandas", "rich", "dask", "narwhals"}
        assert heavy & set(done.stderr.split()) == allowed
