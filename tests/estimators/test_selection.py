"""Rows left out one at a time, and the choice of structure and shrinkage by them or by BIC."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.metrics import log_loss
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.naive_bayes import CategoricalNB

from gaussbayes import DataError, GaussianClassifier, OptionError
from gaussbayes.base.errors import SingularCovarianceError
from gaussbayes.data.categories import UnseenCategoryWarning
from gaussbayes.families.gaussian.structure import Structure
from tests.designs import all_pairs
from tests.models import STRUCTURES, iris


@pytest.mark.parametrize(("covariance", "shared"), [*STRUCTURES, ("full", 0.4), ("diagonal", 0.4)])
def test_rows_are_left_out_as_if_models_were_fitted_without_them(
    covariance: str, shared: bool | float
) -> None:
    X, y = iris()
    model = GaussianClassifier(covariance, shared=shared, shrinkage=0.1)
    found = model.leave_one_out(X, y)
    told = cross_val_predict(model, X, y, cv=LeaveOneOut(), method="predict_log_proba", n_jobs=1)
    np.testing.assert_allclose(found.log_posterior, told, atol=1e-10)
    assert found.evaluation.log_loss == pytest.approx(log_loss(y, np.exp(told)), rel=1e-9)


def test_the_best_structure_and_shrinkage_are_chosen() -> None:
    X, y = iris()
    model = GaussianClassifier("auto", shrinkage="auto").fit(X, y)
    best = model.selection_.best
    assert best.log_loss == min(one.log_loss for one in model.selection_.candidates)
    assert model.structure_ == best.structure
    by_hand = GaussianClassifier(
        best.structure.covariance, shared=best.structure.sharing, shrinkage=best.shrinkage
    )
    np.testing.assert_array_equal(
        model.predict_log_proba(X), by_hand.fit(X, y).predict_log_proba(X)
    )
    assert by_hand.leave_one_out(X, y).evaluation.log_loss == pytest.approx(best.log_loss)
    assert not hasattr(by_hand, "selection_")
    assert not hasattr(model.set_params(covariance="full", shrinkage=None).fit(X, y), "selection_")


def test_only_what_is_left_open_is_chosen() -> None:
    X, y = iris()
    shrunk = GaussianClassifier(shared=True, shrinkage="auto").fit(X, y)
    assert shrunk.structure_ == Structure("full", 1.0)
    assert {one.structure for one in shrunk.selection_.candidates} == {shrunk.structure_}
    shaped = GaussianClassifier("auto", shrinkage=0.2).fit(X, y)
    # A sphere in the features' own deviations is what is shrunk as far as can be.
    assert {one.shrinkage for one in shaped.selection_.candidates} == {0.2, 1.0}
    assert {one.structure.covariance for one in shaped.selection_.candidates} == {
        "full",
        "diagonal",
    }
    shaped = GaussianClassifier("auto", shrinkage=0.2, target="spherical").fit(X, y)
    assert {one.shrinkage for one in shaped.selection_.candidates} == {0.2, None}


@pytest.mark.parametrize(
    "settings",
    [
        {"covariance": "auto"},
        {"covariance": "auto", "shrinkage": "auto"},
        {"shrinkage": "auto"},
        {"estimate": "predictive", "shared": "auto", "shrinkage": "auto"},
    ],
    ids=str,
)
def test_features_that_do_not_vary(settings: dict[str, Any]) -> None:
    """At all, or within classes: something can be chosen; without a choice it is an error."""
    X, y = iris()
    constant = np.column_stack([X, np.full(150, 7.0)])
    model = GaussianClassifier(**settings).fit(constant, y)
    plain = GaussianClassifier(**settings).fit(X, y)
    assert model.score(constant, y) == pytest.approx(plain.score(X, y), abs=0.02)
    within = np.column_stack([X, y == "setosa"]).astype(float)
    assert GaussianClassifier(**settings).fit(within, y).score(within, y) >= 0.9
    with pytest.raises(SingularCovarianceError, match="does not vary"):
        GaussianClassifier().fit(constant, y)


def test_more_rows_do_not_change_the_choice() -> None:
    X, y = iris()
    model = GaussianClassifier("auto", shrinkage="auto").fit(X[:100], y[:100])
    chosen, shrinkage = model.structure_, model.selection_.best.shrinkage
    again = GaussianClassifier(chosen.covariance, shared=chosen.sharing, shrinkage=shrinkage)
    model.partial_fit(X[100:], y[100:])
    np.testing.assert_allclose(model.covariances_, again.fit(X, y).covariances_, rtol=1e-12)
    for step in (lambda own: own.partial_fit(X, y), lambda own: own.merge(again)):
        with pytest.raises(OptionError, match="cannot choose covariance and shrinkage"):
            step(clone(model))


def test_files_are_chosen_for_by_bic_and_by_their_rows(tmp_path: Path) -> None:
    X, y = iris()
    table = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(species=y)
    table.to_csv(tmp_path / "iris.csv", index=False)
    model = GaussianClassifier("auto", shrinkage="auto", selection="bic")
    assert model.fit(X, y).selection_.criterion == "bic"
    chosen = model.structure_
    assert model.fit_source(tmp_path / "iris.csv", "species").structure_ == chosen
    assert model.fit(X, np.eye(3)[np.unique(y, return_inverse=True)[1]]).structure_ == chosen
    left_out = GaussianClassifier("auto").fit_source(tmp_path / "iris.csv", "species")
    assert left_out.structure_ == GaussianClassifier("auto").fit(X, y).structure_
    assert left_out.selection_.criterion == "leave_one_out"


def test_classes_without_weight_are_left_out() -> None:
    X, y = iris()
    weights = (y != "setosa").astype(float)
    model = GaussianClassifier("auto").fit(X, y, weights)
    assert model.classes_.tolist() == ["versicolor", "virginica"]
    there = weights > 0
    alone = GaussianClassifier("auto").fit(X[there], y[there])
    assert model.selection_.best.log_loss == pytest.approx(alone.selection_.best.log_loss)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"covariance": "best"}, "covariance must be one of .*, got 'best'"),
        ({"selection": "aic"}, "selection must be one of 'leave_one_out', 'bic', got 'aic'"),
        ({"shrinkage": "best"}, "shrinkage must be None, a number"),
    ],
)
def test_settings_that_are_none(settings: dict[str, Any], message: str) -> None:
    X, y = iris()
    with pytest.raises(OptionError, match=message):
        GaussianClassifier(**settings).fit(X, y)


# Numbers and categories.

N = 45
NUMBERS, CATEGORIES = ["pressure", "warmth"], ["wind", "month"]


def few_days(n: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Two numbers and two categories, one of them with missing values and a category met once."""
    random = np.random.default_rng(4)
    y = np.array(["dry", "mild", "wet"])[random.integers(0, 3, n)]
    wet = (y == "wet").astype(int)
    wind = np.array(["low", "mid", "strong", None], dtype=object)[
        (random.integers(0, 3, n) + wet) % 4
    ]
    wind[3] = "gale"
    frame = pd.DataFrame(
        {
            "pressure": random.normal(1000, 10, n) - 8 * wet,
            "wind": pd.Categorical(wind),
            "warmth": random.normal(15, 5, n),
            "month": pd.Categorical(random.integers(1, 4, n)),
        }
    )
    return frame, y


