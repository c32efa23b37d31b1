"""The command as a whole: help, version, errors and their exit codes, pipes and colours."""

import os
import pty
import subprocess
import sys

import click
import pytest

import gaussbayes as package
from gaussbayes.base.errors import OptionError
from gaussbayes.cli import Subcommands
from tests.cli.calling import Call, Shell


def in_a_terminal(*arguments: str, **environment: str) -> str:
    """What the command writes when standard output and error are a terminal of 80 columns."""
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "gaussbayes", *arguments],
        stdout=follower,
        stderr=follower,
        stdin=follower,
        env=os.environ | {"COLUMNS": "80", "TERM": "xterm-256color"} | environment,
    ) as process:
        os.close(follower)
        text = b""
        try:
            while block := os.read(leader, 65536):
                text += block
        except OSError:  # how Linux says that the other side is closed
            pass
        os.close(leader)
    assert process.returncode == 0
    return text.decode()


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_names_every_subcommand(call: Call, option: str) -> None:
    result = call(option)
    assert result.exit_code == 0
    for subcommand in ("fit", "plot", "report"):
        assert f"\n  {subcommand} " in result.stdout
        assert call(subcommand, option).exit_code == 0


def test_help_is_light(cold_shell: Shell) -> None:
    done = cold_shell("""python <<END
import atexit, sys
from gaussbayes.cli import main
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
main(["--help"])
END""")
    assert "Commands:" in done.stdout
    loaded = set(done.stderr.split())
    assert "gaussbayes.cli" in loaded
    assert not {"numpy", "scipy", "sklearn", "matplotlib", "pyarrow", "rich"} & loaded


def test_version_names_the_kernels(cold_shell: Shell) -> None:
    done = cold_shell("gaussbayes --version", GAUSSBAYES_KERNELS="reference")
    assert done.stdout.startswith(f"gaussbayes {package.__version__}\nkernels    reference")
    assert (done.returncode, done.stderr) == (0, "")


def test_unknown_commands_are_answered_with_the_one_meant(call: Call) -> None:
    result = call("repotr")
    assert result.exit_code == 2
    assert "no command 'repotr' (did you mean 'report'?)" in result.stderr
    assert "there is no command 'zzz'; there are fit, predict, update" in call("zzz").stderr
    assert call("--zzz").exit_code == 2


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (OptionError("priors must sum to 1"), 3, "Error: priors must sum to 1\n"),
        (OSError(28, "No space left on device", "a.html"), 1, "Error: a.html: No space left"),
        (OSError("cannot write"), 1, "Error: cannot write\n"),
        (MemoryError(), 1, "Error: there is not enough memory"),
        (ImportError("pip install 'gaussbayes[plot]'"), 1, "Error: pip install"),
        (click.UsageError("no"), 2, "Error: no\n"),
        (KeyboardInterrupt(), 130, "\n"),
    ],
)
def test_errors_end_with_a_message_and_a_code(
    call: Call,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: int,
    message: str,
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(Subcommands, "get_command", lambda *_: click.Command("show", callback=fail))
    result = call("show")
    assert result.exit_code == code
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_an_error_of_ours_is_not_hidden(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        msg = "cannot import name 'x'"
        raise ImportError(msg)

    monkeypatch.setattr(Subcommands, "get_command", lambda *_: click.Command("show", callback=fail))
    with pytest.raises(ImportError, match="name 'x'"):
        call("show")


@pytest.mark.parametrize("library", ["click", "rich"])
def test_without_the_extra_it_says_what_to_install(cold_shell: Shell, library: str) -> None:
    done = cold_shell(f"""python <<END
import sys
sys.modules[{library!r}] = None
from gaussbayes.cli import main
sys.exit(main(["plot", "--list"]))
END""")
    assert done.returncode == 1
    assert "pip install 'gaussbayes[cli]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_reader_that_has_enough_is_no_error(cold_shell: Shell) -> None:
    done = cold_shell("gaussbayes plot --list | head -1")
    assert done.stdout.startswith("kind ")
    assert done.stderr == ""
    # `true` reads nothing: the pipe is closed before anything is written.
    assert cold_shell("gaussbayes plot --list | true").stderr == ""


def test_a_full_disk_is_an_error(cold_shell: Shell) -> None:
    done = cold_shell("gaussbayes plot --list > /dev/full")
    assert (done.returncode, done.stderr) == (1, "Error: No space left on device\n")


def test_closed_output_is_none(cold_shell: Shell) -> None:
    done = cold_shell("gaussbayes plot --list >&- 2>&-")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_output_without_unicode_and_colours(cold_shell: Shell) -> None:
    done = cold_shell("gaussbayes demo", PYTHONIOENCODING="ascii", TERM="xterm-256color")
    assert done.returncode == 0
    assert "150 irises" in done.stdout
    assert "?" in done.stdout  # in place of letters that ASCII lacks
    assert done.stdout.isascii()
    assert "\x1b" not in done.stdout


def test_escape_codes_are_for_terminals() -> None:
    assert "\x1b[1m" in in_a_terminal("plot", "--list")
    assert "\x1b" not in in_a_terminal("plot", "--list", NO_COLOR="1")


def test_completion_of_commands(cold_shell: Shell) -> None:
    asked = {"_GAUSSBAYES_COMPLETE": "bash_complete", "COMP_CWORD": "1"}
    done = cold_shell("gaussbayes", COMP_WORDS="gaussbayes rep", **asked)
    assert done.stdout == "plain,report\n"
