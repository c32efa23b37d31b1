"""Every operation, for every kind of data, whatever is missing in it, under every structure.

Each operation meets any two values of these three axes together (`cases.CASES`). A new kind,
completeness or structure is a line in `cases`, a new operation a function here.
"""

import pickle
from dataclasses import replace
from functools import cache

import dask.dataframe as dd
import duckdb
import numpy as np
import polars as pl
import pytest
from pyarrow import csv, parquet
from scipy.special import logsumexp
from scipy.stats import chi2

from gaussbayes import Columns, GaussianClassifier
from gaussbayes.families.gaussian import Gaussian, Structure
from tests.composition import oracle
from tests.composition.cases import (
    CASES,
    CLASSES,
    KINDS,
    SOME,
    STRUCTURES,
    Case,
    frame_of,
    labelled_of,
    labels_of,
    model_of,
    pairs,
    queries,
    rows,
    table_of,
    truth_of,
)
from tests.models import Candidates, trials_of
from tests.oracles import distance_tail

OPERATIONS = {}


def operation(function):
    """Add a column to the matrix."""
    OPERATIONS[function.__name__] = function
    return function


def close(actual, expected, tolerance=1e-7):
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


def same_model(model, truth):
    """Whether a classifier has the parameters that the oracle found."""
    close(model.priors_, truth.prior)
    if truth.mean.shape[1]:
        if truth.logged:  # the moments of the model are those within the range of the rows
            points = queries("logarithms")
            density = model.scores(frame_of(points)).log_likelihood
            close(density, truth.log_density(points))
            return
        (k, g), (mean, expected) = truth.mean.shape, truth.moments
        close(model.means_, np.column_stack([mean, truth.rate]))
        covariances = np.broadcast_to(model.covariances_, (k, *model.covariances_.shape[-2:]))
        close(covariances[:, :g, :g], expected)
        close(np.einsum("kii->ki", covariances)[:, g:], truth.rate)
    if truth.probability:
        tables = model.category_probabilities_.values()
        for actual, expected in zip(tables, truth.probability, strict=True):
            close(np.column_stack(list(actual.values())), expected)


@operation
def parameters(case):
    same_model(model_of(case), truth_of(case))


@operation
def log_likelihood_of_em(case):
    convergence = model_of(case).model_.convergence
    if case.is_em and convergence is not None:
        expected = truth_of(case).log_likelihood + truth_of(case).smoothed
        close(convergence.log_likelihood[-1], expected, 1e-9)
        assert (np.diff(convergence.log_likelihood) > -1e-9).all()


@operation
def predict_proba(case):
    X, truth = frame_of(case.query), truth_of(case)
    posterior = model_of(case).predict_proba(X)
    close(posterior, np.exp(truth.log_posterior(case.query)))
    close(posterior.sum(axis=1), 1.0, 1e-14)


@operation
def predict_log_proba(case):
    X = frame_of(case.query)
    close(model_of(case).predict_log_proba(X), truth_of(case).log_posterior(case.query), 1e-6)


@operation
def predict(case):
    X, posterior = frame_of(case.query), truth_of(case).log_posterior(case.query)
    assert model_of(case).predict(X).tolist() == [CLASSES[c] for c in posterior.argmax(axis=1)]


@operation
def scores(case):
    model, X, truth = model_of(case), frame_of(case.query), truth_of(case)
    table = model.scores(X)
    close(table.log_joint, truth.log_joint(case.query), 1e-6)
    close(table.log_likelihood, truth.log_density(case.query), 1e-6)
    close(table.log_evidence, truth.log_evidence(case.query), 1e-6)
    close(table.posterior, np.exp(truth.log_posterior(case.query)))
    assert table.label.tolist() == model.predict(X).tolist()
    np.testing.assert_array_equal(model.score_samples(X), table.log_evidence)


@operation
def log_odds(case):
    expected = truth_of(case).log_joint(case.query)
    odds = model_of(case).log_odds(frame_of(case.query), "c", "a")
    close(odds, expected[:, 2] - expected[:, 0], 1e-6)


