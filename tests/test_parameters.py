"""Moments and settings → parameters; parameters given without fitting."""

from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest

from gaussbayes.base.errors import DataError, ParameterError, PriorError, SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.families.gaussian.parameters import Structure, estimate, estimate_covariance, given
from gaussbayes.families.gaussian.shapes import Diagonal, Full, Spherical
from gaussbayes.families.gaussian.shrinkage import shrink
from gaussbayes.families.gaussian.summarise import summarise
from tests.strategies import MIXTURES, STRUCTURES, name_of

SCHEMA = Schema(np.array(["a", "b"]), 2, ("height", "width"))
each_structure = pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)

# Class a: 4 rows about (1, 2); class b: 6 rows about (5, −3).
ROWS = np.array(
    [[0, 1], [2, 1], [0, 3], [2, 3], [4, -5], [6, -5], [4, -1], [6, -1], [5, -3], [5, -3]], float
)
CODES = np.repeat(np.array([0, 1], dtype=np.int32), [4, 6])
# Scatters by hand: a has squares 4 and 4, b has 4 and 16; no products in either.
SCATTER = {"a": np.diag([4.0, 4.0]), "b": np.diag([4.0, 16.0])}


def moments(structure: Structure) -> ClassMoments:
    return summarise(ROWS, CODES, None, 2, structure.layout)


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


# Structures


@pytest.mark.parametrize(
    ("structure", "layout"),
    list(zip(STRUCTURES, ["full", "pooled", *["diagonal"] * 4], strict=True)),
)
def test_layouts(structure: Structure, layout: str) -> None:
    assert structure.layout == layout


def test_a_structure_between_own_and_shared_needs_the_own_scatters() -> None:
    assert Structure("full", toward_shared=0.5).layout == "full"
    assert Structure("diagonal", toward_shared=0.5).layout == "diagonal"


@pytest.mark.parametrize("structure", MIXTURES, ids=name_of)
@pytest.mark.parametrize("divisor", ["mle", "unbiased"])
@pytest.mark.parametrize("shrinkage", [None, 0.3, "oas"])
def test_own_and_shared_are_estimated_then_mixed(
    structure: Structure, divisor: Any, shrinkage: Any
) -> None:
    share = structure.toward_shared
    parts = []
    for shared in (False, True):
        part = expected_covariance(Structure(structure.covariance, shared), divisor)
        weight = np.array([10.0]) if shared else np.array([4.0, 6.0])
        spherical = structure.covariance == "spherical"
        parts.append(part if spherical else shrink(part, shrinkage, weight))
    own, shared_one = parts
    model = estimate(moments(structure), SCHEMA, structure, None, divisor, shrinkage)
    found = estimate_covariance(moments(structure), SCHEMA, structure, divisor, shrinkage)
    np.testing.assert_allclose(found, (1 - share) * own + share * shared_one, rtol=1e-14)
    assert not model.shared
    alone = estimate(moments(structure), SCHEMA, Structure(structure.covariance))
    assert model.n_parameters == alone.n_parameters


def test_a_mixture_may_have_singular_parts_but_not_be_singular() -> None:
    flat = ROWS.copy()
    flat[CODES == 0, 1] = 2.0
    drawn = Structure(toward_shared=0.5)
    with pytest.raises(SingularCovarianceError, match="class 'a' does not vary in 'width'"):
        estimate(summarise(flat, CODES, None, 2), SCHEMA, Structure())
    found = estimate(summarise(flat, CODES, None, 2), SCHEMA, drawn)
    expected = [[0.5 * 1 + 0.5 * 0.8, 0.8], [0.5 * 4 / 6 + 0.5 * 0.8, 0.5 * 16 / 6 + 0.8]]
    np.testing.assert_allclose(np.einsum("kii->ki", found.covariance.dense()), expected)
    flat[:, 1] = 2.0
    with pytest.raises(SingularCovarianceError, match="shared by all classes does not vary in 'wi"):
        estimate(summarise(flat, CODES, None, 2), SCHEMA, drawn)


def test_a_structure_is_own_and_full_unless_said_otherwise() -> None:
    assert Structure() == Structure("full", shared=False)


# Estimates


