"""The comparison of the command is that of the library."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gaussbayes import AutoClassifier, GaussianClassifier, compare
from gaussbayes.cli import compare_command, evaluate_command
from gaussbayes.datasets import load_iris
from tests.cli.calling import Call, Shell
from tests.models import automatic_classifier

TIMES = {"fit_seconds", "predict_seconds"}


def without_times(records: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{k: v for k, v in record.items() if k not in TIMES} for record in records]


@pytest.mark.usefixtures("iris")
def test_figures_are_the_librarys(call: Call) -> None:
    options = ["--cv", "5", "--neighbors", "1,7", "--seed", "3", "--priors", "uniform"]
    options += ["--average"]
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
        average=True,
        random_state=3,
    )
    assert without_times(told["models"]) == without_times(expected.records())
    names = [model["model"] for model in told["models"][6:8]]
    assert names == ["automatic choice", "automatic average"]
    assert expected.selection is not None
    assert told["selection"]["chosen"]["log_loss"] == expected.selection.best.log_loss
    by_estimator = AutoClassifier(priors="uniform").fit(data.rows, data.labels)
    candidates = told["selection"]["candidates"]
    assert len(candidates) == len(by_estimator.selection_.candidates)
    settings = ("model", "shrinkage", "target", "transform", "estimate")
    assert len({tuple(one[name] for name in settings) for one in candidates}) == len(candidates)
    assert (told["how"], told["rows"]) == (expected.how, 150)
    assert told["classes"] == sorted(set(data.labels.tolist()))
    assert expected.baseline is not None
    assert told["baseline"]["log_loss"] == pytest.approx(np.log(3), rel=1e-12)
    assert told["warnings"] == expected.warnings
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
    given = ["-y", "species", "--test", "tests.csv", "--neighbors", "", "--json"]
    told = json.loads(call("compare", "learnt.csv", "--no-auto", *given).stdout)
    assert told["selection"] is None
    data = load_iris()
    expected = compare(
        data.rows[::2],
        data.labels[::2],
        held_out=(data.rows[1::2], data.labels[1::2]),
        neighbors=[],
        automatic=False,
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


def test_of_many_rows_few_are_left_out_singly(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    for command in (compare_command, evaluate_command):
        monkeypatch.setattr(command, "COMPARED_SINGLY", 24)
    y = np.arange(70) % 2
    rows = pd.DataFrame({"x": np.random.default_rng(0).normal(size=70) + y, "y": y})
    rows.to_csv("many.csv", index=False)
    for line in ("compare many.csv --no-auto --neighbors 1", "evaluate many.csv --model rda"):
        result = call(*line.split(), "-y", "y", "--loo")
        assert result.exit_code == 0, result.stderr
        # The 24, and 20 of each class at least.
        assert "40 of 70 rows of many.csv are used, drawn at random" in result.stderr
    assert "are used" not in call("evaluate", "many.csv", "-y", "y", "--loo", "--shared").stderr


@pytest.mark.usefixtures("iris")
def test_standard_input(shell: Shell) -> None:
    line = "gaussbayes compare - -y species --held-out 2 --neighbors 3 --json"
    done = shell(f"{line} < iris.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(json.loads(done.stdout)["models"]) == 9


@pytest.mark.usefixtures("iris")
@pytest.mark.parametrize("selection", ["leave-one-out", "bic"])
def test_all_candidates_of_the_automatic_choice(call: Call, selection: str) -> None:
    given = ["-y", "species", "--held-out", "2", "--neighbors", "", "--selection", selection]
    result = call("compare", "iris.csv", *given, "--candidates")
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80
    first, rest = result.stdout.split("candidates, best first: ")
    data = load_iris()
    model = automatic_classifier(selection=selection.replace("-", "_"))
    model.fit(data.rows, data.labels)
    best = model.selection_.best
    shrinkage = "no shrinkage" if best.shrinkage is None else f"shrinkage {best.shrinkage:g}"
    chosen = f"automatic choice: {best.name}, {shrinkage}; best of "
    assert chosen in " ".join(first.split())
    lines = rest.splitlines()[4:]
    assert len(lines) == len(model.selection_.candidates)
    place = -2 if selection == "leave-one-out" else -1
    figures = [float(line.split()[place].replace(",", "")) for line in lines]
    # Calibration may make another candidate the best of the first few.
    figures = figures[1:] if selection == "leave-one-out" else figures
    assert figures == sorted(figures)
    assert "best first" not in call("compare", "iris.csv", *given).stdout


@pytest.mark.usefixtures("iris")
def test_each_structure_with_its_own_best_shrinkage(call: Call) -> None:
    given = ["-y", "species", "--held-out", "2", "--neighbors", "", "--no-auto", "--json"]
    result = call("compare", "iris.csv", *given, "--shrinkage", "auto", "--selection", "bic")
    data, model = load_iris(), GaussianClassifier(shrinkage="auto", selection="bic")
    expected = compare(
        data.rows, data.labels, held_out=2, neighbors=[], model=model, automatic=False
    )
    told = json.loads(result.stdout)
    assert without_times(told["models"]) == without_times(expected.records())


def test_candidates_that_cannot_be_judged(call: Call, tmp_path: Path) -> None:
    generator = np.random.default_rng(2)
    X = generator.normal(size=(40, 3))
    frame = pd.DataFrame(X, columns=list("abc")).assign(d=X[:, 0] + X[:, 1])
    frame.assign(y=np.repeat(["u", "v"], 20)).to_csv(tmp_path / "r.csv", index=False)
    given = ["-y", "y", "--covariance", "auto", "--shrinkage", "auto", "--json"]
    told = json.loads(call("fit", "r.csv", *given).stdout)["selection"]
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
        (["-y", "species", "--cv", "5", "--loo"], "--cv and --loo say different things"),
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
    given = ["-y", "species", "--held-out", "60", "--no-auto", "--neighbors", "3"]
    result = call("compare", "iris.csv", *given)
    assert result.exit_code == 0
    assert "50 folds instead of 60: class 'setosa' has 50 rows" in result.stdout
    Path("lonely.csv").write_text("a,y\n1,x\n2,z\n")
    result = call("compare", "lonely.csv", "-y", "y")
    assert result.exit_code == 3
    assert "every class has one row: none can be held out" in result.stderr


@pytest.mark.usefixtures("iris")
def test_costs(call: Call) -> None:
    Path("costs.csv").write_text(
        ",setosa,versicolor,virginica\nsetosa,0,1,1\nversicolor,1,0,9\nvirginica,1,1,0\n"
    )
    given = ["-y", "species", "--held-out", "4", "--no-auto", "--neighbors", ""]
    told = json.loads(call("compare", "iris.csv", *given, "--costs", "costs.csv", "--json").stdout)
    data, costs = load_iris(), [[0.0, 1, 1], [1, 0, 9], [1, 1, 0]]
    expected = compare(
        data.rows, data.labels, held_out=4, neighbors=[], automatic=False, costs=costs
    )
    assert without_times(told["models"]) == without_times(expected.records())
    text = call("compare", "iris.csv", *given, "--costs", "costs.csv").stdout
    assert "cost" in text
    assert max(map(len, text.splitlines())) <= 80
