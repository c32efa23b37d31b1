"""The drop-in classes: scikit-learn's numbers, and what scikit-learn's classes cannot do."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context, discriminant_analysis, naive_bayes
from sklearn.base import clone
from sklearn.covariance import OAS
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from gaussbayes import (
    AutoClassifier,
    FileError,
    GaussianClassifier,
    SingularCovarianceError,
    load,
)
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.sklearn import (
    GaussianNB,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)

TABLES = {
    load.__name__[5:]: load(return_X_y=True)
    for load in (load_iris, load_wine, load_breast_cancer, load_digits)
}
THEIRS = {**vars(discriminant_analysis), **vars(naive_bayes)}

IRIS, SPECIES = TABLES["iris"]

AGREEING = [
    *((LinearDiscriminantAnalysis(solver=solver), 1e-8) for solver in ("svd", "lsqr", "eigen")),
    (LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.3), 1e-10),
    (LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto"), 1e-10),
    (LinearDiscriminantAnalysis(solver="lsqr", covariance_estimator=OAS()), 1e-10),
    (QuadraticDiscriminantAnalysis(), 1e-10),
    (QuadraticDiscriminantAnalysis(reg_param=0.1), 1e-10),
    (QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto"), 1e-10),
    (GaussianNB(), 1e-10),
    (GaussianNB(var_smoothing=0.1, priors=[0.2, 0.3, 0.5]), 1e-10),
]
THREE = [
    (LinearDiscriminantAnalysis(), IRIS),
    (QuadraticDiscriminantAnalysis(reg_param=0.01), IRIS),
    (GaussianNB(var_smoothing=0.01), IRIS),
]


def theirs_like(ours: Any) -> Any:
    return THEIRS[type(ours).__name__](**ours.get_params(deep=False))


@pytest.mark.parametrize(("ours", "tolerance"), AGREEING, ids=str)
def test_probabilities_and_scores_are_those_of_scikit_learn(ours: Any, tolerance: float) -> None:
    n_tables = 0
    for rows, y in TABLES.values():
        if len(getattr(ours, "priors", None) or np.unique(y)) != np.unique(y).size:
            continue
        try:
            theirs = theirs_like(ours).fit(rows, y)
        except np.linalg.LinAlgError:  # of a rank test by units, or of digits, which are singular
            continue
        mine = clone(ours).fit(rows, y)
        posterior = mine.predict_proba(rows)
        np.testing.assert_allclose(posterior, theirs.predict_proba(rows), atol=tolerance)
        for name in ("decision_function", "predict_joint_log_proba"):
            if hasattr(theirs, name):
                expected = getattr(theirs, name)(rows)
                size = np.abs(expected).max()
                got = getattr(mine, name)(rows)
                np.testing.assert_allclose(got, expected, atol=tolerance * size)
        n_tables += 1
    assert n_tables >= 2


@pytest.mark.parametrize("solver", ["svd", "eigen"])
@pytest.mark.parametrize("table", ["iris", "wine", "breast_cancer", "digits", "wide"])
def test_the_axes_are_those_of_scikit_learn(solver: str, table: str) -> None:
    if table == "wide":  # more features than rows: the variance within classes has rank 27
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(30, 50)), np.arange(30) % 3
    else:
        X, y = TABLES[table]
    if solver == "eigen" and table in ("digits", "wide"):  # singular
        for kind in (LinearDiscriminantAnalysis, THEIRS["LinearDiscriminantAnalysis"]):
            with pytest.raises(np.linalg.LinAlgError):
                kind(solver=solver).fit(X, y)
        return
    ours = LinearDiscriminantAnalysis(solver=solver).fit(X, y)
    theirs = theirs_like(ours).fit(X, y)
    mine, expected = ours.transform(X), theirs.transform(X)
    sign = np.sign((mine * expected).sum(axis=0))
    np.testing.assert_allclose(mine * sign, expected, atol=1e-10)
    ratios = ours.explained_variance_ratio_, theirs.explained_variance_ratio_
    np.testing.assert_allclose(*ratios, atol=1e-10)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10)
    for name in ("coef_", "intercept_", "means_", "priors_"):
        largest = np.abs(getattr(theirs, name)).max()
        got = getattr(ours, name)
        np.testing.assert_allclose(got, getattr(theirs, name), atol=1e-10 * largest)


def test_other_attributes_are_those_of_scikit_learn() -> None:
    X, y = TABLES["wine"]
    ours = QuadraticDiscriminantAnalysis(store_covariance=True).fit(X, y)
    theirs = theirs_like(ours).fit(X, y)
    for name in ("covariance_", "scalings_"):
        for mine, expected in zip(getattr(ours, name), getattr(theirs, name), strict=True):
            np.testing.assert_allclose(mine, expected, rtol=1e-7)
    rotations = zip(ours.rotations_, theirs.rotations_, strict=True)
    for mine, expected in rotations:
        np.testing.assert_allclose(np.abs(mine), np.abs(expected), atol=1e-8)
    naive, naive_theirs = GaussianNB().fit(X, y), naive_bayes.GaussianNB().fit(X, y)
    for name in ("class_count_", "class_prior_", "epsilon_", "theta_", "var_"):
        got, expected = getattr(naive, name), getattr(naive_theirs, name)
        np.testing.assert_allclose(got, expected, rtol=1e-10)


@pytest.mark.parametrize(("model", "X"), THREE, ids=lambda each: type(each).__name__)
def test_batches_parts_weights_and_files_give_the_same_model(
    model: Any, X: Any, tmp_path: Path
) -> None:
    y, labels = SPECIES, [0, 1, 2]
    whole = clone(model).fit(X, y)
    expected = whole.predict_log_proba(X)
    stream = clone(model)
    for rows in np.array_split(np.arange(150), 7):  # the first of one class only
        stream.partial_fit(X[rows], y[rows], classes=labels)
        if not isinstance(model, QuadraticDiscriminantAnalysis):  # one class is none for it
            assert stream.predict_proba(X[:3]).shape == (3, 3)
    np.testing.assert_allclose(stream.predict_log_proba(X), expected, rtol=1e-9, atol=1e-12)
    parts = [
        clone(model).partial_fit(X[rows], y[rows], classes=labels)
        for rows in (
            np.arange(0, 150, 2),
            np.arange(1, 150, 2),
        )
    ]
    merged = parts[0].merge(parts[1])
    np.testing.assert_allclose(merged.predict_log_proba(X), expected, rtol=1e-9, atol=1e-12)
    twice = clone(model).fit(np.vstack([X, X[:60]]), np.append(y, y[:60]))
    weighted = clone(model).fit(X, y, sample_weight=np.where(np.arange(150) < 60, 2.0, 1.0))
    np.testing.assert_allclose(
        weighted.predict_log_proba(X), twice.predict_log_proba(X), rtol=1e-8, atol=1e-11
    )
    copied = pickle.loads(pickle.dumps(whole))
    assert copied.predict_log_proba(X).tobytes() == expected.tobytes()
    loaded = load(whole.save(tmp_path / "model.json"))
    assert type(loaded) is GaussianClassifier
    assert loaded.predict_log_proba(X).tobytes() == expected.tobytes()
    with pytest.raises(FileError, match="saved by GaussianClassifier"):
        type(model).load(tmp_path / "model.json")
    more = loaded.partial_fit(X[:5], y[:5]).predict_log_proba(X)
    again = whole.partial_fit(X[:5], y[:5]).predict_log_proba(X)
    np.testing.assert_allclose(more, again, rtol=1e-12)


@pytest.mark.parametrize(("model", "X"), THREE, ids=lambda each: type(each).__name__)
def test_values_may_be_missing(model: Any, X: Any) -> None:
    rows = X.astype(float)
    rows[::5, 1] = np.nan
    fitted = clone(model).fit(rows, SPECIES)
    posterior = fitted.predict_proba(rows)
    np.testing.assert_allclose(posterior.sum(axis=1), 1.0, rtol=1e-12)
    assert fitted.score(rows, SPECIES) > 0.85
    # A row of which nothing is there has the priors for posteriors.
    blank = fitted.predict_proba(np.full((1, 4), np.nan))
    np.testing.assert_allclose(blank, [[1 / 3, 1 / 3, 1 / 3]], atol=1e-12)
    if isinstance(fitted, LinearDiscriminantAnalysis):
        incomplete = np.isnan(rows).any(axis=1)
        assert np.array_equal(np.isnan(fitted.transform(rows)).all(axis=1), incomplete)


def test_a_floor_under_variances_is_no_part_of_what_is_learnt() -> None:
    # PEERS: scikit-learn takes the epsilon of a batch from variances that hold another's.
    rng = np.random.default_rng(0)
    X = np.vstack([scale * rng.normal(size=(40, 2)) for scale in (0.1, 1.0, 30.0)])
    y = np.tile([0, 1], 60)
    stream = GaussianNB(var_smoothing=0.01)
    for rows in np.array_split(np.arange(120), 3):
        stream.partial_fit(X[rows], y[rows], classes=[0, 1])
    variances = np.stack([X[y == c].var(axis=0) for c in (0, 1)]) + 0.01 * X.var(axis=0).max()
    np.testing.assert_allclose(stream.var_, variances, rtol=1e-12)
    constant = np.column_stack([X[:, 0], np.repeat(3.0, 120)])
    constant[0, 0] = np.nan
    naive = GaussianNB().fit(constant, y)  # closed form, with a feature that does not vary
    np.testing.assert_allclose(naive.var_[:, 1], naive.epsilon_, rtol=1e-6)


def test_given_priors_do_not_reach_the_covariance() -> None:
    X, y = IRIS[40:150], SPECIES[40:150]  # 10, 50 and 50 rows
    plain = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    given = LinearDiscriminantAnalysis(solver="eigen", priors=[0.8, 0.1, 0.1]).fit(X, y)
    np.testing.assert_allclose(given.covariance_, plain.covariance_, rtol=1e-13)
    with pytest.raises(OptionError, match="sum of the priors should be 1"):
        QuadraticDiscriminantAnalysis(priors=[5, 5, 5]).fit(X, y)


def test_announced_classes_have_a_place() -> None:
    model = GaussianNB(priors=[0.2, 0.3, 0.5]).partial_fit(IRIS[:100], SPECIES[:100], [0, 1, 2])
    assert model.classes_.tolist() == [0, 1, 2]
    np.testing.assert_allclose(model.predict_proba(IRIS[:100])[:, 2], 0.0)
    assert np.isneginf(model.predict_log_proba(IRIS[:1])[0, 2])
    assert model.class_count_.tolist() == [50, 50, 0]
    assert model.class_prior_.tolist() == [0.2, 0.3, 0.5]
    model.partial_fit(IRIS[100:], SPECIES[100:])
    whole = GaussianNB(priors=[0.2, 0.3, 0.5]).fit(IRIS, SPECIES)
    np.testing.assert_allclose(model.predict_proba(IRIS), whole.predict_proba(IRIS), rtol=1e-10)


def test_a_transformer_in_pipelines_and_frames() -> None:
    frame = pd.DataFrame(IRIS, columns=list("abcd"))
    linear = LinearDiscriminantAnalysis(n_components=1).set_output(transform="pandas")
    shown = linear.fit_transform(frame, SPECIES)
    assert shown.columns.tolist() == ["lineardiscriminantanalysis0"]
    hidden = ("transform", "fit_transform", "get_feature_names_out", "set_output", "scalings_")
    for own in (GaussianClassifier(shared=True), AutoClassifier(), GaussianNB()):
        assert not any(hasattr(own.fit(frame, SPECIES), name) for name in hidden)
    pipeline = make_pipeline(LinearDiscriminantAnalysis(), KNeighborsClassifier(5))
    assert pipeline.fit(frame, SPECIES).score(frame, SPECIES) > 0.96
    with config_context(enable_metadata_routing=True):
        routed = make_pipeline(LinearDiscriminantAnalysis().set_fit_request(sample_weight=True))
        routed.fit(frame, SPECIES, sample_weight=np.ones(150))


def test_what_cannot_be_done_is_said() -> None:
    estimator = LinearDiscriminantAnalysis(solver="lsqr", covariance_estimator=OAS())
    with pytest.raises(DataError, match="all rows of a class at once"):
        estimator.partial_fit(IRIS, SPECIES)
    with pytest.raises(DataError, match="sample_weight"):
        estimator.fit(IRIS, SPECIES, sample_weight=np.ones(150))
    shrunk = LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto")
    with pytest.raises(DataError, match="all rows of a class at once"):
        shrunk.partial_fit(IRIS, SPECIES)
    with pytest.raises(DataError, match="missing values"):
        shrunk.fit(np.where(IRIS > 7, np.nan, IRIS), SPECIES)
    twice = np.column_stack([IRIS, IRIS[:, 0]])
    with pytest.raises(np.linalg.LinAlgError, match=r"not full rank.*`reg_param` above 0"):
        QuadraticDiscriminantAnalysis().fit(twice, SPECIES)
    assert QuadraticDiscriminantAnalysis(reg_param=1e-6).fit(twice, SPECIES).predict(twice).size
    assert issubclass(SingularCovarianceError, np.linalg.LinAlgError)
    assert not hasattr(GaussianNB(), "decision_function")
    with pytest.raises(ValueError, match="do not exist in the initial classes"):
        GaussianNB().fit(IRIS[:100], SPECIES[:100]).partial_fit(IRIS, SPECIES)


@pytest.mark.parametrize("shift", [0.0, 100.0])
def test_redundant_features_may_be_missing(shift: float) -> None:
    """The posterior of what is observed is that of scikit-learn's model of these columns."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], 40)
    X = rng.normal(size=(120, 3)) + np.eye(3)[y] + shift
    X = np.column_stack([X, X @ [1.0, 2.0, -1.0], 3.0 * X[:, 0]])
    ours = LinearDiscriminantAnalysis().fit(X, y)
    seen = rng.random(X.shape) < 0.6
    seen[:32] = (np.arange(32)[:, None] >> np.arange(5)) & 1
    posterior = ours.predict_proba(np.where(seen, X, np.nan))
    for row, (columns, found) in enumerate(zip(seen, posterior, strict=True)):
        expected = ours.priors_
        if columns.any():
            theirs = THEIRS["LinearDiscriminantAnalysis"]().fit(X[:, columns], y)
            expected = theirs.predict_proba(X[row : row + 1, columns])[0]
            marginal = ours.marginal(np.flatnonzero(columns).tolist())
            again = marginal.predict_proba(X[row : row + 1, columns])[0]
            np.testing.assert_allclose(again, expected, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
