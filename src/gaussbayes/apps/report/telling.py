"""Which features tell the classes apart best, for models of more than a picture can show."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.evaluation import Evaluation, evaluate
from gaussbayes.base.types import RealArray
from gaussbayes.classifier import GaussianClassifier


@dataclass(frozen=True, slots=True, eq=False)
class Telling:
    """The features chosen, and the best pair of them."""

    features: tuple[int, ...]  # in the order of the columns
    pair: tuple[int, int]
    pair_evaluation: Evaluation  # of the model of that pair alone


def telling_features(
    model: GaussianClassifier, rows: RealArray, codes: NDArray[np.intp], most: int = 6
) -> Telling:
    """The features that err least when they are all the model sees, and the pair that does.

    The other features are integrated out. Equal errors are ordered by the log loss, then by column.

    Parameters
    ----------
    model : of at least two features, without names
    rows : (n, d)
    codes : (n,) the true class numbers

    Examples
    --------
    >>> means, variances = [[0, 0, 0], [0, 5, 9]], [[1, 1, 1], [1, 1, 1]]
    >>> model = GaussianClassifier.from_parameters(None, means, variances, covariance="diagonal")
    >>> rows, labels = model.sample(200, random_state=0)
    >>> telling_features(model, rows, labels, most=2).features
    (1, 2)
    """
    every = range(rows.shape[1])
    if len(every) > most:
        alone = sorted(every, key=lambda column: _rank(model, rows, codes, [column]))
        features = tuple(sorted(alone[:most]))
    else:
        features = tuple(every)
    pair = min(combinations(features, 2), key=lambda two: _rank(model, rows, codes, two))
    return Telling(features, pair, _evaluation(model, rows, codes, pair))


def _evaluation(
    model: GaussianClassifier, rows: RealArray, codes: NDArray[np.intp], columns: Sequence[int]
) -> Evaluation:
    seen = model.marginal(columns)
    return evaluate(seen.predict_log_proba(rows[:, list(columns)]), codes, model.classes_)


def _rank(
    model: GaussianClassifier, rows: RealArray, codes: NDArray[np.intp], columns: Sequence[int]
) -> tuple[int, float]:
    found = _evaluation(model, rows, codes, columns)
    return found.n_errors, found.log_loss