@operation
def decision_function(case):
    expected = truth_of(case).log_posterior(case.query)
    close(model_of(case).decision_function(frame_of(case.query)), expected, 1e-6)


@operation
def negative_log_likelihood(case):
    data = case.query
    density = truth_of(case).log_density(data)[np.arange(data.y.size), data.y]
    found = model_of(case).negative_log_likelihood(frame_of(data), labels_of(data))
    close(found.features, -density.sum())
    close(found.labels, -np.log(truth_of(case).prior)[data.y].sum())


@operation
def score(case):
    data = case.query
    y = labels_of(data)
    y[0] = None  # a row without label does not count
    right = truth_of(case).log_posterior(data).argmax(axis=1) == data.y
    close(model_of(case).score(frame_of(data), y), right[1:].mean())


@operation
def distances(case):
    model, X = model_of(case), frame_of(case.query)
    if not case.has_numbers:
        with pytest.raises(ValueError, match="distances are those of Gaussian features"):
            _ = model.scores(X).squared_distance
        return
    squares = truth_of(case).squared_distance(case.query)
    degrees = (~np.isnan(case.query.X)).sum(axis=1, keepdims=True)
    table = model.scores(X)
    close(np.sqrt(table.squared_distance), np.sqrt(squares), 1e-6)
    expected = np.where(degrees > 0, chi2.sf(squares, np.maximum(degrees, 1)), 1.0)
    if case.completeness == "complete" and case.structure in {"full", "full shared"}:
        weight = np.bincount(case.data.y, case.data.w)
        shared = case.structure == "full shared"
        expected = distance_tail(squares, degrees, weight, shared=shared)
    close(table.p_value, expected, 1e-6)


@operation
def partial_fit(case):
    data, n = case.data, case.data.y.size
    model = GaussianClassifier(**case.options)
    for part in (slice(0, n // 3), slice(n // 3, n)):
        model.partial_fit(frame_of(data.some(part)), labels_of(data.some(part)))
    same_model(model, truth_of(case))


@operation
def merge(case):
    data, half = case.data, case.data.y.size // 2
    parts = [data.some(slice(0, half)), data.some(slice(half, None))]
    models = [
        GaussianClassifier(**case.options).partial_fit(frame_of(part), labels_of(part))
        for part in parts
    ]
    same_model(models[0].merge(models[1]), truth_of(case))
    same_model(GaussianClassifier(**case.options).merge(models[0]), truth_of(case))


@operation
def forget(case):
    more = rows(case.kind, case.completeness, n=12, seed=3)
    model = case.fit().partial_fit(frame_of(more), labels_of(more))
    same_model(model.forget(frame_of(more), labels_of(more)), truth_of(case))


@operation
def a_new_class(case):
    data = case.data
    others = data.some(data.y != 2)
    new = data.some(data.y == 2)
    model = case.fit(others)
    same_model(model.partial_fit(frame_of(new), labels_of(new)), truth_of(case))


@operation
def remove_class(case):
    data = case.data
    left = data.some(data.y != 2, k=2)
    same_model(case.fit().remove_class("c"), case.truth_of(left))


@operation
def with_priors(case):
    model, X, prior = model_of(case), frame_of(case.query), np.array([0.2, 0.5, 0.3])
    joint = truth_of(case).log_density(case.query) + np.log(prior)
    changed = model.with_priors(prior)
    expected = joint - logsumexp(joint, axis=1, keepdims=True)
    close(changed.predict_log_proba(X), expected, 1e-6)
    close(changed.with_priors(None).priors_, truth_of(case).prior)


@operation
def priors_given_to_fit(case):
    prior = [0.5, 0.3, 0.2]
    same_model(case.fit(priors=prior), case.truth_of(case.data, priors=prior))


@operation
def marginal(case):
    """Of the last feature of each kind."""
    numbers, counts, sizes = KINDS[case.kind]
    last = [[size - 1] if size else [] for size in (numbers, counts, len(sizes))]
    names = [f"{kind}{j}" for kind, places in zip("xnz", last, strict=True) for j in places]
    part, truth = model_of(case).marginal(names), truth_of(case).marginal(*last)
    seen = case.query.of_columns(*last)
    close(part.predict_log_proba(frame_of(case.query)[names]), truth.log_posterior(seen), 1e-6)
    close(part.with_priors(None).priors_, truth.prior)


@operation
def saved_marginal(case, tmp_path):
    columns = list(case.frame.columns)[:1]
    part = model_of(case).marginal(columns)
    again = GaussianClassifier.load(part.save(tmp_path / "part.json"))
    X = frame_of(case.query)[columns]
    np.testing.assert_array_equal(again.predict_log_proba(X), part.predict_log_proba(X))
    close(again.with_priors(None).priors_, part.priors_)


@operation
def save_and_load(case, tmp_path):
    model, X = model_of(case), frame_of(case.query)
    again = GaussianClassifier.load(model.save(tmp_path / "model.json"))
    np.testing.assert_array_equal(again.predict_log_proba(X), model.predict_log_proba(X))
    close(again.with_priors(None).priors_, model.priors_)


@operation
def go_on_after_loading(case, tmp_path):
    data, half = case.data, case.data.y.size // 2
    first, second = data.some(slice(0, half)), data.some(slice(half, None))
    path = tmp_path / "model.json"
    GaussianClassifier(**case.options).partial_fit(frame_of(first), labels_of(first)).save(
        path, unlabelled_rows=True
    )
    model = GaussianClassifier.load(path).partial_fit(frame_of(second), labels_of(second))
    same_model(model, truth_of(case))


@operation
def pickled(case):
    model = pickle.loads(pickle.dumps(model_of(case)))
    np.testing.assert_array_equal(
        model.predict_proba(frame_of(case.query)),
        model_of(case).predict_proba(frame_of(case.query)),
    )


@operation
def decide(case):
    costs = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [1.0, 3.0, 0.0]])
    posterior = np.exp(truth_of(case).log_posterior(case.query))
    expected = posterior @ costs
    decisions = model_of(case).decide(frame_of(case.query), costs=costs, reject_below=0.5)
    best = [CLASSES[c] for c in expected.argmin(axis=1)]
    reject = posterior.max(axis=1) < 0.5
    assert decisions.labels.tolist() == [
        None if no else label for no, label in zip(reject, best, strict=True)
    ]


