"""What is taken away does the same elsewhere: the script is run, the commands are called."""

import csv
import io
import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from gaussbayes import GaussianClassifier
from gaussbayes.apps.cli import gaussbayes
from gaussbayes.apps.lab.wire_format import MessageError
from tests.lab.page import FITTED, Page
from tests.lab.tables import open_page, people

HAND: dict[str, Any] = {
    "from": "hand",
    "priors": [0.25, 0.75],
    "means": [[-1.0, -0.5], [1.5, 1.0]],
    "covariances": [[[1.0, 0.2], [0.2, 0.5]], [[2.0, -0.4], [-0.4, 1.0]]],
}
VOTES: dict[str, Any] = {"from": "neighbours", "k": 3}
SETTINGS: list[dict[str, Any]] = [
    FITTED,
    FITTED | {"covariance": "diagonal", "shared": True, "divisor": "unbiased"},
    FITTED | {"shared": 0.25, "shrinkage": 0.1, "priors": "uniform"},
    FITTED | {"shrinkage": "oas", "priors": [0.3, 0.7]},
    FITTED | {"first": 40},
]


@pytest.fixture(autouse=True)
def empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("MPLBACKEND", "agg")


def take(page: Page, what: str, data: str, model: Any, pair: Any = (0, 1)) -> str:
    """What is taken away, written into a file of its name as a browser would."""
    head = page.ask("take_away", what=what, data=data, pair=list(pair), model=model).head
    Path(head["file"]).write_text(head["text"], encoding="utf-8")
    text: str = head["text"]
    return text


def run(line: str) -> Result:
    """A line of the commands; ``head -n … lab.csv |`` is the one thing before a command."""
    given = None
    if line.startswith("head -n "):
        first, line = line.split(" | ")
        count = int(first.split()[2])
        given = "".join(Path("lab.csv").read_text("utf-8").splitlines(keepends=True)[:count])
    program, *arguments = shlex.split(line)
    assert program == "gaussbayes"
    result = CliRunner().invoke(gaussbayes, arguments, input=given)
    assert result.exit_code == 0, (line, result.output)
    return result


def run_all(text: str) -> list[Result]:
    return [run(line) for line in text.splitlines() if not line.startswith("#")]


def execute(
    text: str, capsys: pytest.CaptureFixture[str]
) -> tuple[dict[str, Any], dict[str, float]]:
    """The names that a script leaves, and the errors that it prints."""
    names: dict[str, Any] = {}
    exec(compile(text, "lab.py", "exec"), names)  # noqa: S102
    printed = [line.split(" error ") for line in capsys.readouterr().out.splitlines()]
    return names, {part: float(error) for part, error in printed}


def same_parameters(model: GaussianClassifier, parameters: Any) -> None:
    np.testing.assert_allclose(model.priors_, parameters["priors"], rtol=1e-12)
    np.testing.assert_allclose(model.means_, parameters["means"], rtol=1e-12, atol=1e-14)
    covariances = np.broadcast_to(model.covariances_, np.shape(parameters["covariances"]))
    np.testing.assert_allclose(covariances, parameters["covariances"], rtol=1e-10, atol=1e-14)


def test_formulas_are_escaped_if_that_is_asked_for(page: Page) -> None:
    classes = ["=1+1", "@home", "-", "plain"]
    data = page.points([[-1, 2, code] for code in range(4)], classes)
    asked = {"data": data, "pair": [0, 1], "model": FITTED, "what": "csv"}
    as_they_are, escaped = (
        list(csv.reader(io.StringIO(page.ask("take_away", **asked, **how).head["text"])))[1:]
        for how in ({}, {"escape_formulas": True})
    )
    assert [row[-1] for row in as_they_are] == classes
    assert [row[-1] for row in escaped] == ["'=1+1", "'@home", "'-", "plain"]
    assert [row[:2] for row in escaped] == [row[:2] for row in as_they_are]  # numbers stay


