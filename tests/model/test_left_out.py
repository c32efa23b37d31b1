"""Rows held out: as many fits as there are rows or folds, and what cannot be fitted without one."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from gaussbayes.base import threads
from gaussbayes.base.errors import DataError, GaussBayesError, OptionError, SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.data.rows import LabelledRows, Targets, number_rows
from gaussbayes.families.gaussian.structure import Structure
from gaussbayes.model import left_out
from gaussbayes.model.folds import fold_numbers
from gaussbayes.model.left_out import held_out_rows, hold_out
from gaussbayes.model.model import solve
from gaussbayes.model.options import AUTOMATIC_SETTINGS, internal_options
from gaussbayes.model.settings import Settings
from gaussbayes.model.solution import score
from gaussbayes.model.statistics import observe
from tests.model.inner_tables import SCHEMA, settings_of, taken, weather
from tests.strategies import MIXTURES, STRUCTURES, name_of

each_structure = pytest.mark.parametrize("structure", [*STRUCTURES, *MIXTURES], ids=name_of)


@dataclass(frozen=True)
class Data:
    """Labelled numbers, of classes that are called by their codes."""

    X: FloatArray
    codes: CodeArray
    weights: FloatArray | None = None

    @property
    def schema(self) -> Schema:
        return Schema(np.arange(int(self.codes.max()) + 1), self.X.shape[1])

    @property
    def table(self) -> LabelledRows:
        targets = Targets(self.codes, self.schema.classes.size, self.weights)
        return LabelledRows(number_rows(self.X), targets, self.schema.classes)

    def settings(self, **options: Any) -> Settings:
        return internal_options(**options).settings(self.schema)

    def left_out(self, n_jobs: int | None = 1, **options: Any) -> Any:
        """Log posteriors of each row by the model of the others, or the error there is instead."""
        outcome, folds = held_out(self.table, self.schema, self.settings(**options), n_jobs)
        assert folds == self.codes.size
        if isinstance(outcome, GaussBayesError):
            raise outcome
        return outcome

    def refitted(self, **options: Any) -> Any:
        """The same by as many fits as there are rows."""
        return refitted(self.table, self.schema, self.settings(**options))


def held_out(
    table: LabelledRows,
    schema: Schema,
    settings: Settings,
    n_jobs: int | None = 1,
    *,
    exact: bool = True,
) -> tuple[Any, int]:
    rows = held_out_rows(table, observe(table, settings, schema), schema, settings)
    outcomes, number = hold_out(rows, [settings], n_jobs, exact=exact)
    return outcomes[0], number


def refitted(
    table: LabelledRows, schema: Schema, settings: Settings, fold: Any = None
) -> FloatArray:
    """By as many fits as there are folds; None is one for each row. No class may lose all rows."""
    labelled = np.flatnonzero(table.targets.labelled)
    fold = np.arange(labelled.size) if fold is None else fold
    posterior = np.empty((labelled.size, schema.classes.size))
    for number in range(int(fold.max()) + 1):
        rows = labelled[fold == number]
        others = taken(table, np.setdiff1d(np.arange(table.rows.n_rows), rows))
        solution = solve(observe(others, settings, schema), settings, schema)
        parts = settings.parts(table.rows[rows], schema)
        posterior[fold == number] = score(solution, parts, "log_posterior")
    return posterior


def some_rows(n: int = 60, d: int = 3, k: int = 3, weights: Any = None, codes: Any = None) -> Data:
    """Rows of overlapping classes with correlated features."""
    rng = np.random.default_rng(0)
    codes = np.arange(n, dtype=np.int32) % k if codes is None else np.asarray(codes, np.int32)
    X = rng.normal(size=(codes.size, d)) @ rng.normal(size=(d, d)) + rng.normal(size=(k, d))[codes]
    return Data(X, codes, weights)


def assert_close(values: Any, expected: Any, tolerance: float = 1e-11) -> None:
    assert np.array_equal(np.isneginf(values), np.isneginf(expected))
    possible = ~np.isneginf(expected)
    gap = np.abs(values[possible] - expected[possible])
    assert (gap / np.maximum(1.0, np.abs(expected[possible]))).max() <= tolerance


@each_structure
@pytest.mark.parametrize("shrinkage", [None, 0.3, "oas"])
def test_a_row_far_from_all_others_leaves_no_trace(structure: Structure, shrinkage: Any) -> None:
    data = some_rows()
    data.X[7, 0] = 1e5  # its square is all but 1e-10 of its class's sum of squares
    options = {
        "covariance": structure.covariance,
        "shared": structure.sharing,
        "shrinkage": shrinkage,
    }
    assert_close(data.left_out(**options), data.refitted(**options), 1e-10)


@each_structure
def test_a_row_that_outweighs_all_others(structure: Structure) -> None:
    weights = np.ones(60)
    weights[4] = 1e12
    data = some_rows(weights=weights)
    options = {"covariance": structure.covariance, "shared": structure.sharing, "shrinkage": 0.1}
    assert_close(data.left_out(**options)[4], data.refitted(**options)[4])


@pytest.mark.parametrize("smoothing", [0.0, 1.0])
@pytest.mark.parametrize("shared", [False, True, 0.5])
@pytest.mark.parametrize("weighted", [False, True])
def test_families_are_left_out_together(smoothing: float, shared: Any, weighted: bool) -> None:
    """Numbers, counts and categories: the sum of their closed forms is one fit for each row."""
    table = weather(45, weighted=weighted)
    settings = settings_of(smoothing=smoothing, shared=shared)
    outcome, folds = held_out(table, SCHEMA, settings)
    assert folds == 45
    assert_close(outcome, refitted(table, SCHEMA, settings), 1e-10)


@pytest.mark.parametrize("unlabelled", [0.0, 0.3])
@pytest.mark.parametrize("exact", [False, True])
def test_folds_where_there_is_no_closed_form(unlabelled: float, exact: bool) -> None:
    """Rows without label help to fit, and are not held out."""
    table = weather(27, missing=0.15, unlabelled=unlabelled)
    settings = settings_of(smoothing=1.0, covariance="diagonal")
    outcome, number = held_out(table, SCHEMA, settings, exact=exact)
    labelled = taken(table, np.flatnonzero(table.targets.labelled))
    assert number == (labelled.rows.n_rows if exact else left_out.FOLDS)
    fold = fold_numbers(labelled.rows, labelled.targets, number)
    # Near the maximum is near enough to tell models apart.
    tolerance = 1e-7 if exact or not unlabelled else 1e-2
    assert_close(outcome, refitted(table, SCHEMA, settings, fold), tolerance)


def test_a_row_has_no_part_in_what_stands_for_missing_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each row by itself a fold is as if refitted, up to the rough end of EM near its maximum."""
    data = some_rows(30, 5)
    missing = np.random.default_rng(1).random(data.X.shape) < 0.3
    data = Data(np.where(missing, np.nan, data.X), data.codes)
    options = {"estimate": "predictive", "shared": 0.5, "shrinkage": 1e-9}
    expected, settings = data.refitted(**options), data.settings(**options)

    def gap() -> float:
        outcome, folds = held_out(data.table, data.schema, settings, exact=False)
        assert folds == 30
        return float(np.abs(np.exp(outcome) - np.exp(expected)).max())

    assert gap() < 0.5
    monkeypatch.setattr(left_out, "FOLDS", 30)
    assert gap() < 1e-3