@operation
def novelty(case):
    X = frame_of(case.query)
    if not case.has_numbers:
        with pytest.raises(ValueError, match="distances are those of Gaussian features"):
            model_of(case).decide(X, novelty=0.3)
        return
    novel = model_of(case).scores(X).p_value.max(axis=1) < 0.3
    labels = model_of(case).decide(X, novelty=0.3).labels
    assert [label is None for label in labels] == novel.tolist()


@operation
def estimate_priors(case):
    posterior = np.exp(truth_of(case).log_posterior(case.query))
    ratio, prior = posterior / truth_of(case).prior, truth_of(case).prior
    for _ in range(20_000):
        weight, before = ratio * prior, prior
        prior = (weight / weight.sum(axis=1, keepdims=True)).mean(axis=0)
        if np.abs(prior - before).max() < 1e-12:
            break
    close(model_of(case).estimate_priors(frame_of(case.query)).prior, prior, 1e-5)


@operation
def bayes_error(case):
    truth, n = truth_of(case), 1500
    drawn = truth.draw(n, case.data.sizes, np.random.default_rng(0))
    wrong = (truth.log_posterior(drawn).argmax(axis=1) != drawn.y).mean()
    found = model_of(case).evaluate(case.frame, case.labels).bayes_error
    assert abs(found.error - wrong) < 5 * (found.standard_error + 0.5 / np.sqrt(n))


@operation
def novelty_p_values(case):
    """Of complete rows; by their definition, among rows that the oracle draws."""
    query, truth = case.query, truth_of(case)
    here = [~np.isnan(query.X), ~np.isnan(query.N), query.Z >= 0]
    complete = query.some(np.column_stack(here).all(axis=1))
    drawn = truth.draw(2000, case.data.sizes, np.random.default_rng(0))
    reference = truth.log_evidence(drawn)
    expected = (reference[None] <= truth.log_evidence(complete)[:, None] + 1e-9).mean(axis=1)
    found = model_of(case).scores(frame_of(complete)).novelty_p_value
    assert np.abs(found - expected).max() < 0.06


