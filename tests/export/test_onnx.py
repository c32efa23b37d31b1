"""ONNX files that onnxruntime really runs say what the model says."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import pytest

from gaussbayes import GaussianClassifier, OptionError
from gaussbayes.export.onnx_model import SMALLEST
from tests.designs import all_pairs
from tests.export.engines import mixed, numbers
from tests.models import STRUCTURES, automatic_classifier


def run(path: Path, inputs: dict[str, Any]) -> tuple[Any, Any, Any]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    label, posterior, evidence = session.run(None, inputs)
    return label, posterior, evidence


def categories(model: GaussianClassifier) -> dict[Any, Any]:
    """The categories of each feature that has some."""
    return model.categories_ if model.model_.categories else {}


def inputs_of(model: GaussianClassifier, table: pd.DataFrame, dtype: str) -> dict[str, Any]:
    """The columns of a table as tensors: missing strings are empty, missing integers smallest."""
    known = categories(model)
    held: dict[str, Any] = {}
    rest = [name for name in table.columns if name not in known]
    if rest:
        held["X"] = table[rest].to_numpy(dtype)
    for name, values in known.items():
        column = table[name]
        if isinstance(values[0], str):
            held[name] = column.astype(object).where(column.notna(), "").to_numpy(object)
        elif isinstance(values[0], bool):
            held[name] = column.to_numpy(bool)
        else:
            held[name] = np.where(column.isna(), SMALLEST, column.fillna(0).astype(np.int64))
        held[name] = held[name][:, None]
    return held


def assert_same_scores(
    model: GaussianClassifier, table: pd.DataFrame, folder: Path, dtype: Any = "float64"
) -> None:
    """float64: posteriors to 1e-12 and all labels; float32: labels unless posteriors tie to 1e-5.

    In float32 the rows are those that float32 has; a rank transform has other slopes next to its
    knots then, so that evidence is compared for half of the rows.
    """
    path = model.to_onnx(folder / "model.onnx", dtype=dtype)
    inputs = inputs_of(model, table, dtype)
    if dtype == "float32":
        table = table.copy()
        names = [name for name in table.columns if name not in categories(model)]
        table[names] = inputs["X"].astype(float)
    label, posterior, evidence = run(path, inputs)
    expected = model.predict_proba(table)
    different = label != model.predict(table)
    log_evidence = model.score_samples(table)
    relative = np.abs(evidence - log_evidence) / (1.0 + np.abs(log_evidence))
    assert posterior.dtype == evidence.dtype == dtype
    if dtype == "float64":
        assert np.abs(posterior - expected).max() < 1e-12
        assert not different.any()
        assert relative.max() < 1e-12
    else:
        highest = np.sort(expected[different], axis=1)
        assert (highest[:, -1] - highest[:, -2] < 1e-5).all()
        assert np.abs(posterior - expected).max() < 1e-4
        assert np.median(relative) < 1e-6


@pytest.mark.parametrize(
    ("dtype", "structure", "missing"),
    all_pairs(["float64", "float32"], [*STRUCTURES, "predictive"], [0.0, 0.2]),
)
def test_every_structure(dtype: str, structure: Any, missing: float, tmp_path: Path) -> None:
    """10,000 rows far from 0; what is missing is in all patterns, most of them not of training."""
    options: Any = {"estimate": "predictive"}
    if structure != "predictive":
        options = dict(zip(("covariance", "shared"), structure, strict=True))
    table, y = numbers(missing=missing)
    model = GaussianClassifier(**options).fit(table[:2000], y[:2000])
    assert_same_scores(model, table, tmp_path, dtype)


@pytest.mark.parametrize(
    "transforms", ["standardised", "range", "yeo-johnson", "log", "rank-normal"]
)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_transforms(transforms: Any, dtype: str, tmp_path: Path) -> None:
    """Also beyond what they were learnt from."""
    table, y = numbers(2000, missing=0.1)
    table = np.exp((table - 1000.0) / 3.0)
    model = GaussianClassifier(transforms=transforms).fit(table[:1000], y[:1000])
    table.iloc[-30:] *= 7.0
    table.iloc[-60:-30] /= 100.0
    assert_same_scores(model, table, tmp_path, dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_all_families(dtype: str, tmp_path: Path) -> None:
    """With missing values, unseen categories, integers and booleans as categories."""
    table, y = mixed()
    table["open"] = np.arange(len(table)) % 7 == y
    categorical = ["colour", "floor", "open"]
    families = {"visits": "poisson", "member": "bernoulli"}
    how: Any = {"families": families, "categorical_features": categorical, "smoothing": 0.5}
    model = GaussianClassifier(transforms={"width": "log"}, **how).fit(table[:500], y[:500])
    table.loc[::50, "colour"] = "never seen"
    with pytest.warns(UserWarning, match="never seen"):
        assert_same_scores(model, table, tmp_path, dtype)


@pytest.mark.parametrize("average", [False, True])
def test_automatic_models(average: bool, tmp_path: Path) -> None:
    """Coded, calibrated, averaged, and under other priors."""
    table, y = mixed(600)
    categorical = ["colour", "floor"]
    if average:
        table, categorical = table[["width", "visits", "colour"]], ["colour"]
    model = automatic_classifier(average=average, categorical_features=categorical)
    model.fit(table[:120], y[:120])
    assert_same_scores(model, table, tmp_path)
    assert_same_scores(model.with_priors([0.9, 0.1]), table, tmp_path)
    coded = GaussianClassifier(coded=True, shrinkage=0.1, categorical_features=categorical)
    assert_same_scores(coded.fit(table[:120], y[:120]), table, tmp_path)


def test_more_features_than_rows(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    table = pd.DataFrame(random.normal(size=(24, 40)), columns=[f"g{j}" for j in range(40)])
    y = np.arange(24) % 2
    model = GaussianClassifier(shrinkage=0.3).fit(table + y[:, None], y)
    assert_same_scores(model, table, tmp_path)
    label, posterior, _ = run(tmp_path / "model.onnx", {"X": np.full((1, 40), np.nan)})
    assert (label.tolist(), np.isnan(posterior).all()) == ([SMALLEST], True)


def test_offsets_take_no_digit_in_float32(tmp_path: Path) -> None:
    """Rows next to 1e6, at distances that float32 has exactly: the centre comes off first."""
    random = np.random.default_rng(3)
    y = np.arange(400) % 2
    X = np.round(random.normal(size=(400, 2)) * 8) / 8 + y[:, None]
    for name in ("full", "diagonal"):
        near = GaussianClassifier(name).fit(X, y).to_onnx(tmp_path / "near.onnx", dtype="float32")
        model = GaussianClassifier(name).fit(X + 2.0**20, y)
        far = model.to_onnx(tmp_path / "far.onnx", dtype="float32")
        a = run(near, {"X": X.astype(np.float32)})[1]
        b = run(far, {"X": (X + 2.0**20).astype(np.float32)})[1]
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
def test_labels_of_any_type(labels: list[Any], dtype: Any, nothing: Any, tmp_path: Path) -> None:
    """Infinity has no score; a batch may be of any size, also of none."""
    y = np.array(labels * 5)
    X = np.arange(y.size)[:, None] % len(labels) * 3.0 + np.linspace(0, 1, y.size)[:, None] ** 2
    path = GaussianClassifier().fit(X, y).to_onnx(tmp_path / "model.onnx")
    label, posterior, _ = run(path, {"X": X})
    assert (label.dtype, label.tolist()) == (dtype, y.tolist())
    label, posterior, evidence = run(path, {"X": np.array([[np.inf]])})
    assert np.isnan(posterior).all()
    assert np.isnan(evidence).all()
    assert np.isnan(label[0]) if nothing is None else label[0] == nothing
    assert run(path, {"X": np.empty((0, 1))})[1].shape == (0, len(labels))


def test_what_cannot_be(tmp_path: Path) -> None:
    """No count, neither 0 nor 1, not above 0, and what is impossible in every class."""
    X = np.array([[1.0, 0, 2.0], [2.0, 0, 1.0], [3.0, 1, 4.0], [1.0, 1, 3.0]])
    families: Any = {0: "poisson", 1: "bernoulli"}
    model = GaussianClassifier(families=families, transforms={2: "log"})
    path = model.fit(X, list("aabb")).to_onnx(tmp_path / "model.onnx")
    rows = np.array([[1.5, 0, 2], [-1, 0, 2], [1, 2, 2], [1, 1, 0], [1, 1, -3], [1, 1, 2.0]])
    label, posterior, _ = run(path, {"X": rows})
    assert np.isnan(posterior).all(axis=1).tolist() == [True] * 5 + [False]
    assert label.tolist() == [""] * 5 + ["b"]
    table = pd.DataFrame({"x": list("ssttuu"), "z": list("vwvwvv")}, dtype="category")
    kinds = GaussianClassifier().fit(table, list("aabbbb"))
    assert kinds.predict_proba(table)[0].tolist() == [1.0, 0.0]
    assert_same_scores(kinds, table, tmp_path)


def test_names(tmp_path: Path) -> None:
    """Features may be called like inputs and outputs; the file says what X holds."""
    names = ["X", "label", "weird 'name\"; DROP", "gaussbayes/v1"]
    random = np.random.default_rng(0)
    y = np.arange(60) % 2
    table = pd.DataFrame({name: random.choice(list("abc"), 60) for name in names})
    table = table.astype("category")
    table["gaussbayes/v1"] = random.normal(size=60) + y
    model = GaussianClassifier(smoothing=1.0).fit(table, y)
    path = model.to_onnx(tmp_path / "model.onnx")
    written = onnx.load(path)
    assert {each.name for each in written.graph.input} == {*names[:3], "X_"}
    assert written.graph.output[0].name == "label_"
    about = {each.key: each.value for each in written.metadata_props}
    assert about == {"numbers": '["gaussbayes/v1"]', "classes": "[0, 1]"}
    assert all(tensor.data_location == 0 for tensor in written.graph.initializer)
    inputs = {name: table[[name]].to_numpy(object) for name in names[:3]}
    inputs["X_"] = table[["gaussbayes/v1"]].to_numpy()
    np.testing.assert_allclose(run(path, inputs)[1], model.predict_proba(table), atol=1e-12)


def test_bad_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is refused is refused before anything is written."""
    X, path = [[1.0], [2.0], [5.0], [7.0]], tmp_path / "model.onnx"
    model = GaussianClassifier().fit(X, list("aabb"))
    with pytest.raises(OptionError, match="dtype must be one of 'float64', 'float32'"):
        model.to_onnx(path, dtype="float16")  # type: ignore[arg-type]
    days = np.array(["2020-01-01", "2021-01-01"], "M8[D]").repeat(2)
    with pytest.raises(OptionError, match="ONNX has no labels of type date"):
        GaussianClassifier().fit(X, days).to_onnx(path)
    with pytest.raises(FileNotFoundError, match="there is no directory"):
        model.to_onnx(tmp_path / "none" / "model.onnx")
    assert not list(tmp_path.iterdir())
    for name in [name for name in sys.modules if name.startswith("gaussbayes.export.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'gaussbayes\[onnx\]'"):
        model.to_onnx(path)
