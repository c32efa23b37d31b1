"""SQL that engines really run says what the model says; what cannot be said is refused by name."""

import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pytest
import sqlglot

from gaussbayes import AutoClassifier, DataError, GaussianClassifier, OptionError
from gaussbayes.export.sql import DIALECTS
from tests.designs import all_pairs
from tests.export.engines import ENGINES, assert_same_scores, in_duckdb, in_sqlite, mixed, numbers
from tests.models import STRUCTURES, automatic_classifier

FAMILIES = {"visits": "poisson", "member": "bernoulli"}


@pytest.mark.parametrize(
    ("engine", "structure", "missing"), all_pairs(ENGINES, [*STRUCTURES, "predictive"], [0.0, 0.2])
)
def test_every_structure(engine: str, structure: object, missing: float) -> None:
    options = {"estimate": "predictive"}
    if structure != "predictive":
        options = dict(zip(("covariance", "shared"), structure, strict=True))
    table, y = numbers(missing=missing)
    model = GaussianClassifier(**options).fit(table[:2000], y[:2000])
    assert_same_scores(model, table, engine, ENGINES[engine])


@pytest.mark.parametrize(
    ("engine", "transforms"),
    all_pairs(ENGINES, ["standardised", "range", "yeo-johnson", "log", "rank-normal"]),
)
def test_transforms_inside_and_beyond_what_they_were_learnt_from(
    engine: str, transforms: str
) -> None:
    table, y = numbers(2000, missing=0.1)
    table = np.exp((table - 1000.0) / 3.0)
    model = GaussianClassifier(transforms=transforms).fit(table[:1000], y[:1000])
    table.iloc[-30:] *= 7.0
    table.iloc[-60:-30] /= 100.0
    assert_same_scores(model, table, engine, ENGINES[engine], patterns="all")


@pytest.mark.parametrize("engine", ENGINES)
def test_all_families_with_missing_values_and_unseen_categories(engine: str) -> None:
    table, y = mixed()
    options = {"families": FAMILIES, "categorical_features": ["colour", "floor"]}
    model = GaussianClassifier(transforms={"width": "log"}, smoothing=0.5, **options)
    model.fit(table[:500], y[:500])
    table.loc[::50, "colour"] = "never seen"
    with pytest.warns(UserWarning, match="never seen"):
        assert_same_scores(model, table, engine, ENGINES[engine])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("average", [False, True])
def test_automatic_models_are_coded_calibrated_and_averaged(engine: str, average: bool) -> None:
    table, y = mixed(200)
    options = {"average": average, "categorical_features": ["colour", "floor"]}
    model = automatic_classifier(**options).fit(table, y)
    if engine == "sqlite":
        model = model.with_priors([0.9, 0.1])
    assert_same_scores(model, table, engine, ENGINES[engine])


def test_more_features_than_rows() -> None:
    random = np.random.default_rng(0)
    table = pd.DataFrame(random.normal(size=(16, 20)), columns=[f"g{j}" for j in range(20)])
    y = np.arange(16) % 2
    model = GaussianClassifier(shrinkage=0.3).fit(table + y[:, None], y)
    assert_same_scores(model, table, "duckdb", in_duckdb)


def test_missing_marks_and_probabilities_of_zero() -> None:
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0, -9.0, 5.0, 6.0], "c": [*"ssstt", "?"]})
    y = list("aaabbb")
    model = GaussianClassifier(
        "diagonal", na_values=-9, categorical_features=["c"], shrinkage=0.1
    ).fit(table, y)
    for engine, run in ENGINES.items():
        assert_same_scores(model, table, engine, run)


def test_dates_are_days() -> None:
    days = pd.date_range("2024-01-01 06:00", periods=40, freq="37h")
    table = pd.DataFrame({"when": days, "x": np.arange(40.0) % 7})
    y = np.where(np.arange(40) % 3 == 0, "early", "late")
    model = AutoClassifier().fit(table, y)
    assert model.model_.schema.roles is not None
    assert_same_scores(model, table, "duckdb", in_duckdb)
    assert_same_scores(model, table.astype({"when": str}), "sqlite", in_sqlite)


NAMES = [
    'a"; DROP TABLE rows; --',
    "it's",
    "select",
    "größe in µm",
    "two words",
    "back`tick\\",
    "(x)",
    "новый.столбец",
]


@pytest.mark.parametrize("engine", ENGINES)
def test_names_of_columns_and_labels_are_only_names(engine: str) -> None:
    random = np.random.default_rng(0)
    table = pd.DataFrame(random.normal(size=(90, len(NAMES))), columns=NAMES)
    labels = np.array(["' OR 1=1 --", 'x"y', "ü\\"])[np.arange(90) % 3]
    model = GaussianClassifier("diagonal").fit(table, labels)
    assert_same_scores(model, table, engine, ENGINES[engine])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_text_is_read_back_as_one_select_of_these_names(dialect: str) -> None:
    names = [name for name in NAMES if "." not in name]  # sqlglot would cut a name in BigQuery
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(60, len(names))), columns=names)
    y = np.array(["' OR 1=1 --", "b"])[np.arange(60) % 2]
    model = GaussianClassifier().fit(table, y)
    text = model.to_sql(("my schema", 'ro"ws; --'), dialect, keep=["k'ey"], errors="raise")
    (statement,) = sqlglot.parse(text, dialect=dialect)
    assert isinstance(statement, sqlglot.exp.Select)
    assert statement.named_selects[0] == "k'ey"
    assert statement.named_selects[1:3] == ["prediction", "proba_' OR 1=1 --"]
    first = statement.ctes[0].this
    assert {column.name for column in first.find_all(sqlglot.exp.Column)} == {*names, "k'ey"}
    (source,) = first.find_all(sqlglot.exp.Table)
    assert (source.db, source.name) == ("my schema", 'ro"ws; --')


