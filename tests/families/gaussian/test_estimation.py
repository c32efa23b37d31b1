"""Complete statistics and settings → density; densities given without fitting."""

from typing import Any

import numpy as np
import pytest

from gaussbayes.base.errors import DataError, OptionError, SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.density import estimate, given, maximum
from gaussbayes.families.gaussian.shrinkage import penalty_of, shrink
from gaussbayes.families.gaussian.statistics import ClassMoments, summarise
from gaussbayes.families.gaussian.structure import Structure
from tests.strategies import MIXTURES, STRUCTURES, name_of

NAMES = Schema(np.array(["a", "b"]), 2, ("height", "width"))
each_structure = pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)
each_target = pytest.mark.parametrize("target", ["diagonal", "spherical"])
each_divisor = pytest.mark.parametrize("divisor", ["mle", "unbiased"])

# Class a: 4 rows about (1, 2); class b: 6 rows about (5, −3).
ROWS = np.array(
    [[0, 1], [2, 1], [0, 3], [2, 3], [4, -5], [6, -5], [4, -1], [6, -1], [5, -3], [5, -3]], float
)
CODES = np.repeat(np.array([0, 1], dtype=np.int32), [4, 6])
TARGET = np.array([8.0, 20.0])  # sums of squares within classes, by hand as below
# Scatters by hand: a has squares 4 and 4, b has 4 and 16; no products in either.
SCATTER = {"a": np.diag([4.0, 4.0]), "b": np.diag([4.0, 16.0])}


def moments(structure: Structure) -> ClassMoments:
    return summarise(ROWS, CODES, None, 2, structure.shape.layout)


def expected_covariance(structure: Structure, divisor: str) -> FloatArray:
    lost = divisor == "unbiased"
    if structure.shared:
        full = (SCATTER["a"] + SCATTER["b"])[None] / (10 - 2 * lost)
    else:
        full = np.stack([SCATTER["a"] / (4 - lost), SCATTER["b"] / (6 - lost)])
    diagonal = np.einsum("mii->mi", full)
    return {"full": full, "diagonal": diagonal, "spherical": diagonal.mean(axis=1)}[
        structure.covariance
    ]


# Estimates


@each_structure
@each_divisor
def test_by_hand(structure: Structure, divisor: Any) -> None:
    density = estimate(moments(structure), NAMES, structure, divisor)
    np.testing.assert_allclose(density.mean, [[1, 2], [5, -3]], rtol=1e-15)
    np.testing.assert_allclose(density.offset + density.center, density.mean)
    assert density.shared == structure.shared
    assert type(density.covariance) is structure.shape
    expected = expected_covariance(structure, divisor)
    np.testing.assert_allclose(density.covariance.values, expected, rtol=1e-15)
    full = estimate(summarise(ROWS, CODES, None, 2), NAMES, structure, divisor)
    np.testing.assert_allclose(full.covariance.values, expected, rtol=1e-15)


@pytest.mark.parametrize("structure", MIXTURES, ids=name_of)
@each_divisor
@each_target
@pytest.mark.parametrize("shrinkage", [None, 0.3, "oas"])
def test_own_and_pooled_are_estimated_then_mixed(
    structure: Structure, divisor: Any, shrinkage: Any, target: Any
) -> None:
    parts = []
    for sharing, weight in ((0.0, [4.0, 6.0]), (1.0, [10.0])):
        part = expected_covariance(Structure(structure.covariance, sharing), divisor)
        spherical = structure.covariance == "spherical"
        towards = TARGET if target == "diagonal" else None
        parts.append(part if spherical else shrink(part, shrinkage, np.array(weight), towards))
    density = estimate(moments(structure), NAMES, structure, divisor, shrinkage, target)
    mixture = (1 - structure.sharing) * parts[0] + structure.sharing * parts[1]
    np.testing.assert_allclose(density.covariance.values, mixture, rtol=1e-14)
    assert not density.shared
    alone = estimate(moments(structure), NAMES, Structure(structure.covariance))
    assert density.n_parameters == alone.n_parameters