@each_structure
@pytest.mark.parametrize("divisor", ["mle", "unbiased"])
def test_by_hand(structure: Structure, divisor: str) -> None:
    parameters = estimate(moments(structure), SCHEMA, structure, divisor=divisor)
    np.testing.assert_allclose(parameters.prior, [0.4, 0.6], rtol=1e-15)
    np.testing.assert_allclose(parameters.log_prior, np.log([0.4, 0.6]), rtol=1e-15)
    np.testing.assert_allclose(parameters.mean, [[1, 2], [5, -3]], rtol=1e-15)
    np.testing.assert_allclose(parameters.offset + parameters.center, parameters.mean)
    assert parameters.shared == structure.shared
    expected = expected_covariance(structure, divisor)
    found = estimate_covariance(moments(structure), SCHEMA, structure, divisor)
    np.testing.assert_allclose(found, expected, rtol=1e-15)
    shape = {"full": Full, "diagonal": Diagonal, "spherical": Spherical}[structure.covariance]
    assert isinstance(parameters.covariance, shape)
    held = getattr(parameters.covariance, "covariance" if shape is Full else "variance")
    np.testing.assert_array_equal(held, found)


@each_structure
def test_any_layout_that_holds_enough(structure: Structure) -> None:
    full = summarise(ROWS, CODES, None, 2, "full")
    np.testing.assert_allclose(
        estimate_covariance(full, SCHEMA, structure),
        estimate_covariance(moments(structure), SCHEMA, structure),
        rtol=1e-15,
    )


def test_a_layout_that_holds_too_little() -> None:
    diagonal = summarise(ROWS, CODES, None, 2, "diagonal")
    with pytest.raises(DataError, match="a full scatter cannot be had from a diagonal one"):
        estimate(diagonal, SCHEMA, Structure("full"))


@pytest.mark.parametrize(
    ("structure", "free"),
    [
        (Structure("full"), 2 * 3),
        (Structure("full", shared=True), 3),
        (Structure("diagonal"), 2 * 2),
        (Structure("diagonal", shared=True), 2),
        (Structure("spherical"), 2),
        (Structure("spherical", shared=True), 1),
    ],
    ids=lambda value: name_of(value) if isinstance(value, Structure) else str(value),
)
def test_free_parameters(structure: Structure, free: int) -> None:
    # One prior (the other follows), two means of two features, and the covariances.
    assert estimate(moments(structure), SCHEMA, structure).n_parameters == 1 + 4 + free


@each_structure
@pytest.mark.parametrize("priors", ["uniform", [0.9, 0.1], {"b": 0.1, "a": 0.9}])
def test_priors_never_reach_the_covariance(structure: Structure, priors: object) -> None:
    plain = estimate(moments(structure), SCHEMA, structure)
    other = estimate(moments(structure), SCHEMA, structure, priors)
    assert other.prior.tolist() == ([0.5, 0.5] if priors == "uniform" else [0.9, 0.1])
    np.testing.assert_array_equal(other.covariance.dense(), plain.covariance.dense())
    np.testing.assert_array_equal(other.mean, plain.mean)


def test_other_priors_afterwards() -> None:
    plain = estimate(moments(Structure()), SCHEMA, Structure())
    other = plain.with_prior(np.array([1.0, 0.0]))
    assert other.log_prior.tolist() == [0.0, -np.inf]
    assert other.covariance is plain.covariance
    assert plain.prior.tolist() == [0.4, 0.6]
    with pytest.raises(FrozenInstanceError):
        plain.prior = other.prior  # type: ignore[misc]


def test_bad_priors_are_refused() -> None:
    with pytest.raises(PriorError, match="must sum to 1"):
        estimate(moments(Structure()), SCHEMA, Structure(), [0.5, 0.6])


@each_structure
@pytest.mark.parametrize("shrinkage", [0.0, 0.3, 1.0, "oas"])
@pytest.mark.parametrize("divisor", ["mle", "unbiased"])
def test_shrinkage_acts_on_the_estimate(
    structure: Structure, shrinkage: float | str, divisor: str
) -> None:
    plain = expected_covariance(structure, divisor)
    found = estimate_covariance(moments(structure), SCHEMA, structure, divisor, shrinkage)
    if structure.covariance == "spherical":  # it is its own target
        np.testing.assert_allclose(found, plain, rtol=1e-15)
        return
    weight = np.array([10.0]) if structure.shared else np.array([4.0, 6.0])
    np.testing.assert_allclose(found, shrink(plain, shrinkage, weight), rtol=1e-14)


def test_shrinkage_makes_a_singular_class_invertible() -> None:
    line = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
    own = summarise(line, np.zeros(4, dtype=np.int32), None, 1)
    schema = Schema(np.array(["line"]), 2)
    with pytest.raises(SingularCovarianceError, match="class 'line' has collinear features"):
        estimate(own, schema, Structure())
    for shrinkage in (0.1, "oas", 1.0):
        estimate(own, schema, Structure(), shrinkage=shrinkage)


