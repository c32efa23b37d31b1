"""Rows drawn from a model: the generative story run forwards.

A class is drawn by its prior, then a row ``mean_c + F_c z`` with z standard normal and F_c a factor
of the covariance, ``Σ_c = F_c F_cᵀ``.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gaussbayes.base.errors import ParameterError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.families.gaussian.parameters import Parameters, Structure, as_numbers, given
from gaussbayes.families.gaussian.shapes import Full, Shape, correlation

if TYPE_CHECKING:
    from gaussbayes.model.mixed import MixedParameters, MixedRows

RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None
"""Where randomness comes from: a seed, a generator, or None for a fresh one."""


def as_generator(random_state: RandomState) -> np.random.Generator:
    """The generator that a `random_state` stands for.

    A `Generator` is used as it is, so that it moves on; a `RandomState` gives the seed of a new
    one, and moves on by that.

    Examples
    --------
    >>> as_generator(7).integers(100) == as_generator(7).integers(100)
    np.True_
    """
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(1 << 32, size=4, dtype=np.uint32))
    if random_state is None or isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state)
    if not _whole(random_state) or random_state < 0:
        msg = (
            "random_state is None, a whole number that is not negative, a numpy Generator or a "
            f"numpy RandomState, got {random_state!r}"
        )
        raise ParameterError(msg)
    return np.random.default_rng(int(random_state))


def draw(
    parameters: Parameters, n_samples: int, generator: np.random.Generator
) -> tuple[FloatArray, CodeArray]:
    """Rows (n, d) drawn from the model, and the class number of each (n,).

    Examples
    --------
    >>> schema = Schema(np.array(["a", "b"]), 1)
    >>> parameters = given(schema, Structure(), [0.25, 0.75], [[0], [100]], [[[1]], [[4]]])
    >>> X, codes = draw(parameters, 1000, np.random.default_rng(0))
    >>> X.shape, bool(((X[:, 0] > 50) == (codes == 1)).all())
    ((1000, 1), True)
    """
    if not _whole(n_samples) or n_samples < 1:
        msg = f"n_samples is a whole number, at least 1, got {n_samples!r}"
        raise ParameterError(msg)
    prior = parameters.prior
    drawn = generator.choice(prior.shape[0], size=int(n_samples), p=prior / prior.sum())
    codes = drawn.astype(np.int32)
    return draw_rows(parameters, codes, generator), codes


def draw_mixed(
    parameters: "MixedParameters", n_samples: int, generator: np.random.Generator
) -> tuple["MixedRows", CodeArray]:
    """The same for a model that has categories: the numbers as above, then the categories.

    Examples
    --------
    >>> from gaussbayes.families.categorical import CategoricalParameters
    >>> from gaussbayes.model.mixed import MixedParameters
    >>> numbers = given(Schema(np.arange(2), 1), Structure(), "uniform", [[0], [9]], [[[1]], [[1]]])
    >>> wind = CategoricalParameters((("L", "S"),), np.log([[0.5, 0.5], [0.1, 0.9]]))
    >>> rows, codes = draw_mixed(MixedParameters(numbers, wind), 5, np.random.default_rng(0))
    >>> rows.X.shape, rows.columns.codes.shape
    ((5, 1), (5, 1))
    """
    from gaussbayes.families.categorical.drawing import draw as draw_categories
    from gaussbayes.model.mixed import MixedRows

    X, codes = draw(parameters.gaussian, n_samples, generator)
    return MixedRows(X, draw_categories(parameters.categorical, codes, generator)), codes


def draw_rows(
    parameters: Parameters, codes: CodeArray, generator: np.random.Generator
) -> FloatArray:
    """One row (n, d) for each class number (n,), from that class's Gaussian."""
    rows = generator.standard_normal((codes.shape[0], parameters.center.shape[0]))
    _colour(rows, codes, factors(parameters.covariance))
    rows += parameters.offset[codes]
    rows += parameters.center
    return rows


def factors(shape: Shape) -> FloatArray:
    """Factors F with ``Σ = F Fᵀ``: (m, d, d) lower triangular if full, else (m, d) or (m, 1).

    Examples
    --------
    >>> from gaussbayes.families.gaussian.shapes import full
    >>> factors(full(np.array([[[4.0, 2.0], [2.0, 10.0]]]), Schema(np.array(["a"]), 2))).tolist()
    [[[2.0, 0.0], [1.0, 3.0]]]
    """
    if not isinstance(shape, Full):
        return np.sqrt(shape.variance.reshape(shape.variance.shape[0], -1))
    # As in factor, the correlation matrix: what could be inverted can be drawn from.
    scale = np.sqrt(np.einsum("mii->mi", shape.covariance))
    factor: FloatArray = scale[:, :, None] * np.linalg.cholesky(correlation(shape.covariance))
    return factor


