"""How one model does on rows that it has not seen."""

from dataclasses import dataclass
from typing import Any

from sklearn.model_selection import LeaveOneOut

from gaussbayes.analysis.comparison.held_out import hold_out
from gaussbayes.analysis.comparison.judging import Method, folds, for_parts
from gaussbayes.analysis.evaluation import Evaluation
from gaussbayes.base.errors import DataError
from gaussbayes.base.progress import track
from gaussbayes.base.types import LabelArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.data.labels import as_targets
from gaussbayes.model.selection import is_automatic


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """An evaluation, and how the rows for it were held out."""

    evaluation: Evaluation
    how: str  # one sentence


def judge(
    settings: GaussianClassifier, X: Any, y: Any, held_out: Any = 10, random_state: int | None = 0
) -> Judgement:
    """Evaluate models of these settings on rows held out.

    Parameters
    ----------
    settings : a `GaussianClassifier`; it need not be fitted and stays as it is
    X, y : rows (n, d) and labels (n,); NaN is a number that is missing, except where ``"auto"``
        has to choose, or one row at a time is left out. Categories may be missing everywhere
    held_out : as in `gaussbayes.compare`, or ``"loo"`` to leave out one row at a time: in closed
        form, or with one fit a row where ``"auto"`` has to choose without the row
    random_state : seed of the folds or of the split

    Examples
    --------
    >>> from gaussbayes.datasets import load_iris
    >>> data = load_iris()
    >>> found = judge(GaussianClassifier(shared=True), data.rows, data.labels, "loo")
    >>> found.evaluation.n_errors, found.how
    (3, 'each of 150 rows predicted by a model of the others')
    """
    _refuse_one_class(as_targets(y)[1])
    one_by_one = isinstance(held_out, str) and held_out == "loo"
    chooses = is_automatic(settings.covariance) or is_automatic(settings.shrinkage)
    if one_by_one and not chooses:
        left_out = settings.leave_one_out(X, y).evaluation
        return Judgement(left_out, _without_itself(left_out))
    which = LeaveOneOut() if one_by_one else held_out
    kinds = settings.categorical_features
    parts = hold_out(X, y, which, random_state, kinds, allow_nan=not chooses)
    method = Method("the model", for_parts(settings, parts))
    for fold in track(folds(parts), "cross-validation", len(parts.splits)):
        method.judge(fold)
    found = method.candidate(parts.truth, parts.schema.classes)
    if found.evaluation is None:
        what = "predict rows that are" if method.fits else "be fitted to the rows that are not"
        msg = f"the model cannot {what} held out: {found.problem}"
        raise DataError(msg)
    return Judgement(
        found.evaluation, _without_itself(found.evaluation) if one_by_one else parts.how
    )


def _without_itself(left_out: Evaluation) -> str:
    return f"each of {left_out.n_rows} rows predicted by a model of the others"


def _refuse_one_class(classes: LabelArray) -> None:
    if classes.size < 2:
        msg = f"a classifier needs at least two classes, got {classes.tolist()!r}"
        raise DataError(msg)