# The centre


@pytest.mark.parametrize("far", [0.0, 1e8, -(2.0**50), 1e-300])
def test_means_live_in_two_floats(far: float) -> None:
    # Rows at multiples of ¼ from the far point; thirds and ninths are no floats.
    near = np.array([[0.0], [0.25], [0.25], [4.0], [4.25], [4.25]])
    codes = np.array([0, 0, 0, 1, 1, 1], dtype=np.int32)
    schema = Schema(np.array([0, 1]), 1)
    parameters = estimate(summarise(near + far, codes, None, 2), schema, Structure())
    apart = parameters.center - far
    np.testing.assert_allclose(apart + parameters.offset, [[1 / 6], [4 + 1 / 6]], rtol=1e-15)


def test_the_centre_is_the_mean_of_all_rows() -> None:
    parameters = estimate(moments(Structure()), SCHEMA, Structure())
    np.testing.assert_allclose(parameters.center, ROWS.mean(axis=0), rtol=1e-15)


# What is refused


@each_structure
def test_a_class_without_rows(structure: Structure) -> None:
    schema = Schema(np.array(["a", "b", "nobody"]), 2)
    three = summarise(ROWS, CODES, None, 3, structure.layout)
    with pytest.raises(DataError, match="class 'nobody' has no rows of positive weight"):
        estimate(three, schema, structure)


@pytest.mark.parametrize("covariance", ["full", "diagonal", "spherical"])
def test_too_little_weight_for_the_unbiased_divisor(covariance: str) -> None:
    rows = summarise(np.eye(2), np.array([0, 1], dtype=np.int32), None, 2)
    with pytest.raises(DataError) as caught:
        estimate(rows, SCHEMA, Structure(covariance), divisor="unbiased")
    assert str(caught.value) == (
        "class 'a' weighs 1: divisor='unbiased' divides by 0; give more rows or use divisor='mle'"
    )
    with pytest.raises(DataError, match="the classes together weigh 2: .* divides by 0; give more"):
        estimate(rows, SCHEMA, Structure(covariance, shared=True), divisor="unbiased")


def test_too_few_rows_for_a_full_covariance() -> None:
    few = summarise(ROWS[:6], CODES[:6], None, 2)
    with pytest.raises(
        SingularCovarianceError, match=r"class 'b' does not vary in 'width' in 2 rows"
    ):
        estimate(few, SCHEMA, Structure())
    slanted = ROWS[:6] + np.array([[0, 0]] * 5 + [[0, 1]])
    with pytest.raises(SingularCovarianceError, match="class 'b' has 2 rows for 2 features: .* 3"):
        estimate(summarise(slanted, CODES[:6], None, 2), SCHEMA, Structure())
    estimate(few, SCHEMA, Structure(shared=True))


# Given parameters

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
    parameters = given(SCHEMA, structure, [0.25, 0.75], MEANS, values)
    assert parameters.prior.tolist() == [0.25, 0.75]
    assert parameters.mean.tolist() == MEANS
    assert parameters.shared == structure.shared
    count = 1 if structure.shared else 2
    assert parameters.covariance.dense().shape == (count, 2, 2)
    held = getattr(
        parameters.covariance, "covariance" if structure.covariance == "full" else "variance"
    )
    np.testing.assert_array_equal(held, np.reshape(values, held.shape))


@each_structure
def test_what_was_given_may_change_afterwards(structure: Structure) -> None:
    values = np.array(GIVEN[name_of(structure)])
    means, priors = np.array(MEANS), np.array([0.25, 0.75])
    parameters = given(SCHEMA, structure, priors, means, values)
    before = parameters.covariance.dense().copy()
    for array in (values, means, priors):
        array[...] = 99.0
    np.testing.assert_array_equal(parameters.covariance.dense(), before)
    assert parameters.mean.tolist() == MEANS
    assert parameters.prior.tolist() == [0.25, 0.75]


@each_structure
def test_covariances_of_another_structure_are_refused(structure: Structure) -> None:
    for name, values in GIVEN.items():
        shape = np.shape(values)
        if shape == np.shape(GIVEN[name_of(structure)]):
            continue
        with pytest.raises(ParameterError) as caught:
            given(SCHEMA, structure, "uniform", MEANS, values)
        message = str(caught.value)
        assert message.startswith(name_of(structure).replace("-", " ")), name
        assert "2 classes and 2 features" in message
        assert message.endswith(f"got {shape}")


