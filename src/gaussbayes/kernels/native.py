"""The native kernels behind the same functions as `gaussbayes.kernels.reference`.

Importing this module raises ImportError if the extension was not built.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import CodeArray, FloatArray, RealArray, ScatterLayout, Task
from gaussbayes.kernels import _native, reference
from gaussbayes.kernels.arrays import (
    Columns,
    Form,
    Linear,
    Masked,
    MomentArrays,
    PairCounts,
    Quadratic,
)

NAME = "native"


def instruction_set() -> str:
    """The vector instructions in use: ``"avx512"``, ``"avx2"`` or ``"baseline"``."""
    return str(_native.instruction_set())


def encode(
    labels: NDArray[np.int64], lowest: int, codes: CodeArray, present: NDArray[np.bool_]
) -> bool:
    """Write the positions of integer labels in a span; see the reference twin."""
    return bool(_native.encode(np.ascontiguousarray(labels), lowest, codes, present))


def renumber(codes: CodeArray, numbers: CodeArray) -> None:
    """Renumber codes in place; see the reference twin."""
    _native.renumber(codes, numbers)


def accumulate(
    X: RealArray | Columns,
    codes: CodeArray,
    weights: FloatArray | None,
    n_classes: int,
    layout: ScatterLayout,
) -> MomentArrays:
    """Weight, anchor, offset and scatter of each class; see the reference twin."""
    k, d = n_classes, X.shape[1]
    scatter = np.zeros(reference.scatter_shape(layout, k, d))
    moments = (np.zeros(k), np.zeros((k, d)), np.zeros((k, d)), scatter)
    if isinstance(X, Columns):
        _native.accumulate_columns(list(X.columns), codes, weights, k, layout, *moments)
    else:
        _native.accumulate(X, codes, weights, k, layout, *moments)
    return moments


def merge(a: MomentArrays, b: MomentArrays, layout: ScatterLayout) -> MomentArrays:
    """Weight, anchor, offset and scatter of the rows of both; see the reference twin."""
    k, d = a[1].shape
    total = (np.empty(k), np.empty((k, d)), np.empty((k, d)), np.empty_like(a[3], order="C"))
    _native.merge(_contiguous(*a), _contiguous(*b), k, d, layout, total)
    return total


_LEFT_TO_BLAS = 1024
"""Features from which on BLAS, which shares a matrix among threads, factors faster."""


def factor(
    covariance: FloatArray, whitener: FloatArray, log_det: FloatArray, unexplained: FloatArray
) -> None:
    """Write whiteners and log determinants of covariances; see the reference twin."""
    run = _native.factor if covariance.shape[1] < _LEFT_TO_BLAS else reference.factor
    run(np.ascontiguousarray(covariance), whitener, log_det, unexplained)


def complete(
    whitener: FloatArray,
    hidden: NDArray[np.int64],
    cell: NDArray[np.int64],
    points: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Write conditional expectations of missing features into points; see the reference twin."""
    cells, most = hidden.shape
    covariance, log_det = np.empty((cells, most, most)), np.empty(cells)
    squares = np.empty(cell.size)
    given = _contiguous(whitener.T, hidden, cell)
    _native.complete(given[0], given[1], given[2], points, covariance, log_det, squares)
    return covariance, log_det, squares


def spread(
    covariance: FloatArray, hidden: NDArray[np.int64], weight: FloatArray, to: FloatArray
) -> None:
    """Add covariances of the missing features of cells; see the reference twin."""
    given = _contiguous(covariance, hidden, weight)
    _native.spread(given[0], given[1], given[2], to)


class Prepared(NamedTuple):
    """A form laid out for the registers: the function that scores it, and its arguments."""

    function: Callable[..., int]
    arguments: tuple[Any, ...]


def prepare(form: Form, dtype: "np.dtype[Any]") -> Prepared:
    """The form for rows of `dtype`; the triangles of whiteners are packed."""
    if isinstance(form, Quadratic):
        return _prepare_quadratic(form, dtype)
    form = form.cast(dtype)
    if isinstance(form, Linear):
        linear = (form.center, form.coefficient, form.log_constant)
        return Prepared(_native.score_linear, _contiguous(*linear))
    if isinstance(form, Masked):
        density = (form.scale, form.correlation.reshape(-1), form.log_feature, form.log_constant)
        masked = _contiguous(form.center, form.offset, form.remainder.reshape(-1), *density)
        return Prepared(_native.score_masked, (*masked, form.density))
    arrays = _contiguous(form.center, form.mean, _packed(form.whitener[None], dtype)[0])
    return Prepared(_native.score_whitened, (*arrays, form.log_constant))


def _prepare_quadratic(form: Quadratic, dtype: "np.dtype[Any]") -> Prepared:
    """The form laid out for rows of `dtype`; the whiteners are the largest arrays of a model."""
    shared, diagonal = form.whitener.shape[0] == 1, form.whitener.ndim == 2
    whitener = form.whitener.astype(dtype) if diagonal else _packed(form.whitener, dtype)
    form = replace(form, whitener=form.whitener[:0]).cast(dtype)
    means = form.center, form.offset, form.remainder.reshape(-1)
    arrays = _contiguous(*means, whitener.reshape(-1), form.log_constant)
    return Prepared(_native.score_quadratic, (*arrays, diagonal, shared))


def with_constant(form: Prepared, log_constant: FloatArray) -> Prepared:
    """A prepared quadratic or whitened form with other constants; see the reference twin."""
    place = 3 if form.function is _native.score_whitened else 4
    before, constant = form.arguments[:place], log_constant.astype(form.arguments[place].dtype)
    return form._replace(arguments=(*before, constant, *form.arguments[place + 1 :]))


def _packed(whitener: RealArray, dtype: "np.dtype[Any]") -> RealArray:
    """The triangles (m, d, d) as the kernels read them, one after the other."""
    count, d, _ = whitener.shape
    packed = np.empty((count, _native.packed_size(d, dtype == np.float32)), dtype=dtype)
    for target, triangle in zip(packed, whitener, strict=True):
        _native.pack(np.ascontiguousarray(triangle, dtype), target)
    return packed


def _contiguous(*arrays: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    return tuple(np.ascontiguousarray(array) for array in arrays)


def score(
    form: Prepared,
    X: RealArray,
    task: Task,
    out: NDArray[Any],
    prune: bool = True,
    bias: RealArray | None = None,
) -> int:
    """Write the output of `task` for each row into `out`; see the reference twin."""
    how = (task, prune) if form.function is _native.score_quadratic else (task,)
    return int(form.function(X, *form.arguments, *how, out, bias))


def score_pairs(codes: CodeArray, table: FloatArray, share: float, out: FloatArray) -> None:
    """Write log-densities of levels in pairs; see the reference twin."""
    _native.score_pairs(np.ascontiguousarray(codes), table, share, out)


def score_pairs_without(
    codes: CodeArray,
    own: NDArray[np.intp],
    lost: FloatArray,
    counts: PairCounts,
    backoffs: FloatArray,
    precision: tuple[bool, float],
    out: FloatArray,
    reliable: NDArray[np.bool_],
) -> None:
    """Write leave-one-out log-densities of rows in their classes; see the reference twin."""
    _native.score_pairs_without(
        np.ascontiguousarray(codes),
        np.ascontiguousarray(own, np.int64),
        np.ascontiguousarray(lost),
        np.ascontiguousarray(counts.count),
        counts.beside,
        counts.observed,
        counts.n_levels,
        backoffs,
        *precision,
        out,
        reliable,
    )