FRAME, Y = few_days(N)
WEIGHTS = np.random.default_rng(5).choice([0.5, 1.0, 2.5], N)


def refitted(model: GaussianClassifier, X: pd.DataFrame, y: Any, weights: Any) -> np.ndarray:
    """What as many models say as there are rows."""
    classes = np.unique(y)
    told = np.full((len(y), classes.size), -np.inf)
    for row in range(len(y)):
        others = np.arange(len(y)) != row
        own = None if weights is None else weights[others]
        without = clone(model).fit(X[others], y[others], own)
        there = np.isin(classes, without.classes_)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnseenCategoryWarning)
            told[row, there] = without.predict_log_proba(X[row : row + 1])[0]
    return told


@pytest.mark.parametrize(
    ("covariance", "shared", "others"),
    all_pairs(
        ["full", "diagonal", "spherical"],
        [False, True, 0.5],
        [(0.5, None, None), (1.0, WEIGHTS, 0.2), (0.0, WEIGHTS, None)],
    ),
)
def test_equal_to_fitting_without_each_row(
    covariance: Any, shared: Any, others: tuple[float, Any, Any]
) -> None:
    smoothing, weights, shrinkage = others
    model = GaussianClassifier(covariance, shared=shared, smoothing=smoothing, shrinkage=shrinkage)
    found = model.leave_one_out(FRAME, Y, weights).log_posterior
    expected = refitted(model, FRAME, Y, weights)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("smoothing", [0.5, 1.0])
