"""Pairs of levels: what holds for every model holds for them, in columns of any kind."""

import numpy as np
import pandas as pd
import pytest

import gaussbayes
from gaussbayes import DataError, GaussianClassifier

FAMILIES = {("x", "n", "z"): "pairs"}


def table(n=90, seed=0, missing=0.15):
    """A number, a count and a category of three classes, with gaps."""
    random = np.random.default_rng(seed)
    y = np.array(["a", "b", "c"])[np.arange(n) % 3]
    shift = np.arange(n) % 3
    z = np.array(["p", "q", "r", "s"], dtype=object)[(random.integers(0, 2, n) + shift) % 4]
    frame = pd.DataFrame(
        {
            "x": random.normal(size=n) + shift,
            "n": random.poisson(1.0 + shift).astype(float),
            "z": z,
        }
    )
    return frame.mask(random.random(frame.shape) < missing), y


def fitted(X, y, weights=None, like=None):
    return GaussianClassifier(families=FAMILIES).fit(X, y, weights, like=like)


def assert_same(a, b, X, exactly=True):
    assert a.classes_.tolist() == b.classes_.tolist()
    one, other = a.predict_log_proba(X), b.predict_log_proba(X)
    if exactly:
        np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-12)


X, Y = table()
MODEL = fitted(X, Y)


def test_parts_are_the_whole_in_any_order():
    cuts = [slice(0, 20), slice(20, 65), slice(65, None)]
    parts = [fitted(X[cut], Y[cut], like=MODEL) for cut in cuts]
    first, second, third = parts
    assert_same(first.merge(second).merge(third), MODEL, X)
    first, second, third = (fitted(X[cut], Y[cut], like=MODEL) for cut in cuts)
    assert_same(third.merge(first).merge(second), MODEL, X)
    stream = fitted(X[cuts[0]], Y[cuts[0]], like=MODEL)
    for cut in cuts[1:]:
        stream.partial_fit(X[cut], Y[cut])
    assert_same(stream, MODEL, X)


def test_bins_of_other_rows_do_not_merge():
    with pytest.raises(DataError, match="different levels cannot be combined"):
        fitted(X[:45], Y[:45]).merge(fitted(X[45:], Y[45:]))


def test_rows_are_forgotten():
    more, labels = table(30, seed=4)
    model = fitted(X, Y).partial_fit(more, labels)
    assert_same(model.forget(more, labels), MODEL, X)


def test_the_order_of_rows_columns_and_classes_does_not_matter():
    order = np.random.default_rng(1).permutation(len(X))
    assert_same(fitted(X.iloc[order], Y[order]), MODEL, X)
    turned = X[["z", "x", "n"]]
    other = GaussianClassifier(families={("z", "x", "n"): "pairs"}).fit(turned, Y)
    np.testing.assert_allclose(other.predict_proba(turned), MODEL.predict_proba(X), rtol=1e-11)
    names = {"a": "z", "b": "y", "c": "x"}
    renamed = fitted(X, np.array([names[label] for label in Y]))
    np.testing.assert_allclose(renamed.predict_proba(X)[:, ::-1], MODEL.predict_proba(X))


def test_weights_are_repetitions():
    weights = np.random.default_rng(2).integers(0, 4, len(X)).astype(float)
    repeated = np.repeat(np.arange(len(X)), weights.astype(int))
    assert_same(fitted(X, Y, weights), fitted(X.iloc[repeated], Y[repeated]), X)


@pytest.mark.parametrize("unit", [2.0**-30, 1e3])
def test_units_do_not_matter(unit):
    scaled = X.assign(x=unit * X["x"], n=unit * X["n"])
    np.testing.assert_array_equal(fitted(scaled, Y).predict_proba(scaled), MODEL.predict_proba(X))
    bent = X.assign(x=np.exp(X["x"]))  # the order of the rows is all that bins know
    np.testing.assert_array_equal(fitted(bent, Y).predict_proba(bent), MODEL.predict_proba(X))


def test_the_marginal_is_the_model_of_fewer_features_and_of_missing_values():
    columns = ["x", "z"]
    fewer = GaussianClassifier(families={("x", "z"): "pairs"}).fit(X[columns], Y)
    marginal = MODEL.marginal(columns)
    assert_same(marginal, fewer, X[columns])
    unknown = X.assign(n=np.nan)
    np.testing.assert_allclose(
        MODEL.predict_proba(unknown), marginal.predict_proba(X[columns]), rtol=1e-12
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_leaving_out_is_refitting_at_the_same_levels(weighted):
    weights = np.random.default_rng(3).uniform(0.5, 2.0, len(X)) if weighted else None
    model = fitted(X, Y, weights)
    found = model.leave_one_out(X, Y, weights).log_posterior
    for i in range(0, len(X), 7):
        others = np.arange(len(X)) != i
        w = None if weights is None else weights[others]
        refitted = fitted(X[others], Y[others], w, like=model)
        expected = refitted.predict_log_proba(X.iloc[[i]])[0]
        np.testing.assert_allclose(found[i], expected, rtol=1e-9, atol=1e-9)


def test_one_hot_soft_labels_are_labels():
    soft = np.eye(3)[np.searchsorted(["a", "b", "c"], Y)]
    model = GaussianClassifier(families=FAMILIES).fit(X, soft)
    np.testing.assert_array_equal(model.predict_proba(X), MODEL.predict_proba(X))


def test_classes_are_removed_and_files_give_models_back(tmp_path):
    left = fitted(X, Y).remove_class("c")
    some = Y != "c"
    assert_same(left, fitted(X[some], Y[some], like=MODEL), X)
    again = gaussbayes.load(MODEL.save(tmp_path / "model.json"))
    assert_same(again, MODEL, X)
    part = MODEL.marginal(["n", "z"])
    assert_same(gaussbayes.load(part.save(tmp_path / "part.json")), part, X[["n", "z"]])
    assert_same(again.partial_fit(X, Y), fitted(X, Y).partial_fit(X, Y), X)
    X.assign(y=Y).to_csv(tmp_path / "rows.csv", index=False)
    assert_same(GaussianClassifier(families=FAMILIES).fit(tmp_path / "rows.csv", "y"), MODEL, X)
