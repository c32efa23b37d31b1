"""Models that commands read and write: files, or ``-`` for standard input and output."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.apps.cli import command_options, console
from gaussbayes.apps.cli.command_options import STANDARD
from gaussbayes.base.errors import DataError, SchemaError

if TYPE_CHECKING:
    from gaussbayes.model.model import Model

_ENDING = ".json"


def read_model(name: str) -> "Model":
    """The model in a file, or on standard input."""
    from gaussbayes.model import file

    if name != STANDARD:
        return file.load(Path(name))
    with console.naming("the model on standard input"):
        return file.loads(sys.stdin.buffer.read(file.LARGEST_FILE + 1))


def read_solved(name: str) -> "Model":
    """The model in a file, with its parameters; one that cannot predict yet is an error."""
    model = read_model(name)
    with console.naming(f"the model {name} cannot predict yet"):
        return model.solved()


def read_learnt(name: str, step: str) -> "Model":
    """The model in a file, which must have kept what the step of this name needs of its rows."""
    model = read_model(name)
    unlabelled = None if model.learnt is None else model.learnt.unlabelled
    if unlabelled is not None and unlabelled.rows is None:
        msg = (
            f"{step} needs the {console.counted(unlabelled.n_rows, 'unlabelled row')} that the "
            f"model {name} has learnt from, which are not in its file: fit it again with "
            "--keep-unlabelled, which writes them there up to 64 MB, or with --labelled-only"
        )
        raise DataError(msg)
    with console.naming(f"the model {name}"):
        model.learnt_for(step)
    return model


def write_model(model: "Model", name: str, *, keep_unlabelled: bool = False) -> None:
    """Write a model to a file, whole or not at all, or to standard output.

    Parameters
    ----------
    keep_unlabelled : whether unlabelled rows are written, too, if the model has kept them
    """
    from gaussbayes.model import file

    keep_unlabelled &= has_unlabelled_rows(model)
    if name == STANDARD:
        sys.stdout.buffer.write(file.dumps(model, unlabelled_rows=keep_unlabelled))
        sys.stdout.buffer.flush()
    else:
        file.save(model, Path(name), unlabelled_rows=keep_unlabelled)


def has_unlabelled_rows(model: "Model") -> bool:
    """Whether unlabelled rows are kept, so that they can be written to its file."""
    learnt = model.learnt
    return (
        learnt is not None and learnt.unlabelled is not None and learnt.unlabelled.rows is not None
    )


def check_writable(name: str, what: str = "the model") -> None:
    """Raise if no file can be written there: before the work, not after it."""
    from gaussbayes.base.atomic import check_writable

    if name != STANDARD:
        check_writable(Path(name), what)


def check_no_overwriting(output: str, *read: str) -> None:
    """Raise if what is to be written is one of the files that are read."""
    place = Path(output)
    if output == STANDARD or not place.is_file():  # a terminal may be both
        return
    for name in read:
        path = Path(name)
        if path.exists() and place.samefile(path):
            msg = f"{output} is read, so that it cannot be written as well: give another name"
            raise click.UsageError(msg)


def check_one_input(*names: str) -> None:
    """Raise if standard input is to be read twice."""
    if names.count(STANDARD) > 1:
        msg = "standard input (-) can be read once only: give a file in the other place"
        raise click.UsageError(msg)


def shown(name: str) -> str:
    """What a message calls a file that is written."""
    return "standard output" if name == STANDARD else name


def class_names(model: "Model") -> list[str]:
    """The classes as strings, for the names of columns and the headings of tables.

    Labels are all of one type, so that different ones have different names.
    """
    return [str(label) for label in model.schema.classes.tolist()]


def named_features(model: "Model", name: str) -> tuple[str, ...]:
    """The names by which a model finds its features in files; it must have some."""
    features = model.schema.features
    if features is None:
        msg = (
            f"the features of the model {name} have no names to find columns by, because it was "
            "fitted to rows without; name them in Python with with_feature_names and save it again"
        )
        raise SchemaError(msg)
    return features


def settings_record(model: "Model") -> dict[str, Any]:
    """What the user chose, as plain values."""
    from gaussbayes.model.options import options_of

    record = options_of(model.settings, model.schema)
    chosen: Any = record["priors"]
    if hasattr(chosen, "tolist"):
        chosen = chosen.tolist()
    elif hasattr(chosen, "items"):
        chosen = {str(label): value for label, value in chosen.items()}
    record["priors"] = chosen
    record["families"] = [
        {"family": part.family.name, "features": [model.schema.titles[j] for j in part.columns]}
        for part in model.components
    ]
    return record


# The arguments ``[MODEL] DATA...`` of a command: is the first of them a model file?


@dataclass(frozen=True, slots=True)
class ModelAndData:
    """A model file, if there is one, and names of data."""

    model: str | None
    data: tuple[str, ...]


def split_arguments(
    arguments: tuple[str, ...], file_format: str | None = None, *, piped: bool = False
) -> ModelAndData:
    """The model and the data among the arguments.

    A file that ends in .json and holds no model is refused, unless its format was given.

    Parameters
    ----------
    piped : whether ``-`` with data after it is a model on standard input

    Examples
    --------
    >>> split_arguments(("iris.csv", "more.csv"))
    ModelAndData(model=None, data=('iris.csv', 'more.csv'))
    >>> split_arguments(("-", "iris.csv"), piped=True)
    ModelAndData(model='-', data=('iris.csv',))
    """
    check_one_input(*arguments)
    first, *others = arguments
    if piped and first == STANDARD and others:
        return ModelAndData(first, tuple(others))
    if not first.lower().endswith(_ENDING) or not Path(first).is_file():
        return ModelAndData(None, arguments)
    if _looks_like_a_model(Path(first)):
        return ModelAndData(first, tuple(others))
    if file_format is not None:
        return ModelAndData(None, arguments)
    msg = (
        f"{first} ends in {_ENDING} but is no model file of gaussbayes; if it holds rows as "
        "JSON lines, one object a line, rename it to .jsonl or give --format jsonl"
    )
    raise DataError(msg)


def check_not_for_a_model(*names: str) -> None:
    """Raise if options were given that mean something only where a model is fitted.

    Parameters
    ----------
    names : parameters of the command
    """
    given = command_options.option_given(*names)
    if given is not None:
        msg = f"{given} is for fitting, but the model is given: leave it out"
        raise click.UsageError(msg)


def _looks_like_a_model(path: Path) -> bool:
    with path.open("rb") as file:
        start = file.read(256)
    return start.lstrip().startswith(b"{") and b"gaussbayes" in start
