"""The command as a whole: size, help, completion, version, errors and their exit codes."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import click
import pytest

import gaussbayes as package
from gaussbayes import DataError, OptionError
from gaussbayes.cli import SUBCOMMANDS, Subcommands, gaussbayes
from tests.cli.conftest import Call, Shell

CONTEXT = click.Context(gaussbayes)
COMMANDS = {name: gaussbayes.get_command(CONTEXT, name) for name in SUBCOMMANDS}


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_help(call: Call, name: str) -> None:
    result = call(name, "--help")
    assert result.stderr == ""
    assert result.stdout.startswith(f"Usage: gaussbayes {name} ")
    assert max(map(len, result.stdout.splitlines())) <= 100
    assert COMMANDS[name].get_short_help_str(100) == SUBCOMMANDS[name]
    for param in COMMANDS[name].params:
        assert (
            not isinstance(param, click.Option)
            or (param.help or "").rstrip("]")[-1:] in ".)"
            or ("[default" in str(param.help))
        )
    assert f"gaussbayes {name} " in str(COMMANDS[name].help)  # an example


def test_help_is_light(shell: Shell) -> None:
    done = shell("""python <<END
import atexit, sys
from gaussbayes.cli import main
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
main(["--help"])
END""")
    assert "Commands:" in done.stdout
    loaded = set(done.stderr.split())
    assert "gaussbayes.cli" in loaded
    assert not {"numpy", "scipy", "sklearn", "matplotlib", "pyarrow", "rich"} & loaded


def test_version_names_the_kernels(shell: Shell) -> None:
    done = shell("gaussbayes --version", GAUSSBAYES_KERNELS="reference")
    assert done.stdout.startswith(f"gaussbayes {package.__version__}\nkernels    reference")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (OptionError("priors must sum to 1"), 2, "Error: priors must sum to 1\n"),
        (DataError("there are no rows"), 3, "Error: there are no rows\n"),
        (OSError(28, "No space left on device", "a.html"), 1, "Error: a.html: No space left"),
        (OSError("cannot write"), 1, "Error: cannot write\n"),
        (MemoryError(), 1, "Error: not enough memory"),
        (ImportError("pip install 'gaussbayes[plot]'"), 1, "Error: pip install"),
        (click.UsageError("no"), 2, "Error: no\n"),
        (KeyboardInterrupt(), 130, "\n"),
    ],
)
def test_errors_end_with_a_message_and_a_code(
    call: Call, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, message: str
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(Subcommands, "get_command", lambda *_: click.Command("show", callback=fail))
    result = call("show", code=code)
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_an_unexpected_error_is_not_hidden(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        msg = "cannot import name 'x'"
        raise ImportError(msg)

    monkeypatch.setattr(Subcommands, "get_command", lambda *_: click.Command("show", callback=fail))
    with pytest.raises(ImportError, match="name 'x'"):
        call("show")


@pytest.mark.parametrize("library", ["click", "pyarrow"])
def test_without_the_extra_it_says_what_to_install(shell: Shell, iris: Path, library: str) -> None:
    done = shell(f"""python <<END
import sys
sys.modules[{library!r}] = None
from gaussbayes.cli import main
sys.exit(main(["show", {iris.name!r}]))
END""")
    assert done.returncode == 1
    assert "pip install 'gaussbayes[" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("fit ir", "file,ir"),
        ("fit --cov", "plain,--covariance"),
        ("fit x --covariance d", "plain,diagonal"),
        ("plot scat", "plain,scatter_matrix"),
    ],
)
def test_completion(call: Call, typed: str, expected: str) -> None:
    line = f"gaussbayes {typed}"
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    done = call(_GAUSSBAYES_COMPLETE="bash_complete", **words)
    assert done.stdout == f"{expected}\n"


def test_completion_in_a_shell(shell: Shell) -> None:
    words = {"COMP_WORDS": "gaussbayes rep", "COMP_CWORD": "1"}
    done = shell("gaussbayes", _GAUSSBAYES_COMPLETE="bash_complete", **words)
    assert (done.returncode, done.stdout, done.stderr) == (0, "plain,report\n", "")


def test_closed_output_and_output_without_unicode(shell: Shell, iris: Path) -> None:
    done = shell(f"gaussbayes show {iris.name} >&- 2>&-")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = shell(
        f"gaussbayes fit {iris.name} --target species --model lda -o iris.json 2>&-;"
        f"gaussbayes predict iris.json {iris.name} >&-"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = shell(f"gaussbayes show {iris.name}", PYTHONIOENCODING="latin-1")
    assert done.returncode == 0
    assert "????" in done.stdout  # in place of the line under the headings
    assert done.stdout.isascii()


@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1"}])
def test_no_escape_codes_remain_in_a_terminal(iris: Path, environment: dict[str, str]) -> None:
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "gaussbayes", "fit", iris, "-y", "species", "--shared"],
        stdout=follower,
        stderr=follower,
        stdin=follower,
        cwd=iris.parent,
        env=os.environ | {"TERM": "xterm-256color"} | environment,
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
    assert "Fitted on 150 rows" in text.decode()
    assert "\x1b" not in text.decode()


def test_the_installed_command_in_another_directory(shell: Shell, iris: Path) -> None:
    """Not the module but the script that pip puts beside Python."""
    folder = Path(sys.executable).parent
    done = shell(
        f'unset -f gaussbayes; PATH="{folder}:$PATH"; mkdir elsewhere; cd elsewhere\n'
        f"gaussbayes fit ../{iris.name} -y species --shared"
    )
    assert done.returncode == 0, done.stderr
    assert (iris.parent / "elsewhere" / "model.json").exists()
