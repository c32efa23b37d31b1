"""`write_report`: a fitted classifier and labelled rows as one HTML file.

It uses the public methods of the classifier; the template has the text.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from gaussbayes.base import numerals
from gaussbayes.base.atomic import check_writable, replace_file
from gaussbayes.base.errors import DataError
from gaussbayes.base.types import LabelsLike, TableLike
from gaussbayes.data.labels import separate_columns
from gaussbayes.data.read import as_source
from gaussbayes.data.tables import as_frame, is_frame, is_source
from gaussbayes.model.class_tests import class_tests, table_of_tests
from gaussbayes.model.summary import parameter_tables

if TYPE_CHECKING:
    from gaussbayes.analysis.explanation import Contribution
    from gaussbayes.estimators import BaseClassifier
    from gaussbayes.model.cross_validation import CrossValidation
    from gaussbayes.model.evaluation import Evaluation

_FOLDS = 10  # of the rows that the model was fitted to
_MOST_ERRORS, _MOST_REASONS = 10, 4  # misclassified rows, and features that caused each error
_MOST_LINES, _MOST_CLASSES = 30, 12  # of a table of parameters
_IDENTIFIES = "identifies rows"
_PACKAGES = ("gaussbayes", "numpy", "scipy", "scikit-learn", "matplotlib")


@dataclass(frozen=True, slots=True)
class ConfidentError:
    """A misclassified row, and the features that caused the error."""

    row: str
    true: int  # code of the class
    predicted: int
    posterior: float  # of the predicted class
    posterior_of_true: float
    reasons: tuple[tuple[str, str, str], ...]  # feature, value, contribution to the log-odds
    against: int  # other features that favour the true class


@dataclass(frozen=True, slots=True)
class ParameterGrid:
    """Parameters: a line for each feature or category, a column for each class or one for all."""

    title: str
    is_shared: bool
    lines: tuple[tuple[str, ...], ...]  # the name, then the numbers
    n_more: int  # omitted lines


def write_report(
    model: BaseClassifier,
    X: TableLike,
    y: LabelsLike,
    path: str | PathLike[str] = "report.html",
    *,
    cv: CrossValidation | None = None,
    title: str | None = None,
) -> Path:
    """Write a report about a fitted classifier on labelled rows; see `GaussianClassifier.report`.

    Examples
    --------
    >>> import tempfile
    >>> from gaussbayes import GaussianClassifier
    >>> from gaussbayes.datasets import load_iris
    >>> iris = load_iris()
    >>> model = GaussianClassifier().fit(iris.rows[:, :1], iris.labels)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_report(model, iris.rows[:, :1], iris.labels, f"{folder}/iris.html", cv=3)
    ...     path.name, path.read_text(encoding="utf-8")[:15]
    ('iris.html', '<!DOCTYPE html>')
    """
    file = Path(path)
    check_writable(file, "the report")  # before the work
    missing = [name for name in ("jinja2", "matplotlib") if find_spec(name) is None]
    if missing:
        what = f"{' and '.join(missing)}, not installed"
        msg = f"a report needs {what}: pip install 'gaussbayes[plot]'"
        raise ImportError(msg)
    table = as_source(X).table() if is_source(X) else X
    html = _rendered(_contents(model, table, y, cv, title))
    replace_file(file, html.encode("utf-8", errors="replace"), "the report")
    return file


def _rendered(contents: dict[str, object]) -> str:
    """The contents laid out by the template; all text is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("gaussbayes.report", ""),
        autoescape=True,
        undefined=StrictUndefined,
        extensions=["jinja2.ext.do"],
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = ("fixed", "percent", "score", "grouped", "counted", "quoted")
    environment.filters |= {name: getattr(numerals, name) for name in filters}
    return environment.get_template("report.html.jinja").render(contents)


def _contents(
    model: BaseClassifier,
    X: TableLike,
    y: LabelsLike,
    cv: CrossValidation | None,
    title: str | None,
) -> dict[str, object]:
    """The contents of a report, by their names in the template."""
    from gaussbayes.plots.style import class_styles
    from gaussbayes.report.svg_figures import drawings, inline_figures

    features, labels, _ = separate_columns(X, y)
    if np.ndim(labels) != 1:
        msg = f"a report needs one label for each row, got labels of shape {np.shape(labels)}"
        raise DataError(msg)
    evaluation, on_training_rows = _evaluated(model, X, y, cv)
    importance, columns = model.importance(X, y), model.columns_
    n_features = len(columns.used)
    predicted = f"predicted from {numerals.counted(n_features, 'feature')}"
    selection = getattr(model, "selection_", None)
    figures = drawings(model, features, labels, evaluation, importance)
    tests = class_tests(model.model_)
    return {
        "title": title or f"{columns.target or 'class'}: {predicted}",
        "sentence": model.model_.tables()[0],
        "classes": [str(label) for label in model.classes_.tolist()],
        "colors": [look.color for look in class_styles(model.classes_)],
        "n_features": n_features,
        "evaluation": evaluation,
        "confusions": evaluation.tables()[-1],
        "is_held_out": on_training_rows or cv is not None,
        "on_training_rows": on_training_rows,
        "n_folds": _FOLDS,
        "notices": list(map(str, model.notices_)),
        "importance": importance,
        "errors": list(_confident_errors(model, features, np.asarray(labels).tolist())),
        "columns": columns,
        "priors": model.priors_.tolist(),
        "parameters": list(_parameters(model)),
        "most_classes": _MOST_CLASSES,
        "selection": [] if selection is None else selection.tables(),
        "tests": [table_of_tests(tests)] if tests else [],
        "figures": inline_figures(figures),
        "code": f"model = {model!r}\nmodel.fit(X, y)\nmodel.report(X, y)",
        "versions": [f"Python {platform.python_version()}"]
        + [f"{name} {version(name)}" for name in _PACKAGES],
        "date": datetime.now().astimezone().date().isoformat(),
    }


