"""The examples run as they stand, without a warning, and print what they promise."""

import ast
import math
import re
from pathlib import Path
from runpy import run_path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


def output(name: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What an example prints, in this process, which has imported what each would import."""
    mpl.use("agg")
    run_path(str(EXAMPLES / name), run_name="__main__")
    plt.close("all")
    printed, complaints = capsys.readouterr()
    assert complaints == ""
    return printed


@pytest.mark.parametrize("path", sorted(EXAMPLES.rglob("*.py")), ids=lambda path: path.stem)
def test_every_example_has_a_place_in_the_gallery(path: Path) -> None:
    """`make docs` runs all of them; those that promise numbers are run below."""
    assert (path.parent / "GALLERY_HEADER.rst").exists()
    description = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    title, line, empty, *words = description.splitlines()
    assert line == "=" * len(title)
    assert not empty
    assert words


def test_there_are_enough_examples() -> None:
    assert len(list(EXAMPLES.rglob("*.py"))) >= 25


def test_database(capsys: pytest.CaptureFixture[str]) -> None:
    printed = output("data/database.py", capsys)
    assert "ash: prior 0.667, mean height 20.00" in printed  # a sine's mean is 0
    assert "oak: prior 0.333, mean height 28.00" in printed
    (apart,) = re.findall(r"by ([\d.e+-]+) at most", printed)
    assert float(apart) < 1e-11
    # Oaks are 23 at least: all 100,000 count, with a mean weight of 2.5. Ashes count if they are
    # above 18, where the sine is above −0.4: a proportion of ½ + asin(0.4) / π.
    oak = 1 / (1 + 2 * (0.5 + math.asin(0.4) / math.pi))
    assert f"tall oak: prior {oak:.3f}" in printed


def test_first_steps(capsys: pytest.CaptureFixture[str]) -> None:
    printed = output("models/first_steps.py", capsys)
    shares = [float(share) for share in re.findall(r"([\d.]+)%", printed)]
    assert len(shares) == 7
    assert min(shares) > 80
    assert printed.count("prior 0.333") == 3


def test_given_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    printed = output("models/given_parameters.py", capsys)
    # N(118; 130, 20²) against N(118; 100, 10²): odds ½ exp(−0.18 + 1.62), then by 1/49.
    odds = 0.5 * 2.718281828459045**1.44
    assert f"equal priors: p(ill | 118) = {odds / (1 + odds):.3f}" in printed
    assert f"one in fifty: p(ill | 118) = {odds / (49 + odds):.3f}" in printed
    wrong = [float(share) for share in re.findall(r"error of .*: ([\d.]+)%", printed)]
    assert wrong[0] < wrong[1]
    assert wrong[1] == pytest.approx(2.0, abs=0.18)  # four standard errors of 100,000 draws


def test_mixed_features(capsys: pytest.CaptureFixture[str]) -> None:
    printed = output("data/mixed_features.py", capsys)
    assert "columns: temperature (number), visits (count), smokes (category)" in printed
    alone, together = (float(loss) for loss in re.findall(r"log loss ([\d.]+)", printed))
    assert together < alone
    adds = dict(re.findall(r"(\w+) adds ([+-][\d.]+)", printed))
    assert adds["temperature"] == "+0.00"
    # log of the ratio of two Poisson probabilities of 5, with rates about 3 and 1
    assert float(adds["visits"]) == pytest.approx(5 * 1.0986 - 2, abs=0.5)


def test_streaming(capsys: pytest.CaptureFixture[str]) -> None:
    printed = output("data/streaming.py", capsys)
    apart = [float(number) for number in re.findall(r"by ([\d.e+-]+) at most", printed)]
    assert len(apart) == 2
    assert max(apart) < 1e-12
    assert "classes now: [0, 1, 2, 3]" in printed
    assert "(12, 12) is of class 3" in printed
