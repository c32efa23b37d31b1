"""Categories and missing values coded as numbers, beside numbers, in one Gaussian block."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import logsumexp
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from gaussbayes import AutoClassifier, GaussianClassifier
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.schema import Schema
from gaussbayes.data.categories import MISSING
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.families import family_records
from gaussbayes.families.coded import CategoryCode, Coded, NumberCode
from gaussbayes.families.coded.coding import simplex
from gaussbayes.families.gaussian import Gaussian
from gaussbayes.families.removal import remove
from gaussbayes.model.options import check_options, options_of
from tests.models import automatic_classifier

CLASSES = np.array(["no", "yes"])
NAMES = Schema(CLASSES, 4, ("x", "wind", "y", "sky"), categorical=(1, 3))
PREDICTIVE = {"estimate": "predictive", "shared": 0.3, "shrinkage": 0.1, "target": "spherical"}


def frame(n=60, seed=0, missing=0.15):
    """Numbers and categories that depend on each other; x is missing more often in one class."""
    random = np.random.default_rng(seed)
    label = np.arange(n) % 2
    sky = random.integers(0, 2, n)
    wind = np.where(random.random(n) < 0.8, (label + sky) % 2, 2)
    x = random.normal(label + wind, 1.0)
    x[random.random(n) < missing * (1 + label)] = np.nan
    table = pd.DataFrame({
        "x": x,
        "wind": pd.Categorical([["N", "E", "S"][code] for code in wind]),
        "y": random.gamma(2.0 + sky, 1.0),
        "sky": pd.Categorical(np.where(random.random(n) < missing, None, np.where(sky, "b", "a"))),
    })  # fmt: skip
    return table, CLASSES[label]


def family_rows(n=40, seed=0, missing=0.15):
    table, labels = frame(n, seed, missing)
    codes = np.stack([table["wind"].cat.codes, table["sky"].cat.codes], axis=1).astype(np.int32)
    codes[codes < 0] = MISSING
    categories = tuple(tuple(table[name].cat.categories) for name in ("wind", "sky"))
    rows = Rows(table[["x", "y"]].to_numpy(), codes, categories)
    weights = np.random.default_rng(seed).integers(1, 4, n).astype(float)
    return rows, Targets((labels == "yes").astype(np.int32), 2, weights)


def test_any_two_categories_are_1_apart() -> None:
    for m in (2, 3, 7):
        corners = simplex(m)
        distance = np.linalg.norm(corners[:, None] - corners[None], axis=2)
        np.testing.assert_allclose(distance, 1.0 - np.eye(m), atol=1e-14)
        proportions = np.random.default_rng(m).dirichlet(np.ones(m), 3)
        code = CategoryCode(tuple(range(m)))
        np.testing.assert_allclose(code.proportions(proportions @ corners), proportions)


def test_posteriors_are_those_of_indicators() -> None:
    """Which corners there are makes no difference without shrinkage: LDA of indicator columns."""
    table, labels = frame(200)
    indicators = pd.get_dummies(table[["wind", "sky"]], drop_first=True, dummy_na=False)
    indicators["no sky"], indicators["no x"] = table["sky"].isna(), table["x"].isna()
    x = table["x"].fillna(table["x"].quantile(0.5, interpolation="lower"))
    design = np.column_stack([indicators.to_numpy(float), x, table["y"]])
    expected = LinearDiscriminantAnalysis().fit(design, labels).predict_proba(design)
    model = GaussianClassifier(shared=True, coded=True).fit(table, labels)
    np.testing.assert_allclose(model.predict_proba(table), expected, atol=1e-12)
    (family,) = model.model_.settings.families
    kinds = [type(code) for code in family.coding.of]
    assert kinds == [NumberCode, CategoryCode, NumberCode, CategoryCode]
    assert family.coding.width == 2 + 2 + 1 + 2


@pytest.mark.parametrize("options", [{"shared": True}, PREDICTIVE], ids=["LDA", "predictive"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_leaving_out_is_refitting(options, missing) -> None:
    rows, targets = family_rows(missing=missing)
    plain = Coded(Gaussian.of(**options), ("yeo-johnson",))
    family = plain.prepared(rows, targets, NAMES)
    statistics = family.observe(rows, targets, NAMES)
    assert statistics.is_complete
    removal = remove(targets.codes.astype(np.intp), targets.weights, statistics.weight)
    closed = family.left_out(statistics, [family], targets, NAMES)
    scores, reliable = closed(rows, removal)
    assert reliable.all()
    for i in range(rows.n_rows):
        others = np.delete(np.arange(rows.n_rows), i)
        rest = family.observe(rows[others], targets[others], NAMES)
        density = family.estimate(rest, NAMES).density
        expected = density.log_density(rows[i : i + 1])[0]
        np.testing.assert_allclose(
            scores[0, i] - logsumexp(scores[0, i]), expected - logsumexp(expected), atol=1e-9
        )


def test_statistics_are_a_group_and_densities_have_marginals() -> None:
    rows, targets = family_rows()
    family = Coded(Gaussian.of(shared=True), ("range",)).prepared(rows, targets, NAMES)
    halves = [slice(0, 17), slice(17, 40)]
    first, second = (family.observe(rows[part], targets[part], NAMES) for part in halves)
    whole = family.observe(rows, targets, NAMES)
    density = family.estimate(whole, NAMES).density
    for same in (first + second, second.plus(first, NAMES), (whole + first).without(first, NAMES)):
        other = family.estimate(same, NAMES).density
        np.testing.assert_allclose(other.log_density(rows), density.log_density(rows), rtol=1e-9)
    with pytest.raises(DataError, match="coded in different ways"):
        whole + Coded(Gaussian()).prepared(rows[:9], targets[:9], NAMES).observe(
            rows[:9], targets[:9], NAMES
        )
    # The marginal of some columns is the density of rows that never had the others.
    columns, part = [1, 2], NAMES.marginal([1, 2])
    some = Rows(rows.numbers[:, 1:], rows.codes[:, :1], rows.categories[:1])
    cut = density.marginal(columns, part)
    np.testing.assert_allclose(
        cut.log_density(some),
        family.of_columns(columns)
        .estimate(whole.of_columns(columns), part)
        .density.log_density(some),
        rtol=1e-9,
    )
    records = family_records("coded")
    again = records.read_settings(records.write_settings(family))
    assert again == family.of_columns(range(4))
    read = records.read_statistics(records.write_statistics(whole), again, NAMES)
    loaded = again.estimate(read, NAMES).density
    np.testing.assert_array_equal(loaded.log_density(rows), density.log_density(rows))


def test_what_was_never_missing_and_new_categories_are_integrated_out() -> None:
    table, labels = frame(missing=0.0)
    model = GaussianClassifier(coded=True, **PREDICTIVE).fit(table, labels)
    blank = table.assign(x=np.nan, sky=pd.Categorical([None] * len(table)))
    expected = model.marginal(["wind", "y"]).predict_proba(table[["wind", "y"]])
    np.testing.assert_allclose(model.predict_proba(blank), expected, rtol=1e-9)
    with pytest.warns(UserWarning, match="not among the categories"):
        new = model.predict_proba(table.assign(x=np.nan, sky=pd.Categorical(["c"] * len(table))))
    np.testing.assert_allclose(new, expected, rtol=1e-9)


def test_contributions_of_codes_are_those_of_the_feature() -> None:
    table, labels = frame(120)
    model = GaussianClassifier(coded=True, calibration="leave_one_out", **PREDICTIVE)
    model.fit(table, labels)
    row = table[table["x"].isna()].iloc[:1]
    odds = model.explain(row).log_odds
    assert [part.feature for part in odds.contributions] == list(table)
    total = odds.at_reference + sum(part.amount for part in odds.contributions)
    np.testing.assert_allclose(total + odds.adjustment.amount, odds.value, rtol=1e-9)
    missing = odds.contributions[0]
    assert missing.missing
    assert missing.amount != 0
    assert not missing.silent


def test_batches_files_and_forgetting(tmp_path) -> None:
    table, labels = frame(120)
    model = GaussianClassifier(coded=True, **PREDICTIVE).fit(table[:80], labels[:80])
    code = model.model_.settings.families[0].coding
    before = model.predict_proba(table)
    model.save(tmp_path / "model.json")
    loaded = GaussianClassifier.load(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict_proba(table), before)
    for each in (model, loaded):
        each.partial_fit(table[80:], labels[80:])
        assert each.model_.settings.families[0].coding == code
        assert each.predict_proba(table).max() > 0
        each.forget(table[80:], labels[80:])
        np.testing.assert_allclose(each.predict_proba(table), before, rtol=1e-8)


def test_options_make_it_and_come_back() -> None:
    table, labels = frame()
    block = {("x", "sky"): "coded"}
    for options in ({"coded": True, "transforms": "range"}, {"families": block}):
        model = GaussianClassifier(shared=True, smoothing=1.0, **options).fit(table, labels)
        settings = model.model_.settings
        again = check_options(**options_of(settings, model.model_.schema)).settings(
            model.model_.schema
        )
        assert [part.columns for part in again.components] == [
            part.columns for part in settings.components
        ]
        assert [part.distribution for part in again.components] == [
            part.distribution for part in settings.components
        ]
    with pytest.raises(OptionError, match="coded must be True, False or 'auto', got 'yes'"):
        GaussianClassifier(coded="yes").fit(table, labels)


def test_what_is_no_probability_of_categories_is_refused_with_a_remedy() -> None:
    table, labels = frame(120)
    model = automatic_classifier(coded=True).fit(table, labels)
    for refused in (model.sample, model.bayes_error):
        with pytest.raises(OptionError, match="fit again with coded=False"):
            refused()
    automatic_classifier(coded=False).fit(table, labels).sample(3)


def test_the_choice_takes_codes_where_categories_interact() -> None:
    """Exclusive or: nothing can be told by any feature alone."""
    random = np.random.default_rng(0)
    a, b = random.integers(0, 2, (2, 200))
    table = pd.DataFrame({"a": pd.Categorical(a), "b": pd.Categorical(b)})
    model = AutoClassifier().fit(table, a ^ b)
    assert str(model.selection_.best).startswith("predictive")
    assert "coded" in model.selection_.best.name
    assert (model.predict(table) == (a ^ b)).all()
    numbers = AutoClassifier().fit(random.normal(size=(40, 2)), np.arange(40) % 2)
    assert not any("coded" in some.name for some in numbers.selection_.candidates)


def test_units_make_no_difference_and_views_are_judged_by_the_same_rows() -> None:
    table, labels = frame(5200)
    average = automatic_classifier(average=True, n_jobs=1).fit(table, labels)
    changed = table.assign(x=table["x"] * 1e6, y=table["y"] / 1e3 + 7.0)
    other = automatic_classifier(average=True, n_jobs=1).fit(changed, labels)
    assert (average.predict(table) == other.predict(changed)).all()