@operation
def explain(case):
    query, truth = case.query, truth_of(case)
    for i in (0, 5, 23):
        explanation = model_of(case).explain(frame_of(query).iloc[[i]], between=("b", "a"))
        expected = truth.log_joint(query.some([i]))[0]
        odds = explanation.log_odds
        close(odds.value, expected[1] - expected[0], 1e-6)
        amounts = [part.amount for part in odds.contributions]
        close(odds.at_reference + sum(amounts), odds.value, 1e-9)
        assert [part.feature for part in odds.contributions] == list(case.frame.columns)
        close([terms.log_joint for terms in explanation.bayes.classes], expected, 1e-6)


@operation
def sample(case):
    truth, n = truth_of(case), 4000
    drawn, labels = model_of(case).sample(n, random_state=1)
    means, covariances = truth.moments
    for c, label in enumerate(CLASSES):
        of_class = labels == label
        assert abs(of_class.mean() - truth.prior[c]) < 5 * np.sqrt(0.25 / n)
        m = of_class.sum()
        for j in range(truth.mean.shape[1]):
            spread = np.sqrt(covariances[c, j, j] / m)
            assert abs(drawn[of_class, j].astype(float).mean() - means[c, j]) < 5 * spread
        for j, rate in enumerate(truth.rate[c]):
            column = drawn[of_class, truth.mean.shape[1] + j].astype(float)
            assert abs(column.mean() - rate) < 5 * np.sqrt(rate / m)
        for j, table in enumerate(truth.probability):
            column = drawn[of_class, truth.mean.shape[1] + truth.rate.shape[1] + j]
            assert abs((column == "level 0").mean() - table[c, 0]) < 5 * np.sqrt(0.25 / m)


@operation
def leave_one_out(case):
    """Every row by the model of the others; the oracle, which takes long, fits some of them."""
    data = case.data if not case.is_em else rows(case.kind, case.completeness, n=24, seed=15)
    found = GaussianClassifier(**case.options).leave_one_out(frame_of(data), labels_of(data))
    some = np.arange(len(found.log_posterior)) % 3 == 0
    assert len(some) == (data.y >= 0).sum()
    expected = oracle.held_out(data, np.where(some, np.cumsum(some) - 1, -1), **case.settings)
    close(found.log_posterior[some], expected[some], 2e-6)


def candidates_of(case, tried):
    """A classifier that selects one of these Gaussian families."""
    made = {"gaussian": replace(tried[0], choice=tuple(tried))}
    return Candidates(case.options | {"covariance": "auto", "made": made})


@cache
def selected(kind, completeness):
    """The candidates among all structures, whatever the case's own is."""
    case = Case(kind, completeness, "full")
    tried = [
        Gaussian(Structure(*structure), target="spherical") for structure in STRUCTURES.values()
    ]
    return trials_of(candidates_of(case, tried), case.frame, case.labels)


def candidate_of(case, trials):
    """The candidate that has the structure of a case and no shrinkage."""
    covariance, sharing = STRUCTURES[case.structure]
    structures = [trial.settings.first("structure") for trial in trials]
    return next(
        (
            trial.candidate
            for trial, structure in zip(trials, structures, strict=True)
            if not case.has_numbers
            or (structure.covariance, structure.sharing, trial.candidate.shrinkage)
            == (covariance, sharing, None)
        ),
        None,
    )


@operation
def selection_by_held_out_rows(case):
    """Judged by labelled rows: each left out if nothing is missing, else in five folds."""
    if not case.in_few:
        return
    trials = selected(case.kind, case.completeness)
    correlated = case.has_numbers and case.structure.startswith("full")
    if correlated and "missing" in case.completeness:
        assert candidate_of(case, trials) is None  # each would take an EM of its own in every fold
        return
    data = labelled_of(case)
    one_by_one = case.kind == "categories" or "missing" not in case.completeness
    fold = np.arange(data.y.size) if one_by_one else oracle.in_folds(data, 5)
    posterior = oracle.held_out(data, fold, **case.settings)
    loss = -posterior[np.arange(data.y.size), data.y].mean()
    close(candidate_of(case, trials).log_loss, loss, 1e-6)


