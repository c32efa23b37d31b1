"""Rows drawn from a model, the same for the same seed."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from gaussbayes import GaussianClassifier
from gaussbayes.cli import sample_command
from tests.cli.calling import Call, Shell


@pytest.mark.usefixtures("fitted")
def test_rows_are_those_of_the_estimator(shell: Shell) -> None:
    done = shell("gaussbayes sample iris.json -n 100 --seed 7 | tee drawn.csv | wc -l")
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "101", "")
    again = shell(
        "gaussbayes sample iris.json -n 100 --seed 7 -o again.csv; cmp drawn.csv again.csv"
    )
    assert (again.returncode, again.stdout) == (0, "")
    other = shell("gaussbayes sample iris.json -n 100 --seed 8 | cmp -s drawn.csv -")
    assert other.returncode == 1


def test_numbers_are_exact(call: Call, tmp_path: Path, fitted: GaussianClassifier) -> None:
    fitted.target_name_ = "species"
    fitted.save(tmp_path / "named.json")
    call("sample", "named.json", "-n", "50", "--seed", "3", "-o", "drawn.csv")
    rows, labels = fitted.sample(50, random_state=3)
    drawn = csv.read_csv(tmp_path / "drawn.csv").to_pandas()
    assert drawn.columns.tolist() == [*fitted.feature_names_in_, "species"]
    np.testing.assert_array_equal(drawn.iloc[:, :4].to_numpy(), rows)
    assert drawn["species"].tolist() == labels.tolist()


def test_large_samples_come_in_blocks(
    call: Call, tmp_path: Path, fitted: GaussianClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample_command, "BLOCK_ROWS", 40)
    call("sample", "iris.json", "-n", "100", "-o", "drawn.parquet")
    drawn = pq.read_table(tmp_path / "drawn.parquet").to_pandas()
    generator = np.random.default_rng(0)
    parts = [fitted.sample(n, random_state=generator) for n in (40, 40, 20)]
    np.testing.assert_array_equal(drawn.iloc[:, :4], np.concatenate([rows for rows, _ in parts]))
    assert drawn["class"].tolist() == np.concatenate([labels for _, labels in parts]).tolist()


@pytest.mark.usefixtures("fitted")
def test_one_row_unless_asked_for_more(call: Call) -> None:
    assert len(call("sample", "iris.json").stdout.splitlines()) == 2


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["-n", "0"], 2, "0 is not in the range x>=1"),
        (["-n", "many"], 2, "'many' is not a valid integer"),
        (["--seed", "-1"], 2, "-1 is not in the range"),
        (["-o", "iris.json"], 2, "give another name"),
        (["-o", "nowhere/drawn.csv"], 1, "nowhere"),
        (["-o", "drawn.xlsx"], 2, "drawn.xlsx"),
    ],
)
def test_refusals(
    call: Call,
    tmp_path: Path,
    fitted: GaussianClassifier,
    options: list[str],
    code: int,
    message: str,
) -> None:
    result = call("sample", "iris.json", *options)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr
    assert GaussianClassifier.load(tmp_path / "iris.json").n_features_in_ == fitted.n_features_in_
