"""What a decision costs, by the class that is true and the class decided for."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from gaussbayes.base.errors import ParameterError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.families.gaussian.parameters import as_numbers

Costs: TypeAlias = ArrayLike | Mapping[tuple[object, object], float]
"""A matrix ``cost[true, decided]``, or ``{(true label, decided label): cost}``."""


def check_costs(costs: Costs, schema: Schema) -> FloatArray:
    """Costs as a matrix (k, k): true class by row, decided class by column.

    Parameters
    ----------
    costs : the matrix, in the order of the classes; or a mapping from (true label, decided label)
        to the cost, where being right costs 0 unless something else is said. What is gained is a
        negative cost.

    Raises
    ------
    ParameterError
        For another shape, NaN or infinity, labels that are unknown, or pairs left out.

    Examples
    --------
    >>> schema = Schema(np.array(["ill", "well"]), 1)
    >>> check_costs({("ill", "well"): 50, ("well", "ill"): 1}, schema).tolist()
    [[0.0, 50.0], [1.0, 0.0]]
    """
    k = schema.classes.shape[0]
    if isinstance(costs, Mapping):
        matrix = _from_mapping(costs, schema)
    else:
        matrix = as_numbers("costs", costs)
        if matrix.shape != (k, k):
            msg = (
                f"the costs of {k} classes have shape {(k, k)}, true class by row and decided "
                f"class by column, got {matrix.shape}"
            )
            raise ParameterError(msg)
    if not np.isfinite(matrix).all():
        true, decided = np.argwhere(~np.isfinite(matrix))[0].tolist()
        msg = (
            f"deciding {schema.class_name(decided)} where {schema.class_name(true)} is true costs "
            f"{matrix[true, decided]}; costs must be finite: use a large number for what must not "
            "happen"
        )
        raise ParameterError(msg)
    return matrix


def expected_costs(posterior: RealArray, costs: FloatArray) -> FloatArray:
    """``Σ_t p(t | x) cost[t, c]``: what deciding for each class costs on average (n, k).

    Examples
    --------
    >>> expected_costs(np.array([[0.1, 0.9]]), np.array([[0.0, 50.0], [1.0, 0.0]])).tolist()
    [[0.9, 5.0]]
    """
    expected: FloatArray = posterior @ costs
    return expected


def _from_mapping(costs: Mapping[tuple[object, object], float], schema: Schema) -> FloatArray:
    labels = schema.classes.tolist()
    position = {label: code for code, label in enumerate(labels)}
    keys: list[Any] = list(costs)
    for key in keys:
        if not isinstance(key, tuple) or len(key) != 2:
            msg = f"costs are given for pairs (true label, decided label), got {key!r:.200}"
            raise ParameterError(msg)
    unknown = dict.fromkeys(label for key in keys for label in key if label not in position)
    if unknown:
        msg = f"costs of unknown classes: {_some(unknown)}; the classes are {_some(labels)}"
        raise ParameterError(msg)
    k = len(labels)
    matrix = np.zeros((k, k))
    given = np.eye(k, dtype=np.bool_)
    values = as_numbers("costs", list(costs.values()))
    for (true, decided), value in zip(keys, values, strict=True):
        place = position[true], position[decided]
        matrix[place], given[place] = value, True
    if not given.all():
        pairs = ((labels[true], labels[decided]) for true, decided in np.argwhere(~given))
        msg = f"costs must name each pair of different classes; missing: {_some(pairs)}"
        raise ParameterError(msg)
    return matrix


def _some(items: Iterable[object], most: int = 8) -> str:
    every = list(items)
    names = ", ".join(map(repr, every[:most]))
    return names if len(every) <= most else f"{names}, …"
