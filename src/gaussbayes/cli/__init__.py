"""The command ``gaussbayes``: a file for each subcommand, loaded when it is called.

Data go to standard output, everything else to standard error. What a command ends with:

====  ==================================================================
0     all went well
1     it could not be done: a file cannot be written, a library is missing
2     the command line is wrong
3     the data are: they cannot be used as was asked
4     a gate was not passed, such as ``--min-accuracy``
130   it was interrupted (Ctrl-C)
====  ==================================================================

A reader that closes the pipe early (``| head``) has what it wanted: the command stops without a
word, and its code is 0.
"""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from io import StringIO, TextIOWrapper
from typing import Any, NoReturn

try:
    import click
    from click.shell_completion import CompletionItem
except ModuleNotFoundError:
    sys.exit("the command gaussbayes needs click: pip install 'gaussbayes[cli]'")

from gaussbayes.base.errors import GaussBayesError
from gaussbayes.base.spelling import meant
from gaussbayes.cli.command_options import in_options

_EXTRA = {"rich", "pyarrow", "matplotlib"}  # what gaussbayes[cli] brings beside click

_MODULES = {"forget": "update", "merge": "update", "schema": "convert"}
"""Modules of several subcommands; other modules are called by their only one."""

SUBCOMMANDS = {
    "fit": "Fit a classifier to files of any size.",
    "predict": "Predict the classes of rows in files of any size.",
    "update": "Let a model learn from more rows, as if it had seen them from the start.",
    "forget": "Let a model forget rows, exactly as if it had never seen them.",
    "merge": "Merge models of parts of the rows into the model of all rows.",
    "drift": "Test whether new rows are like those that a model has learnt from.",
    "export": "Export a model: SQL for databases, ONNX for other runtimes.",
    "show": "Show a model: settings, classes, priors, and the parameters of every family.",
    "explain": "Explain one row: Bayes' rule with every number, and what each feature adds.",
    "evaluate": "Count errors, and judge the probabilities.",
    "compare": "Compare the six Gaussian structures and their peers on the same rows.",
    "sample": "Draw rows from a model, with their classes.",
    "plot": "Draw a figure of a model, of rows, or of a model with rows.",
    "report": "Write an HTML report about a classifier.",
    "lab": "Write an interactive page about DATA and open it in the browser.",
    "convert": "Convert files of rows into another format: CSV, TSV, JSON lines, Parquet, Arrow.",
    "schema": "Show the columns of files and their types, as other commands read them.",
    "demo": "Show a first look: Fisher's irises classified, with errors and probabilities.",
}
"""The subcommands, and what the help says of each: their modules are loaded when they are called.

What only some calls of a command need, such as matplotlib, its module imports inside functions.
"""

_DONE, _CANNOT, _BAD_DATA, _INTERRUPTED = 0, 1, 3, 130


class Subcommands(click.Group):
    """A group whose commands are loaded by name, and whose errors are messages, not tracebacks."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        """The subcommands, in the order of the help."""
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The subcommand of that name, if there is one."""
        if cmd_name not in SUBCOMMANDS:
            return None
        name = _MODULES.get(cmd_name, cmd_name)
        module = import_module(f"gaussbayes.cli.{name}_command")
        command: click.Command = vars(module).get(f"{cmd_name}_command") or module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the subcommands, none of which is loaded for that."""
        with formatter.section("Commands"):
            formatter.write_dl(list(SUBCOMMANDS.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """As in click, but nothing is loaded."""
        names = [CompletionItem(name) for name in SUBCOMMANDS if name.startswith(incomplete)]
        return names + click.Command.shell_complete(self, ctx, incomplete)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As in click, but an unknown name is answered with the one that was probably meant."""
        if args[0] not in SUBCOMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            close = meant(args[0], SUBCOMMANDS)
            ctx.fail(f"there is no command {args[0]!r}{close}; there are {', '.join(SUBCOMMANDS)}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a subcommand; Ctrl-C ends it without a word, and so does ``| head``.

        A reader that closes the pipe has what it wanted, so that this is no error: the code is 0.
        """
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            ctx.exit(_DONE)
        except KeyboardInterrupt:
            click.echo(err=True)  # the prompt gets a line of its own after ^C
            ctx.exit(_INTERRUPTED)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """As in click; what goes wrong on purpose ends with a message and its exit code."""
        try:
            return super().main(*args, **kwargs)
        except GaussBayesError as error:
            _end(in_options(str(error)), _BAD_DATA)
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            _end(f"{where}{error.strerror or error}", _CANNOT)
        except MemoryError:
            _end("there is not enough memory for these data", _CANNOT)
        except ImportError as error:
            if (error.name or "").partition(".")[0] in _EXTRA:
                _end(f"the command needs {error.name}: pip install 'gaussbayes[cli]'", _CANNOT)
            if "pip install" not in str(error):
                raise
            _end(str(error), _CANNOT)


def _end(message: str, code: int) -> NoReturn:
    click.echo(f"Error: {message}", err=True)
    raise SystemExit(code)


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    from gaussbayes.kernels import show_config

    show_config()
    ctx.exit()


@click.group(
    cls=Subcommands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and the active kernels and exit.",
)
def gaussbayes() -> None:
    """Gaussian Bayes classifiers: exact, fast, and open to inspection."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, by default that of the command line; returns or exits with its code."""
    _prepare_output()
    try:
        gaussbayes.main(args=arguments, prog_name="gaussbayes")
    finally:
        _let_go_of_output()
    return 0


def _prepare_output() -> None:
    """Let writing never fail for its letters, nor because the shell closed the output (``>&-``).

    Where the output is no Unicode, a Greek letter becomes ``?``.
    """
    sys.stdout = sys.stdout or StringIO()
    sys.stderr = sys.stderr or StringIO()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and not stream.encoding.lower().startswith("utf"):
            stream.reconfigure(errors="replace")


def _let_go_of_output() -> None:
    """Write what is left; if nobody takes it, Python must not complain of that at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
