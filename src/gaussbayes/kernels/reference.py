"""The kernels in NumPy: the specification, the oracle of the native ones, and the fallback.

Functions that each have a native twin of the same name and meaning:

`encode`      integer labels → their positions in a span
`renumber`    such positions → class codes
`accumulate`  rows of many classes → weight, mean and scatter of each class
`merge`       the moments of two tables → the moments of all their rows
`factor`      covariances → whiteners and log determinants
`complete`    points with missing features → conditional expectations of these
`spread`      covariances of missing features → their sum, in a matrix of all features
`prepare`     a form of score → that form, laid out for rows of one float width
`score`       rows → log joint, log posterior, posterior or label
`score_pairs` levels of rows → log-densities by tables of pairs
`score_pairs_without` the same in the class of each row, by counts less those of the row
"""

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.threads import ranges, rows_at_once
from gaussbayes.base.types import CodeArray, FloatArray, RealArray, ScatterLayout, Task
from gaussbayes.kernels.arrays import (
    IMPOSSIBLE,
    NOT_FINITE,
    OUT_OF_RANGE,
    Columns,
    Form,
    Linear,
    Masked,
    MomentArrays,
    PairCounts,
    Whitened,
    as_matrix,
)
from gaussbayes.kernels.triangular import cholesky, correlation_of, invert_lower

NAME = "reference"


def instruction_set() -> str:
    """The library that does the computation."""
    return f"NumPy {np.__version__}"


def encode(
    labels: NDArray[np.int64], lowest: int, codes: CodeArray, present: NDArray[np.bool_]
) -> bool:
    """Write the positions (n,) of integer labels in ``lowest … lowest + span − 1``.

    Labels that occur are marked in `present` (span,). Returns False if a label is outside: the
    output is then not valid.

    Examples
    --------
    >>> codes, present = np.empty(3, np.int32), np.zeros(4, bool)
    >>> encode(np.array([7, 5, 7]), 5, codes, present), codes.tolist(), present.tolist()
    (True, [2, 0, 2], [True, False, True, False])
    """
    if labels.size and (labels.min() < lowest or int(labels.max()) - lowest >= present.size):
        return False
    np.subtract(labels, lowest, out=codes, casting="unsafe")
    present[codes] = True
    return True


def renumber(codes: CodeArray, numbers: CodeArray) -> None:
    """Replace codes (n,) by the entries of `numbers` at these positions, in place.

    Examples
    --------
    >>> codes = np.array([2, 0, 2], np.int32)
    >>> renumber(codes, np.array([0, -1, 1], np.int32))
    >>> codes.tolist()
    [1, 0, 1]
    """
    codes[...] = numbers[codes]


