"""Priors, in the one place that knows them: estimated, uniform, or given.

A prior never reaches a covariance: it only shifts the log joint of its class.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from gaussbayes.base.errors import PriorError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray

Priors: TypeAlias = str | Sequence[float] | Mapping[object, float] | FloatArray | None

_SUM_TOLERANCE = 1e-8


def class_priors(priors: Priors, schema: Schema, weight: FloatArray) -> FloatArray:
    """The prior of each class (k,).

    Parameters
    ----------
    priors : None for the classes' proportions of the weight, ``"uniform"``, a sequence in the order
        of the classes, or a mapping from label to probability
    weight : (k,) weight of each class
    """
    k = schema.classes.shape[0]
    if priors is None:
        return np.asarray(weight / weight.sum())
    if isinstance(priors, str):
        if priors != "uniform":
            msg = f"priors must be None, 'uniform', numbers or {{label: number}}, got {priors!r}"
            raise PriorError(msg)
        return np.full(k, 1.0 / k)
    if isinstance(priors, Mapping):
        priors = _in_order(priors, schema)
    try:
        values = np.array(priors, dtype=np.float64)  # a copy: the caller may change theirs
    except (TypeError, ValueError):
        msg = f"priors must be numbers, got {priors!r}"
        raise PriorError(msg) from None
    if values.shape != (k,):
        msg = (
            f"there are {k} classes, {_some(schema)}, so {k} priors are needed; "
            f"got {values.size} of shape {values.shape}: {values.tolist()}"
        )
        raise PriorError(msg)
    if not np.isfinite(values).all() or (values < 0).any():
        code = int(np.flatnonzero(~(np.isfinite(values) & (values >= 0)))[0])
        msg = (
            f"the prior of class {schema.class_name(code)} is {values[code]}; "
            "priors must be finite and not negative"
        )
        raise PriorError(msg)
    total = float(values.sum())
    if abs(total - 1.0) > _SUM_TOLERANCE:
        msg = f"priors must sum to 1, got {values.tolist()}, which sum to {total!r}"
        raise PriorError(msg)
    return values


def _in_order(priors: Mapping[object, float], schema: Schema) -> list[float]:
    known = schema.classes.tolist()
    unknown = [label for label in priors if schema.position(label) < 0]
    absent = [label for label in known if label not in priors]
    if unknown or absent:
        pairs = (("unknown to the model", unknown), ("without a prior", absent))
        wrong = "; ".join(f"{what}: {', '.join(map(repr, some))}" for what, some in pairs if some)
        msg = f"priors must name each class once; {wrong} (classes: {_some(schema)})"
        raise PriorError(msg)
    return [priors[label] for label in known]


def _some(schema: Schema, most: int = 8) -> str:
    k = schema.classes.shape[0]
    names = ", ".join(schema.class_name(code) for code in range(min(k, most)))
    return names if k <= most else f"{names}, …"
