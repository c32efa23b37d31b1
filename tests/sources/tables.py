"""Rows to read, and every way to write them that can be read."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv, feather, ipc, parquet

from gaussbayes import GaussianClassifier
from gaussbayes.data.sources import Summary
from gaussbayes.families.gaussian.moments import ClassMoments

FEATURES = ("height", "width", "age")
TARGET = "kind"
CATEGORICAL = ("wind", "month", "rain")


def make_table(n_rows: int = 500, seed: int = 3) -> pa.Table:
    """Two floats, a whole number, and a class as text."""
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
    """Two numbers and three kinds of categories, gaps in all of them, and weights."""
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


def in_memory(table: pa.Table, weights: str | None = None) -> GaussianClassifier:
    """The model that the estimator learns from the same rows as arrays."""
    rows = np.column_stack([table[name].to_numpy() for name in FEATURES])
    own = None if weights is None else table[weights].to_numpy()
    return GaussianClassifier().fit(rows, table[TARGET].to_pylist(), own)


def same_bits(a: ClassMoments, b: ClassMoments) -> bool:
    """Whether moments are equal to the last bit."""
    return all(
        getattr(a, name).tobytes() == getattr(b, name).tobytes()
        for name in ("weight", "anchor", "offset", "scatter")
    )


def assert_learnt(found: Summary, table: pa.Table, weights: str | None = None) -> None:
    """The moments are those of the rows in memory, up to rounding, and all rows were read."""
    expected = in_memory(table, weights)
    assert found.n_rows == table.num_rows
    assert found.learnt.classes.tolist() == expected.classes_.tolist()
    moments = found.learnt.moments
    np.testing.assert_allclose(moments.weight, expected.moments_.weight, rtol=1e-12)
    np.testing.assert_allclose(moments.mean, expected.moments_.mean, rtol=1e-12)
    scale = np.abs(expected.moments_.scatter).max(axis=(1, 2), keepdims=True)
    np.testing.assert_allclose(
        moments.scatter / scale, expected.moments_.scatter / scale, rtol=0, atol=1e-12
    )


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
