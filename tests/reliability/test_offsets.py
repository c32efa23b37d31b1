"""Bar 2: rows far from zero lose no digit, in the variances and in the posteriors.

The rows are multiples of the spacing of floats at the offset, so that moving them is exact.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.base.types import CodeArray, FloatArray, ScatterLayout
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian.statistics import ClassMoments, summarise
from gaussbayes.families.gaussian.structure import Structure
from tests import scored as scores
from tests.designs import all_pairs
from tests.oracles import exact_scatter, relative_error
from tests.scored import Scored, estimate
from tests.strategies import LAYOUTS, STRUCTURES, name_of

pytestmark = pytest.mark.usefixtures("kernels")

N_ROWS, N_CLASSES, N_FEATURES, N_PARTS = 20_000, 3, 3, 64

Scatter = list[list[Fraction]]
Way = Callable[[FloatArray, CodeArray, ScatterLayout], ClassMoments]

# offset, standard deviation: ratios up to 1e15
FAR = [(1e8, 1.0), (1e8, 1e-3), (1e12, 1.0), (1e12, 1e-3), (1e15, 1.0), (-1e15, 1.0)]
each_distance = pytest.mark.parametrize(("offset", "deviation"), FAR)


@cache
def near_rows(
    offset: float, deviation: float, n_rows: int = N_ROWS
) -> tuple[FloatArray, CodeArray]:
    """Rows about zero that may be moved by the offset without rounding."""
    rng = np.random.default_rng(20240607)
    codes = rng.integers(0, N_CLASSES, n_rows).astype(np.int32)
    mixing = np.array([[1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [-0.3, 0.4, 1.0]])
    rows = rng.normal(size=(n_rows, N_FEATURES)) @ mixing.T + 1.5 * np.eye(3)[codes]
    spacing = np.spacing(2 * abs(offset))
    near = np.round(deviation * rows / spacing) * spacing
    np.testing.assert_array_equal((near + offset) - offset, near)
    near.flags.writeable = codes.flags.writeable = False  # other tests get the same
    return near, codes


@cache
def exact(offset: float, deviation: float) -> list[Scatter]:
    """The scatter of each class; moving the rows does not change it."""
    X, codes = near_rows(offset, deviation)
    return [exact_scatter(X[codes == c])[1] for c in range(N_CLASSES)]


def batch(X: FloatArray, codes: CodeArray, layout: ScatterLayout) -> ClassMoments:
    return summarise(X, codes, None, N_CLASSES, layout)


def merged(X: FloatArray, codes: CodeArray, layout: ScatterLayout) -> ClassMoments:
    tree = MergeTree()
    parts = zip(np.array_split(X, N_PARTS), np.array_split(codes, N_PARTS), strict=True)
    for number, (rows, own) in enumerate(parts):
        tree.add(number, summarise(rows, own, None, N_CLASSES, layout))
    return tree.result()


each_way = pytest.mark.parametrize("way", [batch, merged])


@pytest.mark.parametrize(("way", "layout", "far"), all_pairs([batch, merged], LAYOUTS, FAR))
def test_variances(way: Way, layout: ScatterLayout, far: tuple[float, float]) -> None:
    offset, deviation = far
    X, codes = near_rows(offset, deviation)
    moments = way(X + offset, codes, layout)
    truth = exact(offset, deviation)
    for j in range(N_FEATURES):
        if layout == "pooled":
            found = moments.scatter[j, j]
            assert relative_error(found, sum(own[j][j] for own in truth)) <= 1e-14
            continue
        for c in range(N_CLASSES):
            found = moments.scatter[c, j, j] if layout == "full" else moments.scatter[c, j]
            assert relative_error(found, truth[c][j][j]) <= 1e-14


@each_distance
@each_way
def test_covariances(way: Way, offset: float, deviation: float) -> None:
    X, codes = near_rows(offset, deviation)
    moments = way(X + offset, codes, "full")
    for c, truth in enumerate(exact(offset, deviation)):
        for i in range(N_FEATURES):
            for j in range(i):
                # Relative to the standard deviations, which is the scale of a covariance's error.
                scale = float(truth[i][i] * truth[j][j]) ** 0.5
                assert abs(moments.scatter[c, i, j] - float(truth[i][j])) <= 1e-14 * scale


def model(moments: ClassMoments, structure: Structure) -> Scored:
    return estimate(moments, Schema(np.arange(N_CLASSES), N_FEATURES), structure)


@pytest.mark.parametrize(("way", "structure", "far"), all_pairs([batch, merged], STRUCTURES, FAR))
def test_posteriors(way: Way, structure: Structure, far: tuple[float, float]) -> None:
    offset, deviation = far
    X, codes = near_rows(offset, deviation, 2000)
    here = model(batch(X, codes, structure.shape.layout), structure)
    there = model(way(X + offset, codes, structure.shape.layout), structure)
    change = np.abs(scores.posterior(there, X + offset) - scores.posterior(here, X))
    assert change.max() <= 1e-12
    np.testing.assert_array_equal(scores.labels(there, X + offset), scores.labels(here, X))


@pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)
def test_different_offsets_of_the_features(structure: Structure) -> None:
    X, codes = near_rows(1e15, 1.0, 2000)
    offset = np.array([1e15, -3e8, 0.0])
    here, there = (
        model(batch(rows, codes, structure.shape.layout), structure) for rows in (X, X + offset)
    )
    change = np.abs(scores.posterior(there, X + offset) - scores.posterior(here, X))
    assert change.max() <= 1e-12


@pytest.mark.parametrize("layout", LAYOUTS)
def test_narrow_rows_are_summed_in_double_precision(layout: ScatterLayout) -> None:
    # Multiples of 2⁻⁴ near 2¹⁹ are exact in float32; sums of squares of single precision would
    # keep 7 digits at best.
    X, codes = near_rows(2.0**47, 1.0, 6000)
    narrow = (X + 2.0**19).astype(np.float32)
    truth = [exact_scatter(narrow[codes == c])[1] for c in range(N_CLASSES)]
    moments = batch(narrow, codes, layout)
    if layout == "diagonal":
        found = moments.scatter.sum(axis=0)
    else:
        found = np.diagonal(moments.scatter if layout == "pooled" else moments.scatter.sum(axis=0))
    for j in range(N_FEATURES):
        assert relative_error(found[j], sum(own[j][j] for own in truth)) <= 1e-14