def _evaluated(
    model: BaseClassifier, X: TableLike, y: LabelsLike, cv: CrossValidation | None
) -> tuple[Evaluation, bool]:
    """The evaluation, and whether the rows were held out because the model was fitted to them."""
    evaluation = model.evaluate(X, y)
    on_training_rows = cv is None and _was_fitted_to(model, X, y, evaluation)
    if on_training_rows or cv is not None:
        evaluation = model.evaluate(X, y, cv=_FOLDS if on_training_rows else cv)
    return evaluation, on_training_rows


def _was_fitted_to(
    model: BaseClassifier, X: TableLike, y: LabelsLike, evaluation: Evaluation
) -> bool:
    """Whether a fit to these rows has the parameters of the model."""
    statistics = model.model_.statistics
    if statistics is None or not np.array_equal(
        statistics.weight, evaluation.confusion.sum(axis=1)
    ):
        return False
    again = clone(model).fit(X, y, like=model)
    pairs = zip(parameter_tables(again.model_), parameter_tables(model.model_), strict=True)
    return all(np.allclose(ours.values, theirs.values) for ours, theirs in pairs)


def _confident_errors(
    model: BaseClassifier, features: Any, labels: Sequence[object]
) -> Iterator[ConfidentError]:
    """The misclassified rows with the largest posterior of the wrong class, and their causes."""
    codes = {label: code for code, label in enumerate(model.classes_.tolist())}
    truth = np.array([codes.get(label, -1) for label in labels])
    posterior = model.scores(features).posterior
    predicted = posterior.argmax(axis=1)
    largest = np.where((truth >= 0) & (truth != predicted), posterior.max(axis=1), -1.0)
    frame = as_frame(features) if is_frame(features) else None
    identifiers = [
        column.name
        for column in model.columns_.excluded
        if column.reason == _IDENTIFIES and frame is not None and column.name in frame.columns
    ]
    for row in np.argsort(-largest, kind="stable")[:_MOST_ERRORS].tolist():
        if largest[row] < 0.0:
            return
        one = features[row : row + 1] if frame is None else frame[row : row + 1].to_native()
        between = model.classes_[[predicted[row], truth[row]]].tolist()
        odds = model.explain(one, between=tuple(between)).log_odds
        assert odds is not None  # there are two classes
        parts = [part for part in odds.largest(len(odds.contributions))[0] if part.amount > 0.0]
        named = [f"{name} {frame[name][row]}" for name in identifiers if frame is not None]
        yield ConfidentError(
            ", ".join(named) or f"Row {row + 1:,}",
            int(truth[row]),
            int(predicted[row]),
            float(largest[row]),
            float(posterior[row, truth[row]]),
            tuple(_reason(part) for part in parts[:_MOST_REASONS]),
            sum(part.amount < 0.0 for part in odds.contributions),
        )


def _reason(part: Contribution) -> tuple[str, str, str]:
    value = "missing" if part.missing else part.value
    written = numerals.five_digits(value) if isinstance(value, float) else str(value)
    return part.feature, written, f"+{numerals.fixed(part.amount, 2)}"


def _parameters(model: BaseClassifier) -> Iterator[ParameterGrid]:
    """The parameters of every family, in the units of the table; dates as dates."""
    origins = model.columns_.origins
    for table in parameter_tables(model.model_):
        lines = []
        for name, values in zip(table.columns, table.values.T.tolist(), strict=True):
            cells = [numerals.five_digits(value) for value in values]
            if table.title == "mean" and name in origins:  # as precise as the dates of the table
                dates = (str(model.columns_.dated(name, value)) for value in values)
                cells = [date[: len(origins[name])] for date in dates]
            lines.append((name, *cells[:_MOST_CLASSES]))
        n_more = max(0, len(lines) - _MOST_LINES)
        is_shared = len(table.values) < model.classes_.size
        yield ParameterGrid(table.title, is_shared, tuple(lines[:_MOST_LINES]), n_more)
