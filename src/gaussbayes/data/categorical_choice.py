"""Which columns are categorical: by their types, by name, by number or by a mask."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import ParameterError, SchemaError
from gaussbayes.data.table import as_array, as_frame, is_frame


def categorical_columns(X: Any, chosen: Any = "from_dtype") -> NDArray[np.bool_]:
    """Which columns of a table are categorical (d,).

    Parameters
    ----------
    X : array, list or frame
    chosen : ``"from_dtype"``: the columns of a frame that are of a categorical type (category in
        pandas, Categorical and Enum in polars, dictionary in Arrow), as scikit-learn's gradient
        boosting has it; text and truth values are not, and neither is any column of an array.
        Or names, numbers from 0, or a truth value for each column; None is no column.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [30, 40], "wind": pd.Categorical(["S", "M"])})
    >>> categorical_columns(frame).tolist(), categorical_columns(frame, ["age"]).tolist()
    ([False, True], [True, False])
    """
    names, types = _columns(X)
    return marked(names, [_is_categorical(kind) for kind in types], chosen)


def marked(names: Sequence[Any] | None, by_type: Sequence[bool], chosen: Any) -> NDArray[np.bool_]:
    """The same for columns of which names, if they have any, and types are known (d,).

    Parameters
    ----------
    by_type : (d,) whether the type of each column is a categorical one

    Examples
    --------
    >>> marked(["age", "wind"], [False, True], "from_dtype").tolist()
    [False, True]
    """
    mask = np.zeros(len(by_type), dtype=bool)
    if chosen is None:
        return mask
    if isinstance(chosen, str):
        if chosen != "from_dtype":
            msg = (
                "categorical_features is 'from_dtype', None, or a list of names, numbers or truth "
                f"values, got {chosen!r}; one name is written [{chosen!r}]"
            )
            raise ParameterError(msg)
        return np.array(by_type, dtype=bool)
    wanted = _as_list(chosen)
    if not wanted:
        return mask
    kinds = {type(one) for one in wanted}
    if kinds == {str}:
        mask[[_by_name(name, names) for name in wanted]] = True
    elif kinds == {bool}:
        if len(wanted) != len(by_type):
            msg = (
                f"categorical_features says of {len(wanted)} columns whether they are categorical, "
                f"but X has {len(by_type)}"
            )
            raise SchemaError(msg)
        mask[:] = wanted
    elif kinds == {int}:
        for number in wanted:
            if not 0 <= number < len(by_type):
                msg = (
                    f"categorical_features has column {number}, but the columns of X are 0 to "
                    f"{len(by_type) - 1}"
                )
                raise SchemaError(msg)
        mask[wanted] = True
    else:
        msg = (
            "categorical_features are all names, all whole numbers or all truth values, got "
            f"{wanted!r:.200}"
        )
        raise ParameterError(msg)
    return mask


def _columns(X: Any) -> tuple[list[Any] | None, list[Any]]:
    """Names, if there are any, and types; one type of None for each column of an array."""
    if is_frame(X):
        frame = as_frame(X)
        return list(frame.columns), list(frame.schema.values())
    return None, [None] * as_array(X).shape[1]


def _is_categorical(kind: Any) -> bool:
    if kind is None:
        return False
    import narwhals.stable.v2 as nw

    return kind in (nw.Categorical, nw.Enum)


def _as_list(chosen: Any) -> list[Any]:
    try:
        return [one.item() if isinstance(one, np.generic) else one for one in chosen]
    except TypeError:
        msg = (
            "categorical_features is 'from_dtype', None, or a list of names, numbers or truth "
            f"values, got {chosen!r:.200}"
        )
        raise ParameterError(msg) from None


def _by_name(name: str, names: Sequence[Any] | None) -> int:
    if names is None:
        msg = (
            f"categorical_features names {name!r}, but the columns of an array have no names: give "
            "numbers or a truth value for each column, or a frame"
        )
        raise SchemaError(msg)
    if name not in names:
        msg = f"categorical_features names {name!r}, but the columns are {list(names)!r:.300}"
        raise SchemaError(msg)
    return names.index(name)