@np.errstate(over="ignore", invalid="ignore")  # the caller checks for sums that are not finite
def accumulate(
    X: RealArray | Columns,
    codes: CodeArray,
    weights: FloatArray | None,
    n_classes: int,
    layout: ScatterLayout,
) -> MomentArrays:
    """Weight, anchor, offset and scatter of each class.

    For the rows of a class with weights wᵢ: ``weight = Σ wᵢ``, ``mean = Σ wᵢ xᵢ / weight`` held as
    ``anchor + offset``, ``scatter = Σ wᵢ (xᵢ − mean)(xᵢ − mean)ᵀ``. The anchor is the mean rounded
    to a float: ``x − anchor`` is exact for nearby floats, so no digit is lost to a large offset.

    Parameters
    ----------
    X : (n, d), float32 or float64, any strides, or columns that lie apart
    codes : (n,) class codes in 0 … n_classes − 1
    weights : (n,) not negative, or None for ones; rows of weight 0 are ignored
    layout : "full" (k, d, d), "pooled" (d, d) summed over the classes, "diagonal" (k, d)

    Examples
    --------
    >>> rows = np.array([[1.0], [3.0], [10.0]])
    >>> codes = np.array([0, 0, 1], dtype=np.int32)
    >>> weight, anchor, offset, scatter = accumulate(rows, codes, None, 2, "diagonal")
    >>> weight.tolist(), (anchor + offset).tolist(), scatter.tolist()
    ([2.0, 1.0], [[2.0], [10.0]], [[2.0], [0.0]])
    """
    X = as_matrix(X)
    d = X.shape[1]
    weight, anchor, offset, scatter = zero_moments(n_classes, d, layout)
    order = np.argsort(codes, kind="stable")
    if weights is not None:
        order = order[weights[order] > 0]
    edges = np.searchsorted(codes[order], np.arange(n_classes + 1))
    for c in range(n_classes):
        rows = order[edges[c] : edges[c + 1]]
        if rows.size == 0:
            continue
        first = X[rows[0]].astype(np.float64)
        weight[c], mean = _weighted_mean(X, rows, weights, first)
        anchor[c] = first + mean
        offset[c] = (first - anchor[c]) + mean
        # The mean of the deviations is zero up to rounding; subtracting it is the correction of the
        # two-pass
        # algorithm.
        _, rest = _weighted_mean(X, rows, weights, anchor[c], offset[c])
        offset[c] += rest
        total = scatter if layout == "pooled" else scatter[c]
        for block in _blocks(rows, d):
            centred = (X[block].astype(np.float64) - anchor[c]) - offset[c]
            if weights is not None:
                centred *= np.sqrt(weights[block])[:, None]
            if layout == "diagonal":
                # Along the contiguous axis NumPy uses pairwise sums, which are most accurate.
                total += np.square(np.ascontiguousarray(centred.T)).sum(axis=1)
            else:
                total += centred.T @ centred
    return weight, anchor, offset, scatter


@np.errstate(over="ignore", invalid="ignore")
def merge(a: MomentArrays, b: MomentArrays, layout: ScatterLayout) -> MomentArrays:
    """Weight, anchor, offset and scatter of the rows of both.

    With ``δ = mean_b − mean_a`` and ``w = w_a + w_b``: ``mean = mean_a + δ w_b / w`` and
    ``scatter = S_a + S_b + (w_a w_b / w) δδᵀ``. The heavier side keeps its anchor; δ is 0 for
    classes without rows on either side.

    Examples
    --------
    >>> left = np.array([2.0]), np.array([[1.0]]), np.array([[0.5]]), np.array([[0.5]])
    >>> right = np.array([1.0]), np.array([[6.0]]), np.array([[0.0]]), np.array([[0.0]])
    >>> [part.tolist() for part in merge(left, right, "diagonal")]
    [[3.0], [[1.0]], [[2.0]], [[14.0]]]
    """
    weight = a[0] + b[0]
    part_a, part_b = (
        np.divide(part, weight, out=np.zeros_like(part), where=weight > 0) for part in (a[0], b[0])
    )
    both = ((a[0] > 0) & (b[0] > 0))[:, None]
    delta = np.where(both, (b[1] - a[1]) + (b[2] - a[2]), 0.0)
    heavier = (b[0] > a[0])[:, None]
    anchor = np.where(heavier, b[1], a[1])
    offset = np.where(heavier, b[2] - delta * part_a[:, None], a[2] + delta * part_b[:, None])
    scatter = a[3] + b[3]
    add_squares(scatter, a[0] * part_b, delta, layout)
    return weight, anchor, offset, scatter


def add_squares(
    scatter: FloatArray, factor: FloatArray, delta: FloatArray, layout: ScatterLayout
) -> None:
    """Add ``factor_c δ_c δ_cᵀ`` of each class, in place, to a scatter of this layout."""
    # The products first: δᵢδⱼ is symmetric to the bit, (factor δᵢ)δⱼ would not be.
    if layout == "diagonal":
        scatter += factor[:, None] * delta**2
        return
    # A few classes at a time, so that the products stay in the cache.
    for some in ranges(delta.shape[0], rows_at_once(delta.shape[1] ** 2)):
        squares = delta[some, :, None] * delta[some, None, :]
        squares *= factor[some, None, None]
        if layout == "full":
            scatter[some] += squares
        else:
            for each in squares:
                scatter += each


