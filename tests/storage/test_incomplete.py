"""Rows of which something is missing, in a file: what stands there, and what no file can hold."""

import json
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gaussbayes import GaussianClassifier, ModelFileError
from gaussbayes.families.gaussian.moments import empty
from gaussbayes.families.gaussian.pattern_moments import PatternMoments
from gaussbayes.model import model as models
from gaussbayes.model.file import dumps, loads
from gaussbayes.model.model import Model
from tests.models import SCORES, STRUCTURES, tree_frame, trees
from tests.storage.broken import GOOD, LACKING
from tests.storage.files import (
    assert_same_record,
    file_of,
    fitted,
    gaps,
    lacking,
    members,
    resealed,
    stored,
)

X, Y = trees()
ROWS = tree_frame(gaps(X))


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_the_rows_are_in_the_file(structure: Any) -> None:
    """Each pattern's mean and scatter by NumPy alone, found in the file by the page's rules."""
    covariance, shared = structure
    part = members(file_of(lacking(covariance, shared=shared)))["incomplete"]
    rows = ROWS.to_numpy()
    patterns = ["".join("0" if np.isnan(value) else "1" for value in row) for row in rows]
    cells = sorted({(c, p) for c, p in zip(Y == "oak", patterns, strict=True) if "0" in p})
    assert list(zip(part["classes"], part["observed"], strict=True)) == cells
    first, first_scatter = 0, 0
    for cell, (code, pattern) in enumerate(cells):
        there = [j for j in range(3) if pattern[j] == "1"]
        own = rows[(np.array(patterns) == pattern) & ((Y == "oak") == code)][:, there]
        assert part["weight"][cell] == len(own)
        n = len(there)
        mean = np.add(part["anchor"], part["offset"])[first : first + n]
        centred = own - own.mean(axis=0)
        expected = centred.T @ centred
        kept = np.tril_indices(n) if covariance == "full" else np.diag_indices(n)
        expected = expected[kept]
        scatter = part["scatter"][first_scatter : first_scatter + len(expected)]
        np.testing.assert_allclose(mean, own.mean(axis=0), rtol=1e-14)
        np.testing.assert_allclose(scatter, expected, rtol=1e-13, atol=1e-13)
        first, first_scatter = first + n, first_scatter + len(expected)
    assert (first, first_scatter) == (len(part["anchor"]), len(part["scatter"]))


def test_complete_rows_leave_no_trace() -> None:
    assert list(members(GOOD)) == [name for name in members(LACKING) if name != "incomplete"]


def through_a_file(model: GaussianClassifier, folder: Path) -> GaussianClassifier:
    again = GaussianClassifier.load(model.save(folder / "model.json"))
    assert_same_record(stored(again), loads(file_of(model)))
    return again


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_loaded_models_predict_alike(structure: Any, tmp_path: Path) -> None:
    covariance, shared = structure
    model = lacking(covariance, shared=shared, shrinkage=0.1, divisor="unbiased")
    loaded = through_a_file(model, tmp_path)
    for name in SCORES:
        for rows in (ROWS, tree_frame(X)):
            assert getattr(loaded, name)(rows).tobytes() == getattr(model, name)(rows).tobytes()


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_learning_goes_on(structure: Any, tmp_path: Path) -> None:
    """Update, merge and forget: a model that was in a file and one that was not stay alike."""
    covariance, shared = structure
    model = GaussianClassifier(covariance, shared=shared).fit(ROWS[:24], Y[:24])
    loaded = through_a_file(model, tmp_path)
    other = GaussianClassifier(covariance, shared=shared).fit(ROWS[20:], Y[20:])
    before = members(file_of(model))
    for one in (model, loaded):
        one.partial_fit(ROWS[24:30], Y[24:30])
        one.merge(through_a_file(other, tmp_path) if one is loaded else other)
    assert file_of(loaded) == file_of(model)
    for one in (model, loaded):
        one.forget(ROWS[20:], Y[20:])
        one.forget(ROWS[24:30], Y[24:30])
    assert file_of(loaded) == file_of(model)
    after = members(file_of(loaded))
    for name in ("classes", "observed", "weight"):
        assert after["incomplete"][name] == before["incomplete"][name]


