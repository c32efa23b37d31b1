"""The hot loops: native (C++) if a compiler was available, otherwise NumPy twins.

`active()` is the module in use. The environment variable ``GAUSSBAYES_KERNELS`` (``native`` or
``reference``) selects one at start; `using` selects one temporarily.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.types import RealArray, Task
from gaussbayes.kernels import reference
from gaussbayes.kernels.arrays import Linear

native: ModuleType | None
try:
    from gaussbayes.kernels import native
except ImportError:  # built without a compiler
    native = None

Kernels: TypeAlias = ModuleType
"""One of the two modules; `gaussbayes.kernels.reference` specifies their functions."""


def _find(name: str) -> Kernels:
    if name not in {"native", "reference"}:
        msg = f"kernels must be 'native' or 'reference', got {name!r} (see GAUSSBAYES_KERNELS)"
        raise RuntimeError(msg)
    module = native if name == "native" else reference
    if module is None:
        msg = (
            "native kernels were requested but are not built; install gaussbayes where a C++ "
            "compiler is, or use the reference kernels"
        )
        raise RuntimeError(msg)
    return module


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


def normalise(log_joint: RealArray, task: Task, out: NDArray[Any]) -> int:
    """Write the output of `task` for log joints (n, k) into `out`; return as a scoring kernel does.

    There is one normaliser: log joints from other code become the bias of rows without features,
    which the kernels convert to posteriors. `IMPOSSIBLE` is a row with −∞ for every class: its
    probability is 0, and it has no posterior.

    Examples
    --------
    >>> out = np.empty((2, 2))
    >>> normalise(np.log([[0.1, 0.3], [0.2, 1e-300]]), "posterior", out), out.round(9).tolist()
    (0, [[0.25, 0.75], [1.0, 0.0]])
    """
    (n, k), kernels = log_joint.shape, active()
    form: Any = Linear(np.empty(0), np.empty((k, 0)), np.zeros(k))
    nothing: RealArray = np.empty((n, 0), log_joint.dtype)
    form = kernels.prepare(form, log_joint.dtype)
    return int(kernels.score(form, nothing, task, out, bias=log_joint))


def check_possible(log_joint: RealArray, start: int = 0) -> None:
    """Raise if a row has −∞ for every class; `start` is the number of the first row."""
    impossible = np.isneginf(log_joint).all(axis=1)
    if impossible.any():
        msg = (
            f"row {start + int(np.argmax(impossible))} has probability 0 in every class: each has "
            "a category or a count that never occurred in it; set smoothing above 0, which leaves "
            "nothing impossible"
        )
        raise DataError(msg)


def show_config() -> None:
    """Print the version, the active kernels and their instruction set.

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
