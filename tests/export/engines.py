"""Engines that run exported models, tables to be scored in them, and when answers agree."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import onnxruntime
import pandas as pd

from tests.export.numpy_run import numpy_scores

SMALLEST = -(2**63)
"""The integer that stands for a missing category in ONNX."""


def in_duckdb(statement: str, table: pd.DataFrame, companion: str = "") -> pd.DataFrame:
    with duckdb.connect() as connection:
        connection.register("rows", table)
        connection.execute(companion)
        return connection.sql(statement).df()


def in_sqlite(statement: str, table: pd.DataFrame, companion: str = "") -> pd.DataFrame:
    connection = sqlite3.connect(":memory:")
    try:
        table.to_sql("rows", connection, index=False)
        connection.executescript(companion)
        return pd.read_sql(statement, connection)
    finally:
        connection.close()


DATABASES: dict[str, Callable[..., pd.DataFrame]] = {
    "duckdb": in_duckdb,
    "sqlite": in_sqlite,
}
"""How a statement is run on a table called rows, after the script of its companion table."""


def sql_of(model: Any, folder: Path, **options: Any) -> str:
    return str(model.export(folder / "model.sql", **options).read_text())


def run_onnx(path: Path, inputs: dict[str, Any]) -> tuple[Any, Any, Any]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    label, posterior, evidence = session.run(None, inputs)
    return label, posterior, evidence


def onnx_inputs(path: Path, table: pd.DataFrame) -> dict[str, Any]:
    """The columns of a table as the tensors that a file takes."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    numbers = json.loads(session.get_modelmeta().custom_metadata_map["numbers"])
    inputs: dict[str, Any] = {}
    for each in session.get_inputs():
        if each.type in {"tensor(double)", "tensor(float)"}:
            columns = [_as_numbers(table[name]) for name in numbers]
            dtype = "float64" if each.type == "tensor(double)" else "float32"
            inputs[each.name] = np.stack(columns, axis=1).astype(dtype)
        elif each.type == "tensor(string)":
            column = table[each.name].astype(object)
            inputs[each.name] = column.where(column.notna(), "").to_numpy(object)[:, None]
        else:
            column = table[each.name].to_numpy()
            if each.type == "tensor(int64)":
                column = np.where(np.isnan(column), SMALLEST, np.nan_to_num(column))
            inputs[each.name] = column.astype(each.type[7:-1])[:, None]
    return inputs


def _as_numbers(column: pd.Series) -> np.ndarray:
    """Numbers, and dates as days since 1970."""
    if column.dtype.kind == "M":
        return column.to_numpy("M8[ns]").astype(np.int64) / 86400e9
    return column.to_numpy(float)


def _as_frame(model: Any, scores: tuple[Any, Any, Any]) -> pd.DataFrame:
    label, posterior, evidence = scores
    columns = [f"proba_{each}" for each in model.classes_]
    frame = pd.DataFrame(posterior, columns=columns)
    return frame.assign(prediction=label, log_evidence=evidence)


def scored(engine: str, model: Any, table: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """Label, posteriors and log evidence of the rows of a table, in their order."""
    if engine == "numpy":
        arrays = {
            name: _as_numbers(table[name])
            if table[name].dtype.kind in "fiuM"
            else table[name].astype(object).where(table[name].notna(), None).to_numpy(object)
            for name in table
        }
        label, posterior, evidence = numpy_scores(model.model_, arrays)
        known = model.classes_.tolist()
        whole = np.zeros((len(table), len(known)))  # announced classes have no rows
        whole[:, [known.index(each) for each in model.model_.classes.tolist()]] = posterior
        return _as_frame(model, (label, whole, evidence))
    if engine == "onnxruntime":
        path = model.export(folder / "model.onnx")
        return _as_frame(model, run_onnx(path, onnx_inputs(path, table)))
    text = sql_of(model, folder, dialect=engine, keep=["id"])
    script = folder / "model.pairs.sql"
    companion = script.read_text() if script.exists() else ""
    numbered = table.assign(id=np.arange(len(table)))
    rows = DATABASES[engine](text, numbered, companion).sort_values("id")
    assert rows.pop("id").tolist() == list(range(len(table)))
    return rows


ENGINES = ("numpy", *DATABASES, "onnxruntime")
"""The formulas in NumPy, which is compared with the model as all others are, and the exports."""


def assert_same_scores(engine: str, model: Any, table: pd.DataFrame, folder: Path) -> None:
    assert_equal_scores(model, table, scored(engine, model, table, folder))


def assert_equal_scores(model: Any, table: pd.DataFrame, rows: pd.DataFrame) -> None:
    """Posteriors equal to 1e-12, log evidence to 1e-12 of its size, labels identical."""
    posterior = rows[[f"proba_{label}" for label in model.classes_]].to_numpy(float)
    assert np.abs(posterior - model.predict_proba(table)).max() < 1e-12
    assert rows["prediction"].tolist() == model.predict(table).tolist()
    evidence = model.score_samples(table)
    apart = np.abs(rows["log_evidence"].to_numpy(float) - evidence)
    assert (apart / (1.0 + np.abs(evidence))).max() < 1e-12


def numbers(n: int = 4000, missing: float = 0.0) -> tuple[pd.DataFrame, np.ndarray]:
    """Three classes of four numbers far from 0, each with other correlations."""
    random = np.random.default_rng(0)
    y = random.integers(0, 3, n)
    turn = np.random.default_rng(1).normal(size=(3, 4, 4))
    X = np.einsum("nij,nj->ni", turn[y], random.normal(size=(n, 4))) + 1000.0 + y[:, None]
    X[random.random(X.shape) < missing] = np.nan
    return pd.DataFrame(X, columns=["a", "b", "c", "d"]), np.array(["low", "mid", "up"])[y]


def mixed(n: int = 4000, *, missing: bool = True) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, counts, bits and categories, some of which are missing."""
    random = np.random.default_rng(0)
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
