"""The examples of docs/command-line.md do what the page says, one after the other."""

import json
import re
import shlex
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

import click
import pytest

from gaussbayes.apps.cli.group import gaussbayes
from tests.cli.calling import Call, Shell

PAGE = (Path(__file__).parents[2] / "docs/command-line.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(
    r"^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", PAGE, flags=re.DOTALL | re.MULTILINE
)
PLAIN = re.compile(r"gaussbayes (?P<arguments>[^|<>;$&()]+)(> (?P<file>\S+))?")
CONTEXT = click.Context(gaussbayes)


def run_plain(line: str, call: Call, folder: Path) -> str:
    """What a call of the command prints that needs no shell, in this process: another one would
    take seconds to import libraries.
    """
    parts = PLAIN.fullmatch(line)
    assert parts is not None
    result = call(*shlex.split(parts["arguments"]))
    assert result.exit_code == 0, result.output
    if parts["file"] is None:
        return result.output
    (folder / parts["file"]).write_text(result.stdout, encoding="utf-8")
    return result.stderr


def run_shell(lines: Iterable[str], shell: Shell) -> str:
    done = shell("\n".join(["set -e -o pipefail", "exec 2>&1", *lines]))
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_every_example(shell: Shell, call: Call, tmp_path: Path) -> None:
    assert len(EXAMPLES) > 10
    for code, shown in EXAMPLES:
        printed = ""
        for plain, lines in groupby(code.splitlines(), lambda line: bool(PLAIN.fullmatch(line))):
            if plain:
                printed += "".join(run_plain(line, call, tmp_path) for line in lines)
            else:
                printed += run_shell(lines, shell)
        assert "Traceback" not in printed
        if shown:
            assert [line.rstrip() for line in printed.splitlines()] == shown.splitlines()
    assert "standard input" in (tmp_path / "iris.html").read_text(encoding="utf-8")
    # Naive Bayes, each flower left out in turn, by scikit-learn: 7 of 150 wrong.
    assert json.loads((tmp_path / "naive.json").read_text(encoding="utf-8"))["errors"] == 7


@pytest.mark.parametrize("verb", gaussbayes.list_commands(CONTEXT))
def test_every_command_has_an_example(verb: str) -> None:
    assert any(f"gaussbayes {verb} " in f"{code} " or f"{verb}\n" in code for code, _ in EXAMPLES)
    assert f"`{verb}`" in PAGE


def test_every_option_exists() -> None:
    known = {"--help"}
    for verb in gaussbayes.list_commands(CONTEXT):
        command = gaussbayes.get_command(CONTEXT, verb)
        assert command is not None
        known |= {name for param in command.params for name in (*param.opts, *param.secondary_opts)}
    assert set(re.findall(r"--[a-z][a-z-]*", PAGE)) <= known