def test_a_mixture_may_have_singular_parts_but_not_be_singular() -> None:
    flat = ROWS.copy()
    flat[CODES == 0, 1] = 2.0
    between = Structure("full", 0.5)
    with pytest.raises(SingularCovarianceError, match="class 'a' does not vary in 'width'"):
        estimate(summarise(flat, CODES, None, 2), NAMES, Structure())
    density = estimate(summarise(flat, CODES, None, 2), NAMES, between)
    expected = [[0.5 * 1 + 0.5 * 0.8, 0.8], [0.5 * 4 / 6 + 0.5 * 0.8, 0.5 * 16 / 6 + 0.8]]
    np.testing.assert_allclose(density.covariance.variance, expected)
    flat[:, 1] = 2.0
    with pytest.raises(SingularCovarianceError, match="shared by all classes does not vary in 'wi"):
        estimate(summarise(flat, CODES, None, 2), NAMES, between)


def test_a_layout_that_holds_too_little() -> None:
    diagonal = summarise(ROWS, CODES, None, 2, "diagonal")
    with pytest.raises(DataError, match="a full scatter cannot be had from a diagonal one"):
        estimate(diagonal, NAMES, Structure("full"))


@pytest.mark.parametrize(
    ("structure", "free"),
    list(zip(STRUCTURES, [2 * 3, 3, 2 * 2, 2, 2, 1], strict=True)),
    ids=lambda value: name_of(value) if isinstance(value, Structure) else str(value),
)
def test_free_parameters(structure: Structure, free: int) -> None:
    # Two means of two features, and the covariances.
    assert estimate(moments(structure), NAMES, structure).n_parameters == 4 + free


@each_structure
@pytest.mark.parametrize("shrinkage", [0.0, 0.3, 1.0, "oas"])
@each_divisor
@each_target
def test_shrinkage_acts_on_the_estimate(
    structure: Structure, shrinkage: Any, divisor: Any, target: Any
) -> None:
    plain = expected_covariance(structure, divisor)
    density = estimate(moments(structure), NAMES, structure, divisor, shrinkage, target)
    found = density.covariance.values
    if structure.covariance == "spherical":  # it is its own target
        np.testing.assert_allclose(found, plain, rtol=1e-15)
        return
    weight = np.array([10.0]) if structure.shared else np.array([4.0, 6.0])
    towards = TARGET if target == "diagonal" else None
    np.testing.assert_allclose(found, shrink(plain, shrinkage, weight, towards), rtol=1e-14)


def test_shrinkage_makes_a_singular_class_invertible() -> None:
    line = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
    alone = summarise(line, np.zeros(4, dtype=np.int32), None, 1)
    names = Schema(np.array(["line"]), 2)
    with pytest.raises(SingularCovarianceError, match="class 'line' has collinear features"):
        estimate(alone, names, Structure())
    for shrinkage in (0.1, "oas", 1.0):
        estimate(alone, names, Structure(), shrinkage=shrinkage)


@pytest.mark.parametrize("structure", [*STRUCTURES, Structure("full", 0.5)], ids=name_of)
def test_the_maximum_is_plain(structure: Structure) -> None:
    parts = structure.parts[int(structure.shared)]
    density = maximum(moments(structure), NAMES, structure)
    expected = expected_covariance(parts, "mle")
    np.testing.assert_allclose(density.covariance.values, expected, rtol=1e-15)
    if not structure.shape.isotropic:
        # (scatter + ν t I) / (weight + ν) is shrinkage towards t I with intensity ν / (weight + ν).
        weight = np.array([10.0]) if structure.shared else np.array([4.0, 6.0])
        penalty = penalty_of(0.3, density.covariance.variance, weight)
        penalised = maximum(moments(structure), NAMES, structure, penalty).covariance.values
        np.testing.assert_allclose(penalised, shrink(expected, 0.3, weight), rtol=1e-14)