def test_of_many_rows_there_are_fifty_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(left_out, "MOST_SINGLE_ROWS", 59)
    table = weather(60, missing=0.2)
    settings = settings_of(smoothing=1.0, covariance="diagonal")
    outcome, folds = held_out(table, SCHEMA, settings)
    assert folds == left_out.EXACT_FOLDS == 50
    assert outcome.shape == (60, 3)
    fold = fold_numbers(table.rows, table.targets, 50)
    for number in range(50):
        assert 1 <= np.count_nonzero(fold == number) <= 2


def test_every_kind_of_candidate_of_the_automatic_choice_is_left_out_as_if_refitted() -> None:
    """Predictive ones and plain Gaussians, in ranges and by powers, categories coded and not.

    The transforms and codes are those of all rows; every row takes a fit for each candidate.
    """
    table = weather(36, seed=32)  # every class has every category twice
    options = internal_options(**AUTOMATIC_SETTINGS)
    alternatives = options.alternatives(SCHEMA, table.rows)
    assert options.automatic
    kinds = set()
    for view in alternatives:
        (settings,) = view.fix(table.rows, table.targets, SCHEMA)
        learnt = observe(table, settings, SCHEMA)
        columns = zip(settings.families, learnt.parts, settings.names(SCHEMA), strict=True)
        families = [  # of rows enough for all
            [family for group in family.variants(part.scaled(100), names) for family in group]
            for family, part, names in columns
        ]
        many = max(map(len, families))
        for number in {0, *range(many - 6, many)}:  # the last are estimated
            chosen = [each[number if len(each) > 1 else 0] for each in families]
            candidate = settings.with_families(chosen)
            left_out, folds = held_out(table, SCHEMA, candidate)
            assert folds == 36
            assert_close(left_out, refitted(table, SCHEMA, candidate), 1e-9)
            kinds.add(candidate.title)
    words = {word for kind in kinds for word in kind.split(", ")}
    assert {"predictive", "diagonal LDA", "QDA", "full covariance", "LDA"} <= words
    assert {"scaled by range", "Yeo-Johnson", "coded"} <= words


