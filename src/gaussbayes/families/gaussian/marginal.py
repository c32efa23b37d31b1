"""A model of some features only: what the joint Gaussian says of them, the others integrated out.

The marginal of a Gaussian is the Gaussian with the same entries of mean and covariance; nothing is
estimated, filled in or approximated.
"""

from collections.abc import Sequence
from operator import index

import numpy as np

from gaussbayes.base.errors import SchemaError
from gaussbayes.base.schema import Schema
from gaussbayes.base.spelling import meant
from gaussbayes.families.gaussian.parameters import Parameters
from gaussbayes.families.gaussian.shapes import (
    Diagonal,
    Full,
    Shape,
    Spherical,
    diagonal,
    full,
    no_features,
    spherical,
)


def marginal(parameters: Parameters, columns: Sequence[int], schema: Schema) -> Parameters:
    """The parameters of the features in these columns; `schema` is that of the result.

    Without any they are the priors alone, as for a model whose features are all categories.

    Examples
    --------
    >>> from gaussbayes.families.gaussian.parameters import Structure, given
    >>> whole, part = Schema(np.array([0, 1]), 3), Schema(np.array([0, 1]), 2)
    >>> variances = [[1, 4, 9], [2, 3, 4]]
    >>> means = [[0, 1, 2], [3, 4, 5]]
    >>> joint = given(whole, Structure("diagonal"), "uniform", means, variances)
    >>> seen = marginal(joint, [2, 0], part)
    >>> seen.mean.tolist(), seen.covariance.variance.tolist()
    ([[2.0, 0.0], [5.0, 3.0]], [[9.0, 1.0], [4.0, 2.0]])
    """
    chosen = np.asarray(columns, dtype=np.intp)
    return Parameters(
        prior=parameters.prior,
        center=parameters.center[chosen],
        offset=parameters.offset[:, chosen],
        covariance=_sub_block(parameters.covariance, chosen, schema),
    )


def _sub_block(shape: Shape, chosen: np.typing.NDArray[np.intp], schema: Schema) -> Shape:
    if not chosen.size:
        return no_features()
    match shape:
        case Full():
            return full(shape.covariance[:, chosen[:, None], chosen], schema)
        case Diagonal():
            return diagonal(shape.variance[:, chosen], schema)
        case Spherical():
            return spherical(shape.variance, schema)


def find_columns(schema: Schema, features: Sequence[int | str]) -> tuple[int, ...]:
    """The columns of features given by name or number, each at most once.

    Examples
    --------
    >>> find_columns(Schema(np.array([0, 1]), 3, ("age", "height", "weight")), ["weight", 0])
    (2, 0)
    """
    if isinstance(features, str):
        features = [features]
    columns = tuple(_column(schema, feature) for feature in features)
    if not columns or len(set(columns)) < len(columns):
        msg = f"features must be different ones, and at least one, got {list(features)!r:.200}"
        raise SchemaError(msg)
    return columns


def _column(schema: Schema, feature: int | str) -> int:
    names = schema.features or ()
    if isinstance(feature, str):
        if feature in names:
            return names.index(feature)
        there = f"the features are {list(names)!r:.400}" if names else "the features have no names"
        close = meant(feature, names)
        msg = f"there is no feature {feature!r}{close}; {there}, and are numbered from 0"
        raise SchemaError(msg)
    try:
        column = index(feature)
    except TypeError:
        msg = f"a feature is given by its name or its number, got {feature!r}"
        raise SchemaError(msg) from None
    if not 0 <= column < schema.n_features:
        msg = f"there is no feature {column}; they are numbered from 0 to {schema.n_features - 1}"
        raise SchemaError(msg)
    return column
