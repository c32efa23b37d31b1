"""Values as JSON that every browser reads: numbers are finite or null."""

import json
import math
from collections.abc import Mapping
from typing import Any


def as_json(value: Any) -> str:
    """The JSON of plain values, and of NumPy's numbers and arrays.

    NumPy is not imported for it: the first page is there before NumPy is.

    Examples
    --------
    >>> import numpy as np
    >>> as_json({"error": np.float64(0.25), "log_loss": np.inf, "mean": np.array([1.0, np.nan])})
    '{"error":0.25,"log_loss":null,"mean":[1.0,null]}'
    """
    try:
        return _dumps(value)
    except ValueError:  # a number that JSON has not
        return _dumps(_finite(value))


def told(text: str, kind: str | None = None, number: int | None = None) -> str:
    """What is wrong with a request, as a message.

    Parameters
    ----------
    kind, number : of the request, if they are known

    Examples
    --------
    >>> told("there is no class 7", "scene", 3)
    '{"kind":"error","of":"scene","number":3,"text":"there is no class 7"}'
    """
    return as_json({"kind": "error", "of": kind, "number": number, "text": text})


def _dumps(value: Any) -> str:
    return json.dumps(
        value, allow_nan=False, ensure_ascii=False, separators=(",", ":"), default=_plain
    )


def _plain(value: Any) -> Any:
    """What JSON has in the place of NumPy's numbers and arrays."""
    if not hasattr(value, "tolist"):
        msg = f"a head holds JSON's kinds of values, not {type(value).__name__}"
        raise TypeError(msg)
    return value.tolist()


def _finite(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return value
