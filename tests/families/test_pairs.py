"""Averaged one-dependence estimators: the published formula, levels, draws, limits."""

from itertools import product
from math import log, prod

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare

import gaussbayes
from gaussbayes import AutoClassifier, DataError, GaussianClassifier
from gaussbayes.data.rows import Rows, Targets, number_rows
from gaussbayes.data.schema import Schema
from gaussbayes.families.pairs import Bins, Groups, Levels, Pairs
from gaussbayes.families.pairs.levels import bins_of

ALL = {(0, 1, 2): "pairs"}


def rows_with_parity(n, seed=0):
    """Three columns of which no single one tells anything: the class is their parity."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 2, (n, 3)).astype(float)
    return X, X.sum(axis=1).astype(int) % 2


def averaged(X, y, x, classes, m):
    """log p(x | c) by the sums over rows that Webb, Boughton and Wang (2005) give, equation 5.

    Their estimates of probabilities are smoothed here as the family says.
    """
    there = [j for j, value in enumerate(x) if value is not None]
    sizes = [len({row[j] for row in X if row[j] is not None}) for j in range(len(x))]

    def single(rows, j):
        known = [row[j] for row in rows if row[j] is not None]
        return (known.count(x[j]) + m / sizes[j]) / (len(known) + m)

    def given(rows, j, p):
        known = [row[j] for row in rows if row[p] == x[p] and row[j] is not None]
        return (known.count(x[j]) + m * single(rows, j)) / (len(known) + m)

    logs = []
    for c in classes:
        rows = [row for row, label in zip(X, y, strict=True) if label == c]
        parents = [
            single(rows, p) * prod(given(rows, j, p) for j in there if j != p) for p in there
        ]
        logs.append(log(sum(parents) / len(parents)) if parents else 0.0)
    return logs


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_it_is_the_published_estimator(missing):
    random = np.random.default_rng(3)
    y = np.arange(40) % 3
    values = (random.integers(0, 3, (40, 4)) + y[:, None] * random.integers(0, 2, (40, 4))) % 4
    X = np.where(random.random((40, 4)) < missing, np.nan, values)
    plain = [[None if np.isnan(v) else int(v) for v in row] for row in X]
    model = GaussianClassifier(families={(0, 1, 2, 3): "pairs"}).fit(X, y)
    m = model.model_.settings.families[0].backoff
    expected = [averaged(plain, y.tolist(), row, range(3), m) for row in plain]
    np.testing.assert_allclose(model.scores(X).log_likelihood, expected, rtol=1e-12)


def test_interactions_that_no_column_shows():
    X, y = rows_with_parity(400)
    X = X[:, :2]
    y = (X[:, 0] != X[:, 1]).astype(int)
    assert GaussianClassifier(families={(0, 1): "pairs"}).fit(X, y).score(X, y) == 1.0
    assert GaussianClassifier("diagonal", shared=True).fit(X, y).score(X, y) < 0.7


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_levels_have_probabilities(missing):
    """Over all levels of all columns they sum to 1, and what is drawn is as frequent as that."""
    random = np.random.default_rng(0)
    levels = Levels((Bins((0.0, 1.0), (0.0, 2.0)), Groups(("a", "b", "c"), (0, 1, 1))))
    n, family, names = 60, Pairs(3, 2.0, levels), Schema(np.arange(2), 2, categorical=(1,))
    y = (np.arange(n) % 2).astype(np.int32)
    x = np.where(random.random(n) < 0.3 + 0.4 * y, 0.0, 1.5)
    z = (random.integers(0, 3, n) + y) % 3
    x[random.random(n) < missing] = np.nan
    rows = Rows(x[:, None], z[:, None].astype(np.int32), (("a", "b", "c"),))
    density = family.estimate(family.observe(rows, Targets(y, 2), names), names).density
    every = list(product((0.0, 1.5), (0, 1)))  # one value of each level
    table = Rows(
        np.array([[value] for value, _ in every]),
        np.array([[code] for _, code in every], np.int32),
        (("a", "b", "c"),),
    )
    probability = np.exp(density.log_density(table))
    np.testing.assert_allclose(probability.sum(axis=0), 1.0, rtol=1e-12)
    codes = np.repeat([0, 1], 20_000).astype(np.int32)
    drawn = levels.codes(density.draw(codes, np.random.default_rng(1)))
    for c in range(2):
        cells = 2 * drawn[codes == c, 0] + drawn[codes == c, 1] - 2
        count = np.bincount(cells, minlength=4)
        assert chisquare(count, probability[:, c] * count.sum()).pvalue > 1e-3


def test_bins_are_quantiles_and_spikes_have_their_own():
    random = np.random.default_rng(0)
    x = np.concatenate([np.zeros(500), random.normal(5, 1, 500)])
    bins = bins_of(x, np.ones(1000), 8)
    assert (bins.lowest[0], bins.highest[0]) == (0.0, 0.0)
    counts = np.bincount(bins.codes(x))
    assert counts[0] == 500
    assert counts[1:].min() > 100
    some = np.array([-1e300, 1e300, np.nan])
    assert bins.codes(some).tolist() == [0, bins.n_levels - 1, -1]
    few = bins_of(np.array([1.0, 1.0, 3.0]), np.ones(3), 12)
    assert few.titles == ("1", "3")
    weighted = bins_of(np.array([1.0, 3.0, 9.0]), np.array([2.0, 1.0, 1.0]), 12)
    assert weighted == bins_of(np.array([1.0, 1.0, 3.0, 9.0]), np.ones(4), 12)
    neighbours = np.nextafter(1.0, 2.0)
    assert bins_of(np.array([1.0, neighbours]), np.ones(2), 3).codes(
        np.array([1.0, neighbours])
    ).tolist() == [0, 1]


def test_fewer_bins_are_those_of_the_rows():
    """Merged bins and their counts are what fewer bins would have counted."""
    random = np.random.default_rng(1)
    rows = number_rows(random.normal(size=(400, 2)))
    targets, names = Targets((np.arange(400) % 2).astype(np.int32), 2), Schema(np.arange(2), 2)
    (fine,) = Pairs("auto").fix(rows, targets, names)
    statistics = fine.observe(rows, targets, names)
    found = [family for group in fine.variants(statistics, names) for family in group]
    assert {family.bins for family in found} == {3, 6, 12, 24, 48}
    for family in found:
        np.testing.assert_array_equal(
            family.adapted(statistics).count, family.observe(rows, targets, names).count
        )
        assert max(column.n_levels for column in family.levels.of) <= family.bins
    with pytest.raises(DataError, match="different levels"):
        fine.adapted(found[0].observe(rows, targets, names))


def test_rare_categories_share_a_level():
    y = np.repeat(["a", "b"], 50)
    town = np.array(["x"] * 60 + ["y"] * 36 + ["p", "q", "r", "s"], dtype=object)
    frame = pd.DataFrame({"town": town, "size": np.arange(100.0) % 7})
    model = GaussianClassifier(families={("town", "size"): "pairs"}).fit(frame, y)
    rare = pd.DataFrame({"town": ["p", "s"], "size": [1.0, 1.0]})
    first, second = model.predict_proba(rare)
    assert first.tolist() == second.tolist()
    with pytest.warns(UserWarning, match="not among the categories"):
        new = model.predict_proba(pd.DataFrame({"town": ["z"], "size": [1.0]}))
    unknown = model.predict_proba(pd.DataFrame({"town": [None], "size": [1.0]}))
    assert new.tolist() == unknown.tolist()


def test_memory_is_bounded():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 100)), np.arange(60) % 3
    model = GaussianClassifier(families={tuple(range(100)): "pairs"}).fit(X, y)
    (family,) = model.model_.settings.families
    assert 3 * family.levels.size**2 <= 4_000_000
    (notice,) = model.notices_
    assert "numbers have at most 8 bins, fewer than wanted" in str(notice)
    wide, codes = np.tile(X, (1, 12)), np.arange(60) % 2
    with pytest.raises(DataError, match="may be 4,000,000; give it fewer features"):
        GaussianClassifier(families={tuple(range(1200)): "pairs"}).fit(wide, codes)
    selected = AutoClassifier().fit(random.normal(size=(180, 150)), np.arange(180) % 45)
    assert "family 'pairs' cannot take 150 features in 45 classes" in str(selected.notices_)


def test_model_selection_chooses_the_bins(tmp_path):
    X, y = rows_with_parity(300)
    y = np.where(X[:, 0] == X[:, 1], y, 1 - y)
    model = AutoClassifier(families=ALL).fit(X + 0.25, y)
    assert model.selection_.log_loss < 0.5 * model.selection_.baseline_log_loss
    assert len(model.selection_.candidates) == 4  # there are two levels, with four back-offs
    model.save(tmp_path / "model.json")
    again = gaussbayes.load(tmp_path / "model.json")
    assert (again.predict_proba(X) == model.predict_proba(X)).all()


def test_unlabelled_rows_move_the_counts(tmp_path):
    random = np.random.default_rng(2)
    y = np.arange(600) % 2
    X = (random.random((600, 6)) < 0.25 + 0.5 * y[:, None]).astype(float)
    few = np.where(np.arange(600) < 12, y, None).astype(object)
    families = {tuple(range(6)): "pairs"}
    labelled = GaussianClassifier(families=families).fit(X[:12], y[:12])
    both = GaussianClassifier(families=families).fit(X, few)
    assert both.score(X, y) > labelled.score(X, y)
    both.save(tmp_path / "model.json")
    again = gaussbayes.load(tmp_path / "model.json")
    np.testing.assert_allclose(again.predict_proba(X), both.predict_proba(X), rtol=1e-12)


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_hardly_any_rows(weight):
    X, y = np.array([[1.0, 2.0], [2.0, 2.0], [3.0, 4.0]]), np.array([0, 0, 1])
    weights = np.array([1.0, weight, 1.0])
    model = GaussianClassifier(families={(0, 1): "pairs"}).fit(X, y, weights)
    assert np.isfinite(model.predict_log_proba([[9.0, -9.0], [np.nan, np.nan]])).all()
    assert model.predict([[3.0, 4.0]]) == [1]
    without = model.leave_one_out(X, y, weights).log_posterior
    alone = [2] if weight else [0, 2]  # the only rows of their classes
    assert (without[alone, y[alone]] == -np.inf).all()
    assert np.isfinite(np.delete(without, alone, axis=0)).all()
    with pytest.raises(DataError, match="at least two classes with rows, got 0 classes"):
        model.fit(X, [None] * 3)


def test_infinite_numbers_are_refused():
    X, y = rows_with_parity(40)
    model = GaussianClassifier(families=ALL).fit(X, y)
    X[3, 1] = np.inf
    for step in (model.predict, lambda rows: model.fit(rows, y)):
        with pytest.raises(ValueError, match="infinity in row 3, column 1"):
            step(X)


def test_contributions_are_opposite_for_the_other_class():
    X, y = rows_with_parity(200)
    y = np.where(X[:, 0] + X[:, 1] > 1, 2, y)
    model = GaussianClassifier(families=ALL).fit(X, y)
    a, b = (model.explain(X[5], between=pair).log_odds.contributions for pair in ((0, 2), (2, 0)))
    for one, other in zip(a, b, strict=True):
        assert one.amount == pytest.approx(-other.amount, rel=1e-12)


LACKING = {("x", "kind", "z"): "pairs"}


def rows_that_lack_values(n=600, seed=0):
    """The class decides whether a number and a category are missing; z never is."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % 2
    table = pd.DataFrame({"x": random.normal(size=n).round(2), "z": random.integers(0, 3, n) * 1.0})
    table["kind"] = np.array(["p", "q"], object)[random.integers(0, 2, n)]
    lacking = random.random((2, n)) < 0.1 + 0.6 * y
    table["x"] = table["x"].mask(lacking[0])
    table["kind"] = table["kind"].where(~lacking[1], None)
    return table[["x", "kind", "z"]], y


