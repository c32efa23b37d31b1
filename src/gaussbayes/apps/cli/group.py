"""The command itself: which subcommands there are, and what an error ends with."""

from importlib import import_module
from typing import Any, NoReturn

import click

from gaussbayes.apps.cli.command_options import in_options
from gaussbayes.base.errors import GaussBayesError
from gaussbayes.base.spelling import meant

_MODULES = {"forget": "update", "merge": "update", "schema": "convert"}
_MODULES |= {"lessons": "lesson", "demo": "lesson"}
"""Modules of several subcommands; other modules are called by their only one."""

SUBCOMMANDS = (
    *("fit", "predict", "update", "forget", "merge", "show", "explain", "evaluate", "compare"),
    *("sample", "plot", "report", "lab", "convert", "schema", "lesson", "lessons", "demo"),
)
"""The subcommands in the order of the help.

A module is imported when its subcommand is called or its help is listed, so it imports what is slow
(NumPy, scikit-learn, matplotlib) inside its functions.
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
        module = import_module(f"gaussbayes.apps.cli.{name}_command")
        command: click.Command = vars(module).get(f"{cmd_name}_command") or module.command
        return command

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
