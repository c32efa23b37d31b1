"""Sampling of rows from a model.

A class is drawn by its prior, then the features from each family's density given that class.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gaussbayes.base.checks import integer
from gaussbayes.base.errors import OptionError
from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.data.rows import Rows
from gaussbayes.families.protocol import Samplable
from gaussbayes.model.construction import given_model
from gaussbayes.model.model import Model

Capability = TypeVar("Capability")
RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None
"""The source of randomness: a seed, a generator, or None for a new one."""


def as_generator(random_state: RandomState) -> np.random.Generator:
    """The generator of a `random_state`.

    A `Generator` is used directly and advances; a `RandomState` gives the seed of a new one and
    advances as well.
    """
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(1 << 32, size=4, dtype=np.uint32))
    if random_state is None or isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state)
    what = "random_state must be None, a numpy Generator or RandomState, or a seed, which"
    return np.random.default_rng(integer(what, random_state, 0))


def draw(model: Model, n_samples: int, generator: np.random.Generator) -> tuple[Rows, CodeArray]:
    """Rows drawn from the model, and the class code of each (n,)."""
    n, prior = integer("n_samples", n_samples, 1), model.prior
    drawn = generator.choice(prior.shape[0], size=n, p=prior / prior.sum())
    codes = drawn.astype(np.int32)
    return draw_rows(model, codes, generator), codes


def draw_rows(model: Model, codes: CodeArray, generator: np.random.Generator) -> Rows:
    """One row for each class code (n,), drawn from the densities of that class."""
    densities = model.capable(Samplable, "sample")
    return model.join([density.draw(codes, generator) for density in densities])


def make_gaussian_dataset(
    n_samples: int | Sequence[int] | NDArray[np.integer],
    means: ArrayLike,
    covariances: ArrayLike | None = None,
    *,
    random_state: RandomState = None,
    shuffle: bool = False,
) -> tuple[FloatArray, NDArray[np.int64]]:
    """Draw rows from one Gaussian per class, with labels 0 … k−1.

    Parameters
    ----------
    n_samples : how many rows of each class: one number for all, or one for each
    means : (k, d)
    covariances : None for the identity, (d, d) for one that all classes share, or (k, d, d)
    random_state : a seed, a numpy `Generator` or `RandomState`, or None for a different draw each
    time shuffle : whether to shuffle the rows; otherwise they are sorted by class

    Returns
    -------
    X : (n, d)
    y : (n,)

    Raises
    ------
    OptionError
        If the sizes do not fit, or a mean or covariance is not valid; the message names the class.

    Examples
    --------
    >>> X, y = make_gaussian_dataset([2, 1], [[0, 0], [9, 9]], random_state=0)
    >>> X.round(2).tolist(), y.tolist()
    ([[0.13, -0.13], [0.64, 0.1], [8.46, 9.36]], [0, 0, 1])
    """
    if covariances is None:
        how: dict[str, Any] = {"covariances": 1.0, "covariance": "spherical", "shared": True}
    else:
        how = {"covariances": covariances, "covariance": "full"}
    model = given_model(None, means, **how, fewest_classes=1)
    labels = np.repeat(model.classes.astype(np.int64), _counts(n_samples, model.classes.size))
    generator = as_generator(random_state)
    rows = np.asarray(draw_rows(model, labels.astype(np.int32), generator).matrix, np.float64)
    if shuffle:
        order = generator.permutation(labels.shape[0])
        rows, labels = rows[order], labels[order]
    return rows, labels


def _counts(n_samples: Any, k: int) -> NDArray[np.int64]:
    """The number of rows of each class (k,)."""
    each = [n_samples] * k if np.ndim(n_samples) == 0 else list(n_samples)
    if len(each) != k:
        msg = f"means has {k} classes; n_samples must be one number or {k}, got {len(each)}"
        raise OptionError(msg)
    checked = [integer(f"n_samples of class {code}", n, 0) for code, n in enumerate(each)]
    if not any(checked):
        msg = f"n_samples is {n_samples!r}: no class has a row; give at least one"
        raise OptionError(msg)
    return np.array(checked, dtype=np.int64)
