"""Choosing structure and shrinkage: every candidate's figures, the choice, and what is refused."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.datasets import load_digits, load_iris
from sklearn.metrics import log_loss
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.naive_bayes import GaussianNB

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.schema import Schema
from gaussbayes.data.rows import LabelledRows, Targets, number_rows
from gaussbayes.families.gaussian import Gaussian, family
from gaussbayes.families.gaussian.family import Choice
from gaussbayes.families.gaussian.shrinkage import SHRINKAGES
from gaussbayes.families.gaussian.structure import MIXTURES, STRUCTURES, Structure, structure_of
from gaussbayes.model import left_out
from gaussbayes.model.em import EXACT, ROUGH
from gaussbayes.model.left_out import held_out_rows, hold_out
from gaussbayes.model.model import solve
from gaussbayes.model.options import check_options
from gaussbayes.model.select import (
    MOST_CALIBRATED,
    UNLABELLED_WEIGHTS,
    Candidate,
    LearntView,
    Selection,
    best_trial,
    bic,
    chosen_before,
    is_open,
    select,
    try_all,
)
from gaussbayes.model.settings import Component, Settings
from gaussbayes.model.solution import log_evidence
from gaussbayes.model.statistics import observe
from tests.model.tables import SCHEMA, settings_of, taken, weather

IRIS, SPECIES = load_iris(return_X_y=True)
SIX = tuple(STRUCTURES.values())
EVERY = (*SIX, *MIXTURES)


def select_view(table, learnt, settings, schema, criterion):
    """What is chosen of a single view."""
    return select(table, [LearntView(settings, learnt)], schema, criterion)[0]


def table_of(X: Any, y: Any, weights: Any = None) -> tuple[LabelledRows, Schema]:
    k = int(np.max(y)) + 1
    schema = Schema(np.arange(k), X.shape[1])
    return LabelledRows(
        number_rows(X), Targets(np.asarray(y, np.int32), k, weights), schema.classes
    ), schema


def open_settings(
    d: int, structures: tuple[Structure, ...] = EVERY, shrinkages: tuple[Any, ...] = SHRINKAGES
) -> Settings:
    """Settings that leave these to be chosen."""
    family = Gaussian(choice=Choice(structures, shrinkages), target="spherical")
    return Settings((Component(family, tuple(range(d))),))


def chosen(
    X: Any, y: Any, weights: Any = None, criterion: Any = "leave_one_out", **choice: Any
) -> Selection:
    table, schema = table_of(X, y, weights)
    settings = open_settings(X.shape[1], **choice)
    learnt = observe(table, settings, schema)
    return select_view(table if criterion != "bic" else None, learnt, settings, schema, criterion)


def find(selection: Selection, covariance: Any, shared: Any, shrinkage: Any = None) -> Candidate:
    (candidate,) = [
        candidate
        for candidate in selection.candidates
        if candidate.structure == structure_of(covariance, shared)
        and candidate.shrinkage == shrinkage
    ]
    return candidate


def test_every_structure_with_every_shrinkage() -> None:
    selection = chosen(IRIS, SPECIES)
    # Full mixtures are not shrunk by "oas", for which there is no closed form.
    mixtures = 3 * (len(SHRINKAGES) - 1) + 3 * len(SHRINKAGES)
    assert len(selection.candidates) == 4 * len(SHRINKAGES) + 2 + mixtures
    assert len(set(selection.candidates)) == len(selection.candidates)
    assert all(candidate.refused is None for candidate in selection.candidates)
    assert selection.best.log_loss == min(one.log_loss for one in selection.candidates)
    assert (selection.best.structure, selection.best.shrinkage) == (Structure("full", 0.5), None)


def test_the_figures_are_those_of_fitting_without_each_row() -> None:
    posterior = cross_val_predict(
        GaussianNB(var_smoothing=0.0), IRIS, SPECIES, cv=LeaveOneOut(), method="predict_proba"
    )
    candidate = find(chosen(IRIS, SPECIES), "diagonal", False)
    assert candidate.log_loss == pytest.approx(log_loss(SPECIES, posterior), rel=1e-9)
    assert candidate.error == np.mean(posterior.argmax(axis=1) != SPECIES)
    brier = np.square(posterior - np.eye(3)[SPECIES]).sum(axis=1).mean()
    assert candidate.brier == pytest.approx(brier)


@pytest.mark.parametrize("structure", SIX, ids=lambda structure: structure.name)
@pytest.mark.parametrize("shrinkage", [None, 0.3, "oas"])
@pytest.mark.parametrize("divisor", ["mle", "unbiased"])
def test_bic_is_that_of_the_densities_of_the_rows(
    structure: Structure, shrinkage: Any, divisor: Any
) -> None:
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 150)
    table, schema = table_of(IRIS, SPECIES, weights)
    family = Gaussian(structure, divisor, shrinkage)
    settings = Settings((Component(family, (0, 1, 2, 3)),), [0.5, 0.3, 0.2])
    learnt = observe(table, settings, schema)
    solution = solve(learnt, settings, schema)
    joint = np.log(solution.prior)[SPECIES]
    density = solution.densities[0]
    for c, covariance in enumerate(np.broadcast_to(density.dense_covariance(), (3, 4, 4))):
        of_class = c == SPECIES
        joint[of_class] += multivariate_normal.logpdf(IRIS[of_class], density.mean[c], covariance)
    n_parameters = (
        2
        + 12
        + {"full": 10, "diagonal": 4, "spherical": 1}[structure.covariance]
        * (1 if structure.shared else 3)
    )
    assert solution.n_parameters == n_parameters
    expected = -2.0 * weights @ joint + n_parameters * np.log(weights.sum())
    assert bic(solution, learnt, settings, schema) == pytest.approx(expected, rel=1e-12)


def test_bic_counts_every_family_and_unlabelled_rows_by_their_evidence() -> None:
    table = weather(90, missing=0.2, unlabelled=0.4, weighted=True)
    settings = settings_of(smoothing=0.5, unlabelled_weight=0.5)
    learnt = observe(table, settings, SCHEMA)
    solution = solve(learnt, settings, SCHEMA)
    # Priors, two means and a covariance, a rate, three and two categories less one: by class.
    assert solution.n_parameters == 2 + 3 * (2 + 3 + 1 + 2 + 1)
    parts = settings.parts(table.rows, SCHEMA)
    terms = [
        density.log_density(part) for density, part in zip(solution.densities, parts, strict=True)
    ]
    joint = np.log(solution.prior) + np.sum(terms, axis=0)
    labelled, codes = table.targets.labelled, table.targets.codes
    weights = table.targets.total_weights() * np.where(labelled, 1.0, 0.5)
    evidence = log_evidence(solution, parts)
    of_rows = np.where(labelled, joint[np.arange(90), codes], evidence)
    expected = -2.0 * weights @ of_rows + solution.n_parameters * np.log(weights.sum())
    assert bic(solution, learnt, settings, SCHEMA) == pytest.approx(expected, rel=1e-11)


def test_bic_needs_no_rows() -> None:
    selection = chosen(IRIS, SPECIES, criterion="bic")
    assert selection.best.structure == Structure("full")
    assert selection.best.shrinkage is None
    assert selection.best.bic == min(candidate.bic for candidate in selection.candidates)
    assert all(np.isnan(candidate.log_loss) for candidate in selection.candidates)
    assert not any(candidate.structure.between for candidate in selection.candidates)
    by_rows = [one for one in chosen(IRIS, SPECIES).candidates if not one.structure.between]
    assert [one.bic for one in by_rows] == [one.bic for one in selection.candidates]
    table, schema = table_of(IRIS, SPECIES)
    settings = open_settings(4)
    with pytest.raises(DataError, match="'leave_one_out' needs the rows"):
        select_view(None, observe(table, settings, schema), settings, schema, "leave_one_out")


def test_one_structure_or_one_shrinkage_may_be_fixed() -> None:
    structure = Structure("diagonal", 1.0)
    by_shrinkage = chosen(IRIS, SPECIES, structures=(structure,))
    assert [one.shrinkage for one in by_shrinkage.candidates] == list(SHRINKAGES)
    by_structure = chosen(IRIS, SPECIES, shrinkages=("oas",))
    full = [one for one in EVERY if one.between and one.covariance == "full"]
    tried = [one.structure for one in by_structure.candidates]
    assert tried == [one for one in EVERY if one not in full]
    whole = chosen(IRIS, SPECIES)
    for candidate in (*by_shrinkage.candidates, *by_structure.candidates):
        shape = candidate.structure
        again = find(
            whole,
            shape.covariance,
            shape.sharing,
            None if shape.covariance == "spherical" else candidate.shrinkage,
        )
        assert candidate.log_loss == pytest.approx(again.log_loss, rel=1e-12)


def test_moments_with_less_do_for_structures_that_need_less() -> None:
    some = (Structure("diagonal"), Structure("spherical", 1.0))
    selection = chosen(IRIS, SPECIES, structures=some)
    table, schema = table_of(IRIS, SPECIES)
    learnt = observe(table, open_settings(4, some), schema)
    assert learnt.parts[0].moments.layout == "diagonal"
    whole = observe(table, open_settings(4), schema)
    again = select_view(table, whole, open_settings(4, some), schema, "leave_one_out")
    expected = [candidate.log_loss for candidate in again.candidates]
    assert [one.log_loss for one in selection.candidates] == pytest.approx(expected, rel=1e-12)


def test_of_equal_candidates_the_smallest_wins() -> None:
    # Shrunk all the way, full and diagonal are spherical.
    structures = tuple(Structure(shape) for shape in ("full", "diagonal", "spherical"))
    selection = chosen(IRIS, SPECIES, structures=structures, shrinkages=(1.0,))
    losses = [candidate.log_loss for candidate in selection.candidates]
    assert losses == pytest.approx([losses[0]] * 3, rel=1e-10)
    assert selection.best.structure == Structure("spherical")


def test_what_cannot_be_fitted_is_kept_with_the_reason() -> None:
    X, y = load_digits(n_class=3, return_X_y=True)  # some pixels are never lit
    selection = chosen(X, y)
    full = find(selection, "full", False)
    assert full.refused is not None
    assert full.refused.startswith("class 0 does not vary in feature 0")
    assert np.isnan([full.log_loss, full.error, full.brier, full.bic]).all()
    assert full.n_parameters == 2 + 3 * 64 + 3 * 64 * 65 // 2
    assert find(selection, "diagonal", True).n_parameters == 2 + 3 * 64 + 64
    assert selection.best.refused is None
    assert selection.best.shrinkage is not None


def test_a_class_of_few_rows_rules_out_covariances_of_its_own() -> None:
    four = find(chosen(IRIS[96:], SPECIES[96:] - 1), "full", False)  # fifty of the other class
    assert four.refused is not None
    assert "class 0 has 4 rows for 4 features" in four.refused
    five = find(chosen(IRIS[95:], SPECIES[95:] - 1), "full", False)
    assert five.refused is not None
    assert five.refused.startswith("without row 1 of 55 the model cannot be fitted")
    assert "class 0 has 4 rows" in five.refused
    assert np.isfinite(five.bic)  # with all rows it can be


def test_the_only_row_of_a_class_is_not_counted() -> None:
    X, y = IRIS[:101], SPECIES[:101]  # fifty, fifty, and one
    structures = (Structure("full", 1.0), Structure("spherical", 1.0))
    selection = chosen(X, y, structures=structures)
    assert np.isfinite(selection.best.log_loss)
    assert selection.best.structure.covariance == "full"


def test_weights_count_in_the_log_loss() -> None:
    selection = chosen(IRIS, SPECIES, np.where(SPECIES == 2, 1.0, 1e-9))
    twice = chosen(IRIS, SPECIES, np.where(SPECIES == 2, 2.0, 2e-9))
    # Of candidates that all but ignore two classes, the log loss is that of the third.
    assert selection.best.log_loss < 1e-6
    losses = [one.log_loss for one in twice.candidates if one.shrinkage != "oas"]
    expected = [one.log_loss for one in selection.candidates if one.shrinkage != "oas"]
    assert losses == pytest.approx(expected, rel=1e-8)


def test_mixtures_of_rows_of_many_weights_are_left_to_those_who_ask_for_them() -> None:
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 150)
    selection = chosen(IRIS, SPECIES, weights)
    between = {one.structure for one in selection.candidates if one.structure.between}
    assert {structure.covariance for structure in between} == {"diagonal"}
    alone = chosen(IRIS, SPECIES, weights, structures=(Structure("full", 0.5),), shrinkages=(0.1,))
    assert np.isfinite(alone.best.log_loss)
    some = chosen(IRIS, SPECIES, np.round(2 * weights) / 2)  # at most 4 different ones
    assert np.isfinite(find(some, "full", 0.5, 0.1).log_loss)


def test_what_has_no_closed_form_is_fitted_without_each_row() -> None:
    """Not in folds, and the others on its path keep theirs."""
    structure = Structure("full", 0.5)
    selection = chosen(IRIS, SPECIES, structures=(structure,))
    assert [one.shrinkage for one in selection.candidates] == list(SHRINKAGES)
    whole = chosen(IRIS, SPECIES)
    for shrinkage in SHRINKAGES:
        loss = find(selection, "full", 0.5, shrinkage).log_loss
        if shrinkage != "oas":
            assert loss == pytest.approx(find(whole, "full", 0.5, shrinkage).log_loss, rel=1e-10)
    losses = []
    for row in range(150):
        others = np.arange(150) != row
        table, schema = table_of(IRIS[others], SPECIES[others])
        settings = Settings(
            (Component(Gaussian(structure, "mle", "oas", target="spherical"), (0, 1, 2, 3)),)
        )
        solution = solve(observe(table, settings, schema), settings, schema)
        density = solution.densities[0]
        joint = np.log(solution.prior) + [
            multivariate_normal(*pair).logpdf(IRIS[row])
            for pair in zip(density.mean, density.dense_covariance(), strict=True)
        ]
        losses.append(np.logaddexp.reduce(joint) - joint[SPECIES[row]])
    oas = find(selection, "full", 0.5, "oas")
    assert oas.log_loss == pytest.approx(np.mean(losses), rel=1e-9)


def test_bic_may_choose_the_shrinkage_of_a_mixture() -> None:
    structure = Structure("full", 0.5)
    selection = chosen(IRIS, SPECIES, criterion="bic", structures=(structure,))
    assert selection.best.structure == structure


def test_nothing_that_can_be_judged() -> None:
    X, y = IRIS[[0, 60]], np.array([0, 1])
    with pytest.raises(DataError, match="none of 109 candidates can be judged: class 0 does not"):
        chosen(X, y)


def test_missing_values_are_judged_by_the_same_folds() -> None:
    table = weather(60, missing=0.2)
    settings = settings_of(covariance="auto", smoothing=1.0)
    learnt = observe(table, settings, SCHEMA)
    selection = select_view(table, learnt, settings, SCHEMA, "leave_one_out")
    candidate = find(selection, "diagonal", True)
    data = held_out_rows(table, learnt, SCHEMA)
    (posterior,), folds = hold_out(data, [candidate.settings], folds=5)
    assert folds == 5
    assert not isinstance(posterior, Exception)
    loss = -posterior[np.arange(60), table.targets.codes].mean()
    assert candidate.log_loss == pytest.approx(loss, rel=1e-12)
    families = candidate.settings.families
    assert [family.name for family in families] == ["gaussian", "categorical", "poisson"]


def test_the_weight_of_unlabelled_rows_is_chosen_by_folds_that_are_the_same() -> None:
    table = weather(60, unlabelled=0.5)
    settings = settings_of(covariance="auto", smoothing=1.0)
    learnt = observe(table, settings, SCHEMA)
    selection = select_view(table, learnt, settings, SCHEMA, "leave_one_out")
    weighted = selection.weights
    assert tuple(one.unlabelled_weight for one in weighted) == UNLABELLED_WEIGHTS
    assert selection.best in weighted
    # They count if labelled rows are more probable by more than the standard error, and by 1.
    data = held_out_rows(table, learnt, SCHEMA)
    every, _ = hold_out(data, [one.settings for one in weighted], folds=5, always=True)
    rows = np.arange(data.codes.size), data.codes
    for one, posterior in zip(weighted[1:], every[1:], strict=True):
        gain = posterior[rows] - every[0][rows]
        clear = gain.sum() > gain.std() * np.sqrt(gain.size) + 1
        assert clear or selection.best is not one
    before = selection.candidates
    assert {one.unlabelled_weight for one in before} == {0.0}
    assert len({one.structure for one in weighted}) == 1
    least = min(one.log_loss for one in before)
    best = [one for one in before if one.structure == weighted[0].structure]
    assert min(one.log_loss for one in best) == least
    # Without any of them it is the model of the labelled rows, held out in as many folds.
    labelled = taken(table, table.targets.labelled)
    alone = observe(labelled, settings, SCHEMA)
    data = held_out_rows(labelled, alone, SCHEMA)
    (posterior,), folds = hold_out(data, [weighted[0].settings], folds=5, always=True)
    assert folds == 5
    assert not isinstance(posterior, Exception)
    codes = labelled.targets.codes
    loss = -posterior[np.arange(codes.size), codes].mean()
    assert weighted[0].log_loss == pytest.approx(loss, rel=1e-10)


def test_weights_of_unlabelled_rows_are_judged_by_rough_maxima() -> None:
    """Means and deviations off by 1e-3 of a deviation change log posteriors by about as much.

    With rows z deviations from a mean, ``z²/2`` changes by ``(z + z²) 1e-3``: for z below 3 by
    .012 in each of the two numbers, and the mean over rows of either sign by much less.
    """
    table = weather(60, unlabelled=0.5, missing=0.1)
    settings = settings_of(covariance="full", shared=True, smoothing=1.0, unlabelled_weight=1.0)
    data = held_out_rows(table, observe(table, settings, SCHEMA), SCHEMA)
    losses = []
    for goal in (EXACT, ROUGH):
        (posterior,), _ = hold_out(data, [settings], 1, 5, always=True, goal=goal)
        assert not isinstance(posterior, Exception)
        losses.append(-posterior[np.arange(data.codes.size), data.codes].mean())
    assert losses[1] == pytest.approx(losses[0], abs=0.01)


def test_many_candidates_are_judged_by_few_rows_first(monkeypatch: pytest.MonkeyPatch) -> None:
    table, schema = table_of(IRIS, SPECIES)
    options = check_options(estimate="predictive", shared="auto", shrinkage="auto")
    settings = options.settings(schema)
    views = [LearntView(settings, observe(table, settings, schema))]
    every = try_all(table, views, schema, "leave_one_out")
    assert len(every) == 15
    monkeypatch.setattr(left_out, "_FEWEST", 60)
    monkeypatch.setattr(left_out, "_FEW_NUMBERS", 15 * 3 * 60)
    monkeypatch.setattr(left_out, "_TABLES", 0)
    trials = try_all(table, views, schema, "leave_one_out")
    last = [number for number, trial in enumerate(trials) if trial.data is not None]
    assert len(last) == MOST_CALIBRATED
    for number, trial in enumerate(trials):
        assert np.isfinite(trial.candidate.log_loss)
        assert (trial.log_posterior is None) == (number not in last)
    data = trials[last[0]].data
    assert data is not None
    assert data.codes.size == 15 * 60 // MOST_CALIBRATED
    # The rows that are left out of all others are among those of the whole, and so is the best.
    for number in last:
        some, both = trials[number].log_posterior, every[number].log_posterior
        assert some is not None
        assert both is not None
        np.testing.assert_allclose(some, both[data.numbers], rtol=1e-9, atol=1e-12)
    assert best_trial(trials, "leave_one_out") in [trials[number].candidate for number in last]


def test_what_was_chosen_before_is_taken_where_something_is_open() -> None:
    settings = settings_of(covariance="auto", shrinkage="auto")
    assert is_open(settings)
    assert not is_open(settings_of())
    earlier = settings_of(shared=True, shrinkage=0.1, unlabelled_weight=0.1)
    again = chosen_before(settings, earlier)
    assert again.families[0].structure == Structure("full", 1.0)
    assert again.families[0].shrinkage == 0.1
    assert again.unlabelled_weight == 0.1
    assert not is_open(again)
    fixed = settings_of(covariance="diagonal")
    assert chosen_before(fixed, earlier).families == fixed.families


def test_blocks_are_chosen_alike() -> None:
    """Two that leave the same open; if one leaves more, there is no telling what goes with what."""
    table = weather(60)
    blocks = {"storms": "gaussian"}
    settings = settings_of(covariance="auto", families=blocks)
    selection = select_view(
        table, observe(table, settings, SCHEMA), settings, SCHEMA, "leave_one_out"
    )
    for candidate in selection.candidates:
        first, _, second = candidate.settings.families
        assert (first.structure, first.shrinkage) == (second.structure, second.shrinkage)
    other = {"storms": Gaussian.of("auto", shrinkage="auto")}
    settings = settings_of(covariance="auto", families=other)
    with pytest.raises(OptionError, match="must leave the same: they are chosen alike"):
        select_view(table, observe(table, settings, SCHEMA), settings, SCHEMA, "leave_one_out")


def test_an_unknown_criterion_is_refused() -> None:
    with pytest.raises(OptionError, match="selection must be one of 'leave_one_out', 'bic', got"):
        check_options(covariance="auto", selection="aic")


def test_rows_without_label_do_not_judge() -> None:
    table = weather(60, unlabelled=0.5)
    labels = replace(table.targets, labels=np.full(60, -1, np.int32), n_unlabelled=60)
    settings = settings_of(covariance="auto")
    learnt = observe(table, settings, SCHEMA)
    data = held_out_rows(replace(table, targets=labels), learnt, SCHEMA)
    assert data.codes.size == 0


def test_estimates_that_take_long_are_tried_if_nothing_else_can_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Much of many features is missing: then features are independent, if all classes have each."""
    monkeypatch.setattr(family, "_LONG", 1.0)
    holes = IRIS.copy()
    holes[np.random.default_rng(0).random(holes.shape) < 0.3] = np.nan
    lacking = np.where((SPECIES == 1)[:, None] & (np.arange(4) == 2), np.nan, holes)
    left_open = dict.fromkeys(("covariance", "shared", "shrinkage"), "auto")
    for rows, correlated in ((holes, False), (lacking, True)):
        table, schema = table_of(rows, SPECIES)
        settings = check_options(estimate="predictive", **left_open).settings(schema)
        views = [LearntView(settings, observe(table, settings, schema, keep_all=True))]
        trials = try_all(table, views, schema, "leave_one_out")
        structures = [trial.candidate.settings.families[0].structure for trial in trials]
        assert {structure.shape.correlated for structure in structures} == {correlated}
        assert best_trial(trials, "leave_one_out").log_loss < 0.5
