"""Rows to read, and every way to write them that can be read."""

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv, feather, ipc, parquet

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import LabelArray
from gaussbayes.data.dask import open_on_cluster
from gaussbayes.data.labels import read_targets
from gaussbayes.data.reduction import RowSource, open_rows
from gaussbayes.data.roles import NO_BAD_ROWS, BadRows, Request
from gaussbayes.data.rows import Encoder, LabelledRows
from gaussbayes.families.categorical.family import CategoricalStatistics
from gaussbayes.families.gaussian.cells import PatternMoments
from gaussbayes.families.gaussian.statistics import ClassMoments
from gaussbayes.model.options import Options, check_options
from gaussbayes.model.sources import Observation
from gaussbayes.model.statistics import Learnt, observe

FEATURES = ("height", "width", "age")
TARGET = "kind"
CATEGORICAL = ("wind", "month", "rain")


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


def observation(rows: RowSource, options: Options) -> Observation:
    """A fold: what families learn from a block. It can be sent to a worker."""
    schema = rows.encoder.schema(np.empty(0))
    return Observation(options.settings(schema), schema)


@dataclass(frozen=True)
class Found:
    """What was learnt from a source, and what was read."""

    learnt: Learnt
    features: tuple[str, ...]
    categorical: tuple[int, ...]
    n_rows: int
    n_unlabelled: int = 0
    n_incomplete: int = 0
    bad_rows: BadRows = NO_BAD_ROWS

    @property
    def classes(self) -> LabelArray:
        return self.learnt.classes

    @property
    def moments(self) -> ClassMoments:
        return self.learnt.parts[0].moments

    @property
    def cells(self) -> PatternMoments | None:
        return self.learnt.parts[0].cells

    @property
    def counts(self) -> CategoricalStatistics:
        return self.learnt.parts[-1]


LAYOUTS = {"full": ("full", False), "pooled": ("full", True), "diagonal": ("diagonal", False)}


def learn(
    source: Any,
    target: str | None = "kind",
    *,
    layout: str = "full",
    n_jobs: int | None = None,
    client: Any = None,
    **request: Any,
) -> Found:
    """Read a source once: Gaussian numbers and categories; engines sum what they can."""
    covariance, shared = LAYOUTS[layout]
    rows = open_rows(source, Request(target, **request), client=client)
    options = check_options(covariance=covariance, shared=shared)
    return read(rows, options, n_jobs)


def learn_on_cluster(source: Any, target: str = "kind", **request: Any) -> Found:
    """The same with tasks of Dask, run by the scheduler that is set."""
    return read(open_on_cluster(source, Request(target, **request)), check_options())


def bits(found: Found) -> bytes:
    """What was learnt, to the last bit."""
    return repr(found.classes.tolist()).encode() + b"".join(map(bits_of, found.learnt.parts))


def bits_of(value: Any) -> bytes:
    """A value that is made of arrays, to the last bit."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if hasattr(value, "__slots__"):
        return b"".join(bits_of(getattr(value, name)) for name in value.__slots__ if name[0] != "_")
    return repr(value).encode()


def read(
    rows: RowSource, options: Options, n_jobs: int | None = None, *, push_down: bool = True
) -> Found:
    """What the blocks of a source sum to."""
    fold: Any = observation(rows, options)
    found = rows.reduce(fold if push_down else fold.__call__, n_jobs=n_jobs)
    return Found(
        found.total.with_rows(),
        rows.features,
        rows.encoder.categorical,
        found.n_rows,
        found.n_unlabelled,
        found.n_incomplete,
        found.bad_rows,
    )


def in_memory(table: pa.Table, weights: str | None = None) -> Learnt:
    """What is learnt from the same rows as arrays."""
    rows = np.column_stack([table[name].to_numpy() for name in FEATURES])
    own = None if weights is None else table[weights].to_numpy()
    targets, classes = read_targets(table[TARGET].to_pylist(), len(rows), own)
    block = LabelledRows(Encoder.learn(rows).encode(rows), targets, classes)
    schema = Schema(classes, len(FEATURES))
    return observe(block, check_options().settings(schema), schema)


def same_bits(a: Any, b: Any) -> bool:
    """Whether moments, or those of cells, are equal to the last bit."""
    names = ["weight", "anchor", "offset", "scatter"]
    names += ["codes", "observed"] if isinstance(a, PatternMoments) else []
    return all(getattr(a, name).tobytes() == getattr(b, name).tobytes() for name in names)


def assert_learnt(found: Found, table: pa.Table, weights: str | None = None) -> None:
    """The moments are those of the rows in memory, up to rounding, and all rows were read."""
    expected = in_memory(table, weights)
    assert found.n_rows == table.num_rows
    assert found.classes.tolist() == expected.classes.tolist()
    moments, there = found.moments, expected.parts[0].moments
    np.testing.assert_allclose(moments.weight, there.weight, rtol=1e-12)
    np.testing.assert_allclose(moments.mean, there.mean, rtol=1e-12)
    scale = np.abs(there.scatter).max(axis=(1, 2), keepdims=True)
    np.testing.assert_allclose(moments.scatter / scale, there.scatter / scale, rtol=0, atol=1e-12)


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