def test_forgetting_all_that_lack_something(tmp_path: Path) -> None:
    loaded = through_a_file(lacking(), tmp_path)
    some = ROWS.isna().any(axis=1).to_numpy()
    loaded.forget(ROWS[some], Y[some])
    assert "incomplete" not in members(file_of(loaded))
    assert members(file_of(loaded))["parameters"] is None


def test_a_reader_needs_no_em(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = lacking()
    loaded = through_a_file(model, tmp_path)

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(models, "fit_patterns", refuse)
    assert loaded.predict(ROWS).tolist() == model.predict(ROWS).tolist()
    assert file_of(loaded) == dumps(stored(loaded))


def test_saving_works_the_parameters_out() -> None:
    """A model that has only summed its rows so far; EM gives what it gives when it is asked."""
    model = replace(stored(lacking()), parameters=None)
    loaded = loads(dumps(model))
    assert loaded.parameters is not None
    assert_same_record(loaded, replace(model, parameters=model.estimate()))


def test_too_few_rows_for_parameters(tmp_path: Path) -> None:
    """One class, then two with a row each: nothing to predict yet, and still something to keep."""
    model = GaussianClassifier().partial_fit([[1.0, np.nan]], ["a"])
    for row, label in (([3.0, 2.5], "b"), ([np.nan, np.nan], "b")):
        loaded = through_a_file(model, tmp_path)
        assert members(file_of(loaded))["parameters"] is None
        for one in (model, loaded):
            one.partial_fit([row], [label])
        assert file_of(loaded) == file_of(model)


def test_parameters_need_not_be_there() -> None:
    parts = members(LACKING)
    parts["parameters"] = None
    loaded = loads(resealed(parts))
    assert loaded.parameters is None
    expected = stored(lacking()).estimate()
    np.testing.assert_allclose(loaded.estimate().mean, expected.mean, rtol=1e-9)


def test_weights_that_are_too_large_together() -> None:
    parts = members(LACKING)
    parts["moments"]["weight"][0] = parts["incomplete"]["weight"][0] = 1.7e308
    with pytest.raises(ModelFileError, match="finite sum together with moments.weight"):
        loads(resealed(parts))


def test_a_mean_that_overflows() -> None:
    parts = members(LACKING)
    parts["incomplete"]["anchor"][5] = parts["incomplete"]["offset"][5] = 1.7e308
    with pytest.raises(ModelFileError, match=r"incomplete.offset\[5\]: expected a finite mean"):
        loads(resealed(parts))


def test_a_scatter_that_is_not_semi_definite() -> None:
    """Each pair of features is possible, the three together are not."""
    parts = members(file_of(GaussianClassifier().fit(*_four_features())))
    assert parts["incomplete"]["observed"] == ["0111", "1110"]
    parts["incomplete"]["scatter"] = [1, 0, 1, 0, 0, 1, 1, -0.9, 1, -0.9, -0.9, 1]
    with pytest.raises(ModelFileError, match="incomplete.scatter: matrix 1 is not positive semi"):
        loads(resealed(parts))


def _four_features() -> tuple[Any, Any]:
    rows, labels = trees(n=40, d=4)
    rows[labels == "ash", :1][::3] = np.nan
    first = np.flatnonzero(labels == "ash")[::3]
    rows[first, 0], rows[np.flatnonzero(labels == "oak")[::3], 3] = np.nan, np.nan
    return rows, labels


def test_a_small_file_does_not_fill_the_memory() -> None:
    """A pattern of 700 features takes 4 MB as a matrix, whether or not it has any of them."""
    parts = members(GOOD)
    d, q = 700, 200
    parts["features"] = {"names": None, "types": ["number"] * d}
    parts["settings"]["shared"] = True
    nothing = {"weight": [0, 0], "anchor": [0] * 2 * d, "offset": [0] * 2 * d}
    parts["moments"] = {"layout": "pooled", **nothing, "scatter": [0] * (d * (d + 1) // 2)}
    observed = [f"{at:0{d}b}" for at in range(q)]
    sums = {"weight": [1] * q, "anchor": [0], "offset": [0], "scatter": [0]}
    parts["incomplete"] = {"layout": "full", "classes": [0] * q, "observed": observed, **sums}
    data = resealed(parts)
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match=r"incomplete.observed: expected 1 to 13\d patter"):
            loads(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= 2 * len(data) + 2 * 8 * d * d


def _changed(**arrays: Any) -> Model:
    model = stored(lacking())
    assert model.incomplete is not None
    return replace(
        model,
        incomplete=replace(
            model.incomplete,
            **{name: value for name, value in arrays.items() if name in {"codes", "observed"}},
            moments=replace(
                model.incomplete.moments,
                **{name: v for name, v in arrays.items() if name not in {"codes", "observed"}},
            ),
        ),
    )


def _entry(name: str, at: tuple[int, ...], value: float) -> Model:
    cells = stored(lacking()).incomplete
    assert cells is not None
    array = (getattr(cells, name) if name == "codes" else getattr(cells.moments, name)).copy()
    array[at] = value
    return _changed(**{name: array})


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (_entry("weight", (1,), 0.0), r"incomplete.weight\[1\]: expected a weight above 0, got 0"),
        (_entry("weight", (1,), np.nan), r"incomplete.weight\[1\]: expected a finite number"),
        (_entry("anchor", (1, 2), np.inf), r"incomplete.anchor\[3\]: expected a finite number"),
        (_entry("anchor", (1, 1), 1.0), r"incomplete.anchor: expected 0 at \(1, 1\)"),
        (_entry("offset", (1, 1), np.nan), r"incomplete.offset: expected 0 at \(1, 1\)"),
        (_entry("scatter", (1, 1, 1), 1.0), r"incomplete.scatter: expected 0 at \(1, 1, 1\)"),
        (_entry("scatter", (1, 2, 0), 1.0), r"incomplete.scatter: matrix 1 is not symmetric"),
        (_entry("scatter", (1, 2, 2), -1.0), r"incomplete.scatter\[5\]: expected a sum of"),
        (_entry("codes", (7,), 0), r"incomplete.observed\[7\]: expected classes, and patterns"),
        (_entry("codes", (7,), 2), r"incomplete.classes\[7\]: expected a whole number from 0 to"),
        (
            _changed(observed=np.ones((8, 3), dtype=bool)),
            r"incomplete.observed\[0\]: expected a pattern in which something is missing",
        ),
        (
            replace(stored(fitted("diagonal")), incomplete=stored(lacking()).incomplete),
            "incomplete.layout: expected 'diagonal', got 'full'",
        ),
        (
            replace(
                stored(lacking()),
                incomplete=PatternMoments(
                    np.zeros(0, np.int32), np.zeros((0, 3), bool), empty(0, 3, "full")
                ),
            ),
            "incomplete.observed: expected 1 to ",
        ),
        (
            replace(stored(lacking()), moments=None),
            "moments: expected those of the complete rows where there is incomplete",
        ),
    ],
)
def test_what_no_file_can_hold(model: Model, said: str) -> None:
    with pytest.raises(
        ModelFileError, match=f"this model of 2 classes and 3 features cannot be saved: {said}"
    ):
        dumps(model)


def test_the_file_is_laid_out_in_lines() -> None:
    line = next(line for line in LACKING.decode().splitlines() if '"observed"' in line)
    assert json.loads(f"{{{line.rstrip(',')}}}")["observed"][0] == "011"
