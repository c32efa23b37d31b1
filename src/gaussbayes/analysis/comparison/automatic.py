"""The automatic choice of structure and shrinkage, judged as one more model."""

import numpy as np

from gaussbayes.analysis.comparison.held_out import HeldOut
from gaussbayes.analysis.comparison.judging import Method, for_parts, quiet_about_categories
from gaussbayes.base.errors import GaussBayesError
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.model.selection import AUTOMATIC, Selection

NAME = "automatic choice"


def automatic_choice(settings: GaussianClassifier, parts: HeldOut) -> Method:
    """A method that chooses anew in each fold, from the rows that it is fitted to alone."""
    model = for_parts(settings, parts)
    return Method(NAME, model.set_params(covariance=AUTOMATIC, shrinkage=AUTOMATIC))


def chosen(method: Method, parts: HeldOut) -> Selection | None:
    """What is chosen from all rows that models were fitted to; None if nothing can be.

    The method takes over the structure, and how many parameters it has.
    """
    if method.problem is not None:
        return None
    if len(parts.splits) > 1:
        rows = np.unique(np.concatenate([train for train, _ in parts.splits]))
        try:
            with quiet_about_categories():
                method.estimator.fit(parts.rows[rows], parts.schema.classes[parts.codes[rows]])
        except GaussBayesError as error:
            method.problem = str(error)
            return None
    found: Selection = method.estimator.selection_
    method.structure, method.n_parameters = found.best.structure, found.best.n_parameters
    return found