def test_categories_alone_by_scikit_learn(smoothing: float) -> None:
    """Nothing of ours on the other side: `CategoricalNB` without each row."""
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 50)
    X = random.integers(0, 3, (50, 2))
    found = GaussianClassifier(categorical_features=[0, 1], smoothing=smoothing).leave_one_out(X, y)
    for row in range(50):
        others = np.arange(50) != row
        theirs = CategoricalNB(alpha=smoothing, min_categories=3).fit(X[others], y[others])
        expected = theirs.predict_log_proba(X[row : row + 1])[0]
        np.testing.assert_allclose(found.log_posterior[row], expected, atol=1e-12)
    assert found.evaluation.n_errors == int((found.log_posterior.argmax(axis=1) != y).sum())


@pytest.mark.parametrize("columns", [["wind"], ["pressure", "wind"]])
def test_the_only_row_of_a_class_takes_it_along(columns: list[str]) -> None:
    X = pd.DataFrame(
        {"pressure": [1.0, 2.0, 4.0, 5.0, 6.0, 7.0], "wind": pd.Categorical(list("abaabc"))}
    )[columns]
    y = np.array([0, 0, 0, 1, 1, 2])
    model = GaussianClassifier(shared=True, smoothing=1.0)
    found = model.leave_one_out(X, y).log_posterior
    np.testing.assert_allclose(found, refitted(model, X, y, None), rtol=1e-10, atol=1e-10)
    assert np.isneginf(found[5]).tolist() == [False, False, True]


def test_rows_without_weight_are_predicted_by_all_others() -> None:
    weights = np.where(np.arange(N) % 7 == 3, 0.0, 1.0)  # that of the only gale among them
    model = GaussianClassifier(smoothing=1.0)
    found = model.leave_one_out(FRAME, Y, weights).log_posterior
    np.testing.assert_allclose(found, refitted(model, FRAME, Y, weights), atol=1e-10)
    few = np.where(Y == "wet", 0.0, 1.0)
    assert model.leave_one_out(FRAME, Y, few).log_posterior.shape == (int(few.sum()), 2)


def test_a_row_that_is_impossible_everywhere() -> None:
    """Left out, it is alone in its class with "a", and no row of the other class has "y"."""
    X = [["a", "y"], ["b", "y"], ["b", "y"], ["b", "x"], ["a", "x"], ["a", "x"]]
    y = [0, 0, 0, 1, 1, 1]
    model = GaussianClassifier(categorical_features=[0, 1])
    with pytest.raises(DataError, match="without row 1 of 6 .* probability 0 in every class"):
        model.leave_one_out(X, y)
    assert np.isfinite(model.set_params(smoothing=0.1).leave_one_out(X, y).log_posterior).all()


def test_missing_numbers_beside_categories() -> None:
    """There is no closed form: each row takes a fit, with EM."""
    hole = FRAME.assign(warmth=FRAME["warmth"].where(np.arange(N) % 4 != 1))
    model = GaussianClassifier("diagonal", smoothing=1.0)
    found = model.leave_one_out(hole, Y)
    np.testing.assert_allclose(found.log_posterior, refitted(model, hole, Y, None), atol=1e-8)
    assert found.n_folds == N
    chooser = GaussianClassifier("auto", smoothing=1.0).fit(hole, Y)
    assert np.isfinite(chooser.selection_.best.log_loss)


