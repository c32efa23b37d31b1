"""Transcripts: pages of commands with their whole output, run and compared, or rewritten.

A page is Markdown. Three kinds of fenced blocks are run, in order and in one empty directory:

- ``console``: each line ``$ command`` is followed by everything that the command prints, standard
  output and standard error as a terminal shows them, and by ``[exit N]`` unless N is 0;
- ``python``: statements as in an interactive session (``>>>``), followed by what they print;
- any other language with the name of a file: the block is written to that file.

The files in ``data`` and the iris data lie in the directory from the start. Lines of a console
block before its first command are kept.

``python -m tests.transcripts.runner`` (``make accept``) rewrites the output of all pages.
"""

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import traceback
import warnings
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner, Result

FOLDER = Path(__file__).parent
PAGES = [*sorted(FOLDER.glob("*.md")), FOLDER.parents[1] / "docs/command-line.md"]
ENVIRONMENT = {"COLUMNS": "100", "TERM": "dumb", "MPLBACKEND": "agg", "LC_ALL": "C.UTF-8"}
_SHELL = set("|><;&*`$()~")
_QUOTED = r"'[^']*'"
_PIPE = r"""\|(?=(?:[^']*'[^']*')*[^']*$)"""  # outside quotes


def rewritten(page: str, folder: Path) -> str:
    """Run the blocks of a page in a directory; return the page with the output they have now."""
    lines = iter(page.splitlines(keepends=True))
    result: list[str] = []
    session: dict[str, object] = {}
    for line in lines:
        result.append(line)
        language, _, name = line.rstrip()[3:].partition(" ")
        if not line.startswith("```") or not language:
            continue
        block = list(iter(lambda: next(lines), "```\n"))
        if name:
            (folder / name).write_text("".join(block), encoding="utf-8")
        elif language == "console":
            block = list(_console(block, folder))
        elif language == "python":
            block = list(_python(block, session))
        result += [*block, "```\n"]
    return "".join(result)


def _console(block: list[str], folder: Path) -> Iterator[str]:
    """Commands and their output; a command goes on after a backslash at the end of its line."""
    lines = iter(block)
    for line in lines:
        if not line.startswith("$ "):
            continue
        command = line
        while command.endswith("\\\n"):
            command += next(lines)
        yield command
        output, code = run(command[2:].replace("\\\n", " ").strip(), folder)
        yield output if output.endswith("\n") or not output else f"{output}\n"
        if code:
            yield f"[exit {code}]\n"


def run(command: str, folder: Path) -> tuple[str, int]:
    """What a command prints, and its exit code: in this process, which has imported what it needs.

    A shell runs what a pipe leads to, and everything else that has operators outside quotes.
    """
    first, *rest = map(str.strip, re.split(_PIPE, command, maxsplit=1))
    if not first.startswith("gaussbayes ") or _SHELL & set(_unquoted(first)):
        return _shell(command, folder)
    if not rest:
        result = _in_process(first, folder)
        return result.output, result.exit_code
    if "gaussbayes" in rest[0] or ";" in _unquoted(rest[0]):  # it may ask how the first one ended
        return _shell(command, folder)
    result = _in_process(first, folder)
    output, code = _shell(rest[0], folder, result.stdout_bytes)
    return result.stderr + output, code


def _unquoted(command: str) -> str:
    return re.sub(_QUOTED, "", command)


def _in_process(command: str, folder: Path) -> Result:
    from gaussbayes.cli import gaussbayes

    with contextlib.chdir(folder):
        result = CliRunner().invoke(gaussbayes, shlex.split(command)[1:], prog_name="gaussbayes")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def _shell(command: str, folder: Path, given: bytes = b"") -> tuple[str, int]:
    functions = (
        f'python() {{ "{sys.executable}" "$@"; }}\n'
        'gaussbayes() { python -W error -m gaussbayes "$@"; }\n'
    )
    done = subprocess.run(
        ["bash", "-c", functions + command],
        cwd=folder,
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.stdout.decode(), done.returncode


def _python(block: list[str], session: dict[str, object]) -> Iterator[str]:
    """Statements and what they print; of an error, its type and message."""
    lines = [line for line in block if line.startswith((">>> ", "... ", "...\n"))]
    statements: list[str] = []
    for line in lines:
        if line.startswith(">>> "):
            statements.append(line)
        else:
            statements[-1] += line
    for statement in statements:
        yield statement
        source = "".join(line[4:] or "\n" for line in statement.splitlines(keepends=True))
        output = io.StringIO()
        with contextlib.redirect_stdout(output), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                exec(compile(source, "<transcript>", "single"), session)  # noqa: S102
            except Exception as error:  # noqa: BLE001 (its message is what is compared)
                output.write("".join(traceback.format_exception_only(error)))
        for warning in caught:
            yield f"{warning.category.__name__}: {warning.message}\n"
        yield output.getvalue()


@contextlib.contextmanager
def directory() -> Iterator[Path]:
    """A new directory with the data of the transcripts, in an environment without colours."""
    before = dict(os.environ)
    with TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(FOLDER / "data", folder, dirs_exist_ok=True)
        iris = files("gaussbayes.datasets") / "iris.csv"
        (folder / "iris.csv").write_text(iris.read_text(encoding="utf-8"), encoding="utf-8")
        os.environ.update(ENVIRONMENT)
        for variable in ("NO_COLOR", "FORCE_COLOR", "PYTHONIOENCODING"):
            os.environ.pop(variable, None)
        try:
            with contextlib.chdir(folder):
                yield folder
        finally:
            os.environ.clear()
            os.environ.update(before)


def accept(names: list[str]) -> None:
    """Rewrite the output of the pages of these names, of all without any."""
    for path in PAGES:
        if names and path.stem not in names:
            continue
        before = path.read_text(encoding="utf-8")
        with directory() as folder:
            after = rewritten(before, folder)
        if after != before:
            path.write_text(after, encoding="utf-8")
        sys.stdout.write(f"{path.name}: {'rewritten' if after != before else 'unchanged'}\n")


if __name__ == "__main__":
    accept(sys.argv[1:])
