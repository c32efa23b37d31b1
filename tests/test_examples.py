"""The examples run as they stand, without a warning, and print what they promise."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


def output(name: str) -> str:
    """What an example prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", name],
        cwd=EXAMPLES,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_every_example_is_tested() -> None:
    names = {path.name for path in EXAMPLES.glob("*.py")}
    assert names == {"first_steps.py", "given_parameters.py", "streaming.py"}


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
