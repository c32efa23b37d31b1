"""Structure and shrinkage chosen from files: as the estimator chooses from the rows in memory."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gaussbayes import GaussianClassifier
from gaussbayes.datasets import load_iris
from tests.cli.calling import Call, Shell

AUTO = ["--covariance", "auto", "--shrinkage", "auto"]


def by_the_estimator(path: Path, name: str, **settings: object) -> bytes:
    """The model file that the estimator writes of a model of these rows."""
    frame = pd.read_csv(path)
    labels = frame["species"].to_numpy(str)
    model = GaussianClassifier(features="auto", **settings).fit(
        frame.drop(columns="species"), labels
    )
    model.target_name_ = "species"
    return model.save(path.parent / name).read_bytes()


@pytest.mark.parametrize(
    ("options", "settings", "said"),
    [
        (AUTO, {"covariance": "auto", "shrinkage": "auto"}, "full, 50 % shared, shrinkage 0.1;"),
        (
            [*AUTO, "--selection", "bic", "--priors", "uniform"],
            {
                "covariance": "auto",
                "shrinkage": "auto",
                "selection": "bic",
                "priors": "uniform",
            },
            "BIC ",
        ),
        (["--covariance", "auto"], {"covariance": "auto"}, ", no shrinkage; best of 12 "),
        (
            ["--sharing", "0.4", "--shrinkage", "auto"],
            {"shared": 0.4, "shrinkage": "auto"},
            "full, 40 % shared, shrinkage ",
        ),
        (
            ["--covariance", "diagonal", "--shared", "--shrinkage", "auto"],
            {"covariance": "diagonal", "shared": True, "shrinkage": "auto"},
            "diagonal LDA, no shrinkage",
        ),
    ],
)
def test_the_model_is_the_estimators(
    call: Call, iris: Path, options: list[str], settings: dict[str, object], said: str
) -> None:
    result = call("fit", iris, "-y", "species", *options, "-o", "m.json")
    assert (result.exit_code, result.stdout) == (0, "")
    _, chosen, learnt = result.stderr.splitlines()
    assert chosen.startswith("chosen: ")
    assert said in chosen
    assert learnt == "learnt from 150 rows: 3 classes, 4 features; the model is in m.json"
    expected = by_the_estimator(iris, "expected.json", **settings)
    assert (iris.parent / "m.json").read_bytes() == expected


def test_all_candidates_as_json(shell: Shell, iris: Path) -> None:
    done = shell("gaussbayes fit - -y species --covariance auto --shrinkage auto --json < iris.csv")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)["selection"]
    frame = pd.read_csv(iris)
    model = GaussianClassifier("auto", shrinkage="auto")
    model.fit(frame.drop(columns="species"), frame["species"])
    assert told["criterion"] == "leave_one_out"
    assert len(told["candidates"]) == len(model.selection_.candidates)
    losses = [one["log_loss"] for one in told["candidates"]]
    assert losses == sorted(losses)
    assert told["chosen"] == told["candidates"][0]
    found = {
        (one["covariance"], one["shared"], one["shrinkage"]): one for one in told["candidates"]
    }
    for one in model.selection_.candidates:
        own = found[one.structure.covariance, one.structure.shared_setting, one.shrinkage]
        figures = (own["log_loss"], own["error"], own["brier"], own["bic"], own["parameters"])
        assert figures == (one.log_loss, one.error, one.brier, one.bic, one.n_parameters)
        assert own["model"] == one.structure.name
        assert own["problem"] is None


@pytest.mark.parametrize("selection", ["leave-one-out", "bic"])
def test_weights_count_rows(call: Call, iris: Path, selection: str) -> None:
    frame = pd.read_csv(iris)
    count = np.random.default_rng(1).integers(0, 4, len(frame))
    frame.assign(count=count).to_csv(iris, index=False)
    options = ["--selection", selection, "--weights", "count", "-o", "m.json", "--json"]
    told = json.loads(call("fit", iris, "-y", "species", *AUTO, *options).stdout)
    model = GaussianClassifier("auto", shrinkage="auto", selection=selection.replace("-", "_"))
    model.fit(frame.drop(columns="species"), frame["species"], count)
    best, own = model.selection_.best, told["selection"]["chosen"]
    assert own["covariance"] == best.structure.covariance
    assert own["shared"] == best.structure.shared_setting
    assert (own["shrinkage"], told["rows"]) == (best.shrinkage, 150)
    loaded = GaussianClassifier.load(iris.parent / "m.json")
    np.testing.assert_allclose(loaded.means_, model.means_, rtol=1e-14)
    np.testing.assert_allclose(loaded.covariances_, model.covariances_, rtol=1e-11, atol=1e-14)


def test_no_row_weighs_anything(call: Call, iris: Path) -> None:
    pd.read_csv(iris).assign(count=0).to_csv(iris, index=False)
    result = call("fit", iris, "-y", "species", *AUTO, "--weights", "count")
    assert result.exit_code == 3
    assert "iris.csv: the weights in column 'count' are all zero" in result.stderr


def test_negative_weights(call: Call, iris: Path) -> None:
    pd.read_csv(iris).assign(count=-1.0).to_csv(iris, index=False)
    result = call("fit", iris, "-y", "species", *AUTO, "--weights", "count")
    assert result.exit_code == 3
    assert "iris.csv" in result.stderr
    assert not (iris.parent / "model.json").exists()


def test_bad_rows_are_left_out(call: Call, iris: Path) -> None:
    whole = iris.read_text()
    call("fit", iris, "-y", "species", *AUTO, "-o", "m.json")
    (iris.parent / "bad.csv").write_text(whole + "much,1,1,1,setosa\n")
    stopped = call("fit", "bad.csv", "-y", "species", *AUTO, "-o", "bad.json")
    assert (stopped.exit_code, "row 151" in stopped.stderr) == (3, True)
    given = ["--bad-rows", "skip", "-o", "bad.json", "--json"]
    told = json.loads(call("fit", "bad.csv", "-y", "species", *AUTO, *given).stdout)
    assert (told["rows"], told["bad_rows"]["count"]) == (150, 1)
    folder = iris.parent
    assert (folder / "bad.json").read_bytes() == (folder / "m.json").read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--covariance", "auto", "--shared"], "leave out --shared"),
        (["--covariance", "auto", "--sharing", "0.5"], "leave out --shared and --sharing"),
        (["--selection", "bic"], "give --covariance auto or --shrinkage auto"),
        (["--selection", "aic"], "'aic' is not one of"),
        (["--shrinkage", "some"], "expected 'auto', 'none', 'oas', 'ledoit-wolf' or a number"),
    ],
)
@pytest.mark.parametrize("subcommand", ["fit", "evaluate"])
@pytest.mark.usefixtures("iris")
def test_wrong_usage(call: Call, subcommand: str, options: list[str], message: str) -> None:
    result = call(subcommand, "iris.csv", "-y", "species", *options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_nothing_can_be_chosen(call: Call, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("a,y\n1,x\n2,x\n4,x\n")
    result = call("fit", "one.csv", "-y", "y", *AUTO)
    assert result.exit_code == 3
    assert "at least two classes" in result.stderr


def test_a_choice_judged_by_folds_and_by_another_file(call: Call, iris: Path) -> None:
    frame = pd.read_csv(iris)
    frame[::2].to_csv("learnt.csv", index=False)
    frame[1::2].to_csv("tests.csv", index=False)
    given = ["-y", "species", *AUTO, "--json"]
    result = call("evaluate", "learnt.csv", *given, "--test", "tests.csv")
    assert "chosen: " in result.stderr
    data = load_iris()
    model = GaussianClassifier("auto", shrinkage="auto").fit(data.rows[::2], data.labels[::2])
    wrong = int(np.sum(model.predict(data.rows[1::2]) != data.labels[1::2]))
    assert json.loads(result.stdout)["errors"] == wrong
    told = json.loads(call("evaluate", iris, *given, "--cv", "3").stdout)
    assert told["rows"] == 150
    assert told["errors"] <= 6


def test_one_row_at_a_time_has_no_part_in_the_choice(call: Call, tmp_path: Path) -> None:
    generator = np.random.default_rng(5)
    y = np.repeat(["a", "b"], 7)
    X = generator.normal(size=(14, 2)) + 1.5 * (y == "b")[:, None]
    pd.DataFrame(X, columns=["u", "v"]).assign(y=y).to_csv(tmp_path / "r.csv", index=False)
    told = json.loads(call("evaluate", "r.csv", "-y", "y", *AUTO, "--loo", "--json").stdout)
    loss = 0.0
    for row in range(14):
        others = np.arange(14) != row
        model = GaussianClassifier("auto", shrinkage="auto").fit(X[others], y[others])
        loss -= model.predict_log_proba(X[row : row + 1])[0, int(y[row] == "b")]
    assert told["how"] == "each of 14 rows predicted by a model of the others"
    assert told["log_loss"] == pytest.approx(loss / 14, rel=1e-12)
