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
from io import StringIO, TextIOWrapper

_EXTRA = {"click", "rich", "pyarrow", "matplotlib"}
"""What ``pip install 'gaussbayes[cli]'`` brings."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, by default that of the command line; returns or exits with its code."""
    _prepare_output()
    try:
        from gaussbayes.apps.cli.group import gaussbayes

        gaussbayes.main(args=arguments, prog_name="gaussbayes")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        sys.stderr.write(
            f"the command gaussbayes needs {error.name}, which is not installed: "
            "pip install 'gaussbayes[cli]'\n"
        )
        return 1
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
