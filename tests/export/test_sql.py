"""SQL: names are only names, rows without a score are NULL, and problems are named."""

import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
import sqlglot

from gaussbayes import DataError, GaussianClassifier, OptionError, read
from tests.export.engines import DATABASES, in_duckdb, in_sqlite, mixed, numbers, sql_of

DIALECTS = ("duckdb", "postgres", "sqlite", "spark", "bigquery")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_text_is_read_back_as_one_select_of_these_names(dialect: str, tmp_path: Path) -> None:
    names = ['a"; DROP TABLE rows; --', "it's", "select", "größe in µm", "back`tick\\", "(x)"]
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 6)), columns=names)
    y = np.array(["' OR 1=1 --", "b"])[np.arange(60) % 2]
    model = GaussianClassifier().fit(table, y)
    source = ("my schema", 'ro"ws; --')
    text = sql_of(model, tmp_path, table=source, dialect=dialect, keep=["k'ey"])
    (statement,) = sqlglot.parse(text, dialect=dialect)
    assert isinstance(statement, sqlglot.exp.Select)
    assert statement.named_selects[0] == "k'ey"
    assert statement.named_selects[1:3] == ["prediction", "proba_' OR 1=1 --"]
    first = statement.ctes[0].this
    assert {column.name for column in first.find_all(sqlglot.exp.Column)} == {*names, "k'ey"}
    (place,) = first.find_all(sqlglot.exp.Table)
    assert (place.db, place.name) == source


def test_constants_are_those_of_the_model_to_the_bit(tmp_path: Path) -> None:
    model = GaussianClassifier.from_parameters(
        means=[[0.1], [1 / 3]],
        covariances=[[[1.0]], [[2.0]]],
        priors=[0.3, 0.7],
        classes=["a", "b"],
    )
    statement = sqlglot.parse_one(sql_of(model, tmp_path, dialect="postgres"), dialect="postgres")
    literals = statement.find_all(sqlglot.exp.Literal)
    values = {float(literal.this) for literal in literals if literal.is_number}
    assert {float(x) for x in np.abs(np.log(model.priors_))} <= values


@pytest.mark.parametrize("engine", DATABASES)
def test_rows_without_a_score(engine: str, tmp_path: Path) -> None:
    table, y = numbers(200)
    model = GaussianClassifier().fit(table, y)
    rows = table[:4].reset_index(drop=True).copy()
    rows.iloc[0, 0] = np.inf
    rows.iloc[1, 1] = np.nan  # no training row lacked a value
    rows.iloc[2] = np.nan  # nothing is known: the prior
    run = DATABASES[engine]
    scored = run(sql_of(model, tmp_path, dialect=engine), rows)
    assert scored.isna().all(axis=1).tolist() == [True, True, False, False]
    assert np.allclose(scored.iloc[2, 1:4].astype(float), model.priors_, atol=1e-15)
    table.iloc[0, 0] = np.nan  # one row did: all patterns of four features are written out
    model.fit(table, y)
    everything = run(sql_of(model, tmp_path, dialect=engine), rows)
    expected = model.predict_proba(rows[1:])
    assert np.abs(everything.iloc[1:, 1:4].to_numpy(float) - expected).max() < 1e-12


@pytest.mark.parametrize("engine", DATABASES)
def test_values_that_a_family_cannot_have(engine: str, tmp_path: Path) -> None:
    table, y = mixed(300, missing=False)
    columns = ["width", "visits", "member"]
    families: Any = {"visits": "poisson", "member": "poisson"}
    model = GaussianClassifier(transforms={"width": "log"}, families=families)
    model.fit(table[columns], y)
    rows = table[columns][:5].copy()
    rows.iloc[0, 0], rows.iloc[1, 1], rows.iloc[2, 2], rows.iloc[3, 1] = -1.0, 2.5, 0.5, -1.0
    for row in range(4):
        with pytest.raises(DataError):
            model.predict(rows[row : row + 1])
    scored = DATABASES[engine](sql_of(model, tmp_path, dialect=engine), rows)
    assert scored["prediction"].isna().tolist() == [True] * 4 + [False]


