"""Which features tell the classes apart best, alone and in pairs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from gaussbayes.data.rows import Rows
from gaussbayes.model.evaluation import Evaluation, evaluate
from gaussbayes.model.model import Model
from gaussbayes.model.settings import cut_rows


@dataclass(frozen=True, slots=True, eq=False)
class InformativeFeatures:
    """The features with the fewest errors on their own, and the best pair of them."""

    features: tuple[int, ...]  # in the order of the columns
    pair: tuple[int, int]
    pair_evaluation: Evaluation  # of the model of that pair alone


def informative_features(
    model: Model, rows: Rows, codes: NDArray[np.intp], most: int = 6
) -> InformativeFeatures:
    """The features that err least when they are all the model sees, and the pair that does.

    The others are integrated out. Of equal errors the smaller log loss decides, then the column.
    The model has at least two features, and at least one row has a label (its code is not −1).
    """
    whole = replace(model, learnt=None)  # what was learnt is not needed to look at a model

    def evaluated(columns: Sequence[int]) -> Evaluation:
        part = cut_rows(rows, model.schema, columns)
        return evaluate(whole.marginal(columns).log_posterior(part), codes, model.schema.classes)

    def rank(columns: Sequence[int]) -> tuple[float, float]:
        evaluation = evaluated(columns)
        return evaluation.n_errors, evaluation.log_loss

    columns = list(range(model.schema.n_features))
    if len(columns) > most:
        columns = sorted(sorted(columns, key=lambda column: rank([column]))[:most])
    pair = min(combinations(columns, 2), key=rank)
    return InformativeFeatures(tuple(columns), pair, evaluated(pair))