def test_probabilities_of_categories_by_hand(
    page: Page, capsys: pytest.CaptureFixture[str]
) -> None:
    data = page.data("genetic_test", n=300)
    tables = [[[0.9, 0.1], [0.1, 0.9]], [[0.8, 0.2], [0.3, 0.7]]]
    model = {"from": "categories", "priors": [0.99, 0.01], "probabilities": tables}
    for what in ("csv", "model"):
        take(page, what, data, model, (0, 0))
    exec(take(page, "python", data, model, (0, 0)), {})  # noqa: S102
    error = page.ask("numbers", data=data, pair=[0, 0], model=model).head["train"]["error"]
    assert float(capsys.readouterr().out.split()[-1]) == pytest.approx(error, abs=1e-12)
    loaded = GaussianClassifier.load("lab.json")
    # Bayes' rule by hand: 0.01 · 0.9 · 0.3 against 0.99 · 0.1 · 0.8.
    odds = 0.01 * 0.9 * 0.3 / (0.99 * 0.1 * 0.8)
    defect = loaded.explain(("positive", "negative")).bayes.classes[0]
    assert defect.label == "defect"
    assert defect.posterior == pytest.approx(odds / (1 + odds), rel=1e-12)
    with pytest.raises(MessageError, match=r"must be \[\(2, 2\), \(2, 2\)\], got \[\(1, 2\)\]"):
        page.ask("numbers", data=data, pair=[0, 0], model=model | {"probabilities": [[[1, 0]]]})


def test_the_rows_are_read_as_they_were(page: Page) -> None:
    data = page.data("gaps", n=30)
    table = page.store.dataset(data).table
    header, *lines = csv.reader(io.StringIO(take(page, "csv", data, FITTED)))
    assert header == [*table.features, "class"]
    values = [[float(value or "nan") for value in line[:-1]] for line in lines]
    np.testing.assert_array_equal(values, table.X)
    assert [line[-1] for line in lines] == table.labels[table.codes].tolist()


