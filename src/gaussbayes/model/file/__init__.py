"""The model file: JSON that holds everything a model has learnt, and nothing that could be run.

The format is described in docs/model-format.md and docs/model.schema.json.
"""

import stat
from pathlib import Path

from gaussbayes.base.atomic import replace_file
from gaussbayes.base.errors import ModelFileError
from gaussbayes.model.file.document import LARGEST_FILE, check_size
from gaussbayes.model.file.reader import loads
from gaussbayes.model.file.writer import dumps
from gaussbayes.model.model import Model

__all__ = ["LARGEST_FILE", "dumps", "load", "loads", "save"]


def save(model: Model, path: Path, *, unlabelled_rows: bool = False) -> Path:
    """Write a model, see `dumps`, whole or not at all: whatever fails leaves the old file there."""
    replace_file(path, dumps(model, unlabelled_rows=unlabelled_rows), "the model")
    return path


def load(path: Path, *, largest: int = LARGEST_FILE) -> Model:
    """Read the model in a file; one of more than `largest` bytes is refused unread."""
    try:
        return loads(_read(path, largest), largest=largest)
    except ModelFileError as error:
        msg = f"model file {str(path)!r}: {error}"
        raise ModelFileError(msg) from None


def _read(path: Path, largest: int) -> bytes:
    """The bytes of an ordinary file; one more than `largest` if they are too many."""
    status = path.stat()
    # A pipe or a device may never end. A directory is left to `open`, which says what it is.
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        msg = "it is not an ordinary file"
        raise ModelFileError(msg)
    check_size(status.st_size, largest)
    with path.open("rb") as file:
        return file.read(status.st_size + 1)
