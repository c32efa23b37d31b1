"""What the tests of the command line share: running it in this process or as a user would."""

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from gaussbayes import GaussianClassifier
from gaussbayes.apps.cli.group import gaussbayes
from gaussbayes.datasets import load_iris
from tests.cli.calling import Call, Shell

IRIS = files("gaussbayes.datasets") / "iris.csv"


@pytest.fixture(autouse=True)
def no_windows() -> Iterator[None]:
    mpl.use("agg")
    yield
    assert not plt.get_fignums()  # whoever draws a picture closes it
    plt.close("all")


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Call:
    """Run the command in an empty directory, 80 columns wide; bugs come out as exceptions."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "dumb")

    def run(*arguments: object) -> Result:
        result = CliRunner().invoke(
            gaussbayes, [str(argument) for argument in arguments], prog_name="gaussbayes"
        )
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


@pytest.fixture
def iris(tmp_path: Path) -> Path:
    """Fisher's irises in the directory that the command runs in."""
    path = tmp_path / "iris.csv"
    path.write_text(IRIS.read_text(encoding="utf-8"), encoding="utf-8")
    return path


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Run lines of shell in an empty directory; ``gaussbayes`` is the command."""

    def run(line: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        command = (
            f'python() {{ "{sys.executable}" -W error "$@"; }}\n'
            f'gaussbayes() {{ python -m gaussbayes "$@"; }}\n{line}'
        )
        inherited = {
            name: value
            for name, value in os.environ.items()
            if name not in {"COLUMNS", "FORCE_COLOR", "NO_COLOR", "PYTHONIOENCODING"}
        }
        return subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=inherited | environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    return run


@pytest.fixture
def fitted(tmp_path: Path) -> GaussianClassifier:
    """A model of the irises, fitted in memory and saved as iris.json where the command runs."""
    data = load_iris()
    frame = pd.DataFrame(data.rows, columns=list(data.feature_names))
    model = GaussianClassifier().fit(frame, data.labels)
    model.save(tmp_path / "iris.json")
    return model
