"""The automatic model, averages, calibration and prediction sets on the command line."""

import json
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from gaussbayes import GaussianClassifier, plots
from gaussbayes.datasets import load_iris
from tests.cli.calling import Call
from tests.models import automatic_classifier

IRIS = load_iris()


def by_the_estimator(path: Path, **settings: Any) -> GaussianClassifier:
    frame = pd.read_csv(path)
    plain = "estimate" in settings
    model = GaussianClassifier(features="auto", **settings) if plain else None
    model = model or automatic_classifier(**settings)
    model.fit(frame.drop(columns="species"), frame["species"].to_numpy(str))
    model.target_name_ = "species"
    return model


@pytest.mark.parametrize(
    ("options", "settings", "said"),
    [
        ([], {}, "chosen: "),
        (["--model", "average"], {"average": True}, "chosen: average of "),
        (
            ["--model", "auto", "--sharing", "0.5", "--calibration", "none", "--priors", "uniform"],
            {"shared": 0.5, "calibration": None, "priors": "uniform"},
            "chosen: predictive, 50 % shared, ",
        ),
        (
            ["--estimate", "predictive", "--sharing", "0.5", "--calibration", "leave_one_out"],
            {"estimate": "predictive", "shared": 0.5, "calibration": "leave_one_out"},
            "calibrated by rows left out: temperature ",
        ),
        (
            ["--model", "rda", "--selection", "leave-one-out"],
            {"estimate": "plug_in", "shared": "auto", "shrinkage": "auto"},
            "chosen: full, ",
        ),
        (["--model", "lda"], {"estimate": "plug_in", "shared": True}, "learnt from 150 rows: "),
        (
            ["--model", "naive-bayes", "--priors", "uniform"],
            {"estimate": "plug_in", "covariance": "diagonal", "priors": "uniform"},
            "learnt from 150 rows: ",
        ),
        (
            ["--shrinkage", "0.2", "--shrinkage-target", "spherical", "--estimate", "plug_in"],
            {"estimate": "plug_in", "shrinkage": 0.2, "target": "spherical"},
            "learnt from 150 rows: ",
        ),
    ],
)
def test_the_model_is_the_estimators(
    call: Call, iris: Path, options: list[str], settings: dict[str, Any], said: str
) -> None:
    result = call("fit", iris, "-y", "species", *options, "-o", "m.json")
    assert result.exit_code == 0, result.stderr
    assert result.stderr.startswith(f"used 4 columns: 4 numbers\n{said}")
    expected = by_the_estimator(iris, **settings).save(iris.parent / "expected.json")
    assert (iris.parent / "m.json").read_bytes() == expected.read_bytes()


def test_what_is_shown_and_told(call: Call, iris: Path) -> None:
    fit = call("fit", iris, "-y", "species", "--model", "average", "-o", "m.json", "--json")
    told, model = json.loads(fit.stdout), by_the_estimator(iris, average=True).model_
    shown = json.loads(call("show", "m.json", "--json").stdout)
    weights = [weight for weight, _ in model.weighted_members]
    for record in (told, shown):
        assert [member["weight"] for member in record["members"]] == weights
        assert record["calibration"]["offsets"] == model.calibration.offsets.tolist()
        assert record["calibration"]["temperature"] == model.calibration.temperature
        assert record["calibration"]["rows"] == 150
    text = call("show", "m.json").stdout
    assert max(map(len, text.splitlines())) <= 80
    assert f"of {len(weights)} models" in text
    assert "models that are averaged" in text
    assert "temperature" in text
    assert "offset" in text
    refused = call("update", "m.json", iris)
    assert refused.exit_code != 0
    assert "it averages several models" in refused.stderr


@pytest.mark.parametrize("options", [["--model", "auto"], ["--model", "average"]])
def test_explanations_add_up(call: Call, iris: Path, options: list[str]) -> None:
    call("fit", iris, "-y", "species", *options, "-o", "m.json")
    result = call("explain", "m.json", iris, "--row", "71", "--plot", "why.svg")
    by = "averaging and calibration" if "average" in options else "calibration"
    assert f"\n{by} " in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    told = json.loads(call("explain", "m.json", iris, "--row", "71", "--json").stdout)
    odds = told["log_odds"]
    parts = [part["amount"] for part in odds["contributions"]]
    total = odds["at_reference"] + sum(parts) + odds["adjustment"]["amount"]
    posterior = {each["class"]: each["posterior"] for each in told["classes"]}
    expected = np.log(posterior[odds["of"]] / posterior[odds["against"]])
    np.testing.assert_allclose([total, odds["value"]], expected, rtol=1e-9)
    assert odds["adjustment"]["by"] == by
    assert told["calibrated"] == ("average" not in options)
    ax = plots.explanation(GaussianClassifier.load("m.json").explain(IRIS.rows[70]))
    assert [label.get_text() for label in ax.get_yticklabels()][-2:] == [by, "this row"]
    assert f"by {by} = " in ax.get_title()
    plt.close()


