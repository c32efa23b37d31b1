"""What the page says: every number on it, gathered before any of it is written."""

from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.comparison import Candidate, Comparison, compare
from gaussbayes.analysis.evaluation import Evaluation, evaluate
from gaussbayes.analysis.view import View, view
from gaussbayes.apps.report import pictures
from gaussbayes.apps.report.description import Description, describe
from gaussbayes.apps.report.mistakes import Mistake, confident_mistakes
from gaussbayes.apps.report.pictures import Picture, Shown
from gaussbayes.apps.report.recipe import Recipe, data_digest, recipe
from gaussbayes.apps.report.sample import stratified
from gaussbayes.apps.report.telling import Telling, telling_features
from gaussbayes.base.errors import DataError, ParameterError, PriorError
from gaussbayes.base.types import FloatArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.families.gaussian.structures import name_of

MOST_DRAWN = 2_000
"""Rows in a picture; of more, a sample is drawn."""

MOST_COMPARED = 20_000
"""Rows that the models are compared on."""


@dataclass(frozen=True, slots=True, eq=False)
class Contents:
    """Everything on the page."""

    title: str
    made: str  # the date
    model: GaussianClassifier  # it knows no names
    name: str  # of the model
    features: tuple[str, ...]  # d names
    classes: tuple[str, ...]  # k labels, as text
    data: Description
    evaluation: Evaluation  # of all rows
    mistakes: tuple[Mistake, ...]
    telling: Telling | None  # for models of more than two features
    n_drawn: int
    n_compared: int
    comparison: Comparison | None
    problem: str | None  # why there is no comparison
    fewer_folds: str  # that there were fewer than asked for, and why; or nothing
    pictures: dict[str, Picture]
    recipe: Recipe

    @property
    def own(self) -> Candidate | None:
        """The candidate of the comparison that has the model's structure."""
        structure = self.model.structure_
        found = () if self.comparison is None else self.comparison.candidates
        return next((one for one in found if one.structure == structure), None)

    @property
    def held_out(self) -> Evaluation | None:
        """How it fared on held-out rows, if that could be found out."""
        return None if self.own is None else self.own.evaluation


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
    made: str,
) -> Contents:
    """Look at a fitted model and labelled rows from all sides."""
    seed = _seed(random_state)
    whole = view(model)
    raw, codes = whole.labelled(X, y)
    rows = np.asarray(raw, dtype=np.float64)
    plain, classes = whole.model, whole.classes
    log_posterior = plain.predict_log_proba(rows)
    seen = stratified(codes, MOST_DRAWN, seed)
    few = Shown(rows[seen], classes[codes[seen]])
    telling = telling_features(plain, few.rows, codes[seen]) if len(whole.names) > 2 else None
    folds = held_out if _is_whole(held_out) else 1
    kept = stratified(codes, MOST_COMPARED, seed, least=folds)
    how, fewer_folds = _possible(held_out, codes[kept])
    compared, problem = _compared(whole, rows[kept], codes[kept], how, seed)
    name = model_name(plain)
    return Contents(
        title=title or f"{name} on {codes.size:,} rows",
        made=made,
        model=plain,
        name=name,
        features=whole.names,
        classes=tuple(str(label) for label in classes.tolist()),
        data=describe(rows, codes, classes.size),
        evaluation=evaluate(log_posterior, codes, classes),
        mistakes=confident_mistakes(plain, rows, codes, log_posterior),
        telling=telling,
        n_drawn=seen.size,
        n_compared=kept.size,
        comparison=compared,
        problem=problem,
        fewer_folds=fewer_folds,
        pictures=_pictures(model, few, Shown(rows, classes[codes]), telling, compared),
        recipe=recipe(model, data_digest(rows, codes, classes), held_out, seed, source, command),
    )


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _seed(random_state: Any) -> int:
    if not _is_whole(random_state) or random_state < 0:
        msg = (
            "random_state must be a whole number that is not negative, for it is written on the "
            f"page; got {random_state!r}"
        )
        raise ParameterError(msg)
    return int(random_state)


def model_name(model: GaussianClassifier) -> str:
    """What people call a model of this structure.

    Examples
    --------
    >>> model_name(GaussianClassifier.from_parameters(None, [[0], [1]], [[1]]))
    'LDA'
    """
    return name_of(model.structure_)


def _possible(held_out: Any, codes: NDArray[np.intp]) -> tuple[Any, str]:
    """As many folds as the smallest class has rows, if there are fewer than asked for."""
    least = int(np.unique(codes, return_counts=True)[1].min())
    if not _is_whole(held_out) or not 2 <= least < held_out:
        return held_out, ""
    few = f"Not {held_out} folds, because the smallest class has only {least} rows."
    return least, few


def _compared(
    whole: View, rows: FloatArray, codes: NDArray[np.intp], held_out: Any, seed: int
) -> tuple[Comparison | None, str | None]:
    """The comparison, or why there is none: the rest of the page does not depend on it."""
    if isinstance(held_out, tuple) and len(held_out) == 2:
        test_rows, test_codes = whole.labelled(*held_out)
        held_out = (test_rows, whole.classes[test_codes])
    labels = whole.classes[codes]
    try:
        return compare(rows, labels, held_out=held_out, model=whole.model, random_state=seed), None
    except (DataError, PriorError) as error:
        return None, str(error)


def _pictures(
    model: GaussianClassifier,
    few: Shown,
    every: Shown,
    telling: Telling | None,
    compared: Comparison | None,
) -> dict[str, Picture]:
    sketches = [pictures.calibration_sketches(model, every)]
    if model.classes_.size <= pictures.MOST_CLASSES:
        sketches += [
            pictures.model_sketches(model, few, telling),
            (pictures.confusion_sketch(model, every),),
        ]
    found = () if compared is None else compared.candidates
    if compared is not None and any(one.neighbors and one.evaluation for one in found):
        sketches.append((pictures.comparison_sketch(compared),))
    return pictures.drawn(chain.from_iterable(sketches))