def test_folds_spread_the_classes_evenly() -> None:
    """Also where rows are equal, so that nothing tells them apart."""
    codes = np.repeat(np.arange(3), [7, 20, 33]).astype(np.int32)
    equal = Data(np.ones((60, 2)), np.random.default_rng(0).permutation(codes)).table
    for table in (some_rows(codes=codes).table, equal):
        fold = fold_numbers(table.rows, table.targets, 5)
        assert np.bincount(fold).tolist() == [12] * 5
        for code in range(3):
            counts = np.bincount(fold[table.targets.codes == code], minlength=5)
            assert np.ptp(counts) <= 1
    assert sorted(fold_numbers(table.rows[:3], table.targets[:3], 9).tolist()) == [0, 1, 2]


@pytest.mark.parametrize("priors", [None, "uniform", [0.5, 0.1, 0.4], {0: 0.5, 1: 0.1, 2: 0.4}])
def test_a_class_without_its_only_row_is_impossible(priors: Any) -> None:
    codes = np.arange(40, dtype=np.int32) % 2
    codes[11] = 2
    data = some_rows(codes=codes)
    posterior = data.left_out(shared=True, priors=priors)
    assert np.flatnonzero(np.isneginf(posterior).any(axis=1)).tolist() == [11]
    # The model of the two classes that are left: of given priors 0.5 and 0.1 remain.
    others = Data(data.X[codes != 2], codes[codes != 2])
    left_priors = [5 / 6, 1 / 6] if priors not in (None, "uniform") else priors
    settings = others.settings(shared=True, priors=left_priors)
    solution = solve(observe(others.table, settings, others.schema), settings, others.schema)
    assert posterior[11, 2] == -np.inf
    expected = score(solution, (number_rows(data.X[11:12]),), "log_posterior")[0]
    assert_close(posterior[11, :2], expected)


def test_a_class_with_all_of_the_prior_and_one_row() -> None:
    data = some_rows(codes=[*np.arange(20) % 2, 2])
    with pytest.raises(
        OptionError, match="without row 21 of 21 .* only class 2 has a prior above 0"
    ):
        data.left_out(shared=True, priors=[0.0, 0.0, 1.0])


def test_the_only_row_of_one_of_two_classes_is_called_impossible() -> None:
    data = some_rows(k=2, codes=[*np.zeros(20, int), 1])
    left_out = data.left_out(shared=True)
    assert left_out[20].tolist() == [0.0, -np.inf]
    assert np.isfinite(left_out[:20]).all()


