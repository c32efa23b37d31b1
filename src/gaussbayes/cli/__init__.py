"""The command ``gaussbayes``: a client of the public API; a module for each subcommand.

Data go to standard output, everything else to standard error. The exit codes are:

====  ======================================================================
0     success; also if the reader of a pipe has seen enough (``| head``)
1     the command failed: a file cannot be written, a library is missing
2     the command line is wrong: an unknown option, or a value out of range
3     the data are wrong: rows, columns or a model file cannot be used
130   interrupted (Ctrl-C)
====  ======================================================================
"""

import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from io import BytesIO, TextIOWrapper
from typing import Any, NoReturn

try:
    import click
    from click.shell_completion import CompletionItem
except ModuleNotFoundError:
    sys.exit("the command gaussbayes needs click: pip install 'gaussbayes[cli]'")

from gaussbayes import GaussBayesError, OptionError

SUBCOMMANDS = {
    "fit": "Fit a classifier to files of any size.",
    "predict": "Predict the classes of rows, with probabilities.",
    "evaluate": "Evaluate predictions: error rate, log loss, calibration.",
    "explain": "Explain one prediction with every number of Bayes' rule.",
    "report": "Write an HTML report about a classifier.",
    "plot": "Draw a figure of a model, of rows, or of both.",
    "show": "Show a model, or preview the columns of a file.",
    "update": "Update a model with more rows, merge models, or forget rows.",
    "export": "Export a model as SQL or ONNX.",
    "drift": "Test whether new rows differ from those of a model.",
    "lab": "Write an interactive page about rows and a model, and open it.",
}
"""The subcommands and their summaries; a module is loaded when its command is called."""

_EXTRA = {"rich", "pyarrow", "matplotlib", "jinja2"}  # libraries of gaussbayes[cli]


class Subcommands(click.Group):
    """A group whose commands are loaded by name, and whose errors are messages."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        """Return the subcommands in the order of the help."""
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the subcommand of that name; suggest the nearest for an unknown one."""
        if cmd_name in SUBCOMMANDS:
            command = import_module(f"{__name__}.{cmd_name}_command").command
            assert isinstance(command, click.Command)
            return command
        if not ctx.resilient_parsing and not cmd_name.startswith("-"):
            near = get_close_matches(cmd_name, SUBCOMMANDS, n=1)
            close = f" Did you mean {near[0]!r}?" if near else ""
            ctx.fail(f"No such command {cmd_name!r}.{close} Commands: {', '.join(SUBCOMMANDS)}")
        return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the subcommands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(SUBCOMMANDS.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete names of subcommands without loading them."""
        names = [CompletionItem(name) for name in SUBCOMMANDS if name.startswith(incomplete)]
        return names + click.Command.shell_complete(self, ctx, incomplete)

    def invoke(self, ctx: click.Context) -> object:
        """Run a subcommand; Ctrl-C and a reader that closes the pipe end it silently."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            ctx.exit(0)
        except KeyboardInterrupt:
            click.echo(err=True)  # begin a new line after ^C
            ctx.exit(130)
        except GaussBayesError as error:
            from gaussbayes.cli.console import advice

            command = self.get_command(ctx, str(ctx.invoked_subcommand))
            assert command is not None
            with click.Context(command):  # remedies are written with its options
                message = advice(error.problem, error.remedies)
            _end(message, 2 if isinstance(error, OptionError) else 3)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run like click; expected errors end with a message and their exit code."""
        try:
            return super().main(*args, **kwargs)
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            _end(f"{where}{error.strerror or error}", 1)
        except MemoryError:
            _end("not enough memory for these data", 1)
        except ImportError as error:
            if (error.name or "").partition(".")[0] in _EXTRA:
                _end(f"the command needs {error.name}: pip install 'gaussbayes[cli]'", 1)
            if "pip install" not in str(error):
                raise
            _end(str(error), 1)


def _end(message: str, code: int) -> NoReturn:
    click.echo(f"Error: {message}", err=True)
    raise SystemExit(code)


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
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


def _limit_memory() -> None:
    """Limit memory to that of the machine, so that files that are too large raise an error."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows has no such limit
        return
    size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if soft == resource.RLIM_INFINITY or size < soft:
        resource.setrlimit(resource.RLIMIT_DATA, (size, hard))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, by default that of the command line; return or exit with its code."""
    # Writing must not fail if the shell closed the output (>&-) or has another encoding.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, TextIOWrapper(BytesIO(), "utf-8"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and not stream.encoding.lower().startswith("utf"):
            stream.reconfigure(errors="replace")
    _limit_memory()
    try:
        gaussbayes.main(args=arguments, prog_name="gaussbayes")
    finally:
        try:
            sys.stdout.flush()
        except OSError:  # the reader has closed the pipe; avoid Python's message at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
