"""Gaussian densities of every structure, made of random covariances, for the tests of this room."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.density import GaussianDensity
from gaussbayes.families.gaussian.structure import SHAPES


@dataclass(frozen=True)
class Kind:
    """A shape of covariances, and whether the classes share one."""

    covariance: str
    shared: bool

    def __str__(self) -> str:
        return f"{'shared' if self.shared else 'own'} {self.covariance}"


KINDS = [Kind(name, shared) for name in SHAPES for shared in (False, True)]
each_kind = pytest.mark.parametrize("kind", KINDS, ids=str)


def density_of(kind: Kind, means: Any, values: Any, center: Any = None) -> GaussianDensity:
    """A density with these means (k, d) and values of covariances (m, …)."""
    means = np.asarray(means, dtype=np.float64)
    k, d = means.shape
    center = means.mean(axis=0) if center is None else np.asarray(center, dtype=np.float64)
    shape = SHAPES[kind.covariance].of(np.asarray(values, dtype=float), Schema(np.arange(k), d))
    return GaussianDensity(center, means - center, shape)


def some_density(kind: Kind, k: int = 3, d: int = 4, seed: int = 0) -> GaussianDensity:
    """Overlapping classes, features of different scales, correlated if the kind lets them be."""
    rng = np.random.default_rng([seed, k, d])
    m = 1 if kind.shared else k
    scale = np.linspace(1, 2, d) * np.exp(0.3 * rng.normal(size=(m, d)))
    values: FloatArray = np.square(scale)
    if kind.covariance == "full":
        factors = rng.normal(size=(m, d, d)) / np.sqrt(max(d, 1)) + np.eye(d)
        factors *= scale[:, :, None]
        values = factors @ factors.mT
    elif kind.covariance == "spherical":
        values = values.mean(axis=1)
    return density_of(kind, 2 * rng.normal(size=(k, d)), values)


def unit_density(kind: Kind, means: Any) -> GaussianDensity:
    """Classes with these means (k, d) whose covariance is the identity."""
    k, d = np.shape(means)
    m = 1 if kind.shared else k
    values = {"full": np.eye(d), "diagonal": np.ones(d), "spherical": np.array(1.0)}
    return density_of(kind, means, np.stack([values[kind.covariance]] * m))


def covariances(density: GaussianDensity) -> FloatArray:
    """The covariances of the classes as matrices (k, d, d)."""
    k, d = density.offset.shape
    return np.broadcast_to(density.covariance.dense(), (k, d, d))
