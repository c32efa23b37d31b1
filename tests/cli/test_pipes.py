"""Pipes that close, disks that fill and Ctrl-C: nothing half-written, no traceback."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pyarrow import csv

from gaussbayes import GaussianClassifier
from tests.cli.calling import Shell


@pytest.fixture
def large(tmp_path: Path, fitted: GaussianClassifier) -> Path:
    """More rows than a pipe holds, as large.csv."""
    rows, labels = fitted.sample(20_000, random_state=0)
    frame = pd.DataFrame(rows, columns=fitted.feature_names_in_)
    frame["species"] = labels
    frame.to_csv(tmp_path / "large.csv", index=False)
    return tmp_path / "large.csv"


@pytest.mark.parametrize(
    "command",
    [
        "predict iris.json large.csv --proba",
        "convert large.csv -",
        "convert large.csv - --output-format jsonl",
        "sample iris.json -n 100000",
    ],
)
@pytest.mark.usefixtures("large")
def test_a_reader_that_has_enough(shell: Shell, command: str) -> None:
    done = shell(f"set -o pipefail; gaussbayes {command} | head -2; echo ${{PIPESTATUS[0]}}")
    *lines, code = done.stdout.splitlines()
    assert len(lines) == 2
    assert (code, done.stderr) == ("0", "")


@pytest.mark.parametrize("command", ["predict iris.json large.csv", "convert large.csv -"])
@pytest.mark.usefixtures("large")
def test_a_full_disk(shell: Shell, command: str) -> None:
    done = shell(f"gaussbayes {command} > /dev/full")
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["fit", "-", "-y", "species", "-o", "out.json"],
        ["update", "iris.json", "-", "-y", "species"],
        ["predict", "iris.json", "-", "-o", "out.csv"],
        ["convert", "-", "out.parquet"],
    ],
)
@pytest.mark.usefixtures("fitted")
def test_interrupted_in_the_middle(tmp_path: Path, large: Path, arguments: list[str]) -> None:
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "gaussbayes", *arguments],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(large.read_bytes())  # taken from the pipe, so that it is being read
        process.stdin.flush()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=300) == 130  # although the pipe is still open
        assert process.stderr.read() == b"\n"
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_rows_pass_through_a_chain(shell: Shell, large: Path, fitted: GaussianClassifier) -> None:
    done = shell(
        "gzip -c large.csv | gaussbayes predict iris.json - --keep all | "
        "gaussbayes convert - out.parquet"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    found = pd.read_parquet(large.parent / "out.parquet")
    frame = csv.read_csv(large).to_pandas()
    features = list(fitted.feature_names_in_)
    np.testing.assert_array_equal(found[features], frame[features])
    assert found["prediction"].tolist() == fitted.predict(frame[features]).tolist()


@pytest.mark.usefixtures("large")
def test_progress_is_for_terminals(shell: Shell) -> None:
    done = shell("gaussbayes predict iris.json large.csv -o out.csv", FORCE_COLOR="1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