def test_rows_without_label_stay_on_the_training_side() -> None:
    labels = np.where(np.arange(N) % 5 == 3, None, Y)
    model = GaussianClassifier("diagonal", shared=True, smoothing=1.0)
    found = model.leave_one_out(FRAME, labels)
    known = np.flatnonzero([label is not None for label in labels])
    assert found.rows.tolist() == known.tolist()
    for place, row in enumerate(known[:12]):
        others = np.arange(N) != row
        without = clone(model).fit(FRAME[others], labels[others])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnseenCategoryWarning)
            expected = without.predict_log_proba(FRAME[row : row + 1])[0]
        np.testing.assert_allclose(found.log_posterior[place], expected, atol=1e-7)


def test_what_leaving_out_refuses() -> None:
    lonely = FRAME.assign(
        wind=pd.Categorical(np.where(np.arange(N) == int(np.argmax(Y == "wet")), "a", None))
    )
    with pytest.raises(DataError, match="'wind' is missing in every row"):
        GaussianClassifier().leave_one_out(lonely, Y)


def test_every_candidate_is_evaluated_by_its_own_models() -> None:
    chooser = GaussianClassifier("auto", shrinkage="auto", smoothing=1.0).fit(FRAME, Y)
    for one in chooser.selection_.candidates[::9]:
        alone = GaussianClassifier(
            one.structure.covariance,
            shared=one.structure.sharing,
            shrinkage=one.shrinkage,
            smoothing=1.0,
        )
        assert one.log_loss == pytest.approx(alone.leave_one_out(FRAME, Y).evaluation.log_loss)
        assert one.n_parameters == alone.fit(FRAME, Y).n_parameters_
    best = chooser.selection_.best
    # Shrinkage of correlations does not change diagonal LDA: equal ones differ in rounding.
    least = min(one.log_loss for one in chooser.selection_.candidates)
    assert best.log_loss == pytest.approx(least, rel=1e-14)
    assert chooser.structure_ == best.structure
    told = chooser.leave_one_out(FRAME, Y).evaluation
    assert told.log_loss == pytest.approx(best.log_loss, rel=1e-12)


def test_categories_can_change_the_choice() -> None:
    """The same rows without their categories are judged by other figures."""
    mixed = GaussianClassifier("auto", smoothing=1.0).fit(FRAME, Y).selection_
    numbers = GaussianClassifier("auto").fit(FRAME[NUMBERS], Y).selection_
    assert len(mixed.candidates) == len(numbers.candidates)
    assert mixed.best.log_loss != numbers.best.log_loss


@pytest.mark.parametrize("smoothing", [0.0, 1.0])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_bic_is_that_of_the_densities_of_the_rows(smoothing: float, weights: Any) -> None:
    chooser = GaussianClassifier("auto", selection="bic", smoothing=smoothing)
    chooser.fit(FRAME, Y, weights)
    share = np.ones(N) if weights is None else weights
    for one in chooser.selection_.candidates:
        model = GaussianClassifier(
            one.structure.covariance,
            shared=one.structure.sharing,
            shrinkage=one.shrinkage,
            smoothing=smoothing,
        ).fit(FRAME, Y, weights)
        log_joint = np.empty(N)
        for row, record in enumerate(FRAME.to_dict("records")):
            c = model.classes_.tolist().index(Y[row])
            spread = model.covariances_ if one.structure.shared else model.covariances_[c]
            numbers = [record[name] for name in NUMBERS]
            log_joint[row] = np.log(model.priors_[c]) + multivariate_normal.logpdf(
                numbers, model.means_[c], spread
            )
            for name in CATEGORIES:
                known = model.categories_[name]
                if record[name] in known:
                    own = model.category_probabilities_[name][c, known.index(record[name])]
                    log_joint[row] += np.log(own)
        expected = model.n_parameters_ * np.log(share.sum()) - 2 * share @ log_joint
        assert one.bic == pytest.approx(expected, rel=1e-10)
        assert one.n_parameters == model.n_parameters_
    assert {one.shrinkage for one in chooser.selection_.candidates} == {None, 1.0}
    least = min(chooser.selection_.candidates, key=lambda one: one.bic)
    assert chooser.structure_ == least.structure