def test_a_covariance_that_is_singular_without_a_row() -> None:
    data = some_rows(k=2, codes=np.repeat([0, 1], [4, 20]))  # class 0 has d + 1 rows
    with pytest.raises(SingularCovarianceError) as caught:
        data.left_out()
    message = str(caught.value)
    assert message.startswith("without row 1 of 24 the model cannot be fitted, or cannot tell its")
    assert "class 0 has 3 rows" in message
    assert "(shrinkage=0.1)" in message
    assert data.left_out(shrinkage=0.1).shape == (24, 2)
    assert data.left_out(shared=True).shape == (24, 2)


def test_a_feature_that_is_constant_without_a_row() -> None:
    data = some_rows(k=2)
    data.X[:, 1] = 0.0
    data.X[[0, 1, 3], 1] = [1.0, 1.0, 2.0]  # class 0 varies by row 0 alone
    for covariance in ("full", "diagonal"):
        with pytest.raises(
            SingularCovarianceError, match="without row 1 of 60 .* class 0 does not"
        ):
            data.left_out(covariance=covariance)


def test_no_degree_of_freedom_is_left() -> None:
    data = some_rows(d=1, k=2, codes=[0, 0, *np.ones(20, int)])
    with pytest.raises(DataError, match="without row 1 of 22 .* divides by 0"):
        data.left_out(covariance="spherical", divisor="unbiased")


def test_a_path_says_which_values_cannot_be_fitted() -> None:
    data = some_rows(k=2, codes=np.repeat([0, 1], [4, 20]))
    path = [data.settings(shrinkage=value) for value in (None, 0.2, 0.0)]
    learnt = observe(data.table, path[0], data.schema)
    held = held_out_rows(data.table, learnt, data.schema, path[0])
    outcomes, _ = hold_out(held, path, exact=True)
    assert [isinstance(outcome, GaussBayesError) for outcome in outcomes] == [True, False, True]
    assert_close(outcomes[1], data.refitted(shrinkage=0.2), 1e-10)


@each_structure
def test_threads_and_blocks_do_not_matter(
    structure: Structure, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = some_rows(n=310)  # more than are left out one at a time where that takes EM
    options = {"covariance": structure.covariance, "shared": structure.sharing, "shrinkage": "oas"}
    whole = data.left_out(**options)
    monkeypatch.setattr(threads, "CACHED", 1)
    monkeypatch.setattr(left_out, "CACHED", 1)
    in_blocks = data.left_out(**options)
    assert_close(in_blocks, whole, 1e-13)  # products of other sizes may round in another way
    assert np.array_equal(data.left_out(n_jobs=3, **options), in_blocks)


def test_log_posteriors_near_0_keep_their_digits() -> None:
    data = some_rows(k=2)
    data.X[data.codes == 1] += 30.0
    posterior, expected = data.left_out(shared=True), data.refitted(shared=True)
    assert np.abs(expected.max(axis=1)).max() < 1e-15
    assert np.allclose(posterior.max(axis=1), expected.max(axis=1), rtol=1e-9, atol=0.0)


def test_which_rows_are_held_out() -> None:
    """Those with a label, of classes that weigh something."""
    table = weather(30, unlabelled=0.3)
    codes, labelled = table.targets.codes, table.targets.labelled
    weights = np.where(codes == 1, 0.0, 2.0)
    heavy = LabelledRows(
        table.rows, Targets(codes, 3, weights, table.targets.n_unlabelled), table.classes
    )
    learnt = observe(heavy, settings_of(), SCHEMA).with_rows()
    data = held_out_rows(heavy, learnt, SCHEMA, settings_of())
    chosen = labelled & (codes != 1)
    assert data.classes.tolist() == ["dry", "wet"]
    np.testing.assert_array_equal(data.codes, codes[chosen] // 2)
    np.testing.assert_array_equal(data.rows.matrix, table.rows.matrix[chosen])
    assert data.targets.total_weights().tolist() == [2.0] * int(chosen.sum())
    soft = LabelledRows(table.rows, Targets(np.full((30, 3), 1 / 3), 3), table.classes)
    data = held_out_rows(soft, observe(soft, settings_of(), SCHEMA), SCHEMA, settings_of())
    assert data.targets.is_soft
    assert data.codes.tolist() == [0] * 30