def make_gaussian_dataset(
    n_samples: int | Sequence[int] | NDArray[np.integer],
    centroids: ArrayLike,
    cov: ArrayLike | None = None,
    *,
    random_state: RandomState = None,
    shuffle: bool = False,
) -> tuple[FloatArray, NDArray[np.int64]]:
    """Rows from one Gaussian a class, and their labels 0 … k−1.

    Parameters
    ----------
    n_samples : how many rows of each class: one number for all, or one for each
    centroids : (k, d) the means
    cov : None for the identity, (d, d) for one covariance that all classes share, or (k, d, d)
    random_state : a seed, a numpy `Generator` or `RandomState`, or None for another draw each time
    shuffle : mix the rows; otherwise they come class by class

    Returns
    -------
    X : (n, d)
    y : (n,)

    Raises
    ------
    ParameterError
        If the sizes do not fit, or a mean or covariance is not valid; the message names the class.

    Examples
    --------
    >>> X, y = make_gaussian_dataset([2, 1], [[0, 0], [9, 9]], random_state=0)
    >>> X.round(2).tolist(), y.tolist()
    ([[0.13, -0.13], [0.64, 0.1], [8.46, 9.36]], [0, 0, 1])
    """
    mean = _centroids(centroids)
    k, d = mean.shape
    counts = _counts(n_samples, k)
    schema = Schema(np.arange(k), d)
    if cov is None:
        parameters = given(schema, Structure("spherical", shared=True), "uniform", mean, 1.0)
    else:
        values = as_numbers("cov", cov)
        if values.shape not in {(d, d), (k, d, d)}:
            msg = (
                f"cov is None, one covariance of shape {(d, d)} or one for each class of shape "
                f"{(k, d, d)} (centroids have shape {(k, d)}), got shape {values.shape}"
            )
            raise ParameterError(msg)
        structure = Structure("full", shared=values.ndim == 2)
        parameters = given(schema, structure, "uniform", mean, values)
    generator = as_generator(random_state)
    labels = np.repeat(np.arange(k), counts)
    rows = draw_rows(parameters, labels.astype(np.int32), generator)
    if shuffle:
        order = generator.permutation(labels.shape[0])
        rows, labels = rows[order], labels[order]
    return rows, labels


def _colour(rows: FloatArray, codes: CodeArray, factor: FloatArray) -> None:
    """Multiply each row by the factor of its class, in place."""
    if factor.ndim == 2:
        rows *= factor[0] if factor.shape[0] == 1 else factor[codes]
        return
    if factor.shape[0] == 1:
        rows[:] = rows @ factor[0].T
        return
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=factor.shape[0]))
    for own, lower in zip(np.split(order, ends[:-1]), factor, strict=True):
        rows[own] = rows[own] @ lower.T


def _centroids(centroids: ArrayLike) -> FloatArray:
    mean = as_numbers("centroids", centroids)
    if mean.ndim != 2 or mean.size == 0:
        msg = f"centroids have shape (classes, features), one row a class, got shape {mean.shape}"
        raise ParameterError(msg)
    wrong = ~np.isfinite(mean).all(axis=1)
    if wrong.any():
        code = int(np.argmax(wrong))
        msg = f"the centroid of class {code} is {mean[code].tolist()}; centroids must be finite"
        raise ParameterError(msg)
    return mean


def _counts(n_samples: Any, k: int) -> NDArray[np.int64]:
    """How many rows of each class (k,)."""
    each = [n_samples] * k if np.ndim(n_samples) == 0 else list(n_samples)
    if len(each) != k:
        msg = f"there are {k} centroids, so n_samples is one number or {k} of them, got {len(each)}"
        raise ParameterError(msg)
    for code, count in enumerate(each):
        if not _whole(count) or count < 0:
            msg = f"n_samples of class {code} is {count!r}; it must be a whole number, 0 or more"
            raise ParameterError(msg)
    counts = np.array(each, dtype=np.int64)
    if counts.sum() == 0:
        msg = f"n_samples is {n_samples!r}: no class has a row; give at least one"
        raise ParameterError(msg)
    return counts


def _whole(number: object) -> bool:
    return isinstance(number, int | np.integer) and not isinstance(number, bool)
