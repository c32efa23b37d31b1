"""`write_report`: everything in a report is gathered, then laid out as one HTML file."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterable, Sequence
from datetime import datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from pprint import pformat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.data_summary import NumberSummary, summarise_data
from gaussbayes.analysis.informative_features import informative_features
from gaussbayes.analysis.view import pair_view
from gaussbayes.base import atomic, numerals
from gaussbayes.base.errors import OptionError
from gaussbayes.data.roles import separate_columns
from gaussbayes.model.evaluation import Evaluation
from gaussbayes.plots.style import class_styles
from gaussbayes.report import parameter_tables, svg_figures
from gaussbayes.report.parameter_tables import ALL_CLASSES, MOST_COLUMNS
from gaussbayes.report.subject import Subject, called

MOST_DRAWN, MOST_COMPARED = 2_000, 20_000
"""Rows in a figure, and rows that models are compared on; of more, a sample."""
_MOST_CONFUSIONS = 24  # pairs of classes listed where a confusion matrix would be too large
_MOST_CATEGORIES = 24  # of one feature that are listed: of more, the most frequent
_RATIO = 100.0  # deviations further apart are not written with the same decimal places
_WHAT = "the report"
_BLOCK = 1 << 16  # rows that a digest takes at a time
_PACKAGES = ("gaussbayes", "numpy", "scipy", "scikit-learn", "matplotlib")


def write_report(
    model: Any,
    X: Any,
    y: Any,
    path: str | os.PathLike[str] = "report.html",
    *,
    held_out: Any = 10,
    fitted: bool = False,
    row_names: Sequence[str] | None = None,
    left_out: Sequence[str] = (),
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
    fitted : whether the model was fitted to these very rows: then confusion and calibration are
        those of each row predicted by the model of all others (see
        `GaussianClassifier.leave_one_out`), not those of rows that the model has seen
    row_names : what the rows are called (n,); None are their numbers, from 1
    left_out : rows that are not among these: how many, and a line about each or some
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
    >>> X, y = load_iris().rows[:, :1], load_iris().labels
    >>> model = GaussianClassifier().fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_report(model, X, y, f"{folder}/iris.html", held_out=3)
    ...     path.name, path.read_text(encoding="utf-8")[:15]
    ('iris.html', '<!DOCTYPE html>')
    """
    file = Path(path)
    # Before the work, not after it:
    atomic.check_writable(file, _WHAT)
    for library in ("jinja2", "matplotlib.pyplot"):
        try:
            import_module(library)
        except ImportError as error:
            name = library.partition(".")[0]
            msg = f"a report needs {name}, which is not installed: pip install 'gaussbayes[report]'"
            raise ImportError(msg) from error
    if not _is_integer(random_state) or random_state < 0:
        msg = f"random_state must be a non-negative integer: it is stated; got {random_state!r}"
        raise OptionError(msg)
    subject = Subject.of(model, *separate_columns(X, y)[:2], row_names)
    contents = _gathered(subject, held_out, int(random_state), fitted=fitted)
    called, n_rows = contents["name"], contents["subject"].codes.size
    contents["title"] = title or f"{called}{',' * (',' in called)} on {n_rows:,} rows"
    date = datetime.now().astimezone().date().isoformat()
    contents |= {"date": date, "source": source, "command": command, "not_read": list(left_out)}
    written = _rendered(contents)
    atomic.replace_file(file, written.encode("utf-8", errors="replace"), _WHAT)
    return file


def _rendered(contents: dict[str, Any]) -> str:
    """The contents laid out by the template; text is escaped, whoever wrote it."""
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
    environment.filters |= {"literal": literal, "described": svg_figures.described}
    return environment.get_template("report.html.jinja").render(contents)


def _gathered(subject: Subject, held_out: Any, seed: int, *, fitted: bool) -> dict[str, Any]:
    """Everything in a report, by the names that the template has for it."""
    drawn = subject.selected(stratified(subject.codes, MOST_DRAWN, seed))
    informative = None
    if len(subject.features) > 2:
        informative = informative_features(drawn.model, drawn.rows, drawn.codes)
    n_folds = held_out if _is_integer(held_out) else 1
    sample = subject.selected(stratified(subject.codes, MOST_COMPARED, seed, least=n_folds))
    others = sample.compared(held_out, seed)
    summary = summarise_data(subject.table, subject.codes, subject.model.schema)
    pair = informative.pair if informative else (0, 1)
    left_out = subject.left_out() if fitted else None
    judged = others.evaluation if left_out is None else left_out.evaluation
    figures = svg_figures.drawings(subject, drawn, informative, others.source, left_out)
    return {
        "subject": subject,
        "name": subject.name[:1].upper() + subject.name[1:],
        "called": called,
        "colors": [look.color for look in class_styles(subject.classes)],
        "summary": summary,
        "numbers": list(zip(summary.numbers, _number_cells(summary.numbers), strict=True)),
        "categories": [(each, _frequent(each.count)) for each in summary.categories],
        "parameter_counts": parameter_tables.parameter_counts(subject.model),
        "parameter_tables": parameter_tables.parameter_tables(subject.model),
        "informative": informative,
        "n_drawn": drawn.codes.size,
        "evaluation": subject.evaluation,
        "frequent_confusions": _frequent_confusions(subject.evaluation),
        "class_scores": _class_scores(subject, judged).tolist(),
        "errors": subject.confident_errors(),
        "log_k": float(np.log(subject.classes.size)),
        "others": others,
        "held_out": judged,
        "left_out": left_out,
        "fitted": fitted,
        "n_compared": sample.codes.size,
        "has_ellipses": len(subject.features) > 1
        and pair_view(subject.classifier, pair).has_ellipses,
        "figures": svg_figures.inline_figures(figures),
        "arguments": subject.arguments(),
        "held_out_code": "(X_test, y_test)" if isinstance(held_out, tuple) else repr(held_out),
        "seed": seed,
        "versions": {"Python": platform.python_version()}
        | {name: version(name) for name in _PACKAGES},
        "digest": data_digest(subject),
        "is_plain": is_plain(subject),
        "ALL_CLASSES": ALL_CLASSES,
        "MOST_COLUMNS": MOST_COLUMNS,
        "MOST_CLASSES_DRAWN": svg_figures.MOST_CLASSES,
    }