@operation
def selection_of_shrinkage(case):
    chosen = {"diagonal"} if case.is_em else set(SOME)
    if case.structure not in chosen or not case.in_few or not case.has_numbers:
        return
    structure = Structure(*STRUCTURES[case.structure])
    intensities = (None, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0, "oas")
    candidates = candidates_of(case, [Gaussian(structure, "mle", some) for some in intensities])
    selection = candidates.fit(case.frame, case.labels).selection_
    judged = [one for one in selection.candidates if one.refused is None]
    assert len(judged) == len(selection.candidates) > 9
    if case.is_em:
        return
    (shrunk,) = [one for one in judged if one.shrinkage == 0.1]
    X, y = case.data.X, case.data.y
    apart = X - np.stack([X[y == code].mean(axis=0) for code in range(case.data.k)])[y]
    unit = np.sqrt(np.square(apart).sum(axis=0))  # selection takes units from all rows
    posterior = oracle.leave_one_out(case.data, **case.settings, shrinkage=0.1, unit=unit)
    close(shrunk.log_loss, -posterior[np.arange(y.size), y].mean(), 1e-6)
    assert selection.best.log_loss <= sorted(one.log_loss for one in judged)[7]


@operation
def weights(case):
    generator = np.random.default_rng(3)  # weights under which the likelihood has one maximum
    w = generator.integers(0, 3, case.data.y.size).astype(float)
    w[:9] = 1.0
    data = case.data.some(slice(None), w=w)
    same_model(case.fit(data), case.truth_of(data))


@operation
def a_mark_for_missing_labels(case):
    y = np.where(case.data.y < 0, 9, case.data.y)
    columns = Columns(features=list(case.frame.columns), unlabelled=9)
    model = GaussianClassifier(**case.options, columns=columns).fit(case.frame, y)
    close(model.priors_, truth_of(case).prior)


@operation
def divisor_and_shrinkage(case):
    for target in ("diagonal", "spherical"):
        chosen = {"divisor": "unbiased", "shrinkage": 0.2}
        model = case.fit(**chosen, shrinkage_target=target)
        same_model(model, case.truth_of(case.data, **chosen, target=target))


@operation
def smoothing_of_zero(case):
    if case.data.sizes and not case.is_em:
        truth = case.truth_of(case.data, smoothing=0.0)
        same_model(case.fit(smoothing=0.0), truth)


def write_csv(table, folder):
    csv.write_csv(table, folder / "rows.csv")
    return folder / "rows.csv"


def write_parquet(table, folder):
    parquet.write_table(table, folder / "rows.parquet", row_group_size=20)
    return folder / "rows.parquet"


SOURCES = {
    "csv": write_csv,
    "parquet": write_parquet,
    "dask": lambda table, _: dd.from_pandas(table.to_pandas(), npartitions=3),
    "duckdb": lambda table, _: duckdb.connect().from_arrow(table),
    "polars": lambda table, _: pl.from_arrow(table).lazy(),
}


@pytest.mark.parametrize(("case", "source"), pairs(SOURCES), ids=str)
def test_source(case, source, tmp_path):
    table = table_of(case.data)
    model = GaussianClassifier(**case.options).fit(SOURCES[source](table, tmp_path), "y")
    assert model.feature_names_in_.tolist() == list(case.frame.columns)
    same_model(model, truth_of(case))
    close(
        model.predict_log_proba(frame_of(case.query)),
        truth_of(case).log_posterior(case.query),
        1e-6,
    )


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_cell(case, name, request):
    function = OPERATIONS[name]
    names = function.__code__.co_varnames[1 : function.__code__.co_argcount]
    function(case, **{fixture: request.getfixturevalue(fixture) for fixture in names})
