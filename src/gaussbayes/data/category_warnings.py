"""What is worth a warning: categories that training never saw, and numbers that are hardly any."""

import inspect
import warnings
from collections.abc import Sequence

from gaussbayes.base.schema import Schema
from gaussbayes.data.categories import Categories, kind
from gaussbayes.data.coding import Unseen

_MANY = 1000


class UnseenCategoryWarning(UserWarning):
    """Rows to be predicted hold categories that the training rows did not."""


class ManyCategoriesWarning(UserWarning):
    """A feature has so many different numbers that they may be no categories."""


def warn_of_unseen(unseen: Sequence[Unseen], schema: Schema) -> None:
    """One warning for all features; `schema` has the names of the categorical ones.

    Examples
    --------
    >>> import numpy as np
    >>> with warnings.catch_warnings(record=True, action="always") as seen:
    ...     warn_of_unseen([Unseen(0, 2, ("X", "Y"))], Schema(np.arange(2), 1, ("wind",)))
    >>> print(seen[0].message)
    not among the categories seen in training: 2 values of 'wind' ('X', 'Y'). They say nothing about
    the class; the other features decide
    """
    if unseen:
        message = unseen_message(unseen, schema)
        warnings.warn(message, UnseenCategoryWarning, stacklevel=_outside())


def unseen_message(unseen: Sequence[Unseen], schema: Schema) -> str:
    """What is said of categories that training never saw."""
    parts = [
        f"{one.n_values:,} value{'' if one.n_values == 1 else 's'} of "
        f"{schema.feature_name(one.column)} ({', '.join(f'{each!r:.40}' for each in one.examples)})"
        for one in unseen
    ]
    return (
        f"not among the categories seen in training: {', '.join(parts)}. They say nothing about "
        "the class; the other features decide"
    )


def warn_of_many(categories: Sequence[Categories], schema: Schema) -> None:
    """Warn of features whose categories are more than 1,000 different numbers: measurements?

    Examples
    --------
    >>> import numpy as np
    >>> with warnings.catch_warnings(record=True, action="always") as seen:
    ...     warn_of_many([tuple(range(5000))], Schema(np.arange(2), 1, ("income",)))
    >>> len(seen)
    1
    """
    for j, own in enumerate(categories):
        if len(own) > _MANY and kind(own) is int:
            msg = (
                f"{schema.feature_name(j)} is categorical and has {len(own):,} different numbers "
                f"from {own[0]} to {own[-1]}: if they are measurements, leave it out of "
                "categorical_features"
            )
            warnings.warn(msg, ManyCategoriesWarning, stacklevel=_outside())


def _outside() -> int:
    """How far up the first caller lies that is not of this package: the line to be warned of."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_globals.get("__name__", "").startswith("gaussbayes."):
        frame, level = frame.f_back, level + 1
    return level