@pytest.mark.parametrize("means", [[0.0, 1.0], [[0.0], [1.0]], [[0.0, 1.0]], 3.0])
def test_means_of_another_shape_are_refused(means: object) -> None:
    with pytest.raises(ParameterError) as caught:
        given(SCHEMA, Structure(), "uniform", means, GIVEN["own-full"])
    assert str(caught.value) == (
        f"means must have shape (2, 2) (classes, features), got {np.shape(means)}"
    )


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_named(bad: float) -> None:
    with pytest.raises(ParameterError, match=rf"means must be finite, got {bad} at \(1, 0\)"):
        given(SCHEMA, Structure(), "uniform", [[0, 1], [bad, 3]], GIVEN["own-full"])
    matrices = np.array(GIVEN["own-full"])
    matrices[1, 0, 1] = matrices[1, 1, 0] = bad
    with pytest.raises(
        ParameterError, match=rf"covariances must be finite, got {bad} at \(1, 0, 1"
    ):
        given(SCHEMA, Structure(), "uniform", MEANS, matrices)


@pytest.mark.parametrize("bad", ["text", [[0.0, 1.0], [2.0]], [["a", "b"], ["c", "d"]]])
def test_what_is_no_array_of_numbers(bad: object) -> None:
    with pytest.raises(ParameterError, match="means must be an array of numbers with"):
        given(SCHEMA, Structure(), "uniform", bad, GIVEN["own-full"])
    with pytest.raises(ParameterError, match="covariances must be an array of numbers with"):
        given(SCHEMA, Structure(), "uniform", MEANS, bad)


def test_covariances_must_be_symmetric() -> None:
    with pytest.raises(ParameterError) as caught:
        given(SCHEMA, Structure(), "uniform", MEANS, [np.eye(2), [[2.0, 0.5], [0.4, 1.0]]])
    assert str(caught.value) == (
        "the covariance of class 'b' is not symmetric: entry (0, 1) is 0.5, entry (1, 0) is 0.4"
    )
    with pytest.raises(ParameterError, match="the covariance is not symmetric: entry"):
        given(SCHEMA, Structure(shared=True), "uniform", MEANS, [[2.0, 0.5], [0.4, 1.0]])


@pytest.mark.parametrize("unit", [1e-150, 1.0, 1e150])
def test_rounding_is_not_asymmetry(unit: float) -> None:
    off = 0.5 * (1 + 1e-12)
    values = np.array([[2.0, 0.5], [off, 1.0]]) * unit**2
    parameters = given(SCHEMA, Structure(shared=True), "uniform", MEANS, values)
    held = parameters.covariance.dense()[0]
    assert held[0, 1] == held[1, 0]
    asymmetric = np.array([[2.0, 0.5], [0.5 + 1e-6, 1.0]]) * unit**2
    with pytest.raises(ParameterError, match="not symmetric"):
        given(SCHEMA, Structure(shared=True), "uniform", MEANS, asymmetric)


def test_covariances_must_be_positive_definite() -> None:
    for values in ([np.eye(2), [[1.0, 2.0], [2.0, 1.0]]], [np.eye(2), [[1.0, 1.0], [1.0, 1.0]]]):
        with pytest.raises(SingularCovarianceError, match="class 'b'.*'(height|width)'"):
            given(SCHEMA, Structure(), "uniform", MEANS, values)
    with pytest.raises(SingularCovarianceError, match="class 'a' has variance -1.0 in 'height'"):
        given(SCHEMA, Structure("diagonal"), "uniform", MEANS, [[-1.0, 1.0], [1.0, 1.0]])


@pytest.mark.parametrize("priors", [[0.5, 0.6], [1.5, -0.5], [1.0], {"a": 1.0}])
def test_given_priors_are_checked(priors: object) -> None:
    with pytest.raises(PriorError):
        given(SCHEMA, Structure(), priors, MEANS, GIVEN["own-full"])


def test_given_priors_may_be_zero() -> None:
    parameters = given(SCHEMA, Structure(), [1.0, 0.0], MEANS, GIVEN["own-full"])
    assert parameters.log_prior.tolist() == [0.0, -np.inf]


def test_no_priors_given_are_equal_ones() -> None:
    assert given(SCHEMA, Structure(), None, MEANS, GIVEN["own-full"]).prior.tolist() == [0.5, 0.5]


def test_one_class_and_one_feature() -> None:
    schema = Schema(np.array(["only"]), 1)
    parameters = given(schema, Structure(), [1.0], [[3.0]], [[[4.0]]])
    assert parameters.n_parameters == 2
    assert not parameters.shared
