"""Parameters given without fitting: what their shapes mean, and that nothing is guessed."""

from typing import Any

import numpy as np
import pytest

from gaussbayes.base.errors import ParameterError, PriorError, SchemaError, SingularCovarianceError
from gaussbayes.families.gaussian.parameters import Structure
from gaussbayes.model.direct import direct_parameters, structure_of


@pytest.mark.parametrize(
    ("shape", "covariance", "shared", "expected"),
    [
        ((3, 2, 2), None, None, Structure("full", shared=False)),
        ((2, 2), None, None, Structure("full", shared=True)),
        ((2, 2), "full", None, Structure("full", shared=True)),
        ((2, 2), None, True, Structure("full", shared=True)),
        ((3, 2), "diagonal", None, Structure("diagonal", shared=False)),
        ((2,), "diagonal", None, Structure("diagonal", shared=True)),
        ((3,), "spherical", None, Structure("spherical", shared=False)),
        ((), "spherical", None, Structure("spherical", shared=True)),
    ],
)
def test_structure_of_three_classes_and_two_features(
    shape: tuple[int, ...], covariance: Any, shared: Any, expected: Structure
) -> None:
    assert structure_of(np.ones(shape), 3, 2, covariance, shared) == expected


@pytest.mark.parametrize(
    ("covariance", "shared", "expected"),
    [
        ("full", None, Structure("full", shared=True)),
        ("diagonal", None, Structure("diagonal", shared=False)),
        (None, True, Structure("full", shared=True)),
    ],
)
def test_as_many_classes_as_features(covariance: Any, shared: Any, expected: Structure) -> None:
    assert structure_of(np.eye(2), 2, 2, covariance, shared) == expected
    assert structure_of(np.ones((2, 2, 2)), 2, 2, None, None) == Structure("full", shared=False)


def test_as_many_classes_as_features_is_not_guessed() -> None:
    with pytest.raises(ParameterError, match="say covariance='full' or 'diagonal'"):
        structure_of(np.eye(2), 2, 2, None, None)


@pytest.mark.parametrize(
    ("shape", "covariance", "shared", "what"),
    [
        ((3, 2), None, None, r"full .*\(2, 2\) or \(3, 2, 2\), got \(3, 2\); variances need"),
        ((3,), None, None, "variances need covariance='diagonal'"),
        ((), None, None, "or 'spherical'"),
        ((3, 2, 2), "diagonal", None, r"\(2,\) or \(3, 2\), got \(3, 2, 2\)"),
        ((2, 2), None, False, r"own full .* have shape \(3, 2, 2\), got \(2, 2\)"),
        ((3, 2, 2), None, True, r"shared full .* have shape \(2, 2\), got \(3, 2, 2\)"),
        (
            (2, 2),
            "round",
            None,
            "covariance is one of 'full', 'diagonal', 'spherical', got 'round'",
        ),
    ],
)
def test_shapes_that_fit_nothing(
    shape: tuple[int, ...], covariance: Any, shared: Any, what: str
) -> None:
    with pytest.raises(ParameterError, match=what):
        structure_of(np.ones(shape), 3, 2, covariance, shared)


def test_everything_is_sorted_with_the_classes() -> None:
    parameters, schema, structure = direct_parameters(
        [0.2, 0.5, 0.3],
        [[1, 1], [2, 2], [3, 3]],
        [[[1, 0], [0, 1]], [[2, 0], [0, 2]], [[3, 0], [0, 3]]],
        ["c", "a", "b"],
        feature_names=["x", "y"],
    )
    assert structure == Structure("full", shared=False)
    assert schema.classes.tolist() == ["a", "b", "c"]
    assert schema.features == ("x", "y")
    assert parameters.prior.tolist() == [0.5, 0.3, 0.2]
    np.testing.assert_allclose(parameters.mean, [[2, 2], [3, 3], [1, 1]], rtol=1e-15)
    assert parameters.covariance.dense()[:, 0, 0].tolist() == [2, 3, 1]


@pytest.mark.parametrize(
    ("priors", "expected"),
    [(None, [0.5, 0.5]), ("uniform", [0.5, 0.5]), ({"b": 0.9, "a": 0.1}, [0.1, 0.9])],
)
def test_priors_of_every_kind(priors: Any, expected: list[float]) -> None:
    parameters, _, _ = direct_parameters(priors, [[1], [2]], [[1]], ["b", "a"])
    assert parameters.prior.tolist() == expected


@pytest.mark.parametrize(
    ("change", "error", "what"),
    [
        ({"priors": [0.5, 0.6]}, PriorError, "sum to 1"),
        ({"priors": [1.5, -0.5]}, PriorError, r"prior of class 'b' is -0\.5"),
        ({"priors": [0.2, 0.3, 0.5]}, PriorError, "2 priors are needed"),
        ({"priors": {"a": 0.5, "z": 0.5}}, PriorError, "unknown to the model: 'z'"),
        ({"priors": ["x", "y"]}, PriorError, "priors must be numbers"),
        ({"means": [1, 2]}, ParameterError, r"means have shape \(classes, features\).*\(2,\)"),
        ({"means": [[1, 2]]}, ParameterError, r"at least two classes, got \(1, 2\)"),
        (
            {"means": [[1, 2], [3]]},
            ParameterError,
            "means must be an array of numbers with rows of equal length",
        ),
        ({"means": [[1, 2], [3, np.nan]]}, ParameterError, "means must be finite"),
        ({"covariances": [["x"]]}, ParameterError, "covariances must be an array of numbers"),
        ({"covariances": [[[1, 0.5], [0.4, 1]]] * 2}, ParameterError, "class 'a' is not symmetric"),
        ({"covariances": [[[1, 2], [2, 1]]] * 2}, SingularCovarianceError, "class 'a'"),
        ({"covariances": [[[1, 0], [0, -1]]] * 2}, SingularCovarianceError, "class 'a'"),
        ({"covariances": [[[1, 0], [0, np.nan]]] * 2}, ParameterError, "must be finite, got nan"),
        ({"classes": ["a"]}, SchemaError, "2 different labels"),
        ({"classes": ["a", "a"]}, SchemaError, "2 different labels"),
        ({"feature_names": ["x"]}, SchemaError, "2 features need as many names"),
    ],
)
def test_bad_parameters(change: dict[str, Any], error: Any, what: str) -> None:
    good = {
        "priors": [0.5, 0.5],
        "means": [[1, 2], [3, 4]],
        "covariances": [[[1, 0], [0, 1]]] * 2,
        "classes": ["a", "b"],
    }
    direct_parameters(**good)  # type: ignore[arg-type]
    with pytest.raises(error, match=what):
        direct_parameters(**{**good, **change})