def test_constants_are_those_of_the_model_to_the_bit() -> None:
    model = GaussianClassifier.from_parameters(
        means=[[0.1], [1 / 3]],
        covariances=[[[1.0]], [[2.0]]],
        priors=[0.5, 0.5],
        classes=["a", "b"],
    )
    text = model.to_sql("t", "postgres")
    literals = {
        float(each.this)
        for each in sqlglot.parse_one(text, dialect="postgres").find_all(sqlglot.exp.Literal)
        if each.is_number
    }
    (form,) = (part.density for part in model.model_.expression().members[0].parts)
    assert {*np.abs(form.offset).ravel(), form.center[0]} <= literals


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_without_a_score(engine: str) -> None:
    table, y = numbers(200)
    model = GaussianClassifier().fit(table, y)
    rows = table[:4].reset_index(drop=True).copy()
    rows.iloc[0, 0] = np.inf
    rows.iloc[1, 1] = np.nan  # no row of training lacked a value
    rows.iloc[2] = np.nan  # nothing is known: the prior
    run = ENGINES[engine]
    scored = run(model.to_sql("rows", engine), rows)
    assert scored.isna().all(axis=1).tolist() == [True, True, False, False]
    assert np.allclose(scored.iloc[2, 1:4].astype(float), model.priors_, atol=1e-15)
    everything = run(model.to_sql("rows", engine, patterns="all"), rows)
    expected = model.predict_proba(rows[1:])
    assert np.abs(everything.iloc[1:, 1:4].to_numpy(float) - expected).max() < 1e-12
    with pytest.raises((duckdb.Error, pd.errors.DatabaseError), match="a row has no score"):
        run(model.to_sql("rows", engine, errors="raise"), rows)
    assert not run(model.to_sql("rows", engine, errors="raise"), table).isna().any(axis=None)


@pytest.mark.parametrize("engine", ENGINES)
def test_values_that_a_family_cannot_have(engine: str) -> None:
    table, y = mixed(300, missing=False)
    columns = ["width", "visits", "member"]
    model = GaussianClassifier(transforms={"width": "log"}, families=FAMILIES)
    model.fit(table[columns], y)
    rows = table[columns][:5].copy()
    rows.iloc[0, 0], rows.iloc[1, 1], rows.iloc[2, 2], rows.iloc[3, 1] = -1.0, 2.5, 0.5, -1.0
    for row in range(4):
        with pytest.raises(DataError):
            model.predict(rows[row : row + 1])
    scored = ENGINES[engine](model.to_sql("rows", engine), rows)
    assert scored["prediction"].isna().tolist() == [True] * 4 + [False]


def test_text_in_a_column_of_numbers_of_sqlite() -> None:
    table, y = numbers(200)
    model = GaussianClassifier("diagonal").fit(table, y)
    rows = table[:3].astype(object)
    rows.iloc[0, 0], rows.iloc[1, 0] = " NA ", "12 apples"
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE rows (a REAL, b REAL, c REAL, d REAL)")
    connection.executemany("INSERT INTO rows VALUES (?, ?, ?, ?)", rows.to_numpy().tolist())
    scored = pd.read_sql(model.to_sql("rows", "sqlite"), connection)
    connection.close()
    missing = table[:1].copy()
    missing.iloc[0, 0] = np.nan
    assert np.allclose(scored.iloc[0, 1:4].astype(float), model.predict_proba(missing), atol=1e-12)
    assert scored["prediction"].isna().tolist() == [False, True, False]


def test_what_is_refused_is_refused_by_name() -> None:
    table, y = numbers(300, missing=0.1)
    model = GaussianClassifier().fit(table, y)
    for arguments, problem, message in (
        ({"dialect": "duckbd"}, OptionError, "dialect must be one of .* 'duckdb'"),
        ({"errors": "ignore"}, OptionError, "errors must be one of 'null', 'raise'"),
        ({"patterns": "some"}, OptionError, "patterns must be one of"),
        ({"table": "a.b.c.d"}, OptionError, "table must be a name"),
        ({"table": "a..b"}, OptionError, "table must be a name"),
        ({"table": ("a\0b",)}, DataError, "without null characters"),
        ({"keep": ["Prediction"]}, DataError, "'Prediction' is what a result is called"),
        ({"keep": ["id", "ID"]}, DataError, "a column comes twice"),
    ):
        with pytest.raises(problem, match=message):
            model.to_sql(**{"table": "rows"} | arguments)
    wide = pd.DataFrame(np.random.default_rng(0).normal(size=(12, 900)))
    wide.columns = [f"x{j}" for j in range(900)]
    big = GaussianClassifier("diagonal").fit(wide, np.arange(12) % 2)
    with pytest.raises(OptionError, match=r"postgres allows 1,600 columns .* takes 1,8"):
        big.to_sql("rows", "postgres")
    lacking = pd.DataFrame(np.random.default_rng(0).normal(size=(1000, 9))).rename(columns=str)
    lacking = lacking.mask(np.random.default_rng(1).random(lacking.shape) < 0.4)
    many = GaussianClassifier(shared=True).fit(lacking, np.arange(1000) % 2)
    with pytest.raises(OptionError, match=r"patterns of missing values, .* at most 200"):
        many.to_sql("rows")
    with pytest.raises(OptionError, match=r"at most 7 features, got 9: patterns='seen'"):
        many.to_sql("rows", patterns="all")
