"""Choosing structure and shrinkage: every candidate's figures, the choice, and what is refused."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.datasets import load_digits, load_iris
from sklearn.metrics import log_loss
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.naive_bayes import GaussianNB

from gaussbayes.base.errors import DataError, ParameterError
from gaussbayes.base.schema import Schema
from gaussbayes.families.gaussian.parameters import Structure, estimate
from gaussbayes.families.gaussian.scores import negative_log_likelihood
from gaussbayes.families.gaussian.summarise import summarise
from gaussbayes.model.selection import (
    SHRINKAGES,
    STRUCTURES,
    Candidate,
    Choice,
    Selection,
    bic,
    check_choice,
    select,
)
from gaussbayes.model.settings import check_settings, structure_of
from tests.strategies import name_of

SETTINGS = check_settings("full", False, None, "mle", None)
IRIS, SPECIES = load_iris(return_X_y=True)


def chosen(X: Any, y: Any, weights: Any = None, **options: Any) -> Selection:
    codes, k = np.asarray(y, np.int32), int(np.max(y)) + 1
    schema, moments = Schema(np.arange(k), X.shape[1]), summarise(X, codes, weights, k)
    return select(X, codes, weights, moments, schema, Choice(SETTINGS, **options))


def find(found: Selection, covariance: Any, shared: Any, shrinkage: Any = None) -> Candidate:
    (candidate,) = [
        one
        for one in found.candidates
        if one.structure == structure_of(covariance, shared) and one.shrinkage == shrinkage
    ]
    return candidate


def test_every_structure_with_every_shrinkage() -> None:
    found = chosen(IRIS, SPECIES)
    # Full mixtures are not shrunk by "oas", for which there is no closed form.
    mixtures = 3 * (len(SHRINKAGES) - 1) + 3 * len(SHRINKAGES)
    assert len(found.candidates) == 4 * len(SHRINKAGES) + 2 + mixtures
    assert len(set(found.candidates)) == len(found.candidates)
    assert all(one.refused is None for one in found.candidates)
    assert found.best.log_loss == min(one.log_loss for one in found.candidates)


def test_the_figures_are_those_of_fitting_without_each_row() -> None:
    told = cross_val_predict(
        GaussianNB(var_smoothing=0.0), IRIS, SPECIES, cv=LeaveOneOut(), method="predict_proba"
    )
    candidate = find(chosen(IRIS, SPECIES), "diagonal", False)
    assert candidate.log_loss == pytest.approx(log_loss(SPECIES, told), rel=1e-9)
    assert candidate.error == np.mean(told.argmax(axis=1) != SPECIES)
    assert candidate.brier == pytest.approx(np.square(told - np.eye(3)[SPECIES]).sum(axis=1).mean())


@pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)
@pytest.mark.parametrize("shrinkage", [None, 0.3, "oas"])
@pytest.mark.parametrize("divisor", ["mle", "unbiased"])
def test_bic_is_that_of_the_densities_of_the_rows(
    structure: Structure, shrinkage: Any, divisor: Any
) -> None:
    codes, schema = SPECIES.astype(np.int32), Schema(np.arange(3), 4)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 150)
    moments = summarise(IRIS, codes, weights, 3)
    model = estimate(moments, schema, structure, [0.5, 0.3, 0.2], divisor, shrinkage)
    joint = np.log(model.prior)[codes]
    for c, covariance in enumerate(np.broadcast_to(model.covariance.dense(), (3, 4, 4))):
        own = codes == c
        joint[own] += multivariate_normal.logpdf(IRIS[own], model.mean[c], covariance)
    expected = -2.0 * weights @ joint + model.n_parameters * np.log(weights.sum())
    assert bic(model, moments, structure) == pytest.approx(expected, rel=1e-12)
    loss = negative_log_likelihood(model, IRIS, codes, weights).total
    assert 2.0 * loss + model.n_parameters * np.log(weights.sum()) == pytest.approx(expected)


def test_bic_needs_no_rows() -> None:
    codes, schema = SPECIES.astype(np.int32), Schema(np.arange(3), 4)
    moments = summarise(IRIS, codes, None, 3)
    found = select(None, None, None, moments, schema, Choice(SETTINGS, criterion="bic"))
    assert found.best.structure == Structure("full")
    assert found.best.shrinkage is None
    assert found.best.bic == min(one.bic for one in found.candidates)
    assert all(np.isnan(one.log_loss) for one in found.candidates)
    assert not any(one.structure.toward_shared for one in found.candidates)
    beside = [one for one in chosen(IRIS, SPECIES).candidates if not one.structure.toward_shared]
    assert [one.bic for one in beside] == [one.bic for one in found.candidates]
    with pytest.raises(DataError, match="'leave_one_out' needs the rows"):
        select(None, None, None, moments, schema, Choice(SETTINGS))


def test_one_structure_or_one_shrinkage_may_be_fixed() -> None:
    one = chosen(IRIS, SPECIES, structures=[Structure("diagonal", True)])
    assert [own.shrinkage for own in one.candidates] == list(SHRINKAGES)
    other = chosen(IRIS, SPECIES, shrinkages=["oas"])
    full = [own for own in STRUCTURES if own.toward_shared and own.covariance == "full"]
    assert [own.structure for own in other.candidates] == [s for s in STRUCTURES if s not in full]
    whole = chosen(IRIS, SPECIES)
    for own in (*one.candidates, *other.candidates):
        again = find(whole, own.structure.covariance, own.structure.sharing, own.shrinkage)
        assert own.log_loss == pytest.approx(again.log_loss, rel=1e-12)


def test_moments_with_less_do_for_structures_that_need_less() -> None:
    codes, schema = SPECIES.astype(np.int32), Schema(np.arange(3), 4)
    less = summarise(IRIS, codes, None, 3, "diagonal")
    some = [Structure("diagonal"), Structure("spherical", True)]
    found = select(IRIS, codes, None, less, schema, Choice(SETTINGS, structures=some))
    whole = chosen(IRIS, SPECIES, structures=some)
    expected = [one.log_loss for one in whole.candidates]
    assert [one.log_loss for one in found.candidates] == pytest.approx(expected, rel=1e-12)


def test_of_equal_candidates_the_smallest_wins() -> None:
    # Shrunk all the way, full and diagonal are spherical.
    own = [one for one in STRUCTURES if not one.shared and not one.toward_shared]
    found = chosen(IRIS, SPECIES, structures=own, shrinkages=[1.0])
    losses = [one.log_loss for one in found.candidates]
    assert losses == pytest.approx([losses[0]] * 3, rel=1e-10)
    assert found.best.structure == Structure("spherical")


def test_what_cannot_be_fitted_is_kept_with_the_reason() -> None:
    X, y = load_digits(n_class=3, return_X_y=True)  # some pixels are never lit
    found = chosen(X, y)
    full = find(found, "full", False)
    assert full.refused is not None
    assert full.refused.startswith("class 0 does not vary in feature 0")
    assert np.isnan([full.log_loss, full.error, full.brier, full.bic]).all()
    assert full.n_parameters == 2 + 3 * 64 + 3 * 64 * 65 // 2
    assert find(found, "diagonal", True).n_parameters == 2 + 3 * 64 + 64
    assert found.best.refused is None
    assert found.best.shrinkage is not None


def test_a_class_of_few_rows_rules_out_covariances_of_its_own() -> None:
    found = chosen(IRIS[96:], SPECIES[96:] - 1)  # four of one, fifty of the other
    full = find(found, "full", False)
    assert full.refused is not None
    assert "class 0 has 4 rows for 4 features" in full.refused
    five = find(chosen(IRIS[95:], SPECIES[95:] - 1), "full", False)
    assert five.refused is not None
    assert five.refused.startswith("without row 1 of 55 the model cannot be fitted: class 0 has 4")
    assert np.isfinite(five.bic)  # with all rows it can be


def test_the_only_row_of_a_class_is_not_counted() -> None:
    some = np.arange(101)  # fifty, fifty, and one
    X, y = IRIS[some], SPECIES[some]
    found = chosen(X, y, structures=[Structure("full", True), Structure("spherical", True)])
    assert np.isfinite(found.best.log_loss)
    assert found.best.structure.covariance == "full"


def test_weights_count_in_the_log_loss() -> None:
    weights = np.where(SPECIES == 2, 1.0, 1e-9)
    twice = chosen(IRIS, SPECIES, np.where(SPECIES == 2, 2.0, 2e-9))
    found = chosen(IRIS, SPECIES, weights)
    # Of candidates that all but ignore two classes, the log loss is that of the third.
    assert found.best.log_loss < 1e-6
    losses = [one.log_loss for one in twice.candidates if one.shrinkage != "oas"]
    expected = [one.log_loss for one in found.candidates if one.shrinkage != "oas"]
    assert losses == pytest.approx(expected, rel=1e-8)


def test_mixtures_of_rows_of_many_weights_are_left_to_those_who_ask_for_them() -> None:
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 150)
    found = chosen(IRIS, SPECIES, weights)
    drawn = {one.structure for one in found.candidates if one.structure.toward_shared}
    assert {structure.covariance for structure in drawn} == {"diagonal"}
    alone = chosen(
        IRIS, SPECIES, weights, structures=[Structure(toward_shared=0.5)], shrinkages=[0.1]
    )
    assert np.isfinite(alone.best.log_loss)
    few = chosen(IRIS, SPECIES, np.round(2 * weights) / 2)  # at most 4 different ones
    assert np.isfinite(find(few, "full", 0.5, 0.1).log_loss)


def test_bic_may_choose_the_shrinkage_of_a_mixture() -> None:
    choice = check_choice("full", 0.5, None, "mle", "auto", "bic")
    codes, schema = SPECIES.astype(np.int32), Schema(np.arange(3), 4)
    found = select(None, None, None, summarise(IRIS, codes, None, 3), schema, choice)
    assert found.best.structure == Structure(toward_shared=0.5)


def test_nothing_that_can_be_judged() -> None:
    X, y = IRIS[[0, 60]], np.array([0, 1])
    with pytest.raises(DataError, match="none of 109 candidates can be judged: class 0 does not"):
        chosen(X, y)


def test_an_unknown_criterion_is_refused() -> None:
    with pytest.raises(ParameterError, match="selection is one of 'leave_one_out', 'bic', got"):
        check_choice("auto", False, None, "mle", "auto", "aic")
