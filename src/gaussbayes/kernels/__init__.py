"""The hot loops: native (C++) where a compiler was, NumPy twins elsewhere.

`active()` is the module in use. The environment variable ``GAUSSBAYES_KERNELS`` (``native`` or
``reference``) chooses at start; `using` chooses for a while.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import ModuleType
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import CodeArray, FloatArray, RealArray, ScatterLayout, Task
from gaussbayes.kernels import reference
from gaussbayes.kernels.columns import Columns
from gaussbayes.kernels.forms import Form

native: ModuleType | None
try:
    from gaussbayes.kernels import native
except ImportError:  # built where no compiler was
    native = None


class Kernels(Protocol):
    """What both kernel modules offer; `gaussbayes.kernels.reference` says what each means."""

    NAME: str

    def instruction_set(self) -> str: ...

    def encode(
        self, labels: NDArray[np.int64], lowest: int, span: int
    ) -> tuple[CodeArray, NDArray[np.bool_]]: ...

    def accumulate(
        self,
        X: RealArray | Columns,
        codes: CodeArray,
        weights: FloatArray | None,
        n_classes: int,
        layout: ScatterLayout,
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]: ...

    def prepare(self, form: Form, dtype: "np.dtype[Any]") -> Any: ...

    def score(
        self,
        form: Any,
        X: RealArray,
        task: Task,
        out: NDArray[Any],
        prune: bool = True,
        bias: RealArray | None = None,
    ) -> int: ...


def _find(name: str) -> Kernels:
    if name not in {"native", "reference"}:
        msg = f"kernels must be 'native' or 'reference', got {name!r} (see GAUSSBAYES_KERNELS)"
        raise RuntimeError(msg)
    module = native if name == "native" else reference
    if module is None:
        msg = (
            "native kernels were asked for but are not built; install gaussbayes where a C++ "
            "compiler is, or use the reference kernels"
        )
        raise RuntimeError(msg)
    return cast("Kernels", module)


_default = _find(
    os.environ.get("GAUSSBAYES_KERNELS") or ("reference" if native is None else "native")
)
_chosen: ContextVar[Kernels] = ContextVar("gaussbayes_kernels", default=_default)

active: Callable[[], Kernels] = _chosen.get
"""The kernels in use now: ``active().NAME`` is "native" or "reference"."""


@contextmanager
def using(name: str) -> Iterator[Kernels]:
    """Use the ``"native"`` or the ``"reference"`` kernels inside a ``with`` block.

    Examples
    --------
    >>> with using("reference"):
    ...     active().NAME
    'reference'
    """
    token = _chosen.set(_find(name))
    try:
        yield active()
    finally:
        _chosen.reset(token)


def show_config() -> None:
    """Print the version, the active kernels and what they were built for.

    Examples
    --------
    >>> with using("reference"):
    ...     show_config()  # doctest: +ELLIPSIS
    gaussbayes ...
    kernels    reference (NumPy ...)
    """
    from importlib.metadata import version

    kernels = active()
    print(f"gaussbayes {version('gaussbayes')}")
    language = "C++, " if kernels.NAME == "native" else ""
    print(f"kernels    {kernels.NAME} ({language}{kernels.instruction_set()})")
