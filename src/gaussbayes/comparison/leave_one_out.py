"""Leave-one-out: every row is predicted by the model of all others.

Nothing is fitted n times. The rows are halved again and again, and what is left outside a half is
merged from the halves beside it, so that the moments of all rows but one cost ``log2 n`` merges.
Moments are only ever added: a subtraction would lose digits where one row outweighs all others.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from gaussbayes.comparison.held_out import Places
from gaussbayes.errors import GaussBayesError
from gaussbayes.estimator import GaussianClassifier
from gaussbayes.labelled import LabelledMoments
from gaussbayes.moments import ClassMoments, empty
from gaussbayes.progress import track
from gaussbayes.schema import Schema
from gaussbayes.scores import log_posterior
from gaussbayes.settings import check_settings
from gaussbayes.summarise import summarise
from gaussbayes.types import FloatArray, RealArray


def leave_one_out(
    settings: GaussianClassifier, rows: RealArray, codes: Places, schema: Schema
) -> FloatArray:
    """Log posteriors (n, k) of rows (n, d), each by a model fitted to the others.

    A class whose only row is left out is unknown to the model: its posterior is 0.

    Examples
    --------
    >>> rows = np.array([[1.0], [2.0], [3.5], [7.0], [8.0], [9.5]])
    >>> codes = np.array([0, 0, 0, 1, 1, 1])
    >>> told = leave_one_out(GaussianClassifier(), rows, codes, Schema(np.array(["a", "b"]), 1))
    >>> told.argmax(axis=1).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    chosen = check_settings(
        settings.covariance,
        settings.shared,
        settings.priors,
        settings.divisor,
        settings.shrinkage,
    )
    layout = chosen.structure.layout
    k, n = schema.classes.size, codes.size

    def moments(start: int, stop: int) -> ClassMoments:
        part = slice(start, stop)
        return summarise(rows[part], codes[part].astype(np.int32), None, k, layout)

    def others(start: int, stop: int, outside: ClassMoments) -> Iterator[ClassMoments]:
        """The moments of all rows but one, for each row of a part in turn."""
        if stop - start == 1:
            yield outside
            return
        middle = (start + stop) // 2
        yield from others(start, middle, outside + moments(middle, stop))
        yield from others(middle, stop, outside + moments(start, middle))

    told = np.full((n, k), -np.inf)
    left = others(0, n, empty(k, rows.shape[1], layout))
    for row, learnt in enumerate(track(left, "leaving one row out", n)):
        known = LabelledMoments(schema.classes, learnt).with_rows()
        try:
            names = replace(schema, classes=known.classes)
            parameters = chosen.estimate(known.moments, names)
        except GaussBayesError as error:
            msg = f"without row {row + 1} of {n} the model cannot be fitted: {error}"
            raise type(error)(msg) from None
        told[row, learnt.weight > 0] = log_posterior(parameters, rows[row : row + 1])[0]
    return told
