"""The native kernels behind the same four functions as `gaussbayes.kernels.reference`.

Importing this module fails with ImportError where the extension was not built.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import CodeArray, FloatArray, RealArray, ScatterLayout, Task
from gaussbayes.kernels import _native
from gaussbayes.kernels.columns import Columns
from gaussbayes.kernels.forms import Form, Linear, Masked, Quadratic
from gaussbayes.kernels.reference import scatter_shape

NAME = "native"


def instruction_set() -> str:
    """The vector instructions in use: ``"avx512"``, ``"avx2"`` or ``"baseline"``."""
    return str(_native.instruction_set())


def encode(
    labels: NDArray[np.int64], lowest: int, span: int
) -> tuple[CodeArray, NDArray[np.bool_]]:
    """Class codes of integer labels; see the reference twin."""
    codes = np.empty(labels.shape[0], dtype=np.int32)
    present = np.zeros(span, dtype=np.bool_)
    _native.encode(np.ascontiguousarray(labels), lowest, codes, present)
    return codes, present


def accumulate(
    X: RealArray | Columns,
    codes: CodeArray,
    weights: FloatArray | None,
    n_classes: int,
    layout: ScatterLayout,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Weight, anchor, offset and scatter of each class; see the reference twin."""
    k, d = n_classes, X.shape[1]
    scatter = np.zeros(scatter_shape(layout, k, d))
    moments = (np.zeros(k), np.zeros((k, d)), np.zeros((k, d)), scatter)
    if isinstance(X, Columns):
        columns = list(X.columns)
        _native.accumulate_columns(columns, codes, weights, n_classes, layout, *moments)
    else:
        _native.accumulate(X, codes, weights, n_classes, layout, *moments)
    return moments


@dataclass(frozen=True, slots=True)
class Packed:
    """A quadratic form whose triangles are laid out for the registers."""

    form: Quadratic
    whitener: RealArray  # flat
    diagonal: bool
    shared: bool


def prepare(form: Form, dtype: "np.dtype[Any]") -> Packed | Linear | Masked:
    """The form for rows of `dtype`, its triangles packed."""
    narrow: Any = form.cast(dtype)
    parts = {name: getattr(narrow, name) for name in narrow.__slots__}
    arrays = {name: part for name, part in parts.items() if isinstance(part, np.ndarray)}
    laid_out: Form = replace(
        narrow, **{name: np.ascontiguousarray(arrays[name]) for name in arrays}
    )
    return _pack(laid_out) if isinstance(laid_out, Quadratic) else laid_out


def _pack(narrow: Quadratic) -> Packed:
    shared = narrow.whitener.shape[0] == 1
    if narrow.whitener.ndim == 2:
        return Packed(narrow, narrow.whitener.reshape(-1), diagonal=True, shared=shared)
    count, d, _ = narrow.whitener.shape
    size = _native.packed_size(d, narrow.whitener.dtype == np.float32)
    packed = np.empty((count, size), dtype=narrow.whitener.dtype)
    for target, triangle in zip(packed, narrow.whitener, strict=True):
        _native.pack(triangle, target)
    return Packed(narrow, packed.reshape(-1), diagonal=False, shared=shared)


def score(
    form: Packed | Linear | Masked,
    X: RealArray,
    task: Task,
    out: NDArray[Any],
    prune: bool = True,
    bias: RealArray | None = None,
) -> int:
    """Write what `task` asks for of each row into `out`; see the reference twin."""
    if isinstance(form, Masked):
        return int(
            _native.score_masked(
                X,
                form.center,
                form.offset,
                form.scale,
                form.correlation.reshape(-1),
                form.log_feature,
                form.log_constant,
                form.density,
                task,
                out,
                bias,
            )
        )
    if isinstance(form, Linear):
        return int(
            _native.score_linear(
                X, form.center, form.coefficient, form.log_constant, task, out, bias
            )
        )
    quadratic = form.form
    return int(
        _native.score_quadratic(
            X,
            quadratic.center,
            quadratic.offset,
            form.whitener,
            quadratic.log_constant,
            form.diagonal,
            form.shared,
            task,
            prune,
            out,
            bias,
        )
    )
