"""Every subcommand is there, with help that fits the screen, and the shell can complete it."""

from pathlib import Path

import click
import pytest

from gaussbayes.cli import SUBCOMMANDS, gaussbayes
from tests.cli.calling import Call, Shell

CONTEXT = click.Context(gaussbayes)


def test_every_subcommand_of_the_plan() -> None:
    planned = "fit predict update merge show sample report convert schema demo"
    assert set(planned.split()) <= set(SUBCOMMANDS)


@pytest.mark.parametrize("subcommand", SUBCOMMANDS)
def test_help(call: Call, subcommand: str) -> None:
    result = call(subcommand, "--help")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"Usage: gaussbayes {subcommand} ")
    assert max(map(len, result.stdout.splitlines())) <= 100


def test_help_lists_what_commands_say_of_themselves() -> None:
    for subcommand, said in SUBCOMMANDS.items():
        command = gaussbayes.get_command(CONTEXT, subcommand)
        assert command is not None
        assert command.get_short_help_str(100) == said


def test_completion_scripts(cold_shell: Shell) -> None:
    done = cold_shell("gaussbayes", _GAUSSBAYES_COMPLETE="bash_source")
    assert done.returncode == 0
    assert "_GAUSSBAYES_COMPLETE=bash_complete" in done.stdout
    assert "complete " in done.stdout


def test_completion_of_files_options_and_choices(cold_shell: Shell) -> None:
    asked = {"_GAUSSBAYES_COMPLETE": "bash_complete"}
    completed = {
        "fit ir": "file,ir",
        "fit --cov": "plain,--covariance",
        "fit x --covariance d": "plain,diagonal",
    }
    for typed, expected in completed.items():
        line = f"gaussbayes {typed}"
        done = cold_shell(
            "gaussbayes", COMP_WORDS=line, COMP_CWORD=str(len(line.split()) - 1), **asked
        )
        assert done.stdout == f"{expected}\n"


def test_the_demonstration(call: Call) -> None:
    result = call("demo")
    assert result.exit_code == 0
    assert "150 irises" in result.stdout


def test_the_installed_command_from_another_directory(cold_shell: Shell, iris: Path) -> None:
    """Not the module but the script that pip puts beside Python."""
    done = cold_shell(
        'PATH="$(dirname "$(python -c "import sys; print(sys.executable)")"):$PATH"\n'
        "mkdir elsewhere; cd elsewhere; unset -f gaussbayes\n"
        "gaussbayes fit ../iris.csv -y species && gaussbayes predict model.json ../iris.csv | wc -l"
    )
    assert (done.returncode, done.stdout.strip()) == (0, "151")
    assert (iris.parent / "elsewhere" / "model.json").exists()
