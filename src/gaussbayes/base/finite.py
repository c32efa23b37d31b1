"""NaN and infinity in rows: found by the kernels on the way, named here.

Looking for them beforehand would read all rows once more; a sum or a score that is not finite tells
as well, and only then is the place searched.
"""

from collections.abc import Sequence

import numpy as np

from gaussbayes.base.errors import DataError
from gaussbayes.base.types import RealArray


def check_finite(
    X: RealArray,
    start: int = 0,
    names: Sequence[str | int] | None = None,
    *,
    allow_nan: bool = False,
) -> None:
    """Raise if there is NaN or infinity in the rows, naming the first place.

    With `allow_nan`, where NaN is a value that is missing, only infinity is an error.
    """
    wrong = np.isinf(X) if allow_nan else ~np.isfinite(X)
    if wrong.any():
        places = np.argwhere(wrong)
        row, column = (int(place) for place in places[0])
        value = "NaN" if np.isnan(X[row, column]) else "infinity"
        name, n = column if names is None else repr(names[column]), len(places)
        msg = (
            f"Input X contains {value} in row {row + start}, column {name} "
            f"({n} such value{'s' if n > 1 else ''}); remove or fill such rows first"
        )
        raise DataError(msg)


def overflow_error(X: RealArray) -> DataError:
    """What is raised for finite rows whose sums are not."""
    return DataError(
        f"values up to {np.abs(X).max():g} are too large: their sums of squares overflow; "
        "give the features in larger units"
    )