def test_text_in_columns_of_numbers(tmp_path: Path) -> None:
    """Text that stands for a missing value does; SQLite gives no score for other text."""
    table, y = numbers(200)
    model = GaussianClassifier("diagonal").fit(table, y)
    missing = table[:2].copy()
    missing.iloc[:, 0] = np.nan
    expected = model.predict_proba(missing)
    rows = table[:3].astype(object)
    rows.iloc[0, 0], rows.iloc[1, 0] = " NA ", " "
    in_text = in_duckdb(sql_of(model, tmp_path), rows.astype({"a": str}))
    assert np.allclose(in_text.iloc[:2, 1:4].astype(float), expected, atol=1e-12)
    rows.iloc[1, 0] = "12 apples"
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE rows (a REAL, b REAL, c REAL, d REAL)")
    connection.executemany("INSERT INTO rows VALUES (?, ?, ?, ?)", rows.to_numpy().tolist())
    scored = pd.read_sql(sql_of(model, tmp_path, dialect="sqlite"), connection)
    connection.close()
    assert np.allclose(scored.iloc[0, 1:4].astype(float), expected[0], atol=1e-12)
    assert scored["prediction"].isna().tolist() == [False, True, False]


def test_the_file_of_a_fit_as_its_engine_reads_it(tmp_path: Path) -> None:
    """What a file spells as missing, with blanks or in text, is missing in SQL as well."""
    table, y = numbers(60)
    cells = table.round(3).astype(str).assign(kind=[" x", "y ", "NA"] * 20, y=y)
    for row, spelled in enumerate(("", " ", "NA", " ? ", " 1.5 ")):
        cells.iloc[row, row % 2] = spelled
    cells["price"] = [f"${1000 + 99.5 * row:,.2f}" for row in range(60)]
    cells["paid"] = [f"{1000 + 77.25 * (row % 7):,.2f}" for row in range(60)]
    cells["rate"] = [f"{row % 9 - 4.5} %" for row in range(60)]
    path = tmp_path / "rows.csv"
    cells.to_csv(path, index=False)
    textbook = GaussianClassifier("diagonal", smoothing=1.0).fit(read(path), "y")
    kinds = {column.name: column.kind for column in textbook.columns_}
    assert (kinds.pop("kind"), set(kinds.values())) == ("category", {"number"})
    pairs: Any = {("a", "kind", "price", "rate"): "pairs"}
    for model in (textbook, GaussianClassifier("diagonal", families=pairs).fit(read(path), "y")):
        expected = model.predict_proba(read(path))
        statement = sql_of(model, tmp_path)
        script = tmp_path / "model.pairs.sql"
        assert script.exists() == (model is not textbook)
        for options in ("", ", all_varchar = true"):
            connection = duckdb.connect()
            source = f"read_csv('{path}', header = true{options})"
            connection.execute(f"CREATE TABLE rows AS FROM {source}")
            for _ in range(2 * script.exists()):  # the script may be run again
                connection.execute(script.read_text())
            scored = connection.execute(statement).df()
            connection.close()
            assert np.allclose(scored.iloc[:, 1:4].astype(float), expected, atol=1e-12)
        text = pd.read_csv(path, dtype=str, keep_default_na=False)
        statement = sql_of(model, tmp_path, dialect="sqlite")
        scored = in_sqlite(statement, text, script.read_text() if script.exists() else "")
        assert np.allclose(scored.iloc[:, 1:4].astype(float), expected, atol=1e-12)


