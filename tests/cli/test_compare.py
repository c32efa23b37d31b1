"""The comparison of the command is that of the library."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gaussbayes import GaussianClassifier, compare
from gaussbayes.datasets import load_iris
from tests.cli.calling import Call, Shell

TIMES = {"fit_seconds", "predict_seconds"}

N_CANDIDATES = {"bic": 4 * 11, "leave-one-out": 4 * 11 + 3 * (10 + 11)}
"""Full and diagonal covariances, own and shared, with eleven shrinkages each.

By rows also those in three steps between own and shared: full ones without OAS, for which there is
no closed form."""


def without_times(records: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{k: v for k, v in record.items() if k not in TIMES} for record in records]


@pytest.mark.usefixtures("iris")
def test_figures_are_the_librarys(call: Call) -> None:
    options = ["--held-out", "5", "--neighbors", "1,7", "--seed", "3", "--priors", "uniform"]
    result = call("compare", "iris.csv", "-y", "species", *options, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    told = json.loads(result.stdout)
    data, model = load_iris(), GaussianClassifier(priors="uniform")
    expected = compare(
        data.rows,
        data.labels,
        held_out=5,
        neighbors=[1, 7],
        model=model,
        automatic=True,
        random_state=3,
    )
    assert without_times(told["models"]) == without_times(expected.records())
    assert told["models"][6]["model"] == "automatic choice"
    assert expected.selection is not None
    assert told["selection"]["chosen"]["log_loss"] == expected.selection.best.log_loss
    assert len(told["selection"]["candidates"]) == N_CANDIDATES["leave-one-out"]
    assert (told["how"], told["rows"]) == (expected.how, 150)
    assert told["classes"] == sorted(set(data.labels.tolist()))
    assert (told["data"], told["target"]) == (["iris.csv"], "species")


@pytest.mark.usefixtures("iris")
def test_a_table_and_a_plot(call: Call) -> None:
    result = call("compare", "iris.csv", "-y", "species", "--held-out", "2", "--plot", "c.png")
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "Gaussian naive Bayes" in result.stdout
    assert "15 nearest neighbours" in result.stdout
    assert result.stderr == "the plot is in c.png\n"
    assert Path("c.png").read_bytes().startswith(b"\x89PNG")


def test_rows_of_another_file(call: Call, iris: Path) -> None:
    table = pd.read_csv(iris)
    table.iloc[::2].to_csv("learnt.csv", index=False)
    table.iloc[1::2, ::-1].to_csv("tests.csv", index=False)
    given = ["-y", "species", "--held-out", "tests.csv", "--neighbors", "", "--json"]
    told = json.loads(call("compare", "learnt.csv", "--no-auto", *given).stdout)
    assert told["selection"] is None
    data = load_iris()
    expected = compare(
        data.rows[::2],
        data.labels[::2],
        held_out=(data.rows[1::2], data.labels[1::2]),
        neighbors=[],
    )
    assert without_times(told["models"]) == without_times(expected.records())


def test_of_very_many_rows_some_are_drawn(call: Call) -> None:
    generator = np.random.default_rng(0)
    y = np.repeat(["a", "b"], [3000, 30])
    x = generator.normal(size=3030) + (y == "b")
    pd.DataFrame({"x": x, "y": y}).to_csv("many.csv", index=False)
    given = ["-y", "y", "--neighbors", "1", "--held-out", "2", "--sample", "500", "--json"]
    result = call("compare", "many.csv", *given)
    told = json.loads(result.stdout)
    assert 500 <= told["rows"] <= 520
    assert np.sum(told["models"][0]["confusion"], axis=1)[1] >= 20  # the rare class is kept
    assert "of 3,030 rows of many.csv are used, drawn at random" in result.stderr


@pytest.mark.usefixtures("iris")
def test_standard_input(shell: Shell) -> None:
    line = "gaussbayes compare - -y species --held-out 2 --neighbors 3 --json"
    done = shell(f"{line} < iris.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(json.loads(done.stdout)["models"]) == 8


@pytest.mark.usefixtures("iris")
@pytest.mark.parametrize("selection", ["leave-one-out", "bic"])
def test_all_candidates_of_the_automatic_choice(call: Call, selection: str) -> None:
    given = ["-y", "species", "--held-out", "2", "--neighbors", "", "--selection", selection]
    result = call("compare", "iris.csv", *given, "--candidates")
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80
    first, rest = result.stdout.split("candidates, best first: ")
    chosen = "full, 50 % shared with" if selection == "leave-one-out" else "QDA with"
    assert f"automatic choice: {chosen}" in first
    lines = rest.splitlines()[4:]
    assert len(lines) == N_CANDIDATES[selection]
    place = -3 if selection == "leave-one-out" else -1
    figures = [float(line.split()[place].replace(",", "")) for line in lines]
    assert figures == sorted(figures)
    assert "best first" not in call("compare", "iris.csv", *given).stdout


@pytest.mark.usefixtures("iris")
def test_each_structure_with_its_own_best_shrinkage(call: Call) -> None:
    given = ["-y", "species", "--held-out", "2", "--neighbors", "", "--no-auto", "--json"]
    result = call("compare", "iris.csv", *given, "--shrinkage", "auto", "--selection", "bic")
    data, model = load_iris(), GaussianClassifier(shrinkage="auto", selection="bic")
    expected = compare(data.rows, data.labels, held_out=2, neighbors=[], model=model)
    told = json.loads(result.stdout)
    assert without_times(told["models"]) == without_times(expected.records())


def test_candidates_that_cannot_be_judged(call: Call, tmp_path: Path) -> None:
    generator = np.random.default_rng(2)
    X = generator.normal(size=(40, 3))
    frame = pd.DataFrame(X, columns=list("abc")).assign(d=X[:, 0] + X[:, 1])
    frame.assign(y=np.repeat(["u", "v"], 20)).to_csv(tmp_path / "r.csv", index=False)
    given = ["-y", "y", "--held-out", "2", "--neighbors", "", "--candidates"]
    result = call("compare", "r.csv", *given)
    assert result.exit_code == 0
    assert "5 candidates cannot be judged, the first because:" in result.stdout
    told = json.loads(call("compare", "r.csv", *given, "--json").stdout)["selection"]
    refused = [one for one in told["candidates"] if one["problem"]]
    between = [f"full, {proportion} % shared" for proportion in (25, 50, 75)]
    assert sorted(one["model"] for one in refused) == sorted(["LDA", "QDA", *between])
    assert all(one["log_loss"] is None for one in refused)
    assert told["candidates"][-5:] == refused


@pytest.mark.usefixtures("iris")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "which column of iris.csv holds the classes?"),
        (["-y", "species", "--neighbors", "0"], "integers from 1 on"),
        (["-y", "species", "--neighbors", "few"], "integers from 1 on"),
        (["-y", "species", "--plot", "c.gif"], "figures are written as .png, .svg, .pdf files"),
        (["-y", "species", "--covariance", "full"], "No such option"),
        (["-y", "species", "--held-out", "1"], "expected folds (2 or more)"),
        (["-y", "species", "--no-auto", "--candidates"], "leave out --no-auto"),
        (["-y", "species", "--no-auto", "--selection", "bic"], "leave out --no-auto"),
    ],
)
def test_wrong_usage(call: Call, options: list[str], message: str) -> None:
    result = call("compare", "iris.csv", *options)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.usefixtures("iris")
def test_bad_data(call: Call) -> None:
    given = ["-y", "species", "--held-out", "60"]
    result = call("compare", "iris.csv", *given)
    assert result.exit_code == 3
    assert "too few for 60 folds" in result.stderr
