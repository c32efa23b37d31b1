"""What the tests of the command line share: running it in this process or as a user would."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from importlib.resources import files
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from gaussbayes import GaussianClassifier
from gaussbayes.cli import gaussbayes
from gaussbayes.datasets import load_iris
from tests.cli.calling import Call, Shell

WARM = Path(__file__).parent / "warm_process.py"
IRIS = files("gaussbayes.datasets") / "iris.csv"


@pytest.fixture(autouse=True)
def no_windows() -> Iterator[None]:
    mpl.use("agg")
    yield
    assert not plt.get_fignums()  # whoever draws a figure closes it
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


@pytest.fixture(scope="session")
def warm_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a process listens that runs the command, and has imported what takes long."""
    address = tmp_path_factory.mktemp("warm") / "socket"
    command = [sys.executable, "-W", "error", WARM, "serve", address]
    with subprocess.Popen(command) as process:
        while not address.exists() and process.poll() is None:
            time.sleep(0.01)
        yield str(address)
        process.terminate()


@pytest.fixture
def shell(tmp_path: Path, warm_process: str) -> Shell:
    """Run lines of shell in an empty directory; ``gaussbayes`` is the command."""
    return partial(run_shell, f'"{sys.executable}" -IS "{WARM}" call "{warm_process}"', tmp_path)


@pytest.fixture
def cold_shell(tmp_path: Path) -> Shell:
    """The same with processes that begin with nothing."""
    return partial(run_shell, "python -m gaussbayes", tmp_path)


def run_shell(
    command: str, folder: Path, line: str, **environment: str
) -> "subprocess.CompletedProcess[str]":
    functions = (
        f'python() {{ "{sys.executable}" -W error "$@"; }}\ngaussbayes() {{ {command} "$@"; }}\n'
    )
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in {"COLUMNS", "FORCE_COLOR", "NO_COLOR", "PYTHONIOENCODING"}
    }
    return subprocess.run(
        ["bash", "-c", functions + line],
        cwd=folder,
        env=inherited | environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture
def fitted(tmp_path: Path) -> GaussianClassifier:
    """A model of the irises, fitted in memory and saved as iris.json where the command runs."""
    data = load_iris()
    frame = pd.DataFrame(data.rows, columns=list(data.feature_names))
    model = GaussianClassifier().fit(frame, data.labels)
    model.save(tmp_path / "iris.json")
    return model
