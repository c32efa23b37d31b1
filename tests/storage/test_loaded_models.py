"""A model that was loaded does all that the one that was saved does, to the bit."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from gaussbayes import GaussianClassifier, SingularCovarianceError
from tests.models import SCORES, STRUCTURES, iris, six_models, tree_frame, trees
from tests.storage.files import file_of, fitted, given

X, Y = iris()


def through_a_file(model: GaussianClassifier, folder: Path) -> GaussianClassifier:
    again = GaussianClassifier.load(model.save(folder / "model.json"))
    assert file_of(again) == file_of(model)
    return again


def assert_identical(a: GaussianClassifier, b: GaussianClassifier, rows: Any) -> None:
    for name in SCORES:
        one, other = getattr(a, name)(rows), getattr(b, name)(rows)
        assert one.dtype == other.dtype
        assert one.tobytes() == other.tobytes(), name
    one, other = a.predict(rows), b.predict(rows)
    assert one.dtype == other.dtype
    assert one.tolist() == other.tolist()


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
@pytest.mark.parametrize("type_of_rows", [np.float32, np.float64])
def test_scores_are_identical(structure: Any, type_of_rows: Any, tmp_path: Path) -> None:
    covariance, shared = structure
    model = GaussianClassifier(
        covariance, shared=shared, shrinkage=0.1, divisor="unbiased", priors=[0.2, 0.3, 0.5]
    ).fit(X, Y)
    rows = X.astype(type_of_rows)
    assert_identical(through_a_file(model, tmp_path), model, rows)


@pytest.mark.parametrize("model", six_models(), ids=str)
def test_learning_goes_on(model: GaussianClassifier, tmp_path: Path) -> None:
    model.partial_fit(X[:50], Y[:50])
    loaded = through_a_file(model, tmp_path)
    for one in (model, loaded):
        one.partial_fit(X[50:100], Y[50:100])
        one.merge(clone(model).fit(X[100:], Y[100:]))
    assert file_of(loaded) == file_of(model)
    assert_identical(loaded, model, X)


def test_what_comes_with_a_model_comes_back(tmp_path: Path) -> None:
    model = fitted(priors={"ash": 0.25, "oak": 0.75}, shrinkage="oas")
    model.target_name_ = "kind"
    loaded = through_a_file(model, tmp_path)
    assert loaded.target_name_ == "kind"
    assert loaded.n_features_in_ == 3
    assert loaded.feature_names_in_.tolist() == ["age", "girth", "height"]
    assert loaded.feature_names_in_.dtype == model.feature_names_in_.dtype
    assert loaded.get_params() == model.get_params()
    assert loaded.n_parameters_ == model.n_parameters_
    assert loaded.moments_.layout == "full"
    frame = tree_frame(trees()[0])
    assert_identical(loaded, model, frame)
    assert_identical(pickle.loads(pickle.dumps(loaded)), model, frame)
    assert_identical(loaded.with_priors("uniform"), model.with_priors("uniform"), frame)
    assert_identical(loaded.marginal(["girth"]), model.marginal(["girth"]), frame[["girth"]])
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame[["girth", "age", "height"]])
    again = clone(loaded)
    assert not hasattr(again, "classes_")
    assert file_of(again.fit(*(frame, trees()[1]))) == file_of(clone(model).fit(frame, trees()[1]))
    for one, other in zip(loaded.sample(20, 3), model.sample(20, 3), strict=True):
        assert one.tolist() == other.tolist()


def test_a_model_from_parameters(tmp_path: Path) -> None:
    model = given()
    loaded = through_a_file(model, tmp_path)
    rows = np.random.default_rng(1).normal(size=(50, 2))
    assert_identical(loaded, model, rows)
    assert_identical(loaded.with_priors(None), model.with_priors(None), rows)
    assert not hasattr(loaded, "moments_")
    with pytest.raises(ValueError, match="was made from parameters"):
        loaded.partial_fit(rows[:2], [0, 1])


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_a_marginal_of_many_features(structure: Any, tmp_path: Path) -> None:
    covariance, shared = structure
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(400, 40)) + 1e6
    model = GaussianClassifier(covariance, shared=shared).fit(rows, np.arange(400) % 3)
    part = model.marginal([7, 3, 39, 0, 21])
    assert_identical(through_a_file(part, tmp_path), part, rows[:, [7, 3, 39, 0, 21]])


def test_a_stream_that_has_just_begun(tmp_path: Path) -> None:
    """One row, one class: nothing to predict yet, and still something to keep."""
    model = GaussianClassifier().partial_fit([[1.0, 2.0]], ["a"])
    loaded = through_a_file(model, tmp_path)
    with pytest.raises(ValueError, match="at least two classes"):
        loaded.predict([[1.0, 2.0]])
    for one in (model, loaded):
        one.partial_fit([[3.0, 2.5]], ["b"])
    with pytest.raises(SingularCovarianceError):
        loaded.predict([[1.0, 2.0]])
    assert file_of(loaded) == file_of(model)


def test_rows_far_from_zero(tmp_path: Path) -> None:
    far = X * 1e-3 + 2.0**40
    model = GaussianClassifier().fit(far, Y)
    assert_identical(through_a_file(model, tmp_path), model, far)


@pytest.mark.parametrize(
    "labels",
    [
        [True, False],
        [3, -7],
        np.array([3, 7], dtype=np.uint8),
        np.array([3, 7], dtype=np.float32),
        pd.Series(["no", "yes"], dtype=object),
        pd.Series(["no", "yes"], dtype="str"),
        pd.Categorical(["no", "yes"]),
        np.array(["no", "yes"], dtype=np.dtypes.StringDType()),
        np.array(["no", "yes"], dtype="U9"),
        ["", "ü\n\0x"],
    ],
    ids=repr,
)
def test_labels_of_every_kind(labels: Any, tmp_path: Path) -> None:
    y = np.asarray(labels)[[0, 0, 1, 1]]
    model = GaussianClassifier().fit([[1.0], [2.0], [5.0], [7.0]], y)
    loaded = through_a_file(model, tmp_path)
    assert loaded.classes_.dtype == model.classes_.dtype
    assert_identical(loaded, model, [[1.0], [4.0], [6.0]])


def test_500_features_and_5_classes_are_compact(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    model = GaussianClassifier().partial_fit(rng.normal(size=(600, 500)), np.arange(600) % 5)
    path = model.save(tmp_path / "large.json")
    assert path.stat().st_size < 15_000_000
    again = GaussianClassifier.load(path)
    assert again.moments_.scatter.tobytes() == model.moments_.scatter.tobytes()


def test_without_names_after_a_model_with_names(tmp_path: Path) -> None:
    loaded = through_a_file(fitted().with_feature_names(None), tmp_path)
    assert not hasattr(loaded, "feature_names_in_")
    assert not hasattr(loaded, "target_name_")
