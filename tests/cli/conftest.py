"""What the tests of the command line share: calls in this process and in processes of their own."""

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import TypeAlias

import pytest
from click.testing import CliRunner, Result

from gaussbayes import GaussianClassifier
from gaussbayes.cli import gaussbayes

Call: TypeAlias = Callable[..., Result]
"""In this process, with its arguments, and variables of the environment."""

Shell: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]
"""As a line of shell, with variables of the environment."""


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Call:
    """Run the command in an empty directory; exceptions that are not expected are raised."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object, code: int = 0, **environment: str) -> Result:
        result = CliRunner(env=environment).invoke(
            gaussbayes, list(map(str, arguments)), prog_name="gaussbayes"
        )
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, result.output
        return result

    return run


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Run lines of shell in an empty directory; ``gaussbayes`` is the command."""

    def run(line: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        functions = (
            f'python() {{ "{sys.executable}" -W error "$@"; }}\n'
            'gaussbayes() { python -m gaussbayes "$@"; }\n'
        )
        changed = {"COLUMNS", "FORCE_COLOR", "NO_COLOR", "PYTHONIOENCODING"}
        inherited = {name: value for name, value in os.environ.items() if name not in changed}
        return subprocess.run(
            ["bash", "-c", functions + line],
            cwd=tmp_path,
            env=inherited | environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    return run


@pytest.fixture
def iris(tmp_path: Path) -> Path:
    """The iris data as iris.csv in the directory that the command runs in."""
    path = tmp_path / "iris.csv"
    text = (files("gaussbayes.datasets") / "iris.csv").read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def fitted(tmp_path: Path, iris: Path) -> GaussianClassifier:
    """A model of the iris data, saved as iris.json."""
    model = GaussianClassifier().fit(iris, "species")
    model.save(tmp_path / "iris.json")
    return model
