"""How the tests call the command."""

from collections.abc import Callable
from subprocess import CompletedProcess
from typing import TypeAlias

from click.testing import Result

Call: TypeAlias = Callable[..., Result]
"""In this process, with its arguments."""

Shell: TypeAlias = Callable[..., "CompletedProcess[str]"]
"""As a line of shell, with variables of the environment."""
