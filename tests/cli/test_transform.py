"""Transforms of features on the command line."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gaussbayes import GaussianClassifier
from tests.cli.calling import Call, Shell

FEATURES = ["income", "area"]


@pytest.fixture
def incomes(tmp_path: Path) -> pd.DataFrame:
    generator = np.random.default_rng(8)
    y = np.arange(120) % 2
    z = generator.normal(size=(120, 2)) + y[:, None]
    table = pd.DataFrame({"income": np.exp(z[:, 0]), "area": np.square(z[:, 1] + 7.0)})
    table["y"] = np.array(["no", "yes"])[y]
    table.to_csv(tmp_path / "rows.csv", index=False)
    return table


@pytest.mark.parametrize(
    ("given", "transform"),
    [
        (["yeo-johnson"], "yeo-johnson"),
        (["log"], "log"),
        (["rank-normal"], "rank-normal"),
        (["area=standardised", "income=log"], {"area": "standardised", "income": "log"}),
    ],
)
def test_models_are_those_of_the_classifier(
    call: Call, incomes: pd.DataFrame, given: list[str], transform: object
) -> None:
    options = [part for each in given for part in ("--transform", each)]
    assert call("fit", "rows.csv", "-y", "y", *options, "-o", "m.json").exit_code == 0
    model = GaussianClassifier(transforms=transform).fit(incomes[FEATURES], incomes["y"])
    loaded = GaussianClassifier.load("m.json")
    assert loaded.transforms_ == model.transforms_
    np.testing.assert_allclose(
        loaded.score_samples(incomes[FEATURES]), model.score_samples(incomes[FEATURES]), rtol=1e-10
    )
    record = json.loads(call("show", "m.json", "--json").stdout)
    assert record["settings"]["transforms"] == transform
    assert record["settings"]["families"] == [{"family": "gaussian", "features": FEATURES}]
    np.testing.assert_allclose(record["means"], model.means_, rtol=1e-12)
    told = json.loads(call("explain", "m.json", "rows.csv", "--row", "3", "--json").stdout)
    expected = model.explain(incomes[FEATURES][2:3]).as_record()
    assert told["log_odds"]["value"] == pytest.approx(expected["log_odds"]["value"], rel=1e-9)
    for command in (["update", "m.json"], ["sample", "m.json", "-n", "5"], ["show", "m.json"]):
        rows = ["rows.csv"] if command[0] == "update" else []
        assert call(*command, *rows).exit_code == 0
    if len(given) == 1:  # what follows takes several models, whichever the transform is
        return
    for command in (["evaluate", "--cv", "3"], ["compare", "--held-out", "3", "--no-auto"]):
        done = call(command[0], "rows.csv", "-y", "y", *options, *command[1:], "--json")
        assert done.exit_code == 0, done.stderr
    assert call("report", "m.json", "rows.csv", "-o", "r.html").exit_code == 0
    assert "spread around its mean" in Path("r.html").read_text(encoding="utf-8")


def test_bad_input(call: Call, incomes: pd.DataFrame) -> None:
    incomes.loc[16, "area"] = -3.0
    incomes.to_csv("wrong.csv", index=False)
    fit = ("fit", "wrong.csv", "-y", "y", "-o", "m.json", "--transform")
    for given in ("log", "area=log"):
        result = call(*fit, given)
        assert result.exit_code == 3
        assert "wrong.csv, row 17, column 'area': '-3.0' is not above 0" in result.stderr
        skipped = call(*fit, given, "--bad-rows", "skip")
        assert skipped.exit_code == 0
        assert "learnt from 119 rows" in skipped.stderr
    assert "row 17, column 'area'" in call("predict", "m.json", "wrong.csv").stderr
    assert call(*fit, "income=log").exit_code == 0
    for given, words in (
        ("sqrt", "expected a transform, one of standardised, range, yeo-johnson, log, rank-normal"),
        ("are=log", "the features to be transformed"),
        ("y=log", "--transform names 'y', but the columns are"),
    ):
        assert words in call(*fit, given).stderr
    twice = call(*fit, "area=log", "--transform", "area,income=rank-normal")
    assert "'area' must have one transform, but is given two" in twice.stderr
    both = call(*fit, "log", "--transform", "area=log")
    assert "expected features and a transform, such as income=log" in both.stderr


@pytest.mark.usefixtures("incomes")
def test_pipes_are_read_once(shell: Shell) -> None:
    done = shell("gaussbayes fit - -y y --transform yeo-johnson -o m.json < rows.csv")
    assert done.returncode != 0
    assert "cannot be read again: write them to a file" in done.stderr
