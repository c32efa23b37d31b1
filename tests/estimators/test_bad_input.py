"""Bad input gets an error that says what came and what to do, and nothing is lost."""

from typing import Any

import numpy as np
import pytest

from gaussbayes import (
    AutoClassifier,
    DataError,
    GaussianClassifier,
    OptionError,
    compare,
)
from tests.models import SCORES, STRUCTURES, tree_frame, trees


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize(("value", "name"), [(np.inf, "inf"), (-np.inf, "inf")])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_not_finite_rows(structure: tuple[Any, bool], value: float, name: str, dtype: Any) -> None:
    X, y = trees()
    X = X.astype(dtype)
    bad = X.copy()
    bad[31, 1] = value
    model = GaussianClassifier(structure[0], shared=structure[1])
    with pytest.raises(DataError, match=f"contains {name}.* in row 31, column 1"):
        model.leave_one_out(bad, y)
    with pytest.raises(DataError, match=f"contains {name}.* in row 31, column 1"):
        model.partial_fit(bad, y)
    with pytest.raises(DataError, match=f"contains {name}.* in row 31, column 1"):
        model.fit(bad, y)
    model.fit(tree_frame(X), y)
    for method in ("predict", *SCORES):
        with pytest.raises(DataError, match=f"contains {name}.* row 31, column 'girth'"):
            getattr(model, method)(tree_frame(bad))
    with pytest.raises(DataError, match="row 31, column 'girth'"):
        model.log_odds(tree_frame(bad), "ash", "oak")
    with pytest.raises(DataError, match="row 31, column 'girth'"):
        model.negative_log_likelihood(tree_frame(bad), y)


def test_wrong_names_of_features() -> None:
    X, y = trees()
    model = GaussianClassifier().fit(tree_frame(X), y)
    other = tree_frame(X).rename(columns={"girth": "width"})
    wider = tree_frame(X).assign(species=y)  # the column of text is named as unknown, not as text
    shuffled = tree_frame(X)[["girth", "age", "height"]]
    for call in (model.predict, lambda X: model.partial_fit(X, y)):
        with pytest.raises(ValueError, match="unseen at fit time:\n- width\n.*missing:\n- girth"):
            call(other)
        with pytest.raises(ValueError, match="unseen at fit time:\n- species"):
            call(wider)
        with pytest.raises(ValueError, match="must be in the order of the features: 'age', 'gir"):
            call(shuffled)


def test_one_class_only() -> None:
    X, y = trees()
    named = "got 1 class: 'oak'; add labelled rows of another class, or choose another target"
    for model in (GaussianClassifier(), AutoClassifier()):
        with pytest.raises(DataError, match=named):
            model.fit(X, ["oak"] * 40)
        assert model.fit(np.r_[X, X + 1], ["oak"] * 40 + ["elm"] * 40).classes_.size == 2
        assert model.fit(X, y).classes_.size == 2
    with pytest.raises(DataError, match=named):
        compare(X, ["oak"] * 40)
    weight = np.tile([1.0, 0.0], 20)
    with pytest.raises(DataError, match="at least two classes with rows, got 1 class: 'ash'"):
        GaussianClassifier().fit(*trees(), sample_weight=weight)


@pytest.mark.parametrize(
    ("priors", "what"),
    [
        ([1.2, -0.2], r"the prior of class 'oak' is -0\.2; priors must be finite and not negative"),
        ([0.5, 0.6], r"priors must sum to 1, got \[0\.5, 0\.6\], which sum to 1\.1"),
        ([5, 5], "priors must sum to 1"),
        ([np.nan, 1.0], "the prior of class 'ash' is nan"),
        ([0.2, 0.3, 0.5], "2 classes, 'ash', 'oak', so 2 priors are needed"),
        ({"ash": 0.5, "elm": 0.5}, "unknown to the model: 'elm'; without a prior: 'oak'"),
        ({"ash": 1.0}, "without a prior: 'oak'"),
        ("equal", "priors must be None, 'uniform'.* got 'equal'"),
        (["x", "y"], "priors must be numbers"),
        (3.0, "priors must be None|priors are needed"),
    ],
)
def test_bad_priors(priors: Any, what: str) -> None:
    X, y = trees()
    with pytest.raises(OptionError, match=what):
        GaussianClassifier(priors=priors).fit(X, y)
    with pytest.raises(OptionError, match=what):
        GaussianClassifier().fit(X, y).with_priors(priors)
    with pytest.raises(OptionError, match=what):
        GaussianClassifier(priors=priors).partial_fit(X, y).predict(X)


def test_values_too_large_to_square() -> None:
    X, y = trees()
    with pytest.raises(DataError, match="too large: .*overflow"):
        GaussianClassifier().fit(X * 1e200, y)
    model = GaussianClassifier().fit(X, y)
    with pytest.raises(DataError, match="so far from every class"):
        model.predict(X * 1e200)


@pytest.mark.parametrize(
    ("n_features", "labels", "model", "words"),
    [
        (20_001, 2, GaussianClassifier(shared=True), r"20,001 features need one matrix: 3\.2 GB"),
        (
            4_000,
            100,
            GaussianClassifier(),
            r"each of 100 classes: 12\.8 GB.*diagonal.*share one covariance.*shared=True",
        ),
    ],
)
def test_covariances_that_are_too_large(
    n_features: int, labels: int, model: GaussianClassifier, words: str
) -> None:
    """The message says how much memory they would take, before any of it is taken."""
    y = np.arange(2 * labels) % labels
    X = np.zeros((2 * labels, n_features), np.float16)
    X[:labels] = 1
    with pytest.raises(DataError, match=f"(?s){words}.*PCA|{words}"):
        model.partial_fit(X, y)
    narrow = GaussianClassifier("diagonal", shared=True, smoothing=1).fit(X, y)
    assert narrow.predict(X[:2]).shape == (2,)