def test_missing_values_have_a_level_where_that_predicts_better():
    table, y = rows_that_lack_values()
    model = AutoClassifier(families=LACKING).fit(table, y)
    (family,) = model.model_.settings.families
    assert [column.missing for column in family.levels.of] == [True, True, False]
    assert model.score(table, y) > 0.8
    assert GaussianClassifier(families=LACKING).fit(table, y).score(table, y) < 0.7
    # By the sums over rows: a missing value is a value like the others.
    codes = family.levels.codes(model.model_.rows(table)).tolist()
    plain = [[None if code < 0 else code for code in row] for row in codes]
    expected = [averaged(plain, y.tolist(), row, range(2), family.backoff) for row in plain[:20]]
    found = model.model_.log_likelihood(model.model_.rows(table))[:20]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    # A value of z, which has no such level, and a new category are left out, as by `marginal`.
    kept = model.marginal(["x", "kind"])
    unknown = table.assign(z=np.nan)
    left = table[["x", "kind"]]
    np.testing.assert_allclose(model.predict_proba(unknown), kept.predict_proba(left), rtol=1e-12)
    with pytest.warns(UserWarning, match="not among the categories"):
        new = model.predict_proba(table.assign(kind="new"))
    kept = model.marginal(["x", "z"])
    np.testing.assert_allclose(new, kept.predict_proba(table[["x", "z"]]), rtol=1e-12)
    assert np.abs(model.predict_proba(table.assign(kind=None)) - new).max() > 0.1
    complete = table[table.notna().all(axis=1)]
    shares = model.category_probabilities_["kind"]
    np.testing.assert_allclose(shares["p"] + shares["q"], 1.0, rtol=1e-12)
    assert np.abs(model.means_[:, 0] - complete["x"].mean()).max() < 0.3
    drawn, labels = model.sample(4000, random_state=0)
    lacks = pd.isna(pd.DataFrame(drawn)).to_numpy()
    assert abs(lacks[labels == 1, 0].mean() - table["x"].isna()[y == 1].mean()) < 0.05


def test_levels_of_missing_values_obey_the_laws(tmp_path):
    table, y = rows_that_lack_values()
    model = AutoClassifier(families=LACKING).fit(table, y)
    expected = model.predict_log_proba(table)
    parts = [
        AutoClassifier(families=LACKING).fit(table[cut], y[cut], like=model)
        for cut in (slice(0, 100), slice(100, 350), slice(350, 600))
    ]
    merged = parts[2].merge(parts[0]).merge(parts[1])
    np.testing.assert_allclose(merged.predict_log_proba(table), expected, rtol=1e-12)
    again = gaussbayes.load(model.save(tmp_path / "model.json"))
    assert (again.predict_log_proba(table) == expected).all()
    left = model.forget(table[:100], y[:100])
    rest = AutoClassifier(families=LACKING).fit(table[100:], y[100:], like=again)
    np.testing.assert_allclose(
        left.predict_log_proba(table), rest.predict_log_proba(table), rtol=1e-9
    )
