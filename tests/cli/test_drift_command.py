"""Drift between models and rows, and forgetting by decay, on the command line."""

import json
from pathlib import Path

import pandas as pd
import pytest

from gaussbayes import GaussianClassifier
from tests.cli.calling import Call


@pytest.fixture(autouse=True)
def halves(iris: Path, call: Call) -> pd.DataFrame:
    """Every other flower in either file; those of the third have longer petals."""
    frame = pd.read_csv(iris)
    for name, part in {"even": frame[::2], "odd": frame[1::2], "moved": frame[1::2].copy()}.items():
        if name == "moved":
            part["petal length (cm)"] += 1
        part.to_csv(iris.parent / f"{name}.csv", index=False)
    assert call("fit", "even.csv", "-y", "species", "--model", "qda", "-o", "m.json").exit_code == 0
    return frame


def test_models_and_rows(call: Call, iris: Path) -> None:
    """A model of rows and the rows are compared alike, and as in Python."""
    call("fit", "moved.csv", "-y", "species", "--model", "qda", "-o", "moved.json")
    by_model, by_rows = (
        json.loads(call("drift", "m.json", new, "--json").stdout)
        for new in ("moved.json", "moved.csv")
    )
    assert by_model.pop("new") == "moved.json"
    assert by_rows.pop("new") == "moved.csv"
    assert by_model == by_rows
    models = [GaussianClassifier.load(iris.parent / f"{name}.json") for name in ("m", "moved")]
    assert by_rows["p_value"] == models[0].drift(models[1]).p_value
    shown = call("drift", "m.json", "moved.csv")
    assert "the rows are not alike: p = " in shown.stdout
    first = shown.stdout.partition("clearest changes first")[2].splitlines()[3]
    assert first.startswith("petal")
    assert "setosa      mean" in first


def test_a_gate(call: Call) -> None:
    assert call("drift", "m.json", "odd.csv", "--min-p", "0.001").exit_code == 0
    failed = call("drift", "m.json", "moved.csv", "--min-p", "0.001")
    assert failed.exit_code == 4
    assert "below --min-p 0.001" in failed.stderr


def test_the_automatic_model(call: Call) -> None:
    """It has transforms: rows are read by those of the model."""
    call("fit", "even.csv", "-y", "species", "-o", "auto.json")
    assert call("drift", "auto.json", "odd.csv", "--min-p", "0.001").exit_code == 0


def test_bad_input(call: Call, iris: Path) -> None:
    pd.read_csv(iris).iloc[:, 1:].to_csv(iris.parent / "fewer.csv", index=False)
    call("fit", "fewer.csv", "-y", "species", "--model", "qda", "-o", "fewer.json")
    refused = call("drift", "m.json", "fewer.json")
    assert refused.exit_code == 3
    assert "fewer.json cannot be compared with m.json: models of different" in refused.stderr
    assert call("drift", "m.json", "fewer.csv").exit_code == 3
    assert call("drift", "m.json").exit_code == 2
    assert call("drift", "m.json", "odd.csv", "--min-p", "2").exit_code == 2


def test_decay(call: Call, iris: Path, halves: pd.DataFrame) -> None:
    assert call("update", "m.json", "odd.csv", "--decay", "0.25").exit_code == 0
    model = GaussianClassifier.load(iris.parent / "m.json")
    weights = [0.25, 1.0] * 75
    expected = GaussianClassifier().fit(halves.iloc[:, :4], halves["species"], weights)
    assert model.means_ == pytest.approx(expected.means_, rel=1e-14)
    assert model.covariances_ == pytest.approx(expected.covariances_, rel=1e-12)
    refused = call("update", "m.json", "odd.csv", "--decay", "0")
    assert refused.exit_code == 3
    assert "decay must be a finite number above 0" in refused.stderr
