"""ONNX: float32, inputs and outputs of all types, names, and problems."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pandas as pd
import pytest

from gaussbayes import Columns, GaussianClassifier, OptionError
from tests.export.engines import (
    SMALLEST,
    assert_same_scores,
    mixed,
    numbers,
    onnx_inputs,
    run_onnx,
)


def families() -> tuple[Any, pd.DataFrame]:
    table, y = mixed(2000)
    columns = Columns(categorical=["colour", "floor"])
    chosen: Any = {"visits": "poisson", "member": "poisson"}
    model = GaussianClassifier(families=chosen, columns=columns, smoothing=0.5)
    return model.fit(table[:500], y[:500]), table


def transformed(name: Any) -> tuple[Any, pd.DataFrame]:
    table, y = numbers(2000, missing=0.1)
    table = np.exp((table - 1000.0) / 3.0)
    return GaussianClassifier(transforms=name).fit(table[:1000], y[:1000]), table


def structure(covariance: Any, shared: bool) -> tuple[Any, pd.DataFrame]:
    table, y = numbers(2000, missing=0.2)
    return GaussianClassifier(covariance, shared=shared).fit(table[:1000], y[:1000]), table


@pytest.mark.parametrize(
    "fitted",
    [
        lambda: structure("full", False),
        lambda: structure("full", True),
        lambda: structure("diagonal", False),
        lambda: transformed("yeo-johnson"),
        lambda: transformed("log"),
        families,
    ],
)
def test_float32(fitted: Any, tmp_path: Path) -> None:
    """Labels are those of the model unless posteriors tie to 1e-5.

    The rows are those that float32 has.
    """
    model, table = fitted()
    path = model.export(tmp_path / "model.onnx", dtype="float32")
    numeric = [name for name in table if name not in {"colour", "floor"}]
    table[numeric] = table[numeric].astype(np.float32).astype(float)
    label, posterior, evidence = run_onnx(path, onnx_inputs(path, table))
    expected, different = model.predict_proba(table), label != model.predict(table)
    highest = np.sort(expected[different], axis=1)
    log_evidence = model.score_samples(table)
    relative = np.abs(evidence - log_evidence) / (1.0 + np.abs(log_evidence))
    assert posterior.dtype == evidence.dtype == np.float32
    assert (highest[:, -1] - highest[:, -2] < 1e-5).all()
    assert np.abs(posterior - expected).max() < 1e-4
    assert np.median(relative) < 1e-6


def test_offsets_take_no_digit_in_float32(tmp_path: Path) -> None:
    """Rows next to 1e6, at distances that float32 has exactly: the centre comes off first."""
    random = np.random.default_rng(3)
    y = np.arange(400) % 2
    X = np.round(random.normal(size=(400, 2)) * 8) / 8 + y[:, None]
    for name in ("full", "diagonal"):
        near = GaussianClassifier(name).fit(X, y).export(tmp_path / "a.onnx", dtype="float32")
        model = GaussianClassifier(name).fit(X + 2.0**20, y)
        far = model.export(tmp_path / "b.onnx", dtype="float32")
        a = run_onnx(near, {"X": X.astype(np.float32)})[1]
        b = run_onnx(far, {"X": (X + 2.0**20).astype(np.float32)})[1]
        assert np.abs(a - b).max() < 3e-6


@pytest.mark.parametrize(
    ("labels", "dtype", "nothing"),
    [
        (["a", "ü", "c d"], object, ""),
        ([-5, 0, 2**40], np.int64, SMALLEST),
        ([0.0, 1.0, 2.0], np.float64, None),
        ([False, True], np.bool_, False),
    ],
)
def test_labels(labels: list[Any], dtype: Any, nothing: Any, tmp_path: Path) -> None:
    """Infinity has no score; a batch may be of any size, also of none."""
    y = np.array(labels * 5)
    X = np.arange(y.size)[:, None] % len(labels) * 3.0 + np.linspace(0, 1, y.size)[:, None] ** 2
    path = GaussianClassifier().fit(X, y).export(tmp_path / "model.onnx")
    label, posterior, _ = run_onnx(path, {"X": X})
    assert (label.dtype, label.tolist()) == (dtype, y.tolist())
    label, posterior, evidence = run_onnx(path, {"X": np.array([[np.inf]])})
    assert np.isnan(posterior).all()
    assert np.isnan(evidence).all()
    assert np.isnan(label[0]) if nothing is None else label[0] == nothing
    assert run_onnx(path, {"X": np.empty((0, 1))})[1].shape == (0, len(labels))


def test_impossible_values(tmp_path: Path) -> None:
    """No count, not above 0, and what is impossible in every class."""
    X = np.array([[1.0, 0, 2.0], [2.0, 0, 1.0], [3.0, 1, 4.0], [1.0, 1, 3.0]])
    chosen: Any = {0: "poisson", 1: "poisson"}
    model = GaussianClassifier(families=chosen, transforms={2: "log"})
    path = model.fit(X, list("aabb")).export(tmp_path / "model.onnx")
    rows = np.array([[1.5, 0, 2], [-1, 0, 2], [1, 2.5, 2], [1, 1, 0], [1, 1, -3], [1, 1, 2.0]])
    label, posterior, _ = run_onnx(path, {"X": rows})
    assert np.isnan(posterior).all(axis=1).tolist() == [True] * 5 + [False]
    assert label.tolist() == [""] * 5 + ["b"]
    table = pd.DataFrame({"x": list("ssttuu"), "z": list("vwvwvv")}, dtype="category")
    kinds = GaussianClassifier().fit(table, list("aabbbb"))
    assert kinds.predict_proba(table)[0].tolist() == [1.0, 0.0]
    assert_same_scores("onnxruntime", kinds, table, tmp_path)


def test_names_and_types_of_inputs(tmp_path: Path) -> None:
    """Features may be called like inputs, outputs and tensors; the file says what X holds."""
    random = np.random.default_rng(0)
    y = np.arange(60) % 2
    table = pd.DataFrame({name: random.choice(list("abc"), 60) for name in ["X", "label", "v1"]})
    table = table.assign(floor=np.arange(60) % 4, open=random.random(60) < 0.5, x=y + 0.1)
    table["x"] += random.normal(size=60)
    columns = Columns(categorical=["floor"])
    model = GaussianClassifier(smoothing=1.0, columns=columns).fit(table, y)
    path = model.export(tmp_path / "model.onnx")
    written = onnx.load(path)
    assert {each.name for each in written.graph.input} == {*table.columns[:-1], "X_"}
    assert written.graph.output[0].name == "label_"
    about = {each.key: each.value for each in written.metadata_props}
    assert about == {"numbers": '["x"]', "classes": "[0, 1]"}
    assert all(tensor.data_location == 0 for tensor in written.graph.initializer)
    posterior = run_onnx(path, onnx_inputs(path, table))[1]
    np.testing.assert_allclose(posterior, model.predict_proba(table), atol=1e-12)


def test_graphs_stay_small(tmp_path: Path) -> None:
    """The number of nodes does not grow with the number of features."""
    sizes = []
    for d in (4, 100):
        X = np.random.default_rng(0).normal(size=(400, d))
        path = GaussianClassifier().fit(X, np.arange(400) % 2).export(tmp_path / "model.onnx")
        sizes.append(len(onnx.load(path).graph.node))
    assert sizes[0] == sizes[1] < 120


def test_problems_are_named_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, path = [[1.0], [2.0], [5.0], [7.0]], tmp_path / "model.onnx"
    model = GaussianClassifier().fit(X, list("aabb"))
    with pytest.raises(OptionError, match="dtype must be one of 'float64', 'float32'"):
        model.export(path, dtype="float16")  # type: ignore[arg-type]
    for name in ("onnx_file", "sql_dialects", "sql_statement"):
        monkeypatch.delitem(sys.modules, f"gaussbayes.export.{name}", raising=False)
    for suffix, module in ((".onnx", "onnx"), (".sql", "sqlglot")):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(ModuleNotFoundError, match=r"pip install 'gaussbayes\[export\]'"):
            model.export(path.with_suffix(suffix))
    assert not list(tmp_path.iterdir())
