"""The examples run as they stand, without a warning, and print what they promise."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


def output(name: str, *, quiet: bool = True) -> str:
    """What an example prints; if it is to be quiet, nothing else is written."""
    done = subprocess.run(
        [sys.executable, "-W", "error", name],
        cwd=EXAMPLES,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not quiet or done.stderr == ""
    return done.stdout


def test_every_example_is_tested() -> None:
    names = {path.name for path in EXAMPLES.glob("*.py")}
    assert names == {
        "cluster.py",
        "database.py",
        "first_steps.py",
        "given_parameters.py",
        "streaming.py",
    }


def test_cluster() -> None:
    # On a busy machine distributed itself writes of heartbeats that came late.
    printed = output("cluster.py", quiet=False)
    assert "60,000 rows on 2 workers" in printed
    assert "the model file is that of one process, byte by byte: True" in printed
    assert "not computed yet: Series" in printed
    (right,) = re.findall(r"right on ([\d.]+)%", printed)
    assert float(right) > 95


def test_database() -> None:
    printed = output("database.py")
    assert "ash: prior 0.667, mean height 20.00" in printed  # a sine's mean is 0
    assert "oak: prior 0.333, mean height 28.00" in printed
    (apart,) = re.findall(r"by ([\d.e+-]+) at most", printed)
    assert float(apart) < 1e-11
    # Oaks are 23 at least, so all 100,000 count; their weights 1, 2, 3, 4 are 2.5 on average.
    assert "tall oak: weight 250000" in printed


def test_first_steps() -> None:
    printed = output("first_steps.py")
    shares = [float(share) for share in re.findall(r"([\d.]+)%", printed)]
    assert len(shares) == 7
    assert min(shares) > 80
    assert printed.count("prior 0.333") == 3


def test_given_parameters() -> None:
    printed = output("given_parameters.py")
    # N(118; 130, 20²) against N(118; 100, 10²): odds ½ exp(−0.18 + 1.62), then by 1/49.
    odds = 0.5 * 2.718281828459045**1.44
    assert f"equal priors: p(ill | 118) = {odds / (1 + odds):.3f}" in printed
    assert f"one in fifty: p(ill | 118) = {odds / (49 + odds):.3f}" in printed
    wrong = [float(share) for share in re.findall(r"error of .*: ([\d.]+)%", printed)]
    assert wrong[0] < wrong[1]
    assert wrong[1] == pytest.approx(2.0, abs=0.18)  # four standard errors of 100,000 draws


def test_streaming() -> None:
    printed = output("streaming.py")
    apart = [float(number) for number in re.findall(r"by ([\d.e+-]+) at most", printed)]
    assert len(apart) == 2
    assert max(apart) < 1e-12
    assert "classes now: [0, 1, 2, 3]" in printed
    assert "(12, 12) is of class 3" in printed