@pytest.mark.parametrize("selection", ["leave_one_out", "bic"])
def test_without_numbers_there_is_nothing_to_choose(selection: Any) -> None:
    chooser = GaussianClassifier("auto", selection=selection, smoothing=1.0)
    found = chooser.fit(FRAME[CATEGORIES], Y).selection_
    alone = GaussianClassifier(smoothing=1.0).fit(FRAME[CATEGORIES], Y)
    assert found.best.n_parameters == alone.n_parameters_
    np.testing.assert_array_equal(
        chooser.predict_proba(FRAME[CATEGORIES]), alone.predict_proba(FRAME[CATEGORIES])
    )
    with pytest.raises(DataError, match="at least two classes"):
        chooser.fit(FRAME[CATEGORIES], np.zeros(N))


def test_an_earlier_choice_is_forgotten() -> None:
    model = GaussianClassifier("auto", smoothing=1.0).fit(FRAME, Y)
    model.set_params(covariance="full").fit(FRAME, Y)
    assert not hasattr(model, "selection_")


@pytest.mark.parametrize("n_jobs", [1, 4])
def test_threads_change_nothing(n_jobs: int) -> None:
    model = GaussianClassifier(smoothing=1.0, n_jobs=n_jobs)
    one = GaussianClassifier(smoothing=1.0, n_jobs=2).leave_one_out(FRAME, Y).log_posterior
    np.testing.assert_array_equal(model.leave_one_out(FRAME, Y).log_posterior, one)


def soft_labels(labels: np.ndarray) -> np.ndarray:
    """Of three classes, each row most of all of its own."""
    codes = np.unique(labels, return_inverse=True)[1]
    unsure = np.random.default_rng(8).dirichlet(np.ones(3), codes.size)
    return 0.7 * np.eye(3)[codes] + 0.3 * unsure


def test_soft_labels_are_held_out_and_count_in_part() -> None:
    X, y = (part[::5] for part in iris())
    soft = soft_labels(y)
    for model in (GaussianClassifier(), GaussianClassifier("diagonal", shared=True)):
        found = model.leave_one_out(X, soft)
        n = len(X)
        assert (found.n_folds, found.rows.tolist()) == (n, list(range(n)))
        for row in range(0, n, 4):
            others = np.arange(n) != row
            without = clone(model).fit(X[others], soft[others])
            expected = without.predict_log_proba(X[[row]])[0]
            np.testing.assert_allclose(found.log_posterior[row], expected, rtol=1e-9, atol=1e-12)
        # What is expected if the class of each row is drawn from its labels.
        seen, posterior = found.evaluation, np.exp(found.log_posterior)
        predicted = posterior.argmax(axis=1)
        drawn = [(row, code) for row in range(n) for code in range(3)]
        weight = soft.ravel()
        losses = [-found.log_posterior[place] for place in drawn]
        assert seen.log_loss == pytest.approx(weight @ losses / n, rel=1e-12)
        squares = [np.square(posterior[row] - np.eye(3)[code]).sum() for row, code in drawn]
        assert seen.brier == pytest.approx(weight @ squares / n, rel=1e-12)
        wrong = [predicted[row] != code for row, code in drawn]
        assert seen.error == pytest.approx(weight @ wrong / n, rel=1e-12)
        assert seen.n_rows == n
        np.testing.assert_allclose(seen.confusion.sum(axis=1), soft.sum(axis=0), rtol=1e-12)


def test_soft_labels_choose_by_their_expected_log_loss() -> None:
    X, y = (part[::5] for part in iris())
    soft = soft_labels(y)
    selection = GaussianClassifier("auto").fit(X, soft).selection_
    assert selection.criterion == "leave_one_out"
    for candidate in selection.candidates[:2]:
        structure = candidate.structure
        model = GaussianClassifier(structure.covariance, shared=structure.shared_setting)
        expected = model.leave_one_out(X, soft).evaluation
        assert candidate.log_loss == pytest.approx(expected.log_loss, rel=1e-9)
        assert candidate.error == pytest.approx(expected.error, rel=1e-9)
        assert candidate.brier == pytest.approx(expected.brier, rel=1e-9)
