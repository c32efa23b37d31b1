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
        data.rows, data.labels, held_out=5, neighbors=[1, 7], model=model, random_state=3
    )
    assert without_times(told["models"]) == without_times(expected.records())
    assert (told["how"], told["rows"]) == (expected.how, 150)
    assert told["classes"] == sorted(set(data.labels.tolist()))
    assert (told["data"], told["target"]) == (["iris.csv"], "species")


@pytest.mark.usefixtures("iris")
def test_a_table_and_a_picture(call: Call) -> None:
    result = call("compare", "iris.csv", "-y", "species", "--held-out", "2", "--plot", "c.png")
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "Gaussian naive Bayes" in result.stdout
    assert "15 nearest neighbours" in result.stdout
    assert result.stderr == "the picture is in c.png\n"
    assert Path("c.png").read_bytes().startswith(b"\x89PNG")


def test_rows_of_another_file(call: Call, iris: Path) -> None:
    table = pd.read_csv(iris)
    table.iloc[::2].to_csv("learnt.csv", index=False)
    table.iloc[1::2, ::-1].to_csv("tests.csv", index=False)
    given = ["-y", "species", "--held-out", "tests.csv", "--neighbors", "", "--json"]
    told = json.loads(call("compare", "learnt.csv", *given).stdout)
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
    assert len(json.loads(done.stdout)["models"]) == 7


@pytest.mark.usefixtures("iris")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "which column of iris.csv holds the classes?"),
        (["-y", "species", "--neighbors", "0"], "whole numbers from 1 on"),
        (["-y", "species", "--neighbors", "few"], "whole numbers from 1 on"),
        (["-y", "species", "--plot", "c.gif"], "pictures are written as .png, .svg, .pdf files"),
        (["-y", "species", "--covariance", "full"], "No such option"),
        (["-y", "species", "--held-out", "1"], "expected folds (2 or more)"),
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