def zero_moments(n_classes: int, n_features: int, layout: ScatterLayout) -> MomentArrays:
    """Weight, anchor, offset and scatter of no rows."""
    return (
        np.zeros(n_classes),
        np.zeros((n_classes, n_features)),
        np.zeros((n_classes, n_features)),
        np.zeros(scatter_shape(layout, n_classes, n_features)),
    )


@lru_cache(maxsize=256)
def scatter_shape(layout: ScatterLayout, n_classes: int, n_features: int) -> tuple[int, ...]:
    """The shape of the scatter in a layout."""
    classes = () if layout == "pooled" else (n_classes,)
    return classes + ((n_features,) if layout == "diagonal" else (n_features, n_features))


def _blocks(rows: NDArray[np.intp], n_features: int) -> list[NDArray[np.intp]]:
    step = rows_at_once(n_features)
    return [rows[start : start + step] for start in range(0, rows.size, step)]


def _weighted_mean(
    X: RealArray,
    rows: NDArray[np.intp],
    weights: FloatArray | None,
    anchor: FloatArray,
    offset: FloatArray | float = 0.0,
) -> tuple[float, FloatArray]:
    """The weight of some rows, and the mean of ``x − anchor − offset`` over them."""
    total, weight = np.zeros(X.shape[1]), 0.0
    for block in _blocks(rows, X.shape[1]):
        centred = (X[block].astype(np.float64) - anchor) - offset
        if weights is None:
            total += centred.sum(axis=0)
            weight += float(block.size)
        else:
            total += weights[block] @ centred
            weight += float(weights[block].sum())
    return weight, total / weight


def factor(
    covariance: FloatArray, whitener: FloatArray, log_det: FloatArray, unexplained: FloatArray
) -> None:
    """Write whiteners W (m, d, d), lower triangular with ``Σ⁻¹ = WᵀW``, and log determinants (m,).

    The correlation matrix R is factored, not the covariance. `unexplained` (m,) is the least
    proportion of a feature's variance that the other features do not explain, ``1 / (R⁻¹)ⱼⱼ``.
    Unlike the pivots of a factor it does not depend on the order of the features, and it is within
    a factor d of the least eigenvalue. It is 0 without a factor; the whitener is then not valid.

    Examples
    --------
    >>> whitener, log_det, unexplained = np.empty((1, 2, 2)), np.empty(1), np.empty(1)
    >>> factor(np.array([[[4.0, 2.0], [2.0, 10.0]]]), whitener, log_det, unexplained)
    >>> whitener.round(4).tolist(), np.exp(log_det).round(9).tolist(), unexplained.round(9)
    ([[[0.5, 0.0], [-0.1667, 0.3333]]], [36.0], array([0.9]))
    """
    unexplained[:] = 0.0
    variance = covariance.diagonal(axis1=1, axis2=2)
    positive = ((variance > 0) & (variance < np.inf)).all(axis=1)
    end = covariance.shape[0] if positive.all() else int(np.argmin(positive))
    scale = 1.0 / np.sqrt(variance[:end])
    # One array has the correlations first, then their factors, then the inverses of these.
    whitener[:end] = correlation_of(covariance[:end], scale)
    end = cholesky(whitener[:end])
    white, scale = whitener[:end], scale[:end]
    pivots = white.diagonal(axis1=1, axis2=2).copy()
    invert_lower(white)
    most = np.einsum("mij,mij->mj", white, white).max(axis=1, initial=1.0)
    unexplained[:end] = np.nan_to_num(1.0 / most)
    log_det[:end] = 2.0 * (np.log(pivots) - np.log(scale)).sum(axis=1)
    white *= scale[:, None, :]


