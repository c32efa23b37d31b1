"""Categories drawn so that rare ones are among them, and how much rarer they are in the model.

Of rows simply drawn from a model none has the categories of a row that is met once in 1e30. So
half of the rows are drawn from probabilities in proportion to a power of those of the model: ½
makes rare categories less rare, 0 all alike, and −1 turns rare and frequent about. Each row weighs
as much as it is more probable in the model than in this mixture, which is at most 2.
"""

from dataclasses import replace

import numpy as np

from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.data.coding import CodedColumns
from gaussbayes.families.categorical.drawing import draw
from gaussbayes.families.categorical.parameters import CategoricalParameters

_SHARES = {1.0: 0.5, 0.5: 0.125, 0.0: 0.125, -0.5: 0.125, -1.0: 0.125}
"""Powers, and how many of the rows are drawn by each."""


def draw_widely(
    parameters: CategoricalParameters, codes: CodeArray, generator: np.random.Generator
) -> tuple[CodedColumns, FloatArray]:
    """The categories of one row for each class number (n,), and the weight of each row (n,).

    Examples
    --------
    >>> wind = CategoricalParameters((("L", "S"),), np.log([[1e-9, 1 - 1e-9]]))
    >>> drawn, weight = draw_widely(wind, np.zeros(100_000, np.int32), np.random.default_rng(0))
    >>> float((weight * (drawn.codes[:, 0] == 0)).mean().round(10))
    1e-09
    """
    n = codes.shape[0]
    powers, shares = list(_SHARES), np.array(list(_SHARES.values()))
    chosen = generator.choice(len(powers), size=n, p=shares)
    families = [_to_the_power(parameters, power) for power in powers]
    drawn = np.empty((n, len(parameters.categories)), dtype=np.int32, order="F")
    for number, family in enumerate(families):
        rows = np.flatnonzero(chosen == number)
        drawn[rows] = draw(family, codes[rows], generator).codes
    columns = CodedColumns(drawn, parameters.categories)
    each = np.stack([_own_log_likelihood(family, columns, codes) for family in families])
    here = np.logaddexp.reduce(each + np.log(shares)[:, None], axis=0)
    return columns, np.exp(each[0] - here)


def _to_the_power(parameters: CategoricalParameters, power: float) -> CategoricalParameters:
    """Probabilities in proportion to a power of those given; 0 stays 0."""
    log_probability = parameters.log_probability
    raised = np.full_like(log_probability, -np.inf)
    np.multiply(log_probability, power, out=raised, where=log_probability > -np.inf)
    found = replace(parameters, log_probability=raised)
    for j, categories in enumerate(parameters.categories):
        if categories:
            own = found.of(j)
            own -= np.logaddexp.reduce(own, axis=1, keepdims=True)
    return found


def _own_log_likelihood(
    parameters: CategoricalParameters, columns: CodedColumns, codes: CodeArray
) -> FloatArray:
    """``Σ_j log p(x_j | c)`` (n,) of each row in its own class."""
    total = np.zeros(codes.shape[0])
    for j, categories in enumerate(parameters.categories):
        if categories:
            total += parameters.of(j)[codes, columns.codes[:, j]]
    return total
