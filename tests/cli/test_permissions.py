"""What a plain user may not read or write: one line that says so, and nothing half-done."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

Run: TypeAlias = Callable[..., list[tuple[int, str, str]]]
"""The exit code, the output and the messages of each of several commands, given as one line."""

AS_A_PLAIN_USER = """
import ctypes, os, sys
if os.geteuid() == 0:
    # The administrator is a user like any other without the powers to override permissions.
    DROP, OVERRIDE, READ_AND_SEARCH = 24, 1, 2
    libc = ctypes.CDLL(None, use_errno=True)
    for power in (OVERRIDE, READ_AND_SEARCH):
        assert libc.prctl(DROP, power, 0, 0, 0) == 0, os.strerror(ctypes.get_errno())
os.execv(sys.executable, [sys.executable, "-W", "error", "-c", *sys.argv[1:]])
"""

COMMANDS = """
import json, shlex, sys
from click.testing import CliRunner
from gaussbayes.cli import gaussbayes
results = []
for line in sys.argv[1:]:
    done = CliRunner().invoke(gaussbayes, shlex.split(line), prog_name="gaussbayes")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    results.append((done.exit_code, done.stdout, done.stderr))
print(json.dumps(results))
"""


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run commands, one after the other in one process, as somebody whom permissions stop."""

    def run(*lines: str) -> list[tuple[int, str, str]]:
        done = subprocess.run(
            [sys.executable, "-c", AS_A_PLAIN_USER, COMMANDS, *lines],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return [tuple(result) for result in json.loads(done.stdout)]

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
    for name in ("closed.csv", "closed.json"):
        (tmp_path / name).write_bytes((tmp_path / f"iris{name[6:]}").read_bytes())
        (tmp_path / name).chmod(0)
    before = set(tmp_path.iterdir())
    *early, late, model = run(
        "fit closed.csv",
        "predict iris.json closed.csv",
        "show closed.csv",
        "fit 'c*.csv' -y species",  # what a pattern stands for is seen later
        f"predict closed.json {iris.name}",
    )
    for code, output, message in early:
        assert (code, output) == (2, "")
        assert message.splitlines()[-1].endswith("'closed.csv' is not readable.")
    assert late == (3, "", "Error: cannot read closed.csv: no permission\n")
    assert model[:2] == (2, "")
    assert "'closed.json' is not readable." in model[2]
    assert set(tmp_path.iterdir()) == before


@pytest.mark.usefixtures("fitted", "iris")
def test_a_folder_that_may_not_be_written(run: Run, closed: Path) -> None:
    results = run(
        "fit iris.csv -y species -o 'closed folder/new.json'",
        "predict iris.json iris.csv -o 'closed folder/new.csv'",
        "update iris.json iris.csv -o 'closed folder/new.json'",
        "plot ellipses iris.json -o 'closed folder/new.png'",
        "report iris.json iris.csv -o 'closed folder/new.html'",
    )
    assert len(results) == 5
    for code, output, message in results:
        assert (code, output) == (1, "")
        assert message.startswith("Error: ")
        assert message.count("\n") == 1
        assert "closed folder" in message
        assert "no permission" in message.lower() or "Permission denied" in message
    assert os.listdir(closed) == []  # noqa: PTH208 (hidden files too)


@pytest.mark.usefixtures("fitted", "iris")
def test_a_file_that_may_not_be_changed(run: Run, tmp_path: Path) -> None:
    kept = [tmp_path / "kept.csv", tmp_path / "kept.json"]
    for path in kept:
        path.write_text("before")
        path.chmod(0o444)
    results = run("predict iris.json iris.csv -o kept.csv", "fit iris.csv -y species -o kept.json")
    for path, (code, _, message) in zip(kept, results, strict=True):
        assert code in {1, 2}
        assert path.name in message
        assert path.read_text() == "before"