# The centre


@pytest.mark.parametrize("far", [0.0, 1e8, -(2.0**50), 1e-300])
def test_means_live_in_two_floats(far: float) -> None:
    # Rows at multiples of ¼ from the far point; thirds and ninths are no floats.
    near = np.array([[0.0], [0.25], [0.25], [4.0], [4.25], [4.25]])
    codes = np.array([0, 0, 0, 1, 1, 1], dtype=np.int32)
    names = Schema(np.array([0, 1]), 1)
    density = estimate(summarise(near + far, codes, None, 2), names, Structure())
    apart = density.center - far
    np.testing.assert_allclose(apart + density.offset, [[1 / 6], [4 + 1 / 6]], rtol=1e-15)


def test_the_centre_is_the_mean_of_all_rows() -> None:
    density = estimate(moments(Structure()), NAMES, Structure())
    np.testing.assert_allclose(density.center, ROWS.mean(axis=0), rtol=1e-15)


# Errors


@pytest.mark.parametrize("covariance", ["full", "diagonal", "spherical"])
def test_too_little_weight_for_the_unbiased_divisor(covariance: Any) -> None:
    rows = summarise(np.eye(2), np.array([0, 1], dtype=np.int32), None, 2)
    with pytest.raises(DataError) as caught:
        estimate(rows, NAMES, Structure(covariance), "unbiased")
    assert str(caught.value) == (
        "class 'a' weighs 1: divisor='unbiased' divides by 0, and it needs more rows"
    )
    with pytest.raises(DataError, match="the classes together weigh 2: .* divides by 0, and it"):
        estimate(rows, NAMES, Structure(covariance, 1.0), "unbiased")


def test_too_few_rows_for_a_full_covariance() -> None:
    few = summarise(ROWS[:6], CODES[:6], None, 2)
    with pytest.raises(
        SingularCovarianceError, match=r"class 'b' does not vary in 'width' in 2 rows"
    ):
        estimate(few, NAMES, Structure())
    slanted = ROWS[:6] + np.array([[0, 0]] * 5 + [[0, 1]])
    with pytest.raises(SingularCovarianceError, match="class 'b' has 2 rows for 2 features: .* 3"):
        estimate(summarise(slanted, CODES[:6], None, 2), NAMES, Structure())
    estimate(few, NAMES, Structure(sharing=1.0))


# Given densities

MEANS = [[0.0, 1.0], [2.0, 3.0]]
GIVEN = {
    "own-full": [[[2.0, 1.0], [1.0, 2.0]], [[1.0, 0.0], [0.0, 3.0]]],
    "shared-full": [[2.0, 1.0], [1.0, 2.0]],
    "own-diagonal": [[1.0, 2.0], [3.0, 4.0]],
    "shared-diagonal": [1.0, 2.0],
    "own-spherical": [1.0, 2.0],
    "shared-spherical": 2.0,
}


@each_structure
def test_given(structure: Structure) -> None:
    values = GIVEN[name_of(structure)]
    density = given(NAMES, structure, MEANS, values)
    assert density.mean.tolist() == MEANS
    assert density.shared == structure.shared
    count = 1 if structure.shared else 2
    assert density.covariance.dense().shape == (count, 2, 2)
    held = density.covariance.values
    np.testing.assert_array_equal(held, np.reshape(values, held.shape))


@each_structure
def test_what_was_given_may_change_afterwards(structure: Structure) -> None:
    values = np.array(GIVEN[name_of(structure)])
    means = np.array(MEANS)
    density = given(NAMES, structure, means, values)
    before = density.covariance.dense().copy()
    for array in (values, means):
        array[...] = 99.0
    np.testing.assert_array_equal(density.covariance.dense(), before)
    assert density.mean.tolist() == MEANS


