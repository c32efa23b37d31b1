"""Models and tables to be scored elsewhere, engines that run SQL, and when answers agree."""

import sqlite3
from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd

from gaussbayes import GaussianClassifier

N = 10_000
"""Rows that are scored."""


def in_duckdb(statement: str, table: pd.DataFrame) -> pd.DataFrame:
    with duckdb.connect() as connection:
        connection.register("rows", table)
        return connection.sql(statement).df()


def in_sqlite(statement: str, table: pd.DataFrame) -> pd.DataFrame:
    connection = sqlite3.connect(":memory:")
    try:
        table.to_sql("rows", connection, index=False)
        return pd.read_sql(statement, connection)
    finally:
        connection.close()


ENGINES: dict[str, Callable[[str, pd.DataFrame], pd.DataFrame]] = {
    "duckdb": in_duckdb,
    "sqlite": in_sqlite,
}
"""How a statement is run on a table that is called rows."""


def assert_same_scores(
    model: GaussianClassifier,
    table: pd.DataFrame,
    dialect: str,
    run: Callable[[str, pd.DataFrame], pd.DataFrame],
    **options: Any,
) -> None:
    """What an engine says by the SQL of a model is what the model says, row by row."""
    keyed = table.assign(id=np.arange(len(table)))
    scored = run(model.to_sql("rows", dialect, keep=["id"], **options), keyed)
    assert_equal_scores(model, table, scored)


def assert_equal_scores(model: GaussianClassifier, table: pd.DataFrame, scored: Any) -> None:
    """Posteriors equal to 1e-12, log evidence to 1e-12 of its size, labels identical."""
    scored = scored.sort_values("id")
    assert scored["id"].tolist() == list(range(len(table)))
    posterior = scored[[f"proba_{label}" for label in model.classes_]].to_numpy(float)
    assert np.abs(posterior - model.predict_proba(table)).max() < 1e-12
    assert scored["prediction"].tolist() == model.predict(table).tolist()
    evidence = model.score_samples(table)
    apart = np.abs(scored["log_evidence"].to_numpy(float) - evidence)
    assert (apart / (1.0 + np.abs(evidence))).max() < 1e-12


def numbers(n: int = N, missing: float = 0.0, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Three classes of four numbers, far from 0, with correlations of their own."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, n)
    turn = np.random.default_rng(1).normal(size=(3, 4, 4))
    X = np.einsum("nij,nj->ni", turn[y], random.normal(size=(n, 4))) + 1000.0 + y[:, None]
    X[random.random(X.shape) < missing] = np.nan
    return pd.DataFrame(X, columns=["a", "b", "c", "d"]), np.array(["low", "mid", "up"])[y]


def mixed(n: int = N, seed: int = 0, *, missing: bool = True) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, counts, bits and categories, some of which are missing."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n)
    table = pd.DataFrame(
        {
            "length": random.normal(5.0 + y, 1.0),
            "width": random.gamma(2.0 + y, 1.0),
            "visits": random.poisson(np.where(y == 1, 30.0, 20.0)).astype(float),
            "member": (random.random(n) < 0.3 + 0.3 * y).astype(float),
            "colour": np.array(["red", "it's green", "blue"])[(random.integers(0, 3, n) * y) % 3],
            "floor": random.integers(1, 4, n).astype(float),
        }
    )
    if missing:
        table = table.mask(random.random(table.shape) < 0.1)
        table["colour"] = table["colour"].astype(object).where(table["colour"].notna(), None)
    return table, y
