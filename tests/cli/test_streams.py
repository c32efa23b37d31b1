"""Pipes that close, disks that fill, Ctrl-C, killed processes: nothing half-written."""

import signal
import subprocess
import sys
import time
from functools import cache
from importlib.resources import files
from pathlib import Path

import pandas as pd
import pytest

from gaussbayes import GaussianClassifier
from tests.cli.conftest import Call, Shell


@cache
def many_rows() -> bytes:
    """More rows than a pipe or a block holds."""
    model = GaussianClassifier().fit(str(files("gaussbayes.datasets") / "iris.csv"), "species")
    rows, labels = model.sample(100_000, random_state=0)
    names = [column.name for column in model.columns_]
    text = pd.DataFrame(rows, columns=names).assign(species=labels).to_csv(index=False)
    return text.encode()


@pytest.fixture
def large(tmp_path: Path, fitted: GaussianClassifier) -> Path:
    """Many rows as large.csv, beside the model iris.json."""
    assert fitted.classes_.size == 3
    path = tmp_path / "large.csv"
    path.write_bytes(many_rows())
    return path


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("output", ["csv", "jsonl", "parquet"])
def test_a_reader_that_has_seen_enough(shell: Shell, output: str) -> None:
    command = f"gaussbayes predict iris.json large.csv --output-format {output}"
    done = shell(f"{command} | head -c 100 > start; echo ${{PIPESTATUS[0]}}")
    assert (done.stdout, done.stderr) == ("0\n", "")


@pytest.mark.usefixtures("large")
def test_a_full_disk(shell: Shell) -> None:
    done = shell("gaussbayes predict iris.json large.csv > /dev/full")
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["fit", "-", "-y", "species", "-o", "out.json"],
        ["update", "iris.json", "-", "-y", "species"],
        ["predict", "iris.json", "-", "-o", "out.csv"],
    ],
)
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


def test_files_of_a_killed_process_are_swept(tmp_path: Path, large: Path, call: Call) -> None:
    header, lines = large.read_bytes().split(b"\n", 1)
    large.write_bytes(header + b"\n" + 16 * lines)
    arguments = ["predict", "iris.json", "large.csv", "-o", "new.csv"]
    with subprocess.Popen(
        [sys.executable, "-m", "gaussbayes", *arguments], cwd=tmp_path
    ) as process:
        deadline = time.monotonic() + 100.0
        while not list(tmp_path.glob(".gaussbayes-*.tmp")) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.kill()
    assert len(list(tmp_path.glob(".gaussbayes-*.tmp"))) == 1
    assert not (tmp_path / "new.csv").exists()
    call("predict", "iris.json", "iris.csv", "-o", "new.csv")
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"iris.csv", "iris.json", "large.csv", "new.csv"}


@pytest.mark.usefixtures("fitted")
def test_devices_and_named_pipes_are_written_into(shell: Shell, call: Call) -> None:
    expected = call("predict", "iris.json", "iris.csv").stdout
    assert call("predict", "iris.json", "iris.csv", "-o", "/dev/null").output == ""
    assert Path("/dev/null").is_char_device()
    line = "gaussbayes predict iris.json iris.csv -o /dev/stdout"
    done = shell(f"{{ echo before; {line}; echo after; }} > all.txt; cat all.txt")
    assert done.stdout == f"before\n{expected}after\n"
    done = shell("mkfifo pipe; cat pipe & gaussbayes predict iris.json iris.csv -o pipe; wait")
    assert (done.stdout, done.stderr) == (expected, "")
    assert shell("test -p pipe").returncode == 0


def test_two_writers(tmp_path: Path, fitted: GaussianClassifier, iris: Path) -> None:
    """Of several commands that change one model at once, exactly those that say so have done it."""
    command = [sys.executable, "-m", "gaussbayes", "update", "iris.json", str(iris)]
    processes = [
        subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    ends = [(process.communicate()[1].decode(), process.returncode) for process in processes]
    done = sum(code == 0 for _, code in ends)
    assert done >= 1
    for message, code in ends:
        assert code == 0 or (code == 3 and "has changed since" in message)
    expected = GaussianClassifier().fit(iris, "species")
    for _ in range(done):
        expected.partial_fit(iris, "species")
    expected.save(tmp_path / "expected.json")
    assert (tmp_path / "expected.json").read_bytes() == (tmp_path / "iris.json").read_bytes()
    assert fitted.classes_.size == 3