@each_structure
def test_covariances_of_another_structure_are_errors(structure: Structure) -> None:
    for name, values in GIVEN.items():
        shape = np.shape(values)
        if shape == np.shape(GIVEN[name_of(structure)]):
            continue
        with pytest.raises(OptionError) as caught:
            given(NAMES, structure, MEANS, values)
        message = str(caught.value)
        assert message.startswith(name_of(structure).replace("-", " ")), name
        assert "2 classes and 2 features" in message
        assert f"got {shape}; variances need covariance=" in message


@pytest.mark.parametrize("means", [[0.0, 1.0], [[0.0], [1.0]], [[0.0, 1.0]], 3.0])
def test_means_of_another_shape_are_errors(means: object) -> None:
    with pytest.raises(OptionError) as caught:
        given(NAMES, Structure(), means, GIVEN["own-full"])
    assert str(caught.value) == (
        f"means must have shape (2, 2) (classes, features), got {np.shape(means)}"
    )


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_named(bad: float) -> None:
    with pytest.raises(OptionError, match=rf"means must be finite, got {bad} at \(1, 0\)"):
        given(NAMES, Structure(), [[0, 1], [bad, 3]], GIVEN["own-full"])
    matrices = np.array(GIVEN["own-full"])
    matrices[1, 0, 1] = matrices[1, 1, 0] = bad
    with pytest.raises(OptionError, match=rf"covariances must be finite, got {bad} at \(1, 0, 1"):
        given(NAMES, Structure(), MEANS, matrices)


@pytest.mark.parametrize("bad", ["text", [[0.0, 1.0], [2.0]], [["a", "b"], ["c", "d"]]])
def test_what_is_no_array_of_numbers(bad: object) -> None:
    with pytest.raises(OptionError, match="means must be an array of numbers with"):
        given(NAMES, Structure(), bad, GIVEN["own-full"])
    with pytest.raises(OptionError, match="covariances must be an array of numbers with"):
        given(NAMES, Structure(), MEANS, bad)


def test_covariances_must_be_symmetric() -> None:
    with pytest.raises(OptionError) as caught:
        given(NAMES, Structure(), MEANS, [np.eye(2), [[2.0, 0.5], [0.4, 1.0]]])
    assert str(caught.value) == (
        "the covariance of class 'b' must be symmetric: entry (0, 1) is 0.5, entry (1, 0) is 0.4"
    )
    with pytest.raises(OptionError, match="the covariance must be symmetric: entry"):
        given(NAMES, Structure(sharing=1.0), MEANS, [[2.0, 0.5], [0.4, 1.0]])


@pytest.mark.parametrize("unit", [1e-150, 1.0, 1e150])
def test_rounding_is_not_asymmetry(unit: float) -> None:
    off = 0.5 * (1 + 1e-12)
    values = np.array([[2.0, 0.5], [off, 1.0]]) * unit**2
    density = given(NAMES, Structure(sharing=1.0), MEANS, values)
    held = density.covariance.dense()[0]
    assert held[0, 1] == held[1, 0]
    asymmetric = np.array([[2.0, 0.5], [0.5 + 1e-6, 1.0]]) * unit**2
    with pytest.raises(OptionError, match="must be symmetric"):
        given(NAMES, Structure(sharing=1.0), MEANS, asymmetric)


def test_covariances_must_be_positive_definite() -> None:
    for values in ([np.eye(2), [[1.0, 2.0], [2.0, 1.0]]], [np.eye(2), [[1.0, 1.0], [1.0, 1.0]]]):
        with pytest.raises(
            SingularCovarianceError,
            match="class 'b'.*'(height|width)'.*given must be positive definite",
        ):
            given(NAMES, Structure(), MEANS, values)
    with pytest.raises(SingularCovarianceError, match="class 'a' has variance -1.0 in 'height'"):
        given(NAMES, Structure("diagonal"), MEANS, [[-1.0, 1.0], [1.0, 1.0]])


def test_one_class_and_one_feature() -> None:
    names = Schema(np.array(["only"]), 1)
    density = given(names, Structure(), [[3.0]], [[[4.0]]])
    assert density.n_parameters == 2
    assert not density.shared
