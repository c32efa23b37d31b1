"""What Hypothesis draws: labelled rows, weights, moments, covariances, models.

Rows for moments are arbitrary floats, far from zero too. Rows for posteriors are whole numbers, so
that the maps of the laws are exact in floats and only the code under test rounds.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gaussbayes.base.types import CodeArray, FloatArray, ScatterLayout
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian.statistics import ClassMoments, summarise
from gaussbayes.families.gaussian.structure import Structure

LAYOUTS: tuple[ScatterLayout, ...] = ("full", "pooled", "diagonal")
STRUCTURES = tuple(
    Structure(covariance, sharing)
    for covariance, sharing in product(("full", "diagonal", "spherical"), (0.0, 1.0))
)

MIXTURES = tuple(
    Structure(covariance, sharing)
    for covariance, sharing in (
        ("full", 0.25),
        ("full", 0.9),
        ("diagonal", 0.6),
        ("spherical", 0.4),
    )
)


def name_of(structure: Structure) -> str:
    """How a test's name writes a structure."""
    sharing = str(structure.sharing) if structure.between else structure.sharing_name
    return f"{sharing}-{structure.covariance}"


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows with their class numbers, and weights or None."""

    X: FloatArray  # (n, d)
    codes: CodeArray  # (n,)
    weights: FloatArray | None  # (n,)
    n_classes: int

    @property
    def schema(self) -> Schema:
        """Classes that are called by their numbers."""
        return Schema(np.arange(self.n_classes), self.X.shape[1])

    def summarise(self, layout: ScatterLayout = "full") -> ClassMoments:
        """The moments of all rows."""
        return summarise(self.X, self.codes, self.weights, self.n_classes, layout)

    def taken(self, which: object) -> "Rows":
        """Some of the rows, as NumPy's indices say."""
        weights = None if self.weights is None else self.weights[which]
        return Rows(self.X[which], self.codes[which], weights, self.n_classes)


def codes(n_rows: int, n_classes: int) -> st.SearchStrategy[CodeArray]:
    """Class numbers of rows; a class may have none."""
    return hnp.arrays(np.int32, n_rows, elements=st.integers(0, n_classes - 1))


def weights(n_rows: int) -> st.SearchStrategy[FloatArray]:
    """Weights of rows: 0 among them, and ratios up to a million."""
    some = st.one_of(st.just(0.0), st.floats(1e-3, 1e3))
    return hnp.arrays(np.float64, n_rows, elements=some)


@st.composite
def rows(draw: st.DrawFn, weighted: bool | None = None, most: int = 12) -> Rows:
    """Labelled rows of any floats up to 1000, moved as far as 2⁵⁰ from zero.

    Weighted, not weighted, or either (None).
    """
    n, d, k = draw(st.integers(1, most)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    near = draw(
        hnp.arrays(np.float64, (n, d), elements=st.floats(-1e3, 1e3, allow_subnormal=False))
    )
    # Where squares underflow, a variance of 0 beside a covariance that is none has no bound.
    near = np.where(np.abs(near) < 1e-130, 0.0, near)
    far = draw(hnp.arrays(np.float64, d, elements=st.sampled_from([0.0, -1e8, 2.0**50])))
    chosen = draw(st.booleans()) if weighted is None else weighted
    return Rows(near + far, draw(codes(n, k)), draw(weights(n)) if chosen else None, k)


@st.composite
def cut_rows(draw: st.DrawFn, parts: int) -> tuple[Rows, list[Rows]]:
    """Rows, and the same rows in this many parts, of which some may be empty."""
    whole = draw(rows())
    part = draw(hnp.arrays(np.int64, whole.X.shape[0], elements=st.integers(0, parts - 1)))
    return whole, [whole.taken(part == number) for number in range(parts)]


@st.composite
def well_spread_rows(draw: st.DrawFn, least_classes: int = 2) -> Rows:
    """Whole-number rows whose classes all vary well in every direction.

    Each class has the 2 d rows ± 16 eᵢ about a mean of up to 20 a feature, each entry moved by up
    to 3. The singular values of the centred rows are those of the design, 16 √2 = 22.6, changed by
    at most the moves' norm, 3 √2 d ≤ 17.0: between 5.6 and 39.6, so that a covariance's condition
    number is at most 50.
    """
    d, k = draw(st.integers(1, 4)), draw(st.integers(least_classes, 3))
    design = np.vstack([16 * np.eye(d), -16 * np.eye(d)])
    small = hnp.arrays(np.int64, (k, 2 * d, d), elements=st.integers(-3, 3))
    means = hnp.arrays(np.int64, (k, 1, d), elements=st.integers(-20, 20))
    X = (design + draw(small) + draw(means)).reshape(-1, d)
    return Rows(X.astype(np.float64), np.repeat(np.arange(k, dtype=np.int32), 2 * d), None, k)


@st.composite
def invertible_matrices(draw: st.DrawFn, d: int) -> FloatArray:
    """Whole-number matrices of determinant ± 1: a lower times an upper triangle of ± 1 diagonal."""
    entries = hnp.arrays(np.int64, (2, d, d), elements=st.integers(-2, 2))
    first, second = draw(entries)
    signs = draw(hnp.arrays(np.int64, d, elements=st.sampled_from([-1, 1])))
    lower, upper = np.tril(first, -1) + np.eye(d), np.triu(second, 1) + np.diag(signs)
    return np.asarray(lower @ upper, dtype=np.float64)


@st.composite
def scaled_reflections(draw: st.DrawFn, d: int) -> FloatArray:
    """Whole-number multiples of orthogonal matrices: ``|v|² I − 2 v vᵀ``."""
    v = draw(hnp.arrays(np.int64, d, elements=st.integers(-3, 3)).filter(np.any))
    return np.asarray((v @ v) * np.eye(d) - 2 * np.multiply.outer(v, v), dtype=np.float64)
