"""The arguments ``[MODEL] DATA...`` of a verb told apart: is the first of them a model file?"""

from dataclasses import dataclass
from pathlib import Path

import click

from gaussbayes.apps.cli import models
from gaussbayes.base.errors import DataError

MODEL_ENDING = ".json"

HOW = (
    "The first argument is taken for a model file if its name ends in .json; rows in JSON lines "
    "end in .jsonl."
)
"""For the help of the verbs that take either."""


@dataclass(frozen=True, slots=True)
class Given:
    """A model file, if there is one, and names of data."""

    model: str | None
    data: tuple[str, ...]


def told_apart(
    arguments: tuple[str, ...], file_format: str | None = None, *, piped: bool = False
) -> Given:
    """The model and the data among the arguments.

    A file that ends in .json and holds no model is refused, unless its format was given.

    Parameters
    ----------
    piped : whether ``-`` with data after it is a model on standard input

    Examples
    --------
    >>> told_apart(("iris.csv", "more.csv"))
    Given(model=None, data=('iris.csv', 'more.csv'))
    >>> told_apart(("-", "iris.csv"), piped=True)
    Given(model='-', data=('iris.csv',))
    """
    models.refuse_two_inputs(*arguments)
    first, *others = arguments
    if piped and first == models.STANDARD and others:
        return Given(first, tuple(others))
    if not first.lower().endswith(MODEL_ENDING) or not Path(first).is_file():
        return Given(None, arguments)
    if looks_like_a_model(Path(first)):
        return Given(first, tuple(others))
    if file_format is not None:
        return Given(None, arguments)
    msg = (
        f"{first} ends in {MODEL_ENDING} but is no model file of gaussbayes; if it holds rows as "
        "JSON lines, one object a line, rename it to .jsonl or give --format jsonl"
    )
    raise DataError(msg)


def looks_like_a_model(path: Path) -> bool:
    """Whether the first bytes of a file are those of a model."""
    with path.open("rb") as file:
        start = file.read(256)
    return start.lstrip().startswith(b"{") and b"gaussbayes" in start


def refuse_for_a_model(*options: str) -> None:
    """Raise if options were given that mean something only where a model is fitted.

    Parameters
    ----------
    options : names of the command's parameters
    """
    found = first_of(*options)
    if found is not None:
        msg = f"{found} is for fitting, but the model is given: leave it out"
        raise click.UsageError(msg)


def first_of(*options: str) -> str | None:
    """The first of some options that the user has given, as it is written."""
    context = click.get_current_context()
    source = click.core.ParameterSource
    for param in context.command.params:
        name = param.name or ""
        given = context.get_parameter_source(name) in {source.COMMANDLINE, source.ENVIRONMENT}
        if name in options and given:
            # Two options may write to one setting; which of them was given is not kept.
            alike = (one.opts[-1] for one in context.command.params if one.name == name)
            return " or ".join(alike)
    return None
