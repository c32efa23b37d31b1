"""Rows to read, every way to write them that can be read, and models of them."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv, feather, ipc, parquet

from gaussbayes import Columns, GaussianClassifier, read

FEATURES = ["height", "width", "age"]
TARGET = "kind"
CATEGORICAL = ["wind", "month", "rain"]
STRUCTURES = [("full", False), ("full", True), ("full", 0.5), ("diagonal", False)]


def make_table(n_rows: int = 500, seed: int = 3) -> pa.Table:
    """Two floats, an integer, and a class as a string."""
    generator = np.random.default_rng(seed)
    kinds = generator.integers(0, 3, n_rows)
    return pa.table(
        {
            "height": generator.normal(size=n_rows) + kinds,
            "width": generator.normal(size=n_rows) * 1e3,
            "age": generator.integers(0, 90, n_rows),
            "kind": pa.array(np.array(["ash", "beech", "oak"])[kinds].tolist()),
        }
    )


def weather(n_rows: int = 400, seed: int = 4) -> pa.Table:
    """Two numbers and three kinds of categories, missing values in all of them, and weights."""
    generator = np.random.default_rng(seed)
    kinds = generator.integers(0, 3, n_rows)

    def gaps(values: np.ndarray, kind: pa.DataType) -> pa.Array:
        return pa.array(values.tolist(), kind, mask=generator.random(n_rows) < 0.15)

    winds = np.array(["low", "mid", "strong, and more", "ümlaut"])
    return pa.table(
        {
            "wind": gaps(winds[(generator.integers(0, 3, n_rows) + kinds) % 4], pa.string()),
            "pressure": gaps(generator.normal(1000, 9, n_rows) - kinds, pa.float64()),
            "month": gaps(generator.integers(1, 13, n_rows), pa.int64()),
            "warmth": gaps(generator.normal(15, 5, n_rows), pa.float64()),
            "rain": gaps(generator.random(n_rows) < 0.3 + kinds / 5, pa.bool_()),
            "kind": pa.array(np.array(["ash", "beech", "oak"])[kinds].tolist()),
            "w": generator.integers(0, 4, n_rows) / 2,
        }
    )


WEATHER = [name for name in weather(1).column_names if name not in {TARGET, "w"}]
"""The features of that table."""


def as_pandas(table: pa.Table) -> pd.DataFrame:
    """The same table; integers and booleans stay what they are beside missing values."""
    kinds = {"month": "Int64", "rain": "boolean"}
    return table.to_pandas().astype({n: k for n, k in kinds.items() if n in table.column_names})


def fitted(
    source: Any,
    target: Any = TARGET,
    weights: Any = None,
    *,
    covariance: Any = "full",
    shared: Any = False,
    n_jobs: int | None = None,
    reading: dict[str, Any] | None = None,
    **columns: Any,
) -> GaussianClassifier:
    """The model of a source; others are arguments of `Columns`, `reading` are those of `read`."""
    given = read(source, **reading) if reading else source
    options: dict[str, Any] = {"columns": Columns(**columns), "smoothing": 1.0, "n_jobs": n_jobs}
    model = GaussianClassifier(covariance, shared=shared, **options)
    return model.fit(given, target, weights)


def small(source: Any, target: Any = "y", weights: Any = None, **how: Any) -> GaussianClassifier:
    """The same of a few rows, which have a shared diagonal covariance if they have any."""
    return fitted(source, target, weights, covariance="diagonal", shared=True, **how)


def bits(model: GaussianClassifier) -> bytes:
    """The statistics, to the last bit."""
    with TemporaryDirectory() as folder:
        return model.save(Path(folder) / "model.json", unlabelled_rows=True).read_bytes()


def bits_of(value: Any) -> bytes:
    """A value that is made of arrays, to the last bit."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if hasattr(value, "__slots__"):
        return b"".join(bits_of(getattr(value, name)) for name in value.__slots__ if name[0] != "_")
    return repr(value).encode()


def n_rows(model: GaussianClassifier) -> float:
    """How much all labelled rows weigh."""
    return float(model.model_.statistics.weight.sum())


def assert_same_model(found: GaussianClassifier, expected: GaussianClassifier, X: Any) -> None:
    """Two models have the same classes, parameters and posteriors, up to rounding."""
    assert found.classes_.tolist() == expected.classes_.tolist()
    np.testing.assert_allclose(found.priors_, expected.priors_, rtol=1e-9)
    if hasattr(expected, "means_"):
        np.testing.assert_allclose(found.means_, expected.means_, rtol=1e-7, atol=1e-7)
        np.testing.assert_allclose(found.covariances_, expected.covariances_, rtol=1e-6, atol=1e-6)
    both = (model.predict_proba(X) for model in (found, expected))
    np.testing.assert_allclose(*both, rtol=1e-5, atol=1e-7)


def _text(table: pa.Table, separator: str) -> bytes:
    sink = pa.BufferOutputStream()
    csv.write_csv(table, sink, csv.WriteOptions(delimiter=separator))
    return sink.getvalue().to_pybytes()


def _json_lines(table: pa.Table) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in table.to_pylist()).encode()


def _stream(table: pa.Table, path: Path) -> None:
    with ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=100)


def _zstd(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as out:
        out.write(data)
    return sink.getvalue().to_pybytes()


TEXT: dict[str, Callable[[pa.Table, Path], object]] = {
    ".csv": lambda table, path: path.write_bytes(_text(table, ",")),
    ".tsv": lambda table, path: path.write_bytes(_text(table, "\t")),
    ".jsonl": lambda table, path: path.write_bytes(_json_lines(table)),
    ".csv.gz": lambda table, path: path.write_bytes(gzip.compress(_text(table, ","))),
    ".csv.zst": lambda table, path: path.write_bytes(_zstd(_text(table, ","))),
    ".jsonl.gz": lambda table, path: path.write_bytes(gzip.compress(_json_lines(table))),
}
BINARY: dict[str, Callable[[pa.Table, Path], object]] = {
    ".parquet": lambda table, path: parquet.write_table(table, path, row_group_size=150),
    ".feather": feather.write_feather,
    ".arrow": lambda table, path: feather.write_feather(table, path, "uncompressed", chunksize=77),
    ".arrows": _stream,
    ".parquet.gz": lambda table, path: path.write_bytes(_compressed_parquet(table)),
}
FORMATS = TEXT | BINARY
"""How to write each kind of file, by the end of its name."""


def _compressed_parquet(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    parquet.write_table(table, sink)
    return gzip.compress(sink.getvalue().to_pybytes())


def in_file(ending: str, table: pa.Table, folder: Path, name: str = "rows") -> Path:
    """A table in a file of a format."""
    FORMATS[ending](table, folder / f"{name}{ending}")
    return folder / f"{name}{ending}"
