"""Features that are transformed, through the classifier: learning, streams, files, bad input."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.path import Path as Outline
from scipy.special import logsumexp
from scipy.stats import chi2

from gaussbayes import DataError, GaussianClassifier, OptionError, plots


@pytest.fixture(autouse=True)
def _figures_are_closed() -> Iterator[None]:
    yield
    plt.close("all")


MEDIAN = float(np.sqrt(chi2.ppf(0.5, 2)))  # half of a class lies within this distance
KINDS = ("standardised", "yeo-johnson", "log")


def table(n: int = 240, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Positive features of three classes, in very different units, and a category."""
    random = np.random.default_rng(seed)
    codes = np.arange(n) % 3
    z = random.normal(size=(n, 3)) @ np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.2], [0.0, 0.0, 1.0]])
    z[:, 0] += codes
    z[:, 1] -= 0.7 * codes
    columns = {
        "income": 1e4 * np.exp(z[:, 0]),
        "area": np.square(z[:, 1] + 8.0),
        "share": 1e-3 * np.exp(0.5 * z[:, 2]),
        "colour": pd.Categorical(random.choice(list("abc"), n)),
    }
    return pd.DataFrame(columns), np.array(["r", "s", "t"])[codes]


X, Y = table()
NUMBERS = ["income", "area", "share"]


def test_some_features_by_name() -> None:
    how = {"income": "log", ("area", "share"): None}
    model = GaussianClassifier(transforms=how).fit(X, Y)
    logs = X.assign(income=np.log(X["income"]))
    plain = GaussianClassifier().fit(logs, Y)
    np.testing.assert_allclose(model.predict_log_proba(X), plain.predict_log_proba(logs), atol=1e-8)
    blocks = GaussianClassifier(
        transforms={"share": "yeo-johnson"}, families={("income", "area"): "gaussian"}
    ).fit(X, Y)
    np.testing.assert_array_equal(blocks.covariances_[:, 2, :2], 0.0)
    part = model.marginal(["share", "income"])
    assert part.transforms == {"income": "log"}
    expected = plain.marginal(["share", "income"]).predict_proba(logs[["share", "income"]])
    np.testing.assert_allclose(part.predict_proba(X[["share", "income"]]), expected, atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_missing_values_and_labels(kind: str) -> None:
    x = X.copy()
    x.loc[3:70, "area"] = np.nan
    x.loc[60:90, "income"] = np.nan
    model = GaussianClassifier(shared=True, transforms=kind).fit(x, Y)
    end = model.model_.convergence.log_likelihood[-1]
    assert end == pytest.approx(-model.negative_log_likelihood(x, Y).total, rel=1e-9)
    y = Y.astype(object)
    y[::3] = None
    model = GaussianClassifier(shared=True, transforms=kind).fit(X, y)
    labelled = np.array([label is not None for label in y])
    joint = model.scores(X).log_joint
    own = joint[np.arange(len(Y)), np.searchsorted(model.classes_, Y)]
    total = own[labelled].sum() + logsumexp(joint, axis=1)[~labelled].sum()
    assert model.model_.convergence.log_likelihood[-1] == pytest.approx(total, rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_drawn_is_where_the_model_is(kind: str) -> None:
    """Outlines hold as much of the draws as they say; boundaries are where classes are equal."""
    model = GaussianClassifier(transforms=kind).fit(X, Y)
    ax = plots.ellipses(model, levels=[MEDIAN], features=["income", "area"])
    rows, labels = model.sample(20_000, random_state=0)
    for line, label in zip(ax.lines, model.classes_, strict=False):
        points = rows[labels == label][:, :2].astype(float)
        inside = Outline(np.column_stack(line.get_data())).contains_points(points)
        assert abs(inside.mean() - 0.5) < 0.025
    one = model.marginal(["income"])
    plots.regions(model, X, Y, features=["income", "share"])
    plots.densities(one)


def test_bad_input() -> None:
    fit = lambda transform, rows=X: GaussianClassifier(transforms=transform).fit(rows, Y)  # noqa: E731
    with pytest.raises(OptionError, match=r"got 'yeo-jonson'.*did you mean 'yeo-johnson'"):
        fit("yeo-jonson")
    with pytest.raises(DataError, match="column 'colour' of X holds a string: 'b' in row 0"):
        fit({"colour": "log"})
    with pytest.raises(OptionError, match="'area' must have one transform"):
        fit({"area": "log", ("area", "income"): "log"})
    with pytest.raises(DataError, match="'are'"):
        fit({"are": "log"})
    wrong = X.copy()
    wrong.loc[17, "share"] = -1.0
    with pytest.raises(DataError, match=r"row 17 has -1 in 'share', which must be above 0"):
        fit("log", wrong)
    model = fit("log")
    for step in (model.predict, model.score_samples, lambda rows: model.partial_fit(rows, Y)):
        with pytest.raises(DataError, match=r"row 17 has -1 in 'share', which must be above 0"):
            step(wrong)


@pytest.mark.parametrize("kind", KINDS)
def test_difficult_columns(kind: str) -> None:
    """Constant within classes or everywhere but a few rows, of two values, of one row a class."""
    x = X[NUMBERS].assign(two=np.where(Y == "r", 1.0, 2.0) * (1 + (np.arange(240) % 7 == 0)))
    model = GaussianClassifier(transforms=kind, shrinkage=0.1).fit(x, Y)
    assert np.isfinite(model.predict_log_proba(x)).all()
    single = np.r_[0:60, 61]
    y = Y[single].copy()
    y[-1] = "alone"
    lonely = GaussianClassifier(transforms=kind, shared=True).fit(x.iloc[single], y)
    assert np.isfinite(lonely.predict_log_proba(x)).all()
    if kind == "yeo-johnson":
        x.loc[11, "income"] = 1e300
        outlying = GaussianClassifier(transforms=kind, shared=True).fit(x, Y)
        others = np.arange(240) != 11
        before = GaussianClassifier(transforms=kind, shared=True).fit(x[others], Y[others])
        assert outlying.score(X[NUMBERS].assign(two=x["two"]), Y) > before.score(x, Y) - 0.03


def test_transforms_of_more_columns_than_rows() -> None:
    """Summed in the span of the rows, with everything that other models have."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    x = rng.normal(size=(40, 60)) + 0.5 * y[:, None]
    model = GaussianClassifier(
        transforms="yeo-johnson", shrinkage=0.3, shrinkage_target="spherical"
    )
    evaluation = model.fit(x, y).evaluate(x, y)
    assert evaluation.bayes_error is not None
    assert 0 <= evaluation.bayes_error.error < 0.5
    assert str(model).startswith("QDA, Yeo-Johnson, shrinkage 0.3: 2 classes, 60 features")
    assert evaluation.error == np.mean(model.predict(x) != y)
