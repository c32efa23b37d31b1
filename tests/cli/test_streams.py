"""Devices and pipes in the place of files: read once, written into, never replaced."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from pyarrow import parquet

from gaussbayes import GaussianClassifier
from gaussbayes.data.readers.text import BLOCK_BYTES
from gaussbayes.datasets import load_iris
from tests.cli.calling import Call, Shell

pytestmark = pytest.mark.usefixtures("fitted", "iris")

FEATURES = list(load_iris().feature_names)


@pytest.fixture
def expected(call: Call) -> str:
    """What predict writes as CSV."""
    written: str = call("predict", "iris.json", "iris.csv").stdout
    return written


@pytest.fixture
def many(tmp_path: Path, fitted: GaussianClassifier) -> pd.DataFrame:
    """More rows than a pipe or a buffer holds, as many.csv."""
    rows, labels = fitted.sample(20_000, random_state=1)
    frame = pd.DataFrame(rows, columns=FEATURES).assign(species=labels)
    frame.to_csv(tmp_path / "many.csv", index=False)
    return frame


# Written


def test_devices_take_csv_and_stay(shell: Shell, expected: str) -> None:
    done = shell("gaussbayes predict iris.json iris.csv -o /dev/null")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert Path("/dev/null").is_char_device()
    done = shell("gaussbayes predict iris.json iris.csv -o /dev/stdout | cat")
    assert (done.stdout, done.stderr) == (expected, "")
    done = shell("gaussbayes predict iris.json iris.csv -o /dev/fd/7 7> seven; cat seven")
    assert (done.stdout, done.stderr) == (expected, "")
    done = shell("mkfifo pipe; cat pipe & gaussbayes convert iris.csv pipe; wait; test -p pipe")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 151


def test_standard_output_by_its_name_is_not_replaced(shell: Shell, expected: str) -> None:
    line = "gaussbayes predict iris.json iris.csv -o /dev/stdout"
    done = shell(f"{{ echo before; {line}; echo after; }} > all.txt; cat all.txt")
    assert done.stdout == f"before\n{expected}after\n"


def test_a_descriptor_that_is_not_open(shell: Shell) -> None:
    done = shell("gaussbayes predict iris.json iris.csv -o /dev/fd/99")
    assert done.returncode == 1
    assert done.stderr == "Error: cannot write '/dev/fd/99': Bad file descriptor\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["predict", "iris.json", "iris.csv", "-o", "new.doc"], "--output-format"),
        (["sample", "iris.json", "-n", "2", "-o", "new"], "--output-format"),
        (["convert", "iris.csv", "new.xlsx"], "--output-format"),
        (["convert", "iris.csv", "new.parquet", "--escape"], "for CSV and TSV"),
    ],
)
def test_kinds_of_files_that_cannot_be_written(
    call: Call, arguments: list[str], message: str
) -> None:
    result = call(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert not list(Path().glob("new*"))
    assert (
        call("sample", "iris.json", "-n", "2", "-o", "new", "--output-format", "csv").exit_code == 0
    )


def test_what_a_killed_process_left_is_swept(tmp_path: Path, shell: Shell) -> None:
    arguments = ["predict", "iris.json", "-", "-o", "new.csv"]
    with subprocess.Popen(
        [sys.executable, "-m", "gaussbayes", *arguments], cwd=tmp_path, stdin=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        # More than a block, so that the first rows are written while the others are waited for.
        header, lines = (tmp_path / "iris.csv").read_bytes().split(b"\n", 1)
        process.stdin.write(header + b"\n" + lines * (1 + 2 * BLOCK_BYTES // len(lines)))
        process.stdin.flush()
        deadline = time.monotonic() + 300.0
        while not list(tmp_path.glob(".gaussbayes-*.tmp")) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.kill()
    assert len(list(tmp_path.glob(".gaussbayes-*.tmp"))) == 1
    assert not (tmp_path / "new.csv").exists()
    assert shell("gaussbayes predict iris.json iris.csv -o new.csv").returncode == 0
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"iris.csv", "iris.json", "new.csv"}


# Read


def test_pipes_with_names_are_read_once(shell: Shell, tmp_path: Path, many: pd.DataFrame) -> None:
    done = shell("""
        gaussbayes fit <(cat many.csv) -y species -o piped.json 2> told
        gaussbayes fit many.csv -y species -o whole.json 2>> told
        cmp piped.json whole.json
        gaussbayes convert <(cat many.csv) once.parquet
        cat many.csv | gaussbayes convert once.parquet - <(cat once.parquet) all.parquet""")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    found = parquet.read_table(tmp_path / "all.parquet")
    assert found["species"].to_pylist() == 3 * many["species"].tolist()


def test_a_model_on_standard_input_is_evaluated(shell: Shell) -> None:
    done = shell("gaussbayes evaluate - iris.csv -y species --json < iris.json")
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    from_file = json.loads(shell("gaussbayes evaluate iris.json iris.csv -y species --json").stdout)
    assert told == from_file | {"model": "-", "how": told["how"]}
    assert told["how"] == "the model from standard input (QDA) on 150 rows of iris.csv"
    line = "gaussbayes fit iris.csv -y species -o - | gaussbayes evaluate - iris.csv"
    assert shell(line).returncode == 0


def test_what_else_may_be_on_standard_input(shell: Shell) -> None:
    done = shell("gaussbayes evaluate - iris.csv -y species < iris.csv")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("Error: the model on standard input: ")
    done = shell("gaussbayes evaluate - iris.csv -y species --cv 3 --json < iris.csv")
    assert json.loads(done.stdout)["rows"] == 300  # what is fitted is rows
    done = shell("gaussbayes evaluate - - < iris.json")
    assert done.returncode == 2
    assert "standard input (-) can be read once only" in done.stderr
