"""What a plain user may not read or write: one line that says so, and nothing half-done."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

Run: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]

AS_A_PLAIN_USER = """
import ctypes, os, sys
if os.geteuid() == 0:
    # The administrator is a user like any other without the powers to override permissions.
    DROP, OVERRIDE, READ_AND_SEARCH = 24, 1, 2
    libc = ctypes.CDLL(None, use_errno=True)
    for power in (OVERRIDE, READ_AND_SEARCH):
        assert libc.prctl(DROP, power, 0, 0, 0) == 0, os.strerror(ctypes.get_errno())
os.execv(sys.executable, [sys.executable, "-W", "error", "-m", "gaussbayes", *sys.argv[1:]])
"""


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run the command as somebody whom permissions stop."""

    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-c", AS_A_PLAIN_USER, *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[Path]:
    """A folder in which nothing can be written."""
    folder = tmp_path / "closed folder"
    folder.mkdir()
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)


@pytest.mark.usefixtures("fitted")
def test_a_file_that_may_not_be_read(run: Run, iris: Path, tmp_path: Path) -> None:
    iris.chmod(0)
    for subcommand in (["fit"], ["predict", "iris.json"], ["show"]):
        done = run(*subcommand, "iris.csv")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.splitlines()[-1].endswith("'iris.csv' is not readable.")
    done = run("fit", "*.csv", "-y", "species")  # what a pattern stands for is seen later
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "Error: cannot read iris.csv: no permission\n"
    iris.chmod(0o644)
    (tmp_path / "iris.json").chmod(0)
    done = run("predict", "iris.json", "iris.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert "'iris.json' is not readable." in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"iris.csv", "iris.json"}


@pytest.mark.usefixtures("fitted", "iris")
@pytest.mark.parametrize(
    "arguments",
    [
        ["fit", "iris.csv", "-y", "species", "-o", "closed folder/new.json"],
        ["predict", "iris.json", "iris.csv", "-o", "closed folder/new.csv"],
        ["update", "iris.json", "iris.csv", "-o", "closed folder/new.json"],
        ["plot", "ellipses", "iris.json", "-o", "closed folder/new.png"],
        ["report", "iris.json", "iris.csv", "-o", "closed folder/new.html"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_folder_that_may_not_be_written(run: Run, closed: Path, arguments: list[str]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    assert "closed folder" in done.stderr
    assert "no permission" in done.stderr.lower() or "Permission denied" in done.stderr
    assert os.listdir(closed) == []  # noqa: PTH208 (hidden files too)


@pytest.mark.usefixtures("fitted", "iris")
def test_a_file_that_may_not_be_changed(run: Run, tmp_path: Path) -> None:
    for name, arguments in {
        "kept.csv": ["predict", "iris.json", "iris.csv", "-o"],
        "kept.json": ["fit", "iris.csv", "-y", "species", "-o"],
    }.items():
        kept = tmp_path / name
        kept.write_text("before")
        kept.chmod(0o444)
        done = run(*arguments, name)
        assert done.returncode in {1, 2}
        assert name in done.stderr
        assert kept.read_text() == "before"
