"""The contents of a report: every number in it, gathered before any of it is laid out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.data_summary import CategorySummary, DataSummary, NumberSummary
from gaussbayes.analysis.evaluation import Evaluation
from gaussbayes.analysis.informative_features import InformativeFeatures
from gaussbayes.apps.report import svg_figures
from gaussbayes.apps.report.numerals import aligned
from gaussbayes.apps.report.recipe import Recipe, recipe
from gaussbayes.apps.report.samples import stratified
from gaussbayes.apps.report.subject import (
    MOST_COLUMNS,
    ErrorRow,
    ModelComparison,
    Subject,
    WrittenTable,
)
from gaussbayes.base.errors import ParameterError
from gaussbayes.plots.style import class_styles

MOST_DRAWN = 2_000
"""Rows in a figure; of more, a sample is drawn."""

MOST_COMPARED = 20_000
"""Rows that the models are compared on."""

_MOST_CONFUSIONS = 24
"""Pairs of classes listed where a confusion matrix would be too large."""

_MOST_CATEGORIES = 24
"""Of one feature that are listed: of more, the most frequent."""

_RATIO = 100.0
"""Deviations further apart than this are not written with the same decimal places."""


@dataclass(frozen=True, slots=True)
class ClassSummary:
    """A class: its rows and how they were predicted; NaN for proportions of nothing."""

    label: str
    color: str  # in all figures
    n_rows: int
    proportion: float
    n_predicted: int
    recall: float
    precision: float
    held_out_recall: float
    held_out_precision: float


@dataclass(frozen=True, slots=True)
class FeatureSummary:
    """A feature that holds numbers: what there is to say of it, as text."""

    name: str
    minimum: str
    mean: str
    deviation: str
    maximum: str
    class_means: tuple[str, ...]  # of the first classes
    n_missing: int
    constant: bool


@dataclass(frozen=True, slots=True)
class CategoryTable:
    """A feature that holds categories: its most frequent ones."""

    name: str
    categories: tuple[str, ...]
    counts: tuple[int, ...]  # rows of each
    proportions: tuple[tuple[float, ...], ...]  # of each, among the rows of the first classes
    n_categories: int
    n_missing: int
    constant: bool


@dataclass(frozen=True, slots=True, eq=False)
class Contents:
    """Everything in a report; the template lays it out."""

    title: str
    date: str
    name: str  # of the model
    kind: str
    sentences: tuple[str, ...]  # what the model says of its features
    was_fitted: bool
    n_rows: int  # with or without label
    n_unlabelled: int
    n_incomplete: int  # rows in which some value is missing
    n_missing: int  # values
    classes: tuple[ClassSummary, ...]  # in the order of their codes
    names: tuple[str, ...]  # of the features
    numbers: tuple[FeatureSummary, ...]
    categories: tuple[CategoryTable, ...]
    settings: tuple[tuple[str, str], ...]
    parameter_tables: tuple[tuple[WrittenTable, ...], ...]
    informative: InformativeFeatures | None  # of models of more than two features
    n_drawn: int
    evaluation: Evaluation  # of all rows that have a label
    uniform_log_loss: float  # log k, that of a model which always says 1/k
    errors: tuple[ErrorRow, ...]
    frequent_confusions: tuple[tuple[int, int, int], ...]  # true code, predicted code, rows
    comparison: ModelComparison | None
    held_out: Evaluation | None  # of models with the same settings
    held_out_codes: tuple[int, ...]  # of the classes among the rows held out
    problem: str | None  # why there is no evaluation on held-out rows
    n_compared: int
    folds: str  # that there were fewer than asked for, and why; or nothing
    figures: Mapping[str, svg_figures.InlineFigure]
    recipe: Recipe


def gather(
    model: Any,
    X: Any,
    y: Any,
    *,
    held_out: Any,
    title: str | None,
    random_state: int,
    source: str | None,
    command: str | None,
    date: str,
) -> Contents:
    """Ask a fitted model and labelled rows for everything that is in a report."""
    seed = _seed(random_state)
    subject = Subject.of(model, X, y)
    drawn = subject.selected(stratified(subject.codes, MOST_DRAWN, seed))
    informative = drawn.informative_features() if len(subject.features) > 2 else None
    n_folds = held_out if _is_integer(held_out) else 1
    sample = subject.selected(stratified(subject.codes, MOST_COMPARED, seed, least=n_folds))
    possible, folds = _possible(held_out, sample.codes)
    compared = sample.compared(possible, seed)
    comparison = None if isinstance(compared, str) else compared
    counterpart = None if comparison is None else comparison.subject
    summary, evaluation = subject.data_summary(), subject.evaluation
    judged = None if counterpart is None else counterpart.evaluation
    return Contents(
        title=title or f"{_sentence(subject.name)} on {subject.codes.size:,} rows",
        date=date,
        name=_sentence(subject.name),
        kind=subject.kind,
        sentences=subject.sentences,
        was_fitted=subject.was_fitted,
        n_rows=subject.codes.size,
        n_unlabelled=summary.n_unlabelled,
        n_incomplete=summary.n_incomplete,
        n_missing=summary.n_missing,
        classes=tuple(_classes(subject, summary, evaluation, judged)),
        names=subject.features,
        numbers=tuple(_numbers(subject.features, summary.numbers)),
        categories=tuple(_categories(subject.features, summary.categories)),
        settings=subject.settings(),
        parameter_tables=subject.parameter_tables(),
        informative=informative,
        n_drawn=drawn.codes.size,
        evaluation=evaluation,
        uniform_log_loss=float(np.log(subject.classes.size)),
        errors=subject.confident_errors(),
        frequent_confusions=_frequent(evaluation),
        comparison=comparison,
        held_out=judged,
        held_out_codes=() if judged is None else subject.codes_of(judged.classes),
        problem=compared if isinstance(compared, str) else getattr(counterpart, "problem", None),
        n_compared=sample.codes.size,
        folds=folds,
        figures=_figures(subject, drawn, informative, comparison),
        recipe=recipe(subject, held_out, seed, source, command),
    )


def _sentence(words: str) -> str:
    """Words at the beginning of a sentence."""
    return words[:1].upper() + words[1:]


def _is_integer(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _seed(random_state: Any) -> int:
    if not _is_integer(random_state) or random_state < 0:
        msg = (
            "random_state must be a non-negative integer, because the report states it; "
            f"got {random_state!r}"
        )
        raise ParameterError(msg)
    return int(random_state)


def _possible(held_out: Any, codes: NDArray[np.intp]) -> tuple[Any, str]:
    """As many folds as the smallest class has rows, if there are fewer than asked for."""
    least = int(np.unique(codes[codes >= 0], return_counts=True)[1].min())
    if not _is_integer(held_out) or not 2 <= least < held_out:
        return held_out, ""
    return least, f"Not {held_out} folds, because the smallest class has only {least} rows."


def _classes(
    subject: Subject, summary: DataSummary, evaluation: Evaluation, held_out: Evaluation | None
) -> Iterator[ClassSummary]:
    styles = class_styles(subject.classes)
    scores = np.full((2, subject.classes.size), np.nan)
    if held_out is not None:  # it knows only classes that were among the rows
        scores[:, subject.codes_of(held_out.classes)] = held_out.recall, held_out.precision
    for code, label in enumerate(subject.classes.tolist()):
        yield ClassSummary(
            label=str(label),
            color=styles[code].color,
            n_rows=int(summary.count[code]),
            proportion=float(summary.proportion[code]),
            n_predicted=int(evaluation.confusion[:, code].sum()),
            recall=float(evaluation.recall[code]),
            precision=float(evaluation.precision[code]),
            held_out_recall=float(scores[0, code]),
            held_out_precision=float(scores[1, code]),
        )


def _numbers(names: Sequence[str], numbers: Sequence[NumberSummary]) -> Iterator[FeatureSummary]:
    varying = [feature.deviation for feature in numbers if feature.deviation > 0]
    alike = varying and max(varying) < _RATIO * min(varying)
    common = min(varying) if alike else None
    for feature in numbers:
        means = feature.class_mean[:MOST_COLUMNS]
        values = [feature.minimum, feature.mean, feature.maximum, *means]
        size = common or feature.deviation or None
        low, mean, high, *class_means = aligned(values, digits=3, size=size)
        yield FeatureSummary(
            name=names[feature.column],
            minimum=low,
            mean=mean,
            deviation=aligned([feature.deviation], digits=3, size=common)[0],
            maximum=high,
            class_means=tuple(class_means),
            n_missing=feature.n_missing,
            constant=feature.is_constant,
        )


def _categories(
    names: Sequence[str], features: Sequence[CategorySummary]
) -> Iterator[CategoryTable]:
    for feature in features:
        first = np.argsort(-feature.count, kind="stable")[:_MOST_CATEGORIES]
        if feature.count.size <= _MOST_CATEGORIES:
            first = np.arange(feature.count.size)  # in their order
        yield CategoryTable(
            name=names[feature.column],
            categories=tuple(feature.categories[code] for code in first.tolist()),
            counts=tuple(feature.count[first].tolist()),
            proportions=tuple(map(tuple, feature.proportion[:MOST_COLUMNS, first].T.tolist())),
            n_categories=feature.count.size,
            n_missing=feature.n_missing,
            constant=feature.is_constant,
        )


def _frequent(evaluation: Evaluation) -> tuple[tuple[int, int, int], ...]:
    """The most frequent pairs of different true and predicted classes."""
    wrong = evaluation.confusion - np.diag(np.diag(evaluation.confusion))
    order = np.argsort(-wrong, axis=None, kind="stable")[:_MOST_CONFUSIONS]
    pairs = [divmod(int(place), wrong.shape[0]) for place in order]
    return tuple((*pair, int(wrong[pair])) for pair in pairs if wrong[pair])


def _figures(
    subject: Subject,
    drawn: Subject,
    informative: InformativeFeatures | None,
    comparison: ModelComparison | None,
) -> Mapping[str, svg_figures.InlineFigure]:
    plots = [svg_figures.calibration_plots(subject)]
    if subject.classes.size <= svg_figures.MOST_CLASSES:
        plots += [
            svg_figures.model_plots(drawn, informative),
            (svg_figures.confusion_plot(subject),),
        ]
    if comparison is not None and comparison.has_neighbors:
        plots.append((svg_figures.comparison_plot(comparison),))
    return svg_figures.inline_figures(chain.from_iterable(plots))