@pytest.mark.parametrize(
    ("preset", "model"), [("two_gaussians", SETTINGS[3]), *(("unequal", one) for one in SETTINGS)]
)
def test_fitted_models(
    page: Page, model: dict[str, Any], preset: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = page.data(preset, n=80)
    numbers = page.ask("numbers", data=data, pair=[0, 1], model=model).head
    take(page, "csv", data, model)
    names, errors = execute(take(page, "python", data, model), capsys)
    same_parameters(names["model"], numbers["parameters"])
    assert errors == {"train": pytest.approx(numbers["train"]["error"])}
    *commands, picture = take(page, "command", data, model).splitlines()
    run_all("\n".join(commands))
    same_parameters(GaussianClassifier.load("lab.json"), numbers["parameters"])
    if model is SETTINGS[0]:
        run(picture)
        assert Path("regions.png").stat().st_size > 1000
    take(page, "model", data, model)
    loaded = GaussianClassifier.load("lab.json")
    same_parameters(loaded, numbers["parameters"])
    assert loaded.feature_names_in_.tolist() == ["x1", "x2"]
    assert loaded.target_name_ == "class"
    assert loaded.classes_.tolist() == page.store.dataset(data).table.labels.tolist()


def file_and_script(
    page: Page, data: str, capsys: pytest.CaptureFixture[str]
) -> tuple[dict[str, Any], dict[str, float]]:
    """The numbers of the page and the errors that the script prints; all models are the same."""
    numbers = page.ask("numbers", data=data, pair=[0, 1], model=FITTED).head
    take(page, "csv", data, FITTED)
    take(page, "model", data, FITTED)
    same_parameters(GaussianClassifier.load("lab.json"), numbers["parameters"])
    names, errors = execute(take(page, "python", data, FITTED), capsys)
    same_parameters(names["model"], numbers["parameters"])
    return numbers, errors


def test_held_out_rows_are_the_same_ones(page: Page, capsys: pytest.CaptureFixture[str]) -> None:
    data = page.data("three", n=90, split={"test": 0.3, "seed": 5})
    numbers, errors = file_and_script(page, data, capsys)
    assert errors["train"] == pytest.approx(numbers["train"]["error"])
    assert errors["test"] == pytest.approx(numbers["test"]["error"])
    commands = [
        line for line in take(page, "command", data, FITTED).splitlines() if line[:1] != "#"
    ]
    assert commands[0].startswith("gaussbayes evaluate")
    told = json.loads(run(commands[0] + " --json").stdout)
    assert told["error"] == pytest.approx(numbers["test"]["error"])
    assert told["log_loss"] == pytest.approx(numbers["test"]["log_loss"])
    run(commands[1])


def test_by_hand(page: Page, capsys: pytest.CaptureFixture[str]) -> None:
    data = page.data("unequal", n=60, split={"test": 0.5})
    numbers = page.ask("numbers", data=data, pair=[0, 1], model=HAND).head
    for what in ("csv", "model"):
        take(page, what, data, HAND)
    same_parameters(GaussianClassifier.load("lab.json"), HAND)
    names, errors = execute(take(page, "python", data, HAND), capsys)
    same_parameters(names["model"], HAND)
    assert errors["test"] == pytest.approx(numbers["test"]["error"])
    run_all(take(page, "command", data, HAND))


def test_by_hand_of_two_features_among_more(page: Page, capsys: pytest.CaptureFixture[str]) -> None:
    model = HAND | {
        "priors": [0.25, 0.25, 0.5],
        "means": [[0.2, 1.4], [1.3, 4.3], [2.0, 5.5]],
        "covariances": [[[0.1, 0], [0, 0.2]]] * 3,
    }
    data = page.data("irises")
    take(page, "csv", data, model)
    take(page, "model", data, model)
    names, errors = execute(take(page, "python", data, model, (3, 2)), capsys)
    numbers = page.ask("numbers", data=data, pair=[3, 2], model=model).head
    assert names["model"].feature_names_in_.tolist() == ["petal width (cm)", "petal length (cm)"]
    assert errors["train"] == pytest.approx(numbers["train"]["error"])
    take(page, "model", data, model, (3, 2))
    run("gaussbayes evaluate lab.json lab.csv -y species")


def test_neighbours(page: Page, capsys: pytest.CaptureFixture[str]) -> None:
    data = page.data("xor", n=60, split={"test": 0.5})
    take(page, "csv", data, VOTES)
    _, errors = execute(take(page, "python", data, VOTES), capsys)
    numbers = page.ask("numbers", data=data, pair=[0, 1], model=VOTES).head
    assert errors["test"] == pytest.approx(numbers["test"]["error"])
    (result,) = run_all(take(page, "command", data, VOTES))
    assert "3 nearest neighbours" in result.output
    with pytest.raises(MessageError, match="nearest neighbours have no model file"):
        take(page, "model", data, VOTES)


def test_one_feature(page: Page, capsys: pytest.CaptureFixture[str]) -> None:
    data = page.data("petals")
    take(page, "csv", data, FITTED, (0, 0))
    names, _ = execute(take(page, "python", data, FITTED, (0, 0)), capsys)
    np.testing.assert_allclose(names["model"].means_, [[2.68], [6.5]])
    run_all(take(page, "command", data, FITTED, (0, 0)))
    assert Path("univariate.png").exists()
    take(page, "model", data, HAND, (0, 0))
    np.testing.assert_allclose(GaussianClassifier.load("lab.json").means_, [[-1.0], [1.5]])


def test_rows_with_missing_values(page: Page, capsys: pytest.CaptureFixture[str]) -> None:
    data = page.data("gaps", n=120)
    numbers, _ = file_and_script(page, data, capsys)
    run_all(take(page, "command", data, FITTED))
    np.testing.assert_allclose(
        GaussianClassifier.load("lab.json").means_, numbers["parameters"]["means"], rtol=1e-9
    )


def test_names_that_need_quotes(page: Page, capsys: pytest.CaptureFixture[str]) -> None:
    points = [[0, 0, 1], [1, 0, 1], [0, 1.5, 1], [5, 5, 0], [6, 5, 0], [5, 6.5, 0], [6, 7, 0]]
    source = {
        "from": "points",
        "points": points,
        "classes": ["it's; rm -rf ~", '"a", b'],  # not sorted
        "features": ["class", "x, $(y)"],
    }
    data = page.ask("data", source=source).head["id"]
    model = FITTED | {"priors": [0.2, 0.8]}
    take(page, "csv", data, model)
    numbers = page.ask("numbers", data=data, pair=[0, 1], model=model).head["parameters"]
    names, errors = execute(take(page, "python", data, model), capsys)
    turned = {name: numbers[name][::-1] for name in ("priors", "means", "covariances")}
    same_parameters(names["model"], turned)
    assert errors["train"] == 0
    take(page, "model", data, model)
    loaded = GaussianClassifier.load("lab.json")
    same_parameters(loaded, turned)
    assert loaded.target_name_ == "class_"
    assert loaded.classes_.tolist() == ['"a", b', "it's; rm -rf ~"]
    run_all(take(page, "command", data, model))
    same_parameters(GaussianClassifier.load("lab.json"), turned)


def test_no_model_to_take_away(page: Page) -> None:
    with pytest.raises(MessageError, match="there is no model to take away: class 'A'"):
        take(page, "model", page.data("few_rows"), FITTED)


def same_probabilities(model: GaussianClassifier, tables: list[dict[str, Any]]) -> None:
    known = model.category_probabilities_
    assert [str(name) for name in known] == [table["feature"] for table in tables]
    for table, probabilities in zip(tables, known.values(), strict=True):
        np.testing.assert_allclose(probabilities, table["probabilities"], rtol=1e-9)


@pytest.mark.parametrize(
    ("test", "model"),
    [
        (0.3, FITTED),
        (
            0,
            FITTED
            | {"shared": True, "smoothing": 0.5, "unlabelled_weight": 0.25, "priors": [0.3, 0.7]},
        ),
    ],
)
def test_any_table(model: dict[str, Any], test: float, capsys: pytest.CaptureFixture[str]) -> None:
    """Categories, missing values and rows without label: everywhere the same model."""
    frame = people(missing=0.1, unlabelled=0.3)
    page, data = open_page(frame, test=test)
    numbers = page.ask("numbers", data=data, pair=[0, 1], model=model).head
    header, *lines = csv.reader(io.StringIO(take(page, "csv", data, model)))
    assert header == frame.columns.tolist()
    assert [line[1] for line in lines] == frame["town"].fillna("").tolist()
    assert [line[-1] for line in lines] == frame["kind"].fillna("").tolist()

    take(page, "model", data, model)
    taken = GaussianClassifier.load("lab.json")
    assert (taken.target_name_, taken.feature_names_in_.tolist()) == ("kind", header[:-1])
    names, errors = execute(take(page, "python", data, model), capsys)
    assert errors["train"] == pytest.approx(numbers["train"]["error"])
    assert names["model"].feature_names_in_.tolist() == header[:-1]
    models = [taken, names["model"]]
    results = run_all(take(page, "command", data, model))
    assert Path("regions.png").exists()
    if test:
        assert errors["test"] == pytest.approx(numbers["test"]["error"])
        assert f"{numbers['test']['n']} held out" in results[0].output
    else:
        models.append(GaussianClassifier.load("lab.json"))
    for each in models:
        np.testing.assert_allclose(each.priors_, numbers["parameters"]["priors"], rtol=1e-9)
        np.testing.assert_allclose(each.means_, numbers["parameters"]["means"], rtol=1e-9)
        covariances = np.broadcast_to(each.covariances_, (2, 3, 3))
        np.testing.assert_allclose(covariances, numbers["parameters"]["covariances"], rtol=1e-9)
        same_probabilities(each, numbers["categories"])


def test_categories_alone(capsys: pytest.CaptureFixture[str]) -> None:
    frame = people(unlabelled=0.2)[["town", "smoker", "kind"]]
    page, data = open_page(frame)
    numbers = page.ask("numbers", data=data, pair=[0, 0], model=FITTED).head
    take(page, "csv", data, FITTED, (0, 0))
    names, errors = execute(take(page, "python", data, FITTED, (0, 0)), capsys)
    assert errors["train"] == pytest.approx(numbers["train"]["error"])
    commands = take(page, "command", data, FITTED, (0, 0))
    assert "plot" not in commands
    run_all(commands)
    for each in (names["model"], GaussianClassifier.load("lab.json")):
        same_probabilities(each, numbers["categories"])


def test_neighbours_of_any_table(capsys: pytest.CaptureFixture[str]) -> None:
    frame = people(60, missing=0.1, unlabelled=0.3)
    frame.loc[frame.index[0], "kind"] = "alone"  # its row is learnt from
    page, data = open_page(frame, test=0.4)
    numbers = page.ask("numbers", data=data, pair=[0, 1], model=VOTES).head
    take(page, "csv", data, VOTES)
    _, errors = execute(take(page, "python", data, VOTES), capsys)
    for part in ("train", "test"):
        assert errors[part] == pytest.approx(numbers[part]["error"])
    line = take(page, "command", data, VOTES).rstrip()
    result = run(f"{line} --no-auto")  # the automatic choice takes a while
    assert "3 nearest neighbours" in result.output