def _is_integer(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _number_cells(numbers: Sequence[NumberSummary]) -> list[list[str]]:
    """Minimum, mean, deviation and maximum of each feature, and the means of the first classes."""
    varying = [feature.deviation for feature in numbers if feature.deviation > 0]
    alike = varying and max(varying) < _RATIO * min(varying)
    common = min(varying) if alike else None
    cells = []
    for feature in numbers:
        means = feature.class_mean[:MOST_COLUMNS]
        values = [feature.minimum, feature.mean, feature.maximum, *means]
        size = common or feature.deviation or None
        low, mean, *others = numerals.aligned(values, digits=3, size=size)
        cells.append([low, mean, *numerals.aligned([feature.deviation], digits=3, size=common)])
        cells[-1] += others
    return cells


def _frequent(count: NDArray[np.int64]) -> list[int]:
    """Codes of categories: all in their order, or the most frequent ones first."""
    if count.size <= _MOST_CATEGORIES:
        return list(range(count.size))
    return np.argsort(-count, kind="stable")[:_MOST_CATEGORIES].tolist()  # type: ignore[no-any-return]


def _class_scores(subject: Subject, held_out: Evaluation | None) -> NDArray[Any]:
    """Recall and precision of each class (k, 4), on the rows given and on those held out."""
    scores = np.full((subject.classes.size, 4), np.nan)
    scores[:, 0], scores[:, 1] = subject.evaluation.recall, subject.evaluation.precision
    if held_out is not None:  # it knows only classes that were among the rows
        codes = subject.codes_of(held_out.classes)
        scores[codes, 2], scores[codes, 3] = held_out.recall, held_out.precision
    return scores


def _frequent_confusions(evaluation: Evaluation) -> list[tuple[int, int, int]]:
    """The most frequent pairs of different true and predicted classes, and how many rows."""
    wrong = evaluation.confusion - np.diag(np.diag(evaluation.confusion))
    order = np.argsort(-wrong, axis=None, kind="stable")[:_MOST_CONFUSIONS]
    pairs = [divmod(int(place), wrong.shape[0]) for place in order]
    return [(*pair, int(wrong[pair])) for pair in pairs if wrong[pair]]


def stratified(codes: NDArray[np.intp], most: int, seed: int, least: int = 1) -> NDArray[np.intp]:
    """The indices of at most `most` rows, in order; all of them if there are no more.

    A class keeps its proportion, rounded, but has at least `least` rows if there are as many; only
    where that alone exceeds `most` is the sample larger.

    >>> codes = np.array([0] * 90 + [1] * 9 + [2])
    >>> np.bincount(codes[stratified(codes, 20, seed=0)]).tolist()
    [18, 1, 1]
    """
    n = codes.size
    if n <= most:
        return np.arange(n)
    present, counts = np.unique(codes, return_counts=True)
    exact = counts * (most / n)
    fewest = np.minimum(counts, least)
    quota = np.maximum(fewest, exact.astype(np.intp))
    remaining = max(0, most - int(quota.sum()))
    quota[np.argsort(quota - exact, kind="stable")[:remaining]] += 1
    # Classes that got more than their proportion take it from those with most to spare.
    for _ in range(max(0, int(quota.sum()) - most)):
        spare = quota - fewest
        quota[spare.argmax()] -= spare.max() > 0
    generator = np.random.default_rng(seed)
    chosen = [
        generator.choice(np.flatnonzero(codes == code), size=size, replace=False)
        for code, size in zip(present, quota, strict=True)
    ]
    return np.sort(np.concatenate(chosen))


# How to reproduce a report; the template has the code.


def is_plain(subject: Subject) -> bool:
    """Whether the digest is that of a table of numbers and their labels, without more ado."""
    return not subject.table.categories and bool((subject.codes >= 0).all())


def data_digest(subject: Subject) -> str:
    """SHA-256 of the numbers as 64-bit floats, little end first, of categories, and of labels.

    Categories and labels are strings, one a line; that of a missing one is empty.
    """
    digest = hashlib.sha256()
    rows = subject.table
    for start in range(0, subject.codes.size, _BLOCK):
        block = rows[start : start + _BLOCK].matrix
        digest.update(np.ascontiguousarray(block, dtype="<f8").tobytes())
    for codes, categories in zip(rows.codes.T, rows.categories, strict=True):
        digest.update(_lines(codes, map(_text, categories)))
    text = str if is_plain(subject) else _text
    digest.update(_lines(subject.codes, map(text, subject.classes.tolist())))
    return digest.hexdigest()


def _lines(codes: NDArray[Any], values: Iterable[str]) -> bytes:
    """The values that codes (n,) stand for, one a line; negative codes stand for none."""
    known = np.array([*values, "", ""], dtype=object)  # −1 and −2 are the last ones
    return "\n".join(known[codes]).encode("utf-8", "surrogatepass")


def _text(value: Any) -> str:
    return f"{float(value):g}" if isinstance(value, int | float) else str(value)


def literal(value: Any) -> str:
    """A setting as Python writes it, arrays as lists."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    return pformat(value, width=88, compact=True, sort_dicts=False).replace("\n", "\n    ")