@pytest.mark.parametrize("by_class", [False, True])
def test_prediction_sets(call: Call, iris: Path, by_class: bool) -> None:
    call("fit", iris, "-y", "species", "-o", "m.json")
    flags = ["--set-by-class"] if by_class else []
    result = call("predict", "m.json", iris, "--set", "0.99", "--no-label", "--proba", *flags)
    assert result.exit_code == 0, result.stderr
    table = pd.read_csv(pd.io.common.StringIO(result.stdout), keep_default_na=False)
    assert list(table)[:2] == ["species", "set"]
    model = GaussianClassifier.load("m.json")
    frame = pd.read_csv(iris).drop(columns="species")
    inside = model.predict_set(frame, 0.99, by_class=by_class).members
    assert table["set"].tolist() == ["|".join(model.classes_[row]) for row in inside]
    assert any("|" in each for each in table["set"])


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("fit iris.csv -y species --model auto --covariance full", "what --covariance is about"),
        ("fit iris.csv -y species --model auto --selection bic", "what --selection is about"),
        ("fit iris.csv -y species --model average --estimate plug_in", "what --estimate is about"),
        (
            "fit iris.csv -y species --model lda --sharing 0.5",
            "what --shared or --sharing is about",
        ),
        (
            "fit iris.csv -y species --model average --keep-unlabelled",
            "a model that learns nothing more: leave out --keep-unlabelled",
        ),
        ("predict iris.json iris.csv --set 0", "0.0 is not in the range 0<x<1"),
        ("predict iris.json iris.csv --set 1", "1.0 is not in the range 0<x<1"),
        ("predict iris.json iris.csv --set-by-class", "give --set, for example --set 0.9"),
        (
            "evaluate iris.json iris.csv --model qda",
            "--model is for fitting, but the model is given",
        ),
    ],
)
@pytest.mark.usefixtures("iris", "fitted")
def test_what_cannot_be_combined(call: Call, command: str, message: str) -> None:
    result = call(*command.split())
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.usefixtures("fitted")
def test_what_a_model_or_files_cannot_do(call: Call, iris: Path) -> None:
    result = call("predict", "iris.json", iris, "--set", "0.9")
    assert result.exit_code == 3
    assert "fit it with --calibration leave-one-out" in result.stderr
    call("fit", iris, "-y", "species", "-o", "m.json")
    result = call("predict", "m.json", iris, "--set", "nan")
    assert "coverage must be above 0 and below 1, got nan" in result.stderr
    result = call(
        "fit", iris, "-y", "species", "--estimate", "predictive", "--covariance", "diagonal"
    )
    assert "--estimate predictive needs --covariance full" in result.stderr
    frame = pd.read_csv(iris)
    frame["species"] = frame["species"].str.replace("versi", "|")
    frame.to_csv("parted.csv", index=False)
    call("fit", "parted.csv", "-y", "species", "-o", "p.json")
    result = call("predict", "p.json", "parted.csv", "--set", "0.9")
    assert "class '|color' holds a |" in result.stderr


def test_categories_and_missing_values_are_taken_as_they_are(call: Call, iris: Path) -> None:
    frame = pd.read_csv(iris)
    frame["colour"] = np.where(frame["species"] == "setosa", "blue", "purple")
    frame.loc[::7, "colour"] = None
    frame.iloc[::5, 0] = np.nan
    frame.to_csv("mixed.csv", index=False)
    result = call("fit", "mixed.csv", "-y", "species", "-o", "m.json")
    assert result.exit_code == 0, result.stderr
    assert "colour: 2 categories" in result.stderr
    assert (
        GaussianClassifier.load("m.json").score(
            frame.drop(columns="species").astype({"colour": "category"}), frame["species"]
        )
        > 0.9
    )


def test_a_class_of_one_row_is_said_to_tell_nothing(call: Call, iris: Path) -> None:
    frame = pd.read_csv(iris)
    frame.loc[7, "species"] = "once"
    frame.iloc[::3].to_csv("some.csv", index=False)
    frame.iloc[1::3].to_csv("once.csv", index=False)  # row 7 is among these
    assert "chosen by" not in call("fit", "some.csv", "-y", "species").stderr
    result = call("fit", "once.csv", "-y", "species")
    assert "chosen by 49 of 50 rows: the only row of a class tells nothing" in result.stderr