def complete(
    whitener: FloatArray,
    hidden: NDArray[np.int64],
    cell: NDArray[np.int64],
    points: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Write the conditional expectations of missing features, ``−C (Λ x)_h``, into points x (n, d).

    Points are deviations from the mean, sorted by their cells (n,), with 0 for the missing features
    h of their cell. Cells may have different numbers of missing features: `hidden` (cells, h) has
    −1 beyond them. With the lower triangular whitener W and ``W_h = Q R`` for its columns h, ``C =
    R⁻¹ R⁻ᵀ``, ``−C (Λ x)_h = −R⁻¹ Qᵀ W x``.

    Returns
    -------
    covariance : (cells, h, h), C with 0 beyond the missing features of a cell
    log_det : (cells,), ``log |Λ_hh|``
    squares : (n,), squared distances of the observed features

    Examples
    --------
    >>> points = np.array([[8.0, 0.0]])
    >>> whitener = np.array([[2.0, 0.0], [1.0, 4.0]])
    >>> arrays = complete(whitener, np.array([[1]]), np.array([0]), points)
    >>> points.tolist(), [array.round(4).tolist() for array in arrays]
    ([[8.0, -2.0]], [[[[0.0625]]], [2.7726], [256.0]])
    """
    cells, most = hidden.shape
    covariance, log_det = np.zeros((cells, most, most)), np.zeros(cells)
    np.put_along_axis(padded := np.pad(points, ((0, 0), (0, 1))), hidden[cell], 0.0, axis=1)
    points[...] = padded[:, :-1]
    white = points @ whitener.T
    for count, some in widths_of(hidden):
        columns = np.ascontiguousarray(whitener.T)[hidden[some, :count]].mT
        basis, triangle = np.linalg.qr(columns)
        inverse = np.linalg.inv(triangle)
        covariance[some, :count, :count] = inverse @ inverse.mT
        log_det[some] = 2.0 * np.log(np.abs(np.einsum("bii->bi", triangle))).sum(axis=1)
        which = np.flatnonzero(np.isin(cell, some))
        place = np.searchsorted(some, cell[which])
        along = basis[place].mT @ white[which, :, None]
        points[which[:, None], hidden[cell[which], :count]] = -(inverse[place] @ along)[:, :, 0]
        white[which] -= (basis[place] @ along)[:, :, 0]
    return covariance, log_det, np.square(white).sum(axis=1)


def spread(
    covariance: FloatArray, hidden: NDArray[np.int64], weight: FloatArray, to: FloatArray
) -> None:
    """Add the covariances of cells, times their weights (cells,), to the matrix (d, d).

    They are added to the rows and columns of the missing features; see `complete`.

    Examples
    --------
    >>> to = np.zeros((2, 2))
    >>> spread(np.array([[[3.0]], [[5.0]]]), np.array([[1], [0]]), np.array([2.0, 1.0]), to)
    >>> to.tolist()
    [[5.0, 0.0], [0.0, 6.0]]
    """
    for count, some in widths_of(hidden):
        columns = hidden[some, :count]
        places = columns[:, :, None] * to.shape[1] + columns[:, None, :]
        values = weight[some, None, None] * covariance[some, :count, :count]
        total = np.bincount(places.ravel(), values.ravel(), minlength=to.size)
        to += total.reshape(to.shape)


def widths_of(hidden: NDArray[np.int64]) -> list[tuple[int, NDArray[np.intp]]]:
    """The numbers of missing features of cells, each with the cells that have it.

    Examples
    --------
    >>> [(count, some.tolist()) for count, some in widths_of(np.array([[0, -1], [1, 2], [2, -1]]))]
    [(1, [0, 2]), (2, [1])]
    """
    count = (hidden >= 0).sum(axis=1)
    return [(size, np.flatnonzero(count == size)) for size in np.unique(count).tolist() if size]


def prepare(form: Form, dtype: "np.dtype[Any]") -> Form:
    """The form for rows of `dtype`; the native twin also packs the whiteners for its registers."""
    return form.cast(dtype)


def with_constant(form: Form, log_constant: FloatArray) -> Form:
    """A prepared form with other constants (k,), which shares its matrices."""
    changed: Form = replace(form, log_constant=log_constant.astype(form.log_constant.dtype))
    return changed


def score(
    form: Form,
    X: RealArray,
    task: Task,
    out: NDArray[Any],
    prune: bool = True,
    bias: RealArray | None = None,
) -> int:
    """Write the output of `task` for each row into `out`; return the bit of an error, or 0.

    Parameters
    ----------
    out : (n, k) of X's dtype, or (n,) of numpy's intp for labels (the first of equal classes)
    prune : lets the native twin skip work that cannot change the result; ignored here
    bias : (n, k) of X's dtype, added to each log joint, from information besides X. −∞ rules a
    class out; a row for which all are ruled out is `IMPOSSIBLE`. None adds nothing.

    If several rows cannot be scored the result is `NOT_FINITE` if it applies to one of them,
    otherwise `IMPOSSIBLE`, otherwise `OUT_OF_RANGE`. Log joints may be −∞.

    Examples
    --------
    >>> from gaussbayes.kernels.arrays import Quadratic
    >>> form = Quadratic(np.zeros(1), np.array([[0.0], [2.0]]), np.ones((1, 1)), np.zeros(2))
    >>> out, bias = np.empty((1, 2)), np.log([[0.1, 0.3]])
    >>> score(form, np.array([[1.0]]), "posterior", out, bias=bias), out.round(9).tolist()
    (0, [[0.25, 0.75]])
    """
    if (np.isinf(X) if isinstance(form, Masked) else ~np.isfinite(X)).any():
        return NOT_FINITE
    with np.errstate(over="ignore", invalid="ignore"):
        log_joint = _log_joint(form, X)
        if bias is not None:
            log_joint += bias
    if task in {"log_joint", "log_ratio"}:
        out[...] = log_joint
        return 0
    top = log_joint.max(axis=1)
    if not np.isfinite(top).all():
        ruled_out = bias is not None and np.isneginf(bias + form.log_constant).all(axis=1).any()
        return IMPOSSIBLE if ruled_out else OUT_OF_RANGE
    if task == "label":
        np.argmax(log_joint, axis=1, out=out)
        return 0
    log_joint -= top[:, None]
    if task == "posterior":
        with np.errstate(under="ignore"):
            joint = np.exp(log_joint)
        np.divide(joint, joint.sum(axis=1, keepdims=True), out=out)
    else:
        np.subtract(log_joint, _log_total(log_joint.T)[:, None], out=out)
    return 0


def _log_joint(form: Form, X: RealArray) -> RealArray:
    if isinstance(form, Masked):
        return _masked_log_joint(form, X)
    centred = X - form.center
    if isinstance(form, Linear):
        linear: RealArray = centred @ form.coefficient.T + form.log_constant
        return linear
    if isinstance(form, Whitened):
        white = centred @ form.whitener.T
        apart = (white - mean for mean in form.mean)
        squares = np.stack([np.einsum("ij,ij->i", x, x) for x in apart], axis=1)
        return _where_possible(form.log_constant - 0.5 * squares)
    k = form.offset.shape[0]
    log_joint = np.empty((X.shape[0], k), dtype=X.dtype)
    for c in range(k):
        whitener = form.whitener[c if form.whitener.shape[0] > 1 else 0]
        deviation = centred - form.offset[c]
        if form.remainder.size:
            deviation -= form.remainder[c]
        white = deviation * whitener if whitener.ndim == 1 else deviation @ whitener.T
        log_joint[:, c] = form.log_constant[c] - 0.5 * np.einsum("ij,ij->i", white, white)
    return _where_possible(log_joint)


def _where_possible(log_joint: RealArray) -> RealArray:
    """Log joints, −∞ for NaN, the result of an overflow in both directions."""
    log_joint[np.isnan(log_joint)] = -np.inf
    return log_joint


def _masked_log_joint(form: Masked, X: RealArray) -> RealArray:
    k, d = form.offset.shape
    log_joint = np.empty((X.shape[0], k))
    for start in range(0, X.shape[0], step := rows_at_once(d * max(d, k))):
        rows = slice(start, start + step)
        observed = ~np.isnan(X[rows])
        centred = np.where(observed, X[rows] - form.center, 0.0)
        for matrix in range(form.scale.shape[0]):
            # If shared, one factor serves the deviations from all means.
            classes = slice(matrix, matrix + 1) if form.scale.shape[0] == k else slice(k)
            apart = centred[:, None] - form.offset[classes]
            if form.remainder.size:
                apart -= form.remainder[classes]
            deviation = np.where(observed[:, None], apart * form.scale[matrix], 0.0)
            square, log_det = _masked_squares(form.correlation[matrix], observed, deviation)
            log_joint[rows, classes] = form.log_constant[classes] - 0.5 * square
            if form.density:
                log_volume = observed @ form.log_feature[matrix] - 0.5 * log_det
                log_joint[rows, classes] += log_volume[:, None]
    _where_possible(log_joint)
    return log_joint


def _masked_squares(
    correlation: FloatArray, observed: NDArray[np.bool_], deviation: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """``zᵀ R⁻¹ z`` (n, m) of deviations z (n, m, d), and ``log |R|`` (n,), of what is observed.

    Missing features are not removed from R: their rows and columns become those of the identity,
    and their deviations are 0.
    """
    if not correlation.size:
        return np.einsum("icj,icj->ic", deviation, deviation), np.zeros(observed.shape[0])
    matrices = np.where(observed[:, :, None] & observed[:, None, :], correlation, 0.0)
    np.einsum("ijj->ij", matrices)[...] = 1.0
    factor = np.linalg.cholesky(matrices)
    white = np.linalg.solve(factor, deviation.mT)
    pivots = np.einsum("ijj->ij", factor)
    return np.einsum("ijc,ijc->ic", white, white), 2.0 * np.log(pivots).sum(axis=1)


def log_sum_exp(log_joint: RealArray) -> RealArray:
    """``log Σ_c exp(log_joint_c)`` of each row, from its largest term: the log evidence."""
    by_class = np.ascontiguousarray(log_joint.T)  # sums over classes are much faster
    top = by_class.max(axis=0)
    # A row far from every class has −∞ for all of them: its evidence is 0, not NaN.
    finite = np.where(np.isfinite(top), top, 0.0).astype(log_joint.dtype)
    total: RealArray = top + _log_total(by_class - finite)
    return total


def log_posterior(log_joint: RealArray) -> RealArray:
    """``log_joint_c − log Σ_b exp(log_joint_b)`` (n, k); NaN in rows that are −∞ for every class.

    It is computed from the largest term: a log posterior near 0 keeps its digits.

    Examples
    --------
    >>> log_posterior(np.array([[0.0, -40.0], [1000.0, 1000.0]])).tolist()
    [[-4.248354255291589e-18, -40.0], [-0.6931471805599453, -0.6931471805599453]]
    """
    by_class = np.ascontiguousarray(log_joint.T)
    below_top = by_class - by_class.max(axis=0)
    below_top -= _log_total(below_top)
    posterior: RealArray = below_top.T
    return posterior


def _log_total(below_top: RealArray) -> RealArray:
    """``log Σ exp`` of each row (n,), given by the differences (k, n) from its largest term.

    That term is 1; log1p of the others keeps the digits of a log posterior near 0. The accuracy for
    float32 rows is that of their posterior.
    """
    largest = below_top == 0
    with np.errstate(under="ignore"):
        terms = np.exp(below_top)
    terms[largest] = 0
    others = terms.sum(axis=0)
    others += np.maximum(np.count_nonzero(largest, axis=0) - 1, 0)  # equal terms except the first
    total: RealArray = np.log1p(others) if others.dtype == np.float64 else np.log(1 + others)
    return total


def score_pairs(codes: CodeArray, table: FloatArray, share: float, out: FloatArray) -> None:
    """Write log-densities (n, k) of levels in pairs.

    For the levels u of a row, one for each observed column, the sum of a parent p is ``s_p = Σ_j
    table[u_p, u_j]``; the output is ``log mean_p exp s_p``, or ``share Σ_p s_p`` if there is a
    share. A row without levels has 0.

    Parameters
    ----------
    codes : (n, d) the level of each column, −1 for missing values
    table : (V, V, k)

    Examples
    --------
    >>> table, out = np.log([[[0.4], [0.3]], [[0.1], [0.8]]]), np.empty((3, 1))
    >>> score_pairs(np.array([[0, 1], [-1, 1], [-1, -1]], np.int32), table, 0.0, out)
    >>> np.exp(out).round(12).tolist()  # 0.4 · 0.3 and 0.1 · 0.8 are the two models of both
    [[0.1], [0.8], [1.0]]
    """
    n, d = codes.shape
    for block in ranges(n, rows_at_once(d * d * table.shape[2])):
        there = codes[block] >= 0
        terms = table[codes[block][:, :, None], codes[block][:, None, :]]
        terms[~(there[:, :, None] & there[:, None, :])] = 0.0
        parents = terms.sum(axis=2)
        if share:
            out[block] = share * parents.sum(axis=1)
            continue
        parents[~there] = -np.inf
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = np.logaddexp.reduce(parents, axis=1) - np.log(there.sum(axis=1))[:, None]
        out[block] = np.where(there.any(axis=1, keepdims=True), scores, 0.0)


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
    """Write log-densities (s, n) of levels in pairs in the class of each row, without the row.

    ``θ(u | c) = (N_u + m / levels) / (N + m)`` of a level, and
    ``θ(v | u, c) = (N_uv + m θ(v | c)) / (N_u· + m)`` of a pair make up the scores of
    `score_pairs`, where all counts N are less the weight of the row.

    Parameters
    ----------
    codes : (n, d) the level of each column, −1 for missing values
    own, lost : (n,) class and weight of each row
    backoffs : (s,) the values of m
    precision : whether counts are exact, and the smallest weight of a row
    reliable : (n,) output: whether the remaining counts are accurate
    """
    d, columns = codes.shape[1], np.arange(codes.shape[1])
    for block in ranges(codes.shape[0], rows_at_once(d * d)):
        levels, c, row = codes[block], own[block, None], lost[block, None]
        there = levels >= 0
        both = there[:, :, None] & there[:, None, :]
        single, sound = left_of(
            np.einsum("kvv->kv", counts.count)[c, levels], there * row, precision
        )
        observed, sound_observed = left_of(counts.observed[c, columns], there * row, precision)
        parents, children, of_pairs = levels[:, :, None], levels[:, None, :], both * row[..., None]
        pair, sound_pair = left_of(
            counts.count[c[..., None], parents, children], of_pairs, precision
        )
        beside, sound_beside = left_of(
            counts.beside[c[..., None], parents, columns], of_pairs, precision
        )
        of_columns = ((sound & sound_observed) | ~there).all(axis=1)
        reliable[block] = of_columns & ((sound_pair & sound_beside) | ~both).all(axis=(1, 2))
        for number, backoff in enumerate(backoffs.tolist()):
            child = (single + backoff / counts.n_levels) / (observed + backoff)
            with np.errstate(divide="ignore", invalid="ignore"):  # absent entries
                terms = np.log((pair + backoff * child[:, None, :]) / (beside + backoff))
                terms[:, columns, columns] = np.log(child)
            parent = np.where(both, terms, 0.0).sum(axis=2)
            parent[~there] = -np.inf
            with np.errstate(divide="ignore", invalid="ignore"):
                scores = np.logaddexp.reduce(parent, axis=1) - np.log(there.sum(axis=1))
            out[number, block] = np.where(there.any(axis=1), scores, 0.0)


def left_of(
    total: FloatArray, part: FloatArray, precision: tuple[bool, float]
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Differences of sums, and whether they are accurate.

    Unless sums are exact, a proportion of 1e-12 may be rounding. The difference must be at least a
    thousandth of the sum, or smaller than the smallest weight of a row, which means 0.
    """
    exact, smallest = precision
    left, noise = total - part, 1e-12 * total
    nothing = left <= noise
    reliable = exact | (part == 0) | (left > 1e-3 * total)
    if not exact:
        reliable |= nothing & (noise < 0.5 * smallest)
    return np.where(nothing, 0.0, left), reliable
