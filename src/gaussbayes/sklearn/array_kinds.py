"""Arrays of other libraries, in and out, where scikit-learn's `array_api_dispatch` is on."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.utils import _array_api

from gaussbayes.base.errors import DataError
from gaussbayes.data.tables import is_frame


def _dispatched(X: Any) -> bool:
    """Whether X is an array of another library, and results are to be such arrays."""
    if not get_config()["array_api_dispatch"] or isinstance(X, np.ndarray | np.generic):
        return False
    return hasattr(X, "shape") and not is_frame(X) and _array_api.get_namespace(X)[1]


def as_numpy(X: Any) -> Any:
    """An array of another library as one of NumPy's; anything else as it is."""
    if X is None or not _dispatched(X):
        return X
    namespace, _ = _array_api.get_namespace(X)
    return _array_api._convert_to_numpy(X, namespace)  # noqa: SLF001


@dataclass(frozen=True, slots=True, eq=False)
class ArrayKind:
    """What results are to be like: of the float type, library and device of some rows."""

    floats: "np.dtype[Any]"
    like: Any = None  # an empty array of the library; None for NumPy's

    @classmethod
    def of(cls, X: Any) -> "ArrayKind":
        """The kind of rows; integers and lists are float64."""
        dtype = np.dtype(np.float64)
        if _dispatched(X):
            like = X[:0, ...]
            given = as_numpy(like).dtype
            return cls(given if given.kind == "f" else dtype, like)
        given = getattr(X, "dtype", None)
        return cls(np.dtype(np.float32) if given == np.float32 else dtype)

    def check_same(self, X: Any, method: str) -> None:
        """Raise for rows of another library than those of `fit`, where results depend on it."""
        if not get_config()["array_api_dispatch"] or is_frame(X) or not hasattr(X, "shape"):
            return
        theirs, _ = _array_api.get_namespace(X)
        mine, _ = _array_api.get_namespace(np.empty(0) if self.like is None else self.like)
        if theirs is not mine:
            msg = (
                f"{method} must use the same namespace as fit: rows are arrays of "
                f"{theirs.__name__}, and were arrays of {mine.__name__}; convert them, or fit again"
            )
            raise DataError(msg)

    def give(self, values: Any) -> Any:
        """Numbers as an array of this kind, or several in a list; others as they are."""
        if isinstance(values, list):
            return [self.give(each) for each in values]
        if not isinstance(values, np.ndarray) or values.dtype.kind not in "fiu":
            return values
        if values.dtype.kind == "f":
            values = values.astype(self.floats, copy=False)
        return self.moved(values)

    def moved(self, values: Any) -> Any:
        """Numbers in the library and on the device of the rows, in their own type."""
        if self.like is None or values.dtype.kind not in "fiu":
            return values
        namespace, _, device = _array_api.get_namespace_and_device(self.like)
        return namespace.asarray(values, device=device)
