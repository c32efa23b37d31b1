"""A table of four features and three classes, as a file, for the tests of the page."""

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

FEATURES = ("length", "width", "depth", "weight")
CLASSES = ("ash", "birch", "cedar")


def rows() -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """Rows (120, 4) of three classes that overlap, and their classes."""
    rng = np.random.default_rng(3)
    codes = np.repeat([0, 1, 2], [60, 40, 20])
    spread = rng.normal(size=(3, 4, 4)) / 2 + np.eye(4)
    noise = np.einsum("nij,nj->ni", spread[codes], rng.normal(size=(120, 4)))
    means = np.array([[0, 0, 1, 5], [2, 1, 0, 4], [0, 3, 2, 6]])
    order = rng.permutation(120)
    X = (means[codes] + noise).round(3)[order]
    return X, np.array(CLASSES)[codes][order]


def as_csv() -> bytes:
    """The table as the text of a file."""
    X, kinds = rows()
    lines = [",".join([*FEATURES, "tree"])]
    lines += [",".join([*map(str, row), kind]) for row, kind in zip(X.tolist(), kinds, strict=True)]
    return "\n".join(lines).encode()


def as_parquet() -> bytes:
    """The same as a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    X, kinds = rows()
    columns: dict[str, Any] = dict(zip(FEATURES, X.T, strict=True))
    out = io.BytesIO()
    pq.write_table(pa.table({**columns, "tree": kinds}), out)
    return out.getvalue()


def as_mixed_csv() -> bytes:
    """The same with two features of categories, missing values, missing labels and a date."""
    rng = np.random.default_rng(4)
    X, kinds = rows()
    lines = [",".join([*FEATURES, "soil", "bark", "found", "tree"])]
    for number, (row, kind) in enumerate(zip(X.tolist(), kinds.tolist(), strict=True)):
        values = [str(value) if rng.random() > 0.05 else "" for value in row]
        soil = ("clay", "sand", "loam")[(CLASSES.index(kind) + int(rng.integers(2))) % 3]
        bark = ("rough", "smooth")[int(rng.random() < 0.3 + 0.4 * (kind == "birch"))]
        tree = kind if rng.random() > 0.3 else ""
        lines.append(",".join([*values, soil, bark, f"2024-05-{1 + number % 28}", tree]))
    return "\n".join(lines).encode()


def as_categories() -> bytes:
    """A table in which no feature holds numbers."""
    lines = [f"{'SML'[row % 3]},{'ab'[row % 2]},{'xy'[row % 4 // 2]}" for row in range(24)]
    return "\n".join(["size,side,kind", *lines]).encode()
