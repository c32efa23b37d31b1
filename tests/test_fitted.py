"""The attributes of a fitted classifier are facts of its record, or are not there."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from gaussbayes import GaussianClassifier
from tests.models import tree_frame, trees

ATTRIBUTES = {
    "classes_",
    "n_features_in_",
    "feature_names_in_",
    "target_name_",
    "moments_",
    "parameters_",
    "priors_",
    "means_",
    "covariances_",
    "correlations_",
    "n_parameters_",
    "incomplete_",
    "convergence_",
}
OF_MISSING = {"incomplete_", "convergence_"}
COMPLETE = ATTRIBUTES - OF_MISSING


def there(model: GaussianClassifier) -> set[str]:
    return {name for name in ATTRIBUTES if hasattr(model, name)}


def test_what_is_there_when() -> None:
    X, y = trees()
    assert not there(GaussianClassifier())
    named = GaussianClassifier().fit(tree_frame(X), y)
    assert there(named) == COMPLETE - {"target_name_"}
    assert not there(clone(named))
    assert there(named.fit(X, y)) == COMPLETE - {"target_name_", "feature_names_in_"}
    named.target_name_ = "kind"
    assert there(pickle.loads(pickle.dumps(named))) == COMPLETE - {"feature_names_in_"}
    made = GaussianClassifier.from_parameters(None, [[0], [1]], [[1]])
    assert there(made) == COMPLETE - {"target_name_", "feature_names_in_", "moments_"}
    early = GaussianClassifier().partial_fit(X[:1], y[:1])  # one row: no parameters yet
    assert there(early) == {"classes_", "n_features_in_", "moments_"}
    X[3, 0] = np.nan
    lacking = GaussianClassifier().fit(X, y)
    assert there(lacking) == ATTRIBUTES - {"target_name_", "feature_names_in_"}
    assert there(lacking.fit(X[4:], y[4:])) == COMPLETE - {"target_name_", "feature_names_in_"}
    early = GaussianClassifier().partial_fit(X[3:4], y[3:4])
    assert there(early) == {"classes_", "n_features_in_", "moments_", "incomplete_"}


@pytest.mark.parametrize("name", sorted(ATTRIBUTES - {"target_name_"}))
def test_they_cannot_be_set(name: str) -> None:
    model = GaussianClassifier().fit(*trees())
    with pytest.raises(AttributeError):
        setattr(model, name, np.zeros(2))


def test_the_error_is_that_of_any_attribute() -> None:
    with pytest.raises(AttributeError, match="'GaussianClassifier' object has no attribute 'clas"):
        _ = GaussianClassifier().classes_
