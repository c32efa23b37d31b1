"""`write_report`: a page about a fitted model, written whole or not at all."""

import os
from datetime import datetime
from pathlib import Path
from typing import Any

from gaussbayes.apps.report.contents import gather
from gaussbayes.apps.report.page import page
from gaussbayes.base import atomic
from gaussbayes.plots.requirement import pyplot

_WHAT = "the report"


def write_report(
    model: Any,
    X: Any,
    y: Any,
    path: str | os.PathLike[str] = "report.html",
    *,
    held_out: Any = 10,
    title: str | None = None,
    random_state: int = 0,
    source: str | None = None,
    command: str | None = None,
) -> Path:
    """Write a page about a fitted model on labelled rows: one HTML file, to be read offline.

    It describes the data and the parameters, shows pictures, counts right and wrong answers on
    these rows and on rows held out, looks at the probabilities, writes out Bayes' rule for the
    errors the model was surest of, compares it with other models, and says how to make it again.
    The same arguments give the same file but for the date. Counts are of all rows; pictures show
    a sample of at most 2,000 of them, and models are compared on at most 20,000.

    Parameters
    ----------
    model : a fitted `GaussianClassifier`
    X, y : rows (n, d) and their labels (n,), of classes that the model knows
    path : the file to write; one that is there is replaced when the new one is complete
    held_out : how rows are held out to compare models, as in `compare`
    title : of the page
    random_state : the seed of whatever is drawn at random
    source, command : where the rows came from, and the command that makes the page, to be quoted

    Returns
    -------
    The path of the file.

    Raises
    ------
    OSError
        If the file cannot be written there; a file that was there stays as it was.
    ImportError
        If matplotlib is not installed; the message says how to get it.

    Examples
    --------
    >>> import tempfile
    >>> from gaussbayes import GaussianClassifier
    >>> from gaussbayes.datasets import load_iris
    >>> iris = load_iris()
    >>> model = GaussianClassifier().fit(iris.rows, iris.labels)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_report(model, iris.rows, iris.labels, f"{folder}/iris.html", held_out=3)
    ...     page.name, page.read_text(encoding="utf-8")[:15]
    ('iris.html', '<!DOCTYPE html>')
    """
    file = Path(path)
    # Before the work, not after it:
    refuse_unwritable(file)
    pyplot()
    contents = gather(
        model,
        X,
        y,
        held_out=held_out,
        title=title,
        random_state=random_state,
        source=source,
        command=command,
        made=datetime.now().astimezone().date().isoformat(),
    )
    replace_text(file, page(contents))
    return file


def refuse_unwritable(path: Path) -> None:
    """Raise an `OSError` that names the path if no file can be written there."""
    atomic.refuse_unwritable(path, _WHAT)


def replace_text(path: Path, text: str) -> None:
    """Put a text in the place of a file in one step: readers see the old one or the new one."""
    atomic.replace_file(path, text.encode("utf-8", errors="replace"), _WHAT)