def test_decimal_commas_are_not_read_as_thousands(tmp_path: Path) -> None:
    """The engine has to read them as numbers; SQLite gives no score, DuckDB an error."""
    prices = pd.DataFrame({"price": [f"${1000 + 99.5 * row:,.2f}" for row in range(60)]})
    model = GaussianClassifier().fit(prices, np.arange(60) % 2)
    for price in ("€3,50", "1.234,50 €", "3,5", "€12,3"):
        rows = pd.DataFrame({"price": [price, "1,234.50"]})
        scored = in_sqlite(sql_of(model, tmp_path, dialect="sqlite"), rows)
        assert scored["prediction"].isna().tolist() == [True, False], price
        with pytest.raises(duckdb.ConversionException):
            in_duckdb(sql_of(model, tmp_path), rows)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_companion_table_lies_beside_the_rows(dialect: str, tmp_path: Path) -> None:
    """A script that creates and fills one table, which the statement joins."""
    X, y = np.random.default_rng(0).integers(0, 3, (60, 3)).astype(float), np.arange(60) % 2
    model = GaussianClassifier(families={(0, 1, 2): "pairs"}).fit(X, y)
    text = sql_of(model, tmp_path, table=("my schema", "rows"), dialect=dialect)
    (statement,) = sqlglot.parse(text, dialect=dialect)
    assert isinstance(statement, sqlglot.exp.Select)
    named = {(place.db, place.name) for place in statement.find_all(sqlglot.exp.Table)}
    (companion,) = {names for names in named if names[0]} - {("my schema", "rows")}
    script = (tmp_path / "model.pairs.sql").read_text()
    parsed = [each for each in sqlglot.parse(script, dialect=dialect) if each is not None]
    assert [each.key for each in parsed] == ["drop", "create", "insert"]
    for each in parsed:
        place = each.find(sqlglot.exp.Table)
        assert place is not None
        assert (place.db, place.name) == companion
    rows = parsed[2].find(sqlglot.exp.Values)
    assert rows is not None
    assert len(rows.expressions) == 3 * 3 + 3 * 9  # levels, and pairs of them
    model.fit(X[::-1], y)
    assert companion[1] not in sql_of(model, tmp_path, dialect=dialect)


def test_problems_are_named_before_anything_is_written(tmp_path: Path) -> None:
    table, y = numbers(300, missing=0.1)
    model = GaussianClassifier().fit(table, y)
    path = tmp_path / "model.sql"
    for arguments, problem, message in (
        ({"dialect": "duckbd"}, OptionError, "dialect must be one of .* 'duckdb'"),
        ({"table": "a.b.c.d"}, OptionError, "table must be a name"),
        ({"table": "a..b"}, OptionError, "table must be a name"),
        ({"table": ("a\0b",)}, DataError, "without null characters"),
        ({"keep": ["Prediction"]}, DataError, "'Prediction' is the name of a result"),
        ({"keep": ["id", "ID"]}, DataError, "a column is named twice"),
        ({"path": tmp_path / "model.pkl"}, OptionError, "must end in .sql or .onnx"),
        ({"path": tmp_path / "none" / "model.sql"}, FileNotFoundError, "No such file"),
    ):
        with pytest.raises(problem, match=message):
            model.export(**{"path": path, **arguments})  # type: ignore[arg-type]
    wide = pd.DataFrame(np.random.default_rng(0).normal(size=(12, 900)))
    wide.columns = [f"x{j}" for j in range(900)]
    big = GaussianClassifier("diagonal").fit(wide, np.arange(12) % 2)
    with pytest.raises(OptionError, match=r"postgres allows 1,600 columns .* takes 1,8"):
        big.export(path, dialect="postgres")
    X = np.random.default_rng(0).integers(0, 2, (850, 50)).astype(float)
    classes = GaussianClassifier(families={(0, 1): "pairs"}).fit(X[:, :2], np.arange(850))
    with pytest.raises(OptionError, match=r"postgres allows 1,600 columns .* pairs takes 1,702"):
        classes.export(path, dialect="postgres")
    long = GaussianClassifier(families={tuple(range(50)): "pairs"}).fit(X, np.arange(850) % 8)
    with pytest.raises(OptionError, match=r"bigquery allows 1,000,000 bytes .* takes [\d,]{9};"):
        long.export(path, dialect="bigquery")
    lacking = pd.DataFrame(np.random.default_rng(0).normal(size=(1000, 9))).rename(columns=str)
    lacking = lacking.mask(np.random.default_rng(1).random(lacking.shape) < 0.4)
    many = GaussianClassifier(shared=True).fit(lacking, np.arange(1000) % 2)
    with pytest.raises(OptionError, match=r"patterns of missing values, .* at most 200"):
        many.export(path)
    assert not list(tmp_path.iterdir())
