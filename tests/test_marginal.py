"""Models of some features: scipy's density of the sub-block, an integral, and bad choices."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import multivariate_normal

from gaussbayes import GaussianClassifier
from gaussbayes.base.errors import SchemaError
from gaussbayes.base.schema import Schema
from gaussbayes.families.gaussian.marginal import find_columns
from tests.models import assert_same_model, six_models, tree_frame, trees


def test_the_density_is_that_of_the_sub_block() -> None:
    X, y = trees()
    model = GaussianClassifier().fit(X, y)
    part = model.marginal([2, 0])
    points = np.random.default_rng(5).normal(size=(20, 2))
    for code in range(2):
        own = model.covariances_[code][np.ix_([2, 0], [2, 0])]
        expected = multivariate_normal(model.means_[code][[2, 0]], own).logpdf(points)
        np.testing.assert_allclose(part.log_likelihood(points)[:, code], expected, rtol=1e-12)


def test_the_other_feature_is_integrated_out() -> None:
    X, y = trees(d=2)
    model = GaussianClassifier().fit(X, y)
    part = model.marginal([0])
    for x in (-1.0, 0.3, 2.0):
        integral, _ = quad(lambda z, x=x: float(model.evidence([[x, z]])[0]), -12, 12, epsrel=1e-11)
        assert part.evidence([[x]])[0] == pytest.approx(integral, rel=1e-9)


@pytest.mark.parametrize("model", six_models(), ids=lambda model: repr(model)[19:-1] or "full")
def test_every_structure_keeps_its_parameters(model: GaussianClassifier) -> None:
    X, y = trees()
    model.fit(tree_frame(X), y)
    part = model.marginal(["height", 0])
    assert part.feature_names_in_.tolist() == ["height", "age"]
    assert (part.n_features_in_, part.shared) == (2, model.shared)
    np.testing.assert_array_equal(part.priors_, model.priors_)
    np.testing.assert_array_equal(part.means_, model.means_[:, [2, 0]])
    whole = model.covariances_[..., [2, 0], :][..., :, [2, 0]]
    np.testing.assert_array_equal(part.covariances_, whole)
    assert not hasattr(part, "moments_")
    assert_same_model(model.marginal([0, 1, 2]), model, tree_frame(X))


def test_the_model_itself_stays_as_it_is() -> None:
    X, y = trees()
    model = GaussianClassifier().fit(X, y)
    before = model.predict_proba(X)
    model.marginal([1])
    np.testing.assert_array_equal(model.predict_proba(X), before)
    assert model.n_features_in_ == 3
    assert hasattr(model, "moments_")


NAMED = Schema(np.array([0, 1]), 3, ("age", "girth", "height"))


def test_columns_by_name_and_number() -> None:
    assert find_columns(NAMED, ["girth", 0]) == (1, 0)
    assert find_columns(NAMED, "height") == (2,)
    assert find_columns(NAMED, np.array([2, 1])) == (2, 1)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (["grith"], "no feature 'grith' \\(did you mean 'girth'\\?\\); the features are"),
        (["weight?"], "no feature 'weight\\?'"),
        ([3], "no feature 3; they are numbered from 0 to 2"),
        ([-1], "no feature -1; they are numbered from 0 to 2"),
        ([1.5], "by its name or its number, got 1.5"),
        ([None], "by its name or its number, got None"),
        ([], "different ones, and at least one, got \\[\\]"),
        ([0, "age"], "different ones, and at least one, got \\[0, 'age'\\]"),
    ],
)
def test_bad_choices(features: list, message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        find_columns(NAMED, features)


def test_names_where_there_are_none() -> None:
    with pytest.raises(SchemaError, match="no feature 'age'; the features have no names"):
        find_columns(Schema(np.array([0, 1]), 2), ["age"])
