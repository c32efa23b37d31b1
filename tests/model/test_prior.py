"""Priors: estimated, uniform, given in order or by label; validated once."""

import numpy as np
import pytest

from gaussbayes.base.errors import OptionError
from gaussbayes.base.schema import Schema
from gaussbayes.model.settings import class_priors

SCHEMA = Schema(np.array(["no", "perhaps", "yes"]), 1)
WEIGHT = np.array([6.0, 3.0, 1.0])


def test_shares_of_the_weight() -> None:
    assert class_priors(None, SCHEMA, WEIGHT).tolist() == [0.6, 0.3, 0.1]
    np.testing.assert_allclose(
        class_priors(None, SCHEMA, WEIGHT * 2.0**-1000), [0.6, 0.3, 0.1], rtol=4e-16
    )


def test_uniform() -> None:
    assert class_priors("uniform", SCHEMA, WEIGHT).tolist() == [1 / 3] * 3


@pytest.mark.parametrize(
    "priors",
    [
        [0.5, 0.25, 0.25],
        (0.5, 0.25, 0.25),
        np.array([0.5, 0.25, 0.25]),
        np.array([0.5, 0.25, 0.25], dtype=np.float32),
        {"no": 0.5, "perhaps": 0.25, "yes": 0.25},
        {"yes": 0.25, "no": 0.5, "perhaps": 0.25},
    ],
)
def test_given(priors: object) -> None:
    values = class_priors(priors, SCHEMA, WEIGHT)
    assert values.tolist() == [0.5, 0.25, 0.25]
    assert values.dtype == np.float64


def test_zero_is_a_prior() -> None:
    assert class_priors([1, 0, 0], SCHEMA, WEIGHT).tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    "classes", [np.array([3, 5]), np.array([False, True]), np.array([3, 5], dtype=object)]
)
def test_labels_of_any_kind(classes: np.ndarray) -> None:
    first, second = classes.tolist()
    schema = Schema(classes, 1)
    assert class_priors({second: 0.75, first: 0.25}, schema, np.ones(2)).tolist() == [0.25, 0.75]


def test_one_class() -> None:
    schema = Schema(np.array(["only"]), 1)
    for priors in (None, "uniform", [1.0], {"only": 1.0}):
        assert class_priors(priors, schema, np.array([7.0])).tolist() == [1.0]


def test_a_thousand_classes() -> None:
    schema = Schema(np.arange(1000), 1)
    assert class_priors("uniform", schema, np.ones(1000)).tolist() == [0.001] * 1000
    with pytest.raises(OptionError, match=r"there are 1000 classes, 0, 1, 2, 3, 4, 5, 6, 7, …"):
        class_priors([0.5, 0.5], schema, np.ones(1000))


@pytest.mark.parametrize("excess", [1e-9, -1e-9])
def test_rounding_of_the_sum_is_allowed(excess: float) -> None:
    class_priors([0.5 + excess, 0.25, 0.25], SCHEMA, WEIGHT)


@pytest.mark.parametrize("priors", [[0.5, 0.25, 0.2500001], [0.2, 0.2, 0.2], [5, 5, 5], [0, 0, 0]])
def test_priors_that_do_not_sum_to_one(priors: list[float]) -> None:
    with pytest.raises(OptionError, match=r"must sum to 1, got \[.*\], which sum to ") as caught:
        class_priors(priors, SCHEMA, WEIGHT)
    assert str([float(prior) for prior in priors]) in str(caught.value)


@pytest.mark.parametrize("bad", [-0.5, np.nan, np.inf])
def test_priors_that_are_no_probabilities(bad: float) -> None:
    with pytest.raises(OptionError, match=f"prior of class 'perhaps' is {bad}; .* not negative"):
        class_priors([0.5, bad, 0.5], SCHEMA, WEIGHT)


@pytest.mark.parametrize("priors", [[0.5, 0.5], [1.0], [], [[0.5, 0.25, 0.25]], 0.5])
def test_wrong_number_of_priors(priors: object) -> None:
    with pytest.raises(
        OptionError,
        match="there are 3 classes, 'no', 'perhaps', 'yes', so 3 priors are needed; got",
    ):
        class_priors(priors, SCHEMA, WEIGHT)


def test_unknown_and_missing_labels_are_named() -> None:
    with pytest.raises(OptionError) as caught:
        class_priors({"no": 0.5, "maybe": 0.25, 7: 0.25}, SCHEMA, WEIGHT)
    message = str(caught.value)
    assert "unknown to the model: 'maybe', 7" in message
    assert "without a prior: 'perhaps', 'yes'" in message
    assert "classes: 'no', 'perhaps', 'yes'" in message


@pytest.mark.parametrize("priors", ["equal", "UNIFORM", ""])
def test_unknown_words(priors: str) -> None:
    with pytest.raises(OptionError, match=f"None, 'uniform', numbers or .*, got '{priors}'"):
        class_priors(priors, SCHEMA, WEIGHT)


@pytest.mark.parametrize("priors", [["a", "b", "c"], [None, {}, 1], object()])
def test_things_that_are_no_numbers(priors: object) -> None:
    with pytest.raises(OptionError, match="priors must be numbers, got"):
        class_priors(priors, SCHEMA, WEIGHT)


def test_priors_are_not_those_of_the_caller() -> None:
    given = np.array([0.5, 0.25, 0.25])
    values = class_priors(given, SCHEMA, WEIGHT)
    given[0] = 9.0
    assert values.tolist() == [0.5, 0.25, 0.25]
