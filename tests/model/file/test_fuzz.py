"""Short runs of the scripts that look for failures at random; see tests/fuzz for long ones."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def run(*arguments: str, cwd: Path) -> str:
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from {arguments[0]} import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments[1:]],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_changed_files_are_loaded_or_refused(tmp_path: Path) -> None:
    said = run("tests.fuzz.model_file", "2000", "--seed", "7", "--seconds", "300", cwd=tmp_path)
    found = re.search(r"([\d,]+) files: .* ([\d,]+) refused, 0 failures", said)
    assert found is not None, said
    assert int(found[1].replace(",", "")) > 0
    assert int(found[2].replace(",", "")) > 0
    assert list(tmp_path.iterdir()) == []


def test_kills_and_full_disks_lose_no_file(tmp_path: Path) -> None:
    said = run("tests.fuzz.kill_save", "12", "--seed", "3", cwd=tmp_path)
    assert re.match(r"12 kills: .* all swept; 3 full disks: the old file stayed$", said)
