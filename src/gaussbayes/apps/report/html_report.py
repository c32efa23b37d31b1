"""`write_report`: contents → one HTML file that needs nothing from outside."""

import os
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from gaussbayes.apps.report import numerals
from gaussbayes.apps.report.contents import Contents, gather
from gaussbayes.apps.report.subject import ALL_CLASSES, MOST_COLUMNS
from gaussbayes.apps.report.svg_figures import MOST_CLASSES
from gaussbayes.base import atomic

_WHAT = "the report"

_FILTERS = ("fixed", "percent", "score", "grouped", "counted", "quoted")


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
    """Write a report about a fitted model on labelled rows: one HTML file, to be read offline.

    It describes the data and the parameters, shows figures, the confusion matrix on these rows and
    on rows held out, and the calibration, writes out Bayes' rule for the most confident errors,
    compares the model with others, and says how to reproduce all this. The same arguments give the
    same file but for the date. Counts are of all rows; figures show a sample of at most 2,000 of
    them, and models are compared on at most 20,000.

    Parameters
    ----------
    model : a fitted `GaussianClassifier`, or a `Model`
    X, y : rows (n, d) and their labels (n,), of classes that the model knows
    path : the file to write; an existing one is replaced when the new one is complete
    held_out : how rows are held out to compare models, as in `compare`
    title : of the report
    random_state : the seed of whatever is drawn at random
    source, command : where the rows came from, and the command that writes the report, to be quoted

    Returns
    -------
    The path of the file.

    Raises
    ------
    OSError
        If the file cannot be written there; an existing file stays as it was.
    ImportError
        If jinja2 or matplotlib is not installed; the message says how to install them.

    Examples
    --------
    >>> import tempfile
    >>> from gaussbayes import GaussianClassifier
    >>> from gaussbayes.datasets import load_iris
    >>> iris = load_iris()
    >>> model = GaussianClassifier().fit(iris.rows, iris.labels)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_report(model, iris.rows, iris.labels, f"{folder}/iris.html", held_out=3)
    ...     path.name, path.read_text(encoding="utf-8")[:15]
    ('iris.html', '<!DOCTYPE html>')
    """
    file = Path(path)
    # Before the work, not after it:
    check_writable(file)
    _check_installed("jinja2", "matplotlib.pyplot")
    contents = gather(
        model,
        X,
        y,
        held_out=held_out,
        title=title,
        random_state=random_state,
        source=source,
        command=command,
        date=datetime.now().astimezone().date().isoformat(),
    )
    atomic.replace_file(file, render(contents).encode("utf-8", errors="replace"), _WHAT)
    return file


def check_writable(path: Path) -> None:
    """Raise an `OSError` that names the path if no file can be written there."""
    atomic.refuse_unwritable(path, _WHAT)


def _check_installed(*libraries: str) -> None:
    for library in libraries:
        try:
            import_module(library)
        except ImportError as error:
            name = library.partition(".")[0]
            msg = (
                f"the report needs {name}, which is not installed: pip install 'gaussbayes[report]'"
            )
            raise ImportError(msg) from error


def render(contents: Contents) -> str:
    """Lay out the contents by the template; text is escaped, whoever wrote it."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("gaussbayes.apps.report", ""),
        autoescape=True,
        undefined=StrictUndefined,
        extensions=["jinja2.ext.do"],
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update({name: getattr(numerals, name) for name in _FILTERS})
    template = environment.get_template("report.html.jinja")
    return template.render(
        report=contents,
        ALL_CLASSES=ALL_CLASSES,
        MOST_COLUMNS=MOST_COLUMNS,
        MOST_CLASSES_DRAWN=MOST_CLASSES,
    )
