"""The examples of docs/command-line.md do what the page says, one after the other."""

import json
import re
from pathlib import Path

import click
import pytest

from gaussbayes.cli import gaussbayes
from tests.cli.calling import Shell

PAGE = (Path(__file__).parents[2] / "docs/command-line.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(
    r"^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", PAGE, flags=re.DOTALL | re.MULTILINE
)
CONTEXT = click.Context(gaussbayes)


def test_every_example(shell: Shell, tmp_path: Path) -> None:
    assert len(EXAMPLES) > 10
    for code, shown in EXAMPLES:
        done = shell(f"set -e -o pipefail\nexec 2>&1\n{code}")
        assert done.returncode == 0, done.stdout
        assert "Traceback" not in done.stdout
        if shown:
            assert [line.rstrip() for line in done.stdout.splitlines()] == shown.splitlines()
    assert "standard input" in (tmp_path / "iris.html").read_text(encoding="utf-8")
    # Naive Bayes, each flower left out in turn, by scikit-learn: 7 of 150 wrong.
    assert json.loads((tmp_path / "naive.json").read_text(encoding="utf-8"))["errors"] == 7


@pytest.mark.parametrize("subcommand", gaussbayes.list_commands(CONTEXT))
def test_every_command_has_an_example(subcommand: str) -> None:
    assert any(
        f"gaussbayes {subcommand} " in f"{code} " or f"{subcommand}\n" in code
        for code, _ in EXAMPLES
    )
    assert f"`{subcommand}`" in PAGE


def test_every_option_exists() -> None:
    known = {"--help"}
    for subcommand in gaussbayes.list_commands(CONTEXT):
        command = gaussbayes.get_command(CONTEXT, subcommand)
        assert command is not None
        known |= {name for param in command.params for name in (*param.opts, *param.secondary_opts)}
    assert set(re.findall(r"--[a-z][a-z0-9-]*", PAGE)) <= known
